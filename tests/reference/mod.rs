//! A naive reference model of the engine, written from `design.md` and `decisions.md` alone: plain
//! vectors, everything recomputed at every question, a whole copy of the rows per undo step.
//!
//! Choices where the spec is silent:
//! - `undo` puts back every field that the operation changed except `updatedAt`, which becomes
//!   the greater of now and what it was; `seq`, fences and the revision never go back.
//! - `recoverStale`, `heartbeat` and what changed `updatedAt` alone (a second start) are not
//!   undoable; the newest operation that is gets undone. Nothing to undo or redo: `changed: false`. A later undoable operation forgets what was undone.
//! - A row that an operation only touched (an edge stripped from it, or cleared) gets a new
//!   `updatedAt` like any other changed row, see [`Model::touch`].
//! - `claim` of one blocked task is refused with `blocked` in every list, as 003's `claim_task` (D51).
#![allow(dead_code)] // each test binary uses a part of it

pub(crate) mod commands;
pub(crate) mod graph;
pub(crate) mod json;
mod merge;
pub(crate) mod reads;
pub(crate) mod subject;
pub(crate) mod tool;

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What is stored about progress (D1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Pending,
    InProgress,
    Held,
    Completed,
    Cancelled,
    Deleted,
}

impl Status {
    pub(crate) const ALL: [Status; 6] =
        [Self::Pending, Self::InProgress, Self::Held, Self::Completed, Self::Cancelled, Self::Deleted];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Held => "held",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Deleted => "deleted",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress | Self::Held)
    }
}

/// Whether children wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Group,
    Sequence,
}

impl Order {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Sequence => "sequence",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        [Self::Group, Self::Sequence].into_iter().find(|order| order.word() == word)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hold {
    pub(crate) reason: String,
    pub(crate) note: Option<String>,
    pub(crate) at: u64,
    pub(crate) resume: Status,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) fence: u64,
    pub(crate) lease_until: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) seq: u64,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) active_form: Option<String>,
    pub(crate) status: Status,
    pub(crate) hold: Option<Hold>,
    pub(crate) blocked_by: Vec<String>,
    /// Edges that a merge set aside.
    pub(crate) aside: Vec<String>,
    pub(crate) parent: Option<String>,
    pub(crate) children: Option<Order>,
    pub(crate) owner: Option<String>,
    pub(crate) claim: Option<Claim>,
    pub(crate) created_by: Option<String>,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
    pub(crate) started_at: Option<u64>,
    pub(crate) completed_at: Option<u64>,
    pub(crate) metadata: Option<Value>,
    /// Names of parents that have no place in the graph.
    pub(crate) facets: BTreeMap<String, Value>,
}

/// Invariants of the list.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // the public shape
pub(crate) struct Rules {
    pub(crate) strict: bool,
    pub(crate) clear: bool,
    pub(crate) max_tasks: Option<u64>,
    pub(crate) dependencies: bool,
    pub(crate) revise: bool,
    pub(crate) children: Order,
    pub(crate) stale_after: Option<u64>,
    pub(crate) depth: Option<u64>,
}

impl Rules {
    /// Reads the public shape; what is absent has the default preset's value.
    pub(crate) fn from_json(rules: &Value) -> Self {
        Self {
            strict: rules["strict"].as_bool().unwrap_or(false),
            clear: rules["onComplete"] == "clear",
            max_tasks: rules["maxTasks"].as_u64(),
            dependencies: rules["dependencies"].as_bool().unwrap_or(true),
            revise: rules["revise"].as_bool().unwrap_or(true),
            children: rules["children"].as_str().and_then(Order::named).unwrap_or(Order::Group),
            stale_after: rules["staleAfter"].as_u64(),
            depth: rules["depth"].as_u64(),
        }
    }

    /// The presets by name.
    pub(crate) fn preset(name: &str) -> Self {
        Self::from_json(&match name {
            "strict" => json!({ "strict": true }),
            "tasks" => json!({ "staleAfter": 300_000 }),
            _ => json!({}),
        })
    }
}

/// A refusal; messages are not modelled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: &'static str,
    pub(crate) details: Value,
    /// For a ring: the rows as they would have been.
    pub(crate) attempt: Option<Vec<Task>>,
}

pub(crate) fn refuse<T>(code: &'static str, details: Value) -> Result<T, Refusal> {
    Err(Refusal { code, details, attempt: None })
}

pub(crate) fn not_found(id: &str) -> Refusal {
    Refusal { code: "not_found", details: json!({ "id": id }), attempt: None }
}

/// What the host gives with a call.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) actor: &'a str,
    pub(crate) now: u64,
    /// Ids to use where one is minted, in the order of the commands.
    pub(crate) minted: &'a [String],
}

