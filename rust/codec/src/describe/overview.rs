//! Cuts a tree to a max number of nodes, and reports what it omits.
//!
//! The levels nearest to the root are whole while they take at most half of the nodes. Below them, each container shows
//! its first N children. N is the same everywhere: the largest that keeps the tree within its limit, and at most half
//! of that limit, so that a long list leaves room for its contents.
//!
//! It reads the value up to three times, and only stores a number for each level and for each possible N.

use super::{Found, Node, Nodes, nodes};
use crate::dialect::Dialect;
use crate::error::CodecError;
use crate::kind::WORD;

/// Walks the value at the start of `bytes` and as many values inside it as fit into a tree of `max_nodes` nodes. See
/// [`nodes()`] for the other parameters.
///
/// # Panics
/// If `max_nodes` is 0.
pub fn overview(bytes: &[u8], base: usize, dialect: Dialect, max_nodes: usize) -> Overview<'_> {
    assert!(max_nodes > 0, "max_nodes is 0");
    let nodes = nodes(bytes, base, dialect);
    let cut = Cut::of(&nodes, bytes.len(), max_nodes);
    Overview { nodes, cut, open: Vec::new(), is_left_out: false }
}

/// A part of a tree that may be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OverviewPart<'a> {
    /// A value begins.
    Node(Node<'a>),
    /// The innermost open value ends.
    End {
        /// Its size in bytes. Before an error: the bytes that could be read.
        size: usize,
        /// The number of its children that were omitted.
        omitted: usize,
    },
}

/// A walk over a value, made by [`overview()`]. It ends like [`Nodes`] and reports the same error, even if that is in
/// an omitted part.
#[derive(Clone, Debug)]
pub struct Overview<'a> {
    nodes: Nodes<'a>,
    cut: Cut,
    open: Vec<Children>,
    /// True if the next end is that of an omitted node.
    is_left_out: bool,
}

/// The children of a node so far.
#[derive(Clone, Copy, Debug, Default)]
struct Children {
    count: usize,
    omitted: usize,
}

impl<'a> Iterator for Overview<'a> {
    type Item = Result<OverviewPart<'a>, CodecError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.nodes.next()? {
                Ok(Found::Node(node)) => {
                    if self.shows(&node) {
                        self.open.push(Children::default());
                        return Some(Ok(OverviewPart::Node(node)));
                    }
                    self.nodes.skip_inside();
                    self.is_left_out = true;
                }
                Ok(Found::Text(_)) => self.nodes.skip_inside(),
                Ok(Found::End { .. }) if self.is_left_out => {
                    self.is_left_out = false;
                    if let Some(parent) = self.open.last_mut() {
                        parent.omitted += self.nodes.count_inside();
                    }
                }
                Ok(Found::End { size }) => {
                    let Children { omitted, .. } = self.open.pop().expect("it was begun");
                    return Some(Ok(OverviewPart::End { size, omitted }));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Overview<'_> {
    fn shows(&mut self, node: &Node<'_>) -> bool {
        let Some(parent) = self.open.last_mut() else { return true };
        parent.count += 1;
        let is_shown = node.depth <= self.cut.whole_depth || parent.count <= self.cut.widest;
        parent.omitted += usize::from(!is_shown);
        is_shown
    }
}

/// Which nodes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// Nodes up to this depth are all shown.
    whole_depth: usize,
    /// Deeper containers show this many children.
    widest: usize,
}

impl Cut {
    fn of(nodes: &Nodes<'_>, len: usize, max_nodes: usize) -> Self {
        let all = Self { whole_depth: usize::MAX, widest: usize::MAX };
        if len / WORD <= max_nodes {
            return all;
        }
        let half = (max_nodes / 2).max(1);
        let Some(counts) = level_counts(nodes.clone(), half, max_nodes) else { return all };
        let (mut shown, mut whole_depth) = (0, 0);
        for (depth, count) in counts.iter().enumerate() {
            if shown + count > half {
                break;
            }
            shown += count;
            whole_depth = depth;
        }
        let mut widest = 0;
        for (width, count) in width_counts(nodes.clone(), whole_depth, half).into_iter().enumerate().skip(1) {
            shown += count as usize;
            if shown > max_nodes {
                break;
            }
            widest = width;
        }
        Self { whole_depth, widest }
    }
}

/// Counts the nodes on each level, down to the first level with more than `half`. `None` if there are at most
/// `max_nodes` in total.
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

/// Counts, for each N up to `most`, the nodes below a level that become visible when containers show N children instead
/// of N - 1.
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

#[cfg(test)]
#[path = "../../tests/unit/overview.rs"]
mod tests;
