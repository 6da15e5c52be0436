//! Reading and writing other tools' files: the second WebAssembly file, `files`.
//!
//! Calls are few and carry much, so texts cross by the glue's ordinary way. What a call gave is kept here and taken
//! piece by piece, each piece once. The host gives the instance up after each use, because memory never shrinks.

use std::borrow::Cow;
use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::interchange::{self, Format, Import, ImportOptions, Input, Report};
use crate::json::{Reader, Stop, Writer};

/// What the last call gave.
#[derive(Default)]
struct Kept {
    /// A list's text, or files as JSON.
    text: String,
    report: Report,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

fn keep(text: Option<String>, report: Report) -> bool {
    let is_there = text.is_some();
    KEPT.with_borrow_mut(|kept| *kept = Kept { text: text.unwrap_or_default(), report });
    is_there
}

/// Reads the files of one list. `manifest` is `[{"path":"…","length":n},…]`, in the order in which their bytes stand
/// one behind the other; `options` is `{"from"?:"…","strict"?:true}`. Gives whether there is a list to be taken.
#[wasm_bindgen]
pub fn read_files(manifest: &str, bytes: &[u8], options: &str) -> bool {
    // Both are the wrapper's own, so a fault in them cannot come from a user.
    let entries = manifest_of(&mut Reader::new(manifest)).unwrap_or_default();
    let options = options_of(&mut Reader::new(options)).unwrap_or_default();
    let mut rest = bytes;
    let inputs: Vec<Input<'_>> = entries
        .iter()
        .map(|(path, length)| {
            let (bytes, others) = rest.split_at(rest.len().min(*length));
            rest = others;
            Input { path, bytes }
        })
        .collect();
    let Import { text, report } = interchange::import(&inputs, options);
    keep(text, report)
}

fn manifest_of<'a>(reader: &mut Reader<'a>) -> Result<Vec<(Cow<'a, str>, usize)>, Stop> {
    let mut entries = Vec::new();
    reader.array()?;
    let mut first = true;
    while reader.item(&mut first)? {
        let mut entry = (Cow::Borrowed(""), 0);
        reader.object()?;
        let mut first = true;
        while let Some(key) = reader.key(&mut first)? {
            if key == "path" {
                entry.0 = reader.text()?;
            } else {
                entry.1 = usize::try_from(reader.whole()?).unwrap_or(usize::MAX);
            }
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn options_of(reader: &mut Reader<'_>) -> Result<ImportOptions, Stop> {
    let mut options = ImportOptions::default();
    reader.object()?;
    let mut first = true;
    while let Some(key) = reader.key(&mut first)? {
        if key == "from" {
            options.from = Format::from_word(&reader.text()?);
        } else {
            options.strict = reader.bool()?;
        }
    }
    Ok(options)
}

/// Writes a list, given as its text, in a format. Gives whether there are files to be taken.
#[wasm_bindgen]
pub fn write_files(list: &str, format: &str) -> bool {
    let Some(format) = Format::from_word(format).filter(|format| format.is_written()) else {
        return keep(None, Report::default());
    };
    let (files, report) = interchange::export(list, format);
    // A list without tasks makes a folder without files; a text that is no list makes a report that is not sound.
    let is_list = !files.is_empty() || report.is_sound();
    let mut writer = Writer::new();
    writer.open_list();
    for file in &files {
        writer.open();
        writer.field("path", &file.path);
        writer.field("text", &file.text);
        writer.close();
    }
    writer.close_list();
    keep(is_list.then(|| writer.finish()), report)
}

/// Takes the list that was read: the text that an engine opens.
#[wasm_bindgen]
pub fn take_list() -> String {
    KEPT.with_borrow_mut(|kept| std::mem::take(&mut kept.text))
}

/// Takes the files that were written, as JSON: `[{"path":"…","text":"…"},…]`.
#[wasm_bindgen]
pub fn take_output() -> String {
    take_list()
}

/// The report on the last call, as JSON.
#[wasm_bindgen]
pub fn take_report() -> String {
    KEPT.with_borrow(|kept| kept.report.to_json())
}

/// The report on the last call, for people: of each kind of problem the first `most`.
#[wasm_bindgen]
pub fn take_report_text(most: u32) -> String {
    KEPT.with_borrow(|kept| kept.report.to_text(most as usize))
}

/// Whether nothing is wrong with what the last call read.
#[wasm_bindgen]
pub fn is_sound() -> bool {
    KEPT.with_borrow(|kept| kept.report.is_sound())
}

/// The formats as JSON: `[{"word":"…","reads":true,"writes":true,"folder":false},…]`.
#[wasm_bindgen]
pub fn formats() -> String {
    let mut writer = Writer::new();
    writer.open_list();
    for format in Format::ALL {
        writer.open();
        writer.field("word", format.word());
        for (key, value) in
            [("reads", format.is_read()), ("writes", format.is_written()), ("folder", format.is_folder())]
        {
            writer.key(key);
            writer.bool(value);
        }
        writer.close();
    }
    writer.close_list();
    writer.finish()
}
