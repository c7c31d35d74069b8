//! `varbatch check`: whether all of a file can be read.

use std::io::{self, Write};

use varbatch_codec::{Error, Threads, validate};

use crate::args::Check;
use crate::failure::{Failure, say};
use crate::hint;
use crate::progress::Progress;
use crate::source::{Frame, Source, each_frame, reader};

/// Damaged values that are told one by one.
const MOST_TOLD: usize = 10;

/// What was found so far.
struct Findings<'a> {
    args: &'a Check,
    sound: usize,
    damaged: usize,
    /// Values with bytes behind them, and where the first such bytes are.
    rests: usize,
    rest_at: usize,
}

pub fn run(args: &Check) -> Result<(), Failure> {
    let (path, dialect) = (&args.path, args.from.dialect());
    let mut findings = Findings { args, sound: 0, damaged: 0, rests: 0, rest_at: 0 };
    let read = match Source::open(path, args.reading.format, dialect)? {
        Source::Value(bytes) => {
            findings.add(&bytes, 0, "", validate(reader(&bytes, 0, dialect)));
            Ok(())
        }
        Source::Frames(mut loader) => {
            let mut progress = Progress::new();
            each_frame(path, &mut loader, &Threads::new(args.reading.threads), |Frame { index, at, payload, left }| {
                progress.set(left.1 - left.0, left.1);
                findings.add(payload, at, &format!("frame {index}: "), validate(reader(payload, at, dialect)));
                Ok(())
            })
        }
    };
    findings.close(read)
}

impl Findings<'_> {
    /// A value was read.
    fn add(&mut self, bytes: &[u8], at: usize, frame: &str, read: Result<usize, Error>) {
        match read {
            Ok(len) if len < bytes.len() => {
                self.rests += 1;
                self.rest_at = if self.rests == 1 { at + len } else { self.rest_at };
            }
            Ok(_) => self.sound += 1,
            Err(error) => {
                self.damaged += 1;
                if self.damaged <= MOST_TOLD {
                    self.say("error", format_args!("{frame}{error}"));
                }
            }
        }
    }

    fn say(&self, what: &str, text: impl std::fmt::Display) {
        if !self.args.quiet {
            say(what, format_args!("{}: {text}", self.args.path.display()));
        }
    }

    /// Tells all in one line, with what ended the file before its time.
    fn close(self, read: Result<(), Failure>) -> Result<(), Failure> {
        if self.damaged > MOST_TOLD {
            self.say("error", format_args!("{} more values are damaged", self.damaged - MOST_TOLD));
        }
        let is_cut = match read {
            Err(failure) if failure.is_about_data() => {
                if !self.args.quiet {
                    failure.report();
                }
                true
            }
            Err(failure) => return Err(failure),
            Ok(()) => false,
        };
        if self.rests > 0 {
            // No engine writes any, and what is read as another engine's often has some.
            let values = if self.rests == 1 { "value is" } else { "values are" };
            let rests = format_args!("{} {values} followed by bytes that engines ignore", self.rests);
            self.say("error", format_args!("{rests}, first at byte {}", self.rest_at));
        }
        let all = self.sound + self.damaged + self.rests;
        let is_sound = self.sound == all && !is_cut;
        if !self.args.quiet {
            let path = self.args.path.display();
            let values = if self.sound == 1 { "value" } else { "values" };
            let text = match (is_sound, is_cut) {
                (true, _) => format!("{path}: ok, {} {values}", self.sound),
                (_, false) => format!("{path}: damaged, {} {values} of {all}", self.sound),
                (_, true) => format!("{path}: damaged, {} {values} before the end", self.sound),
            };
            writeln!(io::stdout(), "{text}").map_err(|error| Failure::output(&error))?;
            if !is_sound {
                hint::give(&self.args.path, &self.args.reading, self.args.from);
            }
        }
        if is_sound { Ok(()) } else { Err(Failure::Told) }
    }
}
