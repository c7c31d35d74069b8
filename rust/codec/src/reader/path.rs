//! Finds the step to the next value, and the path for errors. Only these need it, so keys are read again, not stored.

use super::{ReadForm, ReadNext, ReadOpen, Reader};
use crate::{CodecError, CodecErrorKind, Path, PathStep, Step, shown_value};

impl<'a> Reader<'a> {
    /// Returns a reader of the same value from its start, which refuses counts that the bytes cannot hold.
    pub(crate) fn restarted(&self) -> Self {
        Reader::new(self.bytes).with_base(self.base).with_objects(self.allow_objects).with_rules(self.rules)
    }

    /// Reads the key or name before the next value, and returns the step to it from its container, if it is in one.
    pub(crate) fn next_step(&mut self) -> Result<Option<PathStep<'a>>, CodecError> {
        let Some(&ReadOpen { form, index, .. }) = self.open.last() else { return Ok(None) };
        Ok(Some(match form {
            ReadForm::Array | ReadForm::Bare => PathStep::Index(index),
            ReadForm::Dictionary => {
                let start = self.at;
                self.skip_value()?;
                PathStep::Key(self.bytes(start, self.at))
            }
            ReadForm::Object => PathStep::Property(self.next_name()?),
        }))
    }

    #[cold]
    pub(super) fn error(&self, kind: CodecErrorKind) -> CodecError {
        // Missing padding may have moved `at` past the end.
        let at = self.base + self.at.min(self.bytes.len());
        CodecError::new(at, kind).with_path(self.path())
    }

    /// Creates an error of the caller's about the value that begins at `at`, with its path.
    pub fn error_at(&self, at: usize, kind: CodecErrorKind) -> CodecError {
        CodecError::new(self.base + at, kind).with_path(self.path_at(at))
    }

    /// Returns the offset in the larger buffer of the value that begins at `at`.
    pub(crate) fn offset_of(&self, at: usize) -> usize {
        self.base + at
    }

    /// True if the last event began a key of a Dictionary, at this [`depth`](Self::depth).
    pub(crate) fn was_key(&self, depth: usize) -> bool {
        let parent = depth.checked_sub(1).and_then(|index| self.open.get(index));
        // The index counts what has ended: a scalar, but not a container with parts to come.
        let is_open = self.open.len() > depth;
        parent.is_some_and(|top| top.form == ReadForm::Dictionary && top.index.is_multiple_of(2) == is_open)
    }

    /// Returns the path to the value that begins at `at`, which must have been read already.
    pub fn path_at(&self, at: usize) -> Path {
        let mut again = self.restarted();
        while again.at < at && matches!(again.next_event(), Ok(Some(_))) {}
        again.path()
    }

    /// Returns the path to the next value, or to the current one if its texts come next.
    pub(super) fn path(&self) -> Path {
        let innermost = self.open.len().saturating_sub(1);
        let mut path = Path::default();
        for (depth, open) in self.open.iter().enumerate().rev() {
            if !(depth == innermost && self.next == ReadNext::Name) {
                path = path.within(self.step(open));
            }
        }
        path
    }

    fn step(&self, open: &ReadOpen) -> Step {
        match open.form {
            ReadForm::Array | ReadForm::Bare => Step::Index(open.index),
            ReadForm::Dictionary if open.index.is_multiple_of(2) => Step::KeyOf(open.index / 2),
            ReadForm::Dictionary => Step::Key(shown_value(self.again(open.key_at))),
            ReadForm::Object => Step::to_property(self.again(open.key_at).next_name().expect("it was read before")),
        }
    }

    /// Creates a reader of bytes that were read already.
    fn again(&self, at: usize) -> Reader<'_> {
        Reader::new(self.bytes.get(at..).unwrap_or_default()).with_rules(self.rules)
    }
}
