//! Turns values into events.

use std::slice;

use super::{OwnedType, OwnedValue, Real};
use crate::error::CodecError;
use crate::event::{ElementType, Event, Text};
use crate::plan::Copied;
use crate::writer::Writer;

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
