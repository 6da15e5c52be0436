//! The list in memory: facts in slots, and the indexes that follow from them.

use std::cell::RefCell;
use std::hash::BuildHasher;
use std::rc::Rc;

use hashbrown::HashTable;

use crate::graph::index_set::IndexSet;
use crate::graph::{Arcs, Node, Topology};
use crate::task::{ChildOrder, Extra, Presence, Readiness, Slot, Status, Task, Text, Words};

use super::hash::{IdHasher, insert, reserve};
use super::rules::{OnComplete, Rules};

/// What changed about a task, as bits of a mask.
pub mod field {
    /// Status and its times.
    pub const PROGRESS: u32 = 1;
    /// Readiness (derived).
    pub const READINESS: u32 = 2;
    /// The time of the last change.
    pub const UPDATED: u32 = 4;
    /// The blockers.
    pub const BLOCKERS: u32 = 8;
    /// The words.
    pub const TEXT: u32 = 16;
    /// Parent or optional facets.
    pub const FACETS: u32 = 32;
    /// It came into the list.
    pub const CREATED: u32 = 64;
    /// It left the list.
    pub const GONE: u32 = 128;
}

/// How a task stood before the present operation touched it.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    /// The task.
    pub slot: Slot,
    /// What changed, bits of [`field`].
    pub mask: u32,
    /// Its readiness before; `None` when it was not in the list.
    pub was: Option<Readiness>,
    /// Whether it was open with an active blocker before.
    pub was_blocked: bool,
}

/// Tree arcs that the search must not see yet, while they are added one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Nothing,
    /// All tree arcs between this child and its parent and siblings.
    Child(Slot),
    /// The order among the children of this parent.
    OrderOf(Slot),
}

/// The list: everything that is stored, and everything that follows from it.
#[derive(Debug)]
pub struct State {
    /// The invariants.
    pub rules: Rules,
    /// The list's own id.
    pub list: Rc<str>,
    /// Grows by one with each accepted change.
    pub revision: u64,
    /// The `seq` of the next task.
    pub next_seq: u64,
    /// The last fence given out.
    pub last_fence: u64,
    /// Every task, in creation order.
    pub tasks: Vec<Task>,
    /// Tasks that are ready.
    pub ready: IndexSet,
    /// Open tasks with an active blocker.
    pub blocked: IndexSet,
    /// Live tasks by status.
    pub counts: [u32; 6],
    /// How many placeholders for missing tasks there are.
    pub missing: u32,
    /// In a cell, since a search walks the arcs of the list while it changes its own marks.
    pub(super) topology: RefCell<Topology>,
    /// Parents, now or earlier: tasks with two nodes.
    pub(super) split: IndexSet,
    pub(super) touched: Vec<Touch>,
    pub(super) hidden: Hidden,
    pub(super) extra_arcs: Vec<(Node, Node)>,
    ids: HashTable<Slot>,
    hasher: IdHasher,
}

/// Without arguments, and in one place: a check with its own panic wherever a task is looked up is much code.
#[cold]
#[inline(never)]
fn no_such_slot() -> ! {
    panic!("a slot without a task")
}

impl State {
    /// An empty list.
    #[must_use]
    pub fn new(rules: Rules, list: Rc<str>) -> Self {
        State {
            rules,
            list,
            revision: 0,
            next_seq: 1,
            last_fence: 0,
            tasks: Vec::new(),
            ready: IndexSet::default(),
            blocked: IndexSet::default(),
            counts: [0; 6],
            missing: 0,
            topology: RefCell::default(),
            split: IndexSet::default(),
            touched: Vec::new(),
            hidden: Hidden::Nothing,
            extra_arcs: Vec::new(),
            ids: HashTable::new(),
            hasher: IdHasher,
        }
    }

    /// The task in a slot.
    #[must_use]
    pub fn task(&self, slot: Slot) -> &Task {
        self.tasks.get(slot as usize).unwrap_or_else(|| no_such_slot())
    }

    pub(super) fn task_mut(&mut self, slot: Slot) -> &mut Task {
        self.tasks.get_mut(slot as usize).unwrap_or_else(|| no_such_slot())
    }

    /// The slot that will hold the next new task.
    #[must_use]
    pub fn next_slot(&self) -> Slot {
        Slot::try_from(self.tasks.len()).unwrap_or(Slot::MAX)
    }

