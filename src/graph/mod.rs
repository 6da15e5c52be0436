//! A directed acyclic graph over dense node numbers. Knows nothing of tasks.
//!
//! The arcs themselves belong to the caller, who lends them as [`Arcs`]; this module keeps a
//! topological order of the nodes, extends it arc by arc, and refuses an arc that would close a ring.

pub mod index_set;
mod order;
mod search;
mod sorting;
mod walk;

pub use order::Order;
pub use search::Topology;
pub use sorting::{ByKey, Sortable, sort_in_place};
pub use walk::sort;

/// A node number.
pub type Node = u32;

/// The arcs of a graph, seen from a node. An arc `a -> b` says that `a` comes before `b`.
pub trait Arcs {
    /// Whether a node is in use; numbers may be kept free for later.
    fn exists(&self, _node: Node) -> bool {
        true
    }
    /// Calls `visit` with every node that must come before `node`.
    fn before(&self, node: Node, visit: impl FnMut(Node));
    /// Calls `visit` with every node that must come after `node`.
    fn after(&self, node: Node, visit: impl FnMut(Node));
}
