//! Runs every input that fuzzing kept through the check of its target. See `rust/fuzz/README.md`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

#[path = "../../fuzz/checks/mod.rs"]
mod checks;

const TARGETS: [&str; 11] = [
    "changes",
    "compressed",
    "decode",
    "delta",
    "fastlz",
    "frames",
    "roundtrip",
    "states",
    "transcode",
    "validate",
    "values",
];

/// The folder of a target's inputs, which is there while it is fuzzed. The file of the same name and `.txt` keeps them.
fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target)
}

/// The inputs of a target, one a line.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    fs::read_to_string(folder(target).with_extension("txt")).expect("a corpus").lines().map(input).collect()
}

/// The input of a line: hex digits, and `(...)xN` for the same bytes N times.
fn input(line: &str) -> Vec<u8> {
    let part = |part: &str| match part.strip_prefix('(').and_then(|part| part.split_once(")x")) {
        Some((unit, times)) => bytes(unit).repeat(times.parse().expect("a number of times")),
        None => bytes(part),
    };
    line.split(' ').flat_map(part).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// An input as a line.
fn line(mut input: &[u8]) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (mut parts, mut single) = (Vec::new(), Vec::new());
    while let Some(&first) = input.first() {
        let times = |len: usize| input.chunks_exact(len).take_while(|chunk| *chunk == &input[..len]).count();
        let saved = |len: usize| (2 * len * times(len)).saturating_sub(2 * len + 7);
        let len =
            [1, 2, 3, 4, 8, 12, 16, 20, 24, 32].into_iter().rev().max_by_key(|&len| saved(len)).expect("a length");
        if saved(len) > 0 {
            parts.extend((!single.is_empty()).then(|| hex(&std::mem::take(&mut single))));
            parts.push(format!("({})x{}", hex(&input[..len]), times(len)));
            input = &input[len * times(len)..];
        } else {
            single.push(first);
            input = &input[1..];
        }
    }
    parts.extend((!single.is_empty()).then(|| hex(&single)));
    parts.join(" ")
}

/// Feeds all inputs of each target to its check, and names those that fail.
#[test]
fn every_input_that_fuzzing_kept_passes() {
    for target in TARGETS {
        let inputs = inputs(target);
        // A corpus without its inputs would test nothing.
        assert!(inputs.len() >= 20, "{} inputs of {target}", inputs.len());
        let is_bad = |data: &[u8]| catch_unwind(AssertUnwindSafe(|| checks::check(target, data))).is_err();
        let failed: Vec<_> = inputs.iter().enumerate().filter(|(_, data)| is_bad(data)).map(|(at, _)| at + 1).collect();
        assert!(failed.is_empty(), "lines {failed:?} of {target}.txt");
        assert!(inputs.iter().all(|data| input(&line(data)) == *data), "packed as another input");
    }
}

#[test]
#[ignore = "a tool: writes the inputs of each target into its folder, for the fuzzer"]
fn unpack() {
    for target in TARGETS {
        fs::create_dir_all(folder(target)).expect("a folder");
        for (at, input) in inputs(target).iter().enumerate() {
            fs::write(folder(target).join(format!("kept_{at}")), input).expect("a file");
        }
    }
}

#[test]
#[ignore = "a tool: replaces the inputs of each target that has a folder by the files in it"]
fn pack() {
    for target in TARGETS {
        let Ok(files) = fs::read_dir(folder(target)) else { continue };
        let files = files.map(|file| fs::read(file.expect("a file").path()).expect("a file"));
        let mut lines: Vec<_> = files.filter(|data| !data.is_empty()).map(|data| line(&data) + "\n").collect();
        lines.sort_by(|one, two| (one.len(), one).cmp(&(two.len(), two)));
        lines.dedup();
        fs::write(folder(target).with_extension("txt"), lines.concat()).expect("a file");
    }
}
