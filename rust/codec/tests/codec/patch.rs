//! Guards: what a patch leaves of a value byte for byte, and what it asks of others.

use varbatch_codec::change::Patch;
use varbatch_codec::limits::MAX_DEPTH;
use varbatch_codec::{Kind, Reader, Width, validate};

use crate::support::allocator::taken;
use crate::support::edits::{Edit, patched, patched_if};
use crate::support::naive;
use crate::support::value::Value;
use crate::support::vectors::{self, hex};
use crate::support::wire::words;

fn int(value: i64) -> Value {
    Value::Int(value)
}

#[test]
fn without_changes_every_vector_stays_as_it_is() {
    for vector in vectors::buffers() {
        // The last PackedByteArray may lack its padding.
        let padded = |len: usize| [&vector.bytes[..], &[0; 3]].concat()[..len].to_vec();
        let expected = match validate(Reader::new(&vector.bytes).with_objects(true)) {
            Ok(len) if len >= vector.bytes.len() => Ok(padded(len)),
            Ok(len) => {
                let found = vector.bytes.len() - len;
                let s = if found == 1 { "" } else { "s" };
                Err(format!("expected nothing after the value, found {found} byte{s}, at byte {len}"))
            }
            Err(error) => Err(error.to_string()),
        };
        let found = Patch::new(&vector.bytes).map(|patch| patch.plan().expect("short").to_vec());
        assert_eq!(found.map_err(|error| error.to_string()), expected, "{}", vector.name);
    }
}

#[test]
fn what_is_not_changed_stays_byte_for_byte() {
    // Unknown flags, bit 31 of counts, an int that is wider than it need be, padding that is not zero.
    let odd = hex("1c00f0ff 02000080 02000100 01000000 00000000 04000000 01000000 61ffffff");
    let entry = |value: &[u8]| [&hex("1b00f0ff 01000080 04000000 01000000 61111111")[..], value].concat();
    let before = [words(&[28, 2]), entry(&odd), words(&[2, 1])].concat();
    let set = Edit::set(vec![int(1)], None, int(5));
    assert_eq!(patched(&before, &[set]), Ok([words(&[28, 2]), entry(&odd), words(&[2, 5])].concat()));
    // Inside of it, all but the count that changes.
    let remove = Edit::remove(vec![int(0), int(0)], None);
    let inner = hex("1c00f0ff 01000000 04000000 01000000 61ffffff");
    assert_eq!(patched(&entry(&odd), &[]), Ok(entry(&odd)));
    let before = [words(&[28, 1]), odd].concat();
    assert_eq!(patched(&before, &[remove]), Ok([words(&[28, 1]), inner].concat()));
}

#[test]
fn a_last_padding_that_is_missing_is_written() {
    let before = [words(&[28, 1, 29, 1]), vec![7]].concat();
    let append = |index, value| Edit::insert(vec![int(index)], value);
    assert_eq!(patched(&before, &[]), Ok([words(&[28, 1, 29, 1]), vec![7, 0, 0, 0]].concat()));
    let after = [words(&[28, 2, 29, 1]), vec![7, 0, 0, 0], words(&[2, 5])].concat();
    assert_eq!(patched(&before, &[append(1, int(5))]), Ok(after));
    let more = Edit::insert(vec![int(0), int(1)], Value::plain(Kind::PackedByteArray, Width::Single, vec![8; 4]));
    assert_eq!(patched(&before, &[more]), Ok([words(&[28, 1, 29, 5]), vec![7, 8, 8, 8, 8, 0, 0, 0]].concat()));
}

/// What is there, and what is said to be.
type Question = (Vec<u8>, Vec<u8>);

/// What is asked by changes, and whether they fit.
fn asked(before: &Value, edits: &[Edit], answer: bool) -> (Vec<Question>, bool) {
    let (edits, mut asked): (Vec<_>, _) = (edits.iter().map(Edit::encoded).collect(), Vec::new());
    let patched = patched_if(&naive::value(before), &edits, |there, old| {
        asked.push((there.to_vec(), old.to_vec()));
        answer
    });
    (asked, patched.is_ok())
}

