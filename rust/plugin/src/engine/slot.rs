//! Makes values in place: in the elements of an array, the entries of a dictionary, or the result of a call.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use godot::builtin::{Array, PackedByteArray, StringName, VarArray, Variant};
use godot::meta::ToGodot;
use godot::sys::{self, GodotFfi};
use varbatch_codec::{Kind, Scalar};

use super::read::{Value, packed_data, size};
use super::write::{BytesOut, Memory, StringSlot, resize, string_of};
use super::{Inner, REAL, api, default_value, sys_type, value};

/// Bytes of the engine's `real_t`.
const REAL_SIZE: usize = Scalar::Real.size(REAL);

/// A Variant of an array, or a result, that one thread at a time fills in; not necessarily the caller's.
#[repr(transparent)]
pub struct Slot(Variant);

// SAFETY: a slot is either nil or empty, or holds what was put into it by the thread that had it before. Its functions
// only make and drop values without a script behind them: plain data, texts, containers that nobody else has seen, ids
// of objects, and what the caller hands over.
unsafe impl Send for Slot {}

/// An array of `len` nils, with its elements to be filled in.
pub fn new_array(len: usize, fill: impl FnOnce(&mut [Slot])) -> VarArray {
    let mut array = VarArray::new();
    resize(Kind::Array, array.sys_mut(), len);
    fill(slots_of(array.sys_mut(), len));
    array
}

/// A typed array of `len` empty byte arrays, with its elements to be filled in as [`BytesOut`].
pub fn new_byte_arrays(len: usize, fill: impl FnOnce(&mut [Slot])) -> Array<PackedByteArray> {
    let mut array = Array::new();
    resize(Kind::Array, array.sys_mut(), len);
    fill(slots_of(array.sys_mut(), len));
    array
}

/// `array` must point to an array that nobody else uses as long as `'a`, with `len` elements.
fn slots_of<'a>(array: sys::GDExtensionTypePtr, len: usize) -> &'a mut [Slot] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the callers pass an array of their own that outlives `'a`, with `len` Variants in one piece.
    // `Slot` is a transparent Variant.
    unsafe {
        let first = (api().interface.array_operator_index)(array, 0);
        std::slice::from_raw_parts_mut(first.cast(), len)
    }
}

impl Slot {
    /// An empty slot of its own.
    pub fn new() -> Self {
        Self(Variant::nil())
    }

    /// A Variant as a slot: the result of a call, or the value of an entry.
    pub(super) fn from_mut(variant: &mut Variant) -> &mut Self {
        // SAFETY: `Slot` is a transparent Variant, and adds no promise to a reference.
        unsafe { &mut *std::ptr::from_mut(variant).cast() }
    }

    /// What is in the slot.
    pub fn value(&self) -> &Value {
        value(&self.0)
    }

    /// Puts a value into the slot.
    pub fn set(&mut self, value: impl ToGodot) {
        self.0 = value.to_variant();
    }

    /// Makes the value a bool.
    #[inline]
    pub fn set_bool(&mut self, value: bool) {
        // SAFETY: a bool of C++ is one byte, 0 or 1.
        unsafe { self.set_from(Kind::Bool, value) };
    }

    /// Makes the value an int.
    #[inline]
    pub fn set_int(&mut self, value: i64) {
        // SAFETY: an int is an int64_t.
        unsafe { self.set_from(Kind::Int, value) };
    }

    /// Makes the value a float.
    #[inline]
    pub fn set_float(&mut self, value: f64) {
        // SAFETY: a float is a double.
        unsafe { self.set_from(Kind::Float, value) };
    }

    /// Makes the value a RID.
    pub fn set_rid(&mut self, id: u64) {
        // SAFETY: a RID is its id.
        unsafe { self.set_from(Kind::Rid, id) };
    }

