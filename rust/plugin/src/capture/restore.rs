//! Restores captured values: each property is read, and set if its value differs.

use godot::builtin::{AnyArray, PackedByteArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::{Chunk, Cursor, ElementType, Event, Kind, Reader, Shape, Writer, validate};
use varbatch_workers::Threads;

use super::{CALLABLE, FREED_INSIDE, GONE, Members, REFUSED, Skipped, TOO_LARGE, Why, freed_or, own};
use crate::calls::get_in;
use crate::engine::{self, DIALECT, OwnedType, Slot, Value, object_of_id};
use crate::objects::PropertyPath;
use crate::report::{Failure, Line, Outcome};
use crate::undo::states::States;
use crate::value::budget::Budget;
use crate::value::build::{Build, MayAsk, build_flat};
use crate::value::string_cache::Texts;
use crate::value::walk::{Held, Planning, walk};

/// Restores what [`super::capture`] has returned. Changes nothing if the bytes are anything else.
pub fn restore(members: &Members, bytes: &PackedByteArray) -> Outcome<EngineError> {
    Outcome::of_code(values_in(members, engine::bytes_of(bytes)).map(|mut rest| {
        let (mut writer, mut chars) = (Writer::new(DIALECT), Vec::new());
        let mut budget = Budget::of_bytes(bytes.len());
        set_each(members, |object, path, now| {
            if let Some(after) = now.and_then(|now| strip(now, rest, &mut writer, &mut chars)) {
                rest = after;
                return Ok(None);
            }
            // They were read to their end before.
            let len = validate(Reader::new(rest)).unwrap_or_default();
            let (value, after) = rest.split_at(len.min(rest.len()));
            rest = after;
            match now {
                Some(_) if !budget.allows(object, path, value) => Err(TOO_LARGE),
                now => now.map(|now| made(now, value)).transpose(),
            }
        })
    }))
}

fn values_in<'a>(members: &Members, bytes: &'a [u8]) -> Result<&'a [u8], Failure> {
    let mut reader = Reader::new(bytes);
    validate(reader.clone()).map_err(get_in::failure)?;
    let kind = reader.peek_kind()?;
    let found = match reader.next_event()? {
        Some(Event::Array { element: ElementType::Any, count }) if count == members.count => {
            return Ok(reader.bytes(reader.position(), bytes.len()));
        }
        Some(Event::Array { element: ElementType::Any, count }) => format!("one of {count}"),
        Some(Event::Array { .. }) => "a typed Array".into(),
        _ => kind.name().into(),
    };
    Err(format!("expected an Array of {} values, found {found}", members.count).into())
}

pub fn restore_values(members: &Members, values: &AnyArray) -> Outcome<EngineError> {
    if values.len() != members.count {
        let text = format!("expected {} values, found {}", members.count, values.len());
        return Outcome::of_code(Err(Failure::invalid(text)));
    }
    // Scripts may change the caller's array.
    let values: Vec<_> = engine::values(values).iter().map(Slot::of).collect();
    let mut values = values.iter();
    set_each(members, |_, _, now| {
        let value = values.next().expect("one for each property");
        match now {
            Some(now) if !are_same(now, value.value()) => Ok(Some((own(value.value()), None))),
            _ => Ok(None),
        }
    })
}

/// A value to set; and what is missing in it.
type Made = (Slot, Option<Why>);

/// Sets each property to what `differing` returns, if anything, for its value now, which is `None` if it is gone.
fn set_each(
    members: &Members,
    mut differing: impl FnMut(&Value, &PropertyPath, Option<&Value>) -> Result<Option<Made>, Why>,
) -> Outcome<EngineError> {
    let (mut skipped, mut now, mut index) = (Skipped::default(), Slot::new(), 0);
    for member in &members.list {
        let object = member.object.value();
        for path in &*member.paths {
            let is_read = path.read(object, &mut now);
            let result = match differing(object, path, is_read.then_some(now.value())) {
                _ if !is_read => Err(freed_or(GONE, object)),
                Ok(Some((new, _))) if !path.write(object, new.value()) => Err(freed_or(REFUSED, object)),
                Ok(Some((_, Some(why)))) | Err(why) => Err(why),
                Ok(_) => Ok(()),
            };
            if let Err(why) = result {
                skipped.add(index, why);
            }
            index += 1;
        }
    }
    let lines = skipped.text(members, "skipped").map(Line::warning).into_iter().collect();
    Outcome::new(EngineError::OK, lines)
}

