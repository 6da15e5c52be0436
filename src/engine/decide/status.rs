//! Moving a task from one status to another.

use crate::engine::error::{Code, Fact, Refusal, first_five, sentence};
use crate::engine::event::Event;
use crate::engine::rules::OnComplete;
use crate::engine::transaction::{Transaction, Warning};
use crate::task::{Progress, Slot, Slots, Status, Task};

impl Transaction<'_> {
    /// Refuses whoever may not move this task now: agents where it is held (D19), other agents where it is claimed.
    pub(in crate::engine) fn check_may_move(&self, slot: Slot, fence: Option<u64>) -> Result<(), Refusal> {
        let task = self.state.task(slot);
        if task.status() == Status::Held && !self.is_person() {
            return Err(held(task, "Only {who} can move it; go on with other tasks."));
        }
        self.check_holder(slot, fence)
    }

    /// Refuses an agent where another one's claim is live, and anybody who shows a fence that is not the claim's.
    pub(in crate::engine) fn check_holder(&self, slot: Slot, fence: Option<u64>) -> Result<(), Refusal> {
        let task = self.state.task(slot);
        let claim = task.claim();
        let wrong_fence = fence.is_some_and(|fence| claim.is_none_or(|claim| claim.fence != fence));
        let live = claim.is_some_and(|claim| claim.lease_until == 0 || claim.lease_until > self.context.now);
        let foreign = live && !self.is_person() && task.owner() != Some(&*self.context.actor);
        if wrong_fence || foreign { Err(self.not_holder(slot)) } else { Ok(()) }
    }

    pub(super) fn not_holder(&self, slot: Slot) -> Refusal {
        let task = self.state.task(slot);
        let message = match task.owner() {
            Some(_) => "Task `{id}` is claimed by {holder}.",
            None => "Nobody holds that claim on task `{id}` any more.",
        };
        let facts = [("id", Fact::Text(task.id())), ("holder", Fact::Perhaps(task.owner()))];
        Refusal::new(Code::NotHolder, message, "Claim another task.", &facts)
    }

    /// Refuses, or warns of, work on a task that waits for others (D11).
    pub(super) fn check_blockers(&mut self, slot: Slot, strict: bool) -> Result<(), Refusal> {
        if self.state.task(slot).active == 0 {
            return Ok(());
        }
        let by: Vec<Slot> = self.state.active_blockers(slot).into_iter().map(|blocker| blocker.0).collect();
        let message = "Task `{id}` still waits for {_names}.";
        let (ids, names) = self.names(&by);
        let facts =
            [("id", Fact::Text(self.state.task(slot).id())), ("by", Fact::List(&ids)), ("_names", Fact::Text(&names))];
        if strict {
            let hint = "Do those first, or change `blockedBy`.";
            return Err(Refusal::new(Code::Blocked, message, hint, &facts));
        }
        let message = sentence(message, &facts);
        self.warning.get_or_insert(Warning { code: Code::Blocked, message, by });
        Ok(())
    }

    /// The ids of slots, and the first five of them as a text.
    fn names(&self, slots: &[Slot]) -> (Vec<&str>, String) {
        let ids: Vec<&str> = slots.iter().map(|slot| self.state.task(*slot).id()).collect();
        let text = first_five(ids.len(), &mut |at, text| {
            text.push('`');
            text.push_str(ids[at]);
            text.push('`');
        });
        (ids, text)
    }

    /// A parent is not completed before its steps have settled, whatever the list's rules say (D3a).
    pub(super) fn check_children(&self, slot: Slot) -> Result<(), Refusal> {
        let open = self.state.open_children(slot);
        if open.is_empty() {
            return Ok(());
        }
        let (ids, names) = self.names(&open);
        Err(Refusal::new(
            Code::ChildrenOpen,
            "Task `{id}` has open steps: {_names}.",
            "Complete or cancel its steps first.",
            &[
                ("id", Fact::Text(self.state.task(slot).id())),
                ("open", Fact::List(&ids)),
                ("_names", Fact::Text(&names)),
            ],
        ))
    }

    fn refuse(&self, slot: Slot, to: Status, hint: &'static str) -> Refusal {
        Refusal::transition(self.state.task(slot).id(), self.status(slot).word(), to.word(), hint)
    }

    /// Starts or completes a task.
    pub(in crate::engine) fn move_to(&mut self, slot: Slot, start: bool) -> Result<(), Refusal> {
        if start { self.start(slot) } else { self.complete(slot, None) }
    }

    pub(super) fn start(&mut self, slot: Slot) -> Result<(), Refusal> {
        if !self.status(slot).is_open() {
            return Err(self.refuse(slot, Status::InProgress, "Reopen it first."));
        }
        self.begin(slot)
    }

    /// Puts a task in progress, wherever it comes from.
    fn begin(&mut self, slot: Slot) -> Result<(), Refusal> {
        self.check_may_move(slot, None)?;
        self.check_blockers(slot, self.state.rules.strict)?;
        if self.status(slot) == Status::InProgress {
            self.alive = true;
            self.stamp(slot);
            return Ok(());
        }
        let old = self.state.task(slot).progress;
        let started_at = if old.started_at == 0 { self.moment(slot) } else { old.started_at };
        self.set_progress(slot, Progress { status: Status::InProgress, started_at, completed_at: 0 });
        self.end_wait(slot);
        Ok(())
    }

    pub(super) fn complete(&mut self, slot: Slot, fence: Option<u64>) -> Result<(), Refusal> {
        match self.status(slot) {
            Status::Completed => return Ok(()),
            Status::Cancelled | Status::Deleted => {
                return Err(self.refuse(slot, Status::Completed, "Reopen it first."));
            }
            _ => {}
        }
        self.check_may_move(slot, fence)?;
        self.check_blockers(slot, self.state.rules.strict)?;
        self.check_children(slot)?;
        self.finish(slot);
        Ok(())
    }

    /// Marks a task completed, and clears edges where the list's rule says so.
    pub(super) fn finish(&mut self, slot: Slot) {
        let started_at = self.state.task(slot).progress.started_at;
        let completed_at = self.moment(slot).max(started_at);
        self.set_progress(slot, Progress { status: Status::Completed, started_at, completed_at });
        self.end_wait(slot);
        if self.state.rules.on_complete == OnComplete::Clear {
            self.clear_from_dependents(slot);
        }
    }

    /// Takes a task out of every other task's blockers.
    pub(super) fn clear_from_dependents(&mut self, slot: Slot) {
        for dependent in self.state.task(slot).blocks.clone() {
            let old = self.state.task(dependent).blocked_by.clone();
            let new: Slots = old.iter().copied().filter(|blocker| *blocker != slot).collect();
            self.emit(Event::Blockers { slot: dependent, old, new });
            self.stamp(dependent);
        }
    }

    /// A hold or a claim ends when the status moves on; the owner stays.
    pub(super) fn end_wait(&mut self, slot: Slot) {
        let waits =
            self.state.task(slot).extra.as_ref().is_some_and(|extra| extra.hold.is_some() || extra.claim.is_some());
        if waits {
            self.set_extra(slot, |extra| {
                extra.hold = None;
                extra.claim = None;
            });
        }
    }

    pub(super) fn cancel(&mut self, slot: Slot) -> Result<(), Refusal> {
        match self.status(slot) {
            Status::Cancelled => return Ok(()),
            Status::Completed | Status::Deleted => {
                return Err(self.refuse(slot, Status::Cancelled, "Reopen it first."));
            }
            _ => {}
        }
        self.settle(slot, Status::Cancelled)
    }

    /// Ends a task without completing it.
    pub(super) fn settle(&mut self, slot: Slot, status: Status) -> Result<(), Refusal> {
        self.check_may_move(slot, None)?;
        let progress = self.state.task(slot).progress;
        self.set_progress(slot, Progress { status, completed_at: 0, ..progress });
        self.end_wait(slot);
        Ok(())
    }

    pub(super) fn reopen(&mut self, slot: Slot) -> Result<(), Refusal> {
        if self.status(slot).is_open() {
            return Ok(());
        }
        self.put_back(slot)
    }

    /// Puts a task back to pending, wherever it comes from.
    fn put_back(&mut self, slot: Slot) -> Result<(), Refusal> {
        self.check_may_move(slot, None)?;
        let started_at = self.state.task(slot).progress.started_at;
        self.set_progress(slot, Progress { status: Status::Pending, started_at, completed_at: 0 });
        self.end_wait(slot);
        Ok(())
    }

    /// The status that an update asks for.
    pub(super) fn set_status(&mut self, slot: Slot, to: Status) -> Result<(), Refusal> {
        let from = self.status(slot);
        match to {
            Status::InProgress => self.begin(slot),
            _ if from == to => Ok(()),
            Status::Pending => self.put_back(slot),
            Status::Completed => self.complete(slot, None),
            Status::Cancelled => self.cancel(slot),
            Status::Deleted => self.remove(slot, crate::engine::command::Removal::Tombstone),
            // No table lets `held` through: a wait needs a reason.
            Status::Held => Err(self.refuse(slot, to, "Use `hold`.")),
        }
    }
}

/// The refusal of moving a task that waits for a person.
pub(super) fn held(task: &Task, hint: &'static str) -> Refusal {
    let reason = task.hold().map_or("manual", |hold| hold.reason.word());
    let who = "a person (host or user:…)";
    let facts = [("id", Fact::Text(task.id())), ("reason", Fact::Text(reason)), ("who", Fact::Text(who))];
    Refusal::new(Code::Held, "Task `{id}` is held ({reason}).", hint, &facts)
}
