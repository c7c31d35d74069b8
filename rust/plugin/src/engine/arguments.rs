//! Checks the arguments of every method before gdext converts them.
//!
//! gdext's answer to a wrong type is long and unclear: our entry points report it in one line, with the engine's error.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use godot::builtin::{StringName, Variant};
use godot::init::{__gdext_load_library, ExtensionLibrary};
use godot::sys;
use varbatch_codec::Kind;

use super::{View, interface, kind_of, sys_type, value};

type GetFunction = unsafe extern "C" fn(*const c_char) -> sys::GDExtensionInterfaceFunctionPtr;
type Register = sys::GDExtensionInterfaceClassdbRegisterExtensionClassMethod;

/// Reports a call with an invalid argument, by the names of the class and of the method.
pub type Refused = fn(&str, &str, String);

/// The engine's functions that these stand in front of, and what reports.
static GET_FUNCTION: OnceLock<GetFunction> = OnceLock::new();
static REGISTER: OnceLock<Register> = OnceLock::new();
static REFUSED: OnceLock<Refused> = OnceLock::new();

/// True while methods are registered whose entry points call [`check`] themselves.
pub static CALL_CHECK: AtomicBool = AtomicBool::new(false);

const REGISTER_NAME: &CStr = c"classdb_register_extension_class_method";

/// A method, as long as the library is loaded.
struct Method {
    class: String,
    name: String,
    arguments: Vec<(String, Kind)>,
    required: usize,
    call: sys::GDExtensionClassMethodCall,
}

/// Loads the library through gdext, with checks of all arguments.
///
/// # Safety
/// The arguments are those of the entry point, which the engine calls.
pub unsafe fn load<E: ExtensionLibrary>(
    get_function: sys::GDExtensionInterfaceGetProcAddress,
    library: sys::GDExtensionClassLibraryPtr,
    init: *mut sys::GDExtensionInitialization,
    refused: Refused,
) -> sys::GDExtensionBool {
    let Some(get_function) = get_function else { return 0 };
    GET_FUNCTION.get_or_init(|| get_function);
    REFUSED.get_or_init(|| refused);
    // SAFETY: gdext gets what the engine passes.
    unsafe { __gdext_load_library::<E>(Some(get), library, init) }
}

/// Returns a function of the engine, or ours that stands in front of it.
unsafe extern "C" fn get(name: *const c_char) -> sys::GDExtensionInterfaceFunctionPtr {
    // SAFETY: gdext passes the name of a function. The function of this name has this type.
    unsafe {
        let function = GET_FUNCTION.get().and_then(|get| get(name));
        if CStr::from_ptr(name) != REGISTER_NAME {
            return function;
        }
        function.map(|function| {
            REGISTER.get_or_init(|| std::mem::transmute::<unsafe extern "C" fn(), Register>(function));
            std::mem::transmute::<Register, unsafe extern "C" fn()>(register)
        })
    }
}

/// Registers a method with [`call`] as its entry point.
unsafe extern "C" fn register(
    library: sys::GDExtensionClassLibraryPtr,
    class: sys::GDExtensionConstStringNamePtr,
    info: *const sys::GDExtensionClassMethodInfo,
) {
    // SAFETY: gdext passes names as pointers to StringNames, and the info of a method with as many arguments. Its entry
    // points ignore the first argument, which is ours then. The engine copies the info.
    unsafe {
        let (info, text) = (&*info, |name: *const c_void| (*name.cast::<StringName>()).to_string());
        let arguments = (0..info.argument_count as usize).map(|index| {
            let argument = &*info.arguments_info.add(index);
            let kind = kind_of(argument.type_ as u32).expect("every type of an argument has one");
            (text(argument.name.cast_const().cast()), kind)
        });
        let method = Method {
            class: text(class.cast()),
            name: text(info.name.cast_const().cast()),
            arguments: arguments.collect(),
            required: (info.argument_count - info.default_argument_count) as usize,
            call: info.call_func,
        };
        let method_userdata = Box::into_raw(Box::new(method)).cast();
        let call_func = if CALL_CHECK.load(Ordering::Relaxed) { info.call_func } else { Some(call as _) };
        let info = sys::GDExtensionClassMethodInfo { method_userdata, call_func, ..*info };
        REGISTER.get().expect("was asked for first")(library, class, &raw const info);
    }
}

