//! Questions about the list that are answered when asked.

use serde::Serialize;

use crate::graph::{ByKey, Node, sort, sort_in_place};
use crate::json::{Writer, to_json};
use crate::task::{Presence, Readiness, Slot, Status};

use super::Engine;
use super::arguments::{Argument, ArgumentKind, Arguments, Null};
use super::error::{Refusal, one_of};
use super::readiness::BlockerKind;
use super::state::{State, finish_node, slot_of};
use super::transaction::cycle;

/// Counts over the list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Progress {
    /// Rows that are not deleted.
    pub total: u32,
    /// Tasks that are ready.
    pub ready: u32,
    /// Open tasks with an active blocker.
    pub blocked: u32,
    /// Pending tasks.
    pub pending: u32,
    /// Tasks in progress.
    pub running: u32,
    /// Held tasks.
    pub held: u32,
    /// Completed tasks.
    pub completed: u32,
    /// Cancelled tasks.
    pub cancelled: u32,
    /// Deleted rows.
    pub deleted: u32,
    /// Completed over total without the cancelled, 0 to 1; 1 for an empty list.
    pub done: f64,
}

/// A path through open tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Path {
    /// The ids, first to do first.
    pub ids: Vec<String>,
    /// How many tasks are on it.
    pub length: usize,
}

/// Whether an edge would close a ring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WouldCycle {
    /// Whether it would.
    pub cycle: bool,
    /// The ring, from the task through its would-be blocker back to itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
}

/// The names of the questions, for hosts that ask by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read;

impl Read {
    /// Every name that [`Engine::read_json`] knows.
    pub const NAMES: [&'static str; 11] = [
        "rows",
        "ready",
        "blocked",
        "stalled",
        "progress",
        "criticalPath",
        "layers",
        "search",
        "explain",
        "wouldCycle",
        "blocks",
    ];
}

static ID: &[Argument] = &[Argument::required("id", ArgumentKind::Id, "The task's id.")];
static EDGE: &[Argument] = &[
    Argument::required("id", ArgumentKind::Id, "The task that would wait."),
    Argument::required("blocker", ArgumentKind::Id, "The task that it would wait for."),
];
static SEARCH: &[Argument] = &[
    Argument::required("query", ArgumentKind::Text, "Words that must all occur in id, title or description."),
    Argument::optional("limit", ArgumentKind::Whole, "Most answers; 20 when left out."),
];
static NOTHING: &[Argument] = &[];

impl State {
    /// Counts over the list. O(1).
    #[must_use]
    pub fn progress(&self) -> Progress {
        let count = |status| self.count(status);
        let deleted = count(Status::Deleted);
        let total = u32::try_from(self.rows()).unwrap_or(u32::MAX) - deleted;
        let due = total - count(Status::Cancelled);
        let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Progress {
            total,
            ready: size(self.ready.len()),
            blocked: size(self.blocked.len()),
            pending: count(Status::Pending),
            running: count(Status::InProgress),
            held: count(Status::Held),
            completed: count(Status::Completed),
            cancelled: count(Status::Cancelled),
            deleted,
            done: if due == 0 { 1.0 } else { f64::from(count(Status::Completed)) / f64::from(due) },
        }
    }

    /// Blocked tasks with a root cause that is held, in creation order. O(held + reach).
    #[must_use]
    pub fn stalled(&self) -> Vec<Slot> {
        let mut found = Vec::new();
        if self.count(Status::Held) == 0 {
            return found;
        }
        let mut seen = vec![false; self.tasks.len()];
        let mut stack: Vec<Slot> = self
            .live()
            .filter(|(_, task)| task.status() == Status::Held && task.active == 0)
            .map(|(slot, _)| slot)
            .collect();
        while let Some(slot) = stack.pop() {
            self.each_waiting(slot, &mut |waiting| {
                if !std::mem::replace(&mut seen[waiting as usize], true) {
                    stack.push(waiting);
                    if self.task(waiting).readiness() == Readiness::Blocked {
                        found.push(waiting);
                    }
                }
            });
        }
        sort_in_place(&mut ByKey(&mut found, |slot: &Slot| *slot));
        found
    }

