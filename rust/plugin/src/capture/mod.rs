//! Captures the values of properties of many objects, and restores what differs.
//!
//! ```text
//! capture: members --read--> Array of their numbers and all values --encode--> bytes
//! restore: bytes --Reader--> the bytes of a value, compared with the property now --build--> set, if they differ
//! ```
//!
//! Getters, setters and Loggers may run in any call of the engine and use the same state again. So each call works on the
//! members as they were when it began, nothing is locked or borrowed meanwhile, and messages are printed last.

mod members;
mod restore;
pub mod settle;

use godot::prelude::*;
use varbatch_codec::{CodecError, Kind, Step};

pub use self::members::{Members, add};
use self::members::{Numbers, bytes_of};
pub use self::restore::{missing_count, restore, restore_values};
use self::settle::{GONE, Skipped, Why, freed_or};
use crate::engine::{Slot, Value};
use crate::report::{Line, Outcome};
use crate::value::states::copy_of;

/// Reads all values into an Array, behind their numbers; null for those that are gone. Getters run.
fn read(members: &Members) -> (Slot, Numbers, Vec<Line>) {
    let (mut array, mut skipped) = (Slot::new(), Skipped::default());
    let (first_slot, mut rest) = array.set_array(1 + members.count).split_first_mut().expect("at least one");
    let mut numbers = Numbers::new();
    for (&first, member) in &members.list {
        let end = first + member.paths.len() as u64;
        match numbers.last_mut() {
            Some(run) if run.end == first => run.end = end,
            _ => numbers.push(first..end),
        }
        let slots;
        (slots, rest) = rest.split_at_mut(member.paths.len());
        for (property, (path, slot)) in member.paths.iter().zip(slots).enumerate() {
            if !path.read(member.object.value(), slot) {
                skipped.add(member.place(property), freed_or(GONE, member.object.value()));
            }
        }
    }
    first_slot.set(bytes_of(&numbers));
    let lines = skipped.text("wrote null for").map(Line::warning).into_iter().collect();
    (array, numbers, lines)
}

/// Returns what the engine's `var_to_bytes` makes of the Array, but that containers keep the class of their elements.
pub fn capture(members: &Members) -> Outcome<PackedByteArray> {
    let (values, numbers, mut lines) = read(members);
    let mut bytes = PackedByteArray::new();
    if let Err(error) = crate::calls::encode::encode_typed(values.value(), &mut bytes) {
        lines.push(failed(members, numbers, &error));
    }
    Outcome::new(bytes, lines)
}

/// Returns all values, with copies of the containers: the objects may change theirs.
pub fn capture_values(members: &Members) -> Outcome<VarArray> {
    let (values, numbers, mut lines) = read(members);
    let values = values.value().view().elements();
    let mut own = Slot::new();
    let slots = own.set_array(values.len());
    slots.iter_mut().zip(values).for_each(|(slot, value)| slot.set_own(value));
    if values.iter().any(is_container) {
        // The others are null, so that an error tells the place of its value.
        let mut containers = Slot::new();
        let shared = containers.set_array(values.len()).iter_mut().zip(values);
        shared.filter(|(_, value)| is_container(value)).for_each(|(slot, value)| slot.set_copy(value));
        match copy_of(containers.value()) {
            Ok(copies) => {
                let copied = slots.iter_mut().zip(copies.value().view().elements());
                copied.filter(|(_, copy)| is_container(copy)).for_each(|(slot, copy)| slot.set_copy(copy));
            }
            Err(error) => {
                lines.push(failed(members, numbers, &error));
                return Outcome::new(VarArray::new(), lines);
            }
        }
    }
    Outcome::new(own.value().variant().to(), lines)
}

/// Returns the error of a value that cannot be encoded, in the Array of all of them.
fn failed(members: &Members, numbers: Numbers, error: &CodecError) -> Line {
    let place = match error.path().steps().next() {
        Some(Step::Index(value)) => members.places(numbers).nth(value.wrapping_sub(1)).flatten(),
        _ => None,
    };
    let of = place.map(|(member, property)| member.place(property).shown() + ": ").unwrap_or_default();
    Line::error(format!("{of}{error}"))
}

fn is_container(value: &Value) -> bool {
    matches!(value.view().kind(), Kind::Array | Kind::Dictionary)
}

const CALLABLE: Why = "bytes hold nothing of a Callable";
const OBJECT: Why = "there is an object in it (restore() has allow_objects)";
const NO_COPY: Why = "it is too deep or too large to be copied, or contains itself";
const SCRIPT_INSIDE: Why =
    "a container in it has elements of a script that is not loaded from a file, and takes any object now";
const FREED_INSIDE: Why = "an object in it was freed, and is null now";
const TOO_LARGE: Why = "the bytes do not allow such a value, set it from code";
