//! The codec crate from outside: one program, so that it links once. Each module says what it guards.

mod allocation;
mod append;
mod depth;
mod errors;
mod events;
mod fill;
mod frames;
mod hostile;
mod layout;
mod nested;
mod paths;
mod plain;
mod plan;
mod plan_nested;
mod reader;
mod support;
mod text;
mod text_kernels;
mod texts_split;
mod threads;
mod threads_panics;
mod vectors;
mod writer;
