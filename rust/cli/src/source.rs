//! Finds out what is in an input, and reads its values one by one; and what the user could have meant where that fails.

use std::io;
use std::rc::Rc;

use clap::ValueEnum;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{Dialect, Reader, frames, validate};
use varbatch_storage::{Guess, Loader, may_be_value, words};

use crate::args::{DialectName, Format};
use crate::buffer::Buffer;
use crate::input::{Failure, Input};
use crate::output::say;
use crate::store::Rows;

/// Bytes of an input that are read before all of it is held as one value; and those of what may be one: of a longer one, the
/// Reader reports the first byte that is too much.
const PROBE: u64 = 1 << 20;
const MAX_READ: u64 = MAX_VALUE_LEN as u64 + 1;

pub fn loader(input: &Rc<Input>) -> Result<Loader, Failure> {
    let reader = input.reader().map_err(|error| Failure::file(&input.name, words(&error)))?;
    let loader = match input.reading.key() {
        Some(key) => Loader::encrypted(Box::new(reader), input.len, &key),
        None => Loader::new(Box::new(reader), input.len),
    };
    loader.map_err(|error| Failure::load(input, error))
}

/// Reads an input that is one value, and no frames.
fn find_value(input: &Rc<Input>, dialect: Dialect) -> io::Result<Option<Vec<u8>>> {
    let is_none = input.len > MAX_VALUE_LEN as u64 || has_frame(input, dialect);
    if is_none || !may_be_value(&input.read(PROBE)?, input.len, dialect) {
        return Ok(None);
    }
    Ok(Some(input.read(MAX_READ)?).filter(|bytes| is_value(bytes, dialect)))
}

/// Returns true if a value takes all of the bytes.
fn is_value(bytes: &[u8], dialect: Dialect) -> bool {
    may_be_value(bytes, bytes.len() as u64, dialect)
}

pub struct Buffers<'i> {
    pub input: &'i Rc<Input>,
    dialect: Dialect,
    /// What reads frames; `None` if the input is one value, perhaps with more after it.
    pub loader: Option<Loader>,
    pub rows: Option<Rows>,
    /// The index of the next one: at the end of the file, how many it has.
    pub index: usize,
    /// The value, or whole frames that were read together.
    pub piece: Vec<u8>,
    /// Where in the stream the frames begin, and how many of their bytes were given.
    base: usize,
    given: usize,
}

impl<'i> Buffers<'i> {
    pub fn of(input: &'i Rc<Input>) -> Result<Self, Failure> {
        if let rows @ Some(_) = Rows::of(input)? {
            let (dialect, loader) = (input.from.dialect(), None);
            return Ok(Self { input, dialect, loader, rows, index: 0, piece: Vec::new(), base: 0, given: 0 });
        }
        Self::open(input, input.reading.format, input.from.dialect())
    }

    pub fn open(input: &'i Rc<Input>, format: Format, dialect: Dialect) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::file(&input.name, words(&error));
        let value = match format {
            Format::Frames => None,
            Format::Value => Some(input.read(MAX_READ).map_err(failed)?),
            Format::Auto => find_value(input, dialect).map_err(failed)?,
        };
        let loader = if value.is_none() { Some(loader(input)?) } else { None };
        let piece = value.unwrap_or_default();
        Ok(Self { input, dialect, loader, rows: None, index: 0, piece, base: 0, given: 0 })
    }

    /// Asks for `count` frames from frame `from` on, or for all: see [`Loader::select`]. `option` is what asks for them.
    pub fn select(&mut self, option: &str, from: i64, count: Option<u64>) -> Result<(), Failure> {
        let none = || Failure::Usage(format!("{option}: the file has no frames"));
        self.loader.as_mut().map(|loader| loader.select(from, count)).ok_or_else(none)
    }

