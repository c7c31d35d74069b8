//! Lists the values in a buffer as nodes of a tree, for inspecting it.
//!
//! The buffer may be broken. Counts are accepted even if the bytes cannot hold them, so the tree reaches as far as the
//! bytes do; nothing may be allocated by count. The walk does not recurse.
//!
//! ```
//! use varbatch_codec::describe::{Found, nodes};
//! use varbatch_codec::{Dialect, Kind};
//!
//! // [7], by Godot 4.
//! let bytes = [28, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
//! let mut kinds = Vec::new();
//! for found in nodes(&bytes, 0, Dialect::GODOT_4) {
//!     if let Found::Node(node) = found? {
//!         kinds.push((node.depth, node.at, node.kind));
//!     }
//! }
//! assert_eq!(kinds, [(0, 0, Kind::Array), (1, 8, Kind::Int)]);
//! # Ok::<(), varbatch_codec::CodecError>(())
//! ```

mod overview;

use std::borrow::Cow;

pub use self::overview::overview;
use crate::dialect::Dialect;
use crate::error::CodecError;
use crate::event::{ElementType, Event, Text};
use crate::kind::Kind;
use crate::path::PathStep;
use crate::reader::Reader;
use crate::validate::validate;

/// Walks the value at the start of `bytes` and everything inside it. Offsets count from `base` bytes before the value.
/// Objects with properties are described, never created.
pub fn nodes(bytes: &[u8], base: usize, dialect: Dialect) -> Nodes<'_> {
    let strict = Reader::new(bytes).with_base(base).with_dialect(dialect).with_objects(true);
    let reader = strict.clone().with_trusted_counts();
    Nodes { reader, strict, base, open: Vec::new(), state: State::Before, limits: Limits::default() }
}

/// One step of a walk. In the order of the bytes: a node, then its contents, then its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found<'a> {
    /// A value begins.
    Node(Node<'a>),
    /// A text of the PackedStringArray or NodePath that began last.
    Text(Text<'a>),
    /// The innermost open value ends.
    End {
        /// Its size in bytes. Before an error: the bytes that could be read.
        size: usize,
        /// How many values directly inside it the limits of the walk left out.
        omitted: usize,
    },
}

/// A value in a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<'a> {
    /// The number of values that enclose it.
    pub depth: usize,
    /// Its offset, in bytes.
    pub at: usize,
    /// The type that it is read as: a type of Godot 4, in every dialect.
    pub kind: Kind,
    /// Its first event. The texts or values inside follow, as many as the event announces.
    pub event: Event<'a>,
    /// How it is reached from its parent; `None` for the root. Keys of Dictionaries are no nodes.
    pub step: Option<PathStep<'a>>,
}

impl<'a> Node<'a> {
    /// Returns the type's name as in GDScript, with the element types of typed containers: `Array[int]`.
    pub fn type_name(&self) -> Cow<'a, str> {
        match self.event {
            Event::Array { element, .. } if element != ElementType::Any => {
                format!("Array[{}]", element_name(element)).into()
            }
            Event::Dictionary { key, value, .. } if (key, value) != (ElementType::Any, ElementType::Any) => {
                format!("Dictionary[{}, {}]", element_name(key), element_name(value)).into()
            }
            _ => self.kind.name().into(),
        }
    }

    /// Returns the class of an object with properties.
    pub fn class(&self) -> Option<Text<'a>> {
        if let Event::Object { class, .. } = self.event { Some(class) } else { None }
    }
}

fn element_name(element: ElementType<'_>) -> Cow<'_, str> {
    match element {
        ElementType::Any => "Variant".into(),
        ElementType::Builtin(kind) => kind.name().into(),
        ElementType::Class(name) | ElementType::Script(name) => name.to_utf8(),
    }
}

/// A walk over a value, made by [`nodes`]. It ends after the value or after an error. Before an error, it ends every
/// open value.
///
/// The error is the one that [`validate`] returns: the first in the value, which may be before the last node.
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    reader: Reader<'a>,
    /// A reader at the start that refuses impossible counts.
    strict: Reader<'a>,
    base: usize,
    open: Vec<OpenNode>,
    state: State,
    limits: Limits,
}

/// Which values a walk shows: all down to `whole_depth`, below it the first `max_items` of each container, and none below
/// `max_depth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    whole_depth: usize,
    max_items: usize,
    max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { whole_depth: 0, max_items: usize::MAX, max_depth: usize::MAX }
    }
}

#[derive(Clone, Debug)]
enum State {
    Before,
    Inside,
    Failed(CodecError),
    Over,
}

