//! A folder of Claude Code tasks, `1.json`, `2.json`, …, and one of learn-claude-code, `task_1.json`, …: a file a task,
//! edges said on both sides or on one.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::engine::hash::IdHasher;
use crate::interchange::list::ListRow;
use crate::interchange::record::{OutputFile, Place, Record};
use crate::interchange::report::{ProblemKind, Report};
use crate::interchange::source::Source;
use crate::interchange::statuses::word_for;
use crate::interchange::{lenient, moment, whole_number};
use crate::json::{Fault, Reader, SOMETHING_FOLLOWS, Stop, Writer};
use crate::task::{Millis, Status};

use super::beside::{BESIDE, take_beside, write_beside};
use super::file_name::{Names, safe};
use super::{Format, Reading, set_status};

/// Where it is kept which keys the file has for its edges, when it is not `blockedBy` alone.
const EDGE_KEYS: &str = "edgeKeys";
const EDGE_KEY_NAMES: [&str; 3] = ["blocks", "blocked_by", "blockedBy"];
/// Created, updated, completed and started times, as tools of two schools name them.
const CAMEL_TIMES: [&str; 4] = ["createdAt", "updatedAt", "completedAt", "startedAt"];
const SNAKE_TIMES: [&str; 4] = ["created_at", "updated_at", "completed_at", "started_at"];
/// What a file has of its own, whatever else was kept.
const OWN_KEYS: [&str; 12] = [
    "id",
    "subject",
    "description",
    "activeForm",
    "status",
    "blocks",
    "blockedBy",
    "blocked_by",
    "owner",
    "createdBy",
    EDGE_KEYS,
    BESIDE,
];
/// So many ids of what was left out are named.
const MOST_IDS: usize = 20;

/// Reads the file of one task. One that is none, or is broken, is reported and passed over.
pub(super) fn read<'a>(
    format: Format,
    number: usize,
    source: &'a Source<'_>,
    reading: &mut Reading<'a>,
    report: &mut Report,
) {
    let Some(stem) = stem(source.name()) else { return skip(source, "is no task's file by its name", report) };
    let text: &'a str = &source.text;
    let mut reader = lenient::reader(text);
    let mut task = Task::default();
    let read = task.read(&mut reader);
    let at = reader.position();
    let follows = text.get(at..).unwrap_or("");
    let read = read.and_then(|()| if are_comments(follows) { Ok(()) } else { reader.end() });
    if let Err(fault) = reader.outcome(read) {
        return if is_task_name(format, source.name()) {
            pass_over(source, &fault, report);
        } else {
            skip(source, "holds no JSON, and its name is no task's", report);
        };
    }
    if !task.is_task() {
        return skip(source, "holds no task", report);
    }
    let mut record = task.record(Place { source: number, at: 0 });
    settle_id(&mut record, format, stem, source, report);
    if !follows.trim().is_empty() {
        let message =
            format!("{}: A comment follows the task. It was passed over, and no comment will be written.", source.path);
        let line = source.line(text.len() - follows.trim_start().len());
        report.push(ProblemKind::Skipped, &[&record.id], Some(line), "passed over", message);
    }
    set_status(&mut record, &task.status, format, source, report);
    take_beside(format, &mut record);
    take_times(format, &mut record);
    reading.edges += record.blocked_by.len();
    reading.records.push(record);
}

/// The name of a file without its ending; nothing for a hidden file and one that says to be something else.
fn stem(name: &str) -> Option<&str> {
    if name.starts_with('.') {
        return None;
    }
    match name.rsplit_once('.') {
        None => Some(name),
        Some((stem, ending)) => ending.eq_ignore_ascii_case("json").then_some(stem),
    }
}

fn is_task_name(format: Format, name: &str) -> bool {
    stem(name).is_some() && (format == Format::ClaudeCode || name.starts_with("task_"))
}

fn skip(source: &Source<'_>, what: &str, report: &mut Report) {
    let message = format!("{}: The file {what}.", source.path);
    report.push(ProblemKind::Skipped, &[], None, "passed over", message);
}

