//! A save of one engine for another, 100 MB: what is promised of `transcode` in rust/docs/DECISIONS.md.

use divan::Bencher;
use divan::counter::BytesCount;
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Borrowed, Dialect, Writer, frames};
use varbatch_storage::transcode;
use varbatch_storage::{Loader, Saver};
use varbatch_workers::Threads;

#[path = "../../codec/benches/counts/save_game.rs"]
mod save_game;

use save_game::SaveGame;

/// Bytes of the save.
const SAVE: usize = 100_000_000;

/// Dictionaries in one frame: 200 KB.
const ENTITIES: usize = 1000;

/// From which engine to which, as the table names it.
const WAYS: [&str; 3] = ["Godot 3 to 4", "Godot 4 to 3", "Pandemonium to Godot 4"];

fn translation(way: &str) -> Translation {
    match way {
        "Godot 3 to 4" => Translation::new(Dialect::GODOT_3, Dialect::GODOT_4),
        "Godot 4 to 3" => Translation::new(Dialect::GODOT_4, Dialect::GODOT_3),
        _ => Translation::new(Dialect::PANDEMONIUM, Dialect::GODOT_4),
    }
}

fn main() {
    divan::main();
}

/// One saved game in a dialect: a value of about `len` bytes.
fn value(dialect: Dialect, entities: usize) -> Vec<u8> {
    let game = SaveGame::new(entities).plan().to_vec();
    Translation::new(Dialect::GODOT_4, dialect).bytes(&game).expect("all of it has a home").0
}

/// So many frames of saved games that they are as long as the save.
fn save(dialect: Dialect) -> Vec<u8> {
    let game = value(dialect, ENTITIES);
    let mut writer = Writer::new(dialect);
    for _ in 0..SAVE / game.len() {
        frames::write(&mut writer, |writer| writer.encoded(&game, Borrowed)).expect("writes");
    }
    writer.into_plan().to_vec()
}

/// One value, to bytes.
#[divan::bench(args = WAYS, sample_count = 10)]
fn one_value(bencher: Bencher<'_, '_>, way: &str) {
    let translation = translation(way);
    let entities = SAVE / value(translation.from, ENTITIES).len() * ENTITIES;
    let save = value(translation.from, entities);
    bencher
        .counter(BytesCount::new(save.len()))
        .bench_local(|| translation.bytes(divan::black_box(&save)).expect("translates"));
}

/// A file that is in the system's cache, to another that is not flushed, by one thread and by all.
#[divan::bench(consts = [1, 0], sample_count = 10)]
fn file<const THREADS: usize>(bencher: Bencher<'_, '_>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (from, to) = (folder.join("transcode-from"), folder.join("transcode-to"));
    let (translation, threads) = (translation(WAYS[0]), Threads::new(THREADS));
    let save = save(translation.from);
    std::fs::write(&from, &save).expect("writes");
    bencher.counter(BytesCount::new(save.len())).bench_local(|| {
        let mut loader = Loader::open(&from).expect("opens");
        let mut saver = Saver::create(&to, None).expect("creates");
        transcode::file(&mut loader, translation, &threads, |_, _| {}, |plan| saver.write_all(plan, &threads))
            .expect("translates")
    });
    std::fs::remove_file(&from).expect("it is there");
}
