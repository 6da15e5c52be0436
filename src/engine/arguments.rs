//! One reader for every call's arguments, driven by static tables.
//!
//! A table says the name, kind and meaning of each argument. Reading validates by it, suggests the
//! nearest name for an unknown one, and the JSON Schemas that models see are printed from it, so that
//! what is promised and what is accepted cannot drift apart.

use std::borrow::Cow;

use crate::json::{Kind, Reader, Stop, Writer};
use crate::task::Status;

use super::error::{Code, Fact, Refusal, one_of, sentence};
use super::limits;
use super::nearest::nearest;

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// An id; a whole number is read as its digits.
    Id,
    /// A list of ids; a bare id is read as a list of one.
    Ids,
    /// Text.
    Text,
    /// A whole number from 0 to 2^53 - 1.
    Whole,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A JSON object, kept as it is written.
    Object,
    /// A list of JSON objects.
    Objects,
}

/// One row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it holds.
    pub kind: ArgumentKind,
    /// Whether a call without it is refused.
    pub required: bool,
    /// Other names that are read as this one.
    pub aliases: &'static [&'static str],
    /// What it means, for people and models.
    pub doc: &'static str,
}

impl Argument {
    /// An optional argument.
    #[must_use]
    pub const fn optional(name: &'static str, kind: ArgumentKind, doc: &'static str) -> Self {
        Argument { name, kind, required: false, aliases: &[], doc }
    }

    /// A required argument.
    #[must_use]
    pub const fn required(name: &'static str, kind: ArgumentKind, doc: &'static str) -> Self {
        Argument { name, kind, required: true, aliases: &[], doc }
    }

    /// The same with other names.
    #[must_use]
    pub const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Writes its JSON Schema as an object: flat, one type, no references.
    pub fn write_schema(&self, writer: &mut Writer) {
        writer.open();
        match self.kind {
            ArgumentKind::Id | ArgumentKind::Text => writer.field("type", "string"),
            ArgumentKind::Whole => writer.field("type", "integer"),
            ArgumentKind::Choice(words) => {
                writer.field("type", "string");
                writer.list("enum", words.iter().copied());
            }
            ArgumentKind::Object => writer.field("type", "object"),
            ArgumentKind::Ids | ArgumentKind::Objects => {
                writer.field("type", "array");
                writer.key("items");
                writer.open();
                writer.field("type", if self.kind == ArgumentKind::Ids { "string" } else { "object" });
                writer.close();
            }
        }
        writer.field("description", self.doc);
        writer.close();
    }
}

/// Writes a table as a JSON Schema.
pub fn write_schema(table: &[Argument], writer: &mut Writer) {
    writer.open();
    writer.field("type", "object");
    writer.key("properties");
    writer.open();
    for argument in table {
        writer.key(argument.name);
        argument.write_schema(writer);
    }
    writer.close();
    writer.list("required", table.iter().filter(|argument| argument.required).map(|argument| argument.name));
    writer.key("additionalProperties");
    writer.bool(false);
    writer.close();
}

/// What `null` says in an optional argument (D14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// The same as leaving it out: what models mean.
    Absent,
    /// Take the present value away: what a patch means.
    Clears,
}

