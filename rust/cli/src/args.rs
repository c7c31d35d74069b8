//! The command line.

use std::path::PathBuf;
use std::{env, fs};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use varbatch_codec::{Dialect, Engine};
use varbatch_storage::encrypted::Key;
use varbatch_storage::words;

/// The part of `help.txt` that is about `topic`.
fn help(topic: &str) -> &'static str {
    let parts = include_str!("help.txt").split("== ");
    let part = parts.filter_map(|part| part.split_once(" ==\n")).find(|(name, _)| *name == topic);
    part.expect("each topic has its part").1.trim_end()
}

/// What stands below the options in the help of a command.
fn help_of(command: &str) -> String {
    format!("{}\n\n{}", help(command), help("exit_codes"))
}

/// Shows, checks, compares and converts files of Variants that Godot or an engine like it stored.
#[derive(Debug, Parser)]
#[command(name = "varbatch", version, after_help = help("exit_codes"), after_long_help = help_of("varbatch"))]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Show(Show),
    Check(Check),
    Diff(Diff),
    Get(Get),
    Convert(Convert),
    /// Prints the completions of this command line for a shell.
    #[command(after_help = help("completions"))]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Prints the manual page, of the tool or of one command.
    Man {
        /// The command.
        command: Option<String>,
    },
}

/// Shows what is in a file, value by value.
#[derive(Debug, clap::Args)]
#[command(after_help = help_of("show"))]
pub struct Show {
    /// The file; `-` is the standard input.
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// The engine that wrote the file.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// Shows only value N of those that store_var() wrote, counted from 0.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
    /// Begins with value N of those that store_var() wrote, counted from 0, or from the end if it is negative.
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "frame")]
    pub start: Option<i64>,
    /// Shows at most N of the values that store_var() wrote.
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with_all = ["all", "frame"])]
    pub count: usize,
    /// Shows all of the values that store_var() wrote.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub shown: Shown,
    #[command(flatten)]
    pub reading: Reading,
}

/// Checks that files can be read completely.
#[derive(Debug, clap::Args)]
#[command(after_help = help_of("check"))]
pub struct Check {
    /// The files; `-` is the standard input.
    #[arg(value_name = "FILE", required = true)]
    pub paths: Vec<PathBuf>,
    /// The engine that wrote the files.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// Reports every damaged value instead of 20 of each file, and goes on after 100 in a row.
    #[arg(long)]
    pub all: bool,
    /// Prints JSON, an object a line.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Prints nothing; the exit code is the result.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Shows what changed from one file to another.
#[derive(Debug, clap::Args)]
#[command(after_help = help_of("diff"))]
pub struct Diff {
    /// The engine that wrote the files.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// The engine that wrote B, if it is another one. Both are compared as values of Godot 4.
    #[arg(long, value_name = "DIALECT")]
    pub from_b: Option<DialectName>,
    /// Shows at most N changes.
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "all")]
    pub count: usize,
    /// Shows all changes.
    #[arg(long)]
    pub all: bool,
    /// Prints JSON, an object a line.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Prints nothing; the exit code is the result.
    #[arg(long)]
    pub quiet: bool,
    /// The file before; `-` is the standard input.
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// The file after; `-` is the standard input.
    #[arg(value_name = "B")]
    pub after: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// Shows one value of a file, by its path.
#[derive(Debug, clap::Args)]
#[command(after_help = help_of("get"))]
pub struct Get {
    /// The file; `-` is the standard input.
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// The path of the value.
    #[arg(value_name = "PATH", allow_hyphen_values = true)]
    pub wanted: String,
    /// The engine that wrote the file.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// Looks into value N of those that store_var() wrote, counted from 0.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
    /// Prints only the content of a text or a packed array: UTF-8, or the bytes of its elements.
    #[arg(long, conflicts_with_all = ["json", "depth", "max_items"])]
    pub raw: bool,
    #[command(flatten)]
    pub shown: Shown,
    #[command(flatten)]
    pub reading: Reading,
}

