//! Guards: a patch does what its changes say, in any order, refuses those that do not fit, and can be taken back. Many
//! changes cost about what reading the same bytes does, in either order, however deep they lie.

use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::change::{Op, Patch};
use varbatch_codec::{Reader, Width, validate};

use crate::support::edits::{Edit, apply, fits, is_packed, len, patched_if, slice};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::value::{Element, Value, any_value, cases};
use crate::support::wire::{string, words};

/// Makes changes, most of which fit.
struct Maker<'a> {
    random: Random,
    pool: &'a [Value],
}

impl Maker<'_> {
    /// Any value, or one that a container takes if there is one.
    fn value(&mut self, of: &Element) -> Value {
        let fitting: Vec<_> = self.pool.iter().filter(|value| fits(of, value)).collect();
        match fitting.len() {
            0 => self.pool[self.random.below(self.pool.len())].clone(),
            count => fitting[self.random.below(count)].clone(),
        }
    }

    /// The step, or the other kind of text, which is the same key.
    fn alias(&mut self, step: Value) -> Value {
        match step {
            Value::String(text) if self.random.percent(50) => Value::StringName(text),
            Value::StringName(text) if self.random.percent(50) => Value::String(text),
            step => step,
        }
    }

    fn step(&mut self, end: usize) -> Value {
        Value::Int(self.random.below(end) as i64)
    }

    /// A change of something inside of a value.
    fn edit(&mut self, value: &Value) -> Edit {
        // The type is that of a value that is no container.
        let (mut path, mut at, mut of) = (Vec::new(), value, &Element::Any);
        loop {
            if is_packed(at) {
                return self.slice_edit(path, at);
            }
            let count = len(at);
            let which = self.random.below(count.max(1));
            let (step, child, child_of) = match at {
                Value::Array { elements, element } => (Value::Int(which as i64), elements.get(which), element),
                Value::Dictionary { entries, value, .. } => {
                    let (key, child) = entries.get(which).map(|(key, child)| (key.clone(), child)).unzip();
                    (key.unwrap_or(Value::Nil), child, value)
                }
                Value::Object { properties, .. } => {
                    let (name, child) = properties.get(which).map(|(name, child)| (name.clone(), child)).unzip();
                    (Value::StringName(name.unwrap_or_default()), child, &Element::Any)
                }
                _ => return Edit::set(path, Some(at.clone()), self.value(of)),
            };
            if let (Some(child), true) = (child, self.random.percent(70)) {
                path.push(self.alias(step));
                (at, of) = (child, child_of);
                continue;
            }
            let is_object = matches!(at, Value::Object { .. });
            let op = self.random.pick(&[Op::Set, Op::Set, Op::Insert, Op::Remove]);
            let op = if is_object { Op::Set } else { op };
            let (step, index) = match (at, op) {
                (Value::Array { .. }, Op::Insert) => (self.step(count + 1), None),
                (Value::Dictionary { key, .. }, Op::Insert) => (self.value(key), Some(self.random.below(count + 1))),
                (Value::Dictionary { .. }, Op::Remove) => (step, Some(which)),
                _ => (self.alias(step), None),
            };
            path.push(step);
            let old = child.filter(|_| op != Op::Insert).cloned();
            return Edit { path, op, index, old, new: (op != Op::Remove).then(|| self.value(child_of)) };
        }
    }

    /// A change of elements of a packed array.
    fn slice_edit(&mut self, mut path: Vec<Value>, array: &Value) -> Edit {
        let count = len(array);
        let start = self.random.below(count + 1);
        let gone = self.random.below(count - start + 1).min(9);
        let (old, op) = (slice(array, start..start + gone), self.random.pick(&Op::ALL));
        let from = self.random.below(if op == Op::Set { count - gone } else { count } + 1);
        let come = if op == Op::Set { gone } else { self.random.below(count - from + 1) };
        let new = slice(array, from..from + come);
        path.push(Value::Int(start as i64));
        match op {
            Op::Set => Edit::set(path, Some(old), new),
            Op::Insert => Edit::insert(path, new),
            Op::Remove => Edit::remove(path, Some(old)),
        }
    }

    /// Makes a change another, which most likely does not fit.
    fn spoil(&mut self, edit: &mut Edit) {
        let any = Some(self.value(&Element::Any));
        let last = edit.path.len().saturating_sub(1);
        match self.random.below(8) {
            0 => edit.old = any,
            1 => edit.old = None,
            2 => edit.new = any,
            3 => edit.new = None,
            4 => edit.index = Some(self.random.below(5)),
            5 => edit.op = self.random.pick(&Op::ALL),
            6 => edit.path.extend(any),
            _ if edit.path.is_empty() => edit.op = Op::Insert,
            _ => edit.path[last] = Value::Int(self.random.pick(&[-1, 0, 1, 3, i64::MAX, i64::MIN])),
        }
    }
}

