//! Opening a text: ours, or a bare `{"tasks":[…]}`. Nothing is lost in silence: what cannot be read is refused.

use std::borrow::Cow;
use std::rc::Rc;

use crate::engine::Engine;
use crate::engine::error::{Code, Fact, Refusal};
use crate::engine::hash::checksum;
use crate::engine::limits;
use crate::engine::rules::Rules;
use crate::engine::state::{State, finish_node};
use crate::graph::{ByKey, sort, sort_in_place};
use crate::json::{Fault, Kind, Reader, Stop, Writer};
use crate::task::{Presence, Slot, Slots, Task, Text, Words};

use super::draft::{Draft, some_extra};
use super::journal::{read_journal, rows_in_journal};
use super::write::{combine, fold_row, hexadecimal};
use super::{FORMAT, VERSION};

/// How to open a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Keep edges that close a ring out of the graph (in `asideBlockedBy`) instead of refusing the text.
    pub on_cycle_set_aside: bool,
    /// Take the rules asked for where the text holds others, instead of refusing.
    pub adopt: bool,
}

/// The parts of an envelope.
struct Envelope<'a> {
    format: Option<Cow<'a, str>>,
    version: Option<Cow<'a, str>>,
    revision: u64,
    list: Option<Cow<'a, str>>,
    checksum: Option<Cow<'a, str>>,
    rules: Option<&'a str>,
    counters: &'a str,
    journal: &'a str,
    drafts: Option<Vec<Draft<'a>>>,
}

#[allow(clippy::needless_pass_by_value, reason = "it stands where an error is mapped")]
fn corrupt(fault: Fault) -> Refusal {
    Refusal::corrupt(fault.at, fault.problem)
}

impl Engine {
    /// Opens a list from its text. `rules`: what the caller expects; `None` takes what the text holds. O(tasks + edges).
    ///
    /// # Errors
    /// `corrupt`, `unsupported_version`, `rules_differ`, `duplicate_id`, `cycle` or `limit`.
    pub fn open(text: &str, rules: Option<Rules>, options: OpenOptions, seed: [u64; 2]) -> Result<Self, Refusal> {
        Engine::open_parts(text, None, rules, options, seed)
    }

    /// The same, for storages that keep rows apart: `head` is an envelope without rows, `rows` a JSON list of them.
    ///
    /// # Errors
    /// As for [`Engine::open`].
    pub fn open_parts(
        head: &str,
        rows: Option<&str>,
        rules: Option<Rules>,
        options: OpenOptions,
        seed: [u64; 2],
    ) -> Result<Self, Refusal> {
        let mut envelope = read_envelope(head)?;
        if let Some(rows) = rows {
            let mut reader = Reader::new(rows);
            let drafts = read_rows(&mut reader);
            envelope.drafts = Some(reader.outcome(drafts).map_err(corrupt)?);
        }
        check_format(&envelope)?;
        let stored = stored_rules(&envelope)?;
        let rules = choose_rules(stored, rules, options)?;
        let mut drafts = envelope.drafts.take().unwrap_or_default();
        if drafts.len() > limits::TASKS {
            return Err(Refusal::limit("tasks", limits::TASKS));
        }
        let rows_sum = number_rows(&mut drafts);
        let sum = combine([
            checksum(envelope.rules.unwrap_or("")),
            checksum(envelope.counters),
            rows_sum,
            checksum(envelope.journal),
        ]);
        let edited = envelope.checksum.as_deref().is_some_and(|stored| stored != hexadecimal(sum));
        if !edited {
            add_gone(envelope.journal, &mut drafts).map_err(corrupt)?;
        }
        let list = envelope.list.as_deref().unwrap_or("");
        let mut engine = Engine::new(rules, seed);
        if !list.is_empty() {
            engine.state.list = Rc::from(list);
        }
        engine.state.revision = envelope.revision;
        engine.edited = edited;
        let mut reader = Reader::new(envelope.counters);
        let counters = read_counters(&mut reader);
        let (seq, fence) = reader.outcome(counters).map_err(corrupt)?;
        engine.state.last_fence = fence;
        build(&mut engine, drafts, options)?;
        engine.state.next_seq = engine.state.next_seq.max(seq + 1);
        if engine.state.next_seq > 1 << 53 {
            return Err(Refusal::corrupt(0, "a row without a creation number comes after the last one there is"));
        }
        if !edited {
            engine.journal = read_journal(&mut engine.state, envelope.journal).map_err(corrupt)?;
        }
        Ok(engine)
    }
}