    /// How many rows the list has, settled ones included.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.counts.iter().map(|count| *count as usize).sum()
    }

    /// How many live tasks have a status.
    #[must_use]
    pub fn count(&self, status: Status) -> u32 {
        self.counts[status as usize]
    }

    /// Live tasks in creation order.
    pub fn live(&self) -> impl Iterator<Item = (Slot, &Task)> {
        (0..).zip(&self.tasks).filter(|(_, task)| task.presence == Presence::Live)
    }

    fn hash(&self, id: &str) -> u64 {
        self.hasher.hash_one(id)
    }

    /// The live or missing task with an id. O(1).
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Slot> {
        self.ids.find(self.hash(id), |slot| self.task(*slot).text.has_id(id)).copied()
    }

    /// The live task with an id. O(1).
    #[must_use]
    pub fn find_live(&self, id: &str) -> Option<Slot> {
        self.find(id).filter(|slot| self.task(*slot).presence == Presence::Live)
    }

    /// The task with a creation number, live or gone. O(log n).
    #[must_use]
    pub fn find_seq(&self, seq: u64) -> Option<Slot> {
        let at = self.tasks.partition_point(|task| task.seq < seq);
        let found = self.tasks[at..]
            .iter()
            .take_while(|task| task.seq == seq)
            .position(|task| task.presence != Presence::Missing)?;
        Slot::try_from(at + found).ok()
    }

    /// Makes room for so many more tasks.
    pub(super) fn reserve(&mut self, tasks: usize) {
        self.tasks.reserve(tasks);
        let State { ids, tasks: known, hasher, .. } = self;
        reserve(ids, tasks, &|other| hasher.hash_one(known[*other as usize].id()));
    }

    pub(super) fn index_id(&mut self, slot: Slot) {
        let hash = self.hash(self.task(slot).id());
        let State { ids, tasks, hasher, .. } = self;
        insert(ids, hash, slot, &|other| hasher.hash_one(tasks[*other as usize].id()));
    }

    pub(super) fn forget_id(&mut self, slot: Slot) {
        let hash = self.hash(self.task(slot).id());
        if let Ok(entry) = self.ids.find_entry(hash, |other| *other == slot) {
            entry.remove();
        }
    }

    /// Fills in the words of a task that was created before them.
    pub fn fill(&mut self, slot: Slot, words: Words<'_>) {
        self.task(slot).text.fill(words);
        if self.task(slot).presence == Presence::Live {
            self.index_id(slot);
        }
    }

    /// The node that must come before the task may start.
    pub(super) fn start_node(&self, slot: Slot) -> Node {
        finish_node(slot) + Node::from(self.split.contains(slot))
    }

    /// Puts a task into the next slot, with its node.
    pub(super) fn push_task(&mut self, task: Task) {
        self.tasks.push(task);
        self.topology.get_mut().push();
        self.topology.get_mut().skip();
    }

    /// The placeholder for an id that no task has.
    pub(super) fn add_missing(&mut self, id: &str) -> Slot {
        let slot = self.next_slot();
        let text = Rc::new(Text::new(Words { id, ..Words::default() }));
        let seq = self.tasks.last().map_or(0, |task| task.seq);
        let mut task = Task::new(text, seq, Rc::from(""), 0);
        task.presence = Presence::Missing;
        self.push_task(task);
        self.missing += 1;
        self.index_id(slot);
        slot
    }

    /// The slot of an id that never was a task's: a placeholder in use, or one that nobody names any more.
    pub(super) fn find_named(&self, id: &str) -> Option<Slot> {
        self.find(id).or_else(|| {
            let at = self.tasks.iter().position(|task| task.presence == Presence::Forgotten && task.id() == id)?;
            Slot::try_from(at).ok()
        })
    }

    /// A placeholder for an id that nobody has: one from before, or a new one.
    pub(super) fn placeholder(&mut self, id: &str) -> Slot {
        let Some(slot) = self.find_named(id) else { return self.add_missing(id) };
        if self.task(slot).presence == Presence::Forgotten { self.name_again(slot) } else { slot }
    }

    /// Takes a placeholder that nobody named any more into use again.
    pub(super) fn name_again(&mut self, slot: Slot) -> Slot {
        self.task_mut(slot).presence = Presence::Missing;
        self.missing += 1;
        self.index_id(slot);
        slot
    }

    /// A placeholder that no row names.
    pub(super) fn add_forgotten(&mut self, id: &str) {
        let slot = self.add_missing(id);
        self.forget_id(slot);
        self.missing -= 1;
        self.task_mut(slot).presence = Presence::Forgotten;
    }

    /// The children order of a parent.
    #[must_use]
    pub fn child_order(&self, parent: Slot) -> ChildOrder {
        self.task(parent).extra.as_ref().and_then(|extra: &Rc<Extra>| extra.children).unwrap_or(self.rules.children)
    }

    /// Whether the rule `onComplete: clear` keeps this task out of every `blockedBy`, as it is completed (D6).
    pub(super) fn clears(&self, blocker: Slot) -> bool {
        self.rules.on_complete == OnComplete::Clear && self.task(blocker).status() == Status::Completed
    }

    /// The sibling directly before or behind a child, in a sequence.
    fn neighbour(&self, child: Slot, parent: Slot, forwards: bool) -> Option<Slot> {
        let siblings = self.task(parent).children();
        let at = siblings.binary_search(&child).ok()?;
        if forwards { siblings.get(at + 1).copied() } else { at.checked_sub(1).map(|at| siblings[at]) }
    }

    /// The parent whose tree arcs to `child` the search may see.
    fn visible_parent(&self, child: Slot) -> Option<Slot> {
        if self.hidden == Hidden::Child(child) { None } else { self.task(child).parent() }
    }

    fn visible_neighbour(&self, child: Slot, parent: Slot, forwards: bool) -> Option<Slot> {
        if self.hidden == Hidden::OrderOf(parent) || self.child_order(parent) == ChildOrder::Group {
            return None;
        }
        let found = self.neighbour(child, parent, forwards)?;
        match self.hidden {
            // The two neighbours of a hidden child see each other over it.
            Hidden::Child(hidden) if hidden == found => self.neighbour(found, parent, forwards),
            _ => Some(found),
        }
    }

    /// The ids of a path of nodes, without repeats next to each other.
    #[allow(clippy::unused_self, reason = "nodes belong to a list")]
    pub(super) fn slots_of(&self, nodes: &[Node]) -> Vec<Slot> {
        let mut slots: Vec<Slot> = nodes.iter().map(|node| slot_of(*node)).collect();
        slots.dedup();
        if slots.len() == 1 {
            slots.push(slots[0]);
        }
        slots
    }

    /// Marks a task as touched by the present operation.
    pub(super) fn touch(&mut self, slot: Slot, mask: u32) {
        let task = &mut self.tasks[slot as usize];
        if task.touched == 0 {
            let live = task.presence == Presence::Live;
            let was = if live { Some(task.readiness()) } else { None };
            let was_blocked = live && task.status().is_open() && task.active > 0;
            self.touched.push(Touch { slot, mask, was, was_blocked });
            task.touched = u32::try_from(self.touched.len()).unwrap_or(u32::MAX);
        } else {
            self.touched[task.touched as usize - 1].mask |= mask;
        }
    }

    /// Takes the marks of the operation that ends.
    pub(super) fn take_touched(&mut self, into: &mut Vec<Touch>) {
        into.clear();
        into.append(&mut self.touched);
        for touch in into.iter() {
            if let Some(task) = self.tasks.get_mut(touch.slot as usize) {
                task.touched = 0;
            }
        }
    }
}

