//! A saved game: one array of 20,000 dictionaries of 6 keys, written, read and validated.

#[path = "../counts/save_game.rs"]
mod save_game;
#[path = "../counts/save_read.rs"]
mod save_read;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use varbatch_codec::{Reader, fill, validate};

use self::save_game::SaveGame;
use self::save_read::{found, read};
use super::{dest, written};

const ENTITIES: usize = 20_000;

#[divan::bench(max_time = 1)]
fn write(bencher: Bencher<'_, '_>) {
    let game = SaveGame::new(ENTITIES);
    let mut to = dest(game.plan().len());
    fill::fill(game.plan().whole(), &mut to);
    assert_eq!(read(&written(&to)), found(&game));
    bencher
        .counter(BytesCount::new(to.len()))
        .counter(ItemsCount::new(ENTITIES))
        .bench_local(|| fill::fill(divan::black_box(&game).plan().whole(), divan::black_box(&mut to)));
}

#[divan::bench(max_time = 1, name = "read")]
fn read_events(bencher: Bencher<'_, '_>) {
    let game = SaveGame::new(ENTITIES);
    let encoded = game.plan().to_vec();
    assert_eq!(read(&encoded), found(&game));
    bencher
        .counter(BytesCount::new(encoded.len()))
        .counter(ItemsCount::new(ENTITIES))
        .bench_local(|| read(divan::black_box(&encoded)));
}

#[divan::bench(max_time = 1, name = "validate")]
fn validated(bencher: Bencher<'_, '_>) {
    let encoded = SaveGame::new(ENTITIES).plan().to_vec();
    assert_eq!(validate(Reader::new(&encoded)), Ok(encoded.len()));
    bencher
        .counter(BytesCount::new(encoded.len()))
        .counter(ItemsCount::new(ENTITIES))
        .bench_local(|| validate(Reader::new(divan::black_box(&encoded))).is_ok());
}
