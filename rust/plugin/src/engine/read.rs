//! Looks into Variants without a copy.

use std::marker::PhantomData;
use std::ptr::NonNull;

use godot::builtin::{AnyArray, GString, NodePath, PackedByteArray, PackedStringArray, Signal, StringName, Variant};
use godot::sys::GodotFfi;
use varbatch_codec::{Kind, Plain, Shape};

use super::api::{Api, api};
use super::ffi::Inner;
use super::{REAL, layout};

/// A Variant that is only read, possibly on another thread while the caller waits.
#[repr(transparent)]
pub struct Value(Variant);

// SAFETY: a `&Value` gives out only what `View` reads, and reading is what the engine allows from several threads.
unsafe impl Sync for Value {}

/// The elements of an array, without a copy.
///
/// The array must not change while they are borrowed; see the text of `engine`.
pub fn values(array: &AnyArray) -> &[Value] {
    let len = array.len();
    if len == 0 {
        return &[];
    }
    // SAFETY: the array is alive and has an element 0.
    let first = unsafe { (api().interface.array_operator_index_const)(array.sys(), 0) };
    // SAFETY: the array keeps its `len` Variants in one piece. `Value` is a transparent Variant.
    unsafe { std::slice::from_raw_parts(first.cast(), len) }
}

/// A byte array that is an element of an array, with a reference of its own.
pub fn byte_array_at(array: &AnyArray, index: usize) -> Option<PackedByteArray> {
    let view = values(array).get(index)?.view();
    (view.kind() == Kind::PackedByteArray).then(|| view.byte_array().clone())
}

/// The one Variant as a value.
pub fn value(variant: &Variant) -> &Value {
    // SAFETY: `Value` is a transparent Variant, and adds no promise to a reference.
    unsafe { &*std::ptr::from_ref(variant).cast() }
}

/// The bytes of a byte array.
#[inline]
pub fn bytes_of(bytes: &PackedByteArray) -> &[u8] {
    let inner = bytes.sys().cast_mut();
    View { kind: Kind::PackedByteArray, inner, _value: PhantomData }.plain().bytes
}

impl Value {
    /// Looks at what the Variant holds. It looks like Nil if it is of no [`Kind`]; see [`Self::known`].
    #[inline(always)]
    pub fn view(&self) -> View<'_> {
        self.known().unwrap_or(View { kind: Kind::Nil, inner: std::ptr::null_mut(), _value: PhantomData })
    }

    /// Looks at what the Variant holds.
    ///
    /// # Errors
    /// If it is of a type that a later engine may have: the id.
    #[inline(always)]
    pub fn known(&self) -> Result<View<'_>, u32> {
        let api = api();
        let variant = self.0.var_sys();
        if api.layout.is_known {
            // SAFETY: the Variant is alive, and the layout known.
            unsafe {
                let id = layout::id(variant);
                let Some(kind) = kind_of(id) else { return Err(unknown(id)) };
                return Ok(View { kind, inner: layout::inner(kind, variant.cast_mut()), _value: PhantomData });
            }
        }
        // SAFETY: the Variant is alive.
        let id = unsafe { (api.interface.variant_get_type)(variant) };
        // Its sign is the platform's.
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        let Some(kind) = kind_of(id) else { return Err(unknown(id)) };
        // SAFETY: the getter is that of the Variant's type. It takes a mutable pointer but changes nothing.
        let inner = api.getters[usize::from(kind.id())].map(|getter| unsafe { getter(variant.cast_mut()).cast() });
        Ok(View { kind, inner: inner.unwrap_or(std::ptr::null_mut()), _value: PhantomData })
    }

    /// The instance id of the object that the Variant holds; 0 for null, and for an object that was freed.
    pub fn object_id(&self) -> u64 {
        let interface = api().interface;
        // SAFETY: the Variant is alive; one that is no object gives 0.
        let id = unsafe { (interface.variant_get_object_instance_id)(self.0.var_sys()) };
        // SAFETY: any id may be asked for. The object is not touched.
        let is_alive = id != 0 && unsafe { !(interface.object_get_instance_from_id)(id).is_null() };
        if is_alive { id } else { 0 }
    }

    /// The Variant itself, for the thread that owns it.
    pub fn variant(&self) -> &Variant {
        &self.0
    }
}

/// The id of a type that is none of the table's. Cold, so that the usual way is straight.
#[cold]
#[inline(never)]
fn unknown(id: u32) -> u32 {
    id
}

/// The kind of this id, if there is one.
#[inline(always)]
pub(super) fn kind_of(id: u32) -> Option<Kind> {
    u8::try_from(id).ok().and_then(Kind::from_id)
}

/// A String that is only read, as [`Value`].
#[repr(transparent)]
pub struct Str(GString);

// SAFETY: a `&Str` gives out only its characters, which the engine allows to be read from several threads.
unsafe impl Sync for Str {}

