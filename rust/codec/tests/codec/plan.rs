//! Guards: a plan borrows what is long and copies what must not be borrowed; with plans of other writers in it, deep in
//! one another, it gives what plain code gives: whole, in parts and in pieces, however long they are.

use varbatch_codec::limits::{self, HELD_LEN, INLINE_LEN};
use varbatch_codec::{Borrowed, Chunk, CodecErrorKind, Copied, Cursor, Dialect, Event, Mark, Plan, Text, Writer};

use crate::support::memory::filled;
use crate::support::memory::taken;
use crate::support::random::Random;
use crate::support::times;
use crate::support::tree::{Batch, LARGE, PIECE, Tree, assert_bytes, bytes, chars};
use crate::support::wire::{A, ANY, ARRAY, after, packed, texts, then};

const LONG: usize = 10 << 20;

#[test]
fn a_plan_holds_long_payloads_by_reference() {
    let bytes = vec![b'a'; LONG];
    let chars = vec![u32::from('é'); LONG / 4];
    let text = std::str::from_utf8(&bytes).expect("ASCII");
    let texts = texts(Text::Utf8(text)).into_iter().chain(texts(Text::Utf32(&chars)));
    // The names of element types, which are short, are always copied.
    let is_kept = |events: &Vec<_>| !matches!(events[0], Event::Array { .. } | Event::Dictionary { .. });
    for events in texts.filter(is_kept).chain([vec![packed(&bytes)]]) {
        let ((_, len), plan) = taken(|| after(&events).into_plan());
        assert!(plan.len() > LONG / 2 && !plan.is_empty());
        assert!(len < 4096, "{len} bytes for {:?}", events[0]);
    }
}

#[test]
fn a_plan_that_is_written_now_borrows_nothing() {
    let count = texts(Text::Utf8("")).len();
    for index in 0..=count {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let mut by_reference = Writer::new(Dialect::GODOT_4);
        let (bytes, chars) = (vec![b'a'; LONG], vec![u32::from('é'); LONG / 4]);
        for text in [Text::Utf8(std::str::from_utf8(&bytes).expect("ASCII")), Text::Utf32(&chars)] {
            let events = texts(text).into_iter().nth(index).unwrap_or_else(|| vec![packed(&bytes)]);
            events.iter().try_for_each(|&event| writer.write_as(event, Copied)).expect("fits");
            events.iter().try_for_each(|&event| by_reference.write(event)).expect("fits");
            writer.end_value(Mark::default()).expect("a value");
            by_reference.end_value(Mark::default()).expect("a value");
        }
        let expected = by_reference.into_plan().to_vec();
        // The plan is used when what was written is no more: this would not compile if it were borrowed.
        drop((bytes, chars));
        assert!(writer.into_plan().to_vec() == expected, "{index}");
    }
}

#[test]
fn payloads_up_to_a_limit_are_copied() {
    for (len, borrowed) in [(INLINE_LEN, false), (INLINE_LEN + 1, true)] {
        let (bytes, chars) = (vec![b'a'; len], vec![u32::from('a'); len]);
        let text = std::str::from_utf8(&bytes).expect("ASCII");
        for event in [packed(&bytes), Event::String(Text::Utf8(text)), Event::String(Text::Utf32(&chars))] {
            let inline_len = after(&[event]).inline_len();
            assert_eq!(inline_len < len, borrowed, "{inline_len} bytes of a value of {len}");
        }
    }
}

#[test]
fn values_that_are_encoded_already_are_values() {
    let nil = [0; 4];
    let mut writer = after(&[Event::Object { class: Text::Utf8("A"), count: 1 }]);
    assert!(writer.encoded(&nil, Borrowed).is_err(), "a name is due");
    let mut writer = then(writer, &[A, ARRAY]);
    writer.encoded(&nil, Borrowed).expect("an element");
    assert!(writer.plan().len() > 8 && writer.depth() == 2);
    writer.encoded(&nil, Borrowed).expect("the last");
    writer.end_value(Mark::default()).expect("complete");
    // Nor deeper than other values.
    let mut writer = Writer::new(Dialect::GODOT_4).with_depth(limits::MAX_DEPTH + 1);
    assert!(writer.encoded(&nil, Borrowed).is_err(), "too deep");
    let mut writer = Writer::new(Dialect::GODOT_4).with_depth(limits::MAX_DEPTH);
    assert!(writer.encoded(&nil, Borrowed).is_ok());
}

/// On 32-bit platforms its length does not fit in a `usize`, and on others it can be written.
#[test]
fn the_same_bytes_often_are_too_large_a_value() {
    let (bytes, count) = (vec![7; 1 << 20], 4097);
    let mut writer = Writer::new(Dialect::GODOT_4);
    let first = writer.mark();
    writer.write(Event::Bool(true)).expect("a value is due");
    writer.end_value(first).expect("complete");
    let start = writer.mark();
    writer.write(Event::Array { element: ANY, count }).expect("a value is due");
    for _ in 0..count {
        writer.write(packed(&bytes)).expect("a value is due");
    }
    let error = writer.end_value(start).expect_err("more than 2 GiB");
    assert!(matches!(error.kind(), CodecErrorKind::TooLarge { found } if *found > limits::MAX_VALUE_LEN), "{error}");
    assert_eq!(writer.mark(), start, "dropped");
    writer.write(Event::Bool(true)).expect("a value is due");
    writer.end_value(start).expect("the plan has room again");
}