#[derive(Debug, Clone)]
enum Value<'a> {
    Absent,
    Cleared,
    Text(Cow<'a, str>),
    Whole(u64),
    Ids(Vec<Cow<'a, str>>),
    Raw(&'a str),
    Objects(Vec<&'a str>),
}

/// Arguments that fit their table.
#[derive(Debug)]
pub struct Arguments<'a> {
    table: &'static [Argument],
    values: Vec<Value<'a>>,
}

impl<'a> Arguments<'a> {
    /// Reads a JSON object by a table; keys in `skip` are passed over.
    ///
    /// # Errors
    /// `invalid_value`, `unknown_field`, `missing_field` or `limit`.
    pub fn read(text: &'a str, table: &'static [Argument], null: Null, skip: &str) -> Result<Self, Refusal> {
        if text.len() > limits::CALL_BYTES {
            return Err(Refusal::limit("bytes in one call", limits::CALL_BYTES));
        }
        let mut reader = Reader::new(text);
        let mut values = vec![Value::Absent; table.len()];
        reader.object().map_err(|Stop| unreadable(&reader))?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first).map_err(|Stop| unreadable(&reader))? {
            if key == skip {
                reader.raw().map_err(|Stop| unreadable(&reader))?;
                continue;
            }
            let Some(at) = table.iter().position(|argument| argument.name == key || argument.aliases.contains(&&*key))
            else {
                return Err(unknown(&key, table));
            };
            values[at] = read_value(&mut reader, &table[at], null)?;
        }
        reader.end().map_err(|Stop| unreadable(&reader))?;
        let arguments = Arguments { table, values };
        for (argument, value) in table.iter().zip(&arguments.values) {
            if argument.required && matches!(value, Value::Absent | Value::Cleared) {
                return Err(Refusal::missing(argument.name));
            }
        }
        Ok(arguments)
    }

    fn value(&self, name: &str) -> &Value<'a> {
        let at = self.table.iter().position(|argument| argument.name == name);
        at.map_or(&Value::Absent, |at| &self.values[at])
    }

    /// Whether an argument was given, be it to clear.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        !matches!(self.value(name), Value::Absent)
    }

    /// A text, id or word; cleared gives the empty string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        match self.value(name) {
            Value::Text(text) => Some(text.clone()),
            Value::Cleared => Some(Cow::Borrowed("")),
            _ => None,
        }
    }

    /// A text, id or word that the table requires.
    #[must_use]
    pub fn due(&self, name: &str) -> Cow<'a, str> {
        self.text(name).unwrap_or_default()
    }

    /// A text, id or word, when there is something in it.
    #[must_use]
    pub fn filled(&self, name: &str) -> Option<Cow<'a, str>> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// A status by its word.
    #[must_use]
    pub fn status(&self, name: &str) -> Option<Status> {
        self.text(name).and_then(|word| Status::from_word(&word))
    }

    /// A list of ids; cleared gives the empty list.
    #[must_use]
    pub fn ids(&self, name: &str) -> Option<Vec<Cow<'a, str>>> {
        match self.value(name) {
            Value::Ids(ids) => Some(ids.clone()),
            Value::Cleared => Some(Vec::new()),
            _ => None,
        }
    }

    /// A whole number.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<u64> {
        match self.value(name) {
            Value::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// A JSON object as it was written; cleared gives the empty text.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        match self.value(name) {
            Value::Raw(json) => Some(json),
            Value::Cleared => Some(""),
            _ => None,
        }
    }

    /// A list of JSON objects as they were written.
    #[must_use]
    pub fn objects(&self, name: &str) -> &[&'a str] {
        match self.value(name) {
            Value::Objects(objects) => objects,
            _ => &[],
        }
    }
}

/// Reads one key of a JSON object as text, without reading the rest by a table.
///
/// # Errors
/// `invalid_value` when the text is not a JSON object or the key holds something else.
pub fn peek<'a>(text: &'a str, name: &str) -> Result<Option<Cow<'a, str>>, Refusal> {
    if text.len() > limits::CALL_BYTES {
        return Err(Refusal::limit("bytes in one call", limits::CALL_BYTES));
    }
    let mut reader = Reader::new(text);
    let mut found = None;
    let mut scan = || -> Result<(), Stop> {
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key == name && reader.kind()? == Kind::Text {
                found = Some(reader.text()?);
                // The caller reads the whole text again by the table that this key chooses.
                return Ok(());
            }
            reader.raw()?;
        }
        Ok(())
    };
    scan().map_err(|Stop| unreadable(&reader))?;
    Ok(found)
}

/// The refusal of JSON that cannot be read as what `field` should be.
fn broken_json(field: &str, reader: &Reader<'_>, expected: &str) -> Refusal {
    let fault = reader.fault();
    if fault.problem == crate::json::TOO_DEEP {
        let most = if field == "metadata" { limits::METADATA_LEVELS } else { crate::json::MAX_DEPTH };
        return Refusal::limit("levels of JSON", most);
    }
    let facts = [("problem", Fact::Text(fault.problem)), ("at", Fact::Number(fault.at as u64))];
    let got = sentence("unreadable ({problem} at byte {at})", &facts);
    Refusal::invalid(field, &got, expected)
}

fn unreadable(reader: &Reader<'_>) -> Refusal {
    broken_json("arguments", reader, "one JSON object")
}

fn unknown(key: &str, table: &[Argument]) -> Refusal {
    let known: Vec<&str> = table.iter().map(|argument| argument.name).collect();
    unknown_name(key, &known)
}

/// The refusal of a name that is none of those known.
pub(super) fn unknown_name(key: &str, known: &[&str]) -> Refusal {
    let guess = nearest(key, &mut known.iter().copied());
    let shown = super::error::shorten(key, 80);
    let hint = match guess {
        Some(_) => "Did you mean `{didYouMean}`?",
        None if known.is_empty() => "This call takes no arguments.",
        None => "Known are: {_known}.",
    };
    let facts = [
        ("field", Fact::Text(&shown)),
        ("didYouMean", Fact::Perhaps(guess)),
        ("_known", Fact::Text(&known.join(", "))),
    ];
    Refusal::new(Code::UnknownField, "There is no argument `{field}` here.", hint, &facts)
}

