//! Guards: a delta from anywhere gives an error that says where, or a result within its limit; nothing panics.

use std::collections::BTreeMap;

use varbatch_codec::change::Edit;
use varbatch_codec::change::delta::{self, DeltaError, DeltaErrorKind};
use varbatch_codec::limits::MAX_VALUE_LEN;

use super::delta::{made, varint};
use crate::support::memory::most_held;
use crate::support::random::Random;

const BASE: &[u8] = b"0123456789";

/// A delta of the base with these tokens, that announces `len` bytes.
fn delta(base: &[u8], len: usize, tokens: &[u8]) -> Vec<u8> {
    [&[1][..], &delta::hash(base).to_le_bytes(), &varint(len), tokens].concat()
}

/// The result; fails if it breaks the limit.
fn applied(base: &[u8], delta: &[u8]) -> Result<Vec<u8>, DeltaError> {
    let plan = delta::apply(base, delta)?;
    assert!(plan.len() <= base.len() + delta.len(), "{} of {} and {}", plan.len(), base.len(), delta.len());
    Ok(plan.to_vec())
}

/// Deltas of the base that announce so many bytes and have these tokens: what is expected, what is found, at which byte.
const WRONG: [(usize, &[u8], &str, &str, usize); 18] = [
    (MAX_VALUE_LEN + 1, &[], "at most 2147483647 bytes for the result", "2147483648", 9),
    (11, &[], "11 bytes for the result", "10", 9),
    (1, &[], "1 byte for the result", "10", 9),
    (10, &[0, 1, 2, 7, 7], "10 bytes for the result", "11", 9),
    (10, &[0x80], "a token", "the end", 11),
    (10, &[0], "a count to skip", "the end", 11),
    (10, &[0, 1], "a count to insert", "the end", 12),
    (10, &[7], "a count to replace", "the end", 11),
    (10, &[3, 1], "3 bytes for literals", "1", 11),
    (10, &[1], "1 byte for literals", "0", 11),
    (10, &[0xff; 9], "at most 9 bytes for a token", "more", 10),
    (10, &[0xff; 8], "a token", "the end", 18),
    (10, &[0x88, 0], "a token in as few bytes as it needs", "a last byte of 0", 10),
    (10, &[11 << 3 | 1, 7], "at most 10 bytes to copy at byte 0 of the base", "11", 10),
    (10, &[9 << 3 | 2, 7, 7], "at most 1 byte to replace at byte 9 of the base", "2", 10),
    (10, &[1, 7, 7, 3], "at most 9 bytes to replace at byte 1 of the base", "10", 12),
    (10, MOST, "at most 10 bytes to copy at byte 0 of the base", "1152921504606846975", 10),
    (10, MOST_LITERALS, "9223372036854775807 bytes for literals", "0", 21),
];
const MOST: &[u8] = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
const MOST_LITERALS: &[u8] = b"\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f";

#[track_caller]
fn assert_error(delta: &[u8], expected: &str, found: &str, at: usize) {
    let error = applied(BASE, delta).expect_err("an error");
    assert_eq!(error.to_string(), format!("expected {expected}, found {found}, at byte {at} of the delta"));
}

#[test]
fn each_error_says_what_was_expected_and_found() {
    for (len, tokens, expected, found, at) in WRONG {
        assert_error(&delta(BASE, len, tokens), expected, found, at);
    }
    assert_error(b"", "the version", "the end", 0);
    assert_error(b"\x02", "version 1 of the delta format", "2", 0);
    assert_error(b"\x01\x02\x03", "8 bytes for the hash", "2", 1);
    let good = delta(BASE, 10, &[]);
    assert_error(&good[..9], "the length of the result", "the end", 9);
    let found = format!("{:016x} for its 10 bytes", delta::hash(BASE));
    assert_error(b"\x01\xef\xcd\xab\0\0\0\0\0\x0a", "a base with the hash 0000000000abcdef", &found, 1);
    let error = applied(b"x", &good).expect_err("an error").to_string();
    assert!(error.ends_with(" for its 1 byte, at byte 1 of the delta"), "{error}");
}

#[test]
fn what_no_one_writes_but_says_what_it_means_is_taken() {
    for (tokens, result) in
        [(&[0, 0, 0][..], "0123456789"), (&[8, 2, 0], "03456789"), (&[80, 0, 1, b'x'], "0123456789x")]
    {
        assert_eq!(applied(BASE, &delta(BASE, result.len(), tokens)).expect("applies"), result.as_bytes());
    }
}

