//! The engine: commands go in, changes come out. It does no IO and reads no clock.
//!
//! `decide` holds the rules, `evolve` applies events, `readiness` keeps what follows; everything else
//! is reading, writing and remembering.

pub mod arguments;
mod batch;
mod change;
pub mod command;
mod compact;
mod decide;
pub mod error;
pub mod event;
mod evolve;
mod explain;
pub mod hash;
pub mod journal;
pub mod limits;
mod names;
mod nearest;
mod query;
mod readiness;
mod replay;
pub mod rules;
pub mod snapshot;
pub mod state;
mod transaction;
mod undo;

pub use change::Change;
pub use command::Command;
pub use decide::{check_due, check_length};
pub use error::{Code, Refusal};
pub use explain::{Blocker, Explanation};
pub use query::{Path, Progress, Read, WouldCycle};
pub use readiness::BlockerKind;
pub use rules::Rules;
pub use snapshot::OpenOptions;
pub use state::{State, Touch};
pub use transaction::Warning;

use std::rc::Rc;

use crate::task::{Millis, Slot, Slots, Status, Words};

use decide::Prepared;
use error::Fact;
use hash::Random;
use journal::{Journal, Role};
use transaction::{Outcome, Transaction};

/// Who calls, when, and as which of the session's operations.
#[derive(Debug, Clone)]
pub struct Context {
    /// `host`, `user:<id>` or `agent:<id>`; from the host, never from a model.
    pub actor: Rc<str>,
    /// Unix milliseconds.
    pub now: Millis,
    /// A number that the session uses once.
    pub operation: u64,
}

impl Context {
    /// A context.
    #[must_use]
    pub fn new(actor: &str, now: Millis, operation: u64) -> Self {
        Context { actor: Rc::from(actor), now, operation }
    }
}

/// Whether a text names an actor.
#[must_use]
pub fn is_actor(text: &str) -> bool {
    text == "host"
        || ["user:", "agent:"]
            .iter()
            .any(|kind| text.len() > kind.len() && text.starts_with(kind) && text.len() <= limits::ID_BYTES)
}

/// A task list with its rules and its memory of operations.
#[derive(Debug)]
pub struct Engine {
    state: State,
    journal: Journal,
    seed: [u64; 2],
    session: Rc<str>,
    /// Memory of an earlier change, to be used again.
    spare_change: Option<Box<Change>>,
    /// Checksum of each row as it was last read or written; 0 when it has changed since.
    checksums: Vec<u64>,
    /// Whether the text it was opened from had been edited by something else.
    edited: bool,
}

impl Engine {
    /// An empty list. `seed` is randomness of the host; the same seed gives the same ids.
    #[must_use]
    pub fn new(rules: Rules, seed: [u64; 2]) -> Self {
        let list = ["l_", &Random::of(seed, u64::MAX).word(10)].concat();
        Engine::from_parts(State::new(rules, Rc::from(list)), Journal::default(), seed, false)
    }

    fn from_parts(state: State, journal: Journal, seed: [u64; 2], edited: bool) -> Self {
        let session = Rc::from(Random::of(seed, u64::MAX - 1).word(10));
        Engine { state, journal, seed, session, checksums: Vec::new(), spare_change: None, edited }
    }

    /// The list.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The newest operations.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Keeps operations from a mark on, whatever their number, so that [`Engine::roll_back_to`] can take them back.
    pub fn pin_journal(&mut self, mark: Option<usize>) {
        self.journal.pin(mark);
    }

    /// The word that stands before the numbers of this session's operations.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Whether the text this was opened from had a wrong checksum, as an edit by hand or a merge leaves it.
    #[must_use]
    pub fn was_edited(&self) -> bool {
        self.edited
    }

