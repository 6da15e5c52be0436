//! Which edges are set aside so that no ring is left, and one ring as a path for each.
//!
//! A component with at most [`FEW`] edges gets a smallest cut, found by trying all sets of one edge, of two, and so
//! on. A larger one gets a cut from which no edge can be taken back: its edges are put in one by one, and each that
//! would close a ring with those before it stays out.

use crate::graph::{Arcs, Node, Topology};

/// Components with more edges than this get a cut that is minimal, not smallest.
const FEW: usize = 20;

/// So many sets are tried in all. Only a file made for it has so many dense components; the rest of them get minimal
/// cuts.
const MOST_TRIES: u32 = 20_000_000;

/// A wait of one task for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    /// The task that waits; the child, where it is a parent's.
    pub(super) task: u32,
    /// What it waits for; the parent.
    pub(super) other: u32,
    pub(super) kind: WaitKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitKind {
    Edge,
    /// A step cannot start before its parent may, nor its parent end before it.
    Parent,
}

impl Wait {
    /// The arcs of it: each task has a start and a finish.
    fn arcs(self) -> impl Iterator<Item = (Node, Node)> {
        let (task, other) = (self.task, self.other);
        match self.kind {
            WaitKind::Edge => [Some((finish(other), start(task))), None],
            WaitKind::Parent => [Some((start(other), start(task))), Some((finish(task), finish(other)))],
        }
        .into_iter()
        .flatten()
    }
}

/// What must be set aside.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// How many components hold rings.
    pub(super) components: usize,
    /// The waits set aside: their numbers, each with a ring that it would close. A ring begins and ends with the
    /// task that waits.
    pub(super) aside: Vec<(usize, Vec<u32>)>,
}

fn start(task: u32) -> Node {
    task * 2
}

fn finish(task: u32) -> Node {
    task * 2 + 1
}

/// Chooses what to set aside of `waits` between tasks `0..tasks`; nobody waits for itself.
pub(super) fn cut(tasks: usize, waits: &[Wait]) -> Cut {
    let mut graph = Lists::new(tasks * 2);
    for task in 0..u32::try_from(tasks).unwrap_or(u32::MAX) {
        graph.add(start(task), finish(task));
    }
    for wait in waits {
        for (first, then) in wait.arcs() {
            graph.add(first, then);
        }
    }
    let component = components(&graph);
    // A parent's two arcs may lie in two components, which then are cut together.
    let mut joined: Vec<Node> = (0..u32::try_from(tasks * 2).unwrap_or(u32::MAX)).collect();
    let mut inner: Vec<(Node, usize)> = Vec::new();
    for (number, wait) in waits.iter().enumerate() {
        let mut before = None;
        for (first, then) in wait.arcs() {
            if component[first as usize] != component[then as usize] {
                continue;
            }
            let of = root(&mut joined, component[first as usize]);
            match before {
                None => inner.push((of, number)),
                Some(before) => joined[of as usize] = root(&mut joined, before),
            }
            before = Some(of);
        }
    }
    for (of, _) in &mut inner {
        *of = root(&mut joined, *of);
    }
    inner.sort_unstable();
    let mut cut = Cut::default();
    let mut tries = MOST_TRIES;
    for members in inner.chunk_by(|one, other| one.0 == other.0) {
        let members: Vec<usize> = members.iter().map(|(_, number)| *number).collect();
        cut.components += 1;
        if members.len() <= FEW && tries > 0 {
            smallest(waits, &members, &mut tries, &mut cut);
        } else {
            minimal(waits, &members, &mut cut);
        }
    }
    cut.aside.sort_unstable();
    cut
}

/// The node that stands for all that are joined with one (Tarjan, "Efficiency of a good but not linear set union
/// algorithm", JACM 1975; paths are halved).
fn root(joined: &mut [Node], mut node: Node) -> Node {
    while joined[node as usize] != node {
        joined[node as usize] = joined[joined[node as usize] as usize];
        node = joined[node as usize];
    }
    node
}

/// Arcs as lists, both ways.
struct Lists {
    before: Vec<Vec<Node>>,
    after: Vec<Vec<Node>>,
}

