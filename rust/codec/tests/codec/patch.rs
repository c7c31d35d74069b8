//! Guards: what a patch leaves of a value byte for byte, and what it asks of others.
//!
//! Guards: the text of every change that does not fit, and that it changes nothing.

use varbatch_codec::change::Op::{Insert, Remove, Set};
use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch};
use varbatch_codec::limits::MAX_DEPTH;
use varbatch_codec::{Kind, PathStep, Plain, Reader, Text, Width, validate};

use crate::support::edits::{Edit, patched, patched_if};
use crate::support::memory::taken;
use crate::support::naive;
use crate::support::value::Value;
use crate::support::vectors::{self, hex};
use crate::support::wire::{object, string, words};

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

/// `[1, {"a": 2, &"b": [3]}, PackedInt32Array([4, 5, 6]), PackedStringArray(["x"]), object]`
fn before() -> Vec<u8> {
    let dictionary = [words(&[27, 2]), string("a"), int_32(2), name("b"), words(&[28, 1]), int_32(3)].concat();
    let object = object(24, "A", &[("hp", int_32(7)), ("mp", int_32(8))]);
    [words(&[28, 5]), int_32(1), dictionary, ints(&[4, 5, 6]), texts("x"), object].concat()
}

fn int_32(value: i32) -> Vec<u8> {
    words(&[2, value as u32])
}

fn name(text: &str) -> Vec<u8> {
    [words(&[21]), string(text).split_off(4)].concat()
}

fn ints(ints: &[u32]) -> Vec<u8> {
    [words(&[30, ints.len() as u32]), words(ints)].concat()
}

/// A PackedStringArray of one letter.
fn texts(letter: &str) -> Vec<u8> {
    [words(&[34, 1, 2]), letter.as_bytes().to_vec(), vec![0; 3]].concat()
}

/// A change with the value 0 as its new one, unless it removes.
fn at(op: Op, path: &[Vec<u8>]) -> Edit<Vec<u8>> {
    Edit { path: path.to_vec(), op, index: None, old: None, new: (op != Remove).then(|| int_32(0)) }
}

fn with_new(op: Op, path: &[Vec<u8>], new: Vec<u8>) -> Edit<Vec<u8>> {
    Edit { new: Some(new), ..at(op, path) }
}

fn with_old(op: Op, path: &[Vec<u8>], old: Vec<u8>) -> Edit<Vec<u8>> {
    Edit { old: Some(old), ..at(op, path) }
}

/// That a change is refused after one that is not, and leaves what was there. "..." stands for which change it is.
#[track_caller]
fn assert_misfit(before: &[u8], edit: &Edit<Vec<u8>>, expected: &str, found: &str) {
    let text = |number| format!("expected {expected}, found {found}").replace("...", &format!(", in change {number}"));
    let steps = edit.steps();
    let change = edit.change(&steps);
    let mut patch = Patch::new(before).expect("a value");
    let itself = Some(ChangePart::Value { at: 0, bytes: before });
    let whole = Change { path: ChangePath::default(), op: Set, index: None, old: itself, new: itself };
    patch.apply(&whole, |_, _| false).expect("the same");
    let misfit = patch.apply(&change, |_, _| false).expect_err("does not fit");
    assert_eq!((misfit.to_string(), misfit.change), (text(1), Some(1)));
    assert!(text(1).ends_with(&format!(", in change 1{}", misfit.path)));
    assert_eq!(patch.plan().expect("short").to_vec(), before, "{expected}");
    assert_eq!(patch.apply(&change, |_, _| false).expect_err("does not fit").to_string(), text(2));
}

#[track_caller]
fn assert_misfits<const N: usize>(rows: [(Edit<Vec<u8>>, &str, &str); N]) {
    rows.iter().for_each(|(edit, expected, found)| assert_misfit(&before(), edit, expected, found));
}

#[test]
fn paths_that_lead_nowhere() {
    let check = |path: &[Vec<u8>], expected, found| assert_misfit(&before(), &at(Set, path), expected, found);
    let (element, index) = ("the index of one of 5 elements of Array", "an int as the index of an element of Array");
    let container = "an Array, a Dictionary, an object or a packed array";
    let (key, step) = ("an existing key", "an encoded value as a step of the path");
    check(&[int_32(5)], element, "5...");
    check(&[int_32(-1), int_32(0)], element, "-1...");
    check(&[string("a")], index, "\"a\"...");
    check(&[int_32(0), int_32(0)], container, "int... inside [0]");
    check(&[int_32(1), string("c")], key, "no key \"c\"... inside [1]");
    check(&[int_32(1), int_32(0)], key, "no key 0... inside [1]");
    check(&[int_32(1), string("b"), int_32(1)], "the index of one of 1 elements of Array", "1... inside [1][\"b\"]");
    check(&[int_32(4), string("xp")], "an existing property", "no property \"xp\"... inside [4]");
    check(&[int_32(4), int_32(3)], "a String or StringName as the name of a property", "3... inside [4]");
    check(&[int_32(4), string("hp"), int_32(3)], container, "int... inside [4].hp");
    let end = "the path to end at an element of PackedInt32Array";
    check(&[int_32(2), int_32(0), int_32(0), int_32(0)], end, "2 more steps... inside [2]");
    check(&[vec![]], step, "a broken one (expected 4 more bytes for a header, found 0, at byte 0)...");
    let longer = "a broken one (expected nothing after the value, found 1 byte, at byte 8)...";
    check(&[[int_32(0), vec![0]].concat()], step, longer);
    check(&[int_32(1), vec![]], key, "no key no value... inside [1]");
}

