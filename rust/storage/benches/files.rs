//! Files against what the system itself takes for them: what is promised of saving and loading in rust/docs/DECISIONS.md.
//!
//! `scripts/bench.sh --rust -- --files` runs it: `[--folder PATH] [--mib 256] [--pairs 7]`. In each round the plain way
//! and that of the crate take turns, on the same disk, and each replaces its own file of the round before. A ratio is the
//! median of those of the rounds; beside it the lowest and the highest.
//!
//! - **save**: all bytes in pieces of 1 MiB from one buffer, `sync_all` and a rename, against [`Saver`] from a plan. `free` is
//!   what dropping the replaced file takes: a plain rename does that as well, so the first ratio has it on both sides.
//!   The second is without: what who frees later waits for, as the plugin does.
//! - **load**: all of a file that is in the system's cache, in pieces of 1 MiB into one buffer, against [`Loader`], where
//!   frames are walked through.

use std::error::Error;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use varbatch_codec::{Dialect, Event, Kind, Plain, Plan, Width, Writer, frames};
use varbatch_storage::{Loader, Saver, Ticket};
use varbatch_workers::Threads;

const PIECE: usize = 1 << 20;

/// Bytes of a packed array, of which there are as many as go into the file.
const SIZES: [usize; 3] = [4 << 20, 13_400, 64];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Milliseconds of writing, flushing, renaming and freeing.
type Times = [f64; 4];

struct Options {
    folder: PathBuf,
    mib: usize,
    pairs: usize,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut options = Options { folder: env!("CARGO_TARGET_TMPDIR").into(), mib: 256, pairs: 7 };
    let mut asked = false;
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match &*argument {
            "--files" => asked = true,
            "--folder" => options.folder = value()?.into(),
            "--mib" => options.mib = value()?.parse::<usize>()?.max(8),
            "--pairs" => options.pairs = value()?.parse::<usize>()?.max(1),
            // Options and filters of the other benches.
            _ => {}
        }
    }
    if !asked {
        println!("files: not asked for (scripts/bench.sh --rust -- --files)");
        return Ok(());
    }
    let folder = options.folder.join(format!("varbatch-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let result = run(&options, &folder);
    fs::remove_dir_all(&folder)?;
    result
}

fn run(options: &Options, folder: &Path) -> Result<()> {
    let Options { mib, pairs, .. } = options;
    println!("{mib} MiB, {pairs} pairs, {} cores, milliseconds, in {}", Threads::planned(0), folder.display());
    let bytes: Vec<_> = (0..mib << 20).map(|index| (index * 7 + index / 251) as u8).collect();
    for size in SIZES {
        let plan = plan(&bytes, size);
        let flat = plan.to_vec();
        println!("\n{} frames of {size} bytes", bytes.len() / size);
        save(&plan, &flat, *pairs, folder)?;
        load(&flat, bytes.len() / size, *pairs, folder)?;
    }
    Ok(())
}

/// Frames of arrays of `size` bytes each, which take turns through all of `bytes`.
fn plan(bytes: &[u8], size: usize) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for bytes in bytes.chunks_exact(size) {
        let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: size, bytes };
        frames::write(&mut writer, |writer| writer.write(Event::Packed(plain))).expect("writes");
    }
    writer.into_plan()
}

/// Calls both in turns, either first in every second round. The first round, in which there is no old file, does not count.
fn in_turns<T>(
    pairs: usize,
    mut plain: impl FnMut() -> Result<T>,
    mut ours: impl FnMut() -> Result<T>,
) -> Result<Vec<(T, T)>> {
    let mut rounds = Vec::new();
    for round in 0..=pairs {
        rounds.push(if round % 2 == 0 {
            (plain()?, ours()?)
        } else {
            let ours = ours()?;
            (plain()?, ours)
        });
    }
    rounds.remove(0);
    Ok(rounds)
}

