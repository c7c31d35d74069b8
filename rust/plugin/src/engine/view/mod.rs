//! Values of the engine that are only read: Variants where they lie, and references that keep their contents.

mod containers;
mod fetch;
mod held;
mod read;

pub use containers::OwnedType;
pub use fetch::ahead;
pub use held::{HeldBytes, Reference};
pub use read::{Str, Value, View, byte_array_at, bytes_of, chars, value, values};
pub(super) use read::{elements, packed_data, size};
