//! Guards: a file that is no stream of frames is called what it is, and one that is, however damaged, is called nothing.

use varbatch_codec::{Dialect, Engine, Reader, validate};
use varbatch_storage::compressed::Compression;
use varbatch_storage::{Format, Guess, Loader};

use crate::compressed::compress;
use crate::file_append::record as frame;
use crate::file_load::Input;
use crate::support::vectors::{self, Buffer};

const DIALECT: Dialect = Dialect::GODOT_4;

fn guess(bytes: &[u8], dialect: Dialect) -> Option<Guess> {
    Loader::new(Input::new(bytes, 70_000), bytes.len() as u64).ok()?.guess(dialect)
}

/// What the engine writes and reads.
fn sound() -> impl Iterator<Item = Buffer> {
    vectors::written().filter(|vector| {
        validate(Reader::new(&vector.bytes).with_objects(true)).is_ok_and(|len| len == vector.bytes.len())
    })
}

/// A value of Godot 4 and of Godot 3: a Dictionary, whose id differs.
fn dictionary(id: u32) -> Vec<u8> {
    [id, 1, 2, 7, 2, 8].into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn formats_are_known_by_their_first_bytes() {
    for (start, format) in [
        (&b"GDEC\x01\0\0\0"[..], Format::Encrypted),
        (b"RSRC\0\0\0\0", Format::Resource),
        (b"RSCC\x02\0\0\0", Format::CompressedResource),
        (b"[gd_scene load_steps=2 format=3]", Format::TextResource),
        (b"[gd_resource type=\"Curve\"]", Format::TextResource),
        (b"{}", Format::Text),
        (b"12\n", Format::Text),
        (b"[1]", Format::Text),
        (b"eyJnb2xkIjogMTJ9Cg==", Format::Text),
        (b"\xff\xfe{\0\"\0}\0", Format::TextUtf16),
        (b"\x89PNG\r\n\x1a\n", Format::Png),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", Format::Jpeg),
        (b"RIFF\x24\x08\0\0WAVEfmt ", Format::Riff),
        (b"OggS\0\x02\0\0", Format::Ogg),
        (b"GDPC\x02\0\0\0", Format::Pack),
        (b"SQLite format 3\0\x10\0", Format::Sqlite),
        (b"\x28\xb5\x2f\xfd\x60\x20", Format::Zstd),
        (b"PK\x03\x04\x14\0", Format::Zip),
        (b"\x1f\x8b\x08\0\0\0", Format::Gzip),
        (b"{\"level\": 3}", Format::Text),
        (b"[1, 2]\n", Format::Text),
        (b"[audio]\r\n\tvolume=1.0\n", Format::Config),
        (b"; Engine configuration file.\n\nconfig_version=5\n", Format::Config),
        ("\u{feff}日本語".as_bytes(), Format::Text),
    ] {
        for rest in [&[][..], &[0, 1, 200], &[0; 5000]] {
            let is_text = matches!(format, Format::Config | Format::Text | Format::TextResource);
            // "=" ends Base64.
            let rest = if start.ends_with(b"=") { &[] } else { rest };
            let rest = if is_text { &b"more text, and more"[..rest.len().min(19)] } else { rest };
            let bytes = [start, rest].concat();
            assert_eq!(guess(&bytes, DIALECT), Some(Guess::Format(format)), "{start:?}");
            let packed = compress(&bytes, Compression::Zstd, 4096);
            assert_eq!(guess(&packed, DIALECT), Some(Guess::Format(format)), "{start:?}, compressed");
        }
    }
    let header = [b"SAVE", &[1, 0, 0, 250][..], &frame(b"\x02\0\0\0\x01\0\0\0")].concat();
    assert_eq!(guess(&header, DIALECT), Some(Guess::Other), "values behind a header");
    assert_eq!(guess("ab€".repeat(100).as_bytes(), DIALECT), Some(Guess::Format(Format::Text)), "cut in a character");
    for other in [&b"\xff\xff\xff\xff"[..], b"{\"\xe4\"}\n", b"\x05\0\0\0hello", b"GIF89a\x01\0"] {
        assert_eq!(guess(other, DIALECT), Some(Guess::Other), "{other:?}");
    }
    // Also what is left of a length.
    for none in [&b""[..], b"$", b"d\n", b"GCP", b"GD", b"\x24\0\0", b"text\0", b"text\x07", b"text\xff"] {
        assert_eq!(guess(none, DIALECT), None, "{none:?}");
    }
}

#[test]
fn a_stream_of_frames_is_nothing_else_however_damaged_unless_its_lengths_are_big_endian() {
    for Buffer { name, bytes, .. } in sound() {
        let bytes = &bytes;
        let stream = [frame(bytes), frame(bytes)].concat();
        assert_eq!(guess(&stream, DIALECT), None, "{name}");
        let damaged = [&i32::MAX.to_le_bytes(), &stream[4..]].concat();
        assert_eq!(guess(&damaged, DIALECT), None, "{name}, with a damaged length");
        for cut in [frame(bytes).len(), frame(bytes).len() + 5] {
            assert_eq!(guess(&stream[..cut], DIALECT), None, "{name}, cut at {cut}");
        }
        let packed = compress(&stream, Compression::Gzip, 4096);
        assert_eq!(guess(&packed[..packed.len() - 9], DIALECT), None, "{name}, compressed");
        let mut swapped = frame(bytes);
        swapped[..4].reverse();
        assert_eq!(guess(&swapped, DIALECT), Some(Guess::BigEndian), "{name}");
    }
}

#[test]
fn what_has_become_shorter_is_no_value() {
    let bytes = [&29_u32.to_le_bytes()[..], &1000_u32.to_le_bytes(), &[7; 1000]].concat();
    let loader = Loader::new(Input::new(&bytes[..500], 70_000), bytes.len() as u64).expect("has a length");
    assert_eq!(loader.guess(DIALECT), Some(Guess::Other));
}

/// Of a long first value only the start is looked at.
#[test]
fn a_long_first_value_is_no_reason_to_doubt() {
    let long = [&29_u32.to_le_bytes()[..], &3_000_000_u32.to_le_bytes(), &[7; 3_000_000]].concat();
    assert_eq!(guess(&frame(&long), DIALECT), None);
    assert!(matches!(guess(&long, DIALECT), Some(Guess::Value(engines)) if engines[0] == Engine::Godot4));
    let mut big_endian = frame(&long);
    big_endian[..4].reverse();
    assert_eq!(guess(&big_endian, DIALECT), Some(Guess::BigEndian));
}

#[test]
fn one_value_without_a_length_is_known() {
    let mut known = 0;
    for Buffer { name, bytes, .. } in sound() {
        // Some, such as an int, are also a frame, or begin with a length of nothing.
        let found = guess(&bytes, DIALECT);
        let is_value = matches!(&found, Some(Guess::Value(engines)) if engines[0] == Engine::Godot4);
        assert!(matches!(found, None | Some(Guess::Engines(_))) || is_value, "{name}: {found:?}");
        known += usize::from(is_value);
    }
    assert!(known > 250, "{known} are known");
    for (id, engine, others) in
        [(27, Engine::Godot4, [DIALECT, Dialect::GODOT_3]), (18, Engine::Godot3, [Dialect::GODOT_3, DIALECT])]
    {
        for dialect in others {
            let found = guess(&dictionary(id), dialect);
            assert!(
                matches!(&found, Some(Guess::Value(engines)) if engines[0] == engine),
                "{id}, {dialect:?}: {found:?}"
            );
        }
    }
}

#[test]
fn values_of_another_engine_are_known() {
    let both = |id| [frame(&dictionary(id)), frame(&[2, 0, 0, 0, 5, 0, 0, 0]), frame(&dictionary(id))].concat();
    let engines = |bytes: &[u8], dialect| match guess(bytes, dialect) {
        Some(Guess::Engines(engines)) => engines,
        other => panic!("{other:?}"),
    };
    for stream in [both(18), compress(&both(18), Compression::Deflate, 4096)] {
        assert_eq!(guess(&stream, Dialect::GODOT_3), None);
        let found = engines(&stream, DIALECT);
        assert!(found.contains(&Engine::Godot3) && !found.contains(&Engine::Godot4), "{found:?}");
    }
    assert_eq!(engines(&both(27), Dialect::GODOT_3)[0], Engine::Godot4);
    // Also behind a value that both have.
    let late = [frame(&[2, 0, 0, 0, 5, 0, 0, 0]), both(18)].concat();
    assert!(engines(&late, DIALECT).contains(&Engine::Godot3));
}
