//! See `checks/fastlz.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::fastlz(data));
