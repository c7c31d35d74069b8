//! Builds values from events, and turns values into events: no other code decodes or encodes values. Neither is
//! recursive.

use std::slice;

use super::{OwnedType, OwnedValue, Real};
use crate::error::CodecError;
use crate::event::{ElementType, Event, Text};
use crate::plan::Copied;
use crate::reader::Reader;
use crate::writer::Writer;

/// A container with values still to come.
struct Open<R> {
    container: OwnedValue<R>,
    /// The number of remaining values. Keys and values of a Dictionary both count.
    remaining: usize,
    /// The key whose value comes next, or the name of the property.
    key: Option<OwnedValue<R>>,
}

impl<R: Real> OwnedValue<R> {
    /// Reads a value to its end: by the rules of the reader's dialect, with objects if it allows them. Nothing may have
    /// been read before. Afterwards, [`Reader::position`] is the length of the value, in bytes.
    ///
    /// No object is instantiated: [`Self::Object`] has what is encoded. No memory is allocated for a count that the
    /// bytes cannot hold.
    ///
    /// # Errors
    /// In the same cases as [`Reader::next_event`].
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let mut open: Vec<Open<R>> = Vec::new();
        loop {
            let event = reader.next_event()?.expect("the value has not ended");
            if let Event::Text(name) = event {
                open.last_mut().expect("a name stands in an object").key = Some(Self::String(string(name)));
                continue;
            }
            let (mut value, remaining) = Self::begin(event, reader)?;
            if remaining > 0 {
                open.push(Open { container: value, remaining, key: None });
                continue;
            }
            loop {
                let Some(top) = open.last_mut() else { return Ok(value) };
                top.put(value);
                if top.remaining > 0 {
                    break;
                }
                value = open.pop().expect("it is open").container;
            }
        }
    }

    /// Returns the value that an event begins, with its texts, and how many values in it are still to come.
    fn begin(event: Event<'_>, reader: &mut Reader<'_>) -> Result<(Self, usize), CodecError> {
        let mut texts = |count| -> Result<Vec<String>, CodecError> {
            (0..count).map(|_| Ok(reader.next_text()?.map_or_else(String::new, string))).collect()
        };
        Ok((
            match event {
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
                    return Ok((Self::Object { class: string(class), properties: Vec::with_capacity(count) }, count));
                }
                Event::Dictionary { key, value, count } => {
                    let (key, value) = (key.into(), value.into());
                    return Ok((Self::Dictionary { key, value, entries: Vec::with_capacity(count) }, 2 * count));
                }
                Event::Array { element, count } => {
                    let element = element.into();
                    return Ok((Self::Array { element, elements: Vec::with_capacity(count) }, count));
                }
                Event::Text(_) => unreachable!("dealt with by the caller"),
            },
            0,
        ))
    }
}

