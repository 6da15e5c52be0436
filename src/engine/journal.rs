//! Operations: what each accepted call did, kept for undo, replay and audit (D16).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::task::Millis;

use super::event::Event;
use super::{Context, limits};

/// The memory of an operation with more events than this is not kept for the next one.
const FEW_EVENTS: usize = 64;

/// What an operation means for undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Can be undone.
    Plain,
    /// Cannot be undone: recovery, heartbeats, and operations whose events were not kept.
    Fixed,
    /// An undo; redo takes it back.
    Undo,
    /// A redo; undo takes it back.
    Redo,
}

impl Role {
    /// The word for it in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Role::Plain => "plain",
            Role::Fixed => "fixed",
            Role::Undo => "undo",
            Role::Redo => "redo",
        }
    }

    /// The role that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Role::Plain, Role::Fixed, Role::Undo, Role::Redo].into_iter().find(|role| role.word() == word)
    }
}

/// One accepted call.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The session that made it; with the number, its id.
    pub session: Rc<str>,
    /// Its number in that session.
    pub number: u64,
    /// Who made it.
    pub actor: Rc<str>,
    /// When.
    pub at: Millis,
    /// What was asked.
    pub action: Cow<'static, str>,
    /// What it means for undo.
    pub role: Role,
    /// What happened.
    pub events: Vec<Event>,
    /// Its JSON, once written.
    pub(super) json: OnceCell<Box<str>>,
}

impl Operation {
    fn is_call(&self) -> bool {
        !matches!(self.role, Role::Undo | Role::Redo)
    }
}

/// The newest operations.
#[derive(Debug, Default, Clone)]
pub struct Journal {
    // Boxed, so that an operation is filled in where it lies and never copied.
    operations: VecDeque<Box<Operation>>,
    /// The memory of an operation that was let go, for the next one.
    spare: Option<Box<Operation>>,
    /// How many of them are neither undo nor redo.
    calls: usize,
    /// Operations from this one on are kept whatever their number, so that they can be taken back.
    pinned: Option<usize>,
    /// How many operations have ever been pushed.
    pushed: usize,
}

impl Journal {
    /// Adds an operation and lets the oldest go.
    pub fn push(&mut self, operation: impl Into<Box<Operation>>) {
        let operation = operation.into();
        self.calls += usize::from(operation.is_call());
        self.operations.push_back(operation);
        self.pushed += 1;
        let pinned = self.pinned.map_or(0, |pinned| self.pushed - pinned);
        if self.operations.len() > limits::JOURNAL_ENTRIES.max(pinned) {
            self.fold();
        }
        while self.calls > limits::JOURNAL_OPERATIONS || self.operations.len() > limits::JOURNAL_ENTRIES {
            if self.operations.len() <= pinned {
                break;
            }
            if let Some(gone) = self.operations.pop_front() {
                self.calls -= usize::from(gone.is_call());
                self.recycle(gone);
            }
        }
    }

    /// Takes out an undo and the redo right behind it, which leave things as they were, so that going to and fro does
    /// not push out what could be undone before. The newest operations stay, so that a save that landed can be told.
    fn fold(&mut self) {
        let newest = limits::JOURNAL_OPERATIONS.max(self.pinned.map_or(0, |pinned| self.pushed - pinned));
        let mut undoable = Vec::new();
        for at in 0..self.operations.len().saturating_sub(newest + 1) {
            match self.operations[at].role {
                Role::Undo => {
                    let of = undoable.pop();
                    if let (Some(of), Role::Redo) = (of, self.operations[at + 1].role) {
                        // What was undone may be known by name only.
                        let events = std::mem::take(&mut self.operations[at + 1].events);
                        let again: &mut Operation = &mut self.operations[of];
                        again.events = events;
                        again.json.take();
                        self.operations.drain(at..at + 2);
                        return;
                    }
                }
                Role::Plain | Role::Redo => undoable.push(at),
                Role::Fixed => {}
            }
        }
    }

    /// Takes the newest operation off.
    pub fn pop(&mut self) -> Option<Box<Operation>> {
        let operation = self.operations.pop_back();
        if let Some(operation) = &operation {
            self.pushed -= 1;
            self.calls -= usize::from(operation.is_call());
        }
        operation
    }

    /// An operation in which nothing has happened yet.
    #[allow(clippy::unnecessary_box_returns, reason = "it stays boxed, so that its memory is used again")]
    pub(super) fn begin(&mut self, session: &Rc<str>, context: &Context, action: &'static str) -> Box<Operation> {
        let mut operation = self.spare.take().unwrap_or_else(|| {
            Box::new(Operation {
                session: Rc::clone(session),
                number: 0,
                actor: Rc::clone(&context.actor),
                at: 0,
                action: Cow::Borrowed(action),
                role: Role::Plain,
                events: Vec::new(),
                json: OnceCell::new(),
            })
        });
        if !Rc::ptr_eq(&operation.session, session) {
            operation.session = Rc::clone(session);
        }
        if !Rc::ptr_eq(&operation.actor, &context.actor) {
            operation.actor = Rc::clone(&context.actor);
        }
        operation.number = context.operation;
        operation.at = context.now;
        operation.action = Cow::Borrowed(action);
        operation.role = Role::Plain;
        operation.json.take();
        operation
    }

    /// Takes the memory of an operation that nobody needs any more.
    pub(super) fn recycle(&mut self, mut operation: Box<Operation>) {
        operation.events.clear();
        if operation.events.capacity() <= FEW_EVENTS {
            self.spare = Some(operation);
        }
    }

    /// The operations, oldest first.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Operation> + ExactSizeIterator {
        self.operations.iter().map(|operation| &**operation)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Operation> {
        self.operations.iter_mut().map(|operation| &mut **operation)
    }

    /// How many operations have ever been pushed; a mark for [`Journal::since`].
    #[must_use]
    pub fn mark(&self) -> usize {
        self.pushed
    }

    /// Keeps every operation from `mark` on, until told otherwise.
    pub fn pin(&mut self, mark: Option<usize>) {
        self.pinned = mark;
    }

    /// The mark from which on every operation is kept.
    #[must_use]
    pub fn pinned(&self) -> Option<usize> {
        self.pinned
    }

    /// The operations since a mark, oldest first; fewer when some have been let go.
    pub fn since(&self, mark: usize) -> impl Iterator<Item = &Operation> {
        let newer = self.pushed.saturating_sub(mark).min(self.operations.len());
        self.iter().skip(self.operations.len() - newer)
    }

    /// The newest operation that undo takes back, and the newest undo that redo takes back.
    #[must_use]
    pub fn targets(&self) -> (Option<&Operation>, Option<&Operation>) {
        let (undo, redo) = self.stacks();
        let newest = |stack: &[usize]| stack.last().map(|at| &*self.operations[*at]);
        (newest(&undo), newest(&redo))
    }

    /// The places of what can be undone and of what can be redone, in the order in which it was done.
    pub(super) fn stacks(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut undo, mut redo) = (Vec::new(), Vec::new());
        for (at, operation) in self.iter().enumerate() {
            match operation.role {
                Role::Fixed => {}
                Role::Plain => {
                    undo.push(at);
                    redo.clear();
                }
                Role::Undo => {
                    undo.pop();
                    redo.push(at);
                }
                Role::Redo => {
                    redo.pop();
                    undo.push(at);
                }
            }
        }
        (undo, redo)
    }
}
