use super::{Same, common_prefix};

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
