//! Undo and redo: the inverse of an operation, checked like any other call.

use std::rc::Rc;

use crate::task::{Extra, Presence, Slot, Task, Text, Words};

use super::error::{Code, Fact, Refusal};
use super::event::Event;
use super::transaction::Transaction;

impl Transaction<'_> {
    /// Takes back the events of an operation, field by field.
    ///
    /// # Errors
    /// `undo_conflict` when a field that it would restore has changed since, `held` or `not_holder` when the
    /// actor may not move a task that it would move.
    pub(super) fn take_back(&mut self, events: &[Event]) -> Result<(), Refusal> {
        for event in events {
            let Some(slot) = event.slot().filter(|slot| self.state.task(*slot).presence == Presence::Live) else {
                continue;
            };
            match event {
                Event::Created { .. } | Event::Progress { .. } => self.check_may_move(slot, None)?,
                Event::Extra { old, new, .. } => {
                    let nothing = Extra::default();
                    let (old, new) = (old.as_deref().unwrap_or(&nothing), new.as_deref().unwrap_or(&nothing));
                    if (old.hold != new.hold) || (old.claim != new.claim) {
                        self.check_may_move(slot, None)?;
                    } else if old.owner != new.owner {
                        self.check_holder(slot, None)?;
                    }
                }
                _ => {}
            }
        }
        let mut before: Vec<(Slot, Task)> = Vec::new();
        let mut seen = vec![false; self.state.tasks.len()];
        for event in events.iter().rev() {
            let Some(inverse) = self.inverse_now(event)? else { continue };
            let slot = inverse.slot().filter(|slot| seen.get(*slot as usize) == Some(&false));
            if let Some(slot) = slot {
                seen[slot as usize] = true;
                before.push((slot, self.state.task(slot).clone()));
            }
            if self.try_emit(inverse).is_err() {
                return Err(self.conflict(event.slot(), "blockedBy"));
            }
        }
        for (slot, old) in before {
            let new = self.state.task(slot);
            let same = new.presence == old.presence
                && new.progress == old.progress
                && new.blocked_by == old.blocked_by
                && new.text == old.text
                && new.parent() == old.parent()
                && new.extra == old.extra;
            if !same && new.presence == Presence::Live {
                self.stamp(slot);
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn conflict(&self, slot: Option<Slot>, field: &str) -> Refusal {
        let id = slot.map_or("", |slot| self.state.task(slot).id());
        Refusal::new(
            Code::UndoConflict,
            "Task `{id}` has changed since ({field}), so this cannot be taken back.",
            "Make the change that you want directly.",
            &[("id", Fact::Text(id)), ("field", Fact::Text(field))],
        )
    }

    /// The event that restores what `event` replaced, on the list as it stands now.
    fn inverse_now(&self, event: &Event) -> Result<Option<Event>, Refusal> {
        let Some(slot) = event.slot() else { return Ok(None) };
        let task = self.state.task(slot);
        let live = task.presence == Presence::Live;
        let check = |same: bool, field: &str| if same { Ok(()) } else { Err(self.conflict(Some(slot), field)) };
        match event {
            Event::Updated { .. } | Event::Counted { .. } => return Ok(None),
            Event::Created { row, .. } => {
                check(live && task.blocks.is_empty() && task.children().is_empty(), "id")?;
                // A row that had come back leaves again only as it came: a heartbeat may have gone over it.
                if let Some(row) = row {
                    check(task.progress == row.progress, "status")?;
                    check(task.extra == row.extra, "claim")?;
                }
            }
            Event::Dropped { text, .. } => check(!live && self.state.find_live(text.id()).is_none(), "id")?,
            Event::Progress { new, .. } => check(live && task.progress == *new, "status")?,
            Event::Blockers { new, .. } => check(live && task.blocked_by == *new, "blockedBy")?,
            Event::Parent { new, .. } => check(live && task.parent() == *new, "parent")?,
            Event::Text { old, new, .. } => {
                check(live, "id")?;
                let text = self.words_back(slot, old, new)?;
                return Ok(Some(Event::Text { slot, old: Rc::clone(&task.text), new: Rc::new(text) }));
            }
            Event::Extra { old, new, .. } => {
                check(live, "id")?;
                let extra = self.facets_back(slot, old.as_deref(), new.as_deref())?;
                let new = if extra.is_empty() { None } else { Some(Rc::new(extra)) };
                return Ok(Some(Event::Extra { slot, old: task.extra.clone(), new }));
            }
        }
        Ok(self.state.inverse(event))
    }

    /// The present words with those restored that differ between `old` and `new`.
    fn words_back(&self, slot: Slot, old: &Text, new: &Text) -> Result<Text, Refusal> {
        let (old, new, now) = (old.words(), new.words(), self.state.task(slot).text.words());
        let back = |field: &str, old, new, now| self.field_back(slot, field, old, new, now);
        Ok(Text::new(Words {
            id: now.id,
            title: back("title", old.title, new.title, now.title)?,
            description: back("description", old.description, new.description, now.description)?,
            active_form: back("activeForm", old.active_form, new.active_form, now.active_form)?,
        }))
    }

    /// The present facets with those restored that differ between `old` and `new`.
    fn facets_back(&self, slot: Slot, old: Option<&Extra>, new: Option<&Extra>) -> Result<Extra, Refusal> {
        let nothing = Extra::default();
        let (old, new) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
        let now = self.state.task(slot).extra.as_deref().unwrap_or(&nothing);
        Ok(Extra {
            owner: self.field_back(slot, "owner", &old.owner, &new.owner, &now.owner)?.clone(),
            claim: self.field_back(slot, "claim", old.claim, new.claim, now.claim)?,
            hold: self.field_back(slot, "hold", &old.hold, &new.hold, &now.hold)?.clone(),
            children: self.field_back(slot, "children", old.children, new.children, now.children)?,
            metadata: self.field_back(slot, "metadata", &old.metadata, &new.metadata, &now.metadata)?.clone(),
            aside: self.field_back(slot, "asideBlockedBy", &old.aside, &new.aside, &now.aside)?.clone(),
            facets: self.field_back(slot, "metadata", &old.facets, &new.facets, &now.facets)?.clone(),
        })
    }

    #[allow(clippy::needless_pass_by_value, reason = "callers pass references and small values alike")]
    fn field_back<T: PartialEq>(&self, slot: Slot, field: &str, old: T, new: T, now: T) -> Result<T, Refusal> {
        if old == new {
            Ok(now)
        } else if now == new {
            Ok(old)
        } else {
            Err(self.conflict(Some(slot), field))
        }
    }
}
