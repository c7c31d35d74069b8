//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use varbatch_codec::{Dialect, Engine};

const EXIT_CODES: &str = "\
Exit codes:
  0  all is well
  1  the file is damaged, or cannot be converted
  2  the arguments are wrong
  3  a file cannot be read or written";

const EXAMPLES: &str = "\
Examples:
  varbatch show save.dat                                         what is in a save of Godot 4
  varbatch show --from godot3 --depth 1 save.dat                 the outermost values of a save of Godot 3
  varbatch check --from godot3 save.dat                          whether all of it can be read
  varbatch convert --from godot3 --to godot4 old.dat new.dat     a save of Godot 3 for Godot 4

The dialect is the engine that wrote a file. It cannot be told from the bytes: other engines often read them as other
values without an error.";

const SHOW_EXAMPLES: &str = "\
Each line is a value: the byte where it begins, the bytes that it takes, what leads to it, its type as in Godot 4, and
what it is, in short. Keys of dictionaries have no line of their own.

Examples:
  varbatch show save.dat
  varbatch show --from godot3 --depth 1 save.dat
  varbatch show --frame 12 --max-items 0 recording.dat | less";

const CHECK_EXAMPLES: &str = "\
Bytes behind a value are damage as well, though engines ignore them: none writes any, and a file that is read as that of
another engine often has some.

Examples:
  varbatch check save.dat
  varbatch check --from godot3 --quiet save.dat && echo good";

const CONVERT_EXAMPLES: &str = "\
What IN is, OUT becomes: values of store_var() or one value, compressed or not. OUT is complete or untouched, whatever
happens. What the other engine has no type for, such as a Vector3i for Godot 3, is an error that names its place. What
it keeps less of, such as the script of an object, is a warning.

Examples:
  varbatch convert --from godot3 --to godot4 old.dat new.dat
  varbatch convert --from godot3 --to godot4 --force save.dat save.dat";

/// Shows, checks and converts files of Variants, as Godot and engines like it store them.
#[derive(Debug, Parser)]
#[command(name = "varbatch", version, after_help = EXIT_CODES, after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Show(Show),
    Convert(Convert),
    Check(Check),
}

/// Shows what is in a file, value by value.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{SHOW_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Show {
    /// The file.
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// The engine that wrote the file.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: Name,
    /// Shows only this one of the values that store_var() wrote, counted from 0.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
    /// Shows only values inside of at most N others.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Shows at most N elements of each container; 0 is all.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_items: usize,
    #[command(flatten)]
    pub reading: Reading,
}

/// Says whether all of a file can be read.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Check {
    /// The file.
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// The engine that wrote the file.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: Name,
    /// Says nothing: the exit code tells.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Writes a file of one engine as one of another engine.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{CONVERT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Convert {
    /// The engine that wrote IN.
    #[arg(long, value_name = "DIALECT")]
    pub from: Name,
    /// The engine that is to read OUT.
    #[arg(long, value_name = "DIALECT")]
    pub to: Name,
    /// Replaces OUT if it is there. It may be IN itself.
    #[arg(long)]
    pub force: bool,
    /// The file to read.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// How to read a file.
#[derive(Debug, clap::Args)]
pub struct Reading {
    /// What is in the file.
    #[arg(long, default_value = "auto")]
    pub format: Format,
    /// How many threads work; 0 is one for each core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Frames if the first one is sound, else a value if that is all of the file
    Auto,
    /// Values one after the other, each behind its length, as store_var() writes them, compressed or not
    Frames,
    /// The bytes of one value, as var_to_bytes() or var2bytes() gives them
    Value,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
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

impl Name {
    pub fn dialect(self) -> Dialect {
        Dialect::of(match self {
            Self::Godot4 => Engine::Godot4,
            Self::Godot3 => Engine::Godot3,
            Self::Pandemonium => Engine::Pandemonium,
            Self::Pandemonium38 => Engine::Pandemonium38,
            Self::Pandemonium35 => Engine::Pandemonium35,
        })
    }

    /// As it is written on the command line.
    pub fn text(self) -> String {
        self.to_possible_value().expect("none is hidden").get_name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_engine_has_a_name() {
        let engines: Vec<_> = Name::value_variants().iter().map(|name| name.dialect().engine).collect();
        assert_eq!(engines, Engine::ALL);
    }
}
