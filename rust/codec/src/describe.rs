//! Lists the values in a buffer as nodes of a tree, for inspecting it.
//!
//! The buffer may be broken: counts are accepted that the bytes cannot hold, so nothing may be allocated by count.
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

use std::borrow::Cow;

use crate::{CodecError, Dialect, ElementType, Event, Kind, PathStep, Reader, Text, WORD, validate};

/// Walks the value at the start of `bytes`, creating no objects. Offsets count from `base` bytes before the value.
pub fn nodes(bytes: &[u8], base: usize, dialect: Dialect) -> Nodes<'_> {
    let reader = Reader::new(bytes).with_base(base).with_dialect(dialect).with_objects(true).with_trusted_counts();
    let (open, max_items, max_depth) = (Vec::new(), usize::MAX, usize::MAX);
    Nodes { reader, open, has_failed: false, error: None, whole_depth: 0, max_items, max_depth }
}

/// One step of a walk. In the order of the bytes: a node, then its contents, then its end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Found<'a> {
    /// A value begins.
    Node(Node<'a>),
    /// A text of the PackedStringArray or NodePath that began last.
    Text(Text<'a>),
    /// The innermost open value ends: its bytes, as far as they were read, and how many values in it were left out.
    End { size: usize, omitted: usize },
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

/// A walk of [`nodes`]. An error, the first of the value as by [`validate`], ends it, after the end of each open value.
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    reader: Reader<'a>,
    open: Vec<OpenNode>,
    has_failed: bool,
    /// The error that stopped the walk, until it is returned.
    error: Option<CodecError>,
    /// All values down to this depth are shown, below it the first `max_items` of each container, and none below `max_depth`.
    whole_depth: usize,
    max_items: usize,
    max_depth: usize,
}

#[derive(Clone, Copy, Debug)]
struct OpenNode {
    /// Its offset in the reader's bytes.
    at: usize,
    /// Values in it that have begun, and those of them that the limits left out.
    begun: usize,
    omitted: usize,
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Result<Found<'a>, CodecError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.is_inside() {
            let is_shown = || {
                let (depth, index) = (self.open.len(), self.open.last().map_or(0, |open| open.begun));
                depth <= self.max_depth && (depth <= self.whole_depth || index < self.max_items)
            };
            let found = match self.reader.next_text() {
                Ok(None) if !is_shown() => {
                    self.leave_out();
                    continue;
                }
                Ok(None) => self.node().map(Found::Node),
                Ok(Some(text)) => Ok(Found::Text(text)),
                Err(error) => Err(error),
            };
            match found {
                Ok(found) => return Some(Ok(found)),
                Err(error) => self.fail(error),
            }
        }
        match self.open.pop() {
            Some(OpenNode { at, omitted, .. }) => Some(Ok(Found::End { size: self.reader.position() - at, omitted })),
            None => self.error.take().map(Err),
        }
    }
}

impl<'a> Nodes<'a> {
    /// Leaves out, but reads, values inside more than `max_depth` others, and all but the first `max_items` of each.
    #[must_use]
    pub fn with_limits(self, max_depth: usize, max_items: usize) -> Self {
        Self { max_items, max_depth, ..self }
    }

    /// Skips the remaining contents of the innermost open value, so that its end comes next.
    pub fn skip_inside(&mut self) {
        if let (false, Some(depth)) = (self.has_failed, self.open.len().checked_sub(1))
            && let Err(error) = self.reader.finish_value(depth)
        {
            self.fail(error);
        }
    }

    /// True if a text or value comes next: inside the innermost open value, or the root.
    fn is_inside(&self) -> bool {
        let is_next = match self.open.len().checked_sub(1) {
            None => self.reader.position() == 0,
            Some(depth) => self.reader.is_inside(depth),
        };
        is_next && !self.has_failed
    }

