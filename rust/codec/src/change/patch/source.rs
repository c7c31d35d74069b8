//! The bytes that the result is made of, and the ends of the containers in them.
//!
//! A [`Reader`] reads all bytes once before anything is taken from them, so that nothing fails afterwards. This first
//! pass notes where each container ends, so that it can later be passed without reading it again.

use std::ops::Range;

use crate::error::{CodecError, CodecErrorKind};
use crate::event::Event;
use crate::kind::Kind;
use crate::reader::Reader;

/// Bytes of a source that stay as they are: a value, or a part of one.
///
/// Offsets fit in 32 bits, as the [`Reader`] refuses longer values. `end` may be past the end of the source, by the
/// padding that a last PackedByteArray lacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub source: u32,
    pub start: u32,
    pub end: u32,
    /// The number of the note about it, or [`Raw::NOT_NOTED`].
    pub note: u32,
}

impl Raw {
    pub const NOT_NOTED: u32 = u32::MAX;

    /// Returns the length, in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns a part of a source without a note.
    pub fn part(source: u32, range: Range<usize>) -> Self {
        Self { source, start: range.start as u32, end: range.end as u32, note: Self::NOT_NOTED }
    }

    /// Returns the bytes between two offsets relative to its start.
    pub fn within(self, range: Range<usize>) -> Self {
        let start = self.start as usize;
        Self::part(self.source, start + range.start..start + range.end)
    }
}

/// The start and end of a value. Each container that is not empty has a note. So has each property of an object; its
/// start is the end of its name.
#[derive(Clone, Copy, Debug)]
struct Note {
    start: u32,
    end: u32,
    /// The number of the first note about a value that begins after the end of this one.
    next: u32,
}

/// A value that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    pub raw: Raw,
    pub kind: Kind,
    /// The number of containers around its deepest value.
    pub depth: usize,
}

/// All bytes that the result can be made of.
#[derive(Debug, Default)]
pub(super) struct Sources<'a> {
    sources: Vec<&'a [u8]>,
    /// Notes of all sources; within a source, in the order in which the values begin.
    notes: Vec<Note>,
}

impl<'a> Sources<'a> {
    /// Reads a value and everything in it. Its last padding may be missing.
    pub fn add(&mut self, bytes: &'a [u8]) -> Result<Survey, CodecError> {
        let mut reader = reader(bytes);
        let kind = reader.peek_kind()?;
        let first = self.notes.len();
        // The notes of open values, with their depths.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut deepest = 0;
        loop {
            let (start, depth, is_property) = (reader.position(), reader.depth(), reader.is_in_object());
            let Some(event) = reader.next_event()? else { break };
            if !matches!(event, Event::Text(_)) {
                deepest = deepest.max(depth);
            }
            if is_property || reader.depth() > depth {
                open.push((self.notes.len(), depth));
                self.notes.push(Note { start: start as u32, end: 0, next: 0 });
            }
            while let Some((number, _)) = open.pop_if(|&mut (_, depth)| !reader.is_inside(depth)) {
                let next = self.notes.len() as u32;
                let note = &mut self.notes[number];
                (note.end, note.next) = (reader.position() as u32, next);
            }
        }
        let end = reader.position();
        if let Some(found) = bytes.len().checked_sub(end).filter(|&found| found > 0) {
            return Err(CodecError::new(end, CodecErrorKind::Behind { found }));
        }
        let mut raw = Raw::part(self.add_read(bytes), 0..end);
        if self.notes.len() > first {
            raw.note = first as u32;
        }
        Ok(Survey { raw, kind, depth: deepest })
    }

    /// Adds bytes that were already read.
    pub fn add_read(&mut self, bytes: &'a [u8]) -> u32 {
        self.sources.push(bytes);
        (self.sources.len() - 1) as u32
    }

    /// Returns the bytes, without missing padding.
    pub fn bytes(&self, raw: Raw) -> &'a [u8] {
        let bytes = self.sources[raw.source as usize];
        &bytes[raw.start as usize..bytes.len().min(raw.end as usize)]
    }

    /// Returns a reader at the start of a value.
    pub fn reader(&self, raw: Raw) -> Reader<'a> {
        reader(self.bytes(raw))
    }

    pub fn kind(&self, raw: Raw) -> Kind {
        self.reader(raw).peek_kind().expect(READ)
    }

    /// Iterates over the parts of a container, whose head has `head_len` bytes.
    pub fn inside(&self, container: Raw, head_len: usize) -> Inside<'_, 'a> {
        let at = container.start + head_len as u32;
        Inside { sources: self, container, at, next: container.note.wrapping_add(1) }
    }
}

/// Why reading again cannot fail.
pub(super) const READ: &str = "it was read before";

fn reader(bytes: &[u8]) -> Reader<'_> {
    Reader::new(bytes).with_objects(true)
}

/// The parts of a container, one after the other.
pub(super) struct Inside<'s, 'a> {
    sources: &'s Sources<'a>,
    container: Raw,
    at: u32,
    /// The number of the next note, if the container has another one.
    next: u32,
}

impl Inside<'_, '_> {
    /// Passes the next value. Reads it only if it has no note: then it holds nothing but texts.
    pub fn value(&mut self) -> Raw {
        let start = self.at;
        let note = self.note().filter(|note| note.start == start);
        let raw = match note {
            Some(note) => Raw { source: self.container.source, start, end: note.end, note: self.next },
            None => {
                let rest = Raw { start, ..self.container };
                let mut reader = self.sources.reader(rest);
                reader.skip_value().expect(READ);
                rest.within(0..reader.position())
            }
        };
        self.next = note.map_or(self.next, |note| note.next);
        self.at = raw.end;
        raw
    }

    /// Passes the name of the next property.
    pub fn name(&mut self) -> Raw {
        let start = self.at;
        self.at = self.note().expect("there is one for each property").start;
        Raw::part(self.container.source, start as usize..self.at as usize)
    }

    fn note(&self) -> Option<Note> {
        let notes = &self.sources.notes;
        let end = notes.get(self.container.note as usize)?.next;
        (self.next < end).then(|| notes[self.next as usize])
    }
}
