//! Trees of values, whole and broken.

use super::*;
use crate::limits::MAX_DEPTH;

/// The tree as text, a line for each node with its end, and the error.
fn shown(bytes: &[u8], dialect: Dialect, skipped: &str) -> Vec<String> {
    let (mut lines, mut open) = (Vec::new(), Vec::new());
    let mut walk = nodes(bytes, 100, dialect);
    while let Some(found) = walk.next() {
        match found {
            Ok(Found::Node(node)) => {
                let step = node.step.map_or_else(String::new, |step| step.shown(dialect).to_string());
                open.push(lines.len());
                assert_eq!(open.len(), node.depth + 1);
                lines.push(format!("{} {step}{}", node.at, node.type_name()));
                if !skipped.is_empty() && node.type_name() == skipped {
                    walk.skip_inside();
                }
            }
            Ok(Found::Text(text)) => lines.push(format!("text {}", text.to_utf8())),
            Ok(Found::End { size, .. }) => lines[open.pop().expect("begun")] += &format!(", {size}"),
            Err(error) => {
                assert_eq!(open, [0; 0], "all are ended");
                lines.push(error.to_string());
            }
        }
    }
    assert!(walk.next().is_none(), "it stays at its end");
    lines
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// {"a": ["x", "y"] as PackedStringArray, 5: Array[int][7], [[]]: null}
fn nested() -> Vec<u8> {
    let key = [4, 1, u32::from(b'a')];
    let strings = [34, 2, 2, u32::from(b'x'), 2, u32::from(b'y')];
    let ints = [2, 5, 28 | 1 << 16, 2, 1, 2, 7];
    let nothing = [28, 1, 28, 0, 0];
    words(&[&[27, 3][..], &key, &strings, &ints, &nothing].concat())
}

#[test]
fn nested_values() {
    let tree = shown(&nested(), Dialect::GODOT_4, "");
    assert_eq!(
        tree,
        [
            "100 Dictionary, 92",
            "120 [\"a\"]PackedStringArray, 24",
            "text x",
            "text y",
            "152 [5]Array[int], 20",
            "164 [0]int, 8",
            "188 [Array]Nil, 4",
        ]
    );
}

#[test]
fn skipped_values_have_their_size() {
    for (name, lines) in [("Dictionary", 1), ("PackedStringArray", 5), ("Array[int]", 6), ("Nil", 7)] {
        let tree = shown(&nested(), Dialect::GODOT_4, name);
        assert_eq!(tree.len(), lines, "{tree:?}");
        assert_eq!(tree[0], "100 Dictionary, 92");
    }
}

#[test]
fn every_truncation_is_a_part_of_the_tree() {
    let bytes = nested();
    let whole = shown(&bytes, Dialect::GODOT_4, "");
    for len in 0..bytes.len() {
        let mut tree = shown(&bytes[..len], Dialect::GODOT_4, "");
        let error = tree.pop().expect("an error");
        let reader = Reader::new(&bytes[..len]).with_base(100).with_objects(true);
        assert_eq!(error, validate(reader).unwrap_err().to_string(), "{len} bytes");
        let head = |line: &String| line.split(", ").next().map(str::to_owned);
        assert!(tree.iter().map(head).eq(whole.iter().take(tree.len()).map(head)), "{len} bytes: {tree:?}");
        assert_eq!(tree.is_empty(), len < 8, "{len} bytes");
        let skipped = shown(&bytes[..len], Dialect::GODOT_4, "Dictionary");
        assert_eq!(skipped.last(), Some(&error), "{len} bytes");
    }
}

#[test]
fn objects_are_looked_at() {
    let class = [4, u32::from_le_bytes(*b"Node"), 1];
    let property = [2, u32::from_le_bytes(*b"hp\0\0"), 2, 9];
    let bytes = words(&[&[24][..], &class, &property].concat());
    assert_eq!(shown(&bytes, Dialect::GODOT_4, ""), ["100 Object, 32", "124 .hpint, 8"]);
    let Some(Ok(Found::Node(node))) = nodes(&bytes, 0, Dialect::GODOT_4).next() else { panic!("no node") };
    assert_eq!(node.class(), Some(Text::Utf8("Node")));
}

#[test]
fn the_deepest_value_needs_no_stack() {
    let mut bytes = words(&[28, 1].repeat(MAX_DEPTH));
    bytes.extend(words(&[28, 0]));
    let tree = shown(&bytes, Dialect::GODOT_4, "");
    assert_eq!(tree.len(), MAX_DEPTH + 1);
    assert_eq!(tree[MAX_DEPTH], format!("{} [0]Array, 8", 100 + 8 * MAX_DEPTH));
}
