//! Replaying journalled operations: `evolve` over their events, no rule is asked again (D16).

use super::error::Refusal;
use super::snapshot;
use super::{Change, Context, Engine};
use crate::json::{Fault, Reader, Stop};

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
                for (done, event) in operation.events.iter().enumerate() {
                    if self.state.evolve(event, &context).is_err() {
                        for event in operation.events[..done].iter().rev() {
                            if let Some(inverse) = self.state.inverse(event) {
                                let undone = self.state.evolve(&inverse, &context);
                                debug_assert!(undone.is_ok(), "what was legal before is legal again");
                            }
                        }
                        return Err(Refusal::corrupt(at, "an operation would close a ring"));
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
