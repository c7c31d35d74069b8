//! The codec crate from outside: one program, so that it links once. Each module says what it guards.

mod allocation;
mod append;
mod chunks;
mod compressed;
mod compressed_damage;
mod depth;
mod dialects;
mod dialects_agree;
mod dialects_pandemonium;
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
mod godot3_vectors;
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
mod transcode_errors;
mod transcode_files;
mod transcode_frames;
mod transcode_losses;
mod transcode_objects;
mod transcode_widths;
mod vectors;
mod writer;
