//! `varbatch`: shows, checks and converts files of Godot's Variants, without an engine.
//!
//! `source` opens a file and finds out what is in it; `show`, `check` and `convert` are the commands; `failure` says
//! what went wrong, and with which exit code; `hint` what could have been meant.

mod args;
mod check;
mod convert;
mod failure;
mod hint;
mod progress;
mod show;
mod source;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command, Name, Reading};
use crate::failure::Failure;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Show(args) => {
            show::run(&args).inspect_err(|failure| failed(failure, &args.path, &args.reading, args.from))
        }
        Command::Check(args) => check::run(&args).inspect_err(Failure::report),
        Command::Convert(args) => {
            convert::run(&args).inspect_err(|failure| failed(failure, &args.input, &args.reading, args.from))
        }
    };
    done.map_or_else(|failure| failure.exit_code(), |()| ExitCode::SUCCESS)
}

fn failed(failure: &Failure, path: &Path, reading: &Reading, from: Name) {
    failure.report();
    if failure.is_about_data() {
        hint::give(path, reading, from);
    }
}
