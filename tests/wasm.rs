//! The conformance cases inside WebAssembly, in Node and in a browser, without any JavaScript of ours.

#[path = "reference/json.rs"]
#[allow(dead_code)] // these tests need a part of it
mod json;
#[path = "reference/subject.rs"]
#[allow(dead_code)] // these tests need a part of it
mod subject;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// The files of `tests/conformance/`, embedded: there is no file system where these tests run.
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("conformance/", $name, ".json")))),*];
    };
}

files![
    "add",
    "batch",
    "claim",
    "complete",
    "cycles",
    "hold",
    "load",
    "merge",
    "readiness",
    "remove",
    "rules",
    "tasks-dialect",
    "text",
    "tree",
    "undo",
    "update",
];

/// Natively only the list of files is checked; `tests/conformance.rs` runs the cases.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_file_is_embedded() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    found.sort();
    let embedded: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, embedded, "tests/wasm.rs embeds other files than there are");
}

#[cfg(target_arch = "wasm32")]
mod on_wasm {
    use super::FILES;
    use super::json::{Bindings, Json, filled};
    use super::subject::Subject;
    use blockedby::engine::{Context, Engine, OpenOptions, Rules};
    use wasm_bindgen_test::wasm_bindgen_test;

    const FIRST_TIME: u64 = 1_720_600_000_000;

