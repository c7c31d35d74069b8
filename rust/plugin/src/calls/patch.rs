//! Applies changes that a script passes: encodes them here, and applies them in the codec.

use godot::builtin::{AnyArray, PackedByteArray, VarDictionary, Variant};
use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch};
use varbatch_codec::{Kind, PathStep};

use crate::calls::decode::{self, Input};
use crate::calls::encode::{self, encode_part};
use crate::engine::{self, Slot, Value};
use crate::jobs::outcome::Outcome;

/// Returns `before` with all changes applied; empty if a change does not fit.
pub fn patch(before: &PackedByteArray, changes: &AnyArray, full_objects: bool) -> Outcome<PackedByteArray> {
    Outcome::of(try_patch(engine::bytes_of(before), changes, full_objects))
}

fn try_patch(before: &[u8], changes: &AnyArray, full_objects: bool) -> Result<PackedByteArray, String> {
    // Take everything out of the changes first: encoding a value may run a script that modifies them.
    let args: Vec<_> = engine::values(changes).iter().map(ChangeArgs::of).collect();
    let mut encoded = Vec::with_capacity(args.len());
    for (index, args) in args.into_iter().enumerate() {
        let change = args.and_then(|args| EncodedChange::of(&args, full_objects));
        encoded.push(change.map_err(|why| format!("change {index}: {why}"))?);
    }
    // From here on, only use what no script can change.
    let mut patch = Patch::new(before).map_err(|error| format!("before: {error}"))?;
    let paths: Vec<Vec<_>> = encoded.iter().map(EncodedChange::steps).collect();
    for (change, path) in encoded.iter().zip(&paths) {
        let same = |found: &[u8], old: &[u8]| canonical(found, full_objects).is_some_and(|found| found == old);
        patch.apply(&change.change(path), same).map_err(|misfit| misfit.to_string())?;
    }
    let plan = patch.plan().map_err(|error| error.to_string())?;
    Ok(encode::to_bytes(&plan))
}

/// A change as a script passes it.
struct ChangeArgs {
    op: Option<Variant>,
    path: Option<Result<Vec<Variant>, Kind>>,
    old: Option<Variant>,
    new: Option<Variant>,
    index: Option<Variant>,
}

impl ChangeArgs {
    /// Takes the fields of a change. Runs no script.
    fn of(change: &Value) -> Result<Self, String> {
        let kind = change.view().kind();
        let change: VarDictionary =
            change.variant().try_to().map_err(|_| format!("expected a Dictionary, found {}", kind.name()))?;
        let steps = |path: Variant| {
            let view = engine::value(&path).view();
            match view.kind() {
                Kind::Array => Ok(view.elements().iter().map(|step| step.variant().clone()).collect()),
                kind => Err(kind),
            }
        };
        let [op, path, old, new, index] = ["op", "path", "old", "new", "index"].map(|name| change.get(name));
        Ok(Self { op, path: path.map(steps), old, new, index })
    }
}

/// An encoded change.
struct EncodedChange {
    path: Vec<Vec<u8>>,
    op: Op,
    index: Option<usize>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

impl EncodedChange {
    fn of(change: &ChangeArgs, full_objects: bool) -> Result<Self, String> {
        let op = change.op.as_ref().ok_or("expected a value of \"op\", found none")?.to_string();
        let op = Op::ALL
            .into_iter()
            .find(|known| op == known.name())
            .ok_or_else(|| format!("expected \"set\", \"insert\" or \"remove\" as \"op\", found {op}"))?;
        let steps = match change.path.as_ref().ok_or("expected a value of \"path\", found none")? {
            Ok(steps) => steps,
            Err(kind) => return Err(format!("expected an Array as \"path\", found {}", kind.name())),
        };
        let path = steps.iter().map(|step| bytes(step, "path", full_objects)).collect::<Result<_, _>>()?;
        let part = |part: &Option<Variant>, name, is_used: bool| match part.as_ref().filter(|_| is_used) {
            Some(part) => bytes(part, name, full_objects).map(Some),
            None => Ok(None),
        };
        let (old, new) = (part(&change.old, "old", op != Op::Insert)?, part(&change.new, "new", op != Op::Remove)?);
        let index = match &change.index {
            None => None,
            Some(index) => {
                let count = index.try_to::<i64>().ok().and_then(|index| usize::try_from(index).ok());
                Some(count.ok_or_else(|| format!("expected a non-negative int as \"index\", found {index}"))?)
            }
        };
        Ok(Self { path, op, index, old, new })
    }

    /// Returns the steps of the path, which [`Self::change`] borrows.
    fn steps(&self) -> Vec<PathStep<'_>> {
        self.path.iter().map(|step| PathStep::Key(step)).collect()
    }

    fn change<'a>(&'a self, steps: &'a [PathStep<'a>]) -> Change<'a> {
        let [old, new] =
            [&self.old, &self.new].map(|part| part.as_ref().map(|bytes| ChangePart::Value { at: 0, bytes }));
        Change { path: ChangePath::new(steps), op: self.op, index: self.index, old, new }
    }
}

fn bytes(value: &Variant, name: &str, full_objects: bool) -> Result<Vec<u8>, String> {
    encode_part(engine::value(value), full_objects).map_err(|error| format!("\"{name}\": {error}"))
}

/// Returns the bytes that the engine would write for an encoded value.
fn canonical(bytes: &[u8], full_objects: bool) -> Option<Vec<u8>> {
    let mut slot = Slot::new();
    decode::decode_held(Input { at: 0, bytes }, full_objects, &mut slot).ok()?;
    encode_part(slot.value(), full_objects).ok()
}
