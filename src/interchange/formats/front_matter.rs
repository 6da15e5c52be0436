//! The front matter of a Markdown file: YAML between two lines of `---`, as names and values, and YAML for a way back.
//!
//! The parser is `saphyr-parser`, because it gives events: scalars come as the text that was written, so that the ids
//! `1.10` and `007` stay what they are, and what aliases add up to is ours to bound. A parser that gives values would
//! make numbers of them, and be twice as large.

use std::collections::HashMap;
use std::fmt::Write as _;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use crate::engine::hash::IdHasher;
use crate::json::{Kind, Reader, Stop, Writer, push_string};

/// Deepest nesting that is read: it comes to stand inside `metadata`, some levels down.
const LEVELS: usize = 48;
/// Most bytes that aliases may add up to in one file.
const MOST_REPEATED: usize = 1 << 16;
/// So many names may be there twice in one file.
const MOST_ODDITIES: usize = 100;
/// The longest number that is one; a longer one is kept as text.
const LONGEST_NUMBER: usize = 40;
/// The longest text that is left bare.
const LONGEST_PLAIN: usize = 400;
/// The longest key that YAML lets stand on one line with its value is 1,024 characters.
const LONGEST_KEY: usize = 240;

/// A front matter and what stands below it.
#[derive(Debug)]
pub(super) struct FrontMatter<'a> {
    pub(super) fields: Vec<Field>,
    /// What is odd about it, and was read all the same.
    pub(super) oddities: Vec<Fault>,
    /// The text below, without blank lines around it.
    pub(super) body: &'a str,
}

/// Where something is wrong, and what.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line of the file, from 1.
    pub(super) line: usize,
    pub(super) problem: String,
}

/// What a field's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Shape {
    #[default]
    Null,
    Scalar,
    List,
    Object,
}

/// A field, as it is written.
#[derive(Debug, Default)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) shape: Shape,
    /// The scalar, or those that stand in the list, as written; those that say nothing are left out.
    pub(super) texts: Vec<String>,
    /// How many items of the list are no scalars.
    pub(super) others: usize,
    /// The value as JSON.
    pub(super) json: String,
}

impl Field {
    /// The scalar without the space around it; empty where there is none.
    pub(super) fn text(&self) -> &str {
        match self.shape {
            Shape::Scalar => self.texts.first().map_or("", |text| text.trim()),
            _ => "",
        }
    }
}

/// A file's text in three.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::interchange) struct Parts<'a> {
    pub(in crate::interchange) yaml: &'a str,
    /// The line at which the YAML begins, from 1.
    line: usize,
    body: &'a str,
}

/// Parts the front matter from the text below it; nothing where there is none.
///
/// # Errors
/// Where it begins and does not end.
pub(in crate::interchange) fn split(text: &str) -> Option<Result<Parts<'_>, usize>> {
    let (mut begins, mut at) = (None, 0);
    for (number, line) in Lines(text).enumerate() {
        let from = at;
        at += line.len();
        let is_mark = line.trim_end() == "---";
        match begins {
            None if is_mark => begins = Some((at, number + 2)),
            None if line.trim().is_empty() => {}
            None => return None,
            Some((begin, first)) if is_mark => {
                return Some(Ok(Parts { yaml: &text[begin..from], line: first, body: within(&text[at..]) }));
            }
            Some(_) => {}
        }
    }
    begins.map(|(_, line)| Err(line - 1))
}

/// A text without the blank lines before and the space behind it.
fn within(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.len() - text.trim_start().len();
    let begin = text[..first].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    &text[begin..]
}

/// Lines with their ends, of every kind: `\n`, `\r\n`, `\r`.
struct Lines<'a>(&'a str);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.find(['\n', '\r']).map_or(self.0.len(), |at| {
            let both = self.0[at..].starts_with("\r\n");
            at + if both { 2 } else { 1 }
        });
        let (line, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(line)
    }
}

