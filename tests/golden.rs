//! Golden JSON: what the engine gives, for the hand-written types of `js/types.ts`.
//!
//! This test runs one scenario and compares what came with `tests/golden/*.json`; `tests/js/golden.test.ts`
//! runs the same scenario through the package, and `tests/golden/golden.ts` (written here too) states the same
//! values under `satisfies`, so that `tsc` fails where a type and the engine drift apart.
//!
//! After a wanted change: `BLOCKEDBY_BLESS=1 cargo test --test golden`, then read the difference.

use blockedby::engine::{Context, Engine, OpenOptions, Rules};
use blockedby::json::to_json;
use blockedby::view;
use serde_json::{Value, json};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const SEED: [u64; 2] = [1, 2];
const START: u64 = 1_720_600_000_000;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
}

/// The calls: actor and command; each comes a second after the one before.
fn scenario() -> Vec<(&'static str, Value)> {
    vec![
        (
            "host",
            json!({"action": "add", "id": "plan", "title": "Plan the release", "description": "All of it", "children": "sequence", "metadata": {"ticket": 7}}),
        ),
        (
            "host",
            json!({"action": "add", "id": "db", "title": "Provision the dev DB", "activeForm": "Provisioning the dev DB", "parent": "plan"}),
        ),
        ("agent:one", json!({"action": "add", "title": "Seed fixtures", "blockedBy": ["db"], "owner": "agent:two"})),
        (
            "host",
            json!({"action": "batch", "commands": [
                {"action": "add", "key": "smoke", "title": "Smoke test", "blockedBy": ["docs-key"]},
                {"action": "add", "key": "docs-key", "id": "docs", "title": "Write the docs"},
            ]}),
        ),
        ("host", json!({"action": "start", "id": "plan"})),
        ("agent:one", json!({"action": "claim", "id": "db", "leaseMs": 60000})),
        ("agent:one", json!({"action": "heartbeat", "id": "db", "fence": 1, "leaseMs": 60000})),
        (
            "host",
            json!({"action": "hold", "id": "docs", "reason": "gate", "note": "Ann decides", "resume": "completed"}),
        ),
        ("host", json!({"action": "add", "id": "late", "title": "Started too early", "blockedBy": ["docs"]})),
        ("host", json!({"action": "start", "id": "late"})),
        ("host", json!({"action": "add", "id": "old", "title": "Given up"})),
        ("host", json!({"action": "cancel", "id": "old"})),
        ("host", json!({"action": "add", "id": "gone", "title": "Removed"})),
        ("host", json!({"action": "remove", "id": "gone"})),
        ("host", json!({"action": "add", "id": "done", "title": "Done already", "status": "completed"})),
        ("host", json!({"action": "complete", "id": "done"})),
        ("host", json!({"action": "update", "id": "late", "title": "Started early"})),
        ("host", json!({"action": "undo"})),
        ("host", json!({"action": "redo"})),
    ]
}

/// One scenario that was run.
struct Ran {
    engine: Engine,
    changes: Vec<Value>,
}

fn rows(engine: &mut Engine) -> Value {
    parsed(&engine.read_json("rows", "{}").expect("rows can be read"))
}

/// Puts rows in the place of ids: the change as the package tells it.
fn with_rows(mut change: Value, engine: &mut Engine) -> Value {
    let rows = rows(engine);
    for list in ["nowReady", "nowBlocked"] {
        let told: Vec<Value> = change[list]
            .as_array()
            .expect("a list of ids")
            .iter()
            .map(|id| rows.as_array().expect("rows").iter().find(|row| row["id"] == *id).expect("a row").clone())
            .collect();
        change[list] = Value::Array(told);
    }
    change
}

fn run() -> Ran {
    let mut engine = Engine::new(Rules::default(), SEED);
    let mut changes = Vec::new();
    let mut now = START;
    for (number, (actor, command)) in (1..).zip(scenario()) {
        let change = engine
            .run_json(&command.to_string(), &Context::new(actor, now, number))
            .unwrap_or_else(|refusal| panic!("{command} is refused: {refusal}"));
        changes.push(with_rows(parsed(&change), &mut engine));
        now += 1000;
    }
    Ran { engine, changes }
}

