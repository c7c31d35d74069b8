//! Writes ids for objects, and keeps what the bytes do not tell beside them.
//!
//! Where the bytes have no place for what is kept there is a Callable.

use godot::builtin::{GString, Variant};
use varbatch_codec::{CodecError, Copied, Event, Keep, Kind, Writer};

use super::{NotWalked, Target, TargetNow};
use crate::engine::{self, Slot, Value, View};

/// Plans what is walked, borrowing what is long. Kept in the order in which they come are objects, Callables, the scripts that
/// containers ask for, and texts that bytes do not give back as they were: `Build::keeping` puts all of it back.
pub struct Keeping<'w, 'p> {
    /// Where the events go.
    pub writer: &'w mut Writer<'p>,
    /// Where what is kept goes.
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

    fn keep(&mut self, view: View<'a>) -> Result<bool, CodecError> {
        let is_exact = match view.kind() {
            Kind::String => is_exact(view.string()),
            Kind::PackedStringArray => view.strings().iter().all(|text| is_exact(text.chars())),
            // They cannot be changed in place, so that keeping them costs less than their bytes.
            _ => false,
        };
        if !is_exact {
            self.kept.push(Slot::of_view(view));
            self.writer.write(Event::Callable)?;
        }
        Ok(!is_exact)
    }
}

/// Whether UTF-8 gives back these characters: what is none is replaced, and a mark of the byte order left out.
fn is_exact(chars: &[u32]) -> bool {
    chars.first() != Some(&0xfeff) && chars.iter().all(|&char| char != 0 && char::from_u32(char).is_some())
}

impl TargetNow for Keeping<'_, '_> {
    #[inline(always)]
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    fn object(&mut self, value: &Value, id: u64) -> Result<(), NotWalked> {
        self.keep(value);
        Ok(self.writer.write(Event::ObjectId(id))?)
    }

    fn callable(&mut self, value: &Value) -> Result<(), CodecError> {
        self.keep(value);
        self.writer.write(Event::Callable)
    }

    fn script(&mut self, script: &Variant, _: &GString) -> Result<(), CodecError> {
        self.keep(engine::value(script));
        Ok(())
    }

    /// So that containers tell the class and the script that they ask for.
    fn full_objects(&self) -> bool {
        true
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}
