//! Editing a task.

use std::borrow::Cow;
use std::rc::Rc;

use crate::engine::command::Patch;
use crate::engine::error::{Code, Refusal};
use crate::engine::event::Event;
use crate::engine::limits;
use crate::engine::transaction::Transaction;
use crate::task::{Slot, Slots, Status, Text, Words};

use super::words::{check_due, check_length, check_metadata, feature_off};

impl Transaction<'_> {
    pub(super) fn update(&mut self, id: &str, patch: &Patch<'_>) -> Result<Slot, Refusal> {
        if !self.state.rules.revise {
            return Err(feature_off("revise", "Complete tasks or add new ones instead."));
        }
        check_something(patch)?;
        check_words(patch)?;
        let slot = self.resolve(id)?;
        let deleted = self.status(slot) == Status::Deleted;
        let reopens = matches!(patch.status, Some(Status::Pending | Status::InProgress));
        if deleted && !reopens && (patch.status != Some(Status::Deleted) || touches_more_than_status(patch)) {
            let hint = "Set `status` to pending in the same call to bring it back.";
            let to = patch.status.unwrap_or(Status::Pending);
            return Err(Refusal::transition(self.state.task(slot).id(), "deleted", to.word(), hint));
        }
        let blockers = self.new_blockers(slot, patch)?;
        let parent = match patch.parent.as_deref() {
            None => None,
            Some("") => Some(None),
            Some(parent) => Some(Some(self.resolve(parent)?)),
        };
        if patch.owner.as_deref().is_some_and(|owner| owner != self.state.task(slot).owner().unwrap_or("")) {
            self.check_holder(slot, None)?;
        }
        self.edit_words(slot, patch);
        self.edit_facets(slot, patch)?;
        if let Some(blockers) = blockers {
            // The update is judged by what results: the old parent must not bar the new blockers.
            if parent.is_some_and(|parent| parent != self.state.task(slot).parent()) {
                self.set_parent(slot, None)?;
            }
            self.set_blockers(slot, blockers)?;
        }
        if let Some(parent) = parent {
            self.set_parent(slot, parent)?;
        }
        if let Some(status) = patch.status {
            self.set_status(slot, status)?;
        }
        Ok(slot)
    }

    /// Replaces the blockers of a task by tasks that are known to exist.
    pub(in crate::engine) fn replace_blockers(&mut self, slot: Slot, mut blockers: Slots) -> Result<(), Refusal> {
        if !blockers.is_empty() && !self.state.rules.dependencies {
            return Err(feature_off("dependencies", "Call again without `blockedBy`."));
        }
        self.drop_settled(&mut blockers);
        self.set_blockers(slot, blockers)
    }

    /// The whole set of blockers that a patch asks for, when it asks for one.
    fn new_blockers(&self, slot: Slot, patch: &Patch<'_>) -> Result<Option<Slots>, Refusal> {
        let given = [&patch.blocked_by, &patch.add_blocked_by];
        if given.iter().any(|list| list.as_ref().is_some_and(|list| !list.is_empty())) && !self.state.rules.dependencies
        {
            return Err(feature_off("dependencies", "Call again without `blockedBy`."));
        }
        let id = self.id(slot);
        if patch.blocked_by.is_none() && patch.add_blocked_by.is_none() && patch.remove_blocked_by.is_none() {
            return Ok(None);
        }
        let mut blockers = match &patch.blocked_by {
            Some(ids) => self.resolve_set(&id, slot, ids)?,
            None => self.state.task(slot).blocked_by.clone(),
        };
        for added in
            self.resolve_blockers(&id, Some(slot), None, patch.add_blocked_by.as_deref().unwrap_or_default())?
        {
            if !blockers.contains(&added) {
                blockers.push(added);
            }
        }
        // Taking an edge out is always legal, also one to an id that nobody has.
        for removed in patch.remove_blocked_by.as_deref().unwrap_or_default() {
            let found = self.look_up(removed).or_else(|| self.state.find(removed.trim()));
            blockers.retain(|blocker| Some(*blocker) != found);
        }
        self.drop_settled(&mut blockers);
        Ok(Some(blockers))
    }

    /// A replacing set: an id that nobody has may stay where it already stands.
    fn resolve_set(&self, name: &str, slot: Slot, ids: &[Cow<'_, str>]) -> Result<Slots, Refusal> {
        let mut blockers = Slots::new();
        for id in ids {
            let standing = self.state.find(id.trim()).filter(|found| self.state.task(slot).blocked_by.contains(found));
            let found = match standing {
                Some(found) => found,
                None => self.resolve_blockers(name, Some(slot), None, std::slice::from_ref(id))?[0],
            };
            if !blockers.contains(&found) {
                blockers.push(found);
            }
        }
        Ok(blockers)
    }

    fn edit_words(&mut self, slot: Slot, patch: &Patch<'_>) {
        let old = Rc::clone(&self.state.task(slot).text);
        let words = Words {
            id: old.id(),
            title: patch.title.as_deref().unwrap_or(old.title()),
            description: patch.description.as_deref().unwrap_or(old.description()),
            active_form: patch.active_form.as_deref().unwrap_or(old.active_form()),
        };
        if words != old.words() {
            let new = Rc::new(Text::new(words));
            self.emit(Event::Text { slot, old: Rc::clone(&old), new });
            self.stamp(slot);
        }
    }

    fn edit_facets(&mut self, slot: Slot, patch: &Patch<'_>) -> Result<(), Refusal> {
        if patch.owner.is_none() && patch.children.is_none() && patch.metadata.is_none() {
            return Ok(());
        }
        self.edit_extra(slot, |extra| {
            if let Some(owner) = &patch.owner {
                extra.owner = if owner.is_empty() { None } else { Some((&**owner).into()) };
            }
            if let Some(children) = patch.children {
                extra.children = children;
            }
            if let Some(metadata) = patch.metadata {
                extra.metadata = if metadata.is_empty() { None } else { Some(metadata.into()) };
            }
        })
    }
}

fn touches_more_than_status(patch: &Patch<'_>) -> bool {
    patch.title.is_some()
        || patch.description.is_some()
        || patch.active_form.is_some()
        || patch.blocked_by.is_some()
        || patch.add_blocked_by.is_some()
        || patch.remove_blocked_by.is_some()
        || patch.parent.is_some()
        || patch.children.is_some()
        || patch.owner.is_some()
        || patch.metadata.is_some()
}

fn check_something(patch: &Patch<'_>) -> Result<(), Refusal> {
    if patch.status.is_some() || touches_more_than_status(patch) {
        return Ok(());
    }
    Err(Refusal::new(
        Code::NothingToChange,
        "The update names no field to change.",
        "Give at least one of title, description, activeForm, status, blockedBy, addBlockedBy, removeBlockedBy, parent, children, owner, metadata.",
        &[],
    ))
}

fn check_words(patch: &Patch<'_>) -> Result<(), Refusal> {
    if let Some(title) = &patch.title {
        check_due("title", title, limits::TITLE_CHARACTERS)?;
    }
    check_length("description", patch.description.as_deref().unwrap_or(""), limits::DESCRIPTION_CHARACTERS)?;
    check_length("activeForm", patch.active_form.as_deref().unwrap_or(""), limits::SHORT_TEXT_CHARACTERS)?;
    check_length("owner", patch.owner.as_deref().unwrap_or(""), limits::SHORT_TEXT_CHARACTERS)?;
    check_metadata(patch.metadata.filter(|json| !json.is_empty()).unwrap_or("{}"))
}
