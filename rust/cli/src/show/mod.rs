//! `varbatch show`: the values of a file as a tree of lines.

mod tree;

use std::io::{self, BufWriter, Write};

use varbatch_workers::Threads;

pub use self::tree::Tree;
use crate::args::Show;
use crate::failure::{Failure, say};
use crate::hint;
use crate::input::Input;
use crate::source::Buffers;

/// Bytes that are still read to count the values that are not shown.
const MAX_COUNTED: u64 = 64 << 20;

pub fn run(args: &Show) -> Result<(), Failure> {
    let input = Input::open(&args.path)?;
    if input.len() == 0 {
        say("note", format_args!("{}: the file is empty", input.name()));
    }
    show(args, &input).map_err(|failure| hint::explain(failure, &input, &args.reading, args.from))
}

fn show(args: &Show, input: &Input) -> Result<(), Failure> {
    let threads = Threads::new(args.reading.threads);
    let mut buffers = Buffers::open(input, args.reading.format, args.from.dialect(), &threads)?;
    let mut tree = Tree::new(&args.shown, None, String::new(), BufWriter::new(io::stdout()));
    let max_count = (!args.all).then_some(args.count);
    let shown = match (args.frame, args.start) {
        (Some(_), _) => buffers.find(args.frame).and_then(|buffer| tree.under_frame(&buffer)),
        (None, Some(start)) => range(buffers, start, max_count, &mut tree),
        (None, None) => some(buffers, max_count.unwrap_or(usize::MAX), &mut tree),
    };
    // What comes before an error is printed before it.
    tree.flush()?;
    shown
}

/// Shows the values from `start` on, and reads no others.
fn range<W: Write>(
    mut buffers: Buffers<'_>,
    start: i64,
    max_count: Option<usize>,
    tree: &mut Tree<W>,
) -> Result<(), Failure> {
    buffers.select("--start", start, max_count.map(|count| count as u64))?;
    let (mut shown, name) = (0, buffers.name());
    while let Some(buffer) = buffers.next()? {
        tree.under_frame(&buffer)?;
        shown += 1;
    }
    if shown == 0 && max_count != Some(0) {
        say("note", format_args!("{name}: there is no value {start}, the file has {}", buffers.index()));
    }
    Ok(())
}

/// Shows the first values, and says how many more there are.
fn some<W: Write>(mut buffers: Buffers<'_>, max_count: usize, tree: &mut Tree<W>) -> Result<(), Failure> {
    let (mut shown, mut more) = (0, 0);
    while let Some(buffer) = buffers.next()? {
        if shown < max_count || buffer.frame.is_none() {
            tree.under_frame(&buffer)?;
            shown += 1;
        } else if buffer.remaining > MAX_COUNTED {
            return tree.more_values(None);
        } else {
            more += 1;
        }
    }
    if more > 0 { tree.more_values(Some(more)) } else { Ok(()) }
}
