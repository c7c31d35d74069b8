//! A value that a path leads into: a container or a packed array whose parts can be changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::error::{PatchErrorKind, no_key, no_step};
use super::gap::GapBuffer;
use super::source::{READ, Raw, Sources, text_len};
use crate::event::{Event, Plain, Text};
use crate::kind::{Kind, WORD, Width};
use crate::path::{Nowhere, PathStep};
use crate::reader::Reader;

/// A value in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Child {
    /// Bytes of a source.
    Raw(Raw),
    /// The node with this number.
    Node(u32),
}

/// A value that holds others.
#[derive(Debug)]
pub(super) struct TreeNode<'a> {
    /// Its bytes up to the count of its parts, in the source.
    pub head: Raw,
    /// That count.
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
    pub element_len: usize,
    pub bytes: GapBuffer<u8>,
}

/// How entries are identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryNames {
    /// By the keys of a Dictionary, which may be typed. The type of the values is ignored, as in the engine.
    Keys(Option<Kind>),
    /// By the names of properties, of which none are added or removed.
    Properties,
}

/// The entries of a Dictionary, or the properties of an object.
#[derive(Debug)]
pub(super) struct Entries<'a> {
    pub names: EntryNames,
    /// Every entry that ever existed: its key, or its name with the length, and its value.
    pub entries: Vec<(Raw, Child)>,
    /// The numbers of the existing entries, in order.
    pub order: GapBuffer<u32>,
    /// The number of each key, or [`TWICE`].
    numbers: HashMap<&'a [u8], u32>,
}

/// Marks keys that occur more than once. No engine writes such a Dictionary.
const TWICE: u32 = u32::MAX;

impl<'a> TreeNode<'a> {
    /// Opens a value. Passes each of its parts once, without reading inside them.
    pub fn open(sources: &Sources<'a>, raw: Raw) -> Result<Self, PatchErrorKind> {
        let mut reader = sources.reader(raw);
        let event = reader.next_event().expect(READ).expect(READ);
        let head_len = match event {
            Event::Packed(_) => 2 * WORD,
            _ => reader.position(),
        };
        let mut inside = sources.inside(raw, head_len);
        let body = match event {
            Event::Array { element, count } => {
                let elements = GapBuffer::new((0..count).map(|_| Child::Raw(inside.value())).collect());
                Body::Array { element: element.builtin(), elements }
            }
            Event::Dictionary { key, count, .. } => {
                let all = (0..count).map(|_| (inside.value(), Child::Raw(inside.value()))).collect();
                Body::Entries(Entries::new(sources, EntryNames::Keys(key.builtin()), all))
            }
            Event::Object { count, .. } => {
                let all = (0..count).map(|_| (inside.name(), Child::Raw(inside.value()))).collect();
                Body::Entries(Entries::new(sources, EntryNames::Properties, all))
            }
            Event::PackedStrings { .. } => Body::Texts(GapBuffer::new(texts(sources, raw.within(head_len..raw.len())))),
            Event::Packed(Plain { kind, width, bytes, .. }) => {
                let element_len = kind.shape().element_len(width).expect("a packed array");
                Body::Packed(Packed { kind, width, element_len, bytes: GapBuffer::new(bytes.to_vec()) })
            }
            _ => return Err(PatchErrorKind::Path(Nowhere::NotInside(sources.kind(raw)).text(String::new))),
        };
        let mut node = Self { head: raw.within(0..head_len), counted: 0, body };
        node.counted = node.len();
        Ok(node)
    }

    pub fn kind(&self) -> Kind {
        match &self.body {
            Body::Array { .. } => Kind::Array,
            Body::Entries(Entries { names: EntryNames::Keys(_), .. }) => Kind::Dictionary,
            Body::Entries(_) => Kind::Object,
            Body::Texts(_) => Kind::PackedStringArray,
            Body::Packed(packed) => packed.kind,
        }
    }

    /// Returns the current number of parts.
    pub fn len(&self) -> usize {
        match &self.body {
            Body::Array { elements, .. } => elements.len(),
            Body::Entries(entries) => entries.order.len(),
            Body::Texts(texts) => texts.len(),
            Body::Packed(packed) => packed.bytes.len() / packed.element_len,
        }
    }
}

/// Returns the texts of a PackedStringArray, with lengths and padding, from the bytes after its head, which were read
/// before.
pub(super) fn texts(sources: &Sources<'_>, raw: Raw) -> Vec<Raw> {
    let bytes = sources.bytes(raw);
    let (mut texts, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let end = at + text_len(&bytes[at..]);
        texts.push(raw.within(at..end));
        at = end;
    }
    texts
}

impl<'a> Entries<'a> {
    fn new(sources: &Sources<'a>, names: EntryNames, entries: Vec<(Raw, Child)>) -> Self {
        let mut numbers = HashMap::with_capacity(entries.len());
        for (number, &(key, _)) in (0..).zip(&entries) {
            match numbers.entry(sources.bytes(key)) {
                Entry::Vacant(entry) => drop(entry.insert(number)),
                Entry::Occupied(mut entry) => drop(entry.insert(TWICE)),
            }
        }
        let order = GapBuffer::new((0..entries.len() as u32).collect());
        Self { names, entries, order, numbers }
    }

    /// Finds the number of the entry or property that a step leads to.
    pub fn find(&self, step: PathStep<'_>) -> Result<u32, PatchErrorKind> {
        let (what, number) = match (self.names, step) {
            (EntryNames::Keys(_), PathStep::Key(key)) => ("key", self.by_key(key)),
            (EntryNames::Keys(_), _) => return Err(no_key(step)),
            (EntryNames::Properties, PathStep::Property(name)) => ("property", self.by_name(&encoded_name(name))),
            (EntryNames::Properties, PathStep::Key(key))
                if matches!(Reader::new(key).peek_kind(), Ok(Kind::String | Kind::StringName)) =>
            {
                ("property", self.by_name(&key[WORD..]))
            }
            (EntryNames::Properties, _) => return Err(no_step(Nowhere::NoName, step)),
        };
        match number {
            None => Err(no_step(Nowhere::NotThere(what), step)),
            Some(TWICE) => Err(no_step(Nowhere::Twice(what), step)),
            Some(number) => Ok(number),
        }
    }

    /// Returns the number of a key, or [`TWICE`].
    pub fn by_key(&self, key: &[u8]) -> Option<u32> {
        self.numbers.get(key).or_else(|| self.numbers.get(&other_name(key)?[..])).copied()
    }

    fn by_name(&self, name: &[u8]) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub fn value(&self, number: u32) -> Child {
        self.entries[number as usize].1
    }

    pub fn key(&self, number: u32) -> Raw {
        self.entries[number as usize].0
    }

    pub fn insert(&mut self, index: usize, (key, bytes): (Raw, &'a [u8]), value: Child) {
        let number = self.entries.len() as u32;
        self.entries.push((key, value));
        self.order.replace(index..index, &[number]);
        self.numbers.insert(bytes, number);
    }

    /// Removes the entry at an index. `key` is the bytes of its key.
    pub fn remove(&mut self, index: usize, key: &[u8]) {
        self.order.replace(index..index + 1, &[]);
        self.numbers.remove(key);
    }
}

/// Encodes the name of a property.
fn encoded_name(name: Text<'_>) -> Vec<u8> {
    let name = name.to_utf8();
    let mut bytes = [&(name.len() as u32).to_le_bytes(), name.as_bytes()].concat();
    bytes.resize(bytes.len().next_multiple_of(WORD), 0);
    bytes
}

/// Returns the StringName of a String, or the String of a StringName: the engine treats both as the same key.
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
