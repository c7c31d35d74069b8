//! Restores captured values: each property is read, and set if its value differs.

use godot::builtin::{AnyArray, PackedByteArray, Variant};
use godot::classes::ResourceLoader;
use godot::global::Error as EngineError;
use godot::obj::Singleton;
use varbatch_codec::{ElementType, Event, Kind, Reader, Shape, validate};
use varbatch_workers::Threads;

use super::members::{Member, Numbers, Spot, numbers_in};
use super::settle::{Made, Place, Settling};
use super::{CALLABLE, FREED_INSIDE, Members, NO_COPY, OBJECT, SCRIPT_INSIDE, TOO_LARGE, is_container};
use crate::calls::encode::{Comparing, are_same};
use crate::calls::get_in;
use crate::engine::{self, OwnedType, Slot, Value, object_of_id};
use crate::report::{Failure, Line, Outcome};
use crate::value::budget::Budget;
use crate::value::build::{Build, MayAsk, build_flat};
use crate::value::element_scripts;
use crate::value::states::copy_of;
use crate::value::string_cache::Texts;

/// Restores what [`super::capture`] has returned. Changes nothing if the bytes are anything else.
pub fn restore(members: &Members, bytes: &PackedByteArray, allow_objects: bool) -> Outcome<EngineError> {
    Outcome::of_code(values_in(engine::bytes_of(bytes)).map(|(numbers, mut rest)| {
        let [mut stripping, mut comparing] = [Comparing::new(), Comparing::new()];
        let next = |now: Option<&Value>| {
            let (start, after) = (rest, now.and_then(|now| stripping.strip(now, rest)));
            rest = after.unwrap_or_else(|| after_first(start));
            (&start[..start.len() - rest.len()], after.is_some())
        };
        let is_same = |now: &Value, value| comparing.strip(now, value).is_some_and(<[u8]>::is_empty);
        let mut budget = Budget::of_bytes(bytes.len());
        set_each(members, numbers, next, is_same, |now, value, of, new| {
            let is_small = match of.path.last_object(of.object) {
                Some((object, path)) => {
                    budget.allows(&engine::class_name(object.value()), object.value().object_id(), &path, value)
                }
                None => budget.allows(of.class, of.id, of.path, value),
            };
            if is_small { make(now, value, allow_objects, new) } else { Err(TOO_LARGE) }
        })
    }))
}

/// Returns the bytes after the first value. They were read to their end before.
fn after_first(bytes: &[u8]) -> &[u8] {
    use Event::{Array, Dictionary, NodePath, PackedStrings};
    match Reader::flat(bytes) {
        Some((Array { .. } | Dictionary { .. } | NodePath { .. } | PackedStrings { .. }, _)) | None => {
            &bytes[validate(Reader::new(bytes)).unwrap_or_default().min(bytes.len())..]
        }
        Some((_, after)) => after,
    }
}

/// Returns how many values of a capture are of properties that are no longer there.
pub fn missing_count(members: &Members, bytes: &PackedByteArray) -> Outcome<i64> {
    let is_alive = |(member, _): Spot<'_>| member.object.value().object_id() != 0;
    match values_in(engine::bytes_of(bytes)) {
        Ok((numbers, _)) => {
            let missing = members.places(numbers).filter(|place| !place.is_some_and(is_alive));
            Outcome::new(missing.count() as i64, Vec::new())
        }
        Err(failure) => Outcome::failed(-1, failure),
    }
}

/// Returns the numbers of the values in a capture, and their bytes.
fn values_in(bytes: &[u8]) -> Result<(Numbers, &[u8]), Failure> {
    let mut reader = Reader::new(bytes);
    let len = validate(reader.clone()).map_err(get_in::failure)?;
    if len == bytes.len()
        && let Some(Event::Array { element: ElementType::Any, count }) = reader.next_event()?
        && let Some(count) = count.checked_sub(1)
        && let Some(Event::Packed(plain)) = reader.next_event()?
        && let Some(numbers) = numbers_in(plain, count)
    {
        return Ok((numbers, reader.bytes(reader.position(), bytes.len())));
    }
    Err("expected what capture() returns, found another value".into())
}

pub fn restore_values(members: &Members, values: &AnyArray) -> Outcome<EngineError> {
    // Scripts may change the caller's array.
    let values: Vec<_> = engine::values(values).iter().map(Slot::of).collect();
    let numbers = values.split_first().and_then(|(numbers, values)| {
        let view = numbers.value().view();
        matches!(view.kind().shape(), Shape::Packed { .. }).then(|| numbers_in(view.plain(), values.len()))?
    });
    let Some(numbers) = numbers else {
        return Outcome::of_code(Err(Failure::invalid("expected what capture_values() returns, found another Array")));
    };
    let mut values = Slot::values(&values)[1..].iter();
    let next = |now: Option<&Value>| {
        let value = values.next().expect("one for each number");
        (value, now.is_some_and(|now| are_same(now, value)))
    };
    set_each(members, numbers, next, are_same, |_, value, _, new| {
        if is_container(value) {
            *new = copy_of(value).map_err(|_| NO_COPY)?;
        } else {
            new.set_own(value);
        }
        Ok(None)
    })
}

