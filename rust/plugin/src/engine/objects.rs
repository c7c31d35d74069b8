//! Objects in Variants: their properties, classes and scripts.
//!
//! Methods are called through their method bind: a script may have one of the same name. What reads, writes or lists
//! properties, or creates an object, may run a script. A freed object is no error: it has no properties.

use std::iter::successors;

use godot::classes::{ClassDb, ResourceLoader, Script};
use godot::init::is_main_thread;
use godot::prelude::*;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::api::{Api, Args, Bind};
use super::layout::{self, SignalParts};
use super::{ENCODED_CLASS, Slot, SlotType, Value, api, is_known, name_of, value, values};

impl Slot {
    /// Makes the value the engine's stand-in for an instance id: an EncodedObjectAsID, or null for id 0.
    pub fn set_object_id(&mut self, id: u64) {
        let (api, mut object) = (api(), std::ptr::null_mut());
        if id != 0 {
            // SAFETY: the class exists, as its method was found. The method belongs to the class and was found by the hash
            // of its signature: it takes a 64-bit id, and returns nothing. Nothing of the class waits for a notification.
            unsafe {
                object = (api.interface.classdb_construct_object2)(api.encoded_class.string_sys());
                call_method::<()>(api.set_object_id, object, &[(&raw const id).cast()]);
            }
        }
        // SAFETY: `object` is null, or a RefCounted whose first reference this Variant takes.
        self.set_variant(unsafe { held(api, object) });
    }

    /// Makes the value a Signal of any object, even a freed one. `false`, and no change, if the layout is not known.
    pub fn set_signal(&mut self, name: &str, object: u64) -> bool {
        let can_set = is_known();
        if can_set {
            let parts = SignalParts { name: name_of(name), object };
            // GDExtension has no call for a Signal of a freed object, and the engine prints an error for an invalid id.
            // SAFETY: the layout is known, and the old value is released. A Signal is these parts.
            unsafe { layout::write(self.release(), Kind::Signal, parts) };
        }
        can_set
    }
}

/// # Safety
/// The object is alive and of the method's class, and the method takes these arguments and returns a `T`.
pub unsafe fn call_method<T: GodotFfi + Default>(method: Bind, object: sys::GDExtensionObjectPtr, args: Args<'_>) -> T {
    let mut result = T::default();
    // SAFETY: promised by the caller.
    unsafe { (api().interface.object_method_bind_ptrcall)(method, object, args.as_ptr(), result.sys_mut()) };
    result
}

/// Returns a pointer to the object in a Variant, or `None` if there is none or it was freed.
pub fn pointer(holder: &Value) -> Option<sys::GDExtensionObjectPtr> {
    // SAFETY: any id may be looked up.
    let object = unsafe { (api().interface.object_get_instance_from_id)(holder.object_id()) };
    (!object.is_null()).then_some(object)
}

fn object(holder: &Value) -> Option<Gd<Object>> {
    (holder.object_id() != 0).then(|| holder.variant().try_to().ok()).flatten()
}

/// Reads a property, or a component or entry of another value, into a slot. `false`, and null, if there is none.
// In place: the engine writes a Variant in parts, which are slow to read at once, as a move would.
#[inline]
pub fn read_property(holder: &Value, name: &StringName, slot: &mut Slot) -> bool {
    let mut is_valid = 0;
    // SAFETY: the Variant and the name are alive. The engine looks whether an object is alive, and makes a Variant even
    // if there is no such property. Nobody else sees the slot meanwhile.
    unsafe {
        let found = slot.release();
        (api().interface.variant_get_named)(
            holder.variant().var_sys(),
            name.string_sys(),
            found.cast(),
            &raw mut is_valid,
        );
    }
    if is_valid == 0 {
        slot.clear();
    }
    is_valid != 0
}

#[inline]
pub fn property(holder: &Value, name: &StringName) -> Option<Slot> {
    let mut found = Slot::new();
    read_property(holder, name, &mut found).then_some(found)
}

