//! Builds values from events, and turns values into events, without recursion. No other code encodes or decodes them.

use std::fmt;

use super::{OwnedType, OwnedValue};
use crate::{CodecError, CodecErrorKind, Copied, ElementType, Event, Kind, Plain, Reader, Text, Width, Writer};

/// A container with values still to come.
struct Open<R> {
    container: OwnedValue<R>,
    /// The key whose value comes next, or the name of the property.
    key: Option<OwnedValue<R>>,
}

impl<R: Real> OwnedValue<R> {
    /// Levels of nesting that [`Self::read`] and [`Self::decode`] allow: see [`Self::read_nested`].
    pub const MAX_DEPTH: usize = 128;

    /// Reads one value to its end, by the dialect and the options of the reader; its [`position`](Reader::position) is
    /// then the end. [`Self::Object`] has what is encoded: no object is made. Fails like [`Reader::next_event`], if the
    /// reader's value has ended, and for more than [`Self::MAX_DEPTH`] levels of nesting.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Self::read_nested(reader, Self::MAX_DEPTH)
    }

    /// Like [`Self::read`], for up to `max_depth` levels; the engine has 1024. Clone, comparison, `Debug` and drop are
    /// recursive: in a program without optimisation a level takes up to 3 KiB of the stack, which may overflow.
    pub fn read_nested(reader: &mut Reader<'_>, max_depth: usize) -> Result<Self, CodecError> {
        let (outside, mut open) = (reader.depth(), Vec::<Open<R>>::new());
        loop {
            let at = reader.position();
            let refused = |reader: &Reader<'_>, why: String| reader.error_at(at, CodecErrorKind::Refused(why));
            let Some(event) = reader.next_event()? else {
                return Err(refused(reader, "expected a value, found the end of the last one".into()));
            };
            if let Event::Text(name) = event {
                match open.last_mut() {
                    Some(object) => object.key = Some(Self::String(string(name))),
                    None => return Ok(Self::String(string(name))),
                }
                continue;
            }
            let mut value = Self::begin(event, reader)?;
            if reader.depth() > outside + open.len() {
                if open.len() == max_depth {
                    return Err(refused(
                        reader,
                        format!("expected at most {max_depth} levels of nesting, found one more"),
                    ));
                }
                open.push(Open { container: value, key: None });
                continue;
            }
            loop {
                let Some(Open { container, key }) = open.last_mut() else { return Ok(value) };
                match (container, key.take()) {
                    (Self::Array { elements, .. }, _) => elements.push(value),
                    (Self::Dictionary { entries, .. }, Some(key)) => entries.push((key, value)),
                    (Self::Object { properties, .. }, Some(Self::String(name))) => properties.push((name, value)),
                    (_, _) => *key = Some(value),
                }
                if reader.depth() == outside + open.len() {
                    break;
                }
                value = open.pop().expect("it is open").container;
            }
        }
    }

    /// Returns the value that an event begins, with its texts, but without the values in it.
    fn begin(event: Event<'_>, reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let mut texts = |count| -> Result<Vec<String>, CodecError> {
            (0..count).map(|_| Ok(reader.next_text()?.map_or_else(String::new, string))).collect()
        };
        Ok(match event {
            Event::Nil => Self::Nil,
            Event::Bool(value) => Self::Bool(value),
            Event::Int(value) => Self::Int(value),
            Event::Float(value) => Self::Float(value),
            Event::Components(plain) | Event::Packed(plain) => Self::of_plain(plain),
            Event::String(text) => Self::String(string(text)),
            Event::StringName(text) => Self::StringName(string(text)),
            Event::NodePath { names, subnames, absolute } => {
                Self::NodePath { names: texts(names)?, subnames: texts(subnames)?, absolute }
            }
            Event::Rid(id) => Self::Rid(id),
            Event::Callable => Self::Callable,
            Event::Signal { name, object } => Self::Signal { name: string(name), object },
            Event::ObjectId(id) => Self::ObjectId(id),
            Event::PackedStrings { count } => Self::PackedStringArray(texts(count)?),
            Event::Object { class, count } => {
                Self::Object { class: string(class), properties: Vec::with_capacity(count) }
            }
            Event::Dictionary { key, value, count } => {
                Self::Dictionary { key: key.into(), value: value.into(), entries: Vec::with_capacity(count) }
            }
            Event::Array { element, count } => {
                Self::Array { element: element.into(), elements: Vec::with_capacity(count) }
            }
            Event::Text(_) => unreachable!("dealt with by the caller"),
        })
    }
}

