//! A growing list of distinct words with their numbers.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::hash::{IdHasher, insert};

/// Distinct words, numbered in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Names {
    words: Vec<String>,
    table: HashTable<u32>,
}

impl Names {
    /// Adds a word; `false` when it is known already.
    pub(super) fn add(&mut self, word: &str) -> bool {
        if self.find(word).is_some() {
            return false;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.push(word.to_owned());
        let words = &self.words;
        insert(&mut self.table, IdHasher.hash_one(word), number, &|other| IdHasher.hash_one(&*words[*other as usize]));
        true
    }

    /// The number of a word.
    pub(super) fn find(&self, word: &str) -> Option<usize> {
        let found = self.table.find(IdHasher.hash_one(word), |other| self.words[*other as usize] == word);
        found.map(|number| *number as usize)
    }

    /// The words in order.
    pub(super) fn into_words(self) -> Vec<String> {
        self.words
    }
}
