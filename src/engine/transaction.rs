//! One call under way: each step is validated, then applied; a refusal takes every step back.

use std::borrow::Cow;
use std::rc::Rc;

use crate::graph::Node;
use crate::json::Writer;
use crate::task::{Extra, Millis, Presence, Progress, Slot, Slots, Status};

use super::error::{Code, Fact, Refusal, shorten};
use super::event::Event;
use super::hash::Random;
use super::journal::Operation;
use super::names::Names;
use super::nearest::nearest;
use super::state::{State, slot_of};
use super::{Context, limits};

/// How many titles and ids are looked at for a suggestion.
const SUGGESTION_SCAN: usize = 5_000;

/// Why an accepted call deserves a second look (D11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// `blocked`.
    pub code: Code,
    /// A sentence.
    pub message: String,
    /// The active blockers.
    pub by: Vec<Slot>,
}

/// How a call ended.
pub(super) struct Outcome {
    /// What it is remembered as; without events when it was refused.
    pub(super) operation: Box<Operation>,
    pub(super) decided: Result<(), Refusal>,
    pub(super) warning: Option<Warning>,
    /// See [`Transaction::alive`].
    pub(super) alive: bool,
}

/// A call under way.
pub(super) struct Transaction<'e> {
    pub(super) state: &'e mut State,
    pub(super) context: &'e Context,
    pub(super) random: Random,
    /// What it will be remembered as.
    pub(super) operation: Box<Operation>,
    pub(super) warning: Option<Warning>,
    /// Local keys of a batch.
    pub(super) keys: Names,
    /// The tasks that they stand for.
    pub(super) keyed: Vec<Slot>,
    /// Counts as a change although no fact differs (work says that it is alive, D9).
    pub(super) alive: bool,
    /// Whether a ring is answered as slots, for a caller that has the rows (a long ring makes a long text).
    pub(super) bare_rings: bool,
    /// Whether rows keep the times that they came with: facts are being filled in, nothing happens to the task.
    pub(super) keeps_times: bool,
    first_slot: Slot,
    saved: (u64, u64),
}

impl<'e> Transaction<'e> {
    pub(super) fn new(state: &'e mut State, context: &'e Context, random: Random, operation: Box<Operation>) -> Self {
        let first_slot = state.next_slot();
        let saved = (state.next_seq, state.last_fence);
        Transaction {
            state,
            context,
            random,
            operation,
            warning: None,
            keys: Names::default(),
            keyed: Vec::new(),
            alive: false,
            bare_rings: false,
            keeps_times: false,
            first_slot,
            saved,
        }
    }

    /// Applies an event that cannot close a ring, and notes it.
    pub(super) fn emit(&mut self, event: Event) {
        let applied = self.state.evolve(&event, self.context);
        debug_assert!(applied.is_ok(), "only arcs can fail");
        self.operation.events.push(event);
    }

    /// Applies an event that adds arcs, and notes it.
    ///
    /// # Errors
    /// `cycle`.
    pub(super) fn try_emit(&mut self, event: Event) -> Result<(), Refusal> {
        match self.state.evolve(&event, self.context) {
            Ok(()) => {
                self.operation.events.push(event);
                Ok(())
            }
            Err(ring) if self.bare_rings => Err(bare_cycle(self.state, &ring)),
            Err(ring) => {
                let closing = match event {
                    Event::Parent { .. } => "parent",
                    Event::Extra { .. } => "order",
                    _ => "edge",
                };
                Err(cycle(self.state, &from_task(ring, event.slot()), closing))
            }
        }
    }

    /// Ends the call; a refusal takes every step back.
    pub(super) fn end(mut self, decided: Result<(), Refusal>) -> Outcome {
        if decided.is_err() {
            self.roll_back();
        }
        Outcome { operation: self.operation, decided, warning: self.warning, alive: self.alive }
    }

    fn roll_back(&mut self) {
        while let Some(event) = self.operation.events.pop() {
            if let Some(inverse) = self.state.inverse(&event) {
                let undone = self.state.evolve(&inverse, self.context);
                debug_assert!(undone.is_ok(), "what was legal before is legal again");
            }
        }
        let unused = |state: &State| state.tasks.last().is_some_and(|task| task.presence == Presence::Gone);
        while self.state.next_slot() > self.first_slot && unused(self.state) {
            self.state.forget_last_slot();
        }
        (self.state.next_seq, self.state.last_fence) = self.saved;
    }

