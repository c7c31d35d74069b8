//! The tool as a user meets it: arguments, files, output, exit codes.

mod check;
mod convert;
mod diff;
mod get;
mod inputs;
#[cfg(unix)]
mod output;
mod show;
mod store;
mod store_damage;
mod support;
mod usage;
#[cfg(windows)]
mod windows;
