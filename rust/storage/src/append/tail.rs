//! Decides which bytes at the end of a file an append may cut off: only what no reading takes for whole.
//!
//! Either a torn record at the end: the beginning of a valid value that fits its announced length. Or zeros up to the
//! end, which a power cut leaves where the length of the file reached the disk and its data did not. They can begin in
//! a record: then its value ends too early, or cannot be read, with nothing but zeros from there on.
//!
//! Damaged lengths lead to bytes that can look like either. So the records before have to be whole values, and a file that
//! can be one value without a length is refused.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::AppendError;
use crate::error::LoadError;
use crate::load::{Source, WALK_LEN, Walk, Walked};
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Reader, Shape, validate};
use varbatch_workers::Threads;

/// Max length of a torn record of which fewer than [`SEEN_LEN`] bytes remain, in bytes. A text has letters there, and so a
/// length of more than 512 MiB; a checksum mostly has one of more than this.
const MAX_UNSEEN_LEN: usize = 16 << 20;
const SEEN_LEN: u64 = 512;

/// Bytes of a record or a value that are read at first.
const FIRST_LEN: usize = 1 << 20;

const WORD: u64 = PREFIX_LEN as u64;

/// Max bytes of a header of the game, behind which whole records are looked for, before all is taken for a torn one.
const HEADER_LEN: u64 = 16;

/// Returns the end of the last whole record, before zeros or a torn one at most. Fails also if it may be one value.
pub(super) fn whole_end(file: &Arc<File>, len: u64, dialect: Dialect) -> Result<u64, AppendError> {
    let tail = Tail { file, len, dialect };
    let (mut end, mut last) = tail.walk(0)?;
    if tail.is_one_value()? && (end < len || tail.record(0)? != Record::Whole) {
        return Err(AppendError::OneValue);
    }
    if end == len {
        return Ok(end);
    }
    if tail.is_zero(end)? {
        if let Some(at) = last[0]
            && tail.record(at)? == Record::Torn
        {
            (end, last) = (at, [last[1], None]);
        }
    } else if !tail.is_torn(end, last[0].is_some())? || end == 0 && tail.has_header()? {
        return Err(AppendError::Damaged { at: end });
    }
    for at in last.into_iter().flatten() {
        if tail.record(at)? != Record::Whole {
            return Err(AppendError::Damaged { at });
        }
    }
    Ok(end)
}

#[derive(PartialEq, Eq)]
enum Record {
    /// A value that takes all of them.
    Whole,
    /// The beginning of one: the file ends in it, or has only zeros from some point on.
    Torn,
    Other,
}

/// A file of `len` bytes.
struct Tail<'f> {
    file: &'f Arc<File>,
    len: u64,
    dialect: Dialect,
}

