//! The journal as JSON, and back. Tasks are named by their creation number, which is never reused; an id
//! stands only for what never was a task.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::engine::Engine;
use crate::engine::error::{Fact, sentence};
use crate::engine::event::{Counter, Event, Row};
use crate::engine::journal::{Journal, Operation, Role};
use crate::engine::limits;
use crate::engine::state::State;
use crate::json::{Fault, Kind, Reader, Stop, Writer};
use crate::task::{Presence, Progress, Slot, Slots, Status, Text, Words};

use super::draft::{Draft, read_extra};
use super::row::{write_event_row, write_extra_object, write_words};

impl Engine {
    /// The newest operations as a JSON list, within the journal's size.
    pub(super) fn journal_json(&self) -> String {
        let (undo, redo) = self.journal.stacks();
        let mut kept: Vec<Cow<'_, str>> = Vec::new();
        let mut size = 0;
        for (at, operation) in self.journal.iter().enumerate().rev() {
            // What can be neither undone nor redone any more is needed by name only.
            let over = undo.binary_search(&at).is_err() && redo.binary_search(&at).is_err();
            let json = if over {
                Cow::Owned(write_events(&self.state, operation, operation.role, &[]))
            } else {
                let whole = || write_operation(&self.state, operation, limits::JOURNAL_BYTES).into();
                Cow::Borrowed(&**operation.json.get_or_init(whole))
            };
            size += json.len() + 1;
            if size > limits::JOURNAL_BYTES {
                break;
            }
            kept.push(json);
        }
        let mut text = String::with_capacity(size + 2);
        text.push('[');
        for json in kept.iter().rev() {
            text.push_str(if text.len() > 1 { "," } else { "" });
            text.push_str(json);
        }
        text.push(']');
        text
    }

    /// The operations since a mark as a JSON list, whatever their size; what a host's journal keeps.
    #[must_use]
    pub fn operations_json(&self, mark: usize) -> String {
        let written: Vec<String> =
            self.journal.since(mark).map(|operation| write_operation(&self.state, operation, usize::MAX)).collect();
        in_brackets(&written.iter().map(String::as_str).collect::<Vec<&str>>())
    }
}

fn in_brackets(operations: &[&str]) -> String {
    ["[", &operations.join(","), "]"].concat()
}

/// Writes an operation; one that would be longer than `most` is kept by name only.
fn write_operation(state: &State, operation: &Operation, most: usize) -> String {
    let whole = write_events(state, operation, operation.role, &operation.events);
    if whole.len() <= most {
        return whole;
    }
    // What it took back, or brought back, stays as it is.
    let role = if operation.role == Role::Plain { Role::Fixed } else { operation.role };
    write_events(state, operation, role, &[])
}

fn write_events(state: &State, operation: &Operation, role: Role, events: &[Event]) -> String {
    let mut writer = Writer::new();
    writer.open();
    let name = [("session", Fact::Text(&operation.session)), ("number", Fact::Number(operation.number))];
    writer.field("id", &sentence("{session}.{number}", &name));
    writer.field("actor", &operation.actor);
    writer.number("at", operation.at);
    writer.field("action", &operation.action);
    writer.field("role", role.word());
    writer.key("events");
    writer.open_list();
    for event in events {
        write_event(state, operation, event, &mut writer);
    }
    writer.close_list();
    writer.close();
    writer.finish()
}

fn name(state: &State, slot: Slot, writer: &mut Writer) {
    let task = state.task(slot);
    match task.presence {
        Presence::Missing | Presence::Forgotten => writer.text(task.id()),
        Presence::Live | Presence::Gone => writer.whole(task.seq),
    }
}

fn write_progress(key: &str, progress: Progress, writer: &mut Writer) {
    writer.key(key);
    writer.open_list();
    writer.text(progress.status.word());
    writer.whole(progress.started_at);
    writer.whole(progress.completed_at);
    writer.close_list();
}

