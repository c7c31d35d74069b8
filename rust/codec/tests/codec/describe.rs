//! Guards: a tree has what the bytes hold, whole or cut to a number of nodes, up to the error that `validate` finds.

use varbatch_codec::describe::{Found, Nodes, nodes, overview};
use varbatch_codec::limits::MAX_DEPTH;
use varbatch_codec::{Dialect, Reader, Text, validate};

use crate::support::wire::{object, string, words};

/// A node of a tree: a line with its offset, step, type, texts and size; and what a limit counts.
#[derive(Debug, Default)]
struct Shown {
    line: String,
    depth: usize,
    size: usize,
    children: usize,
    omitted: usize,
}

/// The nodes of a walk in which those of the type `skipped` are skipped, the outermost first, and the error.
#[track_caller]
fn tree(mut walk: Nodes<'_>, skipped: &str) -> (Vec<Shown>, Option<String>) {
    let (mut nodes, mut open, mut failed) = (Vec::<Shown>::new(), Vec::<usize>::new(), None);
    while let Some(found) = walk.next() {
        assert!(failed.is_none(), "the error is the last");
        match found {
            Ok(Found::Node(node)) => {
                assert_eq!(node.depth, open.len());
                if let Some(&outer) = open.last() {
                    nodes[outer].children += 1;
                }
                open.push(nodes.len());
                let step = node.step.map_or_else(String::new, |step| step.shown(Dialect::GODOT_4).to_string());
                let line = format!("{} {step}{}", node.at, node.type_name());
                nodes.push(Shown { line, depth: node.depth, ..Shown::default() });
                if node.type_name() == skipped {
                    walk.skip_inside();
                }
            }
            Ok(Found::Text(text)) => nodes[*open.last().expect("begun")].line += &format!(" {}", text.to_utf8()),
            Ok(Found::End { size, omitted }) => {
                let node = &mut nodes[open.pop().expect("begun")];
                node.line += &format!(", {size}");
                (node.size, node.omitted) = (size, omitted);
            }
            Err(error) => failed = Some(error.to_string()),
        }
    }
    assert!(open.is_empty(), "all are ended");
    assert!(walk.next().is_none(), "it stays at its end");
    (nodes, failed)
}

/// The lines of a whole tree of a value at byte 100, and the error.
fn whole(bytes: &[u8], skipped: &str) -> (Vec<String>, Option<String>) {
    let (nodes, failed) = tree(nodes(bytes, 100, Dialect::GODOT_4), skipped);
    (nodes.into_iter().map(|node| node.line).collect(), failed)
}

/// A tree of at most so many nodes, and the error.
#[track_caller]
fn cut(bytes: &[u8], max_nodes: usize) -> (Vec<Shown>, Option<String>) {
    let (nodes, failed) = tree(overview(bytes, 0, Dialect::GODOT_4, max_nodes), "");
    assert!(nodes.len() <= max_nodes, "{} nodes of {max_nodes}", nodes.len());
    (nodes, failed)
}

fn error(bytes: &[u8], base: usize) -> Option<String> {
    validate(Reader::new(bytes).with_base(base)).err().map(|error| error.to_string())
}

/// {"a": ["x", "y"] as PackedStringArray, 5: Array[int][7], [[]]: null}
fn nested() -> Vec<u8> {
    let strings = words(&[34, 2, 2, u32::from(b'x'), 2, u32::from(b'y')]);
    let others = words(&[2, 5, 28 | 1 << 16, 2, 1, 2, 7, 28, 1, 28, 0, 0]);
    [words(&[27, 3]), string("a"), strings, others].concat()
}

const INT: [u8; 8] = [2, 0, 0, 0, 7, 0, 0, 0];

/// An Array of values.
fn array(values: &[Vec<u8>]) -> Vec<u8> {
    [words(&[28, values.len() as u32]), values.concat()].concat()
}

/// An Array of ints.
fn list(count: usize) -> Vec<u8> {
    array(&vec![INT.to_vec(); count])
}

#[test]
fn a_tree_has_each_value_with_its_step_and_size() {
    let all = [
        "100 Dictionary, 92",
        "120 [\"a\"]PackedStringArray x y, 24",
        "152 [5]Array[int], 20",
        "164 [0]int, 8",
        "188 [Array]Nil, 4",
    ];
    let [dictionary, strings, ints, int, nil] = all;
    for (skipped, expected) in [
        ("", all.to_vec()),
        ("Dictionary", vec![dictionary]),
        ("PackedStringArray", vec![dictionary, "120 [\"a\"]PackedStringArray, 24", ints, int, nil]),
        ("Array[int]", vec![dictionary, strings, ints, nil]),
        ("Nil", all.to_vec()),
    ] {
        assert_eq!(whole(&nested(), skipped).0, expected, "{skipped}");
    }
    let node = object(24, "Node", &[("hp", words(&[2, 9]))]);
    assert_eq!(whole(&node, "").0, ["100 Object, 32", "124 .hpint, 8"]);
    let Some(Ok(Found::Node(node))) = nodes(&node, 0, Dialect::GODOT_4).next() else { panic!("no node") };
    assert_eq!(node.class(), Some(Text::Utf8("Node")));
}

