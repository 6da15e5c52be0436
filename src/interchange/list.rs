//! A list of ours as text, read for writing it in another format.

use std::borrow::Cow;

use crate::json::{Fault, Kind, Reader, Stop};
use crate::task::{Millis, Status};

use super::formats::Format;
use super::lenient;

/// A row of a list, as its text says it.
#[derive(Debug, Default)]
pub struct ListRow<'a> {
    /// The id.
    pub id: Cow<'a, str>,
    /// The title.
    pub title: Cow<'a, str>,
    /// The description; empty when there is none.
    pub description: Cow<'a, str>,
    /// The title in the present participle; empty when there is none.
    pub active_form: Cow<'a, str>,
    /// The status.
    pub status: Status,
    /// The blockers, in the order given.
    pub blocked_by: Vec<Cow<'a, str>>,
    /// Edges that were set aside to break rings.
    pub aside: Vec<Cow<'a, str>>,
    /// The task that it is a step of.
    pub parent: Option<Cow<'a, str>>,
    /// Who works on it; empty when nobody does.
    pub owner: Cow<'a, str>,
    /// Who created it.
    pub created_by: Cow<'a, str>,
    /// Unix milliseconds; 0 when not known.
    pub created_at: Millis,
    /// Unix milliseconds; 0 when not known.
    pub updated_at: Millis,
    /// Unix milliseconds; 0 when it never started.
    pub started_at: Millis,
    /// Unix milliseconds; 0 when it is not completed.
    pub completed_at: Millis,
    /// `metadata`, field by field: names and JSON text.
    pub metadata: Vec<(Cow<'a, str>, &'a str)>,
    /// Facets that have no field here: names and JSON text.
    pub facets: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> ListRow<'a> {
    /// What an import from the format has kept for it: names and JSON text.
    pub(super) fn rest(&self, format: Format) -> Vec<(Cow<'a, str>, &'a str)> {
        let kept = self.metadata.iter().find(|(name, _)| name == format.key());
        kept.map_or_else(Vec::new, |(_, json)| fields(json))
    }

    /// Every edge that the row has, those set aside too: what a format without rings of its own takes back.
    pub(super) fn every_blocker(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        self.blocked_by.iter().chain(&self.aside)
    }
}

/// The fields of a JSON object: names and JSON text; nothing when it is none.
pub(super) fn fields(json: &str) -> Vec<(Cow<'_, str>, &str)> {
    let mut reader = Reader::new(json);
    let mut found = Vec::new();
    if reader.kind() == Ok(Kind::Object) {
        let _broken = raw_fields(&mut reader, &mut found);
    }
    found
}

fn raw_fields<'a>(reader: &mut Reader<'a>, found: &mut Vec<(Cow<'a, str>, &'a str)>) -> Result<(), Stop> {
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        found.push((key, reader.raw()?));
    }
    Ok(())
}

/// The rows of a list's text, in its order.
///
/// # Errors
/// Where the text is not a list's, and why.
pub fn read_list(text: &str) -> Result<Vec<ListRow<'_>>, Fault> {
    let mut reader = Reader::new(text);
    let mut rows = Vec::new();
    let read = read_rows(&mut reader, &mut rows);
    reader.outcome(read)?;
    Ok(rows)
}

fn read_rows<'a>(reader: &mut Reader<'a>, rows: &mut Vec<ListRow<'a>>) -> Result<(), Stop> {
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        if key != "tasks" {
            reader.raw()?;
            continue;
        }
        reader.array()?;
        let mut first = true;
        while reader.item(&mut first)? {
            rows.push(read_row(reader)?);
        }
    }
    reader.end()
}

fn read_row<'a>(reader: &mut Reader<'a>) -> Result<ListRow<'a>, Stop> {
    let mut row = ListRow::default();
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        if reader.null() {
            continue;
        }
        match &*key {
            "id" => row.id = reader.text()?,
            "title" => row.title = reader.text()?,
            "description" => row.description = reader.text()?,
            "activeForm" => row.active_form = reader.text()?,
            "status" => row.status = Status::from_word(&reader.text()?).unwrap_or_default(),
            "blockedBy" => row.blocked_by = lenient::list(reader)?,
            "asideBlockedBy" => row.aside = lenient::list(reader)?,
            "parent" => row.parent = Some(reader.text()?),
            "owner" => row.owner = reader.text()?,
            "createdBy" => row.created_by = reader.text()?,
            "createdAt" => row.created_at = reader.whole()?,
            "updatedAt" => row.updated_at = reader.whole()?,
            "startedAt" => row.started_at = reader.whole()?,
            "completedAt" => row.completed_at = reader.whole()?,
            "metadata" if reader.kind()? == Kind::Object => raw_fields(reader, &mut row.metadata)?,
            "seq" | "readiness" => {
                reader.raw()?;
            }
            _ => {
                let json = reader.raw()?;
                row.facets.push((key, json));
            }
        }
    }
    Ok(row)
}
