//! Makes values in place: in the elements of an array, the entries of a dictionary, or the result of a call.

use std::ffi::c_void;
use std::mem::{ManuallyDrop, MaybeUninit};

use godot::builtin::{PackedByteArray, Variant};
use godot::meta::ToGodot;
use godot::sys;
use varbatch_codec::{Kind, Scalar};

use super::api::{Api, api};
use super::ffi::{Constructor, Inner, default_value, sys_type};
use super::read::{Value, packed_data};
use super::write::{BytesOut, Memory, StringSlot, resize};
use super::{REAL, layout, value};

/// Bytes of the engine's `real_t`.
const REAL_SIZE: usize = Scalar::Real.size(REAL);

/// A Variant of an array, or a result, that one thread at a time fills in; not necessarily the caller's.
#[repr(transparent)]
pub struct Slot(ManuallyDrop<Variant>);

// SAFETY: a slot is either nil or empty, or holds what was put into it by the thread that had it before. Its functions
// only make and drop values without a script behind them: plain data, texts, containers that nobody else has seen, ids
// of objects, and what the caller hands over.
unsafe impl Send for Slot {}

impl Drop for Slot {
    #[inline]
    fn drop(&mut self) {
        self.release();
    }
}

impl Slot {
    /// An empty slot of its own.
    #[inline]
    pub fn new() -> Self {
        if !api().layout.is_known {
            return Self(ManuallyDrop::new(Variant::nil()));
        }
        let mut nil = MaybeUninit::<Variant>::zeroed();
        // SAFETY: the layout is known: zeros are the memory of a Variant, which has no value yet.
        unsafe {
            layout::write(nil.as_mut_ptr(), Kind::Nil, ());
            Self(ManuallyDrop::new(nil.assume_init()))
        }
    }

    /// A Variant as a slot: the result of a call, or the value of an entry.
    pub(super) fn from_mut(variant: &mut Variant) -> &mut Self {
        // SAFETY: `Slot` is a transparent Variant, and adds no promise to a reference.
        unsafe { &mut *std::ptr::from_mut(variant).cast() }
    }

    /// What is in the slot.
    #[inline]
    pub fn value(&self) -> &Value {
        value(&self.0)
    }

    /// The Variant, to be written over.
    #[inline]
    pub(super) fn memory(&mut self) -> *mut Variant {
        &raw mut *self.0
    }

    /// Drops what is in the slot. What is left may only be written over.
    #[inline(always)]
    pub(super) fn release(&mut self) {
        let Api { interface, layout, .. } = api();
        // SAFETY: the Variant is alive. If the layout is known, it is seen to own nothing, or destroyed; else destroyed.
        unsafe {
            if !layout.is_known || !layout::owns_nothing(self.0.var_sys()) {
                (interface.variant_destroy)(self.0.var_sys_mut());
            }
        }
    }

    /// Puts a value into the slot.
    pub fn set(&mut self, value: impl ToGodot) {
        self.set_variant(value.to_variant());
    }