impl From<ElementType<'_>> for OwnedType {
    fn from(element: ElementType<'_>) -> Self {
        match element {
            ElementType::Any => Self::Any,
            ElementType::Builtin(kind) => Self::Builtin(kind),
            ElementType::Class(name) => Self::Class(string(name).into()),
            ElementType::Script(path) => Self::Script(string(path).into()),
        }
    }
}

fn string(text: Text<'_>) -> String {
    text.to_utf8().into_owned()
}

impl<R: Real> OwnedValue<R> {
    /// Writes the value, borrowing long texts; call [`Writer::end_value`] afterwards. Fails like [`Writer::write`], and
    /// for a text that has a NUL or begins with a byte-order mark, which no reader gives back.
    pub fn write<'v>(&'v self, writer: &mut Writer<'v>) -> Result<(), CodecError> {
        // Values, with how many of those in them are written. Short, as the writer bounds the nesting.
        let (mut open, mut plain) = (Vec::new(), Vec::new());
        let mut value = self;
        loop {
            value.begin_write(writer, &mut plain)?;
            open.push((value, 0));
            value = loop {
                let Some((outer, index)) = open.last_mut() else { return Ok(()) };
                if let Some((name, inner)) = outer.inner(*index) {
                    *index += 1;
                    name.map_or(Ok(()), |name| writer.write(Event::Text(writer.checked(name)?)))?;
                    break inner;
                }
                open.pop();
            };
        }
    }

    /// Returns the value at this index in a container (keys and values both count), and its name if it is a property.
    fn inner(&self, index: usize) -> Option<(Option<&str>, &Self)> {
        match self {
            Self::Array { elements, .. } => Some((None, elements.get(index)?)),
            Self::Dictionary { entries, .. } => {
                let (key, value) = entries.get(index / 2)?;
                Some((None, if index.is_multiple_of(2) { key } else { value }))
            }
            Self::Object { properties, .. } => properties.get(index).map(|(name, value)| (Some(&**name), value)),
            _ => None,
        }
    }

    /// Writes a value up to the first value in it.
    fn begin_write<'v>(&'v self, writer: &mut Writer<'v>, plain: &mut Vec<u8>) -> Result<(), CodecError> {
        if let Self::PackedByteArray(bytes) = self {
            let plain = Plain { kind: Kind::PackedByteArray, width: R::WIDTH, count: bytes.len(), bytes };
            return writer.write(Event::Packed(plain));
        }
        if let Some(event) = self.plain_event(plain) {
            return writer.write_as(event, Copied);
        }
        let texts = |writer: &mut Writer<'v>, texts: &'v [String]| {
            texts.iter().try_for_each(|text| writer.write(Event::Text(writer.checked(text)?)))
        };
        let event = match self {
            Self::Bool(value) => Event::Bool(*value),
            Self::Int(value) => Event::Int(*value),
            Self::Float(value) => Event::Float(*value),
            Self::String(text) => Event::String(writer.checked(text)?),
            Self::StringName(text) => Event::StringName(writer.checked(text)?),
            Self::NodePath { names, subnames, absolute } => {
                writer.write(Event::NodePath { names: names.len(), subnames: subnames.len(), absolute: *absolute })?;
                texts(writer, names)?;
                return texts(writer, subnames);
            }
            Self::PackedStringArray(strings) => {
                writer.write(Event::PackedStrings { count: strings.len() })?;
                return texts(writer, strings);
            }
            Self::Rid(id) => Event::Rid(*id),
            Self::ObjectId(id) => Event::ObjectId(*id),
            Self::Callable => Event::Callable,
            Self::Signal { name, object } => Event::Signal { name: writer.checked(name)?, object: *object },
            Self::Object { class, properties } => {
                Event::Object { class: writer.checked(class)?, count: properties.len() }
            }
            Self::Dictionary { key, value, entries } => {
                Event::Dictionary { key: key.checked(writer)?, value: value.checked(writer)?, count: entries.len() }
            }
            Self::Array { element, elements } => {
                Event::Array { element: element.checked(writer)?, count: elements.len() }
            }
            _ => Event::Nil,
        };
        writer.write(event)
    }
}

