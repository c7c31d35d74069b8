//! From which size on several threads fill an output faster than one: what `fill::PARALLEL_FROM` rests on.
//!
//! Two tables. The first has a destination that was written before, so that only copying counts; the second takes a new
//! one each time, with the page faults that come with it. `fill` is one thread; `shared` is the same plan cut into
//! equal parts, one a thread and none beyond 512 KiB, whatever the size; `fill_parallel` is what the crate does, which
//! is `fill` below the threshold. Times are medians of samples taken in turn, each behind a pause in which helping
//! threads fall asleep, as they are when a game calls.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use varbatch_codec::{Dialect, Event, Kind, Mark, Plain, Plan, Threads, Width, Writer, fill};

const SIZES: [usize; 11] =
    [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20];

/// What a thread is given at most.
const PIECE: usize = 512 << 10;

/// Time for all tables together, and the fewest rounds in each of their lines.
const BUDGET: Duration = Duration::from_secs(20);
const ROUNDS: usize = 7;

/// Before each sample.
const PAUSE: Duration = Duration::from_micros(200);

fn main() {
    // `cargo bench` says so; `cargo test` only wants to see that it runs.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if filters.peek().is_some() && !filters.any(|filter| "threads".contains(&filter)) {
        return;
    }
    let cores = Threads::planned(0);
    let sizes = if timed { &SIZES[..] } else { &SIZES[..1] };
    println!("fill over threads, {cores} cores, PARALLEL_FROM = {}", size_name(fill::PARALLEL_FROM));
    let bytes: Vec<_> = (0..SIZES[SIZES.len() - 1]).map(|index| (index * 7 + index / 251) as u8).collect();
    // Each count of a small machine; 2, 3, 4, 8, 16, ... and all cores of a large one.
    let counts: Vec<_> = (2..=cores.max(2)).filter(|&n| n < 5 || n.is_power_of_two() || n == cores).collect();
    let budget = BUDGET / (counts.len() * 2 * sizes.len()) as u32;
    for count in counts {
        let threads = Threads::new(count);
        for new in [false, true] {
            let dest = if new { "new" } else { "warm" };
            println!("\n{count} threads, {dest} destination");
            println!("    size       fill     shared  ratio  fill_parallel  ratio   (ratio: times faster than fill)");
            for &size in sizes {
                row(&bytes[..size], &threads, new, timed.then_some(budget));
            }
        }
    }
}

/// A way to fill a destination.
type Way<'w> = &'w dyn Fn(&mut [MaybeUninit<u8>]);

/// Measures one size and prints its line; without a budget, only checks that all ways give the same.
fn row(payload: &[u8], threads: &Threads, new: bool, budget: Option<Duration>) {
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
    let Some(budget) = budget else { return };
    let mut times = [const { Vec::new() }; 3];
    let begin = Instant::now();
    while times[0].len() < ROUNDS || begin.elapsed() < budget {
        for (way, times) in ways.iter().zip(&mut times) {
            times.push(if new { in_new(plan.len(), way) } else { time(|| way(black_box(&mut warm))) });
        }
    }
    let [alone, shared, parallel] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    let ratio = |time: Duration| alone.as_secs_f64() / time.as_secs_f64();
    println!(
        "{:>8} {:>7.1} us {:>7.1} us {:>6.2} {:>11.1} us {:>6.2}",
        size_name(payload.len()),
        micros(alone),
        micros(shared),
        ratio(shared),
        micros(parallel),
        ratio(parallel),
    );
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

fn in_new(len: usize, way: impl Fn(&mut [MaybeUninit<u8>])) -> Duration {
    time(|| {
        let mut dest = Vec::<u8>::with_capacity(len);
        way(&mut black_box(&mut dest).spare_capacity_mut()[..len]);
        dest
    })
}

/// How long `work` takes. What it returns is dropped behind that.
fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let pause = Instant::now();
    while pause.elapsed() < PAUSE {
        std::hint::spin_loop();
    }
    let begin = Instant::now();
    let result = work();
    let elapsed = begin.elapsed();
    drop(result);
    elapsed
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn size_name(len: usize) -> String {
    if len < 1 << 20 { format!("{} KiB", len >> 10) } else { format!("{} MiB", len >> 20) }
}
