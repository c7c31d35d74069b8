//! Reads Variants without copying them.

pub mod containers;
pub mod held;

use std::marker::PhantomData;

use godot::builtin::{AnyArray, GString, PackedByteArray, StringName, Variant};
use godot::sys;
use godot::sys::GodotFfi;
use varbatch_codec::{Kind, Plain, Shape};

use super::api::Method;
use super::{Inner, REAL, api, id_in, is_known, kind_of, layout};

/// A Variant that is only read, possibly on another thread while the caller waits.
#[repr(transparent)]
pub struct Value(Variant);

// SAFETY: a `&Value` only allows the reads of `View`, and the engine allows concurrent reads.
unsafe impl Sync for Value {}

/// Borrows the elements of an array, which must not change meanwhile: see the docs of `engine`.
pub fn values(array: &AnyArray) -> &[Value] {
    View { kind: Kind::Array, inner: array.sys().cast_mut(), _value: PhantomData }.elements()
}

/// Returns the byte array at `index`, or `None` if there is none. The result holds a reference of its own.
pub fn byte_array_at(array: &AnyArray, index: usize) -> Option<PackedByteArray> {
    let view = values(array).get(index)?.view();
    (view.kind() == Kind::PackedByteArray).then(|| view.byte_array().clone())
}

pub fn value(variant: &Variant) -> &Value {
    // SAFETY: `Value` is a transparent wrapper of Variant, with no further validity rules.
    unsafe { &*std::ptr::from_ref(variant).cast() }
}

#[inline(always)]
pub fn bytes_of(bytes: &PackedByteArray) -> &[u8] {
    let inner = bytes.sys().cast_mut();
    View { kind: Kind::PackedByteArray, inner, _value: PhantomData }.plain().bytes
}

impl Value {
    /// Returns a view of the value, which is Nil if the type is not a [`Kind`]; see [`Self::known`].
    #[inline(always)]
    pub fn view(&self) -> View<'_> {
        self.known().unwrap_or(View { kind: Kind::Nil, inner: std::ptr::null_mut(), _value: PhantomData })
    }

    /// Returns a view of the value, or its type id if that is not a [`Kind`]: a later engine may have more types.
    #[inline(always)]
    pub fn known(&self) -> Result<View<'_>, u32> {
        let variant = self.0.var_sys();
        if is_known() {
            // SAFETY: the Variant is alive, and its layout is known.
            unsafe {
                let id = layout::id(variant);
                let Some(kind) = kind_of(id) else { return Err(unknown(id)) };
                return Ok(View { kind, inner: layout::inner(kind, variant.cast_mut()), _value: PhantomData });
            }
        }
        // SAFETY: the Variant is alive.
        let id = unsafe { (api().interface.variant_get_type)(variant) };
        // The signedness of the C enum depends on the platform.
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        let Some(kind) = kind_of(id) else { return Err(unknown(id)) };
        // SAFETY: the getter is that of the Variant's type. It takes a mutable pointer but changes nothing.
        let inner = || unsafe { api().getters.get(kind)(variant.cast_mut()).cast() };
        let inner = if kind == Kind::Nil { std::ptr::null_mut() } else { inner() };
        Ok(View { kind, inner, _value: PhantomData })
    }

    /// Returns the instance id of the object; 0 for null, for a freed object and for other types.
    pub fn object_id(&self) -> u64 {
        let id = id_in(self);
        // SAFETY: any id may be looked up. The object is not accessed.
        let is_alive = id != 0 && unsafe { !(api().interface.object_get_instance_from_id)(id).is_null() };
        if is_alive { id } else { 0 }
    }

    /// Returns the Variant itself. Only for the thread that owns it: see the docs of `engine`.
    pub fn variant(&self) -> &Variant {
        &self.0
    }
}

/// Returns the id of an unknown type. Cold, so that the common path has no jump.
#[cold]
#[inline(never)]
fn unknown(id: u32) -> u32 {
    id
}

/// A String that is only read, possibly on another thread while the caller waits.
#[repr(transparent)]
pub struct Str(GString);

// SAFETY: a `&Str` only allows reading its characters, and the engine allows concurrent reads.
unsafe impl Sync for Str {}

impl Str {
    #[inline]
    pub fn chars(&self) -> &[u32] {
        chars(&self.0)
    }

    #[inline]
    pub fn view(&self) -> View<'_> {
        View { kind: Kind::String, inner: self.0.sys().cast_mut(), _value: PhantomData }
    }
}

/// The kind of a Variant, and a pointer to its value. What returns a value of one kind panics if it is of another.
///
/// Invariant: `inner` points to a value of `kind` that lives for `'a`, unless the kind is Nil.
#[derive(Clone, Copy)]
pub struct View<'a> {
    kind: Kind,
    pub(super) inner: Inner,
    _value: PhantomData<&'a Value>,
}

