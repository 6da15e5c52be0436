//! Every limit of the engine, in one place. Passing one is a `limit` refusal that names it.

/// Longest id, in bytes of UTF-8.
pub const ID_BYTES: usize = 128;
/// Longest title, in characters.
pub const TITLE_CHARACTERS: usize = 10_000;
/// Longest description, in characters.
pub const DESCRIPTION_CHARACTERS: usize = 100_000;
/// Longest short text (active form, owner, note, local key), in characters.
pub const SHORT_TEXT_CHARACTERS: usize = 1_000;
/// Largest metadata, in bytes of JSON.
pub const METADATA_BYTES: usize = 100_000;
/// Most tasks in a list.
pub const TASKS: usize = 1_000_000;
/// Most blockers of one task.
pub const BLOCKERS: usize = 10_000;
/// Most commands in one batch.
pub const BATCH: usize = 100_000;
/// Longest JSON text of one call, in bytes.
pub const CALL_BYTES: usize = 64 << 20;
/// Most operations that the journal keeps.
pub const JOURNAL_OPERATIONS: usize = 100;
/// Most bytes of JSON that the journal takes in a snapshot.
pub const JOURNAL_BYTES: usize = 64 << 10;
/// Most levels of parents and children that a list may allow itself.
pub const DEPTH: u32 = 64;
