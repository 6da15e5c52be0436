//! Times of other tools: RFC 3339 and the like, Unix seconds and milliseconds.

use crate::engine::limits::LAST_TIME;
use crate::task::Millis;

/// Unix milliseconds of a written time; nothing for what is no time. Accepts `2026-01-02`, `2026-01-02 03:04`,
/// RFC 3339 with any number of digits of a second and any offset, and whole numbers (seconds below 10^11).
pub(super) fn parse(text: &str) -> Option<Millis> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() > 8 {
        let number: u64 = text.parse().ok()?;
        let millis = if number < 100_000_000_000 { number * 1000 } else { number };
        return Some(millis).filter(|millis| *millis <= LAST_TIME);
    }
    let mut digits = Digits { bytes: text.as_bytes(), at: 0 };
    let (year, month, day) = (digits.number(4)?, digits.after(b"-")?, digits.after(b"-")?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let mut millis = days(year, month, day) * 86_400_000;
    if digits.take(b"Tt ") {
        let (hour, minute) = (digits.number(2)?, digits.after(b":")?);
        let second = if digits.take(b":") { digits.number(2)? } else { 0 };
        if hour > 24 || minute > 59 || second > 60 {
            return None;
        }
        millis += (hour * 60 + minute) * 60_000 + second * 1000;
        if digits.take(b".,") {
            millis += digits.fraction()?;
        }
        digits.take(b" ");
        if !digits.take(b"Zz") && digits.at < digits.bytes.len() {
            let west = digits.take(b"-");
            if !west && !digits.take(b"+") {
                return None;
            }
            let hours = digits.number(2)?;
            digits.take(b":");
            let minutes = if digits.at < digits.bytes.len() { digits.number(2)? } else { 0 };
            let offset = (hours * 60 + minutes) * 60_000;
            millis += if west { offset } else { -offset };
        }
    }
    if digits.at < digits.bytes.len() {
        return None;
    }
    u64::try_from(millis).ok().filter(|millis| *millis <= LAST_TIME)
}

/// RFC 3339, in UTC with milliseconds.
pub(super) fn write(millis: Millis) -> String {
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = date(i64::try_from(days).unwrap_or(0));
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1000 % 60,
        rest % 1000
    )
}

/// Days since 1970-01-01 (Hinnant, "chrono-compatible low-level date algorithms").
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01 (Hinnant, the same).
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = shifted + if shifted < 10 { 3 } else { -9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

struct Digits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Digits<'_> {
    fn take(&mut self, any: &[u8]) -> bool {
        let found = self.bytes.get(self.at).is_some_and(|byte| any.contains(byte));
        self.at += usize::from(found);
        found
    }

    fn number(&mut self, count: usize) -> Option<i64> {
        let digits = self.bytes.get(self.at..self.at + count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.at += count;
        Some(digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    fn after(&mut self, any: &[u8]) -> Option<i64> {
        if self.take(any) { self.number(2) } else { None }
    }

    /// The milliseconds of a fraction of a second.
    fn fraction(&mut self) -> Option<i64> {
        let (mut millis, mut digit, from) = (0, 100, self.at);
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            millis += i64::from(byte - b'0') * digit;
            digit /= 10;
            self.at += 1;
        }
        (self.at > from).then_some(millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_tools_write() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("2026-01-02T03:04:05Z", Some(1_767_323_045_000)),
            ("2026-01-02T03:04:05.678901234Z", Some(1_767_323_045_678)),
            ("2026-01-02T04:04:05+01:00", Some(1_767_323_045_000)),
            ("2026-01-01T22:04:05-05:00", Some(1_767_323_045_000)),
            ("2026-01-02 03:04", Some(1_767_323_040_000)),
            ("1767323045", Some(1_767_323_045_000)),
            ("1767323045678", Some(1_767_323_045_678)),
            ("yesterday", None),
            ("2026-13-01", None),
            ("2026-01-02T03:04:05Zx", None),
            ("1969-12-31", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for millis in [0, 951_782_400_000, 1_767_323_045_678, 4_102_444_799_999, LAST_TIME / 40] {
            assert_eq!(parse(&write(millis)), Some(millis), "{}", write(millis));
        }
    }
}
