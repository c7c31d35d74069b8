//! Guesses what an unreadable file is, for helpful errors. No reading depends on it.

use std::fmt;

use crate::load::Loader;
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_codec::{Dialect, Engine, Reader, validate};

/// Bytes at the start of a stream that are examined.
const SAMPLE_LEN: usize = 1 << 20;

/// Bytes at the start of a file that must be text in a text file.
const TEXT_LEN: usize = 256;

/// The likely contents of a file that is not a stream of frames of a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guess {
    /// Another file format.
    Format(Format),
    /// Frames whose lengths are big-endian.
    BigEndian,
    /// A buffer: the bytes of one value, without a length before it.
    Value,
    /// Frames of these other engines.
    Engines(Vec<Engine>),
}

/// A file format that is recognized by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A file of `FileAccess.open_encrypted`.
    Encrypted,
    /// A resource or scene in the engine's binary format.
    Resource,
    /// The same, compressed.
    CompressedResource,
    /// A resource or scene as text.
    TextResource,
    /// Any other text.
    Text,
    /// A PNG image.
    Png,
    /// A ZIP archive.
    Zip,
    /// A gzip stream.
    Gzip,
}

impl Format {
    /// Returns the format of a file that begins with these bytes.
    fn of(bytes: &[u8]) -> Option<Self> {
        const MAGICS: [(&[u8], Format); 8] = [
            (b"GDEC", Format::Encrypted),
            (b"RSRC", Format::Resource),
            (b"RSCC", Format::CompressedResource),
            (b"[gd_scene", Format::TextResource),
            (b"[gd_resource", Format::TextResource),
            (b"\x89PNG", Format::Png),
            (b"PK\x03\x04", Format::Zip),
            (b"\x1f\x8b\x08", Format::Gzip),
        ];
        let magic = MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, format)| *format);
        magic.or_else(|| is_text(bytes).then_some(Self::Text))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encrypted => "an encrypted file (\"GDEC\")",
            Self::Resource => "a resource (\"RSRC\")",
            Self::CompressedResource => "a compressed resource (\"RSCC\")",
            Self::TextResource => "a resource as text",
            Self::Text => "text, such as JSON",
            Self::Png => "a PNG image",
            Self::Zip => "a ZIP archive",
            Self::Gzip => "a gzip stream",
        })
    }
}

impl Loader {
    /// Guesses what the stream is if its first frames are not values of `dialect`. Returns `None` if they are, or if
    /// there is no guess. Call it before reading anything.
    pub fn guess(mut self, dialect: Dialect) -> Option<Guess> {
        let (_, len) = self.len();
        let mut sample = Vec::new();
        let read = self.sample(&mut sample, SAMPLE_LEN);
        // Bytes after a read error do not count.
        let len = if read.is_ok() && sample.len() >= SAMPLE_LEN { len } else { sample.len() as u64 };
        guess(&sample, len, dialect)
    }
}

/// Guesses like [`Loader::guess`], from the first bytes of a stream of `len` bytes.
fn guess(sample: &[u8], len: u64, dialect: Dialect) -> Option<Guess> {
    let sound_in = |engine: &Engine| first_frames(sample, len).all(|frame| frame.is_sound(Dialect::of(*engine)));
    if let Some(first) = first_frames(sample, len).next() {
        if sound_in(&dialect.engine) {
            return None;
        }
        let engines: Vec<_> = Engine::ALL.into_iter().filter(sound_in).collect();
        if !engines.is_empty() {
            return Some(Guess::Engines(engines));
        }
        if first.is_sound(dialect) {
            return None;
        }
    }
    if let Some(format) = Format::of(sample) {
        return Some(Guess::Format(format));
    }
    if (Payload { bytes: sample, len }).is_sound(dialect) {
        return Some(Guess::Value);
    }
    let (prefix, rest) = sample.split_first_chunk()?;
    let [a, b, c, d] = *prefix;
    first_payload([d, c, b, a], rest, len)?.is_sound(dialect).then_some(Guess::BigEndian)
}

/// True for text as people write it: UTF-8 without control characters, at least four bytes.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(TEXT_LEN)];
    let text = match str::from_utf8(head) {
        Ok(text) => text,
        // The sample ends inside a character.
        Err(error) if error.error_len().is_none() && head.len() == TEXT_LEN => {
            str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    text.len() >= PREFIX_LEN && !text.contains(|char: char| char.is_control() && !"\t\n\r".contains(char))
}

/// A possible value of `len` bytes, or its first bytes.
struct Payload<'a> {
    bytes: &'a [u8],
    len: u64,
}

impl Payload<'_> {
    /// True if a value takes all of it, or may do so together with the bytes that are cut off.
    fn is_sound(&self, dialect: Dialect) -> bool {
        let reader = Reader::new(self.bytes).with_dialect(dialect).with_objects(true);
        match validate(reader) {
            // The padding of a last PackedByteArray may be missing.
            Ok(len) => len as u64 >= self.len,
            // It may continue after the sample.
            Err(error) => error.kind().missing().is_some() && (self.bytes.len() as u64) < self.len,
        }
    }
}

/// Returns the frames of the first bytes of a stream of `len` bytes, until one is damaged; the last may be cut off.
fn first_frames(sample: &[u8], len: u64) -> impl Iterator<Item = Payload<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (prefix, rest) = sample.get(at..)?.split_first_chunk()?;
        let payload = first_payload(*prefix, rest, len - at as u64)?;
        at += PREFIX_LEN + payload.len as usize;
        Some(payload)
    })
}

/// Returns the part of the payload after this length that `rest` has. The stream has `len` bytes from the length on.
fn first_payload(prefix: [u8; PREFIX_LEN], rest: &[u8], len: u64) -> Option<Payload<'_>> {
    let payload_len = frames::payload_len(&prefix, 0, usize::try_from(len).unwrap_or(usize::MAX)).ok()??;
    Some(Payload { bytes: &rest[..rest.len().min(payload_len)], len: payload_len as u64 })
}
