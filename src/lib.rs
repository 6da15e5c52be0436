//! blockedby: the task graph for AI agents.
//!
//! Facts are stored; readiness is computed. A task's status and its `blockedBy` edges are facts; ready,
//! blocked, stalled and why all follow from them. Commands go in, changes come out; the crate does no IO and
//! reads neither clock nor randomness.
//!
//! ```
//! use blockedby::engine::{Context, Engine, Rules};
//!
//! let mut list = Engine::new(Rules::default(), [1, 2]);
//! list.run_json(r#"{"action":"add","id":"db","title":"Provision the dev DB"}"#, &Context::new("host", 1, 1)).unwrap();
//! list.run_json(r#"{"action":"add","id":"seed","title":"Seed fixtures","blockedBy":["db"]}"#, &Context::new("host", 2, 2)).unwrap();
//! assert_eq!(list.read_json("ready", "{}").unwrap(), r#"["db"]"#);
//! ```

pub mod dialect;
pub mod engine;
pub mod graph;
pub mod interchange;
pub mod json;
pub mod task;
pub mod view;
#[cfg(feature = "wasm")]
mod wasm;
