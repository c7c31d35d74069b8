//! Builds values from events.

use super::{OwnedType, OwnedValue, Real};
use crate::error::CodecError;
use crate::event::{ElementType, Event, Text};
use crate::reader::Reader;

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