#[test]
fn every_truncation_is_a_part_of_the_tree() {
    let bytes = nested();
    let (all, _) = whole(&bytes, "");
    for len in 0..bytes.len() {
        let (lines, failed) = whole(&bytes[..len], "");
        assert_eq!(failed, error(&bytes[..len], 100), "{len} bytes");
        let head = |line: &String| line.split([',', ' ']).take(2).map(str::to_owned).collect::<Vec<_>>();
        assert!(lines.iter().map(head).eq(all.iter().take(lines.len()).map(head)), "{len} bytes: {lines:?}");
        assert_eq!(lines.is_empty(), len < 8, "{len} bytes");
        assert_eq!(whole(&bytes[..len], "Dictionary").1, failed, "{len} bytes");
    }
}

#[test]
fn the_deepest_value_needs_no_stack() {
    let (lines, _) = whole(&words(&[[28, 1].repeat(MAX_DEPTH), vec![28, 0]].concat()), "");
    assert_eq!(lines.len(), MAX_DEPTH + 1);
    assert_eq!(lines[MAX_DEPTH], format!("{} [0]Array, 8", 100 + 8 * MAX_DEPTH));
}

#[test]
fn the_root_shows_half_of_a_list_at_most_and_upper_levels_are_whole() {
    // 40 keys, 100 values each: all keys, and the first values of each. Two levels of 81 would take more than half.
    let keys = array(&vec![list(100); 40]);
    for (bytes, max_nodes, children, omitted) in [
        (&list(1000), 1, 0, 1000),
        (&list(1000), 2, 1, 999),
        (&list(1000), 100, 50, 950),
        (&list(1000), 1000, 500, 500),
        (&list(1000), 1001, 1000, 0),
        (&keys, 1000, 40, 0),
        (&keys, 82, 40, 0),
        (&keys, 81, 8, 32),
    ] {
        let (nodes, failed) = cut(bytes, max_nodes);
        assert_eq!((nodes[0].children, nodes[0].omitted), (children, omitted), "{max_nodes} nodes");
        assert_eq!((nodes[0].size, failed), (bytes.len(), None));
    }
    let (nodes, _) = cut(&keys, 1000);
    assert!(nodes.iter().filter(|node| node.depth == 1).all(|node| (node.children, node.omitted) == (23, 77)));
    let lists = array(&vec![list(9); 9]);
    let (nodes, _) = cut(&lists, 91);
    assert!(nodes.len() == 91 && nodes.iter().all(|node| node.omitted == 0), "what fits is whole");
    assert!(cut(&lists, 90).0.len() < 91);
}

#[test]
fn a_long_list_leaves_room_for_what_is_in_it() {
    // 10,000 entities of 5 values beside some settings.
    let entities = array(&vec![list(5); 10_000]);
    let (nodes, _) = cut(&array(&[entities, list(20), INT.to_vec()]), 1000);
    assert!(nodes.len() > 990, "{}", nodes.len());
    let list = nodes.iter().max_by_key(|node| node.omitted).expect("some");
    assert_eq!((list.children, list.omitted), (162, 10_000 - 162));
    let entities: Vec<_> = nodes.iter().filter(|node| node.depth == 2 && node.size == 48).collect();
    assert!(entities.len() == 162 && entities.iter().all(|entity| entity.children == 5), "{entities:?}");
    assert!(nodes.iter().any(|node| node.depth == 1 && (node.children, node.omitted) == (20, 0)));
}

#[test]
fn the_error_behind_the_cut_is_found() {
    let whole = array(&vec![list(30); 30]);
    for len in (8..whole.len()).step_by(4) {
        for max_nodes in [1, 2, 10, 100, 1000] {
            let (nodes, failed) = cut(&whole[..len], max_nodes);
            assert_eq!(failed, error(&whole[..len], 0), "{len} bytes, {max_nodes} nodes");
            assert!(nodes[0].children + nodes[0].omitted <= 30 && nodes[0].size <= len, "{:?}", nodes[0]);
        }
    }
    let mut unknown = whole;
    let last = unknown.len() - 8;
    unknown[last] = 99;
    assert_eq!(cut(&unknown, 3).1, error(&unknown, 0));
    // A count that cannot be costs nothing.
    let (nodes, failed) = cut(&words(&[&[28, 0x7fff_ffff][..], &[0; 100]].concat()), 10);
    assert_eq!((nodes[0].children, nodes[0].omitted, failed.is_some()), (5, 95, true));
}

#[test]
fn texts_are_no_nodes() {
    let bytes = words(&[&[34, 100][..], &[0; 100]].concat());
    let mut parts = overview(&bytes, 0, Dialect::GODOT_4, 1);
    assert!(matches!(parts.next(), Some(Ok(Found::Node(_)))));
    assert!(matches!(parts.next(), Some(Ok(Found::Text(_)))));
    parts.skip_inside();
    assert_eq!(parts.next(), Some(Ok(Found::End { size: 408, omitted: 0 })));
    assert_eq!(parts.next(), None);
}
