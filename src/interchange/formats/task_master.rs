//! claude-task-master's `tasks.json`: one list of tasks, or one per tag; subtasks inside their tasks; ids as numbers
//! or texts; dependencies that name a sibling by its bare number.
//!
//! Canonical ids: `5` for a task, `5.2` for its subtask, `tag/5` outside the tag `master`.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::engine::hash::IdHasher;
use crate::interchange::list::ListRow;
use crate::interchange::record::{OutputFile, Place, Record};
use crate::interchange::report::{ProblemKind, Report};
use crate::interchange::source::Source;
use crate::interchange::statuses::word_for;
use crate::interchange::{lenient, whole_number};
use crate::json::{Kind, Reader, Stop, Writer, push_string};

use super::beside::{take_beside, write_beside};
use super::{Format, Reading, set_status};

/// The tag whose tasks need no prefix.
const MASTER: &str = "master";
/// What an import keeps for the writer, beside fields of the file's own.
const TAG: &str = "tag";
const TAG_FIELDS: &str = "tagFields";
const FILE_FIELDS: &str = "fileFields";

/// Reads a file.
pub(super) fn read<'a>(number: usize, source: &'a Source<'_>, reading: &mut Reading<'a>, report: &mut Report) {
    let mut reader = lenient::reader(&source.text);
    let mut file = File { number, source, report, reading, tags: Vec::new(), tag: Cow::Borrowed(MASTER), from: 0 };
    let (records, edges) = (file.reading.records.len(), file.reading.edges);
    let read = file.root(&mut reader).and_then(|()| reader.end());
    if let Err(fault) = reader.outcome(read) {
        file.reading.records.truncate(records);
        file.reading.edges = edges;
        source.refuse(&fault, report);
        return;
    }
    file.reading.is_list = true;
    file.resolve(records);
}

struct File<'f, 'a, 's> {
    number: usize,
    source: &'f Source<'s>,
    report: &'f mut Report,
    reading: &'f mut Reading<'a>,
    /// The tags read, for dependencies that name one.
    tags: Vec<Cow<'a, str>>,
    /// The tag that is being read.
    tag: Cow<'a, str>,
    /// Its first record.
    from: usize,
}

impl<'a> File<'_, 'a, '_> {
    fn root(&mut self, reader: &mut Reader<'a>) -> Result<(), Stop> {
        if reader.kind()? == Kind::Array {
            self.begin_tag(Cow::Borrowed(MASTER));
            return self.tasks(reader, None);
        }
        let mut others = String::new();
        reader.object()?;
        let mut first = true;
        let file_from = self.reading.records.len();
        while let Some(key) = reader.key(&mut first)? {
            match reader.kind()? {
                _ if key == "tasks" => {
                    self.begin_tag(Cow::Borrowed(MASTER));
                    self.tasks(reader, None)?;
                }
                Kind::Object if key != "metadata" || !self.tags.is_empty() => self.tag(&key, reader, &mut others)?,
                _ => push_field(&mut others, &key, reader.raw()?),
            }
        }
        self.keep(FILE_FIELDS, &others, file_from);
        Ok(())
    }

    fn begin_tag(&mut self, tag: Cow<'a, str>) {
        self.from = self.reading.records.len();
        self.tags.push(tag.clone());
        self.tag = tag;
    }

