//! Opening, changing and saving lists.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::dialect;
use crate::engine::{Change, Command, Engine, OpenOptions, Refusal, Rules};
use crate::task::{Presence, Slots, Status, Words};

use super::delta;
use super::hub::{Hub, REFUSED, UNFIT, answer_pair, with};

fn seed(one: u32, two: u32, three: u32, four: u32) -> [u64; 2] {
    [u64::from(one) << 32 | u64::from(two), u64::from(three) << 32 | u64::from(four)]
}

/// Reads what a caller says of rules: `""` nothing, a preset's name, or an object.
fn rules(text: &str) -> Result<Option<Rules>, Refusal> {
    if text.is_empty() { Ok(None) } else { Rules::from_caller(text).map(Some) }
}

/// Makes an empty list. The rules stand in `text`. Gives a handle.
#[wasm_bindgen]
pub fn create(rules_bytes: u32, one: u32, two: u32, three: u32, four: u32) -> i32 {
    with(|hub| {
        let asked = hub.input(0, rules_bytes as usize).and_then(|text| rules(&text));
        match asked {
            Ok(asked) => hub.keep(Engine::new(asked.unwrap_or_default(), seed(one, two, three, four))),
            Err(refusal) => hub.refuse(&refusal),
        }
    })
}

fn read_list(
    hub: &Hub,
    rules_bytes: u32,
    head_bytes: u32,
    rows_bytes: u32,
    flags: u32,
    seed: [u64; 2],
) -> Result<Engine, Refusal> {
    let (first, second) = (rules_bytes as usize, (rules_bytes + head_bytes) as usize);
    let asked = rules(&hub.input(0, first)?)?;
    let part = |from: usize, bytes: u32| {
        let part = hub.text.get(from..from + bytes as usize).unwrap_or_default();
        std::str::from_utf8(part).map_err(|error| Refusal::corrupt(error.valid_up_to(), "it is not UTF-8"))
    };
    let rows = if flags & 4 == 0 { None } else { Some(part(second, rows_bytes)?) };
    let options = OpenOptions { on_cycle_set_aside: flags & 1 != 0, adopt: flags & 2 != 0 };
    Engine::open_parts(part(first, head_bytes)?, rows, asked, options, seed)
}

/// Opens a list. Rules, head and rows stand in `text` one behind the other. `flags`: 1 set rings aside, 2 adopt
/// the rules, 4 rows are apart. Gives a handle.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "whole numbers cross, objects do not")]
pub fn open(
    rules_bytes: u32,
    head_bytes: u32,
    rows_bytes: u32,
    flags: u32,
    one: u32,
    two: u32,
    three: u32,
    four: u32,
) -> i32 {
    with(|hub| {
        let opened = read_list(hub, rules_bytes, head_bytes, rows_bytes, flags, seed(one, two, three, four));
        let answer = match opened {
            Ok(engine) => hub.keep(engine),
            Err(refusal) => hub.refuse(&refusal),
        };
        let refused = std::mem::take(&mut hub.answer);
        hub.settle();
        hub.answer = refused;
        answer
    })
}

/// Takes the place of a list by what a storage holds; rules, head, rows and flags as for [`open`]. Gives a delta.
#[wasm_bindgen]
pub fn replace(handle: u32, rules_bytes: u32, head_bytes: u32, rows_bytes: u32, flags: u32) -> i32 {
    with(|hub| match read_list(hub, rules_bytes, head_bytes, rows_bytes, flags, [0, 0]) {
        Ok(engine) => {
            let change = hub.list(handle).engine.replace_with(engine);
            delta::write(hub, &change, handle, false)
        }
        Err(refusal) => hub.refuse(&refusal),
    })
}

fn finish(hub: &mut Hub, done: Result<impl Into<Box<Change>>, Refusal>, handle: u32, as_given: bool) -> i32 {
    match done {
        Ok(change) => {
            let change = change.into();
            let written = delta::write(hub, &change, handle, as_given);
            hub.list(handle).engine.recycle(change);
            written
        }
        Err(refusal) => hub.refuse(&refusal),
    }
}

/// The blockers in `numbers`, when each is a row and stands there once.
fn plain_blockers(hub: &Hub, handle: u32, count: u32) -> Option<Slots> {
    let Hub { engines, numbers, .. } = hub;
    let state = engines.get(handle as usize)?.as_ref()?.engine.state();
    let mut blockers = Slots::new();
    for blocker in numbers.get(..count as usize)? {
        let live = state.tasks.get(*blocker as usize).is_some_and(|task| task.presence == Presence::Live);
        if !live || blockers.contains(blocker) {
            return None;
        }
        blockers.push(*blocker);
    }
    Some(blockers)
}

