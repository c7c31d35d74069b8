//! Guards: a plan in which plans of other writers lie, deep in one another, gives what plain code gives: whole, in parts
//! and in pieces.

use varbatch_codec::{CodecErrorKind, Dialect, ElementType, Event, Writer};

use crate::support::random::Random;
use crate::support::tree::{Batch, LARGE, PIECE, Tree, assert_bytes, chars};

const ANY: ElementType<'_> = ElementType::Any;

/// The values written with splits: whole, and between each two of some marks.
#[track_caller]
fn assert_split(values: &[Tree], random: &mut Random) {
    let batch = Batch::split(values, random, 3);
    batch.assert_fills();
    (0..3).for_each(|_| batch.assert_part(random.below(batch.marks.len()), random.below(batch.marks.len())));
}

#[test]
fn small_values_of_several_writers_are_as_by_one() {
    let mut random = Random::new(3);
    for _ in 0..if cfg!(miri) { 20 } else { 3000 } {
        let values: Vec<_> = (0..1 + random.below(5)).map(|_| Tree::any(&mut random, 4, &[0, 64, 65, 3000])).collect();
        assert_split(&values, &mut random);
    }
}

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_payloads_of_several_writers_are_as_by_one() {
    let mut random = Random::new(4);
    let long = [PIECE - 20, PIECE - 8, PIECE, PIECE + 1, 2 * PIECE + 3];
    for _ in 0..10 {
        let values: Vec<_> = (0..12).map(|_| Tree::any(&mut random, 4, &long)).collect();
        assert_split(&values, &mut random);
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
        (0..2).for_each(|_| assert_split(&values, &mut random));
    }
}

/// An array of one inner plan with a borrowed payload in it, in `levels` plans one in the other.
fn nested(levels: usize, small: usize) -> Writer<'static> {
    let mut writer = Writer::new(Dialect::GODOT_4).with_depth(0);
    writer.write(Event::Array { element: ANY, count: small + 2 }).expect("a value is due");
    let mut run = Writer::new(Dialect::GODOT_4).with_depth(1);
    (0..small).for_each(|value| Tree::Int(value as i64).write(&mut run));
    Tree::bytes(PIECE).write(&mut run);
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
        let kept = [Tree::any(&mut random, 2, &[3000]), Tree::any(&mut random, 2, &[3000])];
        let dropped = Tree::Array(vec![Tree::any(&mut random, 3, &[3000]), Tree::any(&mut random, 3, &[3000])]);
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
        value.write_split(&mut writer, &mut random, 3);
        assert_bytes(&writer.plan().to_vec(), &value.expected(), "after another value");
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
    Tree::bytes(PIECE).write(&mut writer);
    assert_eq!((writer.inline_len(), writer.plan().len()), (96_008, 96_008 + PIECE), "what is borrowed is not inline");
}