fn expected(kind: ArgumentKind) -> String {
    match kind {
        ArgumentKind::Id => "an id (text)".to_owned(),
        ArgumentKind::Ids => "a list of ids".to_owned(),
        ArgumentKind::Text => "text".to_owned(),
        ArgumentKind::Whole => "a whole number, 0 or more".to_owned(),
        ArgumentKind::Choice(words) => one_of(words),
        ArgumentKind::Object => "a JSON object".to_owned(),
        ArgumentKind::Objects => "a list of JSON objects".to_owned(),
    }
}

fn read_value<'a>(reader: &mut Reader<'a>, argument: &Argument, null: Null) -> Result<Value<'a>, Refusal> {
    let broken = |reader: &Reader<'_>| broken_json(argument.name, reader, &expected(argument.kind));
    let found = reader.kind().map_err(|Stop| broken(reader))?;
    if found == Kind::Null {
        reader.raw().map_err(|Stop| broken(reader))?;
        return Ok(if null == Null::Clears { Value::Cleared } else { Value::Absent });
    }
    let wrong = |got: &str| Err(Refusal::invalid(argument.name, got, &expected(argument.kind)));
    match (argument.kind, found) {
        (ArgumentKind::Text, Kind::Text) => Ok(Value::Text(reader.text().map_err(|Stop| broken(reader))?)),
        (ArgumentKind::Id, Kind::Text | Kind::Number) => Ok(Value::Text(read_id(reader, argument, found)?)),
        (ArgumentKind::Ids, Kind::Text | Kind::Number) => Ok(Value::Ids(vec![read_id(reader, argument, found)?])),
        (ArgumentKind::Ids, Kind::Array) => {
            reader.array().map_err(|Stop| broken(reader))?;
            let (mut first, mut ids) = (true, Vec::new());
            while reader.item(&mut first).map_err(|Stop| broken(reader))? {
                let kind = reader.kind().map_err(|Stop| broken(reader))?;
                if !matches!(kind, Kind::Text | Kind::Number) {
                    return wrong(&["a list with ", kind.word()].concat());
                }
                ids.push(read_id(reader, argument, kind)?);
                if ids.len() > limits::BLOCKERS {
                    return Err(Refusal::limit(argument.name, limits::BLOCKERS));
                }
            }
            Ok(Value::Ids(ids))
        }
        (ArgumentKind::Whole, Kind::Number) => match reader.whole() {
            Ok(number) => Ok(Value::Whole(number)),
            Err(_) => wrong("another number"),
        },
        (ArgumentKind::Choice(words), Kind::Text) => {
            let word = reader.text().map_err(|Stop| broken(reader))?;
            match words.iter().find(|known| **known == word) {
                Some(known) => Ok(Value::Text(Cow::Borrowed(known))),
                None => Err(Refusal::unknown_word(argument.name, &word, &one_of(words))),
            }
        }
        (ArgumentKind::Object, Kind::Object) => {
            Ok(Value::Raw(reader.raw_within(limits::METADATA_LEVELS).map_err(|Stop| broken(reader))?))
        }
        (ArgumentKind::Objects, Kind::Array) => {
            reader.array().map_err(|Stop| broken(reader))?;
            let (mut first, mut objects) = (true, Vec::new());
            while reader.item(&mut first).map_err(|Stop| broken(reader))? {
                let kind = reader.kind().map_err(|Stop| broken(reader))?;
                if kind != Kind::Object {
                    return wrong(&["a list with ", kind.word()].concat());
                }
                objects.push(reader.raw().map_err(|Stop| broken(reader))?);
                if objects.len() > limits::BATCH {
                    return Err(Refusal::limit(argument.name, limits::BATCH));
                }
            }
            Ok(Value::Objects(objects))
        }
        _ => wrong(found.word()),
    }
}

fn read_id<'a>(reader: &mut Reader<'a>, argument: &Argument, kind: Kind) -> Result<Cow<'a, str>, Refusal> {
    let broken =
        |reader: &Reader<'_>| Refusal::invalid(argument.name, reader.fault().problem, &expected(argument.kind));
    if kind == Kind::Text {
        return reader.text().map_err(|Stop| broken(reader));
    }
    let written = reader.number().map_err(|Stop| broken(reader))?;
    if written.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(Cow::Borrowed(written))
    } else {
        Err(Refusal::invalid(argument.name, written, &expected(argument.kind)))
    }
}