impl Lists {
    fn new(nodes: usize) -> Self {
        Lists { before: vec![Vec::new(); nodes], after: vec![Vec::new(); nodes] }
    }

    fn add(&mut self, first: Node, then: Node) {
        self.after[first as usize].push(then);
        self.before[then as usize].push(first);
    }
}

impl Arcs for Lists {
    fn before(&self, node: Node, visit: impl FnMut(Node)) {
        self.before[node as usize].iter().copied().for_each(visit);
    }
    fn after(&self, node: Node, visit: impl FnMut(Node)) {
        self.after[node as usize].iter().copied().for_each(visit);
    }
}

/// The component of each node, by a node of it (Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
/// Comput. 1972, without recursion). O(nodes + arcs).
fn components(graph: &Lists) -> Vec<Node> {
    const NEVER: u32 = u32::MAX;
    let count = graph.after.len();
    let nodes = u32::try_from(count).unwrap_or(u32::MAX);
    let (mut number, mut low, mut component) = (vec![NEVER; count], vec![0u32; count], vec![NEVER; count]);
    let (mut open, mut path): (Vec<Node>, Vec<(Node, usize)>) = (Vec::new(), Vec::new());
    let mut next_number = 0;
    for root in 0..nodes {
        if number[root as usize] != NEVER {
            continue;
        }
        path.push((root, 0));
        while let Some((node, next)) = path.pop() {
            let here = node as usize;
            if next == 0 {
                number[here] = next_number;
                low[here] = next_number;
                next_number += 1;
                open.push(node);
            }
            if let Some(then) = graph.after[here].get(next).copied() {
                path.push((node, next + 1));
                if number[then as usize] == NEVER {
                    path.push((then, 0));
                } else if component[then as usize] == NEVER {
                    low[here] = low[here].min(number[then as usize]);
                }
                continue;
            }
            if low[here] == number[here] {
                while let Some(member) = open.pop() {
                    component[member as usize] = node;
                    if member == node {
                        break;
                    }
                }
            }
            if let Some((parent, _)) = path.last() {
                low[*parent as usize] = low[*parent as usize].min(low[here]);
            }
        }
    }
    component
}

/// A component by itself, its tasks numbered anew.
struct Part {
    tasks: Vec<u32>,
}

impl Part {
    fn new(waits: &[Wait], members: &[usize]) -> Self {
        let mut tasks: Vec<u32> =
            members.iter().flat_map(|member| [waits[*member].task, waits[*member].other]).collect();
        tasks.sort_unstable();
        tasks.dedup();
        Part { tasks }
    }

    fn wait(&self, wait: Wait) -> Wait {
        let local = |task: u32| u32::try_from(self.tasks.binary_search(&task).unwrap_or(0)).unwrap_or(0);
        Wait { task: local(wait.task), other: local(wait.other), kind: wait.kind }
    }

    /// The tasks of a path of nodes.
    fn ring(&self, nodes: &[Node]) -> Vec<u32> {
        let mut tasks: Vec<u32> = nodes.iter().map(|node| self.tasks[*node as usize / 2]).collect();
        tasks.dedup();
        tasks
    }

    /// Puts waits in one by one; gives those that close rings with those before them, each with its ring.
    fn insert(&self, waits: impl Iterator<Item = (usize, Wait)>) -> Vec<(usize, Vec<u32>)> {
        let mut graph = Lists::new(self.tasks.len() * 2);
        let mut order = Topology::default();
        for _ in 0..self.tasks.len() {
            // A start and, behind it, a finish: the order holds their arc from the beginning.
            let (first, then) = (order.push(), order.push());
            graph.add(first, then);
        }
        let mut refused = Vec::new();
        for (number, wait) in waits {
            let mut added = Vec::new();
            let mut ring = None;
            for (first, then) in self.wait(wait).arcs() {
                if let Err(nodes) = order.require(&graph, first, then) {
                    ring = Some(self.ring(&nodes));
                    break;
                }
                graph.add(first, then);
                added.push((first, then));
            }
            if let Some(ring) = ring {
                for (first, then) in added {
                    graph.after[first as usize].pop();
                    graph.before[then as usize].pop();
                }
                refused.push((number, ring));
            }
        }
        refused
    }
}