#[test]
fn somebody_else_is_asked_whether_other_bytes_are_the_same() {
    let before = Value::array(vec![int(1), Value::array(vec![int(2), int(3)])]);
    let inner = |first| Value::array(vec![int(first), int(3)]);
    for answer in [true, false] {
        let edit = Edit::set(vec![int(0)], Some(Value::Float(1.0)), int(5));
        let question = (naive::value(&int(1)), naive::value(&Value::Float(1.0)));
        assert_eq!(asked(&before, &[edit], answer), (vec![question], answer));
        // What has been changed is encoded for that.
        let edits = [Edit::set(vec![int(1), int(0)], Some(int(2)), int(9)), Edit::remove(vec![int(1)], Some(inner(2)))];
        let question = (naive::value(&inner(9)), naive::value(&inner(2)));
        assert_eq!(asked(&before, &edits, answer), (vec![question], answer));
        // Elements of 16 bytes, and of one, with padding.
        for (kind, len) in [(Kind::PackedVector2Array, 16), (Kind::PackedByteArray, 1)] {
            let of = |bytes: &[u8]| {
                Value::plain(kind, Width::Double, bytes.iter().flat_map(|&byte| vec![byte; len]).collect())
            };
            let edit = Edit::set(vec![int(1)], Some(of(b"bb")), of(b"xx"));
            let question = (naive::value(&of(b"bc")), naive::value(&of(b"bb")));
            assert_eq!(asked(&of(b"abcd"), &[edit], answer), (vec![question], answer));
        }
    }
    let same = Edit::set(vec![int(1)], Some(inner(2)), int(5));
    assert_eq!(asked(&before, &[same], false), (vec![], true), "nobody is asked for the same bytes");
}

#[test]
fn a_value_is_changed_as_deep_as_it_may_be() {
    let nested = |depth: usize, inner: Value| (0..depth).fold(inner, |inner, _| Value::array(vec![inner]));
    let head = words(&[28, 1]);
    let before = [head.repeat(MAX_DEPTH), words(&[2, 1])].concat();
    let path = |len: usize| vec![int(0); len];
    let set = |len: usize, new| Edit::set(path(len), None, new);
    assert_eq!(patched(&before, &[set(MAX_DEPTH, int(7))]), Ok([head.repeat(MAX_DEPTH), words(&[2, 7])].concat()));
    let deep = set(MAX_DEPTH - 2, nested(2, int(7)));
    assert_eq!(patched(&before, &[deep]), Ok([head.repeat(MAX_DEPTH), words(&[2, 7])].concat()));
    let misfit = patched(&before, &[set(MAX_DEPTH - 2, nested(3, int(7)))]).expect_err("too deep");
    let steps = "[0]".repeat(8);
    let path = format!(" inside {steps}...{} more...{steps}", MAX_DEPTH - 2 - 16);
    let expected = format!("expected at most 1024 levels of nesting, found 1025, in change 0{path}");
    assert_eq!(misfit.to_string(), expected);
}

#[test]
fn what_lies_between_changes_is_one_piece() {
    const COUNT: u32 = 200_000;
    let bytes = [words(&[28, COUNT]), words(&[2, 5]).repeat(COUNT as usize)].concat();
    let encoded = Edit::set(vec![int(100_000)], None, int(6)).encoded();
    let steps = encoded.steps();
    let mut patch = Patch::new(&bytes).expect("a value");
    patch.apply(&encoded.change(&steps), |_, _| false).expect("fits");
    let ((_, len), plan) = taken(|| patch.plan().expect("short"));
    assert!(len < 2000, "{len} bytes for three pieces");
    let mut expected = bytes.clone();
    expected[8 + 8 * 100_000 + 4] = 6;
    assert!(plan.to_vec() == expected);
}
