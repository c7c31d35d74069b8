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
use varbatch_codec::{Kind, Step};

pub use self::members::{Members, add};
use self::members::{Numbers, bytes_of};
pub use self::restore::{missing_count, restore, restore_values};
use self::settle::{GONE, Skipped, Why, freed_or};
use crate::engine::{Slot, Value};
use crate::report::{Line, Outcome};

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
        let place = match error.path().steps().next() {
            Some(Step::Index(value)) => members.places(numbers).nth(value.wrapping_sub(1)).flatten(),
            _ => None,
        };
        let of = place.map(|(member, property)| member.place(property).shown() + ": ").unwrap_or_default();
        lines.push(Line::error(format!("{of}{error}")));
    }
    Outcome::new(bytes, lines)
}

/// Returns all values, with copies of the containers: the objects may change theirs.
pub fn capture_values(members: &Members) -> Outcome<VarArray> {
    let (values, _, lines) = read(members);
    let own = values.value().view().elements().iter().map(|value| own(value).value().variant().clone());
    Outcome::new(own.collect(), lines)
}

fn own(value: &Value) -> Slot {
    match value.view().kind() {
        Kind::Array => Slot::from(value.variant().to::<AnyArray>().duplicate_deep().to_variant()),
        Kind::Dictionary => Slot::from(value.variant().to::<AnyDictionary>().duplicate_deep().to_variant()),
        _ => Slot::with(|slot| slot.set_own(value)),
    }
}

const CALLABLE: Why = "bytes hold nothing of a Callable";
const OBJECT: Why = "there is an object in it (restore() has allow_objects)";
const FREED_INSIDE: Why = "an object in it was freed, and is null now";
const TOO_LARGE: Why = "the bytes do not allow such a value, set it from code";
