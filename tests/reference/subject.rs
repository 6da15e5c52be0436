//! The engine behind a few text calls: the only place of these tests that names its types.

use blockedby::engine::{Context, Engine, OpenOptions, Rules};
use serde_json::Value;
use std::cell::RefCell;

/// The random bytes of every engine of these tests.
pub(crate) const SEED: [u64; 2] = [0x5eed, 0x0b10_c4ed];

/// An engine and what is needed to open its text again.
pub(crate) struct Subject {
    /// Reads fill caches of the engine.
    engine: RefCell<Engine>,
    /// Preset to ask for when opening; rules that are no preset are taken from the text.
    preset: Option<String>,
    operations: u64,
}

impl Subject {
    /// A new list under a preset.
    pub(crate) fn preset(name: &str) -> Self {
        let rules = Rules::preset(name).unwrap_or_else(|| panic!("there is a preset {name}"));
        Self { engine: RefCell::new(Engine::new(rules, SEED)), preset: Some(name.to_owned()), operations: 0 }
    }

    /// A new list under the default preset with some rules of its own.
    pub(crate) fn ruled(changes: &Value) -> Self {
        let mut envelope: Value =
            serde_json::from_str(&Self::preset("default").snapshot()).expect("a snapshot is JSON");
        for (name, value) in changes.as_object().expect("rules are an object") {
            envelope["rules"][name] = value.clone();
        }
        let engine = Engine::open(&envelope.to_string(), None, OpenOptions::default(), SEED)
            .unwrap_or_else(|refusal| panic!("rules {changes} cannot be opened: {}", refusal.to_json()));
        Self { engine: RefCell::new(engine), preset: None, operations: 0 }
    }

    /// The rules in force, as JSON.
    pub(crate) fn rules_json(&self) -> Value {
        let envelope: Value = serde_json::from_str(&self.snapshot()).expect("a snapshot is JSON");
        envelope["rules"].clone()
    }

    /// One command.
    pub(crate) fn run(&mut self, command: &str, actor: &str, now: u64) -> Result<String, String> {
        self.operations += 1;
        self.engine.get_mut().run_json(command, &Context::new(actor, now, self.operations))
    }

    /// One read.
    pub(crate) fn read(&self, what: &str, args: &str) -> Result<String, String> {
        self.engine.borrow_mut().read_json(what, args)
    }

    /// One call of a dialect's tool.
    pub(crate) fn tool(&mut self, dialect: &str, args: &str, actor: &str, now: u64) -> String {
        self.operations += 1;
        let context = Context::new(actor, now, self.operations);
        blockedby::dialect::call_json(self.engine.get_mut(), dialect, args, &context)
    }

    /// The text of the list.
    pub(crate) fn snapshot(&self) -> String {
        self.engine.borrow_mut().snapshot()
    }

    /// Another list from a text, under the same rules.
    pub(crate) fn open(&self, text: &str, set_aside: bool) -> Result<Self, String> {
        self.open_under(text, self.preset.clone(), set_aside, false)
    }

    /// Another list from a text.
    pub(crate) fn open_under(
        &self,
        text: &str,
        preset: Option<String>,
        set_aside: bool,
        adopt: bool,
    ) -> Result<Self, String> {
        let options = OpenOptions { on_cycle_set_aside: set_aside, adopt };
        let rules = preset.as_deref().map(|name| Rules::preset(name).expect("known"));
        let engine = Engine::open(text, rules, options, SEED).map_err(|refusal| refusal.to_json())?;
        Ok(Self { engine: RefCell::new(engine), preset, operations: self.operations })
    }

    /// The journalled operations after the first so many.
    pub(crate) fn operations(&self, since: usize) -> String {
        self.engine.borrow().operations_json(since)
    }

    /// An empty list of the same rules that lives through these operations.
    pub(crate) fn replayed(preset: &str, operations: &str) -> Result<Self, String> {
        let mut other = Self::preset(preset);
        other.engine.get_mut().replay_json(operations).map_err(|error| format!("{error:?}"))?;
        Ok(other)
    }
}