    /// Reads a tag, or keeps an object that is none.
    fn tag(&mut self, name: &str, reader: &mut Reader<'a>, others: &mut String) -> Result<(), Stop> {
        reader.kind()?;
        let start = reader.position();
        let mut fields = String::new();
        let mut is_tag = false;
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key == "tasks" && reader.kind()? == Kind::Array {
                is_tag = true;
                self.begin_tag(Cow::Owned(name.to_owned()));
                self.tasks(reader, None)?;
            } else {
                push_field(&mut fields, &key, reader.raw()?);
            }
        }
        if !is_tag {
            push_field(others, name, reader.between(start));
        } else if self.reading.records.len() == self.from {
            let line = self.source.line(start);
            let message = format!("The tag `{name}` holds no tasks and is not kept.");
            self.report.push(ProblemKind::Skipped, &[], Some(line), "left out", message);
        } else {
            self.keep(TAG_FIELDS, &fields, self.from);
        }
        Ok(())
    }

    /// Keeps fields of the file or of a tag with its first task.
    fn keep(&mut self, name: &'static str, fields: &str, from: usize) {
        if let Some(record) = self.reading.records.get_mut(from).filter(|_| !fields.is_empty()) {
            record.rest.push((name.into(), Cow::Owned(["{", fields, "}"].concat())));
        }
    }

    fn tasks(&mut self, reader: &mut Reader<'a>, parent: Option<&str>) -> Result<(), Stop> {
        reader.array()?;
        let mut first = true;
        while reader.item(&mut first)? {
            if reader.kind()? == Kind::Object {
                self.task(reader, parent)?;
                continue;
            }
            let line = self.source.line(reader.position());
            let json = reader.raw()?;
            let message = format!("A task is no object but {}.", crate::engine::error::shorten(json, 80));
            self.report.push(ProblemKind::Skipped, &[], Some(line), "left out", message);
        }
        Ok(())
    }

    fn task(&mut self, reader: &mut Reader<'a>, parent: Option<&str>) -> Result<(), Stop> {
        let place = Place { source: self.number, at: reader.position() };
        let at = self.reading.records.len();
        self.reading.records.push(Record { place, ..Record::default() });
        let mut record = Record { place, ..Record::default() };
        let mut status = Cow::Borrowed("");
        let (mut subtasks, mut odd) = (None, Vec::new());
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            match &*key {
                "id" => record.id = lenient::id(reader)?.unwrap_or_default(),
                "title" => record.title = lenient::text(reader)?,
                "description" => record.description = lenient::text(reader)?,
                "status" => status = lenient::text(reader)?,
                "dependencies" if reader.kind()? != Kind::Object => {
                    record.blocked_by = lenient::own_ids(reader)?;
                    self.reading.edges += record.blocked_by.len();
                }
                // Ours, for steps whose ids do not begin with their parent's.
                "parent" if parent.is_none() && reader.kind()? == Kind::Text => {
                    record.parent = Some(self.prefixed(&reader.text()?));
                }
                "subtasks" if reader.kind()? == Kind::Array => {
                    subtasks = Some(reader.clone());
                    reader.raw()?;
                }
                _ => {
                    let json = reader.raw()?;
                    if matches!(&*key, "dependencies" | "subtasks") && json != "null" {
                        odd.push(key.clone());
                    }
                    record.rest.push((key, Cow::Borrowed(json)));
                }
            }
        }
        for key in odd {
            let line = self.source.line(place.at);
            let message =
                format!("`{key}` of task `{}` is no list; it is kept, and nothing is read from it.", record.id);
            self.report.push(ProblemKind::InvalidValue, &[&record.id], Some(line), "kept as it is", message);
        }
        let local = match parent {
            Some(parent) if !record.id.is_empty() && !is_below(&record.id, parent) => {
                Cow::Owned([parent, ".", &record.id].concat())
            }
            _ => record.id.clone(),
        };
        if !local.is_empty() {
            record.id = self.prefixed(&local);
        }
        if let Some(parent) = parent {
            record.parent = Some(self.prefixed(parent));
        }
        set_status(&mut record, &status, Format::TaskMaster, self.source, self.report);
        take_beside(Format::TaskMaster, &mut record);
        if self.tag != MASTER {
            let mut json = String::new();
            push_string(&mut json, &self.tag);
            record.rest.push((TAG.into(), json.into()));
        }
        self.reading.records[at] = record;
        // Now that the id is known, wherever in the object it stood.
        match subtasks {
            Some(mut subtasks) => self.tasks(&mut subtasks, Some(&local)),
            None => Ok(()),
        }
    }

    fn prefixed(&self, local: &str) -> Cow<'a, str> {
        Cow::Owned(if self.tag == MASTER { local.to_owned() } else { [&*self.tag, "/", local].concat() })
    }

    /// Says what the dependencies mean, now that every id is known.
    fn resolve(&mut self, from: usize) {
        let records = &mut self.reading.records[from..];
        let known: HashSet<String, IdHasher> = records.iter().map(|record| record.id.clone().into_owned()).collect();
        for record in records {
            let tag = record.rest.iter().find(|(key, _)| key == TAG);
            let tag = tag.and_then(|(_, json)| Reader::new(json).text().ok().map(Cow::into_owned));
            let prefix = tag.map_or_else(String::new, |tag| tag + "/");
            let (id, parent) = (record.id.clone(), record.parent.clone());
            let resolve = |named: &str| {
                let named = named.strip_prefix('#').unwrap_or(named);
                let tagged = named.split_once('/').filter(|(tag, _)| self.tags.iter().any(|known| known == tag));
                if let Some((tag, local)) = tagged {
                    return if tag == MASTER { local.to_owned() } else { named.to_owned() };
                }
                let top = [&prefix, named].concat();
                // A bare number in a subtask names a sibling; where there is none, the task of that number.
                let bare = parent.as_deref().filter(|parent| !named.contains('.') && is_below(&id, parent));
                match bare.map(|parent| [parent, ".", named].concat()) {
                    Some(sibling) if known.contains(&sibling) || !known.contains(&top) => sibling,
                    _ => top,
                }
            };
            let mut blockers = Vec::with_capacity(record.blocked_by.len());
            for named in std::mem::take(&mut record.blocked_by) {
                let named = lenient::trimmed(named);
                let whole = resolve(&named);
                // Several ids may stand in one text, unless that is an id.
                if known.contains(&whole) {
                    blockers.push(Cow::Owned(whole));
                    continue;
                }
                let mut parts = Vec::new();
                lenient::push_parts(named, &mut parts);
                blockers.extend(parts.iter().map(|part| Cow::Owned(resolve(part))));
            }
            record.blocked_by = blockers;
        }
    }
}

