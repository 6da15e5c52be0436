//! Reading and writing other tools' files: small files of every fault, random lists written and read again, and
//! damaged bytes.
//!
//! `BLOCKEDBY_SOAK=1` for the full counts.

use blockedby::engine::{Context, Engine, OpenOptions};
use blockedby::interchange::{
    Format, Import, ImportOptions, Input, OutputFile, ProblemKind, export, import, read_list,
};

/// A small random generator (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

fn soak() -> bool {
    std::env::var_os("BLOCKEDBY_SOAK").is_some_and(|value| value == "1")
}

fn read_one(path: &str, text: &str) -> Import {
    import(&[Input { path, bytes: text.as_bytes() }], ImportOptions::default())
}

fn read_as(format: Format, files: &[OutputFile]) -> Import {
    let inputs: Vec<Input<'_>> =
        files.iter().map(|file| Input { path: &file.path, bytes: file.text.as_bytes() }).collect();
    import(&inputs, ImportOptions { from: Some(format), strict: false })
}

/// What the engine makes of the text: it must open as it is, without setting anything more aside.
fn open(import: &Import) -> Engine {
    let text = import.text.as_deref().expect("a list was read");
    let opened = Engine::open(text, None, OpenOptions::default(), [1, 2]);
    opened.unwrap_or_else(|refusal| panic!("the engine refuses what was imported: {}\n{text}", refusal.to_json()))
}

fn kinds(import: &Import) -> Vec<ProblemKind> {
    import.report.problems.iter().map(|problem| problem.kind).collect()
}

/// What is the same in every format: id, title, status, edges, parent.
fn facts(text: &str) -> Vec<String> {
    let rows = read_list(text).unwrap();
    let mut facts: Vec<String> = rows
        .iter()
        .map(|row| {
            let mut blockers: Vec<&str> = row.blocked_by.iter().chain(&row.aside).map(|id| &**id).collect();
            blockers.sort_unstable();
            format!("{:?} {:?} {:?} {blockers:?} {:?}", row.id, row.title, row.status, row.parent)
        })
        .collect();
    facts.sort_unstable();
    facts
}

mod faults {
    use super::*;

    fn problem(import: &Import, kind: ProblemKind) -> &blockedby::interchange::Problem {
        let found = import.report.problems.iter().find(|problem| problem.kind == kind);
        found.unwrap_or_else(|| panic!("no {kind:?} in {}", import.report.to_text(9)))
    }

    fn refused(path: &str, bytes: &[u8]) -> blockedby::interchange::Problem {
        let import = import(&[Input { path, bytes }], ImportOptions::default());
        assert!(import.text.is_none(), "{path} was read");
        problem(&import, ProblemKind::Unparseable).clone()
    }

    const SMALL: &str = r#"{"master":{"tasks":[{"id":1,"title":"One","status":"done","dependencies":[]}]}}"#;

    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        let conflict =
            "{\n  \"tasks\": [\n<<<<<<< HEAD\n    {\"id\": 1}\n=======\n    {\"id\": 2}\n>>>>>>> branch\n  ]\n}\n";
        let found = refused("tasks.json", conflict.as_bytes());
        assert_eq!(found.line, Some(3));
        assert!(found.message.contains("3 merge-conflict marker lines (lines 3, 5, 7)"), "{}", found.message);

        let glued = format!("{SMALL}\n{SMALL}");
        let found = refused("tasks.json", glued.as_bytes());
        assert_eq!(found.line, Some(2));
        assert!(found.message.contains(&format!("byte {}", SMALL.len() + 1)), "{}", found.message);

        let found = refused("tasks.json", &[0; 300]);
        assert!(found.message.contains("All 300 bytes are NUL"), "{}", found.message);
        let found = refused("tasks.json", b"{\"tasks\":[\n\0]}");
        assert_eq!(found.line, Some(2));
        assert!(found.message.contains("1 NUL bytes, the first at byte 11"), "{}", found.message);

