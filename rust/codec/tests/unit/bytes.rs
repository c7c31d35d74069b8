use super::{Same, common_prefix, common_suffix};

/// Each length, and a difference at each offset of it.
#[test]
fn prefixes_and_suffixes_end_where_bytes_differ() {
    for len in (0..200).chain([4000, 4096, 4160, 9000]) {
        let a = vec![7; len];
        assert_eq!((common_prefix(&a, &a), common_suffix(&a, &a)), (len, len));
        for at in (0..len).step_by(len / 100 + 1) {
            let mut b = a.clone();
            b[at] = 8;
            assert_eq!((common_prefix(&a, &b), common_suffix(&a, &b)), (at, len - at - 1), "{len} {at}");
            b.push(7);
            assert_eq!(common_prefix(&a, &b), at);
            b.insert(0, 7);
            assert_eq!(common_suffix(&a, &b[..=len]), len - at - 1);
        }
    }
}

#[test]
fn known_runs_are_the_same_bytes() {
    let mut before = vec![1; 20_000];
    let after = before.clone();
    before[12_345] = 2;
    let mut same = Same::new(&before, &after);
    for (a, b, len) in [(0, 0, 8), (5000, 5000, 9000), (12_000, 12_000, 1), (12_345, 12_345, 4), (13_000, 1, 99_999)] {
        let expected = common_prefix(&before[a..], &after[b..]);
        let run = same.run(a, b, len);
        assert!(run <= expected && run >= len.min(expected), "{a} {b} {len}: {run} of {expected}");
    }
}
