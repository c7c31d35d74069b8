//! Guards: `find` leads where `lookup` does, in sound, cut and changed buffers, but for a text that is a key twice.

use varbatch_codec::lookup::{LookupErrorKind, Seek, Target, find, lookup};
use varbatch_codec::{Dialect, Event, Kind, Reader, Text};

use crate::support::nearly;
use crate::support::random::Random;
use crate::support::times;

/// An encoded step: an int, or a text of one letter.
fn step(random: &mut Random) -> Vec<u8> {
    match random.below(2) {
        0 => [[2, 0, 0, 0], [random.below(4) as u8, 0, 0, 0]].concat(),
        _ => [&[4 + 17 * random.below(2) as u8, 0, 0, 0, 1, 0, 0, 0][..], &[b'a' + random.below(3) as u8, 0, 0, 0]]
            .concat(),
    }
}

/// Encodes a Dictionary or an Array of small ones, with single letters as keys.
fn nested(random: &mut Random, depth: usize, slips: usize, bytes: &mut Vec<u8>) {
    let count = random.below(4);
    match random.below(if depth == 0 { 1 } else { 3 }) {
        0 => bytes.extend(nearly::value(random, 0, slips)),
        1 => {
            bytes.extend([28, 0, 0, 0, count as u8, 0, 0, 0]);
            (0..count).for_each(|_| nested(random, depth - 1, slips, bytes));
        }
        _ => {
            bytes.extend([27, 0, 0, 0, count as u8, 0, 0, 0]);
            // Each text is a key once; another key may be anything.
            for letter in 0..count {
                match random.below(5) {
                    0 => bytes.extend(nearly::value(random, 0, slips)),
                    _ => bytes.extend([
                        21 - 17 * random.below(2) as u8,
                        0,
                        0,
                        0,
                        1,
                        0,
                        0,
                        0,
                        b'a' + letter as u8,
                        0,
                        0,
                        0,
                    ]),
                }
                nested(random, depth - 1, slips, bytes);
            }
        }
    }
}

fn has_text_twice(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes).with_trusted_counts();
    let mut seen = Vec::new();
    while let Ok(Some(event)) = reader.next_event() {
        if let Event::String(Text::Utf8(text)) | Event::StringName(Text::Utf8(text)) = event {
            seen.push((reader.depth(), text.to_owned()));
        }
    }
    seen.sort();
    seen.windows(2).any(|pair| pair[0] == pair[1])
}

/// True if `find` follows `path` to a value that ends before the byte at `offset`.
fn ends_before(bytes: &[u8], path: &[&[u8]], offset: usize) -> bool {
    let target = find(bytes, 7, Dialect::GODOT_4, path);
    matches!(target, Ok(Some(Target::Value { at, bytes })) if at + bytes.len() <= offset)
}

#[test]
fn find_leads_where_lookup_does() {
    let (mut random, mut found_count, mut damaged) = (Random::new(20_261_123), 0, 0);
    for _ in 0..times(200_000, 200) {
        let mut bytes = Vec::new();
        nested(&mut random, 3, 1000, &mut bytes);
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            _ => {}
        }
        let steps: Vec<_> = (0..random.below(4)).map(|_| step(&mut random)).collect();
        let path: Vec<_> = steps.iter().map(Vec::as_slice).collect();
        let seeks: Vec<_> = steps.iter().map(|step| Seek::Key(step)).collect();
        let found = find(&bytes, 7, Dialect::GODOT_4, &path);
        match lookup(&bytes, 7, Dialect::GODOT_4, &seeks) {
            Ok(target) if found == Ok(Some(target)) => found_count += 1,
            Err(error) if matches!(error.kind(), LookupErrorKind::NoStep(_)) && found == Ok(None) => {}
            Err(error) if matches!(error.kind(), LookupErrorKind::Damaged(inner) if found.as_ref() == Err(inner)) => {
                damaged += 1;
            }
            // What `lookup` meets behind an entry on the path, where `find` does not look.
            Err(error)
                if found.is_ok()
                    && matches!(error.kind(), LookupErrorKind::Damaged(inner)
                        if (1..=path.len()).any(|len| ends_before(&bytes, &path[..len], inner.at()))) => {}
            expected => assert!(has_text_twice(&bytes), "{expected:?}, found {found:?}: {path:02x?} in {bytes:02x?}"),
        }
    }
    assert!(found_count > times(20_000, 10) && damaged > times(1000, 1), "{found_count} found, {damaged} damaged");
}

