//! Replaying journalled operations: `evolve` over their events, no rule is asked again (D16).

use super::error::Refusal;
use super::event::Event;
use super::journal::Operation;
use super::snapshot;
use super::state::State;
use super::{Change, Context, Engine};
use crate::json::{Fault, Reader, Stop};
use crate::task::{Presence, Slot, Task};

impl Engine {
    /// Applies journalled operations, as [`Engine::operations_json`] gave them, to a list that stands as it
    /// stood before them. The result is the same state, byte for byte.
    ///
    /// # Errors
    /// `corrupt` when they do not fit this list; nothing has changed.
    pub fn replay_json(&mut self, operations: &str) -> Result<Change, Refusal> {
        let before = (self.journal.clone(), self.state.revision, self.state.next_seq, self.state.last_fence);
        let mark = self.journal.mark();
        self.journal.pin(Some(mark));
        let replayed = self.replay(operations);
        let (journal, revision, next_seq, last_fence) = before;
        if replayed.is_err() {
            self.roll_back_to(mark, revision);
            (self.journal, self.state.next_seq, self.state.last_fence) = (journal, next_seq, last_fence);
        } else {
            self.journal.pin(journal.pinned());
        }
        replayed
    }

    fn replay(&mut self, operations: &str) -> Result<Change, Refusal> {
        let corrupt = |fault: &Fault| Refusal::corrupt(fault.at, fault.problem);
        let mut change = Change { action: "replay", changed: true, ..Change::default() };
        let mut reader = Reader::new(operations);
        reader.array().map_err(|Stop| corrupt(reader.fault()))?;
        let mut first = true;
        while reader.item(&mut first).map_err(|Stop| corrupt(reader.fault()))? {
            let at = reader.position();
            let json = reader.raw().map_err(|Stop| corrupt(reader.fault()))?;
            let one = ["[", json, "]"].concat();
            snapshot::add_names(&mut self.state, &one).map_err(|fault| corrupt(&fault))?;
            for operation in snapshot::read_operations(&self.state, &one).map_err(|fault| corrupt(&fault))? {
                let context =
                    Context { actor: operation.actor.clone(), now: operation.at, operation: operation.number };
                let again = |known: &Operation| known.number == operation.number && known.session == operation.session;
                if self.journal.iter().any(again) {
                    return Err(Refusal::corrupt(at, "an operation that the list has lived through already"));
                }
                for (done, event) in operation.events.iter().enumerate() {
                    if !self.state.fits(event) || self.state.evolve(event, &context).is_err() {
                        for event in operation.events[..done].iter().rev() {
                            if let Some(inverse) = self.state.inverse(event) {
                                let undone = self.state.evolve(&inverse, &context);
                                debug_assert!(undone.is_ok(), "what was legal before is legal again");
                            }
                        }
                        return Err(Refusal::corrupt(at, "an operation that does not fit the list as it stands"));
                    }
                }
                self.state.revision += 1;
                self.journal.push(operation);
            }
        }
        change.revision = self.state.revision;
        self.collect(&mut change);
        Ok(change)
    }
}

impl State {
    /// Whether an event from elsewhere can follow on the list as it stands: what it replaces is there, and what it
    /// brings can be written and read again. Rings are found by [`State::evolve`].
    fn fits(&self, event: &Event) -> bool {
        let live = |slot: Slot| self.tasks.get(slot as usize).is_some_and(|task| task.presence == Presence::Live);
        match event {
            Event::Counted { old, new, .. } => return *old == self.last_fence && old < new,
            Event::Created { slot, text, row } => {
                let seq = row.as_ref().map_or(self.next_seq, |row| row.seq);
                let back = |task: &Task| task.presence == Presence::Gone && task.seq == seq;
                return self.find_live(text.id()).is_none()
                    && self.tasks.get(*slot as usize).map_or(*slot == self.next_slot() && seq >= self.next_seq, back);
            }
            _ => {}
        }
        let Some(slot) = event.slot().filter(|slot| live(*slot)) else { return false };
        let task = self.task(slot);
        match event {
            Event::Dropped { text, row, .. } => {
                let alone = task.blocks.is_empty() && task.blocked_by.is_empty();
                let rooted = task.parent().is_some() || !task.children().is_empty();
                alone && !rooted && **row == self.row(slot) && text.words() == task.text.words()
            }
            Event::Progress { old, .. } => *old == task.progress,
            Event::Updated { old, new, .. } => *old == task.updated_at && old < new,
            // An id stands for one blocker only, be it a row, or a placeholder since it left.
            Event::Blockers { old, new, .. } => {
                let id = |slot: &Slot| self.task(*slot).id();
                let twice = |at: usize| new[..at].iter().any(|other| id(other) == id(&new[at]));
                !(0..new.len()).any(twice) && old.iter().map(id).eq(task.blocked_by.iter().map(id))
            }
            Event::Text { old, .. } => old.words() == task.text.words(),
            Event::Parent { old, new, .. } => *old == task.parent() && *new != Some(slot) && new.is_none_or(live),
            Event::Extra { old, .. } => *old == task.extra,
            Event::Created { .. } | Event::Counted { .. } => false,
        }
    }
}
