//! Class `VarBatch`: what GDScript sees, with its in-editor documentation.

use godot::builtin::{AnyArray, Array, GString, PackedByteArray, PackedStringArray, VarArray, VarDictionary, vdict};
use godot::global::{godot_error, godot_warn};
use godot::register::{GodotClass, godot_api};
use varbatch_codec::{Kind, Scalar, Shape};

use crate::batch::{Report, Reports};
use crate::engine::{self, BytesOut, Call, Slot, Value};
use crate::pool;
use crate::{decode, describe, encode, validate};

/// The most threads that [`VarBatch::set_thread_count`] takes.
const MAX_THREADS: i64 = 256;

/// The class of static methods. What users read of it is in `docs/VarBatch.xml`.
#[derive(GodotClass)]
#[class(no_init, base = Object)]
struct VarBatch {}

#[godot_api]
impl VarBatch {
    /// Each value to a buffer of its own. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_bytes(values: AnyArray, #[opt(default = false)] full_objects: bool) -> Array<PackedByteArray> {
        let (buffers, reports) = encode::encode_each(&values, full_objects);
        report("vars_to_bytes", "value", reports);
        buffers
    }

    /// Each buffer to a value, null where it is bad. What users read: `docs/VarBatch.xml`.
    #[func]
    fn bytes_to_vars(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, reports) = decode::decode_each(&buffers, allow_objects);
        report("bytes_to_vars", "buffer", reports);
        values
    }

    /// All values to one buffer, as `store_var` writes them. What users read: `docs/VarBatch.xml`.
    #[func]
    fn vars_to_frames(values: AnyArray, #[opt(default = false)] full_objects: bool) -> PackedByteArray {
        let (frames, reports) = encode::encode_frames(&values, full_objects);
        report("vars_to_frames", "value", reports);
        frames
    }

    /// What `vars_to_frames` or `store_var` wrote to values. What users read: `docs/VarBatch.xml`.
    #[func]
    fn frames_to_vars(frames: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> VarArray {
        let (values, reports) = decode::decode_frames(&frames, allow_objects);
        report("frames_to_vars", "frame", reports);
        values
    }

    /// For each buffer what is wrong with it. What users read: `docs/VarBatch.xml`.
    #[func]
    fn validate(buffers: AnyArray, #[opt(default = false)] allow_objects: bool) -> PackedStringArray {
        validate::validate_each(&buffers, allow_objects)
    }

    /// The type tree of a buffer. What users read: `docs/VarBatch.xml`.
    #[func]
    fn describe(bytes: PackedByteArray) -> VarDictionary {
        describe::describe(engine::bytes_of(&bytes))
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
            vdict! { "type" => i64::from(kind.id()), "name" => kind.name(), "wire" => wire.as_str() }
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
}

/// Gives the editor the documentation of the class.
pub fn load_docs() {
    engine::load_docs(include_str!("../docs/VarBatch.xml"));
}

/// One line for each element of a batch that there is something to say about.
fn report(method: &str, element: &str, reports: Reports) {
    for (index, report) in reports {
        let line = format!("VarBatch.{method}: {element} {index}: {report}");
        if report.is_warning() { godot_warn!("{line}") } else { godot_error!("{line}") }
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
        Shape::Dictionary => "types of keys and values if flagged, count, keys and values".into(),
        Shape::Array => "type of elements if flagged, count, elements".into(),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// For each `mark` in `text`, what stands between the next `before` and the next `after`.
    fn names<'a>(text: &'a str, mark: &str, before: &str, after: &str) -> BTreeSet<&'a str> {
        let name = |rest: &'a str| rest.split_once(before)?.1.split_once(after).map(|(name, _)| name);
        text.split(mark).skip(1).filter_map(name).collect()
    }

    /// A method that the editor's help does not have, or one that only the help has, is a mistake.
    /// For parameters: `godot --doctool DIR --gdextension-docs` leaves a right DIR/doc_classes/VarBatch.xml as it is.
    #[test]
    fn every_method_is_documented() {
        let (api, _) = include_str!("api.rs").split_once("#[cfg(test)]").expect("this module");
        let mut methods = names(api, "    #[func", "fn ", "(");
        methods.append(&mut names(include_str!("engine/call.rs"), "::from_signature", "StringName::from(\"", "\")"));
        assert_eq!(methods, names(include_str!("../docs/VarBatch.xml"), "<method ", "name=\"", "\""));
        assert!(methods.contains("vars_to_bytes") && methods.contains("var_to_bytes"), "{methods:?}");
    }
}
