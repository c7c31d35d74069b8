//! Shows the type tree of a buffer: turns the codec's overview into Dictionaries.

use std::borrow::Cow;

use godot::builtin::{PackedByteArray, VarDictionary};
use varbatch_codec::describe::{Found, Node, overview};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, Kind, PathStep, Reader, Text};
use varbatch_workers::Threads;

use crate::engine::{self, DIALECT, Slot};
use crate::report::{Failure, Outcome};
use crate::value::build::{Build, MayAsk};
use crate::value::change_rows::text;
use crate::value::string_cache::Texts;
pub const MAX_NODES: i64 = 100_000;

/// Min bytes of a value inside a key.
const LEAST_LEN: usize = 4;

/// Returns the tree of a value, up to `max_nodes`, at least 1, or to the first error, which is the `error` of the root.
pub fn describe(bytes: &PackedByteArray, dialect: Dialect, max_nodes: i64) -> Result<Outcome<VarDictionary>, Failure> {
    let count = super::count_of(max_nodes).filter(|&count| count > 0);
    let failure = || Failure::invalid(format_args!("expected a max_nodes of at least 1, found {max_nodes}"));
    Ok(Outcome::new(tree(engine::bytes_of(bytes), dialect, count.ok_or_else(failure)?), Vec::new()))
}

fn tree(bytes: &[u8], dialect: Dialect, max_nodes: usize) -> VarDictionary {
    let fields = ["type", "type_name", "offset", "size", "index", "key", "class", "children", "omitted"].map(text);
    let mut tree = Tree { dialect, fields, texts: Texts::for_bytes(usize::MAX), left: max_nodes };
    // The open ancestors of the next node, each with its key and its children so far.
    let mut open: Vec<(Node<'_>, Option<Slot>, Vec<Slot>)> = Vec::new();
    let (mut root, mut end) = (VarDictionary::new(), None);
    let mut walk = overview(bytes, 0, dialect, max_nodes);
    while let Some(found) = walk.next() {
        match found {
            Ok(Found::Node(node)) => {
                let key = if let Some(PathStep::Key(key)) = node.step { Some(tree.key(key)) } else { None };
                open.push((node, key, Vec::new()));
            }
            Ok(Found::Text(_)) => walk.skip_inside(),
            Ok(Found::End { size, omitted }) => {
                let (node, key, children) = open.pop().expect("what ends was begun");
                let made = tree.node(&node, key, size, children, omitted);
                match open.last_mut() {
                    Some((.., siblings)) => siblings.push(made),
                    None => root = made.value().variant().to(),
                }
            }
            Err(error) => end = Some(error),
        }
    }
    if let Some(error) = end {
        root.set("error", error.to_string());
    }
    root
}

/// Makes nodes. Nodes share their keys and repeated texts.
struct Tree {
    dialect: Dialect,
    fields: [Slot; 9],
    texts: Texts,
    /// Remaining budget of values inside container keys.
    left: usize,
}

impl Tree {
    /// Makes a node, whose value has `len` bytes, and `count` children that are omitted.
    fn node(&mut self, node: &Node<'_>, key: Option<Slot>, len: usize, mut nodes: Vec<Slot>, count: usize) -> Slot {
        let Self { fields: [kind, name, offset, size, index, key_field, class, children, omitted], texts, .. } = self;
        let mut made = Slot::new();
        let mut entry = made.set_dictionary();
        entry.entry(kind).set_int(node.kind.id().into());
        match node.type_name() {
            Cow::Borrowed(text) => texts.set(entry.entry(name), Kind::String, text),
            Cow::Owned(text) => entry.entry(name).set_string(&text),
        }
        entry.entry(offset).set_int(number(node.at));
        entry.entry(size).set_int(number(len));
        match (node.step, key) {
            (Some(PathStep::Index(at)), _) => entry.entry(index).set_int(number(at)),
            (Some(PathStep::Property(Text::Utf8(text))), _) => texts.set(entry.entry(key_field), Kind::String, text),
            (Some(PathStep::Property(text)), _) => entry.entry(key_field).set_string(&text.to_utf8()),
            (_, Some(key)) => *entry.entry(key_field) = key,
            (_, None) => {}
        }
        if let Some(text) = node.class() {
            entry.entry(class).set_string(&text.to_utf8());
        }
        if !nodes.is_empty() {
            let array = engine::new_dictionaries(nodes.len(), |slots| slots.swap_with_slice(&mut nodes));
            entry.entry(children).set(array);
        }
        if count > 0 {
            entry.entry(omitted).set_int(number(count));
        }
        made
    }

    /// Returns the key of an entry, or the name of its type if the key would need the engine or exceed the budget.
    fn key(&mut self, bytes: &[u8]) -> Slot {
        let kind = Reader::new(bytes).with_dialect(self.dialect).peek_kind().expect("it was read before");
        let mut slot = Slot::new();
        let values = if let Kind::Array | Kind::Dictionary = kind { bytes.len() / LEAST_LEN } else { 0 };
        let is_built = values <= self.left && {
            if self.dialect == DIALECT {
                build(bytes, &mut self.texts, &mut slot)
            } else {
                let translated = Translation::new(self.dialect, DIALECT).bytes(bytes);
                translated.is_ok_and(|(bytes, _)| build(&bytes, &mut self.texts, &mut slot))
            }
        };
        if is_built {
            self.left -= values;
        } else {
            slot.set_string(kind.name());
        }
        slot
    }
}

fn build(bytes: &[u8], texts: &mut Texts, slot: &mut Slot) -> bool {
    Build::new(Reader::new(bytes), texts, &Threads::alone(), MayAsk::Nothing).build(slot).is_ok()
}

fn number(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
