//! `varbatch`: shows, checks, compares and converts files of Godot's Variants, without an engine.
//!
//! `input` opens files and pipes, finds them by wildcards, and holds the errors; `source` reads values, each a `buffer`, and
//! finds out what is in a file, and what the user could have meant; `store` reads those of stores; `show`, `check`, `diff`,
//! `get` and `convert` are the commands, and `pairs` converts stores; `value` prints values, `path` their paths, `output`
//! lines. Completions and manual pages are made here.

mod args;
mod buffer;
mod check;
mod convert;
mod diff;
mod get;
mod input;
mod output;
mod pairs;
mod path;
mod show;
mod source;
mod store;
mod value;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_mangen::Man as Page;
use varbatch_codec::quote::visible;

use crate::args::{Args, Command};
use crate::input::Failure;
use crate::output::say;
use crate::source::give_hint;

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
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "varbatch", &mut script);
            Ok(io::stdout().write_all(&script)?)
        }
        Command::Man { command } => manual(command),
    }
}

/// Reports what went wrong, and returns its exit code.
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
        give_hint(&input);
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

fn manual(command: Option<String>) -> Result<(), Failure> {
    let mut all = Args::command();
    all.build();
    if let Some(name) = command {
        let found = all.find_subcommand(&name).cloned();
        all = found.ok_or_else(|| Failure::Usage(format!("man: expected a command, found {name}")))?;
    }
    Ok(Page::new(all).manual("VarBatch").render(&mut io::stdout())?)
}
