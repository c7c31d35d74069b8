//! Changes of values, as plainly as they can be said: what a patch must give.

use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch, PatchError};
use varbatch_codec::{Kind, PathStep, Shape};

use super::naive;
use super::value::{Element, Value};

/// A change of a [`Value`].
#[derive(Clone, Debug)]
pub struct Edit {
    pub path: Vec<Value>,
    pub op: Op,
    pub index: Option<usize>,
    pub old: Option<Value>,
    pub new: Option<Value>,
}

impl Edit {
    pub fn set(path: Vec<Value>, old: Option<Value>, new: Value) -> Self {
        Self { path, op: Op::Set, index: None, old, new: Some(new) }
    }

    pub fn insert(path: Vec<Value>, new: Value) -> Self {
        Self { path, op: Op::Insert, index: None, old: None, new: Some(new) }
    }

    pub fn remove(path: Vec<Value>, old: Option<Value>) -> Self {
        Self { path, op: Op::Remove, index: None, old, new: None }
    }

    /// At this place in the order of a Dictionary.
    pub fn at(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }

    /// The way back.
    pub fn undo(self) -> Self {
        let op = match self.op {
            Op::Set => Op::Set,
            Op::Insert => Op::Remove,
            Op::Remove => Op::Insert,
        };
        Self { op, old: self.new, new: self.old, ..self }
    }
}

/// A change with its values as bytes.
pub struct Encoded {
    path: Vec<Vec<u8>>,
    op: Op,
    index: Option<usize>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

impl Encoded {
    pub fn new(edit: &Edit) -> Self {
        let bytes = |value: &Option<Value>| value.as_ref().map(naive::value);
        let path = edit.path.iter().map(naive::value).collect();
        Self { path, op: edit.op, index: edit.index, old: bytes(&edit.old), new: bytes(&edit.new) }
    }

    /// The steps, which the change borrows.
    pub fn steps(&self) -> Vec<PathStep<'_>> {
        steps(&self.path)
    }

    pub fn change<'a>(&'a self, path: &'a [PathStep<'a>]) -> Change<'a> {
        let Self { op, index, .. } = *self;
        Change { path: ChangePath::new(path), op, index, old: part(&self.old), new: part(&self.new) }
    }
}

/// Encoded steps, as scripts give them.
pub fn steps(path: &[Vec<u8>]) -> Vec<PathStep<'_>> {
    path.iter().map(|step| PathStep::Key(step)).collect()
}

/// An encoded value as a part of a change.
pub fn part(value: &Option<Vec<u8>>) -> Option<ChangePart<'_>> {
    value.as_ref().map(|bytes| ChangePart::Value { at: 0, bytes })
}

/// What a patch makes of a value, by bytes alone.
pub fn patched(before: &[u8], edits: &[Edit]) -> Result<Vec<u8>, PatchError> {
    let encoded: Vec<_> = edits.iter().map(Encoded::new).collect();
    let steps: Vec<_> = encoded.iter().map(Encoded::steps).collect();
    let mut patch = Patch::new(before).expect("a value");
    encoded.iter().zip(&steps).try_for_each(|(edit, steps)| patch.apply(&edit.change(steps), |_, _| false))?;
    let plan = patch.plan().expect("short");
    let bytes = plan.to_vec();
    assert_eq!(bytes.len(), plan.len(), "planned and filled length differ");
    Ok(bytes)
}

/// Makes a change; `None` where it does not fit, and nothing has changed then.
pub fn apply(value: &mut Value, edit: &Edit) -> Option<()> {
    within(value, &edit.path, edit)
}