    /// Calls `visit` with every open task that waits for an open one directly, through an edge or a tree.
    pub(super) fn each_waiting(&self, slot: Slot, visit: &mut dyn FnMut(Slot)) {
        let mut inheriting: Vec<Slot> = self.task(slot).blocks.to_vec();
        if let Some(parent) = self.task(slot).parent()
            && self.child_order(parent) == crate::task::ChildOrder::Sequence
        {
            inheriting.extend(self.task(parent).children().iter().filter(|child| **child > slot));
        }
        if self.child_order(slot) == crate::task::ChildOrder::Sequence && self.status_bars_steps(slot) {
            inheriting.extend(self.task(slot).children());
        }
        while let Some(waiting) = inheriting.pop() {
            if !self.task(waiting).status().is_open() {
                continue;
            }
            visit(waiting);
            if self.child_order(waiting) == crate::task::ChildOrder::Group {
                inheriting.extend(self.task(waiting).children());
            }
        }
    }

    fn status_bars_steps(&self, slot: Slot) -> bool {
        !self.task(slot).children().is_empty() && self.task(slot).status() != Status::InProgress
    }

    /// Open tasks so that each stands behind everything that it waits for. O(tasks + edges).
    fn open_in_order(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        for node in sort(self, self.topology.borrow().len()).unwrap_or_default() {
            let slot = slot_of(node);
            let task = self.task(slot);
            if node == finish_node(slot) && task.presence == Presence::Live && task.status().is_open() {
                slots.push(slot);
            }
        }
        slots
    }

    /// What must be done before an open task is: its active blockers and its open steps. In place of a parent that has
    /// not started, and waits for this step itself to be done, stands what that parent's start waits for.
    fn due_before(&self, slot: Slot) -> Vec<Slot> {
        let is_ancestor = |other: Slot| {
            let mut at = self.task(slot).parent();
            while let Some(ancestor) = at {
                if ancestor == other {
                    return true;
                }
                at = self.task(ancestor).parent();
            }
            false
        };
        let mut due = self.open_children(slot);
        let mut starting = vec![slot];
        while let Some(at) = starting.pop() {
            for (blocker, kind) in self.active_blockers(at) {
                match kind {
                    BlockerKind::Missing => {}
                    BlockerKind::Parent if is_ancestor(blocker) => starting.push(blocker),
                    _ => due.push(blocker),
                }
            }
        }
        due
    }

    /// For each open task, in order: the longest chain before it, and the task through which it goes.
    fn chains(&self) -> Vec<(Slot, usize, Option<Slot>)> {
        let mut length = vec![0usize; self.tasks.len()];
        let mut found = Vec::new();
        for slot in self.open_in_order() {
            let mut longest: Option<(usize, Slot)> = None;
            for blocker in self.due_before(slot) {
                let candidate = length[blocker as usize];
                if longest.is_none_or(|best| candidate > best.0 || (candidate == best.0 && blocker < best.1)) {
                    longest = Some((candidate, blocker));
                }
            }
            let before = longest.map_or(0, |longest| longest.0);
            length[slot as usize] = before + 1;
            found.push((slot, before, longest.map(|longest| longest.1)));
        }
        found
    }

    /// The longest chain of open tasks, each waiting for the one before. O(tasks + edges).
    #[must_use]
    pub fn critical_path(&self) -> Vec<Slot> {
        let chains = self.chains();
        let mut via = vec![None; self.tasks.len()];
        let mut last: Option<(Slot, usize)> = None;
        for (slot, before, blocker) in chains {
            via[slot as usize] = blocker;
            if last.is_none_or(|last| before > last.1 || (before == last.1 && slot < last.0)) {
                last = Some((slot, before));
            }
        }
        let mut path = Vec::new();
        let mut next = last.map(|last| last.0);
        while let Some(slot) = next {
            path.push(slot);
            next = via[slot as usize];
        }
        path.reverse();
        path
    }

    /// Open tasks by the length of the longest chain before them: everything in one layer can be done at once.
    /// O(tasks + edges).
    #[must_use]
    pub fn layers(&self) -> Vec<Vec<Slot>> {
        let mut layers: Vec<Vec<Slot>> = Vec::new();
        for (slot, before, _) in self.chains() {
            while layers.len() <= before {
                layers.push(Vec::new());
            }
            layers[before].push(slot);
        }
        for layer in &mut layers {
            sort_in_place(&mut ByKey(layer, |slot: &Slot| *slot));
        }
        layers
    }

    /// Live tasks in which every word of `query` occurs, letter case ignored, in creation order. O(text).
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Slot> {
        let query = lower(query);
        let mut found = Vec::new();
        for (slot, task) in self.live() {
            if found.len() == limit {
                break;
            }
            let text = &task.text;
            let parts = [lower(text.id()), lower(text.title()), lower(text.description())];
            if query.split_whitespace().all(|word| parts.iter().any(|part| part.contains(word))) {
                found.push(slot);
            }
        }
        found
    }