impl Context<'_> {
    fn is_agent(&self) -> bool {
        self.actor.starts_with("agent:")
    }
}

#[derive(Clone, Debug)]
struct Step {
    before: Vec<Task>,
    after: Vec<Task>,
}

/// The list.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) rules: Rules,
    pub(crate) tasks: Vec<Task>,
    pub(crate) revision: u64,
    next_seq: u64,
    next_fence: u64,
    done: Vec<Step>,
    undone: Vec<Step>,
    /// `updatedAt` of rows that an undo or redo took away, by `seq`, for when they come back.
    last_updates: BTreeMap<u64, u64>,
}

/// What one command did.
#[derive(Default)]
struct Outcome {
    task: Option<String>,
    changed: bool,
    /// Whether an entry of the batch changed facts, even where a later one took that back.
    facts: bool,
    warning: Option<(&'static str, Vec<String>)>,
}

impl Outcome {
    /// Adds what an entry of a batch did.
    fn note(&mut self, entry: &Outcome, facts: bool) {
        self.changed |= entry.changed;
        self.facts |= facts;
        if self.warning.is_none() {
            self.warning.clone_from(&entry.warning);
        }
    }
}

/// Keys of a batch and the ids that they stand for; what is not added yet is known already.
#[derive(Default)]
struct Keys {
    ids: BTreeMap<String, String>,
}

/// How many minted ids a run has used.
struct Mint<'a> {
    ids: &'a [String],
    used: usize,
}

impl Mint<'_> {
    fn next(&mut self, now: u64) -> String {
        self.used += 1;
        self.ids.get(self.used - 1).cloned().unwrap_or_else(|| format!("t_{now}_{:08}", self.used))
    }
}

impl Model {
    pub(crate) fn new(rules: Rules) -> Self {
        Self {
            rules,
            tasks: Vec::new(),
            revision: 0,
            next_seq: 1,
            next_fence: 1,
            done: Vec::new(),
            undone: Vec::new(),
            last_updates: BTreeMap::new(),
        }
    }

