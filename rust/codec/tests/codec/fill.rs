//! Guards: however an output is cut into parts and over threads, every byte of it is written once and nothing beside it.

use std::mem::MaybeUninit;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::fill::CUT_LEN;
use varbatch_codec::{Borrowed, Dialect, Event, Kind, Mark, Part, Plain, Plan, Text, Width, Writer, fill};

use crate::support::canary::{fill_pieces, filled};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::value::{Value, cases};

const PIECE: usize = CUT_LEN;

/// Long enough for many pieces.
const LARGE: usize = 8 << 20;

/// What payloads borrow from, at any offset.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| Random::new(1).bytes(LARGE + 4 * PIECE));
static CHARS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut random = Random::new(2);
    (0..LARGE).map(|_| random.pick(&[0x61, 0x62, 0x7e, 0xe9, 0x65e5, 0x1f600, 0xd800])).collect()
});

/// A value of a batch.
#[derive(Clone, Copy, Debug)]
enum Item {
    Int(i64),
    /// A PackedByteArray of so many bytes.
    Bytes(usize),
    /// A PackedStringArray of one text of so many characters.
    Text(usize),
    /// So many bytes that are encoded already.
    Encoded(usize),
}

/// The plan of some values, the marks around them, and what it must give.
struct Batch {
    plan: Plan<'static>,
    marks: Vec<Mark>,
    expected: Vec<u8>,
}

impl Batch {
    fn new(items: &[Item]) -> Self {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let mut marks = vec![writer.mark()];
        let mut expected = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let offset = index % 61;
            let start = writer.mark();
            match *item {
                Item::Int(value) => {
                    writer.write(Event::Int(value)).expect("writes");
                    expected.extend(naive::value(&Value::Int(value)));
                }
                Item::Bytes(len) => {
                    let bytes = &BYTES[offset..offset + len];
                    let (kind, width) = (Kind::PackedByteArray, Width::Single);
                    writer.write(Event::Packed(Plain { kind, width, count: len, bytes })).expect("writes");
                    expected.extend([[29, 0, 0, 0], (len as u32).to_le_bytes()].as_flattened());
                    expected.extend(bytes);
                }
                Item::Text(count) => {
                    let chars = &CHARS[offset..offset + count];
                    writer.write(Event::PackedStrings { count: 1 }).expect("writes");
                    writer.write(Event::Text(Text::Utf32(chars))).expect("writes");
                    let text = naive::utf8(chars);
                    let len = text.len() as u32 + 1;
                    expected.extend([[34, 0, 0, 0], [1, 0, 0, 0], len.to_le_bytes()].as_flattened());
                    expected.extend(text);
                    expected.push(0);
                }
                Item::Encoded(len) => {
                    writer.encoded(&BYTES[offset..offset + len], Borrowed).expect("a value is due");
                    expected.extend(&BYTES[offset..offset + len]);
                }
            }
            if !matches!(item, Item::Encoded(_)) {
                let len = expected.len() - start.position();
                expected.resize(start.position() + len.next_multiple_of(4), 0);
            }
            writer.end_value(start).expect("ends");
            assert_eq!(writer.mark().position(), expected.len(), "planned length of {item:?}");
            marks.push(writer.mark());
        }
        Self { plan: writer.into_plan(), marks, expected }
    }

    /// The whole, whole and in pieces.
    #[track_caller]
    fn assert_fills(&self) {
        assert_eq!(self.plan.len(), self.expected.len());
        assert_filled(self.plan.whole(), &self.expected);
        assert_bytes(&self.plan.to_vec(), &self.expected, "to_vec");
    }

    /// Each run between two of the marks with these indices, whole and in pieces.
    #[track_caller]
    fn assert_parts(&self, cuts: &[usize]) {
        let mut ends: Vec<_> = cuts.iter().map(|cut| self.marks[cut % self.marks.len()]).collect();
        ends.push(self.plan.mark());
        ends.sort_by_key(|mark| mark.position());
        let mut from = Mark::default();
        for to in ends {
            let part = self.plan.part(from, to);
            assert_eq!(part.is_empty(), from.position() == to.position());
            assert_filled(part, &self.expected[from.position()..to.position()]);
            from = to;
        }
    }
}

#[track_caller]
fn assert_filled(part: Part<'_, '_>, expected: &[u8]) {
    assert_eq!(part.len(), expected.len());
    assert_bytes(&filled(part.len(), |dest| fill::fill(part, dest)), expected, "fill");
    assert_bytes(&filled(part.len(), |dest| fill_pieces(part, dest)), expected, "in pieces");
}

/// As `assert_eq!`, without printing megabytes.
#[track_caller]
fn assert_bytes(found: &[u8], expected: &[u8], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{what}: first byte that differs, of {}", expected.len());
}

