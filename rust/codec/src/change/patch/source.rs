//! The bytes that the result is made of, and the ends of the containers in them.
//!
//! A [`Reader`] reads all bytes once before anything is taken from them, so that nothing fails afterwards. This first
//! pass notes where each container ends, so that it can later be passed without reading it again.

use std::ops::Range;

use crate::error::CodecError;
use crate::event::Event;
use crate::kind::{Kind, WORD, padded};
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
}

impl Raw {
    /// Returns the length, in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns the bytes between two offsets relative to its start.
    pub fn within(self, range: Range<usize>) -> Self {
        Self { start: self.start + range.start as u32, end: self.start + range.end as u32, ..self }
    }
}

/// Where a container that is not empty ends.
#[derive(Clone, Copy, Debug)]
struct Note {
    source: u32,
    start: u32,
    end: u32,
    /// The number of the first note about a value that begins after the end of this one.
    next: u32,
}

/// All bytes that the result can be made of.
#[derive(Debug, Default)]
pub(super) struct Sources<'a> {
    sources: Vec<&'a [u8]>,
    /// Notes of all sources, in order; within a source, in the order in which the containers begin.
    notes: Vec<Note>,
}

impl<'a> Sources<'a> {
    /// Reads a value and everything in it. Its last padding may be missing. Also returns the number of containers
    /// around its deepest value.
    pub fn add(&mut self, bytes: &'a [u8]) -> Result<(Raw, usize), CodecError> {
        let raw = self.add_read(bytes);
        let mut reader = reader(bytes);
        // The notes of open containers.
        let (mut open, mut deepest) = (Vec::new(), 0);
        loop {
            let start = reader.position() as u32;
            let Some(event) = reader.next_event()? else { break };
            if !matches!(event, Event::Text(_)) {
                deepest = deepest.max(open.len());
            }
            if reader.depth() > open.len() {
                open.push(self.notes.len());
                self.notes.push(Note { source: raw.source, start, end: 0, next: 0 });
            }
            while open.len() > reader.depth()
                && let Some(number) = open.pop()
            {
                let next = self.notes.len() as u32;
                let note = &mut self.notes[number];
                (note.end, note.next) = (reader.position() as u32, next);
            }
        }
        reader.check_end()?;
        Ok((raw.within(0..reader.position()), deepest))
    }

    /// Adds bytes that were already read.
    pub fn add_read(&mut self, bytes: &'a [u8]) -> Raw {
        self.sources.push(bytes);
        Raw { source: (self.sources.len() - 1) as u32, start: 0, end: bytes.len() as u32 }
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
        let start = (container.source, container.start);
        let next = self.notes.partition_point(|note| (note.source, note.start) <= start);
        Inside { sources: self, rest: container.within(head_len..container.len()), next }
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
    rest: Raw,
    /// The number of the next note.
    next: usize,
}

impl Inside<'_, '_> {
    /// Passes the next value. Reads it only if it has no note.
    pub fn value(&mut self) -> Raw {
        let len = match self.sources.notes.get(self.next) {
            Some(note) if (note.source, note.start) == (self.rest.source, self.rest.start) => {
                self.next = note.next as usize;
                (note.end - note.start) as usize
            }
            _ => {
                let mut reader = self.sources.reader(self.rest);
                reader.skip_value().expect(READ);
                reader.position()
            }
        };
        self.pass(len)
    }

    /// Passes the name of the next property.
    pub fn name(&mut self) -> Raw {
        self.pass(text_len(self.sources.bytes(self.rest)))
    }

    fn pass(&mut self, len: usize) -> Raw {
        let part = self.rest.within(0..len);
        self.rest.start = part.end;
        part
    }
}

/// Returns the length of the text at the start of `bytes`, which was read before, with its count and padding.
pub(super) fn text_len(bytes: &[u8]) -> usize {
    let len = bytes.first_chunk::<WORD>().expect(READ);
    WORD + padded(u32::from_le_bytes(*len) as usize)
}