/// Edges come before parents where both would do, and later ones before earlier ones.
fn by_worth(waits: &[Wait], members: &[usize]) -> Vec<usize> {
    let mut sorted = members.to_vec();
    sorted.sort_unstable_by_key(|member| (waits[*member].kind == WaitKind::Parent, std::cmp::Reverse(*member)));
    sorted
}

fn smallest(waits: &[Wait], members: &[usize], tries: &mut u32, cut: &mut Cut) {
    let part = Part::new(waits, members);
    let candidates = by_worth(waits, members);
    let local: Vec<Wait> = candidates.iter().map(|member| part.wait(waits[*member])).collect();
    let sets = Sets::new(part.tasks.len(), &local);
    let all = (1u32 << candidates.len()) - 1;
    let mut best = all;
    'sizes: for size in 1..=candidates.len() {
        let mut set = (1u32 << size) - 1;
        while set <= all {
            if sets.is_acyclic(set) {
                best = set;
                break 'sizes;
            }
            *tries = tries.saturating_sub(1);
            // The next larger number with as many bits (Gosper, HAKMEM item 175).
            let lowest = set & set.wrapping_neg();
            let carried = set + lowest;
            set = (((carried ^ set) >> 2) / lowest) | carried;
        }
    }
    let is_out = |at: &usize| best >> at & 1 == 1;
    // The others first, so that the ring of each that is out goes through what stays.
    let stays = (0..candidates.len()).filter(|at| !is_out(at));
    let leaves = (0..candidates.len()).filter(is_out);
    let ordered = stays.chain(leaves).map(|at| (candidates[at], waits[candidates[at]]));
    cut.aside.extend(part.insert(ordered));
}

/// The arcs of a small component, as sets of nodes.
struct Sets {
    /// Per wait the nodes that come to wait, and for what.
    arcs: Vec<[(usize, u64); 2]>,
    nodes: usize,
}

impl Sets {
    fn new(tasks: usize, waits: &[Wait]) -> Self {
        let of = |wait: &Wait| {
            let mut found = [(0, 0); 2];
            for (place, (first, then)) in found.iter_mut().zip(wait.arcs()) {
                *place = (then as usize, 1 << first);
            }
            found
        };
        Sets { arcs: waits.iter().map(of).collect(), nodes: tasks * 2 }
    }

    /// Whether the waits that are not in `out` close no ring: nodes that wait for nobody leave until none is left.
    fn is_acyclic(&self, out: u32) -> bool {
        let mut needs = [0u64; 64];
        for finish in (1..self.nodes).step_by(2) {
            needs[finish] = 1 << (finish - 1);
        }
        for (at, arcs) in self.arcs.iter().enumerate() {
            if out >> at & 1 == 0 {
                for (then, first) in arcs {
                    needs[*then] |= first;
                }
            }
        }
        let mut left = u64::MAX >> (64 - self.nodes);
        loop {
            let before = left;
            for (node, needed) in needs.iter().enumerate().take(self.nodes) {
                if needed & left == 0 {
                    left &= !(1 << node);
                }
            }
            if left == 0 || left == before {
                return left == 0;
            }
        }
    }
}

