//! Guesses what an unreadable file is, for helpful errors. No reading depends on it.

use std::fmt;

use crate::load::Loader;
use crate::{compressed, encrypted};
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_codec::{Dialect, Engine, Reader, validate};

/// How an SQLite file begins.
pub(crate) const SQLITE: &[u8] = b"SQLite format 3\0";
use varbatch_workers::Threads;

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
    /// A buffer: the bytes of one value, without a length before it. These engines read it, the one that was asked for first.
    Value(Vec<Engine>),
    /// Frames of these other engines.
    Engines(Vec<Engine>),
    /// Something else: the file begins with what is neither the length of a value nor a value.
    Other,
}

/// A file format that is recognized by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table below names them")]
pub enum Format {
    Encrypted,
    Resource,
    CompressedResource,
    TextResource,
    Config,
    Text,
    TextUtf16,
    Png,
    Jpeg,
    Riff,
    Ogg,
    Pack,
    Sqlite,
    Zip,
    Gzip,
    Zstd,
}

/// Each format with its first bytes and its name in errors, in the order of [`Format`].
const FORMATS: [(Format, &[&[u8]], &str); 16] = [
    (Format::Encrypted, &[b"GDEC"], "an encrypted file (\"GDEC\")"),
    (Format::Resource, &[b"RSRC"], "a resource (\"RSRC\")"),
    (Format::CompressedResource, &[b"RSCC"], "a compressed resource (\"RSCC\")"),
    (Format::TextResource, &[b"[gd_scene", b"[gd_resource"], "a resource as text"),
    (Format::Config, &[], "text with sections and keys"),
    (Format::Text, &[], "text, such as JSON"),
    (Format::TextUtf16, &[b"\xff\xfe", b"\xfe\xff"], "text in UTF-16"),
    (Format::Png, &[b"\x89PNG"], "a PNG image"),
    (Format::Jpeg, &[b"\xff\xd8\xff"], "a JPEG image"),
    (Format::Riff, &[b"RIFF"], "a RIFF file, such as WAV or WebP"),
    (Format::Ogg, &[b"OggS"], "an Ogg stream"),
    (Format::Pack, &[b"GDPC"], "a pack of Godot (\"GDPC\")"),
    (Format::Sqlite, &[SQLITE], "a store, or another SQLite file"),
    (Format::Zip, &[b"PK\x03\x04"], "a ZIP archive"),
    (Format::Gzip, &[b"\x1f\x8b\x08"], "a gzip stream"),
    (Format::Zstd, &[b"\x28\xb5\x2f\xfd"], "a Zstandard stream"),
];

