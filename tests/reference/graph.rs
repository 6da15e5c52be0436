//! Who waits for whom, recomputed from nothing at every question.

use super::{Model, Order, Status, Task};
use std::collections::{BTreeMap, BTreeSet};

/// How a blocker bars a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Edge,
    Parent,
    Order,
    Missing,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Edge => "edge",
            Self::Parent => "parent",
            Self::Order => "order",
            Self::Missing => "missing",
        }
    }
}

/// The start or the finish of a task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moment {
    Start(String),
    Finish(String),
}

impl Moment {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Start(id) | Self::Finish(id) => id,
        }
    }
}

/// Each moment with the moments it waits for.
pub(crate) type Waits = BTreeMap<Moment, BTreeSet<Moment>>;

impl Model {
    /// The order among the children of a task.
    pub(crate) fn order_under(&self, parent: &Task) -> Order {
        parent.children.unwrap_or(self.rules.children)
    }

    /// The rows under a task, in creation order.
    pub(crate) fn children_of(&self, id: &str) -> Vec<&Task> {
        self.tasks.iter().filter(|t| t.parent.as_deref() == Some(id)).collect()
    }

    /// The active blockers of an open task; a settled one has none that matter to itself (D3).
    pub(crate) fn active_blockers(&self, id: &str) -> Vec<(String, Kind)> {
        match self.find(id) {
            Some(task) if task.status.is_open() => self.open_blockers(task),
            _ => Vec::new(),
        }
    }

    /// The open edges of a task, then the implied ones (D2, D3a); a settled parent passes none on.
    fn open_blockers(&self, task: &Task) -> Vec<(String, Kind)> {
        let mut found: Vec<(String, Kind)> = Vec::new();
        let mut put = |id: &str, kind: Kind| {
            if !found.iter().any(|(known, _)| known == id) {
                found.push((id.to_owned(), kind));
            }
        };
        for blocker in &task.blocked_by {
            match self.find(blocker) {
                None => put(blocker, Kind::Missing),
                Some(row) if row.status.is_open() => put(blocker, Kind::Edge),
                Some(_) => {}
            }
        }
        if let Some(parent) = task.parent.as_deref().and_then(|id| self.find(id)) {
            match self.order_under(parent) {
                Order::Group if !parent.status.is_open() => {}
                Order::Group => {
                    for (blocker, _) in self.open_blockers(parent) {
                        put(&blocker, Kind::Parent);
                    }
                }
                Order::Sequence => {
                    if parent.status.is_open() && parent.status != Status::InProgress {
                        put(&parent.id, Kind::Parent);
                    }
                    for sibling in self.children_of(&parent.id) {
                        if sibling.seq < task.seq && sibling.status.is_open() {
                            put(&sibling.id, Kind::Order);
                        }
                    }
                }
            }
        }
        found
    }

    /// The ids of the active blockers.
    pub(crate) fn barred_by(&self, id: &str) -> Vec<String> {
        self.active_blockers(id).into_iter().map(|(id, _)| id).collect()
    }

    /// Every wait of the list, settled rows included (D7, D3a).
    pub(crate) fn waits(&self) -> Waits {
        let mut waits = Waits::new();
        let mut wait = |from: Moment, to: Moment| {
            waits.entry(from).or_default().insert(to);
        };
        let start = |id: &str| Moment::Start(id.to_owned());
        let finish = |id: &str| Moment::Finish(id.to_owned());
        for task in &self.tasks {
            wait(finish(&task.id), start(&task.id));
            for blocker in &task.blocked_by {
                wait(start(&task.id), finish(blocker));
                wait(finish(blocker), start(blocker));
            }
            if let Some(parent) = task.parent.as_deref() {
                wait(start(&task.id), start(parent));
                wait(finish(parent), finish(&task.id));
                if let Some(row) = self.find(parent)
                    && self.order_under(row) == Order::Sequence
                {
                    for sibling in self.children_of(parent) {
                        if sibling.seq < task.seq {
                            wait(start(&task.id), finish(&sibling.id));
                        }
                    }
                }
            }
        }
        waits
    }

    /// Some ring of waits as ids, the first one again at the end, or nothing.
    pub(crate) fn find_ring(&self) -> Option<Vec<String>> {
        self.find_ring_from("")
    }

    /// The same, from a given task where a ring leads through it.
    pub(crate) fn find_ring_from(&self, id: &str) -> Option<Vec<String>> {
        let waits = self.waits();
        if !has_ring(&waits) {
            return None;
        }
        let own = [Moment::Start(id.to_owned()), Moment::Finish(id.to_owned())];
        own.iter().chain(waits.keys()).find_map(|moment| {
            let path = path_between(&waits, moment, moment)?;
            let mut ids: Vec<String> = path.iter().map(|m| m.id().to_owned()).collect();
            ids.dedup();
            Some(ids)
        })
    }

    /// Whether a ring of ids (first = last) can be walked along the waits of this state.
    pub(crate) fn is_ring(&self, ids: &[String]) -> bool {
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else {
            return false;
        };
        if ids.len() < 2 || first != last {
            return false;
        }
        let waits = self.waits();
        [Moment::Start(first.clone()), Moment::Finish(first.clone())].iter().any(|origin| {
            let mut here = with_own_start(BTreeSet::from([origin.clone()]));
            for id in &ids[1..] {
                let next: BTreeSet<Moment> = here
                    .iter()
                    .filter_map(|moment| waits.get(moment))
                    .flatten()
                    .filter(|moment| moment.id() == id)
                    .cloned()
                    .collect();
                here = with_own_start(next);
            }
            here.contains(origin)
        })
    }
}

/// Whether something is left when one takes away, again and again, what waits for nothing that is left.
fn has_ring(waits: &Waits) -> bool {
    let mut left: BTreeSet<&Moment> = waits.keys().collect();
    loop {
        let before = left.len();
        left = left.iter().copied().filter(|moment| waits[*moment].iter().any(|other| left.contains(other))).collect();
        if left.len() == before {
            return !left.is_empty();
        }
    }
}

/// A task that is at its finish has passed its start on the way.
fn with_own_start(mut moments: BTreeSet<Moment>) -> BTreeSet<Moment> {
    let starts: Vec<Moment> = moments.iter().map(|m| Moment::Start(m.id().to_owned())).collect();
    moments.extend(starts);
    moments
}

/// A way along the waits with at least one step.
fn path_between(waits: &Waits, from: &Moment, to: &Moment) -> Option<Vec<Moment>> {
    let mut came_from: BTreeMap<Moment, Moment> = BTreeMap::new();
    let mut queue = vec![from.clone()];
    let mut place = 0;
    while place < queue.len() {
        let here = queue[place].clone();
        place += 1;
        for next in waits.get(&here).into_iter().flatten() {
            if came_from.contains_key(next) {
                continue;
            }
            came_from.insert(next.clone(), here.clone());
            if next == to {
                let mut path = vec![to.clone()];
                let mut step = here;
                while &step != from {
                    path.push(step.clone());
                    step = came_from[&step].clone();
                }
                path.push(from.clone());
                path.reverse();
                return Some(path);
            }
            queue.push(next.clone());
        }
    }
    None
}
