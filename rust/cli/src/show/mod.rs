//! `varbatch show`: the values of a file as a tree of lines.

mod leaf;
mod style;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use varbatch_codec::describe::{Found, Node, Nodes, Way, nodes};
use varbatch_codec::{Dialect, Event, Text, Threads};

use self::style::Style;
use crate::args::Show;
use crate::failure::Failure;
use crate::source::{Source, each_frame};

/// Levels up to which lines are indented.
const MOST_INDENT: usize = 32;

pub fn run(args: &Show) -> Result<(), Failure> {
    let (path, dialect) = (&args.path, args.from.dialect());
    let source = Source::open(path, args.reading.format, dialect)?;
    let mut shower = Shower::new(args, BufWriter::new(io::stdout()));
    let shown = match source {
        Source::Value(_) if args.frame.is_some() => {
            Err(Failure::Usage("--frame: the file is one value, and has no frames".into()))
        }
        Source::Value(bytes) => shower.value(&bytes, 0, ""),
        Source::Frames(mut loader) => {
            let mut count = 0;
            let read = each_frame(path, &mut loader, &Threads::new(args.reading.threads), |frame| {
                count += 1;
                if args.frame.is_none_or(|wanted| wanted == frame.index) {
                    shower.frame(frame.index, frame.at, frame.payload)?;
                }
                // All that was asked for was shown.
                if args.frame == Some(frame.index) { Err(Failure::Closed) } else { Ok(()) }
            });
            match (read, args.frame) {
                (Err(Failure::Closed), _) => Ok(()),
                (Ok(()), Some(wanted)) => Err(Failure::Usage(format!("--frame {wanted}: the file has {count} frames"))),
                (read, _) => read,
            }
        }
    };
    // What is before an error is seen before it.
    shower.out.flush().map_err(|error| Failure::output(&error))?;
    shown
}

/// Writes lines.
struct Shower<'a, W> {
    path: &'a Path,
    dialect: Dialect,
    /// The deepest that is shown.
    depth: usize,
    /// The most elements of a container.
    items: usize,
    style: Style,
    out: W,
}

/// A container around the next line.
struct Level {
    /// Values that were shown of it, and that it has.
    shown: usize,
    count: usize,
}

/// A value without values inside, whose line is written at its end.
struct Leaf<'v> {
    node: Node<'v>,
    texts: Vec<Text<'v>>,
}

impl<'a, W: Write> Shower<'a, W> {
    fn new(args: &'a Show, out: W) -> Self {
        Self {
            path: &args.path,
            dialect: args.from.dialect(),
            depth: args.depth.unwrap_or(usize::MAX),
            items: if args.max_items == 0 { usize::MAX } else { args.max_items },
            style: Style::new(),
            out,
        }
    }

    fn frame(&mut self, index: usize, at: usize, payload: &[u8]) -> Result<(), Failure> {
        self.line(&self.style.head(&format!("frame {index}")))?;
        self.value(payload, at, &format!("frame {index}: "))
    }

    /// All of a value that is to be seen.
    fn value(&mut self, bytes: &[u8], base: usize, frame: &str) -> Result<(), Failure> {
        let mut sizes = self.sizes(bytes, base).into_iter();
        let mut walk = nodes(bytes, base, self.dialect);
        let (mut levels, mut leaf, mut len) = (Vec::<Level>::new(), None::<Leaf<'_>>, 0);
        while let Some(found) = walk.next() {
            match found {
                Ok(Found::Node(node)) => {
                    if let Some(level) = levels.last_mut() {
                        level.shown += 1;
                    }
                    match leaf::values(&node) {
                        None => leaf = Some(Leaf { node, texts: Vec::new() }),
                        Some(count) => {
                            let size = sizes.find(|(at, _)| *at == node.at).map_or(0, |(_, size)| size);
                            let is_closed = node.depth == self.depth && count > 0;
                            self.node(&node, size, &format!("of {count}{}", if is_closed { " ..." } else { "" }))?;
                            levels.push(Level { shown: 0, count });
                            if is_closed {
                                walk.skip_inside();
                            }
                        }
                    }
                }
                Ok(Found::Text(text)) => {
                    let leaf = leaf.as_mut().expect("only it has texts");
                    leaf.texts.push(text);
                    if leaf.texts.len() == leaf::MOST_TEXTS {
                        walk.skip_inside();
                    }
                }
                Ok(Found::End { size }) => {
                    match leaf.take() {
                        Some(Leaf { node, texts }) => self.node(&node, size, &leaf::value(&node, &texts))?,
                        None => _ = levels.pop(),
                    }
                    self.rest_of_items(&levels, &mut walk)?;
                    len = size;
                }
                Err(error) => return Err(Failure::data(self.path, format_args!("{frame}{error}"))),
            }
        }
        let left = bytes.len().saturating_sub(len);
        if left > 0 {
            self.note(base + len, 0, &format!("... {left} bytes behind the value, which engines ignore"))?;
        }
        Ok(())
    }

    /// Leaves the rest of a container out, if enough of it was shown.
    fn rest_of_items(&mut self, levels: &[Level], walk: &mut Nodes<'_>) -> Result<(), Failure> {
        let Some(Level { shown, count }) = levels.last() else { return Ok(()) };
        if *shown != self.items || shown == count {
            return Ok(());
        }
        let at = walk.at();
        walk.skip_inside();
        self.note(at, levels.len(), &format!("... {} more", count - shown))
    }

    /// Where the containers that are shown begin, and how long they are: known only when they were read.
    fn sizes(&self, bytes: &[u8], base: usize) -> Vec<(usize, usize)> {
        let (mut sizes, mut open) = (Vec::new(), Vec::new());
        let mut walk = nodes(bytes, base, self.dialect);
        while let Some(Ok(found)) = walk.next() {
            match found {
                Found::Node(node) if leaf::values(&node).is_some() => {
                    open.push(Some(sizes.len()));
                    sizes.push((node.at, 0));
                    if node.depth >= self.depth {
                        walk.skip_inside();
                    }
                }
                Found::Node(_) => open.push(None),
                Found::Text(_) => walk.skip_inside(),
                Found::End { size } => {
                    if let Some(index) = open.pop().flatten() {
                        sizes[index].1 = size;
                    }
                }
            }
        }
        sizes
    }

    fn node(&mut self, node: &Node<'_>, size: usize, value: &str) -> Result<(), Failure> {
        let place = self.style.faint(&format!("{:>10} {size:>9} ", node.at));
        let indent = indent(node.depth);
        let way = match node.way {
            Way::Root => String::new(),
            way => format!("{}: ", self.style.way(&leaf::way(way))),
        };
        let mut name = self.style.name(&leaf::escaped(&node.type_name(), leaf::LINE));
        if let Event::Object { class, .. } = node.event {
            name = format!("{name} {}", self.style.name(&leaf::escaped(&class.to_utf8(), leaf::LINE)));
        }
        let space = if value.is_empty() { "" } else { " " };
        self.line(&format!("{place} {indent}{way}{name}{space}{value}"))
    }

    /// Says at this place what is not shown.
    fn note(&mut self, at: usize, depth: usize, text: &str) -> Result<(), Failure> {
        self.line(&self.style.faint(&format!("{at:>10} {:>9}  {}{text}", "", indent(depth))))
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.out, "{line}").map_err(|error| Failure::output(&error))
    }
}

/// What stands before a line. What lies very deep would be far to the right: the number of its level stands there.
fn indent(depth: usize) -> String {
    let number = if depth > MOST_INDENT { format!("({depth}) ") } else { String::new() };
    "  ".repeat(depth.min(MOST_INDENT)) + &number
}
