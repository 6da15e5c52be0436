//! One row as JSON.

use crate::engine::event::Row;
use crate::engine::state::State;
use crate::json::Writer;
use crate::task::{Extra, Millis, Progress, Slot, Words};

impl State {
    /// Writes a key and the list of ids of some tasks.
    pub fn write_ids(&self, key: &str, slots: &[Slot], writer: &mut Writer) {
        writer.list(key, slots.iter().map(|slot| self.task(*slot).id()));
    }

    /// Writes a row. With `readiness`, as callers see it; without, as it is stored.
    pub fn write_row(&self, slot: Slot, writer: &mut Writer, readiness: bool) {
        let task = self.task(slot);
        writer.open();
        writer.field("id", task.id());
        writer.number("seq", task.seq);
        write_words(task.text.words(), writer);
        write_status(task.progress, writer);
        if readiness {
            writer.field("readiness", task.readiness().word());
        }
        if let Some(extra) = &task.extra {
            write_hold(extra, writer);
        }
        self.write_ids("blockedBy", &task.blocked_by, writer);
        if let Some(aside) = task.extra.as_ref().and_then(|extra| extra.aside.as_deref()) {
            writer.key("asideBlockedBy");
            writer.raw(aside);
        }
        writer.optional("parent", task.parent().map(|parent| self.task(parent).id()));
        if let Some(extra) = &task.extra {
            write_extra(extra, writer);
        }
        write_times(&task.created_by, task.created_at, task.updated_at, task.progress, writer);
        if let Some(extra) = &task.extra {
            write_facets(extra, writer);
        }
        writer.close();
    }
}

/// Writes the row of an event, which has no edges and no parent.
pub(super) fn write_event_row(words: Words<'_>, row: &Row, writer: &mut Writer) {
    writer.open();
    writer.field("id", words.id);
    writer.number("seq", row.seq);
    write_words(words, writer);
    write_status(row.progress, writer);
    if let Some(extra) = &row.extra {
        write_all_extra(extra, writer);
    }
    write_times(&row.created_by, row.created_at, row.updated_at, row.progress, writer);
    if let Some(extra) = &row.extra {
        write_facets(extra, writer);
    }
    writer.close();
}

pub(super) fn write_words(words: Words<'_>, writer: &mut Writer) {
    writer.field("title", words.title);
    for (key, text) in [("description", words.description), ("activeForm", words.active_form)] {
        writer.optional(key, Some(text).filter(|text| !text.is_empty()));
    }
}

fn write_status(progress: Progress, writer: &mut Writer) {
    writer.field("status", progress.status.word());
}

fn write_times(created_by: &str, created_at: Millis, updated_at: Millis, progress: Progress, writer: &mut Writer) {
    writer.optional("createdBy", Some(created_by).filter(|name| !name.is_empty()));
    writer.number("createdAt", created_at);
    writer.number("updatedAt", updated_at);
    for (key, time) in [("startedAt", progress.started_at), ("completedAt", progress.completed_at)] {
        if time > 0 {
            writer.number(key, time);
        }
    }
}

fn write_hold(extra: &Extra, writer: &mut Writer) {
    let Some(hold) = &extra.hold else { return };
    writer.key("hold");
    writer.open();
    writer.field("reason", hold.reason.word());
    writer.optional("note", Some(&*hold.note).filter(|note| !note.is_empty()));
    writer.number("at", hold.at);
    writer.field("resume", hold.resume.word());
    writer.close();
}

fn write_extra(extra: &Extra, writer: &mut Writer) {
    writer.optional("children", extra.children.map(crate::task::ChildOrder::word));
    writer.optional("owner", extra.owner.as_deref());
    if let Some(claim) = extra.claim {
        writer.key("claim");
        writer.open();
        writer.number("fence", claim.fence);
        if claim.lease_until > 0 {
            writer.number("leaseUntil", claim.lease_until);
        }
        writer.close();
    }
}

fn write_facets(extra: &Extra, writer: &mut Writer) {
    if let Some(metadata) = &extra.metadata {
        writer.key("metadata");
        writer.raw(metadata);
    }
    for (name, json) in &extra.facets {
        writer.key(name);
        writer.raw(json);
    }
}

/// Every optional facet but metadata and facets of others.
fn write_all_extra(extra: &Extra, writer: &mut Writer) {
    write_hold(extra, writer);
    if let Some(aside) = &extra.aside {
        writer.key("asideBlockedBy");
        writer.raw(aside);
    }
    write_extra(extra, writer);
}

/// All optional facets as a JSON object of their own.
#[must_use]
pub fn extra_json(extra: &Extra) -> String {
    let mut writer = Writer::new();
    write_extra_object(Some(extra), &mut writer);
    writer.finish()
}

/// Writes all optional facets as an object of their own.
pub(super) fn write_extra_object(extra: Option<&Extra>, writer: &mut Writer) {
    let Some(extra) = extra else { return writer.null() };
    writer.open();
    write_all_extra(extra, writer);
    write_facets(extra, writer);
    writer.close();
}
