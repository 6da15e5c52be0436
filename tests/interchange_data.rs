//! Real task files, which are not part of this repository: each is imported or refused with a reason. Prints a table:
//!
//! ```sh
//! cargo test --release --test interchange_data -- --nocapture
//! ```
//!
//! They are looked for in the folder that `BLOCKEDBY_DATA` names, else beside the checkout; where there is none, that
//! is said and nothing is tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use blockedby::engine::{Engine, OpenOptions};
use blockedby::interchange::{Import, ImportOptions, Input, ProblemKind, export, import, read_list};

/// What is in the data: path, tasks, edges, groups with rings, dangling edges, repeated ids; `None` where a file must
/// be refused. Where an independent count of the same data differs, the reason stands beside.
const EXPECTED: &[(&str, Option<[usize; 5]>)] = &[
    // 1,089 distinct ids: seven more records share the id 42.42 and are kept under ids of their own.
    ("taskmaster/eyaltoledano+claude-task-master__tasks.json", Some([1096, 974, 1, 1, 7])),
    ("taskmaster/eyaltoledano+claude-task-master__tasks@d5a14fb5.json", Some([755, 755, 5, 1, 7])),
    ("taskmaster/eyaltoledano+claude-task-master__tasks@1841cda5.json", None),
    ("taskmaster/eyaltoledano+claude-task-master__tasks@516bc928.json", None),
    ("taskmaster/PBLIZZ+codexcrmapp__tasks@be69c888.json", Some([356, 420, 8, 5, 0])),
    ("taskmaster/goatdev08+urbeapp__tasks@d600c9eb.json", Some([708, 730, 0, 0, 0])),
    ("taskmaster/CanAISolutions+canai-platform__tasks@51060406.json", Some([451, 590, 0, 11, 0])),
    // Counted as 3 dangling: one text that holds several ids is read as several.
    ("taskmaster/0xfauzi+testcraft__tasks@d267a357.json", Some([171, 184, 0, 0, 0])),
    ("taskmaster/KaizenCoder+notebooklm__tasks@4c43e80b.json", Some([128, 31, 0, 0, 0])),
    // Counted as 4 dangling: a bare number without such a sibling means the task of that number.
    ("taskmaster/AcidicSoil+prompts__tasks@ea58680f.json", Some([237, 193, 0, 0, 0])),
    ("taskmaster/dsuth10+TimetableV1__tasks.json@caa4487b.bak", Some([20, 48, 0, 0, 0])),
    // 10,360 distinct ids, 159 of them twice with different content.
    ("beads/steveyegge+beads__issues@f8113c57.jsonl", Some([10_519, 367, 0, 0, 159])),
    // Counted as without rings: those here go through parents.
    ("beads/Dicklesworthstone+frankentui__issues@b03984ae.jsonl", Some([1709, 3440, 1, 0, 0])),
    ("beads/Dicklesworthstone+pi_agent_rust__issues@876c3663.jsonl", Some([787, 1686, 0, 0, 0])),
    // 247 distinct ids, 21 of them twice, one of those with different content. Its repeated edges are those of doubled records.
    ("beads/hachej+boring-ui__issues@6e960e0c.jsonl", Some([248, 513, 0, 0, 21])),
    ("beads/AgentWorkforce+relay__issues@030edd72.jsonl", Some([439, 97, 1, 0, 0])),
    // The two carry an edge's kind inside the id.
    ("beads/crewday+crewday__issues@b863a4dd.jsonl", Some([1463, 1713, 0, 2, 0])),
    ("beads/klauern+blues-traveler__beads@3e54a9a8.jsonl", Some([112, 30, 0, 0, 0])),
    ("beads/bedrock-kv+bedrock__beads@f0a9738b.jsonl", Some([24, 15, 0, 0, 0])),
    ("claude-code-tasks/FabianSperrle+time-tracker__claude-tasks", Some([16, 38, 0, 0, 0])),
    ("learn-claude-code/tai769+Qcode__tasks", Some([44, 2, 0, 0, 0])),
    ("learn-claude-code/buding0904+learn-claude-code-node__tasks", Some([7, 5, 0, 0, 0])),
    ("learn-claude-code/pindao9527+learn-claude-code-rust__tasks", Some([6, 2, 0, 0, 0])),
    // Counted as 4: two more edges are said by `blocks` alone.
    ("learn-claude-code/wjxalexander+my-claude-code__tasks", Some([7, 6, 0, 0, 0])),
    ("learn-claude-code/anurag-mishra899+Nano-ClaudeCode__tasks", Some([8, 4, 0, 0, 0])),
    ("backlog-md/rmusser01+tldw_chatbook__backlog", Some([290, 75, 0, 0, 0])),
    ("shrimp/changheecho+invoice-web__tasks@3ae8eaa6.json", Some([17, 22, 0, 0, 0])),
    ("shrimp/jaydennn-x+jiangs-stock__tasks@3d2b3b96.json", None),
    ("plans/alkimiadev+taskgraph_ts__tasks", Some([44, 80, 0, 0, 0])),
    // A dump of another tool's database, which is no task file.
    ("plans/Oortonaut+task-graph-mcp__test-snapshot.json", None),
];

