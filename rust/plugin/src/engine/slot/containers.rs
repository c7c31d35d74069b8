//! Fills Arrays and Dictionaries in place; and results that nobody else has seen, on any thread.

use std::marker::PhantomData;

use godot::builtin::{Array, PackedByteArray, StringName, VarDictionary, Variant};
use godot::meta::{Element, ToGodot};
use godot::sys;
use varbatch_codec::Kind;

use super::Slot;
use super::write::{BytesOut, Memory, resize};
use crate::engine::{Constructor, Inner, api, default_value, elements, is_known, layout, sys_type};

/// The element type of a typed container, in the form that the engine expects.
pub struct SlotType {
    /// `Nil` if any type is allowed.
    pub kind: Kind,
    /// The class of objects, and their script or nil.
    class: Option<(StringName, Variant)>,
}

impl SlotType {
    pub fn of(kind: Kind) -> Self {
        Self { kind, class: None }
    }

    pub fn objects(class: StringName, script: Variant) -> Self {
        Self { kind: Kind::Object, class: Some((class, script)) }
    }

    pub fn class(&self) -> &(StringName, Variant) {
        self.class.as_ref().unwrap_or(&api().no_class)
    }

    fn class_sys(&self) -> (sys::GDExtensionConstStringNamePtr, sys::GDExtensionConstVariantPtr) {
        let (class, script) = self.class();
        (class.string_sys(), script.var_sys())
    }
}

/// An Array that nobody else has seen, with elements as in gdext's type for it.
#[repr(transparent)]
pub struct OwnArray<T>(Slot, PhantomData<fn() -> T>);

impl<T> OwnArray<T> {
    /// Resizes the array to `count` elements; new ones are nil, or the default of the element type.
    pub fn resize(&mut self, count: usize) {
        // SAFETY: the slot holds an Array that nobody else uses.
        assert!(unsafe { resize(Kind::Array, self.0.inner(Kind::Array), count) }, "out of memory");
    }

    fn slots(&mut self) -> &mut [Slot] {
        // SAFETY: nobody else has the borrowed Array. Its Variants are contiguous, and a `Slot` is a transparent one.
        unsafe {
            match elements(Kind::Array, self.0.inner(Kind::Array)) {
                (_, 0) => &mut [],
                (first, count) => std::slice::from_raw_parts_mut(first.cast_mut().cast(), count),
            }
        }
    }

    /// Returns `count` new values of the empty array: nils, or any if typed, to be set to its type before anyone looks.
    #[inline]
    pub fn grow(&mut self, count: usize) -> &mut [Slot] {
        if count == 0 {
            return &mut [];
        }
        if !is_known() {
            self.resize(count);
            return self.slots();
        }
        // SAFETY: the layout is known, the array empty and mutably borrowed. Its elements become zeros, which are nil.
        unsafe {
            let data = layout::new_block_in(Kind::Array, self.0.inner(Kind::Array), count, size_of::<Slot>());
            let data = data.expect("out of memory");
            data.cast::<Slot>().write_bytes(0, count);
            std::slice::from_raw_parts_mut(data.cast(), count)
        }
    }
}

impl<T: Element> OwnArray<T> {
    fn empty() -> Self {
        Self(Slot::from(Array::<T>::new().to_variant()), PhantomData)
    }

    /// Returns the array, which may be shared from then on, and leaves an empty one.
    pub fn take(&mut self) -> Array<T> {
        std::mem::replace(self, Self::empty()).0.value().variant().to()
    }
}

impl OwnArray<Variant> {
    pub fn new(count: usize) -> Self {
        let mut array = Self::empty();
        array.grow(count);
        array
    }

    /// Returns the `count` elements from index `from` on, for filling. A shorter array grows, by more than is needed.
    pub fn room(&mut self, from: usize, count: usize) -> &mut [Slot] {
        let needed = from + count;
        if self.slots().len() < needed {
            self.resize(needed.max(2 * from));
        }
        &mut self.slots()[from..needed]
    }

    pub fn elements(&mut self) -> &mut [Slot] {
        self.slots()
    }
}

impl OwnArray<PackedByteArray> {
    pub fn byte_arrays(count: usize) -> Self {
        let mut array = Self::empty();
        array.resize(count);
        array
    }

