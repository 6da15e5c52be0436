//! The formats: which there are, and who reads and writes each.

mod backlog;
mod beads;
mod beside;
mod checklist;
mod claude_code;
mod drawings;
mod file_name;
pub(super) mod front_matter;
mod own;
mod plan;
mod shrimp;
mod task_master;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::engine::hash::IdHasher;
use crate::json::{Reader, Writer, push_string};
use crate::task::{Millis, Status};

use super::list::ListRow;
use super::record::{OutputFile, Record};
use super::report::{ProblemKind, Report};
use super::source::Source;
use super::statuses::meaning;
use super::{lenient, moment};

/// A format of task files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A list of ours.
    Snapshot,
    /// A bare `{"tasks":[…]}` with the names of the dialect `tasks`.
    Bare,
    /// claude-task-master's `tasks.json`, legacy and tagged.
    TaskMaster,
    /// A beads ledger, one record a line.
    Beads,
    /// A folder of Claude Code tasks, `1.json`, `2.json`, …
    ClaudeCode,
    /// A folder of learn-claude-code tasks, `task_1.json`, …
    LearnClaudeCode,
    /// A Backlog.md folder, one Markdown file a task.
    Backlog,
    /// mcp-shrimp-task-manager's `tasks.json`.
    Shrimp,
    /// Plan files: Markdown with YAML front matter that names what each waits for.
    Plan,
    /// A Markdown checklist; written only.
    Checklist,
    /// A Mermaid flowchart; written only.
    Mermaid,
    /// A Graphviz graph; written only.
    Dot,
    /// The edges as CSV; written only.
    Csv,
}

impl Format {
    /// Every format, those that can be read first.
    pub const ALL: [Format; 13] = [
        Format::Snapshot,
        Format::Bare,
        Format::TaskMaster,
        Format::Beads,
        Format::ClaudeCode,
        Format::LearnClaudeCode,
        Format::Backlog,
        Format::Shrimp,
        Format::Plan,
        Format::Checklist,
        Format::Mermaid,
        Format::Dot,
        Format::Csv,
    ];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Format::Snapshot => "blockedby",
            Format::Bare => "tasks",
            Format::TaskMaster => "task-master",
            Format::Beads => "beads",
            Format::ClaudeCode => "claude-code",
            Format::LearnClaudeCode => "learn-claude-code",
            Format::Backlog => "backlog",
            Format::Shrimp => "shrimp",
            Format::Plan => "plan",
            Format::Checklist => "checklist",
            Format::Mermaid => "mermaid",
            Format::Dot => "dot",
            Format::Csv => "csv",
        }
    }

    /// The format that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Format::ALL.into_iter().find(|format| format.word() == word)
    }

    /// Whether it can be read.
    #[must_use]
    pub fn is_read(self) -> bool {
        !matches!(self, Format::Checklist | Format::Mermaid | Format::Dot | Format::Csv)
    }

    /// Whether it can be written.
    #[must_use]
    pub fn is_written(self) -> bool {
        !matches!(self, Format::Bare | Format::Plan)
    }

    /// Whether it is a folder of files rather than one file.
    #[must_use]
    pub fn is_folder(self) -> bool {
        matches!(self, Format::ClaudeCode | Format::LearnClaudeCode | Format::Backlog | Format::Plan)
    }

    /// Where `metadata` keeps what our model has no home for.
    pub(super) fn key(self) -> &'static str {
        match self {
            Format::TaskMaster => "taskMaster",
            Format::ClaudeCode => "claudeCode",
            Format::LearnClaudeCode => "learnClaudeCode",
            format => format.word(),
        }
    }

    /// The words of the formats that can be read, for messages.
    pub(super) fn words() -> String {
        let words: Vec<&str> = Format::ALL.into_iter().filter(|format| format.is_read()).map(Format::word).collect();
        words.join(", ")
    }
}

/// What the readers of a list's files have found.
#[derive(Debug, Default)]
pub(in crate::interchange) struct Reading<'a> {
    pub(in crate::interchange) records: Vec<Record<'a>>,
    /// Dependency entries, of every kind.
    pub(in crate::interchange) edges: usize,
    /// Whether a whole list was read, even if it has no task.
    pub(in crate::interchange) is_list: bool,
}

/// Reads a source as a format. What cannot be read is reported; the other records go on.
pub(super) fn read<'a>(
    format: Format,
    number: usize,
    source: &'a Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) {
    match format {
        Format::Snapshot | Format::Bare => own::read(format, number, source, reading, report),
        Format::TaskMaster => task_master::read(number, source, reading, report),
        Format::Beads => beads::read(number, source, reading, report),
        Format::Shrimp => shrimp::read(number, source, reading, report),
        Format::ClaudeCode | Format::LearnClaudeCode => claude_code::read(format, number, source, reading, report),
        Format::Backlog => backlog::read(number, source, reading, report),
        Format::Plan => plan::read(number, source, reading, report),
        _ => {}
    }
}

/// Settles what only all the files of a list together can say.
pub(super) fn settle(format: Format, reading: &mut Reading<'_>) {
    match format {
        Format::Backlog => backlog::settle(&mut reading.records),
        Format::ClaudeCode | Format::LearnClaudeCode => resolve(&mut reading.records),
        _ => {}
    }
}

