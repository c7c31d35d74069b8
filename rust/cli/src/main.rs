//! `varbatch`: shows, checks, compares and converts files of Godot's Variants, without an engine.
//!
//! `input` opens a file or a pipe, `source` finds out what is in it and reads its values; `show`, `check`, `diff`, `get` and
//! `convert` are the commands; `leaf` prints a value in short, `json` in full, and `path` its path; `wildcards` finds files;
//! `failure` holds the errors, `output` prints lines, and `hint` finds out what the user could have meant.

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
mod output;
mod path;
mod show;
mod source;
mod wildcards;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use varbatch_codec::quote::visible;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::output::say;

fn main() -> ExitCode {
    // What waits in the buffer may not fit on the disk.
    let done = run().and_then(|()| Ok(io::stdout().flush()?));
    ExitCode::from(done.map_or_else(report, |()| 0))
}

fn run() -> Result<(), Failure> {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(asked) if !asked.use_stderr() => return Ok(asked.print()?),
        Err(wrong) => return Err(wrong_arguments(&wrong)),
    };
    match args.command {
        Command::Show(args) => show::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Get(args) => get::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Completions { shell } => about::completions(shell),
        Command::Man { command } => about::manual(command),
    }
}

/// Reports what went wrong, if that was not done already, and returns its exit code.
fn report(failure: Failure) -> u8 {
    let (text, code) = match &failure {
        // Its reader has closed it.
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
        Failure::Reported(code) => return *code,
        Failure::Data(input, error) => (format!("{}: {error}", input.name), 1),
        Failure::Usage(text) => (text.clone(), 2),
        Failure::File(text) => (text.clone(), 3),
        Failure::Output(error) => (format!("the output: {error}"), 3),
    };
    say("error", text);
    if let Failure::Data(input, _) = failure {
        hint::give(&input);
    }
    code
}

/// Reports arguments that cannot be parsed: in colours, unless they hold what a terminal must not get.
fn wrong_arguments(wrong: &clap::Error) -> Failure {
    let is_plain = |arg: &OsString| arg.to_str().is_some_and(|arg| visible(arg) == arg);
    // If this fails, the exit code still tells.
    let _ = if env::args_os().all(|arg| is_plain(&arg)) {
        wrong.print()
    } else {
        wrong.to_string().lines().try_for_each(|line| writeln!(io::stderr(), "{}", visible(line)))
    };
    Failure::Reported(2)
}
