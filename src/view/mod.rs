//! Readiness rendered for people: models that views show as they are. Nothing here decides anything.

mod detail;
mod panel;
mod rows;

pub use detail::{Detail, Link, detail};
pub use panel::{Panel, PanelEntry, panel};
pub use rows::{RowLine, row_line, rows};
