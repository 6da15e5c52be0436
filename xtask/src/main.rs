//! Host-only chores, run as `cargo xtask <chore> [arguments]`.
//!
//! - `bindgen`: writes the JavaScript glue for a WebAssembly file (arguments of `wasm-bindgen`).
//! - `test-runner`: runs a WebAssembly test binary (arguments of `wasm-bindgen-test-runner`);
//!   `.cargo/config.toml` names it as the runner of the wasm32 target.
//!
//! Both are library calls into the pinned `wasm-bindgen-cli`: `Cargo.lock` is then the only place
//! where its version is written, and nobody has to install a matching command by hand.

#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;

use wasm_bindgen_cli::{wasm_bindgen, wasm_bindgen_test_runner};

const USAGE: &str = "usage: cargo xtask <bindgen | test-runner> [arguments]";

fn main() -> ExitCode {
    // The chore's name stays in front: the library calls expect a program name there.
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let chore = arguments.first().and_then(|name| name.to_str());
    let outcome: Result<(), Box<dyn Error>> = match chore {
        Some("bindgen") => wasm_bindgen::run_cli_with_args(arguments).map_err(Into::into),
        Some("test-runner") => wasm_bindgen_test_runner::run_cli_with_args(arguments).map_err(Into::into),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
