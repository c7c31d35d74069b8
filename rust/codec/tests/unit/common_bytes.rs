use super::{common_prefix, common_suffix};

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