/// Applies changes to a value and looks at it after each of them; gives how many fit.
fn check(before: &Value, edits: &[Edit], after: &Value) -> Result<usize, TestCaseError> {
    let bytes = naive::value(before);
    let encoded: Vec<_> = edits.iter().map(Edit::encoded).collect();
    let steps: Vec<_> = encoded.iter().map(Edit::steps).collect();
    let mut model = before.clone();
    let mut patch = Patch::new(&bytes).expect("a value");
    let mut fitted = 0;
    for (number, edit) in edits.iter().enumerate() {
        let expected = apply(&mut model, edit);
        let found = patch.apply(&encoded[number].change(&steps[number]), |_, _| false);
        prop_assert_eq!(found.is_ok(), expected.is_some(), "{:?}: {:?} in {:?}", found, edit, model);
        fitted += usize::from(found.is_ok());
        prop_assert!(found.err().is_none_or(|misfit| misfit.change == Some(number) && !misfit.to_string().is_empty()));
        let plan = patch.plan().expect("short");
        prop_assert_eq!(plan.to_vec(), naive::value(&model), "after {:?}", edit);
    }
    prop_assert_eq!(naive::value(&model), naive::value(after));
    Ok(fitted)
}

/// Changes one after the other, of which each may be about what an earlier one has made.
fn run(before: &Value, pool: &[Value], seed: u64, spoiled: usize) -> Result<(), TestCaseError> {
    let mut maker = Maker { random: Random::new(seed), pool };
    let (mut value, mut edits, mut fitting) = (before.clone(), Vec::new(), Vec::new());
    for _ in 0..20 {
        let mut edit = maker.edit(&value);
        if maker.random.percent(spoiled) {
            maker.spoil(&mut edit);
        }
        let mut changed = value.clone();
        let fits = apply(&mut changed, &edit).is_some();
        // What a typed container held without taking it cannot be put back.
        if fits && spoiled == 0 && apply(&mut changed.clone(), &edit.clone().undo()).is_none() {
            continue;
        }
        if fits {
            fitting.push(edit.clone());
        }
        edits.push(edit);
        value = changed;
    }
    let fitted = check(before, &edits, &value)?;
    prop_assert_eq!(fitted, fitting.len());
    if spoiled == 0 {
        let back: Vec<_> = fitting.into_iter().rev().map(Edit::undo).collect();
        prop_assert_eq!(check(&value, &back, before)?, back.len(), "all of it is taken back");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn changes_do_what_they_say_and_can_be_taken_back(
        value in any_value(Width::Single), pool in vec(any_value(Width::Single), 1..20), seed: u64,
    ) {
        run(&value, &pool, seed, 0)?;
    }

    #[test]
    fn what_does_not_fit_changes_nothing(
        value in any_value(Width::Double), pool in vec(any_value(Width::Double), 1..20), seed: u64,
    ) {
        run(&value, &pool, seed, 40)?;
    }
}

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

/// Applies changes and compares; gives how long that took at best, as other programs may run beside the tests.
#[track_caller]
fn assert_patched(before: &[u8], changes: &[Change], after: &[u8]) -> Duration {
    let patch = || {
        let start = Instant::now();
        let found = patched_if(before, changes, |_, _| false).expect("fits");
        (start.elapsed(), found)
    };
    let (time, found) = (0..3).map(|_| patch()).min_by_key(|(time, _)| *time).expect("tries");
    assert!(found == after, "{} bytes instead of {}", found.len(), after.len());
    time
}

/// Changes one way, and back in the opposite order. What is allowed is ten times what a busy machine takes, and a hundredth
/// of a square of their number.
#[track_caller]
fn assert_linear(what: &str, before: &[u8], changes: Vec<Change>, after: &[u8]) {
    let read = time_to_read(&[words(&[28, COUNT]), int(7).repeat(COUNT as usize)].concat());
    let most = 5000 * read;
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
fn elements_of_an_array_and_of_packed_ones() {
    let text = |letter| words(&[2, letter]);
    assert_elements("ints", 28, [int(1), int(2)], <[u8]>::to_vec);
    assert_elements("floats", 32, [words(&[1]), words(&[2])], |element| [&words(&[32, 1]), element].concat());
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