#[test]
fn operations_that_a_place_does_not_have() {
    let hp = [int_32(4), string("hp")];
    let none = |op, path: &[Vec<u8>]| Edit { new: None, ..at(op, path) };
    let entry = |op, name: &str| at(op, &[int_32(1), string(name)]);
    assert_misfits([
        (at(Insert, &[]), "\"set\" for the whole value", "\"insert\"..."),
        (at(Remove, &[]), "\"set\" for the whole value", "\"remove\"..."),
        (at(Remove, &hp), "\"set\" for a property of an object", "\"remove\"... inside [4].hp"),
        (at(Insert, &hp), "\"set\" for a property of an object", "\"insert\"... inside [4].hp"),
        (none(Set, &[int_32(0)]), "a new value for \"set\"", "none... inside [0]"),
        (none(Insert, &[int_32(0)]), "a new value for \"insert\"", "none... inside [0]"),
        (at(Remove, &[int_32(2), int_32(0)]), "an old value for \"remove\"", "none... inside [2][0]"),
        (at(Insert, &[int_32(6)]), "an index from 0 to 5 to insert into Array", "6..."),
        (entry(Insert, "b"), "a new key", "the existing key \"b\"... inside [1]"),
        (entry(Insert, "c").at(3), "an index from 0 to 2 to insert into Dictionary", "3... inside [1]"),
        (entry(Remove, "a").at(1), "key \"a\" at index 1 of the Dictionary", "&\"b\"... inside [1]"),
        (entry(Remove, "b").at(2), "key &\"b\" at index 2 of the Dictionary", "2 entries... inside [1]"),
        (entry(Remove, "c"), "an existing key", "no key \"c\"... inside [1]"),
    ]);
}

#[test]
fn values_that_do_not_fit() {
    let (first, list, byte) = ([int_32(0)], [int_32(1), string("b")], [words(&[29, 1]), vec![7]].concat());
    let value = "an encoded value as the new value";
    let short = "a broken one (expected 4 more bytes for int, found 0, at byte 4)... inside [0]";
    let longer = "a broken one (expected nothing after the value, found 4 bytes, at byte 4)... inside [0]";
    assert_misfits([
        (with_old(Set, &first, int_32(2)), "the old value 2", "1... inside [0]"),
        (with_old(Remove, &first, string("a")), "the old value \"a\"", "1... inside [0]"),
        (with_old(Remove, &list, words(&[28, 0])), "the old value Array", "another Array... inside [1][\"b\"]"),
        (with_old(Remove, &first, vec![]), "the old value no value", "1... inside [0]"),
        (with_new(Set, &first, words(&[2])), value, short),
        (with_new(Set, &first, words(&[0, 0])), value, longer),
        (with_new(Set, &first, byte.clone()), "3 bytes of padding at the end of the new value", "none... inside [0]"),
        (at(Insert, &[int_32(1), byte]), "3 bytes of padding at the end of the key", "none... inside [1]"),
    ]);
}

#[test]
fn elements_of_packed_arrays_that_do_not_fit() {
    let from = |index| [int_32(2), int_32(index)];
    let [value, old] = ["new", "old"].map(|which| format!("an encoded value as the {which} value"));
    let range = "2 elements of PackedInt32Array from this index on";
    let place = "an index from 0 to 3 to insert into PackedInt32Array";
    let element = "the index of one of 3 elements of PackedInt32Array";
    let index = "an int as the index of an element of PackedInt32Array";
    let (kind, same) = ("PackedInt32Array as the old value", "the old value PackedInt32Array");
    let text = "the old value PackedStringArray";
    let count = "as many new elements of PackedInt32Array as old ones (1)";
    let short =
        "a broken one (expected 4 more bytes for PackedInt32Array element 0 of 1, found 0, at byte 8)... inside [2][0]";
    let longer = "a broken one (expected nothing after the value, found 4 bytes, at byte 8)... inside [2][0]";
    let both = Edit { old: Some(ints(&[4])), ..with_new(Set, &from(0), ints(&[1, 2])) };
    assert_misfits([
        (with_new(Set, &from(2), ints(&[0, 0])), range, "1... inside [2][2]"),
        (with_old(Remove, &from(2), ints(&[6, 7])), range, "1... inside [2][2]"),
        (with_new(Set, &from(4), ints(&[])), element, "4... inside [2][4]"),
        (with_new(Insert, &from(-1), ints(&[0])), place, "-1... inside [2][-1]"),
        (at(Set, &[int_32(2), string("a")]), index, "\"a\"... inside [2]"),
        (at(Set, &from(0)), "PackedInt32Array as the new value", "int... inside [2][0]"),
        (with_old(Remove, &from(0), words(&[34, 0])), kind, "PackedStringArray... inside [2][0]"),
        (both, count, "2... inside [2][0]"),
        (with_old(Remove, &from(1), ints(&[6])), same, "another PackedInt32Array... inside [2][1]"),
        (with_old(Remove, &[int_32(3), int_32(0)], texts("y")), text, "another PackedStringArray... inside [3][0]"),
        (with_new(Insert, &from(0), words(&[30, 1])), &value, short),
        (with_old(Remove, &from(0), words(&[30, 0, 0])), &old, longer),
    ]);
    let bytes = |len: usize| [words(&[29, 2]), vec![7; len]].concat();
    let insert = with_new(Insert, &[int_32(0)], bytes(2));
    let padding = "2 bytes of padding at the end of the new value";
    assert_misfit(&[bytes(2), vec![0; 2]].concat(), &insert, padding, "none... inside [0]");
    let wide = with_new(Set, &[int_32(0)], words(&[0x10023, 1, 0, 0, 0, 0]));
    let width = "PackedVector2Array with components of 32 bits as the new value";
    assert_misfit(&words(&[35, 1, 0, 0]), &wide, width, "64 bits... inside [0]");
}