    /// Takes the counters of a fresh engine, which the spec does not fix.
    pub(crate) fn start_counting_at(&mut self, seq: u64, fence: u64) {
        self.next_seq = seq;
        self.next_fence = fence;
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    fn find_mut(&mut self, id: &str) -> &mut Task {
        self.tasks.iter_mut().find(|task| task.id == id).expect("the caller looked it up")
    }

    fn touch(&mut self, id: &str, now: u64) {
        let task = self.find_mut(id);
        task.updated_at = task.updated_at.max(now);
    }

    /// Runs one command: the change as the public types show it, or the refusal.
    pub(crate) fn run(&mut self, command: &Value, context: &Context<'_>) -> Result<Value, Refusal> {
        let Some(object) = command.as_object() else {
            return refuse("invalid_value", json!({ "field": "command" }));
        };
        if depth(command) > 64 {
            return refuse("limit", json!({ "limit": "depth of JSON", "max": 64 }));
        }
        let action = match object.get("action") {
            None | Some(Value::Null) => {
                return refuse("missing_field", json!({ "field": "action" }));
            }
            Some(Value::String(action)) => action.as_str(),
            Some(_) => return refuse("invalid_value", json!({ "field": "action" })),
        };
        let mut next = self.clone();
        let mut mint = Mint { ids: context.minted, used: 0 };
        let mut tasks = None;
        let mut keys = Keys::default();
        let outcome = if action == "batch" {
            let mut ids = Vec::new();
            let outcome = next.batch(object, context, &mut mint, &mut keys, &mut ids)?;
            tasks = Some(ids);
            outcome
        } else if action == "merge" {
            let merged = next.merge(object, context)?;
            tasks = Some(merged.told);
            keys.ids = merged.called;
            merged.outcome
        } else {
            next.one(action, object, context, &mut mint, &mut keys)?
        };
        let mut change = Map::new();
        change.insert("action".into(), json!(action));
        change.insert("changed".into(), json!(outcome.changed));
        if outcome.changed {
            next.revision += 1;
            let facts = outcome.facts || !same_list(&self.tasks, &next.tasks);
            if commands::is_undoable(action) && facts {
                next.undone.clear();
                next.done.push(Step { before: self.tasks.clone(), after: next.tasks.clone() });
            }
        } else {
            next = self.clone();
        }
        // A removed id that came back in the same call is another task.
        let fresh = |now: Vec<String>, then: &[String]| -> Vec<Value> {
            let same = |row: &Task| self.find(&row.id).is_some_and(|old| old.seq == row.seq);
            let rows = now.iter().filter_map(|id| next.find(id));
            rows.filter(|row| !then.contains(&row.id) || !same(row)).map(|row| next.row(row)).collect()
        };
        change.insert("nowReady".into(), json!(fresh(next.ready(), &self.ready())));
        change.insert("nowBlocked".into(), json!(fresh(next.blocked(), &self.blocked())));
        change.insert("revision".into(), json!(next.revision));
        if let Some(task) = outcome.task.as_deref().and_then(|id| next.find(id)) {
            change.insert("task".into(), next.row(task));
        }
        if let Some(ids) = tasks {
            let rows: Vec<Value> = ids.iter().filter_map(|id| next.find(id)).map(|task| next.row(task)).collect();
            change.insert("tasks".into(), json!(rows));
            change.insert("keys".into(), json!(keys.ids));
        }
        if let Some((code, by)) = outcome.warning {
            change.insert("warning".into(), json!({ "code": code, "by": by }));
        }
        *self = next;
        Ok(Value::Object(change))
    }

    fn batch(
        &mut self,
        command: &Map<String, Value>,
        context: &Context<'_>,
        mint: &mut Mint<'_>,
        keys: &mut Keys,
        ids: &mut Vec<String>,
    ) -> Result<Outcome, Refusal> {
        commands::check_arguments("batch", command, false)?;
        let entries = command["commands"].as_array().expect("checked");
        let mut plain = Vec::new();
        for entry in entries {
            let Some(entry) = entry.as_object() else {
                return refuse("invalid_value", json!({ "field": "commands" }));
            };
            let action = entry.get("action").and_then(Value::as_str);
            if action.is_none() {
                return refuse("missing_field", json!({ "field": "action" }));
            }
            if matches!(action, Some("batch" | "merge" | "undo" | "redo" | "archive" | "recoverStale")) {
                return refuse("invalid_value", json!({ "field": "action" }));
            }
            plain.push((action.unwrap_or_default(), entry.clone()));
        }
        // Every key gets its id first, so that an entry may name a later one.
        for (action, entry) in &mut plain {
            if *action != "add" {
                continue;
            }
            let id = match entry.get("id") {
                Some(Value::String(id)) => id.trim().to_owned(),
                Some(Value::Number(id)) => id.to_string(),
                _ => mint.next(context.now),
            };
            entry.insert("id".into(), json!(id));
            if let Some(key) = entry.get("key").and_then(Value::as_str)
                && keys.ids.insert(key.to_owned(), id).is_some()
            {
                return refuse("invalid_value", json!({ "field": "key" }));
            }
        }
        // Where the task that a value names by its key is added, if that is behind `at`.
        let adds = |at: usize, name: &str| plain[at].0 == "add" && plain[at].1.get("key") == Some(&json!(name));
        let awaited = |at: usize| -> Option<usize> {
            let names = named(&plain[at].1);
            (at + 1..plain.len()).rev().find(|later| names.iter().any(|name| adds(*later, name)))
        };
        // What acts on a task to come has its turn behind it.
        let mut order: Vec<usize> = Vec::new();
        for place in 0..plain.len() {
            if plain[place].0 == "add" || awaited(place).is_none() {
                order.push(place);
            }
            order.extend((0..place).filter(|at| plain[*at].0 != "add" && awaited(*at) == Some(place)));
        }
        let mut all = Outcome::default();
        let mut told = vec![None; plain.len()];
        let mut run = |model: &mut Self, at: usize, entry: &Map<String, Value>, keys: &mut Keys, all: &mut Outcome| {
            let before = model.tasks.clone();
            let outcome = model.one(plain[at].0, entry, context, mint, keys)?;
            all.note(&outcome, !same_list(&before, &model.tasks));
            told[at] = outcome.task;
            Ok(())
        };
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            // From a new task that names later ones to the last one named: rows, then links, then the rest.
            let mut behind = next + 1;
            if plain[at].0 == "add" && awaited(at).is_some() {
                while let Some(last) =
                    order[next..behind].iter().filter(|at| plain[**at].0 == "add").filter_map(|at| awaited(*at)).max()
                    && !order[next..behind].contains(&last)
                {
                    behind += 1;
                }
                let part = &order[next..behind];
                for at in part.iter().filter(|at| plain[**at].0 == "add") {
                    let bare = self.without_names_to_come(&plain[*at].1, keys);
                    run(self, *at, &bare, keys, &mut all)?;
                }
                for at in part.iter().filter(|at| plain[**at].0 == "add") {
                    self.link_added(&plain[*at].1, keys)?;
                }
                for at in part {
                    let entry = &plain[*at].1;
                    if plain[*at].0 == "add" {
                        let outcome = self.begin_with(entry["id"].as_str().expect("checked").trim(), entry, context)?;
                        all.note(&outcome, true);
                    } else {
                        run(self, *at, entry, keys, &mut all)?;
                    }
                }
            } else {
                run(self, at, &plain[at].1, keys, &mut all)?;
            }
            next = behind;
        }
        ids.extend(told.into_iter().flatten());
        Ok(all)
    }

