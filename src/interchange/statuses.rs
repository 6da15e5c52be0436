//! Status words of other tools: one table for reading all of them, one word per format for writing.

use crate::task::{HoldReason, Status};

use super::formats::Format;
use super::record::Wait;

/// What a status word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) status: Status,
    pub(super) wait: Option<Wait>,
}

const fn plain(status: Status) -> Meaning {
    Meaning { status, wait: None }
}

const fn held(reason: HoldReason, note: &'static str) -> Meaning {
    Meaning { status: Status::Held, wait: Some(Wait { reason, note }) }
}

/// The meaning of a word, letter case, spaces, `-` and `_` ignored; nothing for a word that no tool is known to use.
pub(super) fn meaning(word: &str) -> Option<Meaning> {
    let folded: String =
        word.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).take(32).collect();
    Some(match folded.as_str() {
        "pending" | "todo" | "open" | "new" | "notstarted" | "backlog" | "ready" | "pinned" | "planned" => {
            plain(Status::Pending)
        }
        "inprogress" | "doing" | "active" | "started" | "running" | "wip" | "hooked" | "working" => {
            plain(Status::InProgress)
        }
        "done" | "completed" | "complete" | "closed" | "finished" | "resolved" => plain(Status::Completed),
        "cancelled" | "canceled" | "wontfix" | "wontdo" | "abandoned" | "rejected" => plain(Status::Cancelled),
        "tombstone" | "deleted" | "removed" => plain(Status::Deleted),
        "deferred" => held(HoldReason::Manual, "deferred"),
        "postponed" => held(HoldReason::Manual, "postponed"),
        "onhold" | "paused" | "held" => held(HoldReason::Manual, "on hold"),
        "blocked" => held(HoldReason::Manual, "blocked"),
        "failed" => held(HoldReason::Failed, "failed"),
        "review" | "inreview" | "reviewing" => held(HoldReason::Gate, "review"),
        "pendingreview" => held(HoldReason::Gate, "pending_review"),
        "readyforhuman" => held(HoldReason::Gate, "ready_for_human"),
        _ => return None,
    })
}

/// The meaning of a word; one that no tool is known to use stands for pending.
pub(super) fn meaning_or_pending(word: &str) -> Meaning {
    meaning(word).unwrap_or(plain(Status::Pending))
}

/// The word that a format writes for a status; what it has no word for becomes the nearest that it has.
#[allow(clippy::match_same_arms, reason = "a table, format by format")]
pub(super) fn written(format: Format, status: Status) -> &'static str {
    use Status::{Cancelled, Completed, Deleted, Held, InProgress, Pending};
    match (format, status) {
        (Format::TaskMaster, Pending) => "pending",
        (Format::TaskMaster, InProgress) => "in-progress",
        (Format::TaskMaster, Held) => "deferred",
        (Format::TaskMaster, Completed) => "done",
        (Format::TaskMaster, Cancelled | Deleted) => "cancelled",
        (Format::Beads, Pending) => "open",
        (Format::Beads, InProgress) => "in_progress",
        (Format::Beads, Held) => "blocked",
        (Format::Beads, Completed | Cancelled) => "closed",
        (Format::Beads, Deleted) => "tombstone",
        (Format::Backlog, Pending | Held) => "To Do",
        (Format::Backlog, InProgress) => "In Progress",
        (Format::Backlog, _) => "Done",
        (Format::ClaudeCode | Format::LearnClaudeCode | Format::Shrimp, Pending | Held) => "pending",
        (Format::ClaudeCode | Format::LearnClaudeCode | Format::Shrimp, InProgress) => "in_progress",
        (Format::ClaudeCode | Format::LearnClaudeCode | Format::Shrimp, _) => "completed",
        (Format::Plan, Held) => "blocked",
        (_, status) => status.word(),
    }
}

/// The word to write for a status: the file's own, as it was read, while it still means the same; else the format's.
pub(super) fn word_for(format: Format, status: Status, read: Option<&str>) -> &str {
    match read {
        Some(word) if meaning_or_pending(word).status == status => word,
        _ => written(format, status),
    }
}
