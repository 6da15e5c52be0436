//! One small sort for everything that needs sorting: heapsort behind a trait object, so that the engine's
//! file holds it once. The standard library's sorts are faster on long lists and cost 14 KB of WebAssembly.

/// A list that can be sorted in place.
pub trait Sortable {
    /// How many elements there are.
    fn length(&self) -> usize;
    /// Whether element `one` belongs before element `other`.
    fn precedes(&self, one: usize, other: usize) -> bool;
    /// Exchanges two elements.
    fn swap(&mut self, one: usize, other: usize);
}

/// A list with the key that orders it.
#[derive(Debug)]
pub struct ByKey<'l, T, F>(pub &'l mut [T], pub F);

impl<T, K: Ord, F: Fn(&T) -> K> Sortable for ByKey<'_, T, F> {
    fn length(&self) -> usize {
        self.0.len()
    }
    fn precedes(&self, one: usize, other: usize) -> bool {
        (self.1)(&self.0[one]) < (self.1)(&self.0[other])
    }
    fn swap(&mut self, one: usize, other: usize) {
        self.0.swap(one, other);
    }
}

/// Sorts in place, not stably (Williams, "Algorithm 232: Heapsort", CACM 1964). O(n log n); O(n) when sorted already.
pub fn sort_in_place(list: &mut dyn Sortable) {
    let length = list.length();
    if (1..length).all(|at| !list.precedes(at, at - 1)) {
        return;
    }
    for root in (0..length / 2).rev() {
        sift(list, root, length);
    }
    for end in (1..length).rev() {
        list.swap(0, end);
        sift(list, 0, end);
    }
}

fn sift(list: &mut dyn Sortable, mut root: usize, end: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= end {
            return;
        }
        if child + 1 < end && list.precedes(child, child + 1) {
            child += 1;
        }
        if !list.precedes(root, child) {
            return;
        }
        list.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library() {
        let mut random = 5u64;
        for length in 0..60 {
            let mut list: Vec<u64> = (0..length)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    random >> 58
                })
                .collect();
            let mut oracle = list.clone();
            oracle.sort_unstable();
            sort_in_place(&mut ByKey(&mut list, |value: &u64| *value));
            assert_eq!(list, oracle);
        }
    }
}
