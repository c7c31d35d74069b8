//! `varbatch`: shows, checks, compares and converts files of Godot's Variants, without an engine.
//!
//! `input` opens a file or a pipe, `source` finds out what is in it and reads its values; `show`, `check`, `diff`, `get` and
//! `convert` are the commands; `leaf` prints a value in short, `json` in full, `number` its numbers, and `path` its path; `wildcards` finds files;
//! `failure` holds the errors with their exit codes, and `hint` finds out what the user could have meant.

mod about;
mod args;
mod check;
mod convert;
mod diff;
mod failure;
mod get;
mod hint;
mod input;
mod json;
mod leaf;
mod number;
mod path;
mod progress;
mod show;
mod source;
#[cfg(any(windows, test))]
mod wildcards;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Show(args) => show::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Get(args) => get::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Completions(args) => about::completions(&args),
        Command::Man(args) => about::manual(&args),
    };
    done.inspect_err(Failure::report).map_or_else(|failure| failure.exit_code(), |()| ExitCode::SUCCESS)
}
