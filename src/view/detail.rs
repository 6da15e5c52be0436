//! The read-only dialog of one task.

use serde::Serialize;

use crate::engine::{Explanation, State};
use crate::task::{Presence, Slot};

/// A task that the dialog links to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// The task.
    pub id: String,
    /// Its title; absent for an id that nobody has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its status; absent for an id that nobody has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// Whether it still holds the other one up.
    pub active: bool,
}

/// What the dialog shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    /// The task.
    pub id: String,
    /// Its title; untrusted text.
    pub title: String,
    /// Its description; untrusted text, empty when there is none.
    pub description: String,
    /// Its status.
    pub status: &'static str,
    /// What it waits for.
    pub blocked_by: Vec<Link>,
    /// What waits for it.
    pub blocks: Vec<Link>,
    /// Why it is as it is.
    pub why: Explanation,
}

/// The dialog of a task.
#[must_use]
pub fn detail(state: &State, slot: Slot) -> Detail {
    let task = state.task(slot);
    let open = task.status().is_open();
    Detail {
        id: task.id().to_owned(),
        title: task.text.title().to_owned(),
        description: task.text.description().to_owned(),
        status: task.status().word(),
        blocked_by: task
            .blocked_by
            .iter()
            .map(|blocker| link(state, *blocker, state.task(*blocker).holds_others()))
            .collect(),
        blocks: task.blocks.iter().map(|dependent| link(state, *dependent, open)).collect(),
        why: state.explain(slot),
    }
}

fn link(state: &State, slot: Slot, active: bool) -> Link {
    let task = state.task(slot);
    let known = task.presence == Presence::Live;
    Link {
        id: task.id().to_owned(),
        title: known.then(|| task.text.title().to_owned()),
        status: known.then(|| task.status().word()),
        active,
    }
}