/// Sets each property to the value that was captured, if that is not the same as its value now. `next` returns the next
/// value, and whether it is the same as the one of now; `is_same` tells that of one that it has returned.
fn set_each<'m, T: Copy>(
    members: &'m Members,
    numbers: Numbers,
    mut next: impl FnMut(Option<&Value>) -> (T, bool),
    is_same: impl FnMut(&Value, T) -> bool,
    make: impl FnMut(&Value, T, Place<'m>, &mut Slot) -> Made,
) -> Outcome<EngineError> {
    let (mut settling, mut slot) = (Settling::new(is_same, make), Slot::new());
    // The properties of objects of which something was set that may change others, and where those of the last member begin.
    let (mut start, is_apart) = ((0, 0), members.are_apart());
    let (mut last, mut is_heard) = (None::<&Member>, false);
    let is_done = |last: Option<&Member>, is_set: bool, is_heard: bool| {
        last.is_none_or(|last| !is_set || !is_heard && last.is_settled())
    };
    for spot in members.places(numbers) {
        let place = spot.map(|(member, property)| member.place(property));
        let now = place.and_then(|place| place.read(&mut slot));
        let (value, is_same) = next(now);
        let Some((place, (member, property))) = place.zip(spot) else { continue };
        if !is_apart && !last.is_some_and(|last| std::ptr::eq(last, member)) {
            if is_done(last, settling.set_count > start.1, is_heard) {
                settling.places.truncate(start.0);
            }
            (start, last, is_heard) = ((settling.places.len(), settling.set_count), Some(member), false);
        }
        is_heard |= !is_same && !is_apart && member.is_heard(property);
        if is_same || settling.set((place, value), now, 0) {
            settling.places.push((place, value));
        }
    }
    if !is_apart && is_done(last, settling.set_count > start.1, is_heard) {
        settling.places.truncate(start.0);
    }
    settling.settle();
    let lines = settling.skipped.text("skipped").map(Line::warning).into_iter().collect();
    Outcome::new(EngineError::OK, lines)
}

/// Builds a value that differs from the one of now. Objects are those of their ids, or null if they were freed.
fn make(now: &Value, bytes: &[u8], allow_objects: bool, slot: &mut Slot) -> Made {
    if build_flat(bytes, slot, 0, None) {
        match slot.value().view().kind() {
            Kind::Callable | Kind::Signal | Kind::Object => {}
            _ => return Ok(None),
        }
    }
    let (mut kept, mut reader, mut missing) = (Vec::new(), Reader::new(bytes), None);
    // A script without a path is known only if the property still has it.
    let mut own = scripts_of(now);
    while let Ok(Some(event)) = reader.next_event() {
        match event {
            Event::Callable => return Err(CALLABLE),
            Event::ObjectId(id) | Event::Signal { object: id, .. } if id != 0 && !allow_objects => return Err(OBJECT),
            Event::ObjectId(id) => {
                kept.push(object_of_id(id));
                if kept.last().is_some_and(|object: &Slot| object.value().object_id() == 0) {
                    missing = Some(FREED_INSIDE);
                }
            }
            _ => kept.extend(element_scripts(event).map(|path| {
                let script = script_at(path, own.next());
                if script.is_none() {
                    missing.get_or_insert(SCRIPT_INSIDE);
                }
                script.map_or_else(Slot::new, Slot::from)
            })),
        }
        own.by_ref().for_each(drop);
    }
    let (mut texts, alone) = (Texts::for_bytes(0), Threads::alone());
    let build = Build::new(Reader::new(bytes).with_objects(true), &mut texts, &alone, MayAsk::Conversions);
    // This cannot fail: the bytes were read to their end before.
    _ = build.keeping(Slot::values(&kept)).build(slot);
    Ok(missing)
}

/// Returns a script that is loaded, as bytes choose nothing that runs.
fn script_at(path: &str, own: Option<Variant>) -> Option<Variant> {
    match own {
        Some(script) if path.is_empty() => Some(script),
        _ if !ResourceLoader::singleton().has_cached(path) => None,
        _ => engine::script(path).map(|(script, _)| script),
    }
}

fn scripts_of(container: &Value) -> impl Iterator<Item = Variant> + use<> {
    let view = container.view();
    let types = match view.kind() {
        Kind::Array => [view.element_type(true), OwnedType::Any],
        Kind::Dictionary => view.entry_types(true).into(),
        _ => [OwnedType::Any, OwnedType::Any],
    };
    types.into_iter().filter_map(|of| if let OwnedType::Script { script, .. } = of { Some(script) } else { None })
}
