//! A walk over the whole graph. Iterative, like every walk here.

use super::{Arcs, Node};

/// A topological order of the nodes of `0..count` that exist; the same graph always gives the same one
/// (Kahn, "Topological sorting of large networks", CACM 1962). O(nodes + arcs).
///
/// # Errors
/// One ring, each node waiting for the next, first and last the same.
pub fn sort(arcs: &impl Arcs, count: usize) -> Result<Vec<Node>, Vec<Node>> {
    let nodes = Node::try_from(count).unwrap_or(Node::MAX);
    let mut waiting = vec![0u32; count];
    let mut order = Vec::with_capacity(count);
    let mut existing = 0;
    for node in (0..nodes).filter(|node| arcs.exists(*node)) {
        existing += 1;
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
    if order.len() == existing {
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
