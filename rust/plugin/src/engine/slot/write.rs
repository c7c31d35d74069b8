//! Allocates engine arrays and strings, and writes to their uninitialised memory.

use std::mem::MaybeUninit;

use godot::builtin::{GString, PackedByteArray, StringName};
use godot::sys::GodotFfi;
use varbatch_codec::{Kind, text};

use crate::engine::{Inner, api, bytes_of, is_known, layout, packed_data};

/// Uninitialised memory of an array, written in full before anyone else sees the array: see the docs of `engine`.
pub type Memory<'a> = &'a mut [MaybeUninit<u8>];

/// A destination for the bytes of one encoded value.
pub trait BytesOut {
    /// Makes the value a byte array of `len` bytes and returns its memory.
    fn allocate(&mut self, len: usize) -> Memory<'_>;
}

impl BytesOut for PackedByteArray {
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        if !bytes_of(self).is_empty() {
            self.clear();
        }
        // SAFETY: the array is empty and mutably borrowed. The caller fills all of its bytes.
        unsafe { new_elements(Kind::PackedByteArray, self.sys_mut(), len, 1) }.expect("out of memory")
    }
}

/// Max bytes to allocate on a guess, unless half as many were already written.
const MOST_ROOM: usize = 8 << 20;

/// Returns how many bytes to allocate for `end` and about `expected` more.
fn room(end: usize, expected: usize) -> usize {
    // A little more than the guess, in case it is slightly low; capped, in case it is far too high.
    let guessed = expected.saturating_add(expected / 64).min(MOST_ROOM.max(end.saturating_mul(2)));
    end.saturating_add(guessed).min(isize::MAX as usize)
}

/// A byte array that is filled piece by piece and that nobody else has.
pub struct Growing {
    bytes: PackedByteArray,
    /// The memory of `bytes`. Longer than what is written so far, so that it does not grow each time.
    data: *mut [MaybeUninit<u8>],
    len: usize,
}

// SAFETY: nobody else has the array. The engine lets any thread write to its memory and free it.
unsafe impl Send for Growing {}

impl Growing {
    pub fn with_room(len: usize) -> Self {
        Self::try_with_room(len).expect("out of memory")
    }

    /// Returns `None` if there is no memory for `len` bytes.
    pub fn try_with_room(len: usize) -> Option<Self> {
        let mut bytes = PackedByteArray::new();
        // SAFETY: the array is empty and nobody else has it. Only bytes that were written are seen, see `take`.
        let data = unsafe { new_elements(Kind::PackedByteArray, bytes.sys_mut(), len, 1) };
        data.map(std::ptr::from_mut).map(|data| Self { bytes, data, len: 0 })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns memory for the next `len` bytes, which must be written at once. About `expected` bytes will follow them.
    pub fn grow(&mut self, len: usize, expected: usize) -> Memory<'_> {
        let end = self.len.checked_add(len).expect("lengths are 32-bit");
        if end > self.data.len() {
            let mut larger = Self::with_room(room(end, expected));
            larger.grow(self.len, 0).write_copy_of_slice(self.written());
            *self = larger;
        }
        let from = std::mem::replace(&mut self.len, end);
        // SAFETY: `data` is the memory of the array, which is mutably borrowed and which nobody else has.
        unsafe { &mut (&mut *self.data)[from..end] }
    }

    /// Borrows the bytes written so far. Those after them may never have been written.
    fn written(&self) -> &[u8] {
        // SAFETY: `data` is the memory of the array, which is borrowed. Its first `len` bytes are written.
        unsafe { (&*self.data)[..self.len].assume_init_ref() }
    }

    pub fn take(&mut self) -> PackedByteArray {
        let taken = std::mem::replace(self, Self::with_room(0));
        if taken.data.len() - taken.len > taken.len / 8 {
            return byte_array_of(taken.written());
        }
        let mut bytes = taken.bytes;
        bytes.resize(taken.len);
        bytes
    }
}