impl<'a> View<'a> {
    #[inline]
    pub fn kind(self) -> Kind {
        self.kind
    }

    #[inline]
    pub fn bool(self) -> bool {
        // SAFETY: a C++ bool is one byte, read as an integer; non-zero is true.
        unsafe { *self.builtin::<u8>(Kind::Bool) != 0 }
    }

    #[inline]
    pub fn int(self) -> i64 {
        // SAFETY: an int is an int64_t.
        unsafe { *self.builtin(Kind::Int) }
    }

    #[inline]
    pub fn float(self) -> f64 {
        // SAFETY: a float is a double.
        unsafe { *self.builtin(Kind::Float) }
    }

    /// Borrows the components of a math type, or the elements of a packed array, as they are in memory.
    // Inlined, as `walk` is: returned through memory, the small fields would stall the code that reads them next.
    #[inline(always)]
    pub fn plain(self) -> Plain<'a> {
        let kind = self.kind;
        let element_len = kind.shape().element_len(REAL).expect("plain data");
        let (data, count) = match kind.shape() {
            // SAFETY: `inner` points to a packed array of `kind`.
            Shape::Packed { .. } => unsafe { elements(kind, self.inner) },
            _ => (self.inner.cast_const().cast(), 1),
        };
        let data = if count == 0 { std::ptr::NonNull::<u8>::dangling().as_ptr().cast_const() } else { data };
        // SAFETY: `data` points to `count` elements of this size, without padding, that live for `'a`.
        let bytes = unsafe { std::slice::from_raw_parts(data, count * element_len) };
        Plain { kind, width: REAL, count, bytes }
    }

    pub fn byte_array(self) -> &'a PackedByteArray {
        // SAFETY: gdext's type has the layout of the engine's type of the same name.
        unsafe { self.builtin(Kind::PackedByteArray) }
    }

    #[inline]
    pub fn string(self) -> &'a [u32] {
        chars(self.gstring())
    }

    pub fn gstring(self) -> &'a GString {
        // SAFETY: gdext's type has the layout of the engine's String.
        unsafe { self.builtin(Kind::String) }
    }

    /// Makes a Variant of the value. A packed array is copied on write, where Variants would share it.
    pub fn to_own(self) -> Variant {
        // SAFETY: the constructor is that of the kind. It makes a Variant from the value at `inner`, which it reads.
        unsafe { Variant::new_with_var_uninit(|variant| api().from_type.get(self.kind)(variant, self.inner)) }
    }

    pub fn string_name(self) -> GString {
        // SAFETY: gdext's type has the layout of the engine's type of the same name.
        let name: &StringName = unsafe { self.builtin(Kind::StringName) };
        name.into()
    }

    /// Returns the names and the subnames of a NodePath, and whether it is absolute.
    pub fn node_path(self) -> (Vec<GString>, Vec<GString>, bool) {
        assert_eq!(self.kind, Kind::NodePath);
        let [name_count, name, subname_count, subname, is_absolute] = &api().path_methods;
        let number = |method: &Method| {
            let mut number = 0_i64;
            // SAFETY: `inner` points to a NodePath. The method takes nothing, and returns an int, or a bool in its first byte.
            unsafe { method(self.inner, std::ptr::null(), (&raw mut number).cast(), 0) };
            number
        };
        let names = |count, name: &Method| {
            // SAFETY: as above; the method takes an index below the count, and returns a StringName.
            let name = |at: i64| unsafe { name_from(*name, self.inner, &[(&raw const at).cast()]) };
            (0..number(count)).map(name).collect()
        };
        (names(name_count, name), names(subname_count, subname), number(is_absolute) != 0)
    }

    pub fn rid(self) -> u64 {
        // SAFETY: a RID is a 64-bit id.
        unsafe { *self.builtin(Kind::Rid) }
    }

    /// Returns the name of a Signal, and the instance id of its object or 0.
    pub fn signal(self) -> (GString, u64) {
        assert_eq!(self.kind, Kind::Signal);
        let mut object = 0_u64;
        // SAFETY: `inner` points to a Signal. The methods take nothing, and return an int and a StringName.
        unsafe {
            (api().signal_object)(self.inner, std::ptr::null(), (&raw mut object).cast(), 0);
            (name_from(api().signal_name, self.inner, &[]), object)
        }
    }

    /// Returns what tells an Array or a Dictionary from all others: copies share what they point to.
    pub fn address(self) -> u64 {
        assert!(matches!(self.kind, Kind::Array | Kind::Dictionary));
        // SAFETY: `inner` points to a value of this kind, which is one pointer.
        unsafe { (*self.inner.cast::<*const u8>()).addr() as u64 }
    }

    pub fn strings(self) -> &'a [Str] {
        assert_eq!(self.kind, Kind::PackedStringArray);
        // SAFETY: `inner` points to a value of this kind, whose elements live for `'a`. `Str` is a transparent GString.
        unsafe {
            match elements(self.kind, self.inner) {
                (_, 0) => &[],
                (strings, count) => std::slice::from_raw_parts(strings.cast(), count),
            }
        }
    }

    /// Borrows the value as gdext's type for it.
    ///
    /// # Safety
    /// `T` has the layout of the engine's type of this kind, without extra fields such as those of `VarArray`.
    #[inline]
    unsafe fn builtin<T>(self, kind: Kind) -> &'a T {
        assert_eq!(self.kind, kind);
        // SAFETY: `inner` points to a value of `kind` that lives for `'a`; the caller promises that `T` has its layout.
        unsafe { &*self.inner.cast() }
    }
}

