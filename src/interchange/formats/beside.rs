//! What a format's own words cannot say of a row stands beside them, under one key of ours: other tools carry it along
//! or pass over it, and a way back loses nothing.

use std::borrow::Cow;

use crate::interchange::list::{ListRow, fields};
use crate::interchange::record::Record;
use crate::interchange::statuses::{meaning_or_pending, word_for};
use crate::json::{Reader, Writer};
use crate::task::Status;

use super::Format;

/// The key.
pub(super) const BESIDE: &str = "blockedby";

/// What stands beside, as a JSON object; nothing where the format says it all.
pub(super) fn beside(format: Format, row: &ListRow<'_>) -> Option<String> {
    let rest = row.rest(format);
    let read = rest.iter().find(|(key, _)| key == "status").and_then(|(_, json)| Reader::new(json).text().ok());
    let said = meaning_or_pending(word_for(format, row.status, read.as_deref()));
    let mut writer = Writer::new();
    writer.open();
    let empty = writer.len();
    if said.status != row.status {
        writer.field("status", row.status.word());
    }
    for (field, text) in
        [("parent", row.parent.as_deref().unwrap_or_default()), ("owner", &row.owner), ("activeForm", &row.active_form)]
    {
        if !says(format, field) && !text.is_empty() {
            writer.field(field, text);
        }
    }
    let metadata: Vec<_> = row.metadata.iter().filter(|(key, _)| key != format.key()).collect();
    if !metadata.is_empty() {
        writer.key("metadata");
        writer.open();
        for (key, json) in metadata {
            writer.key(key);
            writer.raw(json);
        }
        writer.close();
    }
    for (key, json) in &row.facets {
        let implied = key == "hold" && said.wait.is_some_and(|wait| is_hold(json, wait.reason.word(), wait.note));
        if !implied {
            writer.key(key);
            writer.raw(json);
        }
    }
    let is_empty = writer.len() == empty;
    writer.close();
    (!is_empty).then(|| writer.finish())
}

/// Writes what stands beside as a field.
pub(super) fn write_beside(format: Format, row: &ListRow<'_>, writer: &mut Writer) {
    if let Some(json) = beside(format, row) {
        writer.key(BESIDE);
        writer.raw(&json);
    }
}

/// Whether a format has a field of its own for one of ours. Times and makers that it has none for are left out: they
/// would come to stand beside every task of a file that was only passed through.
fn says(format: Format, field: &str) -> bool {
    let lacks: &[&str] = match format {
        Format::TaskMaster => &["owner", "activeForm"],
        Format::Beads => &["activeForm"],
        Format::Shrimp => &["parent", "activeForm"],
        Format::ClaudeCode | Format::LearnClaudeCode => &["parent"],
        _ => &[],
    };
    !lacks.contains(&field)
}

fn is_hold(json: &str, reason: &str, note: &str) -> bool {
    let text = |name: &str| {
        let found = fields(json).into_iter().find(|(key, _)| key == name);
        found.and_then(|(_, json)| Reader::new(json).text().ok().map(Cow::into_owned)).unwrap_or_default()
    };
    text("reason") == reason && text("note") == note && text("resume") == Status::Pending.word()
}

/// Takes what stood beside out of what was read, once the record's own words are known. A status counts only while
/// the word beside which it stood has not been changed.
pub(super) fn take_beside(format: Format, record: &mut Record<'_>) {
    let Some(at) = record.rest.iter().position(|(key, _)| key == BESIDE) else { return };
    let (_, json) = record.rest.remove(at);
    let parts: Vec<(String, String)> =
        fields(&json).into_iter().map(|(key, json)| (key.into_owned(), json.to_owned())).collect();
    let mut kept_status = true;
    for (key, json) in &parts {
        if key == "status" {
            let status = Reader::new(json).text().ok().and_then(|word| Status::from_word(&word));
            let stands = |status: &Status| meaning_or_pending(word_for(format, *status, None)).status == record.status;
            match status.filter(stands) {
                Some(status) => {
                    record.status = status;
                    record.wait = None;
                }
                None => kept_status = false,
            }
        }
    }
    for (key, json) in parts {
        match key.as_str() {
            "status" => {}
            "parent" => {
                if record.parent.is_none() {
                    record.parent = Reader::new(&json).text().ok().map(|id| Cow::Owned(id.into_owned()));
                }
            }
            "owner" | "activeForm" => {
                let place = if key == "owner" { &mut record.owner } else { &mut record.active_form };
                if let Some(text) = Reader::new(&json).text().ok().filter(|_| place.is_empty()) {
                    *place = Cow::Owned(text.into_owned());
                }
            }
            "hold" if !kept_status || record.status != Status::Held => {}
            "hold" => {
                record.wait = None;
                record.push_own(key.into(), json.into());
            }
            _ => record.push_own(key.into(), json.into()),
        }
    }
}
