//! Counting one case: this program once more, under callgrind.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The option before the name of the case that is to be run.
pub const CASE: &str = "--case";

/// Where the profiles are left.
pub const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/counts");

/// Instructions are collected inside of this function only.
pub const COUNTED: &str = "*counted_path*";

/// Instructions of one case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// In this program: the codec, and what it uses of Rust's library.
    pub own: u64,
    /// In the C library: allocating, and copying more than a few bytes. What it copies with `rep movsb` counts once a byte.
    pub libc: u64,
}

impl Counts {
    pub fn all(self) -> u64 {
        self.own + self.libc
    }
}

/// Runs a case under callgrind.
///
/// valgrind gives it the same memory layout each time, and a processor that has AVX2 if the machine has it, but never
/// AVX-512. The environment is empty, so that no settings of valgrind or of the C library change the count.
pub fn count(name: &str) -> Counts {
    let program = env::current_exe().expect("this program has a path");
    let file = format!("{}.out", name.replace(' ', "-"));
    fs::create_dir_all(FOLDER).expect("cannot make the folder of the profiles");
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .args([format!("--toggle-collect={COUNTED}"), format!("--callgrind-out-file={file}")])
        .arg(&program)
        .args([CASE, name])
        .env_clear()
        .envs(env::var_os("PATH").map(|path| ("PATH", path)))
        .current_dir(FOLDER)
        .output()
        .expect("cannot run valgrind");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let profile = fs::read_to_string(Path::new(FOLDER).join(file)).expect("callgrind writes a profile");
    let counts = parse(&profile, program.to_str().expect("the path is UTF-8"));
    assert!(counts.own > 0, "{name}: nothing was counted: bench.sh --count builds with the symbols that it takes");
    counts
}

/// Adds up the costs in a profile, by the object that their function is in.
fn parse(profile: &str, program: &str) -> Counts {
    let mut counts = Counts::default();
    let (mut is_own, mut is_call) = (false, false);
    for line in profile.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            is_own = object == program;
        } else if line.starts_with("calls=") {
            // The next line has what the called function cost, which stands with that function as well.
            is_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit()) && !std::mem::take(&mut is_call) {
            let cost = line.split_once(' ').and_then(|(_, cost)| cost.parse::<u64>().ok());
            *(if is_own { &mut counts.own } else { &mut counts.libc }) += cost.expect("a line number and a cost");
        }
    }
    counts
}
