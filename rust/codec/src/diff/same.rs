//! Which bytes are the same in both.

/// Bytes that are compared at a time. Whole blocks are compared as memory, which says whether they are the same, not where they
/// differ.
const BLOCK: usize = 4 << 10;
const LINE: usize = 64;

/// Bytes that are compared ahead of who asks: as many as stay in a cache near the processor.
const AHEAD: usize = 32 << 10;

/// How many bytes at the start of both are the same.
pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let at = same_chunks(a, b, BLOCK);
    let at = at + same_chunks(&a[at..], &b[at..], LINE);
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes at the end of both are the same.
pub(super) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[a.len() - len..], &b[b.len() - len..]);
    let mut same = 0;
    for size in [BLOCK, LINE] {
        let (a, b) = (&a[..len - same], &b[..len - same]);
        let chunks = a.rchunks_exact(size).zip(b.rchunks_exact(size));
        same += size * chunks.take_while(|(a, b)| a == b).count();
    }
    let (a, b) = (&a[..len - same], &b[..len - same]);
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn same_chunks(a: &[u8], b: &[u8], size: usize) -> usize {
    size * a.chunks_exact(size).zip(b.chunks_exact(size)).take_while(|(a, b)| a == b).count()
}

/// What is known to be the same, so that no byte is compared at each level of nesting again.
#[derive(Debug)]
pub(super) struct Same<'a> {
    before: &'a [u8],
    after: &'a [u8],
    /// From here to there, `before` is the same as what lies in `after` by `shift` bytes further on.
    from: usize,
    to: usize,
    shift: usize,
}

impl<'a> Same<'a> {
    pub fn new(before: &'a [u8], after: &'a [u8]) -> Self {
        Self { before, after, from: 0, to: 0, shift: 0 }
    }

    /// How many bytes from these two places on are the same. Those that are not known are compared, `len` and some more.
    #[inline]
    pub fn run(&mut self, before: usize, after: usize, len: usize) -> usize {
        let is_known = self.shift == after.wrapping_sub(before) && (self.from..=self.to).contains(&before);
        if is_known && self.to - before >= len {
            return self.to - before;
        }
        self.extend(before, after, len, is_known)
    }

    #[inline(never)]
    fn extend(&mut self, before: usize, after: usize, len: usize, is_known: bool) -> usize {
        if !is_known {
            (self.from, self.to, self.shift) = (before, before, after.wrapping_sub(before));
        }
        let known = self.to - before;
        let rest = |bytes: &'a [u8], at: usize| {
            let rest = bytes.get(at..).unwrap_or_default();
            &rest[..rest.len().min((len - known).max(AHEAD))]
        };
        let (a, b) = (rest(self.before, self.to), rest(self.after, after + known));
        self.to += common_prefix(a, b);
        self.to - before
    }
}

#[cfg(test)]
mod tests {
    use super::{Same, common_prefix, common_suffix};

    /// Each length, and a difference at each place of it.
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
    fn what_is_known_is_what_is_the_same() {
        let mut before = vec![1; 20_000];
        let after = before.clone();
        before[12_345] = 2;
        let mut same = Same::new(&before, &after);
        for (a, b, len) in
            [(0, 0, 8), (5000, 5000, 9000), (12_000, 12_000, 1), (12_345, 12_345, 4), (13_000, 1, 99_999)]
        {
            let expected = common_prefix(&before[a..], &after[b..]);
            let run = same.run(a, b, len);
            assert!(run <= expected && run >= len.min(expected), "{a} {b} {len}: {run} of {expected}");
        }
    }
}
