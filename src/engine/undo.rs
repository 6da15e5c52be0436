//! Undo and redo: the inverse of an operation, checked like any other call.

use crate::task::{Presence, Slot};

use super::error::{Code, Refusal};
use super::event::Event;
use super::transaction::Transaction;

impl Transaction<'_> {
    /// Takes back the events of an operation.
    ///
    /// # Errors
    /// `undo_conflict` when something that it would restore has changed since, `held` or `not_holder`
    /// when the actor may not move a task that it would move.
    pub(super) fn take_back(&mut self, events: &[Event]) -> Result<(), Refusal> {
        let mut touched: Vec<Slot> = Vec::new();
        for event in events.iter().rev() {
            self.check_unchanged(event)?;
            if matches!(event, Event::Updated { .. }) {
                continue;
            }
            let Some(inverse) = self.state.inverse(event) else { continue };
            if self.try_emit(inverse).is_err() {
                return Err(conflict(self.name(event), "blockedBy"));
            }
            touched.extend(event.slot());
        }
        touched.sort_unstable();
        touched.dedup();
        for slot in touched {
            if self.state.task(slot).presence == Presence::Live {
                self.stamp(slot);
            }
        }
        Ok(())
    }

    fn name(&self, event: &Event) -> Option<String> {
        event.slot().map(|slot| self.id(slot))
    }

    /// Whether the list still stands as the event left it.
    fn check_unchanged(&self, event: &Event) -> Result<(), Refusal> {
        let Some(slot) = event.slot() else { return Ok(()) };
        let task = self.state.task(slot);
        let live = task.presence == Presence::Live;
        let (same, field) = match event {
            Event::Created { .. } => (live && task.blocks.is_empty() && task.children().is_empty(), "id"),
            Event::Dropped { text, .. } => (!live && self.state.find_live(text.id()).is_none(), "id"),
            Event::Progress { new, .. } => {
                if live {
                    self.check_may_move(slot, None)?;
                }
                (live && task.progress == *new, "status")
            }
            Event::Blockers { new, .. } => (live && task.blocked_by == *new, "blockedBy"),
            Event::Text { new, .. } => (live && task.text == *new, "title"),
            Event::Parent { new, .. } => (live && task.parent() == *new, "parent"),
            Event::Extra { new, .. } => (live && task.extra == *new, "metadata"),
            Event::Updated { .. } | Event::Counted { .. } => (true, ""),
        };
        if same { Ok(()) } else { Err(conflict(Some(self.id(slot)), field)) }
    }
}

fn conflict(id: Option<String>, field: &str) -> Refusal {
    let id = id.unwrap_or_default();
    Refusal::new(
        Code::UndoConflict,
        format!("Task `{id}` has changed since ({field}), so this cannot be taken back."),
        "Make the change that you want directly.",
        |details| {
            details.field("id", &id);
            details.field("field", field);
        },
    )
}
