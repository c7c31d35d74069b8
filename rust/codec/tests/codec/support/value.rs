//! Values that own their data, and any of them, over the table of types.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use varbatch_codec::{ElementType, Event, Kind, Plain, Shape, Text, Width};

/// Text as the engine holds it.
pub type Chars = Vec<u32>;

pub fn chars(text: &str) -> Chars {
    text.chars().map(u32::from).collect()
}

/// A value; `Plain` is a math type or a packed array other than of strings.
#[derive(Clone, Debug)]
pub enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Plain { kind: Kind, width: Width, count: usize, bytes: Vec<u8> },
    Texts(Vec<Chars>),
    String(Chars),
    StringName(Chars),
    NodePath { names: Vec<Chars>, subnames: Vec<Chars>, absolute: bool },
    Rid(u64),
    Callable,
    Signal { name: Chars, object: u64 },
    ObjectId(u64),
    Object { class: Chars, properties: Vec<(Chars, Value)> },
    Dictionary { key: Element, value: Element, entries: Vec<(Value, Value)> },
    Array { element: Element, elements: Vec<Value> },
}

/// What the elements of a container must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    Any,
    Builtin(Kind),
    Class(Chars),
    Script(Chars),
}

impl Element {
    fn event(&self) -> ElementType<'_> {
        match self {
            Self::Any => ElementType::Any,
            Self::Builtin(kind) => ElementType::Builtin(*kind),
            Self::Class(name) => ElementType::Class(Text::Utf32(name)),
            Self::Script(path) => ElementType::Script(Text::Utf32(path)),
        }
    }
}

impl Value {
    /// An untyped array.
    pub fn array(elements: Vec<Self>) -> Self {
        Self::Array { element: Element::Any, elements }
    }

    /// An untyped Dictionary.
    pub fn dictionary(entries: Vec<(Self, Self)>) -> Self {
        Self::Dictionary { key: Element::Any, value: Element::Any, entries }
    }

    pub fn object(class: &str, properties: Vec<(&str, Self)>) -> Self {
        let properties = properties.into_iter().map(|(name, value)| (chars(name), value)).collect();
        Self::Object { class: chars(class), properties }
    }

    pub fn string(text: &str) -> Self {
        Self::String(chars(text))
    }

    pub fn name(text: &str) -> Self {
        Self::StringName(chars(text))
    }

    /// A math type or a packed array of these bytes.
    pub fn plain(kind: Kind, width: Width, bytes: Vec<u8>) -> Self {
        let width = if kind.shape().is_real() { width } else { Width::Single };
        let count = bytes.len() / kind.shape().element_len(width).expect("plain data");
        Self::Plain { kind, width, count, bytes }
    }

    /// The value, and before it each one in it, as `change` makes it.
    pub fn map(self, change: &mut dyn FnMut(Self) -> Self) -> Self {
        let value = match self {
            Self::Array { element, elements } => {
                Self::Array { element, elements: elements.into_iter().map(|value| value.map(change)).collect() }
            }
            Self::Dictionary { key, value, entries } => {
                let entries = entries.into_iter().map(|(key, value)| (key.map(change), value.map(change))).collect();
                Self::Dictionary { key, value, entries }
            }
            Self::Object { class, properties } => {
                let properties = properties.into_iter().map(|(name, value)| (name, value.map(change))).collect();
                Self::Object { class, properties }
            }
            value => value,
        };
        change(value)
    }

    pub fn events(&self) -> Vec<Event<'_>> {
        let mut events = Vec::new();
        self.push(&mut events);
        events
    }

    fn push<'a>(&'a self, out: &mut Vec<Event<'a>>) {
        let text = |chars: &'a Chars| Event::Text(Text::Utf32(chars));
        match self {
            Self::Nil => out.push(Event::Nil),
            Self::Bool(value) => out.push(Event::Bool(*value)),
            Self::Int(value) => out.push(Event::Int(*value)),
            Self::Float(value) => out.push(Event::Float(*value)),
            Self::Plain { kind, width, count, bytes } => {
                let plain = Plain { kind: *kind, width: *width, count: *count, bytes };
                let packed = matches!(kind.shape(), Shape::Packed { .. });
                out.push(if packed { Event::Packed(plain) } else { Event::Components(plain) });
            }
            Self::Texts(texts) => {
                out.push(Event::PackedStrings { count: texts.len() });
                out.extend(texts.iter().map(text));
            }
            Self::String(chars) => out.push(Event::String(Text::Utf32(chars))),
            Self::StringName(chars) => out.push(Event::StringName(Text::Utf32(chars))),
            Self::NodePath { names, subnames, absolute } => {
                let (names_count, subnames_count) = (names.len(), subnames.len());
                out.push(Event::NodePath { names: names_count, subnames: subnames_count, absolute: *absolute });
                out.extend(names.iter().chain(subnames).map(text));
            }
            Self::Rid(id) => out.push(Event::Rid(*id)),
            Self::Callable => out.push(Event::Callable),
            Self::Signal { name, object } => out.push(Event::Signal { name: Text::Utf32(name), object: *object }),
            Self::ObjectId(id) => out.push(Event::ObjectId(*id)),
            Self::Object { class, properties } => {
                out.push(Event::Object { class: Text::Utf32(class), count: properties.len() });
                for (name, value) in properties {
                    out.push(text(name));
                    value.push(out);
                }
            }
            Self::Dictionary { key, value, entries } => {
                out.push(Event::Dictionary { key: key.event(), value: value.event(), count: entries.len() });
                for (key, value) in entries {
                    key.push(out);
                    value.push(out);
                }
            }
            Self::Array { element, elements } => {
                out.push(Event::Array { element: element.event(), count: elements.len() });
                elements.iter().for_each(|element| element.push(out));
            }
        }
    }
}

