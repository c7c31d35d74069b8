//! The workers crate from outside: one program, so that it links once. Each module says what it guards.

mod ending;
mod gate;
mod support;
mod tasks;
mod threads;
