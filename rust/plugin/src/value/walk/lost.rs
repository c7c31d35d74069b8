//! Counts values that are saved but mean nothing to another process: objects by id, Callables, Signals and RIDs; and
//! whole objects that a save should not hold: code, which no list of classes loads, and the pixels of large images.
//!
//! A walk only notes that there may be some. If so, the values are walked again, after everything is written.

use godot::prelude::*;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Path, Text};

use super::{Target, TargetNow, full_object, walk};
use crate::engine::Value;
use crate::objects::FullObjects;

/// Classes of objects that hold code, and the one that holds pixels; min bytes of these that are counted.
pub const CODE: [&str; 3] = ["GDScript", "CSharpScript", "PackedScene"];
pub const IMAGE: &str = "Image";
const MANY_PIXELS: usize = 256 << 10;

#[derive(Debug, Default)]
pub struct Lost {
    objects: usize,
    callables: usize,
    signals: usize,
    rids: usize,
    code: usize,
    images: usize,
    /// Variables of scripts that are not exported, if no save has told of them.
    not_exported: Option<String>,
    /// A script whose objects cannot be loaded.
    unloadable: Option<String>,
    /// True in an Image whose pixels may follow.
    is_in_image: bool,
    /// The index of the value with the first, and the path to it.
    first: (usize, Path),
}

impl Lost {
    /// Counts the lost values in values, and in their `full` objects. `None` if there are none. Walks have no limit here: only
    /// for values that a plan has, see [`Lossy`](crate::calls::encode::Lossy).
    pub fn of_values(values: &[Value], full: Option<&FullObjects>) -> Option<Self> {
        let mut lost = Self::default();
        for (index, value) in values.iter().enumerate() {
            // Only the first ends a walk.
            if lost.count() == 0
                && let Err(error) = walk(value, &mut Counting { lost: &mut Self::default(), full, ends: true })
            {
                lost.first = (index, error.path().clone());
            }
            _ = walk(value, &mut Counting { lost: &mut lost, full, ends: false });
        }
        lost.not_exported = full.and_then(FullObjects::not_exported);
        lost.unloadable = full.and_then(FullObjects::unloadable).map(str::to_owned);
        (lost.count() > 0 || lost.not_exported.is_some() || lost.unloadable.is_some()).then_some(lost)
    }

    fn count(&self) -> usize {
        self.objects + self.callables + self.signals + self.rids + self.code + self.images
    }

    fn add(&mut self, event: Event<'_>) {
        let is_alive = |object: u64| object != 0 && InstanceId::from_i64(object.cast_signed()).lookup_validity();
        match event {
            Event::ObjectId(_) => self.objects += 1,
            Event::Callable => self.callables += 1,
            Event::Signal { object, .. } if is_alive(object) => self.signals += 1,
            Event::Rid(1..) => self.rids += 1,
            Event::Object { class: Text::Utf8(class), .. } => {
                self.code += usize::from(CODE.contains(&class));
                self.is_in_image = class == IMAGE;
            }
            Event::Packed(plain) if plain.bytes.len() >= MANY_PIXELS => {
                self.images += usize::from(std::mem::take(&mut self.is_in_image));
            }
            _ => {}
        }
    }

    /// Returns the text of the warning, which names the first value by its path and, in a batch, by `name`.
    pub fn text(&self, name: Option<&dyn Fn(usize) -> String>) -> String {
        let lost = (self.count() > 0).then(|| self.counted(name));
        let left_out = |names| format!("not saved, as they have no @export: {names}");
        let unloadable = |script| format!("cannot be loaded, as _init() needs arguments: objects of {script}");
        let others = [self.not_exported.as_ref().map(left_out), self.unloadable.as_ref().map(unloadable)];
        lost.into_iter().chain(others.into_iter().flatten()).collect::<Vec<_>>().join("; ")
    }

    fn counted(&self, name: Option<&dyn Fn(usize) -> String>) -> String {
        let counted = |count: usize, one: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {one}s")),
        };
        let ids = [counted(self.objects, "object"), counted(self.signals, "Signal"), counted(self.rids, "RID")];
        let ids: Vec<_> = ids.into_iter().flatten().collect();
        let mut kept = Vec::new();
        if let Some((last, others)) = ids.split_last() {
            let id = if self.objects + self.signals + self.rids == 1 { "ID" } else { "IDs" };
            let and = if others.is_empty() { "" } else { " and " };
            kept.push(format!("only the {id} of {}{and}{last}", others.join(", ")));
        }
        kept.extend(counted(self.callables, "Callable").map(|callables| format!("nothing of {callables}")));
        kept.extend(
            counted(self.code, "object").map(|objects| format!("{objects} with code, which no list of classes loads")),
        );
        kept.extend(counted(self.images, "image").map(|images| format!("all pixels of {images}")));
        let (index, path) = &self.first;
        let path = match name {
            Some(name) => format!("{}{path:#}", name(*index)),
            None if path.steps().len() == 0 => "the value itself".into(),
            None => format!("{path:#}"),
        };
        let first = if self.count() == 1 { "it is" } else { "the first is" };
        let save_objects = "; pass true as full_objects to save objects with their properties";
        let save_paths = "; save the resource_path of what is a file of the project";
        let advice = match self.code + self.images {
            0 if self.objects > 0 => save_objects,
            0 => "",
            _ => save_paths,
        };
        format!("saved {}; {first} {path}{advice}", kept.join(" and "))
    }
}

struct Counting<'l, 'o> {
    lost: &'l mut Lost,
    full: Option<&'o FullObjects>,
    ends: bool,
}

impl<'o> Target<'o> for Counting<'_, 'o> {}

impl TargetNow for Counting<'_, '_> {
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.lost.add(event);
        // The caller only reads the path of the error.
        if self.ends && self.lost.count() > 0 { Err(CodecError::new(0, CodecErrorKind::TooDeep)) } else { Ok(()) }
    }

    fn object(&mut self, value: &Value, id: u64) -> Result<(), CodecError> {
        match self.full {
            Some(full) => full_object(value, full, id, self),
            None => self.put_now(Event::ObjectId(id)),
        }
    }

    /// An invalid Callable loses nothing.
    fn callable(&mut self, value: &Value) -> Result<(), CodecError> {
        let callable: Callable = value.variant().to();
        let is_alive = callable.is_custom() || callable.object_id().is_some_and(InstanceId::lookup_validity);
        if is_alive { self.put_now(Event::Callable) } else { Ok(()) }
    }
}
