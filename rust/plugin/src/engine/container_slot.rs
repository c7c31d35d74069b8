//! Arrays and Dictionaries that are filled in place.

use std::marker::PhantomData;

use godot::builtin::{Array, PackedByteArray, StringName, VarArray, VarDictionary, Variant};
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::api::api;
use super::ffi::{Inner, sys_type};
use super::layout;
use super::read::size;
use super::slot::Slot;
use super::write::resize;

/// An array of `len` nils, with its elements to be filled in.
pub fn new_array(len: usize, fill: impl FnOnce(&mut [Slot])) -> VarArray {
    let mut array = VarArray::new();
    fill(ArraySlot::of(array.sys_mut()).grow(len));
    array
}

/// A typed array of `len` empty byte arrays, with its elements to be filled in as [`BytesOut`].
pub fn new_byte_arrays(len: usize, fill: impl FnOnce(&mut [Slot])) -> Array<PackedByteArray> {
    let mut array = Array::new();
    let mut slot = ArraySlot::of(array.sys_mut());
    slot.resize(len);
    fill(slot.elements());
    array
}

/// A typed array of `len` empty dictionaries, with its elements to be filled.
pub fn new_dictionaries(len: usize, fill: impl FnOnce(&mut [Slot])) -> Array<VarDictionary> {
    let mut array = Array::new();
    let mut slot = ArraySlot::of(array.sys_mut());
    slot.resize(len);
    fill(slot.elements());
    array
}

/// What the elements of a typed container must be, as the engine takes it.
pub struct SlotType {
    /// Not `Nil`, unless anything goes.
    pub kind: Kind,
    /// The class of objects; empty for other kinds.
    pub class: StringName,
    /// The script of objects, or nil.
    pub script: Variant,
}

/// An Array in a slot that nobody else has seen.
pub struct ArraySlot<'s> {
    inner: Inner,
    _slot: PhantomData<&'s mut Slot>,
}

impl<'s> ArraySlot<'s> {
    /// `inner` must point to an Array that nobody else uses as long as the slot.
    #[inline]
    pub(super) fn of(inner: Inner) -> Self {
        Self { inner, _slot: PhantomData }
    }

    /// Gives the type. The array must be empty, and has none yet.
    pub fn set_type(&mut self, element: &SlotType) {
        let (kind, class, script) = (sys_type(element.kind), element.class.string_sys(), element.script.var_sys());
        // SAFETY: `inner` points to the Array of the borrowed slot; class and script are alive.
        unsafe { (api().interface.array_set_typed)(self.inner, kind, class, script) };
    }

    /// Makes the array `count` elements long; new ones are nil, or the default of the type.
    pub fn resize(&mut self, count: usize) {
        resize(Kind::Array, self.inner, count);
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        size(Kind::Array, self.inner)
    }

    /// The elements. Of a typed array, each must be given a value of its type.
    #[inline]
    pub fn elements(&mut self) -> &mut [Slot] {
        // SAFETY: the array is alive and unique, and keeps its Variants in one piece. `Slot` is a transparent Variant. To
        // write, the engine is asked for the first, which makes the elements unique.
        unsafe {
            match self.len() {
                0 => &mut [],
                count => {
                    let first = (api().interface.array_operator_index)(self.inner, 0);
                    std::slice::from_raw_parts_mut(first.cast(), count)
                }
            }
        }
    }

    /// As [`Self::elements`], for as long as the slot is borrowed.
    pub fn into_elements(mut self) -> &'s mut [Slot] {
        let elements = std::ptr::from_mut(self.elements());
        // SAFETY: the slot that the array is in is borrowed for writing as long as 's, and this was its only view.
        unsafe { &mut *elements }
    }

    /// Makes the empty, untyped array one of `count` nils and gives them out.
    #[inline]
    pub fn grow(&mut self, count: usize) -> &mut [Slot] {
        if !api().layout.makes_blocks || count == 0 {
            self.resize(count);
            return self.elements();
        }
        // SAFETY: the layout makes blocks, and the array is empty. Zeros are a nil.
        unsafe {
            let data =
                layout::new_block_in(api().interface, Kind::Array, self.inner, count, size_of::<Slot>()).cast::<Slot>();
            data.write_bytes(0, count);
            std::slice::from_raw_parts_mut(data, count)
        }
    }

    /// Adds an element, as the engine does: one that does not fit the type is dropped with an error line.
    pub fn push(&mut self, element: &Slot) {
        let args = [element.value().variant().var_sys().cast()];
        // SAFETY: `inner` points to the Array of the borrowed slot, whose `push_back` takes a Variant and returns nothing.
        unsafe { (api().array_push_back)(self.inner, args.as_ptr(), std::ptr::null_mut(), 1) };
    }
}

/// A Dictionary in a slot that nobody else has seen.
pub struct DictionarySlot<'s> {
    inner: Inner,
    _slot: PhantomData<&'s mut Slot>,
}

impl DictionarySlot<'_> {
    /// `inner` must point to a Dictionary that nobody else uses as long as the slot.
    #[inline]
    pub(super) fn of(inner: Inner) -> Self {
        Self { inner, _slot: PhantomData }
    }

    /// Gives the types. The dictionary must be empty, and has none yet.
    pub fn set_types(&mut self, key: &SlotType, value: &SlotType) {
        let (key_kind, value_kind) = (sys_type(key.kind), sys_type(value.kind));
        let (key_class, value_class) = (key.class.string_sys(), value.class.string_sys());
        let (key_script, value_script) = (key.script.var_sys(), value.script.var_sys());
        let set_typed = api().interface.dictionary_set_typed;
        // SAFETY: `inner` points to the Dictionary of the borrowed slot; classes and scripts are alive.
        unsafe { set_typed(self.inner, key_kind, key_class, key_script, value_kind, value_class, value_script) };
    }

    /// The value of `key`, which is added if there is none. One that does not fit the type of keys gets the engine's error
    /// line, and a value outside of the dictionary.
    #[inline]
    pub fn entry(&mut self, key: &Slot) -> &mut Slot {
        // SAFETY: `inner` points to the Dictionary of the borrowed slot, and the key is alive. The value stays where it
        // is until the next entry is added.
        unsafe {
            let value = (api().interface.dictionary_operator_index)(self.inner, key.value().variant().var_sys());
            Slot::from_mut(&mut *value.cast())
        }
    }
}

impl Slot {
    /// The Array that [`Self::set_array`] has put here.
    ///
    /// # Panics
    /// If there is something else.
    #[inline]
    pub fn array(&mut self) -> ArraySlot<'_> {
        let view = self.value().view();
        assert_eq!(view.kind(), Kind::Array);
        ArraySlot::of(view.inner)
    }

    /// The Dictionary that [`Self::set_dictionary`] has put here.
    ///
    /// # Panics
    /// If there is something else.
    #[inline]
    pub fn dictionary(&mut self) -> DictionarySlot<'_> {
        let view = self.value().view();
        assert_eq!(view.kind(), Kind::Dictionary);
        DictionarySlot::of(view.inner)
    }
}
