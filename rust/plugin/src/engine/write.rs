//! Memory of engine arrays and strings, before it has a value.

use std::mem::MaybeUninit;

use godot::builtin::{GString, NodePath, PackedByteArray, StringName};
use godot::sys::GodotFfi;
use varbatch_codec::{Kind, text};

use super::api::{Api, api};
use super::ffi::Inner;
use super::layout;
use super::read::{bytes_of, packed_data};

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
        if api().layout.makes_blocks {
            if !self.is_empty() {
                self.clear();
            }
            // SAFETY: the layout makes blocks, and the array is empty and borrowed for writing; it gives out its block.
            return unsafe {
                let data = layout::new_block_in(api().interface, Kind::PackedByteArray, self.sys_mut(), len, 1);
                std::slice::from_raw_parts_mut(data.cast(), len)
            };
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

/// Bytes of room that are made on a guess, unless there are half as many already.
const MOST_ROOM: usize = 8 << 20;

/// A byte array that is filled piece by piece. Nobody else has it.
pub struct Growing {
    /// Longer than what was written, so that it need not grow each time.
    bytes: PackedByteArray,
    len: usize,
}

// SAFETY: nobody else has the array, and its memory is the engine's, which any thread may write to and free.
unsafe impl Send for Growing {}

impl Growing {
    /// An empty one with room for `len` bytes.
    pub fn with_room(len: usize) -> Self {
        let mut bytes = PackedByteArray::new();
        if len > 0 {
            bytes.allocate(len);
        }
        Self { bytes, len: 0 }
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Memory for the next `len` bytes, to be given a value at once. Some `expected` bytes will follow them.
    pub fn grow(&mut self, len: usize, expected: usize) -> Memory<'_> {
        let from = self.len;
        self.len += len;
        if self.len > self.bytes.len() {
            // A little more, for a guess that is a little wrong; not much more than there is, for one that is very wrong.
            let guessed = (expected + expected / 64).min(MOST_ROOM.max(2 * self.len));
            let mut larger = PackedByteArray::new();
            let room = larger.allocate(self.len + guessed);
            room[..from].write_copy_of_slice(&bytes_of(&self.bytes)[..from]);
            self.bytes = larger;
        }
        if len == 0 {
            return &mut [];
        }
        // SAFETY: the array is borrowed for writing, nobody else has it, and it has as many bytes.
        unsafe {
            let data = packed_data(Kind::PackedByteArray, self.bytes.sys_mut(), true);
            std::slice::from_raw_parts_mut(data.cast_mut().add(from).cast(), len)
        }
    }

    /// The bytes that were written, and leaves none.
    pub fn take(&mut self) -> PackedByteArray {
        let (mut bytes, len) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.len));
        if bytes.len() - len > len / 8 {
            return byte_array_of(&bytes_of(&bytes)[..len]);
        }
        bytes.resize(len);
        bytes
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

// SAFETY: as a `Slot`: a text without anything behind it.
unsafe impl Send for StringSlot {}

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

    /// Makes the string, which is empty, this text.
    #[inline]
    pub fn set(&mut self, text: &str) {
        text::write_utf32(text, self.allocate(text::utf32_len(text)));
    }

    /// Makes the string, which is empty, one of `len` characters and gives out its memory.
    #[inline]
    fn allocate(&mut self, len: usize) -> &mut [MaybeUninit<u32>] {
        if len == 0 {
            return &mut [];
        }
        let Api { interface, layout, .. } = api();
        let string = self.0.string_sys_mut();
        if layout.makes_blocks {
            // SAFETY: the layout makes blocks, and the string is empty and borrowed for writing. The last character is set
            // here, the others are given out.
            return unsafe {
                let data =
                    layout::new_block_in(interface, Kind::String, string.cast(), len + 1, 4).cast::<MaybeUninit<u32>>();
                data.add(len).write(MaybeUninit::new(0));
                std::slice::from_raw_parts_mut(data, len)
            };
        }
        let size = i64::try_from(len + 1).expect("counts are 32-bit");
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

/// Bytes as a byte array of its own.
pub fn byte_array_of(bytes: &[u8]) -> PackedByteArray {
    let mut array = PackedByteArray::new();
    array.allocate(bytes.len()).write_copy_of_slice(bytes);
    array
}

/// Text as a String of its own.
pub fn string_of(text: &str) -> GString {
    let mut string = StringSlot(GString::new());
    string.set(text);
    string.0
}

/// Text as a StringName.
pub fn name_of(text: &str) -> StringName {
    /// Bytes of a C string that is made on the stack.
    const SHORT: usize = 64;
    let mut name = MaybeUninit::<StringName>::uninit();
    if text.len() < SHORT && text.is_ascii() {
        // The engine looks for such a name before it makes a String.
        let mut chars = [0; SHORT];
        chars[..text.len()].copy_from_slice(text.as_bytes());
        // SAFETY: `chars` ends with a NUL, and is copied: the name is not static. This makes a StringName.
        return unsafe {
            (api().interface.string_name_new_with_latin1_chars)(name.as_mut_ptr().cast(), chars.as_ptr().cast(), 0);
            name.assume_init()
        };
    }
    let string = string_of(text);
    let args = [string.sys()];
    // SAFETY: the constructor makes a StringName of a String.
    unsafe {
        (api().name_of_string)(name.as_mut_ptr().cast(), args.as_ptr());
        name.assume_init()
    }
}

/// Text as a NodePath.
pub fn node_path_of(text: &str) -> NodePath {
    let string = string_of(text);
    let args = [string.sys()];
    let mut path = MaybeUninit::<NodePath>::uninit();
    // SAFETY: the constructor makes a NodePath of a String.
    unsafe {
        (api().path_of_string)(path.as_mut_ptr().cast(), args.as_ptr());
        path.assume_init()
    }
}
