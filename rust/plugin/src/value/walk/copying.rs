//! Writes copies of the walked values, so that nothing is borrowed afterwards.

use godot::builtin::Variant;
use varbatch_codec::{CodecError, Copied, Event, Mark, Plan, Writer};

use super::{Target, TargetNow, walk};
use crate::engine::{DIALECT, Value};

/// Takes copies of all events, and each live object with the mark where it belongs: a gap if objects are written in full,
/// its id if not.
pub struct Copying {
    /// Takes the events.
    pub writer: Writer<'static>,
    objects: Vec<(Mark, Variant)>,
    full_objects: bool,
}

impl Copying {
    pub fn new(full_objects: bool) -> Self {
        Self { writer: Writer::new(DIALECT), objects: Vec::new(), full_objects }
    }

    /// Copies a value. Returns its plan, which a value with gaps may have to end yet, and its objects.
    pub fn of(value: &Value, full_objects: bool) -> Result<(Plan<'static>, Vec<(Mark, Variant)>), CodecError> {
        let mut target = Self::new(full_objects);
        walk(value, &mut target)?;
        if !full_objects {
            target.writer.end_value(Mark::default())?;
        }
        Ok((target.writer.into_plan(), target.objects))
    }
}

impl Target<'_> for Copying {}

impl TargetNow for Copying {
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    fn object(&mut self, value: &Value, id: u64) -> Result<(), CodecError> {
        self.objects.push((self.writer.mark(), value.variant().clone()));
        if self.full_objects { self.writer.encoded(&[], Copied) } else { self.writer.write(Event::ObjectId(id)) }
    }

    fn full_objects(&self) -> bool {
        self.full_objects
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}
