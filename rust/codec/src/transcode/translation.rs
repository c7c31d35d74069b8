//! Translates one value.

use crate::dialect::Rules;
use crate::{
    CodecError, Copied, Dialect, Element, ElementType, Engine, Event, Kind, Plain, Reader, Text, Width, Writer,
};

use super::classes::Objects;
use super::{Losses, Lost, whole};

/// Bytes that must follow a Projection, or Pandemonium refuses it.
const AFTER_PROJECTION: usize = 184;

/// More Projections than these do not lack bytes after them.
const LAST_PROJECTIONS: usize = 3;

/// The dialects that a translation reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The dialect of the bytes.
    pub from: Dialect,
    /// The dialect that is written.
    pub to: Dialect,
    /// Whether objects with class and properties are allowed. If not, they are refused.
    pub allow_objects: bool,
}

impl Translation {
    /// Makes a translation that allows objects with properties, as it instantiates none.
    pub const fn new(from: Dialect, to: Dialect) -> Self {
        Self { from, to, allow_objects: true }
    }

    /// Appends the translation of the value in `bytes`, at offset `base`, to `writer`, and returns the value's length.
    /// Bytes after it are a loss. If it fails, for damage or a type the other engine lacks, the caller must drop it.
    pub fn value<'a>(
        self,
        bytes: &'a [u8],
        base: usize,
        writer: &mut Writer<'a>,
        losses: &mut Losses,
    ) -> Result<usize, CodecError> {
        let reader = Reader::new(bytes).with_base(base).with_dialect(self.from).with_objects(self.allow_objects);
        let (from, to) = (self.from.engine.rules(), self.to.engine.rules());
        let objects = Objects::new(self.from.engine, self.to.engine);
        let is_other = self.from.engine != self.to.engine && self.from.engine != Engine::Godot4;
        Translator {
            reader,
            writer,
            losses,
            objects,
            dialect: self.to,
            from,
            to,
            merges_keys: is_other && matches!(self.to.engine, Engine::Godot4 | Engine::Godot3),
            has_merged: false,
            mixed: None,
            projections: Vec::new(),
        }
        .run()
    }

    /// Translates a single value. Fails in the same cases as [`Self::value`].
    pub fn bytes(self, bytes: &[u8]) -> Result<(Vec<u8>, Losses), CodecError> {
        let (mut writer, mut losses) = (Writer::new(self.to), Losses::default());
        let start = writer.mark();
        self.value(bytes, 0, &mut writer, &mut losses)?;
        writer.end_value(start)?;
        Ok((writer.into_plan().into_vec(), losses))
    }
}

struct Translator<'a, 't> {
    reader: Reader<'a>,
    writer: &'t mut Writer<'a>,
    losses: &'t mut Losses,
    objects: Objects<'a>,
    /// The dialect that is written.
    dialect: Dialect,
    from: &'static Rules,
    to: &'static Rules,
    /// True if two keys may be the same for the other engine.
    merges_keys: bool,
    /// True if there were keys of which that is known only when all were read.
    has_merged: bool,
    /// The offsets of Arrays of Arrays that the other engine cannot have; `None` until there is an Array of Arrays.
    mixed: Option<Vec<usize>>,
    /// The latest Projections that Pandemonium may refuse: their offsets, and those of their ends in the output.
    projections: Vec<(usize, usize)>,
}

