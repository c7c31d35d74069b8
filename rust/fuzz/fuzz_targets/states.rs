//! See `checks/states.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::states(data));
