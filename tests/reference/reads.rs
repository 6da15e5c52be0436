//! The questions one can ask of the list.

use super::graph::Kind;
use super::{Model, Refusal, Status, Task, not_found};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

impl Model {
    /// The computed word of a task.
    pub(crate) fn readiness(&self, task: &Task) -> &'static str {
        match task.status {
            Status::Pending if self.barred_by(&task.id).is_empty() => "ready",
            Status::Pending => "blocked",
            Status::InProgress => "running",
            Status::Held => "held",
            _ => "settled",
        }
    }

    /// A row as the public types show it; what is absent has no key.
    pub(crate) fn row(&self, task: &Task) -> Value {
        let mut row = Map::new();
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                row.insert(key.to_owned(), value);
            }
        };
        put("id", json!(task.id));
        put("seq", json!(task.seq));
        put("title", json!(task.title));
        put("description", json!(task.description));
        put("activeForm", json!(task.active_form));
        put("status", json!(task.status.word()));
        put("readiness", json!(self.readiness(task)));
        if let Some(hold) = &task.hold {
            let mut value = json!({ "reason": hold.reason, "at": hold.at, "resume": hold.resume.word() });
            if let Some(note) = &hold.note {
                value["note"] = json!(note);
            }
            put("hold", value);
        }
        put("blockedBy", json!(task.blocked_by));
        if !task.aside.is_empty() {
            put("asideBlockedBy", json!(task.aside));
        }
        put("parent", json!(task.parent));
        put("children", json!(task.children.map(super::Order::word)));
        put("owner", json!(task.owner));
        if let Some(claim) = &task.claim {
            let mut value = json!({ "fence": claim.fence });
            if let Some(until) = claim.lease_until {
                value["leaseUntil"] = json!(until);
            }
            put("claim", value);
        }
        put("createdBy", json!(task.created_by));
        put("createdAt", json!(task.created_at));
        put("updatedAt", json!(task.updated_at));
        put("startedAt", json!(task.started_at));
        put("completedAt", json!(task.completed_at));
        put("metadata", json!(task.metadata));
        for (name, value) in &task.facets {
            put(name, value.clone());
        }
        Value::Object(row)
    }

    /// All rows in creation order.
    pub(crate) fn rows(&self) -> Vec<Value> {
        self.tasks.iter().map(|task| self.row(task)).collect()
    }

    /// Ids of the tasks that can be started, in creation order.
    pub(crate) fn ready(&self) -> Vec<String> {
        self.ids_where(|task| self.readiness(task) == "ready")
    }

    /// Ids of the open tasks with an active blocker, in creation order (D4).
    pub(crate) fn blocked(&self) -> Vec<String> {
        self.ids_where(|task| !self.barred_by(&task.id).is_empty())
    }

    /// Ids of the dependents of a task, in creation order, settled ones included (D5).
    pub(crate) fn blocks(&self, id: &str) -> Vec<String> {
        self.ids_where(|task| task.blocked_by.iter().any(|b| b == id))
    }

    pub(crate) fn ids_where(&self, keep: impl Fn(&Task) -> bool) -> Vec<String> {
        self.tasks.iter().filter(|task| keep(task)).map(|task| task.id.clone()).collect()
    }

    /// The far ends of the chains of active blockers: nothing bars them.
    pub(crate) fn root_causes(&self, id: &str) -> BTreeSet<String> {
        let mut roots = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = self.barred_by(id);
        while let Some(next) = todo.pop() {
            if seen.insert(next.clone()) {
                let further = self.barred_by(&next);
                if further.is_empty() {
                    roots.insert(next);
                } else {
                    todo.extend(further);
                }
            }
        }
        roots
    }

    /// Blocked, and some root cause is held (D3).
    pub(crate) fn stalled(&self) -> Vec<String> {
        self.ids_where(|task| {
            self.readiness(task) == "blocked"
                && self
                    .root_causes(&task.id)
                    .iter()
                    .any(|root| self.find(root).is_some_and(|row| row.status == Status::Held))
        })
    }

    /// How many open tasks wait for a task, directly or not.
    pub(crate) fn waiting(&self, id: &str) -> usize {
        let mut behind: BTreeSet<String> = BTreeSet::from([id.to_owned()]);
        loop {
            let more = self.ids_where(|task| {
                !behind.contains(&task.id) && self.barred_by(&task.id).iter().any(|b| behind.contains(b))
            });
            if more.is_empty() {
                return behind.len() - 1;
            }
            behind.extend(more);
        }
    }

    /// The open tasks that must be finished before this one can be: its children, and what bars its
    /// start. A pipeline that is not started bars its steps by its start alone, so that what bars the
    /// pipeline stands in its place.
    pub(crate) fn finished_before(&self, id: &str) -> BTreeSet<String> {
        let mut before: BTreeSet<String> = self.open_children(id).into_iter().collect();
        let mut starts = vec![id.to_owned()];
        while let Some(start) = starts.pop() {
            let ancestors = self.ancestors(&start);
            for (blocker, kind) in self.active_blockers(&start) {
                if kind == Kind::Parent && ancestors.contains(&blocker) {
                    starts.push(blocker);
                } else if self.find(&blocker).is_some() {
                    before.insert(blocker);
                }
            }
        }
        before
    }

    fn ancestors(&self, id: &str) -> Vec<String> {
        let mut ancestors = Vec::new();
        let mut here = id.to_owned();
        while let Some(parent) = self.find(&here).and_then(|task| task.parent.clone()) {
            ancestors.push(parent.clone());
            here = parent;
        }
        ancestors
    }

    /// How many tasks must be finished one after the other before this one.
    fn level(&self, id: &str) -> usize {
        self.finished_before(id).iter().map(|b| self.level(b) + 1).max().unwrap_or(0)
    }

    /// Open tasks by the length of the longest chain in front of them.
    pub(crate) fn layers(&self) -> Vec<Vec<String>> {
        let mut layers: Vec<Vec<String>> = Vec::new();
        for id in self.ids_where(|task| task.status.is_open()) {
            let level = self.level(&id);
            if layers.len() <= level {
                layers.resize(level + 1, Vec::new());
            }
            layers[level].push(id);
        }
        layers
    }

    /// Counts over the list.
    pub(crate) fn progress(&self) -> Value {
        let count = |status: Status| self.tasks.iter().filter(|t| t.status == status).count();
        let total = self.tasks.len() - count(Status::Deleted);
        let due = total - count(Status::Cancelled);
        #[allow(clippy::cast_precision_loss)] // a handful of tasks
        let done = if due == 0 { 1.0 } else { count(Status::Completed) as f64 / due as f64 };
        json!({
            "total": total,
            "ready": self.ready().len(),
            "blocked": self.blocked().len(),
            "pending": count(Status::Pending),
            "running": count(Status::InProgress),
            "held": count(Status::Held),
            "completed": count(Status::Completed),
            "cancelled": count(Status::Cancelled),
            "deleted": count(Status::Deleted),
            "done": done,
        })
    }

    /// Answers a read as the engine's `read_json` does. Not modelled: the sentence and the chains of
    /// `explain`, and which of several longest chains `criticalPath` names.
    pub(crate) fn read(&self, what: &str, args: &Value) -> Result<Value, Refusal> {
        let id = |key: &str| -> Result<String, Refusal> {
            let id = args[key].as_str().unwrap_or_default();
            self.find(id).map(|task| task.id.clone()).ok_or_else(|| not_found(id))
        };
        Ok(match what {
            "rows" => json!(self.rows()),
            "ready" => json!(self.ready()),
            "blocked" => json!(self.blocked()),
            "stalled" => json!(self.stalled()),
            "progress" => self.progress(),
            "layers" => json!(self.layers()),
            "blocks" => json!(self.blocks(&id("id")?)),
            "criticalPath" => {
                let layers = self.layers();
                let mut ids = Vec::new();
                let mut next = layers.last().and_then(|layer| layer.first()).cloned();
                while let Some(id) = next {
                    let level = self.level(&id);
                    next = self.finished_before(&id).into_iter().find(|b| self.level(b) + 1 == level);
                    ids.insert(0, id);
                }
                json!({ "length": ids.len(), "ids": ids })
            }
            "search" => {
                let query = args["query"].as_str().unwrap_or_default().to_lowercase();
                let limit = args["limit"].as_u64().map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
                let mut ids = self.ids_where(|task| {
                    task.id.to_lowercase().contains(&query) || task.title.to_lowercase().contains(&query)
                });
                ids.truncate(limit);
                json!(ids)
            }
            "wouldCycle" => {
                let (id, blocker) = (id("id")?, id("blocker")?);
                let mut after = self.clone();
                let task = after.find_mut(&id);
                let cleared =
                    self.rules.clear && self.find(&blocker).is_some_and(|row| row.status == Status::Completed);
                if !cleared && !task.blocked_by.contains(&blocker) {
                    task.blocked_by.push(blocker);
                }
                match after.find_ring_from(&id) {
                    None => json!({ "cycle": false }),
                    Some(path) => json!({ "cycle": true, "path": path }),
                }
            }
            "explain" => {
                let id = id("id")?;
                let task = self.find(&id).expect("just looked up");
                let blockers: Vec<Value> = self
                    .active_blockers(&id)
                    .into_iter()
                    .map(|(id, kind)| match self.find(&id) {
                        None => json!({ "id": id, "kind": kind.word() }),
                        Some(row) => json!({
                            "id": id, "title": row.title, "kind": kind.word(),
                            "status": row.status.word(), "readiness": self.readiness(row),
                        }),
                    })
                    .collect();
                json!({
                    "id": id,
                    "title": task.title,
                    "status": task.status.word(),
                    "readiness": self.readiness(task),
                    "stalled": self.stalled().contains(&id),
                    "blockers": blockers,
                    "rootCauses": self.root_causes(&id),
                    "openChildren": self.open_children(&id),
                    "waiting": self.waiting(&id),
                })
            }
            other => panic!("no such read: {other}"),
        })
    }
}
