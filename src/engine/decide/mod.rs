//! The rules: what each command may do, and the events that it makes.
//!
//! Every step looks before it changes anything; a command of several steps (a batch, an update of
//! status and edges) is taken back whole when a later step is refused.

mod add;
mod claim;
mod edit;
mod hold;
mod housekeeping;
mod merge;
mod remove;
mod status;
mod tree;
mod words;

pub(super) use add::Prepared;
pub use words::{check_due, check_length};

use crate::task::Slot;

use super::command::Command;
use super::error::Refusal;
use super::transaction::Transaction;

impl Transaction<'_> {
    /// Carries out a command other than batch, undo and redo; gives the task it is about.
    pub(super) fn decide(&mut self, command: &Command<'_>) -> Result<Option<Slot>, Refusal> {
        match command {
            Command::Add(add) => self.add(add).map(Some),
            Command::Update(id, patch) => self.update(id, patch).map(Some),
            Command::Start(id) => {
                let slot = self.resolve(id)?;
                self.start(slot)?;
                Ok(Some(slot))
            }
            Command::Complete(id, fence) => {
                let slot = self.resolve(id)?;
                self.complete(slot, *fence)?;
                Ok(Some(slot))
            }
            Command::Cancel(id) => {
                let slot = self.resolve(id)?;
                self.cancel(slot)?;
                Ok(Some(slot))
            }
            Command::Reopen(id) => {
                let slot = self.resolve(id)?;
                self.reopen(slot)?;
                Ok(Some(slot))
            }
            Command::Remove(id, removal) => {
                let slot = self.resolve(id)?;
                self.remove(slot, *removal)?;
                Ok(Some(slot))
            }
            Command::Claim { id, ids, lease } => self.claim(id.as_deref(), ids.as_deref(), *lease),
            Command::Heartbeat { id, fence, lease } => {
                let slot = self.resolve(id)?;
                self.heartbeat(slot, *fence, *lease)?;
                Ok(Some(slot))
            }
            Command::Release(id, fence) => {
                let slot = self.resolve(id)?;
                self.release(slot, *fence)?;
                Ok(Some(slot))
            }
            Command::Hold { id, reason, note, resume } => {
                let slot = self.resolve(id)?;
                self.hold(slot, *reason, note, *resume)?;
                Ok(Some(slot))
            }
            Command::Archive(before) => self.archive(*before).map(|()| None),
            Command::RecoverStale(age) => {
                self.recover_stale(*age);
                Ok(None)
            }
            // The engine takes these apart before it comes here.
            Command::Batch(_) | Command::Merge(_) | Command::Undo | Command::Redo => Ok(None),
        }
    }
}
