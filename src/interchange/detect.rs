//! Telling the format from the content; names of files decide only between formats that look alike.

use std::borrow::Cow;

use crate::json::{Kind, Reader, Stop};

use super::formats::Format;
use super::formats::front_matter::{names, split};
use super::source::Source;

/// The format of files that belong together; nothing when none of them is known.
pub(super) fn detect(sources: &[&Source<'_>]) -> Option<Format> {
    sources.iter().find_map(|source| detect_one(source))
}

fn detect_one(source: &Source<'_>) -> Option<Format> {
    let text = source.text.trim_start();
    if text.starts_with("---") {
        return detect_markdown(source);
    }
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = Reader::new(text);
    let mut seen = Seen::default();
    // A broken file may still have said enough before it broke.
    let read = seen.root(&mut reader);
    let follows = read.is_ok() && reader.end().is_err();
    seen.format(source, follows)
}

/// Markdown with front matter: what a plan waits for has names of its own; else a task of Backlog.md is known by its
/// fields or its file's name.
fn detect_markdown(source: &Source<'_>) -> Option<Format> {
    let parts = split(&source.text)?.ok()?;
    let names: Vec<&str> = names(parts.yaml).collect();
    let has = |any: &[&str]| names.iter().any(|name| any.contains(name));
    if has(&["depends_on", "dependsOn", "blockedBy", "blocked_by"]) {
        return Some(Format::Plan);
    }
    let is_named = source.name().get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case("task-"));
    if has(&["id"]) && (is_named || has(&["assignee", "created_date", "parent_task_id"])) {
        return Some(Format::Backlog);
    }
    if has(&["name"]) {
        return Some(Format::Plan);
    }
    (has(&["dependencies"]) && has(&["id", "title"])).then_some(if has(&["id"]) {
        Format::Backlog
    } else {
        Format::Plan
    })
}

/// What a file's beginning says of itself.
#[derive(Default)]
struct Seen<'a> {
    /// Keys of the root.
    root: Vec<Cow<'a, str>>,
    /// The value of the root's `format`.
    format: Option<Cow<'a, str>>,
    /// Keys of the first tasks of `tasks`, whether at the root or below a tag.
    task: Vec<Cow<'a, str>>,
    tagged: bool,
    /// Whether the root holds values that are neither objects nor lists.
    scalars: bool,
}

/// So many tasks are looked at.
const FEW: usize = 20;

impl<'a> Seen<'a> {
    fn root(&mut self, reader: &mut Reader<'a>) -> Result<(), Stop> {
        if reader.kind()? == Kind::Array {
            return self.tasks(reader);
        }
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            self.root.push(key.clone());
            match (&*key, reader.kind()?) {
                ("format", Kind::Text) => self.format = Some(reader.text()?),
                ("tasks", Kind::Array) => self.tasks(reader)?,
                (_, Kind::Object) => self.tag(reader)?,
                (_, kind) => {
                    self.scalars |= kind != Kind::Array;
                    reader.raw()?;
                }
            }
        }
        Ok(())
    }

    fn tag(&mut self, reader: &mut Reader<'a>) -> Result<(), Stop> {
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key == "tasks" && reader.kind()? == Kind::Array {
                self.tagged = true;
                self.tasks(reader)?;
            } else {
                reader.raw()?;
            }
        }
        Ok(())
    }

    fn tasks(&mut self, reader: &mut Reader<'a>) -> Result<(), Stop> {
        reader.array()?;
        let (mut first, mut count) = (true, 0);
        while reader.item(&mut first)? {
            if reader.kind()? != Kind::Object || count == FEW {
                reader.raw()?;
                continue;
            }
            count += 1;
            reader.object()?;
            let mut first = true;
            while let Some(key) = reader.key(&mut first)? {
                reader.raw()?;
                if !self.task.contains(&key) {
                    self.task.push(key);
                }
            }
        }
        Ok(())
    }

    fn format(&self, source: &Source<'_>, follows: bool) -> Option<Format> {
        let root = |key: &str| self.root.iter().any(|seen| seen == key);
        let task = |key: &str| self.task.iter().any(|seen| seen == key);
        if self.format.as_deref() == Some("blockedby") {
            return Some(Format::Snapshot);
        }
        // Before ledgers: what follows one task is a comment, or another one that a torn write left.
        if root("id") && (root("subject") || root("blockedBy") || root("blocked_by")) {
            let learns = source.name().starts_with("task_") || root("blocked_by") || root("worktree");
            return Some(if learns { Format::LearnClaudeCode } else { Format::ClaudeCode });
        }
        let line_by_line =
            follows || source.path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("jsonl"));
        if line_by_line && root("id") && (root("title") || root("status")) {
            return Some(Format::Beads);
        }
        if root("id") && root("title") && (root("issue_type") || root("priority") && root("status")) {
            return Some(Format::Beads);
        }
        if task("name") && (task("implementationGuide") || task("relatedFiles") || task("dependencies")) {
            return Some(Format::Shrimp);
        }
        let depends = task("subtasks") || task("testStrategy") || (task("dependencies") && task("title"));
        if depends || (self.tagged && self.task.is_empty()) {
            return Some(Format::TaskMaster);
        }
        // Tasks below some other key, beside which more is said: another tool's dump, whose edges may stand elsewhere.
        if self.tagged {
            return if self.scalars { None } else { Some(Format::TaskMaster) };
        }
        (task("id") || (root("tasks") && self.task.is_empty() && self.root.len() < 4)).then_some(Format::Bare)
    }
}
