//! The `tasks` tool: one tool, six actions (document 000, D20 to D24).

use crate::engine::arguments::{Argument, ArgumentKind, Arguments, Null, peek};
use crate::engine::command::{Add, Command, Patch, Removal};
use crate::engine::error::{Fact, Refusal};
use crate::engine::{Change, Code, Context, Engine, State, check_due, check_length, limits};
use crate::json::Writer;
use crate::task::{Slot, Status};

use super::{Answer, Tool};

static ACTIONS: &[&str] = &["add", "update", "complete", "remove", "list", "blocked"];
static STATUSES: &[&str] = &["pending", "in_progress", "completed", "deleted"];

static ARGUMENTS: &[Argument] = &[
    Argument::required("action", ArgumentKind::Choice(ACTIONS), "What to do."),
    Argument::optional("id", ArgumentKind::Id, "update, complete, remove: the task's id, as a result gave it."),
    Argument::optional(
        "content",
        ArgumentKind::Text,
        "add (required), update: what is to be done, as a short imperative.",
    )
    .or(&["title"]),
    Argument::optional(
        "active_form",
        ArgumentKind::Text,
        "add, update: the same in the present participle, shown while you work on it.",
    )
    .or(&["activeForm"]),
    Argument::optional(
        "blockedBy",
        ArgumentKind::Ids,
        "add, update: ids of the tasks that must be finished first. In update it replaces the whole set; [] clears it.",
    )
    .or(&["blocked_by"]),
    Argument::optional(
        "status",
        ArgumentKind::Choice(STATUSES),
        "update: the new status. Set in_progress when you start.",
    ),
    Argument::optional(
        "status_filter",
        ArgumentKind::Choice(STATUSES),
        "list: only tasks with this status. Left out, every task is listed, deleted ones too.",
    ),
];

/// The one tool.
pub static TOOLS: &[Tool] = &[Tool {
    name: "tasks",
    title: "Tasks",
    description: "Keeps the work of this whole session as a graph of tasks that survives turns, restarts and context \
compaction. Use it for work that spans several turns or has an order; for a throw-away list of what you do in this turn, \
use a todo list instead. A task names in blockedBy the tasks that must be finished before it. Ids are made for you: take \
them from the results, never invent one. Set a task to in_progress when you start it and complete it only when it is \
really done. action blocked tells what cannot start yet; every other pending task is ready. Keep it a working set of \
dozens of tasks, not hundreds, and remove what is no longer wanted.",
    arguments: ARGUMENTS,
    read_only: false,
}];

/// Which arguments each action takes.
fn allowed(action: &str) -> &'static [&'static str] {
    match action {
        "add" => &["content", "blockedBy", "active_form"],
        "update" => &["id", "content", "status", "blockedBy", "active_form"],
        "complete" | "remove" => &["id"],
        "list" => &["status_filter"],
        _ => &[],
    }
}

/// Calls the tool. A refusal is an answer that the model reads: `{action, error}`.
pub fn call(engine: &mut Engine, arguments: &str, context: &Context) -> Answer {
    let action = peek(arguments, "action").ok().flatten().unwrap_or_default().into_owned();
    match run(engine, arguments, context) {
        Ok(answer) => answer,
        Err(refusal) => {
            let mut writer = Writer::new();
            writer.open();
            writer.field("action", &action);
            writer.key("error");
            in_wire_words(refusal).write(&mut writer);
            writer.close();
            Answer { result: writer.finish(), change: None }
        }
    }
}

/// The hint that names fields names those of this wire.
fn in_wire_words(mut refusal: Refusal) -> Refusal {
    if refusal.code == Code::NothingToChange {
        "Give at least one of content, status, blockedBy, active_form.".clone_into(&mut refusal.hint);
    }
    refusal
}

