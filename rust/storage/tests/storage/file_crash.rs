//! Guards: a process that is killed while it saves, or may not write any more, leaves the old file or the new one, whole.
//!
//! The processes are this program once more: see [`child`].

use std::env;
use std::fs;
#[cfg(unix)]
use std::io::ErrorKind;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use varbatch_codec::Dialect;
use varbatch_codec::{Event, Plan, Writer, frames};
use varbatch_storage::compressed::Compression;

use crate::file_save::{MEBI, assert_holds, encoded, save};
use crate::folder::Folder;
use crate::support::random::Random;

/// What a child is to do, and with which file, in its environment.
pub const TASK: &str = "VARBATCH_CHILD_TASK";
pub const PATH: &str = "VARBATCH_CHILD_PATH";

/// How often the child is killed, unless that takes too long.
const KILLS: usize = 300;
const MOST_TIME: Duration = Duration::from_secs(20);

/// Seconds to kill it for, in the environment, where starting a process takes long.
const SECONDS: &str = "VARBATCH_KILLING_SECONDS";

/// Numbers of 8 bytes as frames of 16 bytes: a bit more than 3 MiB, and no two generations as long.
fn generation(number: u64) -> Plan<'static> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for index in 0..200_000 + number % 1000 {
        // Beyond 32 bits, so that all are as long.
        let value = 1 << 40 | number << 20 | index;
        frames::write(&mut writer, |writer| writer.write(Event::Int(value as i64))).expect("writes");
    }
    writer.into_plan()
}

/// Which generation a file is, if it is a whole one.
fn generation_in(bytes: &[u8]) -> Option<u64> {
    let first = bytes.get(8..16)?.try_into().expect("eight bytes");
    let number = (u64::from_le_bytes(first) ^ 1 << 40) >> 20;
    (number < 1 << 20 && generation(number).to_vec() == bytes).then_some(number)
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
        return;
    };
    let path = Path::new(&path);
    match &*task {
        "generations" => {
            let last = fs::read(path).ok().and_then(|bytes| generation_in(&bytes)).expect("a whole generation");
            for number in last + 1.. {
                save(path, &generation(number), MEBI, None).expect("saves");
                report(number);
            }
        }
        "too much" => {
            let bytes = Random::new(1).bytes(8 * MEBI);
            for how in [None, Some(Compression::Zstd)] {
                let error = save(path, &encoded(&bytes), MEBI, how).expect_err("more than it may write");
                let is_old = fs::read(path).is_ok_and(|bytes| bytes == [1; MEBI]);
                let count = fs::read_dir(path.parent().expect("a folder")).expect("a folder").count();
                println!("{how:?}: {:?}, old {is_old}, {count} files", error.kind());
            }
            // Little can be saved yet.
            save(path, &encoded(&[7; 4000]), MEBI, None).expect("saves");
            println!("the end");
        }
        "no folder" => {
            save(path, &encoded(&[7; 4000]), MEBI, None).expect("saves");
            println!("the end");
        }
        _ => panic!("no task {task}"),
    }
}

const CHILD: &str = concat!(module_path!(), "::child");

