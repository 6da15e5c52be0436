//! What was found in files, and what was done about it.

use std::fmt::Write as _;

use crate::json::{Fault, Writer};
use crate::task::Status;

use super::formats::Format;
use super::source::Source;

/// What can be odd about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A file, or a record of it, that cannot be read.
    Unparseable,
    /// Not plain UTF-8, and read all the same.
    Encoding,
    /// A part of a file that was passed over.
    Skipped,
    /// Two records with one id and the same content.
    DuplicateSame,
    /// Two records with one id and different content.
    DuplicateDifferent,
    /// An edge to an id that nobody has.
    DanglingEdge,
    /// A parent that is not there.
    DanglingParent,
    /// A task that waits for itself.
    SelfEdge,
    /// An edge that is said twice.
    RepeatedEdge,
    /// A ring.
    Cycle,
    /// Finished work whose blockers are unfinished.
    FinishedBeforeBlocker,
    /// Open work that waits for cancelled or deleted work.
    WaitsForCancelled,
    /// A status word that the format does not have.
    UnknownStatus,
    /// A kind of edge that is not known.
    UnknownKind,
    /// One side of a mirrored edge is missing.
    Mirror,
    /// A field whose value is not what the format says.
    InvalidValue,
    /// Something that the format written to cannot say.
    NotKept,
}

impl ProblemKind {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ProblemKind::Unparseable => "unparseable",
            ProblemKind::Encoding => "encoding",
            ProblemKind::Skipped => "skipped",
            ProblemKind::DuplicateSame => "duplicate_same",
            ProblemKind::DuplicateDifferent => "duplicate_different",
            ProblemKind::DanglingEdge => "dangling_edge",
            ProblemKind::DanglingParent => "dangling_parent",
            ProblemKind::SelfEdge => "self_edge",
            ProblemKind::RepeatedEdge => "repeated_edge",
            ProblemKind::Cycle => "cycle",
            ProblemKind::FinishedBeforeBlocker => "finished_before_blocker",
            ProblemKind::WaitsForCancelled => "waits_for_cancelled",
            ProblemKind::UnknownStatus => "unknown_status",
            ProblemKind::UnknownKind => "unknown_kind",
            ProblemKind::Mirror => "mirror",
            ProblemKind::InvalidValue => "invalid_value",
            ProblemKind::NotKept => "not_kept",
        }
    }

    /// Whether it is a fault of the file, which `strict` refuses and for which `doctor` calls it unsound. The others
    /// are worth knowing and change nothing.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(
            self,
            ProblemKind::Encoding
                | ProblemKind::FinishedBeforeBlocker
                | ProblemKind::WaitsForCancelled
                | ProblemKind::NotKept
        )
    }
}

/// One odd thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing.
    pub kind: ProblemKind,
    /// The tasks that it is about; for a ring the path, its first id again at the end.
    pub ids: Vec<String>,
    /// The line, from 1, where there is one.
    pub line: Option<usize>,
    /// What was done, in a word or two.
    pub action: &'static str,
    /// The whole of it as a sentence. Ids and words in it are the file's: untrusted.
    pub message: String,
}

/// Everything there is to say about what was read or written.
#[derive(Debug, Default)]
pub struct Report {
    /// The format, once known.
    pub format: Option<Format>,
    /// How many tasks there are.
    pub tasks: usize,
    /// How many dependency entries the files hold, of every kind: repeated, dangling and informational ones too.
    pub edges: usize,
    /// How many tasks have each status.
    pub statuses: [usize; Status::ALL.len()],
    /// How many groups of tasks wait for each other in rings.
    pub cycles: usize,
    /// Every odd thing, in the order found.
    pub problems: Vec<Problem>,
}

impl Report {
    pub(super) fn push(
        &mut self,
        kind: ProblemKind,
        ids: &[&str],
        line: Option<usize>,
        action: &'static str,
        message: String,
    ) {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        self.problems.push(Problem { kind, ids, line, action, message });
    }

    /// How many problems of some kinds there are.
    #[must_use]
    pub fn count(&self, kinds: &[ProblemKind]) -> usize {
        self.problems.iter().filter(|problem| kinds.contains(&problem.kind)).count()
    }

