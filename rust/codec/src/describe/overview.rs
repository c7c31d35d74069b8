//! Cuts a tree to a max number of nodes, and reports what it omits.
//!
//! The levels nearest to the root are whole while they take at most half of the nodes. Below them, each container shows
//! its first N children. N is the same everywhere: the largest that keeps the tree within its limit, and at most half
//! of that limit, so that a long list leaves room for its contents.
//!
//! It reads the value up to three times, and only stores a number for each level and for each possible N.

use super::{Found, Limits, Nodes, nodes};
use crate::dialect::Dialect;
use crate::kind::WORD;

/// Walks the value at the start of `bytes` and as many values inside it as fit into a tree of `max_nodes` nodes. See
/// [`nodes()`] for the other parameters.
///
/// # Panics
/// If `max_nodes` is 0.
pub fn overview(bytes: &[u8], base: usize, dialect: Dialect, max_nodes: usize) -> Nodes<'_> {
    assert!(max_nodes > 0, "max_nodes is 0");
    let nodes = nodes(bytes, base, dialect);
    let is_small = bytes.len() / WORD <= max_nodes;
    let limits = if is_small { None } else { limits(&nodes, max_nodes) };
    Nodes { limits: limits.unwrap_or_default(), ..nodes }
}

/// Finds the limits with which a walk has at most `max_nodes` nodes; `None` if it needs none.
fn limits(nodes: &Nodes<'_>, max_nodes: usize) -> Option<Limits> {
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
    Some(Limits { whole_depth, max_items, max_depth: usize::MAX })
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