impl Tail<'_> {
    /// Returns the end of the last record but zeros, and the offsets of the last two that are not empty, last first.
    fn walk(&self, from: u64) -> io::Result<(u64, [Option<u64>; 2])> {
        let mut source = Source::Plain(Box::new(Arc::clone(self.file)));
        let (mut walk, mut last) = (Walk::new(from, self.len), [None; 2]);
        loop {
            let note = |at, len| {
                if len > 0 {
                    last = [Some(at), last[0]];
                }
            };
            match walk.step(&mut source, u64::MAX, &Threads::alone(), note) {
                Ok(Walked::Part) => {}
                Err(LoadError::Read(error)) => return Err(error),
                Ok(_) | Err(_) => return Ok((walk.at, last)),
            }
        }
    }

    /// True if whole records up to the end are behind a few other bytes, such as a version.
    fn has_header(&self) -> io::Result<bool> {
        for from in 1..=HEADER_LEN.min(self.len) {
            let (end, last) = self.walk(from)?;
            if end == self.len
                && let Some(at) = last[0]
                && self.record(at)? == Record::Whole
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if the file is one value without a length, or too long to tell and may be. A nil is nothing to keep.
    fn is_one_value(&self) -> io::Result<bool> {
        let bytes = self.read(0, FIRST_LEN as u64)?;
        if bytes.first().is_none_or(|&id| id == 0) || self.len > varbatch_codec::limits::MAX_VALUE_LEN as u64 {
            return Ok(false);
        }
        Ok(match self.validate(&bytes) {
            Ok(end) => end as u64 >= self.len,
            Err(error) => needed(&error, &bytes).is_some_and(|needed| needed <= self.len),
        })
    }

    /// True if the file ends in the record at this offset, which is torn. `has_records` is true if some are before it.
    fn is_torn(&self, at: u64, has_records: bool) -> io::Result<bool> {
        let head = self.read(at, 2 * WORD)?;
        // All writers pad values to words.
        if head.first().is_none_or(|low| !usize::from(*low).is_multiple_of(PREFIX_LEN)) {
            return Ok(false);
        }
        let Ok(len) = frames::payload_len(&head, 0, usize::MAX) else { return Ok(false) };
        let Some(len) = len else { return Ok(has_records) };
        if len > MAX_UNSEEN_LEN && self.len - at < SEEN_LEN {
            return Ok(false);
        }
        let value = &head[PREFIX_LEN..];
        if value.len() < PREFIX_LEN {
            // Too little to tell, unless other records show what file it is.
            let is_type = value.first().is_none_or(|&id| self.dialect.engine.kind(id).is_some());
            return Ok(has_records && is_type);
        }
        Ok(self.record(at)? == Record::Torn)
    }

    /// Finds out what the record at this offset is, of which the file has the length.
    fn record(&self, at: u64) -> io::Result<Record> {
        let len = frames::payload_len(&self.read(at, WORD)?, 0, usize::MAX).ok().flatten().unwrap_or(0) as u64;
        let start = at + WORD;
        let here = len.min(self.len - start);
        let torn = |is_torn| Ok(if is_torn { Record::Torn } else { Record::Other });
        let mut max = FIRST_LEN as u64;
        loop {
            let bytes = self.read(start, here.min(max))?;
            let error = match self.validate(&bytes) {
                // The padding of a last PackedByteArray may be missing.
                Ok(end) if end as u64 >= len && here == len => return Ok(Record::Whole),
                Ok(end) => {
                    return torn(if end as u64 > here { end as u64 == len } else { self.is_zero(start + end as u64)? });
                }
                // The engine writes some texts that it does not read.
                Err(error) if here == len && matches!(error.kind(), CodecErrorKind::Malformed { .. }) => {
                    return Ok(Record::Whole);
                }
                Err(error) => error,
            };
            let Some(needed) = needed(&error, &bytes) else {
                // Zeros are read as empty parts, but some types have none.
                let value_len = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                let value = &bytes[..value_len.next_multiple_of(PREFIX_LEN).min(bytes.len())];
                let is_torn = self.validate(value).is_err_and(|error| error.kind().missing().is_some());
                return torn(is_torn && self.is_zero(start + value.len() as u64)?);
            };
            if needed > here {
                // The last padding is not counted.
                let is_exact = needed.next_multiple_of(WORD) == len;
                return torn(here < len && (is_exact || needed < len && !self.has_fixed_len(&bytes)));
            }
            max *= 8;
        }
    }

    /// True if the first bytes of a value tell how long it is, and that all of it fails if it is cut off.
    fn has_fixed_len(&self, bytes: &[u8]) -> bool {
        match bytes.first().and_then(|&id| self.dialect.engine.shape(id)) {
            Some(Shape::Bool | Shape::Int | Shape::Float | Shape::Rid | Shape::Components { .. }) => true,
            Some(Shape::Text | Shape::Packed { .. }) => bytes.len() >= 2 * PREFIX_LEN,
            _ => false,
        }
    }

    fn validate(&self, bytes: &[u8]) -> Result<usize, CodecError> {
        validate(Reader::new(bytes).with_dialect(self.dialect).with_objects(true))
    }

    /// True if bytes follow from this offset on, and all are zero.
    fn is_zero(&self, mut at: u64) -> io::Result<bool> {
        let is_any = at < self.len;
        while at < self.len {
            let part = self.read(at, WALK_LEN as u64)?;
            if part.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            at += part.len() as u64;
        }
        Ok(is_any)
    }

    fn read(&self, at: u64, max: u64) -> io::Result<Vec<u8>> {
        let len = usize::try_from(max.min(self.len - at)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len)?;
        let mut file = &**self.file;
        file.seek(SeekFrom::Start(at))?;
        file.take(len as u64).read_to_end(&mut bytes)?;
        if bytes.len() == len { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// Returns how many bytes a value takes at least, of which these are the first; `None` if they cannot be.
fn needed(error: &CodecError, bytes: &[u8]) -> Option<u64> {
    error.kind().missing().map(|missing| bytes.len() as u64 + missing)
}