/// Reads the front matter of a file; nothing where there is none. O(bytes).
///
/// # Errors
/// Where it breaks off being YAML, and why.
pub(super) fn read(text: &str) -> Option<Result<FrontMatter<'_>, Fault>> {
    let parts = match split(text)? {
        Ok(parts) => parts,
        Err(line) => return Some(Err(Fault { line, problem: "it begins and does not end".to_owned() })),
    };
    let mut oddities = Vec::new();
    let read = match read_yaml(parts.yaml, parts.line, &mut oddities) {
        Ok(fields) => Ok(fields),
        Err(fault) => {
            let mut mended = Vec::new();
            match quote_plain(parts.yaml, parts.line, &mut mended) {
                Some(yaml) => {
                    read_yaml(&yaml, parts.line, &mut mended).map_err(|_| fault).inspect(|_| oddities = mended)
                }
                None => Err(fault),
            }
        }
    };
    Some(read.map(|fields| FrontMatter { fields, oddities, body: parts.body }))
}

/// Quotes what people and tools leave bare though YAML wants quotes: `@name`, `[WIP] a title`, `Fix: a title`.
fn quote_plain(yaml: &str, first: usize, oddities: &mut Vec<Fault>) -> Option<String> {
    let mut mended = String::with_capacity(yaml.len() + 32);
    let mut changed = false;
    for (number, line) in Lines(yaml).enumerate() {
        let bare = line.trim_end();
        let value_at = match bare.split_once(':') {
            _ if bare.trim_start().starts_with("- @") => bare.len() - bare.trim_start().len() + 2,
            Some((name, rest)) if is_name(name) && rest.starts_with(' ') => bare.len() - rest.trim_start().len(),
            _ => bare.len(),
        };
        let value = &bare[value_at..];
        let value = value.find(" #").map_or(value, |at| value[..at].trim_end());
        let is_handle = value.starts_with('@');
        let is_closed =
            |open, close| value.starts_with(open) && value.find(close).is_some_and(|at| at + 1 < value.len());
        mended.push_str(&bare[..value_at]);
        if is_handle
            || value.starts_with(['`', '%'])
            || is_closed('[', ']') && !value.ends_with(']')
            || is_closed('{', '}') && !value.ends_with('}')
            || !value.starts_with(['[', '{', '"', '\'', '&', '*', '!', '|', '>'])
                && (value.contains(": ") || value.ends_with(':'))
        {
            mended.push('\'');
            mended.push_str(&value.replace('\'', "''"));
            mended.push('\'');
            changed = true;
            if !is_handle {
                let problem = format!("`{value}` is no YAML without quotes");
                oddities.push(Fault { line: first + number, problem });
            }
        } else if value.starts_with('[') && value.ends_with(']') && value.contains('@') {
            let items = value[1..value.len() - 1].split(',').map(str::trim);
            let quoted: Vec<String> =
                items
                    .map(|item| {
                        if item.starts_with('@') { format!("'{}'", item.replace('\'', "''")) } else { item.to_owned() }
                    })
                    .collect();
            mended.push('[');
            mended.push_str(&quoted.join(", "));
            mended.push(']');
            changed = true;
        } else {
            mended.push_str(&bare[value_at..]);
        }
        mended.push('\n');
    }
    changed.then_some(mended)
}

/// Whether a text is a field's name in the first column, such as tools write.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The names of the fields, told from the lines alone, whether or not they are YAML.
pub(in crate::interchange) fn names(yaml: &str) -> impl Iterator<Item = &str> {
    Lines(yaml).filter_map(|line| line.split_once(':').map(|(name, _)| name).filter(|name| is_name(name)))
}

/// What an anchor stands for.
struct Anchor {
    json: String,
    /// The scalar as written, where it is one.
    text: Option<String>,
    shape: Shape,
    height: usize,
}

/// A list or an object that is open.
struct Frame {
    is_object: bool,
    /// Whether a key stands there and waits for its value.
    keyed: bool,
    has_items: bool,
    anchor: usize,
    /// Where it begins in the JSON of its field.
    from: usize,
    /// How many levels are in it.
    height: usize,
}

/// Turns the events of a parser into fields.
#[derive(Default)]
struct Builder {
    /// Names and values; a value without text is none yet.
    fields: Vec<Field>,
    places: HashMap<String, usize, IdHasher>,
    /// The field whose value is being read.
    field: Option<Field>,
    frames: Vec<Frame>,
    anchors: HashMap<usize, Anchor>,
    repeated: usize,
    is_open: bool,
    is_over: bool,
}

