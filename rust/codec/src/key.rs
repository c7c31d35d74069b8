//! The form in which a store writes its keys: their bytes sort as the values do, and are equal where a Dictionary has one key.
//!
//! The first byte is the type's id in Godot 4. What follows depends on the shape:
//!
//! | shape | bytes |
//! |---|---|
//! | `null` | none |
//! | `bool` | 0 or 1 |
//! | `int` | 8 bytes, big-endian, with the sign bit flipped |
//! | `float` | 8 bytes, big-endian: the sign bit is flipped, or all bits if it is set |
//! | vectors, matrices, colors and the like | their components in order: integers have 4 bytes, floats 8 |
//! | `String` | UTF-8, which sorts by code points, as `<` does in the engine |
//! | others | the canonical buffer after its header; their order means nothing |
//!
//! Which values are one key was asked of Godot 4.6.3, with `{a: 1}.has(b)`. At every depth:
//!
//! - A `StringName` that is the key itself, or a key of a Dictionary in it, becomes a `String`. As an element or as the
//!   value of an entry it stays what it is: `["a"]` and `[&"a"]` are two keys.
//! - -0.0 becomes 0.0, and all NaNs one, in vectors and packed arrays too. The engine never finds a key again in which a
//!   NaN is an element or the value of an entry; a store does.
//! - Byte-order marks before a text are dropped. To the engine they matter, until it has saved and loaded the text: so an
//!   engine's own value with such a text [is refused](to_exact_key).
//! - An Array or a Dictionary loses its element types. The order of entries matters.
//! - `real_t` has 64 bits, so that both builds of an engine have the same key for a value that both can hold.

use std::borrow::Cow;
use std::ops::Range;

use crate::transcode::Translation;
use crate::{
    CodecError, CodecErrorKind, Copied, Dialect, ElementType, Event, FLAG_64, Kind, Plain, Reader, Scalar, Shape, Text,
    WORD, Writer,
};

/// The dialect of canonical buffers.
const CANONICAL: Dialect = Dialect::GODOT_4_DOUBLE;

/// Bytes of most keys.
const ROOM: usize = 32;

const SIGN: u64 = 1 << 63;

/// The bits of the NaN that all are: the one that sorts after infinity.
const NAN: u64 = 0x7ff8 << 48;
const SINGLE_NAN: u32 = 0x7fc0 << 16;

/// Returns the key of the value in `buffer`, of Godot 4 with components of any width.
///
/// # Errors
/// If the buffer is no value, something follows the value, or an object, Callable, Signal or RID is in it.
pub fn to_key(buffer: &[u8]) -> Result<Vec<u8>, CodecError> {
    make_key(buffer, false)
}

/// [`to_key`] of what an engine has just written. Also refuses texts with byte-order marks before them or NULs in them, which
/// are dropped when they are read: then two values would have one key.
pub fn to_exact_key(buffer: &[u8]) -> Result<Vec<u8>, CodecError> {
    make_key(buffer, true)
}

fn make_key(buffer: &[u8], is_exact: bool) -> Result<Vec<u8>, CodecError> {
    let mut reader = Reader::new(buffer).with_objects(true);
    let mut key = Vec::with_capacity(ROOM);
    key.push(reader.peek_kind()?.id());
    match reader.next_event()? {
        Some(Event::Nil) => {}
        Some(Event::Bool(value)) => key.push(value.into()),
        Some(Event::Int(value)) => key.extend((value ^ i64::MIN).to_be_bytes()),
        Some(Event::Float(value)) => key.extend(ordered(canonical(value))),
        Some(Event::String(text) | Event::StringName(text)) => {
            if is_exact {
                check_text(&reader, text, WORD, 0)?;
            }
            key[0] = Kind::String.id();
            key.extend_from_slice(unmarked(text).to_utf8().as_bytes());
        }
        Some(Event::Components(plain)) => match plain.floats() {
            Some(floats) => key.extend(floats.map(canonical).flat_map(ordered)),
            None => {
                let ints = plain.bytes.as_chunks().0.iter();
                key.extend(ints.flat_map(|int| (i32::from_le_bytes(*int) ^ i32::MIN).to_be_bytes()));
            }
        },
        _ => {
            // The low byte of the header is the type's id, which stays.
            key = canonical_buffer(buffer, is_exact)?;
            key.drain(1..WORD);
            return Ok(key);
        }
    }
    reader.check_end()?;
    Ok(key)
}

