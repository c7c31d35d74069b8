//! What is counted: each case prepares its input, hands the path itself to `Count`, and checks the result.

use std::hint::black_box;

use varbatch_codec::{Dialect, Event, Kind, Plain, Plan, Reader, Text, Width, Writer, fill, frames, text, validate};

use crate::arrays::{SMALL, bytes, dest, plan_of_array, plan_of_frames, plan_of_texts, utf32, written};
use crate::save_game::SaveGame;

/// Runs the path of a case, which may be more than once.
pub type Count<'c> = &'c mut dyn FnMut(&mut dyn FnMut());

/// One name for the table, the command line and the file of the profile.
pub struct Case {
    pub name: &'static str,
    pub run: fn(Count<'_>),
}

pub const CASES: [Case; 18] = [
    Case { name: "write array 64 B", run: |count| write_array(64, count) },
    Case { name: "write array 64 KiB", run: |count| write_array(64 << 10, count) },
    Case { name: "write 1000 frames of 64 B", run: write_frames },
    Case { name: "write 1000 small values", run: write_small },
    Case { name: "write save game", run: write_save_game },
    Case { name: "write 1000 texts of 4 letters", run: |count| write_texts(&ascii(4), count) },
    Case { name: "write 1000 texts of 20 letters", run: |count| write_texts(&ascii(20), count) },
    Case { name: "write 1000 texts of 20 mixed", run: |count| write_texts(&mixed(20), count) },
    Case { name: "read array 64 B", run: |count| read_array(64, count) },
    Case { name: "read array 64 KiB", run: |count| read_array(64 << 10, count) },
    Case { name: "read 1000 frames of 64 B", run: read_frames },
    Case { name: "read 1000 small values", run: read_small },
    Case { name: "read save game", run: read_save_game },
    Case { name: "read 1000 texts of 4 letters", run: |count| read_texts(&ascii(4), count) },
    Case { name: "read 1000 texts of 20 letters", run: |count| read_texts(&ascii(20), count) },
    Case { name: "read 1000 texts of 20 mixed", run: |count| read_texts(&mixed(20), count) },
    Case { name: "validate save game", run: validate_save_game },
    Case { name: "validate 1000 texts of 20 mixed", run: |count| validate_bytes(&encoded_texts(&mixed(20)), count) },
];

/// Values of a batch, and texts of an array.
const BATCH: usize = 1000;

/// Dictionaries of the save game.
const ENTITIES: usize = 500;

/// Plans and fills in `count`; returns what was written.
fn write<'a>(plan: impl Fn() -> Plan<'a>, count: Count<'_>) -> Vec<u8> {
    let mut to = dest(plan().len(), 0xff);
    count(&mut || fill::fill(black_box(plan()).whole(), black_box(&mut to)));
    written(&to)
}

fn write_array(len: usize, count: Count<'_>) {
    let payload = bytes(len);
    let written = write(|| plan_of_array(black_box(&payload)), count);
    assert!(written[..4] == [30, 0, 0, 0] && written[4..8] == (len as u32 / 4).to_le_bytes());
    assert!(written[8..] == payload);
}

fn read_array(len: usize, count: Count<'_>) {
    let payload = bytes(len);
    let encoded = plan_of_array(&payload).to_vec();
    let mut to = dest(len, 0xff);
    count(&mut || match Reader::new(black_box(&encoded)).next_event() {
        Ok(Some(Event::Packed(plain))) => fill::plain(plain, Width::Single, black_box(&mut to)),
        other => panic!("read {other:?}"),
    });
    assert!(written(&to) == payload);
}

fn write_frames(count: Count<'_>) {
    let payload = bytes(BATCH * SMALL);
    let written = write(|| plan_of_frames(black_box(&payload)), count);
    assert_eq!(written.len(), BATCH * (SMALL + 12));
    assert!(payload.chunks_exact(SMALL).zip(written.chunks_exact(SMALL + 12)).all(|(a, b)| b[12..] == *a));
}

fn read_frames(count: Count<'_>) {
    let payload = bytes(BATCH * SMALL);
    let encoded = plan_of_frames(&payload).to_vec();
    let mut found = 0;
    count(&mut || {
        let arrays = frames::read(black_box(&encoded)).map(|frame| {
            let frame = frame.expect("a frame");
            match Reader::new(frame.payload).with_base(frame.at).next_event() {
                Ok(Some(Event::Packed(plain))) => black_box(plain.bytes).len(),
                other => panic!("read {other:?}"),
            }
        });
        found = arrays.sum();
    });
    assert_eq!(found, payload.len());
}

/// A quarter each: bool, int, Vector3, String.
fn small(index: usize) -> Event<'static> {
    const VECTOR: [u8; 12] = *b"\0\0\0?\0\0\x80?\0\0\0@";
    const NAME: [u32; 8] = [0x53, 0x6b, 0x65, 0x6c, 0x65, 0x74, 0x6f, 0x6e];
    match index % 4 {
        0 => Event::Bool(index.is_multiple_of(8)),
        1 => Event::Int(index as i64 - 500),
        2 => Event::Components(Plain { kind: Kind::Vector3, width: Width::Single, count: 1, bytes: &VECTOR }),
        _ => Event::String(Text::Utf32(&NAME)),
    }
}

