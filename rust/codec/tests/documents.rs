//! Guards: what documents say is so: the example of DELTA.md, byte for byte, and its table of sizes. A program of its own,
//! as the packed crate has no documents.

use varbatch_codec::change::{Edit, delta};

#[path = "../benches/motion/mod.rs"]
mod motion;

use motion::{Motion, moved, whole};

const DOCUMENT: &str = include_str!("../../docs/DELTA.md");

fn made(before: &[u8], after: &[u8], edits: impl IntoIterator<Item = Edit>) -> Vec<u8> {
    let made = delta::make(before, after, edits).to_vec();
    assert!(delta::apply(before, &made).expect("what was made applies").to_vec() == after, "another result");
    made
}

/// The cells of the rows of the table that follows `heading`.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = DOCUMENT.split_once(heading).expect("the heading");
    let lines = section.lines().skip_while(|line| !line.starts_with("|--")).skip(1);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()).collect()
}

#[test]
fn the_example() {
    let text = |name: &str| {
        let line = DOCUMENT.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        line.trim().as_bytes()
    };
    let (before, after) = (text("before:"), text("after:"));
    let mut bytes = Vec::new();
    for row in table("## An example") {
        assert_eq!(row[0].parse(), Ok(bytes.len()), "{row:?}");
        bytes.extend(row[1].split(' ').map(|byte| u8::from_str_radix(byte, 16).expect("hex")));
    }
    assert_eq!(delta::apply(before, &bytes).expect("applies").to_vec(), after);
    let edits = [(5..9, 5..9), (17..17, 17..18), (28..38, 29..39), (42..43, 43..44)];
    let edits = edits.map(|(before, after)| Edit { before, after });
    assert_eq!(made(before, after, edits), bytes);
}

#[test]
fn the_sizes() {
    let rows = table("## Sizes");
    assert_eq!(rows.len(), 7);
    for row in rows {
        let motion = if row[0].starts_with("by up to") { Motion::Small } else { Motion::New };
        let percent = row[1].trim_end_matches(" %").parse().expect("a number");
        let (before, after) = moved(motion, percent);
        let made = made(&before, &after, whole(&after));
        let share = 100.0 * made.len() as f64 / after.len() as f64;
        assert_eq!(row[2..], [made.len().to_string(), format!("{share:.2} %")], "{row:?}");
    }
}

#[test]
fn the_type_that_only_redot_has_is_described() {
    let document = include_str!("../../docs/DIALECTS.md");
    assert!(document.contains("has STRUCT as type 25") && document.contains("there is none for it"));
}