#[test]
fn an_error_names_the_whole_path() {
    // {"a": [1, a value of no type]}
    let bytes = [
        27, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 28, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
        99, 0, 0, 0, 0, 0, 0, 0,
    ];
    let (key, index) = ([4, 0, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0], [2, 0, 0, 0, 1, 0, 0, 0]);
    let error = find(&bytes, 0, Dialect::GODOT_4, &[&key, &index]).unwrap_err().to_string();
    assert!(error.ends_with("at byte 36 inside [\"a\"][1]"), "{error}");
    assert_eq!(Kind::from_id(99), None);
}

#[test]
fn a_key_that_is_no_utf8_behind_the_one_found_is_not_looked_at() {
    // {"é": 1, a text that is not UTF-8: 2}
    let bytes = [
        27, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0xc3, 0xa9, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0,
        0, 0xff, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0,
    ];
    let key = &bytes[8..20];
    let target = Target::Value { at: 20, bytes: &bytes[20..28] };
    assert_eq!(find(&bytes, 0, Dialect::GODOT_4, &[key]), Ok(Some(target)));
    assert_eq!(lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::Key(key)]).expect("found"), target);
}

/// Encodes an Array of `count` elements of which most have the same layout, and some are Arrays like it.
fn long(random: &mut Random, count: usize, depth: usize, bytes: &mut Vec<u8>) {
    bytes.extend([28, 0, 0, 0]);
    bytes.extend((count as u32).to_le_bytes());
    let (mut like, mut other) = (Vec::new(), Vec::new());
    nested(random, 2, 0, &mut like);
    nested(random, 1, 0, &mut other);
    let inner = random.below(count);
    for index in 0..count {
        match random.below(100) {
            _ if index == inner && depth > 0 => {
                let count = 512 + random.below(3);
                long(random, count, depth - 1, bytes);
            }
            0 => bytes.extend(&other),
            1 => nested(random, 2, 0, bytes),
            _ => bytes.extend(&like),
        }
    }
}

#[test]
fn long_arrays_are_passed_as_a_reader_passes_them() {
    let (mut random, mut sound, mut damaged) = (Random::new(20_261_124), 0, 0);
    let head = [27, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, b'a', 0, 0, 0];
    let key = [4, 0, 0, 0, 1, 0, 0, 0, b'b', 0, 0, 0];
    let value = [2, 0, 0, 0, 7, 0, 0, 0];
    for round in 0..times(3000, 60) {
        let (mut array, count) = (Vec::new(), 500 + random.below(30));
        long(&mut random, count, round % 3, &mut array);
        if random.below(3) == 0 {
            let at = random.below(array.len());
            array[at] = random.below(256) as u8;
        }
        let bytes = [&head[..], &array, &key, &value].concat();
        let found = find(&bytes, 0, Dialect::GODOT_4, &[&key]);
        let mut reader = Reader::new(&bytes[head.len()..]).with_objects(true).with_trusted_counts();
        let read = reader.skip_value();
        if read.is_ok() && reader.position() == array.len() {
            sound += 1;
            let at = bytes.len() - value.len();
            assert_eq!(found, Ok(Some(Target::Value { at, bytes: &bytes[at..] })));
        } else {
            damaged += 1;
        }
    }
    assert!(sound > times(1500, 20) && damaged > times(100, 3), "{sound} sound, {damaged} damaged");
}