#[test]
fn typed_containers_take_what_is_of_their_type() {
    let array = hex("1c000100 02000000 01000000 02000000 05000000");
    for op in [Set, Insert] {
        let text = with_new(op, &[int_32(0)], string("a"));
        assert_misfit(&array, &text, "int as the new value", "String... inside [0]");
    }
    // Dictionary[String, int]
    let dictionary = [words(&[0x5001b, 4, 2, 1]), string("a"), int_32(1)].concat();
    assert_misfit(&dictionary, &at(Insert, &[name("c")]), "String as the key", "StringName...");
}

#[test]
fn what_is_there_more_than_once_is_not_changed() {
    let dictionary = [words(&[27, 2]), string("a"), int_32(1), string("a"), int_32(2)].concat();
    for (op, expected, found) in [
        (Set, "a unique key", "key \"a\" more than once..."),
        (Remove, "a unique key", "key \"a\" more than once..."),
        (Insert, "a new key", "the existing key \"a\"..."),
    ] {
        assert_misfit(&dictionary, &at(op, &[string("a")]), expected, found);
    }
    let object = object(24, "A", &[("hp", int_32(7)), ("hp", int_32(8))]);
    let set = at(Set, &[string("hp")]);
    assert_misfit(&object, &set, "a unique property", "property \"hp\" more than once...");
}

/// A change need not come from a diff: its parts and steps may be any.
#[test]
fn parts_and_steps_that_suit_other_values_are_refused() {
    let (bytes, seven) = (before(), int_32(7));
    let apply = |path: &[PathStep<'_>], new| {
        let change = Change { path: ChangePath::new(path), op: Set, index: None, old: None, new: Some(new) };
        let applied = Patch::new(&bytes).expect("a value").apply(&change, |_, _| false);
        applied.map_err(|error| error.to_string())
    };
    let (value, texts) = (ChangePart::Value { at: 0, bytes: &seven }, ChangePart::Texts { count: 5, bytes: &[] });
    let elements =
        |kind, count| ChangePart::Elements(Plain { kind, width: Width::Single, count, bytes: &[7, 0, 0, 0] });
    let (ints, one) = (elements(Kind::PackedInt32Array, 1), [PathStep::Index(0)]);
    let text = |kind| {
        Err(format!("expected an encoded value as the new value, found elements of {kind}, in change 0 inside [0]"))
    };
    assert_eq!((apply(&one, ints), apply(&one, texts)), (text("PackedInt32Array"), text("PackedStringArray")));
    let property = PathStep::Property(Text::Utf8("hp"));
    let steps = |first, second| [PathStep::Index(first), second];
    let key = "expected an encoded value as the key of an entry, found 0, in change 0 inside [1]";
    assert_eq!(apply(&steps(1, PathStep::Index(0)), value), Err(key.into()));
    let index = "expected an int as the index of an element of PackedInt32Array, found &\"hp\", in change 0 inside [2]";
    assert_eq!(apply(&steps(2, property), ints), Err(index.into()));
    assert_eq!(apply(&steps(4, property), value), Ok(()));
    // Elements are checked as encoded ones are.
    assert_eq!(apply(&steps(2, PathStep::Index(0)), ints), Ok(()));
    let broken = |part, at| apply(&steps(at, PathStep::Index(0)), part).unwrap_err();
    assert!(broken(texts, 3).starts_with("expected an encoded value as the new value, found a broken one"));
    assert!(broken(elements(Kind::PackedInt32Array, 2), 2).contains("found a broken one"));
    assert!(broken(elements(Kind::Int, 1), 2).contains("expected PackedInt32Array as the new value, found int"));
}
