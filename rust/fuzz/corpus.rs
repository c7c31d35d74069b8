//! The inputs that fuzzing kept: a file of text for each target, and files of bytes for the fuzzer. See `README.md`.

use std::path::Path;
use std::{fs, io};

pub const TARGETS: [&str; 11] = [
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

// The test has it as a module.
#[cfg(not(test))]
fn main() -> io::Result<()> {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"));
    match std::env::args().nth(1).as_deref() {
        Some("unpack") => unpack(corpus, corpus),
        Some("pack") => pack(corpus, corpus),
        _ => Err(io::Error::other("expected unpack or pack")),
    }
}

/// Returns the inputs of a target, one a line of its file.
pub fn inputs(corpus: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    Ok(fs::read_to_string(corpus.join(target).with_extension("txt"))?.lines().map(input).collect())
}

/// Writes the inputs of each target into a folder of its name.
pub fn unpack(corpus: &Path, folders: &Path) -> io::Result<()> {
    for target in TARGETS {
        let folder = folders.join(target);
        fs::create_dir_all(&folder)?;
        for (at, input) in inputs(corpus, target)?.iter().enumerate() {
            fs::write(folder.join(format!("kept_{at}")), input)?;
        }
    }
    Ok(())
}

/// Replaces the inputs of each target that has a folder by the files in it.
pub fn pack(folders: &Path, corpus: &Path) -> io::Result<()> {
    for target in TARGETS {
        let Ok(files) = fs::read_dir(folders.join(target)) else { continue };
        let inputs = files.map(|file| fs::read(file?.path())).collect::<io::Result<Vec<_>>>()?;
        let mut lines: Vec<_> = inputs.iter().filter(|data| !data.is_empty()).map(|data| line(data) + "\n").collect();
        lines.sort_by(|one, two| (one.len(), one).cmp(&(two.len(), two)));
        lines.dedup();
        fs::write(corpus.join(target).with_extension("txt"), lines.concat())?;
    }
    Ok(())
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
