use md5::Digest;

use super::{BLOCK_LEN, Md5};

/// The crate is the oracle: each length up to some blocks, in one piece and in two.
#[test]
fn it_is_what_the_crate_says() {
    let bytes: Vec<u8> = (0..4 * BLOCK_LEN as u32 + 3).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    for len in 0..=bytes.len() {
        let expected = md5::Md5::digest(&bytes[..len]);
        for at in [0, len / 3, len] {
            let mut hash = Md5::default();
            hash.update(&bytes[..at]);
            hash.update(&bytes[at..len]);
            assert_eq!(hash.finish()[..], expected[..], "{len} bytes in two pieces, the first of {at}");
        }
    }
}
