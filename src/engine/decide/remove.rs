//! Removing a task (D12).

use std::rc::Rc;

use crate::engine::command::Removal;
use crate::engine::error::Refusal;
use crate::engine::event::Event;
use crate::engine::transaction::Transaction;
use crate::task::{Slot, Slots, Status};

use super::words::feature_off;

impl Transaction<'_> {
    pub(super) fn remove(&mut self, slot: Slot, removal: Removal) -> Result<(), Refusal> {
        if !self.state.rules.revise {
            return Err(feature_off("revise", "Complete the task instead."));
        }
        match removal {
            Removal::Cancel | Removal::Tombstone if self.status(slot) == Status::Deleted => Ok(()),
            Removal::Cancel => self.cancel(slot),
            Removal::Tombstone => self.settle(slot, Status::Deleted),
            Removal::Strip => {
                self.check_may_move(slot, None)?;
                self.clear_from_dependents(slot);
                for child in self.state.task(slot).children().to_vec() {
                    self.set_parent(child, None)?;
                }
                self.take_out(slot)
            }
        }
    }

    /// Takes a row out of the list; edges that others still have to it stay behind.
    pub(super) fn take_out(&mut self, slot: Slot) -> Result<(), Refusal> {
        let old = self.state.task(slot).blocked_by.clone();
        if !old.is_empty() {
            self.emit(Event::Blockers { slot, old, new: Slots::new() });
        }
        if let Some(parent) = self.state.task(slot).parent() {
            self.try_emit(Event::Parent { slot, old: Some(parent), new: None })?;
        }
        let text = Rc::clone(&self.state.task(slot).text);
        let row = Rc::new(self.state.row(slot));
        self.emit(Event::Dropped { slot, text, row });
        Ok(())
    }
}
