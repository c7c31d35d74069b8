//! Guards: no damage to a vector panics, and the Reader accepts exactly what each engine accepts, to the last byte.

use varbatch_codec::{Dialect, Engine, Event, Kind, Reader};

use crate::support::agree::assert_agrees_of;
use crate::support::model::{self, Verdict};
use crate::support::steps::rest;
use crate::support::vectors::{self, Buffer};

/// Longer ones are the same again and again.
const SHORT: usize = 400;

fn short_buffers(most: usize) -> impl Iterator<Item = Buffer> {
    vectors::all().filter(move |vector| vector.bytes.len() <= most)
}

impl Buffer {
    #[track_caller]
    fn agrees(&self, bytes: &[u8]) -> bool {
        matches!(assert_agrees_of(self.engine, bytes, self.allow_objects), Verdict::Accepted(_))
    }

    fn reader<'b>(&self, bytes: &'b [u8]) -> Reader<'b> {
        Reader::new(bytes).with_dialect(Dialect::of(self.engine)).with_objects(self.allow_objects)
    }
}

#[test]
fn every_truncation_is_refused_but_for_a_last_padding() {
    let mut whole = 0;
    for vector in vectors::all() {
        let Buffer { engine, name, allow_objects, ref bytes } = vector;
        assert_agrees_of(engine, bytes, !allow_objects);
        let is_whole = model::verdict_of(engine, bytes, allow_objects) == Verdict::Accepted(bytes.len());
        whole += usize::from(is_whole);
        let padding = match rest(&mut vector.reader(bytes)).as_deref() {
            Ok([.., Event::Packed(plain)]) if plain.kind == Kind::PackedByteArray => (4 - plain.count % 4) % 4,
            _ => 0,
        };
        let step = if bytes.len() > SHORT { 97 } else { 1 };
        for len in (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(16)..=bytes.len()) {
            let accepted = vector.agrees(&bytes[..len]);
            // What is broken, or has more behind it, has no such end.
            assert!(!is_whole || accepted == (len + padding >= bytes.len()), "{name}, {len} bytes");
        }
    }
    assert!(whole > 800, "{whole} are whole");
}

#[test]
fn every_error_lies_inside_of_the_bytes_counts_from_the_base_and_comes_again() {
    let mut behind = 0;
    for vector in short_buffers(SHORT) {
        for len in 0..=vector.bytes.len() {
            let mut reader = vector.reader(&vector.bytes[..len]);
            let mut moved = reader.clone().with_base(1000);
            let (found, again) = (rest(&mut reader), rest(&mut moved));
            let Err(error) = found else {
                assert_eq!(again.map(|events| events.len()), found.map(|events| events.len()));
                continue;
            };
            let position = reader.position();
            // The padding that is missing is counted, but no byte.
            behind += usize::from(position > len);
            assert!(error.at() <= len, "{}, {len} bytes: {error}", vector.name);
            assert_eq!(reader.next_event(), Err(error.clone()));
            assert_eq!((reader.next_event(), reader.position()), (Err(error.clone()), position), "read on");
            let again = again.expect_err("the same bytes");
            assert_eq!((again.at(), again.kind(), again.path()), (1000 + error.at(), error.kind(), error.path()));
        }
    }
    assert!(behind > 5, "{behind} errors behind a missing padding");
}

#[test]
fn every_changed_word_agrees() {
    // Counts, lengths, headers and types are all words, and what is none is changed as well.
    for vector in short_buffers(SHORT) {
        let mut bytes = vector.bytes.clone();
        for at in (0..bytes.len().saturating_sub(3)).step_by(4) {
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let near = [1, 2, 4, u32::MAX, u32::MAX - 3].map(|step| old.wrapping_add(step));
            let far = [0, 1 << 30, 1 << 31, 0x7fff_ffff, 0x7fff_fffc, 0x7fff_fffb, 0x8000_0001, u32::MAX, u32::MAX - 3];
            // As a count of elements of 8, 12 or 16 bytes, or of two of them, more than 32 bits hold.
            let wrapped = [0x2000_0000, 0x1555_5556, 0x1000_0001, 0x0aaa_aaab, 0x0800_0001];
            let flags = (16..20).map(|bit| old ^ 1 << bit);
            for word in near.into_iter().chain(far).chain(wrapped).chain(flags).chain([old ^ 1 << 31]) {
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                vector.agrees(&bytes);
            }
            bytes[at..at + 4].copy_from_slice(&old.to_le_bytes());
        }
    }
}

#[test]
fn every_changed_byte_agrees() {
    for vector in short_buffers(80) {
        let mut bytes = vector.bytes.clone();
        for at in 0..bytes.len() {
            let old = bytes[at];
            let some = [0, 1, 2, 3, 5, 0x17, 0x18, 0x1b, 0x7f, 0x80, 0xbf, 0xff, old ^ 1, old ^ 0x80, !old];
            let new = if vector.engine == Engine::Godot4 { (0..=u8::MAX).collect() } else { some.to_vec() };
            for new in new {
                bytes[at] = new;
                vector.agrees(&bytes);
            }
            bytes[at] = old;
        }
    }
}
