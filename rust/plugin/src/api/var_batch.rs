//! Class `VarBatch`: what GDScript sees, with its in-editor documentation.

use godot::builtin::{AnyArray, Array, GString, PackedByteArray, PackedStringArray, VarArray, VarDictionary, Variant};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::Dialect;
use varbatch_codec::transcode::Translation;

use super::said::{self, reported, said, say, started, succeeded};
use super::table;
use super::task::VarBatchTask;
use crate::calls::decode::steps::{FromBytes, FromFrames};
use crate::calls::encode::steps::{ToBytes, ToFrames};
use crate::calls::files::NOT_COMPRESSED;
use crate::calls::{decode, delta, describe, diff, encode, patch, transcode, validate};
use crate::engine::{self, BytesOut, Call, DialectArg, Slot, Value};
use crate::jobs::pool;
use crate::report::{BUFFERS, FRAMES, Line, Report, VALUES};

/// The most threads that [`VarBatch::set_thread_count`] takes.
const MAX_THREADS: i64 = 256;

/// The class of static methods. What users read of it is in `docs/VarBatch.xml`.
#[derive(GodotClass)]
#[class(no_init, base = Object)]
pub struct VarBatch {}

#[godot_api]
impl VarBatch {
    /// No compression: what `compression_mode` is by default.
    #[constant]
    const COMPRESSION_NONE: i64 = NOT_COMPRESSED;

