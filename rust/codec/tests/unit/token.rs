use super::*;

/// With its code, the number of a token has more bits than a length.
#[test]
fn tokens_hold_any_length() {
    let lens = (0..31).flat_map(|bits| [(1 << bits) - 1, 1 << bits]).chain([i32::MAX as usize]);
    for len in lens {
        for (copy, skip, insert) in [(len, 0, 3), (len, 1, 1), (0, len, len), (1, len, 9), (len, len, 5), (2, 3, len)] {
            let (mut bytes, mut at) = (Vec::new(), 0);
            write_token(copy, skip, insert, &mut bytes);
            let token = Token::read(&bytes, &mut at);
            assert_eq!((token.copy, token.skip, token.insert, at), (copy, skip, insert, bytes.len()));
        }
    }
}
