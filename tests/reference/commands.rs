//! The commands, one by one.

use super::{Claim, Context, Hold, Keys, Mint, Model, Order, Outcome, Refusal, Status, Task, not_found, refuse};
use serde_json::{Map, Value, json};

/// The kinds of arguments.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Id,
    Ids,
    Word(&'static [&'static str]),
    Number,
    Object,
    List,
}

/// An argument: name, kind, required.
type Argument = (&'static str, Kind, bool);

const ADD_STATUS: Kind = Kind::Word(&["pending", "in_progress", "completed", "cancelled"]);
const UPDATE_STATUS: Kind = Kind::Word(&["pending", "in_progress", "completed", "cancelled", "deleted"]);
const CHILDREN: Kind = Kind::Word(&["group", "sequence"]);
const REMOVAL: Kind = Kind::Word(&["tombstone", "strip", "cancel"]);
const RESUME: Kind = Kind::Word(&["pending", "in_progress", "completed"]);
const REASON: Kind =
    Kind::Word(&["gate", "handoff", "failed", "limit", "stuck", "unassigned", "until", "external", "manual"]);

fn arguments(action: &str) -> Option<&'static [Argument]> {
    use Kind::{Id, Ids, List, Number, Object, Text};
    Some(match action {
        "add" => &[
            ("id", Id, false),
            ("title", Text, true),
            ("description", Text, false),
            ("activeForm", Text, false),
            ("blockedBy", Ids, false),
            ("parent", Id, false),
            ("children", CHILDREN, false),
            ("owner", Text, false),
            ("status", ADD_STATUS, false),
            ("metadata", Object, false),
        ],
        "update" => &[
            ("id", Id, true),
            ("title", Text, false),
            ("description", Text, false),
            ("activeForm", Text, false),
            ("status", UPDATE_STATUS, false),
            ("blockedBy", Ids, false),
            ("addBlockedBy", Ids, false),
            ("removeBlockedBy", Ids, false),
            ("parent", Id, false),
            ("children", CHILDREN, false),
            ("owner", Text, false),
            ("metadata", Object, false),
        ],
        "start" | "cancel" | "reopen" => &[("id", Id, true)],
        "complete" | "release" => &[("id", Id, true), ("fence", Number, false)],
        "remove" => &[("id", Id, true), ("removal", REMOVAL, false)],
        "claim" => &[("id", Id, false), ("ids", Ids, false), ("leaseMs", Number, false)],
        "heartbeat" => &[("id", Id, true), ("fence", Number, true), ("leaseMs", Number, false)],
        "hold" => &[("id", Id, true), ("reason", REASON, false), ("note", Text, false), ("resume", RESUME, false)],
        "batch" => &[("commands", List, true)],
        "merge" => &[("text", Text, true)],
        "undo" | "redo" => &[],
        "archive" => &[("settledBefore", Number, true)],
        "recoverStale" => &[("olderThan", Number, true)],
        _ => return None,
    })
}

/// Whether `undo` takes an operation back.
pub(crate) fn is_undoable(action: &str) -> bool {
    !matches!(action, "undo" | "redo" | "heartbeat" | "merge" | "recoverStale")
}

fn fits(kind: Kind, value: &Value) -> bool {
    let is_id = |value: &Value| value.is_string() || value.is_u64();
    match kind {
        Kind::Text => value.is_string(),
        Kind::Id => is_id(value),
        Kind::Ids => is_id(value) || value.as_array().is_some_and(|items| items.iter().all(is_id)),
        Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Number => value.is_u64(),
        Kind::Object => value.is_object(),
        Kind::List => value.is_array(),
    }
}