/// A value that has not ended.
#[derive(Clone, Copy, Debug)]
struct OpenNode {
    form: NodeForm,
    /// Its offset in the reader's bytes.
    at: usize,
    /// The reader's depth at its start.
    depth: usize,
    /// The index of its next part, and how many parts it has.
    index: usize,
    count: usize,
    /// Values in it that the limits left out.
    omitted: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum NodeForm {
    Texts,
    Array,
    Dictionary,
    Object,
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Result<Found<'a>, CodecError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let depth = self.open.len();
            match (&self.state, self.open.last_mut()) {
                (State::Over, _) => return None,
                (State::Before, _) => {
                    self.state = State::Inside;
                    match self.node(None) {
                        Ok(found) => return Some(Ok(found)),
                        Err(error) => self.fail(error),
                    }
                }
                (State::Inside, None) => self.state = State::Over,
                (State::Inside, Some(open)) if open.index < open.count => {
                    let part = *open;
                    if part.form != NodeForm::Texts && !self.limits.show(depth, part.index) {
                        self.leave_out();
                        continue;
                    }
                    open.index += 1;
                    match self.part(part) {
                        Ok(found) => return Some(Ok(found)),
                        Err(error) => self.fail(error),
                    }
                }
                (State::Inside | State::Failed(_), Some(open)) => {
                    let (size, omitted) = (self.reader.position() - open.at, open.omitted);
                    self.open.pop();
                    return Some(Ok(Found::End { size, omitted }));
                }
                (State::Failed(_), None) => {
                    let State::Failed(error) = std::mem::replace(&mut self.state, State::Over) else { unreachable!() };
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Limits {
    fn show(&self, depth: usize, index: usize) -> bool {
        depth <= self.max_depth && (depth <= self.whole_depth || index < self.max_items)
    }
}

impl<'a> Nodes<'a> {
    /// Leaves out values that more than `max_depth` others enclose, and all but the first `max_items` in each of them. They
    /// are read nevertheless.
    #[must_use]
    pub fn with_limits(self, max_depth: usize, max_items: usize) -> Self {
        Self { limits: Limits { whole_depth: 0, max_items, max_depth }, ..self }
    }

    /// Skips the remaining contents of the innermost open value, so that its end comes next.
    pub fn skip_inside(&mut self) {
        if let (State::Inside, Some(open)) = (&self.state, self.open.last_mut()) {
            open.index = open.count;
            let depth = open.depth;
            if let Err(error) = self.reader.finish_value(depth) {
                self.fail(error);
            }
        }
    }

    /// Skips the remaining values of the innermost open value, and counts those that begin.
    fn leave_out(&mut self) {
        let outer = self.open.len() - 1;
        while let (State::Inside, part) = (&self.state, self.open[outer])
            && part.index < part.count
        {
            self.open[outer].index += 1;
            match self.part(part) {
                Ok(_) => {
                    self.skip_inside();
                    self.open.pop();
                    self.open[outer].omitted += 1;
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// Reads the next part of the innermost open value.
    fn part(&mut self, OpenNode { form, index, .. }: OpenNode) -> Result<Found<'a>, CodecError> {
        match form {
            NodeForm::Texts => Ok(Found::Text(self.text()?)),
            NodeForm::Array => self.node(Some(PathStep::Index(index))),
            NodeForm::Dictionary => {
                let start = self.reader.position();
                self.reader.skip_value()?;
                let key = self.reader.bytes(start, self.reader.position());
                self.node(Some(PathStep::Key(key)))
            }
            NodeForm::Object => {
                let name = self.text()?;
                self.node(Some(PathStep::Property(name)))
            }
        }
    }

    fn node(&mut self, step: Option<PathStep<'a>>) -> Result<Found<'a>, CodecError> {
        let reader = &mut self.reader;
        let (at, depth) = (reader.position(), reader.depth());
        let kind = reader.peek_kind()?;
        let event = Self::event(reader)?;
        let (form, count) = match event {
            Event::Array { count, .. } => (NodeForm::Array, count),
            Event::Dictionary { count, .. } => (NodeForm::Dictionary, count),
            Event::Object { count, .. } => (NodeForm::Object, count),
            Event::PackedStrings { count } => (NodeForm::Texts, count),
            Event::NodePath { names, subnames, .. } => (NodeForm::Texts, names + subnames),
            _ => (NodeForm::Texts, 0),
        };
        let node = Node { depth: self.open.len(), at: self.base + at, kind, event, step };
        self.open.push(OpenNode { form, at, depth, index: 0, count, omitted: 0 });
        Ok(Found::Node(node))
    }

    fn text(&mut self) -> Result<Text<'a>, CodecError> {
        let Event::Text(text) = Self::event(&mut self.reader)? else { unreachable!("a text is due") };
        Ok(text)
    }

    fn event(reader: &mut Reader<'a>) -> Result<Event<'a>, CodecError> {
        Ok(reader.next_event()?.expect("the value has not ended"))
    }

    #[cold]
    fn fail(&mut self, error: CodecError) {
        // `error` stopped the walk, but the strict reader may find an earlier one.
        self.state = State::Failed(validate(self.strict.clone()).err().unwrap_or(error));
    }
}

#[cfg(test)]
#[path = "../tests/unit/describe.rs"]
mod tests;