fn minimal(waits: &[Wait], members: &[usize], cut: &mut Cut) {
    let part = Part::new(waits, members);
    let (parents, edges): (Vec<usize>, Vec<usize>) =
        members.iter().partition(|member| waits[**member].kind == WaitKind::Parent);
    cut.aside.extend(part.insert(parents.into_iter().chain(edges).map(|member| (member, waits[member]))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(task: u32, other: u32) -> Wait {
        Wait { task, other, kind: WaitKind::Edge }
    }

    fn without(waits: &[Wait], aside: &[usize]) -> Vec<Wait> {
        waits.iter().enumerate().filter(|(at, _)| !aside.contains(at)).map(|(_, wait)| *wait).collect()
    }

    fn has_ring(tasks: usize, waits: &[Wait]) -> bool {
        let mut reach = vec![vec![false; tasks * 2]; tasks * 2];
        for task in 0..u32::try_from(tasks).unwrap() {
            reach[start(task) as usize][finish(task) as usize] = true;
        }
        for (first, then) in waits.iter().flat_map(|wait| wait.arcs()) {
            reach[first as usize][then as usize] = true;
        }
        for middle in 0..tasks * 2 {
            for one in 0..tasks * 2 {
                for other in 0..tasks * 2 {
                    if reach[one][middle] && reach[middle][other] {
                        reach[one][other] = true;
                    }
                }
            }
        }
        (0..tasks * 2).any(|node| reach[node][node])
    }

    #[test]
    fn one_edge_of_two_joined_rings_is_enough_when_they_share_it() {
        // 0 -> 1 is in both rings.
        let waits = [edge(0, 1), edge(1, 2), edge(2, 0), edge(1, 3), edge(3, 0)];
        let cut = cut(4, &waits);
        assert_eq!(cut.components, 1);
        assert_eq!(cut.aside.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0]);
        let ring = &cut.aside[0].1;
        assert_eq!((ring.first(), ring.last()), (Some(&0), Some(&0)));
    }

    #[test]
    fn a_parent_that_waits_for_its_step_is_a_ring_and_the_edge_goes() {
        let waits = [Wait { task: 1, other: 0, kind: WaitKind::Parent }, edge(0, 1)];
        let cut = cut(2, &waits);
        assert_eq!(cut.aside.len(), 1);
        assert_eq!(cut.aside[0].0, 1);
        assert_eq!(cut.aside[0].1, [0, 1, 0]);
    }

    #[test]
    fn two_rings_that_share_a_parent_alone_are_cut_together() {
        // Its start and its end are in rings of their own: 1 is a step of 0; 0 waits for 2, a step of 1, …
        let parent = |task, other| Wait { task, other, kind: WaitKind::Parent };
        let waits = [parent(1, 0), parent(2, 1), edge(0, 2), parent(3, 1), edge(3, 4), edge(4, 0)];
        let cut = cut(5, &waits);
        let aside: Vec<usize> = cut.aside.iter().map(|(at, _)| *at).collect();
        assert!(!has_ring(5, &without(&waits, &aside)), "{aside:?}");
    }

    #[test]
    fn random_graphs_lose_their_rings_and_nothing_more() {
        let mut random = 11u64;
        let mut below = |most: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap() % most
        };
        for round in 0..300 {
            let tasks = 2 + below(9);
            let mut waits = Vec::new();
            for _ in 0..below(if round % 3 == 0 { 45 } else { 14 }) {
                let (task, other) = (u32::try_from(below(tasks)).unwrap(), u32::try_from(below(tasks)).unwrap());
                let kind = if below(4) == 0 { WaitKind::Parent } else { WaitKind::Edge };
                if task != other {
                    waits.push(Wait { task, other, kind });
                }
            }
            let cut = cut(tasks, &waits);
            let aside: Vec<usize> = cut.aside.iter().map(|(at, _)| *at).collect();
            assert!(!has_ring(tasks, &without(&waits, &aside)), "round {round}: a ring is left");
            assert_eq!(cut.components == 0, !has_ring(tasks, &waits), "round {round}");
            for (at, ring) in &cut.aside {
                let others: Vec<usize> = aside.iter().copied().filter(|other| other != at).collect();
                assert!(has_ring(tasks, &without(&waits, &others)), "round {round}: {at} could be taken back");
                assert!(ring.len() >= 3 && ring.first() == ring.last(), "round {round}: {ring:?}");
                for pair in ring.windows(2) {
                    let is_wait = waits.iter().any(|wait| {
                        (wait.task, wait.other) == (pair[0], pair[1])
                            || (wait.kind == WaitKind::Parent && (wait.other, wait.task) == (pair[0], pair[1]))
                    });
                    assert!(is_wait, "round {round}: nobody waits like {pair:?} in {ring:?}");
                }
            }
            if waits.len() <= 10 {
                let smaller = (0u32..1 << waits.len()).any(|set| {
                    let out: Vec<usize> = (0..waits.len()).filter(|at| set >> at & 1 == 1).collect();
                    out.len() < aside.len() && !has_ring(tasks, &without(&waits, &out))
                });
                assert!(!smaller, "round {round}: a smaller cut exists");
            }
        }
    }
}
