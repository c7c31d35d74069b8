//! Guards: a plan in which plans of other writers lie, deep in one another, gives what one writer alone would give: whole,
//! in parts and in pieces.

use std::sync::LazyLock;

use varbatch_codec::fill::CUT_LEN;
use varbatch_codec::{CodecErrorKind, Dialect, ElementType, Event, Kind, Mark, Plain, Plan, Text, Width, Writer, fill};

use crate::support::canary::{fill_pieces, filled};
use crate::support::random::Random;

/// A payload longer than this is cut.
const PIECE: usize = CUT_LEN;

/// Long enough for many pieces.
const LARGE: usize = 8 << 20;

const ANY: ElementType<'_> = ElementType::Any;

/// What payloads borrow from, at any offset.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| Random::new(1).bytes(LARGE + 4 * PIECE));
static CHARS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut random = Random::new(2);
    (0..4 * PIECE).map(|_| random.pick(&[0x61, 0x62, 0x7e, 0xe9, 0x65e5, 0x1f600, 0xd800])).collect()
});

/// A value that borrows what it holds.
#[derive(Clone, Debug)]
enum Tree {
    Int(i64),
    Bytes(&'static [u8]),
    String(&'static [u32]),
    Strings(Vec<&'static [u32]>),
    Array(Vec<Tree>),
}

fn bytes(len: usize) -> Tree {
    Tree::Bytes(&BYTES[len % 61..][..len])
}

fn chars(count: usize) -> &'static [u32] {
    &CHARS[count % 61..][..count]
}

impl Tree {
    fn head(&self) -> Event<'static> {
        match self {
            Self::Int(value) => Event::Int(*value),
            Self::Bytes(bytes) => {
                let (kind, width) = (Kind::PackedByteArray, Width::Single);
                Event::Packed(Plain { kind, width, count: bytes.len(), bytes })
            }
            Self::String(chars) => Event::String(Text::Utf32(chars)),
            Self::Strings(texts) => Event::PackedStrings { count: texts.len() },
            Self::Array(elements) => Event::Array { element: ANY, count: elements.len() },
        }
    }

    fn write(&self, writer: &mut Writer<'static>) {
        writer.write(self.head()).expect("a value is due");
        match self {
            Self::Strings(texts) => write_texts(texts, writer),
            Self::Array(elements) => elements.iter().for_each(|element| element.write(writer)),
            _ => {}
        }
    }

    /// As [`Self::write`], with runs of what containers hold by other writers, one in the other up to `levels` deep.
    fn write_split(&self, writer: &mut Writer<'static>, random: &mut Random, levels: usize) {
        writer.write(self.head()).expect("a value is due");
        match self {
            Self::Strings(texts) => {
                for run in runs(texts, random) {
                    if levels == 0 || random.percent(30) {
                        write_texts(run, writer);
                    } else {
                        let mut other = Writer::for_texts(Dialect::GODOT_4, run.len());
                        write_texts(run, &mut other);
                        writer.append_texts(other, run.len()).expect("so many are due");
                    }
                }
            }
            Self::Array(elements) => {
                for run in runs(elements, random) {
                    if levels == 0 || random.percent(30) {
                        run.iter().for_each(|element| element.write_split(writer, random, levels));
                    } else {
                        let mut other = Writer::new(Dialect::GODOT_4).with_depth(writer.depth());
                        run.iter().for_each(|element| element.write_split(&mut other, random, levels - 1));
                        writer.append(other, run.len()).expect("so many are due");
                    }
                }
            }
            _ => {}
        }
    }
}

fn write_texts(texts: &[&'static [u32]], writer: &mut Writer<'static>) {
    texts.iter().try_for_each(|chars| writer.write(Event::Text(Text::Utf32(chars)))).expect("texts are due");
}

/// All of `items`, cut anywhere.
fn runs<'t, T>(items: &'t [T], random: &mut Random) -> Vec<&'t [T]> {
    let mut cuts: Vec<_> = (0..random.below(4)).map(|_| random.below(items.len() + 1)).collect();
    cuts.extend([0, items.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| &items[pair[0]..pair[1]]).collect()
}

/// The plan of some values, and the marks around them.
fn plan_of(values: &[Tree], mut write: impl FnMut(&Tree, &mut Writer<'static>)) -> (Plan<'static>, Vec<Mark>) {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let mut marks = vec![writer.mark()];
    for value in values {
        let start = writer.mark();
        write(value, &mut writer);
        writer.end_value(start).expect("complete");
        marks.push(writer.mark());
    }
    (writer.into_plan(), marks)
}

/// The values written with splits, against the same by one writer: whole, and between each two of some marks.
#[track_caller]
fn assert_split(values: &[Tree], random: &mut Random) {
    let (plain, plain_marks) = plan_of(values, Tree::write);
    let (plan, marks) = plan_of(values, |value, writer| value.write_split(writer, random, 3));
    let expected = plain.to_vec();
    let positions = |marks: &[Mark]| marks.iter().map(|mark| mark.position()).collect::<Vec<_>>();
    assert_eq!(positions(&marks), positions(&plain_marks), "marks");
    assert_eq!(plan.len(), expected.len(), "length");
    assert_bytes(&plan.to_vec(), &expected, "to_vec");
    for _ in 0..3 {
        let (one, other) = (random.below(marks.len()), random.below(marks.len()));
        let (from, to) = (marks[one.min(other)], marks[one.max(other)]);
        let part = plan.part(from, to);
        let found = filled(part.len(), |dest| fill::fill(part, dest));
        assert_bytes(&found, &expected[from.position()..to.position()], "a part");
    }
    if plan.len() >= LARGE {
        assert_bytes(&filled(plan.len(), |dest| fill_pieces(plan.whole(), dest)), &expected, "in pieces");
    }
}

/// As `assert_eq!`, without printing megabytes.
#[track_caller]
fn assert_bytes(found: &[u8], expected: &[u8], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{what}: first byte that differs, of {}", expected.len());
}

/// Any value: payloads of up to 200 bytes, and of `long` now and then.
fn any_tree(random: &mut Random, depth: usize, long: &[usize]) -> Tree {
    let len = |random: &mut Random| if random.percent(6) { random.pick(long) } else { random.below(200) };
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 | 1 => Tree::Int(random.next() as i64 >> random.below(60)),
        2 | 3 => bytes(len(random)),
        4 => Tree::String(chars(len(random) / 2)),
        5 => Tree::Strings((0..random.below(9)).map(|_| chars(len(random) / 4)).collect()),
        _ => Tree::Array((0..random.below(9)).map(|_| any_tree(random, depth - 1, long)).collect()),
    }
}

#[test]
fn small_values_of_several_writers_are_as_by_one() {
    let mut random = Random::new(3);
    for _ in 0..if cfg!(miri) { 20 } else { 3000 } {
        let values: Vec<_> = (0..1 + random.below(5)).map(|_| any_tree(&mut random, 4, &[0, 64, 65, 3000])).collect();
        assert_split(&values, &mut random);
    }
}

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_payloads_of_several_writers_are_as_by_one() {
    let mut random = Random::new(4);
    let long = [PIECE - 20, PIECE - 8, PIECE, PIECE + 1, 2 * PIECE + 3];
    for _ in 0..40 {
        let values: Vec<_> = (0..12).map(|_| any_tree(&mut random, 4, &long)).collect();
        assert_split(&values, &mut random);
    }
}

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn large_plans_in_plans_are_cut_for_threads() {
    let mut random = Random::new(5);
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
        assert!(plan_of(&values, Tree::write).0.len() >= LARGE, "too short for many pieces");
        (0..4).for_each(|_| assert_split(&values, &mut random));
    }
}

