//! Narrows a change inside a math type to the one path that covers it, such as `position:y`.

use varbatch_codec::{Kind, Plain, Scalar, Shape};

use crate::engine::{REAL, Slot};
use crate::value::states::State;

/// Bytes of the header before the components.
const HEADER: usize = 4;

/// The part of a math type with the whole change: the first `depth` names of the path to `component` lead to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Narrowed {
    kind: Kind,
    component: u8,
    depth: u8,
}

/// Returns the names that lead to a component, by its index in the encoded value. Empty ones fill up the array.
fn path(kind: Kind, index: usize) -> [&'static str; 3] {
    const AXES: [&str; 4] = ["x", "y", "z", "w"];
    const ENDS: [&str; 2] = ["position", "size"];
    match kind {
        Kind::Color => [["r", "g", "b", "a"][index], "", ""],
        Kind::Rect2 | Kind::Rect2i => [ENDS[index / 2], AXES[index % 2], ""],
        Kind::Aabb => [ENDS[index / 3], AXES[index % 3], ""],
        Kind::Plane if index == 3 => ["d", "", ""],
        Kind::Plane => ["normal", AXES[index], ""],
        Kind::Transform2D => [["x", "y", "origin"][index / 2], AXES[index % 2], ""],
        // The bytes are in rows, but scripts name columns.
        Kind::Basis => [AXES[index % 3], AXES[index / 3], ""],
        Kind::Transform3D if index < 9 => ["basis", AXES[index % 3], AXES[index / 3]],
        Kind::Transform3D => ["origin", AXES[index - 9], ""],
        Kind::Projection => [AXES[index / 4], AXES[index % 4], ""],
        _ => [AXES[index], "", ""],
    }
}

fn shared(one: [&str; 3], other: [&str; 3]) -> usize {
    one.iter().zip(other).take_while(|&(&one, other)| !one.is_empty() && one == other).count()
}

impl Narrowed {
    /// Finds the part in which two values differ. `None` if that is the whole value, or no single path covers it.
    pub fn of_change(old: State<'_>, new: State<'_>) -> Option<Self> {
        let ((old, scalar), (new, _)) = (components(old)?, components(new)?);
        if old.kind != new.kind {
            return None;
        }
        let len = scalar.size(REAL);
        let pairs = old.bytes.chunks(len).zip(new.bytes.chunks(len));
        let mut changed = pairs.enumerate().filter(|(_, (old, new))| old != new).map(|(index, _)| index);
        let first = changed.next()?;
        let to_first = path(old.kind, first);
        // It shares all of its names with itself.
        let depth = std::iter::once(first).chain(changed).map(|index| shared(to_first, path(old.kind, index))).min()?;
        let part = Self { kind: old.kind, component: first as u8, depth: depth as u8 };
        // The bits of a NaN may change when it is converted to a script's float.
        let is_nan = |bytes: &[u8]| bytes.try_into().is_ok_and(|bytes| f32::from_le_bytes(bytes).is_nan());
        let has_nan = |plain| scalar != Scalar::I32 && part.inside(plain, len).any(is_nan);
        (depth > 0 && !has_nan(&old) && !has_nan(&new)).then_some(part)
    }

    fn path(self) -> [&'static str; 3] {
        path(self.kind, self.component.into())
    }

    fn is_inside(self, index: usize) -> bool {
        shared(self.path(), path(self.kind, index)) >= self.depth.into()
    }

    fn inside<'a>(self, plain: &Plain<'a>, len: usize) -> impl Iterator<Item = &'a [u8]> + Clone {
        plain.bytes.chunks(len).enumerate().filter(move |(index, _)| self.is_inside(*index)).map(|(_, bytes)| bytes)
    }

    /// Copies the part from a state to the bytes of another value of its type.
    pub fn copy(self, from: State<'_>, to: &mut [u8]) {
        let Some((plain, scalar)) = components(from) else { return };
        let len = scalar.size(REAL);
        let parts = plain.bytes.chunks(len).zip(to[HEADER..].chunks_mut(len)).enumerate();
        parts.filter(|(index, _)| self.is_inside(*index)).for_each(|(_, (from, to))| to.copy_from_slice(from));
    }

    /// Appends the names of the path, with a colon before each.
    pub fn add_to(self, text: &mut String) {
        self.path()[..self.depth.into()].iter().for_each(|name| text.extend([":", name]));
    }

    pub fn build(self, state: State<'_>, slot: &mut Slot) {
        let Some((plain, scalar)) = components(state) else { return };
        let len = scalar.size(REAL);
        let mut inside = self.inside(&plain, len);
        let is_int = scalar == Scalar::I32;
        let kind = match inside.clone().count() {
            1 => return crate::value::build::number(slot, is_int, inside.next().unwrap_or_default()),
            2 if is_int => Kind::Vector2i,
            2 => Kind::Vector2,
            3 if is_int => Kind::Vector3i,
            3 => Kind::Vector3,
            4 => Kind::Vector4,
            _ => Kind::Basis,
        };
        slot.set_components(kind, |dest| {
            for (dest, byte) in dest.iter_mut().zip(inside.flatten()) {
                *dest = std::mem::MaybeUninit::new(*byte);
            }
        });
    }
}

/// Returns the components of a math type, which follow its header.
fn components(state: State<'_>) -> Option<(Plain<'_>, Scalar)> {
    let kind = state.kind();
    let Shape::Components { scalar, .. } = kind.shape() else { return None };
    Some((Plain { kind, width: REAL, count: 1, bytes: state.bytes.get(HEADER..)? }, scalar))
}
