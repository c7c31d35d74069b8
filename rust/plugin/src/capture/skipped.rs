//! The values that a capture cannot hold, or that cannot be restored: they are counted, and the first one is named.

use super::members::Members;
use crate::engine::Value;

/// Why a value is skipped.
#[derive(Clone, Copy)]
pub enum Why {
    Freed,
    Gone,
    Callable,
    FreedInside,
    Refused,
}

impl Why {
    /// The reason why a property of an object cannot be read.
    pub fn of_missing(object: &Value) -> Self {
        if object.object_id() == 0 { Self::Freed } else { Self::Gone }
    }
}

#[derive(Default)]
pub struct Skipped {
    count: usize,
    /// The index of the first one.
    first: Option<(usize, Why)>,
}

impl Skipped {
    pub fn add(&mut self, value: usize, why: Why) {
        self.count += 1;
        self.first.get_or_insert((value, why));
    }

    /// Returns the text of the warning. A getter may run. `None` if nothing was skipped.
    pub fn text(&self, members: &Members, what: &str) -> Option<String> {
        let (value, why) = self.first?;
        let (member, property) = members.place(value)?;
        let why = match why {
            Why::Freed => "the object was freed",
            Why::Gone => "there is no such property",
            Why::Callable => "bytes hold nothing of a Callable",
            Why::FreedInside => "an object in it was freed, and is null now",
            Why::Refused => "the object refuses the value",
        };
        let first = member.shown(property);
        Some(match self.count {
            1 => format!("{what} 1 value: {first}: {why}"),
            count => format!("{what} {count} values; the first: {first}: {why}"),
        })
    }
}
