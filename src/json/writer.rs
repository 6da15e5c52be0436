//! Writing JSON into a string: keys in the order given, nothing optional written as `null`.

use super::reader::skip_plain;

/// Writes objects and lists; commas are placed by the writer.
#[derive(Debug, Default)]
pub struct Writer {
    out: String,
    comma: bool,
}

impl Writer {
    /// A writer with nothing written.
    #[must_use]
    pub fn new() -> Self {
        Writer::default()
    }

    /// A writer that goes on behind `out`, which must end where a value may start.
    #[must_use]
    pub fn after(out: String) -> Self {
        Writer { out, comma: false }
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = true;
    }

    /// `{`
    pub fn open(&mut self) {
        self.separate();
        self.out.push('{');
        self.comma = false;
    }

    /// `}`
    pub fn close(&mut self) {
        self.out.push('}');
        self.comma = true;
    }

    /// `[`
    pub fn open_list(&mut self) {
        self.separate();
        self.out.push('[');
        self.comma = false;
    }

    /// `]`
    pub fn close_list(&mut self) {
        self.out.push(']');
        self.comma = true;
    }

    /// A key; the next call writes its value.
    pub fn key(&mut self, key: &str) {
        self.separate();
        push_string(&mut self.out, key);
        self.out.push(':');
        self.comma = false;
    }

    /// A string value.
    pub fn text(&mut self, text: &str) {
        self.separate();
        push_string(&mut self.out, text);
    }

    /// A whole number.
    pub fn whole(&mut self, number: u64) {
        self.separate();
        push_whole(&mut self.out, number);
    }

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        self.separate();
        self.out.push_str(if value { "true" } else { "false" });
    }

    /// `null`.
    pub fn null(&mut self) {
        self.raw("null");
    }

    /// A value that is JSON text already.
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.out.push_str(json);
    }

    /// Key and string.
    pub fn field(&mut self, key: &str, text: &str) {
        self.key(key);
        self.text(text);
    }

    /// Key and string, left out when there is none.
    pub fn optional(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.field(key, text);
        }
    }

    /// Key and whole number.
    pub fn number(&mut self, key: &str, number: u64) {
        self.key(key);
        self.whole(number);
    }

    /// Key and list of strings.
    pub fn list<'t>(&mut self, key: &str, items: impl IntoIterator<Item = &'t str>) {
        self.key(key);
        self.open_list();
        for item in items {
            self.text(item);
        }
        self.close_list();
    }

    /// What has been written so far, in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing has been written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The text written since byte `from`.
    #[must_use]
    pub fn since(&self, from: usize) -> &str {
        self.out.get(from..).unwrap_or_default()
    }

    /// The text.
    #[must_use]
    pub fn finish(self) -> String {
        self.out
    }
}

/// Appends a quoted, escaped string.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, skip_plain(bytes, 0));
    while let Some(byte) = bytes.get(at) {
        if *byte >= 0x20 && *byte != b'"' && *byte != b'\\' {
            at += 1;
            continue;
        }
        out.push_str(text.get(from..at).unwrap_or_default());
        from = at + 1;
        at = skip_plain(bytes, from);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => {
                out.push_str("\\u00");
                for nibble in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
                }
            }
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push('"');
}

/// Appends a whole number.
pub fn push_whole(out: &mut String, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    for digit in &digits[at..] {
        out.push(char::from(*digit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_serde_json_reads() {
        let hostile = "q\" b\\ n\n \u{1}\u{7f} é 😀 \u{2028}";
        let mut writer = Writer::new();
        writer.open();
        writer.field(hostile, hostile);
        writer.number("n", u64::MAX);
        writer.list("l", ["a", "b"]);
        writer.key("o");
        writer.open();
        writer.close();
        writer.optional("none", None);
        writer.close();
        let value: serde_json::Value = serde_json::from_str(&writer.finish()).unwrap();
        assert_eq!(value, serde_json::json!({ hostile: hostile, "n": u64::MAX, "l": ["a", "b"], "o": {} }));
    }
}
