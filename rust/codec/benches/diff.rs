//! How fast two states are compared, beside a comparison of the same bytes as memory.
//!
//! States of 64 MiB that differ in 100 places: a saved game (dictionaries in an array), and packed arrays in a dictionary.

#[path = "counts/save_game.rs"]
mod save_game;

use divan::Bencher;
use divan::counter::BytesCount;
use varbatch_codec::change::{self, DiffOptions};
use varbatch_codec::{Copied, Dialect, ElementType, Event, Kind, Plain, Text, Width, Writer};

use self::save_game::SaveGame;

const LEN: usize = 64 << 20;
const PLACES: usize = 100;
const OPTIONS: DiffOptions = DiffOptions { allow_objects: false, real: Width::Single };

fn main() {
    divan::main();
}

/// A state, and the same with some bytes changed that are numbers in it.
#[derive(Clone, Copy, Debug)]
enum State {
    SaveGame,
    Packed,
}

const STATES: [State; 2] = [State::SaveGame, State::Packed];

fn pair(state: State) -> (Vec<u8>, Vec<u8>) {
    let before = if let State::Packed = state { packed() } else { save_game() };
    let mut after = before.clone();
    for place in 0..PLACES {
        change(&mut after, state, before.len() / PLACES * place + before.len() / PLACES / 2);
    }
    let changes = change::diff(&before, &after, OPTIONS).expect("values");
    assert_eq!(changes.iter().len(), PLACES, "{state:?}");
    (before, after)
}

/// Changes a number behind this place.
fn change(bytes: &mut [u8], state: State, near: usize) {
    match state {
        State::Packed => bytes[near] ^= 1,
        State::SaveGame => {
            // The number behind the next key "id".
            let found = (near & !3..bytes.len()).step_by(4).find(|&at| bytes[at..at + 4] == *b"id\0\0");
            bytes[found.expect("there are many") + 8] ^= 1;
        }
    }
}

fn save_game() -> Vec<u8> {
    let one = SaveGame::new(1000).plan().to_vec().len() / 1000;
    SaveGame::new(LEN / one).plan().to_vec()
}

fn packed() -> Vec<u8> {
    let payload: Vec<u8> = (0..LEN / 8).map(|at| (at * 7 + at / 251) as u8).collect();
    let mut writer = Writer::new(Dialect::GODOT_4);
    let (key, value) = (ElementType::Any, ElementType::Any);
    writer.write(Event::Dictionary { key, value, count: 8 }).expect("writes");
    for index in 0..8 {
        writer.write_as(Event::String(Text::Utf8(&format!("terrain{index}"))), Copied).expect("writes");
        let (kind, width, count) = (Kind::PackedFloat32Array, Width::Single, payload.len() / 4);
        writer.write(Event::Packed(Plain { kind, width, count, bytes: &payload })).expect("writes");
    }
    writer.into_plan().to_vec()
}

#[divan::bench(args = STATES, max_time = 2)]
fn memcmp(bencher: Bencher<'_, '_>, state: State) {
    let (before, _) = pair(state);
    let same = before.clone();
    bencher.counter(BytesCount::new(before.len())).bench_local(|| divan::black_box(&before) == divan::black_box(&same));
}

#[divan::bench(args = STATES, max_time = 2)]
fn changes(bencher: Bencher<'_, '_>, state: State) {
    let (before, after) = pair(state);
    bencher.counter(BytesCount::new(before.len())).bench_local(|| {
        change::diff(divan::black_box(&before), divan::black_box(&after), OPTIONS).map(|changes| changes.iter().len())
    });
}

#[divan::bench(args = STATES, max_time = 2)]
fn edits(bencher: Bencher<'_, '_>, state: State) {
    let (before, after) = pair(state);
    bencher
        .counter(BytesCount::new(before.len()))
        .bench_local(|| change::edits(divan::black_box(&before), divan::black_box(&after)).len());
}
