//! Which engine's rules a Reader or a Writer follows. Small, `Copy`, passed by value.

/// How wide the engine's `real_t` is: the component of vectors, matrices and their packed arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32-bit: every official build of Godot.
    Single,
    /// 64-bit: a build with `precision=double`.
    Double,
}

/// The rules of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The width that a Writer expects its components in, and writes. A Reader takes either.
    pub real: Width,
}

impl Dialect {
    /// Godot 4, official builds.
    pub const GODOT_4: Self = Self { real: Width::Single };

    /// Godot 4 built with `precision=double`.
    pub const GODOT_4_DOUBLE: Self = Self { real: Width::Double };
}

/// Bit 16 of the header: the payload, or each of its components, takes eight bytes.
pub(crate) const FLAG_64: u32 = 1 << 16;
