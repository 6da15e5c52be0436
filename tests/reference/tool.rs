//! The `tasks` dialect of document 000 over the model (D20, D21), without messages.

use super::json::Json;
use super::{Context, Model, Refusal, Status, Task};
use serde_json::{Map, Value, json};

fn text(value: &str) -> Json {
    Json::Text(value.to_owned())
}

fn texts(values: &[String]) -> Json {
    Json::List(values.iter().map(|value| text(value)).collect())
}

#[allow(clippy::cast_precision_loss)] // times of the tests are below 2^53
fn time(value: u64) -> Json {
    Json::Number(value as f64)
}

fn wire_status(status: Status) -> &'static str {
    match status {
        Status::Held => "pending",
        Status::Cancelled => "deleted",
        other => other.word(),
    }
}

impl Model {
    fn wire_row(&self, task: &Task) -> Json {
        let mut row = vec![("id".to_owned(), text(&task.id)), ("content".to_owned(), text(&task.title))];
        if let Some(active_form) = &task.active_form {
            row.push(("active_form".to_owned(), text(active_form)));
        }
        row.push(("status".to_owned(), text(wire_status(task.status))));
        if !task.blocked_by.is_empty() {
            row.push(("blockedBy".to_owned(), texts(&task.blocked_by)));
        }
        let blocks = self.blocks(&task.id);
        if !blocks.is_empty() {
            row.push(("blocks".to_owned(), texts(&blocks)));
        }
        if let Some(at) = task.completed_at {
            row.push(("completed_at".to_owned(), time(at)));
        }
        if let Some(hold) = &task.hold {
            let mut value = vec![("reason".to_owned(), text(&hold.reason))];
            if let Some(note) = &hold.note {
                value.push(("note".to_owned(), text(note)));
            }
            row.push(("hold".to_owned(), Json::Object(value)));
        }
        Json::Object(row)
    }

    fn wire_rows(&self, keep: impl Fn(&Task) -> bool) -> Json {
        Json::List(self.tasks.iter().filter(|task| keep(task)).map(|task| self.wire_row(task)).collect())
    }

    /// One call of the tool.
    pub(crate) fn tool(&mut self, args: &Value, context: &Context<'_>) -> Json {
        let action = args["action"].as_str().unwrap_or_default().to_owned();
        match self.tool_result(&action, args, context) {
            Ok(result) => result,
            Err(refusal) => {
                let mut details = refusal.details;
                if details["field"] == "title" {
                    details["field"] = json!("content");
                }
                let details = Json::parse(&details.to_string()).expect("JSON");
                let error = vec![
                    ("code".to_owned(), text(refusal.code)),
                    ("message".to_owned(), text("message")),
                    ("hint".to_owned(), text("hint")),
                    ("details".to_owned(), details),
                ];
                Json::Object(vec![("action".to_owned(), text(&action)), ("error".to_owned(), Json::Object(error))])
            }
        }
    }

    fn tool_result(&mut self, action: &str, args: &Value, context: &Context<'_>) -> Result<Json, Refusal> {
        let refuse = |code, details| Err(Refusal { code, details, attempt: None });
        let mut result = vec![("action".to_owned(), text(action))];
        let snapshot = |model: &Model| Json::Object(vec![("tasks".to_owned(), model.wire_rows(|_| true))]);
        let known: &[(&str, &str)] = match action {
            "add" => &[("content", "title"), ("blockedBy", "blockedBy"), ("active_form", "activeForm")],
            "update" => &[
                ("id", "id"),
                ("content", "title"),
                ("status", "status"),
                ("blockedBy", "blockedBy"),
                ("active_form", "activeForm"),
            ],
            "complete" | "remove" => &[("id", "id")],
            "list" => &[("status_filter", "status_filter")],
            "blocked" => &[],
            "" => return refuse("missing_field", json!({ "field": "action" })),
            other => return refuse("invalid_value", json!({ "field": "action", "got": other })),
        };
        let mut command = Map::from_iter([("action".to_owned(), json!(action))]);
        for (name, value) in args.as_object().into_iter().flatten() {
            if name == "action" {
                continue;
            }
            let Some((_, canonical)) = known.iter().find(|(wire, _)| wire == name) else {
                return refuse("unknown_field", json!({ "field": name }));
            };
            if !value.is_null() {
                command.insert((*canonical).to_owned(), value.clone());
            }
        }
        if action == "blocked" {
            result.push(("tasks".to_owned(), self.wire_rows(|task| !self.barred_by(&task.id).is_empty())));
            return Ok(Json::Object(result));
        }
        if action == "list" {
            let filter = match command.get("status_filter") {
                None => None,
                Some(word) => {
                    match word.as_str().filter(|word| ["pending", "in_progress", "completed", "deleted"].contains(word))
                    {
                        None => return refuse("invalid_value", json!({ "field": "status_filter" })),
                        word => word,
                    }
                }
            };
            result.push((
                "tasks".to_owned(),
                self.wire_rows(|task| filter.is_none_or(|word| wire_status(task.status) == word)),
            ));
            result.push(("snapshot".to_owned(), snapshot(self)));
            return Ok(Json::Object(result));
        }
        let change = self.run(&Value::Object(command), context)?;
        let id = change["task"]["id"].as_str().expect("these actions are about a task");
        result.push(("task".to_owned(), self.wire_row(self.find(id).expect("tombstones stay"))));
        if !change["warning"].is_null() {
            result.push(("warning".to_owned(), Json::parse(&change["warning"].to_string()).expect("JSON")));
        }
        if change["changed"] == false {
            result.push(("changed".to_owned(), Json::Bool(false)));
        }
        result.push(("snapshot".to_owned(), snapshot(self)));
        Ok(Json::Object(result))
    }
}
