//! A value as a tree of lines, for people or as JSON.

use std::io::Write;

use serde::Serialize;
use varbatch_codec::describe::{Found, Node, Nodes, Way, nodes};
use varbatch_codec::{Dialect, Event, Text};

use super::style::Style;
use crate::args::Shown;
use crate::failure::Failure;
use crate::json::{self, Content, Value};
use crate::leaf;
use crate::path::Trail;

/// Levels up to which lines are indented.
const MOST_INDENT: usize = 32;

/// Writes lines.
pub struct Tree<'a, W> {
    /// What the input is called.
    name: &'a str,
    dialect: Dialect,
    /// The index of the frame that the values are in.
    index: Option<usize>,
    /// What leads to the value at hand.
    trail: Trail,
    is_json: bool,
    /// The deepest that is shown.
    depth: usize,
    /// The most elements of a container.
    items: usize,
    style: Style,
    out: W,
}

/// A value in JSON.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    path: &'a str,
    at: usize,
    size: usize,
    depth: usize,
    #[serde(flatten)]
    value: Value<'a>,
}

/// What is not shown, in JSON.
#[derive(Serialize)]
struct More<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    more: Option<usize>,
}

/// Bytes that are of no value, in JSON.
#[derive(Serialize)]
struct Behind {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    at: usize,
    behind: usize,
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

impl<'a, W: Write> Tree<'a, W> {
    pub fn new(args: &Shown, name: &'a str, dialect: Dialect, out: W) -> Self {
        Self {
            name,
            dialect,
            index: None,
            trail: Trail::default(),
            is_json: args.json,
            depth: args.depth.unwrap_or(usize::MAX),
            items: if args.max_items == 0 { usize::MAX } else { args.max_items },
            style: Style::new(),
            out,
        }
    }

    /// The value of a frame.
    pub fn frame(&mut self, index: usize, at: usize, payload: &[u8]) -> Result<(), Failure> {
        if !self.is_json {
            self.line(&self.style.head(&format!("frame {index}")))?;
        }
        self.value(payload, at, Some(index))
    }

    /// A value that others lead to.
    pub fn at_path(&mut self, path: String) {
        self.trail = Trail::from(path);
    }

