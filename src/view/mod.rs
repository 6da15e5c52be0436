//! Readiness rendered for people: models that views show as they are. Nothing here decides anything.

mod detail;
mod panel;
mod rows;

pub use detail::{detail, Detail, Link};
pub use panel::{panel, Panel, PanelEntry};
pub use rows::{row_line, rows, RowLine};
