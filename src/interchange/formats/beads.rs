//! A beads ledger: one JSON record a line, edges of several kinds, tombstones, records doubled by merges.

use std::borrow::Cow;

use crate::interchange::lenient;
use crate::interchange::list::ListRow;
use crate::interchange::record::{OutputFile, Place, Record};
use crate::interchange::report::{ProblemKind, Report};
use crate::interchange::source::Source;
use crate::interchange::statuses::word_for;
use crate::json::{Kind, Reader, Stop, Writer};

use super::beside::{take_beside, write_beside};
use super::{Format, Reading, kept_times, set_status, write_rest, write_times};

const TIMES: [&str; 3] = ["created_at", "updated_at", "closed_at"];

/// What an edge's kind means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeKind {
    Blocks,
    Parent,
    /// Says something and holds nobody up.
    Informational,
}

fn edge_kind(word: &str) -> Option<EdgeKind> {
    let folded: String = word.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect();
    Some(match folded.as_str() {
        "" | "blocks" | "blockedby" | "dependson" | "waitsfor" => EdgeKind::Blocks,
        "parentchild" | "parent" | "childof" => EdgeKind::Parent,
        "related" | "relatesto" | "relatedto" | "discoveredfrom" | "duplicates" | "duplicateof" | "supersedes"
        | "repliesto" | "validates" | "causedby" | "tracks" => EdgeKind::Informational,
        _ => return None,
    })
}

/// Reads a ledger. A line that cannot be read is reported and passed over.
pub(super) fn read<'a>(number: usize, source: &'a Source<'_>, reading: &mut Reading<'a>, report: &mut Report) {
    let text: &'a str = &source.text;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let mut reader = lenient::reader(line);
        let place = Place { source: number, at: from };
        let mut record = Record { place, ..Record::default() };
        let read = read_record(&mut reader, &mut record, source, reading, report).and_then(|()| reader.end());
        match reader.outcome(read) {
            Ok(()) => reading.records.push(record),
            Err(fault) => {
                let number = source.line(from);
                let message = format!("{}: {} at byte {} of the line.", source.path, fault.problem, fault.at);
                report.push(ProblemKind::Unparseable, &[], Some(number), "passed over", message);
            }
        }
    }
}

fn read_record<'a>(
    reader: &mut Reader<'a>,
    record: &mut Record<'a>,
    source: &Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) -> Result<(), Stop> {
    let mut status = Cow::Borrowed("");
    let mut dependencies = None;
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        match &*key {
            "id" => record.id = lenient::id(reader)?.unwrap_or_default(),
            "title" => record.title = lenient::text(reader)?,
            "description" => record.description = lenient::text(reader)?,
            "status" => status = lenient::text(reader)?,
            "assignee" => record.owner = lenient::text(reader)?,
            "created_by" => record.created_by = lenient::text(reader)?,
            "dependencies" => dependencies = Some(reader.raw()?),
            _ => {
                let json = reader.raw()?;
                record.rest.push((key, Cow::Borrowed(json)));
            }
        }
    }
    set_status(record, &status, Format::Beads, source, report);
    take_beside(Format::Beads, record);
    kept_times(record, TIMES);
    if let Some(json) = dependencies {
        read_dependencies(json, record, source, reading, report)?;
    }
    Ok(())
}

/// One entry of `dependencies`.
#[derive(Default)]
struct Entry<'a> {
    target: Cow<'a, str>,
    kind: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Stop> {
        let mut entry = Entry::default();
        if reader.kind()? != Kind::Object {
            entry.target = lenient::id(reader)?.unwrap_or_default();
            return Ok(entry);
        }
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            match &*key {
                "depends_on_id" | "target" => entry.target = lenient::id(reader)?.unwrap_or_default(),
                "type" | "dep_type" | "kind" => entry.kind = lenient::text(reader)?,
                _ => {
                    reader.raw()?;
                }
            }
        }
        Ok(entry)
    }
}

