//! Guards: many changes in order, or in the opposite order, cost about what reading the same bytes does, however deep
//! they lie.

use std::time::{Duration, Instant};

use varbatch_codec::{Reader, validate};

use crate::support::edits::{Edit, patched_if};
use crate::support::wire::{string, words};

const COUNT: u32 = 100_000;

type Change = Edit<Vec<u8>>;

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

/// Applies changes and compares; gives how long that took.
#[track_caller]
fn assert_patched(before: &[u8], changes: &[Change], after: &[u8]) -> Duration {
    let start = Instant::now();
    let found = patched_if(before, changes, |_, _| false).expect("fits");
    let time = start.elapsed();
    assert!(found == after, "{} bytes instead of {}", found.len(), after.len());
    time
}

/// Changes one way, and back in the opposite order. A square of their number would be 1000 times what is allowed.
#[track_caller]
fn assert_linear(what: &str, before: &[u8], changes: Vec<Change>, after: &[u8]) {
    let read = time_to_read(&[words(&[28, COUNT]), int(7).repeat(COUNT as usize)].concat());
    let most = 500 * read;
    let there = assert_patched(before, &changes, after);
    let undo: Vec<_> = changes.into_iter().rev().map(Edit::undo).collect();
    let back = assert_patched(after, &undo, before);
    assert!(there < most && back < most, "{what}: {there:?} there, {back:?} back, {read:?} to read 100,000 values");
}

/// A head without its count, and an element of each kind; what stands for elements in a change, if not they themselves.
fn assert_elements(what: &str, head: u32, [old, new]: [Vec<u8>; 2], in_change: impl Fn(&[u8]) -> Vec<u8>) {
    let all = |count, element: &[u8]| [words(&[head, count]), element.repeat(COUNT as usize)].concat();
    let set = |index| Edit::set(vec![int(index)], Some(in_change(&old)), in_change(&new));
    assert_linear(&format!("sets of {what}"), &all(COUNT, &old), (0..COUNT).map(set).collect(), &all(COUNT, &new));
    let inserts = (0..COUNT).map(|index| Edit::insert(vec![int(2 * index)], in_change(&new))).collect();
    let mixed = all(2 * COUNT, &[&new[..], &old].concat());
    assert_linear(&format!("inserts of {what}"), &all(COUNT, &old), inserts, &mixed);
}

#[test]
fn elements_of_an_array() {
    assert_elements("ints", 28, [int(1), int(2)], <[u8]>::to_vec);
}

#[test]
fn elements_of_a_packed_array() {
    assert_elements("floats", 32, [words(&[1]), words(&[2])], |element| [&words(&[32, 1]), element].concat());
}

#[test]
fn texts_of_a_packed_array() {
    let text = |letter| words(&[2, letter]);
    assert_elements("texts", 34, [text(0x61), text(0x62)], |element| [&words(&[34, 1]), element].concat());
}

#[test]
fn entries_of_a_dictionary() {
    let entry = |key: u32| [string(key.to_string()), int(key)].concat();
    let dictionary =
        |keys: &[u32]| [words(&[27, keys.len() as u32]), keys.iter().flat_map(|&key| entry(key)).collect()].concat();
    let (all, odd): (Vec<_>, Vec<_>) = ((0..COUNT).collect(), (0..COUNT).filter(|key| key % 2 == 1).collect());
    let removes = || all.iter().filter(|&key| key % 2 == 0);
    let remove = |&key: &u32| Edit::remove(vec![string(key.to_string())], Some(int(key)));
    let with_index = removes().map(|key| remove(key).at(*key as usize / 2)).collect();
    assert_linear("removes", &dictionary(&all), with_index, &dictionary(&odd));
    let time = assert_patched(&dictionary(&all), &removes().map(remove).collect::<Vec<_>>(), &dictionary(&odd));
    assert!(time < Duration::from_secs(10), "found again by nothing but the key: {time:?}");
}

#[test]
fn what_lies_deep_is_not_read_once_more_at_each_level() {
    const DEPTH: usize = 1000;
    // Arrays in one another, of two elements each; the innermost holds many.
    let nested = |second: u32| {
        let inner = [words(&[28, COUNT]), int(7).repeat(COUNT as usize)].concat();
        [words(&[28, 2]).repeat(DEPTH), inner, int(second).repeat(DEPTH)].concat()
    };
    let set = |level: usize| Edit::set([vec![int(0); level], vec![int(1)]].concat(), Some(int(1)), int(2));
    let read = time_to_read(&nested(1));
    // One level after the other, from outside and from inside; and the innermost at once.
    for levels in [(0..DEPTH).collect::<Vec<_>>(), (0..DEPTH).rev().collect()] {
        let changes: Vec<_> = levels.into_iter().map(set).collect();
        let time = assert_patched(&nested(1), &changes, &nested(2));
        assert!(time < 300 * read, "{time:?}, {read:?} to read it");
    }
}
