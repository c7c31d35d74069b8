//! `varbatch get`: one value, found without decoding the others.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use varbatch_codec::describe::{Node, Way};
use varbatch_codec::lookup::{LookupErrorKind, Seek, Target, lookup};
use varbatch_codec::{CodecError, Event, Kind};
use varbatch_workers::Threads;

use crate::args::Get;
use crate::failure::Failure;
use crate::hint;
use crate::input::Input;
use crate::json::{self, Content};
use crate::leaf;
use crate::path::{self, Wanted};
use crate::show::Tree;
use crate::source::{Frames, Source};

pub fn run(args: &Get) -> Result<(), Failure> {
    // What is wrong with the path needs no file to be said.
    let wanted = path::parse(&args.wanted, args.from.dialect()).map_err(Failure::Usage)?;
    let input = Input::open(&args.path)?;
    get(args, &wanted, &input).map_err(|failure| hint::explain(failure, &input, &args.reading, args.from))
}

fn get(args: &Get, wanted: &[Wanted], input: &Input) -> Result<(), Failure> {
    match (Source::open(input, args.reading.format, args.from.dialect())?, args.frame) {
        (Source::Value(_), Some(_)) => Err(Failure::Usage("--frame: the file is one value, and has no frames".into())),
        (Source::Value(bytes), None) => found(args, wanted, input, &bytes, 0, None),
        (Source::Frames(loader), _) => {
            let (threads, index) = (Threads::new(args.reading.threads), args.frame.unwrap_or(0));
            let (mut frames, mut count) = (Frames::new(input, loader, &threads), 0);
            while let Some(frame) = frames.next()? {
                if frame.index == index {
                    return found(args, wanted, input, frame.payload, frame.at, Some(index));
                }
                count += 1;
            }
            Err(Failure::Usage(format!("--frame {index}: the file has {count} frames")))
        }
    }
}

/// Finds the value in one of the file, and prints it.
fn found(
    args: &Get,
    wanted: &[Wanted],
    input: &Input,
    bytes: &[u8],
    base: usize,
    frame: Option<usize>,
) -> Result<(), Failure> {
    let dialect = args.from.dialect();
    let damaged = |error: &CodecError| {
        let frame = frame.map_or_else(String::new, |frame| format!("frame {frame}: "));
        Failure::data(input.name(), format_args!("{frame}{error}"))
    };
    let conditions: Vec<_> = wanted.iter().map(|wanted| move |way: Way<'_>| wanted.is(way)).collect();
    let seeks: Vec<Seek<'_>> = wanted.iter().zip(&conditions).map(|(wanted, is)| wanted.seek(is)).collect();
    let target = lookup(bytes, base, dialect, &seeks).map_err(|error| match error.kind() {
        LookupErrorKind::Damaged(error) => damaged(error),
        _ => Failure::Usage(format!("{}: {error}", input.name())),
    })?;
    let mut out = BufWriter::new(io::stdout());
    if args.raw {
        let bytes = raw(&target, args, damaged)?;
        return out.write_all(&bytes).and_then(|()| out.flush()).map_err(|error| Failure::output(&error));
    }
    let mut tree = Tree::new(&args.shown, input.name(), dialect, out);
    tree.at_path(args.wanted.trim().to_owned());
    let shown = match target {
        Target::Value { at, bytes } => tree.value(bytes, at, frame),
        Target::Text { at, text } => {
            let node = Node { depth: 0, at, kind: Kind::String, event: Event::String(text), way: Way::Root };
            let size = 4 + text.to_utf8().len();
            tree.element(frame, &node, size, &leaf::value(&node, &[]), Content::of_element(node.event))
        }
        Target::Element { at, plain } => {
            let event = Event::Components(plain);
            let node = Node { depth: 0, at, kind: element_kind(plain.kind), event, way: Way::Root };
            tree.element(frame, &node, plain.bytes.len(), &leaf::value(&node, &[]), Content::of_element(event))
        }
    };
    tree.flush()?;
    shown
}

/// What an element of a packed array is.
fn element_kind(kind: Kind) -> Kind {
    match kind {
        Kind::PackedByteArray | Kind::PackedInt32Array | Kind::PackedInt64Array => Kind::Int,
        Kind::PackedFloat32Array | Kind::PackedFloat64Array => Kind::Float,
        Kind::PackedVector2Array => Kind::Vector2,
        Kind::PackedVector3Array => Kind::Vector3,
        Kind::PackedVector4Array => Kind::Vector4,
        Kind::PackedColorArray => Kind::Color,
        // Of an array without headers.
        kind => kind,
    }
}

/// What a text or a packed array holds.
fn raw<'a>(
    target: &Target<'a>,
    args: &Get,
    damaged: impl Fn(&CodecError) -> Failure,
) -> Result<Cow<'a, [u8]>, Failure> {
    let refused = |kind: Kind| {
        let message = format!("--raw: expected a text or a packed array of numbers, found {}", kind.name());
        Failure::Usage(message)
    };
    match *target {
        Target::Text { text, .. } => Ok(bytes_of(text.to_utf8())),
        Target::Element { plain, .. } => Ok(plain.bytes.into()),
        Target::Value { at, bytes } => {
            let (node, texts) = json::first(bytes, at, args.from.dialect(), 0).map_err(|error| damaged(&error))?;
            match node.event {
                Event::String(text) | Event::StringName(text) => Ok(bytes_of(text.to_utf8())),
                Event::NodePath { .. } => Ok(leaf::node_path(node.event, &texts).into_bytes().into()),
                Event::Packed(plain) => Ok(plain.bytes.into()),
                _ => Err(refused(node.kind)),
            }
        }
    }
}

fn bytes_of(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => text.as_bytes().into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}
