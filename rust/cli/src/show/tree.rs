//! A value as a tree of lines, for people or as JSON.

use std::io::Write;

use console::Style as Colours;
use serde::Serialize;
use varbatch_codec::describe::{Found, Node, Nodes, nodes};
use varbatch_codec::quote::escaped;
use varbatch_codec::{Dialect, Event, Text};

use crate::args::Shown;
use crate::failure::Failure;
use crate::json::{self, Value};
use crate::leaf;
use crate::path::Trail;
use crate::source::Buffer;

/// Levels up to which lines are indented.
const MAX_INDENT: usize = 32;

/// How the parts of a line look. Plain where the output is no terminal, or `NO_COLOR` is set.
struct Style {
    /// What is rarely looked for.
    faint: Colours,
    /// The line above a value.
    head: Colours,
    /// A key, an index or the name of a property.
    way: Colours,
    /// The name of a type.
    name: Colours,
}

impl Style {
    fn new() -> Self {
        let plain = Colours::new();
        Self { faint: plain.clone().dim(), head: plain.clone().bold(), way: plain.clone().cyan(), name: plain.green() }
    }
}

/// Writes values as lines.
pub struct Tree<W> {
    /// The index of the frame that the values are in.
    frame: Option<usize>,
    dialect: Dialect,
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

/// Bytes after a value, in JSON.
#[derive(Serialize)]
struct BehindLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    at: usize,
    behind: usize,
}

impl<W: Write> Tree<W> {
    /// Values of this frame, with this path.
    pub fn new(args: &Shown, frame: Option<usize>, path: String, out: W) -> Self {
        Self {
            frame,
            dialect: Dialect::GODOT_4,
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
        (self.frame, self.dialect) = (frame, dialect);
        let max_texts = if self.is_json { self.max_items } else { leaf::MAX_TEXTS };
        let mut sizes = self.sizes(buffer).into_iter();
        let mut walk = self.nodes(buffer);
        // Around the next node: each with how many values of it were shown. The texts are those of the last one.
        let (mut open, mut texts) = (Vec::<(Node<'_>, usize)>::new(), Vec::new());
        let (mut end, mut len) = (base, 0);
        while let Some(found) = walk.next() {
            match found.map_err(|error| buffer.damaged(&error))? {
                Found::Node(node) => {
                    self.trail.step(node.depth, node.step, dialect);
                    // A leaf is written at its end, with its texts.
                    if let Some(count) = leaf::values(&node) {
                        let is_closed = node.depth == self.max_depth && count > 0;
                        self.node(&node, sizes.next().unwrap_or(0), Vec::new(), is_closed)?;
                    }
                    if let Some((_, shown)) = open.last_mut() {
                        *shown += 1;
                    }
                    open.push((node, 0));
                }
                Found::Text(text) => {
                    texts.push(text);
                    let is_path = matches!(open.last(), Some((Node { event: Event::NodePath { .. }, .. }, _)));
                    if texts.len() >= max_texts && !(self.is_json && is_path) {
                        walk.skip_inside();
                    }
                }
                Found::End { size, .. } => {
                    let (node, shown) = open.pop().expect("what ends was begun");
                    match leaf::values(&node) {
                        None => self.node(&node, size, std::mem::take(&mut texts), false)?,
                        Some(count) if shown == self.max_items && shown < count => {
                            self.more_items(end, node.depth + 1, count - shown)?;
                        }
                        Some(_) => {}
                    }
                    (end, len) = (node.at + size, size);
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

    /// Walks over what is to be shown of a value.
    fn nodes<'a>(&self, buffer: &Buffer<'a>) -> Nodes<'a> {
        nodes(buffer.bytes, buffer.at, buffer.dialect).with_limits(self.max_depth, self.max_items)
    }

    /// The sizes of the containers that are shown, known only when they were read.
    fn sizes(&self, buffer: &Buffer<'_>) -> Vec<usize> {
        let (mut sizes, mut open) = (Vec::new(), Vec::new());
        let mut walk = self.nodes(buffer);
        while let Some(Ok(found)) = walk.next() {
            match found {
                Found::Node(node) => {
                    let is_container = leaf::values(&node).is_some();
                    open.push(is_container.then_some(sizes.len()));
                    sizes.extend(is_container.then_some(0));
                }
                Found::Text(_) => walk.skip_inside(),
                Found::End { size, .. } => {
                    if let Some(index) = open.pop().flatten() {
                        sizes[index] = size;
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
            let (frame, path) = (self.frame, self.trail.text());
            let value = Value::new(node, texts, self.max_items);
            return self.line(json::line(&ValueLine { frame, path, at, size, depth, value }));
        }
        let style = &self.style;
        let name = |text: Text<'_>| style.name.apply_to(escaped(text, leaf::LINE)).to_string();
        let place = style.faint.apply_to(format_args!("{at:>10} {size:>9} ")).to_string();
        let way = node
            .step
            .map_or_else(String::new, |step| format!("{}: ", style.way.apply_to(leaf::step(step, self.dialect))));
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
