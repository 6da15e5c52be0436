//! A pull reader over JSON text (RFC 8259) with byte positions and a depth limit.

use std::borrow::Cow;

use super::{MAX_DEPTH, SOMETHING_FOLLOWS, TOO_DEEP};

/// What is wrong with a JSON text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset of the fault.
    pub at: usize,
    /// A short English phrase.
    pub problem: &'static str,
}

/// Reading has stopped; the reader says why ([`Reader::fault`]). It is nothing but a mark, because a fault that went
/// up through every step of reading would make each of them larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// The kind of the next value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    Text,
    /// A digit or `-`
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

impl Kind {
    /// The word for it in messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Object => "an object",
            Kind::Array => "a list",
            Kind::Text => "text",
            Kind::Number => "a number",
            Kind::Bool => "true or false",
            Kind::Null => "null",
        }
    }
}

/// Reads one JSON value after another from a text, without building a tree. A copy reads on from where it was made.
#[derive(Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    fault: Fault,
}

type Result<T> = std::result::Result<T, Stop>;

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Reader { text, at: 0, depth: 0, fault: Fault { at: 0, problem: "" } }
    }

    /// A reader for text that may be nested so many levels deep only, because it will stand inside other JSON.
    #[must_use]
    pub fn within(text: &'a str, levels: usize) -> Self {
        Reader { depth: MAX_DEPTH - levels.min(MAX_DEPTH), ..Reader::new(text) }
    }

    /// The byte offset of what comes next.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The text from byte `from` up to what comes next.
    #[must_use]
    pub fn between(&self, from: usize) -> &'a str {
        self.part(from, self.at)
    }

    /// Notes a fault at the present position.
    pub fn stop(&mut self, problem: &'static str) -> Stop {
        self.stop_at(self.at, problem)
    }

    /// Notes a fault at a position.
    #[cold]
    pub fn stop_at(&mut self, at: usize, problem: &'static str) -> Stop {
        self.fault = Fault { at, problem };
        Stop
    }

    /// The fault that was noted last: why reading has stopped, when it has.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// What was read, or the fault at which reading stopped.
    ///
    /// # Errors
    /// The fault, when `read` says that reading has stopped.
    pub fn outcome<T>(&self, read: std::result::Result<T, Stop>) -> std::result::Result<T, Fault> {
        read.map_err(|Stop| self.fault.clone())
    }

    /// A part of the text. Its ends are always at characters; asking instead of indexing keeps panic texts out.
    fn part(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    /// The kind of the next value.
    ///
    /// # Errors
    /// When no value starts here.
    pub fn kind(&mut self) -> Result<Kind> {
        self.space();
        match self.byte() {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::Text),
            b't' | b'f' => Ok(Kind::Bool),
            b'n' => Ok(Kind::Null),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            _ if self.at >= self.text.len() => Err(self.stop("the text ends too early")),
            _ => Err(self.stop("a value was expected")),
        }
    }

    fn enter(&mut self, open: u8, problem: &'static str) -> Result<()> {
        self.space();
        if self.byte() != open {
            return Err(self.stop(problem));
        }
        if self.depth == MAX_DEPTH {
            return Err(self.stop(TOO_DEEP));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Enters an object; follow with [`Reader::key`] until it gives `None`.
    ///
    /// # Errors
    /// When no object starts here or it is nested too deeply.
    pub fn object(&mut self) -> Result<()> {
        self.enter(b'{', "an object was expected")
    }

    /// Enters a list; follow with [`Reader::item`] until it gives `false`.
    ///
    /// # Errors
    /// When no list starts here or it is nested too deeply.
    pub fn array(&mut self) -> Result<()> {
        self.enter(b'[', "a list was expected")
    }

    fn separator(&mut self, close: u8, first: &mut bool) -> Result<bool> {
        self.space();
        if self.byte() == close {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if *first {
            *first = false;
        } else {
            if self.byte() != b',' {
                let ended = self.at >= self.text.len();
                return Err(self.stop(if ended { "the text ends too early" } else { "a comma was expected" }));
            }
            self.at += 1;
            self.space();
        }
        Ok(true)
    }

    /// The next key of the object entered last, or `None` at its end. `first` starts as `true`.
    ///
    /// # Errors
    /// When the text is not well formed here.
    pub fn key(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>> {
        if !self.separator(b'}', first)? {
            return Ok(None);
        }
        let key = self.text()?;
        self.space();
        if self.byte() != b':' {
            return Err(self.stop("a colon was expected"));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Whether the list entered last has another item. `first` starts as `true`.
    ///
    /// # Errors
    /// When the text is not well formed here.
    pub fn item(&mut self, first: &mut bool) -> Result<bool> {
        self.separator(b']', first)
    }

    /// The next value as it is written, when it is nested at most so many levels deep, wherever it stands.
    ///
    /// # Errors
    /// When the text is not well formed here or nested deeper.
    pub fn raw_within(&mut self, levels: usize) -> Result<&'a str> {
        let depth = std::mem::replace(&mut self.depth, MAX_DEPTH - levels);
        let raw = self.raw();
        self.depth = depth;
        raw
    }

    /// A string; borrowed from the text when it holds no escape.
    ///
    /// # Errors
    /// When no string starts here, it does not end, or it holds a lone surrogate or a bare control character.
    pub fn text(&mut self) -> Result<Cow<'a, str>> {
        self.space();
        if self.byte() != b'"' {
            return Err(self.stop("text in quotes was expected"));
        }
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = skip_plain(bytes, start);
        loop {
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Cow::Borrowed(self.part(start, end)));
                }
                Some(b'\\') => break,
                Some(0..=0x1f) => return Err(self.stop_at(end, "a control character stands bare in text")),
                Some(_) => end += 1,
                None => return Err(self.stop_at(end, "the text ends too early")),
            }
        }
        let mut out = String::with_capacity(end - start + 16);
        let mut from = start;
        loop {
            match bytes.get(end) {
                Some(b'"') => {
                    out.push_str(self.part(from, end));
                    self.at = end + 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => {
                    out.push_str(self.part(from, end));
                    end = self.escape(end + 1, &mut out)?;
                    from = end;
                    end = skip_plain(bytes, end);
                }
                Some(0..=0x1f) => return Err(self.stop_at(end, "a control character stands bare in text")),
                Some(_) => end += 1,
                None => return Err(self.stop_at(end, "the text ends too early")),
            }
        }
    }

    /// Reads what follows a backslash at `at`; gives the offset behind it.
    fn escape(&mut self, at: usize, out: &mut String) -> Result<usize> {
        let plain = match self.text.as_bytes().get(at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.hex(at + 1)?;
                let (code, end) = match unit {
                    0xD800..=0xDBFF => {
                        let low = if self.text.as_bytes().get(at + 5..at + 7) == Some(b"\\u") {
                            self.hex(at + 7)?
                        } else {
                            0
                        };
                        if !(0xDC00..=0xDFFF).contains(&low) {
                            return Err(self.stop_at(at - 1, "half of a surrogate pair"));
                        }
                        (0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), at + 11)
                    }
                    _ => (unit, at + 5),
                };
                match char::from_u32(code) {
                    Some(c) => {
                        out.push(c);
                        return Ok(end);
                    }
                    None => return Err(self.stop_at(at - 1, "half of a surrogate pair")),
                }
            }
            _ => return Err(self.stop_at(at, "an unknown escape")),
        };
        out.push(plain);
        Ok(at + 1)
    }

    fn hex(&mut self, at: usize) -> Result<u32> {
        let Some(digits) = self.text.as_bytes().get(at..at + 4) else {
            return Err(self.stop_at(at, "the text ends too early"));
        };
        let mut value = 0;
        for digit in digits {
            let Some(nibble) = (*digit as char).to_digit(16) else {
                return Err(self.stop_at(at, "four hexadecimal digits were expected"));
            };
            value = value * 16 + nibble;
        }
        Ok(value)
    }

    fn digits(&mut self) -> Result<()> {
        if !self.byte().is_ascii_digit() {
            return Err(self.stop("a digit was expected"));
        }
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// A number as it is written.
    ///
    /// # Errors
    /// When no number stands here.
    pub fn number(&mut self) -> Result<&'a str> {
        self.space();
        let start = self.at;
        if self.byte() == b'-' {
            self.at += 1;
        }
        if self.byte() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.byte(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(self.part(start, self.at))
    }

    /// A whole number from 0 to 2^53 - 1.
    ///
    /// # Errors
    /// When something else stands here.
    pub fn whole(&mut self) -> Result<u64> {
        let at = {
            self.space();
            self.at
        };
        let problem = "a whole number from 0 to 9007199254740991 was expected";
        let written = self.number()?;
        match written.parse::<u64>() {
            Ok(value) if value < 1 << 53 => Ok(value),
            _ => Err(self.stop_at(at, problem)),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// When something else stands here.
    pub fn bool(&mut self) -> Result<bool> {
        self.space();
        if self.word("true") {
            Ok(true)
        } else if self.word("false") {
            Ok(false)
        } else {
            Err(self.stop("true or false was expected"))
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        if found {
            self.at += word.len();
        }
        found
    }

    /// Takes `null` if it stands here.
    pub fn null(&mut self) -> bool {
        self.space();
        self.word("null")
    }

    /// Reads any value, checks it, and gives the text it was written in.
    ///
    /// # Errors
    /// When the value is not well formed or nested too deeply.
    pub fn raw(&mut self) -> Result<&'a str> {
        self.space();
        let start = self.at;
        match self.kind()? {
            Kind::Object => {
                self.object()?;
                let mut first = true;
                while self.key(&mut first)?.is_some() {
                    self.raw()?;
                }
            }
            Kind::Array => {
                self.array()?;
                let mut first = true;
                while self.item(&mut first)? {
                    self.raw()?;
                }
            }
            Kind::Text => {
                self.text()?;
            }
            Kind::Number => {
                self.number()?;
            }
            Kind::Bool => {
                self.bool()?;
            }
            Kind::Null => {
                if !self.null() {
                    return Err(self.stop("null was expected"));
                }
            }
        }
        Ok(self.part(start, self.at))
    }

    /// Checks that nothing but space follows.
    ///
    /// # Errors
    /// When something follows.
    pub fn end(&mut self) -> Result<()> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.stop(SOMETHING_FOLLOWS)) }
    }
}

