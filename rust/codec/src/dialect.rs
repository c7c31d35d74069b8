//! Selects the engine whose rules a Reader or a Writer follows. Small, `Copy`, passed by value.

use crate::kind::{self, Kind, Rows, Width};

/// An engine with its own numbering of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Godot 4.0 and later, and Redot before it added structs.
    Godot4,
    /// Godot 3.0 to 3.6.
    Godot3,
    /// Pandemonium from 5.0 on.
    Pandemonium,
    /// Pandemonium 3.8 to 4.9.
    Pandemonium38,
    /// Pandemonium 3.5 to 3.7.
    Pandemonium35,
}

/// The rules of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The engine whose types and rules apply.
    pub engine: Engine,
    /// The width of components that a Writer expects and writes. A Reader accepts both widths, if the engine has both.
    pub real: Width,
}

impl Dialect {
    /// Godot 4, official builds.
    pub const GODOT_4: Self = Self::of(Engine::Godot4);

    /// Godot 4 built with `precision=double`.
    pub const GODOT_4_DOUBLE: Self = Self { engine: Engine::Godot4, real: Width::Double };

    /// Godot 3.
    pub const GODOT_3: Self = Self::of(Engine::Godot3);

    /// Pandemonium from 5.0 on. It misreads some of what it writes: see [`Lost::Misread`](crate::transcode::Lost::Misread).
    pub const PANDEMONIUM: Self = Self::of(Engine::Pandemonium);

    /// Returns the dialect of an engine with 32-bit components.
    pub const fn of(engine: Engine) -> Self {
        Self { engine, real: Width::Single }
    }
}

/// The differences between engines.
#[derive(Debug)]
pub(crate) struct Rules {
    pub rows: &'static Rows,
    /// The column of [`kind::IDS`] with the ids of all kinds.
    pub column: usize,
    /// True if the headers of Arrays and Dictionaries have bits for element types.
    pub typed_containers: bool,
    /// The id of typed arrays, if they have their own.
    pub typed_array: Option<u8>,
    /// True if an object's script is stored as a path instead of as an object.
    pub script_paths: bool,
    /// True if a RID is written with its id.
    pub rids: bool,
    /// True if the engine accepts text that is not UTF-8: see `text::Loose`.
    pub loose_text: bool,
    /// True if a NodePath without names can be absolute.
    pub root_path: bool,
    /// True if the engine reads some of what it writes as something else: see `Lost::Misread`.
    pub misreads: bool,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Self; 5] =
        [Self::Godot4, Self::Godot3, Self::Pandemonium, Self::Pandemonium38, Self::Pandemonium35];

    /// Returns the name for messages.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; Engine::ALL.len()] =
            ["Godot 4", "Godot 3", "Pandemonium 5", "Pandemonium 3.8 to 4.9", "Pandemonium 3.5 to 3.7"];
        NAMES[self as usize]
    }

    /// Returns the id of a type in this engine's encoding, `None` if it has no such type.
    #[inline]
    pub fn id(self, kind: Kind) -> Option<u8> {
        kind::IDS[kind as usize][self.rules().column]
    }

    /// Returns the kind that a type of this engine is read as, `None` if it has no type with this id.
    pub fn kind(self, id: u8) -> Option<Kind> {
        let row = self.rules().rows[usize::from(id)];
        row.is_some().then_some(row.kind)
    }

    /// Returns the layout of this engine's type with this id, `None` if it has none.
    pub fn shape(self, id: u8) -> Option<kind::Shape> {
        let row = self.rules().rows[usize::from(id)];
        row.is_some().then_some(row.shape)
    }

    #[inline]
    pub(crate) const fn rules(self) -> &'static Rules {
        match self {
            Self::Godot4 => &GODOT_4,
            Self::Godot3 => &GODOT_3,
            Self::Pandemonium => &PANDEMONIUM,
            Self::Pandemonium38 => &PANDEMONIUM_38,
            Self::Pandemonium35 => &PANDEMONIUM_35,
        }
    }
}

static GODOT_4: Rules = Rules {
    rows: &kind::rows(0),
    column: 0,
    typed_containers: true,
    script_paths: true,
    rids: true,
    loose_text: false,
    root_path: true,
    ..GODOT_3
};

static GODOT_3: Rules = Rules {
    rows: &kind::rows(1),
    column: 1,
    typed_containers: false,
    typed_array: None,
    script_paths: false,
    rids: false,
    loose_text: true,
    root_path: false,
    misreads: false,
};

static PANDEMONIUM: Rules =
    Rules { rows: &kind::rows(2), column: 2, typed_array: Some(27), loose_text: false, misreads: true, ..GODOT_3 };

static PANDEMONIUM_38: Rules = Rules { rows: &kind::rows(3), column: 3, typed_array: None, ..PANDEMONIUM };

static PANDEMONIUM_35: Rules = Rules { rows: &kind::rows(4), column: 4, ..GODOT_3 };
