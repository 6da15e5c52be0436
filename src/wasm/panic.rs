//! The text of a panic, for the error that the wrapper makes of the trap.

use std::cell::RefCell;

use js_sys::Reflect;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

thread_local! {
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

#[wasm_bindgen]
extern "C" {
    // Every runtime with WebAssembly has it; `js_sys::global` would bring the ways of older ones along.
    #[wasm_bindgen(thread_local_v2, js_name = globalThis)]
    static GLOBAL: JsValue;
}

/// Where the text is left for the wrapper: the instance is not called again after a trap.
const PLACE: &str = "__blockedby_panic__";

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |place| format!(" ({}:{})", place.file(), place.line()));
        let text = format!("{}{place}", info.payload_as_str().unwrap_or("panic"));
        let left = GLOBAL.with(|global| Reflect::set(global, &JsValue::from_str(PLACE), &JsValue::from_str(&text)));
        TEXT.with_borrow_mut(|kept| *kept = if left.is_ok() { String::new() } else { text });
    }));
}