/// Names first, then kinds, then what is missing.
pub(crate) fn check_arguments(action: &str, given: &Map<String, Value>, in_batch: bool) -> Result<(), Refusal> {
    let Some(table) = arguments(action) else {
        return refuse("invalid_value", json!({ "field": "action", "got": action }));
    };
    let known = |name: &str| table.iter().find(|(known, ..)| *known == name);
    for name in given.keys() {
        let is_key = in_batch && action == "add" && name == "key";
        if name != "action" && !is_key && known(name).is_none() {
            return refuse("unknown_field", json!({ "field": name }));
        }
    }
    for (name, value) in given {
        if let Some((_, kind, _)) = known(name)
            && !value.is_null()
            && !fits(*kind, value)
        {
            return refuse("invalid_value", json!({ "field": name }));
        }
    }
    for (name, kind, required) in table {
        if *required {
            let value = given.get(*name).unwrap_or(&Value::Null);
            let blank = *kind == Kind::Id && value.as_str().is_some_and(|id| id.trim().is_empty());
            if value.is_null() || blank {
                return refuse("missing_field", json!({ "field": name }));
            }
        }
    }
    Ok(())
}

fn check_text(field: &str, text: &str, most: usize) -> Result<(), Refusal> {
    if text.chars().count() > most {
        return refuse("limit", json!({ "limit": field, "max": most }));
    }
    Ok(())
}

/// A title: given, not blank, not too long.
fn check_title(title: Option<&str>) -> Result<(), Refusal> {
    match title {
        Some(title) if !title.trim().is_empty() => check_text("title", title, 10_000),
        _ => refuse("missing_field", json!({ "field": "title" })),
    }
}

impl Model {
    pub(super) fn one(
        &mut self,
        action: &str,
        given: &Map<String, Value>,
        context: &Context<'_>,
        mint: &mut Mint<'_>,
        keys: &mut Keys,
    ) -> Result<Outcome, Refusal> {
        let in_batch = !keys.ids.is_empty() || given.contains_key("key");
        check_arguments(action, given, in_batch)?;
        if context.now > 8_640_000_000_000_000 {
            return refuse("invalid_value", json!({ "field": "now" }));
        }
        let text = |name: &str| given.get(name).and_then(Value::as_str);
        let number = |name: &str| given.get(name).and_then(Value::as_u64);
        if matches!(action, "undo" | "redo") {
            return self.undo(context, action == "redo");
        }
        if action == "add" {
            return self.add(given, context, mint, keys);
        }
        if !self.rules.revise && matches!(action, "update" | "remove") {
            return refuse("feature_off", json!({ "feature": "revise" }));
        }
        if action == "claim" {
            return self.claim(given, context, keys);
        }
        if action == "archive" {
            return Ok(self.archive(number("settledBefore").expect("checked")));
        }
        if action == "recoverStale" {
            return Ok(self.recover(number("olderThan").expect("checked"), context));
        }
        let id = self.resolve(&given["id"], keys);
        if action == "update" {
            return self.update(&id, given, context, keys);
        }
        let status = self.find(&id).ok_or_else(|| not_found(&id))?.status;
        match action {
            "start" => {
                if !status.is_open() {
                    return refuse_move(&id, status, Status::InProgress);
                }
                self.start(&id, context)
            }
            "complete" => self.complete(&id, number("fence"), context),
            "cancel" => self.cancel(&id, context),
            "reopen" => {
                if status.is_open() {
                    return Ok(unchanged(&id));
                }
                self.set(&id, Status::Pending, context.now);
                Ok(changed(&id))
            }
            "remove" => self.remove(&id, text("removal").unwrap_or("tombstone"), context),
            "heartbeat" => self.heartbeat(&id, number("fence"), number("leaseMs"), context),
            "release" => self.release(&id, number("fence"), context),
            "hold" => self.hold(&id, given, context),
            other => unreachable!("{other} is in the table"),
        }
    }

    fn remove(&mut self, id: &str, removal: &str, context: &Context<'_>) -> Result<Outcome, Refusal> {
        let task = self.row_of(id);
        match removal {
            "strip" => {
                self.may_move(&task, context)?;
                self.strip(id, context.now);
            }
            _ if task.status == Status::Deleted => return Ok(unchanged(id)),
            "cancel" => return self.cancel(id, context),
            _ => {
                self.may_move(&task, context)?;
                self.set(id, Status::Deleted, context.now);
            }
        }
        Ok(changed(id))
    }

