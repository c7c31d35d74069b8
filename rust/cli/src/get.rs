//! `varbatch get`: one value of a file, found without decoding the others.

use std::io::{self, Write};

use varbatch_codec::describe::Node;
use varbatch_codec::lookup::{LookupError, Seek, Target, element_kind, lookup};
use varbatch_codec::{Event, Kind, PathStep, frames};

use crate::args::Get;
use crate::buffer::Buffer;
use crate::input::{Failure, Input};
use crate::path::Wanted;
use crate::show::Tree;
use crate::source::Buffers;
use crate::value;

pub fn run(args: &Get) -> Result<(), Failure> {
    // A wrong path is reported before any file is opened.
    let wanted = crate::path::parse(&args.wanted, args.from.dialect()).map_err(Failure::Usage)?;
    let input = Input::open(&args.path, args.from, args.reading)?;
    let mut buffers = Buffers::of(&input)?;
    if let (None, Some(rows)) = (args.frame, &mut buffers.rows) {
        return print(args, wanted.get(1..).unwrap_or_default(), &rows.find(&input, wanted.first())?);
    }
    print(args, &wanted, &buffers.find(args.frame)?)
}

fn print(args: &Get, wanted: &[Wanted], buffer: &Buffer<'_>) -> Result<(), Failure> {
    let dialect = buffer.dialect;
    let conditions: Vec<_> = wanted.iter().map(|wanted| move |step: PathStep<'_>| wanted.is(step, dialect)).collect();
    let seeks: Vec<Seek<'_>> = wanted.iter().zip(&conditions).map(|(wanted, is)| wanted.seek(is, dialect)).collect();
    let target = lookup(buffer.bytes, buffer.at, dialect, &seeks).map_err(|error| match &error {
        LookupError::Damaged(error) => buffer.damaged(error),
        _ => Failure::Usage(format!("{}: {error}", buffer.input.name)),
    })?;
    if args.raw {
        return raw(&target, buffer);
    }
    let mut tree = Tree::new(&args.shown, buffer.frame, args.wanted.trim().to_owned());
    let element = |at, kind, event| Node { depth: 0, at, kind, event, step: None };
    let shown = match target {
        Target::Value { at, bytes } => tree.value(&Buffer { at, bytes, key: None, ..*buffer }),
        Target::Text { at, text } => {
            let size = frames::PREFIX_LEN + text.to_utf8().len();
            Ok(tree.node(&element(at, Kind::String, Event::String(text)), size, Vec::new(), false)?)
        }
        Target::Element { at, plain } => {
            let node = element(at, element_kind(plain.kind), Event::Components(plain));
            Ok(tree.node(&node, plain.bytes.len(), Vec::new(), false)?)
        }
    };
    tree.out.flush()?;
    shown
}

fn raw(target: &Target<'_>, buffer: &Buffer<'_>) -> Result<(), Failure> {
    let print = |bytes: &[u8]| Ok(io::stdout().write_all(bytes)?);
    let (at, bytes) = match *target {
        Target::Text { text, .. } => return print(text.to_utf8().as_bytes()),
        Target::Element { plain, .. } => return print(plain.bytes),
        Target::Value { at, bytes } => (at, bytes),
    };
    let value = value::first(bytes, at, buffer.dialect, 0).map_err(|error| buffer.damaged(&error))?;
    let found = value.node.kind.name();
    match value.node.event {
        Event::String(text) | Event::StringName(text) => print(text.to_utf8().as_bytes()),
        Event::NodePath { .. } => print(value::node_path(value.node.event, &value.texts).as_bytes()),
        Event::Packed(plain) => print(plain.bytes),
        _ => Err(Failure::Usage(format!("--raw: expected a text or a packed array of numbers, found {found}"))),
    }
}
