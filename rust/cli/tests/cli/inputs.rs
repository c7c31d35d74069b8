//! Standard input, pipes, and inputs that are no files.
//!
//! Files that are larger than the memory that the tool takes for them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::Stdio;

use varbatch_storage::compressed::Compression;

use crate::support::{Folder, Ran, compress, frames, int, save, save_3, save_3_in_4, words};

const TO_4: &str = "convert --from godot3 --to godot4";

#[test]
fn every_command_reads_standard_input() {
    let folder = Folder::with("a", &frames(&[&int(1), &save()]));
    let bytes = folder.read("a");
    folder.run_piped("check -", &bytes).expect(0, "standard input: ok, 2 values\n", "");
    folder.run_piped("check --format value -", &save()).expect(0, "standard input: ok, 1 value\n", "");
    assert_eq!(folder.run_piped("show -", &bytes).out, folder.run("show a").out);
    assert_eq!(folder.run_piped("show -", &save()).out.lines().count(), 5);
    folder.run_piped("diff a -", &bytes).expect(0, "", "");
    folder.run_piped("diff - a", &frames(&[&int(1)])).expect(1, "frame 1: insert: Dictionary of 2\n", "");
    assert_eq!(folder.run_piped("get --frame 1 - [\"hp\"]", &bytes).out, "        36         8  int 7\n");
    let old = frames(&[&save_3()]);
    folder.run_piped(&format!("{TO_4} - b"), &old).expect(0, "b: 1 value from godot3 to godot4\n", "");
    assert_eq!(folder.read("b"), frames(&[&save_3_in_4()]));
    // A file of this name can still be read.
    folder.write("-", &bytes);
    folder.run("check ./-").expect(0, "./-: ok, 2 values\n", "");
}

#[test]
fn damage_in_a_pipe_is_damage() {
    let folder = Folder::new();
    let bad = frames(&[&int(1), &words(&[99])]);
    let error = "error: standard input: frame 1: expected a type from 0 to 38, found 99, at byte 16\n";
    folder.run_piped("check -", &bad).expect(1, "standard input: damaged, 1 value of 2\n", error);
    folder.run_piped("check -", &[]).expect(1, "standard input: empty\n", "");
    let cut = &frames(&[&int(1), &int(2)])[..22];
    let error = "error: standard input: the file is cut off, 2 bytes are missing, at byte 16\n";
    folder.run_piped("check -", cut).expect(1, "standard input: damaged, 1 value before the end\n", error);
    // A file of another engine is recognized, although that reads it again.
    let hint = "hint: standard input: all of it can be read with --from godot3\n";
    folder.run_piped("check -", &frames(&[&save_3()])).has(1, "", hint);
    let ran = folder.run_piped(&format!("{TO_4} - out"), &bad);
    assert_eq!((ran.code, folder.names().len()), (1, 0), "{ran:?}");
}

#[test]
fn convert_writes_standard_output() {
    let folder = Folder::with("a", &frames(&[&save_3(), &int(1)]));
    let expected = frames(&[&save_3_in_4(), &int(1)]);
    let whole = folder.piped(&format!("{TO_4} - -"), &folder.read("a"));
    assert_eq!((whole.status.code(), &whole.stdout[..], &whole.stderr[..]), (Some(0), &expected[..], &b""[..]));
    let of_file = folder.command(&format!("{TO_4} a -")).output().expect("run");
    assert_eq!(of_file.stdout, expected);
    // All or nothing.
    let bad = folder.piped(&format!("{TO_4} - -"), &frames(&[&save_3(), &words(&[99])]));
    assert_eq!((bad.status.code(), bad.stdout.len()), (Some(1), 0));
    // A compressed file is read twice.
    compress(&folder, "packed", &folder.read("a"), Compression::Zstd);
    let packed = folder.piped(&format!("{TO_4} - -"), &folder.read("packed")).stdout;
    folder.write("packed4", &packed);
    folder.write("plain4", &expected);
    folder.run("diff packed4 plain4").expect(0, "", "");
    assert_eq!(folder.names(), ["a", "packed", "packed4", "plain4"]);
}

#[test]
fn a_long_pipe_is_read_to_its_end() {
    let folder = Folder::new();
    let frame = frames(&[&save_3()]);
    let stream = frame.repeat(100_000);
    folder.run_piped("check --from godot3 -", &stream).expect(0, "standard input: ok, 100000 values\n", "");
    let out = folder.piped(&format!("{TO_4} - -"), &stream).stdout;
    assert!(out == frames(&[&save_3_in_4()]).repeat(100_000), "{} bytes", out.len());
}

