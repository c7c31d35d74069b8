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
mod reader;
mod support;
mod text;
mod vectors;
mod writer;
