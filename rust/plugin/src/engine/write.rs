//! Allocates engine arrays and strings, and writes to their uninitialised memory.

use std::mem::MaybeUninit;

use godot::builtin::{GString, NodePath, PackedByteArray, StringName};
use godot::sys::GodotFfi;
use varbatch_codec::{Kind, text};

use super::api::{Api, api};
use super::ffi::Inner;
use super::layout;
use super::read::packed_data;

/// Uninitialised memory of an engine array. It must be written in full before anyone else sees the array: see the docs of
/// `engine`.
pub type Memory<'a> = &'a mut [MaybeUninit<u8>];

/// A destination for the bytes of one encoded value.
pub trait BytesOut {
    /// Makes the value a byte array of `len` bytes and returns its memory.
    fn allocate(&mut self, len: usize) -> Memory<'_>;

    /// Makes the value this byte array.
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
            // SAFETY: the layout makes blocks, and the array is empty and mutably borrowed. The caller fills all of the
            // block.
            return unsafe {
                let data = layout::new_block_in(api().interface, Kind::PackedByteArray, self.sys_mut(), len, 1);
                std::slice::from_raw_parts_mut(data.cast(), len)
            };
        }
        // SAFETY: the array is mutably borrowed, and has `len` > 0 contiguous bytes then. The caller fills all of them.
        unsafe {
            match api().uninit.as_ref().and_then(|uninit| uninit.bytes(len)) {
                Some(uninit) => *self = uninit,
                None => resize(Kind::PackedByteArray, self.sys_mut(), len),
            }
            let data = packed_data(Kind::PackedByteArray, self.sys_mut(), true);
            std::slice::from_raw_parts_mut(data.cast_mut().cast(), len)
        }
    }

    fn set_bytes(&mut self, bytes: PackedByteArray) {
        *self = bytes;
    }
}

/// Max bytes to allocate on a guess, unless half as many were already written.
const MOST_ROOM: usize = 8 << 20;

/// A byte array that is filled piece by piece and that nobody else has.
pub struct Growing {
    /// Longer than the bytes written so far, so that it does not grow each time.
    bytes: PackedByteArray,
    len: usize,
}

// SAFETY: nobody else has the array. The engine lets any thread write to its memory and free it.
unsafe impl Send for Growing {}

impl Growing {
    /// Creates an empty one with room for `len` bytes.
    pub fn with_room(len: usize) -> Self {
        let mut bytes = PackedByteArray::new();
        if len > 0 {
            bytes.allocate(len);
        }
        Self { bytes, len: 0 }
    }

    /// Returns the number of bytes written so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns memory for the next `len` bytes, which must be written at once. About `expected` bytes will follow them.
    pub fn grow(&mut self, len: usize, expected: usize) -> Memory<'_> {
        let from = self.len;
        let end = from.checked_add(len).expect("lengths are 32-bit");
        if end > self.bytes.len() {
            // A little more than the guess, in case it is slightly low; capped, in case it is far too high.
            let guessed = (expected + expected / 64).min(MOST_ROOM.max(2 * end));
            let mut larger = PackedByteArray::new();
            larger.allocate(end + guessed)[..from].write_copy_of_slice(self.written());
            self.bytes = larger;
        }
        self.len = end;
        if len == 0 {
            return &mut [];
        }
        // SAFETY: the array is mutably borrowed, nobody else has it, and it has at least `from + len` bytes.
        unsafe {
            let data = packed_data(Kind::PackedByteArray, self.bytes.sys_mut(), true);
            std::slice::from_raw_parts_mut(data.cast_mut().add(from).cast(), len)
        }
    }

    /// Borrows the bytes written so far. Those after them may never have been written.
    fn written(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the array is alive, and has at least `len` > 0 bytes, all of them written.
        unsafe {
            let data = packed_data(Kind::PackedByteArray, self.bytes.sys().cast_mut(), false);
            std::slice::from_raw_parts(data, self.len)
        }
    }

    /// Takes out the bytes written so far.
    pub fn take(&mut self) -> PackedByteArray {
        let taken = std::mem::replace(self, Self::with_room(0));
        if taken.bytes.len() - taken.len > taken.len / 8 {
            return byte_array_of(taken.written());
        }
        let mut bytes = taken.bytes;
        bytes.resize(taken.len);
        bytes
    }
}

