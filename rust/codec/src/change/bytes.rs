//! Finds and remembers which bytes two buffers share.

/// Bytes compared at a time. Comparing whole blocks as memory is fastest, but does not say where they differ.
const BLOCK_LEN: usize = 4 << 10;
const LINE_LEN: usize = 64;

pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let at = same_chunks(a, b, BLOCK_LEN);
    let at = at + same_chunks(&a[at..], &b[at..], LINE_LEN);
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

pub(super) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[a.len() - len..], &b[b.len() - len..]);
    let mut same = 0;
    for size in [BLOCK_LEN, LINE_LEN] {
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

/// Bytes compared beyond those asked for: few enough to stay in a cache near the processor.
const AHEAD: usize = 32 << 10;

/// A run of bytes that are known to be the same, so that no level of nesting compares them again.
#[derive(Debug)]
pub(super) struct Same<'a> {
    before: &'a [u8],
    after: &'a [u8],
    /// `before[from..to]` is the same as the bytes of `after` that are `shift` bytes further on.
    from: usize,
    to: usize,
    shift: usize,
}

impl<'a> Same<'a> {
    pub fn new(before: &'a [u8], after: &'a [u8]) -> Self {
        Self { before, after, from: 0, to: 0, shift: 0 }
    }

    /// Returns how many bytes are the same from these offsets on. Compares `len` bytes and some more, unless it knows.
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
#[path = "../../tests/unit/bytes.rs"]
mod tests;
