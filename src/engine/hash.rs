//! Hashes: of ids in the index, and of rows for the checksum.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

/// The index's hasher (the checksum's steps). Ids are short, the order of the table is never visible, and a list is
/// bounded, so a keyed hash would only cost start-up time.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdHasher;

impl BuildHasher for IdHasher {
    type Hasher = IdHash;
    fn build_hasher(&self) -> IdHash {
        IdHash(0xcbf2_9ce4_8422_2325)
    }
}

/// Adds a number to an index of them; `hash_of` says under what those that stand there already are found.
/// One function for every index: the growth of a table is much code.
pub(super) fn insert(index: &mut HashTable<u32>, hash: u64, number: u32, hash_of: &dyn Fn(&u32) -> u64) {
    index.insert_unique(hash, number, hash_of);
}

/// Makes room in an index for so many more numbers, by the same one function.
pub(super) fn reserve(index: &mut HashTable<u32>, more: usize, hash_of: &dyn Fn(&u32) -> u64) {
    index.reserve(more, hash_of);
}

/// A hash under way.
#[derive(Debug)]
pub struct IdHash(u64);

impl Hasher for IdHash {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = fold(self.0, bytes);
    }
    fn finish(&self) -> u64 {
        mix(self.0)
    }
}

/// Folds bytes into a sum, eight at a time.
fn fold(mut sum: u64, bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0u8; 8];
        word.copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
    }
    for byte in chunks.remainder() {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
    sum
}

/// Spreads every bit over the word (the finaliser of `SplitMix64`).
#[must_use]
pub fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A checksum of a text, eight bytes at a time. It guards against torn writes and edits by hand, not against forgery.
#[must_use]
pub fn checksum(text: &str) -> u64 {
    mix(fold(0x9e37_79b9_7f4a_7c15 ^ text.len() as u64, text.as_bytes()))
}

/// A deterministic stream of numbers from a seed that the host gave (`SplitMix64`: Steele, Lea, Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of one operation: the session's seed and the operation's number.
    #[must_use]
    pub fn of(seed: [u64; 2], operation: u64) -> Self {
        Random(mix(seed[0] ^ mix(seed[1].wrapping_add(operation))))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// `count` characters out of `a-z0-9`.
    pub fn word(&mut self, count: usize) -> String {
        const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        (0..count).map(|_| char::from(ALPHABET[(self.draw() % 36) as usize])).collect()
    }
}
