//! The only raw GDExtension calls: pointers into Variants, uninitialised memory of engine arrays, containers filled in
//! place, and the two methods that are called too often for gdext's conversions.
//!
//! gdext takes a reference to a packed array to read it, and resizes it with zeros: both cost more than encoding a
//! small value. This module uses calls of GDExtension 4.4, and reads memory where [`layout`] has verified it. Nothing
//! outside is `unsafe`. New values may be written in place: a slot just set, [`BytesSlot`], [`OwnArray`], [`Growing`].
//!
//! The module is sound because of:
//! - **Layout**: `Array` keeps its Variants, and `PackedStringArray` its Strings, one after the other (gdext relies on
//!   the same). Math types have the same components in a Variant as on the wire.
//!
//! Its functions are safe to call on these terms, which no type holds fast:
//! - **Borrows**: a [`Value`] is borrowed from an array that the caller holds for the whole call. Nothing that could
//!   run a script, and so change borrowed memory, is called meanwhile: see `batch`.
//! - **Memory**: whoever gets uninitialised memory fills all of it, with the codec's `fill`, before anyone else sees the
//!   array. Whoever does not, and panics, drops the array.
//! - **Types**: elements of a typed Array are set to values of its type.
//! - **Threads**: [`Value::variant`] and functions that run scripts are only called by the thread of the call.

mod api;
mod arguments;
mod files;
mod layout;
mod memory;
mod methods;
mod objects;
mod slot;
mod stream;
mod view;

use api::{
    Constructor, ENCODED_CLASS, Inner, TypeOf, api, construct, default_value, interface, is_packed, kind_of, sys_type,
};
pub use api::{DIALECT, REAL, THEME_ITEMS, allocates_in_parallel};
pub use arguments::load;
pub use files::{EngineFile, error_text, globalize, is_in_project, keep, packed_bytes};
/// True if large values are made with uninitialised memory. Otherwise the engine zeroes it, which threads should share.
pub use layout::is_known as makes_blocks;
pub use layout::why_not_known;
use layout::{Entry, Private, is_known};
use memory::{LINE, line, lines};
pub use memory::{Pages, why_no_huge_pages};
pub use methods::{
    AnyArg, ArrayArg, Call, DIALECTS, DialectArg, DictionaryArg, FlagArg, ObjectArg, load_docs, no, null, register,
    register_dialects,
};
pub use objects::{
    NewObject, base_class, call, can_instantiate, class_name, class_of, encoded_id, free, free_later,
    has_script_method, id_in, is_heard, is_of_class, meta_list, object_of_id, property, property_list, read_property,
    remove_meta, script, script_id, script_of, set_property, theme_overrides, with_property,
};
pub use slot::Slot;
pub use slot::containers::{BytesSlot, DictionarySlot, OwnArray, SlotType, new_dictionaries};
use slot::write::name_of;
pub use slot::write::{BytesOut, Growing, Memory, StringSlot, byte_array_of, string_of};
pub use stream::{Stream, StreamKind};
pub use view::containers::{OwnedType, ahead};
pub use view::held::{HeldBytes, Reference};
pub use view::{Str, Value, View, byte_array_at, bytes_of, chars, value, values};
use view::{elements, packed_data};
