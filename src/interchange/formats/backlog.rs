//! A Backlog.md folder: one Markdown file a task, front matter above, what the task is about below.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::engine::hash::IdHasher;
use crate::interchange::lenient;
use crate::interchange::list::{ListRow, fields};
use crate::interchange::moment;
use crate::interchange::record::{OutputFile, Place, Record};
use crate::interchange::report::{ProblemKind, Report};
use crate::interchange::source::Source;
use crate::interchange::statuses::word_for;
use crate::json::{Kind, Reader, Writer};

use super::beside::{BESIDE, beside, take_beside};
use super::file_name::{Names, safe, slug};
use super::front_matter::{self, Field, FrontMatter, Shape};
use super::{Format, Reading, kept_times, set_status, write_times};

const TIMES: [&str; 3] = ["created_date", "updated_date", "completed_date"];
/// Where a task began, which the tool itself does not say.
const STARTED: &str = "started_date";
const ACTIVE_FORM: &str = "active_form";

/// The order in which the tool writes its fields; what else there is comes behind.
const ORDER: [&str; 14] = [
    "id",
    "title",
    "status",
    "assignee",
    "reporter",
    "created_date",
    "updated_date",
    "labels",
    "milestone",
    "dependencies",
    "references",
    "documentation",
    "parent_task_id",
    "priority",
];

/// Folders beside the tasks' own whose files look like tasks and are none.
const OTHER_FOLDERS: [&str; 3] = ["docs", "decisions", "milestones"];

/// Reads the file of one task. One that is none, or is broken, is reported and passed over.
pub(super) fn read<'a>(number: usize, source: &'a Source<'_>, reading: &mut Reading<'a>, report: &mut Report) {
    let Some(front) = front_of(source, report) else { return };
    if front.fields.iter().all(|field| field.name != "id" || field.text().is_empty()) {
        return skip(source, "has no id in its front matter, and is no task", report);
    }
    if source.path.rsplit('/').skip(1).any(|folder| OTHER_FOLDERS.contains(&folder)) {
        return skip(source, "stands in a folder of other things than tasks", report);
    }
    let mut record = Record { place: Place { source: number, at: 0 }, ..Record::default() };
    record.description = Cow::Borrowed(front.body);
    let mut status = String::new();
    let (mut title, mut of_parent) = (None, None);
    for field in front.fields {
        match &*field.name {
            "id" => record.id = field.text().to_owned().into(),
            "title" if field.shape == Shape::Scalar => title = Some(field.text().to_owned()),
            "status" if field.shape == Shape::Scalar => field.text().clone_into(&mut status),
            "assignee" => {
                record.owner = field.texts.first().map_or(String::new(), |text| text.trim().to_owned()).into();
                if field.shape != Shape::List || field.texts.len() > 1 || field.others > 0 {
                    keep(field, &mut record);
                }
            }
            "reporter" if field.shape == Shape::Scalar => record.created_by = field.text().to_owned().into(),
            ACTIVE_FORM if field.shape == Shape::Scalar => record.active_form = field.text().to_owned().into(),
            // An empty list is written whether or not there was one.
            "labels" if matches!(field.json.as_str(), "[]" | "null") => {}
            "dependencies" => take_ids(field, &mut record, reading, source, report),
            "parent_task_id" if field.shape == Shape::Scalar => of_parent = Some(field.text().to_owned()),
            "parent" if field.shape == Shape::Scalar => {
                of_parent.get_or_insert_with(|| field.text().to_owned());
                keep(field, &mut record);
            }
            BESIDE => match front_matter::object_in(field.text()) {
                Some(json) => record.rest.push((BESIDE.into(), json.to_owned().into())),
                None => keep(field, &mut record),
            },
            _ => keep(field, &mut record),
        }
    }
    record.parent = of_parent.filter(|parent| !parent.is_empty()).map(Cow::Owned);
    record.title = title.unwrap_or_else(|| heading(front.body).unwrap_or(&record.id).to_owned()).into();
    set_status(&mut record, &status, Format::Backlog, source, report);
    let is_beside = |(key, json): &(Cow<'_, str>, Cow<'_, str>)| key == BESIDE && json.starts_with('{');
    if record.rest.iter().any(is_beside) {
        take_beside(Format::Backlog, &mut record);
    }
    kept_times(&mut record, TIMES);
    let started = record.rest.iter().find(|(key, _)| key == STARTED);
    record.started_at = started
        .and_then(|(_, json)| lenient::text(&mut Reader::new(json)).ok().and_then(|text| moment::parse(&text)))
        .unwrap_or(0);
    reading.records.push(record);
}

