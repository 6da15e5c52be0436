//! Recovery of stale work (D15), and archiving.

use crate::engine::error::Refusal;
use crate::engine::event::Event;
use crate::engine::transaction::Transaction;
use crate::task::{Millis, Progress, Slot, Slots, Status, Task};

impl Transaction<'_> {
    /// Work in progress that was last touched longer ago than `age` goes back to pending.
    pub(super) fn recover_stale(&mut self, age: Millis) {
        if self.state.count(Status::InProgress) == 0 {
            return;
        }
        let now = self.context.now;
        let is_stale = |task: &Task| task.status() == Status::InProgress && now.saturating_sub(task.updated_at) > age;
        let stale: Vec<Slot> = self.state.live().filter(|(_, task)| is_stale(task)).map(|(slot, _)| slot).collect();
        for slot in stale {
            let progress = self.state.task(slot).progress;
            self.set_progress(slot, Progress { status: Status::Pending, ..progress });
            if self.state.task(slot).claim().is_some() {
                self.set_extra(slot, |extra| {
                    extra.claim = None;
                    extra.owner = None;
                });
            }
        }
    }

    /// Tasks that settled before a time leave the list, unless something that stays still names them.
    pub(super) fn archive(&mut self, before: Millis) -> Result<(), Refusal> {
        let is_old = |task: &Task| {
            let settled_at = if task.progress.completed_at > 0 { task.progress.completed_at } else { task.updated_at };
            !task.status().is_open() && settled_at < before
        };
        let mut leaves = vec![false; self.state.tasks.len()];
        for (slot, task) in self.state.live() {
            leaves[slot as usize] = is_old(task);
        }
        // What is named by a row that stays, stays; so may others then. Each task is put back at most once.
        let mut kept: Vec<Slot> = self.state.live().filter(|(_, task)| !is_old(task)).map(|(slot, _)| slot).collect();
        while let Some(slot) = kept.pop() {
            let task = self.state.task(slot);
            let named = task.blocked_by.iter().chain(task.children()).copied().chain(task.parent());
            for other in named {
                if std::mem::replace(&mut leaves[other as usize], false) {
                    kept.push(other);
                }
            }
        }
        let leaving: Vec<Slot> = (0..self.state.next_slot()).filter(|slot| leaves[*slot as usize]).collect();
        // Nothing names a row that leaves when it leaves, whichever of them was there first.
        for slot in &leaving {
            let task = self.state.task(*slot);
            let (old, parent) = (task.blocked_by.clone(), task.parent());
            if !old.is_empty() {
                self.emit(Event::Blockers { slot: *slot, old, new: Slots::new() });
            }
            if parent.is_some() {
                self.try_emit(Event::Parent { slot: *slot, old: parent, new: None })?;
            }
        }
        for slot in leaving.into_iter().rev() {
            self.take_out(slot)?;
        }
        Ok(())
    }
}
