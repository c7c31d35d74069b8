//! Class `VarBatch`: what GDScript sees, with its in-editor documentation.

use godot::builtin::{
    AnyArray, Array, GString, PackedByteArray, PackedStringArray, VarArray, VarDictionary, Variant, vdict,
};
use godot::global::{Error as EngineError, godot_error, godot_warn};
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, Kind, Scalar, Shape};

use crate::batch::{Line, Report, Reports, lines};
use crate::engine::{self, BytesOut, Call, DIALECTS, DialectArg, Slot, Value};
use crate::files::{NOT_COMPRESSED, Target};
use crate::task::{FromBytes, FromFrames, Load, Save, ToBytes, ToFrames, VarBatchTask};
use crate::{decode, delta, describe, diff, encode, files, patch, pool, task, transcode, validate};

/// The most threads that [`VarBatch::set_thread_count`] takes.
const MAX_THREADS: i64 = 256;

/// The class of static methods. What users read of it is in `docs/VarBatch.xml`.
#[derive(GodotClass)]
#[class(no_init, base = Object)]
struct VarBatch {}

#[godot_api]
impl VarBatch {
    /// No compression: what `compression_mode` is by default.
    #[constant]
    const COMPRESSION_NONE: i64 = NOT_COMPRESSED;

    /// Each value to a buffer of its own. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_bytes(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Array<PackedByteArray> {
        let (buffers, reports) = encode::encode_each(&values, full_objects);
        report("vars_to_bytes", "value", &reports);
        buffers
    }

    /// Each buffer to a value, null where it is bad. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_vars(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, reports) = decode::decode_each(&buffers, allow_objects);
        report("bytes_to_vars", "buffer", &reports);
        values
    }

    /// All values to one buffer, as `store_var` writes them. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_frames(values: AnyArray, #[opt(default = false)] full_objects: bool) -> PackedByteArray {
        let (frames, reports) = encode::encode_frames(&values, full_objects);
        report("vars_to_frames", "value", &reports);
        frames
    }

    /// What `vars_to_frames` or `store_var` wrote to values. What users read: `docs/VarBatch.xml`.
    #[func]
    fn frames_to_vars(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, reports) = decode::decode_frames(&frames, allow_objects);
        report("frames_to_vars", "frame", &reports);
        values
    }

    /// All values to a file. What users read: `docs/VarBatch.xml`.
    #[func]
    fn save_vars(
        path: GString,
        values: AnyArray,
        #[opt(default = false)] full_objects: bool,
        #[opt(default = NOT_COMPRESSED)] compression_mode: i64,
    ) -> EngineError {
        let saved = Target::new(&path, compression_mode).and_then(|target| files::save(&target, &values, full_objects));
        match saved {
            Ok(()) => EngineError::OK,
            Err(failure) => {
                Line::error(&failure.text).print("save_vars");
                failure.code
            }
        }
    }

    /// What `save_vars` or `store_var` wrote. What users read: `docs/VarBatch.xml`.
    #[func]
    fn load_vars(path: GString, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, lines) = match files::open(&path) {
            Ok(loader) => {
                let (values, lines, _) = files::load(loader, allow_objects).of_file(&path.to_string());
                (values.into_array(), lines)
            }
            Err(failure) => (VarArray::new(), vec![Line::error(failure.text)]),
        };
        for line in lines {
            line.print("load_vars");
        }
        values
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_bytes_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        task::start("vars_to_bytes_async", ToBytes::new(&values, full_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_vars_async(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        task::start("bytes_to_vars_async", FromBytes::new(&buffers, allow_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_frames_async(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Gd<VarBatchTask> {
        task::start("vars_to_frames_async", ToFrames::new(&values, full_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn frames_to_vars_async(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        task::start("frames_to_vars_async", FromFrames::new(frames, allow_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn save_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = false)] full_objects: bool,
        #[opt(default = NOT_COMPRESSED)] compression_mode: i64,
    ) -> Gd<VarBatchTask> {
        task::start("save_vars_async", Save::new(&path, &values, full_objects, compression_mode))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn load_vars_async(path: GString, #[opt(default = false)] allow_objects: bool) -> Gd<VarBatchTask> {
        task::start("load_vars_async", Load::new(&path, allow_objects))
    }

    /// For each buffer what is wrong with it. What users read: `docs/VarBatch.xml`.
    #[func]
    fn validate(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> PackedStringArray {
        validate::validate_each(&buffers, allow_objects)
    }

    /// The bytes of one engine to those of another. What users read: `docs/VarBatch.xml`.
    #[func]
    fn transcode(bytes: PackedByteArray, from: DialectArg, to: DialectArg) -> PackedByteArray {
        in_dialects("transcode", from, to, |translation| transcode::transcode(&bytes, translation)).unwrap_or_default()
    }

    /// A file of one engine to one of another. What users read: `docs/VarBatch.xml`.
    #[func]
    fn transcode_file(source: GString, target: GString, from: DialectArg, to: DialectArg) -> EngineError {
        let transcoded = in_dialects("transcode_file", from, to, |translation| {
            match files::transcode(&source, &target, translation) {
                Ok(lines) => (EngineError::OK, lines),
                Err(failure) => (failure.code, vec![Line::error(failure.text)]),
            }
        });
        transcoded.unwrap_or(EngineError::ERR_INVALID_PARAMETER)
    }

    /// The bytes of another engine to a value. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_var_in(
        bytes: PackedByteArray,
        dialect: DialectArg,
        #[opt(default = false)] allow_objects: bool,
    ) -> Variant {
        let decode = |from| transcode::to_var(&bytes, from, allow_objects);
        in_dialect("bytes_to_var_in", dialect, decode).unwrap_or_default()
    }

    /// A value to the bytes of another engine. What users read: `docs/VarBatch.xml`.
    #[func]
    fn var_to_bytes_in(
        value: Variant,
        dialect: DialectArg,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        let encode = |to| transcode::from_var(&value, to, full_objects);
        in_dialect("var_to_bytes_in", dialect, encode).unwrap_or_default()
    }

    /// The type tree of a buffer. What users read: `docs/VarBatch.xml`.
    #[func]
    fn describe(bytes: PackedByteArray, #[opt(default = DialectArg::GODOT_4)] dialect: DialectArg) -> VarDictionary {
        let describe = |dialect| (describe::describe(engine::bytes_of(&bytes), dialect), Vec::new());
        in_dialect("describe", dialect, describe).unwrap_or_default()
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
        match usize::try_from(count) {
            Ok(threads) if count <= MAX_THREADS => pool::set_count(threads),
            _ => godot_error!("VarBatch.set_thread_count: expected a count from 0 to {MAX_THREADS}, found {count}"),
        }
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
        let row = |kind: Kind| {
            let wire = wire(kind.shape());
            let mut row = vdict! { "type" => i64::from(kind.id()), "name" => kind.name(), "wire" => wire.as_str() };
            for (name, dialect) in &DIALECTS[1..] {
                let name = name.trim_start_matches("DIALECT_").to_ascii_lowercase();
                row.set(name.as_str(), dialect.engine.id(kind).map_or(-1, i64::from));
            }
            row
        };
        Kind::ALL.into_iter().map(row).collect()
    }
}

impl Call for VarBatch {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut) {
        if let Err(error) = encode::encode(value, full_objects, out) {
            out.set_bytes(PackedByteArray::new());
            godot_error!("VarBatch.var_to_bytes: {error}");
        }
    }

    #[inline(always)]
    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) {
        match decode::decode(bytes, allow_objects, out) {
            Ok(None) => {}
            Ok(Some(dropped)) => godot_warn!("VarBatch.bytes_to_var: {}", Report::Dropped(dropped)),
            Err(report) => {
                out.clear();
                godot_error!("VarBatch.bytes_to_var: {report}");
            }
        }
    }
}

/// Adds to the class what is not a `#[func]`. To be called when it is registered.
pub fn register() {
    engine::register::<VarBatch>();
    engine::register_dialects::<VarBatch>();
}

/// Gives the editor the documentation of the class.
pub fn load_docs() {
    engine::load_docs(include_str!("../../docs/VarBatch.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchTask.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchUndoRecorder.xml"));
}

/// What `work` gives in a dialect, and prints what there is to say about it. Nothing if there is no such dialect.
fn in_dialect<T>(method: &str, arg: DialectArg, work: impl FnOnce(Dialect) -> (T, Vec<Line>)) -> Option<T> {
    let (result, lines) = match arg.dialect() {
        Ok(dialect) => {
            let (result, lines) = work(dialect);
            (Some(result), lines)
        }
        Err(why) => (None, vec![Line::error(why)]),
    };
    for line in lines {
        line.print(method);
    }
    result
}

/// The same from one dialect to another.
fn in_dialects<T>(
    method: &str,
    from: DialectArg,
    to: DialectArg,
    work: impl FnOnce(Translation) -> (T, Vec<Line>),
) -> Option<T> {
    let second = |from| in_dialect(method, to, |to| work(Translation::new(from, to)));
    in_dialect(method, from, |from| (second(from), Vec::new())).flatten()
}

/// What a call gives, when what there is to say about it is printed.
fn said<T>(method: &str, (result, lines): (T, impl IntoIterator<Item = Line>)) -> T {
    for line in lines {
        line.print(method);
    }
    result
}

/// Prints what there is to say about a batch.
fn report(method: &str, element: &str, reports: &Reports) {
    lines(element, reports).for_each(|line| line.print(method));
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
        Shape::PackedStrings => "count, texts with a NUL".into(),
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

#[cfg(test)]
mod tests;