    /// Makes the value a bool.
    #[inline]
    pub fn set_bool(&mut self, value: bool) {
        // SAFETY: a bool of C++ is one byte, 0 or 1; the others need no value.
        unsafe { self.set_from(Kind::Bool, u64::from(value)) };
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
    #[inline]
    pub fn set_rid(&mut self, id: u64) {
        // SAFETY: a RID is its id.
        unsafe { self.set_from(Kind::Rid, id) };
    }

    /// # Safety
    /// The engine's type of `kind` lies in its Variant as `T`, or as the start of it, and owns nothing.
    #[inline]
    unsafe fn set_from<T>(&mut self, kind: Kind, mut value: T) {
        self.release();
        let variant: *mut Variant = &raw mut *self.0;
        // SAFETY: `value` is one of `kind`, by the promise of the caller, and is put where no value is any more.
        unsafe {
            if api().layout.is_known {
                return layout::write(variant, kind, value);
            }
            let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
            from_type(variant.cast(), (&raw mut value).cast());
        }
    }

    /// Puts a Variant into the slot.
    #[inline]
    pub fn set_variant(&mut self, variant: Variant) {
        self.release();
        // SAFETY: what was in the slot is gone.
        unsafe { (&raw mut *self.0).write(variant) };
    }

    /// Empties the slot.
    #[inline]
    pub fn clear(&mut self) {
        self.release();
        // SAFETY: what was in the slot is gone; with a known layout, nil is written as it has it.
        unsafe {
            match api().layout.is_known {
                true => layout::write(&raw mut *self.0, Kind::Nil, ()),
                false => (&raw mut *self.0).write(Variant::nil()),
            }
        }
    }

    /// Makes the value a math type of what `fill` writes over all of the memory that it is given.
    #[inline]
    pub fn set_components(&mut self, kind: Kind, fill: impl FnOnce(Memory<'_>)) {
        let len = kind.shape().element_len(REAL).expect("plain data");
        if api().layout.is_known && layout::is_bare(kind) {
            // Zero, so that no byte is ever without a value.
            let mut words = [MaybeUninit::new(0_u64); layout::VALUE_LEN / 8];
            fill(&mut bytes_of_words(&mut words)[..len]);
            self.release();
            // SAFETY: the layout is known, and what was in the slot is gone. These types lie in their Variant as their
            // components.
            return unsafe { layout::write(self.memory(), kind, words) };
        }
        // As large as the largest math type, a Projection.
        let mut words = [MaybeUninit::new(0_u64); 2 * REAL_SIZE];
        fill(&mut bytes_of_words(&mut words)[..len]);
        self.release();
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: math types lie in memory as their components, of which `from_type` makes a new Variant.
        unsafe { from_type(self.memory().cast(), words.as_mut_ptr().cast()) };
    }

    /// Makes the value a packed array of `count` elements, and gives out its memory.
    pub fn set_packed(&mut self, kind: Kind, count: usize) -> Memory<'_> {
        let element_len = kind.shape().element_len(REAL).expect("plain data");
        if api().layout.makes_blocks && count > 0 {
            return self.set_block(kind, count, element_len);
        }
        if kind == Kind::PackedByteArray {
            // A new one: what is in the slot may be the key of a dictionary as well, and packed arrays are shared.
            self.clear();
            return self.allocate(count);
        }
        let inner = self.set_empty(kind);
        if count == 0 {
            return &mut [];
        }
        resize(kind, inner, count);
        // SAFETY: `inner` is the packed array of `kind` in this slot, and used by nobody else.
        let data = unsafe { packed_data(kind, inner, true) };
        // SAFETY: `data` points to `count` elements of this size, which the borrow of the slot keeps alive and unique.
        unsafe { std::slice::from_raw_parts_mut(data.cast_mut().cast(), count * element_len) }
    }

    /// Makes the value a packed array with a block of its own.
    #[inline]
    fn set_block(&mut self, kind: Kind, count: usize, element_len: usize) -> Memory<'_> {
        self.clear();
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: the callers have seen that the layout makes blocks. The slot is empty; its block is given out to be
        // filled in.
        unsafe {
            let data = layout::new_packed(api().interface, (&raw mut *self.0).cast(), from_type, count, element_len);
            std::slice::from_raw_parts_mut(data.cast(), count * element_len)
        }
    }

