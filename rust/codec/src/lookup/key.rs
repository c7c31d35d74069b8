//! Compares the key that a path seeks with others, as a Dictionary does.

use super::LookupError;
use crate::dialect::{Dialect, Engine};
use crate::error::CodecError;
use crate::event::{Event, Kinds, Plain, Text};
use crate::kind::{Kind, Scalar, Shape, padded};
use crate::path::{self, Path, shown_value};
use crate::reader::Reader;
use crate::text::{self, BOM};

/// A key that a path seeks.
#[derive(Clone, Copy, Debug)]
pub struct Key<'p> {
    bytes: &'p [u8],
    dialect: Dialect,
    pub(super) kind: Kind,
    pub(super) event: Event<'p>,
}

impl<'p> Key<'p> {
    /// Reads an encoded key.
    ///
    /// # Errors
    /// If the bytes are no value.
    #[inline]
    pub fn of(bytes: &'p [u8], dialect: Dialect) -> Result<Self, LookupError> {
        // The usual keys, without a Reader.
        if let Some((kind, text)) = raw_text(bytes, dialect)
            && let Ok(text) = text::decode(text)
        {
            let text = Text::Utf8(text);
            let event = if kind == Kind::String { Event::String(text) } else { Event::StringName(text) };
            return Ok(Self { bytes, dialect, kind, event });
        }
        let mut reader = Reader::new(bytes).with_dialect(dialect).with_objects(true);
        let broken = |error| LookupError::NoStep { what: path::broken(path::STEP, &error), path: Path::default() };
        let kind = reader.peek_kind().map_err(broken)?;
        let event = reader.next_event().map_err(broken)?.expect("a value has an event");
        Ok(Self { bytes, dialect, kind, event })
    }

    pub(super) fn shown(&self) -> String {
        shown_value(Reader::new(self.bytes).with_dialect(self.dialect))
    }

    pub(super) fn text(&self) -> Option<Text<'p>> {
        if let Event::String(text) | Event::StringName(text) = self.event { Some(text) } else { None }
    }

    /// Returns the bytes of a text that Godot 4 reads as they are.
    #[inline]
    pub(super) fn utf8(&self) -> Option<&'p [u8]> {
        if let Some(Text::Utf8(text)) = self.text() {
            Some(text.as_bytes()).filter(|text| !text.starts_with(BOM))
        } else {
            None
        }
    }

    /// True if a Dictionary treats this and another key as the same.
    pub(super) fn is(&self, bytes: &[u8], event: Event<'_>) -> bool {
        match (self.event, event) {
            // In the engine, a String and a StringName with the same text are the same key, but not inside of one.
            (Event::String(a) | Event::StringName(a), Event::String(b) | Event::StringName(b)) => is_same_text(a, b),
            // An object is the same as itself alone, which its bytes must show.
            (Event::Object { .. }, _) => self.bytes == bytes,
            (a, b) if is_head(a) => is_same(a, b) && (self.bytes == bytes || self.are_same_parts(bytes)),
            (a, b) => is_same(a, b),
        }
    }

    /// True if the engine writes several such keys that are the same when they are read: the last of them counts.
    pub(super) fn may_be_twice(&self) -> bool {
        matches!(self.kind, Kind::Nil | Kind::Callable | Kind::Array | Kind::Dictionary)
    }

    /// True if only decoding shows whether another key of the same kind is this one: if parts in it are not of the type of
    /// their container, or a text in one of both may have a byte-order mark, which is lost when it is read.
    pub(super) fn is_unsure(&self, bytes: &[u8]) -> bool {
        let is_marked = |bytes: &[u8]| bytes.windows(BOM.len()).any(|part| part == BOM);
        let fits = |bytes| fits(&mut Reader::new(bytes).with_objects(true).with_trusted_counts(), Kinds::ANY);
        is_head(self.event) && (is_marked(self.bytes) || is_marked(bytes) || fits(bytes) == Ok(false))
    }

    /// True if this and another key have the same parts: their bytes may still differ.
    #[cold]
    fn are_same_parts(&self, bytes: &[u8]) -> bool {
        let reader = |bytes| Reader::new(bytes).with_dialect(self.dialect).with_objects(true).with_trusted_counts();
        let (mut one, mut other) = (reader(self.bytes), reader(bytes));
        loop {
            match (one.next_event(), other.next_event()) {
                (Ok(Some(a)), Ok(Some(b))) if is_same(a, b) => {}
                (Ok(None), Ok(None)) => return true,
                _ => return false,
            }
        }
    }
}

