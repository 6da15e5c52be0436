//! The list as text, and back.
//!
//! ```json
//! {"format":"blockedby","version":1,"revision":7,"list":"l_…","checksum":"…","rules":{…},"counters":{…},"tasks":[…],"journal":[…]}
//! ```
//! The revision comes early so that a compare-and-swap reads a few bytes. Each row stands on a line of its
//! own, for people who keep the file under version control.

mod draft;
mod journal;
mod open;
mod row;
mod write;

pub(super) use draft::{Draft, some_extra};
pub(super) use journal::{add_names, read_operations};
pub use open::OpenOptions;
pub(super) use open::{aside_with, ids_in, read_drafts};
pub use row::extra_json;

/// The word that a text of this format begins with.
pub const FORMAT: &str = "blockedby";
/// The version of the format that this engine reads and writes.
pub const VERSION: u64 = 1;
