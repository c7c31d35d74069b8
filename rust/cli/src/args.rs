//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use varbatch_codec::{Dialect, Engine};

const EXIT_CODES: &str = "\
Exit codes:
  0  all is well
  1  a file is damaged or empty, differs from the other, or cannot be converted
  2  the arguments are wrong, or do not fit the file
  3  a file cannot be read or written";

const EXAMPLES: &str = "\
Examples:
  varbatch show save.dat                                         what is in a save of Godot 4
  varbatch show --from godot3 --depth 1 save.dat                 the outermost values of a save of Godot 3
  varbatch check saves/*.dat                                     whether all of them can be read
  varbatch diff before.dat after.dat                             what changed between two saves
  varbatch get save.dat '[\"player\"][\"position\"]'                 one value
  varbatch convert --from godot3 --to godot4 old.dat new.dat     a save of Godot 3 for Godot 4

The dialect is the engine that wrote a file. It cannot be told from the bytes: other engines often read them as other
values without an error. The file `-` is the standard input. Pipes are read to their end and kept in a temporary file
meanwhile.";

const SHOW_EXAMPLES: &str = "\
Each line is a value: the byte where it begins, the bytes that it takes, what leads to it, its type as in Godot 4, and
what it is, in short. Keys of dictionaries have no line of their own.

With --json each line is an object: frame (not for the bytes of one value), path (as `varbatch get` takes it), at, size,
depth, type, class (of objects), count (of containers and packed arrays) and, unless others are inside, value. Numbers
are exact, also those above 2^53, which many readers of JSON round; nan, inf and -inf are strings. Vectors are arrays of
numbers, a PackedByteArray is a string of hex digits. Texts are complete; packed arrays end after --max-items elements.
An object with `more` instead says how many values are left out there, null if that is not known; one with `behind` how
many bytes follow the value.

Examples:
  varbatch show save.dat
  varbatch show --from godot3 --depth 1 save.dat
  varbatch show --frame 12 --max-items 0 recording.dat | less
  varbatch show --json save.dat | jq 'select(.type == \"NodePath\")'";

const CHECK_EXAMPLES: &str = "\
Bytes behind a value are damage as well, though engines ignore them: none writes any, and a file that is read as that of
another engine often has some. A file without a byte is called empty, with exit code 1: it is more often what a crash
left than a save of nothing.

With --json the output is an object for each error: file, frame, at, path and error, as far as they are known. The last
one of each file has file, state (ok, damaged, empty or unreadable), values, damaged, followed (by bytes that engines
ignore) and complete, whether the file was read to its end.

Examples:
  varbatch check save.dat
  varbatch check saves/*.dat
  varbatch check --from godot3 --quiet save.dat && echo good
  curl -s https://example.com/save.dat | varbatch check -";

const CONVERT_EXAMPLES: &str = "\
What IN is, OUT becomes: values of store_var() or one value, compressed or not. OUT is complete or untouched, whatever
happens. What the other engine has no type for, such as a Vector3i for Godot 3, is an error that names its place. What
it keeps less of, such as the script of an object, is a warning.

Examples:
  varbatch convert --from godot3 --to godot4 old.dat new.dat
  varbatch convert --from godot3 --to godot4 --force save.dat save.dat
  varbatch convert --from godot3 --to godot4 - - <old.dat | varbatch show -";

const DIFF_EXAMPLES: &str = "\
Values are compared in pairs: the first of A with the first of B, and so on. Each line is a change: `set`, `insert` or
`remove`, with the path of what changed. Of packed arrays the path is that of the first element that changed. Applied in
their order, the changes make A into B. Values of the same bytes are the same, damaged or not.

With --json each line is an object: frame (not for the bytes of one value), op, path, index (of an entry of a
Dictionary: where in its order), old and new. These have type, class, count and value as in `varbatch show --json`.

Examples:
  varbatch diff before.dat after.dat
  varbatch diff --from godot3 --from-b godot4 old.dat converted.dat
  varbatch diff --quiet a.dat b.dat && echo same";

const GET_EXAMPLES: &str = "\
PATH is what error messages, `diff` and `show --json` print: [3] is an element of an array, [\"name\"], [&\"name\"], [7],
[0.5], [true] and [null] the value of a key, [Vector2i(1, 2)] that of a key as `show` writes it, .name a property, and
[key 3] the key of an entry. The empty path is all of the value. What is not on the way is not checked.

Examples:
  varbatch get save.dat '[\"player\"][\"position\"]'
  varbatch get recording.dat --frame 12 '[\"inputs\"][3]' --json
  varbatch get save.dat '[\"thumbnail\"]' --raw >thumbnail.png";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  varbatch completions bash >~/.local/share/bash-completion/completions/varbatch
  varbatch completions fish >~/.config/fish/completions/varbatch.fish
  varbatch man >~/.local/share/man/man1/varbatch.1";

/// Shows, checks, compares and converts files of Variants, as Godot and engines like it store them.
#[derive(Debug, Parser)]
#[command(name = "varbatch", version, after_help = EXIT_CODES, after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
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
    Completions(Completions),
    Man(Man),
}

/// Shows what is in a file, value by value.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{SHOW_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Show {
    /// The file; `-` is the standard input.
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// The engine that wrote the file.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// Shows only this one of the values that store_var() wrote, counted from 0.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
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

/// Says whether all of a file can be read.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Check {
    /// The files; `-` is the standard input.
    #[arg(value_name = "FILE", required = true)]
    pub paths: Vec<PathBuf>,
    /// The engine that wrote the files.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// Reports every damaged value, instead of 20 of each file, and goes on after 100 in a row.
    #[arg(long)]
    pub all: bool,
    /// Prints objects of JSON, one a line.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Says nothing: the exit code tells.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Says what changed from one file to another.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{DIFF_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Diff {
    /// The engine that wrote the files.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// The engine that wrote B, if it is another one. Both are compared as Godot 4 would have them.
    #[arg(long, value_name = "DIALECT")]
    pub from_b: Option<DialectName>,
    /// Shows at most N changes.
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "all")]
    pub count: usize,
    /// Shows all changes.
    #[arg(long)]
    pub all: bool,
    /// Prints objects of JSON, one a line.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Says nothing: the exit code tells.
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
#[command(after_help = format!("{GET_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Get {
    /// The file; `-` is the standard input.
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// What leads to the value.
    #[arg(value_name = "PATH", allow_hyphen_values = true)]
    pub wanted: String,
    /// The engine that wrote the file.
    #[arg(long, value_name = "DIALECT", default_value = "godot4")]
    pub from: DialectName,
    /// Looks into this one of the values that store_var() wrote, counted from 0.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
    /// Prints only what a text or a packed array holds: UTF-8, or the bytes of its elements.
    #[arg(long, conflicts_with_all = ["json", "depth", "max_items"])]
    pub raw: bool,
    #[command(flatten)]
    pub shown: Shown,
    #[command(flatten)]
    pub reading: Reading,
}

/// Writes a file of one engine as one of another engine.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{CONVERT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Convert {
    /// The engine that wrote IN.
    #[arg(long, value_name = "DIALECT")]
    pub from: DialectName,
    /// The engine that is to read OUT.
    #[arg(long, value_name = "DIALECT")]
    pub to: DialectName,
    /// Replaces OUT if it is there. It may be IN itself.
    #[arg(long)]
    pub force: bool,
    /// The file to read; `-` is the standard input.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; `-` is the standard output.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// Prints the completions of this command line for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// The shell.
    pub shell: Shell,
}

/// Prints the manual page, of the tool or of one command.
#[derive(Debug, clap::Args)]
pub struct Man {
    /// The command.
    pub command: Option<String>,
}

/// How values are shown.
#[derive(Debug, clap::Args)]
pub struct Shown {
    /// Shows only values inside of at most N others.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Shows at most N elements of each container; 0 is all.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_items: usize,
    /// Prints objects of JSON, one a line.
    #[arg(long)]
    pub json: bool,
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

impl DialectName {
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
#[path = "../tests/unit/args.rs"]
mod tests;