    fn heartbeat(
        &mut self,
        id: &str,
        fence: Option<u64>,
        lease: Option<u64>,
        context: &Context<'_>,
    ) -> Result<Outcome, Refusal> {
        let task = self.row_of(id);
        self.check_fence(&task, fence)?;
        // An agent carries on its own lease only, even one that has ended.
        if context.is_agent() && task.owner.as_deref() != Some(context.actor) {
            return refuse("not_holder", json!({ "id": id }));
        }
        check_lease(lease)?;
        self.touch(id, context.now);
        if let Some(lease) = lease
            && let Some(claim) = &mut self.find_mut(id).claim
        {
            claim.lease_until = Some(context.now + lease);
        }
        Ok(changed(id))
    }

    fn release(&mut self, id: &str, fence: Option<u64>, context: &Context<'_>) -> Result<Outcome, Refusal> {
        let task = self.row_of(id);
        if !task.status.is_open() {
            return refuse_move(id, task.status, Status::Pending);
        }
        self.may_move(&task, context)?;
        self.check_fence(&task, fence)?;
        if task.status == Status::Pending {
            return Ok(unchanged(id));
        }
        // What is held gets the status that its hold says; a person's word, so only open children bar it.
        let to = task.hold.as_ref().map_or(Status::Pending, |hold| hold.resume);
        let open = if to == Status::Completed { self.open_children(id) } else { Vec::new() };
        if !open.is_empty() {
            return refuse("children_open", json!({ "id": id, "open": open }));
        }
        self.set(id, to, context.now);
        if task.hold.is_none() {
            self.find_mut(id).owner = None;
        }
        Ok(changed(id))
    }

    fn hold(&mut self, id: &str, given: &Map<String, Value>, context: &Context<'_>) -> Result<Outcome, Refusal> {
        let text = |name: &str| given.get(name).and_then(Value::as_str);
        let task = self.row_of(id);
        if !task.status.is_open() {
            return refuse_move(id, task.status, Status::Held);
        }
        let hold = Hold {
            reason: text("reason").unwrap_or("manual").to_owned(),
            note: text("note").filter(|note| !note.is_empty()).map(str::to_owned),
            at: task.hold.as_ref().map_or(context.now, |hold| hold.at),
            resume: text("resume").and_then(Status::named).unwrap_or(Status::Pending),
        };
        if task.hold.as_ref() == Some(&hold) {
            return Ok(unchanged(id));
        }
        self.may_move(&task, context)?;
        self.set(id, Status::Held, context.now);
        self.find_mut(id).hold = Some(Hold { at: context.now.max(task.updated_at), ..hold });
        Ok(changed(id))
    }

    fn row_of(&self, id: &str) -> Task {
        self.find(id).expect("looked up").clone()
    }

