//! Restores captured values: each property is read, and set if its value differs.

use std::cell::{Cell, RefCell};

use godot::builtin::{AnyArray, PackedByteArray, Variant};
use godot::classes::ResourceLoader;
use godot::global::{Error as EngineError, is_equal_approx};
use godot::obj::Singleton;
use varbatch_codec::{ElementType, Event, Kind, Reader, Scalar, Shape, validate};
use varbatch_workers::Threads;

use super::members::{Numbers, Place, numbers_in};
use super::{CALLABLE, FREED_INSIDE, GONE, Members, OBJECT, OTHER, REFUSED, Skipped, TOO_LARGE, Why, freed_or, own};
use crate::calls::encode::{Comparing, are_same};
use crate::calls::get_in;
use crate::engine::{self, OwnedType, Slot, Value, object_of_id};
use crate::report::{Failure, Line, Outcome};
use crate::value::budget::Budget;
use crate::value::build::{Build, MayAsk, build_flat};
use crate::value::element_scripts;
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
        let budget = RefCell::new(Budget::of_bytes(bytes.len()));
        set_each(members, numbers, next, is_same, |(member, property), now, value, pass, new| {
            // Once, however often it is set.
            let is_small = || budget.borrow_mut().allows(&member.class, member.id, &member.paths[property], value);
            if pass > 0 || is_small() { make(now, value, allow_objects, new) } else { Err(TOO_LARGE) }
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
    let is_alive = |(member, _): Place<'_>| member.object.value().object_id() != 0;
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
    validate(reader.clone()).map_err(get_in::failure)?;
    if let Some(Event::Array { element: ElementType::Any, count }) = reader.next_event()?
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
    set_each(members, numbers, next, are_same, |_, _, value, _, new| {
        *new = own(value);
        Ok(None)
    })
}

/// What is missing in a value to set, or why there is none.
type Made = Result<Option<Why>, Why>;

/// Passes over the properties of objects of which something was set. Every other one goes backwards. Each sets one more of a
/// chain of properties of which the next one changes or limits the one before, and many more in the order of the chain, so
/// that those are enough for a chain of 64 in any order. They end before if nothing differs, or not less than eight passes
/// ago. The last one only looks.
const PASSES: usize = 64;

/// Sets each property to the value that was captured, if that is not the same as its value now. `next` returns the next
/// value, and whether it is the same as the one of now; `is_same` tells that of one that it has returned.
fn set_each<'m, T: Copy>(
    members: &'m Members,
    numbers: Numbers,
    mut next: impl FnMut(Option<&Value>) -> (T, bool),
    mut is_same: impl FnMut(&Value, T) -> bool,
    make: impl Fn(Place<'m>, &Value, T, usize, &mut Slot) -> Made,
) -> Outcome<EngineError> {
    let (mut skipped, mut slot, set_count) = (Skipped::default(), Slot::new(), Cell::new(0));
    // Kept, as moving a Variant whose parts were just written is slow.
    let mut new = Slot::new();
    // Returns false for what cannot be set.
    let mut set = |(member, property): Place<'m>, now: Option<&Value>, value: T, pass| {
        let object = member.object.value();
        let mut try_set = || {
            let Some(now) = now else {
                if pass > 0 || object.object_id() == 0 {
                    return Err(freed_or(GONE, object));
                }
                // Another property may make it: a count its items.
                set_count.update(|count| count + 1);
                return Ok(());
            };
            let missing = make((member, property), now, value, pass, &mut new)?;
            match pass {
                // The same in other bytes; and what a getter has computed of other properties, and rounded.
                1.. if are_same(now, new.value()) => return Ok(()),
                2.. if are_near(now, new.value()) => return Ok(()),
                PASSES => return Err(OTHER),
                _ => set_count.update(|count| count + 1),
            }
            let is_set = member.paths[property].write(object, new.value());
            if is_set { missing.map_or(Ok(()), Err) } else { Err(freed_or(REFUSED, object)) }
        };
        try_set().map_err(|why| skipped.add(member, property, why)).is_ok()
    };
    // The properties of objects of which something was set, and where those of the last member begin.
    let (mut again, mut start, is_apart) = (Vec::with_capacity(members.count.min(256)), (0, 0), members.are_apart());
    for place in members.places(numbers) {
        let now = place.and_then(|place| read(place, &mut slot));
        let (value, is_same) = next(now);
        let Some(place) = place else { continue };
        if place.1 == 0 && !is_apart {
            if set_count.get() == start.1 {
                again.truncate(start.0);
            }
            start = (again.len(), set_count.get());
        }
        if is_same || set(place, now, value, 0) {
            again.push((place, value));
        }
    }
    let (mut pass, mut before) = (1, [usize::MAX; 8]);
    while set_count.get() > 0 && pass <= PASSES {
        set_count.set(0);
        again.reverse();
        again.retain(|&(place, value)| {
            let now = read(place, &mut slot);
            now.is_some_and(|now| is_same(now, value)) || set(place, now, value, pass)
        });
        pass = if set_count.get() < before[0] { pass + 1 } else { PASSES.max(pass + 1) };
        before.rotate_left(1);
        before[7] = set_count.get();
    }
    let lines = skipped.text("skipped").map(Line::warning).into_iter().collect();
    Outcome::new(EngineError::OK, lines)
}

