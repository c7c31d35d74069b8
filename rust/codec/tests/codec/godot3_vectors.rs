//! Guards: what a real Godot 3 writes and reads is written and read alike.

use varbatch_codec::{Engine, Event, Text};

use crate::support::steps::{chars, read_of, texts_of, write_of};
use crate::support::vectors;
use crate::vectors::assert_read_alike;

/// Whether the answer is that of 3.2 alone, which has no limit of depth and writes surrogates as they are.
fn is_old(name: &str) -> bool {
    name.contains(" (3.2)")
}

fn is_loose(events: &[Event<'_>]) -> bool {
    events.iter().flat_map(texts_of).any(|text| matches!(text, Text::Loose(_)))
}

/// The engine has equal keys once.
fn merges_keys(name: &str) -> bool {
    name.starts_with("dictionary_") && (name.contains("_twice") || name.contains("_zeros"))
}

/// Refused for their class, which only the engine can know.
fn has_no_such_class(name: &str) -> bool {
    ["object_unknown_class", "object_virtual_class", "object_class_of_godot_4"].iter().any(|of| name.starts_with(of))
}

#[test]
fn what_godot_3_writes_comes_back_byte_for_byte() {
    let (mut same, mut repaired, mut marked) = (0, 0, 0);
    for vector in vectors::godot_3_encoded() {
        let name = vector.name;
        let Some(bytes) = vector.bytes.filter(|_| !is_old(name) || !name.contains("_deep")) else { continue };
        let (events, consumed) = read_of(Engine::Godot3, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(consumed, bytes.len(), "{name}: consumed");
        let again = write_of(Engine::Godot3, &events).unwrap_or_else(|error| panic!("{name}: {error}"));
        if is_loose(&events) {
            let (written, _) = read_of(Engine::Godot3, &again).expect(name);
            let texts = |events: &[Event<'_>]| events.iter().flat_map(texts_of).map(chars).collect::<Vec<_>>();
            assert_eq!(texts(&written), texts(&events), "{name}: repaired");
            assert!(!is_loose(&written), "{name}: not repaired");
            repaired += 1;
        } else if name.starts_with("node_path_root") {
            // Written as absolute, and read as empty.
            assert_eq!((again.len(), &again[12..16]), (bytes.len(), &[0; 4][..]), "{name}");
        } else if name.contains("_bom_") && again != bytes {
            // The engine drops it on read, once.
            let mark = bytes.windows(3).position(|bytes| bytes == b"\xef\xbb\xbf").expect("a byte-order mark");
            assert!(mark.is_multiple_of(4), "{name}: not at the start of a text");
            marked += 1;
        } else {
            assert_eq!(again, bytes, "{name}: written back");
            same += 1;
        }
    }
    assert!(same > 200 && repaired >= 5 && marked >= 1, "{same} the same, {repaired} repaired, {marked} marked");
}

#[test]
fn verdict_consumed_bytes_and_value_are_those_of_godot_3() {
    let all = vectors::godot_3_decoded().into_iter().filter(|vector| !is_old(vector.name));
    // The engine writes keys once, and what is no character in its own way.
    let compared = assert_read_alike(Engine::Godot3, all, has_no_such_class, |vector, events| {
        let is_same = !is_loose(events) && !merges_keys(vector.name);
        is_same.then(|| write_of(Engine::Godot3, events).expect(vector.name))
    });
    assert!(compared > 100, "{compared} compared");
}

#[test]
fn no_type_of_godot_3_is_without_vectors() {
    let all = vectors::godot_3_encoded();
    for id in 0..27 {
        let count = all.iter().filter_map(|vector| vector.bytes.as_ref()).filter(|bytes| bytes[0] == id).count();
        let enough = if id == 16 { 1 } else { 2 };
        assert!(count >= enough, "type {id}: {count} vectors");
    }
}
