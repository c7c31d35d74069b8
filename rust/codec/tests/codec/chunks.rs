//! Guards: a plan that is put out a piece at a time gives what it gives as a whole, whatever lies in it and however long the
//! pieces are.

use varbatch_codec::limits::{HELD_LEN, INLINE_LEN};
use varbatch_codec::{Borrowed, Chunk, Cursor, Dialect, ElementType, Event, Plan, Text, Writer};

use crate::support::canary::filled;
use crate::support::events::{after, packed};
use crate::support::random::Random;
use crate::support::times;
use crate::support::tree::{Tree, bytes};

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
fn any_plan_in_pieces_is_the_plan() {
    let mut random = Random::new(3);
    let long = [INLINE_LEN, INLINE_LEN + 1, HELD_LEN, HELD_LEN + 1, 2 * HELD_LEN + 2, 4095, 4096, 8190, 9000];
    for _ in 0..times(400, 3) {
        let (mut writer, mut expected) = (Writer::new(Dialect::GODOT_4), Vec::new());
        for _ in 0..random.below(6) {
            let (start, value) = (writer.mark(), Tree::any(&mut random, 3, &long));
            value.write_split(&mut writer, &mut random, 4);
            if random.percent(20) {
                writer.drop_value(start);
            } else {
                writer.end_value(start).expect("complete");
                expected.extend(value.expected());
            }
        }
        let plan = writer.into_plan();
        assert!(plan.to_vec() == expected, "another plan");
        assert_walks(&plan, &mut random);
    }
}

#[test]
fn plans_of_one_sort() {
    let mut random = Random::new(4);
    let bytes = bytes(times(20_000, 1500));
    let widths = [0x61, 0xe9, 0x65e5, 0x1_f600, 0x20_0000, 0x7fff_ffff].map(|c| vec![c; times(500, 100)]);
    let texts = widths.iter().map(|chars| vec![Event::String(Text::Utf32(chars)); 3]);
    let few = texts.chain([
        vec![],
        vec![Event::Nil],
        vec![Event::Int(1); times(200, 20)],
        vec![packed(&[]); 30],
        vec![packed(bytes)],
        vec![packed(&bytes[..67]); 20],
        // Nothing small between the two payloads, nor behind the last.
        vec![Event::Int(1), packed(&bytes[..100]), packed(&bytes[..100])],
    ]);
    for events in few {
        assert_walks(&after(&events).into_plan(), &mut random);
    }
}

#[test]
fn plans_of_nothing_deep_in_plans() {
    let mut random = Random::new(5);
    // From the inside: each plan begins and ends with the one in it, or has nothing else.
    let depths = times(30, 5);
    for (before, behind) in [(false, false), (true, false), (false, true), (true, true)] {
        for innermost in [&[][..], &[1; 40], bytes(times(3000, 300))] {
            let mut inner = Writer::new(Dialect::GODOT_4).with_depth(depths);
            let mut count = 0;
            if !innermost.is_empty() {
                inner.encoded(innermost, Borrowed).expect("a value is due");
                count = 1;
            }
            for depth in (0..depths).rev() {
                let mut outer = Writer::new(Dialect::GODOT_4).with_depth(depth);
                outer.write(Event::Array { element: ElementType::Any, count: count + 1 }).expect("a value is due");
                if before {
                    outer.append(Writer::new(Dialect::GODOT_4).with_depth(depth + 1), 0).expect("nothing is due");
                }
                outer.append(inner, count).expect("so many are due");
                if behind {
                    outer.append(Writer::new(Dialect::GODOT_4).with_depth(depth + 1), 0).expect("nothing is due");
                }
                outer.write(Event::Nil).expect("the last");
                (inner, count) = (outer, 1);
            }
            assert_walks(&inner.into_plan(), &mut random);
        }
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
