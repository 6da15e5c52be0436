//! Refusals: a stable code, a sentence, what to do next, and structured details (D17).

use crate::json::Writer;
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

impl Refusal {
    /// A refusal whose details are written by `details`.
    pub fn new(
        code: Code,
        message: impl Into<String>,
        hint: impl Into<String>,
        details: impl FnOnce(&mut Writer),
    ) -> Self {
        let mut writer = Writer::new();
        writer.open();
        details(&mut writer);
        writer.close();
        Refusal(Box::new(Reason {
            code,
            message: message.into(),
            hint: hint.into(),
            details: writer.finish(),
            ring: Vec::new(),
        }))
    }

    /// Adds a key, with its value as JSON, to the details.
    pub fn add_detail(&mut self, key: &str, json: &str) {
        let open = self.details.strip_suffix('}').unwrap_or_default();
        let comma = if open == "{" { "" } else { "," };
        self.details = format!("{open}{comma}\"{key}\":{json}}}");
    }

    /// A value of the wrong type or out of range. `got` is cut to 80 characters.
    #[must_use]
    pub fn invalid(field: &str, got: &str, expected: &str) -> Self {
        let got = shorten(got, 80);
        Refusal::new(
            Code::InvalidValue,
            format!("`{field}` is {got}, but it must be {expected}."),
            format!("Call again with `{field}` as {expected}."),
            |details| {
                details.field("field", field);
                details.field("got", &got);
                details.field("expected", expected);
            },
        )
    }

    /// A whole number that is too large; `unit` says what it counts.
    #[must_use]
    pub fn too_large(field: &str, got: u64, most: u64, unit: &str) -> Self {
        Refusal::invalid(field, &got.to_string(), &format!("a whole number from 0 to {most} ({unit})"))
    }

    /// A required argument that is absent or blank.
    #[must_use]
    pub fn missing(field: &str) -> Self {
        Refusal::new(
            Code::MissingField,
            format!("`{field}` is required and must not be blank."),
            format!("Call again with `{field}`."),
            |details| details.field("field", field),
        )
    }

    /// A limit that was passed.
    #[must_use]
    pub fn limit(limit: &str, max: usize) -> Self {
        Refusal::new(
            Code::Limit,
            format!("The limit of {max} for {limit} would be passed."),
            "Make it smaller, or split it.",
            |details| {
                details.field("limit", limit);
                details.number("max", max as u64);
            },
        )
    }

    /// A text that cannot be read.
    #[must_use]
    pub fn corrupt(at: usize, problem: &str) -> Self {
        Refusal::new(
            Code::Corrupt,
            format!("The text is not a task list: {problem} at byte {at}."),
            "Restore the file from a copy; nothing was written to it.",
            |details| details.number("at", at as u64),
        )
    }

    /// A status change that the present status does not allow.
    #[must_use]
    pub fn transition(id: &str, from: &str, to: &str, hint: &str) -> Self {
        Refusal::new(
            Code::InvalidTransition,
            format!("Task `{id}` is {from} and cannot become {to} this way."),
            hint,
            |details| {
                details.field("id", id);
                details.field("from", from);
                details.field("to", to);
            },
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
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
