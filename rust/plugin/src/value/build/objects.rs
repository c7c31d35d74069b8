//! Makes objects and the types of containers, as the steps of a check say: see [`Makers`](crate::objects::Makers).

use foldhash::HashSet;
use godot::builtin::{StringName, Variant};
use varbatch_codec::{CodecErrorKind, ElementType, Kind};

use super::{Build, Left, Refused, Stop, utf8};
use crate::engine::{self, NewObject, Slot, SlotType};
use crate::objects::{Listed, Step};
use crate::value::refused;

/// What an object has said of its properties, as its script decides about them.
struct Asked {
    stored: HashSet<StringName>,
    held: Vec<Held>,
}

/// A property that the object did not store when it was asked.
struct Held {
    name: u32,
    value: Slot,
    at: usize,
}

impl Asked {
    #[cold]
    fn of(object: &NewObject) -> Self {
        Self { stored: Listed::of(object.value()).written().into_iter().collect(), held: Vec::new() }
    }
}

impl<'a> Build<'a, '_> {
    /// Makes an object and sets its properties, in their order, step by step. Scripts may run.
    #[inline(never)]
    pub(super) fn object(&mut self, slot: &mut Slot, class: &str, count: usize, start: usize) -> Result<(), Stop> {
        let Some(makers) = &mut self.makers else { return Err(Stop::MayNotAsk) };
        let object = match makers.step() {
            Step::Make(class) => makers.make(class),
            Step::Pass(count, len) => {
                self.reader.pass_properties(count as usize, len as usize);
                slot.clear();
                return Ok(());
            }
            _ => None,
        };
        let Some(mut object) = object else {
            return Err(self.reader.error_at(start, refused::object_failed(class)).into());
        };
        let (mut left, mut asked) = (count, None);
        while left > 0 {
            let makers = self.makers.as_mut().expect("an object is made");
            let step = makers.step();
            left -= 1;
            match step {
                Step::Pass(count, len) => {
                    left -= count as usize - 1;
                    self.reader.pass_properties(count as usize, len as usize);
                }
                Step::Script(script, len) => {
                    object.set_script(makers.class_of(script).script());
                    if !object.has_script() {
                        self.reader.next_event()?;
                        let why = "expected a script whose _init() needs no arguments, found another".into();
                        let at = self.reader.position();
                        return Err(self.reader.error_at(at, CodecErrorKind::Refused(why)).into());
                    }
                    self.reader.pass_properties(1, len as usize);
                    // It lists what its script does.
                    if let Some(Asked { stored, .. }) = &mut asked {
                        *stored = Asked::of(&object).stored;
                    }
                }
                Step::Set(name) | Step::Offer(name) | Step::Ask(name) => {
                    makers.names.pass(name as usize, &mut self.reader)?;
                    let (at, made, mut value) = (self.reader.position(), makers.made.count(), Slot::new());
                    self.value(&mut value)?;
                    let makers = self.makers.as_mut().expect("an object is made");
                    let text = makers.names.name(name as usize);
                    if makers.made.count() > made {
                        makers.made.hold(&object, text);
                    }
                    if let Step::Set(_) = step {
                        object.set(text, value.value());
                    } else if let Step::Ask(_) = step {
                        let Asked { stored, held } = asked.get_or_insert_with(|| Asked::of(&object));
                        if stored.contains(text) {
                            object.set(text, value.value());
                        } else {
                            held.push(Held { name, value, at });
                        }
                    } else if !object.try_set(text, value.value()) && !object.has(text, value.value()) {
                        makers.left_out.properties.add(Refused { count: 1, first: at });
                    }
                }
                Step::Make(_) => unreachable!("a property comes next"),
            }
        }
        if let Some(asked) = asked {
            self.set_held(&object, asked);
        }
        slot.set_variant(object.into_variant());
        Ok(())
    }

    /// Sets the properties that an object stores only now, as others of it or its script were set after them.
    #[cold]
    fn set_held(&mut self, object: &NewObject, asked: Asked) {
        let (Some(makers), false) = (&mut self.makers, asked.held.is_empty()) else { return };
        let Asked { stored, .. } = Asked::of(object);
        for Held { name, value, at } in asked.held {
            let name = makers.names.name(name as usize);
            if stored.contains(name) {
                object.set(name, value.value());
            } else {
                makers.left_out.properties.add(Refused { count: 1, first: at });
            }
        }
    }

    /// Passes a container whose elements have a script that is not listed.
    pub(super) fn leave_null(&mut self, slot: &mut Slot, count: usize) -> Result<Left, Stop> {
        self.reader.finish_value(self.reader.depth() - usize::from(count > 0))?;
        slot.clear();
        Ok(Left::Nothing)
    }

    /// Returns the element type in the engine's form: EncodedObjectAsID for any object type if objects are not allowed.
    /// `None` for a script that is not listed, where null is left.
    pub(super) fn slot_type(&mut self, element: ElementType<'a>) -> Result<Option<SlotType>, Stop> {
        let objects = |class| SlotType::objects(class, Variant::nil());
        let allow_objects = self.reader.allows_objects();
        Ok(Some(match element {
            ElementType::Any => SlotType::of(Kind::Nil),
            ElementType::Builtin(kind) if allow_objects || kind != Kind::Object => SlotType::of(kind),
            ElementType::Class(name) if allow_objects => objects(StringName::from(&engine::string_of(utf8(name)))),
            ElementType::Script(_) if allow_objects && !self.kept.as_slice().is_empty() => {
                let script = self.kept.next().expect("checked above").variant().clone();
                if script.is_nil() {
                    SlotType::of(Kind::Object)
                } else {
                    SlotType::objects(engine::base_class(&script), script)
                }
            }
            ElementType::Script(_) if allow_objects => {
                let Some(makers) = &mut self.makers else { return Err(Stop::MayNotAsk) };
                let Step::Script(script, _) = makers.step() else { return Ok(None) };
                let class = makers.class_of(script);
                SlotType::objects(class.class.clone(), class.script().variant().clone())
            }
            _ => objects(StringName::from("EncodedObjectAsID")),
        }))
    }
}