/// Reports a broken task file. Its bytes stay where they are, and whoever waits for its id goes on waiting.
fn pass_over(source: &Source<'_>, fault: &Fault, report: &mut Report) {
    let why = match fault.problem {
        SOMETHING_FOLLOWS => "something follows the end of the task: two are glued together, or a write was torn",
        problem => problem,
    };
    let message = format!("{}: The task cannot be read, {why} (byte {}).", source.path, fault.at);
    report.push(ProblemKind::Unparseable, &[], Some(source.line(fault.at)), "passed over", message);
}

/// Whether nothing but comments stands there, as behind the sample in the format's own document.
fn are_comments(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || line.starts_with("//"))
}

/// The id that the file says, else the one that its name says.
fn settle_id(record: &mut Record<'_>, format: Format, stem: &str, source: &Source<'_>, report: &mut Report) {
    let named = match format {
        Format::LearnClaudeCode => stem.strip_prefix("task_").unwrap_or(stem),
        _ => stem,
    };
    if record.id.is_empty() {
        record.id = Cow::Owned(named.to_owned());
        let message = format!("{}: The task says no id; its file's name stands for it, `{named}`.", source.path);
        report.push(ProblemKind::InvalidValue, &[named], Some(1), "named", message);
    } else if record.id != named && whole_number(&record.id) && whole_number(named) {
        let message = format!("{}: The file holds the task `{}`, which its name does not say.", source.path, record.id);
        report.push(ProblemKind::InvalidValue, &[&record.id], Some(1), "id kept", message);
    }
}

/// A task as its file says it.
#[derive(Default)]
struct Task<'a> {
    record: Record<'a>,
    status: Cow<'a, str>,
    /// Which of the keys of edges are there.
    edge_keys: [bool; 3],
    has_id: bool,
    has_subject: bool,
    has_status: bool,
}

impl<'a> Task<'a> {
    fn read(&mut self, reader: &mut Reader<'a>) -> Result<(), Stop> {
        let record = &mut self.record;
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            match &*key {
                "id" => {
                    record.id = lenient::id(reader)?.unwrap_or_default();
                    self.has_id = true;
                }
                "subject" => {
                    record.title = lenient::text(reader)?;
                    self.has_subject = true;
                }
                "description" => record.description = lenient::text(reader)?,
                "activeForm" => record.active_form = lenient::text(reader)?,
                "status" => {
                    self.status = lenient::text(reader)?;
                    self.has_status = true;
                }
                "owner" => record.owner = lenient::text(reader)?,
                "createdBy" => record.created_by = lenient::text(reader)?,
                "blocks" | "blockedBy" | "blocked_by" if reader.null() => {}
                "blocks" => {
                    let ids = lenient::own_ids(reader)?;
                    record.blocks.get_or_insert_default().extend(ids);
                    self.edge_keys[0] = true;
                }
                "blockedBy" | "blocked_by" => {
                    // Under both names the same edges may be said again.
                    let ids = lenient::own_ids(reader)?;
                    let said = record.blocked_by.len();
                    let new = |id: &Cow<'a, str>| said == 0 || !record.blocked_by[..said].contains(id);
                    let new: Vec<Cow<'a, str>> = ids.into_iter().filter(new).collect();
                    record.blocked_by.extend(new);
                    self.edge_keys[if key == "blocked_by" { 1 } else { 2 }] = true;
                }
                _ => {
                    let json = reader.raw()?;
                    record.rest.push((key, compact(json)));
                }
            }
        }
        Ok(())
    }

    fn is_task(&self) -> bool {
        self.has_subject || (self.has_id && (self.has_status || self.edge_keys.contains(&true)))
    }

    fn record(&mut self, place: Place) -> Record<'a> {
        let mut record = std::mem::take(&mut self.record);
        record.place = place;
        if !matches!(self.edge_keys, [false, false, _]) {
            let said = EDGE_KEY_NAMES.into_iter().zip(self.edge_keys).filter(|(_, said)| *said);
            let mut writer = Writer::new();
            writer.open_list();
            for (name, _) in said {
                writer.text(name);
            }
            writer.close_list();
            record.rest.push((EDGE_KEYS.into(), writer.finish().into()));
        }
        record
    }
}

