//! Applying events: the only place that changes the list.

use std::rc::Rc;

use crate::graph::Node;
use crate::graph::index_set::IndexSet;
use crate::task::{ChildOrder, Extra, Presence, Progress, Slot, Slots, Task, Text};

use super::Context;
use super::event::{Event, Row};
use super::state::{Hidden, State, field, finish_node};

/// Sets of blockers up to this size are compared as they are.
const FEW_BLOCKERS: usize = 64;

impl State {
    /// Applies one event.
    ///
    /// # Errors
    /// An event that adds arcs finds the ring that they would close (nodes, each waiting for the next); then
    /// nothing is changed. No other event fails.
    pub fn evolve(&mut self, event: &Event, context: &Context) -> Result<(), Vec<Node>> {
        match event {
            Event::Created { slot, text, row } => self.create(*slot, text, row.as_deref(), context),
            Event::Dropped { slot, .. } => self.drop_task(*slot),
            Event::Progress { slot, new, .. } => self.set_progress(*slot, *new),
            Event::Updated { slot, new, .. } => {
                self.touch(*slot, field::UPDATED);
                self.task_mut(*slot).updated_at = *new;
            }
            Event::Blockers { slot, new, .. } => self.set_blockers(*slot, new)?,
            Event::Text { slot, new, .. } => {
                self.touch(*slot, field::TEXT);
                self.task_mut(*slot).text = Rc::clone(new);
            }
            Event::Parent { slot, new, .. } => self.set_parent(*slot, *new)?,
            Event::Extra { slot, new, .. } => self.set_extra(*slot, new.as_ref())?,
            Event::Counted { new, .. } => self.last_fence = *new,
        }
        Ok(())
    }

    /// The event that takes `event` back. Counters have none.
    pub(super) fn inverse(&self, event: &Event) -> Option<Event> {
        Some(match event {
            Event::Created { slot, text, .. } => {
                Event::Dropped { slot: *slot, text: Rc::clone(text), row: Rc::new(self.row(*slot)) }
            }
            Event::Dropped { slot, text, row } => {
                Event::Created { slot: *slot, text: Rc::clone(text), row: Some(Rc::clone(row)) }
            }
            Event::Progress { slot, old, new } => Event::Progress { slot: *slot, old: *new, new: *old },
            Event::Updated { slot, old, new } => Event::Updated { slot: *slot, old: *new, new: *old },
            Event::Blockers { slot, old, new } => Event::Blockers { slot: *slot, old: new.clone(), new: old.clone() },
            Event::Text { slot, old, new } => Event::Text { slot: *slot, old: Rc::clone(new), new: Rc::clone(old) },
            Event::Parent { slot, old, new } => Event::Parent { slot: *slot, old: *new, new: *old },
            Event::Extra { slot, old, new } => Event::Extra { slot: *slot, old: new.clone(), new: old.clone() },
            Event::Counted { .. } => return None,
        })
    }

    /// The facts of a row that an event carries.
    pub(super) fn row(&self, slot: Slot) -> Row {
        let task = self.task(slot);
        Row {
            seq: task.seq,
            progress: task.progress,
            created_by: Rc::clone(&task.created_by),
            created_at: task.created_at,
            updated_at: task.updated_at,
            extra: task.extra.clone(),
        }
    }

    fn create(&mut self, slot: Slot, text: &Rc<Text>, row: Option<&Row>, context: &Context) {
        if slot == self.next_slot() {
            self.push_task(Task::new(Rc::clone(text), self.next_seq, Rc::clone(&context.actor), context.now));
            self.task_mut(slot).presence = Presence::Gone;
        }
        self.touch(slot, field::CREATED);
        let next_seq = self.next_seq;
        let task = self.task_mut(slot);
        task.presence = Presence::Live;
        if !Rc::ptr_eq(&task.text, text) {
            task.text = Rc::clone(text);
        }
        match row {
            Some(row) => {
                task.seq = row.seq;
                task.progress = row.progress;
                task.created_by = Rc::clone(&row.created_by);
                task.created_at = row.created_at;
                task.updated_at = row.updated_at;
                task.extra.clone_from(&row.extra);
            }
            None => task.seq = next_seq,
        }
        task.active = 0;
        let (seq, status, named) = (task.seq, task.status(), !task.id().is_empty());
        self.next_seq = next_seq.max(seq + 1);
        self.counts[status as usize] += 1;
        if named {
            let id_holder = self.find(self.task(slot).id());
            if let Some(placeholder) = id_holder {
                self.adopt(placeholder, slot);
            }
            self.index_id(slot);
        }
        self.reindex(slot);
    }

