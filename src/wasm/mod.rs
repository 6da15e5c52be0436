//! The boundary to JavaScript; the only place with `wasm-bindgen` and its friends.
//!
//! Text lives on both sides: the engine holds the truth, JavaScript holds frozen rows. So the busy calls
//! carry whole numbers only: slots go in through `numbers`, words through `text`, and every mutation
//! answers with one *delta* in `out` (see [`delta`]). Rare rich answers go out as objects through
//! `serde-wasm-bindgen`. Nothing here calls JavaScript back.

#![allow(unreachable_pub, reason = "exported functions are public to JavaScript")]

mod calls;
mod delta;
mod hub;
mod panic;
mod questions;
mod rows;

/// The standard library's allocator for WebAssembly is twice as large and no faster.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
