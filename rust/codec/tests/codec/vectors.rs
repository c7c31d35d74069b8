//! Guards: the bytes are those of a real engine, both ways, for every native type.

use varbatch_codec::{Event, Kind, Plain, Reason, Scalar, Text, Threads, Width, fill};

use crate::support::canary::filled;
use crate::support::steps::{assert_same, dialect, plain_of, read, write};
use crate::support::vectors::{self, hex};

/// What the engine drops on read: one leading byte-order mark (FORMAT.md, section 4).
const LOSES_ITS_MARK: [&str; 3] = ["string_array_bom_first", "string_array_bom_only", "string_array_bom_twice"];

/// What the engine writes and then refuses to read: lone surrogates (FORMAT.md, section 4).
const UNREADABLE: [(&str, &[&[u32]]); 3] = [
    ("string_array_lone_high_surrogate", &[&[0xd83d]]),
    ("string_array_lone_low_surrogate", &[&[0xde00]]),
    ("string_array_surrogate_inside", &[&[0x6f, 0x6b], &[0x61, 0xdc00, 0x62]]),
];

#[test]
fn what_the_engine_writes_comes_back_byte_for_byte() {
    let mut compared = 0;
    for vector in vectors::encoded() {
        let name = vector.name;
        if LOSES_ITS_MARK.contains(&name) || UNREADABLE.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let (events, consumed) = read(&vector.bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(consumed, vector.bytes.len(), "{name}: consumed");
        let again = write(&events).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, vector.bytes, "{name}: written back");
        compared += 1;
    }
    assert_eq!(compared, vectors::encoded().len() - LOSES_ITS_MARK.len() - UNREADABLE.len());
}

#[test]
fn one_leading_byte_order_mark_is_lost() {
    for vector in vectors::encoded().iter().filter(|vector| LOSES_ITS_MARK.contains(&vector.name)) {
        let (mut events, consumed) = read(&vector.bytes).expect(vector.name);
        assert_eq!(consumed, vector.bytes.len(), "{}", vector.name);
        assert_ne!(write(&events).expect(vector.name), vector.bytes, "{}", vector.name);
        // With the mark put back, it is what the engine had.
        let Event::Text(Text::Utf8(text)) = events[1] else { panic!("{}: no text", vector.name) };
        let marked = format!("\u{feff}{text}");
        events[1] = Event::Text(Text::Utf8(&marked));
        assert_eq!(write(&events).expect(vector.name), vector.bytes, "{}", vector.name);
    }
}

#[test]
fn lone_surrogates_are_written_as_the_engine_does_and_refused_as_the_engine_does() {
    for (name, texts) in UNREADABLE {
        let vectors = vectors::encoded();
        let vector = vectors.iter().find(|vector| vector.name == name).expect(name);
        let head = Event::PackedStrings { count: texts.len() };
        let texts = texts.iter().map(|chars| Event::Text(Text::Utf32(chars)));
        let events: Vec<_> = std::iter::once(head).chain(texts).collect();
        assert_eq!(write(&events).expect(name), vector.bytes, "{name}");
        let error = read(&vector.bytes).expect_err(name);
        assert!(matches!(*error.reason, Reason::Malformed { found: 0xed, .. }), "{name}: {error}");
    }
}

#[test]
fn verdict_consumed_bytes_and_value_are_those_of_the_engine() {
    for vector in vectors::decoded() {
        let name = vector.name;
        match (vector.verdict, read(&vector.bytes)) {
            (None, Err(_)) => {}
            (None, Ok((events, _))) => panic!("{name}: the engine refuses it, read as {events:?}"),
            (Some(_), Err(error)) => panic!("{name}: the engine reads it: {error}"),
            (Some(accepted), Ok((events, consumed))) => {
                assert_eq!(consumed, accepted.consumed, "{name}: consumed");
                assert_eq!(write_single(&events), accepted.again, "{name}: written back");
            }
        }
    }
}

/// The value as a single-precision build of the engine holds and writes it.
fn write_single(events: &[Event<'_>]) -> Vec<u8> {
    let Some((event, plain)) = events.first().and_then(|event| Some((event, plain_of(event)?))) else {
        return write(events).expect("writes what it has read");
    };
    let shape = plain.kind.shape();
    let len = plain.count * shape.element_len(Width::Single).expect("plain data");
    let bytes = filled(len, |dest| fill::plain(plain, Width::Single, dest, &Threads::alone()));
    let single = Plain { width: Width::Single, bytes: &bytes, ..plain };
    let event = if matches!(event, Event::Packed(_)) { Event::Packed(single) } else { Event::Components(single) };
    write(&[event]).expect("writes what it has read")
}

#[test]
fn no_native_kind_is_without_a_vector() {
    let of = |kind: Kind| move |bytes: &Vec<u8>| bytes.first() == Some(&kind.id());
    let encoded: Vec<_> = vectors::encoded().into_iter().map(|vector| vector.bytes).collect();
    for kind in Kind::ALL {
        let count = encoded.iter().filter(|bytes| of(kind)(bytes)).count();
        let enough = match kind {
            _ if !kind.is_native() => 0..=0,
            Kind::Nil => 1..=1,
            _ => 2..=99,
        };
        assert!(enough.contains(&count), "{}: {count} vectors", kind.name());
    }
}

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