    pub fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::output(&error))
    }

    /// All of a value that is to be seen.
    pub fn value(&mut self, bytes: &[u8], base: usize, frame: Option<usize>) -> Result<(), Failure> {
        self.index = frame;
        let most = if self.is_json { self.items } else { leaf::MOST_TEXTS };
        let mut sizes = self.sizes(bytes, base).into_iter();
        let mut walk = nodes(bytes, base, self.dialect);
        let (mut levels, mut leaf, mut len) = (Vec::<Level>::new(), None::<Leaf<'_>>, 0);
        while let Some(found) = walk.next() {
            match found {
                Ok(Found::Node(node)) => {
                    self.trail.step(node.depth, node.way);
                    if let Some(level) = levels.last_mut() {
                        level.shown += 1;
                    }
                    match leaf::values(&node) {
                        None => leaf = Some(Leaf { node, texts: Vec::new() }),
                        Some(count) => {
                            let size = sizes.find(|(at, _)| *at == node.at).map_or(0, |(_, size)| size);
                            let is_closed = node.depth == self.depth && count > 0;
                            self.container(&node, size, is_closed)?;
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
                    let is_path = matches!(leaf.node.event, Event::NodePath { .. });
                    if leaf.texts.len() >= most && !(self.is_json && is_path) {
                        walk.skip_inside();
                    }
                }
                Ok(Found::End { size }) => {
                    match leaf.take() {
                        Some(Leaf { node, texts }) => self.leaf(&node, size, texts)?,
                        None => _ = levels.pop(),
                    }
                    self.rest_of_items(&levels, &mut walk)?;
                    len = size;
                }
                Err(error) => {
                    let frame = frame.map_or_else(String::new, |frame| format!("frame {frame}: "));
                    return Err(Failure::data(self.name, format_args!("{frame}{error}")));
                }
            }
        }
        let left = bytes.len().saturating_sub(len);
        if left > 0 && self.is_json {
            self.line(&json::line(&Behind { frame, at: base + len, behind: left }))?;
        } else if left > 0 {
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
        self.more_items(at, levels.len(), count - shown)
    }

    /// Where the containers that are shown begin, and how long they are: known only when they were read.
    fn sizes(&self, bytes: &[u8], base: usize) -> Vec<(usize, usize)> {
        let (mut sizes, mut open) = (Vec::new(), Vec::new());
        // How many values were begun in each value that is open.
        let mut begun: Vec<usize> = Vec::new();
        let mut walk = nodes(bytes, base, self.dialect);
        while let Some(Ok(found)) = walk.next() {
            match found {
                Found::Node(node) => {
                    if let Some(count) = begun.last_mut() {
                        *count += 1;
                    }
                    begun.push(0);
                    let is_container = leaf::values(&node).is_some();
                    open.push(is_container.then_some(sizes.len()));
                    if is_container {
                        sizes.push((node.at, 0));
                        if node.depth >= self.depth {
                            walk.skip_inside();
                        }
                    }
                }
                Found::Text(_) => walk.skip_inside(),
                Found::End { size } => {
                    begun.pop();
                    if let Some(index) = open.pop().flatten() {
                        sizes[index].1 = size;
                    }
                    if begun.last() == Some(&self.items) {
                        walk.skip_inside();
                    }
                }
            }
        }
        sizes
    }

    fn container(&mut self, node: &Node<'_>, size: usize, is_closed: bool) -> Result<(), Failure> {
        if self.is_json {
            return self.object(node, size, Value::new(node, None));
        }
        let count = leaf::values(node).unwrap_or_default();
        self.node(node, size, &format!("of {count}{}", if is_closed { " ..." } else { "" }))
    }

    fn leaf(&mut self, node: &Node<'_>, size: usize, texts: Vec<Text<'_>>) -> Result<(), Failure> {
        if self.is_json {
            return self.object(node, size, Value::new(node, Content::of(node, texts, self.items)));
        }
        self.node(node, size, &leaf::value(node, &texts))
    }

    fn object(&mut self, node: &Node<'_>, size: usize, value: Value<'_>) -> Result<(), Failure> {
        let (frame, at, depth) = (self.index, node.at, node.depth);
        let line = json::line(&Line { frame, path: self.trail.text(), at, size, depth, value });
        self.line(&line)
    }

    /// An element of a packed array, which has no header, and how many bytes it takes.
    pub fn element(
        &mut self,
        frame: Option<usize>,
        node: &Node<'_>,
        size: usize,
        value: &str,
        content: Content<'_>,
    ) -> Result<(), Failure> {
        self.index = frame;
        if self.is_json {
            self.object(node, size, Value::new(node, Some(content)))
        } else {
            self.node(node, size, value)
        }
    }

    /// Says that of the container around it so many are not shown.
    fn more_items(&mut self, at: usize, depth: usize, more: usize) -> Result<(), Failure> {
        if !self.is_json {
            return self.note(at, depth, &format!("... {more} more"));
        }
        let (frame, path) = (self.index, Some(self.trail.around(depth - 1)));
        let line = json::line(&More { frame, path, at: Some(at), more: Some(more) });
        self.line(&line)
    }

    /// Says that so many frames are not shown, or some.
    pub fn more_values(&mut self, more: Option<usize>) -> Result<(), Failure> {
        if self.is_json {
            return self.line(&json::line(&More { frame: None, path: None, at: None, more }));
        }
        let count = more.map_or_else(String::new, |more| format!("{more} "));
        let (values, them) = if more == Some(1) { ("value", "it") } else { ("values", "them") };
        self.line(&self.style.faint(&format!("... {count}more {values}; --all shows {them}")))
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
