//! A value as a tree of lines, for people or as JSON.

use std::io::Write;

use serde::Serialize;
use varbatch_codec::describe::{Found, Node, Nodes, Way, nodes};
use varbatch_codec::quote::escaped;
use varbatch_codec::{Event, Text};

use super::style::Style;
use crate::args::Shown;
use crate::failure::Failure;
use crate::json::{self, Value};
use crate::leaf;
use crate::path::Trail;
use crate::source::Buffer;

/// Levels up to which lines are indented.
const MAX_INDENT: usize = 32;

/// Writes values as lines.
pub struct Tree<W> {
    /// The index of the frame that the values are in.
    frame: Option<usize>,
    /// The path of the current value.
    trail: Trail,
    is_json: bool,
    /// The deepest level that is shown.
    max_depth: usize,
    /// Elements that are shown of each container.
    max_items: usize,
    style: Style,
    out: W,
}

/// A value in JSON.
#[derive(Serialize)]
struct ValueLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    path: &'a str,
    at: usize,
    size: usize,
    depth: usize,
    #[serde(flatten)]
    value: Value<'a>,
}

/// Values that are left out, in JSON.
#[derive(Serialize)]
struct MoreLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    more: Option<usize>,
}

/// Bytes behind a value, in JSON.
#[derive(Serialize)]
struct BehindLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    at: usize,
    behind: usize,
}

/// A container around the next line.
struct Level {
    /// Values inside of it: how many were shown, and how many there are.
    shown: usize,
    count: usize,
}

impl<W: Write> Tree<W> {
    /// Values of this frame, with this path.
    pub fn new(args: &Shown, frame: Option<usize>, path: String, out: W) -> Self {
        Self {
            frame,
            trail: Trail::from(path),
            is_json: args.json,
            max_depth: args.depth.unwrap_or(usize::MAX),
            max_items: if args.max_items == 0 { usize::MAX } else { args.max_items },
            style: Style::new(),
            out,
        }
    }