    /// Reads the next one. An error is about what follows the last.
    pub fn next(&mut self) -> Result<Option<Buffer<'_>>, Failure> {
        if let Some(ref mut rows) = self.rows {
            return rows.next(self.input);
        }
        if !self.fill()? {
            return Ok(None);
        }
        let (frame, at, bytes, (stream_len, remaining)) = match &self.loader {
            None => (None, 0, &self.piece[..], (self.piece.len() as u64, 0)),
            Some(loader) => {
                let frame = frames::read(&self.piece[self.given..]).next();
                let frame = frame.expect("there is one more").expect("pieces are whole frames");
                let at = self.given + frame.at;
                self.given = at + frame.payload.len();
                (Some(self.index), self.base + at, frame.payload, loader.len())
            }
        };
        self.index += 1;
        let (input, dialect, key, lost) = (self.input, self.dialect, None, None);
        Ok(Some(Buffer { input, dialect, frame, key, lost, at, bytes, remaining, stream_len }))
    }

    /// Reads the next piece if all of this one was given. Returns false if there is nothing more.
    fn fill(&mut self) -> Result<bool, Failure> {
        let Some(loader) = &mut self.loader else { return Ok(self.index == 0) };
        if self.given < self.piece.len() {
            return Ok(true);
        }
        let read = loader.read(&mut self.piece, self.input.threads());
        let base = read.map_err(|error| Failure::load(self.input, error))?;
        if base.is_none() {
            self.piece.clear();
        }
        (self.index, self.base, self.given) = (loader.index() as usize, base.unwrap_or(self.base), 0);
        Ok(base.is_some())
    }

    /// Reads the one that `--frame` asks for, or the first one.
    pub fn find(&mut self, wanted: Option<usize>) -> Result<Buffer<'_>, Failure> {
        if wanted.is_some() || self.loader.is_some() {
            self.select("--frame", wanted.unwrap_or(0).try_into().unwrap_or(i64::MAX), Some(1))?;
        }
        self.fill()?;
        let (wanted, count) = (wanted.unwrap_or(0), self.index);
        self.next()?.ok_or_else(|| Failure::Usage(format!("--frame {wanted}: the file has {count} frames")))
    }
}

/// Prints how else the input could be read, if it is damaged as this dialect.
pub fn give_hint(input: &Rc<Input>) {
    let (name, dialect) = (&input.name, input.from.dialect());
    if reads(input, dialect) {
        return;
    }
    let others = DialectName::value_variants().iter().filter(|&&other| other != input.from);
    let names: Vec<_> = others.filter(|other| reads(input, other.dialect())).map(|other| other.text()).collect();
    if !names.is_empty() {
        let names = names.join(" or --from ");
        say("hint", format_args!("{name}: all of it can be read with --from {names}"));
    } else if let Some(what) = loader(input).ok().and_then(|loader| loader.guess(dialect)).and_then(what) {
        say("hint", format_args!("{name}: {what}"));
    } else if input.reading.format == Format::Auto && !has_frame(input, dialect) && has_value(input, dialect) {
        say("hint", format_args!("{name}: it was read as values of store_var(); --format value reads it as one value"));
    }
}

/// Describes a file that holds no values of this dialect, and what to do with it.
fn what(guess: Guess) -> Option<String> {
    use varbatch_storage::Format::{Encrypted, Gzip, Sqlite};
    let (format, advice) = match guess {
        Guess::BigEndian => return Some("its lengths are big-endian, as FileAccess.big_endian writes them".into()),
        Guess::Format(Encrypted) => (Encrypted, "--password-file, --password-env or --key-file decrypts it"),
        Guess::Format(Gzip) => (Gzip, "gzip -d unpacks it"),
        // It was read as a store.
        Guess::Format(Sqlite) => return None,
        Guess::Format(other) => (other, "it holds no values of store_var()"),
        // `give_hint` finds the others itself.
        _ => return None,
    };
    Some(format!("this is {format}: {advice}"))
}

/// Returns true if all values of the input are sound in a dialect, with nothing after them.
fn reads(input: &Rc<Input>, dialect: Dialect) -> bool {
    let Ok(mut buffers) = Buffers::open(input, input.reading.format, dialect) else { return false };
    loop {
        match buffers.next() {
            Ok(Some(buffer)) if is_value(buffer.bytes, dialect) => {}
            end => return matches!(end, Ok(None)),
        }
    }
}

/// Returns true if the input begins with a frame whose value takes all of it, or is compressed: then it holds frames.
fn has_frame(input: &Rc<Input>, dialect: Dialect) -> bool {
    let Ok(mut buffers) = Buffers::open(input, Format::Frames, dialect) else { return true };
    buffers.loader.as_ref().is_some_and(|loader| loader.compression().is_some())
        || matches!(buffers.next(), Ok(Some(first)) if is_value(first.bytes, dialect))
}

/// Returns true if the input begins with a value, or more of one than its header; not with a null, which nobody goes on after.
fn has_value(input: &Input, dialect: Dialect) -> bool {
    const HEADERS: usize = 8;
    input.read(PROBE).is_ok_and(|start| {
        let reader = Reader::new(&start).with_dialect(dialect).with_objects(true);
        validate(reader).unwrap_or_else(|error| error.at()) > HEADERS
    })
}
