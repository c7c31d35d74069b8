//! `varbatch check`: whether all of a file can be read.

use std::path::Path;

use serde::Serialize;
use varbatch_codec::{CodecError, validate};
use varbatch_workers::Threads;

use crate::args::Check;
use crate::failure::{Failure, print, say};
use crate::hint;
use crate::input::{Input, STANDARD};
use crate::json;
use crate::progress::Progress;
use crate::source::{Frames, Source, reader};

/// Lines of errors about one file.
const MOST_TOLD: usize = 20;

/// Damaged values in a row after which a file is taken for no file of values.
const MOST_IN_A_ROW: usize = 100;

/// What was found so far in one file.
struct Findings<'a> {
    args: &'a Check,
    name: &'a str,
    sound: usize,
    damaged: usize,
    /// Of these the last ones, without a sound one between.
    in_a_row: usize,
    /// Values with bytes behind them, and where the first such bytes are.
    followed: usize,
    followed_at: usize,
    /// Whether nobody looked at the rest of the file.
    gave_up: bool,
}

/// An error in JSON.
#[derive(Serialize)]
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

/// What became of a file in JSON.
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
    for path in &args.paths {
        match file(args, path) {
            Ok(is_sound) => damaged |= !is_sound,
            Err(failure @ Failure::File(_)) => {
                unread = true;
                failure.report();
                if args.json {
                    let (file, state) = (&path.display().to_string(), "unreadable");
                    print(json::line(&Summary { file, state, values: 0, damaged: 0, followed: 0, complete: false }))?;
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    match (unread, damaged) {
        (true, _) => Err(Failure::FileTold),
        (_, true) => Err(Failure::Told),
        _ => Ok(()),
    }
}

/// Checks a file, and says whether it is sound.
fn file(args: &Check, path: &Path) -> Result<bool, Failure> {
    let (input, dialect) = (Input::open(path)?, args.from.dialect());
    let name = input.name();
    let mut findings =
        Findings { args, name, sound: 0, damaged: 0, in_a_row: 0, followed: 0, followed_at: 0, gave_up: false };
    let read = match Source::open(&input, args.reading.format, dialect) {
        _ if input.len() == 0 => Ok(()),
        Ok(Source::Value(bytes)) => findings.add(&bytes, 0, None, validate(reader(&bytes, 0, dialect))),
        Ok(Source::Frames(loader)) => {
            let (mut progress, threads) = (Progress::new(), Threads::new(args.reading.threads));
            let mut frames = Frames::new(&input, loader, &threads);
            loop {
                match frames.next() {
                    Ok(Some(frame)) => {
                        progress.set(frame.left.1 - frame.left.0, frame.left.1);
                        let read = validate(reader(frame.payload, frame.at, dialect));
                        findings.add(frame.payload, frame.at, Some(frame.index), read)?;
                        let (end, len) = (frame.at + frame.payload.len(), frame.left.1);
                        if findings.in_a_row == MOST_IN_A_ROW && !args.all && (end as u64) < len {
                            findings.gave_up = true;
                            findings.say_rest_unread(end, len)?;
                            break Ok(());
                        }
                    }
                    Ok(None) => break Ok(()),
                    Err(failure) => break Err(failure),
                }
            }
        }
        Err(failure) => Err(failure),
    };
    findings.close(&input, read)
}

impl Findings<'_> {
    /// A value was read.
    fn add(
        &mut self,
        bytes: &[u8],
        at: usize,
        frame: Option<usize>,
        read: Result<usize, CodecError>,
    ) -> Result<(), Failure> {
        self.in_a_row = if read.is_err() { self.in_a_row + 1 } else { 0 };
        match read {
            Ok(len) if len < bytes.len() => {
                self.followed += 1;
                self.followed_at = if self.followed == 1 { at + len } else { self.followed_at };
            }
            Ok(_) => self.sound += 1,
            Err(error) => {
                self.damaged += 1;
                if self.damaged <= MOST_TOLD || self.args.all {
                    let text = frame.map_or_else(String::new, |frame| format!("frame {frame}: "));
                    let path = error.path().steps().map(ToString::to_string).collect();
                    let (at, path) = (Some(error.at()), Some(path));
                    let problem = Problem { file: self.name, frame, at, path, error: error.kind().to_string() };
                    self.say(format_args!("{text}{error}"), &problem)?;
                }
            }
        }
        Ok(())
    }

    /// Says that something is wrong.
    fn say(&self, text: impl std::fmt::Display, problem: &Problem<'_>) -> Result<(), Failure> {
        if self.args.json {
            return print(json::line(problem));
        }
        if !self.args.quiet {
            say("error", format_args!("{}: {text}", self.name));
        }
        Ok(())
    }

    /// The same where there is nothing more to know.
    fn say_all(&self, text: String) -> Result<(), Failure> {
        let problem = Problem { file: self.name, frame: None, at: None, path: None, error: text.clone() };
        self.say(text, &problem)
    }

    /// Says how many damaged values there are besides those that were reported.
    fn say_rest(&self) -> Result<(), Failure> {
        match self.damaged.saturating_sub(MOST_TOLD) {
            rest if rest == 0 || self.args.all => Ok(()),
            1 => self.say_all("1 more value is damaged; --all reports it".into()),
            rest => self.say_all(format!("{rest} more values are damaged; --all reports them")),
        }
    }

    /// The same where so many damaged values follow each other that nobody looks at the rest.
    fn say_rest_unread(&self, end: usize, len: u64) -> Result<(), Failure> {
        let more = self.damaged - MOST_TOLD;
        let row = format!("{more} more values are damaged, {MOST_IN_A_ROW} in a row");
        self.say_all(format!("{row}, and the rest from byte {end} of {len} was not read; --all reads it"))
    }

    /// Says in one line what became of the file, with what ended it before its time.
    fn close(self, input: &Input, read: Result<(), Failure>) -> Result<bool, Failure> {
        if !self.gave_up {
            self.say_rest()?;
        }
        let is_cut = match read {
            Err(failure) if failure.is_about_data() => {
                if let Some(text) = failure.text() {
                    let text = text.strip_prefix(&format!("{}: ", self.name)).unwrap_or(text);
                    self.say_all(text.into())?;
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
            self.say_all(format!("{text}, first at byte {}", self.followed_at))?;
        }
        let all = self.sound + self.damaged + self.followed;
        let (is_empty, complete) = (input.len() == 0, !is_cut && !self.gave_up);
        let is_sound = self.sound == all && complete && !is_empty;
        let (name, sound) = (self.name, self.sound);
        if self.args.json {
            let state = if is_empty {
                "empty"
            } else if is_sound {
                "ok"
            } else {
                "damaged"
            };
            let (damaged, followed) = (self.damaged, self.followed);
            print(json::line(&Summary { file: name, state, values: all, damaged, followed, complete }))?;
        } else if !self.args.quiet {
            let values = if sound == 1 { "value" } else { "values" };
            print(match (is_empty, is_sound, is_cut) {
                (true, ..) => format!("{name}: empty"),
                (_, true, _) => format!("{name}: ok, {sound} {values}"),
                (_, _, true) => format!("{name}: damaged, {sound} {values} before the end"),
                _ if self.gave_up => format!("{name}: damaged, {sound} {values} of the first {all}"),
                _ => format!("{name}: damaged, {sound} {values} of {all}"),
            })?;
        }
        if !is_sound && !is_empty && !self.args.quiet {
            hint::give(input, &self.args.reading, self.args.from);
        }
        Ok(is_sound)
    }
}
