//! What an accepted call did, for those who show it and those who wait for work.

use crate::graph::{ByKey, sort_in_place};
use crate::json::Writer;
use crate::task::Slot;

use super::state::{State, Touch, field};
use super::transaction::Warning;

/// What an accepted call did.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The list's revision afterwards.
    pub revision: u64,
    /// What was asked.
    pub action: &'static str,
    /// `false` when the list already was as asked: nothing to save, no event.
    pub changed: bool,
    /// The task that the call was about.
    pub task: Option<Slot>,
    /// For a batch: one task per entry that is about one.
    pub tasks: Vec<Slot>,
    /// For a batch: local keys and the tasks that they stand for.
    pub keys: Vec<(String, Slot)>,
    /// Tasks that became ready, in creation order.
    pub now_ready: Vec<Slot>,
    /// Open tasks that got an active blocker and had none, in creation order.
    pub now_blocked: Vec<Slot>,
    /// Why the call deserves a second look.
    pub warning: Option<Warning>,
    /// Every task that changed, in creation order.
    pub touched: Vec<Touch>,
    /// When slots were renumbered: for each slot the one that it had before, or `Slot::MAX`.
    pub renumbered: Option<Vec<Slot>>,
}

impl Change {
    /// Forgets everything, keeping the memory of what busy calls fill.
    pub(super) fn clear(&mut self) {
        // Named one by one, so that no field that comes later is forgotten here.
        let Change {
            revision,
            action,
            changed,
            task,
            tasks,
            keys,
            now_ready,
            now_blocked,
            warning,
            touched,
            renumbered,
        } = self;
        (*revision, *action, *changed, *task) = (0, "", false, None);
        (*warning, *renumbered) = (None, None);
        tasks.clear();
        keys.clear();
        now_ready.clear();
        now_blocked.clear();
        touched.clear();
    }

    /// Takes the marks of the operation and draws from them what became ready and blocked.
    pub(super) fn collect(&mut self, state: &mut State) {
        state.take_touched(&mut self.touched);
        if self.touched.len() > 1 {
            sort_in_place(&mut ByKey(&mut self.touched, |touch: &Touch| touch.slot));
        }
        for touch in &mut self.touched {
            let slot = touch.slot;
            let ready = state.ready.contains(slot);
            let blocked = state.blocked.contains(slot);
            if ready && touch.was != Some(crate::task::Readiness::Ready) {
                self.now_ready.push(slot);
            }
            if blocked && !touch.was_blocked {
                self.now_blocked.push(slot);
            }
            let readiness = state.task(slot).readiness();
            if touch.was.is_some_and(|was| was != readiness) {
                touch.mask |= field::READINESS;
            }
        }
    }

    /// The change as JSON; tasks that became ready or blocked by id.
    #[must_use]
    pub fn to_json(&self, state: &State) -> String {
        let mut writer = Writer::new();
        writer.open();
        writer.number("revision", self.revision);
        writer.field("action", self.action);
        writer.key("changed");
        writer.bool(self.changed);
        if let Some(slot) = self.task {
            writer.key("task");
            state.write_row(slot, &mut writer, true);
        }
        if matches!(self.action, "batch" | "merge") {
            writer.key("tasks");
            writer.open_list();
            for slot in &self.tasks {
                state.write_row(*slot, &mut writer, true);
            }
            writer.close_list();
            writer.key("keys");
            writer.open();
            for (key, slot) in &self.keys {
                writer.field(key, state.task(*slot).id());
            }
            writer.close();
        }
        let ids = |slots: &[Slot]| slots.iter().map(|slot| state.task(*slot).id().to_owned()).collect::<Vec<String>>();
        writer.list("nowReady", ids(&self.now_ready).iter().map(String::as_str));
        writer.list("nowBlocked", ids(&self.now_blocked).iter().map(String::as_str));
        if let Some(warning) = &self.warning {
            writer.key("warning");
            warning.write(state, &mut writer);
        }
        writer.close();
        writer.finish()
    }
}

impl Warning {
    /// Writes the warning as a JSON object.
    pub fn write(&self, state: &State, writer: &mut Writer) {
        writer.open();
        writer.field("code", self.code.word());
        writer.field("message", &self.message);
        writer.list("by", self.by.iter().map(|slot| state.task(*slot).id()));
        writer.close();
    }
}