    /// The ids of slots.
    #[must_use]
    pub fn ids(&self, slots: &[Slot]) -> Vec<String> {
        slots.iter().map(|slot| self.task(*slot).id().to_owned()).collect()
    }
}

/// Small letters, letter by letter: what stands beside a letter never matters.
fn lower(text: &str) -> String {
    let mut lower = String::with_capacity(text.len());
    for letter in text.chars() {
        lower.extend(letter.to_lowercase());
    }
    lower
}

impl Engine {
    /// Whether `slot` could not wait for `blocker`, as an edit would find. Changes no fact.
    pub fn would_cycle(&mut self, slot: Slot, blocker: Slot) -> WouldCycle {
        let state = &mut self.state;
        if slot != blocker && state.clears(blocker) {
            return WouldCycle { cycle: false, path: Vec::new() };
        }
        let (first, then) = (finish_node(blocker), state.start_node(slot));
        let ring = state.topology.borrow_mut().require(state, first, then);
        match ring {
            Ok(()) => WouldCycle { cycle: false, path: Vec::new() },
            Err(ring) => WouldCycle { cycle: true, path: self.state.ids(&self.state.slots_of(&ring)) },
        }
    }

    /// The live task with an id, for questions.
    ///
    /// # Errors
    /// `not_found`.
    pub fn find(&self, id: &str) -> Result<Slot, Refusal> {
        let id = id.trim();
        let found = self.state.find_live(id).or_else(|| id.strip_prefix('#').and_then(|id| self.state.find_live(id)));
        found.ok_or_else(|| {
            let guess = super::nearest::nearest(id, &mut self.state.live().take(5_000).map(|(_, task)| task.id()));
            let hint = match guess {
                Some(_) => "Did you mean `{didYouMean}`?",
                None => "List the tasks to see their ids.",
            };
            Refusal::not_found(id, guess, hint)
        })
    }

    /// Answers a question by name, with arguments and answer as JSON.
    ///
    /// # Errors
    /// The refusal as JSON.
    pub fn read_json(&mut self, name: &str, arguments: &str) -> Result<String, String> {
        self.read(name, arguments).map_err(|refusal| refusal.to_json())
    }

    fn read(&mut self, name: &str, text: &str) -> Result<String, Refusal> {
        let read = |table| Arguments::read(text, table, Null::Absent, "");
        let ids = |state: &State, slots: &[Slot]| to_json(&state.ids(slots));
        Ok(match name {
            "rows" => {
                read(NOTHING)?;
                let mut writer = Writer::new();
                writer.open_list();
                for (slot, _) in self.state.live() {
                    self.state.write_row(slot, &mut writer, true);
                }
                writer.close_list();
                writer.finish()
            }
            "ready" | "blocked" => {
                read(NOTHING)?;
                let set = if name == "ready" { &self.state.ready } else { &self.state.blocked };
                ids(&self.state, &set.iter().collect::<Vec<Slot>>())
            }
            "stalled" => {
                read(NOTHING)?;
                ids(&self.state, &self.state.stalled())
            }
            "progress" => {
                read(NOTHING)?;
                to_json(&self.state.progress())
            }
            "criticalPath" => {
                read(NOTHING)?;
                let path = self.state.ids(&self.state.critical_path());
                to_json(&Path { length: path.len(), ids: path })
            }
            "layers" => {
                read(NOTHING)?;
                let layers: Vec<Vec<String>> = self.state.layers().iter().map(|layer| self.state.ids(layer)).collect();
                to_json(&layers)
            }
            "search" => {
                let arguments = read(SEARCH)?;
                let limit = usize::try_from(arguments.whole("limit").unwrap_or(20)).unwrap_or(usize::MAX);
                ids(&self.state, &self.state.search(&arguments.due("query"), limit))
            }
            "explain" => {
                let slot = self.find(&read(ID)?.due("id"))?;
                to_json(&self.state.explain(slot))
            }
            "blocks" => {
                let slot = self.find(&read(ID)?.due("id"))?;
                ids(&self.state, &self.state.task(slot).blocks)
            }
            "wouldCycle" => {
                let arguments = read(EDGE)?;
                let (slot, blocker) = (self.find(&arguments.due("id"))?, self.find(&arguments.due("blocker"))?);
                to_json(&self.would_cycle(slot, blocker))
            }
            _ => {
                return Err(Refusal::unknown_word("read", name, &one_of(&Read::NAMES)));
            }
        })
    }

    /// The refusal that a ring of nodes deserves; for openers of files.
    pub(super) fn ring_refusal(state: &State, ring: &[Node]) -> Refusal {
        cycle(state, ring, "edge")
    }
}