/// An array of one inner plan with a borrowed payload in it, in `levels` plans one in the other.
fn nested(levels: usize, small: usize) -> Writer<'static> {
    let mut writer = Writer::new(Dialect::GODOT_4).with_depth(0);
    writer.write(Event::Array { element: ANY, count: small + 2 }).expect("a value is due");
    let mut run = Writer::new(Dialect::GODOT_4).with_depth(1);
    (0..small).for_each(|value| Tree::Int(value as i64).write(&mut run));
    bytes(PIECE).write(&mut run);
    if levels == 0 {
        Tree::Int(7).write(&mut run);
    } else {
        // As a value at depth 1; nothing here looks at how deep it is.
        run.write(Event::Array { element: ANY, count: 1 }).expect("a value is due");
        run.append(nested(levels - 1, small), 1).expect("one is due");
    }
    writer.append(run, small + 2).expect("so many are due");
    writer
}

#[test]
fn what_a_plan_costs_counts_the_plans_in_it() {
    for small in [10, 10_000] {
        for levels in 1..4 {
            let (inner, outer) = (nested(levels - 1, small), nested(levels, small));
            let (inner_cost, outer_cost) = (inner.plan().overhead(), outer.plan().overhead());
            // The ints of one level more, 8 bytes each, are in it as well; the borrowed bytes never are.
            assert!(outer_cost >= inner_cost + 8 * small, "{levels} levels: {outer_cost}, inside {inner_cost}");
            let inline = 8 * small * (levels + 1);
            assert!((inline..4 * inline + (8 << 10)).contains(&outer_cost), "{outer_cost} for {inline} bytes");
            assert!(outer.inline_len() < 64, "{} bytes of the outer plan itself", outer.inline_len());
        }
    }
}