    /// The live task that a caller means: a local key of the batch, an id, or `#id`.
    ///
    /// # Errors
    /// `not_found`, with the nearest id.
    pub(super) fn resolve(&self, id: &str) -> Result<Slot, Refusal> {
        self.look_up(id).ok_or_else(|| {
            let guess = self.suggestion(id);
            let hint = match guess {
                Some(_) => "Did you mean `{didYouMean}`? Ids, not titles, name tasks.",
                None => "List the tasks to see their ids.",
            };
            Refusal::not_found(id, guess.as_deref(), hint)
        })
    }

    pub(super) fn look_up(&self, id: &str) -> Option<Slot> {
        if let Some(number) = self.keys.find(id) {
            return Some(self.keyed[number]);
        }
        let id = id.trim();
        self.state.find_live(id).or_else(|| id.strip_prefix('#').and_then(|id| self.state.find_live(id)))
    }

    pub(super) fn suggestion(&self, id: &str) -> Option<String> {
        let titled = self.state.live().take(SUGGESTION_SCAN).find(|(_, task)| task.text.title() == id);
        if let Some((_, task)) = titled {
            return Some(task.id().to_owned());
        }
        nearest(id, &mut self.state.live().take(SUGGESTION_SCAN).map(|(_, task)| task.id())).map(str::to_owned)
    }

