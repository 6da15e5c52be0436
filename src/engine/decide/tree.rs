//! Parents and children.

use crate::engine::error::Refusal;
use crate::engine::event::Event;
use crate::engine::state::finish_node;
use crate::engine::transaction::{Transaction, cycle};
use crate::task::Slot;

impl Transaction<'_> {
    /// Moves a task under a parent, or out of one.
    pub(in crate::engine) fn set_parent(&mut self, slot: Slot, new: Option<Slot>) -> Result<(), Refusal> {
        // A parent that a loaded row named and that was never there gives way to what is said now.
        let named = |facet: &(Box<str>, Box<str>)| &*facet.0 == "parent";
        if self.state.task(slot).extra.as_ref().is_some_and(|extra| extra.facets.iter().any(named)) {
            self.set_extra(slot, |extra| extra.facets.retain(|facet| !named(facet)));
        }
        let old = self.state.task(slot).parent();
        if old == new {
            return Ok(());
        }
        if let Some(parent) = new {
            self.check_ancestors(slot, parent)?;
        }
        self.try_emit(Event::Parent { slot, old, new })?;
        self.stamp(slot);
        Ok(())
    }

    /// A task is never its own ancestor, and the tree stays within the list's depth (D65).
    fn check_ancestors(&self, slot: Slot, parent: Slot) -> Result<(), Refusal> {
        let mut above = 0u32;
        let mut ring = vec![finish_node(slot)];
        let mut at = Some(parent);
        while let Some(ancestor) = at {
            ring.push(finish_node(ancestor));
            if ancestor == slot {
                return Err(cycle(self.state, &ring, "parent"));
            }
            above += 1;
            at = self.state.task(ancestor).parent();
        }
        let most = self.state.rules.depth;
        if above + self.height(slot) > most {
            return Err(Refusal::limit("levels of parents and children", most as usize));
        }
        Ok(())
    }

    /// How many levels a task and its steps have.
    fn height(&self, slot: Slot) -> u32 {
        let mut levels = 0;
        let mut level = vec![slot];
        while !level.is_empty() {
            levels += 1;
            for slot in std::mem::take(&mut level) {
                level.extend_from_slice(self.state.task(slot).children());
            }
        }
        levels
    }
}
