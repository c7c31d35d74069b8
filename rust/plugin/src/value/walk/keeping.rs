//! Writes ids for objects, and keeps values beside the bytes that those cannot hold exactly.
//!
//! A kept text is written as a Callable.

use godot::builtin::{GString, Variant};
use varbatch_codec::{CodecError, Copied, Event, Keep, Kind, Writer};

use super::{Target, TargetNow};
use crate::engine::{self, Slot, Value, View, chars};
use crate::value::element_scripts;

/// Plans the walked values, and borrows long payloads. Keeps, in walk order, objects, Callables, the scripts of typed
/// containers, and texts that do not survive UTF-8. `Build::keeping` restores them.
pub struct Keeping<'w, 'p> {
    /// Takes the events.
    pub writer: &'w mut Writer<'p>,
    /// Takes the kept values.
    pub kept: &'w mut Vec<Slot>,
}

impl Keeping<'_, '_> {
    fn keep(&mut self, value: &Value) {
        self.kept.push(Slot::of(value));
    }
}

impl<'a: 'p, 'p> Target<'a> for Keeping<'_, 'p> {
    #[inline(always)]
    fn put<K: Keep<'a, 'static>>(&mut self, event: Event<'a>, _: K) -> Result<(), CodecError> {
        self.writer.write(event)
    }
}

/// Returns how many values are kept for an event.
pub fn kept_count(event: Event<'_>) -> usize {
    match event {
        Event::ObjectId(_) | Event::Callable => 1,
        _ => element_scripts(event).count(),
    }
}

/// True for a StringName or NodePath that bytes can hold exactly. It is kept only because that is cheaper.
pub fn is_exact_name(view: View<'_>) -> bool {
    match view.kind() {
        Kind::StringName => is_exact(chars(&view.string_name())),
        Kind::NodePath => {
            let (names, subnames, _) = view.node_path();
            names.iter().chain(&subnames).all(|name| is_exact(chars(name)))
        }
        _ => false,
    }
}

/// True if these characters survive UTF-8: otherwise invalid ones are replaced, and a leading byte order mark is
/// dropped.
fn is_exact(chars: &[u32]) -> bool {
    chars.first() != Some(&0xfeff) && chars.iter().all(|&char| char != 0 && char::from_u32(char).is_some())
}

impl TargetNow for Keeping<'_, '_> {
    #[inline(always)]
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    fn whole(&mut self, view: View<'_>) -> Result<bool, CodecError> {
        let is_exact = match view.kind() {
            Kind::String => is_exact(view.string()),
            Kind::PackedStringArray => view.strings().iter().all(|text| is_exact(text.chars())),
            // StringNames and NodePaths cannot change in place, so keeping them is cheaper than writing them.
            _ => false,
        };
        if !is_exact {
            self.kept.push(Slot::from(view.to_own()));
            self.writer.write(Event::Callable)?;
        }
        Ok(!is_exact)
    }

    fn object(&mut self, value: &Value, id: u64) -> Result<(), CodecError> {
        self.keep(value);
        self.writer.write(Event::ObjectId(id))
    }

    fn callable(&mut self, value: &Value) -> Result<(), CodecError> {
        self.keep(value);
        self.writer.write(Event::Callable)
    }

    fn script(&mut self, script: &Variant, _: &GString) -> Result<(), CodecError> {
        self.keep(engine::value(script));
        Ok(())
    }

    fn full_objects(&self) -> bool {
        true
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}
