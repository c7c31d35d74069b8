//! Guards: texts by another writer are refused where they are not due, and passed without being read as they are read.
//! What several writers give is looked at in `plan`.

use varbatch_codec::{CodecErrorKind, Dialect, Event, Mark, Reader, Text, Writer};

use crate::support::events::{A, ARRAY, NODE_PATH, after, then};
use crate::support::random::Random;
use crate::support::steps::{assert_same, rest, write};
use crate::support::{nearly, times, vectors};

const STRINGS: Event<'_> = Event::PackedStrings { count: 2 };
const OBJECT: Event<'_> = Event::Object { class: Text::Utf8("A"), count: 1 };

#[test]
fn texts_of_another_writer_are_refused_where_they_are_not_due() {
    let of = |count, written| then(Writer::for_texts(Dialect::GODOT_4, count), &[A, A, A][..written]);
    for (events, other, count) in [
        // Too many.
        (&[STRINGS][..], of(3, 3), 3),
        (&[STRINGS, A], of(2, 2), 2),
        // The other has not written all of its own, or is in the middle of something else.
        (&[STRINGS], of(2, 1), 2),
        (&[STRINGS], of(2, 1), 1),
        (&[STRINGS], of(1, 0), 1),
        (&[STRINGS], after(&[ARRAY]), 1),
        (&[STRINGS], after(&[STRINGS]), 1),
        (&[STRINGS], after(&[OBJECT]), 1),
        // No text is due, or a name is, or one of a NodePath.
        (&[], of(1, 1), 1),
        (&[], of(0, 0), 0),
        (&[ARRAY], of(1, 1), 1),
        (&[STRINGS, A, A], of(1, 1), 1),
        (&[OBJECT], of(1, 1), 1),
        (&[NODE_PATH], of(1, 1), 1),
        (&[NODE_PATH], of(2, 2), 2),
        (&[STRINGS, A, A, NODE_PATH], of(1, 1), 1),
    ] {
        let mut writer = after(events);
        let (before, depth) = (writer.mark(), writer.depth());
        let error = writer.append_texts(other, count).expect_err("not due");
        let expected = "as many texts as were announced";
        assert_eq!((error.kind(), error.at()), (&CodecErrorKind::Order { expected }, before.position()), "{events:?}");
        assert_eq!((writer.mark(), writer.depth()), (before, depth), "{events:?}: something was taken");
    }
    // A writer for texts takes nothing else, and no more than its own.
    for event in [Event::Int(1), ARRAY, STRINGS] {
        of(2, 1).write(event).expect_err("a text is due");
    }
    of(2, 2).write(A).expect_err("they were all");
    // The last text ends what is around it.
    let mut writer = after(&[ARRAY, Event::Nil, STRINGS, A]);
    writer.append_texts(of(1, 1), 1).expect("one is due");
    assert_eq!(writer.depth(), 0);
    writer.end_value(Mark::default()).expect("complete");
    assert_eq!(writer.into_plan().to_vec(), write(&[ARRAY, Event::Nil, STRINGS, A, A]).expect("writes"));
}

/// Passes each text of a value, beside a reader that reads it; counts those that pass, malformed ones and errors.
#[track_caller]
fn assert_passes(bytes: &[u8], base: usize, seen: &mut [usize; 3]) {
    let mut reader = Reader::new(bytes).with_base(base).with_objects(true);
    loop {
        let start = reader.position();
        let (mut passed, mut read) = (reader.clone(), reader.clone());
        match (passed.pass_text(), read.next_text()) {
            (Ok(false), Ok(None)) => {
                assert_eq!(passed.position(), start, "{bytes:02x?}");
                match reader.next_event() {
                    Ok(Some(_)) => continue,
                    _ => return,
                }
            }
            (Ok(true), Ok(Some(_))) => {
                seen[0] += 1;
                assert_eq!(passed.position(), read.position(), "{bytes:02x?}");
                assert_eq!((passed.depth(), passed.is_inside(0)), (read.depth(), read.is_inside(0)), "{bytes:02x?}");
                // What follows, up to the end or to the error, with its path.
                match (rest(&mut passed.clone()), rest(&mut read)) {
                    (Ok(found), Ok(expected)) => assert_same(&found, &expected),
                    (found, expected) => assert_eq!(found, expected, "behind {start} of {bytes:02x?}"),
                }
            }
            (Ok(true), Err(error)) => {
                seen[1] += 1;
                assert!(matches!(error.kind(), CodecErrorKind::Malformed { .. }), "{error}: {bytes:02x?}");
            }
            (Err(by_passing), Err(by_reading)) => {
                seen[2] += 1;
                assert!(!matches!(by_reading.kind(), CodecErrorKind::Malformed { .. }), "{by_reading}: {bytes:02x?}");
                assert_eq!(by_passing, by_reading, "{bytes:02x?}");
                assert_eq!(by_passing.to_string(), by_reading.to_string());
                assert_eq!(passed.position(), start, "passed on behind an error: {bytes:02x?}");
                assert_eq!(passed.pass_text(), Err(by_passing), "not the same error again: {bytes:02x?}");
                return;
            }
            (pass, text) => panic!("passing gives {pass:?}, reading {text:?}, at {start} of {bytes:02x?}"),
        }
        let len = u32::from_le_bytes(bytes[start..start + 4].try_into().expect("a length")) as usize;
        assert_eq!(passed.position(), start + 4 + len.next_multiple_of(4), "{bytes:02x?}");
        reader = passed;
    }
}

#[test]
fn texts_are_passed_as_they_are_read() {
    let (mut random, mut seen) = (Random::new(2), [0; 3]);
    for vector in vectors::buffers().filter(|vector| vector.bytes.len() < 4000) {
        assert_passes(&vector.bytes, 0, &mut seen);
        (0..vector.bytes.len().min(300)).for_each(|len| assert_passes(&vector.bytes[..len], 1000, &mut seen));
    }
    for round in 0..times(60_000, 20) {
        let depth = random.below(3);
        let mut bytes = nearly::value(&mut random, depth, 300);
        if round % 2 == 0 {
            let other = nearly::value(&mut random, 1, 0);
            nearly::damage(&mut random, &mut bytes, &other);
        }
        assert_passes(&bytes, round, &mut seen);
    }
    assert!(seen.iter().all(|&count| count > times(400, 0)), "{seen:?}: this tested little");
}
