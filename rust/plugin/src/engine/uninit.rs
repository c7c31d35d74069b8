//! Makes byte arrays with uninitialised memory, in engines where `layout` makes no blocks.
//!
//! For extensions, `resize()` of a packed array fills with zeros. From 64 KiB on, that takes as long as the copy that
//! follows.

use godot::builtin::PackedByteArray;
use godot::sys::GodotFfi;

use super::api::api;
use super::tables::Uninit;

/// Minimum length in bytes for which skipping the zeros pays: it costs a fixed 0.1 µs.
const FROM: usize = 16 << 10;

impl Uninit {
    /// Returns a byte array of `len` uninitialised bytes, or `None` if zeroing costs less or the engine makes none.
    ///
    /// # Safety
    /// All bytes are written before they are read.
    pub unsafe fn bytes(&self, len: usize) -> Option<PackedByteArray> {
        let size = i64::try_from(len).ok().filter(|&size| len >= FROM && size <= i64::from(i32::MAX))?;
        let interface = api().interface;
        // SAFETY: the class exists, as its methods were found. The object is a RefCounted without any reference: it is
        // destroyed below, and nothing else sees it.
        let object = unsafe { (interface.classdb_construct_object2)(self.class.string_sys()) };
        if object.is_null() {
            return None;
        }
        let mut bytes = PackedByteArray::new();
        let args = [(&raw const size).cast()];
        // SAFETY: the methods belong to the object's class and were found by the hash of their signature: `resize`
        // takes an int, passed as 64 bits, and returns nothing; `get_data_array` takes nothing and assigns a
        // PackedByteArray. After the object is destroyed, `bytes` is the only owner of the memory.
        unsafe {
            (interface.object_method_bind_ptrcall)(self.resize, object, args.as_ptr(), std::ptr::null_mut());
            let ret = bytes.sys_mut();
            (interface.object_method_bind_ptrcall)(self.get_data_array, object, std::ptr::null(), ret);
            (interface.object_destroy)(object);
        }
        (bytes.len() == len).then_some(bytes)
    }
}
