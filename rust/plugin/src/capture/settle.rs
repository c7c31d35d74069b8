//! Sets properties until each has the value that it is to have, for captures and undo.
//!
//! A setter may change or limit other properties. So what differs after a pass is set again, backwards and forwards in turn.

use godot::builtin::StringName;
use godot::global::is_equal_approx;
use varbatch_codec::{Kind, Scalar, Shape};

use crate::calls::encode::are_same;
use crate::engine::{Slot, Value};
use crate::objects::{PropertyPath, shown};

/// Max passes. Each sets at least one more of a chain of properties of which the next one changes or limits the one before,
/// and many more in the order of the chain. The last one only looks.
const PASSES: usize = 100;

/// Max passes in which no fewer values differ: setters that change each other's properties may never agree.
const STALLED: usize = 8;

/// Why a value is not set.
pub type Why = &'static str;

const FREED: Why = "the object was freed";
pub const GONE: Why = "there is no such property";
const REFUSED: Why = "the object refuses the value";
const OTHER: Why = "the object keeps another value, whatever is set first";

pub fn freed_or(otherwise: Why, object: &Value) -> Why {
    if object.object_id() == 0 { FREED } else { otherwise }
}

/// A property of an object.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    pub object: &'p Value,
    pub class: &'p StringName,
    pub id: u64,
    pub path: &'p PropertyPath,
}

impl Place<'_> {
    /// Returns the property as messages name it. A getter may run.
    pub fn shown(&self) -> String {
        format!("{}, property \"{}\"", shown(self.object, self.class, self.id), self.path)
    }

    pub fn read<'s>(&self, slot: &'s mut Slot) -> Option<&'s Value> {
        self.path.read(self.object, slot).then(|| slot.value())
    }
}

/// The values that are not as they should be: they are counted, and the first one is named.
#[derive(Default)]
pub struct Skipped<'p> {
    count: usize,
    first: Option<(Place<'p>, Why)>,
}

impl<'p> Skipped<'p> {
    pub fn add(&mut self, place: Place<'p>, why: Why) {
        self.count += 1;
        self.first.get_or_insert((place, why));
    }

    /// Returns the text of the warning. A getter may run. `None` if nothing was skipped.
    pub fn text(&self, what: &str) -> Option<String> {
        let (place, why) = self.first?;
        let first = place.shown();
        Some(match self.count {
            1 => format!("{what} 1 value: {first}: {why}"),
            count => format!("{what} {count} values; the first: {first}: {why}"),
        })
    }
}

/// What is missing in a value to set, or why there is none.
pub type Made = Result<Option<Why>, Why>;

/// Sets properties to goals. `is_same` compares a value with one, and `make` makes a value of one.
pub struct Settling<'p, T, S, M> {
    /// What is compared in further passes.
    pub places: Vec<(Place<'p>, T)>,
    is_same: S,
    make: M,
    pub skipped: Skipped<'p>,
    /// How many were set in this pass.
    pub set_count: usize,
    /// Kept, as moving a Variant whose parts were just written is slow.
    new: Slot,
}

impl<'p, T: Copy, S, M> Settling<'p, T, S, M>
where
    S: FnMut(&Value, T) -> bool,
    M: FnMut(&Value, T, Place<'p>, &mut Slot) -> Made,
{
    pub fn new(is_same: S, make: M) -> Self {
        Self { places: Vec::new(), is_same, make, skipped: Skipped::default(), set_count: 0, new: Slot::new() }
    }

    /// Sets a property that differs. `now` is its value, if it has one. Returns false for what cannot be set.
    pub fn set(&mut self, (place, goal): (Place<'p>, T), now: Option<&Value>, pass: usize) -> bool {
        let object = place.object;
        let mut try_set = || {
            let Some(now) = now else {
                if pass > 0 || object.object_id() == 0 {
                    return Err(freed_or(GONE, object));
                }
                // Another property may make it: a count its items.
                self.set_count += 1;
                return Ok(());
            };
            let missing = (self.make)(now, goal, place, &mut self.new)?;
            let new = self.new.value();
            match pass {
                // The same in other bytes.
                1.. if are_same(now, new) => return Ok(()),
                // What a getter has computed of other properties, and rounded: set, but not again because of that.
                2.. if are_near(now, new) => {}
                PASSES => return Err(OTHER),
                _ => self.set_count += 1,
            }
            let is_set = place.path.write(object, new);
            if is_set { missing.map_or(Ok(()), Err) } else { Err(freed_or(REFUSED, object)) }
        };
        try_set().map_err(|why| self.skipped.add(place, why)).is_ok()
    }

    /// Compares all, and sets what differs, until nothing does. Nothing is done if nothing was set before.
    pub fn settle(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        let (mut pass, mut before, mut slot) = (1, [usize::MAX; STALLED], Slot::new());
        while self.set_count > 0 && pass <= PASSES {
            self.set_count = 0;
            places.reverse();
            places.retain(|&(place, goal)| {
                let now = place.read(&mut slot);
                now.is_some_and(|now| (self.is_same)(now, goal)) || self.set((place, goal), now, pass)
            });
            pass = if self.set_count < before[0] { pass + 1 } else { PASSES.max(pass + 1) };
            before.rotate_left(1);
            before[STALLED - 1] = self.set_count;
        }
    }
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
