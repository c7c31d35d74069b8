//! Guards: a patch does what its changes say, in any order, refuses those that do not fit, and can be taken back.

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::Width;
use varbatch_codec::change::{Op, Patch};

use crate::support::edits::{Edit, apply, fits, is_packed, len, slice};
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
                path.push(step);
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
                _ => (step, None),
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
