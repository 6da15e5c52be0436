//! mcp-shrimp-task-manager's `tasks.json`: one list; dependencies as objects that name an id, or a task's name.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::engine::hash::IdHasher;
use crate::interchange::lenient;
use crate::interchange::list::ListRow;
use crate::interchange::record::{OutputFile, Place, Record};
use crate::interchange::report::{ProblemKind, Report};
use crate::interchange::source::Source;
use crate::interchange::statuses::word_for;
use crate::json::{Kind, Reader, Stop, Writer};

use super::beside::{take_beside, write_beside};
use super::{Format, Reading, kept_times, set_status, write_rest, write_times};

const TIMES: [&str; 3] = ["createdAt", "updatedAt", "completedAt"];

/// Reads a file.
pub(super) fn read<'a>(number: usize, source: &'a Source<'_>, reading: &mut Reading<'a>, report: &mut Report) {
    let mut reader = lenient::reader(&source.text);
    let (from, edges) = (reading.records.len(), reading.edges);
    let read = read_root(&mut reader, number, source, reading, report).and_then(|()| reader.end());
    if let Err(fault) = reader.outcome(read) {
        reading.records.truncate(from);
        reading.edges = edges;
        return source.refuse(&fault, report);
    }
    reading.is_list = true;
    resolve_names(&mut reading.records[from..]);
}

fn read_root<'a>(
    reader: &mut Reader<'a>,
    number: usize,
    source: &Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) -> Result<(), Stop> {
    if reader.kind()? == Kind::Array {
        return read_tasks(reader, number, source, reading, report);
    }
    let from = reading.records.len();
    let mut others = Vec::new();
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        if key == "tasks" {
            read_tasks(reader, number, source, reading, report)?;
        } else {
            others.push((key, reader.raw()?));
        }
    }
    if let Some(record) = reading.records.get_mut(from).filter(|_| !others.is_empty()) {
        let mut writer = Writer::new();
        writer.open();
        for (key, json) in others {
            writer.key(&key);
            writer.raw(json);
        }
        writer.close();
        record.rest.push(("fileFields".into(), writer.finish().into()));
    }
    Ok(())
}

fn read_tasks<'a>(
    reader: &mut Reader<'a>,
    number: usize,
    source: &Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) -> Result<(), Stop> {
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        let kind = reader.kind()?;
        let place = Place { source: number, at: reader.position() };
        if kind != Kind::Object {
            reader.raw()?;
            let message = format!("A task is {} and no object.", kind.word());
            report.push(ProblemKind::Skipped, &[], Some(source.line(place.at)), "left out", message);
            continue;
        }
        let mut record = Record { place, ..Record::default() };
        let mut status = Cow::Borrowed("");
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            match &*key {
                "id" => record.id = lenient::id(reader)?.unwrap_or_default(),
                "name" => record.title = lenient::text(reader)?,
                "description" => record.description = lenient::text(reader)?,
                "status" => status = lenient::text(reader)?,
                "agent" => record.owner = lenient::text(reader)?,
                "dependencies" => read_dependencies(reader, &mut record, reading)?,
                _ => {
                    let json = reader.raw()?;
                    record.rest.push((key, json.into()));
                }
            }
        }
        set_status(&mut record, &status, Format::Shrimp, source, report);
        take_beside(Format::Shrimp, &mut record);
        kept_times(&mut record, TIMES);
        reading.records.push(record);
    }
    Ok(())
}

fn read_dependencies<'a>(
    reader: &mut Reader<'a>,
    record: &mut Record<'a>,
    reading: &mut Reading<'a>,
) -> Result<(), Stop> {
    if reader.kind()? != Kind::Array {
        record.blocked_by = lenient::ids(reader)?;
        reading.edges += record.blocked_by.len();
        return Ok(());
    }
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        reading.edges += 1;
        if reader.kind()? != Kind::Object {
            record.blocked_by.extend(lenient::id(reader)?);
            continue;
        }
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key == "taskId" {
                record.blocked_by.extend(lenient::id(reader)?);
            } else {
                reader.raw()?;
            }
        }
    }
    Ok(())
}

/// A dependency that is no id may be the name of exactly one task.
fn resolve_names(records: &mut [Record<'_>]) {
    let mut named: HashMap<String, Option<usize>, IdHasher> = HashMap::default();
    for (at, record) in records.iter().enumerate() {
        named.entry(record.title.clone().into_owned()).and_modify(|found| *found = None).or_insert(Some(at));
    }
    let ids: Vec<String> = records.iter().map(|record| record.id.clone().into_owned()).collect();
    let known: std::collections::HashSet<&str, IdHasher> = ids.iter().map(String::as_str).collect();
    for record in records {
        for blocker in &mut record.blocked_by {
            if known.contains(&**blocker) {
                continue;
            }
            if let Some(Some(at)) = named.get(&**blocker) {
                *blocker = Cow::Owned(ids[*at].clone());
            }
        }
    }
}

/// Writes a file.
pub(super) fn write(rows: &[ListRow<'_>]) -> Vec<OutputFile> {
    let mut writer = Writer::new();
    writer.open();
    writer.key("tasks");
    writer.open_list();
    for row in rows {
        let rest = row.rest(Format::Shrimp);
        let kept = |name: &str| rest.iter().find(|(key, _)| key == name).map(|(_, json)| *json);
        let read = kept("status").and_then(|json| Reader::new(json).text().ok());
        writer.open();
        writer.field("id", &row.id);
        writer.field("name", &row.title);
        writer.field("description", &row.description);
        writer.field("status", word_for(Format::Shrimp, row.status, read.as_deref()));
        writer.optional("agent", Some(&*row.owner).filter(|owner| !owner.is_empty()));
        writer.key("dependencies");
        writer.open_list();
        for blocker in row.every_blocker() {
            writer.open();
            writer.field("taskId", blocker);
            writer.close();
        }
        writer.close_list();
        write_times(row, &rest, TIMES, &mut writer);
        write_rest(&rest, &["status", "fileFields", "createdAt", "updatedAt", "completedAt"], &mut writer);
        write_beside(Format::Shrimp, row, &mut writer);
        writer.close();
    }
    writer.close_list();
    let first = rows.first().map(|row| row.rest(Format::Shrimp)).unwrap_or_default();
    let fields = first.iter().find(|(key, _)| key == "fileFields");
    for (key, json) in fields.map(|(_, json)| crate::interchange::list::fields(json)).unwrap_or_default() {
        if key != "tasks" {
            writer.key(&key);
            writer.raw(json);
        }
    }
    writer.close();
    vec![OutputFile { path: "tasks.json".to_owned(), text: writer.finish() }]
}
