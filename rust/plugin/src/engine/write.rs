//! Memory of engine arrays and strings, before it has a value.

use std::mem::MaybeUninit;

use godot::builtin::{GString, PackedByteArray};
use godot::sys::GodotFfi;
use varbatch_codec::{Kind, text};

use super::read::packed_data;
use super::{Inner, api};

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

/// `array` must point to an array of `kind` that nobody else uses.
pub(super) fn resize(kind: Kind, array: Inner, count: usize) {
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
    /// The String at `inner`, which must be one that nobody else uses as long as `'a`.
    ///
    /// # Safety
    /// As said.
    #[inline]
    pub(super) unsafe fn from_inner<'a>(inner: Inner) -> &'a mut Self {
        // SAFETY: `StringSlot` is a transparent GString, which has the layout of the engine's String.
        unsafe { &mut *inner.cast() }
    }

    /// Makes the string this text.
    #[inline]
    pub fn set(&mut self, text: &str) {
        text::write_utf32(text, self.allocate(text::utf32_len(text)));
    }

    /// Makes the string one of `len` characters and gives out its memory.
    #[inline]
    fn allocate(&mut self, len: usize) -> &mut [MaybeUninit<u32>] {
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

/// Text as a String of its own.
pub fn string_of(text: &str) -> GString {
    let mut string = StringSlot(GString::new());
    string.set(text);
    string.0
}