/// The front matter of a Markdown file; nothing, and a problem in the report, when it has none or a broken one.
pub(super) fn front_of<'s>(source: &'s Source<'_>, report: &mut Report) -> Option<FrontMatter<'s>> {
    let name = source.name();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if name.starts_with('.') || ending.is_some_and(|ending| !ending.eq_ignore_ascii_case("md")) {
        skip(source, "is no Markdown by its name", report);
        return None;
    }
    match front_matter::read(&source.text) {
        None => {
            skip(source, "has no front matter, and is no task", report);
            None
        }
        Some(Err(fault)) => {
            let message = format!("{}: The front matter cannot be read: {}.", source.path, fault.problem);
            report.push(ProblemKind::Unparseable, &[], Some(fault.line), "passed over", message);
            None
        }
        Some(Ok(front)) => {
            for oddity in &front.oddities {
                let message = format!("{}: In the front matter {}.", source.path, oddity.problem);
                report.push(ProblemKind::InvalidValue, &[], Some(oddity.line), "read all the same", message);
            }
            Some(front)
        }
    }
}

pub(super) fn skip(source: &Source<'_>, what: &str, report: &mut Report) {
    let message = format!("{}: The file {what}.", source.path);
    report.push(ProblemKind::Skipped, &[], None, "passed over", message);
}

/// Keeps a field that has no home in our model.
pub(super) fn keep(field: Field, record: &mut Record<'_>) {
    record.rest.push((field.name.into(), field.json.into()));
}

/// A title that was folded over lines is one line.
pub(super) fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The first heading of a text.
pub(super) fn heading(body: &str) -> Option<&str> {
    let line = body.lines().find(|line| line.starts_with("# "))?;
    Some(line[2..].trim().trim_end_matches('#').trim_end()).filter(|title| !title.is_empty())
}

/// Takes a field's ids as blockers; what is none is reported and kept.
pub(super) fn take_ids<'a>(
    field: Field,
    record: &mut Record<'a>,
    reading: &mut Reading<'a>,
    source: &Source<'_>,
    report: &mut Report,
) {
    let mut ids = Vec::new();
    for text in &field.texts {
        let text = lenient::trimmed(Cow::Owned(text.clone()));
        if !text.is_empty() {
            lenient::push_parts(text, &mut ids);
        }
    }
    reading.edges += ids.len();
    record.blocked_by.extend(ids);
    if field.others > 0 || field.shape == Shape::Object {
        let message = format!("{}: `{}` holds what is no id.", source.path, field.name);
        report.push(ProblemKind::InvalidValue, &[&record.id], Some(field.line), "left out, kept", message);
        keep(field, record);
    }
}

/// Makes ids of one task one id: letter case, zeros in front and the prefix `task-` say nothing. The first file's way
/// of writing an id stands.
pub(super) fn settle(records: &mut [Record<'_>]) {
    let mut known: HashMap<String, String, IdHasher> = HashMap::default();
    for record in &mut *records {
        let first = known.entry(folded(&record.id)).or_insert_with(|| record.id.clone().into_owned());
        if *first != record.id {
            record.id = Cow::Owned(first.clone());
        }
    }
    let settle = |id: &mut Cow<'_, str>| {
        if let Some(known) = known.get(&folded(id)).filter(|known| *known != id) {
            *id = Cow::Owned(known.clone());
        }
    };
    for record in records {
        record.blocked_by.iter_mut().for_each(settle);
        record.parent.iter_mut().for_each(settle);
    }
}

