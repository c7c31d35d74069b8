//! One value of an input, and what is said about it.

use std::rc::Rc;

use varbatch_codec::{CodecError, Dialect, PathStep, Reader, validate};

use crate::input::{Failure, Input};
use crate::path;

#[derive(Clone, Copy)]
pub struct Buffer<'a> {
    pub input: &'a Rc<Input>,
    pub dialect: Dialect,
    /// The index of its frame; `None` if it is all of the input.
    pub frame: Option<usize>,
    /// Its key in a store, and why it cannot be read there.
    pub key: Option<&'a [u8]>,
    pub lost: Option<&'a str>,
    /// Where it begins in the uncompressed stream.
    pub at: usize,
    pub bytes: &'a [u8],
    /// Bytes of the stream that are still to be read, and of all of it; keys of a store.
    pub remaining: u64,
    pub stream_len: u64,
}

impl Buffer<'_> {
    pub fn validate(&self) -> Result<usize, CodecError> {
        validate(Reader::new(self.bytes).with_base(self.at).with_dialect(self.dialect).with_objects(true))
    }

    /// Fails if it cannot be read in its store.
    pub fn there(&self) -> Result<(), Failure> {
        self.lost.map_or(Ok(()), |lost| Err(self.damaged(lost)))
    }

    /// How a line begins that is about it.
    pub fn name(&self) -> String {
        self.step().map_or_else(|| in_frame(self.frame), |key| format!("{key}: "))
    }

    pub fn step(&self) -> Option<String> {
        self.key.map(|key| path::step(PathStep::Key(key), self.dialect))
    }

    /// What `error` says about it, with its frame or key.
    pub fn damaged(&self, error: impl std::fmt::Display) -> Failure {
        Failure::data(self.input, format_args!("{}{error}", self.name()))
    }
}

pub fn in_frame(frame: Option<usize>) -> String {
    frame.map_or_else(String::new, |index| format!("frame {index}: "))
}
