//! See `checks/compressed.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::compressed(data));