    pub fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::output(&error))
    }

    /// Writes a value under the line of its frame, if it has one.
    pub fn under_frame(&mut self, buffer: &Buffer<'_>) -> Result<(), Failure> {
        if let (false, Some(index)) = (self.is_json, buffer.frame) {
            self.line(self.style.head.apply_to(format_args!("frame {index}")).to_string())?;
        }
        self.value(buffer)
    }

    /// Writes a value, as far as it is to be shown.
    pub fn value(&mut self, buffer: &Buffer<'_>) -> Result<(), Failure> {
        let Buffer { bytes, at: base, dialect, frame, .. } = *buffer;
        self.frame = frame;
        let max_texts = if self.is_json { self.max_items } else { leaf::MAX_TEXTS };
        let mut sizes = self.sizes(buffer).into_iter();
        let mut walk = nodes(bytes, base, dialect);
        // The leaf is written at its end: its texts come before that.
        let (mut levels, mut leaf, mut len) = (Vec::<Level>::new(), None::<(Node<'_>, Vec<Text<'_>>)>, 0);
        while let Some(found) = walk.next() {
            match found.map_err(|error| buffer.damaged(&error))? {
                Found::Node(node) => {
                    self.trail.step(node.depth, node.way);
                    if let Some(level) = levels.last_mut() {
                        level.shown += 1;
                    }
                    let Some(count) = leaf::values(&node) else {
                        leaf = Some((node, Vec::new()));
                        continue;
                    };
                    let size = sizes.find(|(at, _)| *at == node.at).map_or(0, |(_, size)| size);
                    let is_closed = node.depth == self.max_depth && count > 0;
                    self.node(&node, size, Vec::new(), is_closed)?;
                    levels.push(Level { shown: 0, count });
                    if is_closed {
                        walk.skip_inside();
                    }
                }
                Found::Text(text) => {
                    let (node, texts) = leaf.as_mut().expect("only a leaf has texts");
                    texts.push(text);
                    let is_path = matches!(node.event, Event::NodePath { .. });
                    if texts.len() >= max_texts && !(self.is_json && is_path) {
                        walk.skip_inside();
                    }
                }
                Found::End { size } => {
                    match leaf.take() {
                        Some((node, texts)) => self.node(&node, size, texts, false)?,
                        None => _ = levels.pop(),
                    }
                    self.rest_of_items(&levels, &mut walk)?;
                    len = size;
                }
            }
        }
        let behind = bytes.len().saturating_sub(len);
        if behind > 0 && self.is_json {
            self.line(json::line(&BehindLine { frame, at: base + len, behind }))?;
        } else if behind > 0 {
            self.note(base + len, 0, &format!("... {behind} bytes behind the value, which engines ignore"))?;
        }
        Ok(())
    }

    /// Leaves the rest of a container out, if enough of it was shown.
    fn rest_of_items(&mut self, levels: &[Level], walk: &mut Nodes<'_>) -> Result<(), Failure> {
        let Some(Level { shown, count }) = levels.last() else { return Ok(()) };
        if *shown != self.max_items || shown == count {
            return Ok(());
        }
        let at = walk.at();
        walk.skip_inside();
        self.more_items(at, levels.len(), count - shown)
    }

    /// Where the containers that are shown begin, and their sizes: known only when they were read.
    fn sizes(&self, buffer: &Buffer<'_>) -> Vec<(usize, usize)> {
        let (mut sizes, mut open) = (Vec::new(), Vec::new());
        // How many values began in each value that is open.
        let mut begun: Vec<usize> = Vec::new();
        let mut walk = nodes(buffer.bytes, buffer.at, buffer.dialect);
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
                        if node.depth >= self.max_depth {
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
                    if begun.last() == Some(&self.max_items) {
                        walk.skip_inside();
                    }
                }
            }
        }
        sizes
    }

    /// Writes one node: with its texts, or as a container that may be closed.
    pub fn node(&mut self, node: &Node<'_>, size: usize, texts: Vec<Text<'_>>, is_closed: bool) -> Result<(), Failure> {
        let (at, depth) = (node.at, node.depth);
        if self.is_json {
            let value = Value::new(node, texts, self.max_items);
            return self.line(json::line(&ValueLine {
                frame: self.frame,
                path: self.trail.text(),
                at,
                size,
                depth,
                value,
            }));
        }
        let style = &self.style;
        let name = |text: Text<'_>| style.name.apply_to(escaped(text, leaf::LINE)).to_string();
        let place = style.faint.apply_to(format_args!("{at:>10} {size:>9} ")).to_string();
        let way = match node.way {
            Way::Root => String::new(),
            way => format!("{}: ", style.way.apply_to(leaf::way(way))),
        };
        let class = node.class().map(name);
        let value = match leaf::values(node) {
            Some(count) => format!("of {count}{}", if is_closed { " ..." } else { "" }),
            None => leaf::value(node, &texts),
        };
        let words = leaf::joined([Some(name(Text::Utf8(&node.type_name()))), class, Some(value)]);
        self.line(format!("{place} {}{way}{words}", indent(depth)))
    }

    /// Writes that so many values of the container around the current one are not shown.
    fn more_items(&mut self, at: usize, depth: usize, more: usize) -> Result<(), Failure> {
        if !self.is_json {
            return self.note(at, depth, &format!("... {more} more"));
        }
        let (frame, path) = (self.frame, Some(self.trail.around(depth - 1)));
        self.line(json::line(&MoreLine { frame, path, at: Some(at), more: Some(more) }))
    }

    /// Writes that so many frames are not shown; `None` if nobody counted them.
    pub fn more_values(&mut self, more: Option<usize>) -> Result<(), Failure> {
        if self.is_json {
            return self.line(json::line(&MoreLine { frame: None, path: None, at: None, more }));
        }
        let count = more.map_or_else(String::new, |more| format!("{more} "));
        let (values, them) = if more == Some(1) { ("value", "it") } else { ("values", "them") };
        self.faint_line(&format!("... {count}more {values}; --all shows {them}"))
    }

    /// Writes at a byte what is not shown from there.
    fn note(&mut self, at: usize, depth: usize, text: &str) -> Result<(), Failure> {
        self.faint_line(&format!("{at:>10} {:>9}  {}{text}", "", indent(depth)))
    }

    fn faint_line(&mut self, text: &str) -> Result<(), Failure> {
        self.line(self.style.faint.apply_to(text).to_string())
    }

    fn line(&mut self, line: String) -> Result<(), Failure> {
        writeln!(self.out, "{line}").map_err(|error| Failure::output(&error))
    }
}

/// The indentation of a line. On very deep levels, the number of the level keeps the line from going far to the right.
fn indent(depth: usize) -> String {
    let number = if depth > MAX_INDENT { format!("({depth}) ") } else { String::new() };
    "  ".repeat(depth.min(MAX_INDENT)) + &number
}
