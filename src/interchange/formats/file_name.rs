//! Names of files made from ids and titles, which may hold anything.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::engine::hash::IdHasher;

/// The longest part of a name that is made from an id, in bytes.
const LONGEST: usize = 100;

/// Names that are in use, letter case ignored, as some file systems do.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String, IdHasher>);

impl Names {
    /// The name, with a number behind its stem where another file has it already.
    pub(super) fn unique(&mut self, stem: &str, ending: &str) -> String {
        let mut name = [stem, ending].concat();
        let mut number = 2;
        while !self.0.insert(name.to_lowercase()) {
            name = format!("{stem}~{number}{ending}");
            number += 1;
        }
        name
    }
}

/// An id as a part of a file's name: what a file system might not take is written as `%` and two digits, a long one
/// is cut and ends in a digest of the whole.
pub(super) fn safe(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for (at, character) in id.char_indices() {
        // A dot at the beginning hides a file, one at the end is lost on Windows, as a space is.
        let edge = at == 0 || at + character.len_utf8() == id.len();
        let plain =
            character.is_alphanumeric() || matches!(character, '-' | '_') || (matches!(character, '.' | ' ') && !edge);
        if plain && !(at == 0 && is_device(id)) {
            name.push(character);
        } else {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                let _infallible = write!(name, "%{byte:02X}");
            }
        }
    }
    if name.is_empty() {
        name.push('%');
    }
    if name.len() > LONGEST {
        let digest = id
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let end = (0..=LONGEST - 20).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
        name.truncate(end);
        let _infallible = write!(name, "~{digest:016x}");
    }
    name
}

/// The names that Windows keeps for devices, whatever their ending.
fn is_device(id: &str) -> bool {
    let stem = id.split('.').next().unwrap_or(id).trim_end().to_ascii_lowercase();
    matches!(&*stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()))
}

/// A title as a part of a file's name: words joined by hyphens.
pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        let character = if character.is_alphanumeric() || matches!(character, '.' | '_') { character } else { '-' };
        if slug.len() + character.len_utf8() > 80 {
            break;
        }
        if !(character == '-' && (slug.is_empty() || slug.ends_with('-'))) {
            slug.push(character);
        }
    }
    slug.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_ids_safe() {
        for (id, name) in [
            ("1", "1"),
            ("bd-5a90.1", "bd-5a90.1"),
            ("a/b\\c", "a%2Fb%5Cc"),
            ("..", "%2E%2E"),
            (".x.", "%2Ex%2E"),
            ("a b ", "a b%20"),
            ("a\n\0", "a%0A%00"),
            ("50%", "50%25"),
            ("日本", "日本"),
            ("con", "%63on"),
            ("COM1.x", "%43OM1.x"),
            ("", "%"),
        ] {
            assert_eq!(safe(id), name, "{id:?}");
        }
        let (one, other) = (safe(&"/".repeat(128)), safe(&["/".repeat(127), "x".into()].concat()));
        assert!(one.len() <= LONGEST && one != other, "{one} {other}");
        assert!(safe(&"日".repeat(42)).len() <= LONGEST);
    }

    #[test]
    fn gives_each_file_a_name() {
        let mut names = Names::default();
        assert_eq!(names.unique("a", ".json"), "a.json");
        assert_eq!(names.unique("A", ".json"), "A~2.json");
        assert_eq!(names.unique("a", ".json"), "a~3.json");
    }

    #[test]
    fn makes_titles_slugs() {
        assert_eq!(slug("Fix: the \"API\" / v2.1!"), "Fix-the-API-v2.1");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("///"), "");
        assert!(slug(&"日".repeat(100)).len() <= 80);
    }
}