        let found = refused("tasks.json", &SMALL.as_bytes()[..SMALL.len() - 9]);
        assert!(found.message.contains("the text ends too early"), "{}", found.message);
        let found = refused("tasks.json", b"{\"tasks\":[{\"id\":1,\"title\":\"\xff\"}]}");
        assert!(found.message.contains("not UTF-8 from byte 27"), "{}", found.message);
        for empty in ["", " \n\t "] {
            assert!(refused("tasks.json", empty.as_bytes()).message.contains("empty"));
        }
        let found = refused("notes.json", br#"{"hello":"world"}"#);
        assert!(
            found.message.contains("no task file that can be read (blockedby, tasks, task-master"),
            "{}",
            found.message
        );
        let found = refused("tasks.json", br#"{"format":"blockedby","version":9,"tasks":[]}"#);
        assert!(found.message.contains("a version of the format that is not known"), "{}", found.message);
        assert!(import(&[], ImportOptions::default()).text.is_none());
        let deep = format!(r#"{{"tasks":[{{"id":1,"title":"T","details":{}}}]}}"#, "[".repeat(500));
        assert!(refused("tasks.json", deep.as_bytes()).message.contains("nested too deeply"));
    }

    #[test]
    fn byte_order_marks_and_utf_16_are_read_and_said() {
        let marked = [b"\xef\xbb\xbf", SMALL.as_bytes()].concat();
        let wide = |little: bool| -> Vec<u8> {
            let unit = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            std::iter::once(0xfeff).chain(SMALL.encode_utf16()).flat_map(unit).collect()
        };
        for bytes in [marked, wide(true), wide(false)] {
            let import = import(&[Input { path: "tasks.json", bytes: &bytes }], ImportOptions::default());
            assert_eq!(open(&import).state().live().count(), 1);
            assert_eq!(kinds(&import), [ProblemKind::Encoding]);
            assert!(import.report.is_sound());
        }
        assert!(refused("tasks.json", b"\xff\xfe{").message.contains("UTF-16"));
    }

    #[test]
    fn one_id_twice_is_kept_once_or_under_a_name_of_its_own() {
        let ledger = concat!(
            r#"{"id":"b-1","title":"One","status":"open","priority":1,"updated_at":"2026-01-01T00:00:00Z"}"#,
            "\n",
            r#"{"id":"b-2","title":"Two","status":"open","priority":1,"dependencies":[{"issue_id":"b-2","depends_on_id":"b-1","type":"blocks"}]}"#,
            "\n",
            r#"{"id":"b-1","title":"One","status":"open","priority":1,"updated_at":"2026-01-01T00:00:00Z"}"#,
            "\n",
            r#"{"id":"b-1","title":"One","status":"closed","priority":1,"updated_at":"2026-02-01T00:00:00Z"}"#,
            "\n",
        );
        let import = read_one("issues.jsonl", ledger);
        assert_eq!(problem(&import, ProblemKind::DuplicateSame).ids, ["b-1"]);
        let renamed = problem(&import, ProblemKind::DuplicateDifferent);
        assert_eq!(renamed.ids, ["b-1", "b-1~2"]);
        // The newest keeps the id, and so the edges to it.
        let mut list = open(&import);
        assert_eq!(list.read_json("ready", "{}").unwrap(), r#"["b-1~2","b-2"]"#);
        assert!(import.text.as_deref().unwrap().contains(r#""metadata":{"alias":"b-1","beads":{"#));
        assert_eq!((import.report.tasks, import.report.edges), (3, 1));
    }

    #[test]
    fn edges_to_nobody_to_itself_and_said_twice() {
        let text = r#"{"tasks":[
            {"id":1,"title":"A","status":"pending","dependencies":[7,1,2,2]},
            {"id":2,"title":"B","status":"pending","dependencies":[]}]}"#;
        let import = read_one("tasks.json", text);
        assert_eq!(problem(&import, ProblemKind::DanglingEdge).ids, ["1", "7"]);
        assert_eq!(problem(&import, ProblemKind::DanglingEdge).line, Some(2));
        assert_eq!(problem(&import, ProblemKind::SelfEdge).ids, ["1"]);
        assert_eq!(problem(&import, ProblemKind::RepeatedEdge).ids, ["1", "2"]);
        let rows = read_list(import.text.as_deref().unwrap()).unwrap();
        assert_eq!((&rows[0].blocked_by[..], &rows[0].aside[..]), (&["7".into(), "2".into()][..], &["1".into()][..]));
        let json = import.report.to_json();
        assert!(json.starts_with(r#"{"schemaVersion":1,"format":"task-master","tasks":2,"edges":4,"counts":{"cycles":0,"danglingEdges":1,"duplicateIds":0,"selfEdges":1,"repeatedEdges":1}"#), "{json}");
        let strict = super::import(
            &[Input { path: "tasks.json", bytes: text.as_bytes() }],
            ImportOptions { from: None, strict: true },
        );
        assert!(strict.text.is_none());
    }

    #[test]
    fn rings_are_set_aside_with_their_paths_parents_included() {
        let text = r#"{"master":{"tasks":[
            {"id":1,"title":"A","status":"pending","dependencies":["1.1"],"subtasks":[
                {"id":1,"title":"Step","status":"pending","dependencies":[]}]},
            {"id":2,"title":"B","status":"pending","dependencies":[3]},
            {"id":3,"title":"C","status":"pending","dependencies":[4]},
            {"id":4,"title":"D","status":"pending","dependencies":[2]}]}}"#;
        let import = read_one("tasks.json", text);
        let rings: Vec<&[String]> = import
            .report
            .problems
            .iter()
            .filter(|problem| problem.kind == ProblemKind::Cycle)
            .map(|problem| &problem.ids[..])
            .collect();
        assert_eq!(rings, [&["1", "1.1", "1"][..], &["4", "2", "3", "4"][..]]);
        assert_eq!(import.report.cycles, 2);
        assert!(!import.report.is_sound());
        let rows = read_list(import.text.as_deref().unwrap()).unwrap();
        assert_eq!(rows.iter().find(|row| row.id == "4").unwrap().aside, ["2"]);
        open(&import);
    }

    #[test]
    fn statuses_against_the_order_are_told_and_kept() {
        let text = r#"{"tasks":[
            {"id":"1","title":"A","status":"done","dependencies":["2"]},
            {"id":"2","title":"B","status":"pending","dependencies":["3"]},
            {"id":"3","title":"C","status":"cancelled","dependencies":[]},
            {"id":"4","title":"D","status":"sleeping","dependencies":[]},
            {"id":"5","title":"E","status":null,"dependencies":[]}]}"#;
        let import = read_one("tasks.json", text);
        assert_eq!(problem(&import, ProblemKind::FinishedBeforeBlocker).ids, ["1", "2"]);
        assert_eq!(problem(&import, ProblemKind::WaitsForCancelled).ids, ["2", "3"]);
        let unknown: Vec<&str> = import
            .report
            .problems
            .iter()
            .filter(|problem| problem.kind == ProblemKind::UnknownStatus)
            .flat_map(|problem| problem.ids.iter().map(String::as_str))
            .collect();
        assert_eq!(unknown, ["4", "5"]);
        let (files, _) = export(import.text.as_deref().unwrap(), Format::TaskMaster);
        assert!(files[0].text.contains(r#""status":"sleeping""#), "the file's own word comes back");
    }

    #[test]
    fn ledgers_with_every_kind_of_edge() {
        let edge = |to: &str, kind: &str| {
            format!(r#"{{"issue_id":"x","depends_on_id":"{to}","type":"{kind}","created_by":"u"}}"#)
        };
        let ledger = format!(
            "{}\nnot json\n{}\n",
            format_args!(
                r#"{{"id":"x","title":"X","status":"in_progress","priority":0,"dependencies":[{},{},{},{}]}}"#,
                edge("y", "blocked-by"),
                edge("p", "parent-child"),
                edge("y", "relates-to"),
                edge("y", "admires")
            ),
            r#"{"id":"y","title":"Y","status":"tombstone","priority":0,"deleted_by":"u"}"#
        );
        let import = read_one("issues.jsonl", &ledger);
        assert_eq!(problem(&import, ProblemKind::UnknownKind).ids, ["x", "y"]);
        assert_eq!(problem(&import, ProblemKind::DanglingParent).ids, ["x", "p"]);
        assert_eq!(problem(&import, ProblemKind::Unparseable).line, Some(2));
        assert_eq!(import.report.edges, 4);
        let rows = read_list(import.text.as_deref().unwrap()).unwrap();
        assert_eq!((&rows[0].blocked_by[..], rows[0].parent.as_deref()), (&["y".into()][..], Some("p")));
        let (files, _) = export(import.text.as_deref().unwrap(), Format::Beads);
        for kept in
            ["blocked-by", "parent-child", "relates-to", "admires", r#""created_by":"u""#, r#""deleted_by":"u""#]
        {
            assert!(files[0].text.contains(kept), "{kept} is lost: {}", files[0].text);
        }
    }

    #[test]
    fn mirrored_edges_are_believed_from_either_side() {
        let text = r#"{"tasks":[{"id":"a","title":"A","blocks":["b","zz"]},{"id":"b","title":"B","blocks":[]},
            {"id":"c","title":"C","blockedBy":["b"]}]}"#;
        let import = read_one("list.json", text);
        let mirrors: Vec<&[String]> = import
            .report
            .problems
            .iter()
            .filter(|problem| problem.kind == ProblemKind::Mirror)
            .map(|problem| &problem.ids[..])
            .collect();
        assert_eq!(mirrors, [&["a", "b"][..], &["a", "zz"][..], &["b", "c"][..]]);
        assert_eq!(open(&import).read_json("blocked", "{}").unwrap(), r#"["b","c"]"#);
    }

    #[test]
    fn files_of_two_tools_are_two_lists() {
        let ledger = r#"{"id":"a","title":"A","status":"open","priority":1}"#;
        for order in [["tasks.json", "issues.jsonl"], ["issues.jsonl", "tasks.json"]] {
            let text = |path: &str| if path == "tasks.json" { SMALL } else { ledger };
            let inputs = order.map(|path| Input { path, bytes: text(path).as_bytes() });
            let import = import(&inputs, ImportOptions::default());
            assert_eq!(import.report.tasks, 1);
            assert!(problem(&import, ProblemKind::Unparseable).message.contains("import it by itself"));
        }
    }

    #[test]
    fn what_should_be_a_list_and_is_none_is_told() {
        for text in [r#"{"tasks":{"1":{"id":1,"title":"a"}}}"#, r#"{"tasks":null}"#, r#"{"tasks":"x"}"#] {
            refused("tasks.json", text.as_bytes());
        }
        let text = r#"{"master":{"tasks":[{"id":1,"title":"a","status":"done","dependencies":{"2":true},"subtasks":{"1":{}}}]}}"#;
        let import = read_one("tasks.json", text);
        let odd: Vec<&str> = import.report.problems.iter().map(|problem| problem.kind.word()).collect();
        assert_eq!(odd, ["invalid_value", "invalid_value"]);
        assert!(import.text.as_deref().unwrap().contains(r#""dependencies":{"2":true}"#));
    }

    #[test]
    fn task_master_ids_in_every_spelling() {
        let text = r##"{"master":{"tasks":[
            {"id":29,"title":"T","status":"pending","dependencies":"31, 30","subtasks":[
                {"id":1,"title":"S1","status":"done"},
                {"id":"2","title":"S2","status":"done","dependencies":[1]},
                {"id":"29.3","title":"S3","status":"done","dependencies":["29.1,29.2"]},
                {"id":4,"title":"S4","status":"done","dependencies":[31,"#3","99"]}]},
            {"id":"30","title":"T","status":"pending"},{"id":31,"title":"T","status":"pending","dependencies":["30 32.1"]},{"id":32.1,"title":"Float","status":"pending"}],
            "metadata":{"version":"1"}},
          "other":{"tasks":[{"id":30,"title":"O","status":"pending","dependencies":[31]}],"metadata":{}},
          "empty":{"tasks":[]}}"##;
        let import = read_one("tasks.json", text);
        let rows = read_list(import.text.as_deref().unwrap()).unwrap();
        let edges: Vec<String> = rows.iter().map(|row| format!("{} {}", row.id, row.blocked_by.join("+"))).collect();
        assert_eq!(
            edges,
            [
                "29 31+30",
                "29.1 ",
                "29.2 29.1",
                "29.3 29.1+29.2",
                "29.4 31+29.3+29.99",
                "30 ",
                "31 30+32.1",
                "32.1 ",
                "other/30 other/31"
            ]
        );
        assert_eq!(problem(&import, ProblemKind::Skipped).action, "left out");
        let (files, _) = export(import.text.as_deref().unwrap(), Format::TaskMaster);
        assert_eq!(
            facts(read_as(Format::TaskMaster, &files).text.as_deref().unwrap()),
            facts(import.text.as_deref().unwrap())
        );
        assert!(files[0].text.contains(r#""metadata":{"version":"1"}"#));
    }

    #[test]
    fn what_has_no_home_comes_back() {
        let text = r#"{"tasks":[{"id":"u-1","name":"N","description":"D","status":"completed","dependencies":[{"taskId":"Other"}],
            "notes":"n","relatedFiles":[{"path":"a b"}],"createdAt":"2026-02-17T22:59:58.911Z","completedAt":"2026-02-18T00:00:00.000Z"},
            {"id":"u-2","name":"Other","status":"in_progress","dependencies":[]}],"initialRequest":"why"}"#;
        let import = read_one("tasks.json", text);
        assert_eq!(import.report.format, Some(Format::Shrimp));
        let rows = read_list(import.text.as_deref().unwrap()).unwrap();
        assert_eq!(rows[0].blocked_by, ["u-2"], "a name stands for its task");
        assert_eq!((rows[0].created_at, rows[0].completed_at), (1_771_369_198_911, 1_771_372_800_000));
        let (files, report) = export(import.text.as_deref().unwrap(), Format::Shrimp);
        for kept in [
            r#""notes":"n""#,
            r#""relatedFiles":[{"path":"a b"}]"#,
            r#""createdAt":"2026-02-17T22:59:58.911Z""#,
            r#""initialRequest":"why""#,
        ] {
            assert!(files[0].text.contains(kept), "{kept} is lost: {}", files[0].text);
        }
        assert!(report.problems.is_empty());
        let again = read_as(Format::Shrimp, &files);
        assert_eq!(facts(again.text.as_deref().unwrap()), facts(import.text.as_deref().unwrap()));
    }
}

/// Random rows as a bare list: ids of several styles, every status, parents, edges in every direction.
fn random_list(random: &mut Random, plain_ids: bool) -> String {
    let count = 1 + random.below(14);
    let style = random.below(if plain_ids { 3 } else { 5 });
    let ids: Vec<String> = (0..count)
        .map(|at| match style {
            0 => (at + 1).to_string(),
            1 => format!("bd-{at}x"),
            2 => format!("Task{at}-é"),
            3 => format!("{}.{}", 1 + at / 4, at % 4),
            _ => format!("{}{at}", random.pick(&["a/", "#", "x,", "q ", "__proto__", "ü\"\\", "..", "master/"])),
        })
        .collect();
    let mut rows = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        let title = random.pick(&[
            "Plain",
            "",
            "- [ ] forged",
            "\"quoted\" \\ and\nlines\u{0}",
            "日本語 😀",
            "a: b # c",
            "--- \n---",
        ]);
        let status = random.pick(&["pending", "in_progress", "completed", "cancelled", "held", "deleted"]);
        let mut row = serde_json::json!({ "id": id, "title": title, "status": status, "description": format!("d{at}"),
            "createdAt": 1_700_000_000_000u64 + at as u64, "updatedAt": 1_700_000_500_000u64 });
        if status == "held" {
            row["hold"] = serde_json::json!({ "reason": "external", "note": "wait", "at": 5, "resume": "in_progress" });
        }
        let blockers: Vec<&String> =
            (0..random.below(4)).map(|_| &ids[random.below(count)]).filter(|other| *other != id).collect();
        row["blockedBy"] = serde_json::json!(blockers);
        if random.below(12) == 0 {
            row["blockedBy"] = serde_json::json!(["gone"]);
        }
        if random.below(4) == 0 && at > 0 {
            row["parent"] = serde_json::json!(ids[random.below(at)]);
        }
        if random.below(3) == 0 {
            row["owner"] = serde_json::json!("agent:one");
        }
        if random.below(4) == 0 {
            row["metadata"] = serde_json::json!({ "mine": [1, { "deep": "x" }], "beads": { "priority": 2 } });
        }
        rows.push(row);
    }
    serde_json::json!({ "tasks": rows }).to_string()
}

