//! The rows of `VarBatch.get_type_table()`.

use godot::builtin::{VarDictionary, vdict};
use varbatch_codec::{Kind, Scalar, Shape};

use crate::engine::DIALECTS;

pub fn row(kind: Kind) -> VarDictionary {
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
    ["uint8", "int32", "int64", "float32", "float64", "float32, or float64 if flagged"][scalar as usize]
}