/// The names under which a file has its times: those that it uses, else those of its tool.
fn time_names<'r, 't: 'r>(format: Format, mut keys: impl Iterator<Item = &'r Cow<'t, str>>) -> [&'static str; 4] {
    let used = keys.find_map(|key| [CAMEL_TIMES, SNAKE_TIMES].into_iter().find(|names| names.contains(&&**key)));
    used.unwrap_or(if format == Format::ClaudeCode { CAMEL_TIMES } else { SNAKE_TIMES })
}

/// Times stay in `rest` as they were written, too.
fn take_times(format: Format, record: &mut Record<'_>) {
    let names = time_names(format, record.rest.iter().map(|(key, _)| key));
    let time = |name: &str| {
        let kept = record.rest.iter().find(|(key, _)| key == name);
        kept.and_then(|(_, json)| written_time(json)).unwrap_or(0)
    };
    let [created, updated, completed, started] = names.map(time);
    record.created_at = created;
    record.updated_at = updated.max(created);
    record.completed_at = if record.status == Status::Completed { completed } else { 0 };
    record.started_at = started;
}

/// A time as it is written: text, or Unix seconds, which may have a fraction.
fn written_time(json: &str) -> Option<Millis> {
    let text = lenient::text(&mut Reader::new(json)).ok()?;
    match text.split_once('.') {
        Some((seconds, fraction)) if whole_number(seconds) && fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
            Some(written_time(seconds)? + millis.parse::<Millis>().ok()?)
        }
        // Ours may be near the beginning of all time.
        _ if whole_number(&text) && text.len() < 9 => Some(text.parse::<Millis>().ok()? * 1000),
        _ => moment::parse(&text),
    }
}

