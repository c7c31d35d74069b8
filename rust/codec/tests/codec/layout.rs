//! Guards: the layout of each shape, byte by byte, as FORMAT.md has it.

use varbatch_codec::{ElementType, Event, Kind, Plain, Scalar, Text, Width};

use crate::support::steps::{assert_same, dialect, read, write};
use crate::support::vectors::hex;

/// A math type or array of `f32`, as bytes in memory.
fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[track_caller]
fn assert_both_ways(bytes: &str, events: &[Event<'_>]) {
    let bytes = hex(bytes);
    let (found, consumed) = read(&bytes).expect("is read");
    assert_eq!(consumed, bytes.len());
    assert_same(&found, events);
    assert_eq!(write(events).expect("is written"), bytes);
}

#[test]
fn layout_of_an_int() {
    assert_both_ways(
        "02000100            \
         08070605 04030201   ",
        // header: type 2, bit 16: 64-bit
        // the int64, low byte first
        &[Event::Int(0x0102_0304_0506_0708)],
    );
}

#[test]
fn layout_of_a_float_that_is_exact_in_32_bits_and_of_one_that_is_not() {
    // header: type 3, no flag; then the f32
    assert_both_ways("03000000 0000003f", &[Event::Float(0.5)]);
    // header: type 3, bit 16: 64-bit; then the f64
    assert_both_ways("03000100 9a999999 9999b93f", &[Event::Float(0.1)]);
}

#[test]
fn layout_of_a_basis_is_by_rows_as_in_memory() {
    // Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)): the arguments are its columns.
    let rows = floats(&[1., 4., 7., 2., 5., 8., 3., 6., 9.]);
    assert_eq!(Kind::Basis.shape().element_len(Width::Single), Some(9 * Scalar::Real.size(Width::Single)));
    assert_both_ways(
        concat!(
            "11000000 ",                   // header: type 17
            "0000803f 00008040 0000e040 ", // x.x y.x z.x
            "00000040 0000a040 00000041 ", // x.y y.y z.y
            "00004040 0000c040 00001041 ", // x.z y.z z.z
        ),
        &[Event::Components(Plain { kind: Kind::Basis, width: Width::Single, count: 1, bytes: &rows })],
    );
}

#[test]
fn layout_of_a_vector3_of_a_double_build() {
    let bytes: Vec<_> = [1.0_f64, 2.0, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_both_ways(
        concat!(
            "09000100 ",          // header: type 9, bit 16: components of 64 bits
            "00000000 0000f03f ", // x, f64 1.0
            "00000000 00000040 ", // y, f64 2.0
            "00000000 00000840 ", // z, f64 3.0
        ),
        &[Event::Components(Plain { kind: Kind::Vector3, width: Width::Double, count: 1, bytes: &bytes })],
    );
}

#[test]
fn layout_of_a_packed_byte_array_and_its_padding() {
    let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: 3, bytes: &[1, 2, 3] };
    assert_both_ways(
        concat!(
            "1d000000 ", // header: type 29
            "03000000 ", // count: 3 bytes, without the padding
            "010203 ",   // the bytes
            "00",        // padding to a multiple of 4
        ),
        &[Event::Packed(plain)],
    );
}

#[test]
fn layout_of_a_packed_color_array_has_no_flag_in_any_build() {
    let bytes = floats(&[1., 2., 3., 4.]);
    let plain = Plain { kind: Kind::PackedColorArray, width: Width::Single, count: 1, bytes: &bytes };
    let events = [Event::Packed(plain)];
    assert_both_ways(
        concat!(
            "25000000 ",                           // header: type 37
            "01000000 ",                           // count: 1 color
            "0000803f 00000040 00004040 00008040", // r g b a, f32
        ),
        &events,
    );
    assert_eq!(dialect(&events).real, Width::Single);
}

#[test]
fn layout_of_a_packed_string_array_counts_a_nul() {
    assert_both_ways(
        concat!(
            "22000000 ",           // header: type 34
            "03000000 ",           // count: 3 texts
            "04000000 61626300 ",  // length 4: "abc" and a NUL; no padding
            "01000000 00 000000 ", // length 1: only the NUL; then padding
            "03000000 c3a900 00",  // length 3: "é" and a NUL; then padding
        ),
        &[
            Event::PackedStrings { count: 3 },
            Event::Text(Text::Utf8("abc")),
            Event::Text(Text::Utf8("")),
            Event::Text(Text::Utf8("é")),
        ],
    );
}

const fn text(text: &str) -> Text<'_> {
    Text::Utf8(text)
}