fn write_event(state: &State, operation: &Operation, event: &Event, writer: &mut Writer) {
    writer.open();
    let about = |key: &str, slot: Slot, writer: &mut Writer| {
        writer.key(key);
        name(state, slot, writer);
    };
    let slots = |key: &str, slots: &Slots, writer: &mut Writer| {
        writer.key(key);
        writer.open_list();
        for slot in slots {
            name(state, *slot, writer);
        }
        writer.close_list();
    };
    match event {
        Event::Created { slot, text, row } => {
            let plain;
            let row = if let Some(row) = row {
                row
            } else {
                plain = Row {
                    seq: state.task(*slot).seq,
                    progress: Progress::default(),
                    created_by: Rc::clone(&operation.actor),
                    created_at: operation.at,
                    updated_at: operation.at,
                    extra: None,
                };
                &plain
            };
            writer.key("create");
            write_event_row(text.words(), row, writer);
        }
        Event::Dropped { text, row, .. } => {
            writer.key("drop");
            write_event_row(text.words(), row, writer);
        }
        Event::Progress { slot, old, new } => {
            about("progress", *slot, writer);
            write_progress("old", *old, writer);
            write_progress("new", *new, writer);
        }
        Event::Updated { slot, old, new } => {
            about("updated", *slot, writer);
            writer.number("old", *old);
            writer.number("new", *new);
        }
        Event::Blockers { slot, old, new } => {
            about("blockedBy", *slot, writer);
            slots("old", old, writer);
            slots("new", new, writer);
        }
        Event::Text { slot, old, new } => {
            about("text", *slot, writer);
            for (key, text) in [("old", old), ("new", new)] {
                writer.key(key);
                writer.open();
                write_words(text.words(), writer);
                writer.close();
            }
        }
        Event::Parent { slot, old, new } => {
            about("parent", *slot, writer);
            for (key, parent) in [("old", old), ("new", new)] {
                writer.key(key);
                match parent {
                    Some(parent) => name(state, *parent, writer),
                    None => writer.null(),
                }
            }
        }
        Event::Extra { slot, old, new } => {
            about("extra", *slot, writer);
            writer.key("old");
            write_extra_object(old.as_deref(), writer);
            writer.key("new");
            write_extra_object(new.as_deref(), writer);
        }
        Event::Counted { counter: Counter::Fence, old, new } => {
            writer.field("count", "fence");
            writer.number("old", *old);
            writer.number("new", *new);
        }
    }
    writer.close();
}

/// The rows that events created or dropped: tasks that an undo could bring back.
pub(super) fn rows_in_journal<'a>(json: &'a str, mut found: impl FnMut(Draft<'a>)) -> Result<(), Fault> {
    let mut reader = Reader::new(json);
    let read = each_event(&mut reader, &mut |reader| {
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key == "create" || key == "drop" {
                found(Draft::read(reader)?);
            } else {
                reader.raw()?;
            }
        }
        Ok(())
    });
    reader.outcome(read)
}

/// Makes sure that ids which operations name, and which never were tasks or stand for none any more, can be found.
pub(in crate::engine) fn add_names(state: &mut State, json: &str) -> Result<(), Fault> {
    let mut names: Vec<String> = Vec::new();
    let mut reader = Reader::new(json);
    let read = each_event(&mut reader, &mut |reader| {
        let mut first = true;
        let about_blockers = reader.key(&mut first)?.as_deref() == Some("blockedBy");
        reader.raw()?;
        while let Some(_list) = reader.key(&mut first)? {
            if !about_blockers {
                reader.raw()?;
                continue;
            }
            reader.array()?;
            let mut first = true;
            while reader.item(&mut first)? {
                if reader.kind()? == Kind::Text {
                    names.push(reader.text()?.into_owned());
                } else {
                    reader.raw()?;
                }
            }
        }
        Ok(())
    });
    reader.outcome(read)?;
    for name in names {
        if state.find_named(&name).is_none() {
            state.add_forgotten(&name);
        }
    }
    Ok(())
}

/// Calls `visit` inside each event object of a list of operations; it must read to the object's end.
fn each_event<'a>(
    reader: &mut Reader<'a>,
    visit: &mut dyn FnMut(&mut Reader<'a>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key != "events" {
                reader.raw()?;
                continue;
            }
            reader.array()?;
            let mut first = true;
            while reader.item(&mut first)? {
                reader.object()?;
                visit(reader)?;
            }
        }
    }
    Ok(())
}

/// Reads a list of operations. `create` rows without a slot get the next ones, in order.
pub(in crate::engine) fn read_operations(state: &State, json: &str) -> Result<Vec<Operation>, Fault> {
    let mut reader = Reader::new(json);
    let read = read_all(state, &mut reader);
    reader.outcome(read)
}

