//! Engine arrays whose memory has no value yet.
//!
//! `resize()` of a packed array, as extensions see it, fills with zeros: from 64 KiB on that takes as long as the copy
//! that follows. The engine's own decoder does not do it.

use godot::builtin::{PackedByteArray, StringName};
use godot::init::GdextBuild;
use godot::sys::{self, GodotFfi};
use varbatch_codec::{Kind, Scalar, Shape};

use super::read::packed_data;
use super::{Inner, api};

/// From this many bytes on it pays to make an array without zeroing it, which costs a fixed 0.1 µs.
const FROM: usize = 16 << 10;

/// `StreamPeerBuffer`, the one class of the engine that resizes a byte array without zeroing it.
pub struct Uninit {
    class: StringName,
    resize: sys::GDExtensionMethodBindPtr,
    get_data_array: sys::GDExtensionMethodBindPtr,
    /// Whether [`Header`] describes this engine's arrays.
    known_header: bool,
}

/// What lies before the elements of an array in Godot 4.6 (`CowData` in `core/templates/cowdata.h`).
#[repr(C)]
struct Header {
    references: u64,
    /// In elements, as `size`.
    capacity: u64,
    size: u64,
    _padding: u64,
}

impl Uninit {
    pub fn load(interface: &sys::GDExtensionInterface) -> Option<Self> {
        let class = StringName::from("StreamPeerBuffer");
        let bind = |name: &str, hash| {
            let name = StringName::from(name);
            // SAFETY: both names outlive the call; a method that does not exist, or not like this, gives null.
            let bind = unsafe { (interface.classdb_get_method_bind)(class.string_sys(), name.string_sys(), hash) };
            (!bind.is_null()).then_some(bind)
        };
        let (resize, get_data_array) = (bind("resize", 1_286_410_249)?, bind("get_data_array", 2_362_200_018)?);
        let (major, minor, _) = GdextBuild::godot_runtime_version_triple();
        Some(Self {
            class,
            resize,
            get_data_array,
            known_header: (major, minor) == (4, 6) && !cfg!(feature = "no-engine-internals"),
        })
    }

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

    /// Makes the empty array at `array` one of `count` numbers without a value. `false` if it stays empty.
    ///
    /// There is no call for this in GDExtension: a byte array is given another element type. Its header is changed from
    /// bytes to elements, if it is as Godot 4.6 has it, in an engine that says that it is 4.6.
    pub fn numbers(&self, kind: Kind, array: Inner, count: usize) -> bool {
        let element_len = match kind.shape() {
            // The engine zeroes vectors and colors for itself as well.
            Shape::Packed { scalar: Scalar::I32 | Scalar::F32, count: 1 } => 4,
            Shape::Packed { scalar: Scalar::I64 | Scalar::F64, count: 1 } => 8,
            _ => return false,
        };
        if !self.known_header {
            return false;
        }
        let len = count * element_len;
        let Some(mut bytes) = self.bytes(len) else { return false };
        // SAFETY: all packed arrays are one pointer to their elements, aligned to 16 bytes, and the header lies before
        // them in the same allocation: 4.6 has it so, and `expected` is seen to hold for this very array before it is
        // touched. Changed to elements it is the header of an array of that type, which frees the same allocation. The
        // two arrays then change places; the empty one is dropped as `bytes`.
        unsafe {
            let header = packed_data(Kind::PackedByteArray, bytes.sys_mut(), true).cast_mut().cast::<Header>().sub(1);
            let len = len as u64;
            let expected = (*header).references == 1 && (*header).capacity == len && (*header).size == len;
            if expected {
                (*header).capacity = count as u64;
                (*header).size = count as u64;
                std::ptr::swap(&raw mut bytes, array.cast());
            }
            expected
        }
    }
}
