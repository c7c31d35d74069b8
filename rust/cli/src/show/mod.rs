//! `varbatch show`: the values of a file as a tree of lines.

mod tree;

use std::io::Write;

pub use self::tree::Tree;
use crate::args::Show;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::say;
use crate::source::Buffers;

/// Bytes that are still read to count the values that are not shown.
const MAX_COUNTED: u64 = 64 << 20;

pub fn run(args: &Show) -> Result<(), Failure> {
    let input = Input::open(&args.path, args.from, args.reading).map_err(Failure::File)?;
    if input.len() == 0 {
        say("note", format_args!("{}: the file is empty", input.name));
    }
    let mut buffers = Buffers::of(&input)?;
    let mut tree = Tree::new(&args.shown, None, String::new());
    let shown = match args.frame {
        Some(_) => buffers.find(args.frame).and_then(|buffer| tree.under_frame(&buffer)),
        None => some(buffers, args, &mut tree),
    };
    // What comes before an error is printed before it.
    tree.out.flush()?;
    shown
}

/// Shows the first values, and says how many more there are; or those that are asked for, and reads no others.
fn some(mut buffers: Buffers<'_>, args: &Show, tree: &mut Tree) -> Result<(), Failure> {
    let max_count = if args.all { usize::MAX } else { args.count };
    if let Some(start) = args.start {
        buffers.select("--start", start, (!args.all).then_some(max_count as u64))?;
    }
    let (mut shown, mut more) = (0, 0);
    while let Some(buffer) = buffers.next()? {
        if shown < max_count || buffer.frame.is_none() {
            tree.under_frame(&buffer)?;
            shown += 1;
        } else if buffer.remaining > MAX_COUNTED {
            return Ok(tree.more_values(None)?);
        } else {
            more += 1;
        }
    }
    match args.start {
        Some(start) if shown == 0 && max_count > 0 => {
            let (name, count) = (&buffers.input.name, buffers.index);
            say("note", format_args!("{name}: there is no value {start}, the file has {count}"));
        }
        _ if more > 0 => tree.more_values(Some(more))?,
        _ => {}
    }
    Ok(())
}
