//! What callers ask for, read from JSON by tables.

use std::borrow::Cow;

use crate::task::{ChildOrder, HoldReason, Millis, Status};

use super::arguments::{Argument, ArgumentKind, Arguments, Null, peek};
use super::error::{Code, Fact, Refusal, one_of, sentence};
use super::nearest::nearest;

type Text<'a> = Cow<'a, str>;

/// A new task.
#[derive(Debug, Clone, Default)]
pub struct Add<'a> {
    /// The title.
    pub title: Text<'a>,
    /// The id; minted when absent.
    pub id: Option<Text<'a>>,
    /// The description; empty for none.
    pub description: Text<'a>,
    /// The title in the present participle; empty for none.
    pub active_form: Text<'a>,
    /// Ids (or, in a batch, local keys) of the blockers.
    pub blocked_by: Vec<Text<'a>>,
    /// The parent.
    pub parent: Option<Text<'a>>,
    /// How its children are ordered.
    pub children: Option<ChildOrder>,
    /// Who works on it.
    pub owner: Option<Text<'a>>,
    /// The status it starts with.
    pub status: Status,
    /// A JSON object of the host.
    pub metadata: Option<&'a str>,
    /// A name for it inside its batch.
    pub key: Option<Text<'a>>,
}

/// Changes to a task. `None` leaves alone; the empty text, list or object takes away.
#[derive(Debug, Clone, Default)]
pub struct Patch<'a> {
    /// The title.
    pub title: Option<Text<'a>>,
    /// The description.
    pub description: Option<Text<'a>>,
    /// The active form.
    pub active_form: Option<Text<'a>>,
    /// The status; not `held`.
    pub status: Option<Status>,
    /// The whole new set of blockers.
    pub blocked_by: Option<Vec<Text<'a>>>,
    /// Blockers to add.
    pub add_blocked_by: Option<Vec<Text<'a>>>,
    /// Blockers to take out.
    pub remove_blocked_by: Option<Vec<Text<'a>>>,
    /// The parent.
    pub parent: Option<Text<'a>>,
    /// How its children are ordered; the inner `None` goes back to the list's rule.
    pub children: Option<Option<ChildOrder>>,
    /// Who works on it.
    pub owner: Option<Text<'a>>,
    /// A JSON object of the host.
    pub metadata: Option<&'a str>,
}

/// How a task is removed (D12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Removal {
    /// The row stays, with status `deleted`; edges stay.
    #[default]
    Tombstone,
    /// The row goes, and its id leaves every other row.
    Strip,
    /// The row stays, with status `cancelled`.
    Cancel,
}

