//! The graph to look at: Mermaid, Graphviz, and its edges as CSV. Written only.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::engine::hash::IdHasher;
use crate::interchange::list::ListRow;
use crate::interchange::record::OutputFile;
use crate::interchange::report::Report;
use crate::task::Status;

use super::checklist::flat;
use super::claude_code::note_deleted;

/// The longest title that a node shows, in characters.
const LONGEST: usize = 120;

/// What an edge says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeKind {
    BlockedBy,
    /// Set aside, because it closes a ring.
    Aside,
    Parent,
}

impl EdgeKind {
    fn word(self) -> &'static str {
        match self {
            EdgeKind::BlockedBy => "blockedBy",
            EdgeKind::Aside => "aside",
            EdgeKind::Parent => "parent",
        }
    }
}

/// Whatever a task waits for, or is a step of.
fn edges<'r>(row: &'r ListRow<'_>) -> impl Iterator<Item = (&'r str, EdgeKind)> {
    let blockers = row.blocked_by.iter().map(|id| (&**id, EdgeKind::BlockedBy));
    let aside = row.aside.iter().map(|id| (&**id, EdgeKind::Aside));
    blockers.chain(aside).chain(row.parent.as_deref().map(|id| (id, EdgeKind::Parent)))
}

/// Nodes and edges of a drawing.
struct Drawing<'r> {
    /// Id, label, and status; none for a task that is named and not there.
    nodes: Vec<(&'r str, String, Option<Status>)>,
    /// From, to and kind: from what comes first to what waits for it.
    edges: Vec<(usize, usize, EdgeKind)>,
}

/// Deleted tasks are left out, and edges to them; ids that nobody has are drawn, because they block.
fn drawing<'r>(rows: &'r [ListRow<'_>], report: &mut Report) -> Drawing<'r> {
    note_deleted(rows, report);
    let mut drawing = Drawing { nodes: Vec::new(), edges: Vec::new() };
    let mut places: HashMap<&str, Option<usize>, IdHasher> = HashMap::default();
    for row in rows {
        let place = (row.status != Status::Deleted).then_some(drawing.nodes.len());
        places.insert(&row.id, place);
        if place.is_some() {
            drawing.nodes.push((&row.id, label(row), Some(row.status)));
        }
    }
    for row in rows {
        let Some(Some(at)) = places.get(&*row.id).copied() else { continue };
        for (id, kind) in edges(row) {
            let other = *places.entry(id).or_insert_with(|| {
                drawing.nodes.push((id, format!("{} · missing", flat(id)), None));
                Some(drawing.nodes.len() - 1)
            });
            if let Some(other) = other {
                drawing.edges.push((other, at, kind));
            }
        }
    }
    drawing
}

/// What a node says. Its status is there in words, because colours alone tell it to some readers only.
fn label(row: &ListRow<'_>) -> String {
    let title = flat(&row.title);
    let mut label: String = title.chars().take(LONGEST).collect();
    if label.len() < title.len() {
        label.push('…');
    }
    if !label.is_empty() {
        label.push(' ');
    }
    let status = match row.status {
        Status::Pending => "",
        Status::InProgress => " · in progress",
        status => &[" · ", status.word()].concat(),
    };
    label + "(" + &flat(&row.id) + ")" + status
}

/// What a status is called where a name must be one word, and how it is drawn.
fn class(status: Option<Status>) -> (&'static str, &'static str, &'static str) {
    match status {
        Some(Status::Pending) => ("pending", "#f4f4f5", "#52525b"),
        Some(Status::InProgress) => ("in_progress", "#dbeafe", "#1d4ed8"),
        Some(Status::Held) => ("held", "#fef3c7", "#b45309"),
        Some(Status::Completed) => ("completed", "#dcfce7", "#15803d"),
        Some(Status::Cancelled | Status::Deleted) => ("cancelled", "#e5e7eb", "#6b7280"),
        None => ("missing", "#fee2e2", "#b91c1c"),
    }
}

/// Every class that a drawing may use.
const CLASSES: [Option<Status>; 6] = [
    Some(Status::Pending),
    Some(Status::InProgress),
    Some(Status::Held),
    Some(Status::Completed),
    Some(Status::Cancelled),
    None,
];

/// Writes a Mermaid flowchart. Arrows go from a blocker to what waits for it.
pub(super) fn mermaid(rows: &[ListRow<'_>], report: &mut Report) -> Vec<OutputFile> {
    let drawing = drawing(rows, report);
    let mut text = "flowchart TD\n".to_owned();
    for (at, (_, label, status)) in drawing.nodes.iter().enumerate() {
        let _infallible = writeln!(text, "  n{at}[\"{}\"]:::{}", mermaid_text(label), class(*status).0);
    }
    for (from, to, kind) in &drawing.edges {
        let arrow = match kind {
            EdgeKind::BlockedBy => "-->",
            EdgeKind::Aside => "-. set aside .->",
            EdgeKind::Parent => "---o",
        };
        let _infallible = writeln!(text, "  n{from} {arrow} n{to}");
    }
    for status in CLASSES {
        let (name, fill, line) = class(status);
        let _infallible = writeln!(text, "  classDef {name} fill:{fill},stroke:{line},color:#18181b");
    }
    vec![OutputFile { path: "tasks.mmd".to_owned(), text }]
}

/// A text that a label shows as it is: whatever Mermaid, its Markdown or its HTML might give a meaning is an entity
/// code. That takes in `%`, since directives are looked for everywhere in the source.
fn mermaid_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, character) in text.char_indices() {
        match character {
            '"' => out.push_str("#quot;"),
            ' ' | ',' | '(' | ')' | '/' | '?' | '\'' => out.push(character),
            '.' if !(digits > 0 && at == digits) => out.push(character),
            '-' if at > 0 => out.push(character),
            _ if character.is_ascii_punctuation() => out.extend(["#", &u32::from(character).to_string(), ";"]),
            _ => out.push(character),
        }
    }
    out
}

