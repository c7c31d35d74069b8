//! Values as the recording of Pandemonium shows them: exact, in one line.

use varbatch_codec::{Dialect, Event, Kind, OwnedType, Plain, Reader, Scalar, Shape, Value, Writer};

/// A value that was read, in the form of `pandemonium53_encoded.txt`.
pub fn shown(value: &Value) -> String {
    let list = |values: &[Value]| values.iter().map(shown).collect::<Vec<_>>().join(";");
    let names = |names: &[String], by| names.iter().map(|name| text(name)).collect::<Vec<_>>().join(by);
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => format!("int:{value}"),
        Value::Float(value) => format!("float:{}", float(*value)),
        Value::String(value) => format!("str:{}", text(value)),
        Value::StringName(value) => format!("name:{}", text(value)),
        Value::NodePath { names: of, subnames, absolute } => {
            format!("NodePath({}{}:{})", if *absolute { "/" } else { "" }, names(of, "/"), names(subnames, ":"))
        }
        Value::Rid(_) => "RID".to_owned(),
        Value::ObjectId(id) => format!("id:{}", *id as i64),
        Value::Object { class, properties } if class == "EncodedObjectAsID" => match &properties[0].1 {
            Value::Int(id) => format!("id:{id}"),
            other => panic!("an id, not {other:?}"),
        },
        Value::Object { class, properties } => {
            let is_shown = |name: &str| name != "script" && name != "resource_local_to_scene";
            let all = properties.iter().filter(|(name, _)| is_shown(name));
            let all: Vec<_> = all.map(|(name, value)| format!("{name}={}", shown(value))).collect();
            format!("obj:{class}{{{}}}", all.join(";"))
        }
        Value::Dictionary { entries, .. } => {
            let all: Vec<_> = entries.iter().map(|(key, value)| format!("{}={}", shown(key), shown(value))).collect();
            format!("{{{}}}", all.join(";"))
        }
        Value::Array { element, elements } => format!("Array{}({})", of(element), list(elements)),
        Value::PackedStringArray(texts) => {
            let all: Vec<_> = texts.iter().map(|of| format!("str:{}", text(of))).collect();
            format!("PackedStringArray({})", all.join(";"))
        }
        other => plain(other),
    }
}

fn of(element: &OwnedType) -> String {
    match element {
        OwnedType::Any => String::new(),
        OwnedType::Builtin(kind) => format!("[{}]", kind.name()),
        OwnedType::Class(name) | OwnedType::Script(name) => format!("[{name}]"),
    }
}

fn text(text: &str) -> String {
    text.chars().map(|char| format!("{:x}", u32::from(char))).collect::<Vec<_>>().join(".")
}

fn float(float: f64) -> String {
    if float.is_nan() {
        return "nan".to_owned();
    }
    float.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Components and packed arrays, from their bytes.
fn plain(value: &Value) -> String {
    let mut writer = Writer::new(Dialect::GODOT_4);
    value.write(&mut writer).expect("Godot 4 has all types");
    let bytes = writer.into_plan().to_vec();
    let mut reader = Reader::new(&bytes);
    match reader.next_event() {
        Ok(Some(Event::Components(plain))) => components(plain.kind, &numbers(plain)),
        Ok(Some(Event::Packed(plain))) => {
            let numbers = numbers(plain);
            let all = |of| {
                let each = numbers.chunks(numbers.len() / plain.count);
                each.map(|one| components(of, one)).collect::<Vec<_>>().join(";")
            };
            let inner = match plain.kind {
                _ if plain.count == 0 => String::new(),
                Kind::PackedByteArray => plain.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                Kind::PackedVector2Array => all(Kind::Vector2),
                Kind::PackedVector3Array => all(Kind::Vector3),
                Kind::PackedVector4Array => all(Kind::Vector4),
                Kind::PackedColorArray => all(Kind::Color),
                _ => numbers.join(","),
            };
            format!("{}({inner})", plain.kind.name())
        }
        other => panic!("not plain: {other:?}"),
    }
}

fn numbers(plain: Plain<'_>) -> Vec<String> {
    let (Shape::Components { scalar, .. } | Shape::Packed { scalar, .. }) = plain.kind.shape() else { unreachable!() };
    let words = plain.bytes.chunks_exact(4).map(|word| <[u8; 4]>::try_from(word).expect("four bytes"));
    match scalar {
        Scalar::I32 => words.map(|word| i32::from_le_bytes(word).to_string()).collect(),
        _ => words.map(|word| float(f32::from_le_bytes(word).into())).collect(),
    }
}

fn components(kind: Kind, numbers: &[String]) -> String {
    let parts = |kind, len| numbers.chunks(len).map(|part| components(kind, part)).collect::<Vec<_>>().join(",");
    let inner = match kind {
        Kind::Aabb => parts(Kind::Vector3, 3),
        Kind::Transform2D => parts(Kind::Vector2, 2),
        Kind::Projection => parts(Kind::Vector4, 4),
        // Rows on the wire.
        Kind::Basis => {
            let column = |at: usize| [0, 3, 6].map(|row| numbers[row + at].clone());
            [0, 1, 2].map(|at| components(Kind::Vector3, &column(at))).join(",")
        }
        Kind::Transform3D => {
            [components(Kind::Basis, &numbers[..9]), components(Kind::Vector3, &numbers[9..])].join(",")
        }
        _ => numbers.join(","),
    };
    format!("{}({inner})", kind.name())
}
