//! What a path has led into: a container, or a packed array, whose parts can be changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;

use super::error::{PatchErrorKind, StepKind, shown};
use super::gap::GapBuffer;
use super::source::{READ, Raw, Sources};
use crate::dialect::Width;
use crate::event::{ElementType, Event};
use crate::kind::Kind;
use crate::reader::Reader;

/// A value in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Child {
    /// As it stands in a source.
    Raw(Raw),
    /// The node of this number.
    Node(u32),
}

/// A value that holds others.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Its first bytes, up to the count of what it holds.
    pub head: Raw,
    /// That count, as it stands in the source.
    pub count: Raw,
    /// How many that is.
    pub counted: usize,
    pub body: Body<'a>,
}

#[derive(Debug)]
pub(super) enum Body<'a> {
    Array { element: Option<Kind>, elements: GapBuffer<Child> },
    Entries(Entries<'a>),
    Texts(GapBuffer<Raw>),
    Packed(Packed),
}

/// A packed array of numbers, vectors or colors.
#[derive(Debug)]
pub(super) struct Packed {
    pub kind: Kind,
    pub width: Width,
    pub bytes: GapBuffer<u8>,
}

impl Packed {
    pub fn element_len(&self) -> usize {
        self.kind.shape().element_len(self.width).expect("a packed array")
    }
}

/// What leads to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// The key of a Dictionary, of this kind if its type says so. That of the values is not looked at, as the engine does not.
    Keys(Option<Kind>),
    /// The name of a property. An object keeps those that it has.
    Properties,
}

/// The entries of a Dictionary, or the properties of an object.
#[derive(Debug)]
pub(super) struct Entries<'a> {
    pub names: Names,
    /// All that there ever were: a key, or a name with its length, and the value.
    pub entries: Vec<(Raw, Child)>,
    /// Those that there are, in their order.
    pub order: GapBuffer<u32>,
    /// By the bytes of their keys.
    numbers: HashMap<&'a [u8], u32>,
}

/// Stands for the entries of a key that there is more than once. No engine writes such a Dictionary.
const TWICE: u32 = u32::MAX;

impl Node<'_> {
    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match &self.body {
            Body::Array { .. } => Kind::Array,
            Body::Entries(Entries { names: Names::Keys(_), .. }) => Kind::Dictionary,
            Body::Entries(_) => Kind::Object,
            Body::Texts(_) => Kind::PackedStringArray,
            Body::Packed(packed) => packed.kind,
        }
    }

    /// How many parts it has now.
    pub fn len(&self) -> usize {
        match &self.body {
            Body::Array { elements, .. } => elements.len(),
            Body::Entries(entries) => entries.order.len(),
            Body::Texts(texts) => texts.len(),
            Body::Packed(packed) => packed.bytes.len() / packed.element_len(),
        }
    }
}

impl<'a> Node<'a> {
    /// Opens a value. Each part of it is passed once; what is in a container among them is not read.
    pub fn open(sources: &Sources<'a>, raw: Raw) -> Result<Self, PatchErrorKind> {
        let mut reader = sources.reader(raw);
        let event = reader.next_event().expect(READ).expect(READ);
        let head_len = match event {
            Event::Packed(_) => 2 * WORD,
            _ => reader.position(),
        };
        let mut inside = sources.inside(raw, head_len);
        let (counted, body) = match event {
            Event::Array { element, count } => {
                let elements = GapBuffer::new((0..count).map(|_| Child::Raw(inside.value())).collect());
                (count, Body::Array { element: builtin(element), elements })
            }
            Event::Dictionary { key, count, .. } => {
                let all = (0..count).map(|_| (inside.value(), Child::Raw(inside.value()))).collect();
                (count, Body::Entries(Entries::new(sources, Names::Keys(builtin(key)), all)))
            }
            Event::Object { count, .. } => {
                let all = (0..count).map(|_| (inside.name(), Child::Raw(inside.value()))).collect();
                (count, Body::Entries(Entries::new(sources, Names::Properties, all)))
            }
            Event::PackedStrings { count } => (count, Body::Texts(GapBuffer::new(texts(sources, raw)))),
            Event::Packed(plain) => {
                let bytes = GapBuffer::new(plain.bytes.to_vec());
                (plain.count, Body::Packed(Packed { kind: plain.kind, width: plain.width, bytes }))
            }
            _ => return Err(PatchErrorKind::NotInside { found: sources.kind(raw) }),
        };
        let count_at = head_len - WORD;
        Ok(Self { head: raw.within(0..count_at), count: raw.within(count_at..head_len), counted, body })
    }
}

