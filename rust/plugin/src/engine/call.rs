//! Entry points of `VarBatch.var_to_bytes` and `VarBatch.bytes_to_var`, without gdext's conversions.
//!
//! A `#[func]` of gdext takes its arguments as owned values, looks up defaults and wraps the result. That takes about
//! 40 ns, as much as encoding a small value. These two read the engine's arguments and make the result in place.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use godot::builtin::{PackedByteArray, StringName, Variant};
use godot::meta::ToGodot;
use godot::obj::GodotClass;
use godot::register::info::MethodFlags;
use godot::register::private::method::ClassMethodInfo;
use godot::sys;
use varbatch_codec::Kind;

use super::{BytesOut, Slot, Value, value};

/// The implementation of the two methods. A trait, so that each gets its own entry points.
pub trait Call {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut);

    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot);
}

/// The error type for a call that panicked, the same as gdext's. It ends the calling function.
const CALL_FAILED: sys::GDExtensionCallErrorType = 1337;

/// Adds both methods to the class, which must already be registered.
pub fn register<C: GodotClass + Call>() {
    // Now, when the library is loaded, so that no call has to.
    super::api::api();
    super::layout::look();
    let flags = MethodFlags::NORMAL | MethodFlags::STATIC;
    let defaults = || vec![false.to_variant()];
    // SAFETY: the functions match their signatures: they take and return `Variant` and `PackedByteArray` as the engine
    // passes them, followed by an optional bool. They match the flags: static functions need no instance.
    unsafe {
        ClassMethodInfo::from_signature::<C, (Variant, bool), PackedByteArray>(
            StringName::from("var_to_bytes"),
            Some(var_to_bytes_call::<C>),
            Some(var_to_bytes_ptrcall::<C>),
            flags,
            &["value", "full_objects"],
            defaults(),
        )
        .register_extension_class_method();
        ClassMethodInfo::from_signature::<C, (PackedByteArray, bool), Variant>(
            StringName::from("bytes_to_var"),
            Some(bytes_to_var_call::<C>),
            Some(bytes_to_var_ptrcall::<C>),
            flags,
            &["bytes", "allow_objects"],
            defaults(),
        )
        .register_extension_class_method();
    }
}

/// Passes the class documentation, in Godot's XML format, to the editor.
pub fn load_docs(xml: &str) {
    let len = i64::try_from(xml.len()).expect("lengths fit in an i64");
    // SAFETY: `xml` is UTF-8 of this length, and the engine copies it.
    unsafe { (super::api::api().interface.editor_help_load_xml_from_utf8_chars_and_len)(xml.as_ptr().cast(), len) };
}

type Args = *const sys::GDExtensionConstVariantPtr;
type TypeArgs = *const sys::GDExtensionConstTypePtr;

unsafe extern "C" fn var_to_bytes_call<C: Call>(
    _: *mut c_void,
    _: sys::GDExtensionClassInstancePtr,
    args: Args,
    count: sys::GDExtensionInt,
    ret: sys::GDExtensionVariantPtr,
    error: *mut sys::GDExtensionCallError,
) {
    // SAFETY: the engine passes `count` Variants, an initialised Variant for the result, and room for an error.
    let (args, ret, error) = unsafe { (arguments(args, count), &mut *ret.cast::<Variant>(), &mut *error) };
    guarded(error, || {
        let flag = flag(args)?;
        C::var_to_bytes(value(args[0]), flag, Slot::from_mut(ret));
        Ok(())
    });
}