/// Sets a property, or a part of another value. Returns the value, of a math type a changed copy; `None` if refused.
pub fn with_property(holder: &Value, name: &StringName, new: &Value) -> Option<Slot> {
    // The engine takes the holder as mutable, so this is a copy.
    let mut holder = holder.variant().clone();
    set_named(&mut holder, name, new).then(|| Slot::from(holder))
}

/// Sets a property of an object. `false` if there is none, or the object refuses the value.
#[inline]
pub fn set_property(object: &Value, name: &StringName, new: &Value) -> bool {
    let mut is_valid = 0;
    if object.view().kind() == Kind::Object {
        // SAFETY: both Variants and the name are alive. The engine looks whether the object is alive, sets the property of
        // it, and leaves the Variant as it is, although it takes all holders as mutable.
        unsafe {
            let set = api().interface.variant_set_named;
            let object = object.variant().var_sys().cast_mut();
            set(object, name.string_sys(), new.variant().var_sys(), &raw mut is_valid);
        }
    }
    is_valid != 0
}

fn set_named(holder: &mut Variant, name: &StringName, new: &Value) -> bool {
    let mut is_valid = 0;
    // SAFETY: both Variants and the name are alive. The engine looks whether an object is alive.
    unsafe {
        let set = api().interface.variant_set_named;
        set(holder.var_sys_mut(), name.string_sys(), new.variant().var_sys(), &raw mut is_valid);
    }
    is_valid != 0
}

/// True if an object is of the class with this tag, or of one that extends it.
///
/// # Safety
/// The object is alive.
pub unsafe fn is_of(object: sys::GDExtensionObjectPtr, tag: *mut std::ffi::c_void) -> bool {
    // SAFETY: promised by the caller. The engine returns null if the object is of another class.
    unsafe { !(api().interface.object_cast_to)(object, tag).is_null() }
}

/// Returns the instance id in a value, even of an object that was freed. 0 for other types.
pub fn id_in(holder: &Value) -> u64 {
    // SAFETY: the Variant is alive; the engine returns 0 if it is not an object.
    unsafe { (api().interface.variant_get_object_instance_id)(holder.variant().var_sys()) }
}

pub fn object_of_id(id: u64) -> Slot {
    // SAFETY: any id may be looked up, and gives a living object or null.
    Slot::from(unsafe { held(api(), (api().interface.object_get_instance_from_id)(id)) })
}

/// # Safety
/// The object is null or alive.
#[inline(always)]
unsafe fn held(api: &Api, mut object: sys::GDExtensionObjectPtr) -> Variant {
    let from_type = api.from_type.get(Kind::Object);
    // SAFETY: promised by the caller. A RefCounted gets a reference.
    unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, (&raw mut object).cast())) }
}

pub struct NewObject {
    object: Variant,
    /// Alive as long as `object` counts as a reference, if it does.
    pointer: sys::GDExtensionObjectPtr,
    /// True if it is freed with its last reference, one of which is this.
    pub is_counted: bool,
}

impl NewObject {
    /// Creates an object of a class that [`can_instantiate`]. `None` if the engine fails.
    pub fn of(class: &StringName) -> Option<Self> {
        const POSTINITIALIZE: i64 = 0;
        let (what, reversed, api) = (POSTINITIALIZE, 0_u8, api());
        let args = [(&raw const what).cast(), (&raw const reversed).cast()];
        // SAFETY: an unknown class gives null. The method belongs to each class and was found by the hash of its signature: it
        // takes a 64-bit int and a bool, and returns nothing. The object was just made.
        let (pointer, object) = unsafe {
            let pointer = (api.interface.classdb_construct_object2)(class.string_sys());
            if !pointer.is_null() {
                call_method::<()>(api.notification, pointer, &args);
            }
            (pointer, held(api, pointer))
        };
        // Bit 63 marks the ids of RefCounted objects.
        let is_counted = id_in(value(&object)) >> 63 != 0;
        (!pointer.is_null()).then_some(Self { object, pointer, is_counted })
    }

