//! Every limit of the engine, in one place. Passing one is a `limit` refusal that names it, or
//! `invalid_value` for times.

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
/// Most levels of JSON in metadata and fields of others; a list's text and its journal put some around them.
pub const METADATA_LEVELS: usize = 56;
/// Most tasks in a list.
pub const TASKS: usize = 1_000_000;
/// Most blockers of one task.
pub const BLOCKERS: usize = 10_000;
/// Most commands in one batch.
pub const BATCH: usize = 100_000;
/// Longest JSON text of one call, in bytes.
pub const CALL_BYTES: usize = 64 << 20;
/// Most operations that the journal keeps, undo and redo not counted.
pub const JOURNAL_OPERATIONS: usize = 100;
/// Most operations that the journal keeps, undo and redo counted: each may be there done, undone and redone.
pub const JOURNAL_ENTRIES: usize = 3 * JOURNAL_OPERATIONS;
/// Most bytes of JSON that the journal takes in a snapshot.
pub const JOURNAL_BYTES: usize = 64 << 10;
/// Longest lease: ten years, in milliseconds.
pub const LEASE_MS: u64 = 3_650 * 24 * 60 * 60 * 1000;
/// Last time that a call may have, in Unix milliseconds: the last one that a `Date` of JavaScript can hold.
pub const LAST_TIME: u64 = 8_640_000_000_000_000;
/// Where a list's counters (revision, creation numbers, fences) end: far from it JSON's whole numbers end, 2^53.
pub const COUNTER_BITS: u32 = 52;
/// Most levels of parents and children that a list may allow itself.
pub const DEPTH: u32 = 64;