/// Bytes of a header, and of a count.
pub(super) const WORD: usize = 4;

/// The texts of a PackedStringArray, with their lengths and padding.
pub(super) fn texts(sources: &Sources<'_>, raw: Raw) -> Vec<Raw> {
    let mut reader = sources.reader(raw);
    let mut texts = Vec::new();
    if let Some(Event::PackedStrings { count }) = reader.next_event().expect(READ) {
        texts.reserve_exact(count);
    }
    let mut start = reader.position();
    while reader.pass_text().expect(READ) {
        texts.push(raw.within(start..reader.position()));
        start = reader.position();
    }
    texts
}

/// What the values must be, as far as their bytes show it.
pub(crate) fn builtin(element: ElementType<'_>) -> Option<Kind> {
    match element {
        ElementType::Builtin(kind) if kind != Kind::Object => Some(kind),
        _ => None,
    }
}

impl<'a> Entries<'a> {
    fn new(sources: &Sources<'a>, names: Names, entries: Vec<(Raw, Child)>) -> Self {
        let mut numbers = HashMap::with_capacity(entries.len());
        for (number, &(key, _)) in (0..).zip(&entries) {
            match numbers.entry(sources.bytes(key)) {
                Place::Vacant(place) => drop(place.insert(number)),
                Place::Occupied(mut place) => drop(place.insert(TWICE)),
            }
        }
        let order = GapBuffer::new((0..entries.len() as u32).collect());
        Self { names, entries, order, numbers }
    }

    /// The number of the entry of an encoded key, or of the property of an encoded name.
    pub fn find(&self, step: &[u8]) -> Result<u32, PatchErrorKind> {
        let what = if self.names == Names::Properties { "a property" } else { "a key" };
        let is_name = matches!(Reader::new(step).peek_kind(), Ok(Kind::String | Kind::StringName));
        if self.names == Names::Properties && !is_name {
            return Err(PatchErrorKind::WrongStep { expected: StepKind::Name, found: shown(step) });
        }
        match self.number(step) {
            None => Err(PatchErrorKind::NotThere { what, found: shown(step) }),
            Some(TWICE) => Err(PatchErrorKind::Twice { what, found: shown(step) }),
            Some(number) => Ok(number),
        }
    }

    /// As [`Self::find`], with [`TWICE`] for more than one.
    pub fn number(&self, step: &[u8]) -> Option<u32> {
        if self.names == Names::Properties {
            return self.numbers.get(step.get(WORD..)?).copied();
        }
        self.numbers.get(step).or_else(|| self.numbers.get(&other_name(step)?[..])).copied()
    }

    pub fn value(&self, number: u32) -> Child {
        self.entries[number as usize].1
    }

    pub fn key(&self, number: u32) -> Raw {
        self.entries[number as usize].0
    }

    pub fn set(&mut self, number: u32, value: Child) {
        self.entries[number as usize].1 = value;
    }

    pub fn insert(&mut self, index: usize, (key, bytes): (Raw, &'a [u8]), value: Child) {
        let number = self.entries.len() as u32;
        self.entries.push((key, value));
        self.order.replace(index..index, &[number]);
        self.numbers.insert(bytes, number);
    }

    /// Removes the entry at an index, of a key of these bytes.
    pub fn remove(&mut self, index: usize, key: &[u8]) {
        self.order.replace(index..index + 1, &[]);
        self.numbers.remove(key);
    }
}

/// The StringName of a String and the other way round: as keys the engine takes them for the same.
fn other_name(key: &[u8]) -> Option<Vec<u8>> {
    let other = match Reader::new(key).peek_kind() {
        Ok(Kind::String) => Kind::StringName,
        Ok(Kind::StringName) => Kind::String,
        _ => return None,
    };
    let mut name = key.to_vec();
    name[0] = other.id();
    Some(name)
}
