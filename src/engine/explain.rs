//! Why a task is in the state it is in, and what would move it.

use serde::Serialize;

use crate::task::{Readiness, Slot, Status, Task};

use super::error::{first_five, shorten};
use super::readiness::BlockerKind;
use super::state::State;

/// Most chains that an explanation lists.
const CHAINS: usize = 20;

/// An active blocker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocker {
    /// Its id.
    pub id: String,
    /// Its title; absent for a missing task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it counts: `edge`, `parent`, `order`, `missing`.
    pub kind: &'static str,
    /// Its status; absent for a missing task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// Its readiness; absent for a missing task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness: Option<&'static str>,
}

/// Why a task is in the state it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: &'static str,
    /// Its readiness.
    pub readiness: &'static str,
    /// Blocked with a root cause that is held.
    pub stalled: bool,
    /// The active blockers.
    pub blockers: Vec<Blocker>,
    /// The tasks at the far end that everything waits for.
    pub root_causes: Vec<String>,
    /// A shortest path from the task to each root cause; at most 20.
    pub chains: Vec<Vec<String>>,
    /// Open steps that bar completion.
    pub open_children: Vec<String>,
    /// How many open tasks wait for this one, directly or not.
    pub waiting: u32,
    /// All of it as one sentence.
    pub sentence: String,
}

impl State {
    /// Explains a task. O(what it waits for + what waits for it).
    #[must_use]
    pub fn explain(&self, slot: Slot) -> Explanation {
        let task = self.task(slot);
        let open = task.status().is_open();
        let blockers = if open { self.active_blockers(slot) } else { Vec::new() };
        let (roots, chains) = if blockers.is_empty() { (Vec::new(), Vec::new()) } else { self.root_causes(slot) };
        let is_stuck = |root: &Slot| self.task(*root).status() == Status::Held && !self.is_missing(*root);
        let stalled = task.readiness() == Readiness::Blocked && roots.iter().any(is_stuck);
        let open_children = self.open_children(slot);
        let waiting = if open { self.count_waiting(slot) } else { 0 };
        let sentence = self.sentence(task, &blockers, &roots, stalled, &open_children);
        Explanation {
            id: task.id().to_owned(),
            title: task.text.title().to_owned(),
            status: task.status().word(),
            readiness: task.readiness().word(),
            stalled,
            blockers: blockers.iter().map(|(slot, kind)| self.blocker(*slot, *kind)).collect(),
            root_causes: self.ids(&roots),
            chains: chains.iter().map(|chain| self.ids(chain)).collect(),
            open_children: self.ids(&open_children),
            waiting,
            sentence,
        }
    }

    fn is_missing(&self, slot: Slot) -> bool {
        self.task(slot).presence == crate::task::Presence::Missing
    }

    fn blocker(&self, slot: Slot, kind: BlockerKind) -> Blocker {
        let task = self.task(slot);
        let known = kind != BlockerKind::Missing;
        Blocker {
            id: task.id().to_owned(),
            title: known.then(|| task.text.title().to_owned()),
            kind: kind.word(),
            status: known.then(|| task.status().word()),
            readiness: known.then(|| task.readiness().word()),
        }
    }

    /// The ends of all chains of active blockers, nearest first, and a shortest chain to each.
    fn root_causes(&self, slot: Slot) -> (Vec<Slot>, Vec<Vec<Slot>>) {
        let mut came_from: Vec<Option<Slot>> = vec![None; self.tasks.len()];
        let mut queue = vec![slot];
        let mut roots = Vec::new();
        let mut at = 0;
        while at < queue.len() {
            let here = queue[at];
            at += 1;
            let blockers = if self.is_missing(here) { Vec::new() } else { self.active_blockers(here) };
            if blockers.is_empty() {
                roots.push(here);
            }
            for (blocker, _) in blockers {
                if blocker != slot && came_from[blocker as usize].is_none() {
                    came_from[blocker as usize] = Some(here);
                    queue.push(blocker);
                }
            }
        }
        let chain = |root: &Slot| {
            let mut chain = vec![*root];
            let mut here = *root;
            while let Some(next) = came_from[here as usize] {
                chain.push(next);
                here = next;
            }
            chain.reverse();
            chain
        };
        let chains = roots.iter().take(CHAINS).map(chain).collect();
        (roots, chains)
    }

    fn count_waiting(&self, slot: Slot) -> u32 {
        let mut seen = vec![false; self.tasks.len()];
        seen[slot as usize] = true;
        let mut stack = vec![slot];
        let mut count = 0;
        while let Some(here) = stack.pop() {
            self.each_waiting(here, &mut |waiting| {
                if !std::mem::replace(&mut seen[waiting as usize], true) {
                    count += 1;
                    stack.push(waiting);
                }
            });
        }
        count
    }

    /// The first five of some tasks with title and readiness.
    fn described(&self, slots: &[Slot]) -> String {
        first_five(slots.len(), &mut |at, text| {
            let task = self.task(slots[at]);
            text.push('`');
            text.push_str(task.id());
            if self.is_missing(slots[at]) {
                text.push_str("` (no such task)");
            } else {
                let title = shorten(task.text.title(), 60);
                text.push_str(&["` (", &*title, ", ", task.readiness().word(), ")"].concat());
            }
        })
    }

    fn sentence(
        &self,
        task: &Task,
        blockers: &[(Slot, BlockerKind)],
        roots: &[Slot],
        stalled: bool,
        open_children: &[Slot],
    ) -> String {
        let mut sentence = ["`", task.id(), "` is ", task.readiness().word()].concat();
        if let Some(hold) = task.hold().filter(|_| task.status() == Status::Held) {
            sentence.push_str(&[" (", hold.reason.word(), "); a person must release it"].concat());
        }
        if !blockers.is_empty() {
            let near: Vec<Slot> = blockers.iter().map(|blocker| blocker.0).collect();
            sentence.push_str("; it waits for ");
            sentence.push_str(&self.described(&near));
            let far: Vec<Slot> = roots.iter().copied().filter(|root| !near.contains(root)).collect();
            if !far.is_empty() {
                sentence.push_str("; in the end everything waits for ");
                sentence.push_str(&self.described(&far));
            }
        }
        if stalled {
            sentence.push_str("; it is stalled until that is released");
        }
        if !open_children.is_empty() && task.status().is_open() {
            sentence.push_str("; before it can be completed, its steps must settle: ");
            sentence.push_str(&self.described(open_children));
        }
        sentence.push('.');
        sentence
    }
}