    /// Lets a task that has come take over the edges of the placeholder that stood for it.
    fn adopt(&mut self, placeholder: Slot, slot: Slot) {
        self.forget_id(placeholder);
        self.missing -= 1;
        self.task_mut(placeholder).presence = Presence::Forgotten;
        let dependents = std::mem::take(&mut self.task_mut(placeholder).blocks);
        let nodes = (finish_node(placeholder), finish_node(slot));
        // A placeholder waits for nothing, so its place in the order suits the task, which has no edges yet.
        self.topology.get_mut().place_before(nodes.1, nodes.0);
        for dependent in &dependents {
            for blocker in &mut self.task_mut(*dependent).blocked_by {
                if *blocker == placeholder {
                    *blocker = slot;
                }
            }
        }
        self.task_mut(slot).blocks.clone_from(&dependents);
        if !self.task(slot).status().is_open() {
            for dependent in dependents {
                self.add_active(dependent, -1);
            }
        }
    }

    fn drop_task(&mut self, slot: Slot) {
        self.touch(slot, field::GONE);
        let status = self.task(slot).status();
        self.counts[status as usize] -= 1;
        self.forget_id(slot);
        self.task_mut(slot).presence = Presence::Gone;
        self.ready.set(slot, false);
        self.blocked.set(slot, false);
        if !self.task(slot).blocks.is_empty() {
            // Rows that still name it now name an id that nobody has.
            let id = self.task(slot).id().to_owned();
            let was_open = status.is_open();
            let placeholder = self.placeholder(&id);
            let dependents = std::mem::take(&mut self.task_mut(slot).blocks);
            let nodes = (finish_node(placeholder), finish_node(slot));
            self.topology.get_mut().place_before(nodes.0, nodes.1);
            for dependent in &dependents {
                for blocker in &mut self.task_mut(*dependent).blocked_by {
                    if *blocker == slot {
                        *blocker = placeholder;
                    }
                }
                if !was_open {
                    self.add_active(*dependent, 1);
                }
            }
            self.task_mut(placeholder).blocks = dependents;
        }
    }

    fn set_progress(&mut self, slot: Slot, new: Progress) {
        self.touch(slot, field::PROGRESS);
        let old = self.task(slot).progress.status;
        self.task_mut(slot).progress = new;
        self.counts[old as usize] -= 1;
        self.counts[new.status as usize] += 1;
        self.reindex(slot);
        if old.is_open() != new.status.is_open() {
            let change = if new.status.is_open() { 1 } else { -1 };
            // The list of dependents is lent out while their counters change; nothing else reads it meanwhile.
            let dependents = std::mem::take(&mut self.task_mut(slot).blocks);
            for dependent in &dependents {
                self.add_active(*dependent, change);
            }
            self.task_mut(slot).blocks = dependents;
        }
        if self.task(slot).tree.is_some() && old != new.status {
            self.refresh_tree(slot);
        }
    }

    /// What an old event's blockers are now: a row that left stands as the id that it had.
    fn present_blockers(&mut self, named: &Slots) -> Slots {
        let mut present = Slots::new();
        for blocker in named {
            let presence = self.task(*blocker).presence;
            let slot = if matches!(presence, Presence::Gone | Presence::Forgotten) {
                let id = self.task(*blocker).id().to_owned();
                match self.find(&id) {
                    Some(slot) => slot,
                    None if presence == Presence::Forgotten => self.name_again(*blocker),
                    None => self.placeholder(&id),
                }
            } else {
                *blocker
            };
            if !present.contains(&slot) {
                present.push(slot);
            }
        }
        present
    }

    fn set_blockers(&mut self, slot: Slot, named: &Slots) -> Result<(), Vec<Node>> {
        let stale =
            named.iter().any(|blocker| matches!(self.task(*blocker).presence, Presence::Gone | Presence::Forgotten));
        let present;
        let new = if stale {
            present = self.present_blockers(named);
            &present
        } else {
            named
        };
        let start = self.start_node(slot);
        for blocker in new {
            let required = self.topology.borrow_mut().require(self, finish_node(*blocker), start);
            if let Err(ring) = required {
                // Placeholders that were named again for this go back.
                for blocker in new {
                    self.forget_unused_placeholder(*blocker);
                }
                return Err(ring);
            }
        }
        self.touch(slot, field::BLOCKERS);
        let old = std::mem::replace(&mut self.task_mut(slot).blocked_by, Slots::from_slice(new));
        // Of few everything is compared with everything, of many by way of a set.
        let many = old.len().max(new.len()) > FEW_BLOCKERS;
        let set = |slots: &Slots| {
            let mut set = IndexSet::default();
            if many {
                slots.iter().for_each(|slot| set.set(*slot, true));
            }
            set
        };
        let (olds, news) = (set(&old), set(new));
        let holds = |slots: &Slots, set: &IndexSet, slot: Slot| {
            if many { set.contains(slot) } else { slots.contains(&slot) }
        };
        for blocker in &old {
            if !holds(new, &news, *blocker) {
                let blocks = &mut self.task_mut(*blocker).blocks;
                if let Ok(at) = blocks.binary_search(&slot) {
                    blocks.remove(at);
                }
                self.forget_unused_placeholder(*blocker);
            }
        }
        for blocker in new {
            if !holds(&old, &olds, *blocker) {
                let blocks = &mut self.task_mut(*blocker).blocks;
                match blocks.last() {
                    Some(last) if *last > slot => {
                        let at = blocks.partition_point(|dependent| *dependent < slot);
                        blocks.insert(at, slot);
                    }
                    _ => blocks.push(slot),
                }
            }
        }
        self.recount(slot);
        Ok(())
    }

