//! Each value that a walk over a sound buffer comes by is found at its path, and nothing panics in a damaged one.

use varbatch_codec::describe::{Found, Node, Way, nodes};
use varbatch_codec::lookup::{LookupErrorKind, Seek, Target, lookup};
use varbatch_codec::{Dialect, Engine, Event, Kind, Plain, Scalar, Shape, Writer};

/// Where the bytes begin in what they are said to be a part of.
const BASE: usize = 1000;

/// A lookup passes what is before its value, so that not all values of a long input are looked up.
const VALUES: usize = 64;

/// A step, and what it is the same as for a Dictionary.
type Step = (Vec<u8>, String);

/// A value: the steps to it, where it begins, its size, and whether it has a header.
struct Value {
    path: Vec<Step>,
    at: usize,
    size: usize,
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
            Ok(Found::Node(Node { way: Way::Property(name), .. })) if name.to_utf8().starts_with('\u{feff}') => return,
            Ok(Found::Node(node)) => {
                let mut path = open.last().map_or_else(Vec::new, |&outer| values[outer].path.clone());
                path.extend(step(&node, dialect));
                // Of a key or name that there is twice, the last one counts.
                let is_seen = |value: &Value| value.path.len() >= path.len() && same(&value.path[..path.len()], &path);
                if open.last().is_some_and(|&outer| values[outer + 1..].iter().any(is_seen)) {
                    values.iter_mut().filter(|value| is_seen(value)).for_each(|value| value.at = 0);
                }
                open.push(values.len());
                let packed = if let Event::Packed(plain) = node.event { plain.count } else { 0 };
                values.push(Value { path, at: node.at, size: 0, texts: 0, packed });
            }
            Ok(Found::Text(_)) => values[*open.last().expect("of a value")].texts += 1,
            Ok(Found::End { size }) => values[open.pop().expect("begun")].size = size,
            Err(_) => is_sound = false,
        }
        if values.len() > 4 * VALUES {
            return;
        }
    }
    for (number, value) in values.iter().enumerate() {
        if value.at == 0 || (number >= VALUES && number % VALUES != 0) {
            continue;
        }
        let path: Vec<_> = value.path.iter().map(|(bytes, _)| Seek::Key(bytes)).collect();
        let found = lookup(bytes, BASE, dialect, &path);
        if !is_sound {
            continue;
        }
        let end = (value.at - BASE + value.size).min(bytes.len());
        let expected = &bytes[value.at - BASE..end];
        match found.unwrap_or_else(|error| panic!("{:?}: {error}", value.path)) {
            Target::Value { at, bytes } => assert_eq!((at, bytes), (value.at, expected), "{:?}", value.path),
            Target::Element { at, plain } => assert_eq!((at, plain.bytes), (value.at, expected), "{:?}", value.path),
            Target::Text { .. } => panic!("{:?} leads to a text", value.path),
        }
        elements(bytes, value, &path, dialect);
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
        match lookup(bytes, BASE, dialect, &[path, &[Seek::Key(&step)]].concat()) {
            Ok(Target::Element { at, plain: Plain { bytes: element, count: 1, .. } }) => {
                assert_eq!((at, element), (next, &bytes[at - BASE..][..element.len()]));
                next += element.len();
            }
            Ok(Target::Text { at, .. }) => assert!(at >= next && index < count),
            Err(error) if matches!(error.kind(), LookupErrorKind::NoStep(_)) => assert_eq!(index, count),
            found => panic!("{found:?} at {index}"),
        }
    }
}

fn step(node: &Node<'_>, dialect: Dialect) -> Option<Step> {
    Some(match node.way {
        Way::Root => return None,
        Way::Index(index) => (encoded(Event::Int(index as i64), dialect)?, String::new()),
        Way::Key { bytes, kind, event } => (bytes.to_vec(), canonical(kind, event, bytes)),
        Way::Property(name) => (encoded(Event::String(name), dialect)?, name.to_utf8().into_owned()),
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
fn canonical(kind: Kind, event: Event<'_>, bytes: &[u8]) -> String {
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
        _ => format!("{bytes:?}"),
    }
}

fn four(bytes: &[u8]) -> f64 {
    f32::from_le_bytes(bytes.try_into().expect("of four bytes")).into()
}

fn eight(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().expect("of eight bytes"))
}
