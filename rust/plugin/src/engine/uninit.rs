//! Byte arrays whose memory has no value yet, in engines where `layout` makes no blocks.
//!
//! `resize()` of a packed array, as extensions see it, fills with zeros: from 64 KiB on that takes as long as the copy
//! that follows.

use godot::builtin::PackedByteArray;
use godot::sys::GodotFfi;

use super::api::api;
use super::tables::Uninit;

/// From this many bytes on it pays to make an array without zeroing it, which costs a fixed 0.1 µs.
const FROM: usize = 16 << 10;

impl Uninit {
    /// A byte array of `len` bytes without a value. `None` if zeros cost less, or the engine has none.
    pub fn bytes(&self, len: usize) -> Option<PackedByteArray> {
        let size = i64::try_from(len).ok().filter(|&size| len >= FROM && size <= i64::from(i32::MAX))?;
        let interface = api().interface;
        // SAFETY: the class exists, as its methods were found. The object is a RefCounted that no reference counts:
        // it is destroyed below, and nothing else sees it.
        let object = unsafe { (interface.classdb_construct_object2)(self.class.string_sys()) };
        if object.is_null() {
            return None;
        }
        let mut bytes = PackedByteArray::new();
        let args = [(&raw const size).cast()];
        // SAFETY: the methods are those of the object's class, found by the hash of their signature: `resize` takes an
        // int, passed as 64 bits, and returns nothing; `get_data_array` takes nothing and assigns a PackedByteArray.
        // Destroying the object leaves `bytes` the only owner of the memory.
        unsafe {
            (interface.object_method_bind_ptrcall)(self.resize, object, args.as_ptr(), std::ptr::null_mut());
            let ret = bytes.sys_mut();
            (interface.object_method_bind_ptrcall)(self.get_data_array, object, std::ptr::null(), ret);
            (interface.object_destroy)(object);
        }
        (bytes.len() == len).then_some(bytes)
    }
}
