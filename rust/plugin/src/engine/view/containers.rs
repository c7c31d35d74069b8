//! Reads containers and their types in place, and asks the processor for the memory of those that are read soon.
//!
//! Where the layout is not known, the keys and values of a Dictionary are copied: GDExtension offers nothing else.
//!
//! The values of a large array lie scattered in memory, so most of the time of a walk is waiting: for the private data
//! of a container, then for its first entry or element, then for each text. The addresses are known a few values ahead.

use std::ops::ControlFlow;

use godot::classes::Script;
use godot::prelude::*;
use godot::sys::GodotFfi;
use varbatch_codec::{ElementType, Kind, Text};

use super::{Value, View, chars, elements, size, value};
use crate::engine::{
    ENCODED_CLASS, Entry, Inner, LINE, Private, TypeOf, api, is_known, is_packed, kind_of, layout, line, lines,
};

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

    pub fn keys_and_values(self) -> (AnyArray, AnyArray) {
        let dictionary: AnyDictionary = self.to_own().to();
        (dictionary.keys_array(), dictionary.values_array())
    }

    /// Returns the entries of a Dictionary, in order, or `None` if this engine's layout of them is not known.
    #[inline]
    pub fn entries(self) -> Option<impl Iterator<Item = (&'a Value, &'a Value)>> {
        let private = self.private()?;
        let mut next = private.first;
        Some((0..private.size).map(move |_| {
            assert!(!next.is_null(), "a dictionary has fewer entries than its size");
            // SAFETY: the entry belongs to the dictionary, which does not change during `'a`.
            let entry: &'a Entry = unsafe { &*next };
            next = entry.next;
            lines(next.cast());
            (value(&entry.key), value(&entry.value))
        }))
    }

    /// Returns the first and the last entry of a Dictionary, or `None` if it has none or their layout is not known.
    #[inline]
    pub fn ends(self) -> Option<[(&'a Value, &'a Value); 2]> {
        let private = self.private().filter(|private| private.size > 0)?;
        Some([private.first, private.last].map(|entry| {
            assert!(!entry.is_null(), "a dictionary has no entry at an end");
            // SAFETY: the entry belongs to the dictionary, which does not change during `'a`.
            let entry: &'a Entry = unsafe { &*entry };
            (value(&entry.key), value(&entry.value))
        }))
    }

    /// Calls `take` with the entries of a Dictionary, in order, until it breaks.
    #[inline]
    pub fn try_entries(self, mut take: impl FnMut((&Value, &Value)) -> ControlFlow<()>) -> ControlFlow<()> {
        if let Some(mut entries) = self.entries() {
            return entries.try_for_each(take);
        }
        let (keys, values) = self.keys_and_values();
        super::values(&keys).iter().zip(super::values(&values)).try_for_each(&mut take)
    }

    /// Borrows the private data of a Dictionary, if its layout is known.
    #[inline(always)]
    fn private(self) -> Option<&'a Private> {
        assert_eq!(self.kind, Kind::Dictionary);
        // SAFETY: the layout is known: a Dictionary points to its private data, whose fields may have any bit pattern.
        is_known().then(|| unsafe { &**self.inner.cast::<*const Private>() })
    }
}

impl TypeOf {
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

/// Values between the one that is walked and those that are fetched: their private data, and then what that leads to.
const FAR: usize = 2;
const NEAR: usize = 1;

/// Packed arrays are walked faster than memory comes, so they are fetched in groups of this many.
const GROUP: usize = 16;

/// Fetches what the values after `index` point to, if that is a container or a packed array. Called for each, in order.
#[inline(always)]
pub fn ahead(values: &[Value], index: usize) {
    match values[index].view().kind {
        Kind::Array | Kind::Dictionary => {
            if let Some(value) = values.get(index + FAR) {
                value.fetch();
            }
            if let Some(value) = values.get(index + NEAR) {
                value.fetch_contents();
            }
        }
        kind if is_packed(kind) && index.is_multiple_of(GROUP) => fetch_groups(&values[index..]),
        _ => {}
    }
}

/// Max bytes between packed arrays that lie in order, which the processor sees, so that it fetches them by itself.
const IN_ORDER: usize = 512;

/// Fetches the elements of the packed arrays of the next group, and the private data of those of the group after it.
#[inline(never)]
fn fetch_groups(values: &[Value]) {
    if !is_known() || values.len() < 3 * GROUP {
        return;
    }
    let far = &values[2 * GROUP..3 * GROUP];
    if far[0].view().inner.addr().abs_diff(far[1].view().inner.addr()) < IN_ORDER {
        return;
    }
    for value in far {
        line(value.view().inner.cast());
    }
    for view in values[GROUP..2 * GROUP].iter().map(Value::view).filter(|view| is_packed(view.kind)) {
        // SAFETY: the layout is known, and `inner` points to a packed array. Its block is not read.
        let elements = unsafe { *layout::block(view.kind, view.inner) };
        // The length lies before the elements.
        lines(elements.wrapping_sub(LINE / 2));
    }
}

impl Value {
    /// Fetches the memory that the value points to, if it is a text or a container.
    #[inline(always)]
    pub fn fetch(&self) {
        if !is_known() {
            return;
        }
        let view = self.view();
        // SAFETY: in the known layout, values of these kinds are a pointer.
        let pointer = || unsafe { *view.inner.cast::<*const u8>() };
        match view.kind {
            // The length lies before the characters.
            Kind::String => lines(pointer().wrapping_sub(LINE / 2)),
            Kind::Array | Kind::Dictionary => lines(pointer()),
            _ => {}
        }
    }

    /// Fetches the first elements or the first entry of a container, whose private data was fetched.
    #[inline(always)]
    fn fetch_contents(&self) {
        let view = self.view();
        match view.kind {
            Kind::Dictionary => {
                if let Some(private) = view.private() {
                    lines(private.first.cast());
                }
            }
            // SAFETY: the layout is known, and `inner` points to an Array. Its length is not used, and so not read.
            Kind::Array if is_known() => lines(unsafe { *layout::block(Kind::Array, view.inner) }),
            _ => {}
        }
    }
}