impl Str {
    /// The characters, as UTF-32 without the NUL.
    #[inline]
    pub fn chars(&self) -> &[u32] {
        chars(&self.0)
    }

    pub(super) fn string(&self) -> &GString {
        &self.0
    }
}

/// What a Variant holds: its kind, and where.
///
/// Invariant: `inner` points to a value of `kind` that lives as long as `'a`, unless the kind is Nil.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) kind: Kind,
    pub(super) inner: Inner,
    _value: PhantomData<&'a Value>,
}

impl<'a> View<'a> {
    /// The Variant's type.
    #[inline]
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// # Panics
    /// If the Variant is no `bool`.
    #[inline]
    pub fn bool(self) -> bool {
        assert_eq!(self.kind, Kind::Bool);
        // SAFETY: `inner` points to a bool of C++, one byte; any non-zero byte is read as true.
        unsafe { *self.inner.cast::<u8>() != 0 }
    }

    /// # Panics
    /// If the Variant is no `int`.
    #[inline]
    pub fn int(self) -> i64 {
        assert_eq!(self.kind, Kind::Int);
        // SAFETY: `inner` points to an int64_t.
        unsafe { *self.inner.cast() }
    }

    /// # Panics
    /// If the Variant is no `float`.
    #[inline]
    pub fn float(self) -> f64 {
        assert_eq!(self.kind, Kind::Float);
        // SAFETY: `inner` points to a double.
        unsafe { *self.inner.cast() }
    }

    /// The components of a math type, or the elements of a packed array, as they lie in memory.
    ///
    /// # Panics
    /// If the Variant is of another shape.
    // Inlined, as `walk` is: returned through memory, the small fields stall whoever reads them next.
    #[inline(always)]
    pub fn plain(self) -> Plain<'a> {
        let kind = self.kind;
        let element_len = kind.shape().element_len(REAL).expect("plain data");
        let (data, count) = match kind.shape() {
            // SAFETY: `inner` points to a packed array of `kind`.
            Shape::Packed { .. } => unsafe { elements(kind, self.inner) },
            _ => (self.inner.cast_const().cast(), 1),
        };
        let data = if count == 0 { NonNull::<u8>::dangling().as_ptr().cast_const() } else { data };
        // SAFETY: `data` points to `count` elements of this size, without padding, that live as long as `'a`.
        let bytes = unsafe { std::slice::from_raw_parts(data, count * element_len) };
        Plain { kind, width: REAL, count, bytes }
    }

    /// The byte array, as gdext has it.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn byte_array(self) -> &'a PackedByteArray {
        // SAFETY: gdext's type of that name may stand for the engine's.
        unsafe { self.builtin(Kind::PackedByteArray) }
    }

    /// The characters of a String, as UTF-32 without the NUL.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    pub fn string(self) -> &'a [u32] {
        // SAFETY: gdext's GString may stand for the engine's String.
        chars(unsafe { self.builtin(Kind::String) })
    }

    /// A StringName as text.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn string_name(self) -> GString {
        // SAFETY: gdext's type of that name may stand for the engine's.
        let name: &StringName = unsafe { self.builtin(Kind::StringName) };
        name.into()
    }

    /// The names and the subnames of a NodePath, and whether it is absolute.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn node_path(self) -> (Vec<GString>, Vec<GString>, bool) {
        // SAFETY: gdext's type of that name may stand for the engine's.
        let path: &NodePath = unsafe { self.builtin(Kind::NodePath) };
        let names = (0..path.get_name_count()).map(|index| GString::from(&path.get_name(index))).collect();
        let subnames = (0..path.get_subname_count()).map(|index| GString::from(&path.get_subname(index))).collect();
        let mut absolute = 0_u8;
        // SAFETY: `is_absolute` takes nothing and returns a bool, one byte.
        unsafe { (api().node_path_is_absolute)(self.inner, std::ptr::null(), (&raw mut absolute).cast(), 0) };
        (names, subnames, absolute != 0)
    }

    /// The id of a RID.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn rid(self) -> u64 {
        assert_eq!(self.kind, Kind::Rid);
        // SAFETY: `inner` points to a RID, which is its id.
        unsafe { *self.inner.cast() }
    }

    /// The name of a Signal, and the instance id of its object or 0.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn signal(self) -> (GString, u64) {
        // SAFETY: gdext's type of that name may stand for the engine's.
        let signal: &Signal = unsafe { self.builtin(Kind::Signal) };
        let object = signal.object_id().map_or(0, |id| id.to_i64().cast_unsigned());
        (GString::from(&signal.name()), object)
    }

    /// The elements of a PackedStringArray.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn strings(self) -> &'a [Str] {
        // SAFETY: gdext's type of that name may stand for the engine's.
        let strings = unsafe { self.builtin::<PackedStringArray>(Kind::PackedStringArray) }.as_slice();
        // SAFETY: `Str` is a transparent GString.
        unsafe { std::slice::from_raw_parts(strings.as_ptr().cast(), strings.len()) }
    }

    /// What the Variant holds, as gdext's type for it.
    ///
    /// # Safety
    /// `T` has the layout of the engine's type of this kind, and no fields of its own as `VarArray` has them.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    unsafe fn builtin<T>(self, kind: Kind) -> &'a T {
        assert_eq!(self.kind, kind);
        // SAFETY: `inner` points to a value of `kind`, which lives as long as `'a`; a `T` by the promise of the caller.
        unsafe { &*self.inner.cast() }
    }
}