fn read_yaml(yaml: &str, first: usize, oddities: &mut Vec<Fault>) -> Result<Vec<Field>, Fault> {
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str(yaml);
    let mut builder = Builder::default();
    loop {
        let (event, line) = match parser.next_event() {
            None => break,
            Some(Ok((event, span))) => (event, first + span.start.line().saturating_sub(1)),
            Some(Err(error)) => {
                let line = first + error.marker().line().saturating_sub(1);
                return Err(Fault { line, problem: error.info().to_owned() });
            }
        };
        if event == Event::StreamEnd {
            break;
        }
        builder.take(event, line, oddities).map_err(|problem| Fault { line, problem: problem.to_owned() })?;
    }
    Ok(builder.fields)
}

impl Builder {
    fn take(&mut self, event: Event<'_>, line: usize, oddities: &mut Vec<Fault>) -> Result<(), &'static str> {
        match event {
            Event::DocumentStart(_) if self.is_over => Err("a second document follows"),
            Event::DocumentEnd => {
                self.is_over = true;
                Ok(())
            }
            Event::MappingStart(..) if !self.is_open => {
                self.is_open = true;
                Ok(())
            }
            Event::Scalar(text, ScalarStyle::Plain, _, None) if !self.is_open && is_null(&text) => Ok(()),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::Alias(_) if !self.is_open => {
                Err("it is no list of names and values")
            }
            Event::MappingStart(anchor, _) => self.enter(true, anchor),
            Event::SequenceStart(anchor, _) => self.enter(false, anchor),
            // The end of the outermost one.
            Event::MappingEnd if self.field.is_none() => Ok(()),
            Event::MappingEnd | Event::SequenceEnd => self.leave(oddities),
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() {
                    self.key(&text, line);
                    return Ok(());
                }
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let json = scalar_json(&text, plain);
                let text = Some(text.into_owned()).filter(|text| !(plain && is_null(text)));
                let shape = if text.is_some() { Shape::Scalar } else { Shape::Null };
                if anchor > 0 {
                    let kept = Anchor { json: json.clone(), text: text.clone(), shape, height: 0 };
                    self.anchors.insert(anchor, kept);
                }
                self.value(&json, text, shape, 0);
                self.end_field(oddities)
            }
            Event::Alias(anchor) => self.alias(anchor, oddities),
            _ => Ok(()),
        }
    }

    fn awaits_key(&self) -> bool {
        match (self.frames.last(), &self.field) {
            (Some(frame), _) => frame.is_object && !frame.keyed,
            (None, field) => field.is_none(),
        }
    }

    fn key(&mut self, text: &str, line: usize) {
        let (Some(field), Some(frame)) = (self.field.as_mut(), self.frames.last_mut()) else {
            self.field = Some(Field { name: text.to_owned(), line, ..Field::default() });
            return;
        };
        if frame.has_items {
            field.json.push(',');
        }
        frame.has_items = true;
        frame.keyed = true;
        push_string(&mut field.json, text);
        field.json.push(':');
    }

    /// Makes room for a value: a comma in a list.
    fn place(&mut self) {
        let (Some(field), Some(frame)) = (self.field.as_mut(), self.frames.last_mut()) else { return };
        if frame.is_object {
            frame.keyed = false;
        } else {
            if frame.has_items {
                field.json.push(',');
            }
            frame.has_items = true;
        }
    }

    fn value(&mut self, json: &str, text: Option<String>, shape: Shape, height: usize) {
        self.place();
        self.note(text, shape);
        if let Some(frame) = self.frames.last_mut() {
            frame.height = frame.height.max(height + 1);
        }
        if let Some(field) = &mut self.field {
            field.json.push_str(json);
        }
    }

    /// Notes what a field is, and what stands in it at its first level.
    fn note(&mut self, text: Option<String>, shape: Shape) {
        let Some(field) = &mut self.field else { return };
        match self.frames.len() {
            0 => {
                field.shape = shape;
                field.texts.extend(text);
            }
            1 if field.shape == Shape::List => {
                field.others += usize::from(matches!(shape, Shape::List | Shape::Object));
                field.texts.extend(text);
            }
            _ => {}
        }
    }