/// Writes a file for each task that is not deleted.
pub(super) fn write(format: Format, rows: &[ListRow<'_>], report: &mut Report) -> Vec<OutputFile> {
    note_deleted(rows, report);
    let is_deleted = |row: &&ListRow<'_>| row.status == Status::Deleted;
    let deleted: std::collections::HashSet<&str, IdHasher> =
        rows.iter().filter(is_deleted).map(|row| &*row.id).collect();
    let mut blocks: HashMap<&str, Vec<&str>, IdHasher> = HashMap::default();
    for row in rows.iter().filter(|row| !is_deleted(row)) {
        for blocker in row.every_blocker() {
            blocks.entry(blocker).or_default().push(&row.id);
        }
    }
    let mut names = Names::default();
    let mut files = Vec::new();
    for row in rows.iter().filter(|row| !is_deleted(row)) {
        let blocked: Vec<&str> = row.every_blocker().map(|id| &**id).filter(|id| !deleted.contains(id)).collect();
        let blocks = blocks.get(&*row.id).map_or(&[][..], Vec::as_slice);
        let prefix = if format == Format::LearnClaudeCode { "task_" } else { "" };
        let path = names.unique(&[prefix, &safe(&row.id)].concat(), ".json");
        files.push(OutputFile { path, text: indented(&task_json(format, row, &blocked, blocks)) });
    }
    files
}

/// Says what becomes of deleted tasks, for which a format has no word.
pub(super) fn note_deleted(rows: &[ListRow<'_>], report: &mut Report) {
    let deleted = || rows.iter().filter(|row| row.status == Status::Deleted).map(|row| &*row.id);
    let count = deleted().count();
    if count > 0 {
        let ids: Vec<&str> = deleted().take(MOST_IDS).collect();
        let what = if count == 1 { "1 deleted task is".to_owned() } else { format!("{count} deleted tasks are") };
        let message = format!("{what} not written, nor that others waited for them: the format has no word for it.");
        report.push(ProblemKind::NotKept, &ids, None, "left out", message);
    }
}

fn task_json(format: Format, row: &ListRow<'_>, blocked_by: &[&str], blocks: &[&str]) -> String {
    let rest = row.rest(format);
    let kept = |name: &str| rest.iter().find(|(key, _)| key == name).map(|(_, json)| *json);
    let read_status = kept("status").and_then(|json| Reader::new(json).text().ok());
    let edge_keys = kept(EDGE_KEYS).and_then(|json| lenient::own_ids(&mut Reader::new(json)).ok()).unwrap_or_default();
    let has = |name: &str| edge_keys.iter().any(|key| key == name);
    let mut writer = Writer::new();
    writer.open();
    writer.key("id");
    write_id(format, &row.id, &mut writer);
    writer.field("subject", &row.title);
    writer.field("description", &row.description);
    writer.optional("activeForm", Some(&*row.active_form).filter(|text| !text.is_empty()));
    writer.field("status", word_for(format, row.status, read_status.as_deref()));
    if format == Format::ClaudeCode || has("blocks") {
        write_ids(format, "blocks", blocks, &mut writer);
    }
    let key = if has("blocked_by") { "blocked_by" } else { "blockedBy" };
    write_ids(format, key, blocked_by, &mut writer);
    if has("blocked_by") && has("blockedBy") {
        write_ids(format, "blockedBy", blocked_by, &mut writer);
    }
    // learn-claude-code's own files have an owner, if an empty one.
    writer.optional("owner", Some(&*row.owner).filter(|owner| !owner.is_empty() || format != Format::ClaudeCode));
    writer.optional("createdBy", Some(&*row.created_by).filter(|text| !text.is_empty()));
    let names = time_names(format, rest.iter().map(|(key, _)| key));
    for (key, json) in &rest {
        if let Some(at) = names.iter().position(|name| name == key) {
            write_time(row, at, names, Some(json), &mut writer);
        } else if !OWN_KEYS.contains(&&**key) {
            writer.key(key);
            writer.raw(json);
        }
    }
    for (at, name) in names.iter().enumerate() {
        if kept(name).is_none() {
            write_time(row, at, names, None, &mut writer);
        }
    }
    write_beside(format, row, &mut writer);
    writer.close();
    writer.finish()
}

/// Writes one of a task's times: as it was read, as long as it still says the same.
fn write_time(row: &ListRow<'_>, at: usize, names: [&'static str; 4], kept: Option<&str>, writer: &mut Writer) {
    let time = [row.created_at, row.updated_at, row.completed_at, row.started_at][at];
    let name = names[at];
    let read = kept.and_then(written_time).unwrap_or(0);
    // What the reader made of it: never before the creation, and no end of what is not completed.
    let means = if at == 1 { read.max(row.created_at) } else { read };
    let hidden = at == 2 && time == 0 && row.status != Status::Completed;
    let implied = at == 1 && kept.is_none() && time == row.created_at;
    if let Some(json) = kept.filter(|_| means == time || hidden) {
        writer.key(name);
        writer.raw(json);
    } else if time > 0 && !implied {
        if names == SNAKE_TIMES {
            let (seconds, millis) = (time / 1000, time % 1000);
            let whole = seconds.to_string();
            writer.key(name);
            writer.raw(&if millis == 0 { whole } else { format!("{whole}.{millis:03}") });
        } else {
            writer.field(name, &moment::write(time));
        }
    }
}

/// Numbers, where the tool has numbers.
fn write_id(format: Format, id: &str, writer: &mut Writer) {
    if format == Format::LearnClaudeCode && whole_number(id) { writer.raw(id) } else { writer.text(id) }
}

fn write_ids(format: Format, key: &str, ids: &[&str], writer: &mut Writer) {
    writer.key(key);
    writer.open_list();
    for id in ids {
        write_id(format, id, writer);
    }
    writer.close_list();
}

/// JSON without the breaks and spaces that a file is indented with.
fn compact(json: &str) -> Cow<'_, str> {
    if !json.contains(['\n', '\r']) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let (mut quoted, mut escaped) = (false, false);
    for character in json.chars() {
        if quoted || !matches!(character, ' ' | '\n' | '\r' | '\t') {
            out.push(character);
        }
        quoted ^= character == '"' && !escaped;
        escaped = quoted && character == '\\' && !escaped;
    }
    Cow::Owned(out)
}

