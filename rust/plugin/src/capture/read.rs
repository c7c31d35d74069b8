//! Captures values: as bytes, or as they are.

use godot::builtin::{AnyArray, AnyDictionary, PackedByteArray, VarArray};
use godot::meta::ToGodot;
use varbatch_codec::{Kind, Step};

use super::members::Members;
use super::skipped::{Skipped, Why};
use crate::calls::encode::encode;
use crate::engine::{Slot, Value};
use crate::objects;
use crate::report::{Line, Outcome};

/// Reads all values into an Array, null for those that are gone. Getters run.
fn read(members: &Members) -> (Slot, Vec<Line>) {
    let (mut array, mut skipped) = (Slot::new(), Skipped::default());
    let mut left = array.set_array(members.count);
    for member in &members.list {
        let (object, index) = (member.object.value(), members.count - left.len());
        let (slots, rest) = left.split_at_mut(member.paths.len());
        left = rest;
        objects::read(object, &member.paths, slots, |at| skipped.add(index + at, Why::of_missing(object)));
    }
    let lines = skipped.text(members, "wrote null for").map(Line::warning).into_iter().collect();
    (array, lines)
}

/// Returns what the engine's `var_to_bytes` makes of all values in one Array.
pub fn capture(members: &Members) -> Outcome<PackedByteArray> {
    let (values, mut lines) = read(members);
    let mut bytes = PackedByteArray::new();
    if let Err(error) = encode(values.value(), false, &mut bytes) {
        let place = match error.path().steps().next() {
            Some(Step::Index(value)) => members.place(*value),
            _ => None,
        };
        let of = place.map(|(member, property)| member.shown(property) + ": ").unwrap_or_default();
        lines.push(Line::error(format!("{of}{error}")));
    }
    Outcome::new(bytes, lines)
}

/// Returns all values, with copies of the containers: the objects may change theirs.
pub fn capture_values(members: &Members) -> Outcome<VarArray> {
    let (values, lines) = read(members);
    let own = values.value().view().elements().iter().map(|value| own(value).value().variant().clone());
    Outcome::new(own.collect(), lines)
}

/// Returns a value with containers of its own.
pub fn own(value: &Value) -> Slot {
    match value.view().kind() {
        Kind::Array => Slot::from(value.variant().to::<AnyArray>().duplicate_deep().to_variant()),
        Kind::Dictionary => Slot::from(value.variant().to::<AnyDictionary>().duplicate_deep().to_variant()),
        _ => Slot::with(|slot| slot.set_own(value)),
    }
}
