//! Changes of values, as plainly as they can be said: what a patch must give.

use std::ops::Range;

use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch, PatchError};
use varbatch_codec::{Kind, PathStep, Shape};

use super::naive;
use super::value::{Element, Value};

/// A change of a [`Value`], or with its parts as bytes.
#[derive(Clone, Debug)]
pub struct Edit<V = Value> {
    pub path: Vec<V>,
    pub op: Op,
    pub index: Option<usize>,
    pub old: Option<V>,
    pub new: Option<V>,
}

impl<V> Edit<V> {
    pub fn set(path: Vec<V>, old: Option<V>, new: V) -> Self {
        Self { path, op: Op::Set, index: None, old, new: Some(new) }
    }

    pub fn insert(path: Vec<V>, new: V) -> Self {
        Self { path, op: Op::Insert, index: None, old: None, new: Some(new) }
    }

    pub fn remove(path: Vec<V>, old: Option<V>) -> Self {
        Self { path, op: Op::Remove, index: None, old, new: None }
    }

    /// At this place in the order of a Dictionary.
    pub fn at(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }

    /// The way back.
    pub fn undo(self) -> Self {
        Self { op: inverse(self.op), old: self.new, new: self.old, ..self }
    }
}

/// The operation that takes another one back.
pub fn inverse(op: Op) -> Op {
    match op {
        Op::Set => Op::Set,
        Op::Insert => Op::Remove,
        Op::Remove => Op::Insert,
    }
}

impl Edit {
    pub fn encoded(&self) -> Edit<Vec<u8>> {
        let bytes = |value: &Option<Value>| value.as_ref().map(naive::value);
        let path = self.path.iter().map(naive::value).collect();
        Edit { path, op: self.op, index: self.index, old: bytes(&self.old), new: bytes(&self.new) }
    }
}

impl Edit<Vec<u8>> {
    /// The steps as scripts give them, which the change borrows.
    pub fn steps(&self) -> Vec<PathStep<'_>> {
        self.path.iter().map(|step| PathStep::Key(step)).collect()
    }

    pub fn change<'a>(&'a self, path: &'a [PathStep<'a>]) -> Change<'a> {
        let part = |value: &'a Option<Vec<u8>>| value.as_ref().map(|bytes| ChangePart::Value { at: 0, bytes });
        let (old, new) = (part(&self.old), part(&self.new));
        Change { path: ChangePath::new(path), op: self.op, index: self.index, old, new }
    }
}

/// What a patch makes of a value, by bytes alone.
pub fn patched(before: &[u8], edits: &[Edit]) -> Result<Vec<u8>, PatchError> {
    let edits: Vec<_> = edits.iter().map(Edit::encoded).collect();
    patched_if(before, &edits, |_, _| false)
}

/// As [`patched`]; `is_same` says of bytes and others whether they are the same value.
pub fn patched_if(
    before: &[u8],
    edits: &[Edit<Vec<u8>>],
    is_same: impl FnMut(&[u8], &[u8]) -> bool,
) -> Result<Vec<u8>, PatchError> {
    let steps: Vec<_> = edits.iter().map(Edit::steps).collect();
    patched_by(before, edits.iter().zip(&steps).map(|(edit, steps)| edit.change(steps)), is_same)
}

/// What changes make of a value.
pub fn patched_by<'a>(
    before: &'a [u8],
    changes: impl IntoIterator<Item = Change<'a>>,
    mut is_same: impl FnMut(&[u8], &[u8]) -> bool,
) -> Result<Vec<u8>, PatchError> {
    let mut patch = Patch::new(before).expect("a value");
    changes.into_iter().try_for_each(|change| patch.apply(&change, &mut is_same))?;
    let plan = patch.plan().expect("short");
    let bytes = plan.to_vec();
    assert_eq!(bytes.len(), plan.len(), "planned and filled length differ");
    Ok(bytes)
}

/// Makes a change; `None` where it does not fit, and nothing has changed then.
pub fn apply(value: &mut Value, edit: &Edit) -> Option<()> {
    within(value, &Element::Any, &edit.path, edit)
}

/// As [`apply`], of a value that has to be of a type.
fn within(value: &mut Value, of: &Element, path: &[Value], edit: &Edit) -> Option<()> {
    let Some((step, rest)) = path.split_first() else {
        let new = fitting(of, edit).filter(|_| edit.op == Op::Set)?;
        is_old(value, edit)?;
        *value = new;
        return Some(());
    };
    let is_last = rest.is_empty();
    match value {
        array if is_packed(array) => {
            let at = index(step)?;
            is_last.then(|| splice(array, at, edit))?
        }
        Value::Array { element, elements } => {
            let at = index(step)?;
            match edit.op {
                Op::Insert if is_last => {
                    let new = fitting(element, edit)?;
                    (at <= elements.len()).then(|| elements.insert(at, new))
                }
                Op::Remove if is_last => {
                    is_old(elements.get(at)?, edit)?;
                    elements.remove(at);
                    Some(())
                }
                _ => within(elements.get_mut(at)?, element, rest, edit),
            }
        }
        // What type the values have to be is not looked at, as the engine does not.
        Value::Dictionary { key, entries, .. } => {
            let found = find(entries, step);
            match edit.op {
                Op::Insert if is_last => {
                    let new = fitting(&Element::Any, edit)?;
                    let at = edit.index.unwrap_or(entries.len());
                    let fits = found == Some(0) && fits(key, step) && at <= entries.len();
                    fits.then(|| entries.insert(at, (step.clone(), new)))
                }
                Op::Remove if is_last => {
                    let at = found?.checked_sub(1)?;
                    is_old(&entries[at].1, edit)?;
                    let is_there = edit.index.is_none_or(|index| index == at);
                    is_there.then(|| drop(entries.remove(at)))
                }
                _ => within(&mut entries[found?.checked_sub(1)?].1, &Element::Any, rest, edit),
            }
        }
        Value::Object { properties, .. } => {
            let (Value::String(name) | Value::StringName(name)) = step else { return None };
            let mut found = properties.iter_mut().filter(|(other, _)| other == name);
            let property = &mut found.next()?.1;
            if found.next().is_some() { None } else { within(property, &Element::Any, rest, edit) }
        }
        _ => None,
    }
}