fn within(value: &mut Value, path: &[Value], edit: &Edit) -> Option<()> {
    let Some((step, rest)) = path.split_first() else {
        return (edit.op == Op::Set).then(|| set(value, &Element::Any, edit))?;
    };
    match value {
        Value::Plain { kind, width, count, bytes } if matches!(kind.shape(), Shape::Packed { .. }) => {
            let elements = |value: &Value| match value {
                Value::Plain { kind: other, width: as_wide, count, bytes } if other == kind && as_wide == width => {
                    Some(bytes.chunks(len_of(*count, bytes)).map(<[u8]>::to_vec).collect())
                }
                _ => None,
            };
            let mut all = bytes.chunks(len_of(*count, bytes)).map(<[u8]>::to_vec).collect();
            slice(&mut all, index(step)?, rest, edit, elements)?;
            (*count, *bytes) = (all.len(), all.concat());
            Some(())
        }
        Value::Texts(all) => {
            let elements = |value: &Value| if let Value::Texts(texts) = value { Some(texts.clone()) } else { None };
            slice(all, index(step)?, rest, edit, elements)
        }
        Value::Array { element, elements } => {
            let at = index(step)?;
            match edit.op {
                Op::Insert if rest.is_empty() => {
                    let new = fitting(element, edit)?;
                    (at <= elements.len()).then(|| elements.insert(at, new))
                }
                Op::Remove if rest.is_empty() => {
                    is_old(elements.get(at)?, edit)?;
                    elements.remove(at);
                    Some(())
                }
                _ if rest.is_empty() => set(elements.get_mut(at)?, element, edit),
                _ => within(elements.get_mut(at)?, rest, edit),
            }
        }
        // What type the values have to be is not looked at, as the engine does not.
        Value::Dictionary { key, entries, .. } => {
            let all: Vec<_> = entries.iter().map(|(key, _)| key.clone()).collect();
            let found = find(&all, step);
            match edit.op {
                Op::Insert if rest.is_empty() => {
                    let new = fitting(&Element::Any, edit)?;
                    let at = edit.index.unwrap_or(entries.len());
                    let fits = found == Some(0) && fits(key, step) && at <= entries.len();
                    fits.then(|| entries.insert(at, (step.clone(), new)))
                }
                Op::Remove if rest.is_empty() => {
                    let at = found?.checked_sub(1)?;
                    is_old(&entries[at].1, edit)?;
                    let is_there = edit.index.is_none_or(|index| index == at);
                    is_there.then(|| drop(entries.remove(at)))
                }
                _ => {
                    let entry = &mut entries[found?.checked_sub(1)?].1;
                    if rest.is_empty() { set(entry, &Element::Any, edit) } else { within(entry, rest, edit) }
                }
            }
        }
        Value::Object { properties, .. } => {
            let (Value::String(name) | Value::StringName(name)) = step else { return None };
            let mut found = properties.iter_mut().filter(|(other, _)| other == name);
            let property = &mut found.next()?.1;
            match found.next() {
                Some(_) => None,
                None if !rest.is_empty() => within(property, rest, edit),
                None => (edit.op == Op::Set).then(|| set(property, &Element::Any, edit))?,
            }
        }
        _ => None,
    }
}

/// Bytes of one element.
fn len_of(count: usize, bytes: &[u8]) -> usize {
    bytes.len().checked_div(count).unwrap_or(1)
}

fn index(step: &Value) -> Option<usize> {
    if let Value::Int(index) = step { usize::try_from(*index).ok() } else { None }
}

/// One more than where a key is, 0 for nowhere; `None` for what is there more than once.
fn find(keys: &[Value], wanted: &Value) -> Option<usize> {
    let other = match wanted {
        Value::String(text) => Value::StringName(text.clone()),
        Value::StringName(text) => Value::String(text.clone()),
        other => other.clone(),
    };
    for wanted in [wanted, &other] {
        let wanted = naive::value(wanted);
        let mut found = (1..).zip(keys).filter(|(_, key)| naive::value(key) == wanted).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (None, _) => {}
            (Some(at), None) => return Some(at),
            (Some(_), Some(_)) => return None,
        }
    }
    Some(0)
}

fn set(value: &mut Value, of: &Element, edit: &Edit) -> Option<()> {
    let new = fitting(of, edit)?;
    is_old(value, edit)?;
    *value = new;
    Some(())
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

fn slice<T: Clone + PartialEq>(
    all: &mut Vec<T>,
    at: usize,
    rest: &[Value],
    edit: &Edit,
    elements: impl Fn(&Value) -> Option<Vec<T>>,
) -> Option<()> {
    // What is not given is no failure, what is none is.
    let given = |value: &Option<Value>| value.as_ref().map_or(Some(None), |value| elements(value).map(Some));
    if !rest.is_empty() {
        return None;
    }
    let (old, new) = match edit.op {
        Op::Set => {
            let new = elements(edit.new.as_ref()?)?;
            (given(&edit.old)?, new)
        }
        Op::Insert => (Some(Vec::new()), elements(edit.new.as_ref()?)?),
        Op::Remove => (Some(elements(edit.old.as_ref()?)?), Vec::new()),
    };
    let gone = old.as_ref().map_or(new.len(), Vec::len);
    if edit.op == Op::Set && gone != new.len() {
        return None;
    }
    let there = all.get(at..at.checked_add(gone)?)?;
    if old.is_some_and(|old| old != there) {
        return None;
    }
    all.splice(at..at + gone, new);
    Some(())
}
