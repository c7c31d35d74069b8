//! Class `VarBatch`, with its in-editor documentation.

use godot::builtin::{AnyArray, Array, GString, PackedByteArray, PackedStringArray, VarArray, VarDictionary, Variant};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::Dialect;
use varbatch_codec::transcode::Translation;

use super::said::{self, done, said, say, started, succeeded};
use super::table;
use super::task::VarBatchTask;
use crate::calls::decode::Decode;
use crate::calls::encode::{ToBytes, ToFrames};
use crate::calls::files::NOT_COMPRESSED;
use crate::calls::{decode, delta, describe, diff, encode, get_in, patch, transcode, validate};
use crate::engine::{self, AnyArg, BytesOut, Call, DialectArg, Slot, Value};
use crate::jobs::pool;
use crate::report::{Line, Report};

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

    /// Encodes each value to a buffer of its own.
    #[func]
    fn vars_to_bytes(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Array<PackedByteArray> {
        done("vars_to_bytes", encode::vars_to_bytes(&values, full_objects))
    }

    /// Decodes each buffer; null if that fails.
    #[func]
    fn bytes_to_vars(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        done("bytes_to_vars", decode::bytes_to_vars(&buffers, allow_objects))
    }

    /// Encodes all values to one byte array, in the format of `store_var`.
    #[func]
    fn vars_to_frames(values: AnyArray, #[opt(default = false)] full_objects: bool) -> PackedByteArray {
        done("vars_to_frames", encode::vars_to_frames(&values, full_objects))
    }

    /// Decodes what `vars_to_frames` or `store_var` wrote.
    #[func]
    fn frames_to_vars(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        done("frames_to_vars", decode::frames_to_vars(frames, allow_objects))
    }

    /// Runs `vars_to_bytes` as a task.
    #[func]
    fn vars_to_bytes_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        started("vars_to_bytes_async", ToBytes::held(&values, full_objects))
    }

    /// Runs `bytes_to_vars` as a task.
    #[func]
    fn bytes_to_vars_async(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        started("bytes_to_vars_async", Decode::buffers(&buffers, allow_objects))
    }

    /// Runs `vars_to_frames` as a task.
    #[func]
    fn vars_to_frames_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        started("vars_to_frames_async", ToFrames::held(&values, full_objects))
    }

    /// Runs `frames_to_vars` as a task.
    #[func]
    fn frames_to_vars_async(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        started("frames_to_vars_async", Decode::frames(frames, allow_objects))
    }

    /// Returns the error of each buffer.
    #[func]
    fn validate(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> PackedStringArray {
        said("validate", (validate::validate_each(&buffers, allow_objects), []))
    }

    /// Translates the bytes of one engine for another.
    #[func]
    fn transcode(bytes: PackedByteArray, from: DialectArg, to: DialectArg) -> PackedByteArray {
        let Some(translation) = translation("transcode", from, to) else { return PackedByteArray::new() };
        said("transcode", transcode::transcode(&bytes, translation))
    }

    /// Decodes the bytes of another engine.
    #[func]
    fn bytes_to_var_in(
        bytes: PackedByteArray,
        dialect: DialectArg,
        #[opt(default = false)] allow_objects: bool,
    ) -> Variant {
        let Some(from) = dialect_of("bytes_to_var_in", dialect) else { return Variant::nil() };
        said("bytes_to_var_in", transcode::to_var(&bytes, from, allow_objects))
    }

    /// Encodes a value for another engine.
    #[func]
    fn var_to_bytes_in(
        value: Variant,
        dialect: DialectArg,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        let Some(to) = dialect_of("var_to_bytes_in", dialect) else { return PackedByteArray::new() };
        said("var_to_bytes_in", transcode::from_var(&value, to, full_objects))
    }

    /// Returns the type tree of a buffer.
    #[func]
    fn describe(
        bytes: PackedByteArray,
        #[opt(default = DialectArg::GODOT_4)] dialect: DialectArg,
        #[opt(default = describe::MAX_NODES)] max_nodes: i64,
    ) -> VarDictionary {
        let Some(dialect) = dialect_of("describe", dialect) else { return VarDictionary::new() };
        let Some(count) = usize::try_from(max_nodes).ok().filter(|&count| count > 0) else {
            let line = Line::error(format_args!("expected a max_nodes of at least 1, found {max_nodes}"));
            say("describe", [line], EngineError::ERR_INVALID_PARAMETER);
            return VarDictionary::new();
        };
        said("describe", (describe::describe(engine::bytes_of(&bytes), dialect, count), []))
    }

    /// Decodes the value at a path.
    #[func]
    fn get_in(bytes: PackedByteArray, path: AnyArray, #[opt(default = &AnyArg::null())] default: AnyArg) -> Variant {
        said("get_in", get_in::get_in(&bytes, &path, default.variant()))
    }

    /// Decodes the value at a path in each buffer.
    #[func]
    fn get_in_each(buffers: AnyArray, path: AnyArray, #[opt(default = &AnyArg::null())] default: AnyArg) -> VarArray {
        said("get_in_each", get_in::get_in_each(&buffers, &path, default.variant()))
    }

    /// Finds the changes between two buffers.
    #[func]
    fn diff(
        before: PackedByteArray,
        after: PackedByteArray,
        #[opt(default = false)] allow_objects: bool,
    ) -> Array<VarDictionary> {
        said("diff", diff::diff(&before, &after, allow_objects))
    }

    /// Finds the changes between each pair of buffers.
    #[func]
    fn diff_batch(pairs: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        said("diff_batch", diff::diff_each(&pairs, allow_objects))
    }

    /// Applies changes to a buffer.
    #[func]
    fn patch(
        before: PackedByteArray,
        changes: AnyArray,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        said("patch", patch::patch(&before, &changes, full_objects))
    }

    /// Makes a delta between two buffers.
    #[func]
    fn make_delta(before: PackedByteArray, after: PackedByteArray) -> PackedByteArray {
        said("make_delta", delta::make(&before, &after))
    }

    /// Applies a delta to a buffer.
    #[func]
    fn apply_delta(before: PackedByteArray, delta: PackedByteArray) -> PackedByteArray {
        said("apply_delta", delta::apply(&before, &delta))
    }

    /// Makes a delta for each pair of buffers.
    #[func]
    fn make_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        said("make_deltas", delta::make_each(&pairs))
    }

    /// Applies a delta for each pair of a buffer and a delta.
    #[func]
    fn apply_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        said("apply_deltas", delta::apply_each(&pairs))
    }

    /// Sets the thread count: 0 means one per core, 1 only the calling thread.
    #[func]
    fn set_thread_count(count: i64) {
        let code = match usize::try_from(count) {
            Ok(threads) if count <= MAX_THREADS => {
                pool::set_count(threads);
                return succeeded();
            }
            _ => EngineError::ERR_INVALID_PARAMETER,
        };
        say(
            "set_thread_count",
            [Line::error(format_args!("expected a count from 0 to {MAX_THREADS}, found {count}"))],
            code,
        );
    }

    /// Returns the thread count in effect, at least 1.
    #[func]
    fn get_thread_count() -> i64 {
        i64::try_from(pool::count()).unwrap_or(i64::MAX)
    }

    /// Returns the version of this crate.
    #[func]
    fn get_version() -> GString {
        env!("CARGO_PKG_VERSION").into()
    }

    /// Returns one row per Variant type, in order of id.
    #[func]
    fn get_type_table() -> Array<VarDictionary> {
        table::rows()
    }

    /// Returns the error code of this thread's last call.
    #[func]
    fn get_last_error() -> EngineError {
        said::last_error()
    }

    /// Returns the error message of this thread's last call.
    #[func]
    fn get_last_error_message() -> GString {
        GString::from(&said::last_message())
    }
}