fn read_envelope(text: &str) -> Result<Envelope<'_>, Refusal> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Refusal::corrupt(0, "it is empty"));
    }
    let mut envelope = Envelope {
        format: None,
        version: None,
        revision: 0,
        list: None,
        checksum: None,
        rules: None,
        counters: "{}",
        journal: "[]",
        drafts: None,
    };
    let mut reader = Reader::new(text);
    let mut read = || -> Result<(), Stop> {
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            match &*key {
                "format" => envelope.format = Some(reader.text()?),
                "version" => envelope.version = Some(Cow::Borrowed(reader.raw()?)),
                "revision" => envelope.revision = reader.whole()?,
                "list" => envelope.list = Some(reader.text()?),
                "checksum" => envelope.checksum = Some(reader.text()?),
                "rules" => envelope.rules = Some(reader.raw()?),
                "counters" => envelope.counters = reader.raw()?,
                "journal" => envelope.journal = reader.raw()?,
                "tasks"
                    // Another version's rows are not for this reader; the version is checked first.
                    if envelope.version.as_deref().is_none_or(|version| version == "1") => {
                        envelope.drafts = Some(read_rows(&mut reader)?);
                    }
                _ => {
                    reader.raw()?;
                }
            }
        }
        reader.end()
    };
    let read = read();
    reader.outcome(read).map_err(corrupt)?;
    Ok(envelope)
}

/// The rows of a text in creation order, edges unresolved: what a merge takes in. Rules, journal and checksum are not
/// looked at.
pub(in crate::engine) fn read_drafts(text: &str) -> Result<Vec<Draft<'_>>, Refusal> {
    let mut envelope = read_envelope(text)?;
    check_format(&envelope)?;
    let mut drafts = envelope.drafts.take().unwrap_or_default();
    number_rows(&mut drafts);
    Ok(drafts)
}

fn read_rows<'a>(reader: &mut Reader<'a>) -> Result<Vec<Draft<'a>>, Stop> {
    let mut drafts = Vec::new();
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        reader.kind()?;
        let from = reader.position();
        let mut draft = Draft::read(reader)?;
        draft.checksum = checksum(reader.between(from));
        drafts.push(draft);
    }
    Ok(drafts)
}

fn check_format(envelope: &Envelope<'_>) -> Result<(), Refusal> {
    match envelope.format.as_deref() {
        None if envelope.drafts.is_some() => Ok(()),
        Some(FORMAT) => {
            let found = envelope.version.as_deref().unwrap_or("0");
            if found == "1" && envelope.drafts.is_some() {
                return Ok(());
            }
            if found == "1" {
                return Err(Refusal::corrupt(0, "it has no rows"));
            }
            Err(Refusal::new(
                Code::UnsupportedVersion,
                "The text is of version {found} of the format; this engine reads version {supported}.",
                "Open it with a newer version of blockedby; nothing was written to it.",
                &[("found", Fact::Json(found)), ("supported", Fact::Number(VERSION))],
            ))
        }
        _ => Err(Refusal::corrupt(0, "it is JSON of some other kind")),
    }
}

fn stored_rules(envelope: &Envelope<'_>) -> Result<Option<Rules>, Refusal> {
    let Some(json) = envelope.rules else { return Ok(None) };
    let mut reader = Reader::new(json);
    let rules = Rules::default().read(&mut reader);
    reader.outcome(rules).map(Some).map_err(corrupt)
}

fn choose_rules(stored: Option<Rules>, asked: Option<Rules>, options: OpenOptions) -> Result<Rules, Refusal> {
    let (stored, asked) = match (stored, asked) {
        (Some(stored), Some(asked)) => (stored, asked),
        (stored, asked) => return Ok(stored.or(asked).unwrap_or_default()),
    };
    match stored.difference(&asked) {
        Some(field) if !options.adopt => Err(Refusal::new(
            Code::RulesDiffer,
            "The list's rule `{field}` is {stored}, not {asked}.",
            "Open it with its own rules, or with `adopt: true` to change them.",
            &[
                ("field", Fact::Text(field)),
                ("stored", Fact::Json(&stored.get(field))),
                ("asked", Fact::Json(&asked.get(field))),
            ],
        )),
        _ => Ok(asked),
    }
}

fn read_counters(reader: &mut Reader<'_>) -> Result<(u64, u64), Stop> {
    let (mut seq, mut fence) = (0, 0);
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        match &*key {
            "seq" => seq = reader.whole()?,
            "fence" => fence = reader.whole()?,
            _ => {
                reader.raw()?;
            }
        }
    }
    Ok((seq, fence))
}