/// Resizes an array. Returns false if there is no memory.
///
/// # Safety
/// `array` points to an array of `kind` that nobody else uses.
pub(super) unsafe fn resize(kind: Kind, array: Inner, count: usize) -> bool {
    let size = i64::try_from(count).expect("counts are 32-bit");
    let args = [(&raw const size).cast()];
    let mut error = 0_i64;
    // SAFETY: promised by the caller; `resize` takes a 64-bit int and returns one.
    unsafe { api().resizes.get(kind)(array, args.as_ptr(), (&raw mut error).cast(), 1) };
    error == 0
}

/// Makes elements in an empty packed array, and returns their memory; `None` if there is none: the array is empty then. In
/// engines whose layout is not known they are zeroed.
///
/// # Safety
/// `array` points to an empty packed array of `kind`, with elements of this size, that lives for `'a` and that nobody else
/// uses meanwhile. All elements must be written before anyone else sees it.
#[inline(always)]
pub(super) unsafe fn new_elements<'a>(
    kind: Kind,
    array: Inner,
    count: usize,
    element_len: usize,
) -> Option<Memory<'a>> {
    if count == 0 {
        return Some(&mut []);
    }
    // SAFETY: promised by the caller. Afterwards the array has `count` contiguous elements.
    unsafe {
        let data = match is_known() {
            true => layout::new_block_in(kind, array, count, element_len)?,
            false => resize(kind, array, count).then(|| packed_data(kind, array, true).cast_mut())?,
        };
        Some(std::slice::from_raw_parts_mut(data.cast(), count * element_len))
    }
}

/// An empty string, for example in a PackedStringArray, that is filled in place.
#[repr(transparent)]
pub struct StringSlot(GString);

impl StringSlot {
    /// Sets the text. The string must be empty.
    #[inline]
    pub fn set(&mut self, text: &str) {
        let len = text::utf32_len(text);
        if len == 0 {
            return;
        }
        // SAFETY: the empty string is mutably borrowed. All `len` + 1 contiguous characters, one a NUL, are written.
        unsafe {
            let first: *mut MaybeUninit<u32> = match is_known() {
                true => layout::new_block_in(Kind::String, self.0.sys_mut(), len + 1, 4).expect("out of memory").cast(),
                false => {
                    let (interface, string) = (api().interface, self.0.string_sys_mut());
                    let size = i64::try_from(len + 1).expect("counts are 32-bit");
                    assert_eq!((interface.string_resize)(string, size), 0, "out of memory");
                    (interface.string_operator_index)(string, 0).cast()
                }
            };
            first.add(len).write(MaybeUninit::new(0));
            text::write_utf32(text, std::slice::from_raw_parts_mut(first, len));
        }
    }
}

pub fn byte_array_of(bytes: &[u8]) -> PackedByteArray {
    let mut array = PackedByteArray::new();
    array.allocate(bytes.len()).write_copy_of_slice(bytes);
    array
}

pub fn string_of(text: &str) -> GString {
    let mut string = StringSlot(GString::new());
    string.set(text);
    string.0
}

pub fn name_of(text: &str) -> StringName {
    /// Size in bytes of the buffer for C strings on the stack.
    const SHORT: usize = 64;
    if text.len() < SHORT && text.is_ascii() {
        // From a C string, the engine looks for an existing name before it makes a String.
        let mut chars = [0; SHORT];
        chars[..text.len()].copy_from_slice(text.as_bytes());
        let mut name = MaybeUninit::<StringName>::uninit();
        // SAFETY: `chars` ends with a NUL. The engine copies it, as `is_static` is 0, and initialises `name`.
        return unsafe {
            (api().interface.string_name_new_with_latin1_chars)(name.as_mut_ptr().cast(), chars.as_ptr().cast(), 0);
            name.assume_init()
        };
    }
    StringName::from(&string_of(text))
}

#[cfg(test)]
#[path = "../../../tests/unit/growing.rs"]
mod tests;
