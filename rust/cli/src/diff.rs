//! `varbatch diff`: what changed from one file to another.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use varbatch_codec::change::{Change, ChangePart, ChangePath, DiffErrorKind, DiffOptions, Op, diff};
use varbatch_codec::describe::Node;
use varbatch_codec::transcode::Translation;
use varbatch_codec::{CodecError, Dialect, Text, Width};
use varbatch_workers::Threads;

use crate::args::{DialectName, Diff};
use crate::failure::Failure;
use crate::hint;
use crate::input::{Input, STANDARD};
use crate::json::{self, Value};
use crate::leaf;
use crate::path;
use crate::source::{Buffer, Buffers, in_frame};

/// Elements of a packed array that are shown of what changed, in JSON.
const MAX_ELEMENTS: usize = 100;

/// A change in JSON.
#[derive(Serialize)]
struct ChangeLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    op: &'static str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Value<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Value<'a>>,
}

/// Where changes go.
struct Report<'a> {
    args: &'a Diff,
    count: usize,
    out: BufWriter<io::Stdout>,
}

/// Why a comparison ends early: something about one of the two, or about the output.
enum Stop {
    Before(Failure),
    After(Failure),
    /// There is no use in going on.
    Enough,
    Output(Failure),
}

pub fn run(args: &Diff) -> Result<(), Failure> {
    if [&args.before, &args.after].iter().all(|path| *path == Path::new(STANDARD)) {
        return Err(Failure::Usage("the standard input can be given only once".into()));
    }
    let (before, after) = (Input::open(&args.before)?, Input::open(&args.after)?);
    let from_b = args.from_b.unwrap_or(args.from);
    let mut report = Report { args, count: 0, out: BufWriter::new(io::stdout()) };
    let compared = report.files((&before, args.from), (&after, from_b));
    // What is before an error is seen before it.
    report.out.flush().map_err(|error| Failure::output(&error))?;
    match compared {
        Ok(()) | Err(Stop::Enough) if report.count == 0 => Ok(()),
        Ok(()) | Err(Stop::Enough) => Err(Failure::Reported),
        Err(Stop::Before(failure)) => Err(hint::explain(failure, &before, &args.reading, args.from)),
        Err(Stop::After(failure)) => Err(hint::explain(failure, &after, &args.reading, from_b)),
        Err(Stop::Output(failure)) => Err(failure),
    }
}

/// Returns a value as Godot 4 would have it.
fn in_godot_4<'a>(buffer: &Buffer<'a>) -> Result<Cow<'a, [u8]>, Failure> {
    if buffer.dialect == Dialect::GODOT_4 {
        return Ok(buffer.bytes.into());
    }
    let translated = Translation::new(buffer.dialect, Dialect::GODOT_4).bytes(buffer.bytes);
    translated.map(|(bytes, _)| bytes.into()).map_err(|error| damaged_inside(buffer, error))
}

/// What an error says whose bytes count from the start of the value.
fn damaged_inside(buffer: &Buffer<'_>, error: CodecError) -> Failure {
    buffer.damaged(&error.map_at(|at| at + buffer.at))
}

impl Report<'_> {
    /// Compares all values in pairs.
    fn files(&mut self, before: (&Input, DialectName), after: (&Input, DialectName)) -> Result<(), Stop> {
        let threads = Threads::new(self.args.reading.threads);
        let open =
            |(input, from): (_, DialectName)| Buffers::open(input, self.args.reading.format, from.dialect(), &threads);
        let mut before = open(before).map_err(Stop::Before)?;
        let mut after = open(after).map_err(Stop::After)?;
        loop {
            match (before.next().map_err(Stop::Before)?, after.next().map_err(Stop::After)?) {
                (None, None) => return Ok(()),
                (Some(old), Some(new)) if (old.dialect, old.bytes) == (new.dialect, new.bytes) => {}
                (Some(old), Some(new)) => self.values(&old, &new)?,
                (Some(old), None) => self.alone(Op::Remove, &old, Stop::Before)?,
                (None, Some(new)) => self.alone(Op::Insert, &new, Stop::After)?,
            }
        }
    }

    /// Reports a value that the other file has none for. Nobody else reads it.
    fn alone(&mut self, op: Op, buffer: &Buffer<'_>, stop: fn(Failure) -> Stop) -> Result<(), Stop> {
        buffer.validate().map_err(|error| stop(buffer.damaged(&error)))?;
        let bytes = &in_godot_4(buffer).map_err(stop)?;
        let value = Some(ChangePart::Value { at: 0, bytes });
        let (old, new) = if op == Op::Remove { (value, None) } else { (None, value) };
        self.change(buffer.frame, Change { path: ChangePath::default(), op, index: None, old, new })
    }

    /// Compares two values.
    fn values(&mut self, old: &Buffer<'_>, new: &Buffer<'_>) -> Result<(), Stop> {
        let before = in_godot_4(old).map_err(Stop::Before)?;
        let after = in_godot_4(new).map_err(Stop::After)?;
        let options = DiffOptions { allow_objects: true, real: Width::Single };
        let changes = diff(&before, &after, options).map_err(|error| match error.kind() {
            DiffErrorKind::Before => Stop::Before(damaged_inside(old, error.into_error())),
            _ => Stop::After(damaged_inside(new, error.into_error())),
        })?;
        for change in changes.iter() {
            self.change(old.frame.or(new.frame), change)?;
        }
        Ok(())
    }

    fn change(&mut self, frame: Option<usize>, change: Change<'_>) -> Result<(), Stop> {
        self.count += 1;
        if self.args.quiet {
            return Err(Stop::Enough);
        }
        if self.count > self.args.count && !self.args.all {
            let more = if self.args.json { "{\"more\":null}" } else { "... more changes; --all shows them" };
            self.line(more)?;
            return Err(Stop::Enough);
        }
        let Change { op, index, old, new, .. } = change;
        let path: &String = &change.path.steps().iter().map(|&step| path::step(step, Dialect::GODOT_4)).collect();
        let values = [old, new].map(|part| part.map(ChangePart::to_value));
        let [old, new] = values.each_ref().map(|value| value.as_ref().map(|bytes| first(bytes)));
        if self.args.json {
            let [old, new] = [old, new].map(|one| one.map(|(node, texts)| Value::new(&node, texts, MAX_ELEMENTS)));
            return self.line(&json::line(&ChangeLine { frame, op: op.name(), path, index, old, new }));
        }
        let frame = in_frame(frame);
        let space = if path.is_empty() { "" } else { " " };
        let [old, new] = [old, new].map(|one| one.map_or_else(String::new, |(node, texts)| leaf::short(&node, &texts)));
        let arrow = if op == Op::Set { " -> " } else { "" };
        self.line(&format!("{frame}{}{space}{path}: {old}{arrow}{new}", op.name()))
    }

    fn line(&mut self, line: &str) -> Result<(), Stop> {
        writeln!(self.out, "{line}").map_err(|error| Stop::Output(Failure::output(&error)))
    }
}

/// The outermost node of what a comparison has read, and its first texts.
fn first(bytes: &[u8]) -> (Node<'_>, Vec<Text<'_>>) {
    json::first(bytes, 0, Dialect::GODOT_4, MAX_ELEMENTS).expect("it was read before")
}