fn run(engine: &mut Engine, text: &str, context: &Context) -> Result<Answer, Refusal> {
    let arguments = Arguments::read(text, ARGUMENTS, Null::Absent, "")?;
    let action = arguments.due("action");
    for argument in &ARGUMENTS[1..] {
        if arguments.has(argument.name) && !allowed(&action).contains(&argument.name) {
            return Err(not_for(argument.name, &action));
        }
    }
    if let Some(content) = arguments.text("content") {
        check_due("content", &content, limits::TITLE_CHARACTERS)?;
    }
    check_length("active_form", &arguments.due("active_form"), limits::SHORT_TEXT_CHARACTERS)?;
    let id = || match arguments.text("id") {
        Some(id) if !id.trim().is_empty() => Ok(id),
        _ => Err(Refusal::missing("id")),
    };
    let command = match &*action {
        "list" => return Ok(question(list(engine.state(), arguments.text("status_filter").as_deref()))),
        "blocked" => return Ok(question(blocked(engine.state()))),
        "add" => Command::Add(Add {
            title: arguments.text("content").ok_or_else(|| Refusal::missing("content"))?,
            active_form: arguments.due("active_form"),
            blocked_by: arguments.ids("blockedBy").unwrap_or_default(),
            ..Add::default()
        }),
        "update" => Command::Update(
            id()?,
            Patch {
                title: arguments.text("content"),
                active_form: arguments.text("active_form"),
                status: arguments.status("status"),
                blocked_by: arguments.ids("blockedBy"),
                ..Patch::default()
            },
        ),
        "complete" => Command::Complete(id()?, None),
        _ => Command::Remove(id()?, Removal::Tombstone),
    };
    let change = engine.run(&command, context)?;
    Ok(Answer { result: mutation(engine.state(), &action, &change), change: Some(change) })
}

fn not_for(argument: &str, action: &str) -> Refusal {
    let known = allowed(action);
    let hint = if known.is_empty() { "It takes no arguments." } else { "It takes: {_known}." };
    let facts =
        [("field", Fact::Text(argument)), ("_action", Fact::Text(action)), ("_known", Fact::Text(&known.join(", ")))];
    Refusal::new(Code::UnknownField, "`{_action}` does not take `{field}`.", hint, &facts)
}

fn question(result: String) -> Answer {
    Answer { result, change: None }
}

fn mutation(state: &State, action: &str, change: &Change) -> String {
    let mut writer = Writer::new();
    writer.open();
    writer.field("action", action);
    if let Some(slot) = change.task {
        writer.key("task");
        write_row(state, slot, &mut writer);
    }
    if !change.changed {
        writer.key("changed");
        writer.bool(false);
    }
    if let Some(warning) = &change.warning {
        writer.key("warning");
        warning.write(state, &mut writer);
    }
    writer.key("snapshot");
    write_snapshot(state, &mut writer);
    writer.close();
    writer.finish()
}

fn list(state: &State, filter: Option<&str>) -> String {
    let mut writer = Writer::new();
    writer.open();
    writer.field("action", "list");
    write_rows("tasks", state, &|_, status| filter.is_none_or(|filter| wire_status(status) == filter), &mut writer);
    writer.key("snapshot");
    write_snapshot(state, &mut writer);
    writer.close();
    writer.finish()
}

fn blocked(state: &State) -> String {
    let mut writer = Writer::new();
    writer.open();
    writer.field("action", "blocked");
    write_rows("tasks", state, &|slot, _| state.blocked.contains(slot), &mut writer);
    writer.close();
    writer.finish()
}

fn write_rows(key: &str, state: &State, wanted: &dyn Fn(Slot, Status) -> bool, writer: &mut Writer) {
    writer.key(key);
    writer.open_list();
    for (slot, task) in state.live() {
        if wanted(slot, task.status()) {
            write_row(state, slot, writer);
        }
    }
    writer.close_list();
}

/// Writes the full snapshot, `{"tasks":[…]}`: what results and the event `tasks_changed` carry.
pub fn write_snapshot(state: &State, writer: &mut Writer) {
    writer.open();
    write_rows("tasks", state, &|_, _| true, writer);
    writer.close();
}

/// The word for a status on this wire (D19).
fn wire_status(status: Status) -> &'static str {
    match status {
        Status::Held => "pending",
        Status::Cancelled => "deleted",
        status => status.word(),
    }
}

/// Writes a compact row: what is empty is left out.
fn write_row(state: &State, slot: Slot, writer: &mut Writer) {
    let task = state.task(slot);
    writer.open();
    writer.field("id", task.id());
    writer.field("content", task.text.title());
    writer.optional("active_form", Some(task.text.active_form()).filter(|form| !form.is_empty()));
    writer.field("status", wire_status(task.status()));
    for (key, slots) in [("blockedBy", &task.blocked_by), ("blocks", &task.blocks)] {
        if !slots.is_empty() {
            state.write_ids(key, slots, writer);
        }
    }
    if task.progress.completed_at > 0 {
        writer.number("completed_at", task.progress.completed_at);
    }
    if let Some(hold) = task.hold().filter(|_| task.status() == Status::Held) {
        writer.key("hold");
        writer.open();
        writer.field("reason", hold.reason.word());
        writer.optional("note", Some(&*hold.note).filter(|note| !note.is_empty()));
        writer.close();
    }
    writer.close();
}
