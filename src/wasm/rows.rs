//! Rows out: in columns for showing, as stored text for saving.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::engine::{Engine, State};
use crate::json::Writer;
use crate::task::{Presence, Slot, Task};

use super::delta::push_long;
use super::hub::{Hub, answer_pair, with};

/// How many numbers a row has before its blockers.
const FIXED: usize = 24;

/// The facts of the slots that stand in `numbers`: numbers in `out`, words in `answer` one behind the other.
///
/// Per row: slot; presence, status and readiness; seq, created, updated, started, completed (two halves each);
/// parent; lengths (UTF-16) of id, title, description, active form, creator and other facets (as JSON); whether
/// all words are ASCII is not said: lengths count UTF-16 units; then the number of blockers and their slots.
#[wasm_bindgen]
pub fn facts(handle: u32, count: u32) {
    with(|hub| {
        let Hub { engines, numbers, out, answer, .. } = hub;
        let Some(Some(list)) = engines.get(handle as usize) else { return };
        let state = list.engine.state();
        out.clear();
        answer.clear();
        for slot in numbers.iter().take(count as usize) {
            push_facts(state, *slot, out, answer);
        }
    });
}

fn push_facts(state: &State, slot: Slot, out: &mut Vec<u32>, words: &mut String) {
    let task = state.task(slot);
    out.reserve(FIXED + task.blocked_by.len());
    let presence = match task.presence {
        Presence::Live => 0,
        Presence::Missing => 1,
        Presence::Gone | Presence::Forgotten => 2,
    };
    out.push(slot);
    out.push(presence | (task.status() as u32) << 8 | (task.readiness() as u32) << 12);
    for number in [task.seq, task.created_at, task.updated_at, task.progress.started_at, task.progress.completed_at] {
        push_long(out, number);
    }
    out.push(task.parent().unwrap_or(Slot::MAX));
    let text = &task.text;
    for part in [text.id(), text.title(), text.description(), text.active_form(), &task.created_by] {
        push_words(part, out, words);
    }
    push_words(&other_facets(task), out, words);
    out.push(u32::try_from(task.blocked_by.len()).unwrap_or(0));
    out.extend(&task.blocked_by);
}

fn push_words(part: &str, out: &mut Vec<u32>, words: &mut String) {
    let length = if part.is_ascii() { part.len() } else { part.chars().map(char::len_utf16).sum() };
    out.push(u32::try_from(length).unwrap_or(u32::MAX));
    words.push_str(part);
}

fn other_facets(task: &Task) -> String {
    match &task.extra {
        Some(extra) => crate::engine::snapshot::extra_json(extra),
        None => String::new(),
    }
}

fn answer_slots(hub: &mut Hub, slots: impl FnOnce(&State) -> Vec<Slot>, handle: u32) -> u32 {
    let found = slots(hub.list(handle).engine.state());
    hub.out = found;
    u32::try_from(hub.out.len()).unwrap_or(u32::MAX)
}

/// The slots of ready tasks, at most `limit`, in `out`.
#[wasm_bindgen]
pub fn ready(handle: u32, limit: u32) -> u32 {
    with(|hub| answer_slots(hub, |state| state.ready.iter().take(limit as usize).collect(), handle))
}

/// The slot of the first ready task; -1 when none is.
#[wasm_bindgen]
pub fn first_ready(handle: u32) -> i32 {
    with(|hub| {
        hub.list(handle).engine.state().ready.iter().next().and_then(|slot| i32::try_from(slot).ok()).unwrap_or(-1)
    })
}

/// The slots of blocked tasks, at most `limit`, in `out`.
#[wasm_bindgen]
pub fn blocked(handle: u32, limit: u32) -> u32 {
    with(|hub| answer_slots(hub, |state| state.blocked.iter().take(limit as usize).collect(), handle))
}

/// The slots of stalled tasks in `out`.
#[wasm_bindgen]
pub fn stalled(handle: u32) -> u32 {
    with(|hub| answer_slots(hub, State::stalled, handle))
}

/// The slots of the critical path in `out`.
#[wasm_bindgen]
pub fn critical_path(handle: u32) -> u32 {
    with(|hub| answer_slots(hub, State::critical_path, handle))
}

/// The slots of live tasks in creation order in `out`.
#[wasm_bindgen]
pub fn order(handle: u32) -> u32 {
    with(|hub| answer_slots(hub, |state| state.live().map(|(slot, _)| slot).collect(), handle))
}

/// The slots of placeholders for missing tasks in `out`.
#[wasm_bindgen]
pub fn missing(handle: u32) -> u32 {
    let missing =
        |state: &State| (0..state.next_slot()).filter(|slot| state.task(*slot).presence == Presence::Missing).collect();
    with(|hub| answer_slots(hub, missing, handle))
}

/// The slots of tasks that match the words in `text`, at most `limit`, in `out`.
#[wasm_bindgen]
pub fn search(handle: u32, bytes: u32, limit: u32) -> u32 {
    with(|hub| {
        let query = hub.input(0, bytes as usize).unwrap_or_default();
        answer_slots(hub, |state| state.search(&query, limit as usize), handle)
    })
}

/// How many slots there are, rows and others.
#[wasm_bindgen]
pub fn slots(handle: u32) -> u32 {
    with(|hub| hub.list(handle).engine.state().next_slot())
}

/// The stored text of the rows whose slots stand in `numbers`: in `answer`, each ended by a NUL.
#[wasm_bindgen]
pub fn export_rows(handle: u32, count: u32) {
    with(|hub| {
        let Hub { engines, numbers, answer, .. } = hub;
        let Some(Some(list)) = engines.get_mut(handle as usize) else { return };
        *answer = export(&mut list.engine, &numbers[..count as usize]);
    });
}

fn export(engine: &mut Engine, slots: &[Slot]) -> String {
    let mut text = String::new();
    for slot in slots {
        let mut writer = Writer::after(text);
        engine.export_row(*slot, &mut writer);
        text = writer.finish();
        text.push('\0');
    }
    text
}

/// What stands before and behind the rows of a stored text, as a JSON list of two strings in `answer`.
#[wasm_bindgen]
pub fn envelope(handle: u32) {
    with(|hub| {
        let (head, tail) = hub.list(handle).engine.envelope();
        answer_pair(hub, &head, &tail);
    });
}