/// Each code that the engine gives, by the shortest way to it: rules, calls, and the call that is refused.
fn refusals() -> Value {
    let add = |id: &str| json!({"action": "add", "id": id, "title": id});
    let after = |id: &str, blocker: &str| json!({"action": "add", "id": id, "title": id, "blockedBy": [blocker]});
    let child = json!({"action": "add", "id": "c", "title": "c", "parent": "a"});
    let cases: Vec<(&str, Value, Vec<Value>)> = vec![
        ("not_found", json!({}), vec![add("task"), json!({"action": "complete", "id": "tsk"})]),
        ("unknown_blocker", json!({}), vec![add("task"), after("b", "tsk")]),
        ("self_block", json!({}), vec![add("a"), json!({"action": "update", "id": "a", "blockedBy": ["a"]})]),
        (
            "cycle",
            json!({}),
            vec![add("a"), after("b", "a"), json!({"action": "update", "id": "a", "blockedBy": ["b"]})],
        ),
        ("duplicate_id", json!({}), vec![add("a"), add("a")]),
        ("missing_field", json!({}), vec![json!({"action": "add"})]),
        ("invalid_value", json!({}), vec![json!({"action": "add", "title": 5})]),
        ("unknown_field", json!({}), vec![json!({"action": "add", "titel": "A"})]),
        ("nothing_to_change", json!({}), vec![add("a"), json!({"action": "update", "id": "a"})]),
        (
            "invalid_transition",
            json!({}),
            vec![add("a"), json!({"action": "remove", "id": "a"}), json!({"action": "complete", "id": "a"})],
        ),
        ("blocked", json!({"strict": true}), vec![add("a"), after("b", "a"), json!({"action": "start", "id": "b"})]),
        ("limit", json!({"maxTasks": 1}), vec![add("a"), add("b")]),
        ("feature_off", json!({"dependencies": false}), vec![add("a"), after("b", "a")]),
        (
            "not_holder",
            json!({}),
            vec![add("a"), json!({"action": "claim"}), json!({"action": "complete", "id": "a", "fence": 9})],
        ),
        (
            "held",
            json!({}),
            vec![add("a"), json!({"action": "hold", "id": "a"}), json!({"action": "claim", "id": "a"})],
        ),
        ("children_open", json!({}), vec![add("a"), child, json!({"action": "complete", "id": "a"})]),
        (
            "undo_conflict",
            json!({}),
            vec![
                add("a"),
                json!({"action": "start", "id": "a"}),
                json!({"action": "recoverStale", "olderThan": 0}),
                json!({"action": "undo"}),
            ],
        ),
    ];
    let mut found = serde_json::Map::new();
    for (code, rules, mut calls) in cases {
        let mut envelope = parsed(&Engine::new(Rules::default(), SEED).snapshot());
        for (name, value) in rules.as_object().expect("rules") {
            envelope["rules"][name] = value.clone();
        }
        let mut engine =
            Engine::open(&envelope.to_string(), None, OpenOptions::default(), SEED).expect("rules that can be opened");
        let last = calls.pop().expect("a call");
        // The clock goes on, so that what is in progress can be stale.
        let mut now = START;
        for (number, call) in (1..).zip(&calls) {
            engine
                .run_json(&call.to_string(), &Context::new("host", now, number))
                .unwrap_or_else(|refusal| panic!("{call}: {refusal}"));
            now += 1000;
        }
        let agent = if code == "held" { "agent:one" } else { "host" };
        let refusal = engine.run_json(&last.to_string(), &Context::new(agent, now, 99)).expect_err(code);
        found.insert(code.to_owned(), parsed(&refusal));
    }
    let texts = [
        ("corrupt", r#"{"tasks":7}"#.to_owned()),
        ("unsupported_version", r#"{"format":"blockedby","version":2,"tasks":[]}"#.to_owned()),
        ("rules_differ", Engine::new(Rules::preset("strict").expect("a preset"), SEED).snapshot()),
    ];
    for (code, text) in texts {
        let refusal = Engine::open(&text, Some(Rules::default()), OpenOptions::default(), SEED).expect_err(code);
        found.insert(code.to_owned(), parsed(&refusal.to_json()));
    }
    for (code, refusal) in &found {
        assert_eq!(refusal["code"], *code, "the way to {code} leads elsewhere");
    }
    Value::Object(found)
}

/// File names, what they hold, and the TypeScript type of it.
fn golden() -> Vec<(&'static str, Value, &'static str)> {
    let Ran { mut engine, changes } = run();
    let calls: Vec<Value> = scenario()
        .into_iter()
        .enumerate()
        .map(|(at, (actor, command))| json!({"actor": actor, "now": START + 1000 * at as u64, "command": command}))
        .collect();
    let detail = |id: &str| parsed(&to_json(&view::detail(engine.state(), engine.find(id).expect("a task"))));
    let details = vec![detail("docs"), detail("db")];
    let explanations: Vec<Value> =
        engine.state().live().map(|(slot, _)| parsed(&to_json(&engine.state().explain(slot)))).collect();
    let panel = parsed(&to_json(&view::panel(engine.state())));
    let lines = parsed(&to_json(&view::rows(engine.state())));
    let operations = parsed(&engine.operations_json(0));
    let read = |engine: &mut Engine, name: &str, args: &str| parsed(&engine.read_json(name, args).expect(name));
    vec![
        (
            "scenario",
            Value::Array(calls),
            "readonly { readonly actor: Actor; readonly now: number; readonly command: Command }[]",
        ),
        ("rows", rows(&mut engine), "readonly Task[]"),
        ("changes", Value::Array(changes), "readonly Change[]"),
        ("refusals", refusals(), "Refusals"),
        ("explanations", Value::Array(explanations), "readonly Explanation[]"),
        ("progress", read(&mut engine, "progress", "{}"), "Progress"),
        (
            "would-cycle",
            json!([
                read(&mut engine, "wouldCycle", r#"{"id":"docs","blocker":"late"}"#),
                read(&mut engine, "wouldCycle", r#"{"id":"old","blocker":"late"}"#),
            ]),
            "readonly WouldCycle[]",
        ),
        ("panel", panel, "Panel"),
        ("details", Value::Array(details), "readonly Detail[]"),
        ("row-lines", lines, "readonly RowLine[]"),
        ("operations", operations, "readonly Operation[]"),
        ("rules", parsed(&engine.snapshot())["rules"].clone(), "Rules"),
    ]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn verify(name: &str, text: &str) {
    let path = folder().join(name);
    if env::var_os("BLOCKEDBY_BLESS").is_some() {
        fs::create_dir_all(folder()).expect("a folder that can be written");
        fs::write(&path, text).expect("a file that can be written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == text,
        "{} is not what the engine gives. If the change is wanted: BLOCKEDBY_BLESS=1 cargo test --test golden\n{text}",
        path.display(),
    );
}

/// `would-cycle` as a name in TypeScript.
fn in_typescript(name: &str) -> String {
    let mut words = name.split('-');
    let mut result = words.next().unwrap_or_default().to_owned();
    for word in words {
        result.push_str(&word[..1].to_uppercase());
        result.push_str(&word[1..]);
    }
    result
}

#[test]
fn golden_files_are_what_the_engine_gives() {
    let mut script = String::from(
        "// Written by tests/golden.rs; do not edit. What the engine gives, under the types of js/types.ts.\n\
         import type {\n  Actor,\n  Change,\n  Command,\n  Detail,\n  Explanation,\n  Operation,\n  Panel,\n  Progress,\n  RowLine,\n  Rules,\n  Task,\n  \
         TaskErrorCode,\n  TaskErrorDetails,\n  WouldCycle,\n} from \"../../js/types.js\";\n\n\
         type Refusals = {\n  readonly [Code in TaskErrorCode]?: {\n    readonly code: Code;\n    readonly message: string;\n    readonly hint: string;\n    \
         readonly details: TaskErrorDetails<Code>;\n  };\n};\n",
    );
    for (name, value, kind) in golden() {
        let text = serde_json::to_string_pretty(&value).expect("JSON");
        verify(&format!("{name}.json"), &format!("{text}\n"));
        write!(script, "\nexport const {} = {text} as const satisfies {kind};\n", in_typescript(name))
            .expect("writing to a text");
    }
    verify("golden.ts", &script);
}

#[test]
fn the_scenario_has_one_text() {
    verify("snapshot.json", &run().engine.snapshot());
}