    /// Each value to a buffer of its own. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_bytes(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Array<PackedByteArray> {
        reported("vars_to_bytes", &VALUES, encode::encode_each(&values, full_objects))
    }

    /// Each buffer to a value, null where it is bad. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_vars(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        reported("bytes_to_vars", &BUFFERS, decode::decode_each(&buffers, allow_objects))
    }

    /// All values to one buffer, as `store_var` writes them. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_frames(values: AnyArray, #[opt(default = false)] full_objects: bool) -> PackedByteArray {
        reported("vars_to_frames", &VALUES, encode::encode_frames(&values, full_objects))
    }

    /// What `vars_to_frames` or `store_var` wrote to values. What users read: `docs/VarBatch.xml`.
    #[func]
    fn frames_to_vars(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        reported("frames_to_vars", &FRAMES, decode::decode_frames(&frames, allow_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_bytes_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        started("vars_to_bytes_async", ToBytes::new(&values, full_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_vars_async(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        started("bytes_to_vars_async", FromBytes::new(&buffers, allow_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_frames_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        started("vars_to_frames_async", ToFrames::new(&values, full_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn frames_to_vars_async(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        started("frames_to_vars_async", FromFrames::new(frames, allow_objects))
    }

    /// For each buffer what is wrong with it. What users read: `docs/VarBatch.xml`.
    #[func]
    fn validate(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> PackedStringArray {
        said("validate", (validate::validate_each(&buffers, allow_objects), []))
    }

    /// The bytes of one engine to those of another. What users read: `docs/VarBatch.xml`.
    #[func]
    fn transcode(bytes: PackedByteArray, from: DialectArg, to: DialectArg) -> PackedByteArray {
        let Some(translation) = translation("transcode", from, to) else { return PackedByteArray::new() };
        said("transcode", transcode::transcode(&bytes, translation))
    }

    /// The bytes of another engine to a value. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_var_in(
        bytes: PackedByteArray,
        dialect: DialectArg,
        #[opt(default = false)] allow_objects: bool,
    ) -> Variant {
        let Some(from) = dialect_of("bytes_to_var_in", dialect) else { return Variant::nil() };
        said("bytes_to_var_in", transcode::to_var(&bytes, from, allow_objects))
    }

    /// A value to the bytes of another engine. What users read: `docs/VarBatch.xml`.
    #[func]
    fn var_to_bytes_in(
        value: Variant,
        dialect: DialectArg,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        let Some(to) = dialect_of("var_to_bytes_in", dialect) else { return PackedByteArray::new() };
        said("var_to_bytes_in", transcode::from_var(&value, to, full_objects))
    }

    /// The type tree of a buffer. What users read: `docs/VarBatch.xml`.
    #[func]
    fn describe(
        bytes: PackedByteArray,
        #[opt(default = DialectArg::GODOT_4)] dialect: DialectArg,
        #[opt(default = describe::MAX_NODES)] max_nodes: i64,
    ) -> VarDictionary {
        let Some(dialect) = dialect_of("describe", dialect) else { return VarDictionary::new() };
        let Some(count) = usize::try_from(max_nodes).ok().filter(|&count| count > 0) else {
            let line = Line::error(format_args!("expected 1 or more as max_nodes, found {max_nodes}"));
            say("describe", [line], EngineError::ERR_INVALID_PARAMETER);
            return VarDictionary::new();
        };
        said("describe", (describe::describe(engine::bytes_of(&bytes), dialect, count), []))
    }

    /// What differs between two buffers. What users read: `docs/VarBatch.xml`.
    #[func]
    fn diff(
        before: PackedByteArray,
        after: PackedByteArray,
        #[opt(default = false)] allow_objects: bool,
    ) -> Array<VarDictionary> {
        said("diff", diff::diff(&before, &after, allow_objects))
    }

    /// The same of each pair. What users read: `docs/VarBatch.xml`.
    #[func]
    fn diff_batch(pairs: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        said("diff_batch", diff::diff_each(&pairs, allow_objects))
    }

    /// A buffer with all changes. What users read: `docs/VarBatch.xml`.
    #[func]
    fn patch(
        before: PackedByteArray,
        changes: AnyArray,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        said("patch", patch::patch(&before, &changes, full_objects))
    }

    /// What differs, as bytes. What users read: `docs/VarBatch.xml`.
    #[func]
    fn make_delta(before: PackedByteArray, after: PackedByteArray) -> PackedByteArray {
        said("make_delta", delta::make(&before, &after))
    }

    /// What a delta makes of a buffer. What users read: `docs/VarBatch.xml`.
    #[func]
    fn apply_delta(before: PackedByteArray, delta: PackedByteArray) -> PackedByteArray {
        said("apply_delta", delta::apply(&before, &delta))
    }

    /// The same of each pair. What users read: `docs/VarBatch.xml`.
    #[func]
    fn make_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        said("make_deltas", delta::make_each(&pairs))
    }

    /// The same of each pair. What users read: `docs/VarBatch.xml`.
    #[func]
    fn apply_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        said("apply_deltas", delta::apply_each(&pairs))
    }

    /// 0 is one a core, 1 the caller alone. What users read: `docs/VarBatch.xml`.
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

    /// The number in effect, at least 1. What users read: `docs/VarBatch.xml`.
    #[func]
    fn get_thread_count() -> i64 {
        i64::try_from(pool::count()).unwrap_or(i64::MAX)
    }

    /// The version of this crate. What users read: `docs/VarBatch.xml`.
    #[func]
    fn get_version() -> GString {
        env!("CARGO_PKG_VERSION").into()
    }

    /// One row a Variant type, in order of id. What users read: `docs/VarBatch.xml`.
    #[func]
    fn get_type_table() -> Array<VarDictionary> {
        table::rows()
    }

    /// How this thread's last call ended. What users read: `docs/VarBatch.xml`.
    #[func]
    fn get_last_error() -> EngineError {
        said::last_error()
    }

    /// What there is to say about it. What users read: `docs/VarBatch.xml`.
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

/// The dialect that a script has named; says so if there is none.
fn dialect_of(method: &str, arg: DialectArg) -> Option<Dialect> {
    arg.dialect().map_err(|why| say(method, [Line::error(why)], EngineError::ERR_INVALID_PARAMETER)).ok()
}

/// The way from one dialect to another.
pub fn translation(method: &str, from: DialectArg, to: DialectArg) -> Option<Translation> {
    Some(Translation::new(dialect_of(method, from)?, dialect_of(method, to)?))
}
