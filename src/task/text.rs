//! The words of a task, packed into one allocation and shared by everything that remembers them.

use std::cell::OnceCell;

/// The words that callers give.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Words<'a> {
    /// The id.
    pub id: &'a str,
    /// The title.
    pub title: &'a str,
    /// The description; empty when there is none.
    pub description: &'a str,
    /// The title in the present participle; empty when there is none.
    pub active_form: &'a str,
}

/// Words in memory. They may come later: a caller on the other side of a costly boundary creates the
/// task first and sends the words of many tasks at once, before anything asks for them.
#[derive(Debug, Default)]
pub struct Text {
    packed: OnceCell<Packed>,
}

#[derive(Debug)]
struct Packed {
    buffer: Box<str>,
    id: u32,
    title: u32,
    description: u32,
}

impl Text {
    /// Words to be filled in later with [`Text::fill`].
    #[must_use]
    pub fn later() -> Self {
        Text::default()
    }

    /// Packs words.
    #[must_use]
    pub fn new(words: Words<'_>) -> Self {
        let text = Text::later();
        text.fill(words);
        text
    }

    /// Fills in words that were to come later; filled words stay as they are.
    pub fn fill(&self, words: Words<'_>) {
        let mut buffer = String::with_capacity(
            words.id.len() + words.title.len() + words.description.len() + words.active_form.len(),
        );
        let mut mark = |part: &str| {
            buffer.push_str(part);
            u32::try_from(buffer.len()).unwrap_or(u32::MAX)
        };
        let (id, title, description) = (mark(words.id), mark(words.title), mark(words.description));
        buffer.push_str(words.active_form);
        let _already = self.packed.set(Packed { buffer: buffer.into_boxed_str(), id, title, description });
    }

    fn part(&self, from: impl Fn(&Packed) -> u32, to: impl Fn(&Packed) -> usize) -> &str {
        self.packed.get().and_then(|packed| packed.buffer.get(from(packed) as usize..to(packed))).unwrap_or_default()
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.part(|_| 0, |packed| packed.id as usize)
    }

    /// Whether this is its id.
    #[must_use]
    pub fn has_id(&self, id: &str) -> bool {
        let packed = self.packed.get();
        packed.is_some_and(|packed| packed.buffer.as_bytes().get(..packed.id as usize) == Some(id.as_bytes()))
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        self.part(|packed| packed.id, |packed| packed.title as usize)
    }

    /// The description; empty when there is none.
    #[must_use]
    pub fn description(&self) -> &str {
        self.part(|packed| packed.title, |packed| packed.description as usize)
    }

    /// The active form; empty when there is none.
    #[must_use]
    pub fn active_form(&self) -> &str {
        self.part(|packed| packed.description, |packed| packed.buffer.len())
    }

    /// All of it.
    #[must_use]
    pub fn words(&self) -> Words<'_> {
        Words { id: self.id(), title: self.title(), description: self.description(), active_form: self.active_form() }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}
