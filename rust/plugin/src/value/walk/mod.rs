//! Walks a Variant and produces its events.

mod lost;
mod planning;

use godot::builtin::{GString, Variant};
use godot::classes::Script;
use godot::obj::Gd;
use varbatch_codec::{CodecError, CodecErrorKind, Copied, ElementType, Event, Keep, Kind, Shape, Step, Text};

pub use self::lost::Lost;
pub use self::planning::{Copying, Held, KeepWalked, Planning, SAMPLE, mostly_containers, plan_in_rooms};
use super::refused;
use crate::engine::{self, OwnedType, Str, Value, View, chars};
use crate::objects::{FullObjects, SCRIPT};

pub trait Target<'a>: TargetNow {
    /// Takes an event whose payload lives as long as the walked value. `_hold` keeps it longer, if not [`Copied`].
    #[inline(always)]
    fn put<K: Keep<'a, 'static>>(&mut self, event: Event<'a>, _hold: K) -> Result<(), CodecError> {
        self.put_now(event)
    }

    /// Walks the elements of an Array if it is large, for example over threads. `false` to have them walked one by one.
    #[inline(always)]
    fn split(&mut self, _: &'a [Value]) -> Result<bool, CodecError> {
        Ok(false)
    }

    /// Does the same as [`Self::split`] for the texts of a PackedStringArray.
    #[inline(always)]
    fn split_texts(&mut self, _: &'a [Str]) -> Result<bool, CodecError> {
        Ok(false)
    }
}

/// Takes events whose payload is temporary and gone after the call.
pub trait TargetNow: AsNow {
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError>;

    /// Takes a text, a NodePath or a PackedStringArray whole. `false` to get its events instead.
    fn whole(&mut self, _: View<'_>) -> Result<bool, CodecError> {
        Ok(false)
    }

    fn object(&mut self, _value: &Value, id: u64) -> Result<(), CodecError> {
        self.put_now(Event::ObjectId(id))
    }

    /// Takes a null that had an object, or never had one.
    fn no_object(&mut self) -> Result<(), CodecError> {
        self.put_now(Event::Nil)
    }

    /// Takes a Callable; its bytes hold only its type.
    fn callable(&mut self, _value: &Value) -> Result<(), CodecError> {
        self.put_now(Event::Callable)
    }

    /// Called before a value that means nothing to another process: a RID, a Callable or a Signal.
    fn passing(&mut self) {}

    /// Takes the script of a typed container's elements. Next to full objects it must be in `res://`, to be found again.
    fn script(&mut self, _script: &Variant, path: &GString) -> Result<(), CodecError> {
        match path.to_string() {
            path if path.starts_with("res://") || self.writes_ids() => Ok(()),
            path => {
                let found = if path.is_empty() { NO_FILE.into() } else { format!("\"{path}\"") };
                Err(CodecError::new(self.position(), refused::no_such_script(&found)))
            }
        }
    }

    /// True if objects are written by their ids, and no other process makes anything of them.
    fn writes_ids(&self) -> bool {
        false
    }

    /// True if containers report the class and the script of their elements, as for objects with class and properties.
    fn full_objects(&self) -> bool {
        false
    }

    /// Returns the number of bytes so far, for errors.
    fn position(&self) -> usize {
        0
    }
}

/// Makes a target of any size one without its type.
pub trait AsNow {
    fn as_now(&mut self) -> &mut dyn TargetNow;
}

impl<T: TargetNow> AsNow for T {
    fn as_now(&mut self) -> &mut dyn TargetNow {
        self
    }
}

impl Target<'_> for dyn TargetNow + '_ {}

