//! A list whose elements can be compared by position in O(1) and moved in small groups.
//!
//! Order maintenance by labels: Bender, Cole, Demaine, Farach-Colton, Zito, "Two simplified
//! algorithms for maintaining order in a list" (ESA 2002). Relabelling spreads the smallest enclosing
//! range of labels that is sparse enough; amortised O(log n) per insertion.

use super::Node;

const NONE: Node = Node::MAX;
const FIRST: u64 = 1 << 62;
const GAP: u64 = 1 << 32;

/// A total order over nodes `0..len`, held as a linked list with labels.
#[derive(Debug, Clone)]
pub struct Order {
    places: Vec<Place>,
    links: Vec<Link>,
    head: Node,
    tail: Node,
}

/// Where a node stands, and how the last search came to it: what a search reads lies together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) label: u64,
    /// The search that came to it, and from which end (see [`super::Topology`]).
    pub(super) mark: u32,
    /// The node from which that search came.
    pub(super) from: Node,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    next: Node,
    previous: Node,
}

impl Default for Order {
    fn default() -> Self {
        Order { places: Vec::new(), links: Vec::new(), head: NONE, tail: NONE }
    }
}

impl Order {
    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The label of a node: of two nodes, the one with the smaller label comes first.
    #[must_use]
    pub fn label(&self, node: Node) -> u64 {
        self.places[node as usize].label
    }

    /// Adds a node at the end and gives its number.
    ///
    /// # Panics
    /// When there are 2^32 - 1 nodes already, which the engine's limits rule out.
    pub fn push(&mut self) -> Node {
        let node = Node::try_from(self.places.len()).expect("fewer than 2^32 nodes");
        self.places.push(Place::default());
        self.links.push(Link { next: NONE, previous: NONE });
        self.place(&[node], self.tail);
        node
    }

    /// Keeps a number free for a node that comes later, with [`Order::insert_before`].
    pub fn skip(&mut self) {
        self.places.push(Place::default());
        self.links.push(Link { next: NONE, previous: NONE });
    }

    /// Puts a node whose number was kept free directly before `anchor`.
    pub fn insert_before(&mut self, node: Node, anchor: Node) {
        self.place(&[node], self.links[anchor as usize].previous);
    }

    /// Takes the node with the highest number away, or gives up the number that was kept free.
    pub fn pop(&mut self) {
        let Some(node) = self.len().checked_sub(1).and_then(|last| Node::try_from(last).ok()) else { return };
        let link = self.links[node as usize];
        if link.previous != NONE || link.next != NONE || self.head == node {
            self.unlink(node);
        }
        self.places.pop();
        self.links.pop();
    }

    pub(super) fn clear_marks(&mut self) {
        self.places.iter_mut().for_each(|place| place.mark = 0);
    }

    /// A node's place, to be marked by a search.
    pub(super) fn place_mut(&mut self, node: Node) -> &mut Place {
        &mut self.places[node as usize]
    }

    /// Moves `group` (in the order given) to directly behind `anchor`, which is not in it.
    pub fn move_behind(&mut self, group: &[Node], anchor: Node) {
        for node in group {
            self.unlink(*node);
        }
        self.place(group, anchor);
    }

    /// Moves `group` (in the order given) to directly before `anchor`, which is not in it.
    pub fn move_before(&mut self, group: &[Node], anchor: Node) {
        for node in group {
            self.unlink(*node);
        }
        let before = self.links[anchor as usize].previous;
        self.place(group, before);
    }

    /// Puts all nodes into the order given, with even gaps.
    pub fn assign(&mut self, order: &[Node]) {
        self.head = NONE;
        self.tail = NONE;
        let mut label = FIRST;
        for node in order {
            self.link(*node, self.tail);
            self.places[*node as usize].label = label;
            label += GAP;
        }
    }

    fn unlink(&mut self, node: Node) {
        let Link { previous: before, next: behind } = self.links[node as usize];
        if before == NONE {
            self.head = behind;
        } else {
            self.links[before as usize].next = behind;
        }
        if behind == NONE { self.tail = before } else { self.links[behind as usize].previous = before }
    }