fn index(step: &Value) -> Option<usize> {
    if let Value::Int(index) = step { usize::try_from(*index).ok() } else { None }
}

/// One more than where a key is, 0 for nowhere; `None` for what is there more than once.
fn find(entries: &[(Value, Value)], wanted: &Value) -> Option<usize> {
    let other = match wanted {
        Value::String(text) => Value::StringName(text.clone()),
        Value::StringName(text) => Value::String(text.clone()),
        other => other.clone(),
    };
    for wanted in [wanted, &other] {
        let wanted = naive::value(wanted);
        let mut found = (1..).zip(entries).filter(|(_, (key, _))| naive::value(key) == wanted).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (None, _) => {}
            (Some(at), None) => return Some(at),
            (Some(_), Some(_)) => return None,
        }
    }
    Some(0)
}

fn fitting(of: &Element, edit: &Edit) -> Option<Value> {
    edit.new.clone().filter(|new| fits(of, new))
}

/// Whether a typed container takes a value, as far as its bytes tell.
pub fn fits(of: &Element, value: &Value) -> bool {
    match of {
        Element::Builtin(Kind::Object) => true,
        Element::Builtin(kind) => naive::value(value)[0] == kind.id(),
        _ => true,
    }
}

fn is_old(value: &Value, edit: &Edit) -> Option<()> {
    let is_old = edit.old.as_ref().is_none_or(|old| naive::value(old) == naive::value(value));
    is_old.then_some(())
}

/// How many parts there are in it.
pub fn len(value: &Value) -> usize {
    match value {
        Value::Array { elements, .. } => elements.len(),
        Value::Dictionary { entries, .. } => entries.len(),
        Value::Object { properties, .. } => properties.len(),
        Value::Texts(texts) => texts.len(),
        Value::Plain { count, .. } => *count,
        _ => 0,
    }
}

pub fn is_packed(value: &Value) -> bool {
    matches!(value, Value::Texts(_))
        || matches!(value, Value::Plain { kind, .. } if matches!(kind.shape(), Shape::Packed { .. }))
}

/// Elements of a packed array.
pub fn slice(array: &Value, range: Range<usize>) -> Value {
    match array {
        Value::Texts(texts) => Value::Texts(texts[range].to_vec()),
        Value::Plain { kind, width, bytes, .. } => {
            let len = kind.shape().element_len(*width).expect("plain data");
            Value::plain(*kind, *width, bytes[range.start * len..range.end * len].to_vec())
        }
        _ => unreachable!("a packed array"),
    }
}

fn joined(front: Value, back: Value) -> Value {
    match (front, back) {
        (Value::Texts(front), Value::Texts(back)) => Value::Texts([front, back].concat()),
        (Value::Plain { kind, width, bytes, .. }, Value::Plain { bytes: back, .. }) => {
            Value::plain(kind, width, [bytes, back].concat())
        }
        _ => unreachable!("packed arrays"),
    }
}

/// Changes elements of a packed array.
fn splice(array: &mut Value, at: usize, edit: &Edit) -> Option<()> {
    let (old, new) = match edit.op {
        Op::Set => (edit.old.as_ref(), Some(edit.new.as_ref()?)),
        Op::Insert => (None, Some(edit.new.as_ref()?)),
        Op::Remove => (Some(edit.old.as_ref()?), None),
    };
    let nothing = slice(array, 0..0);
    let is_alike = |part: &Value| is_packed(part) && naive::value(&slice(part, 0..0)) == naive::value(&nothing);
    let gone = if edit.op == Op::Insert { 0 } else { old.or(new).map_or(0, len) };
    let end = at.checked_add(gone).filter(|&end| end <= len(array))?;
    let fits = old.into_iter().chain(new).all(is_alike)
        && old.is_none_or(|old| naive::value(old) == naive::value(&slice(array, at..end)))
        && (edit.op != Op::Set || new.map(len) == Some(gone));
    let parts = [slice(array, 0..at), new.unwrap_or(&nothing).clone(), slice(array, end..len(array))];
    fits.then(|| *array = parts.into_iter().reduce(joined).expect("three parts"))
}
