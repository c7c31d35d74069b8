//! Reads frames from a file, piece by piece: one thread decodes a piece while another reads the next.

mod source;
mod walk;

use std::io::{self, Cursor, Read, SeekFrom};
use std::sync::Arc;

use self::source::READ_LEN;
pub(crate) use self::source::{Source, WALK_LEN};
use self::walk::Select;
pub(crate) use self::walk::{Walk, Walked};
use crate::compressed::{Compression, Decoder, MAGIC, is_compressed, is_damaged_at_start};
use crate::encrypted::{Decrypter, Hashing, Key};
use crate::error::{LoadError, shortened};
use crate::open::{Input, open};
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_codec::{CodecError, Dialect, Reader, validate};
use varbatch_workers::Threads;

/// Bytes of a longer frame that are read at a time.
const PART_LEN: usize = 4 << 20;

/// A stream of frames that is read piece by piece.
pub struct Loader {
    pub(crate) source: Source,
    /// What was decrypted so far of a file in which frames are searched afterwards.
    gathered: Option<Vec<u8>>,
    /// Bytes that remain in the source, as far as is known.
    unread: u64,
    /// The start of a frame that was read together with the frames before it.
    tail: Vec<u8>,
    /// The offset of the next frame in the stream.
    at: u64,
    /// The index of the first frame that was returned last, and how many were.
    index: u64,
    returned: u64,
    /// The search for the frames asked for, until they are found.
    select: Option<Box<Select>>,
    /// True if the frames asked for end before the stream does.
    is_cut: bool,
    /// The error after the last whole frame, if the search has met it, and the index of that frame.
    behind: Option<(u64, LoadError)>,
    /// The error after the returned frames.
    failed: Option<LoadError>,
    ended: bool,
    /// The offset before which empty frames are no zeros at the end of the file.
    nonzero_at: u64,
}

/// The outcome of [`Loader::read_step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// Whole frames were read. They begin at this offset in the stream.
    Frames(usize),
    /// A part of a long frame was read, which is not complete, or some frames that nobody asked for were passed.
    Part,
    /// There are no more frames.
    End,
}

impl Loader {
    /// Opens a file with [`open`]. Fails also if the head of a compressed file is damaged.
    pub fn open(path: &std::path::Path) -> Result<Self, LoadError> {
        let (file, len) = open(path)?;
        Self::new(Box::new(file), len)
    }

