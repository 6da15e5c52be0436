//! Plan files: Markdown with front matter that names what each waits for. Read only.

use std::borrow::Cow;

use crate::interchange::record::{Place, Record};
use crate::interchange::report::Report;
use crate::interchange::source::Source;

use super::backlog::{front_of, heading, keep, one_line, skip, take_ids};
use super::front_matter::Shape;
use super::{Format, Reading, set_status, written_time};

/// The names that plans have for what a task waits for.
const BLOCKERS: [&str; 5] = ["depends_on", "dependsOn", "blockedBy", "blocked_by", "dependencies"];
const CREATED: [&str; 4] = ["created", "created_at", "createdAt", "created_date"];
const UPDATED: [&str; 6] = ["modified", "updated", "updated_at", "updatedAt", "updated_date", "modified_at"];

/// Reads one file. One that is no plan, or is broken, is reported and passed over.
pub(super) fn read<'a>(number: usize, source: &'a Source<'_>, reading: &mut Reading<'a>, report: &mut Report) {
    let Some(front) = front_of(source, report) else { return };
    let is_known = |name: &str| matches!(name, "id" | "name" | "title" | "status") || BLOCKERS.contains(&name);
    if !front.fields.iter().any(|field| is_known(&field.name)) {
        return skip(source, "names nothing in its front matter that a plan has, and is no task", report);
    }
    let name = source.name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut record = Record { place: Place { source: number, at: 0 }, id: Cow::Borrowed(stem), ..Record::default() };
    let id = front.fields.iter().find(|field| field.name == "id").map(|field| field.text().to_owned());
    if let Some(id) = id.filter(|id| !id.is_empty()) {
        record.id = Cow::Owned(id);
    }
    record.description = Cow::Borrowed(front.body);
    let mut status = String::new();
    let (mut title, mut said) = (None, None);
    for field in front.fields {
        let is_scalar = field.shape == Shape::Scalar;
        match &*field.name {
            "id" if is_scalar => {}
            "name" if is_scalar => title = Some(one_line(field.text())),
            "title" if is_scalar => said = Some(one_line(field.text())),
            "status" if is_scalar => field.text().clone_into(&mut status),
            "owner" | "assignee" if is_scalar && record.owner.is_empty() => {
                record.owner = Cow::Owned(field.text().to_owned());
            }
            "parent" if is_scalar => {
                record.parent = Some(field.text().to_owned().into()).filter(|id: &Cow<'_, str>| !id.is_empty());
            }
            "description" if is_scalar && front.body.is_empty() => {
                record.description = Cow::Owned(field.text().to_owned());
            }
            name if BLOCKERS.contains(&name) => take_ids(field, &mut record, reading, source, report),
            name => {
                if CREATED.contains(&name) && record.created_at == 0 {
                    record.created_at = written_time(&field.json).unwrap_or(0);
                } else if UPDATED.contains(&name) && record.updated_at == 0 {
                    record.updated_at = written_time(&field.json).unwrap_or(0);
                }
                keep(field, &mut record);
            }
        }
    }
    // Of two titles one is kept as what it is.
    if let (Some(_), Some(said)) = (&title, &said) {
        let mut json = String::new();
        crate::json::push_string(&mut json, said);
        record.rest.push(("title".into(), json.into()));
    }
    let title = title.or(said).filter(|title| !title.is_empty());
    record.title = match title {
        Some(title) => Cow::Owned(title),
        None => heading(front.body).map_or_else(|| record.id.clone(), |title| Cow::Owned(title.to_owned())),
    };
    record.updated_at = record.updated_at.max(record.created_at);
    set_status(&mut record, &status, Format::Plan, source, report);
    reading.records.push(record);
}

#[cfg(test)]
mod tests {
    use crate::interchange::{Format, Import, ImportOptions, Input, ProblemKind, import, read_list};
    use crate::task::Status;

    fn read(files: &[(&str, &str)]) -> Import {
        let inputs: Vec<Input<'_>> = files.iter().map(|(path, text)| Input { path, bytes: text.as_bytes() }).collect();
        import(&inputs, ImportOptions::default())
    }

    #[test]
    fn reads_every_field() {
        let read = read(&[
            (
                "p/a.md",
                "---\nid: x/a\nname: First\nstatus: completed\ndepends_on: []\ncreated: 2026-01-02T03:04:05.123456789Z\nmodified: 2026-01-02T03:04:06Z\nscope: narrow\nowner: ann\n---\n\n# Heading\n\nText.\n",
            ),
            ("p/b.md", "---\nname: Second\nstatus: in-progress\ndependsOn:\n  - x/a\nparent: c\ntags: [p, q]\n---\n"),
            ("p/c.md", "---\nstatus: blocked\nblockedBy: x/a, e\ndescription: short\n---\n"),
            ("p/d.md", "---\ntitle: 'Four: 4'\nblocked_by: b\n---\n# Not this\n"),
            ("p/e.md", "---\ndependencies: [x/a]\n---\n\n# Five #\n"),
        ]);
        assert_eq!(read.report.format, Some(Format::Plan));
        assert!(read.report.is_sound(), "{}", read.report.to_text(5));
        assert_eq!((read.report.tasks, read.report.edges), (5, 5));
        let text = read.text.unwrap();
        let rows = read_list(&text).unwrap();
        let shown: Vec<_> =
            rows.iter().map(|row| (&*row.id, &*row.title, row.status, row.blocked_by.join(" "))).collect();
        assert_eq!(
            shown,
            [
                ("x/a", "First", Status::Completed, String::new()),
                ("b", "Second", Status::InProgress, "x/a".into()),
                ("c", "c", Status::Held, "x/a e".into()),
                ("d", "Four: 4", Status::Pending, "b".into()),
                ("e", "Five", Status::Pending, "x/a".into()),
            ]
        );
        assert_eq!(
            (rows[0].created_at, rows[0].updated_at, &*rows[0].owner),
            (1_767_323_045_123, 1_767_323_046_000, "ann")
        );
        assert_eq!(rows[0].description, "# Heading\n\nText.");
        assert_eq!(rows[1].parent.as_deref(), Some("c"));
        assert_eq!(rows[2].description, "short");
        assert!(rows[0].metadata[0].1.contains(r#""scope":"narrow""#), "{:?}", rows[0].metadata);
    }

    #[test]
    fn goes_on_past_what_is_no_plan() {
        let read = read(&[
            ("a.md", "---\nid: a\nname: A\ndepends_on: [b, [c], a, b]\n---\n"),
            ("b.md", "---\nid: [b\n---\n"),
            ("readme.md", "# About\n"),
            ("page.md", "---\nlayout: x\n---\n"),
            ("data.txt", "x"),
        ]);
        let kinds: Vec<ProblemKind> = read.report.problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(
            kinds,
            [
                ProblemKind::InvalidValue,
                ProblemKind::Unparseable,
                ProblemKind::Skipped,
                ProblemKind::Skipped,
                ProblemKind::Skipped,
                ProblemKind::DanglingEdge,
                ProblemKind::SelfEdge,
                ProblemKind::RepeatedEdge,
            ]
        );
        assert_eq!((read.report.tasks, read.report.edges), (1, 3));
    }
}