/// How many cases a property has. No file keeps its failures: a failure prints its smallest input.
pub fn cases(cases: u32) -> ProptestConfig {
    let cases = if cfg!(miri) { cases.min(4) } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn is_container(kind: Kind) -> bool {
    matches!(kind, Kind::Array | Kind::Dictionary | Kind::Object)
}

/// Any value, with components of `width`: half of them are containers, some of them deep.
pub fn any_value(width: Width) -> BoxedStrategy<Value> {
    let leaves: Vec<_> = Kind::ALL.into_iter().filter(|&kind| !is_container(kind)).collect();
    let leaf = select(leaves).prop_flat_map(move |kind| any_of(kind, width));
    leaf.prop_recursive(5, 32, 5, |inner| {
        prop_oneof![
            container(Kind::Array, inner.clone()),
            container(Kind::Dictionary, inner.clone()),
            container(Kind::Object, inner),
        ]
    })
    .boxed()
}

/// Any value of one kind that is no container.
fn any_of(kind: Kind, width: Width) -> BoxedStrategy<Value> {
    let shape = kind.shape();
    let plain = move |count: usize| {
        let width = if shape.is_real() { width } else { Width::Single };
        let len = count * shape.element_len(width).expect("plain data");
        vec(any::<u8>(), len).prop_map(move |bytes| Value::Plain { kind, width, count, bytes })
    };
    let texts = || vec(any_text(), 0..4);
    match shape {
        Shape::Nil => Just(Value::Nil).boxed(),
        Shape::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Shape::Int => any_int().prop_map(Value::Int).boxed(),
        Shape::Float => any_float().prop_map(Value::Float).boxed(),
        Shape::Components { .. } => plain(1).boxed(),
        Shape::Packed { .. } => (0..40_usize).prop_flat_map(plain).boxed(),
        Shape::PackedStrings => texts().prop_map(Value::Texts).boxed(),
        Shape::Text if kind == Kind::StringName => any_text().prop_map(Value::StringName).boxed(),
        Shape::Text => any_text().prop_map(Value::String).boxed(),
        Shape::NodePath => (texts(), texts(), any::<bool>())
            .prop_map(|(names, subnames, absolute)| Value::NodePath { names, subnames, absolute })
            .boxed(),
        Shape::Rid => any::<u64>().prop_map(Value::Rid).boxed(),
        Shape::Callable => Just(Value::Callable).boxed(),
        Shape::Signal => (any_text(), any::<u64>()).prop_map(|(name, object)| Value::Signal { name, object }).boxed(),
        Shape::Object | Shape::Array | Shape::Dictionary => unreachable!("a container"),
        Shape::Foreign(_) => unreachable!("no type of Godot 4 has it"),
    }
}

fn container(kind: Kind, inner: impl Strategy<Value = Value> + Clone + 'static) -> BoxedStrategy<Value> {
    match kind {
        Kind::Array => {
            (any_element(), vec(inner, 0..5)).prop_map(|(element, elements)| Value::Array { element, elements }).boxed()
        }
        Kind::Dictionary => (any_element(), any_element(), vec((inner.clone(), inner), 0..4))
            .prop_map(|(key, value, entries)| Value::Dictionary { key, value, entries })
            .boxed(),
        // Without a class it would be null.
        _ => (any_text().prop_filter("null", |class| !class.is_empty()), vec((any_text(), inner), 0..4))
            .prop_map(|(class, properties)| Value::Object { class, properties })
            .boxed(),
    }
}

/// Nil is left out as a type: it comes back as any.
fn any_element() -> impl Strategy<Value = Element> {
    prop_oneof![
        2 => Just(Element::Any),
        1 => select(&Kind::ALL[1..]).prop_map(Element::Builtin),
        1 => any_text().prop_map(Element::Class),
        1 => any_text().prop_map(Element::Script),
    ]
}

/// As many of 32 bits as of 64, and the steps between.
fn any_int() -> impl Strategy<Value = i64> {
    let edge = select(vec![0, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(u32::MAX)]);
    prop_oneof![any::<i64>(), any::<i32>().prop_map(i64::from), (edge, -2..=2_i64).prop_map(|(edge, step)| edge + step)]
}

/// Every bit pattern, those that are exact in 32 bits, and many NaNs.
fn any_float() -> impl Strategy<Value = f64> {
    let nan = any::<u64>().prop_map(|bits| f64::from_bits(bits | 0x7ff0_0000_0000_0001));
    let short = any::<u32>().prop_map(|bits| f64::from(f32::from_bits(bits)));
    prop_oneof![any::<u64>().prop_map(f64::from_bits), short, nan]
}

/// Text that is read as it was written: no NUL, no leading byte-order mark, no surrogate.
pub fn any_text() -> impl Strategy<Value = Chars> {
    let character = prop_oneof![4 => proptest::char::range(' ', '~'), 1 => any::<char>()];
    let len = prop_oneof![60 => 0..10_usize, 20 => 0..90_usize, 1 => 500..700_usize];
    len.prop_flat_map(move |len| vec(character.clone().prop_filter("ends the text", |&c| c != '\0'), len))
        .prop_map(|chars| chars.into_iter().skip_while(|&c| c == '\u{feff}').map(u32::from).collect())
}
