//! The optional facets of a task, held together and replaced as one.

use super::{Millis, Status};

/// Why a task is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// Waits for a person's decision.
    Gate,
    /// Waits for a person to release it to another agent.
    Handoff,
    /// Its attempts are used up, or a dispatched run failed.
    Failed,
    /// A goal's limit was hit.
    Limit,
    /// A goal makes no progress.
    Stuck,
    /// Nobody is assigned.
    Unassigned,
    /// Waits for a time.
    Until,
    /// Waits for something outside: a pull request, a build, an event.
    External,
    /// Somebody said so.
    Manual,
}

impl HoldReason {
    const ALL: [HoldReason; 9] = [
        HoldReason::Gate,
        HoldReason::Handoff,
        HoldReason::Failed,
        HoldReason::Limit,
        HoldReason::Stuck,
        HoldReason::Unassigned,
        HoldReason::Until,
        HoldReason::External,
        HoldReason::Manual,
    ];

    /// The canonical word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            HoldReason::Gate => "gate",
            HoldReason::Handoff => "handoff",
            HoldReason::Failed => "failed",
            HoldReason::Limit => "limit",
            HoldReason::Stuck => "stuck",
            HoldReason::Unassigned => "unassigned",
            HoldReason::Until => "until",
            HoldReason::External => "external",
            HoldReason::Manual => "manual",
        }
    }

    /// The reason that a canonical word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        HoldReason::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

/// A wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Why.
    pub reason: HoldReason,
    /// Words for people; untrusted.
    pub note: Box<str>,
    /// Since when.
    pub at: Millis,
    /// The status that releasing it gives.
    pub resume: Status,
}

/// Who has a task right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// A counter of the list, never reused: a late writer's fence is smaller.
    pub fence: u64,
    /// When the lease ends; 0 when it does not.
    pub lease_until: Millis,
}

/// How the children of a task are ordered (D3a).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChildOrder {
    /// No order; children inherit their parent's active blockers.
    #[default]
    Group,
    /// One after the other, once the parent has started.
    Sequence,
}

impl ChildOrder {
    /// The canonical word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ChildOrder::Group => "group",
            ChildOrder::Sequence => "sequence",
        }
    }

    /// The order that a canonical word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "group" => Some(ChildOrder::Group),
            "sequence" => Some(ChildOrder::Sequence),
            _ => None,
        }
    }
}

/// The optional facets. Raw JSON is kept as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extra {
    /// Who works on it.
    pub owner: Option<Box<str>>,
    /// The claim on it.
    pub claim: Option<Claim>,
    /// The wait, when the status is held.
    pub hold: Option<Hold>,
    /// How its children are ordered, when it says so itself.
    pub children: Option<ChildOrder>,
    /// A JSON object of the host.
    pub metadata: Option<Box<str>>,
    /// A JSON list of ids that a file named as blockers, set aside to break a ring.
    pub aside: Option<Box<str>>,
    /// Fields this version carries for others: name and raw JSON, in the order read.
    pub facets: Vec<(Box<str>, Box<str>)>,
}

impl Extra {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Extra::default()
    }
}