fn both_ways() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| format.is_read() && format.is_written())
}

/// Folders of these drop rows that were deleted, as the tools themselves do.
fn drops_deleted(format: Format) -> bool {
    matches!(format, Format::ClaudeCode | Format::LearnClaudeCode)
}

#[test]
fn random_lists_come_back_from_every_format() {
    let rounds = if soak() { 3_000 } else { 300 };
    let mut random = Random(1);
    for round in 0..rounds {
        for format in both_ways() {
            let bare = random_list(&mut random, format == Format::Backlog);
            let list = read_one("list.json", &bare);
            open(&list);
            let text = list.text.as_deref().unwrap();
            if drops_deleted(format) && text.contains(r#""status":"deleted""#) {
                continue;
            }
            let (files, _) = export(text, format);
            let back = read_as(format, &files);
            let Some(again) = back.text.as_deref() else {
                panic!("round {round} {format:?}: not read: {}\n{files:?}", back.report.to_text(9));
            };
            assert_eq!(facts(again), facts(text), "round {round} {format:?}\n{files:?}\n{}", back.report.to_text(9));
            open(&back);
            let (second, _) = export(again, format);
            assert_eq!(second, files, "round {round} {format:?}: a second way changes the files");
        }
    }
}

#[test]
fn an_import_can_be_merged_whatever_the_list() {
    let mut random = Random(7);
    for round in 0..if soak() { 5_000 } else { 300 } {
        let ours = read_one("list.json", &random_list(&mut random, false));
        let theirs = read_one("list.json", &random_list(&mut random, false));
        let mut list = open(&ours);
        let before: Vec<String> = list.state().live().map(|(_, task)| task.id().to_owned()).collect();
        let command = serde_json::json!({ "action": "merge", "text": theirs.text.as_deref().unwrap() }).to_string();
        list.run_json(&command, &Context::new("host", 1_800_000_000_000, 1)).unwrap();
        let after: Vec<String> = list.state().live().map(|(_, task)| task.id().to_owned()).collect();
        assert_eq!(&after[..before.len()], before, "round {round}: something disappeared");
        let text = list.snapshot();
        let mut again = Engine::open(&text, None, OpenOptions::default(), [1, 2]).unwrap_or_else(|refusal| {
            panic!("round {round}: what was merged cannot be opened: {}", refusal.to_json());
        });
        assert_eq!(again.snapshot(), text);
        let change = list.run_json(&command, &Context::new("host", 1_800_000_000_001, 2)).unwrap();
        assert!(
            change.contains(r#""changed":false"#),
            "round {round}: a second merge changes something: {change}\n{command}"
        );
    }
}

/// Whatever the bytes: no panic, no empty list without a reason, and what is read opens.
fn check_damaged(format: Option<Format>, files: &[OutputFile], what: &str) {
    let inputs: Vec<Input<'_>> =
        files.iter().map(|file| Input { path: &file.path, bytes: file.text.as_bytes() }).collect();
    check_bytes(format, &inputs, what);
}

fn check_bytes(format: Option<Format>, inputs: &[Input<'_>], what: &str) {
    let found = import(inputs, ImportOptions { from: format, strict: false });
    match &found.text {
        Some(_) => {
            let list = open(&found);
            assert_eq!(list.state().live().count(), found.report.tasks, "{what}");
        }
        None => assert!(!found.report.problems.is_empty(), "{what}: refused without a reason"),
    }
}

#[test]
fn damaged_files_are_read_or_refused_with_a_reason() {
    let rounds = if soak() { 4_000 } else { 300 };
    let mut random = Random(3);
    for round in 0..rounds {
        for format in both_ways() {
            let list = read_one("list.json", &random_list(&mut random, format == Format::Backlog));
            let (files, _) = export(list.text.as_deref().unwrap(), format);
            let mut bytes: Vec<Vec<u8>> = files.iter().map(|file| file.text.clone().into_bytes()).collect();
            for _ in 0..=random.below(3) {
                if bytes.is_empty() {
                    continue;
                }
                let file = random.below(bytes.len());
                damage(&mut bytes[file], &mut random);
            }
            let inputs: Vec<Input<'_>> =
                files.iter().zip(&bytes).map(|(file, bytes)| Input { path: &file.path, bytes }).collect();
            let from = if random.below(2) == 0 { Some(format) } else { None };
            check_bytes(from, &inputs, &format!("round {round} {format:?}"));
        }
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes.truncate(at),
        1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
        2 => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len()))),
        3 => {
            let part: Vec<u8> = bytes[at..(at + random.below(60)).min(bytes.len())].to_vec();
            bytes.splice(at..at, part);
        }
        4 => {
            let word: &[u8] = random.pick(&[
                &b"null"[..],
                b"{",
                b"]",
                b"\"",
                b"\n---\n",
                b"\\ud800",
                b"\0",
                b"[[[[",
                b"-",
                b": &a *a",
                b"\xef\xbb\xbf",
                b"<<<<<<< a\n",
            ]);
            bytes.splice(at..at, word.iter().copied());
        }
        _ => {
            let half = bytes.split_off(at);
            bytes.splice(0..0, half);
        }
    }
}

