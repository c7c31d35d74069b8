//! Guards: bytes that are no key are refused, and all others lead back to themselves.

use varbatch_codec::key::{from_key, to_key};

use crate::support::random::Random;
use crate::support::vectors::{self, hex};
use crate::support::{nearly, times};

/// Checks that bytes are no key, or that their buffer has that key. Returns whether they are one.
#[track_caller]
fn assert_leads_back(key: &[u8]) -> bool {
    from_key(key).is_some_and(|buffer| {
        assert_eq!(to_key(&buffer).as_deref(), Ok(key), "{buffer:02x?}");
        assert!(buffer.len() <= 4 * key.len() + 16, "{} bytes of {}", buffer.len(), key.len());
        true
    })
}

#[test]
fn bytes_that_are_no_key_are_refused() {
    for refused in [
        "",
        "00 00",
        "01",
        "01 02",
        "01 01 00",
        "02 80",
        "02 800000000000000000",
        "03",
        "04 ff",
        "04 61 00",
        "04 efbbbf 61",
        "03 7fffffffffffffff", // -0.0
        "03 fff8000000000001", // another NaN
        "05 8000000000000000",
        "05 7fffffffffffffff 8000000000000000",
        "06 80000000 800000",
        "15 61",
        "17 0000000000000000",
        "14 bff0000000000001 8000000000000000 8000000000000000 8000000000000000", // a color has 32 bits
        "18 0000000000000000",
        "18 00000000",
        "19",
        "1a 00000000 0000000000000000",
        "1c 01000000",
        "1c ffffffff",
        "27",
        "ff",
        "1c 00000000 00",
        "1c 01000000 05000000 0000803f 0000803f",
        "1b 01000000 15000000 00000000 00000000",
        "1d 01000000 07",
        "1d 01000000 07000001",
        "16 00000000 00000000 00000000",
    ] {
        assert_eq!(from_key(&hex(refused)), None, "{refused}");
    }
    let mut random = Random::new(20_270_104);
    let mut accepted = 0;
    for _ in 0..times(100_000, 300) {
        let len = random.below(40);
        let mut bytes = random.bytes(len);
        if let Some(id) = bytes.first_mut() {
            *id %= 42;
        }
        accepted += usize::from(assert_leads_back(&bytes));
    }
    assert!(cfg!(miri) || accepted > 200, "{accepted} were accepted");
}

#[test]
fn damaged_keys_are_refused_or_lead_back() {
    let mut random = Random::new(20_270_105);
    let mut keys: Vec<_> = vectors::buffers().filter_map(|vector| to_key(&vector.bytes).ok()).collect();
    keys.retain(|key| key.len() < 400);
    keys.extend((0..times(3000, 20)).filter_map(|_| to_key(&nearly::value(&mut random, 3, 0)).ok()));
    assert!(keys.len() > times(1000, 100), "{} keys", keys.len());
    let (mut whole, mut accepted) = (0, 0);
    for key in &keys {
        for len in 0..=key.len() {
            let is_key = assert_leads_back(&key[..len]);
            assert!(len < key.len() || is_key, "{key:02x?}");
            whole += usize::from(is_key);
        }
        let mut damaged = key.clone();
        let other = random.below(keys.len());
        nearly::damage(&mut random, &mut damaged, &keys[other]);
        accepted += usize::from(assert_leads_back(&damaged));
    }
    assert!(whole > keys.len() && accepted > keys.len() / 20, "{whole} and {accepted} of {}", keys.len());
}
