//! Status words and what follows from them (D1 to D4).

use super::Millis;

/// What is stored about a task's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Not started.
    #[default]
    Pending,
    /// Somebody works on it.
    InProgress,
    /// Waits for a person, a time or an event; a [`super::Hold`] says which.
    Held,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
    /// Taken back; the row stays so that old edges still resolve.
    Deleted,
}

impl Status {
    /// Every status, in the order of its number on the boundary.
    pub const ALL: [Status; 6] =
        [Status::Pending, Status::InProgress, Status::Held, Status::Completed, Status::Cancelled, Status::Deleted];

    /// The canonical word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::InProgress => "in_progress",
            Status::Held => "held",
            Status::Completed => "completed",
            Status::Cancelled => "cancelled",
            Status::Deleted => "deleted",
        }
    }

    /// The status that a canonical word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Status::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Whether work may still happen: pending, in progress, held.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::InProgress | Status::Held)
    }
}

/// What follows from status and blockers; computed, never stored (D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// Pending, no active blocker.
    Ready,
    /// Pending, at least one active blocker.
    Blocked,
    /// In progress.
    Running,
    /// Held.
    Held,
    /// Completed, cancelled or deleted.
    Settled,
}

impl Readiness {
    /// The readiness of a task with this status and number of active blockers.
    #[must_use]
    pub fn of(status: Status, active: u32) -> Self {
        match status {
            Status::Pending if active == 0 => Readiness::Ready,
            Status::Pending => Readiness::Blocked,
            Status::InProgress => Readiness::Running,
            Status::Held => Readiness::Held,
            _ => Readiness::Settled,
        }
    }

    /// The canonical word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Readiness::Ready => "ready",
            Readiness::Blocked => "blocked",
            Readiness::Running => "running",
            Readiness::Held => "held",
            Readiness::Settled => "settled",
        }
    }
}

/// A status with the times that go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// The status.
    pub status: Status,
    /// When it was first in progress; 0 when never.
    pub started_at: Millis,
    /// When it was completed; 0 when it is not.
    pub completed_at: Millis,
}