/// The node whose passing says that the task is finished.
pub(super) fn finish_node(slot: Slot) -> Node {
    slot * 2
}

/// The task that a node belongs to.
pub(super) fn slot_of(node: Node) -> Slot {
    node / 2
}

/// Each task has two node numbers and, unless it is a parent, one node: its finish is its start too. A parent has
/// both: a step's start waits for its parent's start, a parent's end for its steps' ends, a step of a sequence for
/// the end of the step before it.
impl Arcs for State {
    fn exists(&self, node: Node) -> bool {
        node.is_multiple_of(2) || self.split.contains(slot_of(node))
    }

    fn before(&self, node: Node, mut visit: impl FnMut(Node)) {
        for (first, then) in &self.extra_arcs {
            if *then == node {
                visit(*first);
            }
        }
        let slot = slot_of(node);
        let task = self.task(slot);
        if let Some(tree) = &task.tree {
            if node != self.start_node(slot) {
                visit(self.start_node(slot));
                for child in &tree.children {
                    if self.hidden != Hidden::Child(*child) {
                        visit(finish_node(*child));
                    }
                }
                return;
            }
            if let Some(parent) = self.visible_parent(slot) {
                visit(self.start_node(parent));
                if let Some(earlier) = self.visible_neighbour(slot, parent, false) {
                    visit(finish_node(earlier));
                }
            }
        }
        for blocker in &task.blocked_by {
            visit(finish_node(*blocker));
        }
    }

    fn after(&self, node: Node, mut visit: impl FnMut(Node)) {
        for (first, then) in &self.extra_arcs {
            if *first == node {
                visit(*then);
            }
        }
        let slot = slot_of(node);
        let task = self.task(slot);
        if let Some(tree) = &task.tree {
            if node != finish_node(slot) {
                visit(finish_node(slot));
                for child in &tree.children {
                    if self.hidden != Hidden::Child(*child) {
                        visit(self.start_node(*child));
                    }
                }
                return;
            }
            if let Some(parent) = self.visible_parent(slot) {
                visit(finish_node(parent));
                if let Some(later) = self.visible_neighbour(slot, parent, true) {
                    visit(self.start_node(later));
                }
            }
        }
        for dependent in &task.blocks {
            visit(self.start_node(*dependent));
        }
    }
}
