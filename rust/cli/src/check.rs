//! `varbatch check`: checks that files can be read completely.

use std::fmt::Display;
use std::path::Path;

use serde::Serialize;
use varbatch_workers::Threads;

use crate::args::Check;
use crate::failure::{Failure, print, say};
use crate::hint;
use crate::input::{Input, STANDARD, name};
use crate::json;
use crate::progress::Progress;
use crate::source::{Buffer, Buffers, in_frame};
#[cfg(windows)]
use crate::wildcards;

/// Damaged values that are reported of one file.
const MAX_REPORTED: usize = 20;

/// Damaged values in a row after which the rest of a file is not read.
const MAX_IN_A_ROW: usize = 100;

/// What was found so far in one file.
struct Findings<'a> {
    args: &'a Check,
    name: &'a str,
    sound: usize,
    damaged: usize,
    /// Those since the last sound one.
    in_a_row: usize,
    /// Values with bytes after them, and where the first such bytes are.
    followed: usize,
    followed_at: usize,
    /// True if the rest of the file was not read, as all of it seems to be damaged.
    gave_up: bool,
}

/// An error in JSON.
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

/// The result for a file, in JSON.
#[derive(Serialize)]
struct Summary<'a> {
    file: &'a str,
    state: &'a str,
    values: usize,
    damaged: usize,
    followed: usize,
    complete: bool,
}

