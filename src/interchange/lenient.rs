//! Reading JSON values as other tools write them: numbers as ids, one id where a list is due, `null` anywhere.

use std::borrow::Cow;

use crate::json::{Kind, Reader, Stop};

/// What is nested deeper is refused: what a file says besides comes to stand inside `metadata`, some levels down.
const LEVELS: usize = 50;

/// A reader of a file's JSON.
pub(super) fn reader(text: &str) -> Reader<'_> {
    Reader::within(text, LEVELS)
}

/// A text, or the JSON text of whatever else stands there; empty for `null`.
pub(super) fn text<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, Stop> {
    match reader.kind()? {
        Kind::Text => reader.text(),
        Kind::Null => {
            reader.raw()?;
            Ok(Cow::Borrowed(""))
        }
        _ => Ok(Cow::Borrowed(reader.raw()?)),
    }
}

/// An id: text without the space around it, or a number as it is written. Nothing for `null`, a list, an object.
pub(super) fn id<'a>(reader: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, Stop> {
    match reader.kind()? {
        Kind::Text => Ok(Some(trimmed(reader.text()?)).filter(|id| !id.is_empty())),
        Kind::Number => Ok(Some(Cow::Borrowed(reader.number()?))),
        _ => {
            reader.raw()?;
            Ok(None)
        }
    }
}

/// Ids: a list of them, or one; several in one text may be parted by commas, or by spaces when all are numbers.
pub(super) fn ids<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, Stop> {
    let mut found = Vec::new();
    if reader.kind()? == Kind::Array {
        reader.array()?;
        let mut first = true;
        while reader.item(&mut first)? {
            if let Some(id) = id(reader)? {
                push_parts(id, &mut found);
            }
        }
    } else if let Some(id) = id(reader)? {
        push_parts(id, &mut found);
    }
    Ok(found)
}

/// Adds the ids that stand in one text.
pub(super) fn push_parts<'a>(text: Cow<'a, str>, found: &mut Vec<Cow<'a, str>>) {
    let numeric = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if text.contains(',') {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        found.extend(parts.map(|part| Cow::Owned(part.to_owned())));
    } else if text.contains(' ') && text.split_whitespace().all(numeric) {
        found.extend(text.split_whitespace().map(|part| Cow::Owned(part.to_owned())));
    } else {
        found.push(text);
    }
}

/// The same text without the space around it.
pub(super) fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// A list of ids of ours, which are never looked into; what is no text is passed over.
pub(super) fn list<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, Stop> {
    let mut found = Vec::new();
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        if reader.kind()? == Kind::Text {
            found.push(reader.text()?);
        } else {
            reader.raw()?;
        }
    }
    Ok(found)
}

/// Ids of ours: a list of texts and numbers, or one; texts are never looked into.
pub(super) fn own_ids<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, Stop> {
    let own = |reader: &mut Reader<'a>| match reader.kind()? {
        Kind::Text => reader.text().map(Some),
        _ => id(reader),
    };
    if reader.kind()? != Kind::Array {
        return Ok(own(reader)?.into_iter().collect());
    }
    let mut found = Vec::new();
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        found.extend(own(reader)?);
    }
    Ok(found)
}
