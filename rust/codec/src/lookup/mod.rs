//! Finds the value at a path. Skips all other values by their lengths and counts, without decoding them.
//!
//! It is the same as in the decoded value. Bytes off the path are not checked: a damaged value can be read in part.
//!
//! ```
//! use varbatch_codec::Dialect;
//! use varbatch_codec::lookup::{Key, Seek, Target, lookup};
//!
//! // [true, 7], and the index 1, as Godot 4 encodes them.
//! let bytes = [28, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
//! let index = Key::of(&[2, 0, 0, 0, 1, 0, 0, 0], Dialect::GODOT_4)?;
//! let found = lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::Key(index)])?;
//! assert_eq!(found, Target::Value { at: 16, bytes: &bytes[16..] });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod follower;

use self::follower::{Aim, Done, Failed, Follower};
use crate::event::Kinds;
use crate::path::{self, Path, PathStep, Step, shown_value};
use crate::text::{self, BOM};
use crate::{CodecError, Dialect, Engine, Event, Kind, Plain, Reader, Text, padded};

/// What one step of a path seeks.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Seek<'p> {
    /// Seeks the element with this index, the value of this key, or the property of this String or StringName.
    Key(Key<'p>),
    /// Seeks the value of the only entry or property for which `is` returns true. An error calls it by `name`.
    Where { is: &'p dyn Fn(PathStep<'_>) -> bool, name: &'p str },
    /// Seeks the key of this entry of a Dictionary.
    KeyOf(usize),
}