/// A call.
#[derive(Debug, Clone)]
pub enum Command<'a> {
    /// A new task.
    Add(Add<'a>),
    /// Changes to a task.
    Update(Text<'a>, Patch<'a>),
    /// Work begins.
    Start(Text<'a>),
    /// Work is done; with a fence, only by the holder of that claim.
    Complete(Text<'a>, Option<u64>),
    /// The task is given up.
    Cancel(Text<'a>),
    /// A settled task is taken up again.
    Reopen(Text<'a>),
    /// The task is removed.
    Remove(Text<'a>, Removal),
    /// The next ready task (or one of `ids`) goes to the actor.
    Claim {
        /// Only this one.
        id: Option<Text<'a>>,
        /// Only one of these.
        ids: Option<Vec<Text<'a>>>,
        /// How long the claim holds without a heartbeat; `None`: for ever.
        lease: Option<Millis>,
    },
    /// The holder says that it is alive.
    Heartbeat {
        /// The task.
        id: Text<'a>,
        /// The claim's fence.
        fence: u64,
        /// The new length of the lease from now.
        lease: Option<Millis>,
    },
    /// A claim or a hold ends.
    Release(Text<'a>, Option<u64>),
    /// The task waits.
    Hold {
        /// The task.
        id: Text<'a>,
        /// Why.
        reason: HoldReason,
        /// Words for people.
        note: Text<'a>,
        /// The status that release gives.
        resume: Status,
    },
    /// Several commands as one change.
    Batch(Vec<Command<'a>>),
    /// The rows of another list's text are taken in.
    Merge(Text<'a>),
    /// Takes back the newest undoable operation.
    Undo,
    /// Takes back the newest undo.
    Redo,
    /// Settled tasks leave the list.
    Archive(Millis),
    /// Stale work in progress goes back to pending; the argument is an age.
    RecoverStale(Millis),
}

const fn arg(name: &'static str, kind: ArgumentKind, doc: &'static str) -> Argument {
    Argument::optional(name, kind, said(doc))
}
const fn due(name: &'static str, kind: ArgumentKind, doc: &'static str) -> Argument {
    Argument::required(name, kind, said(doc))
}
/// What an argument means stands in schemas, and JavaScript is given those of the dialects only: there the words of
/// these tables would be carried along for nobody.
const fn said(doc: &'static str) -> &'static str {
    if cfg!(feature = "wasm") { "" } else { doc }
}

use ArgumentKind::{Choice, Id, Ids, Object, Objects, Text as Words, Whole};

const ID: Argument = due("id", Id, "The task's id.");
const FENCE: Argument =
    arg("fence", Whole, "The fence of your claim; the call is refused when somebody else has claimed the task since.");
const LEASE: Argument = arg("leaseMs", Whole, "Milliseconds the claim holds without a heartbeat.");
const CHILDREN: Argument =
    arg("children", Choice(&["group", "sequence"]), "Whether the task's children have an order.");

/// Arguments of `add`.
pub static ADD: &[Argument] = &[
    due("title", Words, "What is to be done, as a short imperative."),
    arg("id", Id, "Your own id for the task; left out, one is made."),
    arg("description", Words, "What to know to do it."),
    arg("activeForm", Words, "The title in the present participle, for a progress line."),
    arg("blockedBy", Ids, "Ids of the tasks that must be done first."),
    arg("parent", Id, "The task that this one is a step of."),
    CHILDREN,
    arg("owner", Words, "Who works on it."),
    arg("status", Choice(&["pending", "in_progress", "completed", "cancelled"]), "The status it starts with."),
    arg("metadata", Object, "Anything of your own."),
    arg("key", Words, "A name by which other entries of the same batch may refer to this task."),
];

/// Arguments of `update`.
pub static UPDATE: &[Argument] = &[
    ID,
    arg("title", Words, "The new title."),
    arg("description", Words, "The new description."),
    arg("activeForm", Words, "The new active form."),
    arg("status", Choice(&["pending", "in_progress", "completed", "cancelled", "deleted"]), "The new status."),
    arg("blockedBy", Ids, "The whole new set of blockers."),
    arg("addBlockedBy", Ids, "Blockers to add."),
    arg("removeBlockedBy", Ids, "Blockers to take out."),
    arg("parent", Id, "The new parent."),
    CHILDREN,
    arg("owner", Words, "The new owner."),
    arg("metadata", Object, "The new metadata."),
];

static ONE: &[Argument] = &[ID];
static ONE_FENCED: &[Argument] = &[ID, FENCE];
static REMOVE: &[Argument] = &[
    ID,
    arg(
        "removal",
        Choice(&["tombstone", "strip", "cancel"]),
        "Whether the row stays as deleted, goes, or is cancelled.",
    ),
];
static CLAIM: &[Argument] =
    &[arg("id", Id, "Claim this task only."), arg("ids", Ids, "Claim one of these only."), LEASE];
static HEARTBEAT: &[Argument] = &[ID, due("fence", Whole, "The fence of your claim."), LEASE];
static HOLD: &[Argument] = &[
    ID,
    arg(
        "reason",
        Choice(&["gate", "handoff", "failed", "limit", "stuck", "unassigned", "until", "external", "manual"]),
        "What the task waits for.",
    ),
    arg("note", Words, "Words for people."),
    arg("resume", Choice(&["pending", "in_progress", "completed"]), "The status that releasing gives."),
];
static BATCH: &[Argument] = &[due("commands", Objects, "The commands, in order.")];
static MERGE: &[Argument] = &[due("text", Words, "The other list, as text.")];
static NONE: &[Argument] = &[];
static ARCHIVE: &[Argument] = &[due("settledBefore", Whole, "Unix milliseconds.")];
static RECOVER: &[Argument] = &[due("olderThan", Whole, "Age in milliseconds.")];

/// Every action with its table of arguments.
pub static ACTIONS: &[(&str, &[Argument])] = &[
    ("add", ADD),
    ("update", UPDATE),
    ("start", ONE),
    ("complete", ONE_FENCED),
    ("cancel", ONE),
    ("reopen", ONE),
    ("remove", REMOVE),
    ("claim", CLAIM),
    ("heartbeat", HEARTBEAT),
    ("release", ONE_FENCED),
    ("hold", HOLD),
    ("batch", BATCH),
    ("merge", MERGE),
    ("undo", NONE),
    ("redo", NONE),
    ("archive", ARCHIVE),
    ("recoverStale", RECOVER),
];

impl<'a> Command<'a> {
    /// The word for what the command does.
    #[must_use]
    pub fn action(&self) -> &'static str {
        match self {
            Command::Add(_) => "add",
            Command::Update(..) => "update",
            Command::Start(_) => "start",
            Command::Complete(..) => "complete",
            Command::Cancel(_) => "cancel",
            Command::Reopen(_) => "reopen",
            Command::Remove(..) => "remove",
            Command::Claim { .. } => "claim",
            Command::Heartbeat { .. } => "heartbeat",
            Command::Release(..) => "release",
            Command::Hold { .. } => "hold",
            Command::Batch(_) => "batch",
            Command::Merge(_) => "merge",
            Command::Undo => "undo",
            Command::Redo => "redo",
            Command::Archive(_) => "archive",
            Command::RecoverStale(_) => "recoverStale",
        }
    }

    /// Reads a command from JSON: one flat object whose `action` says which.
    ///
    /// # Errors
    /// `missing_field`, `unknown_field`, `invalid_value` or `limit`.
    pub fn read(text: &'a str) -> Result<Self, Refusal> {
        Command::read_entry(text, true)
    }

    fn read_entry(text: &'a str, batches: bool) -> Result<Self, Refusal> {
        let action = peek(text, "action")?.ok_or_else(|| Refusal::missing("action"))?;
        let Some((action, table)) = ACTIONS.iter().find(|known| known.0 == action) else {
            return Err(unknown_action(&action));
        };
        let null = if matches!(*action, "add" | "claim") { Null::Absent } else { Null::Clears };
        let arguments = Arguments::read(text, table, null, "action")?;
        let id = || arguments.due("id");
        Ok(match *action {
            "add" => Command::Add(read_add(&arguments)),
            "update" => Command::Update(id(), read_patch(&arguments)),
            "start" => Command::Start(id()),
            "complete" => Command::Complete(id(), arguments.whole("fence")),
            "cancel" => Command::Cancel(id()),
            "reopen" => Command::Reopen(id()),
            "remove" => Command::Remove(
                id(),
                match &*arguments.due("removal") {
                    "strip" => Removal::Strip,
                    "cancel" => Removal::Cancel,
                    _ => Removal::Tombstone,
                },
            ),
            "claim" => Command::Claim {
                id: arguments.text("id"),
                ids: arguments.ids("ids"),
                lease: arguments.whole("leaseMs"),
            },
            "heartbeat" => Command::Heartbeat {
                id: id(),
                fence: arguments.whole("fence").unwrap_or(0),
                lease: arguments.whole("leaseMs"),
            },
            "release" => Command::Release(id(), arguments.whole("fence")),
            "hold" => Command::Hold {
                id: id(),
                reason: arguments
                    .text("reason")
                    .and_then(|word| HoldReason::from_word(&word))
                    .unwrap_or(HoldReason::Manual),
                note: arguments.due("note"),
                resume: arguments.status("resume").unwrap_or_default(),
            },
            "merge" => Command::Merge(arguments.due("text")),
            "undo" => Command::Undo,
            "redo" => Command::Redo,
            "archive" => Command::Archive(arguments.whole("settledBefore").unwrap_or(0)),
            "recoverStale" => Command::RecoverStale(arguments.whole("olderThan").unwrap_or(0)),
            _ if !batches => {
                return Err(Refusal::invalid("action", "`batch` inside a batch", "any other action"));
            }
            _ => {
                let mut commands = Vec::new();
                for entry in arguments.objects("commands") {
                    let command = Command::read_entry(entry, false)?;
                    if matches!(command, Command::Undo | Command::Redo | Command::Merge(_)) {
                        let got = ["`", command.action(), "` inside a batch"].concat();
                        return Err(Refusal::invalid("action", &got, "any other action"));
                    }
                    commands.push(command);
                }
                Command::Batch(commands)
            }
        })
    }
}

fn unknown_action(action: &str) -> Refusal {
    let words: Vec<&str> = ACTIONS.iter().map(|known| known.0).collect();
    let mut refusal = Refusal::unknown_word("action", action, &one_of(&words));
    if let Some(guess) = nearest(action, &mut words.iter().copied()) {
        refusal.hint = sentence("Did you mean `{guess}`?", &[("guess", Fact::Text(guess))]);
    }
    debug_assert_eq!(refusal.code, Code::InvalidValue);
    refusal
}

fn child_order(word: &str) -> Option<ChildOrder> {
    ChildOrder::from_word(word)
}

fn read_add<'a>(arguments: &Arguments<'a>) -> Add<'a> {
    Add {
        title: arguments.due("title"),
        id: arguments.text("id"),
        description: arguments.due("description"),
        active_form: arguments.due("activeForm"),
        blocked_by: arguments.ids("blockedBy").unwrap_or_default(),
        parent: arguments.filled("parent"),
        children: arguments.text("children").and_then(|word| child_order(&word)),
        owner: arguments.filled("owner"),
        status: arguments.status("status").unwrap_or_default(),
        metadata: arguments.raw("metadata").filter(|json| !json.is_empty()),
        key: arguments.filled("key"),
    }
}

fn read_patch<'a>(arguments: &Arguments<'a>) -> Patch<'a> {
    Patch {
        title: arguments.text("title"),
        description: arguments.text("description"),
        active_form: arguments.text("activeForm"),
        status: arguments.status("status"),
        blocked_by: arguments.ids("blockedBy"),
        add_blocked_by: arguments.ids("addBlockedBy"),
        remove_blocked_by: arguments.ids("removeBlockedBy"),
        parent: arguments.text("parent"),
        children: arguments.text("children").map(|word| child_order(&word)),
        owner: arguments.text("owner"),
        metadata: arguments.raw("metadata"),
    }
}
