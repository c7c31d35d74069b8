//! Finds out what is in an input, and reads its values one by one; and what the user could have meant where that fails.

use std::io::{self, Read};
use std::rc::Rc;

use clap::ValueEnum;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{CodecError, Dialect, Reader, frames, validate};
use varbatch_storage::{Guess, Loader, may_be_value, words};

use crate::args::{DialectName, Format};
use crate::input::{Failure, Input};
use crate::output::say;

/// Bytes of an input that are read before all of it is held as one value.
const PROBE: u64 = 1 << 20;

pub fn loader(input: &Rc<Input>) -> Result<Loader, Failure> {
    let reader = input.reader().map_err(|error| Failure::file(&input.name, words(&error)))?;
    Loader::new(Box::new(reader), input.len).map_err(|error| Failure::load(input, error))
}

/// Bytes that are read of an input that may be one value. A longer one is none: the Reader reports the first byte that is
/// too much.
const MAX_READ: u64 = MAX_VALUE_LEN as u64 + 1;

fn read(input: &Input, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(input.len.min(max) as usize)?;
    input.reader()?.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads an input that is one value, and no frames.
fn find_value(input: &Rc<Input>, dialect: Dialect) -> io::Result<Option<Vec<u8>>> {
    let is_longer = input.len > MAX_VALUE_LEN as u64 || has_frame(input, dialect);
    if is_longer || !may_be_value(&read(input, PROBE)?, input.len, dialect) {
        return Ok(None);
    }
    Ok(Some(read(input, MAX_READ)?).filter(|bytes| is_value(bytes, dialect)))
}

/// Returns true if a value takes all of the bytes.
fn is_value(bytes: &[u8], dialect: Dialect) -> bool {
    may_be_value(bytes, bytes.len() as u64, dialect)
}

#[derive(Clone, Copy)]
pub struct Buffer<'a> {
    pub input: &'a Rc<Input>,
    pub dialect: Dialect,
    /// The index of its frame; `None` if it is all of the input.
    pub frame: Option<usize>,
    /// Where it begins, in the stream as it is uncompressed.
    pub at: usize,
    pub bytes: &'a [u8],
    /// Bytes of the stream that are still to be read, and of all of it.
    pub remaining: u64,
    pub stream_len: u64,
}

impl Buffer<'_> {
    pub fn validate(&self) -> Result<usize, CodecError> {
        validate(Reader::new(self.bytes).with_base(self.at).with_dialect(self.dialect).with_objects(true))
    }

    /// What `error` says about it, with its frame.
    pub fn damaged(&self, error: &CodecError) -> Failure {
        Failure::data(self.input, format_args!("{}{error}", in_frame(self.frame)))
    }
}

/// How a line begins that is about a frame.
pub fn in_frame(frame: Option<usize>) -> String {
    frame.map_or_else(String::new, |index| format!("frame {index}: "))
}

pub struct Buffers<'i> {
    pub input: &'i Rc<Input>,
    dialect: Dialect,
    /// What reads frames; `None` if the input is one value, perhaps with more after it.
    pub loader: Option<Loader>,
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
        Self::open(input, input.reading.format, input.from.dialect())
    }

    pub fn open(input: &'i Rc<Input>, format: Format, dialect: Dialect) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::file(&input.name, words(&error));
        let value = match format {
            Format::Frames => None,
            Format::Value => Some(read(input, MAX_READ).map_err(failed)?),
            Format::Auto => find_value(input, dialect).map_err(failed)?,
        };
        let loader = if value.is_none() { Some(loader(input)?) } else { None };
        Ok(Self { input, dialect, loader, index: 0, piece: value.unwrap_or_default(), base: 0, given: 0 })
    }

    /// Asks for `count` frames from frame `from` on, or for all from there on: see [`Loader::select`]. `option` is what
    /// asks for them.
    pub fn select(&mut self, option: &str, from: i64, count: Option<u64>) -> Result<(), Failure> {
        let Some(loader) = &mut self.loader else {
            return Err(Failure::Usage(format!("{option}: the file is one value, and has no frames")));
        };
        loader.select(from, count);
        Ok(())
    }

    /// Reads the next one. An error is about what follows the last.
    pub fn next(&mut self) -> Result<Option<Buffer<'_>>, Failure> {
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
        Ok(Some(Buffer { input: self.input, dialect: self.dialect, frame, at, bytes, remaining, stream_len }))
    }

    /// Reads the next piece if all of this one was given. Returns false if there is nothing more.
    fn fill(&mut self) -> Result<bool, Failure> {
        let Some(loader) = &mut self.loader else { return Ok(self.index == 0) };
        if self.given < self.piece.len() {
            return Ok(true);
        }
        let read = loader.read(&mut self.piece, self.input.threads());
        let read = read.map_err(|error| Failure::load(self.input, error))?;
        (self.index, self.given) = (loader.index() as usize, 0);
        match read {
            Some(base) => self.base = base,
            None => self.piece.clear(),
        }
        Ok(read.is_some())
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
    use varbatch_storage::Format::{Encrypted, Gzip};
    let (format, advice) = match guess {
        Guess::BigEndian => return Some("its lengths are big-endian, as FileAccess.big_endian writes them".into()),
        Guess::Format(Encrypted) => {
            (Encrypted, "Godot reads it with the password, see FileAccess.open_encrypted_with_pass()")
        }
        Guess::Format(Gzip) => (Gzip, "gzip -d unpacks it"),
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
            Ok(None) => return true,
            Ok(Some(buffer)) if is_value(buffer.bytes, dialect) => {}
            _ => return false,
        }
    }
}

/// Returns true if the input begins with a frame whose value takes all of it, or is compressed: then it holds frames.
fn has_frame(input: &Rc<Input>, dialect: Dialect) -> bool {
    let Ok(mut buffers) = Buffers::open(input, Format::Frames, dialect) else { return true };
    buffers.loader.as_ref().is_some_and(|loader| loader.compression().is_some())
        || matches!(buffers.next(), Ok(Some(first)) if is_value(first.bytes, dialect))
}

/// Returns true if the input begins with a value, or with more of one than its header. A null is none: nobody writes that
/// and goes on.
fn has_value(input: &Input, dialect: Dialect) -> bool {
    const HEADERS: usize = 8;
    read(input, PROBE).is_ok_and(|start| {
        let reader = Reader::new(&start).with_dialect(dialect).with_objects(true);
        validate(reader).unwrap_or_else(|error| error.at()) > HEADERS
    })
}