fn read<'s>((member, property): Place<'_>, slot: &'s mut Slot) -> Option<&'s Value> {
    member.paths[property].read(member.object.value(), slot).then(|| slot.value())
}

/// True if the engine takes two values for approximately equal.
fn are_near(one: &Value, other: &Value) -> bool {
    let (view, other_view) = (one.view(), other.view());
    match view.kind().shape() {
        _ if view.kind() != other_view.kind() || view.kind() == Kind::Projection => false,
        Shape::Float => is_equal_approx(view.float(), other_view.float()),
        Shape::Components { scalar: Scalar::Real | Scalar::F32, .. } => {
            one.variant().call("is_equal_approx", &[other.variant().clone()]).booleanize()
        }
        _ => false,
    }
}

/// Builds a value that differs from the one of now. Objects are those of their ids, or null if they were freed.
fn make(now: &Value, bytes: &[u8], allow_objects: bool, slot: &mut Slot) -> Made {
    if build_flat(bytes, slot, 0, None) {
        match slot.value().view().kind() {
            Kind::Callable | Kind::Signal | Kind::Object => {}
            _ => return Ok(None),
        }
    }
    let (mut kept, mut reader, mut is_freed) = (Vec::new(), Reader::new(bytes), false);
    // A script without a path is known only if the property still has it.
    let mut own = scripts_of(now);
    while let Ok(Some(event)) = reader.next_event() {
        match event {
            Event::Callable => return Err(CALLABLE),
            Event::ObjectId(id) | Event::Signal { object: id, .. } if id != 0 && !allow_objects => return Err(OBJECT),
            Event::ObjectId(id) => {
                kept.push(object_of_id(id));
                is_freed |= kept.last().is_some_and(|object| object.value().object_id() == 0);
            }
            _ => kept.extend(element_scripts(event).map(|path| script_at(path, own.next()))),
        }
        own.by_ref().for_each(drop);
    }
    let (mut texts, alone) = (Texts::for_bytes(0), Threads::alone());
    let build = Build::new(Reader::new(bytes).with_objects(true), &mut texts, &alone, MayAsk::Conversions);
    // This cannot fail: the bytes were read to their end before.
    _ = build.keeping(Slot::values(&kept)).build(slot);
    Ok(is_freed.then_some(FREED_INSIDE))
}

/// Returns a script that is loaded, as bytes choose nothing that runs. Null if there is none.
fn script_at(path: &str, own: Option<Variant>) -> Slot {
    let script = match own {
        Some(script) if path.is_empty() => Some(script),
        _ if !ResourceLoader::singleton().has_cached(path) => None,
        _ => engine::script(path).map(|(script, _)| script),
    };
    script.map_or_else(Slot::new, Slot::from)
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