fn read_all(state: &State, reader: &mut Reader<'_>) -> Result<Vec<Operation>, Stop> {
    let mut operations = Vec::new();
    let mut fresh = Fresh { state, created: Vec::new() };
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        operations.push(read_operation(&mut fresh, reader)?);
    }
    reader.end()?;
    Ok(operations)
}

pub(super) fn read_journal(state: &mut State, json: &str) -> Result<Journal, Fault> {
    add_names(state, json)?;
    let mut journal = Journal::default();
    for operation in read_operations(state, json)? {
        journal.push(operation);
    }
    Ok(journal)
}

/// Slots of tasks that the operations read so far will have created.
struct Fresh<'s> {
    state: &'s State,
    /// Creation number and id of each.
    created: Vec<(u64, String)>,
}

impl Fresh<'_> {
    fn slot(&self, seq: u64) -> Option<Slot> {
        let known = self.state.find_seq(seq);
        known.or_else(|| {
            let at = self.created.iter().position(|created| created.0 == seq)?;
            Some(self.state.next_slot() + Slot::try_from(at).ok()?)
        })
    }

    fn id(&self, slot: Slot) -> String {
        match self.state.tasks.get(slot as usize) {
            Some(task) => task.id().to_owned(),
            None => self
                .created
                .get((slot - self.state.next_slot()) as usize)
                .map_or(String::new(), |created| created.1.clone()),
        }
    }

    fn named(&self, reader: &mut Reader<'_>) -> Result<Slot, Stop> {
        let at = reader.position();
        let found = match reader.kind()? {
            Kind::Text => self.state.find_named(&reader.text()?),
            _ => self.slot(reader.whole()?),
        };
        found.ok_or_else(|| reader.stop_at(at, "an operation names a task that is not there"))
    }

    fn list(&self, reader: &mut Reader<'_>) -> Result<Slots, Stop> {
        let mut slots = Slots::new();
        reader.array()?;
        let mut first = true;
        while reader.item(&mut first)? {
            slots.push(self.named(reader)?);
        }
        Ok(slots)
    }
}

fn read_operation(fresh: &mut Fresh<'_>, reader: &mut Reader<'_>) -> Result<Operation, Stop> {
    let mut operation = Operation {
        session: Rc::from(""),
        number: 0,
        actor: Rc::from("host"),
        at: 0,
        action: Cow::Borrowed(""),
        role: Role::Fixed,
        events: Vec::new(),
        json: OnceCell::new(),
    };
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        match &*key {
            "id" => {
                let at = reader.position();
                let id = reader.text()?;
                let parts = id.rsplit_once('.').and_then(|(session, number)| Some((session, number.parse().ok()?)));
                let Some((session, number)) = parts else {
                    return Err(reader.stop_at(at, "an operation's id was expected"));
                };
                operation.session = Rc::from(session);
                operation.number = number;
            }
            "actor" => operation.actor = Rc::from(&*reader.text()?),
            "at" => operation.at = reader.whole()?,
            "action" => operation.action = Cow::Owned(reader.text()?.into_owned()),
            "role" => {
                let at = reader.position();
                let role = Role::from_word(&reader.text()?);
                operation.role = role.ok_or_else(|| reader.stop_at(at, "an unknown role"))?;
            }
            "events" => {
                reader.array()?;
                let mut first = true;
                while reader.item(&mut first)? {
                    operation.events.push(read_event(fresh, reader)?);
                }
            }
            _ => {
                reader.raw()?;
            }
        }
    }
    if operation.session.is_empty() || operation.action.is_empty() {
        return Err(reader.stop("an operation needs an id and an action"));
    }
    Ok(operation)
}

fn read_progress(reader: &mut Reader<'_>) -> Result<Progress, Stop> {
    let at = reader.position();
    let mut first = true;
    reader.array()?;
    let mut next = |reader: &mut Reader<'_>| {
        if reader.item(&mut first)? { Ok(()) } else { Err(reader.stop_at(at, "a status with two times was expected")) }
    };
    next(reader)?;
    let status = Status::from_word(&reader.text()?).ok_or_else(|| reader.stop("an unknown status"))?;
    next(reader)?;
    let started_at = reader.whole()?;
    next(reader)?;
    let completed_at = reader.whole()?;
    if next(reader).is_ok() {
        return Err(reader.stop("a status with two times was expected"));
    }
    Ok(Progress { status, started_at, completed_at })
}