    pub fn value(&self) -> &Value {
        value(&self.object)
    }

    pub fn into_variant(self) -> Variant {
        self.object
    }

    fn is_alive(&self) -> bool {
        self.is_counted || self.value().object_id() != 0
    }

    /// Sets a property, if there is one of this name and a script has not freed the object.
    pub fn set(&self, name: &StringName, new: &Value) {
        if self.is_alive() {
            let args = [name.string_sys().cast(), new.variant().var_sys().cast()];
            // SAFETY: as for `set_script`. The method takes a StringName and a Variant, and returns nothing.
            unsafe { call_method::<()>(api().set, self.pointer, &args) };
        }
    }

    /// Sets a property. `false` if there is none of this name, it refuses the value, or a script has freed the object.
    pub fn try_set(&mut self, name: &StringName, new: &Value) -> bool {
        self.is_alive() && set_named(&mut self.object, name, new)
    }

    /// True if a property has this value: some setters of the engine take a value and say that they did not.
    #[cold]
    pub fn has(&self, name: &StringName, value: &Value) -> bool {
        property(self.value(), name).is_some_and(|now| now.value().variant() == value.variant())
    }

    /// Sets the script, if a script has not freed the object.
    pub fn set_script(&self, script: &Value) {
        if self.is_alive() {
            // SAFETY: the object is alive, and the only one that was ever at this place since it was made. The method belongs
            // to each class, takes a Variant and returns nothing.
            unsafe { call_method::<()>(api().set_script, self.pointer, &[script.variant().var_sys().cast()]) };
        }
    }

    /// False if the engine has left the object without the script that was set, as its `_init` needs arguments.
    pub fn has_script(&self) -> bool {
        !self.is_alive() || script_id(self.value()) != 0
    }
}

/// Frees an object that has no counted references, unless it was freed.
pub fn free(holder: &Value) {
    if let Some(object) = object(holder) {
        object.free();
    }
}

/// Does the same from any thread, for an object to which scripts may have given a place in the scene tree.
pub fn free_later(holder: &Value) {
    match object(holder) {
        Some(object) if is_main_thread() => object.free(),
        Some(mut object) => _ = object.call_deferred("free", &[]),
        None => {}
    }
}

pub fn property_list(holder: &Value) -> Array<VarDictionary> {
    object(holder).map(|object| object.get_property_list()).unwrap_or_default()
}

pub fn meta_list(holder: &Value) -> Vec<StringName> {
    // SAFETY: the object is alive, and its method returns an Array.
    let list = pointer(holder).map(|object| unsafe { call_method::<VarArray>(api().get_meta_list, object, &[]) });
    let list = list.unwrap_or_default().upcast_any_array();
    values(&list).iter().map(|name| name.variant().to()).collect()
}

/// True if somebody is connected to a signal of an object, which its class has.
pub fn is_heard(holder: &Value, signal: &StringName) -> bool {
    // SAFETY: the object is alive. The method takes a StringName and returns a bool.
    pointer(holder).is_some_and(|object| unsafe { call_method(api().has_connections, object, &[signal.sys()]) })
}

/// Removes metadata of an object, if it has any of this name. As a property it could only become null.
pub fn remove_meta(holder: &Value, name: &StringName) {
    if let Some(mut object) = object(holder) {
        object.remove_meta(name);
    }
}

/// Calls a method of an object, unless it was freed: that of a script, if it has one of this name.
pub fn call(holder: &Value, method: &str) {
    if let Some(mut object) = object(holder) {
        object.call(method, &[]);
    }
}

pub fn class_of(holder: &Value) -> GString {
    object(holder).map(|object| object.get_class()).unwrap_or_default()
}