/// Returns the buffer of a key, `None` if no value has this key.
///
/// Its `real_t` has 32 bits if that loses nothing, else 64. An engine with single precision reads both, but rounds 64 bits:
/// a key that only an engine with double precision can hold becomes a value there that has another key.
pub fn from_key(key: &[u8]) -> Option<Vec<u8>> {
    let wide = wide_buffer(key)?;
    let (narrow, losses) = Translation::new(CANONICAL, Dialect::GODOT_4).bytes(&wide).ok()?;
    let buffer = if losses.is_empty() { narrow } else { wide };
    (to_key(&buffer).ok()? == key).then_some(buffer)
}

/// Returns the range of all keys that are Strings with this prefix: UTF-8 has no byte 0xff.
pub fn prefix_range(prefix: &str) -> Range<Vec<u8>> {
    let start = [&[Kind::String.id()], prefix.as_bytes()].concat();
    let end = [start.as_slice(), &[0xff]].concat();
    start..end
}

/// Returns the buffer that all values of the same key share.
fn canonical_buffer(buffer: &[u8], is_exact: bool) -> Result<Vec<u8>, CodecError> {
    // Objects with properties are refused below, as all others are.
    let (mut reader, mut writer) = (Reader::new(buffer).with_objects(true), Writer::new(CANONICAL));
    let (start, mut nul) = (writer.mark(), 0);
    loop {
        let (at, depth) = (reader.position(), reader.depth());
        let Some(event) = reader.next_event()? else { break };
        match event {
            // Which count the NUL behind each text.
            Event::PackedStrings { .. } => nul = 1,
            Event::NodePath { .. } => nul = 0,
            Event::String(text) | Event::StringName(text) if is_exact => check_text(&reader, text, at + WORD, 0)?,
            Event::Text(text) if is_exact => check_text(&reader, text, at, nul)?,
            _ => {}
        }
        let bytes;
        let event = match event {
            Event::Float(value) => Event::Float(canonical(value)),
            Event::Components(plain) => {
                bytes = canonical_bytes(plain);
                Event::Components(Plain { width: CANONICAL.real, bytes: &bytes, ..plain })
            }
            Event::Packed(plain) => {
                bytes = canonical_bytes(plain);
                Event::Packed(Plain { width: CANONICAL.real, bytes: &bytes, ..plain })
            }
            Event::StringName(text) if !reader.was_key(depth) => Event::StringName(unmarked(text)),
            Event::String(text) | Event::StringName(text) => Event::String(unmarked(text)),
            Event::Text(text) => Event::Text(unmarked(text)),
            Event::Array { count, .. } => Event::Array { element: ElementType::Any, count },
            Event::Dictionary { count, .. } => {
                Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count }
            }
            Event::Object { .. } | Event::ObjectId(_) | Event::Callable | Event::Signal { .. } | Event::Rid(_) => {
                let kind = Kind::from_id(reader.bytes(at, at + 1)[0]).map_or("", Kind::name);
                let text = format!("expected a key without objects, Callables, Signals and RIDs, found {kind}");
                return Err(reader.error_at(at, CodecErrorKind::Refused(text)));
            }
            event => event,
        };
        writer.write_as(event, Copied).map_err(|error| reader.error_at(at, error.into_kind()))?;
    }
    reader.check_end()?;
    writer.end_value(start)?;
    Ok(writer.into_plan().into_vec())
}

