//! Renumbering slots: when many rows have left, and when another text takes the list's place.

use std::rc::Rc;

use crate::graph::sort;
use crate::task::{Presence, Slot, Slots};

use super::event::Event;
use super::state::{State, Touch, field};
use super::{Change, Engine};

/// Fewer dead slots than this are left alone.
const FEW: usize = 1024;

impl Engine {
    /// Drops slots that nobody can bring back, once they outnumber the rest. Amortised O(1) per removal.
    pub(super) fn compact_if_due(&mut self, change: &mut Change) {
        let slots = self.state.tasks.len();
        if slots < FEW {
            return;
        }
        let live = self.state.rows() + self.state.missing as usize;
        if slots - live < FEW.max(slots / 2) {
            return;
        }
        let mut keep = vec![false; slots];
        for operation in self.journal.iter() {
            for event in &operation.events {
                mark(event, &mut keep);
            }
        }
        for (slot, task) in self.state.tasks.iter().enumerate() {
            keep[slot] |= matches!(task.presence, Presence::Live | Presence::Missing);
        }
        if keep.iter().filter(|kept| !**kept).count() < FEW {
            return;
        }
        let mut new_of = vec![Slot::MAX; slots];
        let mut old_of = Vec::new();
        for slot in 0..self.state.next_slot() {
            if keep[slot as usize] {
                new_of[slot as usize] = Slot::try_from(old_of.len()).unwrap_or(Slot::MAX);
                old_of.push(slot);
            }
        }
        self.renumber(&new_of);
        let moved = |slot: &mut Slot| *slot = new_of[*slot as usize];
        change.task.iter_mut().for_each(moved);
        change.tasks.iter_mut().for_each(moved);
        change.keys.iter_mut().for_each(|key| moved(&mut key.1));
        change.now_ready.iter_mut().for_each(moved);
        change.now_blocked.iter_mut().for_each(moved);
        if let Some(warning) = &mut change.warning {
            warning.by.iter_mut().for_each(moved);
        }
        change.touched.retain(|touch| new_of[touch.slot as usize] != Slot::MAX);
        change.touched.iter_mut().for_each(|touch| moved(&mut touch.slot));
        change.renumbered = Some(old_of);
    }

    fn renumber(&mut self, new_of: &[Slot]) {
        let old = &mut self.state;
        let mut state = State::new(old.rules.clone(), Rc::clone(&old.list));
        (state.revision, state.next_seq, state.last_fence) = (old.revision, old.next_seq, old.last_fence);
        (state.counts, state.missing) = (old.counts, old.missing);
        let moved = |slot: &mut Slot| *slot = new_of[*slot as usize];
        let mut checksums = Vec::new();
        for (slot, mut task) in std::mem::take(&mut old.tasks).into_iter().enumerate() {
            if new_of[slot] == Slot::MAX {
                continue;
            }
            checksums.push(self.checksums.get(slot).copied().unwrap_or(0));
            task.blocked_by.iter_mut().for_each(moved);
            task.blocks.iter_mut().for_each(moved);
            if let Some(tree) = &mut task.tree {
                tree.parent.iter_mut().for_each(moved);
                tree.children.iter_mut().for_each(moved);
            }
            state.push_task(task);
            state.split.set(new_of[slot], old.split.contains(Slot::try_from(slot).unwrap_or(Slot::MAX)));
        }
        for slot in 0..state.next_slot() {
            if matches!(state.task(slot).presence, Presence::Live | Presence::Missing) {
                // A task whose words come later is found by its id from then on.
                if !state.task(slot).id().is_empty() {
                    state.index_id(slot);
                }
                state.reindex(slot);
            }
        }
        let order = sort(&state, state.topology.borrow().len()).unwrap_or_default();
        state.topology.get_mut().assign(&order);
        self.state = state;
        self.checksums = checksums;
        for operation in self.journal.iter_mut() {
            for event in &mut operation.events {
                move_event(event, moved);
            }
        }
    }

    /// Takes the place of the list in memory by another one, as it was read from a storage. Rows that are the
    /// same in both count as untouched; the session goes on.
    pub fn replace_with(&mut self, mut other: Engine) -> Change {
        other.seed = self.seed;
        other.session = Rc::clone(&self.session);
        let mut change =
            Change { action: "reload", changed: true, revision: other.state.revision, ..Change::default() };
        let mut old_of = Vec::with_capacity(other.state.tasks.len());
        for slot in 0..other.state.next_slot() {
            let task = other.state.task(slot);
            let old = if task.presence == Presence::Live { self.state.find_live(task.id()) } else { None };
            old_of.push(old.unwrap_or(Slot::MAX));
            if task.presence != Presence::Live {
                continue;
            }
            let was = old.map(|old| self.state.task(old).readiness());
            let was_blocked = old.is_some_and(|old| self.state.blocked.contains(old));
            if other.state.ready.contains(slot) && was != Some(crate::task::Readiness::Ready) {
                change.now_ready.push(slot);
            }
            if other.state.blocked.contains(slot) && !was_blocked {
                change.now_blocked.push(slot);
            }
            let mask = old.map_or(field::CREATED, |old| self.difference(old, &other.state, slot));
            if mask != 0 {
                change.touched.push(Touch { slot, mask, was, was_blocked });
            }
        }
        change.renumbered = Some(old_of);
        *self = other;
        change
    }

    /// In which fields a row differs from one of another list.
    fn difference(&self, old: Slot, other: &State, slot: Slot) -> u32 {
        let (here, there) = (self.state.task(old), other.task(slot));
        let names = |state: &State, slots: &Slots| state.ids(slots);
        let parent = |state: &State, slot: Option<Slot>| slot.map(|slot| state.task(slot).id().to_owned());
        let mut mask = 0;
        let mut note = |bit: u32, same: bool| mask |= if same { 0 } else { bit };
        note(field::PROGRESS, here.progress == there.progress);
        note(field::READINESS, here.readiness() == there.readiness());
        note(field::UPDATED, here.updated_at == there.updated_at);
        note(field::TEXT, here.text == there.text);
        note(field::BLOCKERS, names(&self.state, &here.blocked_by) == names(other, &there.blocked_by));
        let facets = here.extra == there.extra && here.seq == there.seq && here.created_at == there.created_at;
        let family = parent(&self.state, here.parent()) == parent(other, there.parent());
        note(field::FACETS, facets && family && here.created_by == there.created_by);
        mask
    }
}

fn mark(event: &Event, keep: &mut [bool]) {
    let mut see = |slot: &mut Slot| keep[*slot as usize] = true;
    move_event(&mut event.clone(), &mut see);
}

/// Calls `moved` with every slot that an event names.
fn move_event(event: &mut Event, mut moved: impl FnMut(&mut Slot)) {
    match event {
        Event::Created { slot, .. }
        | Event::Dropped { slot, .. }
        | Event::Progress { slot, .. }
        | Event::Updated { slot, .. }
        | Event::Text { slot, .. }
        | Event::Extra { slot, .. } => moved(slot),
        Event::Blockers { slot, old, new } => {
            moved(slot);
            old.iter_mut().for_each(&mut moved);
            new.iter_mut().for_each(&mut moved);
        }
        Event::Parent { slot, old, new } => {
            moved(slot);
            old.iter_mut().for_each(&mut moved);
            new.iter_mut().for_each(&mut moved);
        }
        Event::Counted { .. } => {}
    }
}
