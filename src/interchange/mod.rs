//! Reading and writing other tools' task files, with a report of everything that was odd about them.
//!
//! A reader turns bytes into records (`formats`), `assemble` makes one sound list of them and notes what it had
//! to repair, `cycles` chooses the edges that are set aside, `report` says it all as data and as text.

mod assemble;
mod cycles;
mod detect;
mod formats;
mod lenient;
mod list;
mod moment;
mod record;
mod report;
mod source;
mod statuses;

pub use formats::Format;
pub use list::{ListRow, read_list};
pub use record::{Input, OutputFile};
pub use report::{Problem, ProblemKind, Report};

use formats::Reading;
use source::{Source, decode};

/// What became of the files that were given.
#[derive(Debug)]
pub struct Import {
    /// The list as the text that an engine opens; none when the files were refused.
    pub text: Option<String>,
    /// What was found, and what was done about it.
    pub report: Report,
}

/// How to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The format, where the content shall not decide.
    pub from: Option<Format>,
    /// Refuse whatever would have to be repaired.
    pub strict: bool,
}

/// Reads files of one list. Never panics, whatever the bytes; O(bytes) but for hashing, and for rings, whose cut
/// costs O(edges) each.
#[must_use]
pub fn import(inputs: &[Input<'_>], options: ImportOptions) -> Import {
    let mut report = Report::default();
    let decoded: Vec<Source<'_>> = inputs.iter().filter_map(|input| decode(input, &mut report)).collect();
    let sources: Vec<&Source<'_>> = decoded.iter().collect();
    let format = options.from.or_else(|| detect::detect(&sources));
    report.format = format;
    let Some(format) = format else {
        report.no_format(&sources);
        return Import { text: None, report };
    };
    let mut reading = Reading::default();
    for (number, source) in sources.iter().enumerate() {
        // Files of two tools are two lists: read as one, the other's tasks would be lost.
        let own = if options.from.is_none() && sources.len() > 1 { detect::detect(&[source]) } else { None };
        if let Some(own) = own.filter(|own| *own != format) {
            let message = format!(
                "{}: This is a file of the format {}, and those before it are {}: import it by itself.",
                source.path,
                own.word(),
                format.word()
            );
            report.push(ProblemKind::Unparseable, &[], None, "passed over", message);
            continue;
        }
        formats::read(format, number, source, &mut reading, &mut report);
    }
    formats::settle(format, &mut reading);
    let text = assemble::assemble(format, reading, &sources, &mut report);
    let refused = text.is_none() || (options.strict && report.is_repaired());
    Import { text: text.filter(|_| !refused), report }
}

/// Whether a text is a whole number as JSON would write it, far from where numbers lose digits.
fn whole_number(text: &str) -> bool {
    let digits = !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits && (text == "0" || !text.starts_with('0'))
}

/// Writes a list, given as its text, in a format. What the format cannot say is reported.
#[must_use]
pub fn export(text: &str, format: Format) -> (Vec<OutputFile>, Report) {
    let mut report = Report { format: Some(format), ..Report::default() };
    match read_list(text) {
        Ok(_) if format == Format::Snapshot => {
            (vec![OutputFile { path: "tasks.json".to_owned(), text: text.to_owned() }], report)
        }
        Ok(rows) => {
            report.tasks = rows.len();
            (formats::write(format, &rows, &mut report), report)
        }
        Err(fault) => {
            report.unreadable_list(&fault);
            (Vec::new(), report)
        }
    }
}
