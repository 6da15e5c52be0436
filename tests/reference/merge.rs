//! Taking in the rows of another list, by plain recomputation.

use super::{Context, Hold, Model, Order, Outcome, Refusal, Status, Task, refuse};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a merge did: the ids of what is new or changed, and what ids of the text are called here.
pub(super) struct Merged {
    pub(super) outcome: Outcome,
    pub(super) told: Vec<String>,
    pub(super) called: BTreeMap<String, String>,
}

impl Model {
    /// Merges a list's text.
    pub(super) fn merge(&mut self, given: &Map<String, Value>, context: &Context<'_>) -> Result<Merged, Refusal> {
        super::commands::check_arguments("merge", given, false)?;
        if context.is_agent() {
            return refuse("not_allowed", json!({ "who": "host" }));
        }
        let rows = rows_of(given["text"].as_str().unwrap_or_default())?;
        let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap_or_default()).collect();
        for (at, id) in ids.iter().enumerate() {
            if ids[..at].contains(id) {
                return refuse("duplicate_id", json!({ "id": id }));
            }
        }
        if !self.rules.dependencies && rows.iter().any(|row| !texts(&row["blockedBy"]).is_empty()) {
            return refuse("feature_off", json!({ "feature": "dependencies" }));
        }
        let before = self.tasks.clone();
        let mut called = BTreeMap::new();
        let mut fresh = Vec::new();
        for row in &rows {
            let id = row["id"].as_str().unwrap_or_default();
            let title = row["title"].as_str().unwrap_or_default();
            let names = std::iter::once(id.to_owned()).chain((2..).map(|number| format!("{id}~{number}")));
            let mut free = names.filter(|name| match self.find(name) {
                Some(task) => task.title == title,
                None => name == id || !ids.contains(&name.as_str()),
            });
            let name = free.next().expect("there are numbers enough");
            if self.find(&name).is_some() {
                self.learn(&name, row, context.now);
            } else {
                if self.rules.max_tasks.is_some_and(|most| self.tasks.len() as u64 >= most) {
                    return refuse("limit", json!({ "limit": "tasks", "max": self.rules.max_tasks }));
                }
                self.take_in(&name, row, context);
                fresh.push(name.clone());
            }
            called.insert(id.to_owned(), name);
        }
        for row in &rows {
            let name = called[row["id"].as_str().unwrap_or_default()].clone();
            let stamp = if fresh.contains(&name) { 0 } else { context.now };
            self.join(&name, row, &called, stamp);
        }
        let told: Vec<String> = called_in_order(&ids, &called)
            .into_iter()
            .filter(|name| before.iter().find(|task| task.id == *name) != self.find(name))
            .collect();
        called.retain(|id, name| id != name);
        Ok(Merged { outcome: Outcome { changed: !told.is_empty(), ..Outcome::default() }, told, called })
    }

    fn take_in(&mut self, id: &str, row: &Value, context: &Context<'_>) {
        let text = |name: &str| row[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let created_at = row["createdAt"].as_u64().filter(|at| *at > 0).unwrap_or(context.now);
        let aside = texts(&row["asideBlockedBy"]);
        self.tasks.push(Task {
            id: id.to_owned(),
            seq: self.next_seq,
            title: row["title"].as_str().unwrap_or_default().to_owned(),
            description: text("description"),
            active_form: text("activeForm"),
            status: status(row),
            hold: hold(row),
            blocked_by: Vec::new(),
            aside,
            parent: None,
            children: row["children"].as_str().and_then(Order::named),
            owner: text("owner"),
            claim: None,
            created_by: Some(text("createdBy").unwrap_or_else(|| context.actor.to_owned())),
            created_at,
            updated_at: row["updatedAt"].as_u64().unwrap_or(0).max(created_at),
            started_at: row["startedAt"].as_u64(),
            completed_at: row["completedAt"].as_u64(),
            metadata: row.get("metadata").cloned(),
            facets: BTreeMap::new(),
        });
        self.next_seq += 1;
    }

    fn learn(&mut self, id: &str, row: &Value, now: u64) {
        let old = self.find(id).expect("it is there").clone();
        let mut task = old.clone();
        let theirs = row["updatedAt"].as_u64().unwrap_or(0).max(row["createdAt"].as_u64().unwrap_or(0));
        let newer = theirs > task.updated_at;
        let text = |name: &str| row[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let better = |ours: &Option<String>, theirs: Option<String>| {
            if theirs.is_some() && (newer || ours.is_none()) { theirs } else { ours.clone() }
        };
        task.description = better(&task.description, text("description"));
        task.active_form = better(&task.active_form, text("activeForm"));
        task.owner = better(&task.owner, text("owner"));
        if let Some(metadata) = row.get("metadata").filter(|_| newer || task.metadata.is_none()) {
            task.metadata = Some(metadata.clone());
        }
        let to = status(row);
        if to != task.status && (newer || rank(to) > rank(task.status)) {
            task.status = to;
            task.claim = None;
            task.hold = hold(row);
            task.started_at = task.started_at.or(row["startedAt"].as_u64());
            task.completed_at = row["completedAt"].as_u64();
        }
        if task.aside.is_empty() {
            task.aside = texts(&row["asideBlockedBy"]);
        }
        if task != old {
            task.updated_at = task.updated_at.max(now);
            *self.find_mut(id) = task;
        }
    }

    fn join(&mut self, id: &str, row: &Value, called: &BTreeMap<String, String>, stamp: u64) {
        let meant = |name: &String| called.get(name).unwrap_or(name).clone();
        for blocker in texts(&row["blockedBy"]).iter().map(meant) {
            let task = self.find(id).expect("it is there");
            let is_done = self.find(&blocker).is_some_and(|task| task.status == Status::Completed);
            let known = task.blocked_by.contains(&blocker) || task.aside.contains(&blocker);
            if known || (self.rules.clear && is_done) {
                continue;
            }
            let mut next = self.clone();
            next.find_mut(id).blocked_by.push(blocker.clone());
            if next.find_ring().is_some() {
                self.find_mut(id).aside.push(blocker);
            } else {
                *self = next;
            }
            self.touch(id, stamp);
        }
        let Some(parent) = row["parent"].as_str().map(|name| meant(&name.to_owned())) else { return };
        if self.find(id).is_some_and(|task| task.parent.is_some()) {
            return;
        }
        let mut next = self.clone();
        next.find_mut(id).parent = Some(parent.clone());
        let facet = if self.find(&parent).is_none() {
            "parent"
        } else if next.find_ring().is_some() {
            "asideParent"
        } else {
            *self = next;
            return self.touch(id, stamp);
        };
        if self.find(id).is_some_and(|task| !task.facets.contains_key(facet)) {
            self.find_mut(id).facets.insert(facet.to_owned(), row["parent"].clone());
            self.touch(id, stamp);
        }
    }
}

fn called_in_order(ids: &[&str], called: &BTreeMap<String, String>) -> Vec<String> {
    ids.iter().map(|id| called[*id].clone()).collect()
}

fn rows_of(text: &str) -> Result<Vec<Value>, Refusal> {
    let Ok(list) = serde_json::from_str::<Value>(text) else { return refuse("corrupt", json!({})) };
    if list.get("format").is_some() && list["version"] != json!(1) {
        return refuse("unsupported_version", json!({}));
    }
    match list["tasks"].as_array() {
        Some(rows) => Ok(rows.clone()),
        None => refuse("corrupt", json!({})),
    }
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map(|items| items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}

fn status(row: &Value) -> Status {
    row["status"].as_str().and_then(Status::named).unwrap_or(Status::Pending)
}

fn hold(row: &Value) -> Option<Hold> {
    let hold = row.get("hold")?;
    Some(Hold {
        reason: hold["reason"].as_str().unwrap_or("manual").to_owned(),
        note: hold["note"].as_str().map(str::to_owned),
        at: hold["at"].as_u64().unwrap_or(0),
        resume: hold["resume"].as_str().and_then(Status::named).unwrap_or(Status::Pending),
    })
}

/// How far along a status is.
fn rank(status: Status) -> u8 {
    match status {
        Status::Pending => 0,
        Status::Held | Status::InProgress => 1,
        _ => 2,
    }
}
