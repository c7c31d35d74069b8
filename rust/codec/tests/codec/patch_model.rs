//! Guards: a patch does what its changes say, in any order, refuses those that do not fit, and can be taken back.

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::change::{Op, Patch};
use varbatch_codec::{Shape, Width};

use crate::support::edits::{Edit, Encoded, apply, fits};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::value::{Element, Value, any_value, cases};

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

    fn step(index: usize) -> Value {
        Value::Int(index as i64)
    }

    /// A change of something inside of a value.
    fn edit(&mut self, value: &Value) -> Edit {
        let mut path = Vec::new();
        let mut at = value;
        // The last is that of a value that is no container.
        let mut of = &Element::Any;
        loop {
            let goes_on = self.random.percent(70);
            let (count, op) = (len(at), self.random.pick(&[Op::Set, Op::Set, Op::Insert, Op::Remove]));
            let which = self.random.below(count.max(1));
            let (old, key, child_of) = match at {
                Value::Array { elements, element } => (elements.get(which), Self::step(which), element),
                Value::Dictionary { entries, value, .. } => {
                    let entry = entries.get(which);
                    (entry.map(|(_, value)| value), entry.map_or(Value::Nil, |(key, _)| key.clone()), value)
                }
                Value::Object { properties, .. } => {
                    let property = properties.get(which);
                    let name = property.map_or(Vec::new(), |(name, _)| name.clone());
                    (property.map(|(_, value)| value), Value::StringName(name), &Element::Any)
                }
                _ if is_packed(at) => return self.slice_edit(path, at),
                _ => {
                    return Edit { path, op: Op::Set, index: None, old: Some(at.clone()), new: Some(self.value(of)) };
                }
            };
            if let (Some(child), true) = (old, goes_on) {
                path.push(key);
                (at, of) = (child, child_of);
                continue;
            }
            let new = self.value(child_of);
            return match (at, op) {
                (Value::Array { .. }, Op::Insert) => {
                    path.push(Self::step(self.random.below(count + 1)));
                    Edit { path, op, index: None, old: None, new: Some(new) }
                }
                (Value::Dictionary { key, .. }, Op::Insert) => {
                    path.push(self.value(key));
                    let index = Some(self.random.below(count + 1));
                    Edit { path, op, index, old: None, new: Some(new) }
                }
                (Value::Dictionary { .. }, Op::Remove) => {
                    path.push(key);
                    Edit { path, op, index: Some(which), old: old.cloned(), new: None }
                }
                (Value::Array { .. }, Op::Remove) => {
                    path.push(key);
                    Edit { path, op, index: None, old: old.cloned(), new: None }
                }
                _ => {
                    path.push(key);
                    Edit { path, op: Op::Set, index: None, old: old.cloned(), new: Some(new) }
                }
            };
        }
    }

    /// A change of elements of a packed array.
    fn slice_edit(&mut self, mut path: Vec<Value>, array: &Value) -> Edit {
        let count = len(array);
        let start = self.random.below(count + 1);
        let len = self.random.below(count - start + 1).min(9);
        let old = slice(array, start, len);
        let op = self.random.pick(&Op::ALL);
        let from = self.random.below(count + 1);
        let new = match op {
            Op::Set => slice(array, self.random.below(count - len + 1), len),
            _ => slice(array, from, self.random.below(count - from + 1)),
        };
        path.push(Self::step(start));
        match op {
            Op::Set => Edit { path, op, index: None, old: Some(old), new: Some(new) },
            Op::Insert => Edit { path, op, index: None, old: None, new: Some(new) },
            Op::Remove => Edit { path, op, index: None, old: Some(old), new: None },
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

fn is_packed(value: &Value) -> bool {
    match value {
        Value::Texts(_) => true,
        Value::Plain { kind, .. } => matches!(kind.shape(), Shape::Packed { .. }),
        _ => false,
    }
}

/// How many parts there are in it.
fn len(value: &Value) -> usize {
    match value {
        Value::Array { elements, .. } => elements.len(),
        Value::Dictionary { entries, .. } => entries.len(),
        Value::Object { properties, .. } => properties.len(),
        Value::Texts(texts) => texts.len(),
        Value::Plain { count, .. } => *count,
        _ => 0,
    }
}

/// Elements of a packed array.
fn slice(array: &Value, start: usize, count: usize) -> Value {
    match array {
        Value::Texts(texts) => Value::Texts(texts[start..start + count].to_vec()),
        Value::Plain { kind, width, count: all, bytes } => {
            let len = bytes.len().checked_div(*all).unwrap_or(0);
            let bytes = bytes[start * len..(start + count) * len].to_vec();
            Value::Plain { kind: *kind, width: *width, count, bytes }
        }
        _ => unreachable!("a packed array"),
    }
}

/// Applies changes to a value and looks at it after each of them; gives how many fit.
fn check(before: &Value, edits: &[Edit], after: &Value) -> Result<usize, TestCaseError> {
    let bytes = naive::value(before);
    let encoded: Vec<_> = edits.iter().map(Encoded::new).collect();
    let steps: Vec<_> = encoded.iter().map(Encoded::steps).collect();
    let mut model = before.clone();
    let mut patch = Patch::new(&bytes).expect("a value");
    let mut fitted = 0;
    for (number, edit) in edits.iter().enumerate() {
        let expected = apply(&mut model, edit);
        let found = patch.apply(&encoded[number].change(&steps[number]), |_, _| false);
        prop_assert_eq!(found.is_ok(), expected.is_some(), "{:?}: {:?} in {:?}", found, edit, model);
        fitted += usize::from(found.is_ok());
        prop_assert!(
            found.err().is_none_or(|misfit| misfit.change() == Some(number) && !misfit.to_string().is_empty())
        );
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
        (value, edits) = (changed, [edits, vec![edit]].concat());
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
