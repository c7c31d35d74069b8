//! Makes values in place: in the elements of an array, the entries of a dictionary, or the result of a call.

pub mod containers;
pub mod write;

use std::mem::{ManuallyDrop, MaybeUninit};

use godot::prelude::*;
use varbatch_codec::{Kind, Scalar, Shape};

use self::write::{BytesOut, Memory, StringSlot, name_of, new_elements};
use super::{Inner, REAL, Value, api, construct, is_known, is_packed, layout, sys_type, value};

const REAL_SIZE: usize = Scalar::Real.size(REAL);

/// A Variant in an array, or a result, that one thread at a time fills; not necessarily the caller's thread.
#[repr(transparent)]
pub struct Slot(ManuallyDrop<Variant>);

// SAFETY: a slot is nil, empty, or holds what its previous thread put there. Its functions only make and drop values
// that run no script: plain data, texts, containers nobody else has seen, ids of objects, and what the caller passes.
unsafe impl Send for Slot {}
// SAFETY: a shared slot only gives its value, which any thread may read.
unsafe impl Sync for Slot {}

impl From<Variant> for Slot {
    /// Creates a slot with a value that this thread may drop.
    #[inline]
    fn from(variant: Variant) -> Self {
        Self(ManuallyDrop::new(variant))
    }
}

impl Drop for Slot {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: nothing uses the Variant after this.
        unsafe { self.release() };
    }
}

impl Slot {
    #[inline]
    pub fn new() -> Self {
        if !is_known() {
            return Self::from(Variant::nil());
        }
        // SAFETY: the layout is known, in which zeros are a Variant: the id of Nil is 0.
        Self::from(unsafe { MaybeUninit::<Variant>::zeroed().assume_init() })
    }

    pub fn with(set: impl FnOnce(&mut Self)) -> Self {
        let mut slot = Self::new();
        set(&mut slot);
        slot
    }

    /// Creates a slot with the same value. Contents, objects too, are shared and counted atomically, on any thread.
    #[inline]
    pub fn of(value: &Value) -> Self {
        Self::from(value.variant().clone())
    }

    #[inline]
    pub fn set_copy(&mut self, value: &Value) {
        self.set_variant(value.variant().clone());
    }

    /// Assigns a text that another slot holds, and shares it.
    #[inline]
    pub fn set_text_of(&mut self, other: &Self) {
        match other.value().view() {
            // SAFETY: the layout is known, the other slot has a String, and the old value is released.
            view if is_known() && view.kind() == Kind::String => unsafe {
                layout::share_string(view.inner, self.release());
            },
            _ => self.set_variant(Variant::clone(&other.0)),
        }
    }

    /// Assigns another value as [`Self::set_copy`] does, but a packed array as [`View::to_own`] does.
    pub fn set_own(&mut self, value: &Value) {
        let view = value.view();
        if is_packed(view.kind()) { self.set_variant(view.to_own()) } else { self.set_copy(value) }
    }

    /// Borrows slots as values, for reading only.
    pub fn values(slots: &[Self]) -> &[Value] {
        // SAFETY: both are transparent wrappers of Variant, and a `Value` only allows reading.
        unsafe { &*(std::ptr::from_ref(slots) as *const [Value]) }
    }