#[test]
fn a_value_behind_an_appended_plan_is_dropped_with_it() {
    let mut random = Random::new(6);
    for _ in 0..if cfg!(miri) { 10 } else { 300 } {
        let kept = [any_tree(&mut random, 2, &[3000]), any_tree(&mut random, 2, &[3000])];
        let dropped = Tree::Array(vec![any_tree(&mut random, 3, &[3000]), any_tree(&mut random, 3, &[3000])]);
        let mut writer = Writer::new(Dialect::GODOT_4);
        kept[0].write_split(&mut writer, &mut random, 2);
        let (start, cost) = (writer.mark(), writer.plan().overhead());
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
        assert!(writer.plan().overhead() <= 4 * cost + (16 << 10), "what was dropped is still held");
        kept[1].write_split(&mut writer, &mut random, 2);
        let expected = plan_of(&kept, Tree::write).0.to_vec();
        assert_bytes(&writer.into_plan().to_vec(), &expected, "the values around it");
    }
}

#[test]
fn a_writer_begins_anew_after_an_append() {
    let mut random = Random::new(7);
    let values = [any_tree(&mut random, 3, &[3000]), Tree::Array(vec![bytes(100), Tree::Int(-1)])];
    let mut writer = Writer::new(Dialect::GODOT_4);
    for value in &values {
        writer.clear();
        assert!(writer.plan().is_empty() && writer.inline_len() == 0);
        writer.reserve_bytes(1000);
        value.write_split(&mut writer, &mut random, 3);
        let alone = plan_of(std::slice::from_ref(value), Tree::write).0.to_vec();
        assert_bytes(&writer.plan().to_vec(), &alone, "after another value");
    }
}

#[test]
fn room_for_bytes_is_room_and_no_bytes() {
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.reserve_bytes(100_000);
    assert!(writer.plan().is_empty());
    let cost = writer.plan().overhead();
    assert!(cost >= 100_000, "{cost} bytes");
    assert!(writer.room().len() >= 100_000, "it is there to be prepared");
    (0..12_000).for_each(|value| Tree::Int(value).write(&mut writer));
    assert_eq!((writer.inline_len(), writer.plan().len()), (96_000, 96_000));
    assert_eq!(writer.plan().overhead(), cost, "it grew within its room");
    bytes(PIECE).write(&mut writer);
    assert_eq!((writer.inline_len(), writer.plan().len()), (96_008, 96_008 + PIECE), "what is borrowed is not inline");
}
