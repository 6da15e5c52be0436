//! Runs the JSON cases of `tests/conformance/` on native Rust (see the README there), and on the
//! naive reference model, so that a case that claims what the spec does not say is noticed.

#![cfg(not(target_arch = "wasm32"))]

mod reference;

use reference::json::{Bindings, Json, filled, quoted};
use reference::subject::Subject;
use reference::{Context, Model, Rules};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

const FIRST_TIME: u64 = 1_720_600_000_000;

/// What a case runs on.
trait Runner {
    /// Whether it gives every word of a result, in order.
    fn is_whole(&self) -> bool;
    fn run(&mut self, command: &str, actor: &str, now: u64) -> Result<String, String>;
    fn read(&mut self, what: &str, args: &str) -> Result<String, String>;
    fn tool(&mut self, dialect: &str, args: &str, actor: &str, now: u64) -> String;
    fn snapshot(&mut self) -> String;
    fn reopen(&mut self) -> Result<(), String>;
    fn stale_after(&mut self) -> Option<u64>;
    /// `None` where this runner cannot load texts.
    fn load(&mut self, load: &Json) -> Option<Result<(), String>>;
}

struct Real(Subject);

impl Runner for Real {
    fn is_whole(&self) -> bool {
        true
    }
    fn run(&mut self, command: &str, actor: &str, now: u64) -> Result<String, String> {
        self.0.run(command, actor, now)
    }
    fn read(&mut self, what: &str, args: &str) -> Result<String, String> {
        self.0.read(what, args)
    }
    fn tool(&mut self, dialect: &str, args: &str, actor: &str, now: u64) -> String {
        self.0.tool(dialect, args, actor, now)
    }
    fn snapshot(&mut self) -> String {
        self.0.snapshot()
    }
    fn reopen(&mut self) -> Result<(), String> {
        self.0 = self.0.open(&self.0.snapshot(), false)?;
        Ok(())
    }
    fn stale_after(&mut self) -> Option<u64> {
        self.0.rules_json()["staleAfter"].as_u64()
    }
    fn load(&mut self, load: &Json) -> Option<Result<(), String>> {
        let flag = |name: &str| load.get(name) == Some(&Json::Bool(true));
        let word = |name: &str| load.get(name).and_then(Json::as_str).map(str::to_owned);
        let mut text = match (load.as_str(), load.get("text").and_then(Json::as_str), load.get("json")) {
            (Some(text), ..) | (_, Some(text), _) => text.to_owned(),
            (_, _, Some(json)) => json.to_string(),
            _ => self.0.snapshot(),
        };
        for edit in load.get("edit").and_then(Json::as_list).unwrap_or_default() {
            let (from, to) =
                (edit.as_list().unwrap()[0].as_str().unwrap(), edit.as_list().unwrap()[1].as_str().unwrap());
            assert!(text.contains(from), "nothing to edit: {from:?} in {text}");
            text = text.replace(from, to);
        }
        if let Some(length) = load.get("cut").and_then(Json::as_u64) {
            text.truncate(usize::try_from(length).unwrap());
        }
        let set_aside = word("onCycle").as_deref() == Some("setAside");
        Some(self.0.open_under(&text, word("rules"), set_aside, flag("adopt")).map(|other| self.0 = other))
    }
}

struct Naive {
    model: Model,
    minted: usize,
}

impl Naive {
    fn mint(&mut self, now: u64) -> Vec<String> {
        let from = self.minted;
        self.minted += 10;
        (from..self.minted).map(|n| format!("t_{now}_{n:08}")).collect()
    }
}

