//! Makes values in place: in the elements of an array, or in the result of a call.

use std::mem::MaybeUninit;

use godot::builtin::{Array, GString, PackedByteArray, VarArray, Variant};
use godot::meta::ToGodot;
use godot::sys::{self, GodotFfi};
use varbatch_codec::{Kind, Shape};

use super::read::packed_data;
use super::{Inner, REAL, api, value};

/// Memory of an engine array, to be given a value in full before anyone else sees the array.
pub type Memory<'a> = &'a mut [MaybeUninit<u8>];

/// What takes the bytes of one encoded value.
pub trait BytesOut {
    /// Makes it a byte array of `len` bytes and gives out its memory.
    fn allocate(&mut self, len: usize) -> Memory<'_>;

    /// Makes it this byte array.
    fn set_bytes(&mut self, bytes: PackedByteArray);
}

impl BytesOut for PackedByteArray {
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        if len == 0 {
            self.clear();
            return &mut [];
        }
        match api().uninit.as_ref().and_then(|uninit| uninit.bytes(len)) {
            Some(uninit) => *self = uninit,
            None => resize(Kind::PackedByteArray, self.sys_mut(), len),
        }
        // SAFETY: the array is borrowed for writing; it has `len` > 0 bytes in one piece.
        unsafe {
            let data = packed_data(Kind::PackedByteArray, self.sys_mut(), true);
            std::slice::from_raw_parts_mut(data.cast_mut().cast(), len)
        }
    }

    fn set_bytes(&mut self, bytes: PackedByteArray) {
        *self = bytes;
    }
}

/// A Variant of an array, or a result, that one thread at a time fills in; not necessarily the caller's.
#[repr(transparent)]
pub struct Slot(Variant);

// SAFETY: a slot is either nil or empty, or holds what was put into it by the thread that had it before. Its functions
// only make and drop values without a script behind them: plain data, packed arrays and what the caller hands over.
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
    /// A result of a call as a slot.
    pub(super) fn from_mut(variant: &mut Variant) -> &mut Self {
        // SAFETY: `Slot` is a transparent Variant, and adds no promise to a reference.
        unsafe { &mut *std::ptr::from_mut(variant).cast() }
    }

    /// Puts a value into the slot.
    pub fn set(&mut self, value: impl ToGodot) {
        self.0 = value.to_variant();
    }

    /// Empties the slot.
    pub fn clear(&mut self) {
        self.0 = Variant::nil();
    }

    /// Makes the value a math type (`count` is 1), or a packed array of `count` elements, and gives out its memory.
    pub fn set_plain(&mut self, kind: Kind, count: usize) -> Memory<'_> {
        if kind == Kind::PackedByteArray {
            return self.allocate(count);
        }
        let element_len = kind.shape().element_len(REAL).expect("plain data");
        let inner = self.set_default(kind);
        let data = match kind.shape() {
            Shape::Packed { .. } if count == 0 => return &mut [],
            Shape::Packed { .. } => {
                if !api().uninit.as_ref().is_some_and(|uninit| uninit.numbers(kind, inner, count)) {
                    resize(kind, inner, count);
                }
                // SAFETY: `inner` is the packed array of `kind` in this slot, and used by nobody else.
                unsafe { packed_data(kind, inner, true) }
            }
            _ => inner.cast_const().cast(),
        };
        // SAFETY: `data` points to `count` elements of this size, which the borrow of the slot keeps alive and unique.
        unsafe { std::slice::from_raw_parts_mut(data.cast_mut().cast(), count * element_len) }
    }

    /// Makes the value a PackedStringArray of `count` empty strings and gives them out.
    pub fn set_strings(&mut self, count: usize) -> &mut [StringSlot] {
        let inner = self.set_default(Kind::PackedStringArray);
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

    /// The byte array in the slot. Makes it one, if it is something else.
    fn bytes_mut(&mut self) -> &mut PackedByteArray {
        let view = value(&self.0).view();
        let inner = match view.kind() {
            Kind::PackedByteArray => view.inner,
            _ => self.set_default(Kind::PackedByteArray),
        };
        // SAFETY: `inner` points to the PackedByteArray of this slot, which is borrowed for writing.
        unsafe { &mut *inner.cast() }
    }

    /// Makes the value an empty packed array, or a math type of zeros, and returns where it is.
    fn set_default(&mut self, kind: Kind) -> Inner {
        let api = api();
        let index = usize::from(kind.id());
        let (from_type, getter) = (api.from_type[index].expect("not Nil"), api.getters[index].expect("not Nil"));
        // As large as the largest math type, a Projection of doubles.
        let mut zeros = [0_u64; 16];
        let default = api.empty[index].as_ref().map_or(zeros.as_mut_ptr().cast(), |empty| value(empty).view().inner);
        // SAFETY: `default` points to a value of `kind`, of which `from_type` makes a new Variant: to a packed array,
        // or to zeros, which are a value of each math type. `getter` is that of the kind, and the Variant lives on in
        // this slot.
        unsafe {
            self.0 = Variant::new_with_var_uninit(|variant| from_type(variant, default));
            getter(self.0.var_sys_mut()).cast()
        }
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

fn resize(kind: Kind, array: Inner, count: usize) {
    let size = i64::try_from(count).expect("counts are 32-bit");
    let args = [(&raw const size).cast()];
    let mut error = 0_i64;
    let resize = api().resizes[usize::from(kind.id())].expect("arrays can be resized");
    // SAFETY: `array` points to an array of `kind`, whose `resize` takes a 64-bit int and returns one.
    unsafe { resize(array, args.as_ptr(), (&raw mut error).cast(), 1) };
    assert_eq!(error, 0, "out of memory");
}

/// An empty string of a PackedStringArray, to be filled in.
#[repr(transparent)]
pub struct StringSlot(GString);

impl StringSlot {
    /// Makes the string one of `len` characters and gives out its memory.
    pub fn allocate(&mut self, len: usize) -> &mut [MaybeUninit<u32>] {
        if len == 0 {
            return &mut [];
        }
        let interface = api().interface;
        let size = i64::try_from(len + 1).expect("counts are 32-bit");
        let string = self.0.string_sys_mut();
        // SAFETY: the string is borrowed for writing. Resizing it counts the NUL; then it has `len` + 1 characters in
        // one piece, of which the last is set here.
        unsafe {
            assert_eq!((interface.string_resize)(string, size), 0, "out of memory");
            let first: *mut MaybeUninit<u32> = (interface.string_operator_index)(string, 0).cast();
            first.add(len).write(MaybeUninit::new(0));
            std::slice::from_raw_parts_mut(first, len)
        }
    }
}
