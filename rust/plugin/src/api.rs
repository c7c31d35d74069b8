//! Class `VarBatch`: what GDScript sees, with its in-editor documentation.

use godot::builtin::{AnyArray, Array, GString, PackedByteArray, VarArray, VarDictionary, vdict};
use godot::global::godot_error;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::{Kind, Scalar, Shape};

use crate::batch::{self, Failures};
use crate::engine::{self, BytesOut, Call, Slot, Value};
use crate::pool;

/// The most threads that [`VarBatch::set_thread_count`] takes.
const MAX_THREADS: i64 = 256;

/// Turns Variants into bytes and back, whole batches at a time, in parallel.
///
/// The bytes are exactly those of `@GlobalScope.var_to_bytes`, `FileAccess.store_var` and
/// `StreamPeer.put_var`, and every value that the engine decodes is decoded to an equal one. All methods are static and
/// may be called from any thread, several at once.
///
/// ```gdscript
/// var buffers := VarBatch.vars_to_bytes(chunks)
/// var restored := VarBatch.bytes_to_vars(buffers)
/// ```
///
/// A value that cannot be encoded or decoded never stops a batch: its result is empty or `null`, and one error line says
/// which element it was, at which byte, and what was expected there.
#[derive(GodotClass)]
#[class(no_init, base = Object)]
struct VarBatch {}

#[godot_api]
impl VarBatch {
    /// Encodes each element of `values` to a byte array of its own, in order. Takes typed arrays as well.
    ///
    /// Where a value cannot be encoded, its byte array is empty.
    #[func]
    fn vars_to_bytes(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Array<PackedByteArray> {
        let (buffers, failures) = batch::encode_each(&values, full_objects);
        report("vars_to_bytes", "value", failures);
        buffers
    }

    /// Decodes each byte array in `buffers` to a value, in order.
    ///
    /// The value is `null` where a byte array is no value, or where the element is no [PackedByteArray].
    ///
    /// **Warning:** Deserialized objects can contain code which gets executed. Do not allow objects if the bytes come from
    /// untrusted sources.
    #[func]
    fn bytes_to_vars(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, failures) = batch::decode_each(&buffers, allow_objects);
        report("bytes_to_vars", "buffer", failures);
        values
    }

    /// Encodes all elements of `values` to one byte array: exactly what one call of `FileAccess.store_var` (or
    /// `StreamPeer.put_var`) for each would write, a length of four bytes and a value, one after the other. Much faster
    /// than [method vars_to_bytes] for many small values.
    ///
    /// A value that cannot be encoded is left out, as `FileAccess.store_var` writes nothing then.
    #[func]
    fn vars_to_frames(values: AnyArray, #[opt(default = false)] full_objects: bool) -> PackedByteArray {
        let (frames, failures) = batch::encode_frames(&values, full_objects);
        report("vars_to_frames", "value", failures);
        frames
    }

    /// Decodes what [method vars_to_frames], `FileAccess.store_var` or `StreamPeer.put_var` wrote, to as many values as
    /// there are.
    ///
    /// A value is `null` where a frame holds none. If the bytes end within a frame, all values before it are returned.
    ///
    /// **Warning:** Deserialized objects can contain code which gets executed. Do not allow objects if the bytes come from
    /// untrusted sources.
    #[func]
    fn frames_to_vars(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, failures) = batch::decode_frames(&frames, allow_objects);
        report("frames_to_vars", "frame", failures);
        values
    }

    /// Sets how many threads work on a large call, the calling one among them. `0`, the default, means one for each
    /// processor core; `1` means that no threads are used. At most `256`.
    #[func]
    fn set_thread_count(count: i64) {
        match usize::try_from(count) {
            Ok(threads) if count <= MAX_THREADS => pool::set_count(threads),
            _ => godot_error!("VarBatch.set_thread_count: expected a count from 0 to {MAX_THREADS}, found {count}"),
        }
    }

    /// Returns how many threads work on a large call, the calling one among them: at least `1`, and the number of
    /// processor cores after [method set_thread_count] with `0`.
    #[func]
    fn get_thread_count() -> i64 {
        i64::try_from(pool::count()).unwrap_or(i64::MAX)
    }

    /// Returns the version of VarBatch, for example `"1.2.3"`.
    #[func]
    fn get_version() -> GString {
        env!("CARGO_PKG_VERSION").into()
    }

    /// Returns how VarBatch sees each [enum Variant.Type], in order: dictionaries with the keys `type` (the constant, also
    /// the first byte of an encoded value), `name` (as `@GlobalScope.type_string` gives it) and `wire` (what follows the
    /// four bytes of the header, in words).
    #[func]
    fn get_type_table() -> Array<VarDictionary> {
        let row = |kind: Kind| {
            let wire = wire(kind.shape());
            vdict! { "type" => i64::from(kind.id()), "name" => kind.name(), "wire" => wire.as_str() }
        };
        Kind::ALL.into_iter().map(row).collect()
    }
}

impl Call for VarBatch {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut) {
        if let Err(failure) = batch::encode(value, full_objects, out) {
            out.set_bytes(PackedByteArray::new());
            godot_error!("VarBatch.var_to_bytes: {failure}");
        }
    }

    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) {
        if let Err(failure) = batch::decode(bytes, allow_objects, out) {
            out.clear();
            godot_error!("VarBatch.bytes_to_var: {failure}");
        }
    }
}

/// Adds to the class what is not a `#[func]`. To be called when it is registered.
pub fn register() {
    engine::register::<VarBatch>();
}

/// Gives the editor the documentation of the class.
pub fn load_docs() {
    engine::load_docs(include_str!("../docs/VarBatch.xml"));
}

/// One error line for each failed element of a batch.
fn report(method: &str, element: &str, failures: Failures) {
    for (index, failure) in failures {
        godot_error!("VarBatch.{method}: {element} {index}: {failure}");
    }
}

fn wire(shape: Shape) -> String {
    match shape {
        Shape::Nil | Shape::Callable => "nothing".into(),
        Shape::Bool => "32-bit word".into(),
        Shape::Int => "int32, or int64 if flagged".into(),
        Shape::Float => "float32, or float64 if flagged".into(),
        Shape::Text => "byte length, UTF-8".into(),
        Shape::Components { scalar, count } => format!("{count} x {}", scalar_name(scalar)),
        Shape::NodePath => "name count, subname count, flags, names".into(),
        Shape::Rid => "uint64".into(),
        Shape::Object => "instance id, or class name and properties".into(),
        Shape::Signal => "name, object id".into(),
        Shape::Dictionary => "count, keys and values".into(),
        Shape::Array => "count, elements".into(),
        Shape::Packed { scalar, count: 1 } => format!("count, {} elements", scalar_name(scalar)),
        Shape::Packed { scalar, count } => format!("count, elements of {count} x {}", scalar_name(scalar)),
        Shape::PackedStrings => "count, texts with a NUL".into(),
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U8 => "uint8",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        Scalar::Real => "float32, or float64 if flagged",
    }
}