/// Returns the canonical buffer of a key, and some buffer for bytes that are no key.
fn wide_buffer(key: &[u8]) -> Option<Vec<u8>> {
    let (&id, rest) = key.split_first()?;
    let kind = Kind::from_id(id)?;
    let bytes: Vec<u8>;
    let event = match kind.shape() {
        Shape::Nil => Event::Nil,
        Shape::Bool => Event::Bool(rest == [1]),
        Shape::Int => Event::Int(i64::from_be_bytes(rest.try_into().ok()?) ^ i64::MIN),
        Shape::Float => Event::Float(unordered(rest.try_into().ok()?)),
        Shape::Text => Event::String(Text::Utf8(str::from_utf8(rest).ok()?)),
        Shape::Components { .. } => {
            bytes = match kind.shape().float() {
                Some(scalar) => to_bytes(scalar, rest.as_chunks().0.iter().map(|float| unordered(*float))),
                None => {
                    let ints = rest.as_chunks().0.iter();
                    ints.flat_map(|int| (i32::from_be_bytes(*int) ^ i32::MIN).to_le_bytes()).collect()
                }
            };
            Event::Components(Plain { kind, width: CANONICAL.real, count: 1, bytes: &bytes })
        }
        shape => {
            let header = u32::from(id) | if shape.is_real() { FLAG_64 } else { 0 };
            return Some([&header.to_le_bytes(), rest].concat());
        }
    };
    let mut writer = Writer::new(CANONICAL);
    writer.write_as(event, Copied).ok()?;
    Some(writer.into_plan().into_vec())
}

/// Returns plain data with canonical floats, and `real_t` of the canonical width.
fn canonical_bytes(plain: Plain<'_>) -> Cow<'_, [u8]> {
    match plain.kind.shape().float().zip(plain.floats()) {
        Some((scalar, floats)) => to_bytes(scalar, floats.map(canonical)).into(),
        None => plain.bytes.into(),
    }
}

fn to_bytes(scalar: Scalar, floats: impl Iterator<Item = f64>) -> Vec<u8> {
    let single = |float: f64| if float.is_nan() { SINGLE_NAN } else { (float as f32).to_bits() };
    match scalar {
        Scalar::F32 => floats.flat_map(|float| single(float).to_le_bytes()).collect(),
        _ => floats.flat_map(f64::to_le_bytes).collect(),
    }
}

/// Fails if a text lacks some of the bytes of which there are as many as the word at `at` says, besides a NUL.
fn check_text(reader: &Reader<'_>, text: Text<'_>, at: usize, nul: usize) -> Result<(), CodecError> {
    let found = text.to_utf8().len() + nul;
    if reader.bytes(at, at + WORD) == (found as u32).to_le_bytes() {
        return Ok(());
    }
    let why = "expected a key without byte-order marks before its texts and NULs in them, which are dropped when they are read";
    Err(reader.error_at(at, CodecErrorKind::Refused(why.to_owned())))
}

/// Returns a text without byte-order marks before it: each time that an engine reads one, it drops one mark.
fn unmarked(text: Text<'_>) -> Text<'_> {
    match text {
        Text::Utf8(text) => Text::Utf8(text.trim_start_matches('\u{feff}')),
        text => text,
    }
}

fn canonical(float: f64) -> f64 {
    // -0.0 + 0.0 is 0.0.
    if float.is_nan() { f64::from_bits(NAN) } else { float + 0.0 }
}

/// Returns bytes that sort as the floats do.
fn ordered(float: f64) -> [u8; 8] {
    let bits = float.to_bits();
    (if float.is_sign_negative() { !bits } else { bits ^ SIGN }).to_be_bytes()
}

fn unordered(bytes: [u8; 8]) -> f64 {
    let bits = u64::from_be_bytes(bytes);
    f64::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
}