/// Adds a plain task whose words come later with [`fill`]; the blockers' slots stand in `numbers`.
#[wasm_bindgen]
pub fn add(handle: u32, count: u32, now: f64, operation: f64) -> i32 {
    with(|hub| {
        let Some(blockers) = plain_blockers(hub, handle, count) else { return UNFIT };
        let list = hub.list(handle);
        if list.engine.state().missing > 0 {
            return UNFIT;
        }
        let context = list.context(now, operation);
        let given = blockers.len();
        let done = list.engine.add_prepared(blockers, &context);
        let slot = done.as_ref().ok().and_then(|change| change.task);
        let stored = slot.map_or(0, |slot| list.engine.state().task(slot).blocked_by.len());
        finish(hub, done, handle, stored == given)
    })
}

/// Replaces a task's blockers by those whose slots stand in `numbers`.
#[wasm_bindgen]
pub fn set_blockers(handle: u32, slot: u32, count: u32, now: f64, operation: f64) -> i32 {
    with(|hub| {
        let Some(blockers) = plain_blockers(hub, handle, count) else { return UNFIT };
        let list = hub.list(handle);
        let state = list.engine.state();
        let task = state.tasks.get(slot as usize);
        let fit = task.is_some_and(|task| task.presence == Presence::Live && task.status() != Status::Deleted);
        if !fit || blockers.contains(&slot) || !state.rules.revise {
            return UNFIT;
        }
        let context = list.context(now, operation);
        let given = blockers.len();
        let done = list.engine.set_blockers(slot, blockers, &context);
        // The call may have renumbered the slots, so the change says where the task stands now.
        let slot = done.as_ref().ok().and_then(|change| change.task);
        let stored = slot.map_or(0, |slot| list.engine.state().task(slot).blocked_by.len());
        finish(hub, done, handle, stored == given)
    })
}

/// Starts (1) or completes (3) a task that waits for nothing.
#[wasm_bindgen]
pub fn set_status(handle: u32, slot: u32, status: u32, now: f64, operation: f64) -> i32 {
    with(|hub| {
        let list = hub.list(handle);
        // What says that it waits names its blockers, whose words may not be here yet.
        if list.engine.state().tasks.get(slot as usize).is_none_or(|task| task.active > 0) {
            return UNFIT;
        }
        let context = list.context(now, operation);
        let done =
            list.engine.set_status(slot, if status == 1 { Status::InProgress } else { Status::Completed }, &context);
        finish(hub, done, handle, true)
    })
}

/// Fills in words: per task a slot in `numbers`, and in `text` id, title and description, each ended by a NUL.
#[wasm_bindgen]
pub fn fill(handle: u32, count: u32, bytes: u32) {
    with(|hub| {
        let Hub { engines, text, numbers, .. } = hub;
        let Some(Some(list)) = engines.get_mut(handle as usize) else { return };
        let words = std::str::from_utf8(text.get(..bytes as usize).unwrap_or_default()).unwrap_or_default();
        let mut parts = words.split('\0');
        for slot in numbers.iter().take(count as usize) {
            let mut part = || parts.next().unwrap_or_default();
            let words = Words { id: part(), title: part(), description: part(), active_form: "" };
            list.engine.fill(*slot, words);
        }
    });
}

/// Carries out a command that stands in `text` as JSON.
#[wasm_bindgen]
pub fn apply(handle: u32, bytes: u32, now: f64, operation: f64) -> i32 {
    with(|hub| {
        let text = match hub.input(0, bytes as usize) {
            Ok(text) => text,
            Err(refusal) => return hub.refuse(&refusal),
        };
        let list = hub.list(handle);
        let context = list.context(now, operation);
        let done = Command::read(&text).and_then(|command| list.engine.run(&command, &context));
        finish(hub, done, handle, false)
    })
}

/// The slot of the task that the id in `text` means.
#[wasm_bindgen]
pub fn find(handle: u32, bytes: u32) -> i32 {
    with(|hub| {
        let id = hub.input(0, bytes as usize).unwrap_or_default();
        match hub.list(handle).engine.find(&id) {
            Ok(slot) => i32::try_from(slot).unwrap_or(REFUSED),
            Err(refusal) => hub.refuse(&refusal),
        }
    })
}