/// Resizes an array.
///
/// # Safety
/// `array` points to an array of `kind` that nobody else uses.
pub(super) unsafe fn resize(kind: Kind, array: Inner, count: usize) {
    let size = i64::try_from(count).expect("counts are 32-bit");
    let args = [(&raw const size).cast()];
    let mut error = 0_i64;
    let resize = api().resizes[usize::from(kind.id())].expect("arrays can be resized");
    // SAFETY: promised by the caller; `resize` takes a 64-bit int and returns one.
    unsafe { resize(array, args.as_ptr(), (&raw mut error).cast(), 1) };
    assert_eq!(error, 0, "out of memory");
}

/// An empty string, for example in a PackedStringArray, that is filled in place.
#[repr(transparent)]
pub struct StringSlot(GString);

// SAFETY: as for `Slot`: a String is plain text that runs no script.
unsafe impl Send for StringSlot {}

impl StringSlot {
    /// Borrows the String at `inner`.
    ///
    /// # Safety
    /// `inner` points to a String that lives for `'a` and that nobody else uses meanwhile.
    #[inline]
    pub(super) unsafe fn from_inner<'a>(inner: Inner) -> &'a mut Self {
        // SAFETY: `StringSlot` is a transparent GString, which has the layout of the engine's String.
        unsafe { &mut *inner.cast() }
    }

    /// Sets the text. The string must be empty.
    #[inline]
    pub fn set(&mut self, text: &str) {
        text::write_utf32(text, self.allocate(text::utf32_len(text)));
    }

    /// Makes room for `len` characters in the string, which must be empty, and returns their memory.
    #[inline]
    fn allocate(&mut self, len: usize) -> &mut [MaybeUninit<u32>] {
        if len == 0 {
            return &mut [];
        }
        let Api { interface, layout, .. } = api();
        let string = self.0.string_sys_mut();
        if layout.makes_blocks {
            // SAFETY: the layout makes blocks, and the string is empty and mutably borrowed. The NUL is set here, and
            // the caller writes the other `len` characters.
            return unsafe {
                let data =
                    layout::new_block_in(interface, Kind::String, string.cast(), len + 1, 4).cast::<MaybeUninit<u32>>();
                data.add(len).write(MaybeUninit::new(0));
                std::slice::from_raw_parts_mut(data, len)
            };
        }
        let size = i64::try_from(len + 1).expect("counts are 32-bit");
        // SAFETY: the string is mutably borrowed. `string_resize` counts the NUL, so the string then has `len` + 1
        // contiguous characters, the last of which is set here.
        unsafe {
            assert_eq!((interface.string_resize)(string, size), 0, "out of memory");
            let first: *mut MaybeUninit<u32> = (interface.string_operator_index)(string, 0).cast();
            first.add(len).write(MaybeUninit::new(0));
            std::slice::from_raw_parts_mut(first, len)
        }
    }
}

/// Copies bytes into a new byte array.
pub fn byte_array_of(bytes: &[u8]) -> PackedByteArray {
    let mut array = PackedByteArray::new();
    array.allocate(bytes.len()).write_copy_of_slice(bytes);
    array
}

/// Copies text into a new String.
pub fn string_of(text: &str) -> GString {
    let mut string = StringSlot(GString::new());
    string.set(text);
    string.0
}

/// Makes a StringName from text.
pub fn name_of(text: &str) -> StringName {
    /// Size in bytes of the buffer for C strings on the stack.
    const SHORT: usize = 64;
    let mut name = MaybeUninit::<StringName>::uninit();
    if text.len() < SHORT && text.is_ascii() {
        // From a C string, the engine looks for an existing name before it makes a String.
        let mut chars = [0; SHORT];
        chars[..text.len()].copy_from_slice(text.as_bytes());
        // SAFETY: `chars` ends with a NUL. The engine copies it, as `is_static` is 0, and initialises `name`.
        return unsafe {
            (api().interface.string_name_new_with_latin1_chars)(name.as_mut_ptr().cast(), chars.as_ptr().cast(), 0);
            name.assume_init()
        };
    }
    let string = string_of(text);
    let args = [string.sys()];
    // SAFETY: the constructor takes a String and initialises a StringName.
    unsafe {
        (api().name_of_string)(name.as_mut_ptr().cast(), args.as_ptr());
        name.assume_init()
    }
}

/// Makes a NodePath from text.
pub fn node_path_of(text: &str) -> NodePath {
    let string = string_of(text);
    let args = [string.sys()];
    let mut path = MaybeUninit::<NodePath>::uninit();
    // SAFETY: the constructor takes a String and initialises a NodePath.
    unsafe {
        (api().path_of_string)(path.as_mut_ptr().cast(), args.as_ptr());
        path.assume_init()
    }
}
