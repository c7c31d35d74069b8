//! `varbatch diff`: what changed from one file to another.

use std::cmp::Ordering;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;

use console::Style;
use serde::Serialize;
use varbatch_codec::change::{Change, ChangePart, ChangePath, DiffError, DiffOptions, Op, diff};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{CodecError, Dialect, Width};

use crate::args::Diff;
use crate::buffer::{Buffer, in_frame};
use crate::input::{Failure, Input, STANDARD};
use crate::path;
use crate::source::Buffers;
use crate::value::{self, Value};

/// Elements of a packed array that are shown of what changed, in JSON.
const MAX_ELEMENTS: usize = 100;

/// The end of a comparison that has found and reported a difference.
const DIFFERENT: Failure = Failure::Reported(1);

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

struct Report<'a> {
    args: &'a Diff,
    count: usize,
    out: BufWriter<io::Stdout>,
}

pub fn run(args: &Diff) -> Result<(), Failure> {
    if [&args.before, &args.after].iter().all(|path| *path == std::path::Path::new(STANDARD)) {
        return Err(Failure::Usage("the standard input can be given only once".into()));
    }
    let before = Input::open(&args.before, args.from, args.reading)?;
    let after = Input::open(&args.after, args.from_b.unwrap_or(args.from), args.reading)?;
    let mut report = Report { args, count: 0, out: BufWriter::new(io::stdout()) };
    let compared = report.files(&before, &after);
    // What is before an error is seen before it.
    report.out.flush()?;
    compared?;
    if report.count == 0 { Ok(()) } else { Err(DIFFERENT) }
}

fn in_godot_4<'a>(buffer: &Buffer<'a>) -> Result<std::borrow::Cow<'a, [u8]>, Failure> {
    if buffer.dialect == Dialect::GODOT_4 {
        return Ok(buffer.bytes.into());
    }
    let translated = Translation::new(buffer.dialect, Dialect::GODOT_4).bytes(buffer.bytes);
    translated.map(|(bytes, _)| bytes.into()).map_err(|error| damaged_inside(buffer, error))
}

/// An error whose bytes count from the start of the value.
fn damaged_inside(buffer: &Buffer<'_>, error: CodecError) -> Failure {
    buffer.damaged(error.map_at(|at| at + buffer.at))
}

impl Report<'_> {
    fn files(&mut self, before: &Rc<Input>, after: &Rc<Input>) -> Result<(), Failure> {
        let (mut before, mut after) = (Buffers::of(before)?, Buffers::of(after)?);
        if before.rows.is_some() != after.rows.is_some() {
            return Err(Failure::Usage(
                "a store can only be compared with a store; `varbatch convert` makes one".into(),
            ));
        }
        loop {
            // Keys are sorted: the lesser one is missing in the other store.
            let order = match (&before.rows, &after.rows) {
                (Some(before), Some(after)) => before.order(after),
                _ => Ordering::Equal,
            };
            let old = if order.is_le() { before.next()? } else { None };
            let new = if order.is_ge() { after.next()? } else { None };
            [&old, &new].into_iter().flatten().try_for_each(Buffer::there)?;
            match (old, new) {
                (None, None) => return Ok(()),
                (Some(old), Some(new)) if (old.dialect, old.bytes) == (new.dialect, new.bytes) => {}
                (Some(old), Some(new)) => self.values(&old, &new)?,
                (Some(old), None) => self.alone(Op::Remove, &old)?,
                (None, Some(new)) => self.alone(Op::Insert, &new)?,
            }
        }
    }

    /// Reports a value that the other file has none for. Nobody else reads it.
    fn alone(&mut self, op: Op, buffer: &Buffer<'_>) -> Result<(), Failure> {
        buffer.validate().map_err(|error| buffer.damaged(&error))?;
        let value = Some(ChangePart::Value { at: 0, bytes: &in_godot_4(buffer)? });
        let (old, new) = if op == Op::Remove { (value, None) } else { (None, value) };
        self.change(buffer, Change { path: ChangePath::default(), op, index: None, old, new })
    }

    fn values(&mut self, old: &Buffer<'_>, new: &Buffer<'_>) -> Result<(), Failure> {
        let (before, after) = (in_godot_4(old)?, in_godot_4(new)?);
        let options = DiffOptions { allow_objects: true, real: Width::Single };
        let changes = diff(&before, &after, options).map_err(|error| match error {
            DiffError::Before(error) => damaged_inside(old, error),
            DiffError::After(error) => damaged_inside(new, error),
        })?;
        let of = if old.frame.is_some() { old } else { new };
        changes.iter().try_for_each(|change| self.change(of, change))
    }

    /// Reports a change inside of a value. An error if there is no use in going on.
    fn change(&mut self, of: &Buffer<'_>, change: Change<'_>) -> Result<(), Failure> {
        self.count += 1;
        if self.args.quiet {
            return Err(DIFFERENT);
        }
        if self.count > self.args.count && !self.args.all {
            let more = if self.args.json { "{\"more\":null}" } else { "... more changes; --all shows them" };
            writeln!(self.out, "{more}")?;
            return Err(DIFFERENT);
        }
        let Change { op, index, old, new, .. } = change;
        let steps: String = change.path.steps().iter().map(|&step| path::step(step, Dialect::GODOT_4)).collect();
        let (frame, path) = (of.frame, &(of.step().unwrap_or_default() + &steps));
        let values = [old, new].map(|part| part.map(ChangePart::to_value));
        let first = |bytes| value::first(bytes, 0, Dialect::GODOT_4, MAX_ELEMENTS).expect("it was read before");
        let [old, new] = values.each_ref().map(|value| value.as_deref().map(first));
        let line = if self.args.json {
            value::json(&ChangeLine { frame, op: op.name(), path, index, old, new })
        } else {
            let short = |value: Value<'_>| value::short(&value.node, &value.texts, &Style::new());
            let [old, new] = [old, new].map(|value| value.map(short).unwrap_or_default());
            let (frame, op_name) = (in_frame(frame), op.name());
            let (space, arrow) = (if path.is_empty() { "" } else { " " }, if op == Op::Set { " -> " } else { "" });
            format!("{frame}{op_name}{space}{path}: {old}{arrow}{new}")
        };
        Ok(writeln!(self.out, "{line}")?)
    }
}
