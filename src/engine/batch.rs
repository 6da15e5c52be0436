//! Several commands as one change.

use std::borrow::Cow;

use crate::task::{Slot, Status};

use super::command::{Add, Command};
use super::error::Refusal;
use super::names::Names;
use super::transaction::Transaction;

impl Transaction<'_> {
    /// Carries out the entries in order. An entry may name, by its local key, a task that a later entry adds:
    /// a new task then gets its edges and parent at the end, any other entry is carried out at the end.
    ///
    /// # Errors
    /// The refusal of the first entry that is refused, with its number in `details.entry`.
    pub(super) fn batch(&mut self, commands: &[Command<'_>]) -> Result<Vec<Slot>, Refusal> {
        let mut later = Later::default();
        for (at, command) in commands.iter().enumerate() {
            if key_of(command).is_some_and(|key| later.keys.add(key)) {
                later.entries.push(at);
            }
        }
        let mut subjects: Vec<Option<Slot>> = vec![None; commands.len()];
        let mut postponed: Vec<(usize, Option<Slot>)> = Vec::new();
        for (at, command) in commands.iter().enumerate() {
            if !names_later(command, |id| later.comes_after(id, at)) {
                subjects[at] = self.decide(command).map_err(|refusal| at_entry(refusal, at))?;
            } else if let Command::Add(add) = command {
                let present = |id: &&Cow<'_, str>| !later.comes_after(id, at);
                let bare = Add {
                    blocked_by: add.blocked_by.iter().filter(present).cloned().collect(),
                    parent: add.parent.clone().filter(|id| present(&id)),
                    status: Status::Pending,
                    ..add.clone()
                };
                let slot = self.decide(&Command::Add(bare)).map_err(|refusal| at_entry(refusal, at))?;
                subjects[at] = slot;
                postponed.push((at, slot));
            } else {
                postponed.push((at, None));
            }
        }
        for (at, slot) in postponed {
            let done = match (&commands[at], slot) {
                (Command::Add(add), Some(slot)) => self.link_added(slot, add),
                (command, _) => self.decide(command).map(|subject| subjects[at] = subject),
            };
            done.map_err(|refusal| at_entry(refusal, at))?;
        }
        Ok(subjects.into_iter().flatten().collect())
    }

    fn link_added(&mut self, slot: Slot, add: &Add<'_>) -> Result<(), Refusal> {
        let id = self.id(slot);
        let blockers = self.resolve_blockers(&id, Some(slot), None, &add.blocked_by)?;
        self.replace_blockers(slot, blockers)?;
        if let Some(parent) = &add.parent {
            let parent = self.resolve(parent)?;
            self.set_parent(slot, Some(parent))?;
        }
        self.begin_with(slot, add.status)
    }
}

fn key_of<'c>(command: &'c Command<'_>) -> Option<&'c str> {
    match command {
        Command::Add(add) => add.key.as_deref(),
        _ => None,
    }
}

/// Where each local key is given.
#[derive(Default)]
struct Later {
    keys: Names,
    entries: Vec<usize>,
}

impl Later {
    fn comes_after(&self, key: &str, at: usize) -> bool {
        self.keys.find(key).is_some_and(|number| self.entries[number] > at)
    }
}

/// Whether a command names a key that is still to come.
fn names_later(command: &Command<'_>, is_later: impl Fn(&str) -> bool) -> bool {
    let any = |ids: &Option<Vec<Cow<'_, str>>>| ids.iter().flatten().any(|id| is_later(id));
    match command {
        Command::Add(add) => {
            add.blocked_by.iter().any(|id| is_later(id)) || add.parent.as_deref().is_some_and(&is_later)
        }
        Command::Update(id, patch) => {
            is_later(id)
                || any(&patch.blocked_by)
                || any(&patch.add_blocked_by)
                || any(&patch.remove_blocked_by)
                || patch.parent.as_deref().is_some_and(&is_later)
        }
        Command::Start(id)
        | Command::Complete(id, _)
        | Command::Cancel(id)
        | Command::Reopen(id)
        | Command::Remove(id, _)
        | Command::Release(id, _)
        | Command::Heartbeat { id, .. }
        | Command::Hold { id, .. } => is_later(id),
        Command::Claim { id, ids, .. } => id.as_deref().is_some_and(&is_later) || any(ids),
        Command::Batch(_) | Command::Undo | Command::Redo | Command::Archive(_) | Command::RecoverStale(_) => false,
    }
}

/// Says in a refusal which entry it is about.
fn at_entry(mut refusal: Refusal, at: usize) -> Refusal {
    let number = at + 1;
    let reason = &mut *refusal;
    reason.message.insert_str(0, &format!("Entry {number} of the batch: "));
    reason.hint.push_str(" Nothing of the batch was done.");
    refusal.add_detail("entry", &number.to_string());
    refusal
}
