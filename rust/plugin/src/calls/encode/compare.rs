//! Compares values with bytes and with each other.

use std::sync::atomic::AtomicBool;

use varbatch_codec::{Chunk, Cursor, Kind, Writer};

use super::flat;
use crate::engine::{DIALECT, Slot, Value};
use crate::value::states::States;
use crate::value::walk::{Held, Planning, walk};

/// Bytes to compare at once.
const CHUNK: usize = 4096;

/// Compares values with the bytes that [`super::encode_typed`] makes of them, and keeps its memory for the next one.
pub struct Comparing {
    writer: Writer<'static>,
    chars: Vec<u8>,
}

impl Comparing {
    pub fn new() -> Self {
        Self { writer: Writer::new(DIALECT), chars: Vec::new() }
    }

    /// Returns the bytes after those of the value; `None` if they begin with another one. A Callable is as any other.
    #[inline]
    pub fn strip<'b>(&mut self, value: &Value, bytes: &'b [u8]) -> Option<&'b [u8]> {
        flat(value).map_or_else(|| self.strip_walked(value, bytes), |flat| flat.strip(bytes))
    }

    fn strip_walked<'b>(&mut self, value: &Value, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let Self { writer, chars } = self;
        writer.clear();
        let (start, is_lossy) = (writer.mark(), AtomicBool::new(false));
        let walked = walk(value, &mut Planning { is_typed: true, ..Planning::<Held>::new(writer, None, &is_lossy) });
        if walked.and_then(|()| writer.end_value(start)).is_err() {
            writer.drop_value(start);
            return None;
        }
        let (mut cursor, mut rest) = (Cursor::new(), bytes);
        while let Some(chunk) = cursor.next(writer.plan(), CHUNK) {
            rest = match chunk {
                Chunk::Bytes(bytes) => rest.strip_prefix(bytes)?,
                Chunk::Utf32(_) => {
                    chars.clear();
                    chunk.append_to(chars);
                    rest.strip_prefix(chars.as_slice())?
                }
            };
        }
        Some(rest)
    }
}

/// True if two values have the same bytes, and the same objects and Callables.
pub fn are_same(one: &Value, other: &Value) -> bool {
    match (flat(one), flat(other)) {
        (Some(flat), Some(other)) if one.view().kind() != Kind::Callable => flat == other,
        _ => {
            let (mut states, mut spans) = (States::default(), Vec::new());
            let errors = states.encode(&[Slot::of(one), Slot::of(other)], &mut spans);
            errors.is_empty() && states.get(spans[0]).is_same(states.get(spans[1]))
        }
    }
}
