//! Files that are larger than the memory that the tool takes for them.

use std::process::Stdio;

use varbatch_storage::compressed::Compression;

use crate::support::{Folder, Ran, compress, frames, save_3, words};

/// The length of the file in bytes.
const LEN: usize = 48 << 20;

/// Max bytes that the tool may take, on two threads.
const MAX_MEMORY: usize = 40 << 20;

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