    /// Makes the value a PackedStringArray of `count` empty strings and gives them out.
    pub fn set_strings(&mut self, count: usize) -> &mut [StringSlot] {
        let kind = Kind::PackedStringArray;
        if api().layout.makes_blocks && count > 0 {
            let memory = self.set_block(kind, count, size_of::<StringSlot>());
            memory.fill(MaybeUninit::new(0));
            // SAFETY: an empty String is a null pointer, and a `StringSlot` is a String.
            return unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), count) };
        }
        let inner = self.set_empty(kind);
        if count == 0 {
            return &mut [];
        }
        resize(kind, inner, count);
        // SAFETY: `inner` points to a PackedStringArray of `count` > 0 strings in one piece, unique in this slot.
        // `StringSlot` is a transparent GString, which has the layout of the engine's String.
        unsafe {
            let first = (api().interface.packed_string_array_operator_index)(inner, 0);
            std::slice::from_raw_parts_mut(first.cast(), count)
        }
    }

    /// Makes the value a Callable of nothing.
    pub fn set_callable(&mut self) {
        self.set_empty(Kind::Callable);
    }

    /// Makes the value a Signal of these parts, which are a Signal's in memory.
    ///
    /// # Safety
    /// As said.
    pub(super) unsafe fn set_signal_parts<T>(&mut self, parts: T) {
        self.set_empty(Kind::Signal);
        let inner = self.inner(Kind::Signal);
        // SAFETY: the empty Signal, which owns nothing, is written over with one of these parts.
        unsafe { inner.cast::<T>().write(parts) };
    }

    /// Makes the value an empty Array, untyped until it is given a type.
    #[inline]
    pub fn set_array(&mut self) {
        self.set_container(Kind::Array, api().new_array);
    }

    /// Makes the value an empty Dictionary, untyped until it is given types.
    #[inline]
    pub fn set_dictionary(&mut self) {
        self.set_container(Kind::Dictionary, api().new_dictionary);
    }

    #[inline]
    fn set_container(&mut self, kind: Kind, new: Constructor) {
        if !api().layout.is_known {
            return self.set_variant(default_value(api().interface, kind));
        }
        let mut container = std::ptr::null_mut::<c_void>();
        self.release();
        // SAFETY: the constructor is that of `kind`, whose values are a pointer; the layout is known, and what was in the
        // slot is gone.
        unsafe {
            new((&raw mut container).cast(), std::ptr::null());
            layout::write(&raw mut *self.0, kind, container);
        }
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
            self.set_variant(converted);
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

    /// Makes the value an empty one of a kind that has one in `Api`, and returns where it is.
    #[inline]
    pub(super) fn set_empty(&mut self, kind: Kind) -> Inner {
        let api = api();
        self.release();
        let variant: *mut Variant = &raw mut *self.0;
        // SAFETY: what was in the slot is gone. The layout is known to have nothing but zeros in empty values of these
        // kinds, or `empty` is one, of which `from_type` makes a new Variant.
        unsafe {
            if api.layout.is_known && layout::is_empty_zero(kind) {
                layout::write(variant, kind, [0_u64; 2]);
            } else {
                let index = usize::from(kind.id());
                let from_type = api.from_type[index].expect("not Nil");
                from_type(variant.cast(), api.empty[index].as_ref().expect("has one").inner);
            }
        }
        self.inner(kind)
    }

    #[inline]
    fn inner(&mut self, kind: Kind) -> Inner {
        let api = api();
        // SAFETY: the callers have just made the Variant one of `kind`, which the getter is for.
        unsafe {
            if api.layout.is_known {
                return layout::inner(kind, self.0.var_sys_mut());
            }
            api.getters[usize::from(kind.id())].expect("not Nil")(self.0.var_sys_mut()).cast()
        }
    }
}

impl BytesOut for Slot {
    #[inline]
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        if api().layout.makes_blocks && len > 0 && self.value().view().kind() != Kind::PackedByteArray {
            return self.set_block(Kind::PackedByteArray, len, 1);
        }
        self.bytes_mut().allocate(len)
    }

    fn set_bytes(&mut self, bytes: PackedByteArray) {
        *self.bytes_mut() = bytes;
    }
}

fn bytes_of_words(words: &mut [MaybeUninit<u64>]) -> Memory<'_> {
    // SAFETY: the bytes of words, which need not have a value.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
