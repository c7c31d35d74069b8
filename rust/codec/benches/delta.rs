//! Deltas of a packed array of 1 MiB, of which one edit covers all: what rust/docs/DELTA.md says of their speed.

use divan::Bencher;
use divan::counter::BytesCount;
use varbatch_codec::change::delta;

mod motion;

use motion::{Motion, moved, whole};

/// How the floats move, and how many percent of them.
const CASES: [(Motion, usize); 7] = [
    (Motion::Small, 0),
    (Motion::Small, 1),
    (Motion::New, 1),
    (Motion::Small, 10),
    (Motion::New, 10),
    (Motion::Small, 100),
    (Motion::New, 100),
];

fn main() {
    divan::main();
}

/// Both states of a case, and the delta between them.
fn made((motion, percent): (Motion, usize)) -> [Vec<u8>; 3] {
    let (before, after) = moved(motion, percent);
    let made = delta::make(&before, &after, whole(&after)).to_vec();
    assert!(delta::apply(&before, &made).expect("applies").to_vec() == after);
    [before, after, made]
}

#[divan::bench(args = CASES)]
fn make(bencher: Bencher<'_, '_>, case: (Motion, usize)) {
    let [before, after, _] = made(case);
    bencher.counter(BytesCount::new(after.len())).bench_local(|| {
        let (before, after) = divan::black_box((&before, &after));
        delta::make(before, after, whole(after)).to_vec()
    });
}

#[divan::bench(args = CASES)]
fn apply(bencher: Bencher<'_, '_>, case: (Motion, usize)) {
    let [before, after, made] = made(case);
    bencher.counter(BytesCount::new(after.len())).bench_local(|| {
        let (before, made) = divan::black_box((&before, &made));
        delta::apply(before, made).expect("applies").to_vec()
    });
}

/// What both begin with.
#[divan::bench]
fn hash(bencher: Bencher<'_, '_>) {
    let (before, _) = moved(Motion::Small, 0);
    bencher.counter(BytesCount::new(before.len())).bench_local(|| delta::hash(divan::black_box(&before)));
}

/// The floor of `make`: the C library's memcmp, of equal bytes.
#[divan::bench]
fn compare(bencher: Bencher<'_, '_>) {
    let (before, after) = moved(Motion::Small, 0);
    bencher
        .counter(BytesCount::new(before.len()))
        .bench_local(|| divan::black_box(&before) == divan::black_box(&after));
}

/// The floor of `apply`: a copy.
#[divan::bench]
fn copy(bencher: Bencher<'_, '_>) {
    let (before, _) = moved(Motion::Small, 0);
    bencher.counter(BytesCount::new(before.len())).bench_local(|| divan::black_box(&before).to_vec());
}
