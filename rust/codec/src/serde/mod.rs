//! Rust types to bytes and back with `serde`, behind the feature of that name.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Deserialize, PartialEq, Serialize)]
//! struct Player {
//!     name: String,
//!     hp: u8,
//!     inventory: Vec<String>,
//! }
//!
//! let player = Player { name: "Ann".into(), hp: 12, inventory: vec!["lamp".into()] };
//! // As var_to_bytes({"name": "Ann", "hp": 12, "inventory": ["lamp"]}).
//! let bytes = varbatch_codec::serde::to_vec(&player)?;
//! assert_eq!(varbatch_codec::serde::from_slice::<Player>(&bytes)?, player);
//! # Ok::<(), varbatch_codec::CodecError>(())
//! ```
//!
//! | Rust | is written as | and read from |
//! |---|---|---|
//! | `bool`, integers, floats, `String` | `bool`, `int`, `float`, `String` | the same, and `String` from a `StringName` or `NodePath` |
//! | `()`, `None` | `null` | the same |
//! | sequences, tuples, arrays | `Array` | typed or not; a packed array; the numbers of a vector, matrix or color |
//! | bytes (`serde_bytes`) | `PackedByteArray` | the same |
//! | structs, maps | `Dictionary` | typed or not; the properties of an object |
//! | enums | the variant's name, with data a `Dictionary` of that one key | the same |
//!
//! The elements of a packed array of vectors are sequences themselves, as for `Vec<[f32; 3]>`. An `RID` and the id of an
//! object are read as `u64`.
//!
//! What this model cannot say is never written: a `StringName`, `NodePath`, vector, matrix, color, a packed array other
//! than of bytes, a typed container, an object, a `Signal`. A field of type [`Value`](crate::Value) can be any of them, and
//! reads any of them. Elsewhere a `Callable` or a `Signal` is an error, as are integers above those of the engine (`i64`)
//! when they are written, and more than 128 levels when they are read.

mod read;
mod write;

use std::fmt::Display;

use ::serde::{Deserialize, Serialize, de, ser};

use crate::error::{CodecError, CodecErrorKind};
use crate::reader::Reader;

/// More levels may overflow the stack, as reading by `serde` is recursive. The same as in `serde_json`.
const MAX_DEPTH: usize = 128;
/// The name by which a [`Value`](crate::Value) in a type is known.
const VALUE: &str = "$varbatch_codec::Value";

impl ser::Error for CodecError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(0, CodecErrorKind::Refused(message.to_string()))
    }
}

impl de::Error for CodecError {
    fn custom<T: Display>(message: T) -> Self {
        ser::Error::custom(message)
    }
}

/// Reads the value at the start of `bytes`: bytes after it are ignored, as by `bytes_to_var`.
///
/// # Errors
/// If there is no such value, it contains an object with properties, or it does not fit the type.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, CodecError> {
    from_reader(&mut Reader::new(bytes))
}

/// Reads the value that comes next, by the rules of the reader's dialect, with objects if it allows them.
///
/// # Errors
/// If the bytes are bad, or the value does not fit the type.
pub fn from_reader<'de, T: Deserialize<'de>>(reader: &mut Reader<'de>) -> Result<T, CodecError> {
    let mut again = reader.clone();
    T::deserialize(read::Next(reader)).map_err(|error| match error.kind() {
        CodecErrorKind::Refused(_) => {
            // The type knows only what does not fit, and `read` where that begins: the second walk knows inside what.
            while again.position() < error.at() && again.next_event().is_ok() {}
            again.error_at(again.position(), error.into_kind())
        }
        _ => error,
    })
}

/// Encodes a value like `var_to_bytes`.
///
/// # Errors
/// If the type has what the engine cannot hold.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut writer = write::writer();
    let start = writer.mark();
    value.serialize(write::Next(&mut writer))?;
    writer.end_value(start)?;
    Ok(writer.into_plan().into_vec())
}