    /// The blockers that a caller names for `slot` (`None`: a task that does not exist yet, perhaps with a local
    /// key): folded, first place kept (D7).
    ///
    /// # Errors
    /// `self_block`, `unknown_blocker`.
    pub(super) fn resolve_blockers(
        &self,
        name: &str,
        slot: Option<Slot>,
        key: Option<&str>,
        ids: &[Cow<'_, str>],
    ) -> Result<Slots, Refusal> {
        let mut blockers = Slots::new();
        for id in ids {
            let found = self.look_up(id);
            let own = found.is_none() && (id.trim() == name || key == Some(&**id));
            if found.is_some_and(|found| Some(found) == slot) || own {
                return Err(Refusal::new(
                    Code::SelfBlock,
                    "Task `{id}` cannot wait for itself.",
                    "Leave its own id out of `blockedBy`.",
                    &[("id", Fact::Text(name))],
                ));
            }
            let Some(found) = found else {
                let guess = self.suggestion(id);
                let hint = match guess {
                    Some(_) => "Did you mean `{didYouMean}`? `blockedBy` takes ids, not titles.",
                    None => "Add that task first, or leave the id out.",
                };
                return Err(Refusal::new(
                    Code::UnknownBlocker,
                    "`blockedBy` names `{blocker}`, and there is no such task.",
                    hint,
                    &[
                        ("id", Fact::Text(name)),
                        ("blocker", Fact::Text(&shorten(id, 130))),
                        ("didYouMean", Fact::Perhaps(guess.as_deref())),
                    ],
                ));
            };
            if !blockers.contains(&found) {
                blockers.push(found);
            }
        }
        Ok(blockers)
    }

    /// Whether the actor is a person.
    pub(super) fn is_person(&self) -> bool {
        !self.context.actor.starts_with("agent:")
    }

    pub(super) fn id(&self, slot: Slot) -> String {
        self.state.task(slot).id().to_owned()
    }

    pub(super) fn status(&self, slot: Slot) -> Status {
        self.state.task(slot).status()
    }

    /// Notes that a fact of the task changed now; the time never goes backwards (D15).
    pub(super) fn stamp(&mut self, slot: Slot) {
        if self.keeps_times {
            return;
        }
        let task = self.state.task(slot);
        let (old, new) = (task.updated_at, task.updated_at.max(self.context.now));
        if old != new {
            self.emit(Event::Updated { slot, old, new });
        }
    }

    /// Sets status and times, and notes the change.
    pub(super) fn set_progress(&mut self, slot: Slot, new: Progress) {
        let old = self.state.task(slot).progress;
        if old != new {
            self.emit(Event::Progress { slot, old, new });
            self.stamp(slot);
        }
    }

    /// Edits the optional facets; only a difference becomes an event.
    ///
    /// # Errors
    /// `cycle`, when the children get an order that closes a ring.
    pub(super) fn edit_extra(&mut self, slot: Slot, edit: impl FnOnce(&mut Extra)) -> Result<(), Refusal> {
        let mut extra = self.extra(slot);
        edit(&mut extra);
        self.replace_extra(slot, extra)
    }

    fn extra(&self, slot: Slot) -> Extra {
        self.state.task(slot).extra.as_deref().cloned().unwrap_or_default()
    }

    fn replace_extra(&mut self, slot: Slot, extra: Extra) -> Result<(), Refusal> {
        let old = self.state.task(slot).extra.clone();
        let new = if extra.is_empty() { None } else { Some(Rc::new(extra)) };
        if old != new {
            self.try_emit(Event::Extra { slot, old, new })?;
            self.stamp(slot);
        }
        Ok(())
    }

    /// Edits facets other than the children's order, which cannot close a ring.
    pub(super) fn set_extra(&mut self, slot: Slot, edit: impl FnOnce(&mut Extra)) {
        let edited = self.edit_extra(slot, edit);
        debug_assert!(edited.is_ok(), "no arc is added");
    }

    /// Sets blockers, and notes the change.
    ///
    /// # Errors
    /// `cycle`.
    pub(super) fn set_blockers(&mut self, slot: Slot, new: Slots) -> Result<(), Refusal> {
        let old = Slots::from_slice(&self.state.task(slot).blocked_by);
        if old != new {
            self.try_emit(Event::Blockers { slot, old, new })?;
            self.stamp(slot);
        }
        Ok(())
    }

    /// The time at which a lease given now ends; 0 for no lease.
    ///
    /// # Errors
    /// `invalid_value`, for one of more than ten years.
    pub(super) fn lease_end(&self, lease: Option<Millis>) -> Result<Millis, Refusal> {
        match lease {
            None => Ok(0),
            Some(lease) if lease <= limits::LEASE_MS => Ok((self.context.now + lease).max(1)),
            Some(lease) => Err(Refusal::too_large("leaseMs", lease, limits::LEASE_MS, "ten years of milliseconds")),
        }
    }

    /// Now, as a time of a task: not before what is known of it, and not 0, which stands for never.
    pub(super) fn moment(&self, slot: Slot) -> Millis {
        self.context.now.max(self.state.task(slot).updated_at).max(1)
    }
}

/// The same ring, told from a task of it: from the task through what it would wait for back to itself.
fn from_task(mut ring: Vec<Node>, task: Option<Slot>) -> Vec<Node> {
    let at = ring.iter().position(|node| Some(slot_of(*node)) == task);
    if let Some(at) = at.filter(|at| *at > 0) {
        ring.pop();
        ring.rotate_left(at);
        ring.push(ring[0]);
    }
    ring
}

/// The refusal of arcs of the kind `closing` that would close a ring (D7).
pub(super) fn cycle(state: &State, ring: &[Node], closing: &'static str) -> Refusal {
    let mut refusal = bare_cycle(state, ring);
    let slots = std::mem::take(&mut refusal.ring);
    let mut details = Writer::new();
    details.open();
    details.list("path", slots.iter().map(|slot| state.task(*slot).id()));
    details.list("titles", slots.iter().map(|slot| state.task(*slot).text.title()));
    details.list("kinds", slots.windows(2).map(|pair| kind_of_step(state, pair[0], pair[1], closing)));
    details.close();
    refusal.details = details.finish();
    refusal
}

/// The same with the ring as slots instead of details.
fn bare_cycle(state: &State, ring: &[Node]) -> Refusal {
    let slots = state.slots_of(ring);
    let mut written = String::new();
    for (at, slot) in slots.iter().enumerate() {
        if at == 6 && slots.len() > 12 {
            written.push_str(" → …");
        }
        if at < 6 || slots.len() <= 12 || at + 3 >= slots.len() {
            written.push_str(if at == 0 { "`" } else { " → `" });
            written.push_str(state.task(*slot).id());
            written.push('`');
        }
    }
    let message = "This would make a ring in which nothing could ever start: {_ring}.";
    let facts = [("_ring", Fact::Text(&written))];
    let mut refusal = Refusal::new(Code::Cycle, message, "Leave out one of these dependencies.", &facts);
    refusal.ring = slots;
    refusal
}

/// Why, in a ring, `one` waits for `other`; `closing` is the kind of the waits that are not there yet.
fn kind_of_step(state: &State, one: Slot, other: Slot, closing: &'static str) -> &'static str {
    let related = |child: Slot, parent: Slot| state.task(child).parent() == Some(parent);
    if state.task(one).blocked_by.contains(&other) {
        "edge"
    } else if related(one, other) || related(other, one) {
        "parent"
    } else if state.task(one).parent().is_some() && state.task(one).parent() == state.task(other).parent() {
        "order"
    } else {
        closing
    }
}
