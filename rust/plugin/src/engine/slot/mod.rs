//! Values of the engine that are made or filled in place.

mod containers;
mod set;
mod write;

pub use containers::{BytesSlot, DictionarySlot, OwnArray, OwnDictionary, SlotType, new_dictionaries};
pub use set::Slot;
pub(super) use write::name_of;
pub use write::{BytesOut, Growing, StringSlot, byte_array_of, string_of};
