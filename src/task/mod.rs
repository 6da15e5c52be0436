//! What a task is: its words, its status, its facets. No rules.

mod extra;
mod status;
mod text;

pub use extra::{ChildOrder, Claim, Extra, Hold, HoldReason};
pub use status::{Progress, Readiness, Status};
pub use text::{Text, Words};

use std::rc::Rc;

use smallvec::SmallVec;

/// Where a task stands in the list's storage. Slots follow creation order.
pub type Slot = u32;

/// A short list of slots; four fit without an allocation.
pub type Slots = SmallVec<[Slot; 4]>;

/// A time in Unix milliseconds; 0 stands for "never", so that what happens at 0 is written as of 1.
pub type Millis = u64;

/// Whether a slot's task is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// In the list.
    Live,
    /// Taken out of the list, kept while an operation in the journal could bring it back.
    Gone,
    /// Never a task: an id that a loaded file names as a blocker and does not hold.
    Missing,
    /// Such a placeholder that nobody names any more.
    Forgotten,
}

/// A task's place in a tree of parents and children.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// The task it is a step of.
    pub parent: Option<Slot>,
    /// Its own steps, in creation order.
    pub children: Vec<Slot>,
}

/// One task: facts, and the indexes that hang on it.
#[derive(Debug, Clone)]
pub struct Task {
    /// Whether it is in the list.
    pub presence: Presence,
    /// Status and the times that go with it.
    pub progress: Progress,
    /// Id, title, description, active form.
    pub text: Rc<Text>,
    /// Creation order, never reused.
    pub seq: u64,
    /// Who created it.
    pub created_by: Rc<str>,
    /// When it was created.
    pub created_at: Millis,
    /// When a fact of it last changed; never goes backwards.
    pub updated_at: Millis,
    /// The tasks it waits for, in the order given (a fact).
    pub blocked_by: Slots,
    /// The tasks that name it in `blocked_by`, in creation order (derived).
    pub blocks: Slots,
    /// How many blockers are active, implied ones included (derived).
    pub active: u32,
    /// Its mark in the set of tasks that the present operation touched, plus one (scratch).
    pub touched: u32,
    /// Parents and children, for tasks that have any.
    pub tree: Option<Box<Tree>>,
    /// The optional facets.
    pub extra: Option<Rc<Extra>>,
}

impl Task {
    /// A live, pending task without edges.
    #[must_use]
    pub fn new(text: Rc<Text>, seq: u64, created_by: Rc<str>, at: Millis) -> Self {
        Task {
            presence: Presence::Live,
            progress: Progress::default(),
            text,
            seq,
            created_by,
            created_at: at,
            updated_at: at,
            blocked_by: Slots::new(),
            blocks: Slots::new(),
            active: 0,
            touched: 0,
            tree: None,
            extra: None,
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text.id()
    }

    /// Its status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.progress.status
    }

    /// Whether it is in the list and not settled, or missing: in both cases whoever waits for it goes on waiting.
    #[must_use]
    pub fn holds_others(&self) -> bool {
        match self.presence {
            Presence::Live => self.progress.status.is_open(),
            Presence::Missing => true,
            Presence::Gone | Presence::Forgotten => false,
        }
    }

    /// What follows from status and blockers (D3).
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        Readiness::of(self.progress.status, self.active)
    }

    /// The task it is a step of.
    #[must_use]
    pub fn parent(&self) -> Option<Slot> {
        self.tree.as_ref().and_then(|tree| tree.parent)
    }

    /// Its steps.
    #[must_use]
    pub fn children(&self) -> &[Slot] {
        self.tree.as_ref().map_or(&[], |tree| &tree.children)
    }

    /// The claim on it.
    #[must_use]
    pub fn claim(&self) -> Option<Claim> {
        self.extra.as_ref().and_then(|extra| extra.claim)
    }

    /// Why it is held.
    #[must_use]
    pub fn hold(&self) -> Option<&Hold> {
        self.extra.as_ref().and_then(|extra| extra.hold.as_ref())
    }

    /// Who works on it.
    #[must_use]
    pub fn owner(&self) -> Option<&str> {
        self.extra.as_ref().and_then(|extra| extra.owner.as_deref())
    }
}
