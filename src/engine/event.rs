//! What happened, with old and new values, so that each event can be undone.

use std::rc::Rc;

use crate::task::{Extra, Millis, Progress, Slot, Slots, Text};

/// The facts of a row that an event about its coming or going carries, beside its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Creation order.
    pub seq: u64,
    /// Status and times.
    pub progress: Progress,
    /// Who created it.
    pub created_by: Rc<str>,
    /// When.
    pub created_at: Millis,
    /// When it last changed.
    pub updated_at: Millis,
    /// The optional facets.
    pub extra: Option<Rc<Extra>>,
}

/// A counter of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// The last fence given out.
    Fence,
}

/// One fact that changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A task came into the list. Its edges and parent follow as events of their own.
    Created {
        /// Its slot.
        slot: Slot,
        /// Its words.
        text: Rc<Text>,
        /// Its other facts; `None` for a pending task made by the operation's actor at its time.
        row: Option<Rc<Row>>,
    },
    /// A task left the list; it has no edges, parent or children any more.
    Dropped {
        /// Its slot.
        slot: Slot,
        /// Its words.
        text: Rc<Text>,
        /// Its other facts.
        row: Rc<Row>,
    },
    /// Status and its times.
    Progress {
        /// The task.
        slot: Slot,
        /// Before.
        old: Progress,
        /// After.
        new: Progress,
    },
    /// The time of the last change.
    Updated {
        /// The task.
        slot: Slot,
        /// Before.
        old: Millis,
        /// After.
        new: Millis,
    },
    /// The blockers.
    Blockers {
        /// The task.
        slot: Slot,
        /// Before.
        old: Slots,
        /// After.
        new: Slots,
    },
    /// The words.
    Text {
        /// The task.
        slot: Slot,
        /// Before.
        old: Rc<Text>,
        /// After.
        new: Rc<Text>,
    },
    /// The parent.
    Parent {
        /// The task.
        slot: Slot,
        /// Before.
        old: Option<Slot>,
        /// After.
        new: Option<Slot>,
    },
    /// The optional facets.
    Extra {
        /// The task.
        slot: Slot,
        /// Before.
        old: Option<Rc<Extra>>,
        /// After.
        new: Option<Rc<Extra>>,
    },
    /// A counter of the list. Never undone: numbers are not given out twice.
    Counted {
        /// Which.
        counter: Counter,
        /// Before.
        old: u64,
        /// After.
        new: u64,
    },
}

impl Event {
    /// The task that the event is about.
    #[must_use]
    pub fn slot(&self) -> Option<Slot> {
        match self {
            Event::Created { slot, .. }
            | Event::Dropped { slot, .. }
            | Event::Progress { slot, .. }
            | Event::Updated { slot, .. }
            | Event::Blockers { slot, .. }
            | Event::Text { slot, .. }
            | Event::Parent { slot, .. }
            | Event::Extra { slot, .. } => Some(*slot),
            Event::Counted { .. } => None,
        }
    }
}
