//! How fast the codec is alone, beside a plain copy of the same bytes: writing, reading, frames, nested values.
//!
//! The paths are those of `counts`, which checks the result of each. Destinations and sources are warm: what an allocation
//! or a page fault costs is left to `scripts/bench.sh`, which has the engine's own allocator.

#[path = "counts/arrays.rs"]
mod arrays;
#[path = "counts/cases.rs"]
#[allow(dead_code)] // `counts` has more of them.
mod cases;
#[path = "counts/save_game.rs"]
mod save_game;
#[path = "counts/timed.rs"]
mod timed;

use divan::Bencher;

use self::arrays::{SMALL, bytes, dest, written};
use self::timed::timed;

/// Payloads of one packed array, in bytes.
const SIZES: [usize; 5] = [64, 4 << 10, 64 << 10, 1 << 20, 8 << 20];

/// A batch of small arrays.
const BATCH: usize = 20_000;

fn main() {
    divan::main();
}

/// The floor: one copy of as many bytes.
fn copy(bencher: Bencher<'_, '_>, len: usize) {
    let (from, mut to) = (bytes(len), dest(len, 0xff));
    timed(bencher, len, 1, |count| {
        count(&mut || _ = divan::black_box(&mut to[..]).write_copy_of_slice(divan::black_box(&from)));
    });
    assert!(written(&to) == from);
}

#[divan::bench_group(max_time = 1)]
mod write {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn memcpy(bencher: Bencher<'_, '_>, len: usize) {
        copy(bencher, len);
    }

    #[divan::bench(args = SIZES)]
    fn packed_array(bencher: Bencher<'_, '_>, len: usize) {
        timed(bencher, len, 1, |count| cases::write_array(len, count));
    }
}

#[divan::bench_group(max_time = 1)]
mod read {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn packed_array(bencher: Bencher<'_, '_>, len: usize) {
        timed(bencher, len, 1, |count| cases::read_array(len, count));
    }
}

#[divan::bench_group(max_time = 1)]
mod batch {
    use super::*;

    const LEN: usize = BATCH * (SMALL + 12);

    #[divan::bench]
    fn memcpy(bencher: Bencher<'_, '_>) {
        copy(bencher, LEN);
    }

    #[divan::bench]
    fn write_frames(bencher: Bencher<'_, '_>) {
        timed(bencher, LEN, BATCH, |count| cases::write_frames(BATCH, count));
    }

    #[divan::bench]
    fn read_frames(bencher: Bencher<'_, '_>) {
        timed(bencher, LEN, BATCH, |count| cases::read_frames(BATCH, count));
    }
}

/// A saved game: one array of dictionaries of 6 keys.
#[divan::bench_group(max_time = 1)]
mod nested {
    use super::*;

    const ENTITIES: usize = 20_000;

    fn time(bencher: Bencher<'_, '_>, case: fn(usize, cases::Count<'_>)) {
        let len = save_game::SaveGame::new(ENTITIES).plan().len();
        timed(bencher, len, ENTITIES, |count| case(ENTITIES, count));
    }

    #[divan::bench]
    fn write(bencher: Bencher<'_, '_>) {
        time(bencher, cases::write_save_game);
    }

    #[divan::bench]
    fn read(bencher: Bencher<'_, '_>) {
        time(bencher, cases::read_save_game);
    }

    #[divan::bench]
    fn validate(bencher: Bencher<'_, '_>) {
        time(bencher, cases::validate_save_game);
    }
}