/// One loop per reader, over inputs made of what its grammar is made of.
#[test]
fn readers_survive_what_looks_like_their_format() {
    let rounds = if soak() { 100_000 } else { 3_000 };
    let tokens: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"id\":",
        "\"tasks\":[",
        "\"status\":",
        "\"dependencies\":",
        "\"subtasks\":[",
        "\"blockedBy\":",
        "\"blocks\":",
        "\"subject\":",
        "\"name\":",
        "\"title\":",
        "\"depends_on_id\":",
        "\"type\":",
        "\"parent-child\"",
        "\"blocks\"",
        "\"master\":{",
        "\"taskId\":",
        "1",
        "1.10",
        "-0",
        "1e9",
        "null",
        "true",
        "\"a\"",
        "\"b\"",
        "\"1.1\"",
        "\"done\"",
        "\"x,y\"",
        "\n",
        "\r\n",
        " ",
        "---\n",
        "- ",
        "id: ",
        "id: 1\n",
        "name: x\n",
        "depends_on:\n",
        "  - a\n",
        "dependencies: [a, b]\n",
        "status: To Do\n",
        "&a ",
        "*a",
        "|\n",
        ">\n",
        "'",
        "# heading\n",
        "\t",
        "\\u0000",
        "\\ud83d",
        "é",
        "😀",
        "\u{feff}",
        "\0",
        "//",
        "#",
        "\"blockedby\":{\"status\":\"held\"}",
        "\"createdAt\":",
        "\"2026-01-01\"",
    ];
    let names = ["tasks.json", "issues.jsonl", "1.json", "task_1.json", "task-1_-_x.md", "plan.md", "2.json", "a/b.md"];
    for format in Format::ALL.into_iter().filter(|format| format.is_read()) {
        let mut random = Random(format as u64 + 100);
        for round in 0..rounds {
            let files: Vec<OutputFile> = (0..=random.below(2))
                .map(|_| {
                    let mut text = String::new();
                    if random.below(2) == 0 {
                        text.push_str(random.pick(&[
                            "{\"tasks\":[{\"id\":1,",
                            "---\n",
                            "{\"id\":\"a\",",
                            "[{",
                            "{\"master\":{\"tasks\":[{",
                        ]));
                    }
                    for _ in 0..random.below(30) {
                        text.push_str(random.pick(tokens));
                    }
                    OutputFile { path: random.pick(&names).to_owned(), text }
                })
                .collect();
            check_damaged(Some(format), &files, &format!("{format:?} {round} {files:?}"));
        }
    }
}

