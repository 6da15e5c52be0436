//! The lists of this instance, and the buffers through which everything crosses.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::engine::{Context, Engine, Refusal};
use crate::json::Writer;

/// Most bytes that a buffer keeps between calls; a larger one is given back.
const KEEP: usize = 1 << 20;

pub(super) struct Hub {
    pub(super) engines: Vec<Option<List>>,
    pub(super) text: Vec<u8>,
    pub(super) numbers: Vec<u32>,
    pub(super) out: Vec<u32>,
    pub(super) answer: String,
}

/// A list and who calls it.
pub(super) struct List {
    pub(super) engine: Engine,
    pub(super) actor: Rc<str>,
}

thread_local! {
    // Never dropped: it goes with its instance's memory, and each use would ask whether it has been.
    static HUB: RefCell<ManuallyDrop<Hub>> =
        const { RefCell::new(ManuallyDrop::new(Hub { engines: Vec::new(), text: Vec::new(), numbers: Vec::new(), out: Vec::new(), answer: String::new() })) };
}

/// The answer that says: refused; the refusal is in `answer` as JSON.
pub(super) const REFUSED: i32 = -1;
/// The answer of a quick call that says: not for me, ask the general one.
pub(super) const UNFIT: i32 = -2;

pub(super) fn with<R>(work: impl FnOnce(&mut Hub) -> R) -> R {
    HUB.with_borrow_mut(|hub| work(hub))
}

impl Hub {
    /// The text that JavaScript wrote, from byte `from` on.
    pub(super) fn input(&self, from: usize, bytes: usize) -> Result<String, Refusal> {
        let part = self.text.get(from..from + bytes).unwrap_or_default();
        match std::str::from_utf8(part) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(Refusal::corrupt(error.valid_up_to(), "it is not UTF-8")),
        }
    }

    pub(super) fn list(&mut self, handle: u32) -> &mut List {
        // The wrapper owns the handles and forgets one when it frees it.
        self.engines[handle as usize].as_mut().expect("a list that has not been freed")
    }

    pub(super) fn refuse(&mut self, refusal: &Refusal) -> i32 {
        self.answer = refusal.to_json();
        self.out.clear();
        self.out.push(u32::try_from(refusal.ring.len()).unwrap_or(0));
        self.out.extend(&refusal.ring);
        REFUSED
    }

    pub(super) fn keep(&mut self, engine: Engine) -> i32 {
        let list = Some(List { engine, actor: Rc::from("host") });
        let free = self.engines.iter().position(Option::is_none);
        let at = free.unwrap_or(self.engines.len());
        if at == self.engines.len() {
            self.engines.push(list);
        } else {
            self.engines[at] = list;
        }
        i32::try_from(at).unwrap_or(REFUSED)
    }

    /// Gives back buffers that one large call has blown up.
    pub(super) fn settle(&mut self) {
        if self.text.len() > KEEP {
            self.text = Vec::new();
        }
        if self.answer.capacity() > KEEP {
            self.answer = String::new();
        }
        if self.out.capacity() > KEEP {
            self.out = Vec::new();
        }
    }
}

impl List {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the wrapper passes whole numbers from 0 to 2^53"
    )]
    pub(super) fn context(&self, now: f64, operation: f64) -> Context {
        Context { actor: Rc::clone(&self.actor), now: now as u64, operation: operation as u64 }
    }
}

fn address<T>(buffer: &[T]) -> u32 {
    u32::try_from(buffer.as_ptr() as usize).unwrap_or(0)
}

/// Makes room for `bytes` of text; gives the address.
#[wasm_bindgen]
pub fn text_room(bytes: u32) -> u32 {
    with(|hub| {
        if hub.text.len() < bytes as usize {
            hub.text.resize(bytes as usize, 0);
        }
        address(&hub.text)
    })
}

/// Makes room for `count` numbers; gives the address.
#[wasm_bindgen]
pub fn numbers_room(count: u32) -> u32 {
    with(|hub| {
        if hub.numbers.len() < count as usize {
            hub.numbers.resize(count as usize, 0);
        }
        address(&hub.numbers)
    })
}

/// The address of the numbers that the last call gave.
#[wasm_bindgen]
pub fn out_address() -> u32 {
    with(|hub| address(&hub.out))
}

/// The address of the text that the last call gave.
#[wasm_bindgen]
pub fn answer_address() -> u32 {
    with(|hub| address(hub.answer.as_bytes()))
}

/// The length of that text in bytes.
#[wasm_bindgen]
pub fn answer_length() -> u32 {
    with(|hub| u32::try_from(hub.answer.len()).unwrap_or(u32::MAX))
}

/// Gives back buffers that one large call has blown up; addresses are stale afterwards.
#[wasm_bindgen]
pub fn settle() {
    with(Hub::settle);
}

/// Randomness for a session, where the host gives none: four numbers in `out`.
#[wasm_bindgen]
pub fn draw_seed() -> bool {
    let mut bytes = [0u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        return false;
    }
    with(|hub| {
        hub.out.clear();
        for chunk in bytes.chunks_exact(4) {
            let mut word = [0u8; 4];
            word.copy_from_slice(chunk);
            hub.out.push(u32::from_le_bytes(word));
        }
    });
    true
}

/// Frees a list.
#[wasm_bindgen]
pub fn free(handle: u32) {
    with(|hub| {
        if let Some(place) = hub.engines.get_mut(handle as usize) {
            *place = None;
        }
    });
}

/// Says who calls from now on. The actor stands in `text`.
#[wasm_bindgen]
pub fn set_actor(handle: u32, bytes: u32) -> i32 {
    with(|hub| {
        let actor = match hub.input(0, bytes as usize) {
            Ok(actor) => actor,
            Err(refusal) => return hub.refuse(&refusal),
        };
        if !crate::engine::is_actor(&actor) {
            let refusal = Refusal::unknown_word("actor", &actor, "host, user:<id> or agent:<id>");
            return hub.refuse(&refusal);
        }
        hub.list(handle).actor = Rc::from(actor);
        0
    })
}

/// Joins two texts as a JSON list of two strings into `answer`.
pub(super) fn answer_pair(hub: &mut Hub, one: &str, other: &str) {
    let mut writer = Writer::new();
    writer.open_list();
    writer.text(one);
    writer.text(other);
    writer.close_list();
    hub.answer = writer.finish();
}
