//! The tree of a value: nodes inside of nodes, up to where the bytes end.

use varbatch_codec::describe::{Found, nodes, overview};
use varbatch_codec::{CodecError, Dialect, Engine};

use super::steps::validated;

/// Where the bytes begin in what they are said to be a part of.
const BASE: usize = 1000;

/// Walks the tree of the value at the start of `bytes`, objects included.
///
/// # Panics
/// If something does not hold.
pub fn described(bytes: &[u8], engine: Engine) {
    let expected = validated(bytes, engine, true);
    // Where each node begins that has not ended, and where the last one ended that is inside of it.
    let mut begun: Vec<(usize, usize)> = Vec::new();
    let (mut root, mut failed) = (None, None::<CodecError>);
    for found in nodes(bytes, BASE, Dialect::of(engine)) {
        assert!(failed.is_none() && root.is_none(), "{found:?} behind the end");
        match found {
            Ok(Found::Node(node)) => {
                let least = begun.last().map_or(BASE, |&(_, inner_end)| inner_end);
                assert!(node.at >= least && node.at < BASE + bytes.len(), "{node:?} at byte {least} or later");
                assert_eq!(node.depth, begun.len(), "the depth of {node:?}");
                begun.push((node.at, node.at));
            }
            Ok(Found::Text(_)) => assert!(!begun.is_empty(), "a text of nothing"),
            Ok(Found::End { size, .. }) => {
                let (at, inner_end) = begun.pop().expect("what ends has begun");
                let end = at + size;
                assert!(end >= inner_end, "a value ends at {end}, before one inside of it: {inner_end}");
                match begun.last_mut() {
                    Some((_, inner_end)) => *inner_end = end,
                    None if expected.is_ok() => root = Some(size),
                    None => {}
                }
            }
            Err(error) => failed = Some(error),
        }
    }
    assert!(begun.is_empty(), "{} values do not end", begun.len());
    let failed = failed.map(|mut error| {
        error = error.map_at(|at| at - BASE);
        error
    });
    let whole = root.ok_or(failed);
    for max_nodes in [1, 2, 9, 100] {
        assert_eq!(cut(bytes, engine, max_nodes), whole, "cut to {max_nodes} nodes");
    }
    assert_eq!(whole, expected.map_err(Some), "the size of it all, or what is wrong with it");
}

/// The size of a value, or what is wrong with it, as its tree of so many nodes has it.
fn cut(bytes: &[u8], engine: Engine, max_nodes: usize) -> Result<usize, Option<CodecError>> {
    let (mut count, mut depth, mut root) = (0, 0, Err(None));
    for part in overview(bytes, BASE, Dialect::of(engine), max_nodes) {
        match part {
            Ok(Found::Node(node)) => {
                assert_eq!(node.depth, depth, "the depth of {node:?}");
                count += 1;
                depth += 1;
            }
            Ok(Found::Text(_)) => {}
            Ok(Found::End { size, .. }) => {
                depth -= 1;
                if depth == 0 {
                    root = Ok(size);
                }
            }
            Err(mut error) => {
                error = error.map_at(|at| at - BASE);
                root = Err(Some(error));
            }
        }
    }
    assert!(count <= max_nodes && depth == 0, "{count} nodes of {max_nodes}, {depth} of which do not end");
    root
}
