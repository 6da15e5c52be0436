//! Waits, and releasing them.

use crate::engine::error::Refusal;
use crate::engine::limits;
use crate::engine::transaction::Transaction;
use crate::task::{Hold, HoldReason, Progress, Slot, Status};

use super::words::check_length;

impl Transaction<'_> {
    pub(super) fn hold(&mut self, slot: Slot, reason: HoldReason, note: &str, resume: Status) -> Result<(), Refusal> {
        check_length("note", note, limits::SHORT_TEXT_CHARACTERS)?;
        let status = self.status(slot);
        if !status.is_open() {
            return Err(Refusal::transition(self.state.task(slot).id(), status.word(), "held", "Reopen it first."));
        }
        let same = |hold: &Hold| hold.reason == reason && &*hold.note == note && hold.resume == resume;
        if self.state.task(slot).hold().is_some_and(same) {
            return Ok(());
        }
        self.check_may_move(slot, None)?;
        let progress = self.state.task(slot).progress;
        let at = self.context.now.max(self.state.task(slot).updated_at);
        self.set_progress(slot, Progress { status: Status::Held, ..progress });
        self.set_extra(slot, |extra| {
            extra.claim = None;
            extra.hold = Some(Hold { reason, note: note.into(), at, resume });
        });
        Ok(())
    }

    /// Ends a claim (back to pending, without owner) or a hold (to the status that it names).
    pub(super) fn release(&mut self, slot: Slot, fence: Option<u64>) -> Result<(), Refusal> {
        let status = self.status(slot);
        if !status.is_open() {
            return Err(Refusal::transition(self.state.task(slot).id(), status.word(), "pending", "Reopen it first."));
        }
        self.check_may_move(slot, fence)?;
        let started_at = self.state.task(slot).progress.started_at;
        match status {
            Status::InProgress => {
                self.set_progress(slot, Progress { status: Status::Pending, started_at, completed_at: 0 });
                self.set_extra(slot, |extra| {
                    extra.claim = None;
                    extra.owner = None;
                });
            }
            Status::Held => match self.state.task(slot).hold().map_or(Status::Pending, |hold| hold.resume) {
                Status::Completed => {
                    self.check_children(slot)?;
                    self.finish(slot);
                }
                resume => {
                    let started = resume == Status::InProgress && started_at == 0;
                    let started_at = if started { self.moment(slot) } else { started_at };
                    self.set_progress(slot, Progress { status: resume, started_at, completed_at: 0 });
                    self.end_wait(slot);
                }
            },
            _ => {}
        }
        Ok(())
    }
}