pub fn run(args: &Check) -> Result<(), Failure> {
    if args.paths.iter().filter(|path| *path == Path::new(STANDARD)).count() > 1 {
        return Err(Failure::Usage("the standard input can be given only once".into()));
    }
    let (mut damaged, mut unread) = (false, false);
    #[cfg(windows)]
    let paths = &wildcards::expand(&args.paths);
    #[cfg(not(windows))]
    let paths = &args.paths;
    for path in paths {
        match file(args, path) {
            Ok(is_sound) => damaged |= !is_sound,
            Err(failure @ Failure::File(_)) => {
                unread = true;
                failure.report();
                if args.json {
                    let (file, state) = (&name(path), "unreadable");
                    print(json::line(&Summary { file, state, values: 0, damaged: 0, followed: 0, complete: false }))?;
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    match (unread, damaged) {
        (true, _) => Err(Failure::FileReported),
        (_, true) => Err(Failure::Reported),
        _ => Ok(()),
    }
}

/// Checks a file. Returns true if it is sound.
fn file(args: &Check, path: &Path) -> Result<bool, Failure> {
    let input = Input::open(path)?;
    let name = input.name();
    let mut findings =
        Findings { args, name, sound: 0, damaged: 0, in_a_row: 0, followed: 0, followed_at: 0, gave_up: false };
    let read = if input.len() == 0 { Ok(()) } else { findings.read(&input) };
    findings.close(&input, read)
}

impl Findings<'_> {
    /// Checks the values of the file. Stops after too many damaged ones in a row.
    fn read(&mut self, input: &Input) -> Result<(), Failure> {
        let (mut progress, threads) = (Progress::new(), Threads::new(self.args.reading.threads));
        let mut buffers = Buffers::open(input, self.args.reading.format, self.args.from.dialect(), &threads)?;
        while let Some(buffer) = buffers.next()? {
            progress.set(buffer.stream_len - buffer.remaining, buffer.stream_len);
            self.add(&buffer)?;
            let (end, len) = ((buffer.at + buffer.bytes.len()) as u64, buffer.stream_len);
            if self.in_a_row == MAX_IN_A_ROW && !self.args.all && end < len {
                self.gave_up = true;
                let more = format!("{} more values are damaged", self.damaged - MAX_REPORTED);
                let rest = format!("the rest from byte {end} of {len} was not read; --all reads it");
                return self.report_all(format!("{more}, {MAX_IN_A_ROW} in a row, and {rest}"));
            }
        }
        Ok(())
    }

    /// Checks one value.
    fn add(&mut self, buffer: &Buffer<'_>) -> Result<(), Failure> {
        let error = match buffer.validate() {
            Ok(len) => {
                self.in_a_row = 0;
                // It may be longer: the padding of a last PackedByteArray may be missing.
                if len >= buffer.bytes.len() {
                    self.sound += 1;
                } else {
                    self.followed += 1;
                    self.followed_at = if self.followed == 1 { buffer.at + len } else { self.followed_at };
                }
                return Ok(());
            }
            Err(error) => error,
        };
        self.in_a_row += 1;
        self.damaged += 1;
        if self.damaged > MAX_REPORTED && !self.args.all {
            return Ok(());
        }
        let path = error.path().steps().map(ToString::to_string).collect();
        let (frame, at, path) = (buffer.frame, Some(error.at()), Some(path));
        let problem = Problem { file: self.name, frame, at, path, error: error.kind().to_string() };
        self.report(format_args!("{}{error}", in_frame(frame)), &problem)
    }

    /// Reports an error.
    fn report(&self, text: impl Display, problem: &Problem<'_>) -> Result<(), Failure> {
        if self.args.json {
            return print(json::line(problem));
        }
        if !self.args.quiet {
            say("error", format_args!("{}: {text}", self.name));
        }
        Ok(())
    }

    /// Reports an error that is about no single value.
    fn report_all(&self, text: String) -> Result<(), Failure> {
        self.report(&text, &Problem { file: self.name, error: text.clone(), ..Problem::default() })
    }

    /// Reports how many values are damaged besides those that were reported one by one.
    fn report_rest(&self) -> Result<(), Failure> {
        match self.damaged.saturating_sub(MAX_REPORTED) {
            rest if rest == 0 || self.args.all || self.gave_up => Ok(()),
            1 => self.report_all("1 more value is damaged; --all reports it".into()),
            rest => self.report_all(format!("{rest} more values are damaged; --all reports them")),
        }
    }

    /// Reports what ended the reading early, and the result for the file. Returns true if it is sound.
    fn close(self, input: &Input, read: Result<(), Failure>) -> Result<bool, Failure> {
        self.report_rest()?;
        let is_cut = match read {
            Err(failure) if failure.is_about_data() => {
                if let Some(text) = failure.text() {
                    let text = text.strip_prefix(&format!("{}: ", self.name)).unwrap_or(text);
                    self.report_all(text.into())?;
                }
                true
            }
            Err(failure) => return Err(failure),
            Ok(()) => false,
        };
        if self.followed > 0 {
            // No engine writes any, and what is read as another engine's often has some.
            let values = if self.followed == 1 { "value is" } else { "values are" };
            let text = format!("{} {values} followed by bytes that engines ignore", self.followed);
            self.report_all(format!("{text}, first at byte {}", self.followed_at))?;
        }
        let values = self.sound + self.damaged + self.followed;
        let (is_empty, complete) = (input.len() == 0, !is_cut && !self.gave_up);
        let is_sound = self.sound == values && complete && !is_empty;
        let Self { name: file, sound, damaged, followed, .. } = self;
        let state = match (is_empty, is_sound) {
            (true, _) => "empty",
            (_, true) => "ok",
            _ => "damaged",
        };
        if self.args.json {
            print(json::line(&Summary { file, state, values, damaged, followed, complete }))?;
        } else if !self.args.quiet {
            let count = if sound == 1 { "1 value".into() } else { format!("{sound} values") };
            print(match state {
                "empty" => format!("{file}: empty"),
                "ok" => format!("{file}: ok, {count}"),
                _ if is_cut => format!("{file}: damaged, {count} before the end"),
                _ if self.gave_up => format!("{file}: damaged, {count} of the first {values}"),
                _ => format!("{file}: damaged, {count} of {values}"),
            })?;
        }
        if state == "damaged" && !self.args.quiet {
            hint::give(input, &self.args.reading, self.args.from);
        }
        Ok(is_sound)
    }
}
