//! Reads arrays and their element types without copying.

use godot::builtin::{GString, StringName, Variant};
use godot::classes::Script;
use godot::obj::Gd;
use godot::sys::GodotFfi;
use varbatch_codec::{ElementType, Kind, Text};

use super::read::{Value, View, chars, elements, value};
use crate::engine::api::{ENCODED_CLASS, TypeOf, api};
use crate::engine::ffi::{Inner, kind_of};
use crate::engine::layout;

/// The element type of a container, with owned texts.
pub enum OwnedType {
    /// Anything.
    Any,
    /// A Variant type.
    Builtin(Kind),
    /// The id of an unknown Variant type. Its values cannot be written.
    Unknown(i64),
    /// An object of any class, where only ids are written.
    Ids,
    /// An object of this class.
    Class(GString),
    /// An object with this script.
    Script {
        /// The path of the script, if it is a file.
        path: GString,
        /// The script itself.
        script: Variant,
    },
}

impl OwnedType {
    /// Returns the type as events represent it.
    pub fn as_event(&self) -> ElementType<'_> {
        match self {
            Self::Any | Self::Unknown(_) => ElementType::Any,
            Self::Builtin(kind) => ElementType::Builtin(*kind),
            Self::Ids => ElementType::Class(Text::Utf8(ENCODED_CLASS)),
            Self::Class(name) => ElementType::Class(Text::Utf32(chars(name))),
            Self::Script { path, .. } => ElementType::Script(Text::Utf32(chars(path))),
        }
    }
}

impl<'a> View<'a> {
    /// Borrows the elements of an Array.
    #[inline]
    pub fn elements(self) -> &'a [Value] {
        assert_eq!(self.kind, Kind::Array);
        // SAFETY: `inner` points to an Array, whose Variants are contiguous. `Value` is a transparent Variant.
        unsafe {
            match elements(Kind::Array, self.inner) {
                (_, 0) => &[],
                (first, count) => std::slice::from_raw_parts(first.cast(), count),
            }
        }
    }

    /// Returns the element type of an Array, with class and script only if `full_objects`.
    #[inline]
    pub fn element_type(self, full_objects: bool) -> OwnedType {
        assert_eq!(self.kind, Kind::Array);
        // SAFETY: the layout is known, and `inner` points to an Array.
        if api().is_known && unsafe { layout::element_id(self.inner) } == 0 {
            return OwnedType::Any;
        }
        // SAFETY: `inner` points to an Array.
        unsafe { api().element_type.of(self.inner, full_objects) }
    }

    /// Returns the key and value types of a Dictionary, with class and script only if `full_objects`.
    #[inline]
    pub fn entry_types(self, full_objects: bool) -> (OwnedType, OwnedType) {
        assert_eq!(self.kind, Kind::Dictionary);
        if self.is_untyped() {
            return (OwnedType::Any, OwnedType::Any);
        }
        // SAFETY: `inner` points to a Dictionary.
        unsafe { (api().key_type.of(self.inner, full_objects), api().value_type.of(self.inner, full_objects)) }
    }
}

impl TypeOf {
    /// Returns the type.
    ///
    /// # Safety
    /// `container` points to a container of the kind that these methods belong to.
    #[inline]
    unsafe fn of(&self, container: Inner, full_objects: bool) -> OwnedType {
        let mut id = 0_i64;
        // SAFETY: promised by the caller; the method takes nothing and returns a 64-bit int.
        unsafe { (self.builtin)(container, std::ptr::null(), (&raw mut id).cast(), 0) };
        match u32::try_from(id).ok().and_then(kind_of) {
            Some(Kind::Nil) => OwnedType::Any,
            // SAFETY: promised by the caller.
            Some(Kind::Object) => unsafe { self.object_type(container, full_objects) },
            Some(kind) => OwnedType::Builtin(kind),
            None => OwnedType::Unknown(id),
        }
    }

    /// # Safety
    /// The same as for [`Self::of`].
    #[cold]
    unsafe fn object_type(&self, container: Inner, full_objects: bool) -> OwnedType {
        let mut class = StringName::default();
        let mut script = Variant::nil();
        // SAFETY: promised by the caller; the methods take nothing and assign a StringName and a Variant.
        unsafe {
            (self.class_name)(container, std::ptr::null(), class.sys_mut(), 0);
            (self.script)(container, std::ptr::null(), script.sys_mut(), 0);
        }
        let has_script = value(&script).object_id() != 0;
        match (has_script || class != StringName::default(), full_objects) {
            (false, _) => OwnedType::Builtin(Kind::Object),
            (true, false) => OwnedType::Ids,
            (true, true) if has_script => OwnedType::Script { path: script.to::<Gd<Script>>().get_path(), script },
            (true, true) => OwnedType::Class(GString::from(&class)),
        }
    }
}