/// # Safety
/// The method is one of the type of the value at `inner`, and takes these arguments.
unsafe fn name_from(method: Method, inner: Inner, args: &[sys::GDExtensionConstTypePtr]) -> GString {
    let mut name = StringName::default();
    // SAFETY: promised by the caller.
    unsafe { method(inner, args.as_ptr(), name.sys_mut(), args.len() as i32) };
    GString::from(&name)
}

/// Returns the characters of a String, as UTF-32 without the NUL.
#[inline]
pub fn chars(string: &GString) -> &[u32] {
    if is_known() {
        // SAFETY: the layout is known, and the string is alive.
        let (data, count) = unsafe { layout::elements(Kind::String, string.string_sys().cast_mut().cast()) };
        // An empty String may have no NUL either.
        return match count {
            0 | 1 => &[],
            // SAFETY: the `count` elements are characters, the last a NUL; read as integers, as some may be no `char`.
            _ => unsafe { std::slice::from_raw_parts(data.cast(), count - 1) },
        };
    }
    chars_of_engine(string)
}

/// Does the same as [`chars`] where the layout is not known.
#[cold]
fn chars_of_engine(string: &GString) -> &[u32] {
    let interface = api().interface;
    // SAFETY: with a null buffer of length 0, this only returns the length in characters.
    let len = unsafe { (interface.string_to_utf32_chars)(string.string_sys(), std::ptr::null_mut(), 0) };
    if len == 0 {
        return &[];
    }
    // SAFETY: the `len` characters of a string are contiguous; read as integers, as some may not be a valid `char`.
    unsafe {
        let first = (interface.string_operator_index_const)(string.string_sys(), 0);
        std::slice::from_raw_parts(first.cast(), len as usize)
    }
}

/// Returns a pointer to the elements of a packed array or of an Array, and their count.
///
/// # Safety
/// `array` points to a value of `kind`, one of those.
#[inline(always)]
pub unsafe fn elements(kind: Kind, array: Inner) -> (*const u8, usize) {
    if is_known() {
        // SAFETY: the layout is known; the caller promises the rest.
        return unsafe { layout::elements(kind, array) };
    }
    // SAFETY: promised by the caller; what is not empty has an element 0.
    unsafe {
        match size(kind, array) {
            0 => (std::ptr::null(), 0),
            count if kind == Kind::Array => {
                ((api().interface.array_operator_index_const)(array.cast_const(), 0).cast(), count)
            }
            count => (packed_data(kind, array, false), count),
        }
    }
}

/// # Safety
/// `array` points to an array or dictionary of `kind`.
#[inline]
pub unsafe fn size(kind: Kind, array: Inner) -> usize {
    let mut len = 0_i64;
    // SAFETY: promised by the caller; `size` takes nothing and returns a 64-bit int.
    unsafe { api().sizes.get(kind)(array, std::ptr::null(), (&raw mut len).cast(), 0) };
    usize::try_from(len).expect("sizes are not negative")
}

/// Returns a pointer to element 0 of a packed array, or null if it is empty. With `write`, it becomes unique first.
///
/// # Safety
/// `array` points to a packed array of `kind`, one of plain data. With `write`, nothing else uses it meanwhile.
#[inline]
pub unsafe fn packed_data(kind: Kind, array: Inner, write: bool) -> *const u8 {
    let api = api().interface;
    macro_rules! element_0 {
        ($($kind:ident $read:ident $write:ident)*) => {
            match kind {
                // SAFETY: the function belongs to the array's type.
                $(Kind::$kind => unsafe {
                    if write { (api.$write)(array, 0).cast() } else { (api.$read)(array, 0).cast() }
                },)*
                _ => unreachable!("{} is not a packed array of plain data", kind.name()),
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
        PackedStringArray packed_string_array_operator_index_const packed_string_array_operator_index
    }
}
