//! Values that own their data, and any of them, over the table of types.

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::{Event, Kind, Plain, Shape, Text, Width};

#[derive(Clone, Debug)]
pub enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A math type or a packed array other than of strings.
    Plain {
        kind: Kind,
        width: Width,
        count: usize,
        bytes: Vec<u8>,
    },
    Texts(Vec<Vec<u32>>),
}

impl Value {
    pub fn events(&self) -> Vec<Event<'_>> {
        match self {
            Self::Nil => vec![Event::Nil],
            Self::Bool(value) => vec![Event::Bool(*value)],
            Self::Int(value) => vec![Event::Int(*value)],
            Self::Float(value) => vec![Event::Float(*value)],
            Self::Plain { kind, width, count, bytes } => {
                let plain = Plain { kind: *kind, width: *width, count: *count, bytes };
                let packed = matches!(kind.shape(), Shape::Packed { .. });
                vec![if packed { Event::Packed(plain) } else { Event::Components(plain) }]
            }
            Self::Texts(texts) => {
                let head = Event::PackedStrings { count: texts.len() };
                let texts = texts.iter().map(|chars| Event::Text(Text::Utf32(chars)));
                std::iter::once(head).chain(texts).collect()
            }
        }
    }
}

/// How many cases a property has. No file keeps its failures: a failure prints its smallest input.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub fn native_kinds() -> Vec<Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.is_native()).collect()
}

/// Any value that the crate writes itself, with components of `width`.
pub fn any_value(width: Width) -> impl Strategy<Value = Value> {
    proptest::sample::select(native_kinds()).prop_flat_map(move |kind| any_of(kind, width))
}

/// Any value of one kind.
pub fn any_of(kind: Kind, width: Width) -> BoxedStrategy<Value> {
    let shape = kind.shape();
    let width = if shape.is_real() { width } else { Width::Single };
    let plain = move |count: usize| {
        let len = count * shape.element_len(width).expect("plain data");
        vec(any::<u8>(), len).prop_map(move |bytes| Value::Plain { kind, width, count, bytes })
    };
    match shape {
        Shape::Nil => Just(Value::Nil).boxed(),
        Shape::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Shape::Int => any_int().prop_map(Value::Int).boxed(),
        Shape::Float => any_float().prop_map(Value::Float).boxed(),
        Shape::Components { .. } => plain(1).boxed(),
        Shape::Packed { .. } => (0..70_usize).prop_flat_map(plain).boxed(),
        Shape::PackedStrings => vec(any_text(), 0..6).prop_map(Value::Texts).boxed(),
        _ => panic!("{} is not native", kind.name()),
    }
}

/// As many of 32 bits as of 64, and the steps between.
fn any_int() -> impl Strategy<Value = i64> {
    let edge = proptest::sample::select(vec![0, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(u32::MAX)]);
    prop_oneof![any::<i64>(), any::<i32>().prop_map(i64::from), (edge, -2..=2_i64).prop_map(|(edge, step)| edge + step)]
}

/// Every bit pattern, those that are exact in 32 bits, and many NaNs.
fn any_float() -> impl Strategy<Value = f64> {
    let nan = any::<u64>().prop_map(|bits| f64::from_bits(bits | 0x7ff0_0000_0000_0001));
    let short = any::<u32>().prop_map(|bits| f64::from(f32::from_bits(bits)));
    prop_oneof![any::<u64>().prop_map(f64::from_bits), short, nan]
}

/// Text that is read as it was written: no NUL, no leading byte-order mark, no surrogate.
fn any_text() -> impl Strategy<Value = Vec<u32>> {
    let character = prop_oneof![4 => proptest::char::range(' ', '~'), 1 => any::<char>()];
    vec(character.prop_filter("ends the text", |&c| c != '\0'), 0..90)
        .prop_map(|chars| chars.into_iter().skip_while(|&c| c == '\u{feff}').map(u32::from).collect())
}