/// The value, element or text that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Target<'a> {
    /// A value, at its offset in bytes.
    Value { at: usize, bytes: &'a [u8] },
    /// An element without a header, as in packed arrays: its offset in bytes, and plain data whose `count` is 1.
    Element { at: usize, plain: Plain<'a> },
    /// An element of a PackedStringArray, with the offset of its length in bytes.
    Text { at: usize, text: Text<'a> },
}

/// A path that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum LookupError {
    /// The value is damaged along the path.
    #[error(transparent)]
    Damaged(CodecError),
    /// A step leads nowhere: what was expected and what was found, and the path as far as it could be followed.
    #[error("{what}{path}")]
    NoStep { what: String, path: Path },
}

/// What [`find`] comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Found<'a> {
    /// What the path leads to.
    Target(Target<'a>),
    /// A step leads nowhere.
    Nothing,
    /// The step with this number is no key of a Dictionary whose keys are of this kind, unless it can be converted.
    OtherKey { step: usize, kind: Kind },
    /// Decoding converts or drops elements or keys on the path: of the container at this offset, `step` steps in.
    Mistyped { step: usize, at: usize, bytes: &'a [u8] },
}

/// Follows `path` from the value at the start of `bytes`. Offsets count from `base` bytes before it. Fails if a step
/// leads nowhere, or the value is damaged along the path.
///
/// If a key or name occurs more than once, which no engine writes, the first counts; of nulls, Callables and
/// containers, which an engine may write so, the last that can be reached. Elements and keys are what the bytes say,
/// whatever the type of their container.
pub fn lookup<'a>(
    bytes: &'a [u8],
    base: usize,
    dialect: Dialect,
    path: &[Seek<'_>],
) -> Result<Target<'a>, LookupError> {
    let mut done = Vec::with_capacity(path.len());
    let mut follower = Follower::new(bytes, base, dialect, Aim::Explain);
    follower.follow(path.iter().copied(), |step| done.push(step)).map_err(|(count, failed)| match failed {
        Failed::Nowhere(why) => {
            let what = why.text(|| path[count].shown());
            LookupError::NoStep { what, path: outwards(done, dialect).fold(Path::default(), Path::within) }
        }
        Failed::Damaged(error) => LookupError::Damaged(outwards(done, dialect).fold(error, CodecError::within)),
        Failed::OtherKey(_) | Failed::Mistyped => unreachable!("only for `Aim::Decoded`"),
    })
}

/// Like [`lookup`], without the names of steps, for what decoding gives. Fails if the value is damaged on the path.
#[inline(always)]
pub fn find<'a>(bytes: &'a [u8], base: usize, dialect: Dialect, path: &[Key<'_>]) -> Result<Found<'a>, CodecError> {
    let mut follower = Follower::new(bytes, base, dialect, Aim::Decoded);
    let (step, failed) = match follower.follow(path.iter().map(|&key| Seek::Key(key)), |_| {}) {
        Ok(target) => return Ok(Found::Target(target)),
        Err(failed) => failed,
    };
    let error = match failed {
        Failed::Nowhere(_) => return Ok(Found::Nothing),
        Failed::OtherKey(kind) => return Ok(Found::OtherKey { step, kind }),
        Failed::Mistyped => match follower.target() {
            Ok(Target::Value { at, bytes }) => return Ok(Found::Mistyped { step, at, bytes }),
            Ok(_) => unreachable!("a container has a header"),
            Err(error) => error,
        },
        Failed::Damaged(error) => error,
    };
    Err(within(bytes, base, dialect, &path[..step], error))
}

/// Puts `path`, which [`find`] followed, before the path of an error about a part of its target.
#[cold]
pub fn within(bytes: &[u8], base: usize, dialect: Dialect, path: &[Key<'_>], error: CodecError) -> CodecError {
    let mut done = Vec::with_capacity(path.len());
    let mut follower = Follower::new(bytes, base, dialect, Aim::Explain);
    _ = follower.follow(path.iter().map(|&key| Seek::Key(key)), |step| done.push(step));
    outwards(done, dialect).fold(error, CodecError::within)
}

/// Returns the steps as errors show them, innermost first.
fn outwards(done: Vec<Done<'_>>, dialect: Dialect) -> impl Iterator<Item = Step> {
    done.into_iter().rev().map(move |step| step.shown(dialect))
}

/// Returns the type of the elements of a packed array; for an array without headers, `kind` itself.
pub const fn element_kind(kind: Kind) -> Kind {
    match kind {
        Kind::PackedByteArray | Kind::PackedInt32Array | Kind::PackedInt64Array => Kind::Int,
        Kind::PackedFloat32Array | Kind::PackedFloat64Array => Kind::Float,
        Kind::PackedVector2Array => Kind::Vector2,
        Kind::PackedVector3Array => Kind::Vector3,
        Kind::PackedVector4Array => Kind::Vector4,
        Kind::PackedColorArray => Kind::Color,
        kind => kind,
    }
}

/// A key that a path seeks.
#[derive(Clone, Copy, Debug)]
pub struct Key<'p> {
    bytes: &'p [u8],
    dialect: Dialect,
    kind: Kind,
    event: Event<'p>,
}

impl<'p> Key<'p> {
    /// Reads an encoded key. Fails if the bytes are no value.
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

    fn shown(&self) -> String {
        shown_value(Reader::new(self.bytes).with_dialect(self.dialect))
    }

    fn text(&self) -> Option<Text<'p>> {
        if let Event::String(text) | Event::StringName(text) = self.event { Some(text) } else { None }
    }

    /// Returns the bytes of a text that Godot 4 reads as they are.
    #[inline]
    fn utf8(&self) -> Option<&'p [u8]> {
        let Text::Utf8(text) = self.text()? else { return None };
        Some(text.as_bytes()).filter(|text| !text.starts_with(BOM))
    }

    /// True if a Dictionary treats this and another key as the same.
    fn is(&self, bytes: &[u8], event: Event<'_>) -> bool {
        match (self.event, event) {
            // In the engine, a String and a StringName with the same text are the same key, but not inside of one.
            (Event::String(a) | Event::StringName(a), Event::String(b) | Event::StringName(b)) => is_same_text(a, b),
            // An object is the same as itself alone, which its bytes must show.
            (Event::Object { .. }, _) => self.bytes == bytes,
            (a, b) if is_head(a) => is_same(a, b) && (self.bytes == bytes || self.are_same_parts(bytes)),
            (a, b) => is_same(a, b),
        }
    }

    /// True if only decoding shows whether another key of the same kind is this one: if parts in it are not of the type of
    /// their container, or a text in one of both may have a byte-order mark, which is lost when it is read.
    fn is_unsure(&self, bytes: &[u8]) -> bool {
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
fn raw_text(bytes: &[u8], dialect: Dialect) -> Option<(Kind, &[u8])> {
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
pub(crate) fn fits(reader: &mut Reader<'_>, kinds: Kinds) -> Result<bool, CodecError> {
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

fn is_same_text(a: Text<'_>, b: Text<'_>) -> bool {
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
    let are_same = |(a, b)| is_same_number(a, b);
    (a.bytes == b.bytes && a.width == b.width)
        || a.floats().zip(b.floats()).is_some_and(|(a, b)| a.zip(b).all(are_same))
}