#[test]
fn one_array_around_the_threshold_and_the_edges_of_pieces() {
    for edge in [64, PIECE, 2 * PIECE, LARGE, LARGE + PIECE] {
        for len in edge - 12..edge + 5 {
            Batch::new(&[Item::Bytes(len)]).assert_fills();
        }
    }
}

#[test]
fn many_small_values() {
    // Those of 64 bytes and less are copied into the plan, longer ones are borrowed.
    for len in [4, 63, 64, 65, 200] {
        let count = LARGE / (8 + len) + 1000;
        Batch::new(&vec![Item::Bytes(len); count]).assert_fills();
    }
    Batch::new(&vec![Item::Int(-1); LARGE / 8 + 7]).assert_fills();
    Batch::new(&vec![Item::Text(40); LARGE / 64]).assert_fills();
}

#[test]
fn few_huge_values() {
    Batch::new(&[Item::Bytes(LARGE); 3]).assert_fills();
    Batch::new(&[Item::Bytes(PIECE); 7]).assert_fills();
    Batch::new(&[Item::Bytes(PIECE + 1); 7]).assert_fills();
    Batch::new(&[Item::Bytes(PIECE - 8); 9]).assert_fills();
    Batch::new(&[Item::Encoded(PIECE + 3); 5]).assert_fills();
}

#[test]
fn huge_values_between_small_ones() {
    let huge = Item::Bytes(LARGE + 1);
    let small = Item::Int(1 << 40);
    for items in [
        vec![small, huge],
        vec![huge, small],
        vec![small, huge, small],
        vec![huge, small, huge],
        vec![small, small, huge, huge, small, small, huge],
        vec![Item::Bytes(65), huge, Item::Bytes(1), Item::Bytes(PIECE), Item::Text(3), huge, Item::Encoded(5)],
    ] {
        Batch::new(&items).assert_fills();
    }
}

#[test]
fn huge_texts_between_arrays() {
    for items in [
        vec![Item::Text(LARGE / 2)],
        vec![Item::Text(PIECE), Item::Text(1), Item::Bytes(PIECE + 5), Item::Text(PIECE / 2)],
        vec![Item::Int(7), Item::Text(PIECE), Item::Int(8), Item::Text(PIECE), Item::Int(9)],
    ] {
        Batch::new(&items).assert_fills();
    }
}

#[test]
fn nothing_fills_nothing() {
    let batch = Batch::new(&[]);
    assert!(batch.plan.is_empty());
    batch.assert_fills();
    batch.assert_parts(&[0, 0, 0]);
}

#[test]
fn parts_between_marks_are_the_whole() {
    let piece = Item::Bytes(PIECE + 7);
    let items =
        [Item::Int(1), piece, piece, piece, piece, Item::Text(PIECE), Item::Int(2), piece, piece, Item::Bytes(3)];
    let batch = Batch::new(&items);
    batch.assert_parts(&(0..=items.len()).collect::<Vec<_>>());
    // Long parts that do not begin where the plan begins.
    (1..4).for_each(|cut| batch.assert_parts(&[cut]));
    batch.assert_parts(&[1, 9]);
}

fn any_item() -> impl Strategy<Value = Item> {
    let len = || prop_oneof![6 => 0..200_usize, 2 => PIECE - 12..PIECE + 5, 1 => 0..3 * PIECE];
    prop_oneof![
        2 => any::<i64>().prop_map(Item::Int),
        4 => len().prop_map(Item::Bytes),
        2 => len().prop_map(|len| Item::Text(len / 2)),
        1 => len().prop_map(|len| Item::Encoded(len.max(1))),
    ]
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn any_batch_is_filled_alike_in_pieces(
        items in vec(any_item(), 0..40),
        cuts in vec(any::<usize>(), 0..4),
    ) {
        let batch = Batch::new(&items);
        batch.assert_fills();
        batch.assert_parts(&cuts);
    }

    #[test]
    fn any_small_batch_is_cut_anywhere(items in vec(any_item(), 0..8), cuts in vec(any::<usize>(), 0..8)) {
        Batch::new(&items).assert_parts(&cuts);
    }
}

#[test]
fn a_destination_of_another_length_is_refused() {
    for len in [100, LARGE] {
        let batch = Batch::new(&[Item::Bytes(len)]);
        for wrong in [0, batch.plan.len() - 1, batch.plan.len() + 1] {
            for fill in [fill::fill, fill_pieces] {
                let mut dest = vec![MaybeUninit::uninit(); wrong];
                let work = || fill(batch.plan.whole(), &mut dest);
                let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err();
                assert!(refused, "{wrong} for {}", batch.plan.len());
            }
        }
    }
}