impl OwnedType {
    fn checked(&self, writer: &Writer<'_>) -> Result<ElementType<'_>, CodecError> {
        Ok(match self {
            Self::Any => ElementType::Any,
            Self::Builtin(kind) => ElementType::Builtin(*kind),
            Self::Class(name) => ElementType::Class(writer.checked(name)?),
            Self::Script(path) => ElementType::Script(writer.checked(path)?),
        })
    }
}

/// The component of a vector: `f32`, or `f64` for builds with `precision=double`.
pub trait Real: Element + fmt::Debug {
    /// The width of the component in encoded values.
    const WIDTH: Width;
}

impl Real for f32 {
    const WIDTH: Width = Width::Single;
}

impl Real for f64 {
    const WIDTH: Width = Width::Double;
}

/// A scalar, or an array of scalars, as it is encoded. Private: [`Real`] is only for the two types above.
pub trait Element: Sized {
    /// Its encoded bytes.
    const SIZE: usize;

    /// Reads it from its bytes. Those of a float may have the other width.
    fn read(bytes: &[u8]) -> Self;

    /// Writes it over [`Self::SIZE`] bytes.
    fn write(&self, out: &mut [u8]);
}

/// Each scalar with what it is read from if the bytes are not its own.
macro_rules! scalars {
    ($($scalar:ty, $other:ty, $convert:expr;)*) => {
        $(impl Element for $scalar {
            const SIZE: usize = size_of::<Self>();

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                match bytes.try_into() {
                    Ok(bytes) => Self::from_le_bytes(bytes),
                    Err(_) => $convert(<$other>::from_le_bytes(bytes.try_into().expect("the bytes of one scalar"))),
                }
            }

            #[inline]
            fn write(&self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

scalars! {
    u8, u8, u8::from;
    i32, i32, i32::from;
    i64, i64, i64::from;
    f32, f64, |wide| wide as f32;
    f64, f32, f64::from;
}

impl<T: Element, const N: usize> Element for [T; N] {
    const SIZE: usize = N * T::SIZE;

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        let len = bytes.len() / N;
        std::array::from_fn(|index| T::read(&bytes[index * len..][..len]))
    }

    #[inline]
    fn write(&self, out: &mut [u8]) {
        self.iter().zip(out.chunks_exact_mut(T::SIZE)).for_each(|(scalar, out)| scalar.write(out));
    }
}

pub(super) fn elements<T: Element>(plain: Plain<'_>) -> Vec<T> {
    match plain.bytes.len().checked_div(plain.count).unwrap_or(T::SIZE) {
        // The compiler makes a copy of a loop whose steps are of a known size.
        len if len == T::SIZE => plain.bytes.chunks_exact(T::SIZE).map(T::read).collect(),
        len => plain.bytes.chunks_exact(len).map(T::read).collect(),
    }
}

pub(super) fn write_elements<T: Element>(elements: &[T], out: &mut Vec<u8>) {
    out.clear();
    out.resize(elements.len() * T::SIZE, 0);
    elements.iter().zip(out.chunks_exact_mut(T::SIZE)).for_each(|(element, out)| element.write(out));
}
