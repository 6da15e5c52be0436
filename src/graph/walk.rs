//! Walks over the whole graph: sorting and longest paths. All iterative.

use super::{Arcs, Node};

/// A topological order of the nodes `0..count`; the same graph always gives the same one
/// (Kahn, "Topological sorting of large networks", CACM 1962). O(nodes + arcs).
///
/// # Errors
/// One ring, each node waiting for the next, first and last the same.
pub fn sort(arcs: &impl Arcs, count: usize) -> Result<Vec<Node>, Vec<Node>> {
    let nodes = Node::try_from(count).unwrap_or(Node::MAX);
    let mut waiting = vec![0u32; count];
    let mut order = Vec::with_capacity(count);
    for node in 0..nodes {
        arcs.before(node, |_| waiting[node as usize] += 1);
        if waiting[node as usize] == 0 {
            order.push(node);
        }
    }
    let mut at = 0;
    while at < order.len() {
        let node = order[at];
        at += 1;
        arcs.after(node, |next| {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                order.push(next);
            }
        });
    }
    if order.len() == count {
        return Ok(order);
    }
    // Each remaining node waits for another remaining one: walk until one repeats.
    let mut node = (0..nodes).find(|node| waiting[*node as usize] > 0).unwrap_or(0);
    let mut place = vec![usize::MAX; count];
    let mut path = Vec::new();
    while place[node as usize] == usize::MAX {
        place[node as usize] = path.len();
        path.push(node);
        let mut next = node;
        arcs.before(node, |before| {
            if waiting[before as usize] > 0 && next == node {
                next = before;
            }
        });
        node = next;
    }
    path.drain(..place[node as usize]);
    path.push(node);
    Err(path)
}

/// The heaviest path, first node first. A node weighs what `weight` says; one of weight 0 is passed through
/// and not named, one without weight ends every path. The smallest nodes win ties. `order` is a topological
/// order. O(nodes + arcs).
pub fn longest_path(arcs: &impl Arcs, order: &[Node], weight: impl Fn(Node) -> Option<u32>) -> Vec<Node> {
    let mut length = vec![0u32; order.len()];
    let mut via = vec![Node::MAX; order.len()];
    let mut last: Option<Node> = None;
    for node in order {
        let mut longest = 0;
        let mut previous = Node::MAX;
        arcs.before(*node, |before| {
            let candidate = length[before as usize];
            if candidate > longest || (candidate == longest && candidate > 0 && before < previous) {
                longest = candidate;
                previous = before;
            }
        });
        if let Some(weight) = weight(*node) {
            let total = longest + weight;
            length[*node as usize] = total;
            via[*node as usize] = previous;
            let best = last.map_or((0, Node::MAX), |last| (length[last as usize], last));
            if weight > 0 && (total > best.0 || (total == best.0 && *node < best.1)) {
                last = Some(*node);
            }
        }
    }
    let mut path = Vec::new();
    while let Some(node) = last {
        if weight(node).is_some_and(|weight| weight > 0) {
            path.push(node);
        }
        last = Some(via[node as usize]).filter(|node| *node != Node::MAX);
    }
    path.reverse();
    path
}