/// Starts one test of this program, which looks for what to do in its environment.
pub fn start_test(command: &mut Command, name: &str, task: &str, path: &Path) -> Child {
    let name = name.split_once("::").expect("a crate before it").1;
    command.args([name, "--exact", "--nocapture"]).env(TASK, task).env(PATH, path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

pub fn this_program() -> Command {
    Command::new(env::current_exe().expect("this program"))
}

/// The same program, which the system refuses to make a file any longer than 1 or 2 MiB: as on a full disk.
#[cfg(unix)]
pub fn limited_program() -> Command {
    let mut shell = Command::new("sh");
    // Blocks of 512 bytes or of 1024. Who has set no answer to the signal would end by it.
    shell.args(["-c", r#"trap "" XFSZ && ulimit -f 2048 && exec "$0" "$@""#]).arg(env::current_exe().expect("a path"));
    shell
}

/// A child that does one thing after the other, until it is killed `wait` after it began. The numbers that it has reported
/// as done, and when.
pub fn kill_after(wait: Duration, name: &str, task: &str, path: &Path) -> Vec<(u64, Instant)> {
    let mut child = start_test(&mut this_program(), name, task, path);
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
    assert!(!child.wait().expect("an end").success());
    reports
}

/// Tells that a thing is done.
pub fn report(number: u64) {
    println!("done {number}");
    stdout().flush().expect("is heard");
}

#[test]
fn a_process_that_is_killed_leaves_a_whole_file_and_loses_nothing_that_it_has_reported() {
    let folder = Folder::new();
    let path = folder.join("save");
    let mut random = Random::new(9);
    fs::write(&path, generation(0).to_vec()).expect("writes");
    // How long a save takes here, as nobody knows that: some are killed where they begin, others later.
    let reports = kill_after(Duration::from_secs(1), CHILD, "generations", &path);
    let pace = match reports[..] {
        [(_, first), .., (_, last)] => (last - first) / (reports.len() as u32 - 1),
        _ => Duration::from_millis(300),
    };
    let first = generation_in(&fs::read(&path).expect("a file")).expect("no whole generation");
    let seconds = env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok());
    let most_time = seconds.map_or(MOST_TIME, Duration::from_secs);
    let (begin, mut kills, mut saved, mut newer, mut leaving) = (Instant::now(), 0, first, 0, 0);
    // A busy machine needs more time for enough of them.
    let is_enough = |kills: usize, saves: u64| kills >= 10 && saves >= 5;
    while kills < KILLS && (begin.elapsed() < most_time || !is_enough(kills, saved - first)) {
        let wait = pace.mul_f64(random.below(6000) as f64 / 1000.0);
        let reported = kill_after(wait, CHILD, "generations", &path).last().map_or(saved, |(last, _)| saved.max(*last));
        let found = generation_in(&fs::read(&path).expect("a file")).expect("no whole generation");
        assert!(found >= reported, "generation {found}, but {reported} was saved");
        newer += usize::from(found > reported);
        (kills, saved) = (kills + 1, found);
        // It has saved one at a time, and has removed what the one before has left.
        let left: Vec<_> = folder.names().into_iter().filter(|name| name != "save").collect();
        assert!(left.is_empty() || left == [".varbatch-0"], "{left:?}");
        leaving += left.len();
    }
    let (seconds, saves) = (begin.elapsed().as_secs_f32(), saved - first);
    println!("{kills} kills in {seconds:.1} s, {saves} saves, {newer} not reported any more, {leaving} left a file");
    assert!(is_enough(kills, saves), "{kills} kills, {saves} saves: too few to say anything");
    save(&path, &encoded(&[7; 4000]), MEBI, None).expect("saves");
    assert_eq!(folder.names(), ["save"], "what the last one has left");
}

#[cfg(unix)]
#[test]
fn a_process_that_may_write_no_more_keeps_the_old_file() {
    let folder = Folder::new();
    let path = folder.join("save");
    fs::write(&path, [1; MEBI]).expect("writes");
    let child = start_test(&mut limited_program(), CHILD, "too much", &path);
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    let kind = ErrorKind::FileTooLarge;
    let failed = |how: &str| format!("{how}: {kind:?}, old true, 1 files");
    for line in [failed("None"), failed("Some(Zstd)"), "the end".to_owned()] {
        assert!(text.contains(&line), "{text}{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(output.status.success());
    assert_holds(&path, &[7; 4000]);
    assert_eq!(folder.names(), ["save"]);
}

#[test]
fn a_name_without_a_folder_is_one_in_the_current_folder() {
    let folder = Folder::new();
    let mut program = this_program();
    let child = start_test(program.current_dir(folder.path()), CHILD, "no folder", Path::new("save"));
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_holds(&folder.join("save"), &[7; 4000]);
    assert_eq!(folder.names(), ["save"]);
}
