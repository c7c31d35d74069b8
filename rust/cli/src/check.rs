//! `varbatch check`: checks that files can be read completely.

use std::path::Path;
use std::rc::Rc;

use serde::Serialize;

use crate::args::Check;
use crate::buffer::Buffer;
use crate::input::{Failure, Input, STANDARD, expand, name};
use crate::output::{Progress, print, say};
use crate::source::{Buffers, give_hint};
use crate::value;

/// Damaged values that are reported of one file, and those in a row after which its rest is not read.
const MAX_REPORTED: usize = 20;
const MAX_IN_A_ROW: usize = 100;

/// What was found so far in one file. In JSON, its result.
#[derive(Serialize)]
struct Findings<'a> {
    file: &'a str,
    state: &'a str,
    values: usize,
    damaged: usize,
    /// Values with bytes after them, first at `followed_at`.
    followed: usize,
    complete: bool,
    /// Damaged values since the last one that is not.
    #[serde(skip)]
    in_a_row: usize,
    #[serde(skip)]
    followed_at: usize,
    /// What a value is called.
    #[serde(skip)]
    noun: &'a str,
    #[serde(skip)]
    args: &'a Check,
}

#[derive(Default, Serialize)]
struct Problem<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    error: String,
}

pub fn run(args: &Check) -> Result<(), Failure> {
    if args.paths.iter().filter(|path| *path == Path::new(STANDARD)).count() > 1 {
        return Err(Failure::Usage("the standard input can be given only once".into()));
    }
    let paths = if cfg!(windows) { &expand(&args.paths) } else { &args.paths };
    // A shell makes folders of `*` as well.
    let skips = paths.iter().any(|path| !path.is_dir());
    let mut code = 0;
    for path in paths {
        if skips && path.is_dir() {
            if !args.quiet {
                say("hint", format_args!("{}: skipped, as it is a folder", name(path)));
            }
            continue;
        }
        let checked = Input::open(path, args.from, args.reading).and_then(|input| {
            let mut findings = Findings::new(args, &input.name, "damaged");
            let read = if input.len == 0 { Ok(None) } else { findings.read(&input) };
            findings.close(&input, read)
        });
        code = code.max(match checked {
            Err(Failure::File(text)) => {
                say("error", text);
                if args.json {
                    print(value::json(&Findings::new(args, &name(path), "unreadable")))?;
                }
                3
            }
            checked => checked?,
        });
    }
    if code == 0 { Ok(()) } else { Err(Failure::Reported(code)) }
}

impl<'a> Findings<'a> {
    fn new(args: &'a Check, file: &'a str, state: &'a str) -> Self {
        let (values, damaged, followed, in_a_row, followed_at) = (0, 0, 0, 0, 0);
        Self { file, state, values, damaged, followed, complete: false, in_a_row, followed_at, noun: "value", args }
    }

    /// Checks the values of the file. Stops after too many damaged ones in a row, and says what is not read then.
    fn read(&mut self, input: &Rc<Input>) -> Result<Option<String>, Failure> {
        let (mut progress, mut buffers) = (Progress::new(), Buffers::of(input)?);
        self.noun = if buffers.rows.is_some() { "key" } else { self.noun };
        while let Some(buffer) = buffers.next()? {
            if buffer.key.is_none() {
                progress.set(buffer.stream_len - buffer.remaining, buffer.stream_len);
            }
            self.add(&buffer)?;
            let (end, len) = ((buffer.at + buffer.bytes.len()) as u64, buffer.stream_len);
            if self.in_a_row == MAX_IN_A_ROW && !self.args.all && end < len && buffer.key.is_none() {
                return Ok(Some(format!("the rest from byte {end} of {len} was not read; --all reads it")));
            }
        }
        Ok(None)
    }

    fn add(&mut self, buffer: &Buffer<'_>) -> Result<(), Failure> {
        self.values += 1;
        let (at, path, error, text) = match (buffer.lost, buffer.validate()) {
            (None, Ok(len)) => {
                self.in_a_row = 0;
                // It may be longer: the padding of a last PackedByteArray may be missing.
                if len < buffer.bytes.len() {
                    self.followed += 1;
                    self.followed_at = if self.followed == 1 { buffer.at + len } else { self.followed_at };
                }
                return Ok(());
            }
            (None, Err(error)) => {
                let path = error.path().steps().map(ToString::to_string).collect();
                (Some(error.at()), path, error.kind().to_string(), error.to_string())
            }
            (Some(lost), _) => (None, String::new(), lost.into(), lost.into()),
        };
        self.in_a_row += 1;
        self.damaged += 1;
        if self.damaged > MAX_REPORTED && !self.args.all {
            return Ok(());
        }
        let (file, frame, path) = (self.file, buffer.frame, Some(buffer.step().unwrap_or_default() + &path));
        self.report(format_args!("{}{text}", buffer.name()), &Problem { file, frame, at, path, error })
    }

    fn report(&self, text: impl std::fmt::Display, problem: &Problem<'_>) -> Result<(), Failure> {
        if self.args.json {
            print(value::json(problem))?;
        } else if !self.args.quiet {
            say("error", format_args!("{}: {text}", self.file));
        }
        Ok(())
    }

    /// Reports what is about no single value.
    fn report_all(&self, text: String) -> Result<(), Failure> {
        self.report(&text, &Problem { file: self.file, error: text.clone(), ..Problem::default() })
    }

    /// Reports what is not reported yet, and the result for the file. Returns its exit code. `read` is what was not read.
    fn close(mut self, input: &Rc<Input>, read: Result<Option<String>, Failure>) -> Result<u8, Failure> {
        match (&read, self.damaged.saturating_sub(MAX_REPORTED)) {
            (Ok(Some(rest)), more) => {
                self.report_all(format!("{more} more values are damaged, {MAX_IN_A_ROW} in a row, and {rest}"))?;
            }
            (_, more) if more == 0 || self.args.all => {}
            (_, 1) => self.report_all("1 more value is damaged; --all reports it".into())?,
            (_, more) => self.report_all(format!("{more} more values are damaged; --all reports them"))?,
        }
        self.complete = matches!(read, Ok(None));
        let Self { file, values, damaged, followed, followed_at, noun, .. } = self;
        let of = match read {
            Err(Failure::Data(_, error)) => {
                self.report_all(error)?;
                "before the end".into()
            }
            Err(failure) => return Err(failure),
            Ok(Some(_)) => format!("of the first {values}"),
            Ok(None) => format!("of {values}"),
        };
        if followed > 0 {
            // No engine writes any, and what is read as another engine's often has some.
            let values = if followed == 1 { "value is followed" } else { "values are followed" };
            self.report_all(format!("{followed} {values} by bytes that engines ignore, first at byte {followed_at}"))?;
        }
        let sound = values - damaged - followed;
        let count = if sound == 1 { format!("1 {noun}") } else { format!("{sound} {noun}s") };
        let (state, line) = match (input.len, sound == values && self.complete) {
            (0, _) => ("empty", format!("{file}: empty")),
            (_, true) => ("ok", format!("{file}: ok, {count}")),
            (_, false) => ("damaged", format!("{file}: damaged, {count} {of}")),
        };
        self.state = state;
        if self.args.json {
            print(value::json(&self))?;
        } else if !self.args.quiet {
            print(line)?;
        }
        if state == "damaged" && !self.args.quiet {
            give_hint(input);
        }
        Ok(u8::from(state != "ok"))
    }
}