const CHUNK: usize = 4096;

/// Returns the bytes after those of the value; `None` if they begin with another one, as bytes tell where they end.
fn strip<'b>(value: &Value, bytes: &'b [u8], writer: &mut Writer<'static>, chars: &mut Vec<u8>) -> Option<&'b [u8]> {
    writer.clear();
    let (start, is_lossy) = (writer.mark(), std::sync::atomic::AtomicBool::new(false));
    let walked = walk(value, &mut Planning::<Held>::new(writer, None, &is_lossy));
    if walked.and_then(|()| writer.end_value(start)).is_err() {
        writer.drop_value(start);
        return None;
    }
    let (mut cursor, mut rest) = (Cursor::new(), bytes);
    while let Some(chunk) = cursor.next(writer.plan(), CHUNK) {
        rest = match chunk {
            Chunk::Bytes(bytes) => rest.strip_prefix(bytes)?,
            Chunk::Utf32(_) => {
                chars.clear();
                chunk.append_to(chars);
                rest.strip_prefix(chars.as_slice())?
            }
        };
    }
    Some(rest)
}

/// True if two values have the same bytes, and the same objects and Callables.
fn are_same(now: &Value, value: &Value) -> bool {
    let (one, other) = (now.view(), value.view());
    match one.kind().shape() {
        _ if one.kind() != other.kind() => false,
        Shape::Bool => one.bool() == other.bool(),
        Shape::Int => one.int() == other.int(),
        Shape::Float => one.float().to_bits() == other.float().to_bits(),
        Shape::Components { .. } => one.plain().bytes == other.plain().bytes,
        _ => {
            let (mut states, mut spans) = (States::default(), Vec::new());
            let errors = states.encode(&[Slot::of(now), Slot::of(value)], &mut spans);
            errors.is_empty() && states.get(spans[0]).is_same(states.get(spans[1]))
        }
    }
}

/// Builds a value that differs from the one of now. Objects are those of their ids, or null if they were freed.
fn made(now: &Value, bytes: &[u8]) -> Result<Made, Why> {
    let mut slot = Slot::new();
    if build_flat(bytes, &mut slot, 0, None) {
        match slot.value().view().kind() {
            Kind::Callable => return Err(CALLABLE),
            Kind::Object => {}
            _ => return Ok((slot, None)),
        }
    }
    let (mut kept, mut reader) = (Vec::new(), Reader::new(bytes));
    while let Ok(Some(event)) = reader.next_event() {
        match event {
            Event::Callable => return Err(CALLABLE),
            Event::ObjectId(id) => kept.push(object_of_id(id)),
            _ => {}
        }
    }
    let is_freed = Slot::values(&kept).iter().any(|object| object.object_id() == 0);
    // One more, as containers hold objects of any class if some are kept.
    kept.push(Slot::new());
    let (mut texts, alone) = (Texts::for_bytes(0), Threads::alone());
    let build = Build::new(Reader::new(bytes), &mut texts, &alone, MayAsk::Conversions);
    // This cannot fail: the bytes were read to their end before.
    _ = build.keeping(Slot::values(&kept)).build(&mut slot);
    Ok((typed_as(now, slot), is_freed.then_some(FREED_INSIDE)))
}

/// Gives a container of objects the classes and scripts that the property's container has now: bytes hold none.
fn typed_as(now: &Value, made: Slot) -> Slot {
    let is_same_kind = now.view().kind() == made.value().view().kind();
    let has_class = |of: &OwnedType| matches!(of, OwnedType::Class(_) | OwnedType::Script { .. });
    let is_object = |of: &OwnedType| has_class(of) || matches!(of, OwnedType::Builtin(Kind::Object));
    if !is_same_kind || !types_of(now).iter().any(has_class) || !types_of(made.value()).iter().any(is_object) {
        return made;
    }
    let typed = now.variant().call("duplicate", &[]);
    typed.call("clear", &[]);
    typed.call("assign", &[made.value().variant().clone()]);
    // The property may have held another class of objects then.
    let size = |container: &Variant| container.call("size", &[]);
    if size(&typed) == size(made.value().variant()) { Slot::from(typed) } else { made }
}

fn types_of(value: &Value) -> [OwnedType; 2] {
    let view = value.view();
    match view.kind() {
        Kind::Array => [view.element_type(true), OwnedType::Any],
        Kind::Dictionary => view.entry_types(true).into(),
        _ => [OwnedType::Any, OwnedType::Any],
    }
}