fn write_small(count: Count<'_>) {
    let written = write(
        || {
            let mut writer = Writer::new(Dialect::GODOT_4);
            for index in 0..black_box(BATCH) {
                let start = writer.mark();
                writer.write(black_box(small(index))).expect("writes");
                writer.end_value(start).expect("ends");
            }
            writer.into_plan()
        },
        count,
    );
    assert_eq!(written.len(), BATCH / 4 * (8 + 8 + 16 + 16));
}

fn read_small(count: Count<'_>) {
    let encode = |index| {
        let mut writer = Writer::new(Dialect::GODOT_4);
        writer.write(small(index)).expect("writes");
        writer.into_plan().to_vec()
    };
    let buffers: Vec<_> = (0..BATCH).map(encode).collect();
    let mut found = 0;
    count(&mut || {
        let take = |event| match event {
            Event::Bool(value) => i64::from(value),
            Event::Int(value) => value,
            Event::Components(plain) => plain.bytes.len() as i64,
            Event::String(Text::Utf8(text)) => text.len() as i64,
            other => panic!("read {other:?}"),
        };
        let values = black_box(&buffers).iter().map(|bytes| Reader::new(bytes).next_event_to(take));
        found = values.map(|value| value.expect("reads").expect("a value")).sum();
    });
    // Half of the bools are true, and the ints are -499, -495, ..., 497.
    assert_eq!(found, 125 + (-499 + 497) / 2 * 250 + 250 * 12 + 250 * 8);
}

/// Events of a saved game, and bytes of plain data in them: each dictionary has a head, and six keys with their values,
/// of which one is a Vector3 and one eight ints.
fn expected_of(game: &SaveGame) -> (usize, usize) {
    (1 + game.entities * (1 + 2 * 6), game.entities * (12 + 32))
}

fn found_in(encoded: &[u8]) -> (usize, usize) {
    let (mut events, mut payload) = (0, 0);
    let mut reader = Reader::new(encoded);
    while let Some(event) = reader.next_event().expect("reads") {
        events += 1;
        if let Event::Components(plain) | Event::Packed(plain) = event {
            payload += plain.bytes.len();
        }
    }
    (events, payload)
}

fn write_save_game(count: Count<'_>) {
    let game = SaveGame::new(ENTITIES);
    let written = write(|| black_box(&game).plan(), count);
    assert_eq!(found_in(&written), expected_of(&game));
}

fn read_save_game(count: Count<'_>) {
    let game = SaveGame::new(ENTITIES);
    let encoded = game.plan().to_vec();
    let mut found = (0, 0);
    count(&mut || found = found_in(black_box(&encoded)));
    assert_eq!(found, expected_of(&game));
}

fn validate_save_game(count: Count<'_>) {
    validate_bytes(&SaveGame::new(ENTITIES).plan().to_vec(), count);
}

fn validate_bytes(encoded: &[u8], count: Count<'_>) {
    let mut found = Ok(0);
    count(&mut || found = validate(Reader::new(black_box(encoded))));
    assert_eq!(found, Ok(encoded.len()));
}

fn ascii(len: usize) -> Vec<String> {
    texts(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"], len)
}

/// Ten letters in thirteen, and a character each of two, three and four bytes.
fn mixed(len: usize) -> Vec<String> {
    texts(["a", "b", "c", "é", "d", "e", "f", "日", "g", "h", "i", "😀", "j"], len)
}

/// 13 is coprime to the lengths, so that the texts begin everywhere in the alphabet.
fn texts(alphabet: [&str; 13], len: usize) -> Vec<String> {
    let letters: Vec<_> = alphabet.into_iter().cycle().take(BATCH * len).collect();
    letters.chunks(len).map(<[_]>::concat).collect()
}

fn encoded_texts(texts: &[String]) -> Vec<u8> {
    plan_of_texts(texts.iter().map(|text| Text::Utf8(text))).to_vec()
}

fn write_texts(texts: &[String], count: Count<'_>) {
    let chars: Vec<_> = texts.iter().map(|text| utf32(text)).collect();
    let written = write(|| plan_of_texts(black_box(&chars).iter().map(|chars| Text::Utf32(chars))), count);
    assert!(written == encoded_texts(texts));
}

fn read_texts(texts: &[String], count: Count<'_>) {
    let encoded = encoded_texts(texts);
    let mut to: Vec<_> = texts.iter().map(|text| dest(text.chars().count(), 0)).collect();
    count(&mut || {
        let mut reader = Reader::new(black_box(&encoded));
        assert_eq!(reader.next_event(), Ok(Some(Event::PackedStrings { count: texts.len() })));
        let mut to = black_box(&mut to).iter_mut();
        while let Some(Text::Utf8(text)) = reader.next_text().expect("reads") {
            let to = to.next().expect("as many texts");
            text::write_utf32(text, &mut to[..text::utf32_len(text)]);
        }
    });
    assert!(to.iter().zip(texts).all(|(to, text)| written(to) == utf32(text)));
}
