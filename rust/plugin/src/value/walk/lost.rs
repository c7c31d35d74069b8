//! Counts values that are saved but mean nothing to another process: objects by id, Callables, Signals and RIDs.
//!
//! A walk only notes that there may be some. The caller then walks the values again, after everything is written, so
//! values without any cost nothing.

use godot::builtin::Callable;
use godot::obj::InstanceId;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Path, Reader};

use super::{Target, TargetNow, walk};
use crate::engine::Value;

/// The lost values in a batch.
#[derive(Debug, Default)]
pub struct Lost {
    objects: usize,
    callables: usize,
    signals: usize,
    rids: usize,
    /// The index of the value with the first, and the path to it.
    first: (usize, Path),
    /// True if a walk ends at the first.
    ends: bool,
}

impl Lost {
    /// Counts the lost values in values that were saved. `None` if there are none.
    pub fn of_values(values: &[Value]) -> Option<Self> {
        let mut lost = Self::default();
        for (index, value) in values.iter().enumerate() {
            // Only the first ends a walk: the value was written, so it is not too deep.
            if lost.count() == 0
                && let Err(error) = walk(value, &mut Self { ends: true, ..Self::default() })
            {
                lost.first = (index, error.path().clone());
            }
            _ = walk(value, &mut lost);
        }
        (lost.count() > 0).then_some(lost)
    }

    /// Counts the lost values in encoded values with full objects: scripts have run meanwhile, so the Variants may have
    /// changed. Counts every Callable, as the bytes do not show whether it was valid.
    pub fn of_bytes<'b>(encoded: impl Iterator<Item = &'b [u8]>) -> Option<Self> {
        let mut lost = Self::default();
        for (index, bytes) in encoded.enumerate() {
            let mut reader = Reader::new(bytes).with_objects(true);
            loop {
                let (at, is_first) = (reader.position(), lost.count() == 0);
                let Ok(Some(event)) = reader.next_event() else { break };
                lost.add(event);
                if is_first && lost.count() > 0 {
                    lost.first = (index, reader.path_at(at));
                }
            }
        }
        (lost.count() > 0).then_some(lost)
    }

    fn count(&self) -> usize {
        self.objects + self.callables + self.signals + self.rids
    }

    fn add(&mut self, event: Event<'_>) {
        let is_alive = |object: u64| object != 0 && InstanceId::from_i64(object.cast_signed()).lookup_validity();
        match event {
            Event::ObjectId(_) => self.objects += 1,
            Event::Callable => self.callables += 1,
            Event::Signal { object, .. } if is_alive(object) => self.signals += 1,
            Event::Rid(1..) => self.rids += 1,
            _ => {}
        }
    }

    /// Returns the text of the warning. It names the first value by index and path, or only by path if it is not a
    /// batch.
    pub fn text(&self, is_batch: bool) -> String {
        let counted = |count: usize, one: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {one}s")),
        };
        let ids = [counted(self.objects, "object"), counted(self.signals, "Signal"), counted(self.rids, "RID")];
        let ids: Vec<_> = ids.into_iter().flatten().collect();
        let mut kept = Vec::new();
        if let Some((last, others)) = ids.split_last() {
            let id = if self.count() - self.callables == 1 { "ID" } else { "IDs" };
            let and = if others.is_empty() { "" } else { " and " };
            kept.push(format!("only the {id} of {}{and}{last}", others.join(", ")));
        }
        kept.extend(counted(self.callables, "Callable").map(|callables| format!("nothing of {callables}")));
        let (index, path) = &self.first;
        let path = match is_batch {
            true => format!("value {index}{path:#}"),
            false if path.steps().len() == 0 => "the value itself".into(),
            false => format!("{path:#}"),
        };
        let first = if self.count() == 1 { "it is" } else { "the first is" };
        let advice = match self.objects {
            0 => "",
            _ => "; pass true as full_objects to save objects with their properties",
        };
        format!("saved {}; {first} {path}{advice}", kept.join(" and "))
    }
}

impl Target<'_> for Lost {}

impl TargetNow for Lost {
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.add(event);
        // The caller only reads the path of the error.
        if self.ends && self.count() > 0 { Err(CodecError::new(0, CodecErrorKind::TooDeep)) } else { Ok(()) }
    }

    /// An invalid Callable loses nothing.
    fn callable(&mut self, value: &Value) -> Result<(), CodecError> {
        let callable: Callable = value.variant().to();
        let is_alive = callable.is_custom() || callable.object_id().is_some_and(InstanceId::lookup_validity);
        if is_alive { self.put_now(Event::Callable) } else { Ok(()) }
    }
}
