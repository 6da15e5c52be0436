//! The nearest known name for a misspelt one.

/// Longest word that is compared.
const LONGEST: usize = 64;

/// The candidate that differs least from `word` (Levenshtein distance, case of ASCII letters ignored), when it differs
/// by at most two letters or a third of its length; one letter in a word of three, none in a shorter one. The
/// first wins ties.
pub(crate) fn nearest<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST).map(|letter| letter.to_ascii_lowercase()).collect();
    let allowed = match word.len() {
        0..=2 => 0,
        3 => 1,
        length => (length / 3).max(2),
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > 4 * LONGEST {
            continue;
        }
        let letters: Vec<char> = candidate.chars().map(|letter| letter.to_ascii_lowercase()).collect();
        if letters.len().abs_diff(word.len()) > allowed {
            continue;
        }
        let distance = distance(&word, &letters);
        if distance <= allowed && best.is_none_or(|best| distance < best.0) {
            best = Some((distance, candidate));
        }
    }
    best.map(|best| best.1)
}

fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (column, against) in other.iter().enumerate() {
            let change = corner + usize::from(letter != against);
            corner = row[column + 1];
            row[column + 1] = change.min(corner + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_a_slip_and_leaves_strangers_alone() {
        let known = ["title", "description", "blockedBy"];
        assert_eq!(nearest("titel", &mut known.into_iter()), Some("title"));
        assert_eq!(nearest("blocked_by", &mut known.into_iter()), Some("blockedBy"));
        assert_eq!(nearest("owner", &mut known.into_iter()), None);
        assert_eq!(nearest("", &mut known.into_iter()), None);
    }
}
