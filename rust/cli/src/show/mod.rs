//! `varbatch show`: the values of a file as a tree of lines.

mod style;
mod tree;

use std::io::{self, BufWriter, Write};

use varbatch_workers::Threads;

pub use self::tree::Tree;
use crate::args::Show;
use crate::failure::{Failure, say};
use crate::hint;
use crate::input::Input;
use crate::source::{Frames, Source};

/// Bytes that are still read to count the values that are not shown.
const MOST_COUNTED: u64 = 64 << 20;

pub fn run(args: &Show) -> Result<(), Failure> {
    let input = Input::open(&args.path)?;
    if input.len() == 0 {
        say("note", format_args!("{}: the file is empty", input.name()));
    }
    show(args, &input).map_err(|failure| hint::explain(failure, &input, &args.reading, args.from))
}

fn show(args: &Show, input: &Input) -> Result<(), Failure> {
    let source = Source::open(input, args.reading.format, args.from.dialect())?;
    let mut tree = Tree::new(&args.shown, input.name(), args.from.dialect(), BufWriter::new(io::stdout()));
    let shown = match source {
        Source::Value(_) if args.frame.is_some() => {
            Err(Failure::Usage("--frame: the file is one value, and has no frames".into()))
        }
        Source::Value(bytes) => tree.value(&bytes, 0, None),
        Source::Frames(loader) => {
            let threads = Threads::new(args.reading.threads);
            let frames = Frames::new(input, loader, &threads);
            match args.frame {
                Some(wanted) => one(frames, wanted, &mut tree),
                None => some(frames, if args.all { usize::MAX } else { args.count }, &mut tree),
            }
        }
    };
    // What is before an error is seen before it.
    tree.flush()?;
    shown
}

/// Shows one of the frames.
fn one<W: Write>(mut frames: Frames<'_>, wanted: usize, tree: &mut Tree<'_, W>) -> Result<(), Failure> {
    let mut count = 0;
    while let Some(frame) = frames.next()? {
        if frame.index == wanted {
            return tree.frame(frame.index, frame.at, frame.payload);
        }
        count += 1;
    }
    Err(Failure::Usage(format!("--frame {wanted}: the file has {count} frames")))
}

/// Shows the first frames, and says how many more there are.
fn some<W: Write>(mut frames: Frames<'_>, most: usize, tree: &mut Tree<'_, W>) -> Result<(), Failure> {
    let (mut shown, mut more) = (0, 0);
    while let Some(frame) = frames.next()? {
        if shown < most {
            tree.frame(frame.index, frame.at, frame.payload)?;
            shown += 1;
        } else if frame.left.0 > MOST_COUNTED {
            return tree.more_values(None);
        } else {
            more += 1;
        }
    }
    if more > 0 { tree.more_values(Some(more)) } else { Ok(()) }
}
