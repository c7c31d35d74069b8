//! What a game has few of: typed heads, ids, signals, paths, objects with class and properties.

use godot::builtin::{Callable, NodePath, PackedByteArray};
use godot::global::{bytes_to_var, bytes_to_var_with_objects};
use varbatch_codec::{Error, Event, Kind, Reason};

use super::{Build, Left, MayAsk, Stop, utf8};
use crate::engine::{self, Slot};

impl<'a> Build<'a, '_> {
    /// As [`Self::begin`], for what a game has few of.
    #[inline(never)]
    pub(super) fn begin_rare(
        &mut self,
        slot: &mut Slot,
        event: Event<'a>,
        start: usize,
        depth: usize,
    ) -> Result<Left, Stop> {
        match event {
            Event::PackedStrings { count } => {
                for string in slot.set_strings(count) {
                    if let Some(text) = self.reader.next_text()? {
                        string.set(text);
                    }
                }
            }
            Event::Array { element, count } => {
                let element = self.slot_type(element, start)?;
                slot.set_array();
                slot.array().set_type(&element);
                return Ok(Left::TypedElements(Box::new(element), count));
            }
            Event::Dictionary { key, value, count } => {
                let (key, value) = (self.slot_type(key, start)?, self.slot_type(value, start)?);
                slot.set_dictionary();
                slot.dictionary().set_types(&key, &value);
                return Ok(match key.kind {
                    Kind::Nil => Left::Entries(count),
                    _ => Left::TypedEntries(Box::new(key), count),
                });
            }
            Event::ObjectId(id) => slot.set_object_id(id),
            Event::Rid(id) => slot.set_rid(id),
            Event::Callable => slot.set(Callable::invalid()),
            Event::Signal { name, object } => self.signal(slot, utf8(name), object, start),
            Event::NodePath { names, subnames, absolute } => self.node_path(slot, names, subnames, absolute, start)?,
            Event::Object { class, .. } => self.object(slot, utf8(class), start, depth)?,
            _ => unreachable!("dealt with by the caller"),
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
    ) -> Result<(), Error> {
        let mut path = String::new();
        let mut is_plain = true;
        for index in 0..names + subnames {
            let Some(text) = self.reader.next_text()? else { unreachable!("as many were announced") };
            let separator = if index < names { "/" } else { ":" };
            is_plain &= !text.is_empty() && !text.contains(['/', ':']);
            if index >= names || index > 0 || absolute {
                path += separator;
            }
            path += text;
        }
        if is_plain && (names > 0 || !absolute) {
            slot.set(NodePath::from(&engine::string_of(&path)));
        } else {
            // As text, it would be taken apart otherwise.
            slot.set_variant(bytes_to_var(&self.bytes_since(start)));
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
            return Err(self.reader.error_at(start, Reason::ObjectFailed { class: class.into() }).into());
        }
        slot.set_variant(object);
        Ok(())
    }

    fn bytes_since(&self, start: usize) -> PackedByteArray {
        self.reader.bytes(start, self.reader.position()).into()
    }
}