fn is_below(id: &str, parent: &str) -> bool {
    id.strip_prefix(parent).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
}

fn push_field(fields: &mut String, key: &str, json: &str) {
    if !fields.is_empty() {
        fields.push(',');
    }
    push_string(fields, key);
    fields.push(':');
    fields.push_str(json);
}

/// Writes a file: tagged, as the tool writes it now.
pub(super) fn write(rows: &[ListRow<'_>]) -> Vec<OutputFile> {
    let mut tree = Tree { rows, nodes: Vec::with_capacity(rows.len()), children: vec![Vec::new(); rows.len()] };
    let places: std::collections::HashMap<&str, usize, IdHasher> =
        rows.iter().enumerate().map(|(at, row)| (&*row.id, at)).collect();
    let mut tags: Vec<String> = Vec::new();
    for row in rows {
        let tag = kept_text(row, TAG).filter(|tag| is_in(&row.id, tag)).unwrap_or_else(|| MASTER.to_owned());
        let tag = tags.iter().position(|known| *known == tag).unwrap_or_else(|| {
            tags.push(tag);
            tags.len() - 1
        });
        tree.nodes.push(Node { tag, parent: None });
    }
    if tags.is_empty() {
        tags.push(MASTER.to_owned());
    }
    for (at, row) in rows.iter().enumerate() {
        let parent = row.parent.as_deref().and_then(|parent| places.get(parent).copied());
        // A ring of parents cannot be nested; rows of one list hold none, another program's text may.
        let nested = parent
            .filter(|parent| is_below(&row.id, &rows[*parent].id) && tree.nodes[*parent].tag == tree.nodes[at].tag);
        if let Some(parent) = nested {
            tree.nodes[at].parent = Some(parent);
            tree.children[parent].push(at);
        }
    }
    let mut writer = Writer::new();
    writer.open();
    for (number, tag) in tags.iter().enumerate() {
        writer.key(tag);
        writer.open();
        writer.key("tasks");
        writer.open_list();
        let of_tag: Vec<usize> = (0..rows.len()).filter(|at| tree.nodes[*at].tag == number).collect();
        for at in &of_tag {
            if tree.nodes[*at].parent.is_none() {
                tree.write_task(*at, &tags, &places, &mut writer);
            }
        }
        writer.close_list();
        let first = of_tag.first().map(|at| rows[*at].rest(Format::TaskMaster)).unwrap_or_default();
        write_fields(&first, TAG_FIELDS, &mut writer);
        writer.close();
    }
    let first = rows.first().map(|row| row.rest(Format::TaskMaster)).unwrap_or_default();
    write_fields(&first, FILE_FIELDS, &mut writer);
    writer.close();
    vec![OutputFile { path: "tasks.json".to_owned(), text: writer.finish() }]
}

fn write_fields(rest: &[(Cow<'_, str>, &str)], name: &str, writer: &mut Writer) {
    let kept = rest.iter().find(|(key, _)| key == name);
    for (key, json) in kept.map(|(_, json)| crate::interchange::list::fields(json)).unwrap_or_default() {
        if key != "tasks" {
            writer.key(&key);
            writer.raw(json);
        }
    }
}

fn kept_text(row: &ListRow<'_>, name: &str) -> Option<String> {
    let rest = row.rest(Format::TaskMaster);
    let (_, json) = rest.iter().find(|(key, _)| key == name)?;
    Reader::new(json).text().ok().map(Cow::into_owned)
}

fn is_in(id: &str, tag: &str) -> bool {
    id.strip_prefix(tag).is_some_and(|rest| rest.starts_with('/'))
}

struct Node {
    tag: usize,
    /// The task inside which it is written.
    parent: Option<usize>,
}

struct Tree<'r, 't> {
    rows: &'r [ListRow<'t>],
    nodes: Vec<Node>,
    children: Vec<Vec<usize>>,
}

impl Tree<'_, '_> {
    /// The id inside its tag.
    fn local<'i>(&'i self, at: usize, tags: &[String]) -> &'i str {
        let id = &*self.rows[at].id;
        let tag = &tags[self.nodes[at].tag];
        if tag == MASTER { id } else { id.get(tag.len() + 1..).unwrap_or(id) }
    }

    /// Nesting is as deep as ids have dots, and a longer id than its parent's ends every path.
    fn write_task(
        &self,
        at: usize,
        tags: &[String],
        places: &std::collections::HashMap<&str, usize, IdHasher>,
        writer: &mut Writer,
    ) {
        let row = &self.rows[at];
        let rest = row.rest(Format::TaskMaster);
        let local = self.local(at, tags);
        let parent = self.nodes[at].parent;
        let short = parent.map_or(local, |parent| local.get(self.local(parent, tags).len() + 1..).unwrap_or(local));
        writer.open();
        writer.key("id");
        write_id(short, writer);
        writer.field("title", &row.title);
        writer.field("description", &row.description);
        let read = kept_text(row, "status");
        writer.field("status", word_for(Format::TaskMaster, row.status, read.as_deref()));
        if parent.is_none() {
            writer.optional(
                "parent",
                row.parent
                    .as_deref()
                    .map(|parent| places.get(parent).map_or(parent, |parent| self.local(*parent, tags))),
            );
        }
        writer.key("dependencies");
        writer.open_list();
        for blocker in row.every_blocker() {
            self.write_blocker(at, blocker, tags, places, writer);
        }
        writer.close_list();
        for (key, json) in &rest {
            if !matches!(&**key, "status" | TAG | TAG_FIELDS | FILE_FIELDS) {
                writer.key(key);
                writer.raw(json);
            }
        }
        write_beside(Format::TaskMaster, row, writer);
        if !self.children[at].is_empty() || parent.is_none() {
            writer.key("subtasks");
            writer.open_list();
            for child in &self.children[at] {
                self.write_task(*child, tags, places, writer);
            }
            writer.close_list();
        }
        writer.close();
    }

    /// Writes a blocker so that it reads back as the same: a sibling's bare number would be taken for one.
    fn write_blocker(
        &self,
        at: usize,
        blocker: &str,
        tags: &[String],
        places: &std::collections::HashMap<&str, usize, IdHasher>,
        writer: &mut Writer,
    ) {
        let Node { tag, parent } = &self.nodes[at];
        let Some(other) = places.get(blocker).copied() else {
            // A dangling id: in another tag it stands with its prefix.
            let prefix = [&tags[*tag], "/"].concat();
            let local = blocker.strip_prefix(&prefix).unwrap_or(blocker);
            // In a subtask a bare one would be taken for a sibling's.
            return if parent.is_some() && !local.contains('.') {
                writer.text(&[&prefix, local].concat());
            } else {
                write_id(local, writer);
            };
        };
        let local = self.local(other, tags);
        if self.nodes[other].tag != *tag {
            return writer.text(&[&tags[self.nodes[other].tag], "/", local].concat());
        }
        let mistaken = parent.is_some_and(|parent| {
            let sibling = [&*self.rows[parent].id, ".", local].concat();
            !local.contains('.') && places.contains_key(&*sibling)
        });
        if mistaken || local.contains('/') || local.starts_with('#') {
            writer.text(&[&tags[*tag], "/", local].concat());
        } else {
            write_id(local, writer);
        }
    }
}

/// Whole numbers as numbers, as the tool does; everything else as text.
fn write_id(id: &str, writer: &mut Writer) {
    if whole_number(id) { writer.raw(id) } else { writer.text(id) }
}
