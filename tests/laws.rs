//! Laws that hold without a model: what is accepted can be read again, operations that do not fit are refused,
//! undo reaches back as far as the journal, a question about an edge says what an edit would do.

#![cfg(not(target_arch = "wasm32"))]

use blockedby::engine::{Command, Context, Engine, OpenOptions, Rules};
use blockedby::json::Reader;
use blockedby::task::Status;
use serde_json::{Value, json};

const SEED: [u64; 2] = [3, 4];
const NOW: u64 = 1_720_600_000_000;
const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits") % below
    }

    fn one<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn id(&mut self) -> &'static str {
        self.one(&IDS)
    }
}

fn rules(text: &str) -> Rules {
    Rules::from_caller(text).expect("rules")
}

/// Another list from a text.
fn open(text: &str) -> Engine {
    Engine::open(text, None, OpenOptions::default(), SEED)
        .unwrap_or_else(|refusal| panic!("does not open again: {}\n{text}", refusal.to_json()))
}

/// The text of a list, which is the same after it was opened again.
fn text_of(engine: &mut Engine) -> String {
    let text = engine.snapshot();
    assert_eq!(open(&text).snapshot(), text, "opening changed the text");
    text
}

fn run(engine: &mut Engine, command: &Value, now: u64, operation: u64) -> Result<Value, Value> {
    let parse = |text: String| serde_json::from_str(&text).expect("JSON");
    engine.run_json(&command.to_string(), &Context::new("host", now, operation)).map(parse).map_err(parse)
}

/// A command that is often accepted; `long` gives the lengths of leases.
fn command(dice: &mut Dice, long: &[u64]) -> Value {
    let id = dice.id();
    match dice.below(20) {
        0..4 => {
            let status = dice.one(&["pending", "pending", "in_progress", "completed"]);
            let mut add = json!({ "action": "add", "id": id, "title": "T", "status": status });
            if dice.below(2) == 0 {
                add["blockedBy"] = json!([dice.id()]);
            }
            if dice.below(3) == 0 {
                add["parent"] = json!(dice.id());
            }
            if dice.below(3) == 0 {
                add["children"] = json!(dice.one(&["group", "sequence"]));
            }
            add
        }
        4..6 => json!({ "action": "update", "id": id, "addBlockedBy": [dice.id()] }),
        6 => json!({ "action": "update", "id": id, "removeBlockedBy": [dice.id()], "title": dice.one(&["x", "y"]) }),
        7 => json!({ "action": "update", "id": id, "parent": dice.one(&["", "a", "b", "c"]) }),
        8 => json!({ "action": "update", "id": id, "metadata": { "n": dice.below(9) } }),
        9 => json!({ "action": dice.one(&["start", "reopen", "cancel"]), "id": id }),
        10 => json!({ "action": "complete", "id": id }),
        11 => json!({ "action": "remove", "id": id, "removal": dice.one(&["tombstone", "strip", "cancel"]) }),
        12 => json!({ "action": "hold", "id": id, "resume": dice.one(&["pending", "in_progress", "completed"]) }),
        13 => json!({ "action": "release", "id": id }),
        14 => json!({ "action": "claim", "leaseMs": dice.one(long) }),
        15 => json!({ "action": "heartbeat", "id": id, "fence": dice.below(4), "leaseMs": dice.one(long) }),
        16 | 17 => json!({ "action": "undo" }),
        18 => json!({ "action": "redo" }),
        _ => json!({ "action": "archive", "settledBefore": NOW + dice.below(200) as u64 }),
    }
}

