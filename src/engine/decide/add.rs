//! Adding a task.

use std::rc::Rc;

use crate::engine::command::Add;
use crate::engine::error::{Code, Fact, Refusal, sentence};
use crate::engine::event::Event;
use crate::engine::limits;
use crate::engine::transaction::Transaction;
use crate::task::{Progress, Slot, Slots, Status, Text, Words};

use super::words::{check_due, check_id, check_length, check_metadata, feature_off};

/// A plain new task whose words and blockers the caller has checked and will fill in later.
pub(in crate::engine) struct Prepared {
    /// The blockers, each once.
    pub(in crate::engine) blockers: Slots,
}

impl Transaction<'_> {
    pub(super) fn add(&mut self, add: &Add<'_>) -> Result<Slot, Refusal> {
        let authored = add.id.as_deref().map(str::trim);
        if let Some(id) = authored {
            check_id(id)?;
        }
        check_due("title", &add.title, limits::TITLE_CHARACTERS)?;
        check_length("description", &add.description, limits::DESCRIPTION_CHARACTERS)?;
        check_length("activeForm", &add.active_form, limits::SHORT_TEXT_CHARACTERS)?;
        check_length("owner", add.owner.as_deref().unwrap_or(""), limits::SHORT_TEXT_CHARACTERS)?;
        check_length("key", add.key.as_deref().unwrap_or(""), limits::SHORT_TEXT_CHARACTERS)?;
        if let Some(json) = add.metadata {
            check_metadata(json)?;
        }
        let id = match authored {
            Some(id) if self.state.find_live(id).is_some() => return Err(duplicate(id)),
            Some(id) => id.to_owned(),
            None => self.mint(),
        };
        self.check_key(add.key.as_deref())?;
        self.check_room()?;
        if !add.blocked_by.is_empty() && !self.state.rules.dependencies {
            return Err(feature_off("dependencies", "Call again without `blockedBy`."));
        }
        let mut blockers = self.resolve_blockers(&id, None, add.key.as_deref(), &add.blocked_by)?;
        self.drop_settled(&mut blockers);
        let parent = add.parent.as_deref().map(|parent| self.resolve(parent)).transpose()?;

        let slot = self.state.next_slot();
        let words = Words { id: &id, title: &add.title, description: &add.description, active_form: &add.active_form };
        self.emit(Event::Created { slot, text: Rc::new(Text::new(words)), row: None });
        if let Some(key) = &add.key {
            self.keys.add(key);
            self.keyed.push(slot);
        }
        let extra = |add: &Add<'_>| add.owner.is_some() || add.children.is_some() || add.metadata.is_some();
        if extra(add) {
            self.edit_extra(slot, |extra| {
                extra.owner = add.owner.as_deref().map(Into::into);
                extra.children = add.children;
                extra.metadata = add.metadata.map(Into::into);
            })?;
        }
        self.set_blockers(slot, blockers)?;
        if let Some(parent) = parent {
            self.set_parent(slot, Some(parent))?;
        }
        self.begin_with(slot, add.status)?;
        Ok(slot)
    }

    /// Gives a new task the status that it starts with.
    pub(in crate::engine) fn begin_with(&mut self, slot: Slot, status: Status) -> Result<(), Refusal> {
        match status {
            Status::InProgress => self.start(slot),
            Status::Completed => self.complete(slot, None),
            status => {
                self.set_progress(slot, Progress { status, ..Progress::default() });
                Ok(())
            }
        }
    }

    /// Adds a plain task whose words come later.
    pub(in crate::engine) fn add_prepared(&mut self, prepared: Prepared) -> Result<Slot, Refusal> {
        self.check_room()?;
        if !prepared.blockers.is_empty() && !self.state.rules.dependencies {
            return Err(feature_off("dependencies", "Call again without `blockedBy`."));
        }
        let mut blockers = prepared.blockers;
        self.drop_settled(&mut blockers);
        let slot = self.state.next_slot();
        self.emit(Event::Created { slot, text: Rc::new(Text::later()), row: None });
        self.set_blockers(slot, blockers)?;
        Ok(slot)
    }

    pub(super) fn check_room(&self) -> Result<(), Refusal> {
        let most = self.state.rules.max_tasks.map_or(limits::TASKS, |most| most as usize);
        if self.state.rows() >= most { Err(Refusal::limit("tasks", most)) } else { Ok(()) }
    }

    fn check_key(&self, key: Option<&str>) -> Result<(), Refusal> {
        let Some(key) = key else { return Ok(()) };
        if self.keys.find(key).is_some() {
            return Err(Refusal::invalid("key", "used by another entry of the batch", "a name used once"));
        }
        if self.state.find_live(key).is_some() {
            return Err(Refusal::invalid("key", "the id of a task", "a name that is no task's id"));
        }
        Ok(())
    }

    /// Under `onComplete: clear`, a settled blocker would wait for nothing and is dropped at once (D6).
    pub(super) fn drop_settled(&self, blockers: &mut Slots) {
        blockers.retain(|blocker| !self.state.clears(*blocker));
    }

    /// A new id: `t_<unix ms>_<8 characters>`, drawn again on a clash (D13).
    fn mint(&mut self) -> String {
        loop {
            let word = self.random.word(8);
            let id =
                sentence("t_{now}_{word}", &[("now", Fact::Number(self.context.now)), ("word", Fact::Text(&word))]);
            if self.state.find(&id).is_none() {
                return id;
            }
        }
    }
}

fn duplicate(id: &str) -> Refusal {
    Refusal::new(
        Code::DuplicateId,
        "There is a task `{id}` already.",
        "Update that task, choose another id, or leave `id` out.",
        &[("id", Fact::Text(id))],
    )
}
