//! Deltas that are refused: each with the code of its cause.

use godot::global::Error as EngineError;
use varbatch_codec::limits::MAX_VALUE_LEN;

use super::{apply_delta, make_delta};

#[test]
fn what_cannot_be_applied_has_the_code_of_its_cause() {
    let delta = make_delta(b"before", b"after").expect("short").to_vec();
    let code = |before: &[u8], delta: &[u8]| apply_delta(before, delta).expect_err("refused").code;
    assert_eq!(code(b"another", &delta), EngineError::ERR_INVALID_DATA);
    assert_eq!(code(b"before", &delta[..delta.len() - 1]), EngineError::ERR_FILE_CORRUPT);
    assert_eq!(code(b"before", b"no delta"), EngineError::ERR_FILE_UNRECOGNIZED);
}

/// Nothing is damaged then. The system makes no memory of zeros that nobody reads.
#[cfg(target_pointer_width = "64")]
#[test]
fn what_is_too_large_is_refused_as_a_value_is() {
    let failure = make_delta(b"before", &vec![0; MAX_VALUE_LEN + 1]).expect_err("too large");
    assert_eq!(failure.code, EngineError::ERR_INVALID_DATA);
    assert_eq!(failure.text, "after: expected at most 2147483647 bytes, found 2147483648");
}