    /// An id as given: a key of the batch, a number, `#12` for `12`.
    fn resolve(&self, given: &Value, keys: &Keys) -> String {
        let text = match given {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Some(id) = keys.ids.get(&text) {
            return id.clone();
        }
        match text.strip_prefix('#') {
            Some(rest) if self.find(&text).is_none() && self.find(rest).is_some() => rest.to_owned(),
            _ => text,
        }
    }

    fn resolve_all(&self, given: &Value, keys: &Keys) -> Vec<String> {
        listed(given).into_iter().map(|item| self.resolve(item, keys)).collect()
    }

    /// A new task of a batch as it is made before its turn: what it names that is not there yet comes later.
    pub(super) fn without_names_to_come(&self, entry: &Map<String, Value>, keys: &Keys) -> Map<String, Value> {
        let to_come = |name: &Value| {
            let id = name.as_str().and_then(|key| keys.ids.get(key));
            id.is_some_and(|id| self.find(id).is_none() && entry["id"] != json!(id))
        };
        let mut bare = entry.clone();
        bare.retain(|name, value| name != "status" && (name != "parent" || !to_come(value)));
        if let Some(Value::Array(blockers)) = bare.get_mut("blockedBy") {
            blockers.retain(|name| !to_come(name));
        }
        bare
    }

    /// Gives a new task of a batch, made bare, its blockers and its parent.
    pub(super) fn link_added(&mut self, entry: &Map<String, Value>, keys: &Keys) -> Result<(), Refusal> {
        let id = entry["id"].as_str().unwrap_or_default();
        let blocked_by = self.check_blockers(id, entry.get("blockedBy").unwrap_or(&Value::Null), keys)?;
        let parent = self.check_parent(entry.get("parent"), keys)?;
        let task = self.find_mut(id);
        task.blocked_by = blocked_by;
        task.parent = parent;
        self.check_graph(id)
    }

    /// Gives a new task the status that it starts with.
    pub(super) fn begin_with(
        &mut self,
        id: &str,
        given: &Map<String, Value>,
        context: &Context<'_>,
    ) -> Result<Outcome, Refusal> {
        let warning = match given.get("status").and_then(Value::as_str) {
            Some("in_progress") => self.start(id, context)?.warning,
            Some("completed") => self.complete(id, None, context)?.warning,
            Some("cancelled") => self.cancel(id, context)?.warning,
            _ => None,
        };
        Ok(Outcome { warning, ..changed(id) })
    }

    /// Blockers in order: not itself, known, each once (D7); `clear` drops what is completed (D6).
    fn check_blockers(&self, id: &str, given: &Value, keys: &Keys) -> Result<Vec<String>, Refusal> {
        let mut kept: Vec<String> = Vec::new();
        for item in listed(given) {
            let blocker = self.resolve(item, keys);
            if blocker == id {
                return refuse("self_block", json!({ "id": id }));
            }
            let Some(row) = self.find(&blocker) else {
                return refuse("unknown_blocker", json!({ "id": id, "blocker": blocker }));
            };
            let gone = self.rules.clear && row.status == Status::Completed;
            if !gone && !kept.contains(&blocker) {
                kept.push(blocker);
            }
        }
        Ok(kept)
    }

    /// The graph with this task changed has no ring, its tree is not too deep.
    fn check_graph(&self, id: &str) -> Result<(), Refusal> {
        if self.find(id).is_some_and(|task| task.parent.as_deref() == Some(id)) {
            let attempt = Some(self.tasks.clone());
            return Err(Refusal { code: "cycle", details: json!({ "path": [id, id] }), attempt });
        }
        if let Some(path) = self.find_ring_from(id) {
            let attempt = Some(self.tasks.clone());
            return Err(Refusal { code: "cycle", details: json!({ "path": path }), attempt });
        }
        if let Some(most) = self.rules.depth {
            let level = |task: &Task| {
                let mut level = 1;
                let mut here = task.parent.clone();
                while let Some(parent) = here.as_deref().and_then(|id| self.find(id)) {
                    level += 1;
                    here.clone_from(&parent.parent);
                }
                level
            };
            let parent = self.find(id).and_then(|task| task.parent.clone());
            if parent.is_some() && self.tasks.iter().any(|task| level(task) > most) {
                return refuse("limit", json!({ "limit": "depth", "max": most }));
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        given: &Map<String, Value>,
        context: &Context<'_>,
        mint: &mut Mint<'_>,
        keys: &mut Keys,
    ) -> Result<Outcome, Refusal> {
        let text =
            |name: &str| given.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let id = match given.get("id") {
            None | Some(Value::Null) => mint.next(context.now),
            Some(Value::String(id)) => id.trim().to_owned(),
            Some(other) => other.to_string(),
        };
        if id.is_empty() {
            return refuse("missing_field", json!({ "field": "id" }));
        }
        if id.len() > 128 {
            return refuse("limit", json!({ "limit": "id", "max": 128 }));
        }
        if id.chars().any(char::is_control) {
            return refuse("invalid_value", json!({ "field": "id" }));
        }
        check_title(given["title"].as_str())?;
        check_text("description", text("description").as_deref().unwrap_or_default(), 100_000)?;
        if self.find(&id).is_some() {
            return refuse("duplicate_id", json!({ "id": id }));
        }
        if let Some(max) = self.rules.max_tasks
            && self.tasks.len() as u64 >= max
        {
            return refuse("limit", json!({ "limit": "maxTasks", "max": max }));
        }
        let blockers = given.get("blockedBy").unwrap_or(&Value::Null);
        if !blockers.is_null() && !self.rules.dependencies {
            return refuse("feature_off", json!({ "feature": "dependencies" }));
        }
        let blocked_by = self.check_blockers(&id, blockers, keys)?;
        let parent = self.check_parent(given.get("parent"), keys)?;
        self.tasks.push(Task {
            id: id.clone(),
            seq: self.next_seq,
            title: text("title").expect("checked"),
            description: text("description"),
            active_form: text("activeForm"),
            status: Status::Pending,
            hold: None,
            blocked_by,
            aside: Vec::new(),
            parent,
            children: text("children").as_deref().and_then(Order::named),
            owner: text("owner"),
            claim: None,
            created_by: Some(context.actor.to_owned()),
            created_at: context.now,
            updated_at: context.now,
            started_at: None,
            completed_at: None,
            metadata: given.get("metadata").filter(|value| !value.is_null()).cloned(),
            facets: std::collections::BTreeMap::new(),
        });
        self.next_seq += 1;
        self.check_graph(&id)?;
        self.begin_with(&id, given, context)
    }

    fn check_parent(&self, given: Option<&Value>, keys: &Keys) -> Result<Option<String>, Refusal> {
        match given {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(value) => {
                let parent = self.resolve(value, keys);
                if self.find(&parent).is_none() {
                    return Err(not_found(&parent));
                }
                Ok(Some(parent))
            }
        }
    }

    fn update(
        &mut self,
        id: &str,
        given: &Map<String, Value>,
        context: &Context<'_>,
        keys: &Keys,
    ) -> Result<Outcome, Refusal> {
        if given.keys().all(|name| matches!(name.as_str(), "action" | "id")) {
            return refuse("nothing_to_change", json!({}));
        }
        if let Some(title) = given.get("title") {
            check_title(title.as_str())?;
        }
        if let Some(Value::String(description)) = given.get("description") {
            check_text("description", description, 100_000)?;
        }
        let before = self.find(id).ok_or_else(|| not_found(id))?.clone();
        let status = given.get("status").and_then(Value::as_str).and_then(Status::named);
        let only_status = given.keys().all(|name| matches!(name.as_str(), "action" | "id" | "status"));
        if before.status == Status::Deleted && !matches!(status, Some(Status::Pending | Status::InProgress)) {
            if only_status && status == Some(Status::Deleted) {
                return Ok(Outcome { task: Some(id.to_owned()), ..Outcome::default() });
            }
            return refuse_move(id, Status::Deleted, status.unwrap_or(Status::Deleted));
        }
        let changes_edges = ["blockedBy", "addBlockedBy", "removeBlockedBy"];
        if !self.rules.dependencies && changes_edges.iter().any(|name| given.contains_key(*name)) {
            return refuse("feature_off", json!({ "feature": "dependencies" }));
        }
        let mut edges = before.blocked_by.clone();
        if let Some(set) = given.get("blockedBy") {
            edges = self.check_blockers(id, set, keys)?;
        }
        if let Some(more) = given.get("addBlockedBy") {
            for blocker in self.check_blockers(id, more, keys)? {
                if !edges.contains(&blocker) {
                    edges.push(blocker);
                }
            }
        }
        if let Some(less) = given.get("removeBlockedBy") {
            let less = self.resolve_all(less, keys);
            edges.retain(|blocker| !less.contains(blocker));
        }
        let parent = match given.get("parent") {
            None => before.parent.clone(),
            some => self.check_parent(some, keys)?,
        };
        let owner = patched(given, "owner", before.owner.as_ref());
        if owner != before.owner {
            self.may_claim(&before, context)?;
        }
        let task = self.find_mut(id);
        task.blocked_by = edges;
        task.parent = parent;
        task.owner = owner;
        if let Some(title) = given.get("title").and_then(Value::as_str) {
            title.clone_into(&mut task.title);
        }
        task.description = patched(given, "description", before.description.as_ref());
        task.active_form = patched(given, "activeForm", before.active_form.as_ref());
        if let Some(children) = given.get("children") {
            task.children = children.as_str().and_then(Order::named);
        }
        if let Some(metadata) = given.get("metadata") {
            task.metadata = Some(metadata.clone()).filter(|value| !value.is_null());
        }
        self.check_graph(id)?;
        let edited = *self.find(id).expect("still there") != before;
        let moved = match status {
            None => Outcome::default(),
            Some(status) => self.move_to(id, status, context)?,
        };
        if edited {
            self.touch(id, context.now);
        }
        Ok(Outcome { task: Some(id.to_owned()), changed: edited || moved.changed, ..moved })
    }

    /// What the status of an update does.
    fn move_to(&mut self, id: &str, to: Status, context: &Context<'_>) -> Result<Outcome, Refusal> {
        match to {
            Status::InProgress => self.start(id, context),
            Status::Completed => self.complete(id, None, context),
            Status::Cancelled => self.cancel(id, context),
            _ => {
                let task = self.row_of(id);
                if task.status == to {
                    return Ok(unchanged(id));
                }
                self.may_move(&task, context)?;
                self.set(id, to, context.now);
                Ok(changed(id))
            }
        }
    }

    /// Agents move neither what is held nor what another holds.
    pub(super) fn may_move(&self, task: &Task, context: &Context<'_>) -> Result<(), Refusal> {
        if context.is_agent() && task.status == Status::Held {
            let reason = task.hold.as_ref().map(|hold| hold.reason.clone());
            return refuse("held", json!({ "id": task.id, "reason": reason }));
        }
        self.may_claim(task, context)
    }

    #[allow(clippy::unused_self)] // a rule of the list
    pub(super) fn may_claim(&self, task: &Task, context: &Context<'_>) -> Result<(), Refusal> {
        let live = task.claim.as_ref().is_some_and(|claim| claim.lease_until.is_none_or(|until| until > context.now));
        if context.is_agent() && live && task.owner.as_deref() != Some(context.actor) {
            return refuse("not_holder", json!({ "id": task.id }));
        }
        Ok(())
    }

    #[allow(clippy::unused_self)] // a rule of the list
    fn check_fence(&self, task: &Task, fence: Option<u64>) -> Result<(), Refusal> {
        if fence.is_some() && task.claim.as_ref().map(|claim| claim.fence) != fence {
            return refuse("not_holder", json!({ "id": task.id }));
        }
        Ok(())
    }

    /// What open blockers do (refuse, or warn: D11), and open children, which bar completion always (D3a).
    fn bars(&self, id: &str, completing: bool) -> Result<Option<(&'static str, Vec<String>)>, Refusal> {
        let by = self.barred_by(id);
        let open = if completing { self.open_children(id) } else { Vec::new() };
        if !by.is_empty() && self.rules.strict {
            return refuse("blocked", json!({ "id": id, "by": by }));
        }
        if !open.is_empty() {
            return refuse("children_open", json!({ "id": id, "open": open }));
        }
        if !by.is_empty() {
            return Ok(Some(("blocked", by)));
        }
        Ok(None)
    }

    pub(crate) fn open_children(&self, id: &str) -> Vec<String> {
        self.ids_where(|task| task.parent.as_deref() == Some(id) && task.status.is_open())
    }

    /// Writes a status with all that hangs on it.
    fn set(&mut self, id: &str, to: Status, now: u64) {
        let task = self.find_mut(id);
        task.status = to;
        task.hold = None;
        // Times of one row never run backwards (D15).
        let moment = now.max(task.updated_at).max(1);
        if to == Status::InProgress && task.started_at.is_none() {
            task.started_at = Some(moment);
        }
        if to != Status::InProgress {
            task.claim = None;
        }
        task.completed_at = (to == Status::Completed).then_some(moment);
        self.touch(id, now);
        if to == Status::Completed && self.rules.clear {
            self.forget_edges_to(id, now);
        }
    }

    fn forget_edges_to(&mut self, id: &str, now: u64) {
        for dependent in self.blocks(id) {
            self.find_mut(&dependent).blocked_by.retain(|blocker| blocker != id);
            self.touch(&dependent, now);
        }
    }

    /// Puts a task in progress, reopening it where needed.
    fn start(&mut self, id: &str, context: &Context<'_>) -> Result<Outcome, Refusal> {
        let task = self.row_of(id);
        self.may_move(&task, context)?;
        if !task.status.is_open() {
            self.set(id, Status::Pending, context.now);
        }
        let warning = self.bars(id, false)?;
        self.set(id, Status::InProgress, context.now);
        Ok(Outcome { warning, ..changed(id) })
    }

    fn complete(&mut self, id: &str, fence: Option<u64>, context: &Context<'_>) -> Result<Outcome, Refusal> {
        let task = self.row_of(id);
        match task.status {
            Status::Completed => Ok(Outcome { task: Some(id.to_owned()), ..Outcome::default() }),
            Status::Cancelled | Status::Deleted => refuse_move(id, task.status, Status::Completed),
            _ => {
                self.may_move(&task, context)?;
                self.check_fence(&task, fence)?;
                let warning = self.bars(id, true)?;
                self.set(id, Status::Completed, context.now);
                Ok(Outcome { warning, ..changed(id) })
            }
        }
    }

    fn cancel(&mut self, id: &str, context: &Context<'_>) -> Result<Outcome, Refusal> {
        let task = self.row_of(id);
        match task.status {
            Status::Cancelled => Ok(Outcome { task: Some(id.to_owned()), ..Outcome::default() }),
            Status::Completed | Status::Deleted => refuse_move(id, task.status, Status::Cancelled),
            _ => {
                self.may_move(&task, context)?;
                self.set(id, Status::Cancelled, context.now);
                Ok(changed(id))
            }
        }
    }

    fn strip(&mut self, id: &str, now: u64) {
        self.forget_edges_to(id, now);
        for child in self.ids_where(|task| task.parent.as_deref() == Some(id)) {
            self.find_mut(&child).parent = None;
            self.touch(&child, now);
        }
        self.tasks.retain(|task| task.id != id);
    }

    fn claim(&mut self, given: &Map<String, Value>, context: &Context<'_>, keys: &Keys) -> Result<Outcome, Refusal> {
        check_lease(given.get("leaseMs").and_then(Value::as_u64))?;
        let lease_over = |task: &Task| {
            task.status == Status::InProgress
                && self.barred_by(&task.id).is_empty()
                && task.claim.as_ref().is_some_and(|claim| claim.lease_until.is_some_and(|until| until <= context.now))
        };
        let id = match given.get("id") {
            Some(id) if !id.is_null() => {
                let id = self.resolve(id, keys);
                let task = self.find(&id).ok_or_else(|| not_found(&id))?.clone();
                if !task.status.is_open() {
                    return refuse_move(&id, task.status, Status::InProgress);
                }
                self.may_move(&task, context)?;
                if let Some(hold) = &task.hold {
                    return refuse("held", json!({ "id": id, "reason": hold.reason }));
                }
                let live =
                    task.claim.as_ref().is_some_and(|claim| claim.lease_until.is_none_or(|until| until > context.now));
                if live && task.owner.as_deref() != Some(context.actor) {
                    return refuse("not_holder", json!({ "id": id }));
                }
                if task.status != Status::Pending && task.claim.is_none() {
                    return refuse_move(&id, task.status, Status::InProgress);
                }
                let by = self.barred_by(&id);
                if !by.is_empty() {
                    return refuse("blocked", json!({ "id": id, "by": by }));
                }
                Some(id)
            }
            _ => {
                let among = match given.get("ids") {
                    None | Some(Value::Null) => None,
                    Some(ids) => {
                        let ids = self.resolve_all(ids, keys);
                        if let Some(unknown) = ids.iter().find(|id| self.find(id).is_none()) {
                            return Err(not_found(unknown));
                        }
                        Some(ids)
                    }
                };
                let wanted = |id: &String| among.as_ref().is_none_or(|ids| ids.contains(id));
                let ready = self.ready().into_iter().find(wanted);
                ready.or_else(|| self.ids_where(lease_over).into_iter().find(wanted))
            }
        };
        let Some(id) = id else {
            return Ok(Outcome::default());
        };
        let warning = self.bars(&id, false)?;
        self.set(&id, Status::InProgress, context.now);
        let fence = self.next_fence;
        self.next_fence += 1;
        let task = self.find_mut(&id);
        task.owner = Some(context.actor.to_owned());
        let lease = given.get("leaseMs").and_then(Value::as_u64);
        task.claim = Some(Claim { fence, lease_until: lease.map(|ms| context.now + ms) });
        Ok(Outcome { warning, ..changed(&id) })
    }

    /// Edges are facts (D6): a row stays as long as a row that stays names it; a parent that stays keeps
    /// its children, whose end it waits for.
    fn archive(&mut self, before: u64) -> Outcome {
        let mut gone =
            self.ids_where(|task| !task.status.is_open() && task.completed_at.unwrap_or(task.updated_at) < before);
        loop {
            let count = gone.len();
            let stays = |task: &&Task| !gone.contains(&task.id);
            let staying: Vec<&Task> = self.tasks.iter().filter(stays).collect();
            let kept: Vec<String> = gone
                .iter()
                .filter(|id| {
                    let parent = self.find(id).and_then(|task| task.parent.as_ref());
                    staying.iter().any(|task| {
                        task.blocked_by.contains(id) || task.parent.as_ref() == Some(id) || parent == Some(&task.id)
                    })
                })
                .cloned()
                .collect();
            gone.retain(|id| !kept.contains(id));
            if gone.len() == count {
                break;
            }
        }
        self.tasks.retain(|task| !gone.contains(&task.id));
        Outcome { changed: !gone.is_empty(), ..Outcome::default() }
    }

    fn recover(&mut self, older_than: u64, context: &Context<'_>) -> Outcome {
        let stale = self.ids_where(|task| {
            task.status == Status::InProgress && task.updated_at < context.now.saturating_sub(older_than)
        });
        for id in &stale {
            // An owner by claim goes with the claim, one that was assigned stays.
            if self.find_mut(id).claim.is_some() {
                self.find_mut(id).owner = None;
            }
            self.set(id, Status::Pending, context.now);
        }
        Outcome { changed: !stale.is_empty(), ..Outcome::default() }
    }
}

/// A lease lasts at most ten years.
fn check_lease(lease: Option<u64>) -> Result<(), Refusal> {
    match lease {
        Some(315_360_000_001..) => refuse("invalid_value", json!({ "field": "leaseMs" })),
        _ => Ok(()),
    }
}

/// A list of ids, where one alone is a list of one and null is none.
fn listed(given: &Value) -> Vec<&Value> {
    match given {
        Value::Array(items) => items.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

fn changed(id: &str) -> Outcome {
    Outcome { task: Some(id.to_owned()), changed: true, ..Outcome::default() }
}

fn unchanged(id: &str) -> Outcome {
    Outcome { task: Some(id.to_owned()), ..Outcome::default() }
}

fn refuse_move<T>(id: &str, from: Status, to: Status) -> Result<T, Refusal> {
    refuse("invalid_transition", json!({ "id": id, "from": from.word(), "to": to.word() }))
}

/// A text of a patch: `null` and the empty text clear, a missing key leaves alone.
fn patched(given: &Map<String, Value>, name: &str, before: Option<&String>) -> Option<String> {
    match given.get(name) {
        None => before.cloned(),
        Some(value) => value.as_str().filter(|text| !text.is_empty()).map(str::to_owned),
    }
}
