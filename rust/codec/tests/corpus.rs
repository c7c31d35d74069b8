//! Every input that fuzzing kept, through the checks that found it. See `fuzz/README.md`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[path = "../fuzz/checks/mod.rs"]
mod checks;

/// Feeds all files of one target to its check, and names those that fail.
#[track_caller]
fn feed(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).expect("a corpus").map(|entry| entry.expect("an entry").path());
    let (mut count, mut failed) = (0, Vec::new());
    for file in files {
        let data = fs::read(&file).expect("reads");
        if catch_unwind(AssertUnwindSafe(|| check(&data))).is_err() {
            failed.push(file);
        }
        count += 1;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    // A folder without its files would test nothing.
    assert!(count >= 20, "{count} files in {}", folder.display());
}

#[test]
fn decode() {
    feed("decode", checks::decode);
}

#[test]
fn compressed() {
    feed("compressed", checks::compressed);
}

#[test]
fn delta() {
    feed("delta", checks::delta);
}

#[test]
fn fastlz() {
    feed("fastlz", checks::fastlz);
}

#[test]
fn roundtrip() {
    feed("roundtrip", checks::roundtrip);
}

#[test]
fn states() {
    feed("states", checks::states);
}

#[test]
fn validate() {
    feed("validate", checks::validate);
}

#[test]
fn frames() {
    feed("frames", checks::frames);
}

#[test]
fn transcode() {
    feed("transcode", checks::transcode);
}
