//! Makes values in place: in the elements of an array, the entries of a dictionary, or the result of a call.

use std::mem::{ManuallyDrop, MaybeUninit};

use godot::builtin::{PackedByteArray, Variant};
use godot::meta::ToGodot;
use godot::sys;
use varbatch_codec::{Kind, Scalar, Shape};

use super::api::{Api, api};
use super::ffi::{Inner, sys_type};
use super::read::{Value, packed_data};
use super::write::{BytesOut, Memory, StringSlot, resize};
use super::{REAL, layout, value};

/// Bytes of the engine's `real_t`.
const REAL_SIZE: usize = Scalar::Real.size(REAL);

/// A Variant in an array, or a result, that one thread at a time fills; not necessarily the caller's thread.
#[repr(transparent)]
pub struct Slot(ManuallyDrop<Variant>);

// SAFETY: a slot is nil, empty, or holds the value that its previous thread put there. Its functions only make and drop
// values that run no script: plain data, texts, containers that nobody else has seen, ids of objects, and values that
// the caller passes in.
unsafe impl Send for Slot {}

impl Drop for Slot {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: nothing uses the Variant after this.
        unsafe { self.release() };
    }
}

impl Slot {
    /// Creates an empty slot.
    #[inline]
    pub fn new() -> Self {
        if !api().layout.is_known {
            return Self(ManuallyDrop::new(Variant::nil()));
        }
        let mut nil = MaybeUninit::<Variant>::zeroed();
        // SAFETY: the layout is known, so zeros with the id of Nil are a valid Variant. No old value is overwritten.
        unsafe {
            layout::write(nil.as_mut_ptr(), Kind::Nil, ());
            Self(ManuallyDrop::new(nil.assume_init()))
        }
    }

    /// Borrows a Variant as a slot: the result of a call, or the value of an entry.
    pub(super) fn from_mut(variant: &mut Variant) -> &mut Self {
        // SAFETY: `Slot` is a transparent wrapper of Variant, with no further validity rules.
        unsafe { &mut *std::ptr::from_mut(variant).cast() }
    }

    /// Returns the value in the slot.
    #[inline]
    pub fn value(&self) -> &Value {
        value(&self.0)
    }

    /// Drops the value in the slot, and returns the memory of the Variant.
    ///
    /// # Safety
    /// The memory is overwritten before it is used, and before anything panics.
    #[inline(always)]
    pub(super) unsafe fn release(&mut self) -> *mut Variant {
        let Api { interface, layout, .. } = api();
        // SAFETY: the Variant is alive. It is destroyed unless the known layout shows that it owns nothing.
        unsafe {
            if !layout.is_known || !layout::owns_nothing(self.0.var_sys()) {
                (interface.variant_destroy)(self.0.var_sys_mut());
            }
        }
        &raw mut *self.0
    }

    /// Puts a value into the slot.
    pub fn set(&mut self, value: impl ToGodot) {
        self.set_variant(value.to_variant());
    }