/// Calls a tool: dialect, tool and arguments stand in `text` one behind the other. The delta is as for
/// [`apply`], 0 for a question or a refused call; the result is taken with [`tool_result`].
#[wasm_bindgen]
pub fn call_tool(
    handle: u32,
    dialect_bytes: u32,
    tool_bytes: u32,
    argument_bytes: u32,
    now: f64,
    operation: f64,
) -> i32 {
    with(|hub| {
        let (first, second) = (dialect_bytes as usize, (dialect_bytes + tool_bytes) as usize);
        let parts = (|| {
            let dialect = hub.input(0, first)?;
            let tool = hub.input(first, tool_bytes as usize)?;
            Ok((dialect, tool, hub.input(second, argument_bytes as usize)?))
        })();
        let (name, tool, arguments) = match parts {
            Ok(parts) => parts,
            Err(refusal) => return hub.refuse(&refusal),
        };
        let list = hub.list(handle);
        let context = list.context(now, operation);
        match dialect::call(&mut list.engine, &name, &tool, &arguments, &context) {
            Ok(answer) => {
                let length = match &answer.change {
                    Some(change) => delta::write(hub, change, handle, false),
                    None => 0,
                };
                // The result says all that a warning would.
                hub.answer = answer.result;
                length
            }
            Err(refusal) => hub.refuse(&refusal),
        }
    })
}

/// The tools of the dialect that stands in `text`, as JSON in `answer`.
#[wasm_bindgen]
pub fn describe_tools(bytes: u32) -> i32 {
    with(|hub| match hub.input(0, bytes as usize).and_then(|name| dialect::describe(&name)) {
        Ok(json) => {
            hub.answer = json;
            0
        }
        Err(refusal) => hub.refuse(&refusal),
    })
}

/// The full snapshot of a dialect, as the event that its hosts know carries it.
#[wasm_bindgen]
pub fn wire_snapshot(handle: u32) {
    with(|hub| {
        let mut writer = crate::json::Writer::new();
        dialect::tasks::write_snapshot(hub.list(handle).engine.state(), &mut writer);
        hub.answer = writer.finish();
    });
}

/// A mark in the journal, to roll back to.
#[wasm_bindgen]
pub fn mark(handle: u32) -> u32 {
    with(|hub| u32::try_from(hub.list(handle).engine.journal().mark()).unwrap_or(u32::MAX))
}

/// Keeps operations from a mark on.
#[wasm_bindgen]
pub fn pin(handle: u32, mark: u32) {
    with(|hub| hub.list(handle).engine.pin_journal(Some(mark as usize)));
}

/// Takes back every operation since a mark; gives a delta.
#[wasm_bindgen]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a revision that JavaScript was given")]
pub fn roll_back(handle: u32, mark: u32, revision: f64) -> i32 {
    with(|hub| {
        let change = hub.list(handle).engine.roll_back_to(mark as usize, revision as u64);
        delta::write(hub, &change, handle, false)
    })
}

/// The operations since a mark, as JSON in `answer`.
#[wasm_bindgen]
pub fn operations(handle: u32, mark: u32) {
    with(|hub| hub.answer = hub.list(handle).engine.operations_json(mark as usize));
}

/// Replays operations that stand in `text`; gives a delta.
#[wasm_bindgen]
pub fn replay(handle: u32, bytes: u32) -> i32 {
    with(|hub| {
        let done = match hub.input(0, bytes as usize) {
            Ok(text) => hub.list(handle).engine.replay_json(&text),
            Err(refusal) => Err(refusal),
        };
        finish(hub, done, handle, false)
    })
}

/// Which operations of a session (named in `text`) the journal holds: their numbers in `out`, two halves each.
#[wasm_bindgen]
pub fn landed(handle: u32, bytes: u32) -> u32 {
    with(|hub| {
        let session = hub.input(0, bytes as usize).unwrap_or_default();
        let Hub { engines, out, .. } = hub;
        out.clear();
        if let Some(Some(list)) = engines.get(handle as usize) {
            for operation in list.engine.journal().iter().filter(|operation| *operation.session == *session) {
                delta::push_long(out, operation.number);
            }
        }
        u32::try_from(out.len() / 2).unwrap_or(0)
    })
}

/// The session's name, as JSON with the list's id in `answer`.
#[wasm_bindgen]
pub fn names(handle: u32) {
    with(|hub| {
        let engine = &hub.list(handle).engine;
        let (session, list) = (engine.session().to_owned(), String::from(&*engine.state().list));
        answer_pair(hub, &session, &list);
    });
}

/// The age at which work in progress is stale when a session opens the list; -1 for never.
#[wasm_bindgen]
#[allow(clippy::cast_precision_loss, reason = "rules hold whole numbers below 2^53")]
pub fn stale_after(handle: u32) -> f64 {
    with(|hub| hub.list(handle).engine.state().rules.stale_after.map_or(-1.0, |age| age as f64))
}

/// Whether the text that the list was opened from had been edited by something else.
#[wasm_bindgen]
pub fn was_edited(handle: u32) -> bool {
    with(|hub| hub.list(handle).engine.was_edited())
}