    /// Reads from `input`, which has `len` bytes. Fails also if the head of a compressed file is damaged.
    pub fn new(mut input: Box<dyn Input>, len: u64) -> Result<Self, LoadError> {
        let mut head = Vec::new();
        input.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head)?;
        // Of one that is damaged at its start, the decoder says so.
        let is_compressed = is_compressed(&head) || is_damaged_at_start(&mut input, len);
        input.seek(SeekFrom::Start(0))?;
        let (source, unread) = if is_compressed {
            let decoder = Decoder::new(input, len)?;
            let total = decoder.total();
            (Source::Compressed(Box::new(decoder)), total)
        } else {
            (Source::Plain(input), len)
        };
        Ok(Self::of(source, unread))
    }

    /// Reads an encrypted `input` of `len` bytes: believe it only if the end is read. Fails if it is none, or cut off.
    pub fn encrypted(input: Box<dyn Input>, len: u64, key: &Key) -> Result<Self, LoadError> {
        let decrypter = Decrypter::new(input, len, key)?;
        let len = decrypter.len;
        Ok(Self::of(Source::Encrypted(Box::new(decrypter)), len))
    }

    fn of(source: Source, unread: u64) -> Self {
        Self {
            source,
            gathered: None,
            unread,
            tail: Vec::new(),
            at: 0,
            index: 0,
            returned: 0,
            select: None,
            is_cut: false,
            behind: None,
            failed: None,
            ended: false,
            nonzero_at: 0,
        }
    }

    /// Closes the file. Nothing can be read afterwards.
    pub fn close(&mut self) {
        self.source = Source::Plain(Box::new(Cursor::new(Vec::new())));
    }

    /// Skips so many bytes before the first frame. Call it before anything else. Fails if there are fewer.
    pub fn skip(&mut self, len: u64) -> Result<(), LoadError> {
        if len > self.unread {
            return Err(LoadError::Short { skipped: len, found: self.unread });
        }
        self.source.seek(len)?;
        (self.at, self.unread) = (len, self.unread - len);
        Ok(())
    }

    /// Asks for `count` frames from frame `from` on, or for all. Call it before reading anything. Frames are counted
    /// from 0, and from the end if `from` is negative: -1 is the last whole one. Those before the first or behind the
    /// end are left out, as with `Array.slice`. Of frames before those asked for just the lengths are read, or the
    /// compressed blocks that hold them. A negative `from` walks to the end, and after the frames returns the error
    /// that it met there.
    pub fn select(&mut self, from: i64, count: Option<u64>) {
        if count == Some(0) {
            (self.unread, self.ended) = (0, true);
        } else if from != 0 || count.is_some() {
            let whole_len = match &self.source {
                Source::Plain(_) | Source::Encrypted(_) => self.at + self.unread,
                Source::Compressed(decoder) => decoder.whole_len(),
            };
            let walk = Walk::new(self.at, whole_len);
            self.select = Some(Box::new(Select { from, count, walk, whole_len, ..Select::default() }));
            if let Source::Encrypted(decrypter) = &mut self.source {
                decrypter.skipped = 0;
                self.gathered = Some(Vec::new());
            }
        }
    }

    /// True if all frames up to the end are there, and are values of `dialect` and nothing more. Call it before reading anything.
    pub fn is_whole(mut self, dialect: Dialect, threads: &Threads) -> bool {
        let mut piece = Vec::new();
        let is_value = |bytes: &[u8]| {
            validate(Reader::new(bytes).with_dialect(dialect).with_objects(true)).is_ok_and(|len| len == bytes.len())
        };
        loop {
            match self.read_step(&mut piece, threads) {
                Ok(ReadStep::Frames(_)) if frames::read(&piece).flatten().all(|frame| is_value(frame.payload)) => {}
                Ok(ReadStep::Part) => {}
                end => return matches!(end, Ok(ReadStep::End)),
            }
        }
    }

    /// True if all bytes are there, whatever they mean, as far as the form of the file tells.
    pub fn has_all_bytes(mut self, threads: &Threads) -> bool {
        let mut piece = Vec::new();
        loop {
            match self.read_bytes(&mut piece, threads) {
                Ok(()) if piece.is_empty() || matches!(self.source, Source::Plain(_)) => return true,
                Ok(()) => {}
                Err(_) => return false,
            }
        }
    }

    /// While frames are passed to find those asked for, returns how many bytes were passed, and the max to pass.
    pub fn passed(&self) -> Option<(u64, u64)> {
        self.select.as_ref().map(|select| select.passed())
    }

    /// Returns the index of the first frame that was returned last; after an error and at the end, of the next one.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns the file's compression, if it is compressed: reading it then takes longer than decoding it.
    pub fn compression(&self) -> Option<Compression> {
        if let Source::Compressed(decoder) = &self.source { Some(decoder.compression()) } else { None }
    }

    /// Returns the hash of the file, if it is encrypted: threads should go on with it while others read and decode.
    pub fn hashing(&self) -> Option<Arc<Hashing>> {
        if let Source::Encrypted(decrypter) = &self.source { Some(Arc::clone(&decrypter.hashing)) } else { None }
    }

    /// Returns the number of unread bytes of the uncompressed stream, as far as is known.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Returns the length of the uncompressed stream, and how many of its bytes were not returned yet.
    pub fn len(&self) -> (u64, u64) {
        let remaining = self.unread + self.tail.len() as u64;
        (self.at + remaining, remaining)
    }

    /// Reads the next whole frames into `piece`: one long frame or many short ones. Returns their offset in the stream;
    /// `None` at the end. An error is returned once, after all frames before it.
    pub fn read(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<Option<usize>, LoadError> {
        loop {
            match self.read_step(piece, threads)? {
                ReadStep::Frames(at) => return Ok(Some(at)),
                ReadStep::Part => {}
                ReadStep::End => return Ok(None),
            }
        }
    }

    /// Reads like [`Self::read`], but a frame of many MiB takes several steps, and so do many frames to pass.
    pub fn read_step(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<ReadStep, LoadError> {
        piece.clear();
        if let Some(stream) = self.gathered.take() {
            return self.gather(stream);
        }
        if let Some(select) = self.select.take() {
            return self.pass(select, threads);
        }
        self.index += std::mem::take(&mut self.returned);
        if self.tail.len() > READ_LEN {
            // A part of a frame continues in the same memory.
            std::mem::swap(piece, &mut self.tail);
        } else {
            piece.append(&mut self.tail);
        }
        while !self.ended {
            let mut read = match self.failed.take() {
                Some(failed) => Err(failed),
                None => self.read_more(piece, threads),
            };
            let (mut end, mut count, solid) = whole(piece);
            let zeros_at = self.at + solid.0 as u64;
            if solid.0 < end && zeros_at >= self.nonzero_at && !self.is_cut {
                let read_to = self.at + piece.len() as u64;
                match self.source.nonzero(zeros_at, read_to + self.unread, read_to) {
                    Ok(at) => self.nonzero_at = at,
                    Err(zeros) => {
                        ((end, count), read) = (solid, Err(zeros));
                        piece.truncate(end);
                    }
                }
            }
            if end > 0 {
                self.returned = count;
                self.failed = read.err();
                self.tail.extend_from_slice(&piece[end..]);
                piece.truncate(end);
                let at = self.at as usize;
                self.at += end as u64;
                return Ok(ReadStep::Frames(at));
            }
            self.ended = !matches!(read, Ok(true));
            read?;
            if piece.len() > READ_LEN {
                std::mem::swap(piece, &mut self.tail);
                return Ok(ReadStep::Part);
            }
        }
        Ok(ReadStep::End)
    }

    /// Reads the next bytes of the stream into `piece`, whatever they mean; none at the end. Not together with [`Self::read`].
    pub fn read_bytes(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<(), LoadError> {
        piece.clear();
        self.source.read(piece, READ_LEN, threads)?;
        if piece.is_empty() && self.unread > 0 {
            return Err(shortened());
        }
        self.unread = self.unread.saturating_sub(piece.len() as u64);
        Ok(())
    }

    /// Reads the rest of an encrypted file, of which what was read is only believed then.
    pub(crate) fn finish(&mut self) -> Result<(), LoadError> {
        if let Source::Encrypted(decrypter) = &mut self.source { decrypter.finish() } else { Ok(()) }
    }

    /// Decrypts a part of the file, and all of it before values are searched in it.
    fn gather(&mut self, mut stream: Vec<u8>) -> Result<ReadStep, LoadError> {
        let before = stream.len();
        match self.source.read(&mut stream, PART_LEN, &Threads::alone()) {
            Ok(()) if stream.len() > before => self.gathered = Some(stream),
            Ok(()) => self.source = Source::Plain(Box::new(Cursor::new(stream))),
            Err(error) => {
                (self.unread, self.ended, self.select) = (0, true, None);
                return Err(error);
            }
        }
        Ok(ReadStep::Part)
    }

    fn pass(&mut self, mut select: Box<Select>, threads: &Threads) -> Result<ReadStep, LoadError> {
        match select.step(&mut self.source, threads) {
            Ok(Some((index, at))) => {
                let (end, stream_end) = (select.end, self.at + self.unread);
                (self.index, self.at, self.behind) = (index, at, select.behind);
                self.is_cut = end.is_some_and(|end| end < stream_end || end == at) || self.behind.is_some();
                self.unread = end.unwrap_or(stream_end).saturating_sub(at);
            }
            Ok(None) => self.select = Some(select),
            Err(error) => {
                self.index = select.start.map_or(select.walk.index, |(index, _)| index);
                (self.unread, self.ended) = (0, true);
                return Err(error);
            }
        }
        Ok(ReadStep::Part)
    }

    /// Appends bytes to the start of a frame, or to nothing. Returns true if there were any.
    fn read_more(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<bool, LoadError> {
        let (need, room) = match self.need(piece) {
            Ok(need) => need,
            Err(error) => return Err(self.finish().err().unwrap_or(error.into())),
        };
        if need == 0 && self.is_cut {
            let Some((index, damage)) = self.behind.take() else { return Ok(false) };
            self.index = index;
            return Err(damage);
        }
        if piece.capacity() - piece.len() < need {
            piece.try_reserve_exact(room).map_err(io::Error::from)?;
        }
        let before = piece.len();
        let read = self.source.read(piece, need, threads);
        // A compressed block may go on behind the frames asked for.
        piece.truncate(usize::try_from(self.unread).map_or(usize::MAX, |unread| before.saturating_add(unread)));
        let len = piece.len() - before;
        // A file that ends before its announced length has no more bytes.
        self.unread = if len == 0 { 0 } else { self.unread.saturating_sub(len as u64) };
        read?;
        if len < need && matches!(self.source, Source::Plain(_)) { Err(shortened()) } else { Ok(need > 0) }
    }

    /// Returns how many bytes to read after the start of a frame, and how many to reserve; an error if it is no frame.
    fn need(&self, tail: &[u8]) -> Result<(usize, usize), CodecError> {
        let unread = usize::try_from(self.unread).unwrap_or(usize::MAX);
        let Some(len) = frames::payload_len(tail, self.at as usize, tail.len().saturating_add(unread))? else {
            return Ok((unread.min(READ_LEN), 0));
        };
        let rest = len + PREFIX_LEN - tail.len();
        if rest < READ_LEN / 2 && tail.len() <= READ_LEN {
            return Ok((unread.min(READ_LEN), 0));
        }
        // Of a long frame exactly the rest, and the length of the next frame, so that no bytes have to be moved.
        let rest = unread.min(rest + PREFIX_LEN);
        // The announced length of a compressed file is trusted in proportion to the bytes already read.
        let room = if self.compression().is_some() { rest.min(PART_LEN + 3 * tail.len()) } else { rest };
        Ok((rest.min(PART_LEN), room))
    }
}

/// Returns the bytes and the number of complete frames at the start; then both without the empty ones at the end.
fn whole(bytes: &[u8]) -> (usize, u64, (usize, u64)) {
    let frames = frames::read(bytes).map_while(Result::ok);
    frames.fold((0, 0, (0, 0)), |(_, count, solid), frame| {
        let (end, count) = (frame.at + frame.payload.len(), count + 1);
        (end, count, if frame.payload.is_empty() { solid } else { (end, count) })
    })
}
