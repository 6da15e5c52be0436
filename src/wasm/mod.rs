//! The boundary to JavaScript; the only place with `wasm-bindgen` and its friends.
//!
//! One crate gives two WebAssembly files: with the feature `core` the engine, with `files` the reading and writing of
//! other tools' files, which is heavy and rarely needed. What follows is about the engine.
//!
//! Text lives on both sides: the engine holds the truth, JavaScript holds frozen rows. So the busy calls
//! carry whole numbers only: slots go in through `numbers`, words through `text`, and every mutation
//! answers with one *delta* in `out` (see [`delta`]). Rare rich answers go out as objects through
//! `serde-wasm-bindgen`. Nothing here calls JavaScript back.

#![allow(unreachable_pub, reason = "exported functions are public to JavaScript")]

#[cfg(feature = "core")]
mod calls;
#[cfg(feature = "core")]
mod delta;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "core")]
mod hub;
mod panic;
#[cfg(feature = "core")]
mod questions;
#[cfg(feature = "core")]
mod rows;

/// The standard library's allocator for WebAssembly is twice as large and no faster.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
