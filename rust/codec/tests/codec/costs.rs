//! Guards: comparing, patching and translating take time that grows with the bytes, whatever the bytes are, and a few
//! edits of a long sequence stay few; what is too large is refused, on 32-bit platforms too.

use std::time::{Duration, Instant};

use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch, delta, diff, edits};
use varbatch_codec::lookup::{Key, Seek, lookup};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{CodecErrorKind, ElementType, Event, Kind, Mark, PathStep, Plain, Text, Width, Writer};

use crate::diff::OPTIONS;
use crate::support::foreign::{GODOT_3, GODOT_4};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::times;
use crate::support::value::Value;
use crate::support::wire::words;

/// What each of these costs takes is some hundredths of a second; without a bound, many seconds to minutes.
const MAX: Duration = Duration::from_secs(4);

#[track_caller]
fn in_time<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = call();
    assert!(start.elapsed() < MAX, "{what}: {:?}", start.elapsed());
    result
}

/// Elements of which few differ from each other, or all, in no order or in one that repeats.
fn sequences(count: usize) -> Vec<(&'static str, Vec<u32>)> {
    let mut random = Random::new(31);
    let mut below = |max: u64| (0..count).map(|_| (random.next() % max) as u32).collect::<Vec<_>>();
    vec![
        ("any bytes", below(256)),
        ("four values", below(4)),
        ("two values", below(2)),
        ("any numbers", below(1 << 31)),
        ("ever the same", vec![7; count]),
        ("a pattern", (0..count as u32).map(|at| at % 5 + at % 7).collect()),
    ]
}

type Make = fn(&[u32]) -> Value;

const MAKES: [(&str, usize, Make); 4] = [
    ("PackedByteArray", 1, |elements| {
        Value::plain(Kind::PackedByteArray, Width::Single, elements.iter().map(|&element| element as u8).collect())
    }),
    ("PackedInt32Array", 4, |elements| Value::plain(Kind::PackedInt32Array, Width::Single, words(elements))),
    ("Array", 8, |elements| Value::array(elements.iter().map(|&element| Value::Int(element.into())).collect())),
    ("PackedStringArray", 16, |elements| {
        let chars = |element: &u32| element.to_string().chars().map(u32::from).collect();
        Value::Texts(elements.iter().map(chars).collect())
    }),
];

/// Changes, inserts and removes elements at places far from each other.
fn edited(elements: &[u32], count: usize) -> Vec<u32> {
    let mut elements = elements.to_vec();
    for number in (1..=count).rev() {
        let at = number * elements.len() / (count + 1);
        match number % 3 {
            0 => _ = elements.remove(at),
            1 => elements[at] ^= 1,
            _ => elements.insert(at, 3),
        }
    }
    elements
}

#[test]
fn a_few_edits_of_a_long_sequence_are_few_and_soon_found() {
    for (shape, elements) in sequences(times(130_000, 3000)) {
        for (kind, size, make) in MAKES {
            // Another number of elements: of as many, those with the same index are pairs.
            for count in [2, 41] {
                let after = edited(&elements, count);
                let [before, after] = [&elements, &after].map(|elements| naive::value(&make(elements)));
                for (one, two) in [(&before, &after), (&after, &before)] {
                    let what = format!("{count} edits of {kind}, {shape}");
                    let delta = in_time(&what, || delta::make(one, two, edits(one, two)).len());
                    // Around an edit, elements of few kinds may be taken for each other.
                    let max = 32 + count * (8 + 64 * size);
                    assert!(delta <= max, "{what}: {delta} bytes");
                    let changes = in_time(&what, || diff(one, two, OPTIONS).expect("both are values"));
                    // Of a pattern, one more or less in turn may be kept in step.
                    let each = if shape == "a pattern" { 80 } else { 8 };
                    assert!(changes.iter().len() <= each * count, "{what}: {} changes", changes.iter().len());
                }
            }
        }
    }
}

/// Nothing to find, but much to look for.
#[test]
fn unlike_sequences_take_no_longer() {
    let count = times(130_000, 3000);
    let (all, mut others) = (sequences(count), sequences(count + 1));
    others.rotate_left(1);
    for (shape, elements) in &all {
        for (other, after) in &others[..2] {
            for (kind, _, make) in MAKES {
                let [before, after] = [elements, after].map(|elements| naive::value(&make(elements)));
                let what = format!("{kind}, {shape} to {other}");
                in_time(&what, || edits(&before, &after));
                in_time(&what, || diff(&before, &after, OPTIONS).expect("both are values"));
            }
        }
    }
}

