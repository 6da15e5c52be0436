//! What words a task may have.

use crate::engine::error::{Code, Fact, Refusal};
use crate::engine::limits;
use crate::json::Reader;

/// Checks an id that a caller chose (D13).
pub(super) fn check_id(id: &str) -> Result<(), Refusal> {
    if id.is_empty() {
        return Err(Refusal::missing("id"));
    }
    if id.len() > limits::ID_BYTES {
        return Err(Refusal::limit("bytes in an id", limits::ID_BYTES));
    }
    if id.chars().any(char::is_control) {
        return Err(Refusal::invalid(
            "id",
            "text with control characters",
            "1 to 128 bytes of text without control characters",
        ));
    }
    Ok(())
}

/// Checks a text that must say something.
///
/// # Errors
/// `missing_field` or `limit`.
pub fn check_due(field: &str, text: &str, most: usize) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::missing(field));
    }
    check_length(field, text, most)
}

/// Checks the length of a text, in characters.
///
/// # Errors
/// `limit`.
pub fn check_length(field: &str, text: &str, most: usize) -> Result<(), Refusal> {
    if text.len() > most && text.chars().count() > most {
        return Err(Refusal::limit(&["characters in `", field, "`"].concat(), most));
    }
    Ok(())
}

/// Checks and compacts nothing: metadata is kept as it was written, within its size.
pub(super) fn check_metadata(json: &str) -> Result<(), Refusal> {
    debug_assert!(Reader::new(json).raw().is_ok(), "the argument reader has read it");
    if json.len() > limits::METADATA_BYTES {
        return Err(Refusal::limit("bytes of metadata", limits::METADATA_BYTES));
    }
    Ok(())
}

/// The refusal of something that the list's rules switch off.
pub(super) fn feature_off(feature: &str, hint: &'static str) -> Refusal {
    let facts = [("feature", Fact::Text(feature))];
    Refusal::new(Code::FeatureOff, "This list has `{feature}` switched off.", hint, &facts)
}