#[inline(always)]
pub fn walk<'a>(value: &'a Value, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    let view = match value.known() {
        Ok(view) => view,
        Err(id) => return Err(unknown(id, target.position())),
    };
    let kind = view.kind();
    if matches!(kind.shape(), Shape::Text | Shape::NodePath | Shape::PackedStrings) && target.whole(view)? {
        return Ok(());
    }
    match kind.shape() {
        Shape::Nil => target.put(Event::Nil, Copied)?,
        Shape::Bool => target.put(Event::Bool(view.bool()), Copied)?,
        Shape::Int => target.put(Event::Int(view.int()), Copied)?,
        Shape::Float => target.put(Event::Float(view.float()), Copied)?,
        Shape::Components { .. } => target.put(Event::Components(view.plain()), Copied)?,
        Shape::Packed { .. } => target.put(Event::Packed(view.plain()), view)?,
        Shape::Text if kind == Kind::String => target.put(Event::String(Text::Utf32(view.string())), view)?,
        Shape::Text => target.put_now(Event::StringName(Text::Utf32(chars(&view.string_name()))))?,
        Shape::PackedStrings => return packed_strings(view, target),
        Shape::Array => return array(view, target),
        Shape::Dictionary => return dictionary(view, target),
        Shape::Object => match value.object_id() {
            0 => return target.no_object(),
            id => return target.object(value, id),
        },
        Shape::Rid => {
            target.passing();
            target.put(Event::Rid(view.rid()), Copied)?;
        }
        Shape::Callable => {
            target.passing();
            target.callable(value)?;
        }
        Shape::Signal => {
            target.passing();
            let (name, object) = view.signal();
            target.put_now(Event::Signal { name: Text::Utf32(chars(&name)), object })?;
        }
        Shape::NodePath => node_path(view, target)?,
        Shape::Foreign(_) => unreachable!("Godot 4 has no such type"),
    }
    Ok(())
}

/// Returns the error for a type that the engine has but the format does not.
#[cold]
fn unknown(id: u32, position: usize) -> CodecError {
    let id = u8::try_from(id).unwrap_or(u8::MAX);
    CodecError::new(position, CodecErrorKind::UnknownType { last: Kind::ALL.len() - 1, id })
}

#[cold]
fn within(error: CodecError, step: impl FnOnce() -> Step) -> CodecError {
    error.within(step())
}

/// Does the same as [`walk`] for a value in a container. Leaves have a call of their own, to recurse with less stack.
fn walk_inner<'a>(value: &'a Value, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    let view = value.view();
    match view.kind() {
        Kind::Array => array(view, target),
        Kind::Dictionary => dictionary(view, target),
        _ => leaf(value, target),
    }
}

#[inline(never)]
fn leaf<'a>(value: &'a Value, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    walk(value, target)
}

#[inline(never)]
fn array<'a>(view: View<'a>, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    let elements = view.elements();
    array_head(view, target, elements.len())?;
    if target.split(elements)? { Ok(()) } else { each(elements, 0, target) }
}

/// Walks elements of an Array; `from` is the index of the first.
#[inline]
fn each<'a>(elements: &'a [Value], from: usize, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    for (index, element) in elements.iter().enumerate() {
        engine::ahead(elements, index);
        walk_inner(element, target).map_err(|error| within(error, || Step::Index(from + index)))?;
    }
    Ok(())
}

#[inline(never)]
fn packed_strings<'a>(view: View<'a>, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    let strings = view.strings();
    target.put(Event::PackedStrings { count: strings.len() }, Copied)?;
    if !target.split_texts(strings)? {
        for string in strings {
            target.put(Event::Text(Text::Utf32(string.chars())), string.view())?;
        }
    }
    Ok(())
}

#[inline(never)]
fn dictionary<'a>(view: View<'a>, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    dictionary_head(view, target)?;
    match view.entries() {
        Some(found) => entries(found, target),
        None => copied(view, target.as_now()),
    }
}

#[inline(always)]
fn entries<'a>(
    entries: impl Iterator<Item = (&'a Value, &'a Value)>,
    target: &mut (impl Target<'a> + ?Sized),
) -> Result<(), CodecError> {
    for (entry, (key, value)) in entries.enumerate() {
        value.fetch();
        walk_inner(key, target).map_err(|error| within(error, || Step::KeyOf(entry)))?;
        walk_inner(value, target).map_err(|error| within(error, || step_to(key)))?;
    }
    Ok(())
}

// Separate calls, so that they use no stack at each nesting level.
#[inline(never)]
fn array_head<'a>(view: View<'a>, target: &mut (impl Target<'a> + ?Sized), count: usize) -> Result<(), CodecError> {
    match view.element_type(target.full_objects()) {
        OwnedType::Any => target.put(Event::Array { element: ElementType::Any, count }, Copied),
        element => {
            check_type(&element, Kind::Array, target)?;
            target.put_now(Event::Array { element: element.as_event(), count })
        }
    }
}

