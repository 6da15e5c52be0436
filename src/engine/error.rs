//! Refusals: a stable code, a sentence, what to do next, and structured details (D17).

use crate::json::{Writer, push_whole};
use crate::task::Slot;

/// The stable codes that the engine itself gives. Hosts add those of storage and loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each code is explained in the table of README.md")]
pub enum Code {
    NotFound,
    UnknownBlocker,
    SelfBlock,
    Cycle,
    DuplicateId,
    MissingField,
    InvalidValue,
    UnknownField,
    NothingToChange,
    InvalidTransition,
    Blocked,
    Limit,
    FeatureOff,
    NotAllowed,
    NotHolder,
    Held,
    ChildrenOpen,
    UndoConflict,
    RulesDiffer,
    Corrupt,
    UnsupportedVersion,
}

impl Code {
    /// The code as it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Code::NotFound => "not_found",
            Code::UnknownBlocker => "unknown_blocker",
            Code::SelfBlock => "self_block",
            Code::Cycle => "cycle",
            Code::DuplicateId => "duplicate_id",
            Code::MissingField => "missing_field",
            Code::InvalidValue => "invalid_value",
            Code::UnknownField => "unknown_field",
            Code::NothingToChange => "nothing_to_change",
            Code::InvalidTransition => "invalid_transition",
            Code::Blocked => "blocked",
            Code::Limit => "limit",
            Code::FeatureOff => "feature_off",
            Code::NotAllowed => "not_allowed",
            Code::NotHolder => "not_holder",
            Code::Held => "held",
            Code::ChildrenOpen => "children_open",
            Code::UndoConflict => "undo_conflict",
            Code::RulesDiffer => "rules_differ",
            Code::Corrupt => "corrupt",
            Code::UnsupportedVersion => "unsupported_version",
        }
    }
}

/// A refused call. Nothing was changed. One pointer wide, so that results that carry it stay small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(Box<Reason>);

impl std::ops::Deref for Refusal {
    type Target = Reason;
    fn deref(&self) -> &Reason {
        &self.0
    }
}

impl std::ops::DerefMut for Refusal {
    fn deref_mut(&mut self) -> &mut Reason {
        &mut self.0
    }
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The stable code.
    pub code: Code,
    /// What was wrong, as a sentence.
    pub message: String,
    /// What to do next, as a sentence.
    pub hint: String,
    /// A JSON object; its keys depend on the code.
    pub details: String,
    /// For a `cycle` whose details were left to the caller: the ring's slots, first and last the same.
    pub ring: Vec<Slot>,
}

/// A value that a refusal names, in its sentences or its details.
#[derive(Debug, Clone, Copy)]
pub enum Fact<'t> {
    /// A text.
    Text(&'t str),
    /// A text, left out of the details when there is none.
    Perhaps(Option<&'t str>),
    /// A whole number.
    Number(u64),
    /// A value that is JSON text already.
    Json(&'t str),
    /// A list of texts, for the details only.
    List(&'t [&'t str]),
}

/// Values by name. Those whose name begins with `_` stand in sentences only, the others in the details too.
pub type Facts<'t> = &'t [(&'static str, Fact<'t>)];

/// Puts facts into a sentence: `{name}` stands for the fact of that name. What a fact says is not looked into again.
///
/// One function for all sentences: a `format!` at every place costs several times as much WebAssembly.
#[must_use]
pub fn sentence(template: &'static str, facts: Facts<'_>) -> String {
    let mut written = String::new();
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        written.push_str(before);
        match facts.iter().find(|fact| fact.0 == name) {
            Some((_, Fact::Text(text) | Fact::Json(text) | Fact::Perhaps(Some(text)))) => written.push_str(text),
            Some((_, Fact::Number(number))) => push_whole(&mut written, *number),
            fact => debug_assert!(matches!(fact, Some((_, Fact::Perhaps(None)))), "no fact for {name}"),
        }
        rest = after;
    }
    written.push_str(rest);
    written
}

fn details(facts: Facts<'_>) -> String {
    let mut writer = Writer::new();
    writer.open();
    for (name, fact) in facts.iter().filter(|fact| !fact.0.starts_with('_')) {
        match fact {
            Fact::Text(text) | Fact::Perhaps(Some(text)) => writer.field(name, text),
            Fact::Perhaps(None) => {}
            Fact::Number(number) => writer.number(name, *number),
            Fact::Json(json) => {
                writer.key(name);
                writer.raw(json);
            }
            Fact::List(texts) => writer.list(name, texts.iter().copied()),
        }
    }
    writer.close();
    writer.finish()
}

