//! The public functions.

use super::emit::Emit;
use super::error::{PatchError, PatchErrorKind};
use super::node::{Child, TreeNode};
use super::source::Sources;
use crate::change::model::{Change, Changes};
use crate::error::{CodecError, CodecErrorKind};
use crate::limits::MAX_VALUE_LEN;
use crate::plan::Plan;

/// Applies changes to a value and returns the result. See [`Patch`] to apply changes one by one.
///
/// # Errors
/// If `before` is not exactly one value, a change does not fit, or the result is longer than a value may be.
pub fn patch(before: &[u8], changes: &Changes<'_>) -> Result<Vec<u8>, PatchError> {
    let mut patch = Patch::new(before).map_err(|error| PatchError::of_value(PatchErrorKind::Before(error)))?;
    for change in changes.iter() {
        patch.apply(&change, |_, _| false)?;
    }
    let plan = patch.plan().map_err(|error| PatchError::of_value(PatchErrorKind::Result(error)))?;
    Ok(plan.to_vec())
}

/// A value that changes are applied to, as a tree. Parts that no path leads into stay bytes.
///
/// ```
/// use varbatch_codec::PathStep;
/// use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch};
///
/// // [7] becomes [7, 8], as Godot 4 encodes them.
/// let before = [28, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
/// let (path, eight) = ([PathStep::Index(1)], [2, 0, 0, 0, 8, 0, 0, 0]);
/// let new = Some(ChangePart::Value { at: 0, bytes: &eight });
/// let insert = Change { path: ChangePath::new(&path), op: Op::Insert, index: None, old: None, new };
///
/// let mut patch = Patch::new(&before)?;
/// patch.apply(&insert, |_, _| false)?;
/// assert_eq!(patch.plan()?.to_vec(), [&[28, 0, 0, 0, 2, 0, 0, 0], &before[8..], &eight].concat());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Patch<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) nodes: Vec<TreeNode<'a>>,
    pub(super) root: Child,
    /// The number of changes so far.
    changes: usize,
}

impl<'a> Patch<'a> {
    /// Starts with a value, which is borrowed. Objects with properties are read, but not instantiated.
    ///
    /// # Errors
    /// If there is no value, or bytes follow it.
    pub fn new(before: &'a [u8]) -> Result<Self, CodecError> {
        let mut sources = Sources::default();
        let root = Child::Raw(sources.add(before)?.0);
        Ok(Self { sources, nodes: Vec::new(), root, changes: 0 })
    }

    /// Applies a change. If the old value of the change has other bytes than the current value, `same` decides whether
    /// both are the same: it is called with the encoded current value and the encoded old value.
    ///
    /// # Errors
    /// If the change does not fit. The value is then unchanged.
    pub fn apply(&mut self, change: &Change<'a>, same: impl FnOnce(&[u8], &[u8]) -> bool) -> Result<(), PatchError> {
        let (number, mut followed) = (self.changes, 0);
        self.changes += 1;
        self.edit(change, same, &mut followed).map_err(|kind| {
            let path = self.path(&change.path.steps()[..followed]);
            PatchError { change: Some(number), path, kind }
        })
    }

    /// Returns the plan of the current value. Counts and padding are written anew; everything else is borrowed, or
    /// copied if it is short.
    ///
    /// # Errors
    /// If the value is longer than a value may be.
    pub fn plan(&self) -> Result<Plan<'_>, CodecError> {
        let plan = Emit::new(&self.sources, &self.nodes).value(self.root);
        let found = plan.len();
        if found > MAX_VALUE_LEN {
            return Err(CodecError::new(found, CodecErrorKind::TooLarge { found }));
        }
        Ok(plan)
    }
}