#[test]
fn standard_input_is_given_once() {
    let folder = Folder::with("a", &save());
    for args in ["check - a -", "diff - -"] {
        folder.run_piped(args, &save()).fails(2, "error: the standard input can be given only once\n");
    }
}

#[test]
fn standard_input_begins_where_it_stands() {
    let folder = Folder::with("a", &[b"head".to_vec(), frames(&[&int(1)])].concat());
    let mut file = File::open(folder.path("a")).expect("opened");
    file.seek(SeekFrom::Start(4)).expect("moved");
    let output = folder.command("check -").stdin(file).output().expect("run");
    Ran::of(&output).expect(0, "standard input: ok, 1 value\n", "");
    let nothing = folder.command("check -").output().expect("run");
    Ran::of(&nothing).expect(1, "standard input: empty\n", "");
}

#[test]
fn who_reads_the_output_may_have_enough() {
    let folder = Folder::with("a", &frames(&[&int(1)]).repeat(100_000));
    folder.write("b", &frames(&[&int(2)]).repeat(100_000));
    for args in
        ["show a", "show --all a", "show --all --json a", "diff --all a b", "diff --all --json a b", "completions bash"]
    {
        let mut command = folder.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("run");
        child.stdout.take().expect("piped").read_exact(&mut [0; 8]).expect("a line");
        Ran::of(&child.wait_with_output().expect("ended")).right();
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::process::Command;

    /// Runs a line of bash, in which `varbatch` is the tool.
    fn bash(folder: &Folder, line: &str) -> Ran {
        let mut command = Command::new("bash");
        let tool = folder.command("").get_program().to_owned();
        command.current_dir(folder.path("")).env("TOOL", tool).stdin(Stdio::null());
        Ran::of(&command.arg("-c").arg(format!("varbatch() {{ \"$TOOL\" \"$@\"; }}; {line}")).output().expect("bash"))
    }

    #[test]
    fn process_substitutions_are_pipes() {
        let folder = Folder::with("a", &frames(&[&int(1), &save()]));
        folder.write("bad", &frames(&[&int(1), &words(&[99])]));
        bash(&folder, "varbatch check <(cat a)").has(0, ": ok, 2 values\n", "");
        bash(&folder, "varbatch check <(cat bad)").has(1, ": damaged, 1 value of 2\n", "");
        bash(&folder, "varbatch diff a <(cat a)").expect(0, "", "");
        bash(&folder, "varbatch diff <(cat a) <(head -c 12 a)").expect(1, "frame 1: remove: Dictionary of 2\n", "");
        let line = "varbatch convert --from godot4 --to godot4 <(cat a) b && cmp a b";
        bash(&folder, line).expect(0, "b: 2 values from godot4 to godot4\n", "");
        bash(&folder, "cat a | varbatch check /dev/stdin").expect(0, "/dev/stdin: ok, 2 values\n", "");
        bash(&folder, "mkfifo p && { cat a >p & varbatch check p; }").expect(0, "p: ok, 2 values\n", "");
    }

    #[test]
    fn devices_and_sockets_are_refused() {
        let folder = Folder::with("a", &save());
        let _socket = UnixListener::bind(folder.path("socket")).expect("bound");
        for (file, what) in [("/dev/zero", "a device"), ("/dev/null", "a device"), ("socket", "a socket")] {
            let error = format!("error: {file}: expected a file or a pipe, found {what}\n");
            for args in ["show", "check --quiet", "diff a", "convert --from godot4 --to godot3"] {
                let out = if args.starts_with("convert") { " out" } else { "" };
                folder.run(&format!("{args} {file}{out}")).fails(3, &error);
            }
            folder.run(&format!("get {file} [0]")).fails(3, &error);
        }
    }

    #[test]
    fn a_pipe_needs_room_for_a_temporary_file() {
        let folder = Folder::with("a", &save());
        let ran = bash(&folder, "cat a | TMPDIR=/nowhere varbatch check -");
        let why = "there is no such file or folder";
        ran.fails(3, &format!("error: standard input: cannot copy it to a temporary file: {why}\n"));
        let line = "TMPDIR=/nowhere varbatch convert --from godot4 --to godot4 a - | cat; exit ${PIPESTATUS[0]}";
        bash(&folder, line).fails(3, &format!("error: the output: no temporary folder: {why}\n"));
        // A file needs none.
        let both = "a: ok, 1 value\nstandard input: ok, 1 value\n";
        bash(&folder, "TMPDIR=/nowhere varbatch check a - <a").expect(0, both, "");
    }

    #[test]
    fn standard_input_may_be_a_socket() {
        // Some programs start others like this.
        let (mut ours, theirs) = UnixStream::pair().expect("a pair");
        let folder = Folder::new();
        let mut command = folder.command("check -");
        let child = command.stdin(std::os::fd::OwnedFd::from(theirs)).stdout(Stdio::piped()).spawn().expect("run");
        drop(command);
        ours.write_all(&save()).expect("written");
        drop(ours);
        let output = child.wait_with_output().expect("ended");
        Ran::of(&output).expect(0, "standard input: ok, 1 value\n", "");
    }
}

#[cfg(windows)]
#[test]
fn devices_are_refused() {
    let folder = Folder::with("a", &save());
    for file in ["con", "NUL", "com1.dat"] {
        let error = format!("error: {file}: not a regular file\n");
        folder.run(&format!("check --quiet {file}")).fails(3, &error);
        folder.run(&format!("convert --from godot4 --to godot3 a {file}")).fails(3, &error);
    }
    assert_eq!(folder.names(), ["a"]);
}

/// The length of the file in bytes.
const LEN: usize = 64 << 20;

/// Max bytes that the tool may take, on two threads.
const MAX_MEMORY: usize = 48 << 20;

/// Runs the tool. Fails if its peak memory is not within `MAX_MEMORY` above `min` bytes, which only Linux tells.
#[track_caller]
fn watched(folder: &Folder, args: &str, min: usize) -> Ran {
    let mut command = folder.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("run");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("alive").is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        // For a moment the process has the memory of this one, and its name.
        let of_tool = status.strip_prefix("Name:\tvarbatch\n").unwrap_or_default();
        let peak = of_tool.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        most = peak.map_or(most, |peak| most.max(1024 * peak.trim().parse::<usize>().expect("a number")));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(!cfg!(target_os = "linux") || (min..min + MAX_MEMORY).contains(&most), "{args}: {most} bytes");
    Ran::of(&child.wait_with_output().expect("ended"))
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let frame = frames(&[&save_3()]);
    let count = LEN / frame.len();
    let stream = frame.repeat(count);
    let folder = Folder::with("a", &stream);
    compress(&folder, "packed", &stream, Compression::Deflate);
    let check = format!("a: ok, {count} values\n");
    let convert = format!("b: {count} values from godot3 to godot4\n");
    let convert_packed = format!("c: {count} values from godot3 to godot4\n");
    let show = format!("frame 600000\n{:>10} {:>9}  Dictionary of 2 ...\n", 600_000 * 68 + 4, 64);
    for (args, out) in [
        ("check --from godot3 --threads 2 a", check),
        ("convert --from godot3 --to godot4 --threads 2 a b", convert),
        // So slow that a terminal would see a bar.
        ("convert --from godot3 --to godot4 --threads 2 packed c", convert_packed),
        ("show --from godot3 --threads 2 --frame 600000 --depth 0 a", show),
    ] {
        // Nor is there a progress bar: this is no terminal.
        watched(&folder, args, 1).expect(0, &out, "");
    }
}

#[test]
fn zeros_without_an_end_are_given_up() {
    let folder = Folder::with("a", &[]);
    let file = std::fs::OpenOptions::new().write(true).open(folder.path("a")).expect("opened");
    // A sparse file takes no space on the disk.
    file.set_len(3 << 30).expect("made longer");
    for args in ["check a", "check --json a", "show a"] {
        let start = std::time::Instant::now();
        let ran = watched(&folder, args, 1);
        let lines = ran.out.lines().count() + ran.err.lines().count();
        assert!(ran.code == 1 && lines <= 25, "{args}: {lines} lines");
        // 64 MiB are looked at; reading all of the file would take minutes.
        assert!(start.elapsed().as_secs() < 10, "{args}: {:?}", start.elapsed());
    }
    // Short enough for one value, but not a value.
    file.set_len(1 << 30).expect("made shorter");
    assert_eq!(watched(&folder, "check a", 1).code, 1);
}

#[test]
fn showing_one_value_holds_only_its_bytes() {
    // An array of empty arrays, of which most are not shown.
    let count = LEN / 8;
    let value = [words(&[28, count as u32]), words(&[28, 0]).repeat(count)].concat();
    let folder = Folder::with("a", &value);
    for args in ["show --format value a", "show --format value --json a", "get --format value a [4000000]"] {
        watched(&folder, args, LEN).right();
    }
}