/// The values written with splits: whole, and between each two of some marks.
#[track_caller]
fn assert_split(values: &[Tree], random: &mut Random, levels: usize) -> Batch {
    let batch = Batch::split(values, random, levels);
    batch.assert_fills();
    (0..3).for_each(|_| batch.assert_part(random.below(batch.marks.len()), random.below(batch.marks.len())));
    batch
}

#[test]
fn small_values_of_several_writers_are_as_by_one() {
    let mut random = Random::new(3);
    let long = [0, INLINE_LEN, INLINE_LEN + 1, HELD_LEN, HELD_LEN + 1, 2 * HELD_LEN + 2, 3000, 4095, 8190];
    for round in 0..times(3000, 20) {
        let values: Vec<_> = (0..random.below(6)).map(|_| Tree::any(&mut random, 4, &long)).collect();
        let batch = assert_split(&values, &mut random, 5);
        if round % times(8, 5) == 0 {
            assert_walks(&batch.plan, &mut random);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_payloads_of_one_writer_or_several_are_filled_alike() {
    let mut random = Random::new(4);
    for round in 0..60 {
        let edge = PIECE - 12 + random.below(17);
        let long = [edge, edge, PIECE - 20, 2 * PIECE + 3, random.below(3 * PIECE)];
        let (count, depth) = (random.below(if round % 5 == 0 { 40 } else { 8 }), if round % 4 == 0 { 4 } else { 0 });
        let values: Vec<_> = (0..count).map(|_| Tree::any(&mut random, depth, &long)).collect();
        assert_split(&values, &mut random, depth + round % 2);
    }
}

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn large_plans_in_plans_are_cut_for_threads() {
    let mut random = Random::new(5);
    let bytes = Tree::bytes;
    let small = || Tree::Array((0..40_000).map(Tree::Int).collect());
    let texts = || Tree::Strings((0..30_000).map(|index| chars(index % 40)).collect());
    for values in [
        // Each inner plan is smaller than a piece, about one, and much larger.
        vec![Tree::Array((0..60).map(|_| bytes(PIECE / 3)).collect()); 2],
        vec![Tree::Array(vec![bytes(PIECE - 8), Tree::Int(1), bytes(PIECE), bytes(PIECE + 4)]); 8],
        vec![Tree::Array(vec![small(), small(), texts()]); 12],
        vec![bytes(5), Tree::Array(vec![bytes(LARGE), Tree::Int(1), texts()]), small()],
        vec![Tree::Array(vec![Tree::Array(vec![Tree::Array(vec![Tree::Strings(vec![chars(PIECE); 9]), small()])])])],
    ] {
        assert!(Batch::new(&values).expected.len() >= LARGE, "too short for many pieces");
        (0..2).for_each(|_| drop(assert_split(&values, &mut random, 5)));
    }
}

#[test]
fn a_value_behind_an_appended_plan_is_dropped_with_it() {
    let mut random = Random::new(6);
    for _ in 0..if cfg!(miri) { 10 } else { 300 } {
        let kept = [Tree::any(&mut random, 2, &[3000]), Tree::any(&mut random, 2, &[3000])];
        let dropped = Tree::Array(vec![Tree::any(&mut random, 3, &[3000]), Tree::any(&mut random, 3, &[3000])]);
        let mut writer = Writer::new(Dialect::GODOT_4);
        kept[0].write_split(&mut writer, &mut random, 2);
        let start = writer.mark();
        // Whole, in the middle of its elements, and with too little to be complete.
        writer.write(Event::Array { element: ANY, count: 3 }).expect("a value is due");
        dropped.write_split(&mut writer, &mut random, 3);
        let mut other = Writer::new(Dialect::GODOT_4).with_depth(1);
        dropped.write_split(&mut other, &mut random, 2);
        writer.append(other, 1).expect("two are due");
        if random.percent(50) {
            writer.drop_value(start);
        } else {
            let error = writer.end_value(start).expect_err("one is missing");
            assert!(matches!(error.kind(), CodecErrorKind::Order { .. }), "{error}");
        }
        assert_eq!((writer.mark(), writer.depth()), (start, 0));
        kept[1].write_split(&mut writer, &mut random, 2);
        let expected: Vec<_> = kept.iter().flat_map(Tree::expected).collect();
        assert_bytes(&writer.into_plan().to_vec(), &expected, "the values around it");
    }
}

#[test]
fn a_writer_begins_anew_after_an_append() {
    let mut random = Random::new(7);
    let values = [Tree::any(&mut random, 3, &[3000]), Tree::Array(vec![Tree::bytes(100), Tree::Int(-1)])];
    let mut writer = Writer::new(Dialect::GODOT_4);
    for value in &values {
        writer.clear();
        assert!(writer.plan().is_empty() && writer.inline_len() == 0);
        writer.reserve_bytes(1000);
        writer.reserve(100);
        value.write_split(&mut writer, &mut random, 3);
        assert_bytes(&writer.plan().to_vec(), &value.expected(), "after another value");
    }
}

#[test]
fn room_for_bytes_is_room_and_no_bytes() {
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.reserve_bytes(100_000);
    assert!(writer.plan().is_empty());
    let room = writer.room().len();
    assert!(room >= 100_000, "it is there to be prepared");
    (0..12_000).for_each(|value| Tree::Int(value).write(&mut writer));
    assert_eq!((writer.inline_len(), writer.plan().len()), (96_000, 96_000));
    assert_eq!(writer.room().len(), room - 96_000, "it grew within its room");
    Tree::bytes(PIECE).write(&mut writer);
    assert_eq!((writer.inline_len(), writer.plan().len()), (96_008, 96_008 + PIECE), "what is borrowed is not inline");
}

const MOSTS: &[usize] =
    if cfg!(miri) { &[7, 300, usize::MAX] } else { &[1, 2, 3, 5, 6, 7, 64, 4096, usize::MAX / 2, usize::MAX] };

/// All that a cursor gives, where `most` says before each step how much is asked for.
#[track_caller]
fn walk(plan: &Plan<'_>, cursor: &mut Cursor, mut most: impl FnMut() -> usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let most = most();
        let Some(chunk) = cursor.next(plan, most) else { break };
        let start = out.len();
        chunk.append_to(&mut out);
        let added = &out[start..];
        assert!(!chunk.is_empty() && !added.is_empty(), "an empty chunk: {chunk:?}");
        assert_eq!(chunk.len(), added.len(), "bytes of {chunk:?}");
        assert!(added.len() <= most || matches!(chunk, Chunk::Utf32([_])), "{} of {most} bytes", added.len());
        // Miri looks at each byte by itself, and takes long.
        if added.len() < times(10_000, 500) && start % times(1, 16) == 0 {
            assert!(filled(chunk.len(), |dest| chunk.fill(dest)) == added, "filled with {chunk:?}");
        }
    }
    for _ in 0..3 {
        assert!(cursor.next(plan, most()).is_none(), "something behind the end");
    }
    out
}

#[track_caller]
fn assert_walks(plan: &Plan<'_>, random: &mut Random) {
    let expected = plan.to_vec();
    for &most in MOSTS {
        assert!(walk(plan, &mut Cursor::new(), || most) == expected, "other bytes by {most}");
    }
    assert!(walk(plan, &mut Cursor::default(), || 1 + random.below(5000)) == expected, "other bytes by any number");
    // A copy goes on where it was made.
    let mut cursor = Cursor::new();
    let mut start = Vec::new();
    for _ in 0..random.below(30) {
        if let Some(chunk) = cursor.next(plan, 1 + random.below(300)) {
            chunk.append_to(&mut start);
        }
    }
    for mut cursor in [cursor.clone(), cursor] {
        let rest = walk(plan, &mut cursor, || 77);
        assert!([&start[..], &rest].concat() == expected, "other bytes behind {}", start.len());
    }
}

#[test]
fn chunks_are_as_long_as_they_may_be() {
    let lens = |event, most| {
        let plan = after(&[event]).into_plan();
        let mut cursor = Cursor::new();
        std::iter::from_fn(move || cursor.next(&plan, most).map(|chunk| chunk.len())).collect::<Vec<_>>()
    };
    assert_eq!(lens(packed(bytes(10_000)), 4096), [8, 4096, 4096, 1808]);
    assert_eq!(lens(packed(bytes(8192)), 4096), [8, 4096, 4096]);
    assert_eq!(lens(packed(bytes(10_001)), usize::MAX), [8, 10_001, 3]);
    assert_eq!(lens(packed(bytes(101)), 5), [&[5, 3][..], &[5; 20], &[1, 3]].concat());
    assert_eq!(lens(Event::Int(1), 3), [3, 3, 2]);
    // Each character might take six bytes.
    let text = vec![0x61; 1000];
    assert_eq!(lens(Event::String(Text::Utf32(&text)), 600), [&[8][..], &[100; 10]].concat());
    assert_eq!(lens(Event::String(Text::Utf32(&text)), usize::MAX), [8, 1000]);
    let wide = vec![0x400_0000; 70];
    assert_eq!(lens(Event::String(Text::Utf32(&wide)), 1), [&[1; 8][..], &[6; 70]].concat());
    assert_eq!(lens(Event::String(Text::Utf32(&wide)), 17), [&[8][..], &[12; 35]].concat());
}

#[test]
#[should_panic(expected = "nothing was asked for")]
fn nothing_must_not_be_asked_for() {
    Cursor::new().next(&Writer::new(Dialect::GODOT_4).into_plan(), 0);
}