impl Format {
    fn of(bytes: &[u8]) -> Option<Self> {
        let known = FORMATS.iter().find(|(_, magics, _)| magics.iter().any(|magic| bytes.starts_with(magic)));
        known.map(|(format, ..)| *format).or_else(|| match is_text(bytes) {
            true if is_config(bytes) => Some(Self::Config),
            is_text => is_text.then_some(Self::Text),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FORMATS[*self as usize].2)
    }
}

impl Loader {
    /// Guesses what the stream is, unless its first frames are values of `dialect`. Call it before reading anything.
    pub fn guess(mut self, dialect: Dialect) -> Option<Guess> {
        let (_, len) = self.len();
        let mut sample = Vec::new();
        let read = self.source.read(&mut sample, SAMPLE_LEN, &Threads::alone());
        // Bytes after a read error do not count.
        let len = if read.is_ok() && sample.len() >= SAMPLE_LEN { len } else { sample.len() as u64 };
        let all_are_sound = |dialect| first_frames(&sample, len).all(|(bytes, len)| may_be_value(bytes, len, dialect));
        if let Some((first, first_len)) = first_frames(&sample, len).next() {
            if all_are_sound(Dialect::of(dialect.engine)) {
                return None;
            }
            let engines: Vec<_> =
                Engine::ALL.into_iter().filter(|engine| all_are_sound(Dialect::of(*engine))).collect();
            if !engines.is_empty() {
                return Some(Guess::Engines(engines));
            }
            if may_be_value(first, first_len, dialect) {
                return None;
            }
        }
        if let Some(format) = Format::of(&sample) {
            return Some(Guess::Format(format));
        }
        let mut engines = Engine::ALL.to_vec();
        engines.retain(|engine| may_be_value(&sample, len, Dialect::of(*engine)));
        if !engines.is_empty() {
            engines.sort_by_key(|engine| *engine != dialect.engine);
            return Some(Guess::Value(engines));
        }
        let word = u32::from_le_bytes(*sample.first_chunk()?);
        let rest = &sample[PREFIX_LEN..];
        let dialects = || Engine::ALL.into_iter().map(Dialect::of);
        // A value that is cut off, whose length is that of one, or a value whose length is damaged.
        let is_length = may_begin_length(&sample)
            && (first_frames(&sample, len).next().is_some()
                || dialects().any(|dialect| may_be_value(rest, word.into(), dialect)));
        let is_ours = is_length || dialects().any(|dialect| is_followed(rest, dialect));
        sample[..PREFIX_LEN].reverse();
        match first_frames(&sample, len).next() {
            Some((first, first_len)) if may_be_value(first, first_len, dialect) => Some(Guess::BigEndian),
            _ => (!is_ours).then_some(Guess::Other),
        }
    }
}

/// False if no length of a value begins like this: all writers pad values to words.
fn may_begin_length(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|low| usize::from(*low).is_multiple_of(PREFIX_LEN))
}

/// True for text as people write it: UTF-8 without control characters, and not what is left of a file that is cut off.
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
    let is_cut = || [compressed::MAGIC, encrypted::MAGIC].iter().any(|magic| magic.starts_with(bytes));
    (text.len() >= PREFIX_LEN || !may_begin_length(bytes) && !is_cut())
        && !text.contains(|char: char| char.is_control() && !"\t\n\r".contains(char))
}

/// True if a value takes all of the bytes, or a frame follows it.
fn is_followed(bytes: &[u8], dialect: Dialect) -> bool {
    let Ok(end) = validate(Reader::new(bytes).with_dialect(dialect).with_objects(true)) else { return false };
    let mut behind = first_frames(&bytes[end..], (bytes.len() - end) as u64);
    end == bytes.len() || behind.next().is_some_and(|(bytes, len)| may_be_value(bytes, len, dialect))
}

/// True for text that begins with a section or a key, behind comments.
fn is_config(text: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(byte))
    };
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && line[0] != b';').unwrap_or_default();
    let section = line.strip_prefix(b"[").and_then(|line| line.strip_suffix(b"]"));
    // "=" alone ends Base64.
    let key = line.split(|byte| *byte == b'=').next().filter(|key| line[key.len()..].iter().any(|byte| *byte != b'='));
    section.or(key).is_some_and(|name| is_name(name.trim_ascii()))
}

/// True if one value takes all of a stream of `len` bytes that begins like this, as far as these bytes can tell.
pub fn may_be_value(bytes: &[u8], len: u64, dialect: Dialect) -> bool {
    match validate(Reader::new(bytes).with_dialect(dialect).with_objects(true)) {
        // The padding of a last PackedByteArray may be missing.
        Ok(end) => end as u64 >= len,
        Err(error) => error.kind().missing().is_some() && (bytes.len() as u64) < len,
    }
}

/// Returns the first payloads of a stream of `len` bytes, with their lengths, up to a damaged one. The last may be cut.
fn first_frames(sample: &[u8], len: u64) -> impl Iterator<Item = (&[u8], u64)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let remaining = usize::try_from(len - at as u64).unwrap_or(usize::MAX);
        let rest = sample.get(at..)?;
        let payload_len = frames::payload_len(rest, 0, remaining).ok()??;
        at += PREFIX_LEN + payload_len;
        Some((&rest[PREFIX_LEN..rest.len().min(PREFIX_LEN + payload_len)], payload_len as u64))
    })
}
