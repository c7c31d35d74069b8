use super::*;

#[test]
fn each_byte_has_its_bit() {
    for bits in 0..=255_u8 {
        for value in [1, 0x7f, 0x80, 0xff] {
            let bytes = std::array::from_fn(|index| if bits >> index & 1 == 1 { value } else { 0 });
            assert_eq!(nonzero_bytes(u64::from_le_bytes(bytes)), bits, "{bytes:?}");
        }
    }
}
