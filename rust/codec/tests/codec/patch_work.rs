//! Guards: many changes in order, or in the opposite order, cost about what reading the same bytes does, however deep
//! they lie.

use std::time::{Duration, Instant};

use varbatch_codec::change::{Change, ChangePath, Op, Patch};
use varbatch_codec::{Reader, validate};

use crate::support::edits::{part, steps};
use crate::support::wire::{string, words};

const COUNT: u32 = 100_000;

fn int(value: u32) -> Vec<u8> {
    words(&[2, value])
}

/// The shortest time that it takes to read a value, of several tries.
fn time_to_read(bytes: &[u8]) -> Duration {
    let read = || {
        let start = Instant::now();
        validate(Reader::new(bytes)).expect("a value");
        start.elapsed()
    };
    (0..5).map(|_| read()).min().expect("tries")
}

/// A change with all that it borrows.
struct Kept {
    path: Vec<Vec<u8>>,
    op: Op,
    index: Option<usize>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

/// Applies changes and compares; gives how long that took.
#[track_caller]
fn assert_patched(before: &[u8], changes: &[Kept], after: &[u8]) -> Duration {
    let paths: Vec<Vec<_>> = changes.iter().map(|change| steps(&change.path)).collect();
    let start = Instant::now();
    let mut patch = Patch::new(before).expect("a value");
    for (kept, path) in changes.iter().zip(&paths) {
        let Kept { op, index, .. } = *kept;
        let change = Change { path: ChangePath::new(path), op, index, old: part(&kept.old), new: part(&kept.new) };
        patch.apply(&change, |_, _| false).expect("fits");
    }
    let found = patch.plan().expect("short").to_vec();
    let time = start.elapsed();
    assert!(found == after, "{} bytes instead of {}", found.len(), after.len());
    time
}

/// Changes one way, and back in the opposite order. A square of their number would be 1000 times what is allowed.
#[track_caller]
fn assert_linear(what: &str, before: &[u8], changes: Vec<Kept>, after: &[u8]) {
    let read = time_to_read(&[words(&[28, COUNT]), int(7).repeat(COUNT as usize)].concat());
    let most = 500 * read;
    let there = assert_patched(before, &changes, after);
    let undo = |Kept { path, op, index, old, new }| {
        let op = match op {
            Op::Set => Op::Set,
            Op::Insert => Op::Remove,
            Op::Remove => Op::Insert,
        };
        Kept { path, op, index, old: new, new: old }
    };
    let undo: Vec<_> = changes.into_iter().rev().map(undo).collect();
    let back = assert_patched(after, &undo, before);
    assert!(there < most && back < most, "{what}: {there:?} there, {back:?} back, {read:?} to read 100,000 values");
}

#[test]
fn elements_of_an_array() {
    let array = |value, count: u32| [words(&[28, count]), int(value).repeat(count as usize)].concat();
    let set = |index| Kept { path: vec![int(index)], op: Op::Set, index: None, old: Some(int(1)), new: Some(int(2)) };
    assert_linear("sets", &array(1, COUNT), (0..COUNT).map(set).collect(), &array(2, COUNT));
    let insert = |index| Kept { path: vec![int(index)], op: Op::Insert, index: None, old: None, new: Some(int(2)) };
    let inserts = (0..COUNT).map(|index| insert(2 * index)).collect();
    let mixed = [words(&[28, 2 * COUNT]), [int(2), int(1)].concat().repeat(COUNT as usize)].concat();
    assert_linear("inserts", &array(1, COUNT), inserts, &mixed);
}

#[test]
fn entries_of_a_dictionary() {
    let entry = |key: u32| [string(key.to_string()), int(key)].concat();
    let dictionary =
        |keys: &[u32]| [words(&[27, keys.len() as u32]), keys.iter().flat_map(|&key| entry(key)).collect()].concat();
    let (all, odd): (Vec<_>, Vec<_>) = ((0..COUNT).collect(), (0..COUNT).filter(|key| key % 2 == 1).collect());
    for with_index in [true, false] {
        let remove = |key: u32| Kept {
            path: vec![string(key.to_string())],
            op: Op::Remove,
            index: with_index.then_some(key as usize / 2),
            old: Some(int(key)),
            new: None,
        };
        let removes: Vec<_> = all.iter().filter(|&key| key % 2 == 0).map(|&key| remove(key)).collect();
        if with_index {
            assert_linear("removes", &dictionary(&all), removes, &dictionary(&odd));
        } else {
            let time = assert_patched(&dictionary(&all), &removes, &dictionary(&odd));
            assert!(time < Duration::from_secs(10), "found again by nothing but the key: {time:?}");
        }
    }
}

#[test]
fn elements_of_a_packed_array() {
    let array = |value: u32, count: u32| [words(&[32, count]), words(&[value]).repeat(count as usize)].concat();
    let one = |value| array(value, 1);
    let set = |index| Kept { path: vec![int(index)], op: Op::Set, index: None, old: Some(one(1)), new: Some(one(2)) };
    assert_linear("sets", &array(1, COUNT), (0..COUNT).map(set).collect(), &array(2, COUNT));
    let insert = |index| Kept { path: vec![int(index)], op: Op::Insert, index: None, old: None, new: Some(one(2)) };
    let inserts = (0..COUNT).map(|index| insert(2 * index)).collect();
    let mixed = [words(&[32, 2 * COUNT]), words(&[2, 1]).repeat(COUNT as usize)].concat();
    assert_linear("inserts", &array(1, COUNT), inserts, &mixed);
}

#[test]
fn texts_of_a_packed_array() {
    let text = |letter: u8| [words(&[2]), vec![letter, 0, 0, 0]].concat();
    let array = |letter, count: u32| [words(&[34, count]), text(letter).repeat(count as usize)].concat();
    let insert =
        |index| Kept { path: vec![int(index)], op: Op::Insert, index: None, old: None, new: Some(array(b'b', 1)) };
    let inserts = (0..COUNT).map(|index| insert(2 * index)).collect();
    let mixed = [words(&[34, 2 * COUNT]), [text(b'b'), text(b'a')].concat().repeat(COUNT as usize)].concat();
    assert_linear("inserts", &array(b'a', COUNT), inserts, &mixed);
}

#[test]
fn what_lies_deep_is_not_read_once_more_at_each_level() {
    const DEPTH: usize = 1000;
    // Arrays in one another, of two elements each; the innermost holds many.
    let nested = |second: u32| {
        let inner = [words(&[28, COUNT]), int(7).repeat(COUNT as usize)].concat();
        [words(&[28, 2]).repeat(DEPTH), inner, int(second).repeat(DEPTH)].concat()
    };
    let set = |level: usize| {
        let path = [vec![int(0); level], vec![int(1)]].concat();
        Kept { path, op: Op::Set, index: None, old: Some(int(1)), new: Some(int(2)) }
    };
    let read = time_to_read(&nested(1));
    // One level after the other, from outside and from inside; and the innermost at once.
    for levels in [(0..DEPTH).collect::<Vec<_>>(), (0..DEPTH).rev().collect()] {
        let changes: Vec<_> = levels.into_iter().map(set).collect();
        let time = assert_patched(&nested(1), &changes, &nested(2));
        assert!(time < 300 * read, "{time:?}, {read:?} to read it");
    }
}
