//! Trees that were cut.

use super::*;
use crate::describe::Node;
use crate::event::Event;
use crate::validate::validate;
use crate::{Kind, Reader};

const INT: [u8; 8] = [2, 0, 0, 0, 7, 0, 0, 0];

/// An Array of values.
fn array(values: &[Vec<u8>]) -> Vec<u8> {
    [&[28, 0, 0, 0], &(values.len() as u32).to_le_bytes()[..], &values.concat()].concat()
}

/// An Array of ints.
fn list(count: usize) -> Vec<u8> {
    array(&vec![INT.to_vec(); count])
}

/// A shown node: its children, and how many were left out.
#[derive(Debug, Default)]
struct Shown {
    depth: usize,
    size: usize,
    children: usize,
    omitted: usize,
}

/// The shown nodes in order of their ends, and the error.
fn shown(bytes: &[u8], max_nodes: usize) -> (Vec<Shown>, Option<String>) {
    let (mut nodes, mut open, mut failed) = (Vec::new(), Vec::<Shown>::new(), None);
    for part in overview(bytes, 0, Dialect::GODOT_4, max_nodes) {
        assert!(failed.is_none(), "the error is the last");
        match part {
            Ok(Found::Node(node)) => {
                assert_eq!(node.depth, open.len());
                if let Some(parent) = open.last_mut() {
                    parent.children += 1;
                }
                open.push(Shown { depth: node.depth, ..Shown::default() });
            }
            Ok(Found::Text(_)) => panic!("there are no texts"),
            Ok(Found::End { size, omitted }) => {
                nodes.push(Shown { size, omitted, ..open.pop().expect("begun") });
            }
            Err(error) => failed = Some(error.to_string()),
        }
    }
    assert!(open.is_empty() && nodes.len() <= max_nodes, "{} nodes of {max_nodes}", nodes.len());
    (nodes, failed)
}

fn root(bytes: &[u8], max_nodes: usize) -> (usize, usize) {
    let (nodes, failed) = shown(bytes, max_nodes);
    assert_eq!(failed, None);
    let root = nodes.last().expect("a root");
    assert_eq!(root.size, bytes.len());
    (root.children, root.omitted)
}

#[test]
fn what_fits_is_whole() {
    let bytes = array(&vec![list(9); 9]);
    let (nodes, _) = shown(&bytes, 91);
    assert_eq!(nodes.len(), 91);
    assert!(nodes.iter().all(|node| node.omitted == 0));
    let (nodes, _) = shown(&bytes, 90);
    assert!(nodes.len() < 91);
}

#[test]
fn a_list_shows_half_at_most() {
    let bytes = list(1000);
    assert_eq!(root(&bytes, 1), (0, 1000));
    assert_eq!(root(&bytes, 2), (1, 999));
    assert_eq!(root(&bytes, 100), (50, 950));
    assert_eq!(root(&bytes, 1000), (500, 500));
    assert_eq!(root(&bytes, 1001), (1000, 0));
}

#[test]
fn upper_levels_are_whole() {
    // 40 keys, 100 values each: all keys, and the first values of each.
    let bytes = array(&vec![list(100); 40]);
    assert_eq!(root(&bytes, 1000), (40, 0));
    let (nodes, _) = shown(&bytes, 1000);
    assert!(nodes.iter().filter(|node| node.depth == 1).all(|node| (node.children, node.omitted) == (23, 77)));
    assert_eq!(root(&bytes, 82), (40, 0));
    // Two levels would take more than half.
    assert_eq!(root(&bytes, 81), (8, 32));
}

#[test]
fn a_long_list_leaves_room_for_what_is_in_it() {
    // 10,000 entities of 5 values beside some settings.
    let entities = array(&vec![list(5); 10_000]);
    let bytes = array(&[entities, list(20), INT.to_vec()]);
    let (nodes, _) = shown(&bytes, 1000);
    assert!(nodes.len() > 990, "{}", nodes.len());
    let list = nodes.iter().max_by_key(|node| node.omitted).expect("some");
    assert_eq!(list.children + list.omitted, 10_000);
    assert_eq!(list.children, 162);
    let entities: Vec<_> = nodes.iter().filter(|node| node.depth == 2 && node.size == 48).collect();
    assert_eq!(entities.len(), 162);
    assert!(entities.iter().all(|entity| entity.children == 5), "{entities:?}");
    assert!(nodes.iter().any(|node| node.depth == 1 && (node.children, node.omitted) == (20, 0)));
}

#[test]
fn the_error_behind_the_cut_is_found() {
    let whole = array(&vec![list(30); 30]);
    for len in (8..whole.len()).step_by(4) {
        let bytes = &whole[..len];
        let expected = validate(Reader::new(bytes)).unwrap_err().to_string();
        for max_nodes in [1, 2, 10, 100, 1000] {
            let (nodes, failed) = shown(bytes, max_nodes);
            assert_eq!(failed.as_ref(), Some(&expected), "{len} bytes, {max_nodes} nodes");
            let root = nodes.last().expect("a root");
            assert!(root.children + root.omitted <= 30 && root.size <= len, "{root:?}");
        }
    }
    let mut unknown = whole;
    let last = unknown.len() - 8;
    unknown[last] = 99;
    let (_, failed) = shown(&unknown, 3);
    assert_eq!(failed, validate(Reader::new(&unknown)).err().map(|error| error.to_string()));
}

#[test]
fn counts_that_cannot_be_cost_nothing() {
    let mut bytes = vec![28, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f];
    bytes.extend([0; 400]);
    let (nodes, failed) = shown(&bytes, 10);
    let root = nodes.last().expect("a root");
    assert_eq!((root.children, root.omitted), (5, 95));
    assert!(failed.is_some());
}

#[test]
fn texts_are_no_nodes() {
    let mut bytes = vec![34, 0, 0, 0, 100, 0, 0, 0];
    bytes.extend([0; 400]);
    let mut parts = overview(&bytes, 0, Dialect::GODOT_4, 1);
    let Some(Ok(Found::Node(Node { kind, event, .. }))) = parts.next() else { panic!("no node") };
    assert_eq!((kind, event), (Kind::PackedStringArray, Event::PackedStrings { count: 100 }));
    assert!(matches!(parts.next(), Some(Ok(Found::Text(_)))));
    parts.skip_inside();
    assert_eq!(parts.next(), Some(Ok(Found::End { size: 408, omitted: 0 })));
    assert_eq!(parts.next(), None);
}
