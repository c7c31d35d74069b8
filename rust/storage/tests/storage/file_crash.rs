//! Guards: a process that is killed, or may not write any more, leaves the old file or the new one while it saves, whole;
//! while it appends it loses nothing that it has reported, and the next append makes the file whole.
//!
//! The processes are this program once more: see [`child`].

use std::env;
use std::fs;
#[cfg(unix)]
use std::io::ErrorKind;
use std::io::{BufRead, BufReader, Read, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use varbatch_codec::{Dialect, Plan, Value, Writer, frames};
use varbatch_storage::compressed::Compression;
use varbatch_storage::open;

use crate::file_append::{append, append_in_steps, whole_len};
use crate::file_save::{MEBI, assert_holds, encoded, save};
use crate::folder::Folder;
use crate::support::random::Random;

/// What a child is to do, and with which file, in its environment.
const TASK: &str = "VARBATCH_CHILD_TASK";
const PATH: &str = "VARBATCH_CHILD_PATH";

/// How often a child that saves is killed, unless that takes too long.
const KILLS: usize = 300;
const MOST_TIME: Duration = Duration::from_secs(20);

/// Seconds to kill it for, in the environment, where starting a process takes long.
const SECONDS: &str = "VARBATCH_KILLING_SECONDS";

/// How often a child that appends is killed, unless the environment has another number.
const APPEND_KILLS: usize = 60;
const APPEND_KILLS_NAME: &str = "VARBATCH_APPEND_KILLS";

/// Bytes that it appends at a time: few, so that many a kill comes between.
const STEP: usize = 100;

/// Bytes at which the test begins a new file.
const MAX_LEN: usize = 32 << 20;

/// The longest wait before it is killed.
const MAX_WAIT: Duration = Duration::from_millis(30);

/// Numbers of 8 bytes: almost 4 MiB, and no two generations as long.
fn generation(number: u64) -> Plan<'static> {
    let numbers = (0..500_000 + number % 1000).flat_map(|index| (1 << 40 | number << 20 | index).to_le_bytes());
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.encoded(&numbers.collect::<Vec<_>>(), varbatch_codec::Copied).expect("a value is due");
    writer.into_plan()
}

/// Which generation a file is, if it is a whole one.
fn generation_in(bytes: &[u8]) -> Option<u64> {
    let first = bytes.get(..8)?.try_into().expect("eight bytes");
    let number = (u64::from_le_bytes(first) ^ 1 << 40) >> 20;
    (number < 1 << 20 && generation(number).to_vec() == bytes).then_some(number)
}

/// Which generation a load finds.
fn load(path: &Path) -> u64 {
    let (mut file, _) = open(path).expect("there is always a file");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("reads");
    generation_in(&bytes).expect("no whole generation")
}

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
    let record = |number| Value::PackedByteArray(content(number)).encode_frame().expect("encodes");
    let mut writer = Writer::new(Dialect::GODOT_4);
    let records: Vec<u8> = (first..=last).flat_map(record).collect();
    writer.encoded(&records, varbatch_codec::Copied).expect("writes");
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
    (numbers, whole_len(bytes) == bytes.len())
}