fn save(plan: &Plan<'_>, flat: &[u8], pairs: usize, folder: &Path) -> Result<()> {
    let (plain_path, path) = (folder.join("plain"), folder.join("saved"));
    let threads = Threads::new(0);
    let rounds = in_turns(pairs, || save_plainly(flat, &plain_path), || save_plan(plan, &path, &threads))?;
    assert!(fs::read(&path)? == flat, "other bytes were saved");
    println!("{:>14} {:>8} {:>8} {:>8} {:>8} {:>8}  ratio", "save", "write", "flush", "rename", "free", "sum");
    let sum = |times: &Times| times.iter().sum::<f64>();
    let line = |name, times: Vec<Times>, ratio: String| {
        let part = |part: usize| median(times.iter().map(|times| times[part]));
        let parts: String = (0..4).map(|index| format!(" {:>8.1}", part(index))).collect();
        println!("{name:>14}{parts} {:>8.1}  {ratio}", median(times.iter().map(sum)));
    };
    line("plain", rounds.iter().map(|round| round.0).collect(), String::new());
    let all = ratio(rounds.iter().map(|(plain, ours)| (sum(plain), sum(ours))));
    let without = ratio(rounds.iter().map(|(plain, ours)| (sum(plain), ours[..3].iter().sum())));
    line("Saver", rounds.iter().map(|round| round.1).collect(), format!("{all}; without free {without}"));
    Ok(())
}

/// The rename frees the old file.
fn save_plainly(flat: &[u8], path: &Path) -> Result<Times> {
    let beside = path.with_extension("new");
    let (write, file) = timed(|| -> Result<_> {
        let mut file = File::create(&beside)?;
        flat.chunks(PIECE).try_for_each(|piece| file.write_all(piece))?;
        Ok(file)
    })?;
    let (flush, ()) = timed(|| Ok(file.sync_all()?))?;
    let (rename, ()) = timed(|| Ok(fs::rename(&beside, path)?))?;
    Ok([write, flush, rename, 0.0])
}

fn save_plan(plan: &Plan<'_>, path: &Path, threads: &Threads) -> Result<Times> {
    let (write, saver) = timed(|| -> Result<_> {
        let mut saver = Saver::create(path, None)?;
        saver.write_all(plan, threads)?;
        Ok(saver)
    })?;
    let (flush, mut flushed) = timed(|| Ok(saver.flush(threads)?))?;
    let (rename, replaced) = timed(|| Ok(flushed.commit(&Ticket::take_for(path))?))?;
    let (free, ()) = timed(|| {
        drop(replaced);
        Ok(())
    })?;
    Ok([write, flush, rename, free])
}

fn load(flat: &[u8], count: usize, pairs: usize, folder: &Path) -> Result<()> {
    let path = folder.join("plain");
    assert!(fs::read(&path)? == flat, "other bytes were saved");
    let plain = || {
        let (time, len) = timed(|| read_plainly(&path))?;
        assert_eq!(len, flat.len(), "bytes that were read");
        Ok(time)
    };
    let ours = || {
        let (time, found) = timed(|| load_frames(&path))?;
        assert_eq!(found, (count, flat.len()), "frames, and bytes, that were loaded");
        Ok(time)
    };
    let rounds = in_turns(pairs, plain, ours)?;
    println!("{:>14} {:>8}  ratio", "load", "all");
    println!("{:>14} {:>8.1}", "plain", median(rounds.iter().map(|round| round.0)));
    let all = median(rounds.iter().map(|round| round.1));
    println!("{:>14} {all:>8.1}  {}", "Loader", ratio(rounds.into_iter()));
    Ok(())
}

fn read_plainly(path: &Path) -> Result<usize> {
    let mut file = File::open(path)?;
    let (mut buffer, mut len) = (vec![0; PIECE], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(len),
            more => len += more,
        }
    }
}

/// Frames, and the bytes that they take.
fn load_frames(path: &Path) -> Result<(usize, usize)> {
    let (mut loader, mut piece) = (Loader::open(path)?, Vec::new());
    let (mut count, mut len) = (0, 0);
    while loader.read(&mut piece, &Threads::alone())?.is_some() {
        count += frames::read(&piece).map_while(std::result::Result::ok).count();
        len += piece.len();
    }
    Ok((count, len))
}

/// Milliseconds, and what `work` gives.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let begin = Instant::now();
    let result = work()?;
    Ok((begin.elapsed().as_secs_f64() * 1e3, result))
}

/// How many times as long as the plain way: the median, and the range.
fn ratio(rounds: impl Iterator<Item = (f64, f64)>) -> String {
    let ratios: Vec<_> = rounds.map(|(plain, ours)| ours / plain).collect();
    let (low, high) = ratios.iter().fold((f64::MAX, 0.0_f64), |(low, high), &ratio| (low.min(ratio), high.max(ratio)));
    format!("{:.2} ({low:.2} to {high:.2})", median(ratios.into_iter()))
}

fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<_> = samples.collect();
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
