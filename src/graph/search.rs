//! Keeping a topological order while arcs come and go, and finding the ring that an arc would close.
//!
//! Two-way search: from the arc's end forwards and from its start backwards, in step by arcs walked,
//! pruned by the labels of the order. When one side is exhausted there is no ring, and that side is
//! moved past the other end. The idea is from Bender, Fineman, Gilbert, Tarjan, "A new approach to
//! incremental cycle detection and related problems" (TALG 2016) and Haeupler, Kavitha, Mathew, Sen,
//! Tarjan (TALG 2012); balancing by arcs and moving the smaller complete side is ours and has no
//! proven bound. Measured against Pearce & Kelly (2006): ARCHITECTURE.md.

use super::{Arcs, ByKey, Node, Order, sort_in_place};

/// A topological order with the scratch memory of its searches.
#[derive(Debug, Default, Clone)]
pub struct Topology {
    order: Order,
    /// Which search this is. A place is marked `2 * epoch` when it was reached forwards, `2 * epoch + 1` backwards.
    epoch: u32,
    forwards: Side,
    backwards: Side,
}

#[derive(Debug, Default, Clone)]
struct Side {
    reached: Vec<Node>,
    /// How many of `reached` have been expanded.
    expanded: usize,
    walked: usize,
}

impl Side {
    fn start(&mut self, node: Node) {
        self.reached.clear();
        self.reached.push(node);
        self.expanded = 0;
        self.walked = 0;
    }

    fn take(&mut self) -> Option<Node> {
        let node = self.reached.get(self.expanded).copied()?;
        self.expanded += 1;
        Some(node)
    }
}

impl Topology {
    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Adds a node without arcs; it comes last.
    pub fn push(&mut self) -> Node {
        self.order.push()
    }

    /// Keeps a number free for a node that comes later, with [`Topology::insert_before`].
    pub fn skip(&mut self) {
        self.order.skip();
    }

    /// Puts a node whose number was kept free directly before `anchor`.
    pub fn insert_before(&mut self, node: Node, anchor: Node) {
        self.order.insert_before(node, anchor);
    }

    /// Takes the node with the highest number away, which has no arcs, or gives up the number that was kept free.
    pub fn pop(&mut self) {
        self.order.pop();
    }

    /// Places `node`, which must have no arcs that this breaks, directly before `anchor`.
    pub fn place_before(&mut self, node: Node, anchor: Node) {
        self.order.move_before(&[node], anchor);
    }

    /// Whether `one` comes before `other` in the order.
    #[must_use]
    pub fn precedes(&self, one: Node, other: Node) -> bool {
        self.order.label(one) < self.order.label(other)
    }

    /// Takes a complete topological order, as [`super::sort`] gives it.
    pub fn assign(&mut self, order: &[Node]) {
        self.order.assign(order);
    }

    /// Reorders so that `first` comes before `then`, which makes the arc `first -> then` legal.
    ///
    /// # Errors
    /// The ring that the arc would close: node after node, each waiting for the next, from `then`
    /// through `first` back to `then`. Nothing is changed.
    pub fn require(&mut self, arcs: &impl Arcs, first: Node, then: Node) -> Result<(), Vec<Node>> {
        if first == then {
            return Err(vec![then, then]);
        }
        let (low, high) = (self.order.label(then), self.order.label(first));
        if high < low {
            return Ok(());
        }
        self.next_epoch();
        let (ahead, back) = (self.epoch * 2, self.epoch * 2 + 1);
        let Topology { order, forwards, backwards, .. } = self;
        forwards.start(then);
        backwards.start(first);
        order.place_mut(then).mark = ahead;
        order.place_mut(first).mark = back;
        let mut meeting = None;
        loop {
            if forwards.walked <= backwards.walked {
                let Some(node) = forwards.take() else {
                    sort_by_label(order, &mut forwards.reached);
                    order.move_behind(&forwards.reached, first);
                    return Ok(());
                };
                arcs.after(node, |next| {
                    forwards.walked += 1;
                    let place = order.place_mut(next);
                    if place.mark == back {
                        meeting.get_or_insert((node, next));
                    } else if place.mark != ahead && place.label < high {
                        (place.mark, place.from) = (ahead, node);
                        forwards.reached.push(next);
                    }
                });
                forwards.walked += 1;
            } else {
                let Some(node) = backwards.take() else {
                    sort_by_label(order, &mut backwards.reached);
                    order.move_before(&backwards.reached, then);
                    return Ok(());
                };
                arcs.before(node, |next| {
                    backwards.walked += 1;
                    let place = order.place_mut(next);
                    if place.mark == ahead {
                        meeting.get_or_insert((next, node));
                    } else if place.mark != back && place.label > low {
                        (place.mark, place.from) = (back, node);
                        backwards.reached.push(next);
                    }
                });
                backwards.walked += 1;
            }
            if let Some((near, far)) = meeting {
                return Err(ring(order, first, then, near, far));
            }
        }
    }

