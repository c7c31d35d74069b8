//! `varbatch show`: the values of a file as a tree of lines, for people or as JSON.

use std::io::{self, BufWriter, Write};

use console::Style;
use serde::Serialize;
use varbatch_codec::describe::{Found, Node, Nodes, nodes};
use varbatch_codec::{Dialect, Event, PathStep, Text};

use crate::args::{Show, Shown};
use crate::buffer::Buffer;
use crate::input::{Failure, Input};
use crate::output::say;
use crate::path;
use crate::source::Buffers;
use crate::value::{self, Value};

/// Bytes that are still read to count the values that are not shown, and levels up to which lines are indented.
const MAX_COUNTED: u64 = 64 << 20;
const MAX_INDENT: usize = 32;

/// How the parts of a line look, unless the output is no terminal, or `NO_COLOR` is set: what is rarely looked for; the line
/// above a value; a key, an index or the name of a property; and the name of a type.
const FAINT: Style = Style::new().dim();
const HEAD: Style = Style::new().bold();
const WAY: Style = Style::new().cyan();
const NAME: Style = Style::new().green();

pub fn run(args: &Show) -> Result<(), Failure> {
    let input = Input::open(&args.path, args.from, args.reading)?;
    if input.len == 0 {
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
    if let (false, Some(rows)) = (tree.is_json, &buffers.rows) {
        tree.line(HEAD.apply_to(format_args!("store, {}", rows.count())))?;
    }
    let (mut shown, mut more) = (0, 0);
    while let Some(buffer) = buffers.next()? {
        if shown < max_count || (buffer.frame.is_none() && buffer.key.is_none()) {
            tree.under_frame(&buffer)?;
            shown += 1;
        } else if buffer.remaining > MAX_COUNTED {
            return Ok(tree.more_values(None)?);
        } else if buffer.key.is_some() {
            return Ok(tree.more_values(Some(buffer.remaining as usize + 1))?);
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

pub struct Tree {
    frame: Option<usize>,
    dialect: Dialect,
    /// The path of the outermost value, and the steps from there.
    path: Vec<String>,
    is_json: bool,
    max_depth: usize,
    max_items: usize,
    pub out: BufWriter<io::Stdout>,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum What<'a> {
    Value {
        size: usize,
        depth: usize,
        #[serde(flatten)]
        value: Value<'a>,
    },
    More {
        more: Option<usize>,
    },
    Behind {
        behind: usize,
    },
}

impl Tree {
    pub fn new(args: &Shown, frame: Option<usize>, path: String) -> Self {
        Self {
            frame,
            dialect: Dialect::GODOT_4,
            path: vec![path],
            is_json: args.json,
            max_depth: args.depth.unwrap_or(usize::MAX),
            max_items: if args.max_items == 0 { usize::MAX } else { args.max_items },
            out: BufWriter::new(io::stdout()),
        }
    }

    pub fn under_frame(&mut self, buffer: &Buffer<'_>) -> Result<(), Failure> {
        if let (false, Some(index)) = (self.is_json, buffer.frame) {
            self.line(HEAD.apply_to(format_args!("frame {index}")))?;
        }
        self.value(buffer)
    }

    pub fn value(&mut self, buffer: &Buffer<'_>) -> Result<(), Failure> {
        let Buffer { bytes, at: base, dialect, frame, .. } = *buffer;
        (self.frame, self.dialect) = (frame, dialect);
        buffer.there()?;
        if let Some(step) = buffer.step() {
            self.path = vec![step];
        }
        let max_texts = if self.is_json { self.max_items } else { value::MAX_TEXTS };
        let mut sizes = self.sizes(buffer).into_iter();
        let mut walk = self.nodes(buffer);
        // Around the next node: each with how many values of it were shown. The texts are those of the last one.
        let (mut open, mut texts) = (Vec::<(Node<'_>, usize)>::new(), Vec::new());
        let (mut end, mut len) = (base, 0);
        while let Some(found) = walk.next() {
            match found.map_err(|error| buffer.damaged(error))? {
                Found::Node(node) => {
                    self.path.truncate(node.depth.max(1));
                    self.path.extend(node.step.map(|step| path::step(step, dialect)));
                    let node = Node { step: node.step.or(buffer.key.map(PathStep::Key)), ..node };
                    // A leaf is written at its end, with its texts.
                    if let Some(count) = value::values(&node) {
                        let is_closed = node.depth == self.max_depth && count > 0;
                        self.node(&node, sizes.next().unwrap_or(0), Vec::new(), is_closed)?;
                    }
                    open.last_mut().into_iter().for_each(|(_, shown)| *shown += 1);
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
                    match value::values(&node) {
                        None => self.node(&node, size, std::mem::take(&mut texts), false)?,
                        Some(count) if shown == self.max_items && shown < count => {
                            let (more, path) = (count - shown, self.path[..=node.depth].concat());
                            let what = What::More { more: Some(more) };
                            self.note(Some(path), end, node.depth + 1, &format!("... {more} more"), what)?;
                        }
                        Some(_) => {}
                    }
                    (end, len) = (node.at + size, size);
                }
            }
        }
        let behind = bytes.len().saturating_sub(len);
        if behind > 0 {
            let text = format!("... {behind} bytes behind the value, which engines ignore");
            self.note(None, base + len, 0, &text, What::Behind { behind })?;
        }
        Ok(())
    }

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
                    let is_container = value::values(&node).is_some();
                    open.push(is_container.then_some(sizes.len()));
                    sizes.extend(is_container.then_some(0));
                }
                Found::Text(_) => walk.skip_inside(),
                Found::End { size, .. } => {
                    open.pop().flatten().into_iter().for_each(|index: usize| sizes[index] = size);
                }
            }
        }
        sizes
    }

    /// Writes one node: with its texts, or as a container that may be closed.
    pub fn node(&mut self, node: &Node<'_>, size: usize, texts: Vec<Text<'_>>, is_closed: bool) -> io::Result<()> {
        let (at, depth) = (node.at, node.depth);
        if self.is_json {
            let value = Value { node: *node, texts, items: self.max_items };
            return self.json(Some(self.path.concat()), Some(at), What::Value { size, depth, value });
        }
        let way = |step| format!("{}: ", WAY.apply_to(value::step(step, self.dialect)));
        let way = indent(depth) + &node.step.map_or_else(String::new, way);
        let (words, dots) = (value::short(node, &texts, &NAME), if is_closed { " ..." } else { "" });
        self.line(format_args!("{} {way}{words}{dots}", FAINT.apply_to(format_args!("{at:>10} {size:>9} "))))
    }

    /// Writes how many values are not shown; `None` if nobody counted them.
    pub fn more_values(&mut self, more: Option<usize>) -> io::Result<()> {
        if self.is_json {
            self.frame = None;
            return self.json(None, None, What::More { more });
        }
        let count = more.map_or_else(String::new, |more| format!("{more} "));
        let (values, them) = if more == Some(1) { ("value", "it") } else { ("values", "them") };
        self.line(FAINT.apply_to(format_args!("... {count}more {values}; --all shows {them}")))
    }

    /// Writes what is not shown from a byte on, as text or as JSON.
    fn note(&mut self, path: Option<String>, at: usize, depth: usize, text: &str, what: What<'_>) -> io::Result<()> {
        if self.is_json {
            return self.json(path, Some(at), what);
        }
        self.line(FAINT.apply_to(format_args!("{at:>10} {:>9}  {}{text}", "", indent(depth))))
    }

    fn json(&mut self, path: Option<String>, at: Option<usize>, what: What<'_>) -> io::Result<()> {
        self.line(value::json(&Line { frame: self.frame, path, at, what }))
    }

    fn line(&mut self, line: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }
}

/// The indentation of a line. On very deep levels, a number keeps the line from going far to the right.
fn indent(depth: usize) -> String {
    let number = if depth > MAX_INDENT { format!("({depth}) ") } else { String::new() };
    "  ".repeat(depth.min(MAX_INDENT)) + &number
}
