//! Guards: a process that is killed while it appends, or may not write any more, loses nothing that it has reported, and
//! the next append makes the file whole.
//!
//! The processes are this program once more: see [`child`].

use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use varbatch_codec::{Dialect, Event, Kind, Plain, Plan, Width, Writer, frames};

use crate::file_append::{append, append_in_steps};
use crate::file_crash::{PATH, TASK, kill_after, report};
#[cfg(unix)]
use crate::file_crash::{limited_program, start_test};
use crate::folder::Folder;
use crate::support::random::Random;

/// How often a child is killed, unless the environment has another number.
const KILLS: usize = 60;
const KILLS_NAME: &str = "VARBATCH_APPEND_KILLS";

/// Bytes that a child writes at a time: few, so that many a kill comes between.
const STEP: usize = 100;

/// Bytes at which the test begins a new file.
const MAX_LEN: usize = 32 << 20;

/// The longest wait before a kill.
const MAX_WAIT: Duration = Duration::from_millis(30);

/// The bytes of a record: as many as its number decides, from 8 bytes to 256 KiB.
fn content(number: u64) -> Vec<u8> {
    let len = match number % 5 {
        0 => 260_000,
        1 => 5000,
        _ => 8,
    };
    [&number.to_le_bytes()[..], &vec![number as u8; len + number as usize % 100 * 4]].concat()
}

/// The records of one call, which is called by the number of its last one.
fn batch(first: u64) -> (Plan<'static>, u64) {
    let last = first + first % 6;
    let mut writer = Writer::new(Dialect::GODOT_4);
    for number in first..=last {
        let bytes = content(number);
        let packed = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: bytes.len(), bytes: &bytes };
        let mut copy = Writer::new(Dialect::GODOT_4);
        frames::write(&mut copy, |writer| writer.write(Event::Packed(packed))).expect("writes");
        writer.encoded(&copy.into_plan().to_vec(), varbatch_codec::Copied).expect("writes");
    }
    (writer.into_plan(), last)
}

/// The numbers of the whole records, and true if nothing is behind them.
fn numbers(bytes: &[u8]) -> (Vec<u64>, bool) {
    let mut numbers = Vec::new();
    for frame in frames::read(bytes).map_while(Result::ok) {
        let number = u64::from_le_bytes(frame.payload[8..16].try_into().expect("eight bytes"));
        assert!(frame.payload[8..] == content(number), "record {number} is not what it was");
        numbers.push(number);
    }
    (numbers, frames::whole_len(bytes) == bytes.len())
}

/// What the others rest on. They run it in a process of its own, too, with something else to do.
#[test]
fn child() {
    let (Ok(task), Some(path)) = (env::var(TASK), env::var_os(PATH)) else {
        let bytes = batch(5).0.to_vec();
        assert_eq!(numbers(&bytes), ((5..=10).collect(), true));
        assert_eq!(numbers(&bytes[..bytes.len() - 1]), ((5..10).collect(), false));
        return;
    };
    let path = Path::new(&path);
    let mut next = fs::read(path).ok().and_then(|bytes| numbers(&bytes).0.last().copied()).unwrap_or(0) + 1;
    match &*task {
        "appends" => loop {
            let (plan, last) = batch(next);
            append_in_steps(path, &plan, STEP).expect("appends");
            report(last);
            next = last + 1;
        },
        "too much" => {
            let error = loop {
                let before = fs::read(path).unwrap_or_default();
                let (plan, last) = batch(next);
                let Err(error) = append(path, &plan) else {
                    next = last + 1;
                    continue;
                };
                assert!(fs::read(path).expect("a file") == before, "not as it was");
                break error;
            };
            println!("{error}: the end");
        }
        _ => panic!("no task {task}"),
    }
}

const CHILD: &str = concat!(module_path!(), "::child");

#[test]
fn a_process_that_is_killed_loses_no_record_that_it_has_reported() {
    let folder = Folder::new();
    let path = folder.join("log");
    let kills = env::var(KILLS_NAME).ok().and_then(|count| count.parse().ok()).unwrap_or(KILLS);
    let (mut random, begin) = (Random::new(19), Instant::now());
    let (mut last, mut in_file, mut reported, mut newer, mut torn) = (0, 0, 0, 0, 0);
    let mut count = 0;
    // A busy machine needs more of them.
    while count < kills || reported as usize <= kills / 4 && count < 20 * kills {
        count += 1;
        let wait = MAX_WAIT.mul_f64(random.below(1000) as f64 / 1000.0);
        let said = kill_after(wait, CHILD, "appends", &path).last().map_or(0, |(last, _)| *last);
        let bytes = fs::read(&path).unwrap_or_default();
        let (found, is_whole) = numbers(&bytes);
        let newest = found.last().copied().unwrap_or(0);
        assert!(newest >= said.max(last), "record {newest} is the last one, but {said} was reported, {last} was there");
        assert_eq!(found, (newest + 1 - found.len() as u64..=newest).collect::<Vec<_>>(), "in order");
        assert!(found.len() as u64 >= in_file, "{} records, {in_file} were there", found.len());
        reported += said.saturating_sub(last);
        newer += usize::from(newest > said);
        torn += usize::from(!is_whole);
        // The next append makes it whole, and loses none.
        append(&path, &batch(newest + 1).0).expect("appends");
        let (found, is_whole) = numbers(&fs::read(&path).expect("a file"));
        assert!(is_whole);
        last = found.last().copied().expect("records");
        in_file = found.len() as u64;
        assert_eq!(last, batch(newest + 1).1);
        if bytes.len() > MAX_LEN {
            // The numbers go on.
            let (plan, end) = batch(last + 1);
            fs::write(&path, plan.to_vec()).expect("writes");
            (last, in_file) = (end, end - last);
        }
    }
    assert_eq!(folder.names(), ["log"]);
    let seconds = begin.elapsed().as_secs_f32();
    println!(
        "{count} kills in {seconds:.1} s: {reported} records reported, all there; {newer} times some were not reported any more, {torn} times the last one was torn"
    );
    // In Wine a process takes most of its time to begin.
    assert!(reported as usize > kills / 4, "too few to say anything");
}

#[cfg(unix)]
#[test]
fn a_process_that_may_write_no_more_leaves_the_file_as_it_was() {
    let folder = Folder::new();
    let path = folder.join("log");
    let child = start_test(&mut limited_program(), CHILD, "too much", &path);
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains(": the end"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let (found, is_whole) = numbers(&fs::read(&path).expect("a file"));
    assert!(is_whole && found.len() > 3, "{found:?}");
    append(&path, &batch(found.len() as u64 + 1).0).expect("appends");
    assert!(numbers(&fs::read(&path).expect("a file")).1);
}
