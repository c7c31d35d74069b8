//! Copies a plan into its destination: uninitialised memory of exactly its size.
//!
//! The destinations belong to the engine, which would otherwise have to zero them. Callers rely on this promise: when a
//! function here returns, it has initialised every byte of its destination.

use std::mem::MaybeUninit;

use crate::event::Plain;
use crate::kind::{Scalar, Width};
use crate::plan::{Content, Part, Plan};
use crate::text;

/// Bytes of the pieces that [`cut`] makes for threads to share. 128 KiB to 512 KiB were equally fast, 64 KiB was slower.
#[doc(hidden)]
pub const CUT_LEN: usize = 512 << 10;

/// Writes `part` over the whole of `dest`.
///
/// # Panics
/// If `dest` is not exactly as long as `part`.
pub fn fill(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>]) {
    assert_eq!(dest.len(), part.len(), "destination and plan differ in length");
    let mut dest = dest;
    let mut small_at = 0;
    for segment in part.segments {
        let small_end = segment.small_end - part.small_start;
        dest = put(dest, &part.small[small_at..small_end]);
        small_at = small_end;
        dest = match segment.payload.content() {
            Content::Bytes(bytes) => put(dest, bytes),
            Content::Utf32 { chars, len } => {
                let (head, tail) = dest.split_at_mut(len);
                text::encode(chars, head);
                tail
            }
            Content::Plan(plan) => {
                let (head, tail) = dest.split_at_mut(plan.len());
                fill(plan.whole(), head);
                tail
            }
        };
    }
    let dest = put(dest, &part.small[small_at..]);
    assert!(dest.is_empty(), "the plan is shorter than its length says");
}

/// Writes plain data with components of `width` over the whole of `dest`.
///
/// Narrowed components are rounded as in C++; a NaN stays a NaN.
///
/// # Panics
/// If `dest` does not have the length of the data in that width.
pub fn plain(plain: Plain<'_>, width: Width, dest: &mut [MaybeUninit<u8>]) {
    if plain.has_width(width) {
        dest.write_copy_of_slice(plain.bytes);
        return;
    }
    let (from, to) = (Scalar::Real.size(plain.width), Scalar::Real.size(width));
    assert_eq!(dest.len(), plain.bytes.len() / from * to, "destination and data differ in length");
    for (bytes, dest) in plain.bytes.chunks_exact(from).zip(dest.chunks_exact_mut(to)) {
        match plain.width {
            Width::Single => {
                let wide = f64::from(f32::from_le_bytes(bytes.try_into().expect("a chunk of 4 bytes")));
                dest.write_copy_of_slice(&wide.to_le_bytes());
            }
            Width::Double => {
                let narrow = f64::from_le_bytes(bytes.try_into().expect("a chunk of 8 bytes")) as f32;
                dest.write_copy_of_slice(&narrow.to_le_bytes());
            }
        }
    }
}

/// Returns the bytes of `part` as a vector.
pub fn to_vec(part: Part<'_, '_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len());
    fill(part, &mut out.spare_capacity_mut()[..part.len()]);
    // SAFETY: the capacity is at least `part.len()`, and `fill` has initialised each of these bytes, or panicked.
    unsafe { out.set_len(part.len()) };
    out
}

impl Plan<'_> {
    /// Returns the output as a vector.
    pub fn to_vec(&self) -> Vec<u8> {
        to_vec(self.whole())
    }
}

fn put<'d>(dest: &'d mut [MaybeUninit<u8>], bytes: &[u8]) -> &'d mut [MaybeUninit<u8>] {
    let (head, tail) = dest.split_at_mut(bytes.len());
    head.write_copy_of_slice(bytes);
    tail
}

/// A piece of a part, with its own range of the destination. Pieces may be filled in any order and on any thread.
#[doc(hidden)]
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

/// Cuts a part into pieces of about [`CUT_LEN`] bytes: runs of segments, and chunks of long payloads. They are
/// appended to `pieces`. Once all of them are filled, every byte of `dest` is initialised, as after [`fill`].
///
/// # Panics
/// Same as [`fill`], either here or when the pieces are filled.
#[doc(hidden)]
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
        let payload_len = segment.payload.len();
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

/// Cuts bytes that are copied unchanged, as [`cut`] does.
///
/// # Panics
/// If `dest` is not exactly as long as `bytes`.
#[doc(hidden)]
pub fn cut_bytes<'w, 'a>(bytes: &'w [u8], dest: &'w mut [MaybeUninit<u8>], pieces: &mut Vec<Piece<'w, 'a>>) {
    assert_eq!(dest.len(), bytes.len(), "destination and bytes differ in length");
    let stretches = bytes.chunks(CUT_LEN).zip(dest.chunks_mut(CUT_LEN));
    pieces.extend(stretches.map(|(bytes, dest)| Piece { part: bytes.into(), dest }));
}