    fn next_epoch(&mut self) {
        self.epoch += 1;
        if self.epoch == u32::MAX / 2 {
            self.epoch = 1;
            self.order.clear_marks();
        }
    }
}

/// The ring through the arc `near -> far` where the two searches met.
fn ring(order: &mut Order, first: Node, then: Node, near: Node, far: Node) -> Vec<Node> {
    let mut path = vec![far];
    let mut node = far;
    while node != first {
        node = order.place_mut(node).from;
        path.push(node);
    }
    path.push(then);
    path.reverse();
    let mut node = near;
    path.push(node);
    while node != then {
        node = order.place_mut(node).from;
        path.push(node);
    }
    path
}

fn sort_by_label(order: &Order, nodes: &mut [Node]) {
    sort_in_place(&mut ByKey(nodes, |node: &Node| order.label(*node)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Lists {
        before: Vec<Vec<Node>>,
        after: Vec<Vec<Node>>,
    }

    impl Arcs for Lists {
        fn before(&self, node: Node, visit: impl FnMut(Node)) {
            self.before[node as usize].iter().copied().for_each(visit);
        }
        fn after(&self, node: Node, visit: impl FnMut(Node)) {
            self.after[node as usize].iter().copied().for_each(visit);
        }
    }

    fn reaches(lists: &Lists, from: Node, to: Node) -> bool {
        let mut seen = vec![false; lists.after.len()];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node as usize], true) {
                stack.extend(&lists.after[node as usize]);
            }
        }
        false
    }

    #[test]
    fn agrees_with_plain_reachability_and_keeps_the_order() {
        let mut random = 11u64;
        let mut draw = |below: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(random >> 33).unwrap() % below
        };
        for _ in 0..60 {
            let count = 40;
            let mut lists = Lists::default();
            let mut topology = Topology::default();
            for _ in 0..count {
                topology.push();
                lists.before.push(Vec::new());
                lists.after.push(Vec::new());
            }
            for _ in 0..400 {
                let (first, then) = (draw(count), draw(count));
                if lists.after[first as usize].contains(&then) {
                    lists.after[first as usize].retain(|node| *node != then);
                    lists.before[then as usize].retain(|node| *node != first);
                    continue;
                }
                let closes = reaches(&lists, then, first);
                match topology.require(&lists, first, then) {
                    Ok(()) => {
                        assert!(!closes);
                        lists.after[first as usize].push(then);
                        lists.before[then as usize].push(first);
                    }
                    Err(path) => {
                        assert!(closes);
                        assert_eq!((path[0], path[1], path[path.len() - 1]), (then, first, then));
                        for pair in path.windows(2).skip(1) {
                            assert!(lists.before[pair[0] as usize].contains(&pair[1]), "{path:?}");
                        }
                    }
                }
                for (node, after) in lists.after.iter().enumerate() {
                    for next in after {
                        assert!(topology.precedes(u32::try_from(node).unwrap(), *next));
                    }
                }
            }
        }
    }
}