fn folded(id: &str) -> String {
    let lower = id.trim().to_lowercase();
    let (prefix, number) = match lower.rsplit_once('-') {
        Some((prefix, number)) if is_dotted(number) => (prefix, number),
        None if is_dotted(&lower) => ("task", &*lower),
        _ => return lower,
    };
    let parts: Vec<&str> = number
        .split('.')
        .map(|part| Some(part.trim_start_matches('0')).filter(|part| !part.is_empty()).unwrap_or("0"))
        .collect();
    format!("{prefix}-{}", parts.join("."))
}

/// Whether a text is whole numbers with dots between them.
fn is_dotted(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Writes a folder's files, one a task.
pub(super) fn write(rows: &[ListRow<'_>]) -> Vec<OutputFile> {
    let mut names = Names::default();
    let mut files = Vec::with_capacity(rows.len());
    for row in rows {
        let mut text = "---\n".to_owned();
        push_front(row, &mut text);
        text.push_str("---\n");
        if !row.description.is_empty() {
            text.push('\n');
            text.push_str(&row.description);
            text.push('\n');
        }
        // The tool writes the prefix small in names of files, whatever it is in ids.
        let is_task = row.id.get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case("task-"));
        let id = if is_task { row.id.to_lowercase() } else { row.id.clone().into_owned() };
        let slug = slug(&row.title);
        let stem = if slug.is_empty() { safe(&id) } else { [&*safe(&id), " - ", &slug].concat() };
        files.push(OutputFile { path: names.unique(&stem, ".md"), text });
    }
    files
}

fn push_front(row: &ListRow<'_>, out: &mut String) {
    let rest = row.rest(Format::Backlog);
    let json = front_json(row, &rest);
    let mut all = fields(&json);
    let place = |name: &str| ORDER.iter().position(|ordered| *ordered == name).unwrap_or(ORDER.len());
    // Stable: what the tool does not order keeps its own order.
    all.sort_by_key(|(name, _)| place(name));
    for (name, json) in all {
        front_matter::push_field(out, &name, json);
    }
    // JSON in quotes: numbers in it are to stay as they are written.
    if let Some(json) = beside(Format::Backlog, row).and_then(|json| front_matter::printable(&json)) {
        front_matter::push_single_quoted(out, BESIDE, &json);
    }
}

/// The fields of a front matter as a JSON object.
fn front_json(row: &ListRow<'_>, rest: &[(Cow<'_, str>, &str)]) -> String {
    let kept = |name: &str| rest.iter().find(|(key, _)| key == name).map(|(_, json)| *json);
    let read = kept("status").and_then(|json| Reader::new(json).text().ok());
    let mut writer = Writer::new();
    writer.open();
    writer.field("id", &row.id);
    writer.field("title", &row.title);
    writer.field("status", word_for(Format::Backlog, row.status, read.as_deref()));
    match kept("assignee").filter(|json| first_text(json).as_deref().unwrap_or("") == row.owner) {
        Some(json) => {
            writer.key("assignee");
            writer.raw(json);
        }
        None => writer.list("assignee", Some(&*row.owner).filter(|owner| !owner.is_empty())),
    }
    writer.optional("reporter", Some(&*row.created_by).filter(|text| !text.is_empty()));
    write_times(row, rest, TIMES, &mut writer);
    if kept("labels").is_none() {
        writer.list("labels", []);
    }
    writer.list("dependencies", row.every_blocker().map(|id| &**id));
    let parent = if kept("parent").is_some() { "parent" } else { "parent_task_id" };
    writer.optional(parent, row.parent.as_deref());
    writer.optional(ACTIVE_FORM, Some(&*row.active_form).filter(|text| !text.is_empty()));
    match kept(STARTED) {
        Some(json) if first_text(json).and_then(|text| moment::parse(&text)).unwrap_or(0) == row.started_at => {
            writer.key(STARTED);
            writer.raw(json);
        }
        _ if row.started_at > 0 => writer.field(STARTED, &moment::write(row.started_at)),
        _ => {}
    }
    let ours = ["id", "title", "status", "assignee", "dependencies", "parent", "parent_task_id", STARTED, BESIDE];
    for (key, json) in rest {
        let is_ours = ours.contains(&&**key) || TIMES.contains(&&**key);
        let is_said =
            (key == "reporter" && !row.created_by.is_empty()) || (key == ACTIVE_FORM && !row.active_form.is_empty());
        if !is_ours && !is_said {
            writer.key(key);
            writer.raw(json);
        }
    }
    writer.close();
    writer.finish()
}

