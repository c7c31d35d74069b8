//! Values of the engine that are made or filled in place.

mod containers;
mod copies;
mod own;
mod set;
mod text;
mod write;

pub use containers::{ArraySlot, DictionarySlot, SlotType};
pub use own::{BytesSlot, OwnArray, OwnDictionary, new_dictionaries};
pub use set::Slot;
pub(super) use write::name_of;
pub use write::{BytesOut, Growing, StringSlot, byte_array_of, string_of};