/// Writes a Graphviz graph. Arrows go from a blocker to what waits for it.
pub(super) fn dot(rows: &[ListRow<'_>], report: &mut Report) -> Vec<OutputFile> {
    let drawing = drawing(rows, report);
    let mut text = "digraph tasks {\n  node [shape=box, style=\"rounded,filled\"];\n".to_owned();
    for (id, label, status) in &drawing.nodes {
        let (class, fill, line) = class(*status);
        let _infallible = writeln!(
            text,
            "  {} [label={}, class=\"{class}\", fillcolor=\"{fill}\", color=\"{line}\"];",
            dot_id(id),
            dot_label(label)
        );
    }
    for (from, to, kind) in &drawing.edges {
        let style = match kind {
            EdgeKind::BlockedBy => "",
            EdgeKind::Aside => " [style=dashed, constraint=false, label=\"set aside\"]",
            EdgeKind::Parent => " [style=dotted, arrowhead=odot]",
        };
        let _infallible =
            writeln!(text, "  {} -> {}{style};", dot_id(drawing.nodes[*from].0), dot_id(drawing.nodes[*to].0));
    }
    text.push_str("}\n");
    vec![OutputFile { path: "tasks.dot".to_owned(), text }]
}

/// An id in quotes. Graphviz has no escape but the one for quotes, so a backslash is doubled, lest it should hide the
/// closing quote, and control characters are `%` and two digits.
fn dot_id(id: &str) -> String {
    let mut out = "\"".to_owned();
    for character in id.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                let _infallible = write!(out, "%{:02X}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A label in quotes. Entities mean something in it, and so do backslashes.
fn dot_label(label: &str) -> String {
    ["\"", &label.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;"), "\""].concat()
}

/// Writes the edges as CSV (RFC 4180): `task,blocker,kind`. A task without edges is in no line.
///
/// A cell that a spreadsheet would take for a formula gets a `'` in front (the advice of OWASP on CSV injection). That
/// changes such an id, which no way back suffers from: CSV is written only.
pub(super) fn csv(rows: &[ListRow<'_>]) -> Vec<OutputFile> {
    let mut text = "task,blocker,kind\r\n".to_owned();
    for row in rows {
        for (id, kind) in edges(row) {
            text += &[&cell(&row.id), ",", &cell(id), ",", kind.word(), "\r\n"].concat();
        }
    }
    vec![OutputFile { path: "tasks.csv".to_owned(), text }]
}

fn cell(text: &str) -> String {
    let guard = if text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r', '\n']) {
        "'"
    } else {
        ""
    };
    if text.contains(['"', ',', '\r', '\n']) || text.trim() != text {
        ["\"", guard, &text.replace('"', "\"\""), "\""].concat()
    } else {
        [guard, text].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interchange::{Format, ProblemKind, export};

    const LIST: &str = r#"{"format":"blockedby","version":1,"tasks":[
        {"id":"a","title":"One","status":"completed","blockedBy":[]},
        {"id":"b \"x\"\\","title":"]; click n0 \"x\"\nend %%{init: {}}%% #quot; <b>`y`</b>","status":"in_progress","blockedBy":["a","gone"],"parent":"a"},
        {"id":"-c","title":"","status":"pending","blockedBy":["d"],"asideBlockedBy":["-c"]},
        {"id":"d","title":"x","status":"deleted","blockedBy":["a"]}]}"#;

    #[test]
    fn draws_mermaid() {
        let (files, report) = export(LIST, Format::Mermaid);
        assert_eq!(files[0].path, "tasks.mmd");
        let lines: Vec<&str> = files[0].text.lines().collect();
        assert_eq!(
            lines[..9],
            [
                "flowchart TD",
                "  n0[\"One (a) · completed\"]:::completed",
                "  n1[\"#93;#59; click n0 #quot;x#quot; end #37;#37;#123;init#58; #123;#125;#125;#37;#37; #35;quot#59; #60;b#62;#96;y#96;#60;/b#62; (b #quot;x#quot;#92;) · in progress\"]:::in_progress",
                "  n2[\"(-c)\"]:::pending",
                "  n3[\"gone · missing\"]:::missing",
                "  n0 --> n1",
                "  n3 --> n1",
                "  n0 ---o n1",
                "  n2 -. set aside .-> n2",
            ]
        );
        assert_eq!(lines.len(), 9 + CLASSES.len());
        assert_eq!(report.count(&[ProblemKind::NotKept]), 1);
    }

    #[test]
    fn draws_dot() {
        let (files, _) = export(LIST, Format::Dot);
        assert_eq!(files[0].path, "tasks.dot");
        let lines: Vec<&str> = files[0].text.lines().collect();
        assert!(lines[3].starts_with(
            r#"  "b \"x\"\\" [label="]; click n0 \"x\" end %%{init: {}}%% #quot; <b>`y`</b> (b \"x\"\\) · in progress", class="in_progress""#
        ), "{}", lines[3]);
        assert!(lines.contains(&r#"  "a" -> "b \"x\"\\";"#));
        assert!(lines.contains(&r#"  "gone" -> "b \"x\"\\";"#));
        assert!(lines.contains(&r#"  "a" -> "b \"x\"\\" [style=dotted, arrowhead=odot];"#));
        assert_eq!(lines.last(), Some(&"}"));
        assert_eq!(dot_id("a\nb"), "\"a%0Ab\"");
        assert_eq!(dot_label("&lt;"), "\"&amp;lt;\"");
    }

    #[test]
    fn writes_edges_as_csv() {
        let (files, _) = export(LIST, Format::Csv);
        assert_eq!(files[0].path, "tasks.csv");
        assert_eq!(
            files[0].text,
            "task,blocker,kind\r\n\"b \"\"x\"\"\\\",a,blockedBy\r\n\"b \"\"x\"\"\\\",gone,blockedBy\r\n\"b \"\"x\"\"\\\",a,parent\r\n'-c,d,blockedBy\r\n'-c,'-c,aside\r\nd,a,blockedBy\r\n"
        );
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("@a", "'@a"),
            ("+a,b", "\"'+a,b\""),
            (" =a", "\"' =a\""),
            ("a\r\nb", "\"a\r\nb\""),
            ("a-b", "a-b"),
        ] {
            assert_eq!(cell(text), written);
        }
    }

    #[test]
    fn labels_show_what_they_are_given() {
        assert_eq!(mermaid_text("1. a"), "1#46; a");
        assert_eq!(mermaid_text("- a-b v1.2"), "#45; a-b v1.2");
        assert_eq!(mermaid_text("$x$ a_b *c* {d} e;f\\n"), "#36;x#36; a#95;b #42;c#42; #123;d#125; e#59;f#92;n");
        assert_eq!(mermaid_text("日本 · 😀"), "日本 · 😀");
    }
}