/// What the others rest on. They run it in a process of its own, too, with something else to do.
#[test]
fn child() {
    let (Ok(task), Some(path)) = (env::var(TASK), env::var_os(PATH)) else {
        let mut bytes = generation(7).to_vec();
        assert_eq!(generation_in(&bytes), Some(7));
        assert_eq!(generation_in(&bytes[..bytes.len() - 1]), None, "cut off");
        let last = bytes.len() - 8;
        bytes[last..].copy_from_slice(&(1_u64 << 40 | 8 << 20).to_le_bytes());
        assert_eq!(generation_in(&bytes), None, "of two generations");
        let bytes = batch(5).0.to_vec();
        assert_eq!(numbers(&bytes), ((5..=10).collect(), true));
        assert_eq!(numbers(&bytes[..bytes.len() - 1]), ((5..10).collect(), false));
        return;
    };
    let path = Path::new(&path);
    match &*task {
        "generations" => {
            for number in load(path) + 1.. {
                save(path, &generation(number), MEBI, None).expect("saves");
                report(number);
            }
        }
        "appends" => {
            let mut next = fs::read(path).ok().and_then(|bytes| numbers(&bytes).0.last().copied()).unwrap_or(0) + 1;
            loop {
                let (plan, last) = batch(next);
                append_in_steps(path, &plan, STEP).expect("appends");
                report(last);
                next = last + 1;
            }
        }
        "saves too much" => {
            let bytes = Random::new(1).bytes(8 * MEBI);
            for how in [None, Some(Compression::Zstd)] {
                let error = save(path, &encoded(&bytes), MEBI, how).expect_err("more than it may write");
                let is_old = fs::read(path).is_ok_and(|bytes| bytes == [1; MEBI]);
                let count = fs::read_dir(path.parent().expect("a folder")).expect("a folder").count();
                println!("{how:?}: {:?}, old {is_old}, {count} files", error.kind());
            }
            // Little can be saved yet.
            save(path, &encoded(&[7; 4000]), MEBI, None).expect("saves");
        }
        "appends too much" => {
            let (mut before, mut next) = (Vec::new(), 1);
            loop {
                let (plan, last) = batch(next);
                if append(path, &plan).is_err() {
                    break;
                }
                (before, next) = (fs::read(path).expect("a file"), last + 1);
            }
            assert!(fs::read(path).expect("a file") == before, "not as it was");
        }
        "no folder" => save(path, &encoded(&[7; 4000]), MEBI, None).expect("saves"),
        _ => panic!("no task {task}"),
    }
    println!("the end");
}