/// Says what references mean, once every id is known: `#12` the task `12`, `1, 2` two tasks, unless a task is called so.
fn resolve(records: &mut [Record<'_>]) {
    let known: HashSet<String, IdHasher> = records.iter().map(|record| record.id.clone().into_owned()).collect();
    for record in records {
        for list in [Some(&mut record.blocked_by), record.blocks.as_mut()].into_iter().flatten() {
            if list.iter().all(|id| known.contains(&**id)) {
                continue;
            }
            let mut found = Vec::with_capacity(list.len());
            for id in std::mem::take(list) {
                if known.contains(&*id) { found.push(id) } else { lenient::push_parts(id, &mut found) }
            }
            for id in &mut found {
                let number = id.strip_prefix('#').filter(|number| !known.contains(&**id) && known.contains(*number));
                if let Some(number) = number.map(str::to_owned) {
                    *id = Cow::Owned(number);
                }
            }
            *list = found;
        }
    }
}

/// Writes rows as a format.
pub(super) fn write(format: Format, rows: &[ListRow<'_>], report: &mut Report) -> Vec<OutputFile> {
    match format {
        Format::TaskMaster => task_master::write(rows),
        Format::Beads => beads::write(rows),
        Format::Shrimp => shrimp::write(rows),
        Format::ClaudeCode | Format::LearnClaudeCode => claude_code::write(format, rows, report),
        Format::Backlog => backlog::write(rows),
        Format::Checklist => checklist::write(rows, report),
        Format::Mermaid => drawings::mermaid(rows, report),
        Format::Dot => drawings::dot(rows, report),
        Format::Csv => drawings::csv(rows),
        _ => Vec::new(),
    }
}

/// Whether a record without a status is odd.
fn always_says_status(format: Format) -> bool {
    matches!(format, Format::TaskMaster | Format::Beads | Format::Shrimp | Format::ClaudeCode | Format::LearnClaudeCode)
}

/// Gives a record the status that a word means; an unknown one is reported and stands for pending. The word itself
/// stays in `rest` where the format would write another one.
fn set_status(record: &mut Record<'_>, word: &str, format: Format, source: &Source<'_>, report: &mut Report) {
    let found = meaning(word);
    if let Some(found) = found {
        record.status = found.status;
        record.wait = found.wait;
    } else if word.is_empty() && always_says_status(format) {
        let line = source.line(record.place.at);
        let message = format!("Task `{}` says no status.", record.id);
        report.push(ProblemKind::UnknownStatus, &[&record.id], Some(line), "read as pending", message);
    } else if !word.is_empty() {
        let line = source.line(record.place.at);
        let message = format!("Task `{}` has the status `{word}`, which is not known.", record.id);
        report.push(ProblemKind::UnknownStatus, &[&record.id], Some(line), "read as pending", message);
    }
    if !word.is_empty() && super::statuses::written(format, record.status) != word {
        let mut json = String::new();
        push_string(&mut json, word);
        record.rest.push(("status".into(), json.into()));
    }
}

/// Reads created, updated and completed times out of `rest`, where they stay as they were written. A completed time
/// counts only while the task is completed.
fn kept_times(record: &mut Record<'_>, names: [&str; 3]) {
    let time = |name: &str| {
        let kept = record.rest.iter().find(|(key, _)| key == name);
        kept.and_then(|(_, json)| written_time(json)).unwrap_or(0)
    };
    let [created, updated, completed] = names.map(time);
    record.created_at = created;
    record.updated_at = updated.max(created);
    record.completed_at = if record.status == Status::Completed { completed } else { 0 };
}

fn written_time(json: &str) -> Option<Millis> {
    let text = lenient::text(&mut Reader::new(json)).ok()?;
    moment::parse(&text)
}

/// Writes created, updated and completed times: as they were read, as long as they still say the same.
fn write_times(row: &ListRow<'_>, rest: &[(Cow<'_, str>, &str)], names: [&str; 3], writer: &mut Writer) {
    let times = [row.created_at, row.updated_at, row.completed_at];
    for (at, (name, time)) in names.into_iter().zip(times).enumerate() {
        let kept = rest.iter().find(|(key, _)| key == name).map(|(_, json)| *json);
        let read = kept.and_then(written_time).unwrap_or(0);
        // What a reader made of it: never before the creation, and no end of what is not completed.
        let means = if at == 1 { read.max(row.created_at) } else { read };
        let hidden = at == 2 && time == 0 && !row.status.is_open();
        if let Some(json) = kept.filter(|_| means == time || hidden) {
            writer.key(name);
            writer.raw(json);
        } else if time > 0 && !(at == 1 && kept.is_none() && time == row.created_at && !rest.is_empty()) {
            writer.field(name, &moment::write(time));
        }
    }
}

/// Writes what an import kept, but for some names.
fn write_rest(rest: &[(Cow<'_, str>, &str)], but: &[&str], writer: &mut Writer) {
    for (key, json) in rest.iter().filter(|(key, _)| !but.contains(&&**key)) {
        writer.key(key);
        writer.raw(json);
    }
}