/// Files made to be slow: each of these took minutes when something was looked for one by one.
#[test]
fn large_files_of_one_odd_kind_end() {
    let count = if soak() { 20_000 } else { 6_000 };
    let lines = |line: &dyn Fn(usize) -> String| (0..count).map(|at| line(at) + "\n").collect::<String>();
    let many = |from: usize| (from..from + count).map(|id| id.to_string()).collect::<Vec<String>>().join(",");
    for text in [
        lines(&|at| format!(r#"{{"id":"x","title":"t{at}","status":"open","priority":1}}"#)),
        lines(&|at| {
            let id = if at % 2 == 0 { format!("x~{at}") } else { "x".to_owned() };
            format!(r#"{{"id":"{id}","title":"t{at}","status":"open","priority":1}}"#)
        }),
        format!(r#"{{"tasks":[{{"id":1,"title":"T","status":"done","dependencies":[{}]}}]}}"#, many(2)),
    ] {
        let found = read_one("issues.jsonl", &text);
        assert!(!found.report.is_sound());
        let mut list = Engine::new(blockedby::engine::Rules::default(), [1, 2]);
        let command = serde_json::json!({ "action": "merge", "text": found.text.as_deref().unwrap() }).to_string();
        for operation in 1..3 {
            list.run_json(&command, &Context::new("host", 1_800_000_000_000, operation)).unwrap();
        }
        assert_eq!(list.state().live().count(), found.report.tasks);
    }
}

#[test]
fn the_documents_tables_say_what_the_readers_do() {
    let text = std::fs::read_to_string("docs/formats.md").unwrap();
    let mut words = 0;
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let status = cells[2].split(' ').next().unwrap();
        if cells.len() != 4
            || !["pending", "in_progress", "completed", "cancelled", "deleted", "held"].contains(&status)
        {
            continue;
        }
        for word in cells[1].split('`').filter(|word| !word.trim().is_empty()) {
            words += 1;
            let record = format!("{{\"id\":\"a\",\"title\":\"A\",\"issue_type\":\"task\",\"status\":\"{word}\"}}\n");
            let import = read_one("issues.jsonl", &record);
            let rows = read_list(import.text.as_deref().unwrap()).unwrap();
            assert_eq!(rows[0].status.word(), status, "{word}");
            assert!(import.report.is_sound(), "{word} is unknown");
        }
    }
    assert!(words > 30, "the table of status words was not found");
    for format in Format::ALL {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{}` |", format.word())));
        let row = row.unwrap_or_else(|| panic!("no row for {}", format.word()));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert_eq!((cells[3] == "✓", cells[4] == "✓"), (format.is_read(), format.is_written()), "{row}");
    }
}