    /// Borrows a Variant as a slot: the result of a call, or the value of an entry.
    pub(super) fn from_mut(variant: &mut Variant) -> &mut Self {
        // SAFETY: `Slot` is a transparent wrapper of Variant, with no further validity rules.
        unsafe { &mut *std::ptr::from_mut(variant).cast() }
    }

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
        // SAFETY: the Variant is alive. It is destroyed unless the known layout shows that it owns nothing.
        unsafe {
            if !is_known() || !layout::owns_nothing(self.0.var_sys()) {
                (api().interface.variant_destroy)(self.0.var_sys_mut());
            }
        }
        &raw mut *self.0
    }

    pub fn set(&mut self, value: impl ToGodot) {
        self.set_variant(value.to_variant());
    }

    #[inline(always)]
    pub fn set_bool(&mut self, value: bool) {
        // SAFETY: a C++ bool is one byte, 0 or 1; the remaining bytes may have any value.
        unsafe { self.set_from(Kind::Bool, u64::from(value)) };
    }

    #[inline(always)]
    pub fn set_int(&mut self, value: i64) {
        // SAFETY: an int is an int64_t.
        unsafe { self.set_from(Kind::Int, value) };
    }

    #[inline(always)]
    pub fn set_float(&mut self, value: f64) {
        // SAFETY: a float is a double.
        unsafe { self.set_from(Kind::Float, value) };
    }

    #[inline]
    pub fn set_rid(&mut self, id: u64) {
        // SAFETY: a RID is its id.
        unsafe { self.set_from(Kind::Rid, id) };
    }

    /// # Safety
    /// The engine stores values of `kind` inside the Variant, as a `T` or as its first bytes.
    #[inline(always)]
    unsafe fn set_from<T>(&mut self, kind: Kind, mut value: T) {
        // SAFETY: the caller promises that `value` is one of `kind`. The old value is released. `from_type` makes a copy.
        unsafe {
            match is_known() {
                true => layout::write(self.release(), kind, value),
                false => api().from_type.get(kind)(self.release().cast(), (&raw mut value).cast()),
            }
        }
    }

    pub fn into_variant(mut self) -> Variant {
        std::mem::take(&mut *self.0)
    }

    #[inline]
    pub fn set_variant(&mut self, variant: Variant) {
        // SAFETY: the old value is released.
        unsafe { self.release().write(variant) };
    }

    #[inline]
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Makes the value a math type. `fill` must write all of the memory that it gets.
    #[inline]
    pub fn set_components(&mut self, kind: Kind, fill: impl FnOnce(Memory<'_>)) {
        let len = kind.shape().element_len(REAL).expect("plain data");
        // Zeroed, so that every byte is initialised. As large as the largest math type, a Projection.
        let mut aligned = Aligned([MaybeUninit::new(0); 16 * REAL_SIZE]);
        let bytes = &mut aligned.0[..len];
        fill(bytes);
        // SAFETY: `fill` has written all of the bytes.
        let is_set = self.set_plain(kind, unsafe { bytes.assume_init_ref() });
        assert!(is_set, "they are aligned");
    }

    /// Makes the value a math type of these components. `false`, and no change, if they must first be copied.
    // Faster than `set_components` as the bytes stay in registers: what was just written in parts is slow to read.
    #[inline(always)]
    pub fn set_plain(&mut self, kind: Kind, bytes: &[u8]) -> bool {
        assert_eq!(Some(bytes.len()), kind.shape().element_len(REAL));
        let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else { return false };
        if bytes.len() <= 16 && is_known() && layout::is_bare(kind) {
            // `last` begins with bytes that `first` has too, if there are less than 16.
            let last = u64::from_le_bytes(*last).checked_shr(8 * (16 - bytes.len() as u32)).unwrap_or(0);
            // SAFETY: the layout is known, the old value is released, and a Variant has such components inside.
            unsafe { layout::write(self.release(), kind, [u64::from_le_bytes(*first), last]) };
            return true;
        }
        assert!(matches!(kind.shape(), Shape::Components { .. }));
        if !bytes.as_ptr().addr().is_multiple_of(REAL_SIZE) {
            return false;
        }
        // SAFETY: the old value is released. The bytes are all of the math type's, aligned; `from_type` copies them.
        unsafe { api().from_type.get(kind)(self.release().cast(), bytes.as_ptr().cast_mut().cast()) };
        true
    }

    /// Makes the value a packed array of `count` elements of plain data and returns its uninitialised memory.
    // Inlined: for a small array the calls would cost as much as the work.
    #[inline(always)]
    pub fn set_packed(&mut self, kind: Kind, count: usize) -> Memory<'_> {
        let shape = kind.shape();
        let (Shape::Packed { .. }, Some(element_len)) = (shape, shape.element_len(REAL)) else {
            unreachable!("{kind:?} is no packed array")
        };
        // A new array: the old one may also be the key of a dictionary, and Variants share packed arrays.
        let inner = self.set_empty(kind);
        // SAFETY: `inner` is the packed array of `kind` in this slot, which is mutably borrowed and which nobody else
        // uses. Its elements have this size. Whoever gets the memory fills it: see the docs of `engine`.
        unsafe { new_elements(kind, inner, count, element_len) }.expect("out of memory")
    }

    /// Makes the value a PackedStringArray of `count` empty strings and returns them.
    pub fn set_strings(&mut self, count: usize) -> &mut [StringSlot] {
        let (kind, element_len) = (Kind::PackedStringArray, size_of::<StringSlot>());
        let inner = self.set_empty(kind);
        // SAFETY: as for `set_packed`; Strings have this size.
        let memory = unsafe { new_elements(kind, inner, count, element_len) }.expect("out of memory");
        if count == 0 {
            return &mut [];
        }
        if is_known() {
            // An empty String is a null pointer.
            memory.fill(MaybeUninit::new(0));
        }
        // SAFETY: the memory is that of `count` empty Strings, and a `StringSlot` is a transparent String.
        unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), count) }
    }

    #[inline]
    pub fn set_string(&mut self, text: &str) {
        let inner = self.set_empty(Kind::String);
        // SAFETY: `inner` is the borrowed slot's String. `StringSlot` is a transparent GString, laid out like that.
        unsafe { &mut *inner.cast::<StringSlot>() }.set(text);
    }

    pub fn set_string_name(&mut self, text: &str) {
        // SAFETY: a StringName is one pointer.
        unsafe { self.set_from(Kind::StringName, name_of(text)) };
    }

    pub fn set_callable(&mut self) {
        self.set_empty(Kind::Callable);
    }

    /// Converts the value as the engine's `ContainerTypeValidate` does. `false`, and no change, if that refuses it.
    pub fn convert(&mut self, kind: Kind) -> bool {
        let from = self.value().view().kind();
        // SAFETY: both are ids of Variant types.
        let can = unsafe { (api().interface.variant_can_convert_strict)(sys_type(from), sys_type(kind)) } != 0;
        let Some(converted) = can.then(|| construct(kind, &[&self.0])).flatten() else { return false };
        self.set_variant(converted);
        true
    }

    /// Makes the value the empty one of `kind`, which must have an entry in `Api::empty`, and returns a pointer to it.
    #[inline(always)]
    fn set_empty(&mut self, kind: Kind) -> Inner {
        // SAFETY: the old value is released. Either the layout is known and an empty value of `kind` is all zeros, or
        // `from_type` makes a new Variant from the empty value in `Api`.
        unsafe {
            match is_known() && layout::is_empty_zero(kind) {
                true => layout::write(self.release(), kind, [0_u64; 2]),
                false => api().from_type.get(kind)(self.release().cast(), api().empty.get(kind)),
            }
        }
        self.inner(kind)
    }

    /// Returns a pointer to the value. It is of no use if the value is of another kind.
    #[inline]
    fn inner(&mut self, kind: Kind) -> Inner {
        // SAFETY: the Variant is alive. Both compute an address from its words, and read nothing behind them.
        unsafe {
            match is_known() {
                true => layout::inner(kind, self.0.var_sys_mut()),
                false => api().getters.get(kind)(self.0.var_sys_mut()).cast(),
            }
        }
    }
}

impl BytesOut for Slot {
    #[inline]
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        self.set_packed(Kind::PackedByteArray, len)
    }
}

#[repr(align(8))]
struct Aligned([MaybeUninit<u8>; 16 * REAL_SIZE]);
