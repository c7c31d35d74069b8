//! Says what the engine refuses in bytes and values; and which values of properties it does not survive.

use foldhash::HashMap;
use godot::classes::RenderingServer;
use godot::classes::rendering_server::ArrayFormat;
use godot::obj::{EngineBitfield, Singleton};
use varbatch_codec::{CodecError, CodecErrorKind, ElementType, Event, Kind, Reader, Text};

use super::nesting::is_shallow;
use crate::engine::is_in_project;
use crate::report::{PATH, short};

pub fn no_such_class(name: &str) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected a class that can be instantiated, found {name:?}"))
}

/// The engine cannot load this script. `found` is the path, or the type that stands in its place.
pub fn no_such_script(found: &str) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected the path of a script in res://, found {found}"))
}

pub fn abstract_script(path: &str) -> CodecErrorKind {
    let expected = "a script that objects can have";
    CodecErrorKind::Refused(format!("expected {expected}, found {:?}, which is abstract", short(path, PATH)))
}

pub fn object_failed(class: &str) -> CodecErrorKind {
    let expected = format!("an object of class {class:?} that the engine accepts");
    CodecErrorKind::Refused(format!("expected {expected}, found one that it refuses"))
}

/// A typed container drops a value of another type. Only a warning: the rest of the value is read.
pub fn dropped() -> CodecErrorKind {
    CodecErrorKind::Refused("expected what the container's type takes, found another type".into())
}

/// True if the engine survives that a property is set to the value that comes next. `costs.txt` names what it must be:
///
/// - `empty`: nothing, as the engine checks nothing of what is there; `texture`: nothing, or pixels of a graphics card;
/// - `pairs`, `triples`: an Array of Arrays with as many elements; `finite`: vectors that are not both infinite and no numbers;
/// - `tags`, `shader`, `expression`: a text without deep [nesting](super::nesting), many columns or definitions, or files that are no includes;
/// - `messages`: a Dictionary whose keys are texts, or Arrays of two;
/// - `bits`, `scene`, `tilts`, `handles`, `surfaces`: a Dictionary, or an Array of such, whose arrays are as long as others.
pub fn is_sound(reader: &Reader<'_>, shape: &str) -> Result<bool, CodecError> {
    let mut reader = reader.clone();
    let event = reader.next_event()?;
    Ok(match (shape, event) {
        ("empty", Some(Event::Array { count: 0, .. })) => true,
        ("empty", Some(Event::Packed(plain))) => plain.count == 0,
        // The first modes are images in a file's format, of which the engine takes none that is damaged.
        ("texture", Some(Event::Packed(plain))) => {
            plain.bytes.first().is_none_or(|mode| *mode > 2) && plain.kind == Kind::PackedByteArray
        }
        // What has a type drops and converts what is in the bytes.
        (_, Some(event)) if is_typed(event) => false,
        ("finite", Some(Event::Packed(plain))) => {
            let parts = plain.bytes.chunks_exact(if plain.bytes.len() == plain.count * 12 { 4 } else { 8 });
            let mut numbers = parts.map(|bytes| match bytes.try_into() {
                Ok(bytes) => f32::from_le_bytes(bytes).into(),
                Err(_) => f64::from_le_bytes(bytes.try_into().expect("8 bytes")),
            });
            // Either alone is none of a shape, but only both of them keep the engine at it for ever.
            !numbers.clone().any(f64::is_nan) || !numbers.any(f64::is_infinite)
        }
        ("messages", Some(Event::Dictionary { count, .. })) => {
            let mut is_sound = true;
            for _ in 0..count {
                let inside = reader.depth();
                is_sound &= match reader.next_event()? {
                    Some(Event::Array { count, .. }) => count > 1,
                    Some(event) => matches!(event, Event::String(_) | Event::StringName(_)),
                    None => false,
                };
                reader.finish_value(inside)?;
                reader.next_event()?;
                reader.finish_value(inside)?;
            }
            is_sound
        }
        ("pairs" | "triples" | "surfaces", Some(Event::Array { count, .. })) => {
            let mut is_sound = true;
            for _ in 0..count {
                let inside = reader.depth();
                is_sound &= match reader.next_event()? {
                    Some(event) if is_typed(event) => false,
                    Some(Event::Array { count, .. }) => {
                        (shape == "pairs" && count > 1) || (shape == "triples" && count > 2)
                    }
                    Some(Event::Dictionary { count, .. }) if shape == "surfaces" => {
                        Entries::read(&mut reader, count)?.is_surface() == Some(true)
                    }
                    _ => false,
                };
                reader.finish_value(inside)?;
            }
            is_sound
        }
        ("tags", Some(Event::String(Text::Utf8(text)))) => {
            let columns = text.split("[table=").skip(1).map(|table| {
                let table = table.split([',', ']']).next().unwrap_or_default();
                let digits: String = table.matches(|char: char| char.is_ascii_digit()).collect();
                if digits.is_empty() { 0 } else { digits.parse().unwrap_or(usize::MAX) }
            });
            columns.fold(0, usize::saturating_add) <= MAX_TAGS + text.len() / 4 && has_few_tags(text)
        }
        ("shader", Some(Event::String(Text::Utf8(text)))) => is_shallow(text) && is_quick_to_expand(text),
        ("expression", Some(Event::String(Text::Utf8(text)))) => text.len() <= MAX_LINE && is_shallow(text),
        (_, Some(Event::Dictionary { count, .. })) => {
            let entries = Entries::read(&mut reader, count)?;
            let packed = |name, kind| entries.packed(name, kind).map(|(_, count)| count);
            let is_sound = match shape {
                "bits" => entries.is_bits(),
                "scene" => entries.is_scene(),
                "tilts" => packed("points", Kind::PackedVector3Array)
                    .zip(packed("tilts", Kind::PackedFloat32Array))
                    .map(|(points, tilts)| points <= tilts * 3),
                // Only those of Bezier curves have any.
                "handles" if !entries.0.contains_key("handle_modes") => Some(true),
                "handles" => packed("times", Kind::PackedFloat32Array)
                    .zip(packed("handle_modes", Kind::PackedInt32Array))
                    .map(|(times, modes)| times <= modes),
                _ => None,
            };
            is_sound == Some(true)
        }
        // What other tracks hold, and what the engine takes for none of these.
        ("handles" | "tilts", _) => true,
        _ => false,
    })
}