/// Returns the engine class of an object, ignoring its script. Empty if the object was freed.
pub fn class_name(holder: &Value) -> StringName {
    let mut class = StringName::default();
    if let Some(object) = pointer(holder) {
        // SAFETY: the object is alive. The engine overwrites the name on success; the old one is empty, and owns nothing.
        unsafe { (api().interface.object_get_class_name)(object, sys::get_library(), class.sys_mut().cast()) };
    }
    class
}

/// Returns the id in an EncodedObjectAsID, or `None` if the Variant holds something else.
pub fn encoded_id(holder: &Value) -> Option<i64> {
    let object = pointer(holder).filter(|_| class_of(holder) == ENCODED_CLASS)?;
    // SAFETY: the object is alive and of this class, whose method returns a 64-bit int.
    Some(unsafe { call_method(api().get_object_id, object, &[]) })
}

/// Returns the script of an object, or nil. Not as a Script, which gdext would expect in each Variant that is not nil.
pub fn script_of(holder: &Value) -> Variant {
    // SAFETY: the object is alive, and its method returns a Variant.
    pointer(holder).map_or(Variant::nil(), |object| unsafe { call_method(api().get_script, object, &[]) })
}

pub fn script_id(holder: &Value) -> u64 {
    value(&script_of(holder)).object_id()
}

pub fn has_script_method(holder: &Value, name: &StringName) -> bool {
    // SAFETY: the object is alive, and so is the name.
    pointer(holder)
        .is_some_and(|object| unsafe { (api().interface.object_has_script_method)(object, name.string_sys()) } != 0)
}

/// Returns the places of `items` that a Control overrides, each a kind in `THEME_ITEMS` and a name. Others have none.
pub fn theme_overrides(holder: &Value, items: &[(usize, StringName)]) -> Vec<i64> {
    let api = api();
    // SAFETY: the object is alive.
    let control = pointer(holder).filter(|object| unsafe { is_of(*object, api.control_class) });
    // SAFETY: the object is a living Control, and the method, by its hash, takes a StringName and returns a bool.
    let has = |control, kind: usize, item: &StringName| unsafe {
        call_method::<bool>(api.has_override[kind], control, &[item.sys()])
    };
    let places =
        |control| (0..).zip(items).filter(move |(_, (kind, item))| has(control, *kind, item)).map(|(at, _)| at);
    control.map_or_else(Vec::new, |control| places(control).collect())
}

/// True if the object has the class and the script that a container expects. Null and freed objects always do.
pub fn is_of_class(holder: &Value, expected: &SlotType) -> bool {
    let (class, script) = expected.class();
    let Some(object) = object(holder).filter(|_| *class != StringName::default()) else { return true };
    let wanted = value(script).object_id();
    let has_script = || {
        let first = script_of(holder).try_to::<Gd<Script>>().ok();
        let mut scripts = successors(first, |script| script.get_base_script());
        scripts.any(|script| script.instance_id().to_i64().cast_unsigned() == wanted)
    };
    object.is_class(&GString::from(class)) && (wanted == 0 || has_script())
}

pub fn can_instantiate(class: &StringName) -> bool {
    let classes = ClassDb::singleton();
    // `can_instantiate` prints an error if the class does not exist.
    classes.class_exists(class) && classes.can_instantiate(class)
}

/// Loads the script at a path in `res://`; also returns the class that it extends.
pub fn script(path: &str) -> Option<(Variant, StringName)> {
    let mut loader = ResourceLoader::singleton();
    if !path.starts_with("res://") || !loader.exists_ex(path).type_hint("Script").done() {
        return None;
    }
    // The engine ignores the requested type and may load any other resource.
    let script = loader.load_ex(path).type_hint("Script").done()?.try_cast::<Script>().ok()?;
    Some((script.to_variant(), script.get_instance_base_type()))
}

/// Returns the class that a script extends. Panics if the Variant holds no Script.
pub fn base_class(script: &Variant) -> StringName {
    script.to::<Gd<Script>>().get_instance_base_type()
}
