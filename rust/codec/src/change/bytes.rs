//! Counts the bytes that two buffers share at their start or end.

/// Bytes compared at a time. Comparing whole blocks as memory is fastest, but does not say where they differ.
const BLOCK_LEN: usize = 4 << 10;
const LINE_LEN: usize = 64;

/// Returns how many bytes at the start of both are the same.
pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let at = same_chunks(a, b, BLOCK_LEN);
    let at = at + same_chunks(&a[at..], &b[at..], LINE_LEN);
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

/// Returns how many bytes at the end of both are the same.
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

#[cfg(test)]
#[path = "../../tests/unit/common_bytes.rs"]
mod tests;