    fn parsed(text: &str) -> Json {
        Json::parse(text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
    }

    fn keys(members: &[(String, Json)]) -> Vec<&str> {
        members.iter().map(|(key, _)| key.as_str()).collect()
    }

    /// Compares what came with what a case expects: objects as subsets, or to the letter.
    fn compare(expected: &Json, got: &Json, exact: bool, bindings: &mut Bindings) -> Result<(), String> {
        match (expected, got) {
            (Json::Text(name), _) if name.len() > 1 && name.starts_with('$') => {
                let bound = bindings.entry(name.clone()).or_insert_with(|| got.clone());
                if bound == got { Ok(()) } else { Err(format!("{name} is {bound}, got {got}")) }
            }
            (Json::Object(want), Json::Object(have)) => {
                if exact && keys(want) != keys(have) {
                    return Err(format!("expected {expected}, got {got}"));
                }
                for (key, value) in want {
                    match got.get(key) {
                        Some(found) => compare(value, found, exact, bindings)?,
                        // An expected null says that there is no such key.
                        None if *value == Json::Null => {}
                        None => return Err(format!("no {key} in {got}")),
                    }
                }
                Ok(())
            }
            (Json::List(want), Json::List(have)) if want.len() == have.len() => {
                want.iter().zip(have).try_for_each(|(want, have)| compare(want, have, exact, bindings))
            }
            _ if expected == got => Ok(()),
            _ => Err(format!("expected {expected}, got {got}")),
        }
    }

    fn judge(step: &Json, result: Result<Json, Json>, bindings: &mut Bindings) -> Result<(), String> {
        match (step.get("error"), result) {
            (Some(error), Err(got)) => compare(error, &got, false, bindings),
            (Some(error), Ok(got)) => Err(format!("expected refusal {error}, got {got}")),
            (None, Err(got)) => Err(format!("refused: {got}")),
            (None, Ok(got)) => step.get("expect").map_or(Ok(()), |expected| compare(expected, &got, false, bindings)),
        }
    }

    fn as_json(result: Result<String, String>) -> Result<Json, Json> {
        result.map(|text| parsed(&text)).map_err(|text| parsed(&text))
    }

    /// The text that a `load` step opens.
    fn text_of(load: &Json, current: String) -> String {
        let mut text = match (load.as_str(), load.get("text").and_then(Json::as_str), load.get("json")) {
            (Some(text), ..) | (_, Some(text), _) => text.to_owned(),
            (_, _, Some(json)) => json.to_string(),
            _ => current,
        };
        for edit in load.get("edit").and_then(Json::as_list).unwrap_or_default() {
            let pair = edit.as_list().expect("a pair");
            text = text.replace(pair[0].as_str().expect("text"), pair[1].as_str().expect("text"));
        }
        if let Some(length) = load.get("cut").and_then(Json::as_u64) {
            text.truncate(usize::try_from(length).expect("a length"));
        }
        text
    }

    struct Case {
        subject: Subject,
        bindings: Bindings,
        now: u64,
    }

    impl Case {
        /// Carries out one step; whether the list must be as it was.
        fn step(&mut self, step: &Json) -> Result<bool, String> {
            self.now = step.get("now").and_then(Json::as_u64).unwrap_or(self.now + 1000);
            let Case { subject, bindings, now } = self;
            let actor = |otherwise| step.get("actor").and_then(Json::as_str).unwrap_or(otherwise);
            if let Some(command) = step.get("do") {
                let result = subject.run(&filled(command, bindings).to_string(), actor("host"), *now);
                let refused = result.is_err();
                judge(step, as_json(result), bindings)?;
                return Ok(refused);
            }
            if let Some(read) = step.get("read").and_then(Json::as_str) {
                let args = step.get("args").map_or_else(|| "{}".to_owned(), |args| filled(args, bindings).to_string());
                judge(step, as_json(subject.read(read, &args)), bindings)?;
                return Ok(true);
            }
            if let Some(tool) = step.get("tool") {
                let dialect = tool.get("dialect").and_then(Json::as_str).ok_or("no dialect")?;
                let args = filled(tool.get("args").ok_or("no args")?, bindings).to_string();
                let result = parsed(&subject.tool(dialect, &args, actor("agent:main"), *now));
                if let Some(expected) = step.get("expect") {
                    compare(expected, &result, true, bindings)?;
                }
                return Ok(result.get("error").is_some());
            }
            if let Some(reload) = step.get("reload") {
                *subject = subject.open(&subject.snapshot(), false)?;
                *now = reload.get("now").and_then(Json::as_u64).unwrap_or(*now);
                if let (Some(Json::Bool(true)), Some(age)) =
                    (reload.get("session"), subject.rules_json()["staleAfter"].as_u64())
                {
                    let command = format!("{{\"action\":\"recoverStale\",\"olderThan\":{age}}}");
                    judge(step, as_json(subject.run(&command, "host", *now)), bindings)?;
                    return Ok(false);
                }
                return Ok(true);
            }
            let load = step.get("load").ok_or("no such step")?;
            let text = text_of(load, subject.snapshot());
            let word = |name: &str| load.get(name).and_then(Json::as_str).map(str::to_owned);
            let aside = word("onCycle").as_deref() == Some("setAside");
            let opened = subject.open_under(&text, word("rules"), aside, load.get("adopt") == Some(&Json::Bool(true)));
            let refused = opened.is_err();
            let result = match opened {
                Ok(other) => {
                    *subject = other;
                    let rows = parsed(&subject.read("rows", "{}")?);
                    Ok(Json::Object(vec![("tasks".to_owned(), rows)]))
                }
                Err(text) => Err(parsed(&text)),
            };
            judge(step, result, bindings)?;
            Ok(refused)
        }
    }

    fn run_case(case: &Json) -> Result<(), String> {
        let subject = match case.get("rules") {
            Some(rules @ Json::Object(_)) => Subject::ruled(&serde_json::from_str(&rules.to_string()).expect("JSON")),
            rules => Subject::preset(rules.and_then(Json::as_str).unwrap_or("default")),
        };
        let mut case_run = Case { subject, bindings: Bindings::new(), now: FIRST_TIME - 1000 };
        for (place, step) in case.get("steps").and_then(Json::as_list).ok_or("no steps")?.iter().enumerate() {
            let told = |error: String| format!("step {place}: {error}\n  {step}");
            let before = case_run.subject.snapshot();
            let untouched = case_run.step(step).map_err(told)?;
            let after = case_run.subject.snapshot();
            if untouched && after != before {
                return Err(told(format!("a refusal or a read changed\n{before}\nto\n{after}")));
            }
            let again = case_run.subject.open(&after, false).map_err(told)?.snapshot();
            if again != after {
                return Err(told(format!("opening again changed\n{after}\nto\n{again}")));
            }
        }
        Ok(())
    }

    #[wasm_bindgen_test]
    fn the_cases_hold() {
        let mut failures = Vec::new();
        let mut count = 0;
        for (file, text) in FILES {
            for case in parsed(text).as_list().expect("a list of cases") {
                count += 1;
                if let Err(error) = run_case(case) {
                    failures.push(format!(
                        "{file}: {}: {error}",
                        case.get("name").and_then(Json::as_str).unwrap_or("(no name)")
                    ));
                }
            }
        }
        assert!(count >= 60, "only {count} cases");
        assert!(failures.is_empty(), "{} cases failed:\n\n{}", failures.len(), failures.join("\n\n"));
    }

    /// 32 bits here, 64 on the machine that wrote the golden text: ids, checksums and order are the same.
    #[wasm_bindgen_test]
    fn the_text_of_the_golden_scenario_is_that_of_other_machines() {
        let calls = parsed(include_str!("golden/scenario.json"));
        let mut engine = Engine::new(Rules::default(), [1, 2]);
        for (number, call) in (1..).zip(calls.as_list().expect("a list")) {
            let actor = call.get("actor").and_then(Json::as_str).expect("an actor");
            let now = call.get("now").and_then(Json::as_u64).expect("a time");
            let command = call.get("command").expect("a command").to_string();
            engine.run_json(&command, &Context::new(actor, now, number)).expect("an accepted call");
        }
        assert_eq!(engine.snapshot(), include_str!("golden/snapshot.json"));
    }

    #[wasm_bindgen_test]
    fn times_beyond_32_bits_and_the_largest_numbers_survive() {
        let mut engine = Engine::new(Rules::default(), [3, 4]);
        // The last moment of a JavaScript date, and the last whole number.
        let (late, last) = (8_640_000_000_000_000, (1 << 53) - 1);
        engine
            .run_json(r#"{"action":"add","id":"a","title":"A"}"#, &Context::new("host", late, last))
            .expect("an accepted call");
        let text = engine.snapshot();
        assert!(text.contains("8640000000000000") && text.contains("9007199254740991"), "{text}");
        let again = Engine::open(&text, None, OpenOptions::default(), [5, 6]).expect("it opens").snapshot();
        assert_eq!(again, text);
    }

    /// The stack of WebAssembly is small: nothing walks it with the data.
    #[wasm_bindgen_test]
    fn long_chains_need_no_stack() {
        let mut engine = Engine::new(Rules::default(), [1, 2]);
        let mut entries = Vec::new();
        for at in 0..5_000 {
            let blocker = if at == 0 { String::new() } else { format!("\"c{}\"", at - 1) };
            entries.push(format!(r#"{{"action":"add","id":"c{at}","title":"C","blockedBy":[{blocker}]}}"#));
        }
        let batch = format!(r#"{{"action":"batch","commands":[{}]}}"#, entries.join(","));
        engine.run_json(&batch, &Context::new("host", 1, 1)).expect("an accepted call");
        let refusal =
            engine.run_json(r#"{"action":"update","id":"c0","blockedBy":["c4999"]}"#, &Context::new("host", 2, 2));
        assert!(refusal.expect_err("a ring").starts_with(r#"{"code":"cycle""#));
        let text = engine.snapshot();
        let mut opened = Engine::open(&text, None, OpenOptions::default(), [1, 2]).expect("it opens");
        assert_eq!(opened.snapshot(), text);
        assert!(
            opened.read_json("explain", r#"{"id":"c4999"}"#).expect("an answer").contains(r#""rootCauses":["c0"]"#)
        );
    }

    #[wasm_bindgen_test]
    fn hostile_texts_are_refused() {
        let mut engine = Engine::new(Rules::default(), [1, 2]);
        let before = engine.snapshot();
        let deep =
            format!(r#"{{"action":"add","title":"T","metadata":{}{}}}"#, "{\"a\":".repeat(5_000), "}".repeat(5_000));
        for command in
            ["", "null", "[]", "{", "\0", r#"{"action":"add","title":"\ud800"}"#, &deep, &"[".repeat(100_000)]
        {
            assert!(
                engine.run_json(command, &Context::new("host", 1, 1)).is_err(),
                "{}",
                &command[..command.len().min(40)]
            );
        }
        assert_eq!(engine.snapshot(), before);
        for text in ["", "\0\0\0", "{", "[]", &"{\"tasks\":[".repeat(10_000)] {
            assert!(Engine::open(text, None, OpenOptions::default(), [1, 2]).is_err());
        }
    }
}