    /// Carries out a command. Costs follow what changes: O(dependents) for a status, the smaller side of
    /// the two-way search for an edge.
    ///
    /// # Errors
    /// A refusal; nothing has changed.
    pub fn run(&mut self, command: &Command<'_>, context: &Context) -> Result<Change, Refusal> {
        self.check_numbers(context)?;
        let action = command.action();
        let role = match command {
            Command::Undo => Role::Undo,
            Command::Redo => Role::Redo,
            Command::Heartbeat { .. } | Command::RecoverStale(_) | Command::Merge(_) => Role::Fixed,
            _ => Role::Plain,
        };
        let Engine { state, journal, seed, session, .. } = self;
        let operation = journal.begin(session, context, action);
        let mut transaction = Transaction::new(state, context, Random::of(*seed, context.operation), operation);
        let mut change = Change { action, ..Change::default() };
        let decided = match command {
            Command::Batch(commands) => transaction.batch(commands).map(|tasks| {
                change.tasks = tasks;
                None
            }),
            Command::Merge(text) => transaction.merge(text).map(|tasks| {
                change.tasks = tasks;
                None
            }),
            Command::Undo | Command::Redo => {
                let (undo, redo) = journal.targets();
                match if role == Role::Undo { undo } else { redo } {
                    Some(operation) => transaction.take_back(&operation.events).map(|()| None),
                    None => Ok(None),
                }
            }
            _ => transaction.decide(command),
        };
        change.task = decided.as_ref().ok().copied().flatten();
        let Transaction { keys, keyed, .. } = &mut transaction;
        change.keys = std::mem::take(keys).into_words().into_iter().zip(std::mem::take(keyed)).collect();
        if matches!(command, Command::Merge(_)) {
            // Only what has another id here needs telling.
            let state = &transaction.state;
            change.keys.retain(|(key, slot)| state.task(*slot).id() != key);
        }
        let outcome = transaction.end(decided.map(drop));
        self.finish(outcome, &mut change, role)?;
        Ok(change)
    }

    /// Adds a plain task whose words come later with [`Engine::fill`]. The caller has checked what it can:
    /// that no task has the id, and that the words are within the limits.
    ///
    /// # Errors
    /// `limit` or `feature_off`; nothing has changed.
    pub fn add_prepared(&mut self, blockers: Slots, context: &Context) -> Result<Box<Change>, Refusal> {
        self.check_numbers(context)?;
        let mut change = self.begin_change("add", None);
        let mut transaction = self.begin(context, "add");
        let decided = transaction.add_prepared(Prepared { blockers });
        let outcome = transaction.end(decided.map(|slot| change.task = Some(slot)));
        self.hand_over(outcome, change)
    }

    /// Sets a task's blockers, given by slot.
    ///
    /// # Errors
    /// As for `update`; nothing has changed.
    pub fn set_blockers(&mut self, slot: Slot, blockers: Slots, context: &Context) -> Result<Box<Change>, Refusal> {
        self.check_numbers(context)?;
        let change = self.begin_change("update", Some(slot));
        let mut transaction = self.begin(context, "update");
        transaction.bare_rings = true;
        let decided = transaction.replace_blockers(slot, blockers);
        let outcome = transaction.end(decided);
        self.hand_over(outcome, change)
    }

    /// Starts or completes a task, given by slot: what `start` and `complete` do.
    ///
    /// # Errors
    /// As for `start` and `complete`; nothing has changed.
    pub fn set_status(&mut self, slot: Slot, status: Status, context: &Context) -> Result<Box<Change>, Refusal> {
        self.check_numbers(context)?;
        let started = status == Status::InProgress;
        let action = if started { "start" } else { "complete" };
        let change = self.begin_change(action, Some(slot));
        let mut transaction = self.begin(context, action);
        let decided = transaction.move_to(slot, started);
        let outcome = transaction.end(decided);
        self.hand_over(outcome, change)
    }

    /// Refuses what could be written and not be read again: a time or a counter beyond the whole numbers of JSON.
    fn check_numbers(&self, context: &Context) -> Result<(), Refusal> {
        let State { revision, next_seq, last_fence, .. } = &self.state;
        if context.now > limits::LAST_TIME {
            return Err(Refusal::too_large("now", context.now, limits::LAST_TIME, "Unix milliseconds"));
        }
        if (revision | next_seq | last_fence) >> limits::COUNTER_BITS != 0 {
            let message = "The list's counters (revision, creation numbers, fences) have come to their end.";
            let facts = [("limit", Fact::Text("counters")), ("max", Fact::Number(1 << limits::COUNTER_BITS))];
            return Err(Refusal::new(Code::Limit, message, "Go on in a new list.", &facts));
        }
        Ok(())
    }