fn data() -> Option<PathBuf> {
    let place = std::env::var_os("BLOCKEDBY_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    if place.is_dir() {
        return Some(place);
    }
    println!("NOT TESTED: there is no folder {}; name one in BLOCKEDBY_DATA.", place.display());
    None
}

/// The files at a path, in their natural order: a file, or all of a folder.
fn files(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = if path.is_dir() {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    } else {
        vec![path.to_owned()]
    };
    paths.sort_by_key(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        (digits.parse::<u64>().unwrap_or(0), name)
    });
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

fn read(files: &[(String, Vec<u8>)]) -> Import {
    let inputs: Vec<Input<'_>> = files.iter().map(|(path, bytes)| Input { path, bytes }).collect();
    import(&inputs, ImportOptions::default())
}

#[test]
fn every_list_is_read_or_refused_and_its_counts_are_known() {
    let Some(data) = data() else { return };
    println!("| file | tasks | edges | cycles | dangling | doubled | other problems | ms |");
    println!("|---|---:|---:|---:|---:|---:|---|---:|");
    let mut wrong = Vec::new();
    for (path, expected) in EXPECTED {
        let files = files(&data.join(path));
        let start = Instant::now();
        let found = read(&files);
        let took = start.elapsed().as_millis();
        let report = &found.report;
        let counts = [
            report.tasks,
            report.edges,
            report.cycles,
            report.count(&[ProblemKind::DanglingEdge]),
            report.count(&[ProblemKind::DuplicateSame, ProblemKind::DuplicateDifferent]),
        ];
        let mut kinds: Vec<&str> = report.problems.iter().map(|problem| problem.kind.word()).collect();
        kinds.sort_unstable();
        let others: Vec<String> =
            kinds.chunk_by(|one, other| one == other).map(|group| format!("{} {}", group.len(), group[0])).collect();
        let [tasks, edges, cycles, dangling, doubled] = counts;
        println!("| {path} | {tasks} | {edges} | {cycles} | {dangling} | {doubled} | {} | {took} |", others.join(", "));
        match &found.text {
            None => {
                println!("|   refused: {} |", report.problems[0].message);
                if expected.is_some() {
                    wrong.push(format!("{path} was refused: {}", report.to_text(3)));
                }
            }
            Some(text) => {
                if Some(counts) != *expected {
                    wrong.push(format!("{path}: {counts:?} instead of {expected:?}"));
                }
                let opened = Engine::open(text, None, OpenOptions::default(), [1, 2]);
                if let Err(refusal) = opened {
                    wrong.push(format!("{path}: the engine refuses it: {}", refusal.to_json()));
                }
                let format = report.format.unwrap();
                if format.is_written() {
                    let (written, _) = export(text, format);
                    let files: Vec<(String, Vec<u8>)> =
                        written.into_iter().map(|file| (file.path, file.text.into_bytes())).collect();
                    let again = read(&files);
                    if again.text.as_deref().map(facts) != Some(facts(text)) {
                        wrong.push(format!("{path}: another graph after a way out and back"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Id, title, status, edges and parent of each row.
fn facts(text: &str) -> Vec<String> {
    let rows = read_list(text).unwrap();
    let fact = |row: &blockedby::interchange::ListRow<'_>| {
        let mut edges: Vec<&str> = row.blocked_by.iter().chain(&row.aside).map(|id| &**id).collect();
        edges.sort_unstable();
        format!("{} {} {:?} {edges:?} {:?}", row.id, row.title, row.status, row.parent)
    };
    let mut facts: Vec<String> = rows.iter().map(fact).collect();
    facts.sort_unstable();
    facts
}

#[test]
fn every_single_file_is_read_or_refused_with_a_reason() {
    let Some(data) = data() else { return };
    let (mut folders, mut count, mut refused) = (vec![data], 0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            count += 1;
            let found = read(&files(&path));
            if found.text.is_some() {
                assert!(found.report.tasks > 0, "{}", path.display());
            } else {
                let reason = found.report.problems.first().expect("a reason").message.clone();
                refused.push(format!("{}: {reason}", path.display()));
            }
        }
    }
    println!("{count} files, {} refused:\n{}", refused.len(), refused.join("\n"));
    assert!(count > 0);
}
