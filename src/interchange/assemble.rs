//! From the records of files to one sound list: what is doubled, dangling, contradictory or circular is repaired so
//! that nothing is lost, and reported.

use std::borrow::Cow;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, Hasher};

use crate::engine::hash::IdHasher;
use crate::json::{Writer, push_string};
use crate::task::Status;

use super::cycles::{Wait, WaitKind, cut};
use super::formats::{Format, Reading};
use super::record::{Place, Record};
use super::report::{ProblemKind, Report};
use super::source::Source;

/// Makes the list's text; nothing when there is no task, which is then a problem too.
pub(super) fn assemble(
    format: Format,
    reading: Reading<'_>,
    sources: &[&Source<'_>],
    report: &mut Report,
) -> Option<String> {
    let mut assembly = Assembly { sources, report, records: reading.records, aliases: HashMap::new() };
    assembly.report.edges = reading.edges;
    assembly.name_the_nameless();
    assembly.settle_duplicates(format);
    if assembly.records.is_empty() {
        assembly.note_emptiness(format, reading.is_list);
        return reading.is_list.then(|| write_list(format, &assembly.records, &HashMap::new(), &[]));
    }
    let places = assembly.places();
    assembly.mirror(&places);
    assembly.clean_edges(&places);
    assembly.set_rings_aside(&places);
    assembly.audit(&places);
    assembly.count();
    Some(write_list(format, &assembly.records, &assembly.aliases, sources))
}

struct Assembly<'s, 'a> {
    sources: &'s [&'s Source<'s>],
    report: &'s mut Report,
    records: Vec<Record<'a>>,
    /// Records that could not keep their id: the new id, and the one that the file says.
    aliases: HashMap<String, String>,
}

/// Where each id stands among the records.
type Places = HashMap<String, u32, IdHasher>;

impl<'a> Assembly<'_, 'a> {
    fn line(&self, place: Place) -> Option<usize> {
        self.sources.get(place.source).map(|source| source.line(place.at))
    }

    fn problem(&mut self, kind: ProblemKind, ids: &[&str], place: Place, action: &'static str, message: String) {
        let line = self.line(place);
        self.report.push(kind, ids, line, action, message);
    }

    fn note_emptiness(&mut self, format: Format, is_list: bool) {
        let unread = self.report.count(&[ProblemKind::Unparseable]) > 0;
        if !unread && !is_list {
            let message = format!("The file holds no task of the format {}.", format.word());
            self.report.push(ProblemKind::Unparseable, &[], None, "refused", message);
        }
    }

    fn name_the_nameless(&mut self) {
        for at in 0..self.records.len() {
            if self.records[at].id.is_empty() {
                let place = self.records[at].place;
                let line = self.line(place).unwrap_or(0);
                let id = format!("line-{line}-{at}");
                let message = format!("The record `{}` has no id; it is called `{id}`.", self.records[at].title);
                self.problem(ProblemKind::InvalidValue, &[&id], place, "named", message);
                self.records[at].id = Cow::Owned(id);
            }
        }
    }

    /// Of records with one id the same ones become one, and others get ids of their own (`x~2`). Where records say
    /// when they changed, the newest keeps the id; else the first.
    fn settle_duplicates(&mut self, format: Format) {
        let mut groups: HashMap<&str, Vec<usize>, IdHasher> =
            HashMap::with_capacity_and_hasher(self.records.len(), IdHasher);
        for (at, record) in self.records.iter().enumerate() {
            groups.entry(&record.id).or_default().push(at);
        }
        let mut doubled: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
        doubled.sort_unstable();
        let mut taken: Option<HashSet<String>> = None;
        let mut dropped = vec![false; self.records.len()];
        for mut group in doubled {
            if format == Format::Beads {
                // Stable, so that the first of equals keeps the id.
                group.sort_by_key(|at| std::cmp::Reverse(self.records[*at].updated_at));
            }
            // By content, so that many records of one id are not all compared with each other.
            let mut kept: HashMap<u64, Vec<usize>, IdHasher> = HashMap::default();
            kept.entry(content_hash(&self.records[group[0]])).or_default().push(group[0]);
            let mut number = 1;
            for at in group.into_iter().skip(1) {
                let like = kept.entry(content_hash(&self.records[at])).or_default();
                let id = self.records[at].id.clone().into_owned();
                let place = self.records[at].place;
                if like.iter().any(|other| same_content(&self.records[*other], &self.records[at])) {
                    dropped[at] = true;
                    let message = format!("The record `{id}` is there again with the same content.");
                    self.problem(ProblemKind::DuplicateSame, &[&id], place, "kept once", message);
                    continue;
                }
                let taken = taken
                    .get_or_insert_with(|| self.records.iter().map(|record| record.id.clone().into_owned()).collect());
                let derived = loop {
                    number += 1;
                    let derived = format!("{id}~{number}");
                    if taken.insert(derived.clone()) {
                        break derived;
                    }
                };
                let title = self.records[at].title.clone();
                let message =
                    format!("Another record has the id `{id}`; the one titled `{title}` is kept as `{derived}`.");
                self.problem(ProblemKind::DuplicateDifferent, &[&id, &derived], place, "renamed", message);
                self.aliases.insert(derived.clone(), id);
                self.records[at].id = Cow::Owned(derived);
                like.push(at);
            }
        }
        let mut at = 0;
        self.records.retain(|_| {
            at += 1;
            !dropped[at - 1]
        });
    }

    fn places(&self) -> Places {
        let place =
            |(at, record): (usize, &Record<'_>)| (record.id.clone().into_owned(), u32::try_from(at).unwrap_or(0));
        self.records.iter().enumerate().map(place).collect()
    }

    fn find(&self, places: &Places, id: &str) -> Option<usize> {
        places.get(id).map(|at| *at as usize).filter(|at| *at < self.records.len())
    }

    /// Where a format writes edges on both sides, either is believed, and a missing one reported.
    fn mirror(&mut self, places: &Places) {
        let sides: Vec<Option<Vec<Cow<'a, str>>>> =
            self.records.iter_mut().map(|record| record.blocks.take()).collect();
        for (at, side) in sides.iter().enumerate() {
            let id = self.records[at].id.clone();
            for blocked in side.iter().flatten() {
                let Some(other) = self.find(places, blocked) else {
                    let message = format!("`{id}` says that it blocks `{blocked}`, and there is no such task.");
                    self.problem(ProblemKind::Mirror, &[&id, blocked], self.records[at].place, "left out", message);
                    continue;
                };
                if self.records[other].blocked_by.contains(&id) {
                    continue;
                }
                self.report.edges += 1;
                let message =
                    format!("`{id}` says that it blocks `{blocked}`, and `{blocked}` does not say that it waits.");
                self.problem(ProblemKind::Mirror, &[&id, blocked], self.records[at].place, "edge added", message);
                self.records[other].blocked_by.push(id.clone());
            }
        }
        for at in 0..self.records.len() {
            for number in 0..self.records[at].blocked_by.len() {
                let blocker = self.records[at].blocked_by[number].clone();
                let Some(other) = self.find(places, &blocker) else { continue };
                let id = self.records[at].id.clone();
                // Added a moment ago from the other side, it is there.
                if sides[other].as_ref().is_some_and(|blocks| !blocks.contains(&id)) {
                    let message = format!(
                        "`{id}` says that it waits for `{blocker}`, and `{blocker}` does not say that it blocks."
                    );
                    self.problem(ProblemKind::Mirror, &[&blocker, &id], self.records[at].place, "edge kept", message);
                }
            }
        }
    }

    /// Sets edges to itself aside, keeps repeated ones once, and reports those to nobody.
    fn clean_edges(&mut self, places: &Places) {
        for at in 0..self.records.len() {
            let place = self.records[at].place;
            let id = self.records[at].id.clone();
            if let Some(parent) = self.records[at].parent.clone() {
                if parent == id {
                    let message = format!("`{id}` names itself as its parent.");
                    self.problem(ProblemKind::SelfEdge, &[&id], place, "set aside", message);
                    self.records[at].parent = None;
                    self.records[at].own.push(("asideParent".into(), json_text(&parent).into()));
                } else if self.find(places, &parent).is_none() {
                    let message = format!("The parent `{parent}` of `{id}` is not there.");
                    self.problem(ProblemKind::DanglingParent, &[&id, &parent], place, "kept as it is", message);
                }
            }
            if self.records[at].blocked_by.is_empty() {
                continue;
            }
            let named = std::mem::take(&mut self.records[at].blocked_by);
            let mut clean: Vec<Cow<'a, str>> = Vec::with_capacity(named.len());
            // A short list is searched as it is; a long one has a set beside it.
            let mut seen: HashSet<Cow<'a, str>> = HashSet::new();
            for blocker in named {
                if blocker == id {
                    let message = format!("`{id}` waits for itself.");
                    self.problem(ProblemKind::SelfEdge, &[&id], place, "set aside", message);
                    if !self.records[at].aside.contains(&blocker) {
                        self.records[at].aside.push(blocker);
                    }
                    continue;
                }
                let again = if clean.len() < 16 { clean.contains(&blocker) } else { !seen.insert(blocker.clone()) };
                if again {
                    let message = format!("`{id}` names the blocker `{blocker}` more than once.");
                    self.problem(ProblemKind::RepeatedEdge, &[&id, &blocker], place, "kept once", message);
                    continue;
                }
                if clean.len() == 15 {
                    seen.extend(clean.iter().cloned());
                    seen.insert(blocker.clone());
                }
                if self.find(places, &blocker).is_none() {
                    let message = format!("`{id}` waits for `{blocker}`, and there is no such task.");
                    self.problem(ProblemKind::DanglingEdge, &[&id, &blocker], place, "kept, blocks", message);
                }
                clean.push(blocker);
            }
            self.records[at].blocked_by = clean;
        }
    }

    fn set_rings_aside(&mut self, places: &Places) {
        let mut waits = Vec::new();
        for (at, record) in self.records.iter().enumerate() {
            let task = u32::try_from(at).unwrap_or(0);
            let place = |id: &str| places.get(id).copied();
            if let Some(other) = record.parent.as_deref().and_then(place) {
                waits.push(Wait { task, other, kind: WaitKind::Parent });
            }
            let edges = record.blocked_by.iter().filter_map(|id| place(id));
            waits.extend(edges.map(|other| Wait { task, other, kind: WaitKind::Edge }));
        }
        let cut = cut(self.records.len(), &waits);
        self.report.cycles = cut.components;
        for (number, ring) in cut.aside {
            let Wait { task, other, kind } = waits[number];
            let (task, other) = (task as usize, other as usize);
            let names: Vec<String> =
                ring.iter().map(|task| self.records[*task as usize].id.clone().into_owned()).collect();
            let ids: Vec<&str> = names.iter().map(String::as_str).collect();
            let (id, blocker) = (self.records[task].id.clone(), self.records[other].id.clone());
            let what = if kind == WaitKind::Edge { "waits for" } else { "is a step of" };
            let message = format!("That `{id}` {what} `{blocker}` closes the ring {}.", shown(&ids));
            self.problem(ProblemKind::Cycle, &ids, self.records[task].place, "edge set aside", message);
            let record = &mut self.records[task];
            if kind == WaitKind::Edge {
                record.blocked_by.retain(|other| *other != blocker);
                record.aside.push(blocker);
            } else {
                record.parent = None;
                record.own.push(("asideParent".into(), json_text(&blocker).into()));
            }
        }
    }

    /// Notes what is odd about statuses along edges.
    fn audit(&mut self, places: &Places) {
        for at in 0..self.records.len() {
            for number in 0..self.records[at].blocked_by.len() {
                let blocker = self.records[at].blocked_by[number].clone();
                let Some(other) = self.find(places, &blocker) else { continue };
                let (here, there) = (self.records[at].status, self.records[other].status);
                let id = self.records[at].id.clone();
                let place = self.records[at].place;
                if here == Status::Completed && there.is_open() {
                    let message = format!("`{id}` is completed, and its blocker `{blocker}` is {}.", there.word());
                    self.problem(ProblemKind::FinishedBeforeBlocker, &[&id, &blocker], place, "kept", message);
                } else if here.is_open() && matches!(there, Status::Cancelled | Status::Deleted) {
                    let message =
                        format!("`{id}` is open, and its blocker `{blocker}` is {}: it waits no more.", there.word());
                    self.problem(ProblemKind::WaitsForCancelled, &[&id, &blocker], place, "kept", message);
                }
            }
        }
    }

    fn count(&mut self) {
        self.report.tasks = self.records.len();
        for record in &self.records {
            self.report.statuses[record.status as usize] += 1;
        }
    }
}

/// A ring as text, its middle left out when it is long.
fn shown(ids: &[&str]) -> String {
    let quoted = |ids: &[&str]| ids.iter().map(|id| format!("`{id}`")).collect::<Vec<String>>().join(" → ");
    if ids.len() > 12 {
        format!("{} → … → {}", quoted(&ids[..6]), quoted(&ids[ids.len() - 3..]))
    } else {
        quoted(ids)
    }
}

/// A number that is the same for the same content.
fn content_hash(record: &Record<'_>) -> u64 {
    let mut hasher = IdHasher.build_hasher();
    let texts = [&record.title, &record.description, &record.active_form, &record.owner, &record.created_by];
    texts.hash(&mut hasher);
    (record.created_at, record.updated_at, &record.blocked_by, &record.rest).hash(&mut hasher);
    hasher.finish()
}

fn same_content(one: &Record<'_>, other: &Record<'_>) -> bool {
    let said = |record: &Record<'_>| {
        (record.status, record.wait, record.created_at, record.updated_at, record.started_at, record.completed_at)
    };
    said(one) == said(other)
        && one.title == other.title
        && one.description == other.description
        && one.active_form == other.active_form
        && one.blocked_by == other.blocked_by
        && one.blocks == other.blocks
        && one.aside == other.aside
        && one.parent == other.parent
        && one.owner == other.owner
        && one.created_by == other.created_by
        && one.rest == other.rest
        && one.own == other.own
}