impl<R: Real> Open<R> {
    /// Takes the next value.
    fn put(&mut self, value: OwnedValue<R>) {
        self.remaining -= 1;
        match (&mut self.container, self.key.take()) {
            (OwnedValue::Array { elements, .. }, _) => elements.push(value),
            (OwnedValue::Dictionary { entries, .. }, Some(key)) => entries.push((key, value)),
            (OwnedValue::Object { properties, .. }, Some(OwnedValue::String(name))) => properties.push((name, value)),
            (_, _) => self.key = Some(value),
        }
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

/// The unwritten values of a container.
enum Rest<'v, R> {
    Elements(slice::Iter<'v, OwnedValue<R>>),
    /// The second field is the value whose key was just written.
    Entries(slice::Iter<'v, (OwnedValue<R>, OwnedValue<R>)>, Option<&'v OwnedValue<R>>),
    Properties(slice::Iter<'v, (String, OwnedValue<R>)>),
}

impl<R: Real> OwnedValue<R> {
    /// Writes the value. Long texts are borrowed; call [`Writer::end_value`] afterwards.
    ///
    /// # Errors
    /// In the same cases as [`Writer::write`]: if the value is nested too deep, an object has no class, or the engine
    /// that the writer writes for has no such type.
    pub fn write<'v>(&'v self, writer: &mut Writer<'v>) -> Result<(), CodecError> {
        // The writer refuses values that are nested too deep, so this stays short.
        let (mut open, mut plain) = (Vec::new(), Vec::new());
        let mut value = self;
        loop {
            open.extend(value.begin_write(writer, &mut plain)?);
            value = loop {
                let Some(top) = open.last_mut() else { return Ok(()) };
                match Rest::next(top, writer)? {
                    Some(value) => break value,
                    None => drop(open.pop()),
                }
            };
        }
    }

    /// Writes a value up to the first value in it.
    fn begin_write<'v>(
        &'v self,
        writer: &mut Writer<'v>,
        plain: &mut Vec<u8>,
    ) -> Result<Option<Rest<'v, R>>, CodecError> {
        plain.clear();
        if let Some(event) = self.plain_event(plain) {
            writer.write_as(event, Copied)?;
            return Ok(None);
        }
        let texts = |writer: &mut Writer<'v>, texts: &'v [String]| {
            texts.iter().try_for_each(|text| writer.write(Event::Text(Text::Utf8(text))))
        };
        let event = match self {
            Self::Bool(value) => Event::Bool(*value),
            Self::Int(value) => Event::Int(*value),
            Self::Float(value) => Event::Float(*value),
            Self::String(text) => Event::String(Text::Utf8(text)),
            Self::StringName(text) => Event::StringName(Text::Utf8(text)),
            Self::NodePath { names, subnames, absolute } => {
                writer.write(Event::NodePath { names: names.len(), subnames: subnames.len(), absolute: *absolute })?;
                texts(writer, names)?;
                return texts(writer, subnames).map(|()| None);
            }
            Self::PackedStringArray(strings) => {
                writer.write(Event::PackedStrings { count: strings.len() })?;
                return texts(writer, strings).map(|()| None);
            }
            Self::Rid(id) => Event::Rid(*id),
            Self::ObjectId(id) => Event::ObjectId(*id),
            Self::Callable => Event::Callable,
            Self::Signal { name, object } => Event::Signal { name: Text::Utf8(name), object: *object },
            Self::Object { class, properties } => {
                writer.write(Event::Object { class: Text::Utf8(class), count: properties.len() })?;
                return Ok(Some(Rest::Properties(properties.iter())));
            }
            Self::Dictionary { key, value, entries } => {
                let (key, value) = (key.as_event(), value.as_event());
                writer.write(Event::Dictionary { key, value, count: entries.len() })?;
                return Ok(Some(Rest::Entries(entries.iter(), None)));
            }
            Self::Array { element, elements } => {
                writer.write(Event::Array { element: element.as_event(), count: elements.len() })?;
                return Ok(Some(Rest::Elements(elements.iter())));
            }
            _ => Event::Nil,
        };
        writer.write(event).map(|()| None)
    }
}

impl<'v, R> Rest<'v, R> {
    /// Returns the next value. Writes the name of a property.
    fn next(&mut self, writer: &mut Writer<'v>) -> Result<Option<&'v OwnedValue<R>>, CodecError> {
        Ok(match self {
            Self::Elements(elements) => elements.next(),
            Self::Entries(entries, pending) => pending.take().or_else(|| {
                let (key, value) = entries.next()?;
                *pending = Some(value);
                Some(key)
            }),
            Self::Properties(properties) => match properties.next() {
                None => None,
                Some((name, value)) => {
                    writer.write(Event::Text(Text::Utf8(name)))?;
                    Some(value)
                }
            },
        })
    }
}

impl OwnedType {
    fn as_event(&self) -> ElementType<'_> {
        match self {
            Self::Any => ElementType::Any,
            Self::Builtin(kind) => ElementType::Builtin(*kind),
            Self::Class(name) => ElementType::Class(Text::Utf8(name)),
            Self::Script(path) => ElementType::Script(Text::Utf8(path)),
        }
    }
}
