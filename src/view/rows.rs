//! Every row as one line: `id · status · title`.

use serde::Serialize;

use crate::engine::State;
use crate::task::{Slot, Status};

/// One line of the full list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowLine {
    /// The task.
    pub id: String,
    /// Its status.
    pub status: &'static str,
    /// What follows from status and blockers.
    pub readiness: &'static str,
    /// Its title; untrusted text.
    pub title: String,
    /// The line; line breaks and control characters of the title are shown as spaces.
    pub line: String,
}

/// Every row, deleted ones included, in creation order. O(tasks).
#[must_use]
pub fn rows(state: &State) -> Vec<RowLine> {
    state.live().map(|(slot, _)| row_line(state, slot)).collect()
}

/// One row.
#[must_use]
pub fn row_line(state: &State, slot: Slot) -> RowLine {
    let task = state.task(slot);
    let title = task.text.title();
    let blocked = if task.status() == Status::Pending && task.active > 0 { " (blocked)" } else { "" };
    let plain: String = title.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    RowLine {
        id: task.id().to_owned(),
        status: task.status().word(),
        readiness: task.readiness().word(),
        title: title.to_owned(),
        line: [task.id(), " · ", task.status().word(), blocked, " · ", &plain].concat(),
    }
}
