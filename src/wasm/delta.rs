//! A change as numbers.
//!
//! | index | meaning |
//! |---|---|
//! | 0 | flags |
//! | 1, 2 | revision, low and high half |
//! | 3 | the task that the call was about |
//! | 4 to 8 | lengths of the lists: touched, tasks, now ready, now blocked, renumbered |
//! | 9, 10 | how many tasks are ready, blocked |
//! | 11, 12 | the `seq` of the next task, low and high half |
//! | 13 … | per touched task: slot; mask, status and readiness; then, where times changed, three times (low and high half each); then the other lists |

use crate::engine::state::field;
use crate::engine::{Change, State};
use crate::json::Writer;
use crate::task::{Presence, Slot};

use super::hub::Hub;

const CHANGED: u32 = 1;
const HAS_TASK: u32 = 2;
/// A warning or local keys stand in `answer` as JSON.
const EXTRAS: u32 = 4;
/// What was stored equals what was given.
const AS_GIVEN: u32 = 8;
const RENUMBERED: u32 = 16;
/// The list holds placeholders for missing tasks, so that quick adds are unfit.
const MISSING: u32 = 32;

/// Fields whose times follow in the delta.
const TIMED: u32 = field::PROGRESS | field::UPDATED | field::CREATED;

/// Writes a change into `out` (and `answer`); gives where `out` begins, in words of four bytes.
pub(super) fn write(hub: &mut Hub, change: &Change, handle: u32, as_given: bool) -> i32 {
    let Hub { engines, out, answer, .. } = hub;
    let Some(Some(list)) = engines.get(handle as usize) else { return 0 };
    let state = list.engine.state();
    let extras = change.warning.is_some() || matches!(change.action, "batch" | "merge");
    out.clear();
    let mut flags = 0;
    for (flag, set) in [
        (CHANGED, change.changed),
        (HAS_TASK, change.task.is_some()),
        (EXTRAS, extras),
        (AS_GIVEN, as_given),
        (RENUMBERED, change.renumbered.is_some()),
        (MISSING, state.missing > 0),
    ] {
        flags |= if set { flag } else { 0 };
    }
    let renumbered: &[Slot] = change.renumbered.as_deref().unwrap_or(&[]);
    let (revision, next_seq) = (halves(change.revision), halves(state.next_seq));
    out.extend_from_slice(&[
        flags,
        revision[0],
        revision[1],
        change.task.unwrap_or(Slot::MAX),
        size(change.touched.len()),
        size(change.tasks.len()),
        size(change.now_ready.len()),
        size(change.now_blocked.len()),
        size(renumbered.len()),
        size(state.ready.len()),
        size(state.blocked.len()),
        next_seq[0],
        next_seq[1],
    ]);
    for touch in &change.touched {
        push_touch(out, state, touch.slot, touch.mask);
    }
    out.extend(&change.tasks);
    out.extend(&change.now_ready);
    out.extend(&change.now_blocked);
    out.extend(renumbered);
    if extras {
        *answer = write_extras(state, change);
    }
    i32::try_from(out.as_ptr() as usize / 4).unwrap_or(i32::MAX)
}

fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[allow(clippy::cast_possible_truncation, reason = "the halves are meant")]
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

pub(super) fn push_long(out: &mut Vec<u32>, number: u64) {
    out.extend_from_slice(&halves(number));
}

fn push_touch(out: &mut Vec<u32>, state: &State, slot: Slot, mask: u32) {
    let task = state.task(slot);
    let mask = if task.presence == Presence::Live { mask & !field::GONE } else { field::GONE };
    let packed = mask | (task.status() as u32) << 8 | (task.readiness() as u32) << 12;
    if mask & TIMED == 0 {
        out.extend_from_slice(&[slot, packed]);
        return;
    }
    let [updated, started, completed] =
        [task.updated_at, task.progress.started_at, task.progress.completed_at].map(halves);
    out.extend_from_slice(&[slot, packed, updated[0], updated[1], started[0], started[1], completed[0], completed[1]]);
}

fn write_extras(state: &State, change: &Change) -> String {
    let mut writer = Writer::new();
    writer.open();
    if let Some(warning) = &change.warning {
        writer.key("warning");
        warning.write(state, &mut writer);
    }
    writer.key("keys");
    writer.open();
    for (key, slot) in &change.keys {
        writer.field(key, state.task(*slot).id());
    }
    writer.close();
    writer.close();
    writer.finish()
}
