//! The tool as somebody at a terminal meets it: arguments, files, output, exit codes.

mod check;
mod convert;
mod large;
mod show;
mod support;
mod usage;