#[test]
fn what_is_accepted_can_be_read_again() {
    let edge = (1 << 53) - 1;
    let leases = [0, 1, 60_000, 315_360_000_000, 315_360_000_001, edge - NOW, edge];
    let times = [0, 1, 5, 1_000, NOW, NOW + 1, 8_640_000_000_000_000, 8_640_000_000_000_001, edge, edge + 1, u64::MAX];
    let counters = [0, 7, (1 << 52) - 9, (1 << 52) - 1, edge - 1, edge];
    let mut accepted = 0;
    for seed in 0..100 {
        let mut dice = Dice(seed);
        let clear = if dice.below(2) == 0 { r#"{"onComplete":"clear"}"# } else { "{}" };
        let mut envelope: Value =
            serde_json::from_str(&Engine::new(rules(clear), SEED).snapshot()).expect("a snapshot is JSON");
        let many = dice.below(3) == 0;
        for path in ["/revision", "/counters/seq", "/counters/fence"] {
            let number = if many { dice.one(&counters) } else { dice.one(&counters[..3]) };
            *envelope.pointer_mut(path).expect("a counter") = json!(number);
        }
        envelope["tasks"] =
            json!([{ "id": "g", "title": "G", "blockedBy": ["gone"], "updatedAt": dice.one(&[1, edge]) }]);
        let mut engine = open(&envelope.to_string());
        for operation in 1..40 {
            let before = engine.snapshot();
            let done = run(&mut engine, &command(&mut dice, &leases), dice.one(&times), operation);
            match done {
                Ok(_) => accepted += 1,
                Err(_) => assert_eq!(engine.snapshot(), before, "a refusal changed something"),
            }
            text_of(&mut engine);
        }
    }
    assert!(accepted > 400, "only {accepted} commands were accepted");
}

#[test]
fn quick_calls_refuse_times_that_cannot_be_read_again() {
    let mut engine = Engine::new(Rules::default(), SEED);
    let late = Context::new("host", 8_640_000_000_000_001, 1);
    run(&mut engine, &json!({ "action": "add", "id": "a", "title": "A" }), NOW, 1).expect("a task");
    let before = engine.snapshot();
    let blockers = blockedby::task::Slots::new;
    assert!(engine.add_prepared(blockers(), &late).is_err());
    assert!(engine.set_blockers(0, blockers(), &late).is_err());
    assert!(engine.set_status(0, blockedby::task::Status::Completed, &late).is_err());
    assert_eq!(engine.snapshot(), before);
}

/// Metadata may be so deep that a row, an operation and a batch around it still can be read.
#[test]
fn deep_metadata_is_refused_before_it_cannot_be_read_again() {
    let nested = |levels: usize| format!("{{\"k\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    for (levels, fits) in [(56, true), (57, false), (62, false), (64, false)] {
        let mut engine = Engine::new(Rules::default(), SEED);
        let add = format!(r#"{{"action":"add","id":"a","title":"A","metadata":{}}}"#, nested(levels));
        let batch = format!(r#"{{"action":"batch","commands":[{add}]}}"#);
        let done = engine.run_json(&batch, &Context::new("host", NOW, 1));
        assert_eq!(done.is_ok(), fits, "{levels} levels: {done:?}");
        if fits {
            run(&mut engine, &json!({ "action": "remove", "id": "a", "removal": "strip" }), NOW, 2).expect("removed");
            run(&mut engine, &json!({ "action": "undo" }), NOW, 3).expect("back");
            let mut copy = Engine::new(Rules::default(), SEED);
            copy.replay_json(&engine.operations_json(0)).expect("operations can be read");
        } else {
            let limit: Value = serde_json::from_str(&done.expect_err("refused")).expect("JSON");
            assert_eq!(limit["code"], "limit", "{limit}");
            let bare = format!(r#"{{"tasks":[{{"id":"a","title":"A","facet":{}}}]}}"#, nested(levels));
            assert!(Engine::open(&bare, None, OpenOptions::default(), SEED).is_err(), "a row of {levels} levels");
        }
        text_of(&mut engine);
    }
}

/// Calls keep trees within a depth; a loaded one is as deep as its text says.
#[test]
fn a_tree_of_any_depth_can_be_loaded() {
    let depth = 20_000;
    let child = |at: usize| format!(r#"{{"id":"t{at}","title":"T","parent":"t{}"}}"#, at + 1);
    let mut rows: Vec<String> = (0..depth).map(child).collect();
    rows.push(format!(r#"{{"id":"t{depth}","title":"T","blockedBy":["x"]}},{{"id":"x","title":"X"}}"#));
    let mut engine = open(&format!(r#"{{"tasks":[{}]}}"#, rows.join(",")));
    assert_eq!(engine.state().blocked.len(), depth + 1);
    run(&mut engine, &json!({ "action": "complete", "id": "x" }), NOW, 1).expect("completed");
    assert_eq!(engine.state().ready.len(), depth + 1);
}

/// The items of a JSON list as they are written.
fn items(list: &str) -> Vec<String> {
    let mut reader = Reader::new(list);
    let (mut first, mut items) = (true, Vec::new());
    reader.array().expect("a list");
    while reader.item(&mut first).expect("an item") {
        items.push(reader.raw().expect("a value").to_owned());
    }
    items
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// Something wrong: items dropped, doubled, swapped, or all of it twice.
fn disturb<T: Clone>(dice: &mut Dice, items: &mut Vec<T>) {
    let (one, other) = (dice.below(items.len()), dice.below(items.len()));
    match dice.below(4) {
        0 => drop(items.remove(one)),
        1 => items.insert(other.max(one), items[one].clone()),
        2 => items.swap(one, other),
        _ => items.extend(items.clone()),
    }
}

#[test]
fn operations_that_do_not_fit_are_refused() {
    let (mut refused, mut fitted) = (0, 0);
    for seed in 0..80 {
        let mut dice = Dice(seed);
        let rules_text = dice.one(&["{}", r#"{"onComplete":"clear"}"#, r#"{"children":"sequence"}"#]);
        let mut engine = Engine::new(rules(rules_text), SEED);
        let mut before = String::new();
        let (start, count) = (dice.below(12), 1 + dice.below(20));
        let mut operation = 0;
        while operation < (start + count) as u64 {
            if operation == start as u64 && before.is_empty() {
                before = engine.snapshot();
            }
            let asked = command(&mut dice, &[1, 60_000]);
            let done = run(&mut engine, &asked, NOW + operation * 7, operation);
            operation += u64::from(done.is_ok_and(|change| change["changed"] == true)).max(dice.below(2) as u64);
        }
        let mark = engine.journal().mark()
            - usize::try_from(engine.state().revision - open(&before).state().revision).expect("few");
        let mut operations = items(&engine.operations_json(mark));
        let mut twin = open(&before);
        twin.replay_json(&list(&operations)).unwrap_or_else(|refusal| panic!("{seed}: {refusal:?}\n{operations:#?}"));
        assert_eq!(twin.snapshot(), text_of(&mut engine), "{seed}: replay leads elsewhere");
        if operations.is_empty() {
            continue;
        }
        for _ in 0..20 {
            let whole = operations.clone();
            if dice.below(2) == 0 {
                disturb(&mut dice, &mut operations);
            } else {
                let at = dice.below(operations.len());
                let (head, events) = operations[at].split_once(r#""events":"#).expect("events");
                let mut events = items(events.strip_suffix('}').expect("an object"));
                if events.is_empty() {
                    continue;
                }
                disturb(&mut dice, &mut events);
                operations[at] = format!("{head}\"events\":{}}}", list(&events));
            }
            let mut twin = open(&before);
            match twin.replay_json(&list(&operations)) {
                Ok(_) => {
                    fitted += 1;
                    text_of(&mut twin);
                }
                Err(refusal) => {
                    refused += 1;
                    assert!(refusal.to_json().contains(r#""code":"corrupt""#), "{refusal:?}");
                    assert_eq!(twin.snapshot(), before, "{seed}: a refused replay changed something\n{operations:#?}");
                    // And the list lives on.
                    run(&mut twin, &json!({ "action": "add", "id": "z", "title": "Z" }), NOW, 9_999).expect("alive");
                    text_of(&mut twin);
                }
            }
            operations = whole;
        }
    }
    assert!(refused > 500 && fitted > 200, "{refused} refused, {fitted} fitted");
}

#[test]
fn a_forged_event_is_refused() {
    let mut engine = Engine::new(Rules::default(), SEED);
    run(&mut engine, &json!({ "action": "add", "id": "a", "title": "A" }), NOW, 1).expect("a");
    run(&mut engine, &json!({ "action": "add", "id": "b", "title": "B" }), NOW, 2).expect("b");
    let before = engine.snapshot();
    for event in [
        r#"{"blockedBy":2,"old":[],"new":[1,1]}"#,
        r#"{"blockedBy":2,"old":[],"new":["x","x"]}"#,
        r#"{"blockedBy":2,"old":[],"new":[2]}"#,
        r#"{"blockedBy":2,"old":[],"new":[3]}"#,
        r#"{"blockedBy":2,"old":[1],"new":[]}"#,
        r#"{"parent":2,"old":null,"new":2}"#,
        r#"{"parent":2,"old":1,"new":null}"#,
        r#"{"parent":2,"old":null,"new":"x"}"#,
        r#"{"progress":2,"old":["in_progress",1,0],"new":["completed",1,2]}"#,
        r#"{"progress":3,"old":["pending",0,0],"new":["completed",1,2]}"#,
        r#"{"updated":2,"old":1,"new":2}"#,
        r#"{"updated":2,"old":1720600000000,"new":1}"#,
        r#"{"text":2,"old":{"title":"A"},"new":{"title":"C"}}"#,
        r#"{"extra":2,"old":{"owner":"x"},"new":null}"#,
        r#"{"count":"fence","old":1,"new":2}"#,
        r#"{"count":"fence","old":0,"new":0}"#,
        r#"{"create":{"id":"b","seq":3,"title":"B"}}"#,
        r#"{"create":{"id":"c","seq":2,"title":"C"}}"#,
        r#"{"create":{"id":"c","title":"C"}}"#,
        r#"{"drop":{"id":"b","seq":2,"title":"Other","status":"pending","createdBy":"host","createdAt":1720600000000,"updatedAt":1720600000000}}"#,
        r#"{"drop":{"id":"c","seq":3,"title":"C"}}"#,
    ] {
        let operation =
            format!(r#"[{{"id":"s.9","actor":"host","at":5,"action":"x","role":"plain","events":[{event}]}}]"#);
        let refusal = engine.replay_json(&operation).expect_err(event);
        assert_eq!(serde_json::from_str::<Value>(&refusal.to_json()).expect("JSON")["code"], "corrupt", "{event}");
        assert_eq!(engine.snapshot(), before, "{event}");
    }
    // A row's own fields cannot come in as facets, and nothing is no facet.
    let facets = r#"[{"id":"s.9","actor":"host","at":5,"action":"x","role":"plain","events":[{"extra":2,"old":null,"new":{"id":"a","seq":1,"x":null,"y":7}}]}]"#;
    engine.replay_json(facets).expect("a facet");
    assert!(text_of(&mut engine).contains(r#""y":7"#));
}

#[test]
fn a_wrong_rule_is_named_with_what_was_given_and_what_it_may_be() {
    for (text, field, got, expected) in [
        (r#"{"strict":true,"maxTasks":1.5}"#, "rules.maxTasks", "1.5", "a whole number from 0 to 4294967295, or null"),
        (r#"{"maxTasks":4294967296}"#, "rules.maxTasks", "4294967296", "a whole number from 0 to 4294967295, or null"),
        (r#"{"staleAfter":-1}"#, "rules.staleAfter", "-1", "a whole number of milliseconds, or null"),
        (r#"{"depth":65}"#, "rules.depth", "65", "a whole number from 1 to 64"),
        (r#"{"strict":"yes"}"#, "rules.strict", "\"yes\"", "true or false"),
        (r#"{"onComplete":"drop"}"#, "rules.onComplete", "\"drop\"", "keep or clear"),
        (r#"{"mode":null}"#, "rules.mode", "null", "simple or issues"),
        (r#"{"children":["x"]}"#, "rules.children", "[\"x\"]", "group or sequence"),
        (r#""lax""#, "rules", "\"lax\"", "default, strict, tasks or an object of rules"),
        ("7", "rules", "7", "default, strict, tasks or an object of rules"),
    ] {
        let refusal = Rules::from_caller(text).expect_err(text).to_json();
        let refusal: Value = serde_json::from_str(&refusal).expect("JSON");
        assert_eq!(refusal["code"], "invalid_value", "{text}");
        assert_eq!(refusal["details"], json!({ "field": field, "got": got, "expected": expected }), "{text}");
    }
    let unknown = Rules::from_caller(r#"{"maxtasks":1}"#).expect_err("no such rule").to_json();
    assert!(unknown.contains(r#""didYouMean":"maxTasks""#), "{unknown}");
    assert_eq!(Rules::from_caller(r#""strict""#), Ok(Rules { strict: true, ..Rules::default() }));
    assert_eq!(Rules::from_caller(r#"{"maxTasks":null,"depth":2}"#), Ok(Rules { depth: 2, ..Rules::default() }));
}

fn rows(engine: &mut Engine) -> Value {
    let mut rows: Value = serde_json::from_str(&engine.read_json("rows", "{}").expect("rows")).expect("JSON");
    for row in rows.as_array_mut().expect("a list") {
        row["updatedAt"] = Value::Null;
    }
    rows
}

#[test]
fn undo_reaches_back_a_hundred_calls_and_redo_as_far() {
    let mut engine = Engine::new(Rules::default(), SEED);
    let mut operation = 0;
    let mut step = |engine: &mut Engine, command: Value| {
        operation += 1;
        let change = run(engine, &command, NOW + operation, operation).expect("accepted");
        let json = engine.snapshot();
        let (_, journal) = json.split_once("\"journal\":").expect("a journal");
        assert!(journal.len() <= (64 << 10) + 2, "{} bytes", journal.len());
        assert!(engine.journal().iter().count() <= 300);
        change["changed"] == true
    };
    for number in 0..130 {
        step(&mut engine, json!({ "action": "add", "id": format!("task{number}"), "title": "A task of some length" }));
    }
    let all = rows(&mut engine);
    let first: Value = all.as_array().expect("rows")[..30].iter().cloned().collect();
    for _ in 0..3 {
        for _ in 0..100 {
            assert!(step(&mut engine, json!({ "action": "undo" })));
        }
        assert!(!step(&mut engine, json!({ "action": "undo" })), "no more than a hundred");
        assert_eq!(rows(&mut engine), first);
        engine = open(&text_of(&mut engine));
        for _ in 0..100 {
            assert!(step(&mut engine, json!({ "action": "redo" })));
        }
        assert!(!step(&mut engine, json!({ "action": "redo" })));
        assert_eq!(rows(&mut engine), all);
    }
    // To and fro does not push out what came before it, near the end and half-way.
    for round in 0..2 {
        for _ in 0..150 {
            assert!(step(&mut engine, json!({ "action": "undo" })));
            assert!(step(&mut engine, json!({ "action": "redo" })));
        }
        for _ in 0..20 * round {
            assert!(step(&mut engine, json!({ "action": "undo" })));
        }
        engine = open(&text_of(&mut engine));
    }
    let mut left = 0;
    while step(&mut engine, json!({ "action": "undo" })) {
        left += 1;
    }
    assert_eq!(left, 80);
    assert_eq!(rows(&mut engine), first);
    // Without a restart a journal of long operations reaches as far.
    let mut engine = Engine::new(Rules::default(), SEED);
    let long = "x".repeat(9_000);
    let mut number = 0;
    let mut step = |engine: &mut Engine, command: Value| {
        number += 1;
        run(engine, &command, NOW, number).expect("accepted")["changed"] == true
    };
    for number in 0..100 {
        step(&mut engine, json!({ "action": "add", "id": format!("t{number}"), "title": long }));
    }
    for action in ["undo", "redo", "undo"] {
        for _ in 0..100 {
            assert!(step(&mut engine, json!({ "action": action })));
        }
    }
    assert_eq!(rows(&mut engine), json!([]));
}

#[test]
fn the_question_about_an_edge_says_what_an_update_does() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let rules_text =
            dice.one(&["{}", r#"{"onComplete":"clear"}"#, r#"{"children":"sequence","onComplete":"clear"}"#]);
        let mut engine = Engine::new(rules(rules_text), SEED);
        if dice.below(2) == 0 {
            engine = open(
                r#"{"tasks":[{"id":"a","title":"A","blockedBy":["gone","c"]},{"id":"b","title":"B","parent":"a"}]}"#,
            );
        }
        for operation in 0..30 {
            let asked = command(&mut dice, &[1]);
            let _either = run(&mut engine, &asked, NOW, operation);
        }
        let text = text_of(&mut engine);
        let ids: Vec<String> = engine.state().live().map(|(_, task)| task.id().to_owned()).collect();
        for id in &ids {
            for blocker in ids.iter().map(String::as_str).chain(["gone"]) {
                let mut update = json!({ "action": "update", "id": id, "addBlockedBy": [blocker] });
                if engine.state().task(engine.find(id).expect("known")).status().word() == "deleted" {
                    update["status"] = json!("pending");
                }
                let done = run(&mut open(&text), &update, NOW, 99);
                let asked = engine.read_json("wouldCycle", &json!({ "id": id, "blocker": blocker }).to_string());
                let asked: Value = serde_json::from_str(&asked.unwrap_or_else(|refusal| refusal)).expect("JSON");
                match done {
                    Ok(_) => assert_eq!(asked["cycle"], false, "{seed}: {update}\n{text}"),
                    Err(refusal) if refusal["code"] == "unknown_blocker" => assert_eq!(asked["code"], "not_found"),
                    Err(refusal) => {
                        let closes = refusal["code"] == "cycle" || refusal["code"] == "self_block";
                        assert!(closes && asked["cycle"] == true, "{seed}: {update}\n{refusal} {asked}\n{text}");
                        yes += 1;
                        continue;
                    }
                }
                no += 1;
            }
        }
        assert_eq!(engine.snapshot(), text, "a question changed something");
    }
    assert!(yes > 200 && no > 200, "{yes} rings, {no} edges");
}

#[test]
fn a_change_whose_memory_is_used_again_says_nothing_of_the_one_before() {
    let mut engine = Engine::new(Rules::default(), SEED);
    let batch = r#"{"action":"batch","commands":[{"action":"add","key":"k","id":"a","title":"A"},
        {"action":"add","id":"b","title":"B","blockedBy":["k"]}]}"#;
    let context = Context::new("host", NOW, 1);
    let change = engine.run(&Command::read(batch).expect("a command"), &context).expect("accepted");
    assert_eq!((change.tasks.len(), change.keys.len()), (2, 1));
    engine.recycle(change.into());
    let warned = engine.set_status(1, Status::InProgress, &Context::new("host", NOW, 2)).expect("accepted");
    assert!(warned.warning.is_some() && warned.tasks.is_empty() && warned.keys.is_empty());
    engine.recycle(warned);
    let refused = engine.set_blockers(0, std::iter::once(1).collect(), &Context::new("host", NOW, 3));
    assert!(refused.is_err(), "a ring");
    let done = engine.set_status(0, Status::Completed, &Context::new("host", NOW, 4)).expect("accepted");
    // The task, and the one that it released.
    assert_eq!((done.task, done.touched.len(), done.warning.is_none()), (Some(0), 2, true));
}
