//! Reading one row, ours or that of a bare `{"tasks":[…]}` file, into a draft without edges resolved.

use std::borrow::Cow;
use std::rc::Rc;

use crate::engine::limits;
use crate::engine::names::Names;
use crate::json::{Kind, Reader, Stop, push_string};
use crate::task::{ChildOrder, Claim, Extra, Hold, HoldReason, Millis, Progress, Status};

/// Lists of ids up to this length are searched as they are.
const FEW_IDS: usize = 32;

/// A row as it was read.
#[derive(Debug, Default)]
pub(in crate::engine) struct Draft<'a> {
    pub(in crate::engine) id: Cow<'a, str>,
    pub(in crate::engine) seq: Option<u64>,
    pub(in crate::engine) title: Cow<'a, str>,
    pub(in crate::engine) description: Cow<'a, str>,
    pub(in crate::engine) active_form: Cow<'a, str>,
    pub(in crate::engine) progress: Progress,
    pub(in crate::engine) blocked_by: Vec<Cow<'a, str>>,
    pub(in crate::engine) parent: Option<Cow<'a, str>>,
    pub(in crate::engine) created_by: Cow<'a, str>,
    pub(in crate::engine) created_at: Millis,
    pub(in crate::engine) updated_at: Millis,
    pub(in crate::engine) extra: Extra,
    /// Out of the list; known from the journal only.
    pub(in crate::engine) gone: bool,
    pub(in crate::engine) checksum: u64,
    /// Its place in the text.
    pub(in crate::engine) place: usize,
}

impl<'a> Draft<'a> {
    /// Reads a row object.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Stop> {
        let mut draft = Draft::default();
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            draft.field(key, reader)?;
        }
        if draft.id.is_empty() {
            return Err(reader.stop("a row has no id"));
        }
        draft.updated_at = draft.updated_at.max(draft.created_at);
        Ok(draft)
    }

    /// The facets that an event's row carries. It has no parent, but it may name one that was never there.
    pub(super) fn event_extra(mut self) -> Option<Rc<Extra>> {
        if let Some(parent) = &self.parent {
            let mut json = String::new();
            push_string(&mut json, parent);
            self.extra.facets.push(("parent".into(), json.into()));
        }
        some_extra(self.extra)
    }

    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Result<(), Stop> {
        if reader.null() {
            return Ok(());
        }
        match &*key {
            "id" => self.id = read_id(reader)?,
            "seq" => self.seq = Some(reader.whole()?),
            "title" | "content" => self.title = reader.text()?,
            "description" => self.description = reader.text()?,
            "activeForm" | "active_form" => self.active_form = reader.text()?,
            "status" => self.progress.status = word(reader, Status::from_word)?,
            "blockedBy" => self.blocked_by = read_ids(reader)?,
            "parent" => self.parent = Some(read_id(reader)?),
            "createdBy" => self.created_by = reader.text()?,
            "createdAt" | "created_at" => self.created_at = reader.whole()?,
            "updatedAt" | "updated_at" => self.updated_at = reader.whole()?,
            "startedAt" => self.progress.started_at = reader.whole()?,
            "completedAt" | "completed_at" => self.progress.completed_at = reader.whole()?,
            // Derived: what others say about this row.
            "blocks" | "readiness" => {
                reader.raw()?;
            }
            _ => read_extra_field(&mut self.extra, key, reader)?,
        }
        Ok(())
    }
}

fn read_id<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, Stop> {
    if reader.kind()? == Kind::Number { Ok(Cow::Borrowed(reader.number()?)) } else { reader.text() }
}

fn read_ids<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, Stop> {
    let mut ids: Vec<Cow<'a, str>> = Vec::new();
    // A short list is looked through; a long one is remembered beside.
    let mut seen = Names::default();
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        let id = read_id(reader)?;
        if ids.len() == FEW_IDS {
            for id in &ids {
                seen.add(id);
            }
        }
        let new = if ids.len() < FEW_IDS { !ids.contains(&id) } else { seen.add(&id) };
        if new {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn word<T>(reader: &mut Reader<'_>, from_word: impl Fn(&str) -> Option<T>) -> Result<T, Stop> {
    let at = reader.position();
    from_word(&reader.text()?).ok_or_else(|| reader.stop_at(at, "an unknown word"))
}

/// Reads the object of optional facets that an event carries.
pub(super) fn read_extra(reader: &mut Reader<'_>) -> Result<Option<Rc<Extra>>, Stop> {
    if reader.null() {
        return Ok(None);
    }
    // Fields of a row's own are no facets, whatever an event says.
    let mut draft = Draft::default();
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        draft.field(key, reader)?;
    }
    Ok(draft.event_extra())
}

/// Facets as a task has them: none at all where there is nothing.
pub(in crate::engine) fn some_extra(extra: Extra) -> Option<Rc<Extra>> {
    if extra.is_empty() { None } else { Some(Rc::new(extra)) }
}

fn read_extra_field(extra: &mut Extra, key: Cow<'_, str>, reader: &mut Reader<'_>) -> Result<(), Stop> {
    let raw = |reader: &mut Reader<'_>| reader.raw_within(limits::METADATA_LEVELS).map(Into::into);
    match &*key {
        "owner" => extra.owner = Some(&*reader.text()?).filter(|owner| !owner.is_empty()).map(Into::into),
        "children" => extra.children = Some(word(reader, ChildOrder::from_word)?),
        "claim" => extra.claim = Some(read_claim(reader)?),
        "hold" => extra.hold = Some(read_hold(reader)?),
        "metadata" => extra.metadata = Some(raw(reader)?),
        "asideBlockedBy" => extra.aside = Some(raw(reader)?),
        _ => {
            let json = raw(reader)?;
            extra.facets.retain(|facet| *facet.0 != *key);
            extra.facets.push((key.into(), json));
        }
    }
    Ok(())
}

fn read_claim(reader: &mut Reader<'_>) -> Result<Claim, Stop> {
    let mut claim = Claim { fence: 0, lease_until: 0 };
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        match &*key {
            "fence" => claim.fence = reader.whole()?,
            "leaseUntil" => claim.lease_until = reader.whole()?,
            _ => {
                reader.raw()?;
            }
        }
    }
    Ok(claim)
}

fn read_hold(reader: &mut Reader<'_>) -> Result<Hold, Stop> {
    let mut hold = Hold { reason: HoldReason::Manual, note: "".into(), at: 0, resume: Status::Pending };
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        match &*key {
            "reason" => hold.reason = word(reader, HoldReason::from_word)?,
            "note" => hold.note = (&*reader.text()?).into(),
            "at" => hold.at = reader.whole()?,
            "resume" => hold.resume = word(reader, Status::from_word)?,
            _ => {
                reader.raw()?;
            }
        }
    }
    Ok(hold)
}
