//! Class `VarBatch`, with its in-editor documentation.

use godot::builtin::{
    AnyArray, Array, GString, PackedByteArray, PackedStringArray, VarArray, VarDictionary, Variant, vdict,
};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, Kind, Scalar, Shape};

use super::ending::{self, end, end_with, succeeded};
use super::task::{VarBatchTask, start};
use crate::calls::decode::Decode;
use crate::calls::encode::{ToBytes, ToFrames};
use crate::calls::save::NOT_COMPRESSED;
use crate::calls::{decode, delta, describe, diff, encode, get_in, patch, transcode, validate};
use crate::engine::{AnyArg, BytesOut, Call, DIALECTS, DialectArg, Slot, Value, null};
use crate::jobs::outcome::{Failure, Outcome};
use crate::jobs::pool;
use crate::report::Line;

/// Max threads for [`VarBatch::set_thread_count`].
const MAX_THREADS: i64 = 256;

/// The class of static methods. Documented for users in `docs/VarBatch.xml`.
#[derive(GodotClass)]
#[class(no_init, base = Object)]
pub struct VarBatch {}

#[godot_api]
impl VarBatch {
    /// No compression: the default of `compression_mode`.
    #[constant]
    const COMPRESSION_NONE: i64 = NOT_COMPRESSED;

    #[func]
    fn vars_to_bytes(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Array<PackedByteArray> {
        end("vars_to_bytes", encode::vars_to_bytes(&values, full_objects))
    }

    #[func]
    fn bytes_to_vars(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        end("bytes_to_vars", decode::bytes_to_vars(&buffers, allow_objects))
    }

    /// Encodes all values to one byte array, in the format of `store_var`.
    #[func]
    fn vars_to_frames(values: AnyArray, #[opt(default = false)] full_objects: bool) -> PackedByteArray {
        end("vars_to_frames", encode::vars_to_frames(&values, full_objects))
    }

    /// Decodes what `vars_to_frames` or `store_var` wrote.
    #[func]
    fn frames_to_vars(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        end("frames_to_vars", decode::frames_to_vars(frames, allow_objects))
    }

    #[func]
    fn vars_to_bytes_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        start("vars_to_bytes_async", ToBytes::held(&values, full_objects))
    }

    #[func]
    fn bytes_to_vars_async(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        start("bytes_to_vars_async", Decode::buffers(&buffers, allow_objects))
    }