/// JSON on lines, two spaces a level, as the tools write it.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut quoted, mut escaped, mut level, mut fresh) = (false, false, 0_usize, false);
    for character in json.chars() {
        if quoted {
            out.push(character);
            quoted = character != '"' || escaped;
            escaped = character == '\\' && !escaped;
            continue;
        }
        if matches!(character, ' ' | '\n' | '\r' | '\t') {
            continue;
        }
        let closes = matches!(character, ']' | '}');
        if closes {
            level = level.saturating_sub(1);
        }
        // Nothing stands between the brackets of an empty list or object.
        if fresh != closes {
            break_line(&mut out, level);
        }
        fresh = false;
        out.push(character);
        match character {
            '"' => quoted = true,
            '[' | '{' => {
                level += 1;
                fresh = true;
            }
            ',' => break_line(&mut out, level),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out.push('\n');
    out
}

fn break_line(out: &mut String, level: usize) {
    out.push('\n');
    for _ in 0..level {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use crate::interchange::{Format, Import, ImportOptions, Input, ProblemKind, export, import, read_list};
    use crate::task::Status;

    fn read(files: &[(&str, &str)]) -> Import {
        let inputs: Vec<Input<'_>> = files.iter().map(|(path, text)| Input { path, bytes: text.as_bytes() }).collect();
        import(&inputs, ImportOptions::default())
    }

    fn kinds(import: &Import) -> Vec<ProblemKind> {
        import.report.problems.iter().map(|problem| problem.kind).collect()
    }

    fn again(text: &str, format: Format) -> Import {
        let (files, report) = export(text, format);
        assert_eq!(report.count(&[ProblemKind::NotKept]), 0, "{}", report.to_text(5));
        let inputs: Vec<Input<'_>> =
            files.iter().map(|file| Input { path: &file.path, bytes: file.text.as_bytes() }).collect();
        import(&inputs, ImportOptions::default())
    }

    const FIRST: &str = r#"{"id": "1", "subject": "Set up", "description": "All of it", "activeForm": "Setting up",
        "status": "completed", "blocks": ["2", "3"], "blockedBy": [], "owner": "agent-a", "metadata": {"k": [1.50]}}"#;
    const SECOND: &str =
        r#"{"id":2,"subject":"Build","description":"","status":"in_progress","blocks":[],"blockedBy":[1]}"#;
    const THIRD: &str = r##"{"id":"3","subject":"Ship","status":"pending","blockedBy":["#1"],"blocks":[],"owner":""}"##;

    #[test]
    fn reads_every_field() {
        let read = read(&[("t/1.json", FIRST), ("t/2.json", SECOND), ("t/3.json", THIRD)]);
        assert_eq!(read.report.format, Some(Format::ClaudeCode));
        assert!(read.report.is_sound(), "{}", read.report.to_text(5));
        assert_eq!((read.report.tasks, read.report.edges), (3, 2));
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        assert_eq!((&*rows[0].id, &*rows[0].title, &*rows[0].description), ("1", "Set up", "All of it"));
        assert_eq!(
            (&*rows[0].active_form, &*rows[0].owner, rows[0].status),
            ("Setting up", "agent-a", Status::Completed)
        );
        assert_eq!(rows[0].metadata[0].0, "claudeCode");
        assert!(rows[0].metadata[0].1.contains(r#""metadata":{"k": [1.50]}"#));
        assert_eq!(rows[1].blocked_by, ["1"]);
        assert_eq!(rows[2].blocked_by, ["1"]);
        assert_eq!(rows[2].owner, "");
    }

    #[test]
    fn reads_the_other_school() {
        let read = read(&[
            (
                "task_1.json",
                r#"{"id":1,"subject":"a","status":"open","blocked_by":[],"owner":null,"worktree":"w","created_at":1767323045,"updated_at":1767323046.5}"#,
            ),
            (
                "task_2.json",
                r#"{"id":2,"subject":"b","status":"pending","blocked_by":"1, 3","blocks":null,"owner":""}"#,
            ),
            ("task_3.json", r#"{"id":3,"subject":"c","status":"completed","blockedBy":[1],"blocks":[2]}"#),
        ]);
        assert_eq!(read.report.format, Some(Format::LearnClaudeCode));
        assert!(read.report.is_sound(), "{}", read.report.to_text(5));
        assert_eq!(read.report.edges, 2);
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        assert_eq!((rows[0].created_at, rows[0].updated_at), (1_767_323_045_000, 1_767_323_046_500));
        assert_eq!(rows[1].blocked_by, ["1", "3"]);
        let (files, _) = export(&text, Format::LearnClaudeCode);
        assert_eq!(files[0].path, "task_1.json");
        for part in [
            "\"id\": 1,",
            "\"status\": \"open\"",
            "\"blocked_by\": []",
            "\"worktree\": \"w\"",
            "1767323046.5",
            "\"owner\": \"\"",
        ] {
            assert!(files[0].text.contains(part), "{part} in {}", files[0].text);
        }
        assert!(!files[0].text.contains("\"blocks\"") && !files[0].text.contains("edgeKeys"));
        assert!(files[2].text.contains("\"blockedBy\": [\n    1\n  ]"), "{}", files[2].text);
        assert!(files[2].text.contains("\"blocks\": [\n    2\n  ]"));
        assert_eq!(again(&text, Format::LearnClaudeCode).text.as_ref(), Some(&text));
    }

    #[test]
    fn believes_either_side_of_an_edge() {
        let read = read(&[
            ("1.json", r#"{"id":"1","subject":"a","status":"pending","blocks":["2","9"],"blockedBy":[]}"#),
            ("2.json", r#"{"id":"2","subject":"b","status":"pending","blocks":[],"blockedBy":[]}"#),
            ("3.json", r#"{"id":"3","subject":"c","status":"pending","blocks":[],"blockedBy":["2"]}"#),
        ]);
        assert_eq!(kinds(&read), [ProblemKind::Mirror; 3]);
        assert_eq!(read.report.edges, 2);
        let text = read.text.unwrap();
        let again = again(&text, Format::ClaudeCode);
        assert!(again.report.is_sound(), "{}", again.report.to_text(5));
        assert_eq!(again.text, Some(text));
    }

    #[test]
    fn goes_on_past_what_is_broken() {
        let read = read(&[
            ("t/1.json", FIRST),
            ("t/2.json", "{\"id\":\"2\",\n \"subject\": \"torn"),
            ("t/3.json", r#"{"id":"3","subject":"x","status":"pending","blockedBy":["2"]}"#),
            ("t/4.json", r#"{"id":"4","subject":"y","status":"pending"}{"id":"4","subject":"y"}"#),
            ("t/5.json", "[1]"),
            ("t/6.json", "{}"),
            ("t/.highwatermark", "6"),
            ("t/7.json.tmp", FIRST),
            ("t/.8.json", FIRST),
        ]);
        assert_eq!(read.report.tasks, 2);
        let of = |kind| read.report.problems.iter().filter(|problem| problem.kind == kind).collect::<Vec<_>>();
        let broken = of(ProblemKind::Unparseable);
        assert_eq!(
            broken.iter().map(|problem| (problem.line, problem.action)).collect::<Vec<_>>(),
            [(Some(2), "passed over"), (Some(1), "passed over"), (Some(1), "passed over")]
        );
        assert!(
            broken[0].message.starts_with("t/2.json: ") && broken[0].message.contains("byte"),
            "{}",
            broken[0].message
        );
        assert!(broken[1].message.contains("glued"), "{}", broken[1].message);
        assert_eq!(of(ProblemKind::Skipped).len(), 4);
        assert_eq!(of(ProblemKind::DanglingEdge)[0].ids, ["3", "2"]);
    }

    #[test]
    fn reads_past_comments_behind_the_task() {
        let read = read(&[(
            "task_4.json",
            "{\"id\": 4, \"subject\": \"a\", \"status\": \"pending\", \"blockedBy\": []}  # one\n\n// two\n",
        )]);
        assert_eq!(read.report.format, Some(Format::LearnClaudeCode));
        assert_eq!(kinds(&read), [ProblemKind::Skipped]);
        assert_eq!(read.report.problems[0].ids, ["4"]);
        assert!(!export(&read.text.unwrap(), Format::LearnClaudeCode).0[0].text.contains("one"));
    }

    #[test]
    fn takes_a_missing_id_from_the_name() {
        let read = read(&[
            ("task_7.json", r#"{"subject":"a","status":"pending","blockedBy":[]}"#),
            ("task_8.json", r#"{"id":9,"subject":"b","status":"pending","blockedBy":[7]}"#),
        ]);
        assert_eq!(kinds(&read), [ProblemKind::InvalidValue; 2]);
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        assert_eq!(rows.iter().map(|row| &*row.id).collect::<Vec<_>>(), ["7", "9"]);
    }

    #[test]
    fn a_way_back_loses_nothing() {
        let text = r#"{"format":"blockedby","version":1,"revision":0,"tasks":[
            {"id":"a/b","title":"One \"x\"\n# y","description":"d\r\ne","activeForm":"Doing","status":"held","hold":{"reason":"gate","note":"n","at":5,"resume":"pending"},"blockedBy":[],"owner":"o","createdBy":"c","createdAt":1000,"updatedAt":2001,"startedAt":1500,"metadata":{"k":{"v":[1.10]}}},
            {"id":"..","title":"Two","status":"cancelled","blockedBy":["A","gone"],"parent":"a/b","labels":["x"]},
            {"id":"A","title":"Three","status":"completed","blockedBy":[],"completedAt":9999},
            {"id":"a","title":"Four","status":"pending","blockedBy":["b"],"asideBlockedBy":["a"]},
            {"id":"b","title":"Five","status":"pending","blockedBy":[],"asideBlockedBy":["a"]}
        ]}"#;
        for (format, paths) in [
            (Format::ClaudeCode, ["a%2Fb.json", "%2E%2E.json", "A.json", "a~2.json", "b.json"]),
            (
                Format::LearnClaudeCode,
                ["task_a%2Fb.json", "task_%2E%2E.json", "task_A.json", "task_a~2.json", "task_b.json"],
            ),
        ] {
            let (files, _) = export(text, format);
            assert_eq!(files.iter().map(|file| &*file.path).collect::<Vec<_>>(), paths);
            let back = again(text, format);
            assert_eq!(back.report.format, Some(format));
            let back = back.text.unwrap();
            let (one, other) = (read_list(text).unwrap(), read_list(&back).unwrap());
            for (one, other) in one.iter().zip(&other) {
                let said = |row: &crate::interchange::ListRow<'_>| {
                    let facets: Vec<String> = row.facets.iter().map(|facet| format!("{facet:?}")).collect();
                    let own: Vec<_> = row.metadata.iter().filter(|(key, _)| key != format.key()).collect();
                    format!(
                        "{} {} {} {} {:?} {:?} {:?} {:?} {} {} {:?} {facets:?} {own:?}",
                        row.id,
                        row.title,
                        row.description,
                        row.active_form,
                        row.status,
                        row.blocked_by,
                        row.aside,
                        row.parent,
                        row.owner,
                        row.created_by,
                        [row.created_at, row.updated_at.max(row.created_at), row.started_at, row.completed_at]
                    )
                };
                assert_eq!(said(other), said(one));
            }
        }
    }

    #[test]
    fn leaves_deleted_tasks_out() {
        let text = r#"{"format":"blockedby","version":1,"tasks":[
            {"id":"1","title":"a","status":"deleted","blockedBy":["2"]},
            {"id":"2","title":"b","status":"pending","blockedBy":["1","3"]}]}"#;
        let (files, report) = export(text, Format::ClaudeCode);
        assert_eq!(files.len(), 1);
        assert!(files[0].text.contains("\"blockedBy\": [\n    \"3\"\n  ]") && files[0].text.contains("\"blocks\": []"));
        assert_eq!(report.problems.len(), 1);
        assert_eq!((report.problems[0].kind, &*report.problems[0].ids), (ProblemKind::NotKept, &["1".to_owned()][..]));
    }

    #[test]
    fn indents_as_the_tools_do() {
        assert_eq!(
            super::indented(r#"{"a":[],"b":{},"c":[1, {"d":"x, {\"\\"}]}"#),
            "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": \"x, {\\\"\\\\\"\n    }\n  ]\n}\n"
        );
    }
}
