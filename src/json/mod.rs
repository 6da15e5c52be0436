//! A small JSON reader and writer.
//!
//! Why not `serde_json`: it doubles the WebAssembly file (measured: +15 KB brotli) and loads a list
//! half as fast, because a list needs three things that a tree of values does not give cheaply:
//! raw spans (unknown fields are kept as they were written), byte positions of faults, and strings
//! that borrow from the text. `serde_json` is the oracle in this module's tests.

mod reader;
mod serialize;
mod writer;

pub use reader::{Fault, Kind, Reader, Stop};
pub use serialize::to_json;
pub use writer::{Writer, push_string, push_whole};

/// Deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;
/// The problem of a text that is nested deeper.
pub const TOO_DEEP: &str = "nested too deeply";
/// The problem of a text that goes on behind its value.
pub const SOMETHING_FOLLOWS: &str = "something follows the end of the value";
