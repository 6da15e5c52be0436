//! Claims: exactly one holder, with a fence and perhaps a lease.

use std::borrow::Cow;

use crate::engine::error::Refusal;
use crate::engine::event::{Counter, Event};
use crate::engine::transaction::Transaction;
use crate::task::{Claim, Millis, Progress, Slot, Status};

use super::status::held;

impl Transaction<'_> {
    /// Gives the actor the task `id`, or the first ready one (out of `ids`), or one whose lease has ended.
    pub(super) fn claim(
        &mut self,
        id: Option<&str>,
        ids: Option<&[Cow<'_, str>]>,
        lease: Option<Millis>,
    ) -> Result<Option<Slot>, Refusal> {
        let lease_until = self.lease_end(lease)?;
        let chosen = match id {
            Some(id) => {
                let slot = self.resolve(id)?;
                self.check_claimable(slot)?;
                Some(slot)
            }
            None => self.next_claimable(ids)?,
        };
        let Some(slot) = chosen else { return Ok(None) };
        let fence = self.state.last_fence + 1;
        self.emit(Event::Counted { counter: Counter::Fence, old: fence - 1, new: fence });
        let started_at = match self.state.task(slot).progress.started_at {
            0 => self.moment(slot),
            before => before,
        };
        self.set_progress(slot, Progress { status: Status::InProgress, started_at, completed_at: 0 });
        let actor: Box<str> = (*self.context.actor).into();
        self.set_extra(slot, |extra| {
            extra.owner = Some(actor);
            extra.claim = Some(Claim { fence, lease_until });
        });
        Ok(Some(slot))
    }

    fn next_claimable(&self, ids: Option<&[Cow<'_, str>]>) -> Result<Option<Slot>, Refusal> {
        let among =
            ids.map(|ids| ids.iter().map(|id| self.resolve(id)).collect::<Result<Vec<Slot>, Refusal>>()).transpose()?;
        let wanted = |slot: &Slot| among.as_ref().is_none_or(|among| among.contains(slot));
        if let Some(slot) = self.state.ready.iter().find(wanted) {
            return Ok(Some(slot));
        }
        if self.state.count(Status::InProgress) == 0 {
            return Ok(None);
        }
        let free = |slot: &Slot| self.state.task(*slot).active == 0 && self.lease_has_ended(*slot);
        let expired = self.state.live().map(|(slot, _)| slot).find(|slot| wanted(slot) && free(slot));
        Ok(expired)
    }

    /// Whether somebody's claim has run out.
    fn lease_has_ended(&self, slot: Slot) -> bool {
        let task = self.state.task(slot);
        task.status() == Status::InProgress
            && task.claim().is_some_and(|claim| claim.lease_until != 0 && claim.lease_until <= self.context.now)
    }

    fn check_claimable(&mut self, slot: Slot) -> Result<(), Refusal> {
        let task = self.state.task(slot);
        let mine = task.claim().is_some() && task.owner() == Some(&*self.context.actor);
        match task.status() {
            Status::Pending => {}
            Status::InProgress if mine || self.lease_has_ended(slot) => {}
            Status::InProgress if task.claim().is_some() => return Err(self.not_holder(slot)),
            Status::Held => {
                return Err(held(task, "A person (host or user:…) must release it first."));
            }
            status => {
                let hint = "Claim a task that is ready.";
                return Err(Refusal::transition(task.id(), status.word(), "in_progress", hint));
            }
        }
        // A claim asks for a ready task, so a blocked one is refused whatever the list's rules say.
        self.check_blockers(slot, true)
    }

    pub(super) fn heartbeat(&mut self, slot: Slot, fence: u64, lease: Option<Millis>) -> Result<(), Refusal> {
        let task = self.state.task(slot);
        let held = task.claim().filter(|claim| claim.fence == fence && task.status() == Status::InProgress);
        let Some(claim) = held else { return Err(self.not_holder(slot)) };
        if !self.is_person() && task.owner() != Some(&*self.context.actor) {
            return Err(self.not_holder(slot));
        }
        let lease_until = if lease.is_some() { self.lease_end(lease)? } else { claim.lease_until };
        self.alive = true;
        self.stamp(slot);
        self.set_extra(slot, |extra| extra.claim = Some(Claim { fence, lease_until }));
        Ok(())
    }
}