impl Runner for Naive {
    fn is_whole(&self) -> bool {
        false
    }
    fn run(&mut self, command: &str, actor: &str, now: u64) -> Result<String, String> {
        let minted = self.mint(now);
        let command = serde_json::from_str(command).map_err(|error| error.to_string())?;
        match self.model.run(&command, &Context { actor, now, minted: &minted }) {
            Ok(change) => Ok(change.to_string()),
            Err(refusal) => Err(format!("{{\"code\":{},\"details\":{}}}", quoted(refusal.code), refusal.details)),
        }
    }
    fn read(&mut self, what: &str, args: &str) -> Result<String, String> {
        let args = serde_json::from_str(args).map_err(|error| error.to_string())?;
        match self.model.read(what, &args) {
            Ok(answer) => Ok(answer.to_string()),
            Err(refusal) => Err(format!("{{\"code\":{},\"details\":{}}}", quoted(refusal.code), refusal.details)),
        }
    }
    fn tool(&mut self, _: &str, args: &str, actor: &str, now: u64) -> String {
        let minted = self.mint(now);
        let args = serde_json::from_str(args).expect("a case is JSON");
        self.model.tool(&args, &Context { actor, now, minted: &minted }).to_string()
    }
    fn snapshot(&mut self) -> String {
        format!("{:?}", self.model)
    }
    fn reopen(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn stale_after(&mut self) -> Option<u64> {
        self.model.rules.stale_after
    }
    fn load(&mut self, _: &Json) -> Option<Result<(), String>> {
        None
    }
}

/// Compares what came with what a case expects: objects as subsets, or to the letter.
fn compare(expected: &Json, got: &Json, exact: bool, at: &str, bindings: &mut Bindings) -> Result<(), String> {
    let differ = || Err(format!("at {at}: expected {expected}, got {got}"));
    match (expected, got) {
        (Json::Text(name), _) if name.len() > 1 && name.starts_with('$') => {
            let bound = bindings.entry(name.clone()).or_insert_with(|| got.clone());
            if bound == got { Ok(()) } else { Err(format!("at {at}: {name} is {bound}, got {got}")) }
        }
        (Json::Object(want), Json::Object(have)) => {
            if exact && want.iter().map(|(key, _)| key).ne(have.iter().map(|(key, _)| key)) {
                return differ();
            }
            for (key, value) in want {
                let Some(found) = got.get(key) else {
                    // An expected null says that there is no such key.
                    if *value == Json::Null {
                        continue;
                    }
                    return Err(format!("at {at}.{key}: missing in {got}"));
                };
                compare(value, found, exact, &format!("{at}.{key}"), bindings)?;
            }
            Ok(())
        }
        (Json::List(want), Json::List(have)) if want.len() == have.len() => {
            for (place, (want, have)) in want.iter().zip(have).enumerate() {
                compare(want, have, exact, &format!("{at}[{place}]"), bindings)?;
            }
            Ok(())
        }
        _ if expected == got => Ok(()),
        _ => differ(),
    }
}

/// Rows as ids.
fn as_ids(value: Json) -> Json {
    match value {
        Json::List(items) => {
            Json::List(items.into_iter().map(|item| item.get("id").cloned().unwrap_or(item)).collect())
        }
        other => other,
    }
}

fn parsed(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
}

/// A change with lists of ids where the cases have them.
fn with_ids(change: Json) -> Json {
    match change {
        Json::Object(members) => Json::Object(
            members
                .into_iter()
                .map(|(key, value)| {
                    let ids = key == "nowReady" || key == "nowBlocked";
                    (key, if ids { as_ids(value) } else { value })
                })
                .collect(),
        ),
        other => other,
    }
}

/// What the reference model has no notion of: words, hints, and what is only told.
const NOT_MODELLED: [&str; 13] = [
    "kinds",
    "message",
    "hint",
    "didYouMean",
    "titles",
    "who",
    "holder",
    "got",
    "expected",
    "chains",
    "sentence",
    "stored",
    "asked",
];

/// An expectation without what is not modelled.
fn modelled(expected: &Json) -> Json {
    match expected {
        Json::List(items) => Json::List(items.iter().map(modelled).collect()),
        Json::Object(members) => Json::Object(
            members
                .iter()
                .filter(|(key, _)| !NOT_MODELLED.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), modelled(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn judge(step: &Json, result: Result<Json, Json>, bindings: &mut Bindings) -> Result<(), String> {
    match (step.get("error"), step.get("expect"), result) {
        (Some(error), _, Err(got)) => compare(error, &got, false, "error", bindings),
        (Some(error), _, Ok(got)) => Err(format!("expected refusal {error}, got {got}")),
        (None, _, Err(got)) => Err(format!("refused: {got}")),
        (None, Some(expected), Ok(got)) => compare(expected, &got, false, "expect", bindings),
        (None, None, Ok(_)) => Ok(()),
    }
}

/// Runs one case; `Ok(false)` when the runner could not go to its end.
#[allow(clippy::too_many_lines)] // one branch per kind of step
fn run_case(runner: &mut dyn Runner, case: &Json) -> Result<bool, String> {
    let whole = runner.is_whole();
    let mut bindings = Bindings::new();
    let mut now = FIRST_TIME - 1000;
    for (place, step) in case.get("steps").and_then(Json::as_list).ok_or("no steps")?.iter().enumerate() {
        let reduced = if whole { step.clone() } else { modelled(step) };
        let step = &reduced;
        let told = |error: String| format!("step {place}: {error}\n  {step}");
        now = step.get("now").and_then(Json::as_u64).unwrap_or(now + 1000);
        let actor = step.get("actor").and_then(Json::as_str).unwrap_or("host");
        let before = runner.snapshot();
        let mut refused = false;
        if let Some(command) = step.get("do") {
            let result = runner.run(&filled(command, &bindings).to_string(), actor, now);
            refused = result.is_err();
            let result = result.map(|text| with_ids(parsed(&text))).map_err(|text| parsed(&text));
            judge(step, result, &mut bindings).map_err(told)?;
        } else if let Some(read) = step.get("read").and_then(Json::as_str) {
            let args = step.get("args").map_or_else(|| "{}".to_owned(), |args| filled(args, &bindings).to_string());
            let result = runner.read(read, &args);
            refused = true; // a read changes nothing either
            let ids = matches!(read, "ready" | "blocked" | "stalled" | "search" | "blocks");
            let result = result.map(|text| if ids { as_ids(parsed(&text)) } else { parsed(&text) });
            judge(step, result.map_err(|text| parsed(&text)), &mut bindings).map_err(told)?;
        } else if let Some(tool) = step.get("tool") {
            let dialect = tool.get("dialect").and_then(Json::as_str).ok_or("no dialect")?;
            let args = filled(tool.get("args").ok_or("no args")?, &bindings).to_string();
            let actor = step.get("actor").and_then(Json::as_str).unwrap_or("agent:main");
            let result = parsed(&runner.tool(dialect, &args, actor, now));
            refused = result.get("error").is_some();
            if let Some(expected) = step.get("expect") {
                compare(expected, &result, whole, "expect", &mut bindings).map_err(told)?;
            }
        } else if let Some(reload) = step.get("reload") {
            runner.reopen().map_err(told)?;
            if runner.snapshot() != before {
                return Err(told(format!("reload changed\n{before}\nto\n{}", runner.snapshot())));
            }
            now = reload.get("now").and_then(Json::as_u64).unwrap_or(now);
            if reload.get("session") == Some(&Json::Bool(true))
                && let Some(age) = runner.stale_after()
            {
                let command = format!("{{\"action\":\"recoverStale\",\"olderThan\":{age}}}");
                let result = runner.run(&command, "host", now).map(|text| with_ids(parsed(&text)));
                judge(step, result.map_err(|text| parsed(&text)), &mut bindings).map_err(told)?;
            }
        } else if let Some(load) = step.get("load") {
            let Some(result) = runner.load(load) else {
                return Ok(false);
            };
            refused = result.is_err();
            let result = match result {
                Ok(()) => {
                    let rows = runner.read("rows", "{}").map_err(told)?;
                    Ok(Json::Object(vec![("tasks".to_owned(), parsed(&rows))]))
                }
                Err(text) => Err(parsed(&text)),
            };
            judge(step, result, &mut bindings).map_err(told)?;
        } else {
            return Err(told("no such step".to_owned()));
        }
        let after = runner.snapshot();
        if refused && after != before {
            return Err(told(format!("a refusal changed\n{before}\nto\n{after}")));
        }
        runner.reopen().map_err(|error| told(format!("does not open again: {error}\n{after}")))?;
        if runner.snapshot() != after {
            return Err(told(format!("opening again changed\n{after}\nto\n{}", runner.snapshot())));
        }
    }
    Ok(true)
}

/// All cases, each with its file.
fn cases() -> Vec<(String, Json)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a readable file");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        match Json::parse(&text) {
            Ok(Json::List(list)) => cases.extend(list.into_iter().map(|case| (name.clone(), case))),
            Ok(_) => panic!("{name}.json is no list of cases"),
            Err(error) => panic!("{name}.json is not JSON: {error}"),
        }
    }
    cases
}

fn run_all(make: impl Fn(Option<&Json>) -> Box<dyn Runner>) {
    let mut failures = Vec::new();
    let mut complete = 0;
    for (file, case) in cases() {
        let name = case.get("name").and_then(Json::as_str).unwrap_or("(no name)");
        // A panic is the failure of one case, so that the others are told as well.
        let result = catch_unwind(AssertUnwindSafe(|| run_case(&mut *make(case.get("rules")), &case)));
        match result.unwrap_or_else(|_| Err("panicked".to_owned())) {
            Ok(true) => complete += 1,
            Ok(false) => {}
            Err(error) => failures.push(format!("{file}: {name}: {error}")),
        }
    }
    println!("{complete} cases to their end");
    assert!(failures.is_empty(), "{} cases failed:\n\n{}", failures.len(), failures.join("\n\n"));
}

fn rules_value(rules: &Json) -> serde_json::Value {
    serde_json::from_str(&rules.to_string()).expect("JSON")
}

#[test]
fn engine_passes_the_cases() {
    run_all(|rules| {
        Box::new(Real(match rules {
            Some(rules @ Json::Object(_)) => Subject::ruled(&rules_value(rules)),
            rules => Subject::preset(rules.and_then(Json::as_str).unwrap_or("default")),
        }))
    });
}

#[test]
fn reference_model_passes_the_cases() {
    run_all(|rules| {
        let rules = match rules {
            Some(rules @ Json::Object(_)) => Rules::from_json(&rules_value(rules)),
            rules => Rules::preset(rules.and_then(Json::as_str).unwrap_or("default")),
        };
        Box::new(Naive { model: Model::new(rules), minted: 0 })
    });
}

/// Every case names what it proves, and together they prove what they should.
#[test]
fn cases_cover_the_decisions_and_the_refusals() {
    let cases = cases();
    assert!(cases.len() >= 70, "only {} cases", cases.len());
    let mut names = Vec::new();
    let mut decisions = Vec::new();
    let mut codes = Vec::new();
    for (file, case) in &cases {
        let name = case.get("name").and_then(Json::as_str).unwrap_or_else(|| panic!("{file}: a case has no name"));
        assert!(!names.contains(&name), "two cases are called {name}");
        names.push(name);
        let list = case.get("decisions").and_then(Json::as_list).unwrap_or_default();
        assert!(!list.is_empty(), "{name} names no decision");
        decisions.extend(list.iter().filter_map(Json::as_str));
        for step in case.get("steps").and_then(Json::as_list).unwrap_or_default() {
            let error = step.get("error").or_else(|| step.get("expect").and_then(|expect| expect.get("error")));
            codes.extend(error.and_then(|error| error.get("code")).and_then(Json::as_str));
        }
    }
    for decision in [
        "D1", "D2", "D3", "D3a", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15", "D16",
        "D17", "D18", "D19", "D20", "D21", "D22", "D24",
    ] {
        assert!(decisions.contains(&decision), "no case proves {decision}");
    }
    for code in [
        "not_found",
        "unknown_blocker",
        "self_block",
        "cycle",
        "duplicate_id",
        "missing_field",
        "invalid_value",
        "unknown_field",
        "nothing_to_change",
        "invalid_transition",
        "blocked",
        "limit",
        "feature_off",
        "not_holder",
        "held",
        "children_open",
        "undo_conflict",
        "rules_differ",
        "corrupt",
        "unsupported_version",
    ] {
        assert!(codes.contains(&code), "no case is refused with {code}");
    }
}