/// Gives rows without a creation number, or with one that another row has (a merge by hand leaves such), the
/// next ones; puts all into creation order, and sums their checksums.
fn number_rows(drafts: &mut [Draft<'_>]) -> u64 {
    let mut last = drafts.iter().filter_map(|draft| draft.seq).max().unwrap_or(0);
    for (place, draft) in drafts.iter_mut().enumerate() {
        draft.place = place;
    }
    in_order(drafts);
    let mut before = 0;
    for draft in drafts.iter_mut() {
        match draft.seq {
            Some(seq) if seq > before => before = seq,
            _ => {
                last += 1;
                draft.seq = Some(last);
            }
        }
    }
    in_order(drafts);
    drafts.iter().fold(0, |sum, draft| fold_row(sum, draft.checksum))
}

fn in_order(drafts: &mut [Draft<'_>]) {
    // Rows without a number come last, in the order of the text.
    sort_in_place(&mut ByKey(drafts, |draft: &Draft<'_>| {
        (draft.seq.filter(|seq| *seq > 0).unwrap_or(u64::MAX), draft.place)
    }));
}

/// Adds rows that an undo could bring back.
fn add_gone<'a>(journal: &'a str, drafts: &mut Vec<Draft<'a>>) -> Result<(), Fault> {
    let mut gone: Vec<Draft<'a>> = Vec::new();
    rows_in_journal(journal, |draft| {
        let known = drafts.binary_search_by_key(&draft.seq, |draft| draft.seq).is_ok();
        if !known && gone.iter().all(|other| other.seq != draft.seq) {
            gone.push(Draft { gone: true, ..draft });
        }
    })?;
    if !gone.is_empty() {
        drafts.append(&mut gone);
        in_order(drafts);
    }
    Ok(())
}