/// Goes over bytes of a text, eight at a time, up to one that ends it or is special (a quote, a backslash or a control
/// character), or to the last few ("has a byte less than", Anderson, Bit Twiddling Hacks).
pub(super) fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some((chunk, _)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let (quote, backslash) = (word ^ (ONES * 0x22), word ^ (ONES * 0x5c));
        let zero_in = |word: u64| word.wrapping_sub(ONES) & !word;
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let special = (zero_in(quote) | zero_in(backslash) | control) & HIGH;
        if special != 0 {
            // What is borrowed goes upwards only, so the lowest mark is true.
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(text: &str) -> bool {
        let mut reader = Reader::new(text);
        reader.raw().is_ok() && reader.end().is_ok()
    }

    #[test]
    fn agrees_with_serde_json_on_what_is_well_formed() {
        for text in [
            "{}",
            "[]",
            "[1,2]",
            "[1 2]",
            "[1,]",
            "{\"a\":1}",
            "{\"a\" 1}",
            "{a:1}",
            "01",
            "-",
            "-0",
            "1e5",
            "1.e5",
            "1.5E-3",
            "tru",
            "true",
            "null",
            "nul",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\udc00\"",
            "\"\\x\"",
            "\"a\u{1}\"",
            "\"open",
            "",
            " ",
            "[[]",
            "{}x",
            "\"\\u00e9\"",
            "\u{feff}{}",
            "{\"a\":1,\"a\":2}",
            "1e",
            "+1",
            "\"\\u12\"",
        ] {
            let oracle = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(accepts(text), oracle, "{text:?}");
        }
    }

    #[test]
    fn reads_escapes_like_serde_json() {
        let text = r#""a\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00z""#;
        let oracle: String = serde_json::from_str(text).unwrap();
        assert_eq!(Reader::new(text).text().unwrap(), oracle);
    }

    #[test]
    fn refuses_what_is_nested_too_deeply() {
        let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        assert!(accepts(&deep));
        let deeper = format!("[{deep}]");
        let mut reader = Reader::new(&deeper);
        assert_eq!(reader.raw(), Err(Stop));
        assert_eq!(reader.fault(), &Fault { at: MAX_DEPTH, problem: "nested too deeply" });
    }

    #[test]
    fn whole_numbers_stay_exact() {
        assert_eq!(Reader::new("9007199254740991").whole(), Ok(9_007_199_254_740_991));
        for text in ["9007199254740992", "-1", "1.5", "1e3"] {
            assert!(Reader::new(text).whole().is_err(), "{text}");
        }
    }
}