    /// Whether nothing is wrong with the files.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        !self.is_repaired()
    }

    pub(super) fn is_repaired(&self) -> bool {
        self.problems.iter().any(|problem| problem.kind.is_fault())
    }

    pub(super) fn no_format(&mut self, sources: &[&Source<'_>]) {
        for source in sources {
            let message = format!(
                "{}: This is no task file that can be read ({}). Name its format with `from` if it is one.",
                source.path,
                Format::words()
            );
            self.push(ProblemKind::Unparseable, &[], None, "refused", message);
        }
        if sources.is_empty() && self.problems.is_empty() {
            let message = "There is no file to read.".to_owned();
            self.push(ProblemKind::Unparseable, &[], None, "refused", message);
        }
    }

    pub(super) fn unreadable_list(&mut self, fault: &Fault) {
        let message = format!("The list cannot be read: {} at byte {}.", fault.problem, fault.at);
        self.push(ProblemKind::Unparseable, &[], None, "refused", message);
    }

    /// The report as JSON, in the shape that `--json` promises.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::new();
        writer.open();
        writer.number("schemaVersion", 1);
        writer.key("format");
        match self.format {
            Some(format) => writer.text(format.word()),
            None => writer.null(),
        }
        writer.number("tasks", self.tasks as u64);
        writer.number("edges", self.edges as u64);
        writer.key("counts");
        writer.open();
        for (name, count) in self.counts() {
            writer.number(name, count as u64);
        }
        writer.close();
        writer.key("statuses");
        writer.open();
        for status in Status::ALL {
            writer.number(status.word(), self.statuses[status as usize] as u64);
        }
        writer.close();
        writer.key("problems");
        writer.open_list();
        for problem in &self.problems {
            writer.open();
            writer.field("kind", problem.kind.word());
            writer.list("ids", problem.ids.iter().map(String::as_str));
            if let Some(line) = problem.line {
                writer.number("line", line as u64);
            }
            writer.field("action", problem.action);
            writer.field("message", &problem.message);
            writer.close();
        }
        writer.close_list();
        writer.close();
        writer.finish()
    }

    fn counts(&self) -> [(&'static str, usize); 5] {
        [
            ("cycles", self.cycles),
            ("danglingEdges", self.count(&[ProblemKind::DanglingEdge])),
            ("duplicateIds", self.count(&[ProblemKind::DuplicateSame, ProblemKind::DuplicateDifferent])),
            ("selfEdges", self.count(&[ProblemKind::SelfEdge])),
            ("repeatedEdges", self.count(&[ProblemKind::RepeatedEdge])),
        ]
    }

    /// The report for people: the counts, then the problems by kind, the first `most` of each kind.
    #[must_use]
    pub fn to_text(&self, most: usize) -> String {
        let format = self.format.map_or("unknown", Format::word);
        let mut text = format!("format {format}: {} tasks, {} edges\n", self.tasks, self.edges);
        let statuses: Vec<String> = Status::ALL
            .into_iter()
            .filter(|status| self.statuses[*status as usize] > 0)
            .map(|status| format!("{} {}", self.statuses[status as usize], status.word()))
            .collect();
        if !statuses.is_empty() {
            let _ = writeln!(text, "  {}", statuses.join(", "));
        }
        let mut kinds: Vec<ProblemKind> = Vec::new();
        for problem in &self.problems {
            if !kinds.contains(&problem.kind) {
                kinds.push(problem.kind);
            }
        }
        for kind in kinds {
            let of_kind = || self.problems.iter().filter(|problem| problem.kind == kind);
            let _ = writeln!(text, "{}: {}", kind.word(), of_kind().count());
            for problem in of_kind().take(most) {
                let line = problem.line.map_or(String::new(), |line| format!("line {line}: "));
                let _ = writeln!(text, "  {line}{} [{}]", problem.message, problem.action);
            }
            if of_kind().count() > most {
                let _ = writeln!(text, "  and {} more", of_kind().count() - most);
            }
        }
        text += if self.is_sound() { "sound\n" } else { "not sound\n" };
        text
    }
}
