//! Builds values that are rare in games: typed containers, object ids, Signals, NodePaths, objects with class and
//! properties.

use std::io::Write;

use godot::builtin::PackedByteArray;
use godot::global::{bytes_to_var, bytes_to_var_with_objects};
use varbatch_codec::{CodecError, Event};

use super::{Build, Left, MayAsk, Stop, utf8};
use crate::engine::{Slot, byte_array_of};
use crate::value::refused;

impl<'a> Build<'a, '_> {
    /// Does the same as [`Self::begin`] for rare values.
    #[inline(never)]
    pub(super) fn begin_rare(
        &mut self,
        slot: &mut Slot,
        event: Event<'a>,
        start: usize,
        depth: usize,
    ) -> Result<Left, Stop> {
        match event {
            Event::PackedStrings { count } => self.packed_strings(slot, count)?,
            Event::Array { element, count } => {
                let element = self.slot_type(element, start)?;
                return Ok(Left::TypedElements(Box::new((element, count))));
            }
            Event::Dictionary { key, value, count } => {
                let (key, value) = (self.slot_type(key, start)?, self.slot_type(value, start)?);
                return Ok(Left::TypedEntries(Box::new((key, value, count))));
            }
            Event::ObjectId(id) => match self.kept.next() {
                Some(object) if object.object_id() != 0 => slot.set_copy(object),
                Some(_) => slot.clear(),
                None => slot.set_object_id(id),
            },
            Event::Signal { name, object } => self.signal(slot, utf8(name), object, start),
            Event::NodePath { names, subnames, absolute } => self.node_path(slot, names, subnames, absolute, start)?,
            Event::Object { class, .. } => self.object(slot, utf8(class), start, depth)?,
            _ => unreachable!("handled by the caller"),
        }
        Ok(Left::Nothing)
    }

    #[inline(never)]
    fn signal(&mut self, slot: &mut Slot, name: &str, object: u64, start: usize) {
        if !slot.set_signal(name, object) {
            slot.set_variant(bytes_to_var(&self.bytes_since(start)));
        }
    }

    #[inline(never)]
    fn node_path(
        &mut self,
        slot: &mut Slot,
        names: usize,
        subnames: usize,
        absolute: bool,
        start: usize,
    ) -> Result<(), CodecError> {
        // GDExtension can only make a path from text.
        let mut joined = [0; 128];
        let mut room = &mut joined[..];
        // True if the text is short, and the engine splits it into the same names again.
        let mut is_same = names > 0 || !absolute;
        for index in 0..names + subnames {
            let Some(text) = self.reader.next_text()?.map(utf8) else { unreachable!("the header has the count") };
            is_same &= !text.is_empty() && !text.bytes().any(|byte| matches!(byte, b'/' | b':'));
            if index >= names || index > 0 || absolute {
                is_same &= room.write_all(if index < names { b"/" } else { b":" }).is_ok();
            }
            is_same &= room.write_all(text.as_bytes()).is_ok();
        }
        let left = room.len();
        match std::str::from_utf8(&joined[..joined.len() - left]) {
            Ok(path) if is_same => slot.set_node_path(path),
            _ => slot.set_variant(bytes_to_var(&self.bytes_since(start))),
        }
        Ok(())
    }

    #[inline(never)]
    fn object(&mut self, slot: &mut Slot, class: &str, start: usize, depth: usize) -> Result<(), Stop> {
        if self.may_ask != MayAsk::Objects {
            return Err(Stop::MayNotAsk);
        }
        self.reader.finish_value(depth)?;
        let object = bytes_to_var_with_objects(&self.bytes_since(start));
        if object.is_nil() {
            return Err(self.reader.error_at(start, refused::object_failed(class)).into());
        }
        slot.set_variant(object);
        Ok(())
    }

    fn bytes_since(&self, start: usize) -> PackedByteArray {
        byte_array_of(self.reader.bytes(start, self.reader.position()))
    }
}