/// Starts [`child`] in a process of its own.
fn start(command: &mut Command, task: &str, path: &Path) -> Child {
    let name = concat!(module_path!(), "::child").split_once("::").expect("a crate before it").1;
    command.args([name, "--exact", "--nocapture"]).env(TASK, task).env(PATH, path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

/// Lets it come to its end. Returns what it has printed.
#[track_caller]
fn run(command: &mut Command, task: &str, path: &Path) -> String {
    let Output { status, stdout, stderr } = start(command, task, path).wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&stdout).into_owned();
    assert!(status.success() && text.contains("the end"), "{text}{}", String::from_utf8_lossy(&stderr));
    text
}

fn this_program() -> Command {
    Command::new(env::current_exe().expect("this program"))
}

/// The same program, which the system refuses to make a file any longer than 1 or 2 MiB: as on a full disk.
#[cfg(unix)]
fn limited_program() -> Command {
    let mut shell = Command::new("sh");
    // Blocks of 512 bytes or of 1024. Who has set no answer to the signal would end by it.
    shell.args(["-c", r#"trap "" XFSZ && ulimit -f 2048 && exec "$0" "$@""#]).arg(env::current_exe().expect("a path"));
    shell
}

/// A child that does one thing after the other, until it is killed `wait` after it began. The numbers that it has reported
/// as done, and when.
fn kill_after(wait: Duration, task: &str, path: &Path) -> Vec<(u64, Instant)> {
    let mut child = start(&mut this_program(), task, path);
    let out = BufReader::new(child.stdout.take().expect("piped"));
    let (began, begins) = channel();
    let reports = std::thread::scope(|scope| {
        let reports = scope.spawn(move || {
            let mut reports = Vec::new();
            for line in out.lines().map_while(Result::ok) {
                // The harness prints lines of its own, one of them at the start.
                let _ = began.send(());
                if let Some((_, number)) = line.split_once("done ") {
                    reports.push((number.parse().expect("a number"), Instant::now()));
                }
            }
            reports
        });
        begins.recv().expect("it begins");
        std::thread::sleep(wait);
        child.kill().expect("it still runs");
        reports.join().expect("no panic")
    });
    // One that has panicked ends with another code.
    assert!(matches!(child.wait().expect("an end").code(), None | Some(1)));
    reports
}

/// How long a save takes here, as nobody knows that: some are killed where they begin, others later.
fn pace(task: &str, path: &Path) -> Duration {
    let reports = kill_after(Duration::from_secs(1), task, path);
    match reports[..] {
        [(_, first), .., (_, last)] => (last - first) / (reports.len() as u32 - 1),
        _ => Duration::from_millis(300),
    }
}

/// Tells that a thing is done.
fn report(number: u64) {
    println!("done {number}");
    stdout().flush().expect("is heard");
}

#[test]
fn a_process_that_is_killed_leaves_a_whole_file_and_loses_nothing_that_it_has_reported() {
    let (folder, path) = Folder::with("save");
    let mut random = Random::new(9);
    fs::write(&path, generation(0).to_vec()).expect("writes");
    let pace = pace("generations", &path);
    let first = generation_in(&fs::read(&path).expect("a file")).expect("no whole generation");
    let seconds = env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok());
    let most_time = seconds.map_or(MOST_TIME, Duration::from_secs);
    let (begin, mut kills, mut saved) = (Instant::now(), 0, first);
    // A busy machine needs more time for enough of them.
    let is_enough = |kills: usize, saves: u64| kills >= 10 && saves >= 5;
    while kills < KILLS && (begin.elapsed() < most_time || !is_enough(kills, saved - first)) {
        let wait = pace.mul_f64(random.below(6000) as f64 / 1000.0);
        let reported = kill_after(wait, "generations", &path).last().map_or(saved, |(last, _)| saved.max(*last));
        let found = generation_in(&fs::read(&path).expect("a file")).expect("no whole generation");
        assert!(found >= reported, "generation {found}, but {reported} was saved");
        (kills, saved) = (kills + 1, found);
        // It has saved one at a time, and has removed what the one before has left.
        let left: Vec<_> = folder.names().into_iter().filter(|name| name != "save").collect();
        assert!(left.is_empty() || left == [".varbatch-0"], "{left:?}");
    }
    assert!(is_enough(kills, saved - first), "{kills} kills, {} saves: too few to say anything", saved - first);
    save(&path, &encoded(&[7; 4000]), MEBI, None).expect("saves");
    assert_eq!(folder.names(), ["save"], "what the last one has left");
}

#[test]
fn a_process_that_is_killed_loses_no_record_that_it_has_reported() {
    let (folder, path) = Folder::with("log");
    let kills = env::var(APPEND_KILLS_NAME).ok().and_then(|count| count.parse().ok()).unwrap_or(APPEND_KILLS);
    let mut random = Random::new(19);
    let (mut last, mut in_file, mut reported, mut count) = (0, 0, 0, 0);
    // A busy machine needs more of them.
    while count < kills || reported as usize <= kills / 4 && count < 20 * kills {
        count += 1;
        let wait = MAX_WAIT.mul_f64(random.below(1000) as f64 / 1000.0);
        let said = kill_after(wait, "appends", &path).last().map_or(0, |(last, _)| *last);
        let bytes = fs::read(&path).unwrap_or_default();
        let (found, _) = numbers(&bytes);
        let newest = found.last().copied().unwrap_or(0);
        assert!(newest >= said.max(last), "record {newest} is the last one, but {said} was reported, {last} was there");
        assert_eq!(found, (newest + 1 - found.len() as u64..=newest).collect::<Vec<_>>(), "in order");
        assert!(found.len() as u64 >= in_file, "{} records, {in_file} were there", found.len());
        reported += said.saturating_sub(last);
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
    // In Wine a process takes most of its time to begin.
    assert!(reported as usize > kills / 4, "too few to say anything");
}

#[cfg(unix)]
#[test]
fn a_process_that_may_write_no_more_leaves_the_file_as_it_was() {
    let (folder, path) = Folder::with("save");
    fs::write(&path, [1; MEBI]).expect("writes");
    let text = run(&mut limited_program(), "saves too much", &path);
    for how in ["None", "Some(Zstd)"] {
        assert!(text.contains(&format!("{how}: {:?}, old true, 1 files", ErrorKind::FileTooLarge)), "{text}");
    }
    assert_holds(&path, &[7; 4000]);
    fs::remove_file(&path).expect("removes");
    run(&mut limited_program(), "appends too much", &path);
    let (found, is_whole) = numbers(&fs::read(&path).expect("a file"));
    assert!(is_whole && found.len() > 3, "{found:?}");
    append(&path, &batch(found.len() as u64 + 1).0).expect("appends");
    assert!(numbers(&fs::read(&path).expect("a file")).1);
    assert_eq!(folder.names(), ["save"]);
}

#[test]
fn a_name_without_a_folder_is_one_in_the_current_folder() {
    let (folder, path) = Folder::with("save");
    run(this_program().current_dir(folder.path()), "no folder", Path::new("save"));
    assert_holds(&path, &[7; 4000]);
    assert_eq!(folder.names(), ["save"]);
}
