//! Outputs a plan in chunks, for callers that write over time: to a file, or in the steps of a task.
//!
//! [`crate::fill`] is for callers that have memory for the whole output. Both produce the same bytes.

use std::mem::MaybeUninit;

use crate::plan::{Content, Mark, Plan};
use crate::text;

/// Max bytes of a character.
const CHAR_LEN: usize = 6;

/// How much of a plan was output. Belongs to one plan, which must not change meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// The positions in the plan and in nested plans, around the innermost one.
    outer: Vec<Level>,
    /// The position in the innermost plan that it has entered.
    level: Level,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// Small bytes that were output.
    small: usize,
    /// Segments that were output.
    segment: usize,
    /// Bytes or characters of the next segment that were output.
    offset: usize,
}

/// A piece of a plan.
#[derive(Clone, Copy, Debug)]
pub enum Chunk<'p> {
    /// Bytes that are copied unchanged.
    Bytes(&'p [u8]),
    /// Characters that are converted to UTF-8.
    Utf32(&'p [u32]),
}

impl Cursor {
    /// Creates a cursor at the start of a plan.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a cursor at a mark of a plan.
    pub fn at(mark: Mark) -> Self {
        Self { outer: Vec::new(), level: Level { small: mark.small, segment: mark.segments, offset: 0 } }
    }

    /// Returns the next chunk, of up to `most` bytes, or of one character if that takes more. `None` at the end.
    ///
    /// # Panics
    /// If `most` is 0, or the cursor belongs to another plan.
    pub fn next<'p>(&mut self, plan: &'p Plan<'_>, most: usize) -> Option<Chunk<'p>> {
        assert!(most > 0, "nothing was asked for");
        let Self { outer, level } = self;
        loop {
            let plan = outer.iter().fold(plan, |plan, level| match plan.segments[level.segment].payload.content() {
                Content::Plan(inner) => inner,
                _ => unreachable!("the cursor is that of another plan"),
            });
            let segment = plan.segments.get(level.segment);
            let small_end = segment.map_or(plan.small.len(), |segment| segment.small_end);
            if level.small < small_end {
                return Some(Chunk::Bytes(stretch(&plan.small[..small_end], &mut level.small, most)));
            }
            let chunk = match segment.map(|segment| segment.payload.content()) {
                Some(Content::Bytes(bytes)) => Chunk::Bytes(stretch(bytes, &mut level.offset, most)),
                Some(Content::Utf32 { chars, .. }) => {
                    Chunk::Utf32(stretch(chars, &mut level.offset, (most / CHAR_LEN).max(1)))
                }
                Some(Content::Plan(_)) => {
                    outer.push(std::mem::take(level));
                    continue;
                }
                None => {
                    // Continue in the outer plan, after this one.
                    *level = outer.pop()?;
                    level.segment += 1;
                    continue;
                }
            };
            if !chunk.is_empty() {
                return Some(chunk);
            }
            *level = Level { segment: level.segment + 1, offset: 0, ..*level };
        }
    }
}

impl Chunk<'_> {
    /// Returns its bytes of output.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Utf32(chars) => text::utf8_len(chars),
        }
    }

    /// True if it has no output.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Utf32(chars) => chars.is_empty(),
        }
    }

    /// Writes it over the whole of `dest`.
    ///
    /// # Panics
    /// If `dest` is not [`Self::len`] bytes long.
    pub fn fill(&self, dest: &mut [MaybeUninit<u8>]) {
        match self {
            Self::Bytes(bytes) => {
                dest.write_copy_of_slice(bytes);
            }
            Self::Utf32(chars) => text::encode(chars, dest),
        }
    }

    /// Appends its bytes to a vector.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Utf32(chars) => text::append(chars, text::utf8_len(chars), out),
        }
    }
}

/// Returns up to `most` elements from `at` on, and moves `at` past them.
fn stretch<'p, T>(elements: &'p [T], at: &mut usize, most: usize) -> &'p [T] {
    let start = *at;
    *at = elements.len().min(start.saturating_add(most));
    &elements[start..*at]
}