    fn forget_unused_placeholder(&mut self, slot: Slot) {
        if self.task(slot).presence == Presence::Missing && self.task(slot).blocks.is_empty() {
            self.forget_id(slot);
            self.missing -= 1;
            self.task_mut(slot).presence = Presence::Forgotten;
        }
    }

    fn set_extra(&mut self, slot: Slot, new: Option<&Rc<Extra>>) -> Result<(), Vec<Node>> {
        let before = self.child_order(slot);
        let old = std::mem::replace(&mut self.task_mut(slot).extra, new.cloned());
        let after = self.child_order(slot);
        if before != after && !self.task(slot).children().is_empty() {
            if after == ChildOrder::Sequence {
                let children = self.task(slot).children().to_vec();
                let arcs: Vec<(Node, Node)> =
                    children.windows(2).map(|pair| (finish_node(pair[0]), self.start_node(pair[1]))).collect();
                if let Err(ring) = self.require_all(Hidden::OrderOf(slot), &arcs) {
                    self.task_mut(slot).extra = old;
                    return Err(ring);
                }
            }
            self.touch(slot, field::FACETS);
            self.refresh_tree(slot);
        }
        self.touch(slot, field::FACETS);
        Ok(())
    }

    /// Adds arcs one by one to what the search sees, each checked against those before it.
    fn require_all(&mut self, hidden: Hidden, arcs: &[(Node, Node)]) -> Result<(), Vec<Node>> {
        self.hidden = hidden;
        let mut ring = Ok(());
        for (first, then) in arcs {
            ring = self.topology.borrow_mut().require(self, *first, *then);
            if ring.is_err() {
                break;
            }
            self.extra_arcs.push((*first, *then));
        }
        self.extra_arcs.clear();
        self.hidden = Hidden::Nothing;
        ring
    }

    fn set_parent(&mut self, slot: Slot, new: Option<Slot>) -> Result<(), Vec<Node>> {
        let old = self.task(slot).parent();
        self.unlink_child(slot);
        if let Some(parent) = new {
            let linked = self.link_child(slot, parent);
            if let Err(ring) = linked {
                self.unlink_child(slot);
                if let Some(old) = old {
                    // It was legal a moment ago, and nothing else has changed.
                    let _legal = self.link_child(slot, old);
                }
                return Err(ring);
            }
        }
        self.touch(slot, field::FACETS);
        for parent in [old, new].into_iter().flatten() {
            self.refresh_tree(parent);
        }
        self.refresh_tree(slot);
        Ok(())
    }

    fn unlink_child(&mut self, slot: Slot) {
        let Some(parent) = self.task_mut(slot).tree.as_mut().and_then(|tree| tree.parent.take()) else { return };
        if let Some(tree) = &mut self.task_mut(parent).tree {
            tree.children.retain(|child| *child != slot);
        }
    }

    fn link_child(&mut self, slot: Slot, parent: Slot) -> Result<(), Vec<Node>> {
        self.split_node(parent);
        self.task_mut(slot).tree.get_or_insert_default().parent = Some(parent);
        let siblings = &mut self.task_mut(parent).tree.get_or_insert_default().children;
        let at = siblings.partition_point(|child| *child < slot);
        siblings.insert(at, slot);
        let (before, behind) = (at.checked_sub(1).map(|at| siblings[at]), siblings.get(at + 1).copied());
        let mut arcs = vec![(self.start_node(parent), self.start_node(slot)), (finish_node(slot), finish_node(parent))];
        if self.child_order(parent) == ChildOrder::Sequence {
            arcs.extend(before.map(|before| (finish_node(before), self.start_node(slot))));
            arcs.extend(behind.map(|behind| (finish_node(slot), self.start_node(behind))));
        }
        self.require_all(Hidden::Child(slot), &arcs)
    }

    /// Gives a task that becomes a parent a second node, for its start.
    fn split_node(&mut self, slot: Slot) {
        if !self.split.contains(slot) {
            self.split.set(slot, true);
            let start = self.start_node(slot);
            self.topology.get_mut().insert_before(start, finish_node(slot));
        }
    }

    /// Takes the last slot back after a refused operation created it.
    pub(super) fn forget_last_slot(&mut self) {
        if self.tasks.pop().is_some() {
            self.split.set(self.next_slot(), false);
            self.topology.get_mut().pop();
            self.topology.get_mut().pop();
        }
    }
}