    fn enter(&mut self, is_object: bool, anchor: usize) -> Result<(), &'static str> {
        if self.awaits_key() {
            return Err("a name is a list or an object");
        }
        if self.frames.len() == LEVELS {
            return Err("nested too deeply");
        }
        self.place();
        self.note(None, if is_object { Shape::Object } else { Shape::List });
        let Some(field) = &mut self.field else { return Ok(()) };
        let from = field.json.len();
        field.json.push(if is_object { '{' } else { '[' });
        self.frames.push(Frame { is_object, keyed: false, has_items: false, anchor, from, height: 0 });
        Ok(())
    }

    fn leave(&mut self, oddities: &mut Vec<Fault>) -> Result<(), &'static str> {
        let (Some(field), Some(frame)) = (self.field.as_mut(), self.frames.pop()) else { return Ok(()) };
        field.json.push(if frame.is_object { '}' } else { ']' });
        let height = frame.height.max(1);
        if let Some(outer) = self.frames.last_mut() {
            outer.height = outer.height.max(height + 1);
        }
        if frame.anchor > 0 {
            let shape = if frame.is_object { Shape::Object } else { Shape::List };
            let json = field.json[frame.from..].to_owned();
            self.anchors.insert(frame.anchor, Anchor { json, text: None, shape, height });
        }
        self.end_field(oddities)
    }

    fn alias(&mut self, anchor: usize, oddities: &mut Vec<Fault>) -> Result<(), &'static str> {
        if self.awaits_key() {
            return Err("a name is an alias");
        }
        let Some(found) = self.anchors.remove(&anchor) else { return Err("an alias stands inside what it stands for") };
        self.repeated += found.json.len();
        if self.repeated > MOST_REPEATED {
            return Err("its aliases add up to too much");
        }
        if self.frames.len() + found.height > LEVELS {
            return Err("nested too deeply");
        }
        self.value(&found.json, found.text.clone(), found.shape, found.height);
        if self.frames.is_empty() && found.shape == Shape::List {
            self.unfold(&found.json);
        }
        self.anchors.insert(anchor, found);
        self.end_field(oddities)
    }

    /// The items of a list that an alias stands for.
    fn unfold(&mut self, json: &str) {
        let Some(field) = &mut self.field else { return };
        let mut reader = Reader::new(json);
        let mut first = true;
        if reader.array().is_err() {
            return;
        }
        while matches!(reader.item(&mut first), Ok(true)) {
            match reader.kind() {
                Ok(Kind::Object | Kind::Array) => field.others += 1,
                Ok(Kind::Text) => {
                    field.texts.extend(reader.text().map(std::borrow::Cow::into_owned));
                    continue;
                }
                Ok(Kind::Null) | Err(_) => {}
                Ok(_) => {
                    field.texts.extend(reader.raw().map(str::to_owned));
                    continue;
                }
            }
            if reader.raw().is_err() {
                return;
            }
        }
    }

    /// Takes the field in once its value is whole. Of two with one name the last one counts, as in JSON.
    fn end_field(&mut self, oddities: &mut Vec<Fault>) -> Result<(), &'static str> {
        if !self.frames.is_empty() {
            return Ok(());
        }
        let Some(field) = self.field.take() else { return Ok(()) };
        if let Some(at) = self.places.get(&field.name) {
            if oddities.len() == MOST_ODDITIES {
                return Err("too many names are there twice");
            }
            let problem = format!("`{}` is there twice, and the last one counts", field.name);
            oddities.push(Fault { line: field.line, problem });
            self.fields[*at] = field;
        } else {
            self.places.insert(field.name.clone(), self.fields.len());
            self.fields.push(field);
        }
        Ok(())
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// A scalar as JSON: numbers as they are written, where JSON has them too.
fn scalar_json(text: &str, plain: bool) -> String {
    let mut json = String::new();
    match text {
        _ if !plain => push_string(&mut json, text),
        _ if is_null(text) => json.push_str("null"),
        "true" | "True" | "TRUE" => json.push_str("true"),
        "false" | "False" | "FALSE" => json.push_str("false"),
        _ if is_number(text) => json.push_str(text),
        _ => push_string(&mut json, text),
    }
    json
}

fn is_number(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let mut reader = Reader::new(text);
    starts
        && text.len() <= LONGEST_NUMBER
        && reader.number().is_ok()
        && reader.end().is_ok()
        && !text.ends_with([' ', '\t'])
}