    /// Makes the value a bool.
    #[inline]
    pub fn set_bool(&mut self, value: bool) {
        // SAFETY: a C++ bool is one byte, 0 or 1; the remaining bytes may have any value.
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
    /// The engine stores values of `kind` inside the Variant, as a `T` or as its first bytes, and they own nothing.
    #[inline]
    unsafe fn set_from<T>(&mut self, kind: Kind, mut value: T) {
        // SAFETY: the caller promises that `value` is one of `kind`. The old value is released.
        unsafe {
            if api().layout.is_known {
                return layout::write(self.release(), kind, value);
            }
            let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
            from_type(self.release().cast(), (&raw mut value).cast());
        }
    }

    /// Puts a Variant into the slot.
    #[inline]
    pub fn set_variant(&mut self, variant: Variant) {
        // SAFETY: the old value is released.
        unsafe { self.release().write(variant) };
    }

    /// Empties the slot.
    #[inline]
    pub fn clear(&mut self) {
        // SAFETY: the old value is released. `layout::write` is used only if the layout is known.
        unsafe {
            match api().layout.is_known {
                true => layout::write(self.release(), Kind::Nil, ()),
                false => self.release().write(Variant::nil()),
            }
        }
    }

    /// Makes the value a math type. `fill` must write all of the memory that it gets.
    #[inline]
    pub fn set_components(&mut self, kind: Kind, fill: impl FnOnce(Memory<'_>)) {
        let len = kind.shape().element_len(REAL).expect("plain data");
        if api().layout.is_known && layout::is_bare(kind) {
            // Zeroed, so that every byte is initialised.
            let mut words = [MaybeUninit::new(0_u64); layout::VALUE_LEN / 8];
            fill(&mut bytes_of_words(&mut words)[..len]);
            // SAFETY: the layout is known, and the old value is released. The Variant stores the components of these
            // types inline.
            return unsafe { layout::write(self.release(), kind, words) };
        }
        assert!(matches!(kind.shape(), Shape::Components { .. }));
        // As large as the largest math type, a Projection.
        let mut words = [MaybeUninit::new(0_u64); 2 * REAL_SIZE];
        fill(&mut bytes_of_words(&mut words)[..len]);
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: the old value is released. The memory of a math type is its components, from which `from_type` makes a
        // new Variant.
        unsafe { from_type(self.release().cast(), words.as_mut_ptr().cast()) };
    }

    /// Makes the value a math type of these components, as many as `kind` has. Returns `false`, and changes nothing, if they
    /// must first be copied to memory of their own.
    // Faster than `set_components` as the bytes stay in registers: what was just written in parts is slow to read.
    #[inline(always)]
    pub fn set_plain(&mut self, kind: Kind, bytes: &[u8]) -> bool {
        assert_eq!(Some(bytes.len()), kind.shape().element_len(REAL));
        let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else { return false };
        if bytes.len() <= 16 && api().layout.is_known && layout::is_bare(kind) {
            // `last` begins with bytes that `first` has too, if there are less than 16.
            let last = u64::from_le_bytes(*last).checked_shr(8 * (16 - bytes.len() as u32)).unwrap_or(0);
            // SAFETY: the layout is known, and the old value is released. The Variant stores the components of these
            // types inline.
            unsafe { layout::write(self.release(), kind, [u64::from_le_bytes(*first), last]) };
            return true;
        }
        assert!(matches!(kind.shape(), Shape::Components { .. }));
        if !bytes.as_ptr().addr().is_multiple_of(REAL_SIZE) {
            return false;
        }
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: the old value is released. The memory of a math type is its components, of which there are as many as
        // it has, aligned for each; `from_type` copies them.
        unsafe { from_type(self.release().cast(), bytes.as_ptr().cast_mut().cast()) };
        true
    }

    /// Makes the value a packed array of `count` elements of plain data and returns its uninitialised memory.
    // Inlined: for a small array the calls would cost as much as the work.
    #[inline(always)]
    pub fn set_packed(&mut self, kind: Kind, count: usize) -> Memory<'_> {
        assert!(matches!(kind.shape(), Shape::Packed { .. }));
        let element_len = kind.shape().element_len(REAL).expect("plain data");
        if api().layout.makes_blocks && count > 0 {
            // SAFETY: the layout makes blocks, and `kind` is a packed array of elements of this size.
            return unsafe { self.set_block(kind, count, element_len) };
        }
        self.resize_packed(kind, count, element_len)
    }

    fn resize_packed(&mut self, kind: Kind, count: usize, element_len: usize) -> Memory<'_> {
        // A new array: the old one may also be the key of a dictionary, and Variants share packed arrays.
        let inner = self.set_empty(kind);
        if count == 0 {
            return &mut [];
        }
        if kind == Kind::PackedByteArray {
            // SAFETY: `inner` points to the new PackedByteArray of this slot, which is mutably borrowed.
            return unsafe { &mut *inner.cast::<PackedByteArray>() }.allocate(count);
        }
        // SAFETY: `inner` is the packed array of `kind` in this slot, which nobody else uses. Then it has `count`
        // elements of this size; the borrow of the slot keeps them alive and unique.
        unsafe {
            resize(kind, inner, count);
            let data = packed_data(kind, inner, true);
            std::slice::from_raw_parts_mut(data.cast_mut().cast(), count * element_len)
        }
    }