/// Tags within each other: the engine takes some of its stack for each.
const MAX_TAGS: usize = 1024;

/// Max bytes of an expression, and of a line for the preprocessor of shaders.
const MAX_LINE: usize = 4096;

/// The first bit of the version in the format of a mesh.
const VERSION_AT: u32 = 35;

/// Max bytes of a shader by its definitions: each is sought in all of it.
const MAX_EXPANDED: usize = 64 << 20;

/// The tags of a `RichTextLabel` in which others may be. All others are text, or end at once.
const TAGS: &str = "b i u s code table cell lang center left right fill p ul ol url hint dropcap indent color outline_size \
                    outline_color font_size font opentype_features opentype otf bgcolor fgcolor shake wave tornado rainbow \
                    pulse fade";

/// True if few tags have not ended at the same time: only the last one can.
fn has_few_tags(text: &str) -> bool {
    let mut open = Vec::new();
    text.split('[').skip(1).all(|tag| {
        let tag = tag.split(']').next().unwrap_or_default();
        let name = tag.split([' ', '=']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(name) => _ = open.pop_if(|last| *last == name),
            None if TAGS.split_ascii_whitespace().any(|known| known == name) => open.push(name),
            None => {}
        }
        open.len() <= MAX_TAGS
    })
}

/// True if the preprocessor loads no other resources of the project, which may be scripts.
fn includes_only_includes(line: &str) -> bool {
    line.match_indices("include").all(|(at, word)| {
        let is_directive = match line[..at].rsplit_once('#') {
            Some((_, between)) => between.trim().is_empty() || between.trim_start().starts_with("/*"),
            None => line[..at].trim_end().ends_with("*/"),
        };
        let rest = line[at + word.len()..].trim_start();
        let path = rest.strip_prefix('"').and_then(|rest| rest.split('"').next());
        let is_include =
            |path: &str| is_in_project(path.strip_prefix("res://").unwrap_or(path)) && path.ends_with(".gdshaderinc");
        let is_other_word = rest.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        !is_directive || is_other_word || path.is_some_and(is_include)
    })
}

/// True if the preprocessor of shaders has little to do.
fn is_quick_to_expand(text: &str) -> bool {
    let is_quick = |line: &str| match line.len() {
        ..=MAX_LINE => includes_only_includes(line),
        _ => !line.contains('#') && !line.contains("*/"),
    };
    text.matches("define").count() * text.len() <= MAX_EXPANDED && text.lines().all(is_quick)
}

/// True for an Array or a Dictionary that has a type.
fn is_typed(event: Event<'_>) -> bool {
    match event {
        Event::Array { element, .. } => element != ElementType::Any,
        Event::Dictionary { key, value, .. } => key != ElementType::Any || value != ElementType::Any,
        _ => false,
    }
}

/// The entries of a Dictionary whose keys are texts, each value as its first event.
struct Entries<'a>(HashMap<&'a str, Event<'a>>);