    /// Skips the remaining values of the innermost open value, and counts those that begin.
    fn leave_out(&mut self) {
        let outer = self.open.len() - 1;
        while self.is_inside() {
            match self.node() {
                Ok(_) => {
                    self.skip_inside();
                    self.open.pop();
                    self.open[outer].omitted += 1;
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// Reads the next value's key or name, and its first event.
    fn node(&mut self) -> Result<Node<'a>, CodecError> {
        let reader = &mut self.reader;
        let step = reader.next_step()?;
        let at = reader.position();
        let kind = reader.peek_kind()?;
        let event = reader.next_event()?.expect("the value has not ended");
        let node = Node { depth: self.open.len(), at: reader.offset_of(at), kind, event, step };
        if let Some(outer) = self.open.last_mut() {
            outer.begun += 1;
        }
        self.open.push(OpenNode { at, begun: 0, omitted: 0 });
        Ok(node)
    }

    #[cold]
    fn fail(&mut self, error: CodecError) {
        // A reader that refuses impossible counts may find an earlier one.
        (self.has_failed, self.error) = (true, Some(validate(self.reader.restarted()).err().unwrap_or(error)));
    }
}

/// Walks a value like [`nodes`], and as many values inside it as fit into `max_nodes` nodes. Panics if that is 0.
///
/// The levels nearest to the root are whole while they take at most half of the nodes. Below, each container shows its
/// first N children: the largest N that keeps the limit, and at most half of that, so that a long list leaves room for
/// its contents. This reads the value up to three times, and stores a number for each level and each N.
pub fn overview(bytes: &[u8], base: usize, dialect: Dialect, max_nodes: usize) -> Nodes<'_> {
    assert!(max_nodes > 0, "max_nodes is 0");
    let mut nodes = nodes(bytes, base, dialect);
    let is_small = bytes.len() / WORD <= max_nodes;
    if !is_small && let Some(limits) = limits(&nodes, max_nodes) {
        (nodes.whole_depth, nodes.max_items) = limits;
    }
    nodes
}

/// Finds the `whole_depth` and the `max_items` with which a walk has at most `max_nodes` nodes; `None` if it needs none.
fn limits(nodes: &Nodes<'_>, max_nodes: usize) -> Option<(usize, usize)> {
    let half = (max_nodes / 2).max(1);
    let counts = level_counts(nodes.clone(), half, max_nodes)?;
    let (mut shown, mut whole_depth) = (0, 0);
    for (depth, count) in counts.iter().enumerate() {
        if shown + count > half {
            break;
        }
        shown += count;
        whole_depth = depth;
    }
    let mut max_items = 0;
    for (width, count) in width_counts(nodes.clone(), whole_depth, half).into_iter().enumerate().skip(1) {
        shown += count as usize;
        if shown > max_nodes {
            break;
        }
        max_items = width;
    }
    Some((whole_depth, max_items))
}

/// Counts the nodes on each level, down to the first with more than `half`. `None` if at most `max_nodes` in total.
fn level_counts(mut nodes: Nodes<'_>, half: usize, max_nodes: usize) -> Option<Vec<usize>> {
    let (mut counts, mut total) = (Vec::new(), 0);
    // The first level that cannot be whole. Once something must be cut, the levels below it do not matter.
    let mut last = usize::MAX;
    while let Some(found) = nodes.next() {
        if let Ok(Found::Node(node)) = found {
            if node.depth == counts.len() {
                counts.push(0);
            }
            counts[node.depth] += 1;
            total += 1;
            if counts[node.depth] > half {
                last = last.min(node.depth);
            }
            if total > max_nodes && last <= node.depth {
                if last == 1 {
                    break;
                }
                nodes.skip_inside();
            }
        }
    }
    (total > max_nodes).then_some(counts)
}

/// Counts, for each N up to `most`, the nodes below a level that show once containers show N children, not N - 1.
fn width_counts(mut nodes: Nodes<'_>, whole_depth: usize, most: usize) -> Vec<u32> {
    let mut counts = vec![0; most + 1];
    // For each open node: its children so far, and the smallest N that shows the node.
    let mut open: Vec<(usize, usize)> = Vec::new();
    while let Some(found) = nodes.next() {
        match found {
            Ok(Found::Node(node)) => {
                let width = open.last_mut().map_or(0, |(count, width)| {
                    *count += 1;
                    if node.depth > whole_depth { (*count).max(*width) } else { 0 }
                });
                open.push((0, width));
                if width > most {
                    nodes.skip_inside();
                } else if node.depth > whole_depth {
                    counts[width] += 1;
                }
            }
            Ok(Found::Text(_)) => nodes.skip_inside(),
            Ok(Found::End { .. }) => {
                // The children after an omitted child are omitted too.
                if open.pop().is_some_and(|(_, width)| width > most) {
                    nodes.skip_inside();
                }
            }
            Err(_) => {}
        }
    }
    counts
}