/// A text that is JSON itself, where it is an object; what stands beside a format's words is kept in that way.
pub(super) fn object_in(text: &str) -> Option<&str> {
    let mut reader = crate::interchange::lenient::reader(text);
    let is_object = reader.kind() == Ok(Kind::Object) && reader.raw().is_ok() && reader.end().is_ok();
    is_object.then_some(text)
}

/// Appends a field as YAML: a list of scalars one below the other, as tools write it, anything deeper on one line.
pub(super) fn push_field(out: &mut String, name: &str, json: &str) {
    push_key(out, name, "\n");
    let mut reader = Reader::new(json);
    let mut items = String::new();
    let shallow = reader.kind() == Ok(Kind::Array) && push_items(&mut reader, &mut items).is_ok();
    if shallow && !items.is_empty() {
        out.push_str(&items);
    } else {
        out.push(' ');
        let from = out.len();
        // What is no JSON was kept by nobody; it is written as text rather than not at all.
        if push_value(&mut Reader::new(json), out, Among::Lines).is_err() {
            out.truncate(from);
            push_text(out, json, Among::Lines);
        }
    }
    out.push('\n');
}

/// The items of a list one below the other, as long as all are scalars.
fn push_items(reader: &mut Reader<'_>, out: &mut String) -> Result<(), Stop> {
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        if matches!(reader.kind()?, Kind::Object | Kind::Array) {
            return Err(Stop);
        }
        out.push_str("\n  - ");
        push_value(reader, out, Among::Lines)?;
    }
    Ok(())
}

/// Appends a value on one line; the reader bounds its depth.
fn push_value(reader: &mut Reader<'_>, out: &mut String, among: Among) -> Result<(), Stop> {
    match reader.kind()? {
        Kind::Text => push_text(out, &reader.text()?, among),
        Kind::Array => {
            reader.array()?;
            out.push('[');
            let mut first = true;
            let mut comma = "";
            while reader.item(&mut first)? {
                out.push_str(comma);
                push_value(reader, out, Among::Brackets)?;
                comma = ", ";
            }
            out.push(']');
        }
        Kind::Object => {
            reader.object()?;
            out.push('{');
            let mut first = true;
            let mut comma = "";
            while let Some(key) = reader.key(&mut first)? {
                out.push_str(comma);
                push_key(out, &key, " ");
                out.push(' ');
                push_value(reader, out, Among::Brackets)?;
                comma = ", ";
            }
            out.push('}');
        }
        _ => out.push_str(reader.raw()?),
    }
    Ok(())
}

fn push_key(out: &mut String, name: &str, after_long: &str) {
    let is_long = name.len() > LONGEST_KEY;
    if is_long {
        out.push_str("? ");
    }
    push_text(out, name, Among::Brackets);
    if is_long {
        out.push_str(after_long);
    }
    out.push(':');
}

/// Where a scalar stands: in brackets more characters mean something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    Lines,
    Brackets,
}

/// Appends a text as a YAML scalar that every parser takes for that text: bare where it is plain words, in the quotes
/// that tools prefer where it can be read in them.
fn push_text(out: &mut String, text: &str, among: Among) {
    if is_plain(text, among) {
        return out.push_str(text);
    }
    if text.chars().all(is_printable) {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        return out.push('\'');
    }
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if is_printable(character) => out.push(character),
            _ => push_escape(out, character),
        }
    }
    out.push('"');
}

/// Appends a text in single quotes; it must be printable and on one line, as JSON is that a [`Writer`] wrote.
pub(super) fn push_single_quoted(out: &mut String, name: &str, json: &str) {
    out.push_str(name);
    out.push_str(": '");
    out.push_str(&json.replace('\'', "''"));
    out.push_str("'\n");
}

/// JSON on one line in which nothing but printable ASCII stands bare.
pub(super) fn printable(json: &str) -> Option<String> {
    let mut writer = Writer::new();
    rewrite(&mut Reader::new(json), &mut writer).ok()?;
    let text = writer.finish();
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_printable(character) {
            out.push(character);
        } else {
            push_escape(&mut out, character);
        }
    }
    Some(out)
}

