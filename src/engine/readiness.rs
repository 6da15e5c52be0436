//! Readiness, kept incrementally (D2 to D4, D3a): the one function that everything else asks.

use crate::task::{ChildOrder, Presence, Slot, Status};

use super::state::{State, field};

/// Why a blocker counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockerKind {
    /// It stands in `blockedBy`.
    Edge,
    /// It holds the parent up, or is the parent that has not started.
    Parent,
    /// It is an earlier step of the same sequence.
    Order,
    /// It stands in `blockedBy` and no task has that id.
    Missing,
}

impl BlockerKind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            BlockerKind::Edge => "edge",
            BlockerKind::Parent => "parent",
            BlockerKind::Order => "order",
            BlockerKind::Missing => "missing",
        }
    }
}

impl State {
    /// Puts a task into the index sets that its status and blockers call for. O(1).
    pub(super) fn reindex(&mut self, slot: Slot) {
        let task = self.task(slot);
        let (ready, blocked) = if task.presence == Presence::Live {
            let open = task.status().is_open();
            (task.status() == Status::Pending && task.active == 0, open && task.active > 0)
        } else {
            (false, false)
        };
        self.ready.set(slot, ready);
        self.blocked.set(slot, blocked);
    }

    /// Changes the number of active blockers by one. O(1), and O(subtree) for a parent.
    pub(super) fn add_active(&mut self, slot: Slot, change: i32) {
        let task = self.task(slot);
        if task.parent().is_some() {
            // A blocker may be its own and inherited, and another walk of the same event may have counted it anew.
            self.recount(slot);
        } else {
            let active = task.active.saturating_add_signed(change);
            self.set_active(slot, active);
        }
    }

    fn set_active(&mut self, slot: Slot, active: u32) {
        if self.write_active(slot, active) && !self.task(slot).children().is_empty() {
            self.refresh_children(slot);
        }
    }

    /// Sets the number of active blockers; gives whether it was another.
    fn write_active(&mut self, slot: Slot, active: u32) -> bool {
        let task = self.task(slot);
        let was = task.active;
        if was == active {
            return false;
        }
        if (was == 0) != (active == 0) && task.presence == Presence::Live && task.status().is_open() {
            self.touch(slot, field::READINESS);
            self.task_mut(slot).active = active;
            self.reindex(slot);
        } else {
            self.task_mut(slot).active = active;
        }
        true
    }

    /// Counts a task's active blockers anew. O(blockers), and O(subtree) for a parent.
    pub(super) fn recount(&mut self, slot: Slot) {
        let active = self.count_active(slot);
        self.set_active(slot, active);
    }

    fn count_active(&self, slot: Slot) -> u32 {
        let task = self.task(slot);
        let mut active = 0;
        for blocker in &task.blocked_by {
            active += u32::from(self.task(*blocker).holds_others());
        }
        if let Some(parent) = task.parent() {
            match self.child_order(parent) {
                // A settled parent holds nobody up.
                ChildOrder::Group if self.task(parent).holds_others() => active += self.task(parent).active,
                ChildOrder::Group => {}
                ChildOrder::Sequence => {
                    active += u32::from(self.bars_its_steps(parent));
                    for sibling in self.task(parent).children() {
                        active += u32::from(*sibling < slot && self.task(*sibling).holds_others());
                    }
                }
            }
        }
        active
    }

    /// Whether a parent of a sequence keeps its steps from starting.
    fn bars_its_steps(&self, parent: Slot) -> bool {
        let parent = self.task(parent);
        parent.holds_others() && parent.status() != Status::InProgress
    }

    /// Counts anew what hangs on a task's place in a tree: itself, its later siblings in a sequence, its steps.
    pub(super) fn refresh_tree(&mut self, slot: Slot) {
        self.recount(slot);
        if let Some(parent) = self.task(slot).parent()
            && self.child_order(parent) == ChildOrder::Sequence
        {
            let later: Vec<Slot> = self.task(parent).children().iter().copied().filter(|child| *child > slot).collect();
            for sibling in later {
                self.recount(sibling);
            }
        }
        self.refresh_children(slot);
    }

    fn refresh_children(&mut self, slot: Slot) {
        // Downwards only where a count changed. A loaded tree may be deeper than any stack.
        let mut due = self.task(slot).children().to_vec();
        while let Some(child) = due.pop() {
            let active = self.count_active(child);
            if self.write_active(child, active) {
                due.extend_from_slice(self.task(child).children());
            }
        }
    }

    /// The active blockers of a task, each once: edges in their order, then those of the tree.
    #[must_use]
    pub fn active_blockers(&self, slot: Slot) -> Vec<(Slot, BlockerKind)> {
        let mut found: Vec<(Slot, BlockerKind)> = Vec::new();
        let mut add = |slot: Slot, kind: BlockerKind| {
            if !found.iter().any(|known| known.0 == slot) {
                found.push((slot, kind));
            }
        };
        for blocker in &self.task(slot).blocked_by {
            let task = self.task(*blocker);
            if task.presence == Presence::Missing {
                add(*blocker, BlockerKind::Missing);
            } else if task.holds_others() {
                add(*blocker, BlockerKind::Edge);
            }
        }
        let mut at = slot;
        while let Some(parent) = self.task(at).parent() {
            let kind = if at == slot { BlockerKind::Order } else { BlockerKind::Parent };
            if self.child_order(parent) == ChildOrder::Sequence {
                if self.bars_its_steps(parent) {
                    add(parent, BlockerKind::Parent);
                }
                for sibling in self.task(parent).children() {
                    if *sibling < at && self.task(*sibling).holds_others() {
                        add(*sibling, kind);
                    }
                }
                break;
            }
            if !self.task(parent).holds_others() {
                break;
            }
            for blocker in &self.task(parent).blocked_by {
                if self.task(*blocker).holds_others() {
                    add(*blocker, BlockerKind::Parent);
                }
            }
            at = parent;
        }
        found
    }

    /// Open children of a task.
    #[must_use]
    pub fn open_children(&self, slot: Slot) -> Vec<Slot> {
        self.task(slot).children().iter().copied().filter(|child| self.task(*child).status().is_open()).collect()
    }
}
