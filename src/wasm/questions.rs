//! Rare, rich answers, as JavaScript objects.
//!
//! They come as results: V8 in Node 20 may break off the process when it inlines an export whose only result is a
//! reference and later gives up that inlining; exports with several results, as results become, are not inlined.

use serde::Serialize;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::engine::{Engine, State};
use crate::view;

use super::hub::with;

type Answer = Result<JsValue, JsValue>;

/// An answer as an object: maps as objects, nothing as `undefined`.
fn object(value: &impl Serialize) -> Answer {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_maps_as_objects(true);
    value.serialize(&serializer).map_err(JsValue::from)
}

fn ask<T: Serialize>(handle: u32, question: impl FnOnce(&State) -> T) -> Answer {
    let answer = with(|hub| question(hub.list(handle).engine.state()));
    object(&answer)
}

/// Why a task is as it is.
#[wasm_bindgen]
pub fn explain(handle: u32, slot: u32) -> Answer {
    ask(handle, |state| state.explain(slot))
}

/// Counts over the list.
#[wasm_bindgen]
pub fn progress(handle: u32) -> Answer {
    ask(handle, State::progress)
}

/// Ids of open tasks by layers.
#[wasm_bindgen]
pub fn layers(handle: u32) -> Answer {
    ask(handle, |state| state.layers().iter().map(|layer| state.ids(layer)).collect::<Vec<Vec<String>>>())
}

/// Whether an edge would close a ring.
#[wasm_bindgen]
pub fn would_cycle(handle: u32, slot: u32, blocker: u32) -> Answer {
    let answer = with(|hub| {
        let engine: &mut Engine = &mut hub.list(handle).engine;
        engine.would_cycle(slot, blocker)
    });
    object(&answer)
}

/// The pinned panel.
#[wasm_bindgen]
pub fn view_panel(handle: u32) -> Answer {
    ask(handle, view::panel)
}

/// Every row as a line.
#[wasm_bindgen]
pub fn view_rows(handle: u32) -> Answer {
    ask(handle, view::rows)
}

/// The dialog of a task.
#[wasm_bindgen]
pub fn view_detail(handle: u32, slot: u32) -> Answer {
    ask(handle, |state| view::detail(state, slot))
}

/// The ids of the tasks that wait for one, in creation order.
#[wasm_bindgen]
pub fn blocks(handle: u32, slot: u32) -> Answer {
    ask(handle, |state| state.ids(&state.task(slot).blocks))
}
