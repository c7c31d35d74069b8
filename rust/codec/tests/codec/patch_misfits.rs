//! Guards: the text of every change that does not fit, and that it changes nothing.

use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch};
use varbatch_codec::{Kind, PathStep, Plain, Text, Width};

use crate::support::edits::{part, steps};
use crate::support::vectors::hex;
use crate::support::wire::{object, string, words};

/// `[1, {"a": 2, &"b": [3]}, PackedInt32Array([4, 5, 6]), PackedStringArray(["x"]), object]`
fn before() -> Vec<u8> {
    let name_b = [words(&[21, 1]), b"b\0\0\0".to_vec()].concat();
    let dictionary = [words(&[27, 2]), string("a"), int(2), name_b, words(&[28, 1]), int(3)].concat();
    let texts = [words(&[34, 1, 2]), b"x\0\0\0".to_vec()].concat();
    let object = object(24, "A", &[("hp", int(7)), ("mp", int(8))]);
    [words(&[28, 5]), int(1), dictionary, words(&[30, 3, 4, 5, 6]), texts, object].concat()
}

fn int(value: i32) -> Vec<u8> {
    words(&[2, value as u32])
}

/// A change whose steps are encoded.
#[derive(Clone, Default)]
struct Wrong {
    path: Vec<Vec<u8>>,
    index: Option<usize>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

fn at(path: &[Vec<u8>]) -> Wrong {
    Wrong { path: path.to_vec(), ..Wrong::default() }
}

impl Wrong {
    fn with_old(self, old: Vec<u8>) -> Self {
        Self { old: Some(old), ..self }
    }

    fn with_new(self, new: Vec<u8>) -> Self {
        Self { new: Some(new), ..self }
    }