    /// Makes the value a packed array with a newly allocated block.
    ///
    /// # Safety
    /// The layout makes blocks. `kind` is a packed array of elements of this size, and `count` is not 0.
    #[inline(always)]
    unsafe fn set_block(&mut self, kind: Kind, count: usize, element_len: usize) -> Memory<'_> {
        self.clear();
        let from_type = api().from_type[usize::from(kind.id())].expect("not Nil");
        // SAFETY: promised by the caller. The slot owns nothing. Whoever gets the memory fills it before anyone else sees
        // the array: see the docs of `engine`.
        unsafe {
            let data = layout::new_packed(api().interface, (&raw mut *self.0).cast(), from_type, count, element_len);
            std::slice::from_raw_parts_mut(data.cast(), count * element_len)
        }
    }

    /// Makes the value a PackedStringArray of `count` empty strings and returns them.
    pub fn set_strings(&mut self, count: usize) -> &mut [StringSlot] {
        let kind = Kind::PackedStringArray;
        if api().layout.makes_blocks && count > 0 {
            // SAFETY: the layout makes blocks. An empty String is a null pointer, and a `StringSlot` is a String.
            return unsafe {
                let memory = self.set_block(kind, count, size_of::<StringSlot>());
                memory.fill(MaybeUninit::new(0));
                std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), count)
            };
        }
        let inner = self.set_empty(kind);
        if count == 0 {
            return &mut [];
        }
        // SAFETY: `inner` points to the PackedStringArray of this slot: `count` > 0 contiguous strings, not shared.
        // `StringSlot` is a transparent GString, which has the layout of the engine's String.
        unsafe {
            resize(kind, inner, count);
            let first = (api().interface.packed_string_array_operator_index)(inner, 0);
            std::slice::from_raw_parts_mut(first.cast(), count)
        }
    }

    /// Makes the value an empty Callable.
    pub fn set_callable(&mut self) {
        self.set_empty(Kind::Callable);
    }

    /// Makes the value a Signal of these parts.
    ///
    /// # Safety
    /// `T` has the memory layout of a Signal.
    pub(super) unsafe fn set_signal_parts<T>(&mut self, parts: T) {
        self.set_empty(Kind::Signal);
        let inner = self.inner(Kind::Signal);
        // SAFETY: the caller promises that `parts` are a Signal. They overwrite an empty one, which owns nothing.
        unsafe { inner.cast::<T>().write(parts) };
    }

    /// Converts the value as the engine does for a typed container. Returns `false`, and changes nothing, if the engine
    /// does not convert it: `ContainerTypeValidate` in the engine's `core/variant/container_type_validate.h`.
    pub fn convert(&mut self, kind: Kind) -> bool {
        let interface = api().interface;
        let from = self.value().view().kind();
        // SAFETY: both are ids of Variant types.
        if unsafe { (interface.variant_can_convert_strict)(sys_type(from), sys_type(kind)) } == 0 {
            return false;
        }
        let args = [self.0.var_sys()];
        let mut error = sys::default_call_error();
        // SAFETY: there is one argument, which is alive. The engine always makes a Variant: nil if it has no
        // constructor.
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

    /// Makes the value the empty one of `kind`, which must have an entry in `Api::empty`, and returns a pointer to it.
    #[inline]
    pub(super) fn set_empty(&mut self, kind: Kind) -> Inner {
        let api = api();
        // SAFETY: the old value is released. Either the layout is known and an empty value of `kind` is all zeros, or
        // `from_type` makes a new Variant from the empty value in `Api`.
        unsafe {
            if api.layout.is_known && layout::is_empty_zero(kind) {
                layout::write(self.release(), kind, [0_u64; 2]);
            } else {
                let index = usize::from(kind.id());
                let from_type = api.from_type[index].expect("not Nil");
                let empty = api.empty[index].as_ref().expect("has one").inner;
                from_type(self.release().cast(), empty);
            }
        }
        self.inner(kind)
    }

    /// Returns a pointer to the value. It is of no use if the value is of another kind.
    #[inline]
    pub(super) fn inner(&mut self, kind: Kind) -> Inner {
        let api = api();
        // SAFETY: the Variant is alive. Both compute an address from its words, and read nothing behind them.
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
        self.set_packed(Kind::PackedByteArray, len)
    }

    fn set_bytes(&mut self, bytes: PackedByteArray) {
        self.set(bytes);
    }
}

fn bytes_of_words(words: &mut [MaybeUninit<u64>]) -> Memory<'_> {
    // SAFETY: the slice covers exactly these words, and `MaybeUninit` bytes need not be initialised.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
