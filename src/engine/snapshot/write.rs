//! The whole list as text, and the parts of it that changed.

use crate::engine::Engine;
use crate::engine::hash::{checksum, mix};
use crate::json::Writer;
use crate::task::Slot;

use super::{FORMAT, VERSION};

impl Engine {
    /// The list as text. O(tasks).
    #[must_use]
    pub fn snapshot(&mut self) -> String {
        let mut rows = Writer::new();
        let slots: Vec<Slot> = self.state.live().map(|(slot, _)| slot).collect();
        let mut text = String::new();
        for (at, slot) in slots.iter().enumerate() {
            let from = rows.len();
            self.export_row(*slot, &mut rows);
            text.push_str(if at == 0 { "\n" } else { ",\n" });
            text.push_str(without_comma(rows.since(from)));
        }
        let (head, tail) = self.envelope();
        [&head, &*text, "\n", &tail].concat()
    }

    /// Writes a row as it is stored, and remembers its checksum.
    pub fn export_row(&mut self, slot: Slot, writer: &mut Writer) {
        let from = writer.len();
        self.state.write_row(slot, writer, false);
        let sum = checksum(without_comma(writer.since(from)));
        let checksums = &mut self.checksums;
        if checksums.len() <= slot as usize {
            checksums.resize(slot as usize + 1, 0);
        }
        checksums[slot as usize] = sum;
    }

    /// What stands before and behind the rows. The checksum covers every row as it was last exported or
    /// read, so a caller exports what has changed first. O(tasks), about a nanosecond each.
    #[must_use]
    pub fn envelope(&mut self) -> (String, String) {
        let mut rules = Writer::new();
        self.state.rules.write(&mut rules);
        let rules = rules.finish();
        let mut counters = Writer::new();
        counters.open();
        counters.number("seq", self.state.next_seq - 1);
        counters.number("fence", self.state.last_fence);
        counters.close();
        let counters = counters.finish();
        let journal = self.journal_json();
        let rows = self.rows_checksum();
        let sum = combine([checksum(&rules), checksum(&counters), rows, checksum(&journal)]);
        let mut head = Writer::new();
        head.open();
        head.field("format", FORMAT);
        head.number("version", VERSION);
        head.number("revision", self.state.revision);
        head.field("list", &self.state.list);
        head.field("checksum", &hexadecimal(sum));
        head.key("rules");
        head.raw(&rules);
        head.key("counters");
        head.raw(&counters);
        head.key("tasks");
        head.open_list();
        (head.finish(), ["],\"journal\":", &journal, "}"].concat())
    }

    fn rows_checksum(&mut self) -> u64 {
        let missing: Vec<Slot> = self
            .state
            .live()
            .map(|(slot, _)| slot)
            .filter(|slot| self.checksums.get(*slot as usize).is_none_or(|sum| *sum == 0))
            .collect();
        for slot in missing {
            let mut writer = Writer::new();
            self.export_row(slot, &mut writer);
        }
        let mut sum = 0;
        for (slot, _) in self.state.live() {
            sum = fold_row(sum, self.checksums[slot as usize]);
        }
        sum
    }
}

/// A row's text without the comma that a list puts before it.
fn without_comma(text: &str) -> &str {
    text.strip_prefix(',').unwrap_or(text)
}

/// Adds a row's checksum to that of the rows before it.
pub(super) fn fold_row(sum: u64, row: u64) -> u64 {
    mix(sum.rotate_left(1) ^ row)
}

/// One checksum out of those of the parts: rules, counters, rows, journal.
pub(super) fn combine(parts: [u64; 4]) -> u64 {
    parts.into_iter().fold(0, fold_row)
}

/// Sixteen hexadecimal digits.
pub(super) fn hexadecimal(number: u64) -> String {
    let digit = |at: u32| char::from_digit(u32::try_from(number >> (60 - 4 * at) & 15).unwrap_or(0), 16).unwrap_or('0');
    (0..16).map(digit).collect()
}