#[inline(never)]
fn dictionary_head<'a>(view: View<'a>, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    if view.is_untyped() {
        let any = ElementType::Any;
        return target.put(Event::Dictionary { key: any, value: any, count: view.entry_count() }, Copied);
    }
    let (key, value) = view.entry_types(target.full_objects());
    check_type(&key, Kind::Dictionary, target)?;
    check_type(&value, Kind::Dictionary, target)?;
    target.put_now(Event::Dictionary { key: key.as_event(), value: value.as_event(), count: view.entry_count() })
}

fn check_type(element: &OwnedType, kind: Kind, target: &mut (impl TargetNow + ?Sized)) -> Result<(), CodecError> {
    match element {
        OwnedType::Script { path, script } => target.script(script, path),
        OwnedType::Unknown(id) => {
            let (found, last) = (i32::try_from(*id).unwrap_or(i32::MAX), Kind::ALL.len() - 1);
            Err(CodecError::new(target.position(), CodecErrorKind::UnknownElementType { kind, found, last }))
        }
        _ => Ok(()),
    }
}

/// Walks copies of the keys and values of a dictionary, in engines where its entries cannot be read in place.
#[inline(never)]
fn copied(view: View<'_>, target: &mut dyn TargetNow) -> Result<(), CodecError> {
    let (keys, values) = view.keys_and_values();
    entries(engine::values(&keys).iter().zip(engine::values(&values)), target)
}

#[inline(never)]
fn node_path<'a>(view: View<'a>, target: &mut (impl Target<'a> + ?Sized)) -> Result<(), CodecError> {
    let (names, subnames, absolute) = view.node_path();
    target.put(Event::NodePath { names: names.len(), subnames: subnames.len(), absolute }, Copied)?;
    for name in names.iter().chain(&subnames) {
        target.put_now(Event::Text(Text::Utf32(chars(name))))?;
    }
    Ok(())
}

#[inline(never)]
fn full_object<'o>(
    value: &Value,
    full: &'o FullObjects,
    id: u64,
    target: &mut (impl Target<'o> + ?Sized),
) -> Result<(), CodecError> {
    let Some((list, values)) = full.get(id) else { return Err(refused_object(value, target.position())) };
    target.put(Event::Object { class: Text::Utf8(&list.class), count: values.len() }, Copied)?;
    for (name, value) in list.texts.iter().zip(values) {
        target.put(Event::Text(Text::Utf8(name)), Copied)?;
        let walked = if name == SCRIPT {
            let path = list.script.as_ref().map(|path| Event::String(Text::Utf8(path)));
            target.put(path.unwrap_or(Event::Nil), Copied)
        } else {
            walk_inner(value, target)
        };
        walked.map_err(|error| within(error, || Step::Property(name.clone())))?;
    }
    Ok(())
}

/// A script that has no path.
const NO_FILE: &str = "an inner class, or a script without a file: move it to a file of its own";

#[cold]
fn refused_object(object: &Value, position: usize) -> CodecError {
    let script = engine::script_of(object).try_to::<Gd<Script>>().ok();
    let why = match script.map(|script| script.get_path().to_string()) {
        Some(path) if !path.starts_with("res://") => {
            CodecErrorKind::Refused(format!("expected an object whose script is a file in res://, found {NO_FILE}"))
        }
        _ => refused::object_failed(&engine::class_of(object).to_string()),
    };
    CodecError::new(position, why)
}

/// Returns the step to the value of this key, as paths show it.
fn step_to(key: &Value) -> Step {
    let (view, name) = (key.view(), std::cell::LazyCell::new(|| key.view().string_name()));
    let event = match view.kind() {
        Kind::Nil => Some(Event::Nil),
        Kind::Bool => Some(Event::Bool(view.bool())),
        Kind::Int => Some(Event::Int(view.int())),
        Kind::Float => Some(Event::Float(view.float())),
        Kind::String => Some(Event::String(Text::Utf32(view.string()))),
        Kind::StringName => Some(Event::StringName(Text::Utf32(chars(&name)))),
        _ => None,
    };
    Step::to_key(view.kind(), event)
}