fn read_dependencies<'a>(
    json: &'a str,
    record: &mut Record<'a>,
    source: &Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) -> Result<(), Stop> {
    let mut reader = Reader::new(json);
    if reader.kind()? != Kind::Array {
        record.rest.push(("dependencies".into(), json.into()));
        return Ok(());
    }
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        let entry = Entry::read(&mut reader)?;
        reading.edges += 1;
        let kind = edge_kind(&entry.kind);
        if kind.is_none() {
            let line = source.line(record.place.at);
            let message = format!(
                "Task `{}` names `{}` with the edge kind `{}`, which is not known.",
                record.id, entry.target, entry.kind
            );
            report.push(
                ProblemKind::UnknownKind,
                &[&record.id, &entry.target],
                Some(line),
                "kept, blocks nobody",
                message,
            );
        }
        match kind {
            Some(EdgeKind::Blocks) => record.blocked_by.push(entry.target),
            // A second parent has no home; it stays in the kept entries.
            Some(EdgeKind::Parent) if record.parent.is_none() => record.parent = Some(entry.target),
            _ => {}
        }
    }
    // The entries stay whole: who made them and when, and those that hold nobody up.
    record.rest.push(("dependencies".into(), json.into()));
    Ok(())
}

/// Writes a ledger, one record a line.
pub(super) fn write(rows: &[ListRow<'_>]) -> Vec<OutputFile> {
    let mut text = String::new();
    for row in rows {
        push_line(&record_json(row), &mut text);
        text.push('\n');
    }
    vec![OutputFile { path: "issues.jsonl".to_owned(), text }]
}

/// Appends JSON on one line: what was kept may have been written on several.
fn push_line(json: &str, text: &mut String) {
    let (mut quoted, mut escaped) = (false, false);
    for character in json.chars() {
        if quoted || !matches!(character, ' ' | '\n' | '\r' | '\t') {
            text.push(character);
        }
        quoted ^= character == '"' && !escaped;
        escaped = quoted && character == '\\' && !escaped;
    }
}

fn record_json(row: &ListRow<'_>) -> String {
    let rest = row.rest(Format::Beads);
    let kept = |name: &str| rest.iter().find(|(key, _)| key == name).map(|(_, json)| *json);
    let read_status = kept("status").and_then(|json| Reader::new(json).text().ok());
    let mut writer = Writer::new();
    writer.open();
    writer.field("id", &row.id);
    writer.field("title", &row.title);
    writer.optional("description", Some(&*row.description).filter(|text| !text.is_empty()));
    writer.field("status", word_for(Format::Beads, row.status, read_status.as_deref()));
    writer.optional("assignee", Some(&*row.owner).filter(|text| !text.is_empty()));
    writer.optional("created_by", Some(&*row.created_by).filter(|text| !text.is_empty()));
    write_times(row, &rest, TIMES, &mut writer);
    write_rest(&rest, &["status", "dependencies", "created_at", "updated_at", "closed_at"], &mut writer);
    write_beside(Format::Beads, row, &mut writer);
    write_dependencies(row, kept("dependencies"), &mut writer);
    writer.close();
    writer.finish()
}

/// Writes the kept entries that still hold, then the edges that have none.
fn write_dependencies(row: &ListRow<'_>, kept: Option<&str>, writer: &mut Writer) {
    let mut wanted: Vec<(&str, EdgeKind)> = row.every_blocker().map(|id| (&**id, EdgeKind::Blocks)).collect();
    wanted.extend(row.parent.as_deref().map(|id| (id, EdgeKind::Parent)));
    let entries = kept.map(list_items).unwrap_or_default();
    if entries.is_empty() && wanted.is_empty() {
        return;
    }
    writer.key("dependencies");
    writer.open_list();
    for json in entries {
        let Ok(entry) = Entry::read(&mut Reader::new(json)) else { continue };
        let kind = edge_kind(&entry.kind).unwrap_or(EdgeKind::Informational);
        let place = wanted.iter().position(|wanted| *wanted == (&*entry.target, kind));
        if let Some(place) = place {
            wanted.remove(place);
        } else if kind == EdgeKind::Blocks {
            continue;
        }
        writer.raw(json);
    }
    for (id, kind) in wanted {
        writer.open();
        writer.field("issue_id", &row.id);
        writer.field("depends_on_id", id);
        writer.field("type", if kind == EdgeKind::Parent { "parent-child" } else { "blocks" });
        writer.close();
    }
    writer.close_list();
}

/// The items of a JSON list, as JSON text.
fn list_items(json: &str) -> Vec<&str> {
    let mut reader = Reader::new(json);
    let mut items = Vec::new();
    let mut first = true;
    if reader.array().is_ok() {
        while matches!(reader.item(&mut first), Ok(true)) {
            let Ok(json) = reader.raw() else { break };
            items.push(json);
        }
    }
    items
}