    fn link(&mut self, node: Node, before: Node) {
        let behind = if before == NONE { self.head } else { self.links[before as usize].next };
        self.links[node as usize].previous = before;
        self.links[node as usize].next = behind;
        if before == NONE {
            self.head = node;
        } else {
            self.links[before as usize].next = node;
        }
        if behind == NONE { self.tail = node } else { self.links[behind as usize].previous = node }
    }

    /// Links unlinked nodes behind `before` (`NONE`: at the head) and labels them.
    fn place(&mut self, group: &[Node], before: Node) {
        let count = group.len() as u64;
        if self.head == NONE {
            self.assign(group);
            return;
        }
        let behind = if before == NONE { self.head } else { self.links[before as usize].next };
        let (mut low, mut high) = self.bounds(before, behind, count);
        if high - low <= count {
            let around = if before == NONE { behind } else { before };
            self.make_room(around, count);
            (low, high) = self.bounds(before, behind, count);
        }
        let step = (high - low) / (count + 1);
        let mut label = low;
        let mut last = before;
        for node in group {
            label += step;
            self.places[*node as usize].label = label;
            self.link(*node, last);
            last = *node;
        }
    }

    /// The labels between which a group may go.
    fn bounds(&self, before: Node, behind: Node, count: u64) -> (u64, u64) {
        let reach = GAP * (count + 1);
        match (before, behind) {
            (NONE, behind) => {
                let high = self.label(behind);
                (high.saturating_sub(reach), high)
            }
            (before, NONE) => {
                let low = self.label(before);
                (low, low.saturating_add(reach))
            }
            (before, behind) => (self.label(before), self.label(behind)),
        }
    }

    /// Spreads the labels around `node` so that `count` more fit next to it.
    fn make_room(&mut self, node: Node, count: u64) {
        let centre = self.label(node);
        let (mut first, mut last, mut members) = (node, node, 1u64);
        for exponent in 1..64u32 {
            let size = 1u64 << exponent;
            let base = centre & !(size - 1);
            let top = base + (size - 1);
            while self.links[first as usize].previous != NONE && self.label(self.links[first as usize].previous) >= base
            {
                first = self.links[first as usize].previous;
                members += 1;
            }
            while self.links[last as usize].next != NONE && self.label(self.links[last as usize].next) <= top {
                last = self.links[last as usize].next;
                members += 1;
            }
            // The density that a range of this size may have falls by 1.3 with each doubling.
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_possible_wrap,
                clippy::cast_sign_loss,
                reason = "an estimate"
            )]
            let allowed = (size as f64 / 1.3f64.powi(exponent as i32)) as u64;
            if members + 2 * count < allowed {
                let step = size / (members + 1);
                // A gap next to `node` must hold the group; ranges grow until it does.
                if step > count + 1 {
                    let (mut at, mut label) = (first, base);
                    for _ in 0..members {
                        label += step;
                        self.places[at as usize].label = label;
                        at = self.links[at as usize].next;
                    }
                    return;
                }
            }
        }
        let mut all = Vec::with_capacity(self.len());
        let mut at = self.head;
        while at != NONE {
            all.push(at);
            at = self.links[at as usize].next;
        }
        self.assign(&all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_of_a_plain_list_through_a_million_moves_to_one_place() {
        let mut order = Order::default();
        let mut oracle: Vec<Node> = Vec::new();
        for _ in 0..200 {
            oracle.push(order.push());
        }
        let mut random = 3u64;
        for round in 0..20_000u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Adversarial: nearly always directly behind the same node.
            let anchor = if round % 10 == 0 { u32::try_from(random >> 40).unwrap() % 200 } else { 7 };
            let node = (u32::try_from(random >> 33).unwrap()) % 200;
            if node == anchor {
                continue;
            }
            oracle.retain(|other| *other != node);
            let at = oracle.iter().position(|other| *other == anchor).unwrap();
            if random >> 21 & 1 == 1 {
                order.move_behind(&[node], anchor);
                oracle.insert(at + 1, node);
            } else {
                order.move_before(&[node], anchor);
                oracle.insert(at, node);
            }
            if round % 100 == 0 {
                assert!(oracle.windows(2).all(|pair| order.label(pair[0]) < order.label(pair[1])), "round {round}");
            }
        }
    }
}
