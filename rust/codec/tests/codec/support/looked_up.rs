//! Each value that a walk over a sound buffer comes by is found at its path, and nothing panics in a damaged one.

use varbatch_codec::describe::{Found, Node, nodes};
use varbatch_codec::lookup::{Found as Come, Key, LookupError, Seek, Target, find, lookup};
use varbatch_codec::{Dialect, Engine, Event, Kind, PathStep, Plain, Reader, Scalar, Shape, Writer};

/// Where the bytes begin in what they are said to be a part of.
const BASE: usize = 1000;

/// A lookup passes what is before its value, so that not all values of a long input are looked up.
const VALUES: usize = 64;

/// A step, and what it is the same as for a Dictionary.
type Step = (Vec<u8>, String);

/// A value: the steps to it, where it begins, its size, and how many texts or elements it has.
struct Value {
    path: Vec<Step>,
    at: usize,
    size: usize,
    /// True if a value before it has the same path.
    is_second: bool,
    texts: usize,
    packed: usize,
}

/// Looks up every value of the value at the start of `bytes`, objects included, and each element of its packed arrays.
///
/// # Panics
/// If something does not hold.
pub fn looked_up(bytes: &[u8], engine: Engine) {
    let dialect = Dialect::of(engine);
    let (mut values, mut open, mut is_sound) = (Vec::<Value>::new(), Vec::<usize>::new(), true);
    for found in nodes(bytes, BASE, dialect) {
        match found {
            // A text that is written loses its byte-order mark when it is read.
            Ok(Found::Node(Node { step: Some(PathStep::Property(name)), .. }))
                if name.to_utf8().starts_with('\u{feff}') =>
            {
                return;
            }
            Ok(Found::Node(node)) => {
                let mut path = open.last().map_or_else(Vec::new, |&outer| values[outer].path.clone());
                path.extend(step(&node, dialect));
                // A key or name that there is twice is looked up elsewhere.
                let is_seen = |value: &Value| value.path.len() >= path.len() && same(&value.path[..path.len()], &path);
                let inner = open.last().map_or(&[][..], |&outer| &values[outer + 1..]);
                let is_second = open.last().is_some_and(|&outer| values[outer].is_second) || inner.iter().any(is_seen);
                if is_second {
                    values.iter_mut().filter(|value| is_seen(value)).for_each(|value| value.is_second = true);
                }
                open.push(values.len());
                let packed = if let Event::Packed(plain) = node.event { plain.count } else { 0 };
                values.push(Value { path, at: node.at, size: 0, is_second, texts: 0, packed });
            }
            Ok(Found::Text(_)) => values[*open.last().expect("of a value")].texts += 1,
            Ok(Found::End { size, .. }) => values[open.pop().expect("begun")].size = size,
            Err(_) => is_sound = false,
        }
        if values.len() > 4 * VALUES {
            return;
        }
    }
    for (number, value) in values.iter().enumerate() {
        let end = (value.at - BASE + value.size).min(bytes.len());
        let expected = &bytes[value.at - BASE..end];
        // What lies before damage is found too.
        let is_there =
            is_sound || (engine == Engine::Godot4 && is_whole(expected) && !value.path.iter().any(may_be_twice));
        if value.is_second || !is_there || (number >= VALUES && number % VALUES != 0) {
            continue;
        }
        let keys: Vec<_> = value.path.iter().map(|(bytes, _)| Key::of(bytes, dialect).expect("a key")).collect();
        let path: Vec<_> = keys.iter().copied().map(Seek::Key).collect();
        let found = lookup(bytes, BASE, dialect, &path);
        is_target(found.unwrap_or_else(|error| panic!("{:?}: {error}", value.path)), value, expected);
        match find(bytes, BASE, dialect, &keys) {
            Ok(Come::Target(target)) => is_target(target, value, expected),
            Ok(Come::OtherKey { .. } | Come::Mistyped { .. }) => {}
            // Of a container with mistyped parts, all is read.
            found => assert!(found.is_err() && !is_sound, "{:?}: {found:?}", value.path),
        }
        if is_sound {
            elements(bytes, value, &path, dialect);
        }
    }
}

/// True if the step is a key that may be there again, in the damage: null, a Callable, a Dictionary or an Array.
fn may_be_twice(step: &Step) -> bool {
    matches!(step.0[0], 0 | 25 | 27 | 28)
}

/// True if the bytes are a value of Godot 4.
fn is_whole(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes).with_objects(true);
    reader.skip_value().is_ok() && reader.position() == bytes.len()
}

fn is_target(target: Target<'_>, value: &Value, expected: &[u8]) {
    match target {
        Target::Value { at, bytes } | Target::Element { at, plain: Plain { bytes, .. } } => {
            assert_eq!((at, bytes), (value.at, expected), "{:?}", value.path);
        }
        Target::Text { .. } => panic!("{:?} leads to a text", value.path),
    }
}

