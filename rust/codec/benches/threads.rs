//! From which size on several threads fill an output faster than one: what `fill::PARALLEL_FROM` rests on.
//!
//! Measured are one thread (`fill`) and several: the same plan cut into equal parts, one a thread and none beyond
//! 512 KiB, whatever the size. The last column is the ratio of what the crate does: one thread below the threshold.
//! Before each sample is a pause in which helping threads fall asleep, as they are when a game calls now and then. The
//! first table has a destination that was written before, so that only copying counts; the second a new one each time,
//! with the page faults that come with it. Times are medians of samples taken in turn.
//!
//! Anything else that runs on the machine takes the cores away and moves the crossing up: look at several runs.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use varbatch_codec::{Dialect, Event, Kind, Mark, Plain, Plan, Threads, Width, Writer, fill};

const SIZES: [usize; 11] =
    [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20];

/// What a thread is given at most.
const PIECE: usize = 512 << 10;

/// Time for all tables together, and the fewest rounds in each of their lines.
const BUDGET: Duration = Duration::from_secs(24);
const ROUNDS: usize = 7;

/// Before each sample, so that helping threads fall asleep.
const PAUSE: Duration = Duration::from_micros(200);

fn main() {
    // `cargo bench` says so; `cargo test` only wants to see that it runs.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if filters.peek().is_some() && !filters.any(|filter| "threads".contains(&filter)) {
        return;
    }
    let cores = Threads::planned(0);
    println!("fill over threads, {cores} cores, PARALLEL_FROM = {}", size_name(fill::PARALLEL_FROM));
    let sizes = if timed { &SIZES[..] } else { &SIZES[..1] };
    let bytes: Vec<_> = (0..sizes[sizes.len() - 1]).map(|index| (index * 7 + index / 251) as u8).collect();
    // Each count of a small machine; 2, 3, 4, 8, 16, ... and all cores of a large one.
    let counts: Vec<_> = (2..=cores.max(2)).filter(|&n| n < 5 || n.is_power_of_two() || n == cores).collect();
    let budget = BUDGET / (counts.len() * 2 * sizes.len()) as u32;
    for count in counts {
        let threads = Threads::new(count);
        for new in [false, true] {
            println!("\n{} destination", if new { "new" } else { "warm" });
            println!("    size     1 thread   {count} threads  ratio  fill_parallel");
            let row = |&size| row(&bytes[..size], &threads, new, timed.then_some(budget));
            let ratios: Vec<_> = sizes.iter().map(row).collect();
            // Behind the last size where they are clearly slower.
            let slow = ratios.iter().rposition(|&ratio| ratio < 0.95).map_or(0, |index| index + 1);
            match (slow..sizes.len()).find(|&index| ratios[index] >= 1.0) {
                Some(index) => println!("{count} threads are faster from {}", size_name(sizes[index])),
                None => println!("{count} threads are not faster"),
            }
        }
    }
}

/// A way to fill a destination.
type Way<'w> = &'w dyn Fn(&mut [MaybeUninit<u8>]);

/// Measures one size, prints its line, and returns how many times faster several threads are.
///
/// Without a budget, only checks that all ways give the same.
fn row(payload: &[u8], threads: &Threads, new: bool, budget: Option<Duration>) -> f64 {
    let (plan, marks) = plan(payload, payload.len().div_ceil(threads.count()).min(PIECE));
    let alone: Way<'_> = &|dest| fill::fill(plan.whole(), dest);
    let cut: Way<'_> = &|dest| shared(&plan, &marks, dest, threads);
    let parallel: Way<'_> = &|dest| fill::fill_parallel(plan.whole(), dest, threads);
    let ways = [alone, cut, parallel];
    let expected = plan.to_vec();
    let mut warm = vec![MaybeUninit::new(0); plan.len()];
    for way in ways {
        warm.fill(MaybeUninit::new(0));
        way(&mut warm);
        // SAFETY: the destination begins as values.
        assert!(warm.iter().map(|byte| unsafe { byte.assume_init() }).eq(expected.iter().copied()));
    }
    let Some(budget) = budget else { return 1.0 };
    let mut times = [const { Vec::new() }; 3];
    let begin = Instant::now();
    while times[0].len() < ROUNDS || begin.elapsed() < budget {
        for (way, times) in ways.iter().zip(&mut times) {
            spin(PAUSE);
            times.push(if new { time(|| fill_new(plan.len(), way)) } else { time(|| way(black_box(&mut warm))) });
        }
    }
    let [alone, cut, parallel] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e6
    });
    let ratio = alone / cut;
    println!("{:>8} {alone:>9.1} us {cut:>9.1} us {ratio:>6.2} {:>14.2}", size_name(payload.len()), alone / parallel);
    ratio
}

/// A plan of one payload as arrays of `piece` bytes, with the marks around them.
fn plan(payload: &[u8], piece: usize) -> (Plan<'_>, Vec<Mark>) {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let mut marks = vec![writer.mark()];
    for bytes in payload.chunks(piece) {
        let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: bytes.len(), bytes };
        writer.write(Event::Packed(plain)).expect("writes");
        marks.push(writer.mark());
    }
    (writer.into_plan(), marks)
}

/// As `fill_parallel` without its threshold.
fn shared(plan: &Plan<'_>, marks: &[Mark], dest: &mut [MaybeUninit<u8>], threads: &Threads) {
    let mut rest = dest;
    let mut parts = Vec::with_capacity(marks.len());
    for ends in marks.windows(2) {
        let part = plan.part(ends[0], ends[1]);
        let (dest, tail) = rest.split_at_mut(part.len());
        parts.push((part, dest));
        rest = tail;
    }
    threads.for_each(parts, |(part, dest)| fill::fill(part, dest));
}

/// Fills a new destination and returns it, so that giving it back is not timed.
fn fill_new(len: usize, way: Way<'_>) -> Vec<u8> {
    let mut dest = Vec::with_capacity(len);
    way(&mut black_box(&mut dest).spare_capacity_mut()[..len]);
    dest
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    let result = work();
    let elapsed = begin.elapsed();
    drop(result);
    elapsed
}

fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn size_name(len: usize) -> String {
    if len < 1 << 20 { format!("{} KiB", len >> 10) } else { format!("{} MiB", len >> 20) }
}