unsafe extern "C" fn bytes_to_var_call<C: Call>(
    _: *mut c_void,
    _: sys::GDExtensionClassInstancePtr,
    args: Args,
    count: sys::GDExtensionInt,
    ret: sys::GDExtensionVariantPtr,
    error: *mut sys::GDExtensionCallError,
) {
    // SAFETY: as above.
    let (args, ret, error) = unsafe { (arguments(args, count), &mut *ret.cast::<Variant>(), &mut *error) };
    guarded(error, || {
        let flag = flag(args)?;
        let (view, converted);
        let bytes = match value(args[0]).view() {
            array if array.kind() == Kind::PackedByteArray => {
                view = array;
                view.byte_array()
            }
            // Converts what the engine's own methods accept too, such as an Array of numbers.
            _ => {
                converted = args[0].try_to_relaxed().map_err(|_| wrong_type(0, Kind::PackedByteArray))?;
                &converted
            }
        };
        C::bytes_to_var(bytes, flag, Slot::from_mut(ret));
        Ok(())
    });
}

unsafe extern "C" fn var_to_bytes_ptrcall<C: Call>(
    _: *mut c_void,
    _: sys::GDExtensionClassInstancePtr,
    args: TypeArgs,
    ret: sys::GDExtensionTypePtr,
) {
    // SAFETY: the engine passes a Variant and a bool, and an initialised PackedByteArray for the result.
    let (value, flag, ret) = unsafe {
        (&*(*args).cast::<Variant>(), *(*args.add(1)).cast::<u8>() != 0, &mut *ret.cast::<PackedByteArray>())
    };
    guarded(&mut sys::default_call_error(), || {
        // Do not write into the old array, which a script may still hold.
        let mut bytes = PackedByteArray::new();
        C::var_to_bytes(super::value(value), flag, &mut bytes);
        *ret = bytes;
        Ok(())
    });
}

unsafe extern "C" fn bytes_to_var_ptrcall<C: Call>(
    _: *mut c_void,
    _: sys::GDExtensionClassInstancePtr,
    args: TypeArgs,
    ret: sys::GDExtensionTypePtr,
) {
    // SAFETY: the engine passes a PackedByteArray and a bool, and an initialised Variant for the result.
    let (bytes, flag, ret) = unsafe {
        (&*(*args).cast::<PackedByteArray>(), *(*args.add(1)).cast::<u8>() != 0, &mut *ret.cast::<Variant>())
    };
    guarded(&mut sys::default_call_error(), || {
        // The result may be the same variable as the argument, so it is set only at the end.
        let mut result = Variant::nil();
        C::bytes_to_var(bytes, flag, Slot::from_mut(&mut result));
        *ret = result;
        Ok(())
    });
}

/// # Safety
/// `args` points to `count` pointers to Variants; all of them live for `'a`.
unsafe fn arguments<'a>(args: Args, count: sys::GDExtensionInt) -> &'a [&'a Variant] {
    match usize::try_from(count) {
        // SAFETY: promised by the caller; a reference to a Variant has the layout of a pointer to it.
        Ok(count @ 1..) => unsafe { std::slice::from_raw_parts(args.cast(), count) },
        _ => &[],
    }
}

/// Returns the optional second argument. Also checks that there is a first, and no third.
fn flag(args: &[&Variant]) -> Result<bool, sys::GDExtensionCallError> {
    let wrong_count = |error, expected| sys::GDExtensionCallError { error, argument: 0, expected };
    match args {
        [] => Err(wrong_count(sys::GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS, 1)),
        [_] => Ok(false),
        [_, flag] => flag.try_to_relaxed().map_err(|_| wrong_type(1, Kind::Bool)),
        _ => Err(wrong_count(sys::GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS, 2)),
    }
}

fn wrong_type(argument: i32, expected: Kind) -> sys::GDExtensionCallError {
    let error = sys::GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT;
    sys::GDExtensionCallError { error, argument, expected: expected.id().into() }
}

/// Catches panics, so that they do not reach the engine. gdext's hook has already printed them.
fn guarded(error: &mut sys::GDExtensionCallError, call: impl FnOnce() -> Result<(), sys::GDExtensionCallError>) {
    *error = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => return error.error = sys::GDEXTENSION_CALL_OK,
        Ok(Err(error)) => error,
        Err(_) => sys::GDExtensionCallError { error: CALL_FAILED, argument: 0, expected: 0 },
    };
}