    #[func]
    fn vars_to_frames_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        start("vars_to_frames_async", ToFrames::held(&values, full_objects))
    }

    #[func]
    fn frames_to_vars_async(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        start("frames_to_vars_async", Decode::frames(frames, allow_objects))
    }

    #[func]
    fn validate(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> PackedStringArray {
        let errors = validate::validate_each(&buffers, allow_objects);
        succeeded();
        errors
    }

    #[func]
    fn transcode(bytes: PackedByteArray, from: DialectArg, to: DialectArg) -> PackedByteArray {
        end("transcode", translation(from, to).map(|translation| transcode::transcode(&bytes, translation)))
    }

    #[func]
    fn bytes_to_var_in(
        bytes: PackedByteArray,
        dialect: DialectArg,
        #[opt(default = false)] allow_objects: bool,
    ) -> Variant {
        end("bytes_to_var_in", dialect_of(dialect).map(|from| transcode::to_var(&bytes, from, allow_objects)))
    }

    #[func]
    fn var_to_bytes_in(
        value: Variant,
        dialect: DialectArg,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        end("var_to_bytes_in", dialect_of(dialect).map(|to| transcode::from_var(&value, to, full_objects)))
    }

    /// Returns the type tree of a buffer.
    #[func]
    fn describe(
        bytes: PackedByteArray,
        #[opt(default = DialectArg::GODOT_4)] dialect: DialectArg,
        #[opt(default = describe::MAX_NODES)] max_nodes: i64,
    ) -> VarDictionary {
        end("describe", dialect_of(dialect).and_then(|dialect| describe::describe(&bytes, dialect, max_nodes)))
    }

    #[func]
    fn get_in(bytes: PackedByteArray, path: AnyArray, #[opt(default = &null())] default: AnyArg) -> Variant {
        end("get_in", get_in::get_in(&bytes, &path, &default.0))
    }

    #[func]
    fn get_in_each(buffers: AnyArray, path: AnyArray, #[opt(default = &null())] default: AnyArg) -> VarArray {
        end("get_in_each", get_in::get_in_each(&buffers, &path, &default.0))
    }

    #[func]
    fn diff(
        before: PackedByteArray,
        after: PackedByteArray,
        #[opt(default = false)] allow_objects: bool,
    ) -> Array<VarDictionary> {
        end("diff", diff::diff(&before, &after, allow_objects))
    }

    #[func]
    fn diff_batch(pairs: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        end("diff_batch", diff::diff_each(&pairs, allow_objects))
    }

    #[func]
    fn patch(
        before: PackedByteArray,
        changes: AnyArray,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        end("patch", patch::patch(&before, &changes, full_objects))
    }

    #[func]
    fn make_delta(before: PackedByteArray, after: PackedByteArray) -> PackedByteArray {
        end("make_delta", delta::make(&before, &after))
    }

    #[func]
    fn apply_delta(before: PackedByteArray, delta: PackedByteArray) -> PackedByteArray {
        end("apply_delta", delta::apply(&before, &delta))
    }

    #[func]
    fn make_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        end("make_deltas", delta::make_each(&pairs))
    }

    #[func]
    fn apply_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        end("apply_deltas", delta::apply_each(&pairs))
    }

    /// Sets the thread count: 0 means one per core, 1 only the calling thread.
    #[func]
    fn set_thread_count(count: i64) {
        match usize::try_from(count) {
            Ok(threads) if count <= MAX_THREADS => {
                pool::set_count(threads);
                succeeded();
            }
            _ => {
                let failure = Failure::invalid(format_args!("expected a count from 0 to {MAX_THREADS}, found {count}"));
                end::<()>("set_thread_count", Outcome::failed((), failure));
            }
        }
    }

    #[func]
    fn get_thread_count() -> i64 {
        i64::try_from(pool::count()).unwrap_or(i64::MAX)
    }

    #[func]
    fn get_version() -> GString {
        env!("CARGO_PKG_VERSION").into()
    }

    #[func]
    fn get_type_table() -> Array<VarDictionary> {
        Kind::ALL.into_iter().map(row).collect()
    }

    #[func]
    fn get_last_error() -> EngineError {
        ending::last_error()
    }

    #[func]
    fn get_last_error_message() -> GString {
        GString::from(&ending::last_message())
    }
}

impl Call for VarBatch {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut) {
        match encode::encode(value, full_objects, out) {
            Ok(()) => succeeded(),
            Err(error) => {
                out.set_bytes(PackedByteArray::new());
                end_with("var_to_bytes", Line::error(error));
            }
        }
    }

    #[inline(always)]
    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) {
        match decode::decode(bytes, allow_objects, out) {
            Ok(None) => succeeded(),
            Ok(Some(dropped)) => end_with("bytes_to_var", Line::warning(dropped)),
            Err(error) => {
                out.clear();
                end_with("bytes_to_var", Line::error(error));
            }
        }
    }
}

/// Returns the dialect that a script named.
fn dialect_of(arg: DialectArg) -> Result<Dialect, Failure> {
    arg.dialect().map_err(Failure::invalid)
}

/// Returns the translation between two dialects.
pub fn translation(from: DialectArg, to: DialectArg) -> Result<Translation, Failure> {
    Ok(Translation::new(dialect_of(from)?, dialect_of(to)?))
}

/// Makes the row of a type in the type table.
fn row(kind: Kind) -> VarDictionary {
    let wire = wire(kind.shape());
    let mut row = vdict! { "type" => i64::from(kind.id()), "name" => kind.name(), "wire" => wire.as_str() };
    for (name, dialect) in &DIALECTS[1..] {
        let name = name.trim_start_matches("DIALECT_").to_ascii_lowercase();
        row.set(name.as_str(), dialect.engine.id(kind).map_or(-1, i64::from));
    }
    row
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
        Shape::Dictionary => "types of keys and values if flagged, count, keys and values".into(),
        Shape::Array => "type of elements if flagged, count, elements".into(),
        Shape::Packed { scalar, count: 1 } => format!("count, {} elements", scalar_name(scalar)),
        Shape::Packed { scalar, count } => format!("count, elements of {count} x {}", scalar_name(scalar)),
        Shape::PackedStrings => "count, NUL-terminated strings".into(),
        Shape::Foreign(_) => unreachable!("no type of Godot 4 has it"),
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
