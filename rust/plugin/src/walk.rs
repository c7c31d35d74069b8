//! Variant to events.

use varbatch_codec::{Error, Event, Kind, Shape, Text, Writer};

use crate::engine::Value;

/// Gives the events of `value` to `writer`.
///
/// # Errors
/// [`NotWalked::Engine`] for the types that go through the engine; nothing is written then.
#[inline]
pub fn walk<'a>(value: &'a Value, writer: &mut Writer<'a>) -> Result<(), NotWalked> {
    let view = value.view();
    let kind = view.kind();
    match kind.shape() {
        Shape::Nil => writer.write(Event::Nil)?,
        Shape::Bool => writer.write(Event::Bool(view.bool()))?,
        Shape::Int => writer.write(Event::Int(view.int()))?,
        Shape::Float => writer.write(Event::Float(view.float()))?,
        Shape::Components { .. } => writer.write(Event::Components(view.plain()))?,
        Shape::Packed { .. } => writer.write(Event::Packed(view.plain()))?,
        Shape::PackedStrings => {
            let strings = view.strings();
            writer.write(Event::PackedStrings { count: strings.len() })?;
            for chars in strings {
                writer.write(Event::Text(Text::Utf32(chars)))?;
            }
        }
        Shape::Text
        | Shape::NodePath
        | Shape::Rid
        | Shape::Object
        | Shape::Callable
        | Shape::Signal
        | Shape::Dictionary
        | Shape::Array => return Err(NotWalked::Engine(kind)),
    }
    Ok(())
}

/// Why a value gave no events.
#[derive(Debug)]
pub enum NotWalked {
    /// Its type goes through the engine.
    Engine(Kind),
    /// It cannot be written.
    Error(Error),
}

impl From<Error> for NotWalked {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