/// A small delta with a token of each kind.
fn small() -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let before = Random::new(3).bytes(200);
    let mut after = before.clone();
    after[4..7].fill(0);
    after[20..40].fill(1);
    after.splice(150..152, [9; 5]);
    let edits = [(0..100, 0..100), (150..152, 150..155)].map(|(before, after)| Edit { before, after });
    let delta = made(&before, &after, edits);
    (before, after, delta)
}

/// A cut between two tokens shows by the length, unless what follows changes none.
#[test]
fn each_cut_is_seen_or_gives_the_announced_length() {
    let (before, after, delta) = small();
    let mut errors = 0;
    for cut in 0..delta.len() {
        match applied(&before, &delta[..cut]) {
            Ok(result) => assert_eq!(result.len(), after.len(), "cut at {cut}"),
            Err(_) => errors += 1,
        }
    }
    // The last token is the one that changes the length, so that no cut is left.
    assert_eq!(errors, delta.len());
}

#[test]
fn each_other_byte_is_seen_or_stays_within_the_limit() {
    let (before, after, delta) = small();
    let mut kinds = BTreeMap::<String, usize>::new();
    for at in 0..delta.len() {
        for change in 1..=255 {
            let mut damaged = delta.clone();
            damaged[at] ^= change;
            let kind = match applied(&before, &damaged) {
                Ok(result) => {
                    assert!(at > 9 && result.len() == after.len(), "byte {at} as {}", damaged[at]);
                    "applied".into()
                }
                Err(error) => match error.kind {
                    DeltaErrorKind::Damaged(text) => {
                        let parts = ["of the base", "as few bytes", "found"];
                        parts.into_iter().find(|part| text.contains(part)).expect("a text").into()
                    }
                    kind => format!("{kind:?}").split([' ', '(']).next().expect("a name").into(),
                },
            };
            *kinds.entry(kind).or_default() += 1;
        }
    }
    let names: Vec<_> = kinds.keys().map(String::as_str).collect();
    let expected = ["Base", "Len", "Version", "applied", "as few bytes", "found", "of the base"];
    assert_eq!(names, expected, "{kinds:?}");
    assert_eq!((kinds["Version"], kinds["Base"]), (255, 8 * 255));
}

#[test]
fn random_tokens_stay_within_the_limit() {
    let mut random = Random::new(11);
    let base = random.bytes(300);
    let mut applied_count = 0;
    for _ in 0..50_000 {
        let len = random.below(24);
        let tokens: Vec<_> = (0..len).map(|_| random.pick(&[0, 1, 2, 7, 8, 15, 0x81, 0xff, 3, 64])).collect();
        // What they make is not known before, so that the announced length is taken from the error.
        let tried = delta(&base, 0, &tokens);
        if let Err(error) = applied(&base, &tried)
            && let DeltaErrorKind::Len { found, .. } = error.kind
        {
            assert_eq!(applied(&base, &delta(&base, found, &tokens)).expect("applies").len(), found);
            applied_count += 1;
        }
    }
    assert!(applied_count > 5000, "{applied_count}");
}

/// The most that a byte of a delta may cost: short copies, and borrowed ones.
#[test]
fn memory_is_bounded_by_the_delta() {
    let base = vec![5; 4 << 20];
    for copy in [0, 15, 16, 64, 65, 100] {
        let token = [&varint(copy << 3 | 1)[..], &[6]].concat();
        let count = base.len() / (copy + 1) / 4;
        let delta = delta(&base, base.len(), &token.repeat(count));
        let (bytes, plan) = most_held(|| delta::apply(&base, &delta).expect("applies").len());
        assert_eq!(plan, base.len());
        assert!(bytes <= 96 * delta.len(), "{copy}: {bytes} bytes for {}", delta.len());
    }
    // A length that is announced takes none.
    let hostile = delta(&base, MAX_VALUE_LEN, &[]);
    let (bytes, result) = most_held(|| delta::apply(&base, &hostile).map(|plan| plan.len()));
    assert!(
        bytes < 1024 && matches!(result, Err(DeltaError { kind: DeltaErrorKind::Len { .. }, .. })),
        "{bytes} bytes"
    );
}
