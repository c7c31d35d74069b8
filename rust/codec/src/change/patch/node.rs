//! The values in the tree: bytes that stay as they are, and nodes: containers and packed arrays that paths lead into.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::blocks::Blocks;
use super::{Fit, no_key, no_step};
use crate::path;
use crate::{CodecError, Event, Kind, Nowhere, PathStep, Plain, Reader, Skim, Text, WORD, Width, padded};

/// Why reading again cannot fail.
pub(super) const READ: &str = "it was read before";

/// Where the containers of each buffer end, by the address of the buffer: opening one reads none of those in it once more.
pub(super) type Notes = BTreeMap<usize, Vec<Note>>;

/// Where a container that is not empty ends. The notes of a buffer are in the order in which the containers begin.
#[derive(Debug)]
pub(super) struct Note {
    /// Offsets in the buffer.
    start: u32,
    end: u32,
    /// The number of the first note about a value that begins after the end of this one.
    next: u32,
}

/// Reads a value of a change. Returns the number of containers around its deepest value.
pub(super) fn read_part(what: &str, bytes: &[u8], notes: &mut Notes) -> Fit<usize> {
    let (len, depth) = read_all(bytes, notes).map_err(|error| path::broken(what, &error))?;
    match len - bytes.len() {
        0 => Ok(depth),
        expected => Err(format!("expected {expected} bytes of padding at the end of {what}, found none")),
    }
}

/// Reads all of a value, so that taking parts cannot fail. Returns its length, with missing padding, and its depth.
pub(super) fn read_all(bytes: &[u8], notes: &mut Notes) -> Result<(usize, usize), CodecError> {
    let mut reader = Reader::new(bytes).with_objects(true);
    // The notes of all containers, and the numbers of those that are open.
    let (mut all, mut open, mut deepest) = (Vec::<Note>::new(), Vec::new(), 0);
    loop {
        let (start, depth) = (reader.position() as u32, open.len());
        if reader.next_event()?.is_none() {
            break;
        }
        deepest = deepest.max(depth);
        if reader.depth() > depth {
            open.push(all.len());
            all.push(Note { start, end: 0, next: 0 });
        }
        while open.len() > reader.depth()
            && let Some(number) = open.pop()
        {
            let next = all.len() as u32;
            let note = &mut all[number];
            // Without the padding that may be missing.
            (note.end, note.next) = (reader.position().min(bytes.len()) as u32, next);
        }
    }
    reader.check_end()?;
    if !all.is_empty() {
        notes.insert(bytes.as_ptr().addr(), all);
    }
    Ok((reader.position(), deepest))
}

/// Bytes that stay as they are: a value, or a part of one, without the padding that a last PackedByteArray may lack.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a> {
    /// The bytes from its start to the end of the buffer that it is in.
    from: &'a [u8],
    len: usize,
}

impl<'a> From<&'a [u8]> for Raw<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self { from: bytes, len: bytes.len() }
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}

impl<'a> Raw<'a> {
    pub fn bytes(self) -> &'a [u8] {
        &self.from[..self.len]
    }

    /// Returns the bytes between two offsets relative to its start.
    pub fn within(self, range: std::ops::Range<usize>) -> Self {
        Self { from: &self.from[range.start..], len: range.len() }
    }

    /// Returns both as one if `next` follows in the same buffer.
    pub fn joined(self, next: Self) -> Option<Self> {
        let is_next = self.from[self.len..].as_ptr_range() == next.from.as_ptr_range();
        is_next.then_some(Self { len: self.len + next.len, ..self })
    }

    fn reader(self) -> Reader<'a> {
        Reader::new(self.bytes()).with_objects(true)
    }

    pub fn kind(self) -> Kind {
        self.reader().peek_kind().expect(READ)
    }
}

/// The parts of a value, one after the other.
struct Inside<'a, 'n> {
    value: Raw<'a>,
    at: usize,
    skim: Skim<'a>,
    /// Its offset in its buffer, the notes of that, and the number of the next one.
    start: usize,
    notes: &'n [Note],
    next: usize,
}

impl<'a> Inside<'a, '_> {
    fn value(&mut self) -> Raw<'a> {
        let end = match self.notes.get(self.next) {
            Some(note) if note.start as usize == self.start + self.at => {
                self.next = note.next as usize;
                note.end as usize - self.start
            }
            _ => self.skim.end_of(self.at).expect(READ),
        };
        self.pass(end)
    }

    fn name(&mut self) -> Raw<'a> {
        self.pass(self.at + text_len(&self.value.from[self.at..]))
    }

    fn pass(&mut self, end: usize) -> Raw<'a> {
        let part = self.value.within(self.at..end);
        self.at = end;
        part
    }
}