/// A Dictionary whose key is one too, and so on.
fn nested_keys(levels: usize, last: u32) -> Vec<u8> {
    [words(&[27, 1]).repeat(levels), words(&[2, last]), words(&[2, 5]).repeat(levels)].concat()
}

#[test]
fn keys_in_keys_take_no_longer() {
    let all = |last: u32| {
        let entries: Vec<_> = (0..225).map(|at| [nested_keys(1000, at), words(&[2, at + last])].concat()).collect();
        [words(&[27, 225]), entries.concat()].concat()
    };
    let (before, after) = (all(0), all(1));
    in_time("diff", || diff(&before, &after, OPTIONS).expect("both are values"));
    in_time("transcode", || Translation::new(GODOT_3, GODOT_4).bytes(&to_godot_3(&before)).expect("translates"));
}

fn to_godot_3(bytes: &[u8]) -> Vec<u8> {
    Translation::new(GODOT_4, GODOT_3).bytes(bytes).expect("translates").0
}

/// Containers in each other, each of which has to be set as a whole.
#[test]
fn containers_that_no_path_leads_into_take_no_longer() {
    let chain = |last: u32| {
        let mut bytes = Vec::new();
        // The key is twice in each.
        (0..1000).for_each(|_| bytes.extend(words(&[27, 2, 2, 1, 2, 1, 2, 1])));
        bytes.extend(words(&[2, last]));
        bytes
    };
    let all = |last: u32| [words(&[28, 200]), chain(last).repeat(200)].concat();
    let (before, after) = (all(1), all(2));
    in_time("diff", || diff(&before, &after, OPTIONS).expect("both are values"));
}

/// Indices in no order.
fn shuffled(count: usize) -> Vec<u32> {
    let (mut random, mut all) = (Random::new(41), (0..count as u32).collect::<Vec<_>>());
    (1..count).rev().for_each(|at| all.swap(at, random.below(at + 1)));
    all
}

#[test]
fn changes_in_no_order_take_no_longer() {
    let count = times(200_000, 300);
    let entries: Vec<_> = (0..count as u32).flat_map(|at| words(&[2, at, 2, 7])).collect();
    let before = [words(&[27, count as u32]), entries].concat();
    let keys: Vec<_> = shuffled(count).into_iter().map(|key| words(&[2, key])).collect();
    let steps: Vec<_> = keys.iter().map(|key| [PathStep::Key(key)]).collect();
    let value = ChangePart::Value { at: 0, bytes: &keys[0] };
    let left = in_time("remove and insert", || {
        let mut patch = Patch::new(&before).expect("a value");
        let mut apply = |op, step, new| {
            let change = Change { path: ChangePath::new(step), op, index: None, old: None, new };
            patch.apply(&change, |_, _| false).expect("fits");
        };
        for (at, step) in steps.iter().enumerate() {
            apply(Op::Remove, step, None);
            if at % 2 == 0 {
                apply(Op::Insert, step, Some(value));
            }
        }
        patch.plan().expect("short").to_vec()
    });
    // Of each second one a new entry, at the end.
    let expected: Vec<_> = keys.iter().step_by(2).flat_map(|key| [&key[..], &keys[0]].concat()).collect();
    assert!(left == [words(&[27, keys.len().div_ceil(2) as u32]), expected].concat());
}

#[test]
fn elements_at_any_index_take_no_longer() {
    let count = times(200_000, 300);
    let (bytes, two) = ([words(&[28, 1]), words(&[2, 1])].concat(), words(&[2, 2]));
    let mut random = Random::new(43);
    let steps: Vec<_> = (1..count).map(|len| [PathStep::Index(random.below(len + 1))]).collect();
    let patched = in_time("insert", || {
        let mut patch = Patch::new(&bytes).expect("a value");
        for step in &steps {
            let new = Some(ChangePart::Value { at: 0, bytes: &two });
            let change = Change { path: ChangePath::new(step), op: Op::Insert, index: None, old: None, new };
            patch.apply(&change, |_, _| false).expect("fits");
        }
        patch.plan().expect("short").len()
    });
    assert_eq!(patched, 8 + 8 * count);
}

