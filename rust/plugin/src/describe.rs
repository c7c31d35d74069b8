//! The type tree of a buffer, for people who look at one: the codec's walk, as dictionaries.

use godot::builtin::{Array, VarDictionary, Variant, vdict};
use godot::meta::ToGodot;
use varbatch_codec::describe::{Found, Node, Way, nodes};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, Kind, Reader, Threads};

use crate::build::{Build, MayAsk};
use crate::engine::{DIALECT, Slot};
use crate::texts::Texts;

/// The tree of the value at the start of `bytes`, as far as it can be read, and what is wrong with it.
pub fn describe(bytes: &[u8], dialect: Dialect) -> VarDictionary {
    let mut root = VarDictionary::new();
    // The nodes around the next one, and the children of each.
    let mut open: Vec<(VarDictionary, Array<VarDictionary>)> = Vec::new();
    for found in nodes(bytes, 0, dialect) {
        match found {
            Ok(Found::Node(node)) => {
                let (entry, children) = entry_of(&node, dialect);
                match open.last_mut() {
                    Some((_, siblings)) => siblings.push(&entry),
                    None => root = entry.clone(),
                }
                open.push((entry, children));
            }
            Ok(Found::Text(_)) => {}
            Ok(Found::End { size }) => {
                let (mut entry, _) = open.pop().expect("what ends was begun");
                entry.set("size", position(size));
            }
            Err(error) => root.set("error", error.to_string()),
        }
    }
    root
}

/// What is told about a node, and where its children go.
fn entry_of(node: &Node<'_>, dialect: Dialect) -> (VarDictionary, Array<VarDictionary>) {
    let children = Array::new();
    let mut entry = vdict! {
        "type" => i64::from(node.kind.id()),
        "type_name" => &*node.type_name(),
        "offset" => position(node.at),
        "size" => 0,
        "children" => &children,
    };
    match node.way {
        Way::Root => {}
        Way::Index(index) => entry.set("index", position(index)),
        Way::Key { bytes, kind, .. } => entry.set("key", &key(bytes, kind, dialect)),
        Way::Property(name) => entry.set("key", &*name.to_utf8()),
    }
    if let Some(class) = node.class() {
        entry.set("class", &*class.to_utf8());
    }
    (entry, children)
}

/// The key of an entry. One that the engine would have to make or convert something for is not built: its type stands
/// for it.
fn key(bytes: &[u8], kind: Kind, dialect: Dialect) -> Variant {
    let built = if dialect == DIALECT {
        built(bytes)
    } else {
        let translated = Translation::new(dialect, DIALECT).bytes(bytes);
        translated.ok().and_then(|(translated, _)| built(&translated))
    };
    built.unwrap_or_else(|| kind.name().to_variant())
}

fn built(bytes: &[u8]) -> Option<Variant> {
    let mut slot = Slot::new();
    let mut texts = Texts::for_bytes(0);
    let built = Build::new(Reader::new(bytes), &mut texts, &Threads::alone(), MayAsk::Nothing).build(&mut slot);
    built.is_ok().then(|| slot.value().variant().clone())
}

fn position(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
