//! What a second thread costs and gains: what `fill::PARALLEL_FROM` and `fill::CUT_LEN` rest on.
//!
//! What is left of a gain depends on how long the helping threads take to come, so each table is made in three states:
//! - **awake**: calls follow each other at once;
//! - **asleep**: the caller was busy elsewhere for 0.2 ms, and the helpers fell asleep;
//! - **all asleep**: the caller slept as well, for 10 ms, as a game does that waits for its next frame. On two cores
//!   Linux then often wakes the helper on the caller's core, where it has to wait.
//!
//! The tables: a call whose items are nothing; filling a destination that was written before (copying alone) and a new
//! one (page faults too). Columns: the time of one thread, then its ratio to that of several, who take pieces of that size
//! each whatever the whole is; above 1 they are faster. `crate` is what the crate does, with its threshold. A ratio is the
//! median of the rounds; in each round all ways take turns.
//!
//! Anything else that runs on the machine takes the cores away and moves the crossing up: look at several runs.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use varbatch_codec::{Dialect, Event, Kind, Plain, Plan, Width, Writer, fill};
use varbatch_workers::Threads;

/// Payloads to fill, in KiB, and the pieces of them.
const SIZES: [usize; 11] = [64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
const PIECES: [usize; 4] = [64, 128, 256, 512];

/// Time for a line of a table, and the fewest rounds.
const BUDGET: Duration = Duration::from_millis(500);
const ROUNDS: usize = 7;

/// How the threads are before a sample.
#[derive(Clone, Copy)]
enum State {
    Awake,
    Asleep,
    AllAsleep,
}

fn main() {
    // `cargo bench` says so; `cargo test` only wants to see that it runs.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if filters.peek().is_some() && !filters.any(|filter| "threads".contains(&filter)) {
        return;
    }
    let cores = Threads::planned(0);
    println!("{cores} cores, PARALLEL_FROM = {} KiB", varbatch_storage::fill::PARALLEL_FROM >> 10);
    // Each power of two, and all cores.
    for count in (2..=cores.max(2)).filter(|&n| n.is_power_of_two() || n == cores) {
        let threads = Threads::new(count);
        for (state, name) in [(State::Awake, "awake"), (State::Asleep, "asleep"), (State::AllAsleep, "all asleep")] {
            println!("\n{count} threads, {name}");
            let rounds = Rounds { state, timed };
            // An item for each thread, and they are nothing.
            let times = rounds.take(1, |_| threads.for_each(0..threads.count(), |item: usize| _ = black_box(item)));
            println!("{:>16} {:>9.1} us", "no work", times[0]);
            for (new, title) in [(false, "warm, KiB"), (true, "new, KiB")] {
                table(title, timed, |kib| filling(kib << 10, &threads, new, rounds));
            }
        }
    }
}

/// Prints a line for each size: microseconds of one thread, and how many times faster the other ways are.
fn table(title: &str, timed: bool, line: impl Fn(usize) -> Vec<f64>) {
    let heads: String = PIECES.iter().map(|piece| format!("{piece:>7}")).collect();
    println!("{title:>16} {:>9} {heads}  crate", "1 thread");
    for &size in &SIZES[..if timed { SIZES.len() } else { 2 }] {
        let times = line(size);
        let ratios: String = times[1..].iter().map(|ratio| format!("{ratio:>7.2}")).collect();
        println!("{size:>16} {:>9.1} {ratios}", times[0]);
    }
}

/// Filling a destination: by one thread, in pieces, and as the crate does it.
fn filling(len: usize, threads: &Threads, new: bool, rounds: Rounds) -> Vec<f64> {
    let payload: Vec<_> = (0..len).map(|index| (index * 7 + index / 251) as u8).collect();
    let plan = plan(&payload);
    let expected = plan.to_vec();
    let fill = |way, dest: &mut [MaybeUninit<u8>]| match way {
        0 => fill::fill(plan.whole(), dest),
        _ if way > PIECES.len() => varbatch_storage::fill::fill_parallel(plan.whole(), dest, threads),
        _ => {
            let (head, body) = dest.split_at_mut(expected.len() - len);
            head.write_copy_of_slice(&expected[..expected.len() - len]);
            let piece = PIECES[way - 1] << 10;
            let pieces: Vec<_> = payload.chunks(piece).zip(body.chunks_mut(piece)).collect();
            threads.for_each(pieces, |(from, to)| _ = to.write_copy_of_slice(from));
        }
    };
    let mut warm = vec![MaybeUninit::new(0); plan.len()];
    for way in 0..PIECES.len() + 2 {
        warm.fill(MaybeUninit::new(0));
        fill(way, &mut warm);
        assert!(written(&warm) == expected);
    }
    rounds.take(PIECES.len() + 2, |way| {
        if !new {
            fill(way, black_box(&mut warm));
            return Vec::new();
        }
        let mut dest: Vec<u8> = Vec::with_capacity(plan.len());
        fill(way, &mut black_box(&mut dest).spare_capacity_mut()[..plan.len()]);
        dest
    })
}

/// A plan of one array.
fn plan(bytes: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: bytes.len(), bytes };
    writer.write(Event::Packed(plain)).expect("writes");
    writer.into_plan()
}

fn written(dest: &[MaybeUninit<u8>]) -> Vec<u8> {
    // SAFETY: each destination here begins as values.
    dest.iter().map(|byte| unsafe { byte.assume_init() }).collect()
}

/// How samples are taken.
#[derive(Clone, Copy)]
struct Rounds {
    state: State,
    timed: bool,
}

impl Rounds {
    /// The median time of way 0, in microseconds; for each other way the median of how many times it was faster.
    fn take<T>(self, ways: usize, mut run: impl FnMut(usize) -> T) -> Vec<f64> {
        let begin = Instant::now();
        let mut samples = vec![Vec::new(); ways];
        while self.timed && (samples[0].len() < ROUNDS || begin.elapsed() < BUDGET) {
            let times: Vec<_> = (0..ways).map(|way| self.sample(|| run(way))).collect();
            for (way, samples) in samples.iter_mut().enumerate() {
                samples.push(if way == 0 { times[0] } else { times[0] / times[way] });
            }
        }
        samples.into_iter().map(median).collect()
    }

    /// Microseconds of one call, without what dropping its result takes.
    fn sample<T>(self, run: impl FnOnce() -> T) -> f64 {
        match self.state {
            State::Awake => {}
            State::Asleep => spin(Duration::from_micros(200)),
            State::AllAsleep => {
                std::thread::sleep(Duration::from_millis(10));
                // The core takes a moment to be fast again.
                spin(Duration::from_micros(50));
            }
        }
        let begin = Instant::now();
        let result = run();
        let elapsed = begin.elapsed();
        drop(result);
        elapsed.as_secs_f64() * 1e6
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}
