//! The codec crate from outside: one program, so that it links once. Each module says what it guards.

mod allocation;
mod errors;
mod events;
mod fill;
mod frames;
mod hostile;
mod plain;
mod support;
mod text;
mod vectors;