/// Converts a file of one engine for another engine.
#[derive(Debug, clap::Args)]
#[command(after_help = help_of("convert"))]
pub struct Convert {
    /// The engine that wrote IN.
    #[arg(long, value_name = "DIALECT")]
    pub from: DialectName,
    /// The engine that OUT is for, or `store`.
    #[arg(long, value_name = "DIALECT", value_parser = engine_or_store())]
    pub to: To,
    /// Replaces OUT if it exists. OUT may be IN.
    #[arg(long)]
    pub force: bool,
    /// Leaves out bytes after values, which are an error otherwise: often, another engine wrote the file.
    #[arg(long)]
    pub drop_rest: bool,
    /// The file to read; `-` is the standard input.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; `-` is the standard output.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// How to show values.
#[derive(Debug, clap::Args)]
pub struct Shown {
    /// Shows only values that lie in at most N others.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Shows at most N elements of each container; 0 is all.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_items: usize,
    /// Prints JSON, an object a line.
    #[arg(long)]
    pub json: bool,
}

/// How to read a file.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Reading {
    /// What is in the file.
    #[arg(long, default_value = "auto")]
    pub format: Format,
    /// Threads that work; 0 is one for each core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Decrypts the file with the password in the first line of PATH.
    #[arg(long, value_name = "PATH", group = "key", value_parser = password_in)]
    password_file: Option<Key>,
    /// Decrypts the file with the password in the variable NAME of the environment.
    #[arg(long, value_name = "NAME", group = "key", value_parser = password_of)]
    password_env: Option<Key>,
    /// Decrypts the file with the key of 32 bytes in PATH.
    #[arg(long, value_name = "PATH", group = "key", value_parser = key_in)]
    key_file: Option<Key>,
}

impl Reading {
    pub fn key(&self) -> Option<Key> {
        self.password_file.or(self.password_env).or(self.key_file)
    }
}

fn password_in(path: &str) -> Result<Key, String> {
    let text = fs::read_to_string(path).map_err(|error| words(&error))?;
    text.lines().next().map(Key::of_password).ok_or_else(|| "expected a password, found an empty file".into())
}

fn password_of(name: &str) -> Result<Key, String> {
    env::var(name).map(|password| Key::of_password(&password)).map_err(|error| error.to_string())
}

fn key_in(path: &str) -> Result<Key, String> {
    let bytes = fs::read(path).map_err(|error| words(&error))?;
    let refused = |bytes: Vec<u8>| format!("expected {} bytes, found {}", Key::LEN, bytes.len());
    bytes.try_into().map(Key::new).map_err(refused)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Frames if the first one is sound, else one value if that is all of the file
    Auto,
    /// Values one after the other, each behind its length, as store_var() writes them, compressed or not
    Frames,
    /// The bytes of one value, as var_to_bytes() or var2bytes() returns them
    Value,
}

/// An engine, in the order of [`Engine::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    /// Godot 4, and Redot before it had structs
    #[value(alias = "redot")]
    Godot4,
    /// Godot 3.0 to 3.6
    Godot3,
    /// Pandemonium from 5.0 on
    Pandemonium,
    /// Pandemonium 3.8 to 4.9
    #[value(name = "pandemonium-3.8")]
    Pandemonium38,
    /// Pandemonium 3.5 to 3.7
    #[value(name = "pandemonium-3.5")]
    Pandemonium35,
}

/// What a file is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    Engine(DialectName),
    Store,
}

fn engine_or_store() -> impl TypedValueParser<Value = To> {
    let engines = DialectName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(engines.chain([PossibleValue::new("store")]))
        .map(|name| DialectName::from_str(&name, false).map_or(To::Store, To::Engine))
}

impl DialectName {
    pub fn dialect(self) -> Dialect {
        Dialect::of(Engine::ALL[self as usize])
    }

    pub fn text(self) -> String {
        self.to_possible_value().expect("none is hidden").get_name().to_owned()
    }
}

#[cfg(test)]
#[path = "../tests/unit/args.rs"]
mod tests;