fn build(engine: &mut Engine, drafts: Vec<Draft<'_>>, options: OpenOptions) -> Result<(), Refusal> {
    let state = &mut engine.state;
    state.reserve(drafts.len());
    let mut actors: Vec<Rc<str>> = Vec::new();
    let mut edges: Vec<(Slot, Vec<Cow<'_, str>>)> = Vec::new();
    let mut parents: Vec<(Slot, Cow<'_, str>)> = Vec::new();
    for draft in drafts {
        let slot = state.next_slot();
        let words = Words {
            id: &draft.id,
            title: &draft.title,
            description: &draft.description,
            active_form: &draft.active_form,
        };
        if !draft.gone && state.find(&draft.id).is_some() {
            return Err(Refusal::duplicate_row(&draft.id));
        }
        let seq = draft.seq.unwrap_or(0);
        let created_by = actor(&mut actors, &draft.created_by);
        let mut task = Task::new(Rc::new(Text::new(words)), seq, created_by, draft.created_at);
        task.updated_at = draft.updated_at;
        task.progress = draft.progress;
        task.extra = some_extra(draft.extra);
        state.next_seq = state.next_seq.max(seq + 1);
        if draft.gone {
            task.presence = Presence::Gone;
            state.push_task(task);
            engine.checksums.push(0);
            continue;
        }
        state.counts[task.status() as usize] += 1;
        state.push_task(task);
        engine.checksums.push(draft.checksum);
        state.index_id(slot);
        if !draft.blocked_by.is_empty() {
            edges.push((slot, draft.blocked_by));
        }
        if let Some(parent) = draft.parent {
            parents.push((slot, parent));
        }
    }
    link(state, &edges, &parents, options)?;
    for slot in 0..state.next_slot() {
        state.recount(slot);
        state.reindex(slot);
    }
    let mut marks = Vec::new();
    state.take_touched(&mut marks);
    Ok(())
}

fn actor(known: &mut Vec<Rc<str>>, name: &str) -> Rc<str> {
    if let Some(found) = known.iter().find(|known| ***known == *name) {
        return Rc::clone(found);
    }
    let new: Rc<str> = Rc::from(name);
    if known.len() < 64 {
        known.push(Rc::clone(&new));
    }
    new
}

fn link(
    state: &mut State,
    edges: &[(Slot, Vec<Cow<'_, str>>)],
    parents: &[(Slot, Cow<'_, str>)],
    options: OpenOptions,
) -> Result<(), Refusal> {
    // Ids that nobody has become placeholders, which hold their dependents up until such a row appears.
    for (slot, ids) in edges {
        let mut blockers = Slots::new();
        for id in ids {
            let blocker = state.find(id).unwrap_or_else(|| state.add_missing(id));
            blockers.push(blocker);
            state.task_mut(blocker).blocks.push(*slot);
        }
        state.task_mut(*slot).blocked_by = blockers;
    }
    let nobody = Rc::from("");
    let context = crate::engine::Context { actor: nobody, now: 0, operation: 0 };
    if !parents.is_empty() {
        // Trees are rare: their arcs are added one by one, which asks for an order of the edges first.
        order_edges(state, options)?;
        for (slot, parent) in parents {
            let Some(parent) = state.find_live(parent) else {
                let name = parent.clone().into_owned();
                keep_facet(state, *slot, "parent", &name);
                continue;
            };
            let event = crate::engine::event::Event::Parent { slot: *slot, old: None, new: Some(parent) };
            if let Err(ring) = state.evolve(&event, &context) {
                if !options.on_cycle_set_aside {
                    return Err(Engine::ring_refusal(state, &ring));
                }
                let name = state.task(parent).id().to_owned();
                keep_facet(state, *slot, "asideParent", &name);
            }
        }
        return Ok(());
    }
    order_edges(state, options)
}

/// Keeps what has no place in the graph as the row said it.
fn keep_facet(state: &mut State, slot: Slot, name: &str, text: &str) {
    let mut extra = state.task(slot).extra.as_deref().cloned().unwrap_or_default();
    let mut json = String::new();
    crate::json::push_string(&mut json, text);
    extra.facets.push((name.into(), json.into()));
    state.task_mut(slot).extra = Some(Rc::new(extra));
}

/// Gives the graph its order, or finds the edges that must stay out of it.
fn order_edges(state: &mut State, options: OpenOptions) -> Result<(), Refusal> {
    let nodes = state.topology.borrow().len();
    let ring = match sort(state, nodes) {
        Ok(order) => {
            state.topology.get_mut().assign(&order);
            return Ok(());
        }
        Err(ring) => ring,
    };
    let refusal = Engine::ring_refusal(state, &ring);
    let cut = set_aside(state);
    if options.on_cycle_set_aside {
        return Ok(());
    }
    let mut writer = Writer::new();
    writer.open_list();
    for (slot, blocker) in cut {
        writer.open();
        writer.field("id", state.task(slot).id());
        writer.field("blocker", state.task(blocker).id());
        writer.close();
    }
    writer.close_list();
    let mut refusal = refusal;
    refusal.add_detail("cut", &writer.finish());
    "Take out the edges in `details.cut`, or open it with `onCycle: \"setAside\"`.".clone_into(&mut refusal.hint);
    Err(refusal)
}

/// Puts edges in one by one, row by row, and sets aside each that would close a ring: none of those can be taken back.
fn set_aside(state: &mut State) -> Vec<(Slot, Slot)> {
    let all: Vec<(Slot, Slots)> =
        (0..state.next_slot()).map(|slot| (slot, std::mem::take(&mut state.task_mut(slot).blocked_by))).collect();
    for slot in 0..state.next_slot() {
        state.task_mut(slot).blocks.clear();
    }
    let mut cut = Vec::new();
    for (slot, blockers) in all {
        let mut aside: Vec<Slot> = Vec::new();
        for blocker in blockers {
            let (first, then) = (finish_node(blocker), state.start_node(slot));
            let legal = state.topology.borrow_mut().require(state, first, then).is_ok();
            if legal {
                state.task_mut(slot).blocked_by.push(blocker);
                let blocks = &mut state.task_mut(blocker).blocks;
                let at = blocks.partition_point(|dependent| *dependent < slot);
                blocks.insert(at, slot);
            } else {
                aside.push(blocker);
                cut.push((slot, blocker));
            }
        }
        if !aside.is_empty() {
            keep_aside(state, slot, &aside);
        }
    }
    cut
}

/// Notes edges in `asideBlockedBy`, behind those that stand there.
fn keep_aside(state: &mut State, slot: Slot, aside: &[Slot]) {
    let mut extra = state.task(slot).extra.as_deref().cloned().unwrap_or_default();
    extra.aside = Some(aside_with(extra.aside.as_deref(), &state.ids(aside)));
    state.task_mut(slot).extra = Some(Rc::new(extra));
}

/// The JSON list of edges set aside, with more of them behind those that stand there.
pub(in crate::engine) fn aside_with(present: Option<&str>, more: &[String]) -> Box<str> {
    let mut writer = Writer::new();
    writer.open_list();
    for id in ids_in(present).iter().chain(more) {
        writer.text(id);
    }
    writer.close_list();
    writer.finish().into()
}

/// The texts of a JSON list, as far as it is one.
pub(in crate::engine) fn ids_in(json: Option<&str>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut reader = Reader::new(json.unwrap_or_default());
    let mut first = true;
    if reader.array().is_ok() {
        while matches!(reader.item(&mut first), Ok(true)) && reader.kind() == Ok(Kind::Text) {
            ids.extend(reader.text().map(Cow::into_owned));
        }
    }
    ids
}
