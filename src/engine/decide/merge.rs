//! Taking in the rows of another list: an import, or a copy of this list that was edited elsewhere.
//!
//! Nothing of this list is lost. A row is the same task when id and title agree; of such two the newer says status
//! and words, and where the text says no time, work only ever moves on and only what is empty is filled. Blockers are
//! joined. Another task under a taken id gets an id of its own. What would close a ring is set aside.

use std::rc::Rc;

use crate::engine::error::{Code, Fact, Refusal, sentence};
use crate::engine::event::{Event, Row};
use crate::engine::names::Names;
use crate::engine::snapshot::{Draft, aside_with, ids_in, read_drafts, some_extra};
use crate::engine::transaction::Transaction;
use crate::graph::index_set::IndexSet;
use crate::task::{Presence, Slot, Slots, Status, Text, Words};

use super::words::feature_off;

impl Transaction<'_> {
    /// Takes in the rows of a text; gives the tasks that are new or changed, in the text's order. What ids of the text
    /// mean here stands in the call's keys. O(rows + edges), and what the edges' checks cost.
    pub(in crate::engine) fn merge(&mut self, text: &str) -> Result<Vec<Slot>, Refusal> {
        if !self.is_person() {
            let message = "Only the host or a person may merge another list into this one.";
            let facts = [("who", Fact::Text("host"))];
            return Err(Refusal::new(Code::NotAllowed, message, "Add the tasks one by one instead.", &facts));
        }
        let mut drafts = read_drafts(text)?;
        let mut named = Names::default();
        for draft in &drafts {
            if !named.add(&draft.id) {
                return Err(Refusal::duplicate_row(&draft.id));
            }
            if !self.state.rules.dependencies && !draft.blocked_by.is_empty() {
                return Err(feature_off("dependencies", "Leave `blockedBy` out of the rows."));
            }
        }
        // Rings are set aside, not told.
        self.bare_rings = true;
        let first_new = self.state.next_slot();
        let mut subjects = Vec::with_capacity(drafts.len());
        for draft in &mut drafts {
            let before = self.operation.events.len();
            let slot = self.take_in(draft, &named)?;
            subjects.push((slot, self.operation.events.len() > before));
        }
        for ((slot, changed), draft) in subjects.iter_mut().zip(&drafts) {
            let before = self.operation.events.len();
            self.keeps_times = *slot >= first_new;
            self.join_edges(*slot, draft);
            *changed |= self.operation.events.len() > before;
        }
        self.keeps_times = false;
        subjects.retain(|(_, changed)| *changed);
        Ok(subjects.into_iter().map(|(slot, _)| slot).collect())
    }

    /// The task that a row is, or becomes; its edges come later.
    fn take_in(&mut self, draft: &mut Draft<'_>, named: &Names) -> Result<Slot, Refusal> {
        let mut id = draft.id.clone().into_owned();
        let mut number = 1;
        let same = loop {
            match self.state.find_live(&id) {
                Some(slot) if *self.state.task(slot).text.title() == *draft.title => break Some(slot),
                // An id that the text itself gives to another row is no way out.
                None if number == 1 || named.find(&id).is_none() => break None,
                _ => {}
            }
            number += 1;
            id = sentence("{id}~{number}", &[("id", Fact::Text(&draft.id)), ("number", Fact::Number(number))]);
        };
        let slot = match same {
            Some(slot) => {
                self.update_from(slot, draft);
                slot
            }
            None => self.create_from(draft, &id)?,
        };
        if number > 1 {
            self.keys.add(&draft.id);
            self.keyed.push(slot);
        }
        Ok(slot)
    }

    fn create_from(&mut self, draft: &mut Draft<'_>, id: &str) -> Result<Slot, Refusal> {
        self.check_room()?;
        let slot = self.state.next_slot();
        let words = Words { id, title: &draft.title, description: &draft.description, active_form: &draft.active_form };
        let mut extra = std::mem::take(&mut draft.extra);
        // A claim is of the list that gave it.
        extra.claim = None;
        let created_at = if draft.created_at == 0 { self.context.now } else { draft.created_at };
        let created_by = Some(&*draft.created_by).filter(|name| !name.is_empty());
        let row = Row {
            seq: self.state.next_seq,
            progress: draft.progress,
            created_by: created_by.map_or_else(|| Rc::clone(&self.context.actor), Rc::from),
            created_at,
            updated_at: draft.updated_at.max(created_at),
            extra: some_extra(extra),
        };
        self.emit(Event::Created { slot, text: Rc::new(Text::new(words)), row: Some(Rc::new(row)) });
        Ok(slot)
    }

    /// Lets a task learn from a row what the row knows better.
    fn update_from(&mut self, slot: Slot, draft: &mut Draft<'_>) {
        let task = self.state.task(slot);
        let status = draft.progress.status;
        let newer = draft.updated_at > task.updated_at;
        let moves = status != task.status() && (newer || rank(status) > rank(task.status()));
        let old = Rc::clone(&task.text);
        let mut words = old.words();
        for (ours, theirs) in
            [(&mut words.description, &*draft.description), (&mut words.active_form, &*draft.active_form)]
        {
            if !theirs.is_empty() && (newer || ours.is_empty()) {
                *ours = theirs;
            }
        }
        if words != old.words() {
            let new = Rc::new(Text::new(words));
            self.emit(Event::Text { slot, old: Rc::clone(&old), new });
            self.stamp(slot);
        }
        let theirs = std::mem::take(&mut draft.extra);
        self.set_extra(slot, |extra| {
            if moves {
                extra.claim = None;
                extra.hold = theirs.hold;
            }
            for (ours, theirs) in [(&mut extra.owner, theirs.owner), (&mut extra.metadata, theirs.metadata)] {
                if theirs.is_some() && (newer || ours.is_none()) {
                    *ours = theirs;
                }
            }
            if extra.aside.is_none() {
                extra.aside = theirs.aside;
            }
            for facet in theirs.facets {
                if extra.facets.iter().all(|known| known.0 != facet.0) {
                    extra.facets.push(facet);
                }
            }
        });
        if moves {
            let mut progress = draft.progress;
            let started_at = self.state.task(slot).progress.started_at;
            if started_at > 0 {
                progress.started_at = started_at;
            }
            self.set_progress(slot, progress);
        }
    }

    fn join_edges(&mut self, slot: Slot, draft: &Draft<'_>) {
        let mut blockers = self.state.task(slot).blocked_by.clone();
        let before = blockers.len();
        let extra = self.state.task(slot).extra.clone();
        let mut aside = ids_in(extra.and_then(|extra| extra.aside.clone()).as_deref());
        let mut known = IndexSet::default();
        blockers.iter().for_each(|blocker| known.set(*blocker, true));
        // What was set aside stays so.
        for slot in aside.iter().filter_map(|id| self.state.find(id)) {
            known.set(slot, true);
        }
        for id in &draft.blocked_by {
            let blocker = self.meant(id);
            if !known.contains(blocker) {
                known.set(blocker, true);
                blockers.push(blocker);
            }
        }
        let were_aside = aside.len();
        if blockers.len() > before {
            self.drop_settled(&mut blockers);
            if self.set_blockers(slot, blockers.clone()).is_err() {
                // One by one, to find those that close rings.
                let mut kept = Slots::from_slice(&blockers[..before]);
                for blocker in &blockers[before..] {
                    kept.push(*blocker);
                    if self.set_blockers(slot, kept.clone()).is_err() {
                        kept.pop();
                        aside.push(self.id(*blocker));
                    }
                }
            }
        }
        if aside.len() > were_aside {
            self.set_extra(slot, |extra| extra.aside = Some(aside_with(None, &aside)));
        }
        let Some(name) = draft.parent.as_deref() else { return };
        if self.state.task(slot).parent().is_some() {
            return;
        }
        let parent = self.meant(name);
        let mut facet = "parent";
        if self.state.task(parent).presence == Presence::Live {
            // As at opening: a list's depth bars its verbs, not what was there before.
            if self.try_emit(Event::Parent { slot, old: None, new: Some(parent) }).is_ok() {
                return self.stamp(slot);
            }
            facet = "asideParent";
        }
        let mut json = String::new();
        crate::json::push_string(&mut json, name);
        self.set_extra(slot, |extra| {
            if extra.facets.iter().all(|known| &*known.0 != facet) {
                extra.facets.push((facet.into(), json.into()));
            }
        });
    }

    /// The task that a row of the text means by an id, or a placeholder for it.
    fn meant(&mut self, id: &str) -> Slot {
        if let Some(number) = self.keys.find(id) {
            return self.keyed[number];
        }
        self.state.find(id).unwrap_or_else(|| {
            let slot = self.state.next_slot();
            self.state.add_forgotten(id);
            self.keys.add(id);
            self.keyed.push(slot);
            slot
        })
    }
}

/// How far along a status is: where a row says no time, work only ever moves on.
fn rank(status: Status) -> u8 {
    match status {
        Status::Pending => 0,
        Status::Held | Status::InProgress => 1,
        Status::Completed | Status::Cancelled | Status::Deleted => 2,
    }
}
