//! Finds frames by their lengths alone: the payloads between are jumped over. Lengths are read through a small buffer.
//! It grows where frames are short, so that many cost one read, and shrinks where they are long, so that one costs a
//! few bytes. Some offsets, evenly spread over what was passed, are kept, so that going back does not begin again.

use super::source::{READ_LEN, Source, WALK_LEN};
use crate::error::{LoadError, shortened};
use varbatch_codec::CodecError;
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_workers::Threads;

/// Bytes that are read at a time at first, and after long frames.
const FIRST_WALK_LEN: usize = 512;

/// Average bytes of frames from which each is jumped over. Reading shorter ones takes no longer than a system call.
const JUMP_FROM: u64 = 4 << 10;

/// Max offsets that a walk keeps to go back to.
const MAX_MARKS: usize = 1024;

/// Max reads in one step of a walk, so that a step takes about a millisecond.
const MAX_WALK_READS: usize = 256;

/// A walk over the frames of a stream, from the first one.
#[derive(Default)]
pub(crate) struct Walk {
    /// The offset of the next frame, which is the end of the last whole one, and the number of frames before it.
    pub(crate) at: u64,
    pub(super) index: u64,
    /// Index and offset of some frames: of each whose index is a multiple of a power of two.
    marks: Vec<(u64, u64)>,
    start: u64,
    spacing: u64,
    /// The bytes that were read last, and the offset of the first one.
    buffer: Vec<u8>,
    base: u64,
    /// The offset at which the source continues, if that is known.
    read_to: Option<u64>,
    /// Bytes to read next.
    ahead: usize,
    /// The end of the stream, as far as the file has it.
    end: u64,
    /// The error after the bytes in the buffer.
    failed: Option<LoadError>,
    /// The offset before which empty frames are no zeros at the end of the file.
    nonzero_at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// So many frames were passed.
    There,
    /// The stream has ended before, as it should.
    End,
    /// There are more frames to pass.
    Part,
}

impl Walk {
    /// Begins a walk over a stream from its byte `start` to `end`.
    pub(crate) fn new(start: u64, end: u64) -> Self {
        Self { start, at: start, base: start, spacing: 1, ahead: FIRST_WALK_LEN, end, ..Self::default() }
    }

    /// Goes back to frame `to`, or to one before it that is near. No frames are marked after this.
    fn go_back(&mut self, to: u64) {
        let before = self.marks.partition_point(|(index, _)| *index <= to);
        (self.index, self.at) = before.checked_sub(1).map_or((0, self.start), |mark| self.marks[mark]);
        self.marks = Vec::new();
        self.spacing = 0;
        (self.base, self.read_to, self.failed) = (self.at, None, None);
        self.buffer.clear();
        self.ahead = FIRST_WALK_LEN;
    }

    /// Keeps the offset of the next frame, and every second one of the others if they are many.
    #[cold]
    fn mark(&mut self) {
        if self.spacing == 0 {
            return;
        }
        if self.marks.len() == MAX_MARKS {
            self.spacing *= 2;
            self.marks.retain(|(index, _)| index & (self.spacing - 1) == 0);
        }
        if self.index & (self.spacing - 1) == 0 {
            self.marks.push((self.index, self.at));
        }
    }

    /// Passes frames up to `to` or for a millisecond; `passed` gets offset and length. Fails if the next is not whole.
    pub(crate) fn step(
        &mut self,
        source: &mut Source,
        to: u64,
        threads: &Threads,
        mut passed: impl FnMut(u64, usize),
    ) -> Result<Walked, LoadError> {
        let (mut reads, mut len) = (0, 0);
        loop {
            let before = (self.at, self.index);
            let result = self.pass(to, &mut passed);
            if self.index >= to {
                return Ok(Walked::There);
            }
            if matches!(result, Ok(Some(0))) {
                // Any offset will do if the next read seeks.
                self.nonzero_at = source.nonzero(self.at, self.end, self.read_to.unwrap_or(self.at))?;
                continue;
            }
            if result.is_err() || self.at >= self.end {
                if let Source::Compressed(decoder) = source {
                    // It has an error of its own for its end: a block that is cut off, or other bytes there.
                    decoder.seek(self.end)?;
                    decoder.read(&mut Vec::new(), 1, threads)?;
                }
                result?;
                return Ok(Walked::End);
            }
            // An error of bytes that are jumped over does not matter.
            if let Some(failed) = self.failed.take()
                && self.read_to.is_none_or(|read_to| self.at <= read_to)
            {
                return Err(failed);
            }
            if reads == MAX_WALK_READS || len >= READ_LEN {
                return Ok(Walked::Part);
            }
            if let Some(average) = (self.at - before.0).checked_div(self.index - before.1) {
                self.ahead = if average < JUMP_FROM { (2 * self.ahead).min(WALK_LEN) } else { FIRST_WALK_LEN };
            }
            len += self.read(source, threads)?;
            reads += 1;
        }
    }