    pub fn elements(&mut self) -> &mut [BytesSlot] {
        // SAFETY: the elements are byte arrays of an array that nobody else has. A `BytesSlot` is a transparent `Slot`.
        unsafe { &mut *(std::ptr::from_mut(self.slots()) as *mut [BytesSlot]) }
    }
}

pub fn new_dictionaries(len: usize, fill: impl FnOnce(&mut [Slot])) -> Array<VarDictionary> {
    let mut array = OwnArray::empty();
    fill(array.grow(len));
    array.take()
}

/// The new Dictionary in a slot, that nobody else uses meanwhile.
pub struct DictionarySlot<'s> {
    inner: Inner,
    _slot: PhantomData<&'s mut Slot>,
}

impl DictionarySlot<'_> {
    /// Sets the key and value types. The dictionary must be empty and untyped.
    pub fn set_types(&mut self, key: &SlotType, value: &SlotType) {
        let (key_kind, value_kind) = (sys_type(key.kind), sys_type(value.kind));
        let ((key_class, key_script), (value_class, value_script)) = (key.class_sys(), value.class_sys());
        let set_typed = api().interface.dictionary_set_typed;
        // SAFETY: `inner` points to the Dictionary of the borrowed slot; classes and scripts are alive.
        unsafe { set_typed(self.inner, key_kind, key_class, key_script, value_kind, value_class, value_script) };
    }

    /// Returns the value of `key`, added if it is missing. If its type is wrong the engine prints, and adds nothing.
    #[inline]
    pub fn entry(&mut self, key: &Slot) -> &mut Slot {
        // SAFETY: `inner` points to the Dictionary of the borrowed slot, and the key is alive. The value does not move
        // until the next entry is added, which needs this borrow to end.
        unsafe {
            let value = (api().interface.dictionary_operator_index)(self.inner, key.value().variant().var_sys());
            Slot::from_mut(&mut *value.cast())
        }
    }
}

impl Slot {
    /// Makes the value an untyped Array of `count` nils and returns them.
    #[inline]
    pub fn set_array(&mut self, count: usize) -> &mut [Slot] {
        self.set_container(Kind::Array, api().new_array);
        // SAFETY: this was just set to an Array, and an `OwnArray` is a transparent `Slot`.
        unsafe { &mut *std::ptr::from_mut(self).cast::<OwnArray<Variant>>() }.grow(count)
    }

    pub fn set_typed_array(&mut self, element: &SlotType) -> &mut OwnArray<Variant> {
        self.set_container(Kind::Array, api().new_array);
        let (kind, (class, script)) = (sys_type(element.kind), element.class_sys());
        // SAFETY: this is an empty untyped Array; class and script are alive. An `OwnArray` is a transparent `Slot`.
        unsafe {
            (api().interface.array_set_typed)(self.inner(Kind::Array), kind, class, script);
            &mut *std::ptr::from_mut(self).cast()
        }
    }

    #[inline]
    pub fn set_dictionary(&mut self) -> DictionarySlot<'_> {
        DictionarySlot { inner: self.set_container(Kind::Dictionary, api().new_dictionary), _slot: PhantomData }
    }

    #[inline]
    fn set_container(&mut self, kind: Kind, new: Constructor) -> Inner {
        if !is_known() {
            self.set_variant(default_value(kind));
            return self.inner(kind);
        }
        let mut container = std::ptr::null_mut::<std::ffi::c_void>();
        // SAFETY: the constructor is that of `kind`, one pointer. The layout is known, and the old value is released.
        unsafe {
            new((&raw mut container).cast(), std::ptr::null());
            layout::write(self.release(), kind, container);
        }
        self.inner(kind)
    }
}

/// A byte array that nobody else has seen. The one of a [`Slot`] may be shared with other Variants.
#[repr(transparent)]
pub struct BytesSlot(Slot);

impl BytesSlot {
    #[inline]
    pub fn bytes(&mut self) -> &mut PackedByteArray {
        // SAFETY: the byte array is ours alone and mutably borrowed. gdext's type has the layout of the engine's.
        unsafe { &mut *self.0.inner(Kind::PackedByteArray).cast() }
    }
}

impl BytesOut for BytesSlot {
    #[inline]
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        self.bytes().allocate(len)
    }
}