/// Elements of a packed array lie one behind the other, and behind the last there is none.
fn elements(bytes: &[u8], value: &Value, path: &[Seek<'_>], dialect: Dialect) {
    let kind = nodes(&bytes[value.at - BASE..], 0, dialect).next();
    let Some(Ok(Found::Node(Node { kind, .. }))) = kind else { return };
    let count = if kind == Kind::PackedStringArray { value.texts } else { value.packed };
    if !matches!(kind.shape(), Shape::Packed { .. } | Shape::PackedStrings)
        || value.at - BASE + value.size > bytes.len()
    {
        return;
    }
    let mut next = value.at + 8;
    for index in (0..count).take(VALUES).chain([count]) {
        let step = encoded(Event::Int(index as i64), dialect).expect("an int");
        match lookup(bytes, BASE, dialect, &[path, &[Seek::Key(Key::of(&step, dialect).expect("an int"))]].concat()) {
            Ok(Target::Element { at, plain: Plain { bytes: element, count: 1, .. } }) => {
                assert_eq!((at, element), (next, &bytes[at - BASE..][..element.len()]));
                next += element.len();
            }
            Ok(Target::Text { at, .. }) => assert!(at >= next && index < count),
            Err(LookupError::NoStep { .. }) => assert_eq!(index, count),
            found => panic!("{found:?} at {index}"),
        }
    }
}

fn step(node: &Node<'_>, dialect: Dialect) -> Option<Step> {
    Some(match node.step? {
        PathStep::Index(index) => (encoded(Event::Int(index as i64), dialect)?, String::new()),
        PathStep::Key(bytes) => {
            let mut reader = Reader::new(bytes).with_dialect(dialect).with_objects(true).with_trusted_counts();
            let (kind, event) = (reader.peek_kind().ok()?, reader.next_event().ok()??);
            (bytes.to_vec(), canonical(kind, event, bytes, dialect))
        }
        PathStep::Property(name) => (encoded(Event::String(name), dialect)?, name.to_utf8().into_owned()),
    })
}

fn encoded(event: Event<'_>, dialect: Dialect) -> Option<Vec<u8>> {
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    writer.write(event).ok()?;
    writer.end_value(start).ok()?;
    Some(writer.into_plan().to_vec())
}

fn same(a: &[Step], b: &[Step]) -> bool {
    a.iter().zip(b).all(|(a, b)| if a.1.is_empty() && b.1.is_empty() { a.0 == b.0 } else { a.1 == b.1 })
}

/// Keys that are the same for the engine are the same text here.
fn canonical(kind: Kind, event: Event<'_>, bytes: &[u8], dialect: Dialect) -> String {
    let float = |value: f64| format!("{:?}", if value == 0.0 { 0.0 } else { value });
    match event {
        Event::String(text) | Event::StringName(text) => format!("text {}", text.to_utf8()),
        Event::Float(value) => float(value),
        Event::Int(value) => value.to_string(),
        Event::Components(plain) | Event::Packed(plain) => {
            let (Shape::Components { scalar, .. } | Shape::Packed { scalar, .. }) = kind.shape() else {
                unreachable!("plain data")
            };
            let numbers: Vec<_> = match (scalar, scalar.size(plain.width)) {
                (Scalar::F32 | Scalar::Real, 4) => plain.bytes.chunks(4).map(four).map(float).collect(),
                (Scalar::F64 | Scalar::Real, 8) => plain.bytes.chunks(8).map(eight).map(float).collect(),
                _ => vec![format!("{:?}", plain.bytes)],
            };
            format!("{kind:?} {numbers:?}")
        }
        Event::Bool(_) | Event::Nil | Event::Rid(_) | Event::ObjectId(_) | Event::Signal { .. } | Event::Callable => {
            format!("{event:?}")
        }
        Event::Object { .. } => format!("{bytes:?}"),
        _ => parts(bytes, dialect),
    }
}

/// The events of a key that has parts, with texts and numbers as the engine compares them.
fn parts(bytes: &[u8], dialect: Dialect) -> String {
    let mut reader = Reader::new(bytes).with_dialect(dialect).with_objects(true).with_trusted_counts();
    let mut parts = String::new();
    while let (kind, Ok(Some(event))) = (reader.peek_kind().unwrap_or(Kind::Nil), reader.next_event()) {
        parts += &match event {
            Event::String(text) => format!("String {}", text.to_utf8()),
            Event::StringName(text) => format!("StringName {}", text.to_utf8()),
            Event::Text(text) => text.to_utf8().into_owned(),
            // Without their types.
            Event::Array { count, .. } | Event::Dictionary { count, .. } => format!("{kind:?} {count}"),
            Event::Float(_) | Event::Components(_) | Event::Packed(_) => canonical(kind, event, bytes, dialect),
            event => format!("{event:?}"),
        };
        parts.push(';');
    }
    parts
}

fn four(bytes: &[u8]) -> f64 {
    f32::from_le_bytes(bytes.try_into().expect("of four bytes")).into()
}

fn eight(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().expect("of eight bytes"))
}