/// The characters of a String, as UTF-32 without the NUL.
#[inline]
pub fn chars(string: &GString) -> &[u32] {
    let Api { interface, layout, .. } = api();
    if layout.is_known {
        // SAFETY: the layout is known, and the string alive.
        let (data, count) = unsafe { layout::elements(Kind::String, string.string_sys().cast_mut().cast()) };
        // A String without characters has no NUL either.
        return match count {
            0 | 1 => &[],
            // SAFETY: its elements are characters, the last a NUL. Read as integers: not each is a valid `char`.
            _ => unsafe { std::slice::from_raw_parts(data.cast(), count - 1) },
        };
    }
    // SAFETY: with no room to write, this only returns the length in characters.
    let len = unsafe { (interface.string_to_utf32_chars)(string.string_sys(), std::ptr::null_mut(), 0) };
    if len == 0 {
        return &[];
    }
    // SAFETY: a string of `len` characters keeps them in one piece. Read as integers: not each is a valid `char`.
    unsafe {
        let first = (interface.string_operator_index_const)(string.string_sys(), 0);
        std::slice::from_raw_parts(first.cast(), len as usize)
    }
}

/// The elements of a packed array of plain data, or of an Array: where they are, and how many.
///
/// # Safety
/// `array` points to one of `kind`.
#[inline(always)]
pub(super) unsafe fn elements(kind: Kind, array: Inner) -> (*const u8, usize) {
    if api().layout.is_known {
        // SAFETY: the layout is known; the rest is promised by the caller.
        return unsafe { layout::elements(kind, array) };
    }
    match size(kind, array) {
        0 => (std::ptr::null(), 0),
        // SAFETY: an Array with an element 0.
        count if kind == Kind::Array => unsafe {
            ((api().interface.array_operator_index_const)(array.cast_const(), 0).cast(), count)
        },
        // SAFETY: promised by the caller.
        count => unsafe { (packed_data(kind, array, false), count) },
    }
}

/// How many elements an array has, or entries a dictionary.
#[inline]
pub(super) fn size(kind: Kind, array: Inner) -> usize {
    let mut len = 0_i64;
    let size = api().sizes[usize::from(kind.id())].expect("arrays and dictionaries have a size");
    // SAFETY: `array` points to an array or dictionary of `kind`, whose `size` takes nothing and returns a 64-bit int.
    unsafe { size(array, std::ptr::null(), (&raw mut len).cast(), 0) };
    usize::try_from(len).expect("sizes are not negative")
}

/// A pointer to element 0 of a packed array, null if there is none. To write, the array becomes unique first.
///
/// # Safety
/// `array` points to a packed array of `kind`, one of plain data; to write, nothing else uses it meanwhile.
#[inline]
pub(super) unsafe fn packed_data(kind: Kind, array: Inner, write: bool) -> *const u8 {
    let api = api().interface;
    macro_rules! element_0 {
        ($($kind:ident $read:ident $write:ident)*) => {
            match kind {
                // SAFETY: the function is that of the array's type.
                $(Kind::$kind => unsafe {
                    if write { (api.$write)(array, 0).cast() } else { (api.$read)(array, 0).cast() }
                },)*
                _ => unreachable!("{} is no packed array of plain data", kind.name()),
            }
        };
    }
    element_0! {
        PackedByteArray packed_byte_array_operator_index_const packed_byte_array_operator_index
        PackedInt32Array packed_int32_array_operator_index_const packed_int32_array_operator_index
        PackedInt64Array packed_int64_array_operator_index_const packed_int64_array_operator_index
        PackedFloat32Array packed_float32_array_operator_index_const packed_float32_array_operator_index
        PackedFloat64Array packed_float64_array_operator_index_const packed_float64_array_operator_index
        PackedVector2Array packed_vector2_array_operator_index_const packed_vector2_array_operator_index
        PackedVector3Array packed_vector3_array_operator_index_const packed_vector3_array_operator_index
        PackedVector4Array packed_vector4_array_operator_index_const packed_vector4_array_operator_index
        PackedColorArray packed_color_array_operator_index_const packed_color_array_operator_index
    }
}
