//! A Markdown checklist, children below their parents. Written only.

use std::collections::{HashMap, HashSet};

use crate::engine::hash::IdHasher;
use crate::interchange::list::{ListRow, fields};
use crate::interchange::record::OutputFile;
use crate::interchange::report::Report;
use crate::json::Reader;
use crate::task::Status;

use super::claude_code::note_deleted;

/// Deeper children are not indented further, so that a long chain of them does not become a triangle.
const MOST_LEVELS: usize = 32;

/// Writes the checklist. Deleted tasks are left out.
pub(super) fn write(rows: &[ListRow<'_>], report: &mut Report) -> Vec<OutputFile> {
    note_deleted(rows, report);
    let mut text = String::new();
    let statuses: HashMap<&str, Status, IdHasher> = rows.iter().map(|row| (&*row.id, row.status)).collect();
    for (at, level) in in_order(rows) {
        let row = &rows[at];
        if row.status == Status::Deleted {
            continue;
        }
        for _ in 0..level.min(MOST_LEVELS) {
            text.push_str("  ");
        }
        push_line(row, &statuses, &mut text);
    }
    vec![OutputFile { path: "tasks.md".to_owned(), text }]
}

/// Rows with their levels: each child behind its parent, whatever the order of the list. Children of what is not there
/// or is deleted stand at the top, and so does whatever only a ring of parents holds.
fn in_order(rows: &[ListRow<'_>]) -> Vec<(usize, usize)> {
    let places: HashMap<&str, usize, IdHasher> = rows.iter().enumerate().map(|(at, row)| (&*row.id, at)).collect();
    let parent = |row: &ListRow<'_>| {
        let found = row.parent.as_deref().and_then(|id| places.get(id).copied());
        found.filter(|at| rows[*at].status != Status::Deleted)
    };
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    let mut tops = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match parent(row) {
            Some(parent) => children[parent].push(at),
            None => tops.push(at),
        }
    }
    let mut order = Vec::with_capacity(rows.len());
    let mut seen = vec![false; rows.len()];
    for top in tops.into_iter().chain(0..rows.len()) {
        let mut open = vec![(top, 0)];
        while let Some((at, level)) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                order.push((at, level));
                open.extend(children[at].iter().rev().map(|child| (*child, level + 1)));
            }
        }
    }
    order
}

fn push_line(row: &ListRow<'_>, statuses: &HashMap<&str, Status, IdHasher>, text: &mut String) {
    text.push_str(if row.status == Status::Completed { "- [x] " } else { "- [ ] " });
    let title = escaped(&row.title);
    if title.is_empty() {
        text.push_str("(no title)");
    } else if row.status == Status::Cancelled {
        text.push_str(&["~~", &title, "~~"].concat());
    } else {
        text.push_str(&title);
    }
    text.push_str(&[" (", &escaped(&row.id), ")"].concat());
    let mut notes = Vec::new();
    match row.status {
        Status::InProgress => notes.push("in progress".to_owned()),
        Status::Held => notes.push(match hold_note(row) {
            Some(note) => format!("held: {}", escaped(&note)),
            None => "held".to_owned(),
        }),
        Status::Cancelled => notes.push("cancelled".to_owned()),
        _ => {}
    }
    if row.status.is_open() {
        // A blocker that is not there blocks, too.
        let waits = |id: &&str| statuses.get(id).is_none_or(|status| status.is_open());
        let mut said: HashSet<&str, IdHasher> = HashSet::default();
        let ids: Vec<String> =
            row.blocked_by.iter().map(|id| &**id).filter(waits).filter(|id| said.insert(id)).map(escaped).collect();
        if !ids.is_empty() {
            notes.push(format!("waits for {}", ids.join(", ")));
        }
    }
    if !notes.is_empty() {
        text.push_str(" — ");
        text.push_str(&notes.join("; "));
    }
    text.push('\n');
}

/// Why a task is held, in the words of whoever holds it, else of the rules.
fn hold_note(row: &ListRow<'_>) -> Option<String> {
    let (_, json) = row.facets.iter().find(|(key, _)| key == "hold")?;
    let said = fields(json);
    let text = |name: &str| {
        let (_, json) = said.iter().find(|(key, _)| key == name)?;
        Reader::new(json).text().ok().map(std::borrow::Cow::into_owned).filter(|text| !text.trim().is_empty())
    };
    text("note").or_else(|| text("reason"))
}

/// A text on one line: breaks and control characters are spaces, runs of spaces are one, and what turns the order of
/// letters around is left out, so that no text looks like another.
pub(super) fn flat(text: &str) -> String {
    let turns = |c: &char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let mut flat = String::with_capacity(text.len());
    for character in text.chars().filter(|c| !turns(c)) {
        let breaks =
            character.is_control() || character.is_whitespace() || matches!(character, '\u{2028}' | '\u{2029}');
        match breaks {
            true if flat.is_empty() || flat.ends_with(' ') => {}
            true => flat.push(' '),
            false => flat.push(character),
        }
    }
    flat.truncate(flat.trim_end().len());
    flat
}