    fn undo(&mut self, context: &Context<'_>, again: bool) -> Result<Outcome, Refusal> {
        let step = if again { self.undone.pop() } else { self.done.pop() };
        let Some(step) = step else {
            return Ok(Outcome::default());
        };
        let (from, to) = if again { (&step.before, &step.after) } else { (&step.after, &step.before) };
        // A task is known by its `seq`: an id may have gone to another one. What leaves makes room first.
        let find = |tasks: &[Task], seq: u64| tasks.iter().find(|task| task.seq == seq).cloned();
        let mut all: Vec<(bool, u64)> =
            from.iter().chain(to).map(|task| (find(from, task.seq).is_none(), task.seq)).collect();
        all.sort_unstable();
        all.dedup();
        for (_, seq) in all {
            let (old, new, here) = (find(from, seq), find(to, seq), find(&self.tasks, seq));
            let id = old.as_ref().or(new.as_ref()).map_or_else(String::new, |task| task.id.clone());
            let conflict = || refuse("undo_conflict", json!({ "id": id }));
            match (old, new) {
                (Some(old), Some(new)) => {
                    if same_facts(&old, &new) {
                        continue;
                    }
                    let Some(here) = here else { return conflict() };
                    if let Some(task) = merge(&old, &new, &here) {
                        let moves = task.status != here.status || task.hold != here.hold || task.claim != here.claim;
                        if moves {
                            self.may_move(&here, context)?;
                        } else if task.owner != here.owner {
                            self.may_claim(&here, context)?;
                        }
                        *self.find_mut(&id) = task;
                        self.touch(&id, context.now);
                    } else {
                        return conflict();
                    }
                }
                (Some(old), None) => {
                    if !here.is_some_and(|here| same_facts(&old, &here)) {
                        return conflict();
                    }
                    self.may_move(&old, context)?;
                    let updated_at = self.find(&id).map_or(0, |task| task.updated_at);
                    self.last_updates.insert(old.seq, updated_at);
                    self.tasks.retain(|task| task.id != id);
                }
                (None, Some(new)) => {
                    if self.find(&id).is_some() {
                        return conflict();
                    }
                    let place = self.tasks.iter().position(|task| task.seq > new.seq).unwrap_or(self.tasks.len());
                    let last = self.last_updates.get(&new.seq).copied().unwrap_or(0);
                    self.tasks.insert(place, new);
                    self.touch(&id, context.now.max(last));
                }
                (None, None) => unreachable!("an id of neither"),
            }
        }
        let dangling = self.tasks.iter().any(|task| {
            task.blocked_by
                .iter()
                .chain(&task.parent)
                .any(|other| self.find(other).is_none() && from.iter().chain(to).any(|row| &row.id == other))
        });
        if dangling || self.find_ring().is_some() {
            return refuse("undo_conflict", json!({}));
        }
        if again {
            self.done.push(step);
        } else {
            self.undone.push(step);
        }
        Ok(Outcome { changed: true, ..Outcome::default() })
    }
}

/// Equal in all but `updatedAt`.
fn same_facts(one: &Task, other: &Task) -> bool {
    let mut other = other.clone();
    other.updated_at = one.updated_at;
    *one == other
}

fn same_list(one: &[Task], other: &[Task]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.id == other.id && same_facts(one, other))
}

/// `here` with the fields that differ between `old` and `new` set to `new`; nothing if one of them
/// is not `old` any more.
fn merge(old: &Task, new: &Task, here: &Task) -> Option<Task> {
    let mut merged = here.clone();
    macro_rules! fields {
        ($($field:ident)*) => {$(
            if old.$field != new.$field {
                if here.$field != old.$field {
                    return None;
                }
                merged.$field = new.$field.clone();
            }
        )*};
    }
    fields!(title description active_form status hold blocked_by parent children owner claim started_at completed_at metadata);
    Some(merged)
}

/// What an entry of a batch says where an id is due.
fn named(entry: &Map<String, Value>) -> Vec<&str> {
    let is_new = entry["action"] == "add";
    let places = ["id", "ids", "parent", "blockedBy", "addBlockedBy", "removeBlockedBy"];
    let values = places.iter().filter(|place| !is_new || **place != "id").filter_map(|place| entry.get(*place));
    values
        .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
        .filter_map(Value::as_str)
        .collect()
}

/// How deep a value is nested.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