unsafe extern "C" fn call(
    method: *mut c_void,
    instance: sys::GDExtensionClassInstancePtr,
    args: *const sys::GDExtensionConstVariantPtr,
    count: sys::GDExtensionInt,
    ret: sys::GDExtensionVariantPtr,
    error: *mut sys::GDExtensionCallError,
) {
    // SAFETY: the method is the registered one. The engine passes its arguments and room for an error, as gdext needs.
    unsafe {
        if check(method, given(args, count), &mut *error) {
            let call = (*method.cast::<Method>()).call.expect("gdext makes it");
            call(std::ptr::null_mut(), instance, args, count, ret, error);
        }
    }
}

/// # Safety
/// They are what the engine passes to the entry point of a method, and are used during that call.
pub unsafe fn given<'a>(args: *const sys::GDExtensionConstVariantPtr, count: sys::GDExtensionInt) -> &'a [&'a Variant] {
    // SAFETY: the engine passes `count` pointers to Variants that live during the call; a reference is such a pointer.
    if count > 0 { unsafe { std::slice::from_raw_parts(args.cast(), count as usize) } } else { &[] }
}

/// Returns true if the arguments of a call are good. Else reports that, and sets the error.
///
/// # Safety
/// `method` is what the engine passes to the entry point of a method.
pub unsafe fn check(method: *mut c_void, given: &[&Variant], error: &mut sys::GDExtensionCallError) -> bool {
    // SAFETY: the method is the one that was registered, and is never freed.
    let method = unsafe { &*method.cast::<Method>() };
    let Err(wrong) = method.check(given) else { return true };
    guarded(error, || method.report(given, &wrong));
    *error = wrong;
    false
}

impl Method {
    /// Checks the count of the arguments, and the type of each as the engine does: it also takes what it can convert.
    fn check(&self, given: &[&Variant]) -> Result<(), sys::GDExtensionCallError> {
        let wrong = |error, argument, expected| Err(sys::GDExtensionCallError { error, argument, expected });
        if given.len() < self.required {
            return wrong(sys::GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS, 0, self.required as i32);
        }
        if given.len() > self.arguments.len() {
            return wrong(sys::GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS, 0, self.arguments.len() as i32);
        }
        for (index, (given, (_, expected))) in given.iter().zip(&self.arguments).enumerate() {
            // Of a type that the format does not have, gdext may say more.
            let Ok(from) = value(given).known().map(View::kind) else { continue };
            if from == *expected || *expected == Kind::Nil {
                continue;
            }
            let to = sys_type(*expected);
            // SAFETY: both are types of the engine.
            if unsafe { (interface().variant_can_convert_strict)(sys_type(from), to) } == 0 {
                return wrong(sys::GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT, index as i32, to as i32);
            }
        }
        Ok(())
    }

    /// Reports an argument of a wrong type: the engine says as much of a wrong count as there is to say.
    #[cold]
    fn report(&self, given: &[&Variant], wrong: &sys::GDExtensionCallError) {
        if wrong.error != sys::GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT {
            return;
        }
        let index = wrong.argument as usize;
        let (name, expected) = &self.arguments[index];
        let (expected, found) = (*expected, value(given[index]).view().kind());
        let article = if matches!(expected, Kind::Int | Kind::Array | Kind::Object) { "an" } else { "a" };
        let (expected_name, found_name) = (expected.name(), found.name());
        let text =
            format!("expected {article} {expected_name} as {name}, found {found_name}; {}", cure(expected, found));
        if let Some(refused) = REFUSED.get() {
            refused(&self.class, &self.name, text);
        }
    }
}

/// What to write instead.
fn cure(expected: Kind, found: Kind) -> &'static str {
    match expected {
        Kind::Bool => "write true or false",
        Kind::Int => "write a whole number, or a constant such as FileAccess.COMPRESSION_ZSTD",
        Kind::String => "write a String in quotes, such as \"user://save.dat\"",
        Kind::Array => "write [value] for an Array of one value",
        Kind::PackedByteArray if found == Kind::String => "VarBatch.load_var() takes the path of a file",
        Kind::PackedByteArray => "VarBatch.var_to_bytes() makes the bytes of a value",
        Kind::PackedStringArray => "write the names in brackets, such as [\"position\"]",
        Kind::Object => "write the object itself, such as a Node",
        _ => "write {} for an empty one",
    }
}

/// The error type for a call that panicked, the same as gdext's. It ends the calling function.
const CALL_FAILED: sys::GDExtensionCallErrorType = 1337;

/// Catches panics, so that they do not reach the engine. gdext's hook has already printed them.
pub fn guarded(error: &mut sys::GDExtensionCallError, call: impl FnOnce()) {
    let is_done = catch_unwind(AssertUnwindSafe(call)).is_ok();
    error.error = if is_done { sys::GDEXTENSION_CALL_OK } else { CALL_FAILED };
}
