//! The codec crate from outside: one program, so that it links once. Each module says what it guards.

mod allocation;
mod append;
mod chunks;
mod compressed;
mod compressed_damage;
mod depth;
mod errors;
mod events;
#[cfg(unix)]
mod file_crash;
mod file_damage;
mod file_load;
mod file_save;
#[cfg(unix)]
mod file_unix;
mod fill;
mod frames;
mod held;
mod hostile;
mod layout;
mod nested;
mod paths;
mod plain;
mod plan;
mod plan_nested;
mod reader;
mod support;
mod tasks;
mod text;
mod text_kernels;
mod texts_split;
mod threads;
mod threads_panics;
mod vectors;
mod writer;