    #[allow(
        clippy::unnecessary_box_returns,
        reason = "its memory is used again; a copy of it costs more than the rest"
    )]
    fn begin_change(&mut self, action: &'static str, task: Option<Slot>) -> Box<Change> {
        let mut change = self.spare_change.take().unwrap_or_default();
        change.action = action;
        change.task = task;
        change
    }

    fn begin<'e>(&'e mut self, context: &'e Context, action: &'static str) -> Transaction<'e> {
        let operation = self.journal.begin(&self.session, context, action);
        Transaction::new(&mut self.state, context, Random::of(self.seed, context.operation), operation)
    }

    /// Takes back a change that nobody needs any more, for its memory.
    pub fn recycle(&mut self, mut change: Box<Change>) {
        change.clear();
        self.spare_change = Some(change);
    }

    /// Fills in the words of a task from [`Engine::add_prepared`].
    pub fn fill(&mut self, slot: Slot, words: Words<'_>) {
        self.state.fill(slot, words);
    }

    /// Ends a quick call; the memory of a refused one's change is used again.
    fn hand_over(&mut self, outcome: Outcome, mut change: Box<Change>) -> Result<Box<Change>, Refusal> {
        match self.finish(outcome, &mut change, Role::Plain) {
            Ok(()) => Ok(change),
            Err(refusal) => {
                self.recycle(change);
                Err(refusal)
            }
        }
    }

    /// Remembers what a transaction did and draws up the change, or passes its refusal on.
    fn finish(&mut self, outcome: Outcome, change: &mut Change, role: Role) -> Result<(), Refusal> {
        let Outcome { mut operation, decided, warning, alive } = outcome;
        if let Err(refusal) = decided {
            self.journal.recycle(operation);
            self.state.take_touched(&mut change.touched);
            return Err(refusal);
        }
        change.warning = warning;
        change.changed = alive || !operation.events.is_empty();
        if change.changed {
            // A sign of life changes nothing that could be taken back.
            let lives = |event: &event::Event| matches!(event, event::Event::Updated { .. });
            operation.role = if role == Role::Plain && operation.events.iter().all(lives) { Role::Fixed } else { role };
            self.state.revision += 1;
            self.journal.push(operation);
        } else {
            self.journal.recycle(operation);
        }
        change.revision = self.state.revision;
        self.collect(change);
        self.compact_if_due(change);
        Ok(())
    }

    /// Draws up what the operation touched, and forgets the checksums of those rows.
    fn collect(&mut self, change: &mut Change) {
        change.collect(&mut self.state);
        for touch in &change.touched {
            if let Some(sum) = self.checksums.get_mut(touch.slot as usize) {
                *sum = 0;
            }
        }
    }

    /// Takes back every operation since a mark, without checks: what a host does when a save has failed.
    pub fn roll_back_to(&mut self, mark: usize, revision: u64) -> Change {
        let mut change = Change { action: "rollback", changed: true, ..Change::default() };
        let context = Context::new("host", 0, 0);
        while self.journal.mark() > mark {
            let Some(operation) = self.journal.pop() else { break };
            for event in operation.events.iter().rev() {
                if let Some(inverse) = self.state.inverse(event) {
                    let undone = self.state.evolve(&inverse, &context);
                    debug_assert!(undone.is_ok(), "what was legal before is legal again");
                }
                if let event::Event::Created { .. } = event {
                    self.state.next_seq -= 1;
                }
                if let event::Event::Counted { old, .. } = event {
                    self.state.last_fence = *old;
                }
            }
        }
        self.state.revision = revision;
        change.revision = revision;
        self.collect(&mut change);
        change
    }

    /// Carries out a command given as JSON; gives the change as JSON, or the refusal as JSON.
    ///
    /// # Errors
    /// The refusal.
    pub fn run_json(&mut self, command: &str, context: &Context) -> Result<String, String> {
        if !is_actor(&context.actor) {
            let refusal = Refusal::unknown_word("actor", &context.actor, "host, user:<id> or agent:<id>");
            return Err(refusal.to_json());
        }
        let read = Command::read(command).map_err(|refusal| refusal.to_json())?;
        match self.run(&read, context) {
            Ok(change) => Ok(change.to_json(&self.state)),
            Err(refusal) => Err(refusal.to_json()),
        }
    }
}
