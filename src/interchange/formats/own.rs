//! Lists of ours, and bare `{"tasks":[…]}` files with the names of the dialect `tasks`.

use std::borrow::Cow;

use crate::engine::limits;
use crate::interchange::lenient;
use crate::interchange::record::{Place, Record};
use crate::interchange::report::{ProblemKind, Report};
use crate::interchange::source::Source;
use crate::json::{Fault, Kind, Reader, Stop};

use super::{Format, Reading, set_status};

/// Reads a file. Our own journal and checksum are not looked at: what is imported is the rows.
pub(super) fn read<'a>(
    format: Format,
    number: usize,
    source: &'a Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) {
    let mut reader = lenient::reader(&source.text);
    let (from, edges) = (reading.records.len(), reading.edges);
    let mut version = None;
    let read =
        read_root(&mut reader, format, number, source, reading, report, &mut version).and_then(|()| reader.end());
    let outcome = reader.outcome(read).and_then(|()| match version {
        Some((at, version)) if version != "1" => {
            Err(Fault { at, problem: "a version of the format that is not known" })
        }
        _ => Ok(()),
    });
    if let Err(fault) = outcome {
        reading.records.truncate(from);
        reading.edges = edges;
        return source.refuse(&fault, report);
    }
    reading.is_list = true;
}

fn read_root<'a>(
    reader: &mut Reader<'a>,
    format: Format,
    number: usize,
    source: &Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
    version: &mut Option<(usize, &'a str)>,
) -> Result<(), Stop> {
    if reader.kind()? == Kind::Array {
        return read_rows(reader, format, number, source, reading, report);
    }
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        match &*key {
            "version" if format == Format::Snapshot => {
                reader.kind()?;
                *version = Some((reader.position(), reader.raw()?));
            }
            "tasks" => read_rows(reader, format, number, source, reading, report)?,
            _ => {
                reader.raw()?;
            }
        }
    }
    Ok(())
}

fn read_rows<'a>(
    reader: &mut Reader<'a>,
    format: Format,
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
            read_field(key, reader, &mut record, &mut status)?;
        }
        reading.edges += record.blocked_by.len();
        set_status(&mut record, &status, format, source, report);
        // The status of ours says all; only an unknown word is kept beside it.
        if record.own.iter().any(|(key, _)| key == "hold") {
            record.wait = None;
        }
        record.updated_at = record.updated_at.max(record.created_at);
        reading.records.push(record);
    }
    Ok(())
}

fn read_field<'a>(
    key: Cow<'a, str>,
    reader: &mut Reader<'a>,
    record: &mut Record<'a>,
    status: &mut Cow<'a, str>,
) -> Result<(), Stop> {
    if reader.null() {
        return Ok(());
    }
    let time = |reader: &mut Reader<'a>| -> Result<u64, Stop> {
        let text = lenient::text(reader)?;
        Ok(text.parse().ok().filter(|time| *time <= limits::LAST_TIME).unwrap_or(0))
    };
    match &*key {
        "id" => record.id = lenient::id(reader)?.unwrap_or_default(),
        "title" | "content" => record.title = lenient::text(reader)?,
        "description" => record.description = lenient::text(reader)?,
        "activeForm" | "active_form" => record.active_form = lenient::text(reader)?,
        "status" => *status = lenient::text(reader)?,
        "blockedBy" | "blocked_by" => record.blocked_by = lenient::own_ids(reader)?,
        "blocks" => record.blocks = Some(lenient::own_ids(reader)?),
        "asideBlockedBy" => record.aside = lenient::own_ids(reader)?,
        "parent" => record.parent = lenient::id(reader)?,
        "owner" if reader.kind()? == Kind::Text => record.owner = reader.text()?,
        "createdBy" if reader.kind()? == Kind::Text => record.created_by = reader.text()?,
        "createdAt" | "created_at" => record.created_at = time(reader)?,
        "updatedAt" | "updated_at" => record.updated_at = time(reader)?,
        "startedAt" => record.started_at = time(reader)?,
        "completedAt" | "completed_at" => record.completed_at = time(reader)?,
        // Numbers of another list; readiness follows from the rest.
        "seq" | "readiness" => {
            reader.raw()?;
        }
        _ => {
            let json = reader.raw_within(limits::METADATA_LEVELS)?;
            record.push_own(key, json.into());
        }
    }
    Ok(())
}
