//! Captures the values of properties of many objects, and restores what differs.
//!
//! ```text
//! capture: members --read--> Array --encode--> bytes
//! restore: bytes --Reader--> the bytes of a value, compared with those of the property now --build--> set, if they differ
//! ```
//!
//! Getters, setters and Loggers may run in any call of the engine and use the same state again. So each call works on the
//! members as they were when it began, nothing is locked or borrowed meanwhile, and messages are printed last.

mod members;
mod restore;

use godot::prelude::*;
use varbatch_codec::{Kind, Step};

pub use self::members::{Members, add};
pub use self::restore::{restore, restore_values};
use crate::engine::{Slot, Value};
use crate::report::{Line, Outcome};

/// Reads all values into an Array, null for those that are gone. Getters run.
fn read(members: &Members) -> (Slot, Vec<Line>) {
    let (mut array, mut skipped) = (Slot::new(), Skipped::default());
    let mut left = array.set_array(members.count);
    for member in &members.list {
        let (object, index) = (member.object.value(), members.count - left.len());
        let (slots, rest) = left.split_at_mut(member.paths.len());
        left = rest;
        for (at, (path, slot)) in member.paths.iter().zip(slots).enumerate() {
            if !path.read(object, slot) {
                skipped.add(index + at, freed_or(GONE, object));
            }
        }
    }
    let lines = skipped.text(members, "wrote null for").map(Line::warning).into_iter().collect();
    (array, lines)
}

/// Returns what the engine's `var_to_bytes` makes of all values in one Array.
pub fn capture(members: &Members) -> Outcome<PackedByteArray> {
    let (values, mut lines) = read(members);
    let mut bytes = PackedByteArray::new();
    if let Err(error) = crate::calls::encode::encode(values.value(), false, &mut bytes) {
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

fn own(value: &Value) -> Slot {
    match value.view().kind() {
        Kind::Array => Slot::from(value.variant().to::<AnyArray>().duplicate_deep().to_variant()),
        Kind::Dictionary => Slot::from(value.variant().to::<AnyDictionary>().duplicate_deep().to_variant()),
        _ => Slot::with(|slot| slot.set_own(value)),
    }
}

type Why = &'static str;

const FREED: Why = "the object was freed";
const GONE: Why = "there is no such property";
const CALLABLE: Why = "bytes hold nothing of a Callable";
const FREED_INSIDE: Why = "an object in it was freed, and is null now";
const TOO_LARGE: Why = "the bytes do not allow so large a number";
const REFUSED: Why = "the object refuses the value";

fn freed_or(otherwise: Why, object: &Value) -> Why {
    if object.object_id() == 0 { FREED } else { otherwise }
}

/// The values that a capture cannot hold, or that cannot be restored: they are counted, and the first one is named.
#[derive(Default)]
struct Skipped {
    count: usize,
    first: Option<(usize, Why)>,
}

impl Skipped {
    fn add(&mut self, value: usize, why: Why) {
        self.count += 1;
        self.first.get_or_insert((value, why));
    }

    /// Returns the text of the warning. A getter may run. `None` if nothing was skipped.
    fn text(&self, members: &Members, what: &str) -> Option<String> {
        let (value, why) = self.first?;
        let (member, property) = members.place(value)?;
        let first = member.shown(property);
        Some(match self.count {
            1 => format!("{what} 1 value: {first}: {why}"),
            count => format!("{what} {count} values; the first: {first}: {why}"),
        })
    }
}