/// Writes JSON anew, without the space that it may have been written with; the reader bounds its depth.
fn rewrite(reader: &mut Reader<'_>, writer: &mut Writer) -> Result<(), Stop> {
    match reader.kind()? {
        Kind::Object => {
            reader.object()?;
            writer.open();
            let mut first = true;
            while let Some(key) = reader.key(&mut first)? {
                writer.key(&key);
                rewrite(reader, writer)?;
            }
            writer.close();
        }
        Kind::Array => {
            reader.array()?;
            writer.open_list();
            let mut first = true;
            while reader.item(&mut first)? {
                rewrite(reader, writer)?;
            }
            writer.close_list();
        }
        Kind::Text => writer.text(&reader.text()?),
        _ => writer.raw(reader.raw()?),
    }
    Ok(())
}

/// Plain words: a letter first, nothing that YAML gives a meaning where it stands, and none of the words that some
/// parsers take for true, false or nothing.
fn is_plain(text: &str, among: Among) -> bool {
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_safe = |(at, character): (usize, char)| match character {
        ' ' | '_' | '-' | '.' | '/' => true,
        ':' => false,
        '#' => among == Among::Lines && !text[..at].ends_with(' '),
        _ if character.is_ascii_punctuation() => among == Among::Lines,
        _ => character.is_alphanumeric(),
    };
    text.len() <= LONGEST_PLAIN
        && text.starts_with(char::is_alphabetic)
        && text.char_indices().all(is_safe)
        && !text.ends_with(' ')
        && !words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn push_escape(out: &mut String, character: char) {
    let _infallible = write!(out, "\\u{:04x}", u32::from(character));
}

/// Whether a character may stand bare in quotes: no control character, nothing that YAML counts as a break or as not
/// printable.
fn is_printable(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(yaml: &str) -> Result<Vec<(String, String, Vec<String>)>, Fault> {
        let text = format!("---\n{yaml}\n---\nbody");
        let front = read(&text).expect("front matter")?;
        Ok(front.fields.into_iter().map(|field| (field.name, field.json, field.texts)).collect())
    }

    fn one(yaml: &str) -> (String, Vec<String>) {
        let (_, json, texts) = fields(yaml).expect("sound").remove(0);
        (json, texts)
    }

    fn broken(yaml: &str) -> (usize, String) {
        let fault = fields(yaml).expect_err("broken");
        (fault.line, fault.problem)
    }

    #[test]
    fn parts_the_file() {
        let parts = |text| split(text).map(|parts| parts.map(|parts| (parts.yaml, parts.line, parts.body)));
        assert_eq!(parts("---\na: 1\n---\n\n  b\n\n"), Some(Ok(("a: 1\n", 2, "  b"))));
        assert_eq!(parts("---\r\na: 1\r\n---\r\n\r\nb\r\nc\r\n"), Some(Ok(("a: 1\r\n", 2, "b\r\nc"))));
        assert_eq!(parts("---\ra: 1\r---\rb\r"), Some(Ok(("a: 1\r", 2, "b"))));
        assert_eq!(parts("\n \n--- \na: 1\n---"), Some(Ok(("a: 1\n", 4, ""))));
        assert_eq!(parts("---\n---\n---\n"), Some(Ok(("", 2, "---"))));
        assert_eq!(parts("# Title\n---\na: 1\n---\n"), None);
        assert_eq!(parts("----\na: 1\n---\n"), None);
        assert_eq!(parts(""), None);
        assert_eq!(parts("\n---\na: 1\n"), Some(Err(2)));
    }

    #[test]
    fn keeps_scalars_as_they_are_written() {
        for (yaml, json, text) in [
            ("id: 1.10", "1.10", "1.10"),
            ("id: 007", "\"007\"", "007"),
            ("id: 0x1F", "\"0x1F\"", "0x1F"),
            ("id: 1e3", "1e3", "1e3"),
            ("id: '1'", "\"1\"", "1"),
            ("id: !!str 1", "\"1\"", "1"),
            ("id: 2026-01-02", "\"2026-01-02\"", "2026-01-02"),
            ("id: yes", "\"yes\"", "yes"),
            ("id: True", "true", "True"),
            ("id: \"a\\nb\"", "\"a\\nb\"", "a\nb"),
            ("id: |\n  a\n  b\n", "\"a\\nb\\n\"", "a\nb\n"),
            ("id: >-\n  a\n  b\n", "\"a b\"", "a b"),
        ] {
            assert_eq!(one(yaml), (json.to_owned(), vec![text.to_owned()]), "{yaml}");
        }
        for yaml in ["id:", "id: ~", "id: null"] {
            assert_eq!(one(yaml), ("null".to_owned(), vec![]), "{yaml}");
        }
    }

    #[test]
    fn reads_lists_and_objects() {
        let texts = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            one("a: [1.10, '2', ~, b c]"),
            ("[1.10,\"2\",null,\"b c\"]".to_owned(), texts(&["1.10", "2", "b c"]))
        );
        assert_eq!(one("a:\n  - 1\n  - x\n"), ("[1,\"x\"]".to_owned(), texts(&["1", "x"])));
        assert_eq!(one("a:\n- 1\n- x\n"), ("[1,\"x\"]".to_owned(), texts(&["1", "x"])));
        assert_eq!(one("a: []"), ("[]".to_owned(), vec![]));
        assert_eq!(
            one("a:\n  - b\n  - c: {d: [e], f: g}\n    h: 1\n"),
            ("[\"b\",{\"c\":{\"d\":[\"e\"],\"f\":\"g\"},\"h\":1}]".to_owned(), texts(&["b"]))
        );
        let front = read("---\na: [b, [c], {d: e}]\n1: x\n~: y\n---\n").unwrap().unwrap();
        assert_eq!(front.fields[0].others, 2);
        assert_eq!(front.fields.iter().map(|field| &*field.name).collect::<Vec<_>>(), ["a", "1", "~"]);
        assert_eq!(front.fields[1].line, 3);
        assert!(fields("").unwrap().is_empty());
        assert!(fields("# nothing").unwrap().is_empty());
    }

    #[test]
    fn follows_aliases_a_little() {
        let all = fields("a: &x [1, b]\nc: *x\nd: [*x, &y z, *y]\n<<: {k: *y}").unwrap();
        let json: Vec<&str> = all.iter().map(|(_, json, _)| json.as_str()).collect();
        assert_eq!(json, ["[1,\"b\"]", "[1,\"b\"]", "[[1,\"b\"],\"z\",\"z\"]", "{\"k\":\"z\"}"]);
        assert_eq!(all[1].2, ["1", "b"]);
        assert_eq!(all[2].2, ["z", "z"]);
    }

    #[test]
    fn stops_at_bombs() {
        let mut bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
        for level in 1..40 {
            let before = level - 1;
            let items = vec![format!("*a{before}"); 9].join(", ");
            bomb.extend([format!("a{level}: &a{level} [{items}]\n")]);
        }
        let (line, problem) = broken(&bomb);
        assert!(line < 10 && problem == "its aliases add up to too much", "{line} {problem}");
        let mut deep = "a0: &a0 [x]\n".to_owned();
        for level in 1..60 {
            deep.extend([format!("a{level}: &a{level} [*a{}]\n", level - 1)]);
        }
        assert_eq!(broken(&deep).1, "nested too deeply");
        assert_eq!(broken(&format!("a: {}", "[".repeat(100_000))).0, 2);
        assert_eq!(broken(&format!("a: {}x{}", "[".repeat(100), "]".repeat(100))).1, "nested too deeply");
        assert_eq!(broken(&format!("a:\n  {}x", "- ".repeat(100_000))).1, "nested too deeply");
        assert_eq!(broken("a: &x [*x]").1, "an alias stands inside what it stands for");
    }

    #[test]
    fn says_where_it_breaks() {
        assert_eq!(broken("a: 1\nb: [c\nd: e\n").0, 4);
        assert_eq!(broken("a: 1\n? [b]\n: c").1, "a name is a list or an object");
        assert_eq!(broken("a: &x y\n*x : c").1, "a name is an alias");
        assert_eq!(broken("- a\n- b").1, "it is no list of names and values");
        assert_eq!(broken("text").1, "it is no list of names and values");
        assert!(!broken("a: 1\n...\nb: 2").1.is_empty());
        assert_eq!(broken("a:\n\t- b").0, 3);
        assert_eq!(broken("a: *x").0, 2);
        assert!(broken("a: \"x\nb: c").0 > 1);
        assert_eq!(
            read("---\na: 1\n").unwrap().unwrap_err(),
            Fault { line: 1, problem: "it begins and does not end".into() }
        );
    }

    #[test]
    fn takes_the_last_of_two() {
        let front = read("---\na: 1\nb: 2\na: 3\n---\n").unwrap().unwrap();
        assert_eq!(front.fields.iter().map(|field| &*field.json).collect::<Vec<_>>(), ["3", "2"]);
        assert_eq!(front.oddities.len(), 1);
        assert_eq!(front.oddities[0].line, 4);
        assert_eq!(broken(&"a: 1\n".repeat(1000)).1, "too many names are there twice");
    }

    #[test]
    fn reads_what_is_left_bare() {
        let front = read("---\nassignee: @a\nreporter: [@b, c]\nowners:\n  - @d # who\n---\n").unwrap().unwrap();
        let texts: Vec<&str> = front.fields.iter().flat_map(|field| &field.texts).map(String::as_str).collect();
        assert_eq!(texts, ["@a", "@b", "c", "@d"]);
        assert!(front.oddities.is_empty(), "tools write it so");
        let front = read("---\nid: x\ntitle: Fix: it's [late]\nnote: [WIP] y\n---\n").unwrap().unwrap();
        assert_eq!(front.fields[1].text(), "Fix: it's [late]");
        assert_eq!(front.fields[2].text(), "[WIP] y");
        assert_eq!(front.oddities.iter().map(|oddity| oddity.line).collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn writes_what_it_reads() {
        let long = "k".repeat(3000);
        for json in [
            r#""plain words""#,
            r#""true""#,
            r#""Null""#,
            r#""1.10""#,
            "1.10",
            "-3e5",
            "null",
            "true",
            r#""""#,
            r#"" a ""#,
            r#""- a""#,
            r#""a: b # c""#,
            r#""a\nb\r\n\tc\u0000\u0085\u2028\ufeff\"\\'""#,
            "\"日本 😀 [x] {y} & * ! | > % @ `\"",
            r#"["a","b: c",1,null,true]"#,
            r#""a, b (c) it's \"d\" e:f g#h #i""#,
            r#""a [b] {c} & *d* e:f g#h, | > % @ \\n""#,
            r#""a: b""#,
            r#""a:""#,
            r#""a #b""#,
            r#"["a, b","[c]","d:e","it's"]"#,
            r#"{"a":["b, c","]","d:e","é"]}"#,
            "[]",
            "{}",
            r#"[["a"],{"b":["c",{"d":"e, f"}]}]"#,
            r#"{"a b":{"":"x"},"? y":1}"#,
            &format!(r#"{{"{long}":{{"{long}":1}}}}"#),
            "\"---\"",
            "\"...\"",
        ] {
            for name in ["name", "a: b", "", "- x", &long] {
                let mut yaml = String::new();
                push_field(&mut yaml, name, json);
                yaml += "after: it\n";
                let all = fields(&yaml).unwrap_or_else(|fault| panic!("{json} under {name}: {fault:?}\n{yaml}"));
                assert_eq!(all[0].0, name);
                let (mut expected, mut got) = (Writer::new(), Writer::new());
                rewrite(&mut Reader::new(json), &mut expected).unwrap();
                rewrite(&mut Reader::new(&all[0].1), &mut got).unwrap();
                assert_eq!(got.finish(), expected.finish(), "{yaml}");
                assert_eq!(all[1].0, "after");
            }
        }
    }

    #[test]
    fn never_panics_and_writes_only_json() {
        let seeds = ["id: task-1\ntitle: 'a: b'\ndeps: [a, {c: d}]\nnote: |\n  x\n", "a: &x [1,2]\nb: *x\n? k\n: v\n"];
        let alphabet: Vec<char> = "-:?,[]{}#&*!|>'\"%@` \n\t\r\\ab01~.<é\u{feff}\u{85}\u{2028}😀".chars().collect();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % most as u64).unwrap()
        };
        for round in 0..20_000 {
            let mut text: Vec<char> = seeds[round % 2].chars().collect();
            for _ in 0..=next(8) {
                let at = next(text.len() + 1);
                if next(3) == 0 && at < text.len() {
                    text.remove(at);
                } else {
                    text.insert(at, alphabet[next(alphabet.len())]);
                }
            }
            let text: String = text.into_iter().collect();
            for (_, json, _) in fields(&text).into_iter().flatten() {
                let mut reader = Reader::new(&json);
                assert!(reader.raw().is_ok() && reader.end().is_ok(), "{text:?} gave {json}");
            }
        }
    }
}
