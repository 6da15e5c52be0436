//! The pinned panel (D23): what is in progress, then the next few pending tasks.

use serde::Serialize;

use crate::engine::State;
use crate::task::{Slot, Status, Task};

/// Most pending tasks shown.
const PENDING: usize = 5;

/// One line of the panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelEntry {
    /// The task.
    pub id: String,
    /// What the line says: the active form of work in progress, else the title.
    pub label: String,
    /// `in_progress`, `pending` or `held`.
    pub status: &'static str,
    /// Whether it waits for others.
    pub blocked: bool,
    /// Why it is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<&'static str>,
}

/// The pinned panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Panel {
    /// Nothing is open: the panel is not shown.
    pub hidden: bool,
    /// All work in progress, oldest first, then at most five pending or held tasks.
    pub entries: Vec<PanelEntry>,
    /// How many more pending or held tasks there are.
    pub more: u32,
    /// Completed tasks, for a line of progress.
    pub completed: u32,
    /// All tasks that are not deleted or cancelled.
    pub total: u32,
}

/// The panel of a list. O(tasks).
#[must_use]
pub fn panel(state: &State) -> Panel {
    let with = |wanted: &'static [Status]| state.live().filter(move |(_, task)| wanted.contains(&task.status()));
    let mut entries: Vec<PanelEntry> =
        with(&[Status::InProgress]).map(|(slot, task)| entry(state, slot, task)).collect();
    let running = entries.len();
    entries.extend(with(&[Status::Pending, Status::Held]).take(PENDING).map(|(slot, task)| entry(state, slot, task)));
    let waiting = state.count(Status::Pending) + state.count(Status::Held);
    let shown = u32::try_from(entries.len() - running).unwrap_or(waiting);
    let progress = state.progress();
    Panel {
        hidden: entries.is_empty(),
        entries,
        more: waiting - shown,
        completed: progress.completed,
        total: progress.total - progress.cancelled,
    }
}

fn entry(state: &State, slot: Slot, task: &Task) -> PanelEntry {
    let active_form =
        Some(task.text.active_form()).filter(|form| !form.is_empty() && task.status() == Status::InProgress);
    PanelEntry {
        id: task.id().to_owned(),
        label: active_form.unwrap_or(task.text.title()).to_owned(),
        status: task.status().word(),
        blocked: state.blocked.contains(slot),
        hold: task.hold().filter(|_| task.status() == Status::Held).map(|hold| hold.reason.word()),
    }
}
