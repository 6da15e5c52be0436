//! Rules: the invariants of a list, and the presets (D18).

use crate::json::{Reader, Stop, Writer};
use crate::task::{ChildOrder, Millis};

use super::arguments::unknown_name;
use super::error::Refusal;
use super::limits;

/// What completing a task does to the edges of its dependents (D6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnComplete {
    /// Edges stay: they are facts.
    Keep,
    /// The completed id leaves every other task's `blockedBy` (document 003).
    Clear,
}

/// What a task must say about itself (document 001).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A title is enough.
    Simple,
    /// Scope and completion criteria are due.
    Issues,
}

/// The invariants of a list. Stored in it; opening it with others is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own in the documents")]
pub struct Rules {
    /// Refuse to start or complete what is blocked, instead of warning (D11).
    pub strict: bool,
    /// What completing does to edges.
    pub on_complete: OnComplete,
    /// Most rows, where there is a cap.
    pub max_tasks: Option<u32>,
    /// What a task must say.
    pub mode: Mode,
    /// Whether `blockedBy` may be given.
    pub dependencies: bool,
    /// Whether tasks may be updated and removed.
    pub revise: bool,
    /// Order among children whose parent does not say.
    pub children: ChildOrder,
    /// Age at which work in progress is stale when a session opens the list.
    pub stale_after: Option<Millis>,
    /// Most levels of parents and children.
    pub depth: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            strict: false,
            on_complete: OnComplete::Keep,
            max_tasks: None,
            mode: Mode::Simple,
            dependencies: true,
            revise: true,
            children: ChildOrder::Group,
            stale_after: None,
            depth: limits::DEPTH,
        }
    }
}

impl Rules {
    /// The names of the presets.
    pub const PRESETS: [&'static str; 3] = ["default", "strict", "tasks"];

    /// A preset by name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Rules::default()),
            "strict" => Some(Rules { strict: true, ..Rules::default() }),
            "tasks" => Some(Rules { stale_after: Some(5 * 60 * 1000), ..Rules::default() }),
            _ => None,
        }
    }

    /// Writes the rules as a JSON object, every field.
    pub fn write(&self, writer: &mut Writer) {
        writer.open();
        for name in FIELDS {
            writer.key(name);
            writer.raw(&self.get(name));
        }
        writer.close();
    }

    /// One field as JSON text.
    #[must_use]
    pub fn get(&self, name: &str) -> String {
        let mut writer = Writer::new();
        match name {
            "strict" => writer.bool(self.strict),
            "onComplete" => writer.text(if self.on_complete == OnComplete::Keep { "keep" } else { "clear" }),
            "maxTasks" => match self.max_tasks {
                Some(most) => writer.whole(u64::from(most)),
                None => writer.null(),
            },
            "mode" => writer.text(if self.mode == Mode::Simple { "simple" } else { "issues" }),
            "dependencies" => writer.bool(self.dependencies),
            "revise" => writer.bool(self.revise),
            "children" => writer.text(self.children.word()),
            "staleAfter" => match self.stale_after {
                Some(age) => writer.whole(age),
                None => writer.null(),
            },
            _ => writer.whole(u64::from(self.depth)),
        }
        writer.finish()
    }

    /// Reads a JSON object of rules; what it does not say stays as in `self`.
    ///
    /// # Errors
    /// When a field is unknown or its value is not allowed.
    pub fn read(mut self, reader: &mut Reader<'_>) -> Result<Self, Stop> {
        reader.object()?;
        let mut first = true;
        while let Some(name) = reader.key(&mut first)? {
            self.read_field(&name, reader)?;
        }
        Ok(self)
    }

    fn read_field(&mut self, name: &str, reader: &mut Reader<'_>) -> Result<(), Stop> {
        match name {
            "strict" => self.strict = reader.bool()?,
            "dependencies" => self.dependencies = reader.bool()?,
            "revise" => self.revise = reader.bool()?,
            "maxTasks" => self.max_tasks = if reader.null() { None } else { Some(small(reader)?) },
            "staleAfter" => self.stale_after = if reader.null() { None } else { Some(reader.whole()?) },
            "depth" => {
                self.depth = small(reader)?;
                if !(1..=limits::DEPTH).contains(&self.depth) {
                    return Err(reader.stop("a depth of 1 to 64 was expected"));
                }
            }
            "onComplete" => {
                self.on_complete = choose(reader, &[("keep", OnComplete::Keep), ("clear", OnComplete::Clear)])?;
            }
            "mode" => self.mode = choose(reader, &[("simple", Mode::Simple), ("issues", Mode::Issues)])?,
            "children" => {
                self.children = choose(reader, &[("group", ChildOrder::Group), ("sequence", ChildOrder::Sequence)])?;
            }
            _ => return Err(reader.stop("an unknown rule")),
        }
        Ok(())
    }

    /// Reads what a caller asks for: a preset's name in quotes, or an object that is a patch on the default preset.
    ///
    /// # Errors
    /// `unknown_field`, or `invalid_value` that names the rule.
    pub fn from_caller(text: &str) -> Result<Self, Refusal> {
        let wrong =
            || Refusal::invalid("rules", text, &[&Rules::PRESETS.join(", "), " or an object of rules"].concat());
        let mut reader = Reader::new(text);
        if let Ok(name) = reader.text() {
            return Rules::preset(&name).ok_or_else(wrong);
        }
        let mut rules = Rules::default();
        reader.object().map_err(|_| wrong())?;
        let mut first = true;
        while let Some(name) = reader.key(&mut first).map_err(|_| wrong())? {
            if !FIELDS.contains(&&*name) {
                return Err(unknown_name(&name, &FIELDS));
            }
            let value = reader.raw().map_err(|_| wrong())?;
            if rules.read_field(&name, &mut Reader::new(value)).is_err() {
                return Err(Refusal::invalid(&["rules.", &name].concat(), value, expected(&name)));
            }
        }
        Ok(rules)
    }

    /// The first field in which two sets of rules differ.
    #[must_use]
    pub fn difference(&self, other: &Rules) -> Option<&'static str> {
        FIELDS.into_iter().find(|name| self.get(name) != other.get(name))
    }
}

const FIELDS: [&str; 9] =
    ["strict", "onComplete", "maxTasks", "mode", "dependencies", "revise", "children", "staleAfter", "depth"];

/// What a rule may be, for a caller who gave something else.
fn expected(name: &str) -> &'static str {
    match name {
        "maxTasks" => "a whole number from 0 to 4294967295, or null",
        "staleAfter" => "a whole number of milliseconds, or null",
        "depth" => "a whole number from 1 to 64",
        "onComplete" => "keep or clear",
        "mode" => "simple or issues",
        "children" => "group or sequence",
        _ => "true or false",
    }
}

fn small(reader: &mut Reader<'_>) -> Result<u32, Stop> {
    let value = reader.whole()?;
    u32::try_from(value).map_err(|_| reader.stop("a smaller number was expected"))
}

fn choose<T: Copy>(reader: &mut Reader<'_>, choices: &[(&str, T)]) -> Result<T, Stop> {
    let word = reader.text()?;
    choices.iter().find(|choice| choice.0 == word).map(|choice| choice.1).ok_or_else(|| reader.stop("an unknown word"))
}
