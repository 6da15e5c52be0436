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
            match &*name {
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
                    self.children =
                        choose(reader, &[("group", ChildOrder::Group), ("sequence", ChildOrder::Sequence)])?;
                }
                _ => return Err(reader.stop("an unknown rule")),
            }
        }
        Ok(self)
    }

    /// The refusal of the first field of a JSON object that is no rule.
    #[must_use]
    pub fn refuse_unknown(text: &str) -> Option<Refusal> {
        let mut reader = Reader::new(text);
        reader.object().ok()?;
        let mut first = true;
        while let Ok(Some(name)) = reader.key(&mut first) {
            if !FIELDS.contains(&&*name) {
                return Some(unknown_name(&name, &FIELDS));
            }
            reader.raw().ok()?;
        }
        None
    }

    /// The first field in which two sets of rules differ.
    #[must_use]
    pub fn difference(&self, other: &Rules) -> Option<&'static str> {
        FIELDS.into_iter().find(|name| self.get(name) != other.get(name))
    }
}

const FIELDS: [&str; 9] =
    ["strict", "onComplete", "maxTasks", "mode", "dependencies", "revise", "children", "staleAfter", "depth"];

fn small(reader: &mut Reader<'_>) -> Result<u32, Stop> {
    let value = reader.whole()?;
    u32::try_from(value).map_err(|_| reader.stop("a smaller number was expected"))
}

fn choose<T: Copy>(reader: &mut Reader<'_>, choices: &[(&str, T)]) -> Result<T, Stop> {
    let word = reader.text()?;
    choices.iter().find(|choice| choice.0 == word).map(|choice| choice.1).ok_or_else(|| reader.stop("an unknown word"))
}
