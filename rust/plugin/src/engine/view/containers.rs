//! Reads containers and their types in place.
//!
//! GDExtension only offers a copy of all keys of a Dictionary, and then a lookup for each: more work than encoding the
//! entry. In the engine's memory each entry is a block with its key before its value, linked to the next in insertion
//! order (`HashMapElement` in the engine's `core/templates/hash_map.h`). Where the layout is not known, keys and values
//! are copied.

use std::marker::PhantomData;

use godot::builtin::{AnyArray, GString, StringName, VarArray, Variant};
use godot::classes::Script;
use godot::obj::Gd;
use godot::sys::GodotFfi;
use varbatch_codec::{ElementType, Kind, Text};

use super::read::{Value, View, chars, elements, size, value};
use crate::engine::{ENCODED_CLASS, Entry, Inner, Private, TypeOf, api, is_known, kind_of, layout, lines};

/// The element type of a container, with owned texts.
pub enum OwnedType {
    Any,
    Builtin(Kind),
    /// The id of an unknown Variant type. Its values cannot be written.
    Unknown(i64),
    /// An object of any class, where only ids are written.
    Ids,
    Class(GString),
    Script {
        path: GString,
        script: Variant,
    },
}

/// The entries of a Dictionary, in order.
pub struct Entries<'a> {
    pub(super) next: *const Entry,
    left: usize,
    _view: PhantomData<View<'a>>,
}

impl OwnedType {
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
        if is_known() && unsafe { layout::element_id(self.inner) } == 0 {
            return OwnedType::Any;
        }
        // SAFETY: `inner` points to an Array.
        unsafe { api().element_type.of(self.inner, full_objects) }
    }

    /// Returns the key and value types of a Dictionary, with class and script only if `full_objects`.
    #[inline]
    pub fn entry_types(self, full_objects: bool) -> (OwnedType, OwnedType) {
        assert_eq!(self.kind, Kind::Dictionary);
        // SAFETY: `inner` points to a Dictionary.
        unsafe { (api().key_type.of(self.inner, full_objects), api().value_type.of(self.inner, full_objects)) }
    }

    #[inline]
    pub fn entry_count(self) -> usize {
        match self.private() {
            Some(private) => private.size as usize,
            // SAFETY: `inner` points to a Dictionary, as `private` has checked.
            None => unsafe { size(Kind::Dictionary, self.inner) },
        }
    }

    /// True if neither the keys nor the values of a Dictionary are typed. `false` if its layout is not known.
    #[inline]
    pub fn is_untyped(self) -> bool {
        self.private().is_some_and(|private| (private.key.id, private.value.id) == (0, 0))
    }

    /// Returns copies of the keys and of the values of a Dictionary, in order.
    pub fn keys_and_values(self) -> (AnyArray, AnyArray) {
        assert_eq!(self.kind, Kind::Dictionary);
        let (mut keys, mut values) = (VarArray::new(), VarArray::new());
        // SAFETY: `inner` points to a Dictionary; both methods take no arguments and assign an Array.
        unsafe {
            (api().dictionary_keys)(self.inner, std::ptr::null(), keys.sys_mut(), 0);
            (api().dictionary_values)(self.inner, std::ptr::null(), values.sys_mut(), 0);
        }
        (keys.upcast_any_array(), values.upcast_any_array())
    }

    /// Returns the entries of a Dictionary, or `None` if this engine's layout of them is not known.
    #[inline]
    pub fn entries(self) -> Option<Entries<'a>> {
        let private = self.private()?;
        Some(Entries { next: private.first, left: private.size as usize, _view: PhantomData })
    }

    /// Borrows the private data of a Dictionary, if its layout is known.
    #[inline(always)]
    fn private(self) -> Option<&'a Private> {
        assert_eq!(self.kind, Kind::Dictionary);
        // SAFETY: the layout is known, in which a Dictionary is a pointer to its private data. Every field is an integer or
        // a raw pointer, so any bit pattern is valid; none is dereferenced here.
        is_known().then(|| unsafe { &**self.inner.cast::<*const Private>() })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a Value, &'a Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        assert!(!self.next.is_null(), "a dictionary has fewer entries than its size");
        // SAFETY: the entry belongs to the dictionary, which does not change during `'a`.
        let entry: &'a Entry = unsafe { &*self.next };
        self.next = entry.next;
        lines(self.next.cast());
        Some((value(&entry.key), value(&entry.value)))
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
