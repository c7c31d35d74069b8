//! See `checks/delta.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::delta(data));