#[test]
fn layout_of_a_string_and_of_a_string_name_counts_no_nul() {
    // header: type 4; length 3; "abc" and padding
    assert_both_ways("04000000 03000000 616263 00", &[Event::String(text("abc"))]);
    // header: type 21; length 4; "abcd", no padding
    assert_both_ways("15000000 04000000 61626364", &[Event::StringName(text("abcd"))]);
}

#[test]
fn layout_of_a_node_path() {
    assert_both_ways(
        concat!(
            "16000000 ",         // header: type 22
            "02000080 ",         // 2 names, bit 31
            "01000000 ",         // 1 subname
            "01000000 ",         // flags: absolute
            "01000000 61000000", // "a"
            "02000000 62630000", // "bc"
            "01000000 64000000", // "d"
        ),
        &[
            Event::NodePath { names: 2, subnames: 1, absolute: true },
            Event::Text(text("a")),
            Event::Text(text("bc")),
            Event::Text(text("d")),
        ],
    );
}

#[test]
fn layout_of_ids() {
    // header: type 23; the id, low byte first
    assert_both_ways("17000000 08070605 04030201", &[Event::Rid(0x0102_0304_0506_0708)]);
    // header: type 24, bit 16: an id
    assert_both_ways("18000100 08070605 04030281", &[Event::ObjectId(0x8102_0304_0506_0708)]);
    assert_both_ways("19000000", &[Event::Callable]);
    // header: type 26; "ab"; the id of the object
    let signal = Event::Signal { name: text("ab"), object: 0x0102_0304_0506_0708 };
    assert_both_ways("1a000000 02000000 61620000 08070605 04030201", &[signal]);
    // null is no object
    assert_eq!(write(&[Event::ObjectId(0)]), Ok(hex("00000000")));
}

#[test]
fn layout_of_an_array_and_of_its_element_types() {
    let array = |element, count| Event::Array { element, count };
    assert_both_ways("1c000000 02000000 00000000 19000000", &[array(ElementType::Any, 2), Event::Nil, Event::Callable]);
    let ints = array(ElementType::Builtin(Kind::Int), 1);
    // header with form 1; type 2; count; an int
    assert_both_ways("1c000100 02000000 01000000 02000000 05000000", &[ints, Event::Int(5)]);
    // form 2 and 3: a text
    assert_both_ways("1c000200 04000000 4e6f6465 00000000", &[array(ElementType::Class(text("Node")), 0)]);
    let script = ElementType::Script(text("res://a"));
    assert_both_ways("1c000300 07000000 7265733a 2f2f6100 00000000", &[array(script, 0)]);
}

#[test]
fn layout_of_a_dictionary_has_the_form_of_its_values_two_bits_higher() {
    let (key, value) = (ElementType::Builtin(Kind::String), ElementType::Class(text("Node")));
    assert_both_ways(
        concat!(
            "1b000900 ",                   // header: type 27, form 1 of the keys, form 2 of the values
            "04000000 ",                   // keys: type 4
            "04000000 4e6f6465 ",          // values: "Node"
            "01000000 ",                   // count: 1 entry
            "04000000 01000000 61000000 ", // the key
            "18000100 05000000 00000000",  // the value
        ),
        &[Event::Dictionary { key, value, count: 1 }, Event::String(text("a")), Event::ObjectId(5)],
    );
}

#[test]
fn layout_of_an_object_with_properties() {
    assert_both_ways(
        concat!(
            "18000000 ",                  // header: type 24, no flag
            "04000000 4e6f6465 ",         // class
            "02000000 ",                  // count: 2 properties
            "01000000 61000000 ",         // a name
            "02000000 05000000 ",         // its value
            "01000000 62000000 00000000"  // another name, and null
        ),
        &[
            Event::Object { class: text("Node"), count: 2 },
            Event::Text(text("a")),
            Event::Int(5),
            Event::Text(text("b")),
            Event::Nil,
        ],
    );
}

#[test]
fn ids_count_up_from_zero() {
    for (index, kind) in Kind::ALL.into_iter().enumerate() {
        assert_eq!(usize::from(kind.id()), index, "{}", kind.name());
        assert_eq!(Kind::from_id(kind.id()), Some(kind));
    }
    assert_eq!(Kind::from_id(39), None);
}

#[test]
fn widths_change_only_reals() {
    for kind in Kind::ALL {
        let (single, double) = (kind.shape().element_len(Width::Single), kind.shape().element_len(Width::Double));
        assert_eq!(single != double, kind.shape().is_real(), "{}", kind.name());
    }
}