    /// # Safety
    /// The engine's type of `kind` lies in memory as `T`.
    #[inline]
    unsafe fn set_from<T>(&mut self, kind: Kind, mut value: T) {
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: `value` is one of `kind`, by the promise of the caller; `from_type` makes a new Variant of it.
        self.0 = unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, (&raw mut value).cast())) };
    }

    /// Puts a Variant into the slot.
    pub fn set_variant(&mut self, variant: Variant) {
        self.0 = variant;
    }

    /// Empties the slot.
    pub fn clear(&mut self) {
        self.0 = Variant::nil();
    }

    /// Makes the value a math type of what `fill` writes over all of the memory that it is given.
    #[inline]
    pub fn set_components(&mut self, kind: Kind, fill: impl FnOnce(Memory<'_>)) {
        let len = kind.shape().element_len(REAL).expect("plain data");
        // As large as the largest math type, a Projection, and zero, so that no byte is ever without a value.
        let mut components = [MaybeUninit::new(0_u64); 2 * REAL_SIZE];
        // SAFETY: the memory is that of `components`, which need not have a value.
        let dest = unsafe { std::slice::from_raw_parts_mut(components.as_mut_ptr().cast(), size_of_val(&components)) };
        fill(&mut dest[..len]);
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: math types lie in memory as their components, of which `from_type` makes a new Variant.
        self.0 = unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, components.as_mut_ptr().cast())) };
    }

    /// Makes the value a packed array of `count` elements, and gives out its memory.
    pub fn set_packed(&mut self, kind: Kind, count: usize) -> Memory<'_> {
        if kind == Kind::PackedByteArray {
            // A new one: what is in the slot may be the key of a dictionary as well, and packed arrays are shared.
            self.clear();
            return self.allocate(count);
        }
        let element_len = kind.shape().element_len(REAL).expect("plain data");
        let inner = self.set_empty(kind);
        if count == 0 {
            return &mut [];
        }
        if !api().uninit.as_ref().is_some_and(|uninit| uninit.numbers(kind, inner, count)) {
            resize(kind, inner, count);
        }
        // SAFETY: `inner` is the packed array of `kind` in this slot, and used by nobody else.
        let data = unsafe { packed_data(kind, inner, true) };
        // SAFETY: `data` points to `count` elements of this size, which the borrow of the slot keeps alive and unique.
        unsafe { std::slice::from_raw_parts_mut(data.cast_mut().cast(), count * element_len) }
    }

    /// Makes the value a PackedStringArray of `count` empty strings and gives them out.
    pub fn set_strings(&mut self, count: usize) -> &mut [StringSlot] {
        let inner = self.set_empty(Kind::PackedStringArray);
        if count == 0 {
            return &mut [];
        }
        resize(Kind::PackedStringArray, inner, count);
        // SAFETY: `inner` points to a PackedStringArray of `count` > 0 strings in one piece, unique in this slot.
        // `StringSlot` is a transparent GString, which has the layout of the engine's String.
        unsafe {
            let first = (api().interface.packed_string_array_operator_index)(inner, 0);
            std::slice::from_raw_parts_mut(first.cast(), count)
        }
    }

    /// Makes the value a String.
    #[inline]
    pub fn set_string(&mut self, text: &str) {
        let inner = self.set_empty(Kind::String);
        // SAFETY: `inner` is the String in this slot, which is borrowed for writing.
        unsafe { StringSlot::from_inner(inner) }.set(text);
    }

    /// Makes the value a StringName.
    pub fn set_string_name(&mut self, text: &str) {
        self.set(StringName::from(&string_of(text)));
    }

    /// Makes the value an empty Array, untyped until it is given a type.
    #[inline]
    pub fn set_array(&mut self) {
        self.0 = default_value(api().interface, Kind::Array);
    }

    /// Makes the value an empty Dictionary, untyped until it is given types.
    #[inline]
    pub fn set_dictionary(&mut self) {
        self.0 = default_value(api().interface, Kind::Dictionary);
    }

    /// The Array that [`Self::set_array`] has put here.
    ///
    /// # Panics
    /// If there is something else.
    #[inline]
    pub fn array(&mut self) -> ArraySlot<'_> {
        let view = self.value().view();
        assert_eq!(view.kind(), Kind::Array);
        ArraySlot { inner: view.inner, _slot: PhantomData }
    }

    /// The Dictionary that [`Self::set_dictionary`] has put here.
    ///
    /// # Panics
    /// If there is something else.
    #[inline]
    pub fn dictionary(&mut self) -> DictionarySlot<'_> {
        let view = self.value().view();
        assert_eq!(view.kind(), Kind::Dictionary);
        DictionarySlot { inner: view.inner, _slot: PhantomData }
    }

    /// Makes the value what the engine converts it to for a typed container. `false` if it does not, and nothing is
    /// changed: `ContainerTypeValidate` in the engine's `core/variant/container_type_validate.h`.
    pub fn convert(&mut self, kind: Kind) -> bool {
        let interface = api().interface;
        let from = self.value().view().kind();
        // SAFETY: both are ids of Variant types.
        if unsafe { (interface.variant_can_convert_strict)(sys_type(from), sys_type(kind)) } == 0 {
            return false;
        }
        let args = [self.0.var_sys()];
        let mut error = sys::default_call_error();
        // SAFETY: one argument, alive. Whether there is a constructor or not, a Variant is made: nil in that case.
        let converted = unsafe {
            Variant::new_with_var_uninit(|variant| {
                (interface.variant_construct)(sys_type(kind), variant, args.as_ptr(), 1, &raw mut error);
            })
        };
        let is_good = error.error == sys::GDEXTENSION_CALL_OK;
        if is_good {
            self.0 = converted;
        }
        is_good
    }

    /// The byte array in the slot. Makes it one, if it is something else.
    fn bytes_mut(&mut self) -> &mut PackedByteArray {
        let view = value(&self.0).view();
        let inner = match view.kind() {
            Kind::PackedByteArray => view.inner,
            _ => self.set_empty(Kind::PackedByteArray),
        };
        // SAFETY: `inner` points to the PackedByteArray of this slot, which is borrowed for writing.
        unsafe { &mut *inner.cast() }
    }

    /// Makes the value an empty packed array or String, and returns where it is.
    #[inline]
    fn set_empty(&mut self, kind: Kind) -> Inner {
        let api = api();
        let index = usize::from(kind.id());
        let from_type = api.from_type[index].expect("not Nil");
        let empty = api.empty[index].as_ref().expect("packed arrays and String have one").inner;
        // SAFETY: `empty` points to a value of `kind`, of which `from_type` makes a new Variant.
        self.0 = unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, empty)) };
        self.inner(kind)
    }

    #[inline]
    fn inner(&mut self, kind: Kind) -> Inner {
        let getter = api().getters[usize::from(kind.id())].expect("not Nil");
        // SAFETY: the callers have just made the Variant one of `kind`, which the getter is for.
        unsafe { getter(self.0.var_sys_mut()).cast() }
    }
}

impl BytesOut for Slot {
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        self.bytes_mut().allocate(len)
    }

    fn set_bytes(&mut self, bytes: PackedByteArray) {
        *self.bytes_mut() = bytes;
    }
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

impl ArraySlot<'_> {
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
        slots_of(self.inner, self.len())
    }

    /// Adds an element, as the engine does: one that does not fit the type is dropped with an error line.
    pub fn push(&mut self, element: &Slot) {
        let args = [element.0.var_sys().cast()];
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
            let value = (api().interface.dictionary_operator_index)(self.inner, key.0.var_sys());
            Slot::from_mut(&mut *value.cast())
        }
    }
}
