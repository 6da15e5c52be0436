//! From bytes to text, with the faults that make a whole file unreadable.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::json::{Fault, SOMETHING_FOLLOWS};

use super::record::Input;
use super::report::{ProblemKind, Report};

/// A file as text.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) text: Cow<'a, str>,
    /// Where lines begin, once asked for.
    lines: OnceCell<Vec<usize>>,
}

impl Source<'_> {
    /// The line of a byte offset, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        let starts = self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
        });
        starts.partition_point(|start| *start <= at)
    }

    /// Reports that the file breaks off being what it seemed, so that nothing of it was read.
    pub(super) fn refuse(&self, fault: &Fault, report: &mut Report) {
        let line = self.line(fault.at);
        let path = self.path;
        let message = if fault.problem == SOMETHING_FOLLOWS {
            format!(
                "{path}: Something follows the end of the document, at byte {}: two documents are glued together, or a write was torn.",
                fault.at
            )
        } else {
            format!("{path}: {} at byte {}.", fault.problem, fault.at)
        };
        report.push(ProblemKind::Unparseable, &[], Some(line), "refused", message);
    }

    /// The name of the file, without its folders.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// The text of a file; nothing, and a problem in the report, when it is none or two at once.
pub(super) fn decode<'a>(input: &Input<'a>, report: &mut Report) -> Option<Source<'a>> {
    let path = input.path;
    let refuse = |report: &mut Report, line: Option<usize>, message: String| {
        report.push(ProblemKind::Unparseable, &[], line, "refused", format!("{path}: {message}"));
        None
    };
    let text = match text_of(input.bytes) {
        Ok((text, _)) if text.trim().is_empty() => return refuse(report, None, "The file is empty.".to_owned()),
        Ok((text, None)) => text,
        Ok((text, Some(note))) => {
            report.push(ProblemKind::Encoding, &[], Some(1), "decoded", format!("{path}: {note}"));
            text
        }
        Err((at, message)) => {
            let line = 1 + count(&input.bytes[..at], b'\n');
            return refuse(report, Some(line), message);
        }
    };
    if let Some(marks) = conflict_marks(&text) {
        let shown: Vec<String> = marks.iter().take(12).map(usize::to_string).collect();
        let more = if marks.len() > shown.len() { ", …" } else { "" };
        let message = format!(
            "The file holds {} merge-conflict marker lines (lines {}{more}): resolve the merge first, nothing was read.",
            marks.len(),
            shown.join(", ")
        );
        return refuse(report, marks.first().copied(), message);
    }
    Some(Source { path, text, lines: OnceCell::new() })
}

#[allow(clippy::naive_bytecount, reason = "once for a file that is refused")]
fn count(bytes: &[u8], wanted: u8) -> usize {
    bytes.iter().filter(|byte| **byte == wanted).count()
}

/// A text, and what is to be said of its encoding.
type Decoded<'a> = (Cow<'a, str>, Option<&'static str>);

/// The text; or where it goes wrong and how.
fn text_of(bytes: &[u8]) -> Result<Decoded<'_>, (usize, String)> {
    for (mark, little) in [([0xff, 0xfe], true), ([0xfe, 0xff], false)] {
        if let Some(rest) = bytes.strip_prefix(&mark) {
            let units = rest.chunks_exact(2).map(|pair| {
                let pair = [pair[0], pair[1]];
                if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
            });
            let text: Result<String, _> = char::decode_utf16(units).collect();
            return match text {
                Ok(text) if rest.len().is_multiple_of(2) && !text.contains('\0') => {
                    Ok((Cow::Owned(text), Some("The file is UTF-16; it was read as such.")))
                }
                _ => Err((0, "The file begins as UTF-16 and is not well formed as such.".to_owned())),
            };
        }
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let count = count(bytes, 0);
        let message = if count == bytes.len() {
            format!("All {count} bytes are NUL: the file's length reached the disk, its data did not.")
        } else {
            format!("The file holds {count} NUL bytes, the first at byte {at}.")
        };
        return Err((at, message));
    }
    let (bytes, note) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => (rest, Some("The file begins with a byte-order mark, which was left out.")),
        None => (bytes, None),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((Cow::Borrowed(text), note)),
        Err(error) => {
            let at = error.valid_up_to();
            Err((at, format!("The file is not UTF-8 from byte {at} on.")))
        }
    }
}

/// The lines of merge-conflict markers, when there is a whole conflict.
fn conflict_marks(text: &str) -> Option<Vec<usize>> {
    if !text.contains("<<<<<<<") {
        return None;
    }
    let is_mark = |line: &str| {
        ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
            .iter()
            .any(|mark| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r'])))
    };
    let marks: Vec<usize> =
        text.lines().enumerate().filter(|(_, line)| is_mark(line)).map(|(number, _)| number + 1).collect();
    let begins = text.lines().any(|line| line.starts_with("<<<<<<<") && is_mark(line));
    if begins { Some(marks) } else { None }
}