/// `None` stands for what the engine has to convert.
impl<'a> Entries<'a> {
    /// Reads so many entries.
    fn read(reader: &mut Reader<'a>, count: usize) -> Result<Self, CodecError> {
        let mut entries = HashMap::default();
        for _ in 0..count {
            let inside = reader.depth();
            let key = reader.next_event()?;
            reader.finish_value(inside)?;
            let value = reader.next_event()?;
            reader.finish_value(inside)?;
            if let Some(Event::String(Text::Utf8(key)) | Event::StringName(Text::Utf8(key))) = key {
                entries.extend(value.map(|value| (key, value)));
            }
        }
        Ok(Self(entries))
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.0.get(name) {
            None => Some(0),
            Some(Event::Int(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns a packed array, and how many elements it has.
    fn packed(&self, name: &str, kind: Kind) -> Option<(&'a [u8], usize)> {
        match self.0.get(name) {
            None => Some((&[], 0)),
            Some(Event::Packed(plain)) if plain.kind == kind => Some((plain.bytes, plain.count)),
            _ => None,
        }
    }

    /// The engine makes a bit for each place, and then looks without a check.
    fn is_bits(&self) -> Option<bool> {
        let size = match self.0.get("size") {
            None => 0,
            Some(Event::Components(plain)) if plain.kind == Kind::Vector2i => {
                words(plain.bytes).map(i64::from).fold(1, i64::saturating_mul)
            }
            _ => return None,
        };
        Some(size <= self.packed("data", Kind::PackedByteArray)?.1 as i64 * 8)
    }

    /// True if a surface has what its format and its counts say.
    fn is_surface(&self) -> Option<bool> {
        let server = RenderingServer::singleton();
        let format = ArrayFormat::from_ord(self.int("format")?.cast_unsigned());
        let (vertices, indices) = (i32::try_from(self.int("vertex_count")?).ok()?, self.int("index_count")?);
        let strides = [
            server.mesh_surface_get_format_vertex_stride(format, vertices)
                + server.mesh_surface_get_format_normal_tangent_stride(format, vertices),
            server.mesh_surface_get_format_attribute_stride(format, vertices),
            server.mesh_surface_get_format_skin_stride(format, vertices),
            if vertices <= 1 << 16 { 2 } else { 4 },
        ];
        let counts = [vertices.into(), vertices.into(), vertices.into(), indices];
        let mut arrays =
            ["vertex_data", "attribute_data", "skin_data", "index_data"].into_iter().zip(strides).zip(counts);
        // The engine converts those of older versions, but not compressed ones.
        let is_convertible = !format.is_set(ArrayFormat::FLAG_COMPRESS_ATTRIBUTES) || format.ord() >> VERSION_AT > 0;
        Some(
            strides[0] > 0
                && is_convertible
                && arrays.all(|((name, stride), count)| {
                    self.packed(name, Kind::PackedByteArray)
                        .is_some_and(|(bytes, _)| bytes.len() as i64 == i64::from(stride) * count)
                }),
        )
    }

    /// True if the nodes and connections of a scene are all there: the engine reads behind the arrays without a check.
    fn is_scene(&self) -> Option<bool> {
        // The engine keeps 32 bits of each number.
        let (version, nodes) = (self.int("version")? as i32, self.int("node_count")? as i32);
        let connections = self.int("conn_count")? as i32;
        let [node_words, connection_words] =
            [self.packed("nodes", Kind::PackedInt32Array)?, self.packed("conns", Kind::PackedInt32Array)?];
        // The engine looks at neither if the counts are larger than the arrays.
        if i64::from(nodes) > node_words.1 as i64 || i64::from(connections) > connection_words.1 as i64 {
            return Some(true);
        }
        let (mut node_words, mut connection_words) = (words(node_words.0), words(connection_words.0));
        let mut node = || {
            node_words.nth(4)?;
            skip(&mut node_words, 2)?;
            skip(&mut node_words, 1)
        };
        let mut connection = || {
            connection_words.nth(4)?;
            skip(&mut connection_words, 1)?;
            if version >= 3 { connection_words.next().map(drop) } else { Some(()) }
        };
        Some((0..nodes).all(|_| node().is_some()) && (0..connections).all(|_| connection().is_some()))
    }
}

/// Skips a count and as many parts of `len` words.
fn skip(words: &mut impl Iterator<Item = i32>, len: usize) -> Option<()> {
    let count = usize::try_from(words.next()?).ok()?.checked_mul(len)?;
    if count > 0 { words.nth(count - 1).map(drop) } else { Some(()) }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = i32> {
    bytes.chunks_exact(4).map(|bytes| i32::from_le_bytes(bytes.try_into().expect("4 bytes")))
}

#[cfg(test)]
#[path = "../../tests/unit/refused.rs"]
mod tests;