/// A text that Markdown shows as it is: no emphasis, link, address, HTML, entity, nor a list that begins in it.
fn escaped(text: &str) -> String {
    let flat = flat(text);
    let mut out = String::with_capacity(flat.len() + 8);
    let digits = flat.len() - flat.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, character) in flat.char_indices() {
        let rest = &flat[at + character.len_utf8()..];
        let marks = match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '$' | '@' => true,
            '&' => rest.starts_with(|next: char| next == '#' || next.is_ascii_alphanumeric()),
            '!' => rest.starts_with('['),
            '-' | '+' | '=' => at == 0,
            '.' | ')' if digits > 0 && at == digits => true,
            // Addresses become links without any mark.
            ':' => rest.starts_with("//"),
            '.' => at >= 3 && flat.get(at - 3..at).is_some_and(|before| before.eq_ignore_ascii_case("www")),
            _ => false,
        };
        if marks {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interchange::{Format, ProblemKind, export};

    #[test]
    fn writes_a_tree() {
        let text = r#"{"format":"blockedby","version":1,"tasks":[
            {"id":"b","title":"Child","status":"in_progress","parent":"a","blockedBy":["z","gone","z","d"]},
            {"id":"a","title":"Parent","status":"pending","blockedBy":[]},
            {"id":"c","title":"Grandchild","status":"cancelled","parent":"b","blockedBy":["z"]},
            {"id":"d","title":"Done","status":"completed","blockedBy":["z"]},
            {"id":"z","title":"","status":"held","blockedBy":[],"hold":{"reason":"gate","note":"ask *her*"}},
            {"id":"y","title":"Held","status":"held","blockedBy":[]},
            {"id":"x","title":"Gone","status":"deleted","blockedBy":[]},
            {"id":"w","title":"Orphan","status":"pending","parent":"x","blockedBy":[]},
            {"id":"r1","title":"Ring","status":"pending","parent":"r2","blockedBy":[]},
            {"id":"r2","title":"Ring","status":"pending","parent":"r1","blockedBy":[]}]}"#;
        let (files, report) = export(text, Format::Checklist);
        assert_eq!(files[0].path, "tasks.md");
        assert_eq!(
            files[0].text,
            "- [ ] Parent (a)\n  - [ ] Child (b) — in progress; waits for z, gone\n    - [ ] ~~Grandchild~~ (c) — cancelled\n- [x] Done (d)\n- [ ] (no title) (z) — held: ask \\*her\\*\n- [ ] Held (y) — held\n- [ ] Orphan (w)\n- [ ] Ring (r1)\n  - [ ] Ring (r2)\n"
        );
        assert_eq!(report.count(&[ProblemKind::NotKept]), 1);
    }

    #[test]
    fn titles_forge_nothing() {
        for (title, shown) in [
            ("a\n- [x] b\r\n\u{2028}c", "a - \\[x\\] b c"),
            ("- a", "\\- a"),
            ("+ a", "\\+ a"),
            ("1. a", "1\\. a"),
            ("12) a 3.4", "12\\) a 3.4"),
            ("* _x_ `y` ~~z~~", "\\* \\_x\\_ \\`y\\` \\~\\~z\\~\\~"),
            ("[a](http://b.c) ![d](e)", "\\[a\\](http\\://b.c) \\!\\[d\\](e)"),
            ("<b onclick=x>&amp;</b>", "\\<b onclick=x\\>\\&amp;\\</b\\>"),
            ("# a | b \\", "\\# a \\| b \\\\"),
            ("www.a.b WwW.c a@b.c", "www\\.a.b WwW\\.c a\\@b.c"),
            ("a & b &amp; &#38;", "a & b \\&amp; \\&\\#38;"),
            ("\u{202e}abc\u{0}d", "abc d"),
            ("日本 😀", "日本 😀"),
        ] {
            assert_eq!(escaped(title), shown, "{title:?}");
        }
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let tasks: Vec<String> = (0..20_000)
            .map(|at: usize| {
                let parent = at.checked_sub(1).map_or(String::new(), |parent| format!(r#","parent":"{parent}""#));
                format!(r#"{{"id":"{at}","title":"x","status":"pending","blockedBy":[]{parent}}}"#)
            })
            .collect();
        let text = format!(r#"{{"format":"blockedby","version":1,"tasks":[{}]}}"#, tasks.join(","));
        let (files, _) = export(&text, Format::Checklist);
        assert_eq!(files[0].text.lines().count(), 20_000);
        assert!(files[0].text.len() < 3 << 20);
    }
}