impl Refusal {
    /// A refusal. Message and hint are sentences with `{name}` where a fact belongs.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn new(code: Code, message: &'static str, hint: &'static str, facts: Facts<'_>) -> Self {
        Refusal(Box::new(Reason {
            code,
            message: sentence(message, facts),
            hint: sentence(hint, facts),
            details: details(facts),
            ring: Vec::new(),
        }))
    }

    /// Adds a key, with its value as JSON, to the details.
    pub fn add_detail(&mut self, key: &str, json: &str) {
        let open = self.details.strip_suffix('}').unwrap_or_default();
        let comma = if open == "{" { "" } else { "," };
        self.details = [open, comma, "\"", key, "\":", json, "}"].concat();
    }

    /// A text with two rows of one id.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn duplicate_row(id: &str) -> Self {
        Refusal::new(
            Code::DuplicateId,
            "Two rows of the text have the id `{id}`.",
            "Give one of them another id, then open it again; nothing was written to it.",
            &[("id", Fact::Text(id))],
        )
    }

    /// A value of the wrong type or out of range. `got` is cut to 80 characters.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn invalid(field: &str, got: &str, expected: &str) -> Self {
        let facts =
            [("field", Fact::Text(field)), ("got", Fact::Text(&shorten(got, 80))), ("expected", Fact::Text(expected))];
        Refusal::new(
            Code::InvalidValue,
            "`{field}` is {got}, but it must be {expected}.",
            "Call again with `{field}` as {expected}.",
            &facts,
        )
    }

    /// A word that is none of those known; it stands in backquotes.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn unknown_word(field: &str, got: &str, expected: &str) -> Self {
        Refusal::invalid(field, &["`", got, "`"].concat(), expected)
    }

    /// A whole number that is too large; `unit` says what it counts.
    #[must_use]
    pub fn too_large(field: &str, got: u64, most: u64, unit: &str) -> Self {
        let facts = [("most", Fact::Number(most)), ("unit", Fact::Text(unit)), ("got", Fact::Number(got))];
        Refusal::invalid(
            field,
            &sentence("{got}", &facts),
            &sentence("a whole number from 0 to {most} ({unit})", &facts),
        )
    }

    /// A required argument that is absent or blank.
    #[must_use]
    pub fn missing(field: &str) -> Self {
        Refusal::new(
            Code::MissingField,
            "`{field}` is required and must not be blank.",
            "Call again with `{field}`.",
            &[("field", Fact::Text(field))],
        )
    }

    /// A limit that was passed.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn limit(limit: &str, max: usize) -> Self {
        Refusal::new(
            Code::Limit,
            "The limit of {max} for {limit} would be passed.",
            "Make it smaller, or split it.",
            &[("limit", Fact::Text(limit)), ("max", Fact::Number(max as u64))],
        )
    }

    /// A text that cannot be read.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn corrupt(at: usize, problem: &str) -> Self {
        Refusal::new(
            Code::Corrupt,
            "The text is not a task list: {_problem} at byte {at}.",
            "Restore the file from a copy; nothing was written to it.",
            &[("at", Fact::Number(at as u64)), ("_problem", Fact::Text(problem))],
        )
    }

    /// An id that no task has.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn not_found(id: &str, guess: Option<&str>, hint: &'static str) -> Self {
        let facts = [("id", Fact::Text(&shorten(id, 130))), ("didYouMean", Fact::Perhaps(guess))];
        Refusal::new(Code::NotFound, "There is no task `{id}`.", hint, &facts)
    }

    /// A status change that the present status does not allow.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn transition(id: &str, from: &str, to: &str, hint: &'static str) -> Self {
        Refusal::new(
            Code::InvalidTransition,
            "Task `{id}` is {from} and cannot become {to} this way.",
            hint,
            &[("id", Fact::Text(id)), ("from", Fact::Text(from)), ("to", Fact::Text(to))],
        )
    }

    /// The refusal as JSON: `{code, message, hint, details}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::new();
        self.write(&mut writer);
        writer.finish()
    }

    /// Writes the refusal as a JSON object.
    pub fn write(&self, writer: &mut Writer) {
        writer.open();
        writer.field("code", self.code.word());
        writer.field("message", &self.message);
        writer.field("hint", &self.hint);
        writer.key("details");
        writer.raw(&self.details);
        writer.close();
    }
}

/// At most `most` characters of `text`, with an ellipsis when something was cut.
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => [text.get(..at).unwrap_or_default(), "…"].concat(),
        None => text.to_owned(),
    }
}

/// The first five of `count` things as a text, and how many more there are; `write` writes one.
#[must_use]
pub fn first_five(count: usize, write: &mut dyn FnMut(usize, &mut String)) -> String {
    let mut text = String::new();
    for at in 0..count.min(5) {
        text.push_str(if at == 0 { "" } else { ", " });
        write(at, &mut text);
    }
    if count > 5 {
        text.push_str(&sentence(" and {more} more", &[("more", Fact::Number(count as u64 - 5))]));
    }
    text
}

/// Words as the text of a list.
#[must_use]
pub fn one_of(words: &[&str]) -> String {
    ["one of ", &words.join(", ")].concat()
}

#[cfg(test)]
mod tests {
    use super::{Fact, sentence};

    #[test]
    fn a_fact_is_not_taken_for_a_template() {
        let facts = [("id", Fact::Text("{max}{")), ("max", Fact::Number(7)), ("_none", Fact::Perhaps(None))];
        assert_eq!(sentence("Task `{id}` of {max}{_none}.", &facts), "Task `{max}{` of 7.");
        assert_eq!(sentence("No place for it, { no name.", &facts), "No place for it, { no name.");
    }
}