/// Returns `count` texts, with their lengths and padding, which begin at `at`.
pub(super) fn texts(value: Raw<'_>, mut at: usize, count: usize) -> Vec<Raw<'_>> {
    let text = |_| {
        let start = at;
        at += text_len(&value.from[at..]);
        value.within(start..at)
    };
    (0..count).map(text).collect()
}

/// Returns the length of the text at the start of `bytes`, with its count and padding.
fn text_len(bytes: &[u8]) -> usize {
    let len = bytes.first_chunk().expect(READ);
    WORD + padded(u32::from_le_bytes(*len) as usize)
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Child<'a> {
    Raw(Raw<'a>),
    Node(u32),
}

#[derive(Debug)]
pub(super) struct TreeNode<'a> {
    pub kind: Kind,
    /// Its bytes up to the count of its parts.
    pub head: Raw<'a>,
    /// That count.
    pub counted: usize,
    pub body: Body<'a>,
}

#[derive(Debug)]
pub(super) enum Body<'a> {
    Array { element: Option<Kind>, elements: Blocks<Child<'a>> },
    Entries(Entries<'a>),
    Texts(Blocks<Raw<'a>>),
    Packed(Packed),
}

#[derive(Debug)]
pub(super) struct Packed {
    pub width: Width,
    pub element_len: usize,
    pub bytes: Blocks<u8>,
}

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
    pub entries: Vec<(Raw<'a>, Child<'a>)>,
    /// The numbers of the existing entries, in order.
    pub order: Blocks<u32>,
    /// The block of each number in that.
    blocks: Vec<u32>,
    /// The number of each key, or [`TWICE`].
    numbers: HashMap<&'a [u8], u32>,
}

/// Marks keys that occur more than once. No engine writes such a Dictionary.
const TWICE: u32 = u32::MAX;

impl<'a> TreeNode<'a> {
    /// Opens a value that was read before. Passes each of its parts once.
    pub fn open(raw: Raw<'a>, notes: &Notes) -> Fit<Self> {
        let mut reader = raw.reader();
        let event = reader.next_event().expect(READ).expect(READ);
        let head_len = match event {
            Event::Packed(_) => 2 * WORD,
            _ => reader.position(),
        };
        let address = raw.from.as_ptr().addr();
        let (start, notes) =
            notes.range(..=address).next_back().map_or((0, &[][..]), |(buffer, notes)| (address - buffer, notes));
        let next = notes.partition_point(|note| note.start as usize <= start);
        let mut inside = Inside { value: raw, at: head_len, skim: reader.skim(), start, notes, next };
        let body = match event {
            Event::Array { element, count } => {
                let elements = Blocks::new(&(0..count).map(|_| Child::Raw(inside.value())).collect::<Vec<_>>());
                Body::Array { element: element.builtin(), elements }
            }
            Event::Dictionary { key, count, .. } => {
                let all = (0..count).map(|_| (inside.value(), Child::Raw(inside.value()))).collect();
                Body::Entries(Entries::new(EntryNames::Keys(key.builtin()), all))
            }
            Event::Object { count, .. } => {
                let all = (0..count).map(|_| (inside.name(), Child::Raw(inside.value()))).collect();
                Body::Entries(Entries::new(EntryNames::Properties, all))
            }
            Event::PackedStrings { count } => Body::Texts(Blocks::new(&texts(raw, head_len, count))),
            Event::Packed(Plain { kind, width, bytes, .. }) => {
                let element_len = kind.shape().element_len(width).expect("a packed array");
                Body::Packed(Packed { width, element_len, bytes: Blocks::new(bytes) })
            }
            _ => return Err(Nowhere::NotInside(raw.kind()).text(String::new)),
        };
        let mut node = Self { kind: raw.kind(), head: raw.within(0..head_len), counted: 0, body };
        node.counted = node.len();
        Ok(node)
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

impl<'a> Entries<'a> {
    fn new(names: EntryNames, entries: Vec<(Raw<'a>, Child<'a>)>) -> Self {
        let mut numbers = HashMap::with_capacity(entries.len());
        for (number, &(key, _)) in (0..).zip(&entries) {
            match numbers.entry(key.bytes()) {
                Entry::Vacant(entry) => drop(entry.insert(number)),
                Entry::Occupied(mut entry) => drop(entry.insert(TWICE)),
            }
        }
        let mut all = Self { names, order: Blocks::new(&[]), blocks: vec![0; entries.len()], entries, numbers };
        let in_order: Vec<_> = (0..all.entries.len() as u32).collect();
        all.order.replace_noting(0..0, &in_order, |number, block| all.blocks[number as usize] = block);
        all
    }

    /// Finds the number of the entry or property that a step leads to.
    pub fn find(&self, step: PathStep<'_>) -> Fit<u32> {
        let (what, number) = match (self.names, step) {
            (EntryNames::Keys(_), PathStep::Key(key)) => ("key", self.by_key(key)),
            (EntryNames::Keys(_), _) => return Err(no_key(step)),
            (EntryNames::Properties, PathStep::Property(name)) => {
                ("property", self.numbers.get(&*encoded_name(name)).copied())
            }
            (EntryNames::Properties, PathStep::Key(key))
                if matches!(Reader::new(key).peek_kind(), Ok(Kind::String | Kind::StringName)) =>
            {
                ("property", self.numbers.get(&key[WORD..]).copied())
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

    pub fn value(&self, number: u32) -> Child<'a> {
        self.entries[number as usize].1
    }

    pub fn key(&self, number: u32) -> Raw<'a> {
        self.entries[number as usize].0
    }

    pub fn insert(&mut self, index: usize, key: Raw<'a>, value: Child<'a>) {
        let number = self.entries.len() as u32;
        self.entries.push((key, value));
        self.blocks.push(0);
        self.order.replace_noting(index..index, &[number], |number, block| self.blocks[number as usize] = block);
        self.numbers.insert(key.bytes(), number);
    }

    /// Returns the index of the entry with this number, which exists.
    pub fn index_of(&self, number: u32) -> usize {
        self.order.index_of(number, self.blocks[number as usize]).expect("it is in the order")
    }

    /// Removes the entry with this number, which is at `index`.
    pub fn remove(&mut self, index: usize, number: u32) {
        self.order.replace_noting(index..index + 1, &[], |number, block| self.blocks[number as usize] = block);
        self.numbers.remove(self.key(number).bytes());
    }
}

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