/// Returns the bytes of the text at the start of `bytes`, and its kind, if Godot 4 wrote it.
#[inline]
pub(super) fn raw_text(bytes: &[u8], dialect: Dialect) -> Option<(Kind, &[u8])> {
    const STRING: u32 = Kind::String.id() as u32;
    const STRING_NAME: u32 = Kind::StringName.id() as u32;
    let (&words, text) = bytes.split_first_chunk()?;
    let words = u64::from_le_bytes(words);
    let kind = match words as u32 {
        STRING if dialect.engine == Engine::Godot4 => Kind::String,
        STRING_NAME if dialect.engine == Engine::Godot4 => Kind::StringName,
        _ => return None,
    };
    let len = (words >> 32) as usize;
    Some((kind, text.get(..len).filter(|_| padded(len) <= text.len())?))
}

/// True if other events of the value follow.
fn is_head(event: Event<'_>) -> bool {
    matches!(
        event,
        Event::NodePath { .. } | Event::PackedStrings { .. } | Event::Array { .. } | Event::Dictionary { .. }
    )
}

/// Compares events as the engine compares parts of keys: containers without their types.
fn is_same(a: Event<'_>, b: Event<'_>) -> bool {
    match (a, b) {
        (Event::Array { count: a, .. }, Event::Array { count: b, .. })
        | (Event::Dictionary { count: a, .. }, Event::Dictionary { count: b, .. }) => a == b,
        (Event::String(a), Event::String(b))
        | (Event::StringName(a), Event::StringName(b))
        | (Event::Text(a), Event::Text(b)) => is_same_text(a, b),
        (Event::Float(a), Event::Float(b)) => is_same_number(a, b),
        (Event::Components(a), Event::Components(b)) | (Event::Packed(a), Event::Packed(b)) => {
            a.kind == b.kind && a.count == b.count && are_same_numbers(a, b)
        }
        (a, b) => a == b,
    }
}

/// Reads a value of Godot 4. Returns false if it is not of these kinds, or a container in it has a part that is not of its.
#[cold]
fn fits(reader: &mut Reader<'_>, kinds: Kinds) -> Result<bool, CodecError> {
    let depth = reader.depth();
    let mut fitting = kinds.has(Some(&reader.peek_kind()?.id()));
    match reader.next_event()? {
        Some(Event::Array { element, count }) => {
            for _ in 0..count {
                fitting &= fits(reader, Kinds::of(element.kind()))?;
            }
        }
        Some(Event::Dictionary { key, count, .. }) => {
            for _ in 0..count {
                fitting &= fits(reader, Kinds::of(key.kind()))? & fits(reader, Kinds::ANY)?;
            }
        }
        _ => reader.finish_value(depth)?,
    }
    Ok(fitting)
}

pub(super) fn is_same_text(a: Text<'_>, b: Text<'_>) -> bool {
    match (a, b) {
        (Text::Utf8(a), Text::Utf8(b)) => a == b,
        _ => a.to_utf8() == b.to_utf8(),
    }
}

/// Compares numbers as the engine compares the components of keys: NaN equals NaN.
fn is_same_number(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

fn are_same_numbers(a: Plain<'_>, b: Plain<'_>) -> bool {
    let (Shape::Components { scalar, .. } | Shape::Packed { scalar, .. }) = a.kind.shape() else { return false };
    let numbers = |plain: Plain<'_>| -> Vec<f64> {
        let four = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("of four bytes")).into();
        let eight = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("of eight bytes"));
        match scalar.size(plain.width) {
            4 => plain.bytes.chunks_exact(4).map(four).collect(),
            _ => plain.bytes.chunks_exact(8).map(eight).collect(),
        }
    };
    let is_float = matches!(scalar, Scalar::F32 | Scalar::F64 | Scalar::Real);
    (a.bytes == b.bytes && a.width == b.width)
        || is_float && numbers(a).iter().zip(numbers(b)).all(|(&a, b)| is_same_number(a, b))
}