impl<'a> Translator<'a, '_> {
    fn run(mut self) -> Result<usize, CodecError> {
        loop {
            let (at, depth, is_name) = (self.reader.position(), self.reader.depth(), self.reader.is_at_name());
            let Some(event) = self.reader.next_event()? else {
                if self.reader.left() > 0 {
                    self.lose(at, Lost::Rest);
                }
                self.end();
                return Ok(at);
            };
            match event {
                Event::Text(name) if is_name => self.property(at, name)?,
                Event::Object { class, .. } if self.objects.is_gone(class) => self.gone(at, depth)?,
                event => self.event(at, depth, event)?,
            }
        }
    }

    /// Reports what is known only at the end of the value.
    fn end(&mut self) {
        let end = self.writer.plan().len();
        for (at, projection_end) in std::mem::take(&mut self.projections) {
            if end - projection_end < AFTER_PROJECTION {
                self.lose(at, Lost::Misread);
            }
        }
        if self.has_merged {
            let compare_containers = self.dialect.engine == Engine::Godot4;
            whole::equal_keys(self.reader.restarted(), compare_containers, |at| self.lose(at, Lost::Key));
        }
    }

    /// Writes the other engine's form of an event.
    #[inline]
    fn event(&mut self, at: usize, depth: usize, event: Event<'a>) -> Result<(), CodecError> {
        match event {
            Event::String(text) | Event::Text(text) => self.text(at, text),
            Event::Components(plain) | Event::Packed(plain)
                if plain.width != self.dialect.real && plain.kind.shape().is_real() =>
            {
                return self.other_width(at, event, plain);
            }
            Event::Components(plain) | Event::Packed(plain) if self.to.misreads => self.misread(at, plain),
            Event::Array { element, count } if element != ElementType::Any => {
                self.key(depth);
                let element = self.element_type(at, element);
                return self.write(at, Event::Array { element, count });
            }
            Event::Dictionary { key, value, count }
                if !self.to.is_godot_4 && (key, value) != (ElementType::Any, ElementType::Any) =>
            {
                self.lose(at, Lost::ElementType);
                return self.write(at, Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count });
            }
            Event::StringName(text) => {
                self.text(at, text);
                self.key(depth);
                if self.dialect.engine.id(Kind::StringName).is_none() {
                    return self.write(at, Event::String(text));
                }
            }
            Event::Array { .. } | Event::Dictionary { .. } | Event::ObjectId(0) => self.key(depth),
            Event::Rid(id) if id != 0 && !self.to.is_godot_4 => self.lose(at, Lost::Rid),
            Event::NodePath { names: 0, subnames: 0, absolute: true } if !self.to.is_godot_4 => {
                self.lose(at, Lost::RootPath);
            }
            Event::Object { class, count } => {
                self.text(at, class);
                let renamed = self.objects.begin(class, count, self.reader.depth());
                let class = renamed.map_or(class, Text::Utf8);
                return self.write(at, Event::Object { class, count });
            }
            _ => {}
        }
        self.write(at, event)
    }

    /// Reports a text with invalid characters.
    #[inline]
    fn text(&mut self, at: usize, text: Text<'_>) {
        if matches!(text, Text::Loose(text) if text.is_lossy()) {
            self.lose(at, Lost::Character);
        }
    }

    /// Remembers if an event, read at `depth`, began a key that may be the same as another one for the other engine.
    #[inline]
    fn key(&mut self, depth: usize) {
        self.has_merged |= self.merges_keys && self.reader.was_key(depth);
    }

    /// Reports plain data in the width of Pandemonium that it misreads.
    fn misread(&mut self, at: usize, plain: Plain<'_>) {
        let is_misread = match plain.kind {
            Kind::Vector4 | Kind::Vector4i => self.reader.is_inside(0),
            // The third word is read for the fourth one as well.
            Kind::PackedVector4Array => plain.bytes.chunks_exact(16).any(|vector| vector[8..12] != vector[12..]),
            Kind::Projection => {
                self.projections.truncate(LAST_PROJECTIONS - 1);
                self.projections.insert(0, (at, self.writer.plan().len() + 68));
                false
            }
            _ => false,
        };
        if is_misread {
            self.lose(at, Lost::Misread);
        }
    }

    /// Writes the name of a property, renamed if needed.
    fn property(&mut self, at: usize, name: Text<'a>) -> Result<(), CodecError> {
        if name == Text::Utf8("script") && self.from.is_godot_4 != self.to.is_godot_4 {
            self.write(at, Event::Text(name))?;
            return self.script();
        }
        if self.objects.is_metadata(name) {
            self.lose(at, Lost::Metadata);
        }
        let depth = self.reader.depth();
        let name = self.objects.property(depth, name).map_or(name, Text::Utf8);
        self.event(at, depth, Event::Text(name))
    }

    /// Writes null for a script that the other engine would not find.
    fn script(&mut self) -> Result<(), CodecError> {
        let (at, depth) = (self.reader.position(), self.reader.depth());
        if !matches!(self.reader.next_event()?, Some(Event::Nil | Event::ObjectId(0))) {
            self.lose(at, Lost::Script);
        }
        self.reader.finish_value(depth)?;
        self.write(at, Event::Nil)
    }

    /// Writes null for an object that the other engine cannot make. The object began at `depth`.
    #[cold]
    fn gone(&mut self, at: usize, depth: usize) -> Result<(), CodecError> {
        self.lose(at, Lost::Object);
        self.reader.finish_value(depth)?;
        self.write(at, Event::Nil)
    }

    /// Returns the element type of an Array, as far as the other engine has it.
    fn element_type(&mut self, at: usize, element: ElementType<'a>) -> ElementType<'a> {
        if keeps(self.dialect.engine, element) && !self.is_mixed(at, element) {
            return element;
        }
        self.lose(at, Lost::ElementType);
        ElementType::Any
    }

    /// True if the Array at `at` holds typed and untyped Arrays, which are of two types in the other engine.
    fn is_mixed(&mut self, at: usize, element: ElementType<'a>) -> bool {
        if element != ElementType::Builtin(Kind::Array) || self.to.typed_array.is_none() {
            return false;
        }
        let find = || whole::mixed_arrays(self.reader.restarted(), |element| keeps(self.dialect.engine, element));
        self.mixed.get_or_insert_with(find).binary_search(&at).is_ok()
    }

    /// Writes components in the other width: widened, or rounded as the engine rounds them when it reads.
    #[cold]
    fn other_width(&mut self, at: usize, event: Event<'a>, plain: Plain<'a>) -> Result<(), CodecError> {
        let mut lost = None;
        let bytes: Vec<u8> = match self.dialect.real {
            Width::Single => {
                let narrow = |bytes: &[u8; 8]| {
                    let wide = f64::from_le_bytes(*bytes);
                    let narrow = wide as f32;
                    if narrow.is_infinite() && wide.is_finite() {
                        lost = Some(Lost::Range);
                    } else if f64::from(narrow) != wide && !wide.is_nan() {
                        lost = lost.or(Some(Lost::Precision));
                    }
                    narrow.to_le_bytes()
                };
                plain.bytes.as_chunks().0.iter().flat_map(narrow).collect()
            }
            Width::Double => plain.bytes.chunks_exact(4).flat_map(|narrow| f64::read(narrow).to_le_bytes()).collect(),
        };
        if let Some(what) = lost {
            self.lose(at, what);
        }
        let plain = Plain { width: self.dialect.real, bytes: &bytes, ..plain };
        if self.to.misreads {
            self.misread(at, plain);
        }
        let event = if matches!(event, Event::Packed(_)) { Event::Packed(plain) } else { Event::Components(plain) };
        self.writer.write_as(event, Copied).map_err(|error| self.not_written(at, error))
    }

    #[inline]
    fn write(&mut self, at: usize, event: Event<'a>) -> Result<(), CodecError> {
        self.writer.write(event).map_err(|error| self.not_written(at, error))
    }

    /// Returns the writer's error for the event that was read at `at`.
    #[cold]
    fn not_written(&self, at: usize, error: CodecError) -> CodecError {
        self.reader.error_at(at, error.into_kind())
    }

    #[cold]
    fn lose(&mut self, at: usize, what: Lost) {
        let (reader, losses) = (&self.reader, &mut *self.losses);
        losses.add(what, reader.offset_of(at), || reader.path_at(at));
    }
}

/// True if an engine has Arrays of this element type.
fn keeps(engine: Engine, element: ElementType<'_>) -> bool {
    let rules = engine.rules();
    match element {
        _ if rules.is_godot_4 => true,
        ElementType::Any | ElementType::Class(_) => rules.typed_array.is_some(),
        ElementType::Builtin(kind) => rules.typed_array.is_some() && engine.id(kind).is_some(),
        ElementType::Script(_) => false,
    }
}
