//! The memory layout of a Dictionary and its entries.

use std::ffi::c_void;

use godot::builtin::Variant;

/// One entry (`HashMapElement` in `core/templates/hash_map.h`).
#[repr(C)]
pub struct Entry {
    pub next: *const Entry,
    pub previous: *const Entry,
    pub key: Variant,
    pub value: Variant,
}

/// A Dictionary's private data (`DictionaryPrivate` in `core/variant/dictionary.cpp`).
#[repr(C)]
pub struct Private {
    references: u64,
    read_only: *const c_void,
    tables: [*const c_void; 2],
    pub first: *const Entry,
    pub last: *const Entry,
    capacity: u32,
    pub size: u32,
    pub key: ElementType,
    pub value: ElementType,
}

/// The type of the keys or the values (`ContainerTypeValidate`).
#[repr(C)]
pub struct ElementType {
    pub id: u32,
    class: *const c_void,
    script: *const c_void,
    text: *const c_void,
}
