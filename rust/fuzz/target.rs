//! A fuzz target: the check of the same name. `Cargo.toml` lists the targets.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::check(env!("CARGO_BIN_NAME"), data));
