//! Runs every input that fuzzing kept through the check of its target. See `rust/fuzz/README.md`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[path = "../../fuzz/checks/mod.rs"]
mod checks;
#[path = "../../fuzz/corpus.rs"]
mod corpus;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus");

/// Feeds all inputs of each target to its check, and names those that fail.
#[test]
fn every_input_that_fuzzing_kept_passes() {
    for target in corpus::TARGETS {
        let inputs = corpus::inputs(Path::new(CORPUS), target).expect("a corpus");
        // A corpus without its inputs would test nothing.
        assert!(inputs.len() >= 20, "{} inputs of {target}", inputs.len());
        let is_bad = |data: &[u8]| catch_unwind(AssertUnwindSafe(|| checks::check(target, data))).is_err();
        let failed: Vec<_> = inputs.iter().enumerate().filter(|(_, data)| is_bad(data)).map(|(at, _)| at + 1).collect();
        assert!(failed.is_empty(), "lines {failed:?} of {target}.txt");
    }
}

#[test]
fn what_is_unpacked_and_packed_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    corpus::unpack(Path::new(CORPUS), folder.path()).expect("folders");
    corpus::pack(folder.path(), folder.path()).expect("files");
    for target in corpus::TARGETS {
        let text = |folder: &Path| fs::read_to_string(folder.join(target).with_extension("txt")).expect("a file");
        assert!(text(folder.path()) == text(Path::new(CORPUS)), "{target}.txt");
    }
}
