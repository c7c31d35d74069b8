//! Stores from outside: one program, so that it links once. Each module says what it guards.

mod astray;
mod damage;
mod file;
mod files;
#[path = "../../../storage/tests/storage/folder.rs"]
#[allow(dead_code)] // Other tests use more of it.
mod folder;
mod full_disk;
mod growth;
mod handles;
mod hostile;
mod journals;
mod moved;
mod names;
mod pages;
mod processes;
#[path = "../../../codec/tests/codec/support/random.rs"]
#[allow(dead_code)]
mod random;
