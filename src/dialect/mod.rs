//! The wire faces: tool names, argument names and result shapes of each system, over the one engine.

pub mod tasks;

use crate::engine::arguments::{Argument, write_schema};
use crate::engine::error::{Refusal, one_of};
use crate::engine::{Change, Context, Engine};
use crate::json::Writer;

/// One tool as a model sees it.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// When and how to use it.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// Whether it never changes anything.
    pub read_only: bool,
}

/// What a tool call gave.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The result as JSON, as the model reads it; a refusal is a result too.
    pub result: String,
    /// What changed; `None` for a question or a refusal.
    pub change: Option<Change>,
}

/// The names of the dialects.
pub const DIALECTS: [&str; 1] = ["tasks"];

/// The tools of a dialect.
///
/// # Errors
/// `invalid_value` for a dialect that does not exist.
pub fn tools(dialect: &str) -> Result<&'static [Tool], Refusal> {
    match dialect {
        "tasks" => Ok(tasks::TOOLS),
        _ => Err(Refusal::unknown_word("dialect", dialect, &one_of(&DIALECTS))),
    }
}

/// Calls a tool of a dialect.
///
/// # Errors
/// `invalid_value` for a dialect or tool that does not exist; a refused call is an answer.
pub fn call(
    engine: &mut Engine,
    dialect: &str,
    tool: &str,
    arguments: &str,
    context: &Context,
) -> Result<Answer, Refusal> {
    let known = tools(dialect)?;
    if !known.iter().any(|known| known.name == tool) {
        let names: Vec<&str> = known.iter().map(|tool| tool.name).collect();
        return Err(Refusal::unknown_word("tool", tool, &one_of(&names)));
    }
    Ok(tasks::call(engine, arguments, context))
}

/// Calls the one tool of a dialect; the result as JSON.
#[must_use]
pub fn call_json(engine: &mut Engine, dialect: &str, arguments: &str, context: &Context) -> String {
    match tools(dialect).and_then(|tools| call(engine, dialect, tools[0].name, arguments, context)) {
        Ok(answer) => answer.result,
        Err(refusal) => refusal.to_json(),
    }
}

/// The tools of a dialect as JSON: `[{name, title, description, readOnly, inputSchema, outputSchema}]`.
///
/// # Errors
/// `invalid_value` for a dialect that does not exist.
pub fn describe(dialect: &str) -> Result<String, Refusal> {
    let mut writer = Writer::new();
    writer.open_list();
    for tool in tools(dialect)? {
        writer.open();
        writer.field("name", tool.name);
        writer.field("title", tool.title);
        writer.field("description", tool.description);
        writer.key("readOnly");
        writer.bool(tool.read_only);
        writer.key("inputSchema");
        write_schema(tool.arguments, &mut writer);
        writer.key("outputSchema");
        writer.raw(r#"{"type":"object"}"#);
        writer.close();
    }
    writer.close_list();
    Ok(writer.finish())
}
