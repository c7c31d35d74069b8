//! Runs every input that fuzzing kept through the check of its target. See `rust/fuzz/README.md`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[path = "../../fuzz/checks/mod.rs"]
mod checks;

/// The size of a header in a tar archive, and of what the data of a file is padded to.
const BLOCK: usize = 512;

/// Returns the name and the bytes of each file in a tar archive. Skips entries that are not files.
fn files(mut archive: &[u8]) -> Vec<(String, &[u8])> {
    let mut files = Vec::new();
    while archive[0] != 0 {
        let (header, rest) = archive.split_at(BLOCK);
        assert_eq!(&header[257..262], b"ustar", "not a tar archive");
        let text = |at: usize, len: usize| {
            let field = header[at..at + len].split(|&byte| byte == 0).next().expect("a field");
            String::from_utf8(field.to_vec()).expect("a text")
        };
        let len = usize::from_str_radix(&text(124, 12), 8).expect("an octal length");
        if header[156] == b'0' {
            files.push((text(0, 100), &rest[..len]));
        }
        archive = &rest[len.next_multiple_of(BLOCK)..];
    }
    files
}

/// Feeds all inputs of each target to its check, and names those that fail.
#[test]
fn every_input_that_fuzzing_kept_passes() {
    for target in ["compressed", "decode", "delta", "fastlz", "frames", "roundtrip", "states", "transcode", "validate"]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../fuzz/corpus/{target}.tar"));
        let archive = fs::read(&path).expect("a corpus");
        let files = files(&archive);
        // A corpus without its inputs would test nothing.
        assert!(files.len() >= 20, "{} inputs in {}", files.len(), path.display());
        let is_bad = |data: &[u8]| catch_unwind(AssertUnwindSafe(|| checks::check(target, data))).is_err();
        let failed: Vec<&String> = files.iter().filter(|(_, data)| is_bad(data)).map(|(name, _)| name).collect();
        assert!(failed.is_empty(), "{}: {failed:#?}", path.display());
    }
}
