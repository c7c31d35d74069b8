//! Captures values: as bytes, or as they are.

use godot::builtin::{AnyArray, AnyDictionary, PackedByteArray, VarArray};
use godot::meta::ToGodot;
use varbatch_codec::{Kind, Step};

use super::members::Members;
use super::skipped::{Skipped, Why};
use crate::calls::encode::encode;
use crate::engine::{self, OwnArray, Slot, Value};
use crate::objects;
use crate::report::{Line, Outcome};

/// Reads all values, null for those that are gone. Getters run.
fn read(members: &Members) -> (VarArray, Vec<Line>) {
    let mut array = OwnArray::new(members.count());
    let mut skipped = Skipped::default();
    let mut slots = array.elements().iter_mut().enumerate();
    for member in members.iter() {
        for (found, (index, slot)) in objects::read(member.object.value(), &member.paths).zip(&mut slots) {
            match found {
                Some(found) => *slot = found,
                None if member.object.value().object_id() == 0 => skipped.add(index, Why::Freed),
                None => skipped.add(index, Why::Gone),
            }
        }
    }
    let lines = skipped.text(members, "wrote null for").map(Line::warning).into_iter().collect();
    (array.take(), lines)
}

/// Returns what the engine's `var_to_bytes` makes of all values in one Array.
pub fn capture(members: &Members) -> Outcome<PackedByteArray> {
    let (values, mut lines) = read(members);
    let mut bytes = PackedByteArray::new();
    if let Err(error) = encode(engine::value(&values.to_variant()), false, &mut bytes) {
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
    let values = values.upcast_any_array();
    let own = engine::values(&values).iter().map(|value| own(value).value().variant().clone());
    Outcome::new(own.collect(), lines)
}

/// Returns a value with containers of its own.
pub fn own(value: &Value) -> Slot {
    match value.view().kind() {
        Kind::Array => Slot::from(value.variant().to::<AnyArray>().duplicate_deep().to_variant()),
        Kind::Dictionary => Slot::from(value.variant().to::<AnyDictionary>().duplicate_deep().to_variant()),
        _ => {
            let mut slot = Slot::new();
            slot.set_own(value);
            slot
        }
    }
}
