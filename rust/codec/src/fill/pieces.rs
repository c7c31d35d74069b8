//! Cuts a part of a plan into pieces that threads fill.

use std::mem::MaybeUninit;

use super::fill;
use crate::Part;
use crate::plan::Content;

/// Bytes of the pieces that [`cut`] makes for threads to share. 128 KiB to 512 KiB were equally fast, 64 KiB was slower.
pub const CUT_LEN: usize = 512 << 10;

/// A piece of a part, with its own range of the destination. Pieces may be filled in any order and on any thread.
#[derive(Debug)]
pub struct Piece<'w, 'a> {
    part: Part<'w, 'a>,
    dest: &'w mut [MaybeUninit<u8>],
}

impl Piece<'_, '_> {
    /// Returns the bytes of its destination.
    pub fn len(&self) -> usize {
        self.dest.len()
    }

    /// True if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.dest.is_empty()
    }

    /// Writes the piece over its whole range of the destination.
    pub fn fill(self) {
        fill(self.part, self.dest);
    }
}

/// Cuts a part into pieces of about [`CUT_LEN`] bytes, which are appended to `pieces`: runs of segments, and chunks of
/// long payloads. Once all are filled, `dest` is initialised. Panics like [`fill`], here or when they are filled.
pub fn cut<'w, 'a>(part: Part<'w, 'a>, dest: &'w mut [MaybeUninit<u8>], pieces: &mut Vec<Piece<'w, 'a>>) {
    let mut dest = dest;
    // Not in a piece so far: segments from `first` on and small bytes from `small_at` on, `len` bytes in total.
    let (mut first, mut small_at, mut len) = (0, 0, 0);
    let run = |segments: std::ops::Range<usize>, small: std::ops::Range<usize>, len| Part {
        small: &part.small[small.clone()],
        segments: &part.segments[segments],
        small_start: part.small_start + small.start,
        len,
    };
    let mut small_seen = 0;
    for (index, segment) in part.segments.iter().enumerate() {
        let small_end = segment.small_end - part.small_start;
        len += small_end - small_seen;
        small_seen = small_end;
        let content = segment.payload.content();
        let payload_len = content.len();
        let is_text = matches!(content, Content::Utf32 { .. });
        if payload_len > CUT_LEN && !is_text {
            let (head, tail) = dest.split_at_mut(len);
            pieces.push(Piece { part: run(first..index, small_at..small_end, len), dest: head });
            let (body, tail) = tail.split_at_mut(payload_len);
            match content {
                Content::Bytes(bytes) => cut_bytes(bytes, body, pieces),
                Content::Plan(plan) => cut(plan.whole(), body, pieces),
                Content::Utf32 { .. } => unreachable!("a text is not cut"),
            }
            dest = tail;
            (first, small_at, len) = (index + 1, small_end, 0);
            continue;
        }
        len += payload_len;
        if len >= CUT_LEN {
            let (head, tail) = dest.split_at_mut(len);
            pieces.push(Piece { part: run(first..index + 1, small_at..small_end, len), dest: head });
            dest = tail;
            (first, small_at, len) = (index + 1, small_end, 0);
        }
    }
    let part = run(first..part.segments.len(), small_at..part.small.len(), dest.len());
    pieces.push(Piece { part, dest });
}

/// Cuts bytes that are copied unchanged, as [`cut`] does. Panics if `dest` differs in length.
pub fn cut_bytes<'w, 'a>(bytes: &'w [u8], dest: &'w mut [MaybeUninit<u8>], pieces: &mut Vec<Piece<'w, 'a>>) {
    assert_eq!(dest.len(), bytes.len(), "destination and bytes differ in length");
    let stretches = bytes.chunks(CUT_LEN).zip(dest.chunks_mut(CUT_LEN));
    pieces.extend(stretches.map(|(bytes, dest)| Piece { part: bytes.into(), dest }));
}
