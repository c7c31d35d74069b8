//! Which engine's rules a Reader or a Writer follows. Small, `Copy`, passed by value.

use crate::kind::{self, Kind, Rows, Width};

/// An engine that numbers its types in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Godot 4 since 4.0, and Redot as long as it has the same types: before its structs.
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
    /// Whose types and rules.
    pub engine: Engine,
    /// The width that a Writer expects its components in, and writes. A Reader takes either, where the engine has both.
    pub real: Width,
}

impl Dialect {
    /// Godot 4, official builds.
    pub const GODOT_4: Self = Self::of(Engine::Godot4);

    /// Godot 4 built with `precision=double`.
    pub const GODOT_4_DOUBLE: Self = Self { engine: Engine::Godot4, real: Width::Double };

    /// Godot 3.
    pub const GODOT_3: Self = Self::of(Engine::Godot3);

    /// Pandemonium from 5.0 on.
    pub const PANDEMONIUM: Self = Self::of(Engine::Pandemonium);

    /// An engine with components of 32 bits.
    pub const fn of(engine: Engine) -> Self {
        Self { engine, real: Width::Single }
    }
}

/// What differs between engines besides the numbers of their types.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Its types, by id.
    pub rows: &'static Rows,
    /// How many there are.
    pub types: usize,
    /// The ids of all kinds; `None` for Godot 4, where each kind has its own.
    pub ids: Option<&'static [Option<u8>; Kind::ALL.len()]>,
    /// Whether bits of the headers of Arrays and Dictionaries say what these take.
    pub typed_containers: bool,
    /// The type of an Array that says it.
    pub typed_array: Option<u8>,
    /// Whether an object has its script as a path, not as an object of its own.
    pub script_paths: bool,
    /// Whether a RID has an id.
    pub rids: bool,
    /// Whether text may be what Godot 3 takes for UTF-8: see `text::Loose`.
    pub loose_text: bool,
    /// Whether a NodePath may be absolute and have no names.
    pub root_path: bool,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Self; 5] =
        [Self::Godot4, Self::Godot3, Self::Pandemonium, Self::Pandemonium38, Self::Pandemonium35];

    /// The name, for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Godot4 => "Godot 4",
            Self::Godot3 => "Godot 3",
            Self::Pandemonium => "Pandemonium 5",
            Self::Pandemonium38 => "Pandemonium 3.8 to 4.9",
            Self::Pandemonium35 => "Pandemonium 3.5 to 3.7",
        }
    }

    /// The id of a type on this engine's wire, `None` where it has no such type.
    #[inline]
    pub fn id(self, kind: Kind) -> Option<u8> {
        match self.rules().ids {
            None => Some(kind.id()),
            Some(ids) => ids[kind as usize],
        }
    }

    /// What a type of this engine is read as, `None` where it has no type of this id.
    pub fn kind(self, id: u8) -> Option<Kind> {
        let row = self.rules().rows[usize::from(id)];
        row.is_some().then_some(row.kind)
    }

    /// What this engine writes for the type of this id.
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
    rows: &kind::GODOT_4,
    types: Kind::ALL.len(),
    ids: None,
    typed_containers: true,
    typed_array: None,
    script_paths: true,
    rids: true,
    loose_text: false,
    root_path: true,
};

static GODOT_3: Rules = Rules {
    rows: &kind::rows(0, 27),
    types: 27,
    ids: Some(&kind::ids(0)),
    typed_containers: false,
    typed_array: None,
    script_paths: false,
    rids: false,
    loose_text: true,
    root_path: false,
};

static PANDEMONIUM: Rules = Rules {
    rows: &kind::rows(1, 40),
    types: 40,
    ids: Some(&kind::ids(1)),
    typed_array: Some(27),
    loose_text: false,
    ..GODOT_3
};

static PANDEMONIUM_38: Rules =
    Rules { rows: &kind::rows(2, 38), types: 38, ids: Some(&kind::ids(2)), typed_array: None, ..PANDEMONIUM };

static PANDEMONIUM_35: Rules =
    Rules { rows: &kind::rows(3, 33), types: 33, ids: Some(&kind::ids(3)), typed_array: None, ..PANDEMONIUM };