    fn index(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }
}

/// That a change is refused behind one that is not, with this text, and both of them leave what they have to.
#[track_caller]
fn assert_misfit(before: &[u8], op: Op, wrong: Wrong, expected: &str) {
    let steps = steps(&wrong.path);
    let (old, new) = (part(&wrong.old), part(&wrong.new));
    let change = Change { path: ChangePath::new(&steps), op, index: wrong.index, old, new };
    let mut patch = Patch::new(before).expect("a value");
    let itself = Some(ChangePart::Value { at: 0, bytes: before });
    let whole = Change { path: ChangePath::default(), op: Op::Set, index: None, old: itself, new: itself };
    patch.apply(&whole, |_, _| false).expect("the same");
    let misfit = patch.apply(&change, |_, _| false).expect_err("does not fit");
    assert_eq!((misfit.to_string(), misfit.change()), (expected.replace("...", ", in change 1"), Some(1)));
    assert_eq!(patch.plan().expect("short").to_vec(), before, "{expected}");
    let again = patch.apply(&change, |_, _| false).expect_err("does not fit");
    assert_eq!(again.to_string(), expected.replace("...", ", in change 2"));
}

#[test]
fn paths_that_lead_nowhere() {
    let check = |path: &[Vec<u8>], expected| assert_misfit(&before(), Op::Set, at(path).with_new(int(0)), expected);
    check(&[int(5)], "expected the index of one of 5 elements of Array, found 5...");
    check(&[int(-1), int(0)], "expected the index of one of 5 elements of Array, found -1...");
    check(&[string("a")], "expected an int as the index of an element of Array, found \"a\"...");
    check(&[int(0), int(0)], "expected an Array, a Dictionary, an object or a packed array, found int... inside [0]");
    check(&[int(1), string("c")], "expected an existing key, found no key \"c\"... inside [1]");
    check(&[int(1), int(0)], "expected an existing key, found no key 0... inside [1]");
    check(
        &[int(1), string("b"), int(1)],
        "expected the index of one of 1 elements of Array, found 1... inside [1][\"b\"]",
    );
    check(&[int(4), string("xp")], "expected an existing property, found no property \"xp\"... inside [4]");
    check(&[int(4), int(3)], "expected a String or StringName as the name of a property, found 3... inside [4]");
    check(
        &[int(4), string("hp"), int(3)],
        "expected an Array, a Dictionary, an object or a packed array, found int... inside [4].hp",
    );
    let long = "expected the path to end at an element of PackedInt32Array, found 2 more steps... inside [2]";
    check(&[int(2), int(0), int(0), int(0)], long);
    let broken = "expected an encoded value as a step of the path, found a broken one \
                  (expected 4 more bytes for a header, found 0, at byte 0)...";
    check(&[vec![]], broken);
    let longer = "expected an encoded value as a step of the path, found a broken one \
                  (expected nothing after the value, found 1 byte, at byte 8)...";
    check(&[[int(0), vec![0]].concat()], longer);
    check(&[int(1), vec![]], "expected an existing key, found no key no value... inside [1]");
}

#[test]
fn operations_that_a_place_does_not_have() {
    let check = |op, wrong, expected| assert_misfit(&before(), op, wrong, expected);
    let hp = || at(&[int(4), string("hp")]);
    check(Op::Insert, at(&[]).with_new(int(0)), "expected \"set\" for the whole value, found \"insert\"...");
    check(Op::Remove, at(&[]), "expected \"set\" for the whole value, found \"remove\"...");
    check(Op::Remove, hp(), "expected \"set\" for a property of an object, found \"remove\"... inside [4].hp");
    check(
        Op::Insert,
        hp().with_new(int(0)),
        "expected \"set\" for a property of an object, found \"insert\"... inside [4].hp",
    );
    check(Op::Set, at(&[int(0)]), "expected a new value for \"set\", found none... inside [0]");
    check(Op::Insert, at(&[int(0)]), "expected a new value for \"insert\", found none... inside [0]");
    check(Op::Remove, at(&[int(2), int(0)]), "expected an old value for \"remove\", found none... inside [2][0]");
    let there = "expected an index from 0 to 5 to insert into Array, found 6...";
    check(Op::Insert, at(&[int(6)]).with_new(int(0)), there);
    let entry = |name: &str| at(&[int(1), string(name)]);
    check(Op::Insert, entry("b").with_new(int(0)), "expected a new key, found the existing key \"b\"... inside [1]");
    let place = "expected an index from 0 to 2 to insert into Dictionary, found 3... inside [1]";
    check(Op::Insert, entry("c").with_new(int(0)).index(3), place);
    let order = "expected key \"a\" at index 1 of the Dictionary, found &\"b\"... inside [1]";
    check(Op::Remove, entry("a").index(1), order);
    let order = "expected key &\"b\" at index 2 of the Dictionary, found 2 entries... inside [1]";
    check(Op::Remove, entry("b").index(2), order);
    check(Op::Remove, entry("c"), "expected an existing key, found no key \"c\"... inside [1]");
}

#[test]
fn values_that_do_not_fit() {
    let check = |op, wrong, expected| assert_misfit(&before(), op, wrong, expected);
    let first = || at(&[int(0)]);
    check(Op::Set, first().with_old(int(2)).with_new(int(0)), "expected the old value 2, found 1... inside [0]");
    check(Op::Remove, first().with_old(string("a")), "expected the old value \"a\", found 1... inside [0]");
    let list = || at(&[int(1), string("b")]).with_old(words(&[28, 0]));
    check(Op::Remove, list(), "expected the old value Array, found another Array... inside [1][\"b\"]");
    check(Op::Remove, first().with_old(vec![]), "expected the old value no value, found 1... inside [0]");
    let broken = "expected an encoded value as the new value, found a broken one \
                  (expected 4 more bytes for int, found 0, at byte 4)... inside [0]";
    check(Op::Set, first().with_new(words(&[2])), broken);
    let behind = "expected an encoded value as the new value, found a broken one \
                  (expected nothing after the value, found 4 bytes, at byte 4)... inside [0]";
    check(Op::Set, first().with_new(words(&[0, 0])), behind);
    let bytes = [words(&[29, 1]), vec![7]].concat();
    check(
        Op::Set,
        first().with_new(bytes.clone()),
        "expected 3 bytes of padding at the end of the new value, found none... inside [0]",
    );
    let entry = at(&[int(1), bytes]).with_new(int(0));
    check(Op::Insert, entry, "expected 3 bytes of padding at the end of the key, found none... inside [1]");
}

#[test]
fn elements_of_packed_arrays_that_do_not_fit() {
    let check = |op, wrong, expected| assert_misfit(&before(), op, wrong, expected);
    let ints = |ints: &[u32]| [words(&[30, ints.len() as u32]), words(ints)].concat();
    let from = |index| at(&[int(2), int(index)]);
    let range = "expected 2 elements of PackedInt32Array from this index on, found 1... inside [2][2]";
    check(Op::Set, from(2).with_new(ints(&[0, 0])), range);
    check(Op::Remove, from(2).with_old(ints(&[6, 7])), range);
    check(
        Op::Set,
        from(4).with_new(ints(&[])),
        "expected the index of one of 3 elements of PackedInt32Array, found 4... inside [2][4]",
    );
    let place = "expected an index from 0 to 3 to insert into PackedInt32Array, found -1... inside [2][-1]";
    check(Op::Insert, from(-1).with_new(ints(&[0])), place);
    check(
        Op::Set,
        at(&[int(2), string("a")]).with_new(ints(&[])),
        "expected an int as the index of an element of PackedInt32Array, found \"a\"... inside [2]",
    );
    check(Op::Set, from(0).with_new(int(0)), "expected PackedInt32Array as the new value, found int... inside [2][0]");
    check(
        Op::Remove,
        from(0).with_old(words(&[34, 0])),
        "expected PackedInt32Array as the old value, found PackedStringArray... inside [2][0]",
    );
    let count = "expected as many new elements of PackedInt32Array as old ones (1), found 2... inside [2][0]";
    check(Op::Set, from(0).with_old(ints(&[4])).with_new(ints(&[1, 2])), count);
    let old = "expected the old value PackedInt32Array, found another PackedInt32Array... inside [2][1]";
    check(Op::Remove, from(1).with_old(ints(&[6])), old);
    let text = at(&[int(3), int(0)]).with_old([words(&[34, 1, 2]), b"y\0\0\0".to_vec()].concat());
    check(
        Op::Remove,
        text,
        "expected the old value PackedStringArray, found another PackedStringArray... inside [3][0]",
    );
    let broken = "expected an encoded value as the new value, found a broken one \
                  (expected 4 more bytes for PackedInt32Array element 0 of 1, found 0, at byte 8)... inside [2][0]";
    check(Op::Insert, from(0).with_new(words(&[30, 1])), broken);
    let behind = "expected an encoded value as the old value, found a broken one \
                  (expected nothing after the value, found 4 bytes, at byte 8)... inside [2][0]";
    check(Op::Remove, from(0).with_old(words(&[30, 0, 0])), behind);
    let bytes = |len: usize| [words(&[29, 2]), vec![7; len]].concat();
    let padding = "expected 2 bytes of padding at the end of the new value, found none... inside [0]";
    assert_misfit(&[bytes(2), vec![0; 2]].concat(), Op::Insert, at(&[int(0)]).with_new(bytes(2)), padding);
    let vectors = words(&[35, 1, 0, 0]);
    let wide = words(&[0x10023, 1, 0, 0, 0, 0]);
    let width = "expected PackedVector2Array with components of 32 bits as the new value, found 64 bits... inside [0]";
    assert_misfit(&vectors, Op::Set, at(&[int(0)]).with_new(wide), width);
}

#[test]
fn typed_containers_take_what_is_of_their_type() {
    let array = hex("1c000100 02000000 01000000 02000000 05000000");
    let element = "expected int as the new value, found String... inside [0]";
    for op in [Op::Set, Op::Insert] {
        assert_misfit(&array, op, at(&[int(0)]).with_new(string("a")), element);
    }
    // Dictionary[String, int]
    let dictionary = [words(&[0x5001b, 4, 2, 1]), string("a"), int(1)].concat();
    let name = |name: &[u8; 4]| [words(&[21, 1]), name.to_vec()].concat();
    let entry = at(&[name(b"c\0\0\0")]);
    assert_misfit(&dictionary, Op::Insert, entry.with_new(int(0)), "expected String as the key, found StringName...");
}

#[test]
fn what_is_there_more_than_once_is_not_changed() {
    let dictionary = [words(&[27, 2]), string("a"), int(1), string("a"), int(2)].concat();
    let key = "expected a unique key, found key \"a\" more than once...";
    assert_misfit(&dictionary, Op::Set, at(&[string("a")]).with_new(int(0)), key);
    assert_misfit(&dictionary, Op::Remove, at(&[string("a")]), key);
    assert_misfit(
        &dictionary,
        Op::Insert,
        at(&[string("a")]).with_new(int(0)),
        "expected a new key, found the existing key \"a\"...",
    );
    let object = object(24, "A", &[("hp", int(7)), ("hp", int(8))]);
    let property = "expected a unique property, found property \"hp\" more than once...";
    assert_misfit(&object, Op::Set, at(&[string("hp")]).with_new(int(0)), property);
}

/// A change need not come from a diff: its parts and steps may be any.
#[test]
fn parts_and_steps_that_suit_other_values_are_refused() {
    let (bytes, seven) = (before(), int(7));
    let apply = |path: &[PathStep<'_>], new| {
        let change = Change { path: ChangePath::new(path), op: Op::Set, index: None, old: None, new: Some(new) };
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
