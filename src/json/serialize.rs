//! Any `serde` value as JSON: the rich answers (explanations, progress) derive `Serialize` once, go to
//! JavaScript as objects through `serde-wasm-bindgen`, and come out here for native callers.

use std::fmt::{self, Display};

use serde::ser::{self, Impossible, Serialize};

use super::Writer;

/// Writes a value as JSON text.
///
/// # Panics
/// When the value holds what the answers of this crate never hold (maps, bytes, enums with data).
#[must_use]
pub fn to_json(value: &impl Serialize) -> String {
    let mut writer = Writer::new();
    value.serialize(Json(&mut writer)).expect("answers are made of structs, lists, words and numbers");
    writer.finish()
}

/// What cannot be written; answers never hold it.
#[derive(Debug)]
pub(super) struct Unsupported;

impl Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a kind of value that answers never hold")
    }
}
impl std::error::Error for Unsupported {}
impl ser::Error for Unsupported {
    fn custom<T: Display>(_: T) -> Self {
        Unsupported
    }
}

struct Json<'w>(&'w mut Writer);
type Result<T> = std::result::Result<T, Unsupported>;

macro_rules! whole {
    ($($name:ident: $kind:ty),*) => {
        $(fn $name(self, value: $kind) -> Result<()> {
            self.0.whole(u64::try_from(value).map_err(|_| Unsupported)?);
            Ok(())
        })*
    };
}

impl<'w> ser::Serializer for Json<'w> {
    type Ok = ();
    type Error = Unsupported;
    type SerializeSeq = Part<'w>;
    type SerializeStruct = Part<'w>;
    type SerializeTuple = Impossible<(), Unsupported>;
    type SerializeTupleStruct = Impossible<(), Unsupported>;
    type SerializeTupleVariant = Impossible<(), Unsupported>;
    type SerializeMap = Impossible<(), Unsupported>;
    type SerializeStructVariant = Impossible<(), Unsupported>;

    whole!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    whole!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.0.bool(value);
        Ok(())
    }
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(f64::from(value))
    }
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.0.raw(&value.to_string());
        Ok(())
    }
    fn serialize_char(self, value: char) -> Result<()> {
        self.0.text(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }
    fn serialize_str(self, value: &str) -> Result<()> {
        self.0.text(value);
        Ok(())
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<()> {
        Err(Unsupported)
    }
    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<()> {
        self.0.null();
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> Result<()> {
        self.serialize_str(word)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        Err(Unsupported)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Part<'w>> {
        self.0.open_list();
        Ok(Part(self.0))
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Err(Unsupported)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct> {
        Err(Unsupported)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Err(Unsupported)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Err(Unsupported)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Part<'w>> {
        self.0.open();
        Ok(Part(self.0))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Err(Unsupported)
    }
}

/// An open list or object.
struct Part<'w>(&'w mut Writer);

impl ser::SerializeSeq for Part<'_> {
    type Ok = ();
    type Error = Unsupported;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Json(self.0))
    }
    fn end(self) -> Result<()> {
        self.0.close_list();
        Ok(())
    }
}

impl ser::SerializeStruct for Part<'_> {
    type Ok = ();
    type Error = Unsupported;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
        self.0.key(key);
        value.serialize(Json(self.0))
    }
    fn end(self) -> Result<()> {
        self.0.close();
        Ok(())
    }
}