    /// Passes the frames with lengths in the buffer. Returns the length of an empty one that may be zeros at the end.
    fn pass(&mut self, to: u64, mut passed: impl FnMut(u64, usize)) -> Result<Option<usize>, CodecError> {
        while self.index < to {
            let from = usize::try_from(self.at - self.base).unwrap_or(usize::MAX);
            let bytes = self.buffer.get(from..).unwrap_or_default();
            let available = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
            let Some(len) = frames::payload_len(bytes, self.at as usize, available)? else { break };
            if len == 0 && self.at >= self.nonzero_at {
                return Ok(Some(len));
            }
            if self.index & self.spacing.wrapping_sub(1) == 0 {
                self.mark();
            }
            passed(self.at, len);
            self.at += (PREFIX_LEN + len) as u64;
            self.index += 1;
        }
        Ok(None)
    }

    /// Reads bytes from the next frame on. Returns how many were read.
    fn read(&mut self, source: &mut Source, threads: &Threads) -> Result<usize, LoadError> {
        let kept_from = usize::try_from(self.at - self.base).unwrap_or(usize::MAX).min(self.buffer.len());
        self.buffer.drain(..kept_from);
        self.base = self.at;
        let read_from = self.at + self.buffer.len() as u64;
        if self.read_to != Some(read_from) {
            source.seek(read_from)?;
        }
        let before = self.buffer.len();
        let max = self.ahead.min(usize::try_from(self.end - read_from).unwrap_or(usize::MAX));
        self.failed = source.read(&mut self.buffer, max, threads).err();
        let len = self.buffer.len() - before;
        self.read_to = Some(read_from + len as u64);
        if len == 0 && self.failed.is_none() {
            match source {
                Source::Plain(_) => self.failed = Some(shortened()),
                _ => self.end = read_from,
            }
        }
        Ok(len)
    }
}

/// A search for `count` frames from frame `from` on, or for all from there on.
#[derive(Default)]
pub(super) struct Select {
    /// Counts from the end if it is negative.
    pub(super) from: i64,
    pub(super) count: Option<u64>,
    pub(super) walk: Walk,
    /// Where the bytes of the stream end that the file has.
    pub(super) whole_len: u64,
    /// The number of whole frames and their end, which only a negative `from` needs.
    pub(super) counted: Option<(u64, u64)>,
    /// The error after all whole frames, if the walk to the end has met one, and their number.
    pub(super) behind: Option<(u64, LoadError)>,
    /// The index and the offset of the first frame asked for, and the end of the last one if that is known.
    pub(super) start: Option<(u64, u64)>,
    pub(super) end: Option<u64>,
}

impl Select {
    pub(super) fn passed(&self) -> (u64, u64) {
        let before = if self.counted.is_some() { self.whole_len } else { 0 };
        (before + self.walk.at, self.whole_len.saturating_mul(if self.from < 0 { 2 } else { 1 }))
    }

    /// Searches on. Returns index and offset of the first frame asked for, or `None` yet. Fails if it is out of reach.
    pub(super) fn step(&mut self, source: &mut Source, threads: &Threads) -> Result<Option<(u64, u64)>, LoadError> {
        let Some(first) = self.first() else {
            let walked = self.walk.step(source, u64::MAX, threads, |_, _| ());
            if !matches!(walked, Ok(Walked::Part)) {
                self.behind = walked.err().map(|error| (self.walk.index, error));
                self.counted = Some((self.walk.index, self.walk.at));
                self.walk.go_back(self.first().unwrap_or(0));
            }
            return Ok(None);
        };
        let start = match self.start {
            Some(start) => start,
            None => match self.walk.step(source, first, threads, |_, _| ())? {
                Walked::Part => return Ok(None),
                Walked::There => *self.start.insert((first, self.walk.at)),
                Walked::End => {
                    self.end = Some(self.walk.at);
                    return Ok(Some((self.walk.index, self.walk.at)));
                }
            },
        };
        let last = self.count.map(|count| first.saturating_add(count.saturating_sub(self.missing())));
        self.end = match (last, self.counted) {
            (None, None) => None,
            (last, Some((count, end))) if last.is_none_or(|last| last >= count) => Some(end),
            (last, _) => match self.walk.step(source, last.unwrap_or(u64::MAX), threads, |_, _| ()) {
                Ok(Walked::Part) => return Ok(None),
                Ok(Walked::There) => Some(self.walk.at),
                // Reading the frames asked for ends there too.
                Ok(Walked::End) | Err(_) => None,
            },
        };
        if self.end != Some(start.1) {
            source.seek(start.1)?;
        }
        Ok(Some(start))
    }

    /// Returns the index of the first frame asked for, if it is known; of the end, if all lie before the first frame.
    fn first(&self) -> Option<u64> {
        let first_of = |(all, _): (u64, u64)| match self.count {
            Some(count) if count <= self.missing() => all,
            _ => all.saturating_sub(self.from.unsigned_abs()),
        };
        u64::try_from(self.from).ok().or_else(|| self.counted.map(first_of))
    }

    /// Returns how many of the frames asked for lie before the first frame.
    fn missing(&self) -> u64 {
        self.counted.map_or(0, |(count, _)| self.from.unsigned_abs().saturating_sub(count))
    }
}