/// Nine times as much as there is in memory: on 32-bit platforms more than a `usize` counts.
#[test]
fn a_patched_value_that_is_too_large_is_refused() {
    let large = [words(&[29, 250 << 20]), vec![0; 250 << 20]].concat();
    let (before, step) = (words(&[28, 0]), [PathStep::Index(0)]);
    let mut patch = Patch::new(&before).expect("a value");
    let new = Some(ChangePart::Value { at: 0, bytes: &large });
    for _ in 0..9 {
        let change = Change { path: ChangePath::new(&step), op: Op::Insert, index: None, old: None, new };
        patch.apply(&change, |_, _| false).expect("fits");
    }
    let error = patch.plan().expect_err("over 2 GiB");
    assert!(matches!(error.kind(), CodecErrorKind::TooLarge { .. }), "{error}");
}

/// A count whose bytes a 32-bit platform cannot add up is that of no other element.
#[test]
fn counts_of_any_size_lead_to_no_other_element() {
    for count in [0x0fff_ffff, 0x1fff_fffe, 0x1fff_ffff, 0x3fff_ffff, 0x7fff_ffff] {
        let bytes = words(&[28, 0x7fff_ffff, 31, 1, 0, 0, 31, 1, 0, 0, 31, count, 0, 0, 31, 1, 0, 0]);
        let index = words(&[2, 1 << 28]);
        let step = [Seek::Key(Key::of(&index, GODOT_4).expect("a key"))];
        let error = in_time("lookup", || lookup(&bytes, 0, GODOT_4, &step)).expect_err("cut off");
        assert!(error.to_string().ends_with(", found 0, at byte 72"), "{count:x}: {error}");
    }
}

/// Arrays that share others take little memory, and would take more bytes than any memory has.
#[test]
fn a_value_that_is_too_large_is_refused_while_it_is_written() {
    let payload = vec![0; 1 << 20];
    let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: payload.len(), bytes: &payload };
    let mut writer = Writer::new(GODOT_4);
    let small = writer.mark();
    writer.write(Event::Packed(plain)).expect("a value is due");
    writer.end_value(small).expect("complete");
    writer.write(Event::Array { element: ElementType::Any, count: 1 << 20 }).expect("a value is due");
    let refused = (0..1 << 20).find_map(|at| {
        let array = writer.write(Event::Array { element: ElementType::Any, count: 1 });
        array.and_then(|()| writer.write(Event::Packed(plain))).err().map(|error| (at, error))
    });
    let (at, error) = refused.expect("too large");
    assert!(matches!(error.kind(), CodecErrorKind::TooLarge { .. }), "{error}");
    // Each takes some bytes more than a MiB. What was written before the value counts only on 32-bit platforms.
    assert!(at == 2048 || cfg!(target_pointer_width = "32") && at == 2047, "{at}");
}

#[test]
fn values_of_a_container_that_are_too_large_together_are_refused_while_they_are_written() {
    let payload = vec![0; 1 << 20];
    let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: payload.len(), bytes: &payload };
    let mut writer = Writer::new(GODOT_4).with_depth(1);
    let refused = (0..1 << 20).find_map(|at| {
        let array = writer.write(Event::Array { element: ElementType::Any, count: 1 });
        array.and_then(|()| writer.write(Event::Packed(plain))).err().map(|error| (at, error))
    });
    let (at, error) = refused.expect("too large");
    assert!(matches!(error.kind(), CodecErrorKind::TooLarge { .. }) && at == 2048, "{at}: {error}");
}

#[test]
fn the_same_text_often_is_refused_while_it_is_written() {
    let text = "a".repeat(1 << 20);
    let text = Text::Utf8(&text);
    for (head, part) in [
        (Event::Array { element: ElementType::Any, count: 1 << 20 }, Event::String(text)),
        (Event::PackedStrings { count: 1 << 20 }, Event::Text(text)),
    ] {
        let mut writer = Writer::new(GODOT_4);
        for _ in 0..3 {
            // What is before the value does not count.
            writer.write(Event::String(text)).expect("a value is due");
            writer.end_value(Mark::default()).expect("a value");
        }
        writer.write(head).expect("a value is due");
        let refused = (0..1 << 20).find_map(|at| Some((at, writer.write(part).err()?)));
        let (at, error) = refused.expect("too large");
        assert!(matches!(error.kind(), CodecErrorKind::TooLarge { .. }), "{error}");
        assert!(at == 2047 || cfg!(target_pointer_width = "32"), "{at}");
    }
}