/// A text, or the first text of a list.
fn first_text(json: &str) -> Option<String> {
    let mut reader = Reader::new(json);
    let mut first = true;
    if reader.kind() == Ok(Kind::Array) && (reader.array().is_err() || !reader.item(&mut first).unwrap_or(false)) {
        return None;
    }
    lenient::text(&mut reader).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interchange::{Import, ImportOptions, Input, export, import, read_list};
    use crate::task::Status;

    fn read(files: &[(&str, &str)]) -> Import {
        let inputs: Vec<Input<'_>> = files.iter().map(|(path, text)| Input { path, bytes: text.as_bytes() }).collect();
        import(&inputs, ImportOptions::default())
    }

    fn again(text: &str) -> Import {
        let (files, _) = export(text, Format::Backlog);
        let inputs: Vec<Input<'_>> =
            files.iter().map(|file| Input { path: &file.path, bytes: file.text.as_bytes() }).collect();
        import(&inputs, ImportOptions::default())
    }

    fn kinds(import: &Import) -> Vec<ProblemKind> {
        import.report.problems.iter().map(|problem| problem.kind).collect()
    }

    const WHOLE: &str = "---\nid: TASK-10.2\ntitle: 'Phase 2: it''s \"on\"'\nstatus: In Progress\nassignee:\n  - '@ann'\n  - bob\nreporter: '@cy'\ncreated_date: '2026-01-02 03:04'\nupdated_date: 2026-01-03\nlabels:\n  - a b\n  - 'yes'\ndependencies:\n  - TASK-1\n  - task-01.2\n  - 3\nparent_task_id: task-10\npriority: high\nordinal: 1000\nversion: 1.10\n---\n\n## Description\n\n  Text, --- and\n---\nmore.\n\n## Notes\n- [x] #1 done\n";

    fn task(id: &str, more: &str) -> String {
        format!("---\nid: {id}\ntitle: T {id}\nstatus: To Do\nassignee: []\ndependencies: []\n{more}---\n")
    }

    #[test]
    fn reads_every_field() {
        let files = [
            ("tasks/task-10.2 - X.md", WHOLE.to_owned()),
            ("tasks/task-1 - X.md", task("task-1", "")),
            ("tasks/task-1.2 - X.md", task("task-1.02", "")),
            ("tasks/task-3 - X.md", task("TASK-003", "")),
            ("tasks/task-10 - X.md", task("TASK-10", "")),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        let read = read(&files);
        assert_eq!(read.report.format, Some(Format::Backlog));
        assert!(read.report.is_sound(), "{}", read.report.to_text(5));
        assert_eq!((read.report.tasks, read.report.edges), (5, 3));
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        let row = rows.iter().find(|row| row.id == "TASK-10.2").unwrap();
        assert_eq!(row.title, "Phase 2: it's \"on\"");
        assert_eq!(row.description, "## Description\n\n  Text, --- and\n---\nmore.\n\n## Notes\n- [x] #1 done");
        assert_eq!((row.status, &*row.owner, &*row.created_by), (Status::InProgress, "@ann", "@cy"));
        assert_eq!((row.created_at, row.updated_at), (1_767_323_040_000, 1_767_398_400_000));
        assert_eq!(row.blocked_by, ["task-1", "task-1.02", "TASK-003"]);
        assert_eq!(row.parent.as_deref(), Some("TASK-10"));
        let (name, kept) = &row.metadata[0];
        assert_eq!(name, "backlog");
        for part in [r#""priority":"high""#, r#""ordinal":1000"#, r#""version":1.10"#, r#""labels":["a b","yes"]"#] {
            assert!(kept.contains(part), "{part} in {kept}");
        }
        let (written, _) = export(&text, Format::Backlog);
        let file = written.iter().find(|file| file.path == "task-10.2 - Phase-2-it-s-on.md").unwrap();
        // What differs is the ids, which are written in one way each, and quotes around a date.
        let expected = WHOLE
            .replace("2026-01-03", "'2026-01-03'")
            .replace("- TASK-1\n", "- task-1\n")
            .replace("- task-01.2\n", "- task-1.02\n")
            .replace("- 3\n", "- TASK-003\n")
            .replace("parent_task_id: task-10", "parent_task_id: TASK-10");
        assert_eq!(file.text, expected);
        assert_eq!(again(&text).text.as_ref(), Some(&text));
    }

    #[test]
    fn goes_on_past_what_is_no_task() {
        let read = read(&[
            (
                "backlog/tasks/task-1 - A.md",
                "---\r\nid: task-1\r\ntitle: A\r\nstatus: Done\r\ndependencies: [task-2]\r\n---\r\n\r\nb\r\nc\r\n",
            ),
            ("backlog/tasks/task-2 - B.md", "---\nid: task-2\ntitle: \"B\nstatus: Done\n---\n"),
            ("backlog/tasks/task-3 - C.md", "---\nid: task-3\n"),
            ("backlog/tasks/readme.md", "# About\n"),
            ("backlog/tasks/note.md", "---\ntitle: x\n---\n"),
            ("backlog/docs/doc-1 - D.md", "---\nid: doc-1\ntitle: D\n---\n"),
            ("backlog/config.yml", "project: x\n"),
            ("backlog/tasks/task-4 - E.md", "---\nid: task-4\ntitle: Fix: it\nassignee: @ann\nstatus: Done\n---\n"),
        ]);
        assert_eq!(
            kinds(&read),
            [
                ProblemKind::Unparseable,
                ProblemKind::Unparseable,
                ProblemKind::Skipped,
                ProblemKind::Skipped,
                ProblemKind::Skipped,
                ProblemKind::Skipped,
                ProblemKind::InvalidValue,
                ProblemKind::DanglingEdge
            ]
        );
        assert!(read.report.problems[0].line.is_some_and(|line| line > 2));
        assert_eq!(read.report.problems[1].line, Some(1));
        assert_eq!(read.report.problems[6].line, Some(3));
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        assert_eq!(rows[0].description, "b\r\nc");
        assert_eq!((&*rows[1].title, &*rows[1].owner), ("Fix: it", "@ann"));
        assert_eq!(again(&text).text.as_ref(), Some(&text));
    }

    #[test]
    fn one_id_written_in_two_ways_is_one_id() {
        let (one, other) = (task("TASK-01", ""), task("task-1", "parent: '1'\n"));
        let read = read(&[("task-1 - A.md", &one), ("task-1 - B.md", &other)]);
        assert_eq!(kinds(&read), [ProblemKind::DuplicateDifferent]);
        assert_eq!(read.report.problems[0].ids, ["TASK-01", "TASK-01~2"]);
        for (id, fold) in [
            ("TASK-1", "task-1"),
            ("task-007.010.0", "task-7.10.0"),
            ("12.00", "task-12.0"),
            ("JIRA-04", "jira-4"),
            ("a-b", "a-b"),
            ("x", "x"),
            ("", ""),
            ("1..2", "1..2"),
        ] {
            assert_eq!(folded(id), fold);
        }
    }

    #[test]
    fn ids_keep_their_digits() {
        let read = read(&[
            ("task-a.md", "---\nid: 1.10\ntitle: x\nstatus: To Do\nassignee: []\n---\n"),
            ("task-b.md", "---\nid: 1.1\ntitle: y\ndependencies: [1.10, '1.10']\n---\n"),
        ]);
        assert_eq!(kinds(&read), [ProblemKind::RepeatedEdge]);
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        assert_eq!(rows.iter().map(|row| &*row.id).collect::<Vec<_>>(), ["1.10", "1.1"]);
        assert_eq!(rows[1].blocked_by, ["1.10"]);
        let again = again(&text);
        assert!(again.report.is_sound(), "{}", again.report.to_text(5));
        assert_eq!(again.text, Some(text));
    }

    #[test]
    fn a_bomb_is_passed_over() {
        let mut bomb = "---\nid: task-2\na0: &a0 [lol, lol, lol, lol]\n".to_owned();
        for level in 1..60 {
            bomb.extend([format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}]\n", level - 1)]);
        }
        bomb += "---\n";
        let read = read(&[("task-1.md", &task("task-1", "")), ("task-2.md", &bomb)]);
        assert_eq!(kinds(&read), [ProblemKind::Unparseable]);
        assert_eq!(read.report.tasks, 1);
    }

    #[test]
    fn a_way_back_loses_nothing() {
        let text = r#"{"format":"blockedby","version":1,"revision":0,"tasks":[
            {"id":"a/b","title":"---\nid: forged # x","description":"---\nd\r\ne: [","activeForm":"Doing","status":"held","hold":{"reason":"gate","note":"n'\u2028","at":5,"resume":"pending"},"blockedBy":[],"owner":"- o","createdBy":"true","createdAt":1000,"updatedAt":2001,"startedAt":1500,"metadata":{"k":{"v":[1.10, "it's \ud83d\ude00"]},"\u0085":1}},
            {"id":"../..","title":"","status":"cancelled","blockedBy":["null","gone"],"parent":"a/b","labels":["x"]},
            {"id":"null","title":"日本","status":"completed","blockedBy":[],"completedAt":9999},
            {"id":"1","title":"Four","status":"deleted","blockedBy":["b"],"asideBlockedBy":["1"]},
            {"id":"b","title":"Five","status":"pending","blockedBy":[],"asideBlockedBy":["1"]}
        ]}"#;
        let (files, report) = export(text, Format::Backlog);
        assert!(report.problems.is_empty());
        assert_eq!(
            files.iter().map(|file| &*file.path).collect::<Vec<_>>(),
            ["a%2Fb - id-forged-x.md", "%2E.%2F.%2E.md", "null - 日本.md", "1 - Four.md", "b - Five.md"]
        );
        let back = again(text);
        assert_eq!(back.report.format, Some(Format::Backlog));
        let back = back.text.unwrap();
        let (one, other) = (read_list(text).unwrap(), read_list(&back).unwrap());
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(&other) {
            let said = |row: &ListRow<'_>| {
                let facets: Vec<String> =
                    row.facets.iter().map(|(key, json)| format!("{key} {:?}", front_matter::printable(json))).collect();
                let own: Vec<_> = row
                    .metadata
                    .iter()
                    .filter(|(key, _)| key != "backlog")
                    .map(|(key, json)| (key, front_matter::printable(json)))
                    .collect();
                format!(
                    "{} {} {} {:?} {:?} {:?} {:?} {} {} {:?} {facets:?} {own:?}",
                    row.id,
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
        assert_eq!(other[0].title, "---\nid: forged # x");
        assert_eq!(other[1].title, "");
    }
}