impl Call for VarBatch {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut) {
        match encode::encode(value, full_objects, out) {
            Ok(()) => succeeded(),
            Err(error) => {
                out.set_bytes(PackedByteArray::new());
                say("var_to_bytes", [Line::error(error)], EngineError::ERR_INVALID_DATA);
            }
        }
    }

    #[inline(always)]
    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) {
        match decode::decode(bytes, allow_objects, out) {
            Ok(None) => succeeded(),
            Ok(Some(dropped)) => {
                say("bytes_to_var", [Line::warning(Report::Dropped(dropped))], EngineError::OK);
            }
            Err(report) => {
                out.clear();
                say("bytes_to_var", [Line::error(report)], EngineError::ERR_INVALID_DATA);
            }
        }
    }
}

/// Returns the dialect that a script named; prints an error if there is no such dialect.
fn dialect_of(method: &str, arg: DialectArg) -> Option<Dialect> {
    arg.dialect().map_err(|why| say(method, [Line::error(why)], EngineError::ERR_INVALID_PARAMETER)).ok()
}

/// Returns the translation between two dialects; prints an error if there is no such dialect.
pub fn translation(method: &str, from: DialectArg, to: DialectArg) -> Option<Translation> {
    Some(Translation::new(dialect_of(method, from)?, dialect_of(method, to)?))
}