fn read_text(id: &str, reader: &mut Reader<'_>) -> Result<Rc<Text>, Stop> {
    let (mut title, mut description, mut active_form) = Default::default();
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        let text = reader.text()?;
        match &*key {
            "title" => title = text,
            "description" => description = text,
            _ => active_form = text,
        }
    }
    Ok(Rc::new(Text::new(Words { id, title: &title, description: &description, active_form: &active_form })))
}

fn read_parent(fresh: &Fresh<'_>, reader: &mut Reader<'_>) -> Result<Option<Slot>, Stop> {
    if reader.null() { Ok(None) } else { fresh.named(reader).map(Some) }
}

/// Reads the values of `old` and `new`, which follow the event's first key in this order.
fn pair<'a, T>(
    reader: &mut Reader<'a>,
    mut value: impl FnMut(&mut Reader<'a>) -> Result<T, Stop>,
) -> Result<(T, T), Stop> {
    due(reader, "old")?;
    let old = value(reader)?;
    due(reader, "new")?;
    Ok((old, value(reader)?))
}

fn due(reader: &mut Reader<'_>, name: &str) -> Result<(), Stop> {
    let at = reader.position();
    let mut first = false;
    if reader.key(&mut first)?.as_deref() == Some(name) {
        Ok(())
    } else {
        Err(reader.stop_at(at, "old and new were expected"))
    }
}

fn read_event(fresh: &mut Fresh<'_>, reader: &mut Reader<'_>) -> Result<Event, Stop> {
    reader.object()?;
    let mut first = true;
    let at = reader.position();
    let unknown = "an unknown event";
    let Some(key) = reader.key(&mut first)? else { return Err(reader.stop_at(at, unknown)) };
    let event = match &*key {
        "create" | "drop" => read_coming_or_going(fresh, key == "create", reader)?,
        "progress" => {
            let slot = fresh.named(reader)?;
            let (old, new) = pair(reader, read_progress)?;
            Event::Progress { slot, old, new }
        }
        "updated" => {
            let slot = fresh.named(reader)?;
            let (old, new) = pair(reader, Reader::whole)?;
            Event::Updated { slot, old, new }
        }
        "blockedBy" => {
            let slot = fresh.named(reader)?;
            let (old, new) = pair(reader, |reader| fresh.list(reader))?;
            Event::Blockers { slot, old, new }
        }
        "text" => {
            let slot = fresh.named(reader)?;
            let id = fresh.id(slot);
            let (old, new) = pair(reader, |reader| read_text(&id, reader))?;
            Event::Text { slot, old, new }
        }
        "parent" => {
            let slot = fresh.named(reader)?;
            let (old, new) = pair(reader, |reader| read_parent(fresh, reader))?;
            Event::Parent { slot, old, new }
        }
        "extra" => {
            let slot = fresh.named(reader)?;
            let (old, new) = pair(reader, read_extra)?;
            Event::Extra { slot, old, new }
        }
        "count" => {
            reader.text()?;
            let (old, new) = pair(reader, Reader::whole)?;
            Event::Counted { counter: Counter::Fence, old, new }
        }
        _ => return Err(reader.stop_at(at, unknown)),
    };
    let mut first = false;
    if reader.key(&mut first)?.is_some() {
        return Err(reader.stop_at(at, unknown));
    }
    Ok(event)
}

fn read_coming_or_going(fresh: &mut Fresh<'_>, coming: bool, reader: &mut Reader<'_>) -> Result<Event, Stop> {
    let (at, expected) = (reader.position(), "a row with its creation number was expected");
    let draft = Draft::read(reader)?;
    let Some(seq) = draft.seq else { return Err(reader.stop_at(at, expected)) };
    if coming && fresh.slot(seq).is_none() {
        fresh.created.push((seq, draft.id.clone().into_owned()));
    }
    let Some(slot) = fresh.slot(seq) else { return Err(reader.stop_at(at, expected)) };
    let words =
        Words { id: &draft.id, title: &draft.title, description: &draft.description, active_form: &draft.active_form };
    let text = Rc::new(Text::new(words));
    let row = Rc::new(Row {
        seq,
        progress: draft.progress,
        created_by: Rc::from(&*draft.created_by),
        created_at: draft.created_at,
        updated_at: draft.updated_at,
        extra: draft.event_extra(),
    });
    Ok(if coming { Event::Created { slot, text, row: Some(row) } } else { Event::Dropped { slot, text, row } })
}
