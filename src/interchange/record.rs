//! What every reader makes of a file, before anything is known about the whole.

use std::borrow::Cow;

use crate::json::{Kind, Reader};
use crate::task::{ChildOrder, HoldReason, Millis, Status};

use super::list::fields;

/// A file as it was given.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its path, as the user would name it; with `/` between folders.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Its path below the folder that is written to; the only file of a format that has one is named by the user.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Which of the sources.
    pub(super) source: usize,
    /// Byte offset in its text.
    pub(super) at: usize,
}

/// A wait that the file's status word implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) reason: HoldReason,
    /// The word that the file has for it.
    pub(super) note: &'static str,
}

/// Fields that a row has once, whatever else is written beside them.
const CORE: [&str; 21] = [
    "id",
    "seq",
    "title",
    "content",
    "description",
    "activeForm",
    "active_form",
    "status",
    "readiness",
    "blockedBy",
    "asideBlockedBy",
    "blocks",
    "parent",
    "owner",
    "createdBy",
    "createdAt",
    "created_at",
    "updatedAt",
    "updated_at",
    "startedAt",
    "completedAt",
];

impl<'a> Record<'a> {
    /// Adds a facet of ours. What is none, or not as our rows have it, is kept with what has no home.
    pub(super) fn push_own(&mut self, key: Cow<'a, str>, json: Cow<'a, str>) {
        let fits = match &*key {
            "hold" => {
                let word = |name| text_field(&json, name);
                let reason = word("reason").is_none_or(|word| HoldReason::from_word(&word).is_some());
                let resume = word("resume").is_none_or(|word| Status::from_word(&word).is_some());
                is_object(&json, &["note", "reason", "resume"], &["at"]) && reason && resume
            }
            "claim" => is_object(&json, &[], &["fence", "leaseUntil"]),
            "children" => Reader::new(&json).text().is_ok_and(|word| ChildOrder::from_word(&word).is_some()),
            "metadata" => Reader::new(&json).kind() == Ok(Kind::Object),
            "completed_at" => false,
            key => !CORE.contains(&key),
        };
        if fits { self.own.push((key, json)) } else { self.rest.push((key, json)) }
    }
}

fn text_field(json: &str, name: &str) -> Option<String> {
    let (_, json) = fields(json).into_iter().find(|(key, _)| key == name)?;
    Reader::new(json).text().ok().map(Cow::into_owned)
}

/// Whether an object has texts and whole numbers where it has those fields at all.
fn is_object(json: &str, texts: &[&str], numbers: &[&str]) -> bool {
    Reader::new(json).kind() == Ok(Kind::Object)
        && fields(json).iter().all(|(key, json)| {
            let key: &str = key;
            (!texts.contains(&key) || Reader::new(json).text().is_ok())
                && (!numbers.contains(&key) || Reader::new(json).whole().is_ok())
        })
}

/// One task as a file says it. Ids are canonical already (see the format's table in the docs).
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    pub(super) place: Place,
    pub(super) id: Cow<'a, str>,
    pub(super) title: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    pub(super) active_form: Cow<'a, str>,
    pub(super) status: Status,
    pub(super) wait: Option<Wait>,
    /// The ids that it waits for, as written: unknown ones, itself and repetitions too.
    pub(super) blocked_by: Vec<Cow<'a, str>>,
    /// The ids that are said to wait for it, where the record says so (both sides of an edge).
    pub(super) blocks: Option<Vec<Cow<'a, str>>>,
    /// Edges that an earlier import set aside.
    pub(super) aside: Vec<Cow<'a, str>>,
    pub(super) parent: Option<Cow<'a, str>>,
    pub(super) owner: Cow<'a, str>,
    pub(super) created_by: Cow<'a, str>,
    /// Unix milliseconds; 0 when not said.
    pub(super) created_at: Millis,
    pub(super) updated_at: Millis,
    pub(super) started_at: Millis,
    pub(super) completed_at: Millis,
    /// What has no home in our model: names and JSON text, in the file's order. Kept in `metadata` under the
    /// format's name, and written back by its writer.
    pub(super) rest: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// `metadata` and further facets of a row of our own: names and JSON text.
    pub(super) own: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}
