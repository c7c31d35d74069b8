//! The storage crate from outside: one program, so that it links once. Each module says what it guards.

mod compressed;
mod compressed_damage;
mod encrypted;
mod fastlz;
mod file_append;
mod file_append_tail;
mod file_backup;
mod file_crash;
mod file_damage;
mod file_load;
mod file_order;
mod file_range;
mod file_rivals;
mod file_save;
#[cfg(unix)]
mod file_unix;
#[cfg(windows)]
mod file_windows;
mod fill;
mod folder;
mod guess;
mod not_files;
#[path = "../../../codec/tests/codec/support/mod.rs"]
#[allow(dead_code)] // The codec's tests use more of it.
mod support;
mod transcode;
