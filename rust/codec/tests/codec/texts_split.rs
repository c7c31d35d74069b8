//! Guards: the texts of a value by several writers and readers are as by one; an error is one word.

use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Event, Mark, Reader, Text, Writer};

use crate::support::events::{A, ARRAY, NODE_PATH, after, then};
use crate::support::naive;
use crate::support::nearly;
use crate::support::random::Random;
use crate::support::steps::{self, assert_same, rest, write};
use crate::support::times;
use crate::support::tree::{Batch, Tree, chars};
use crate::support::value::Value;
use crate::support::vectors;

const STRINGS: Event<'_> = Event::PackedStrings { count: 2 };
const OBJECT: Event<'_> = Event::Object { class: Text::Utf8("A"), count: 1 };

#[test]
fn an_error_is_one_word() {
    assert_eq!(size_of::<CodecError>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), CodecError>>(), size_of::<usize>());
    assert_eq!(size_of::<Option<CodecError>>(), size_of::<usize>());
}

#[test]
fn texts_by_several_writers_are_as_by_one() {
    let mut random = Random::new(1);
    for round in 0..times(500, 3) {
        let count = random.below(if round % 10 == 0 { 2000 } else { 40 });
        let texts =
            Tree::Strings((0..count).map(|_| chars(random.below(if round % 9 == 0 { 900 } else { 30 }))).collect());
        // Between two values, so that what ends with the last text shows.
        Batch::split(&[Tree::Array(vec![Tree::Int(1), texts, Tree::Int(2)])], &mut random, 2).assert_fills();
    }
}

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

/// How often each of these was seen.
#[derive(Default)]
struct Seen {
    passed: usize,
    malformed: usize,
    errors: usize,
}

/// Passes each text of a value, beside a reader that reads it.
#[track_caller]
fn assert_passes(bytes: &[u8], base: usize, seen: &mut Seen) {
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
                seen.passed += 1;
                assert_eq!(passed.position(), read.position(), "{bytes:02x?}");
                assert_eq!((passed.depth(), passed.is_inside(0)), (read.depth(), read.is_inside(0)), "{bytes:02x?}");
                // What follows, up to the end or to the error, with its path.
                match (rest(&mut passed.clone()), rest(&mut read)) {
                    (Ok(found), Ok(expected)) => assert_same(&found, &expected),
                    (found, expected) => assert_eq!(found, expected, "behind {start} of {bytes:02x?}"),
                }
            }
            (Ok(true), Err(error)) => {
                seen.malformed += 1;
                assert!(matches!(error.kind(), CodecErrorKind::Malformed { .. }), "{error}: {bytes:02x?}");
            }
            (Err(by_passing), Err(by_reading)) => {
                seen.errors += 1;
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
fn texts_of_vectors_are_passed_as_they_are_read() {
    let mut seen = Seen::default();
    for vector in vectors::buffers().filter(|vector| vector.bytes.len() < 4000) {
        assert_passes(&vector.bytes, 0, &mut seen);
        (0..vector.bytes.len().min(300)).for_each(|len| assert_passes(&vector.bytes[..len], 1000, &mut seen));
    }
    assert!(seen.passed > 100 && seen.errors > 100 && seen.malformed > 0, "{} {}", seen.passed, seen.errors);
}

#[test]
fn texts_of_random_values_are_passed_as_they_are_read() {
    let (mut random, mut seen) = (Random::new(2), Seen::default());
    for round in 0..times(60_000, 20) {
        let depth = random.below(3);
        let mut bytes = nearly::value(&mut random, depth, 300);
        if round % 2 == 0 {
            let other = nearly::value(&mut random, 1, 0);
            nearly::damage(&mut random, &mut bytes, &other);
        }
        assert_passes(&bytes, round, &mut seen);
    }
    if !cfg!(miri) {
        let counts = [seen.passed, seen.errors, seen.malformed];
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}: this tested little");
    }
}

#[test]
fn readers_sent_to_runs_of_texts_read_all_of_them() {
    let mut random = Random::new(3);
    let count = times(3000, 50);
    let some = |random: &mut Random| random.pick(&[0x61, 0x7a, 0xe9, 0x65e5, 0x1f600]);
    let len = |random: &mut Random| if random.percent(3) { random.below(3000) } else { random.below(30) };
    let strings: Vec<Vec<u32>> =
        (0..count).map(|_| (0..len(&mut random)).map(|_| some(&mut random)).collect()).collect();
    let bytes = naive::value(&Value::array(vec![Value::Texts(strings.clone()), Value::Int(5)]));
    let mut scan = Reader::new(&bytes);
    scan.next_event().expect("reads");
    assert_eq!(scan.next_event(), Ok(Some(Event::PackedStrings { count })));
    let (mut found, mut passed) = (Vec::new(), 0);
    while passed < count {
        let (mut reader, run) = (scan.clone(), (1 + random.below(200)).min(count - passed));
        (0..run).for_each(|_| assert_eq!(scan.pass_text(), Ok(true)));
        passed += run;
        found.extend((0..run).map(|_| reader.next_text().expect("UTF-8").expect("a text is due")));
        assert_eq!(reader.position(), scan.position());
    }
    assert_eq!(scan.pass_text(), Ok(false));
    assert_eq!(rest(&mut scan), Ok(vec![Event::Int(5)]));
    assert_eq!(found.into_iter().map(steps::chars).collect::<Vec<_>>(), strings);
}
