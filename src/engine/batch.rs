//! Several commands as one change.

use std::borrow::Cow;

use crate::graph::{ByKey, sort_in_place};
use crate::task::{Slot, Status};

use super::command::{Add, Command};
use super::error::{Fact, Refusal, sentence};
use super::names::Names;
use super::transaction::Transaction;

impl Transaction<'_> {
    /// Carries out the entries in order. An entry may name, by its local key, a task that a later entry adds: then
    /// it is carried out directly behind that one, so that what happens to one task happens in order. A new task
    /// that names later ones is made at its place, and so are all up to the last one that it names; then they get
    /// their edges and parents, and what they or the entries between them do comes last, in order.
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
        let mut turns: Vec<(usize, usize)> = (0..commands.len()).map(|at| (at, at)).collect();
        for (turn, at) in &mut turns {
            if !matches!(commands[*at], Command::Add(_)) {
                *turn = later.last_named(&commands[*at], *at).unwrap_or(*at);
            }
        }
        // The place in the key keeps entries of one turn in order: the sort is not stable.
        sort_in_place(&mut ByKey(&mut turns, |(turn, at): &(usize, usize)| (*turn, *turn != *at, *at)));
        let mut subjects: Vec<Option<Slot>> = vec![None; commands.len()];
        let mut waiting: Vec<usize> = Vec::new();
        let mut until = 0;
        for (_, at) in turns {
            let Command::Add(add) = &commands[at] else {
                if waiting.is_empty() {
                    subjects[at] = self.decide(&commands[at]).map_err(|refusal| at_entry(refusal, at))?;
                } else {
                    waiting.push(at);
                }
                continue;
            };
            let awaited = later.last_named(&commands[at], at);
            if waiting.is_empty() && awaited.is_none() {
                subjects[at] = self.decide(&commands[at]).map_err(|refusal| at_entry(refusal, at))?;
                continue;
            }
            until = awaited.map_or(until, |entry| until.max(entry));
            waiting.push(at);
            let present = |id: &&Cow<'_, str>| !later.comes_after(id, at);
            let bare = Add {
                blocked_by: add.blocked_by.iter().filter(present).cloned().collect(),
                parent: add.parent.clone().filter(|id| present(&id)),
                status: Status::Pending,
                ..add.clone()
            };
            subjects[at] = self.decide(&Command::Add(bare)).map_err(|refusal| at_entry(refusal, at))?;
            if at == until {
                self.catch_up(commands, &waiting, &mut subjects)?;
                waiting.clear();
            }
        }
        Ok(subjects.into_iter().flatten().collect())
    }

    /// Links the new tasks among some entries, then does what the entries do.
    fn catch_up(
        &mut self,
        commands: &[Command<'_>],
        waiting: &[usize],
        subjects: &mut [Option<Slot>],
    ) -> Result<(), Refusal> {
        for at in waiting {
            if let (Command::Add(add), Some(slot)) = (&commands[*at], subjects[*at]) {
                self.link_added(slot, add).map_err(|refusal| at_entry(refusal, *at))?;
            }
        }
        for at in waiting {
            let done = match (&commands[*at], subjects[*at]) {
                (Command::Add(add), Some(_)) if add.status == Status::Pending => Ok(()),
                (Command::Add(add), Some(slot)) => self.begin_with(slot, add.status),
                (command, _) => self.decide(command).map(|subject| subjects[*at] = subject),
            };
            done.map_err(|refusal| at_entry(refusal, *at))?;
        }
        Ok(())
    }

    fn link_added(&mut self, slot: Slot, add: &Add<'_>) -> Result<(), Refusal> {
        let id = self.id(slot);
        let blockers = self.resolve_blockers(&id, Some(slot), None, &add.blocked_by)?;
        self.replace_blockers(slot, blockers)?;
        match &add.parent {
            Some(parent) => {
                let parent = self.resolve(parent)?;
                self.set_parent(slot, Some(parent))
            }
            None => Ok(()),
        }
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

    /// The last entry behind `at` that adds a task which a command names.
    fn last_named(&self, command: &Command<'_>, at: usize) -> Option<usize> {
        if self.entries.last().is_none_or(|last| *last <= at) {
            return None;
        }
        let entry = |id: &str| self.keys.find(id).map(|number| self.entries[number]).filter(|entry| *entry > at);
        names(command).into_iter().filter_map(entry).max()
    }
}

/// What a command says where an id is due.
fn names<'c>(command: &'c Command<'_>) -> Vec<&'c str> {
    let mut names: Vec<&str> = Vec::new();
    match command {
        Command::Add(add) => {
            extend(&mut names, Some(&add.blocked_by));
            names.extend(add.parent.as_deref());
        }
        Command::Update(id, patch) => {
            names.push(id);
            for list in [&patch.blocked_by, &patch.add_blocked_by, &patch.remove_blocked_by] {
                extend(&mut names, list.as_deref());
            }
            names.extend(patch.parent.as_deref());
        }
        Command::Start(id)
        | Command::Complete(id, _)
        | Command::Cancel(id)
        | Command::Reopen(id)
        | Command::Remove(id, _)
        | Command::Release(id, _)
        | Command::Heartbeat { id, .. }
        | Command::Hold { id, .. } => names.push(id),
        Command::Claim { id, ids, .. } => {
            names.extend(id.as_deref());
            extend(&mut names, ids.as_deref());
        }
        Command::Batch(_)
        | Command::Merge(_)
        | Command::Undo
        | Command::Redo
        | Command::Archive(_)
        | Command::RecoverStale(_) => {}
    }
    names
}

fn extend<'c>(names: &mut Vec<&'c str>, ids: Option<&'c [Cow<'_, str>]>) {
    for id in ids.unwrap_or_default() {
        names.push(id);
    }
}

/// Says in a refusal which entry it is about.
fn at_entry(mut refusal: Refusal, at: usize) -> Refusal {
    let number = sentence("{entry}", &[("entry", Fact::Number(at as u64 + 1))]);
    let reason = &mut *refusal;
    reason.message = ["Entry ", &number, " of the batch: ", &reason.message].concat();
    reason.hint.push_str(" Nothing of the batch was done.");
    refusal.add_detail("entry", &number);
    refusal
}