fn json_text(text: &str) -> String {
    let mut json = String::new();
    push_string(&mut json, text);
    json
}

fn write_list(
    format: Format,
    records: &[Record<'_>],
    aliases: &HashMap<String, String>,
    sources: &[&Source<'_>],
) -> String {
    let room: usize = sources.iter().map(|source| source.text.len()).sum();
    let mut writer = Writer::after(String::with_capacity(room + room / 4 + 256));
    writer.open();
    writer.field("format", "blockedby");
    writer.number("version", 1);
    writer.number("revision", 0);
    writer.key("tasks");
    writer.open_list();
    for record in records {
        write_record(format, record, aliases.get(&*record.id), &mut writer);
    }
    writer.close_list();
    writer.close();
    writer.finish()
}

fn write_record(format: Format, record: &Record<'_>, alias: Option<&String>, writer: &mut Writer) {
    let given = |text: &'_ str| if text.is_empty() { None } else { Some(text.to_owned()) };
    writer.open();
    writer.field("id", &record.id);
    writer.field("title", &record.title);
    for (key, text) in [("description", &record.description), ("activeForm", &record.active_form)] {
        if !text.is_empty() {
            writer.field(key, text);
        }
    }
    writer.field("status", record.status.word());
    if let Some(wait) = record.wait {
        writer.key("hold");
        writer.open();
        writer.field("reason", wait.reason.word());
        writer.field("note", wait.note);
        writer.number("at", record.updated_at.max(record.created_at));
        writer.field("resume", Status::Pending.word());
        writer.close();
    }
    writer.list("blockedBy", record.blocked_by.iter().map(|id| &**id));
    if !record.aside.is_empty() {
        writer.list("asideBlockedBy", record.aside.iter().map(|id| &**id));
    }
    writer.optional("parent", record.parent.as_deref());
    for (key, text) in [("owner", &record.owner), ("createdBy", &record.created_by)] {
        writer.optional(key, given(text).as_deref());
    }
    for (key, time) in [
        ("createdAt", record.created_at),
        ("updatedAt", record.updated_at),
        ("startedAt", record.started_at),
        ("completedAt", record.completed_at),
    ] {
        if time > 0 {
            writer.number(key, time);
        }
    }
    write_metadata(format, record, alias, writer);
    for (key, json) in record.own.iter().filter(|(key, _)| key != "metadata") {
        writer.key(key);
        writer.raw(json);
    }
    writer.close();
}

/// Metadata of our own stays; beside it stand what the format said besides, and the id that the file has for it.
fn write_metadata(format: Format, record: &Record<'_>, alias: Option<&String>, writer: &mut Writer) {
    let own = record.own.iter().find(|(key, _)| key == "metadata");
    if own.is_none() && record.rest.is_empty() && alias.is_none() {
        return;
    }
    writer.key("metadata");
    if let (Some((_, json)), true, None) = (own, record.rest.is_empty(), alias) {
        return writer.raw(json);
    }
    writer.open();
    if let Some((_, json)) = own {
        for (key, json) in super::list::fields(json) {
            writer.key(&key);
            writer.raw(json);
        }
    }
    if let Some(alias) = alias {
        writer.field("alias", alias);
    }
    if !record.rest.is_empty() {
        writer.key(format.key());
        writer.open();
        for (key, json) in &record.rest {
            writer.key(key);
            writer.raw(json);
        }
        writer.close();
    }
    writer.close();
}
