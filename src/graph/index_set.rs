//! A set of small numbers that is iterated in ascending order without a scan.

/// An ordered set of `u32` with a summary level: membership, insertion and removal in O(1),
/// iteration in O(answer), the first element in O(n / 4096).
#[derive(Debug, Default, Clone)]
pub struct IndexSet {
    words: Vec<u64>,
    summary: Vec<u64>,
    length: usize,
}

impl IndexSet {
    /// How many elements it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether it holds `value`.
    #[must_use]
    pub fn contains(&self, value: u32) -> bool {
        let word = value as usize >> 6;
        self.words.get(word).is_some_and(|bits| bits >> (value & 63) & 1 == 1)
    }

    /// Puts `value` in, or takes it out.
    pub fn set(&mut self, value: u32, present: bool) {
        let word = value as usize >> 6;
        let bit = 1u64 << (value & 63);
        if present {
            if word >= self.words.len() {
                self.words.resize(word + 1, 0);
                self.summary.resize((word >> 6) + 1, 0);
            }
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.summary[word >> 6] |= 1 << (word & 63);
                self.length += 1;
            }
        } else if word < self.words.len() && self.words[word] & bit != 0 {
            self.words[word] &= !bit;
            if self.words[word] == 0 {
                self.summary[word >> 6] &= !(1 << (word & 63));
            }
            self.length -= 1;
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.summary.clear();
        self.length = 0;
    }

    /// The elements in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.summary.iter().enumerate().flat_map(move |(high, summary)| {
            bits(*summary).flat_map(move |middle| {
                let word = (high << 6) + middle as usize;
                let base = u32::try_from(word << 6).unwrap_or(u32::MAX);
                bits(self.words[word]).map(move |low| base + low)
            })
        })
    }
}

/// The positions of the bits set in `word`, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let position = word.trailing_zeros();
        word &= word - 1;
        Some(position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_a_sorted_set() {
        let mut set = IndexSet::default();
        let mut oracle = BTreeSet::new();
        let mut random = 7u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let value = u32::try_from(random >> 33).unwrap() % 9000;
            let present = random >> 20 & 1 == 1;
            set.set(value, present);
            if present {
                oracle.insert(value);
            } else {
                oracle.remove(&value);
            }
            assert_eq!(set.contains(value), present);
        }
        assert_eq!(set.len(), oracle.len());
        assert!(set.iter().eq(oracle));
    }
}
