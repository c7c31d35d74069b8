//! Narrows a change inside a math type to the one path that covers it, such as `position:y`.

use std::mem::MaybeUninit;

use varbatch_codec::{Kind, Plain, Scalar, Shape};

use super::states::State;
use crate::engine::{REAL, Slot};

/// The names that lead to a component, as scripts write them.
#[derive(Clone, Copy)]
struct Path {
    names: [&'static str; 3],
    depth: usize,
}

/// The part of a math type that contains the whole change: the first `depth` names of the path to `component` lead to
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Narrowed {
    kind: Kind,
    component: u8,
    depth: u8,
}

impl Path {
    fn new<const N: usize>(path: [&'static str; N]) -> Self {
        let mut names = [""; 3];
        names[..N].copy_from_slice(&path);
        Self { names, depth: N }
    }

    /// Returns the path to a component, by its index in the encoded value.
    fn to_component(kind: Kind, index: usize) -> Self {
        const AXES: [&str; 4] = ["x", "y", "z", "w"];
        const ENDS: [&str; 2] = ["position", "size"];
        match kind {
            Kind::Color => Self::new([["r", "g", "b", "a"][index]]),
            Kind::Rect2 | Kind::Rect2i => Self::new([ENDS[index / 2], AXES[index % 2]]),
            Kind::Aabb => Self::new([ENDS[index / 3], AXES[index % 3]]),
            Kind::Plane if index == 3 => Self::new(["d"]),
            Kind::Plane => Self::new(["normal", AXES[index]]),
            Kind::Transform2D => Self::new([["x", "y", "origin"][index / 2], AXES[index % 2]]),
            // The bytes are in rows, but scripts name columns.
            Kind::Basis => Self::new([AXES[index % 3], AXES[index / 3]]),
            Kind::Transform3D if index < 9 => Self::new(["basis", AXES[index % 3], AXES[index / 3]]),
            Kind::Transform3D => Self::new(["origin", AXES[index - 9]]),
            Kind::Projection => Self::new([AXES[index / 4], AXES[index % 4]]),
            _ => Self::new([AXES[index]]),
        }
    }

    fn names(&self) -> &[&'static str] {
        &self.names[..self.depth]
    }

    /// Returns how many leading names two paths share.
    fn shared(&self, other: &Self) -> usize {
        self.names().iter().zip(other.names()).take_while(|(one, other)| one == other).count()
    }
}

impl Narrowed {
    /// Finds the part in which two values differ. `None` if the whole value differs, or no single path covers the
    /// change.
    pub fn of_change(old: State<'_>, new: State<'_>) -> Option<Self> {
        let (old, new) = (components(old)?, components(new)?);
        if old.kind != new.kind {
            return None;
        }
        let len = scalar_of(old.kind)?.size(old.width);
        let pairs = old.bytes.chunks(len).zip(new.bytes.chunks(len));
        let mut changed = pairs.enumerate().filter(|(_, (old, new))| old != new).map(|(index, _)| index);
        let first = changed.next()?;
        let path = Path::to_component(old.kind, first);
        let shared = |index| path.shared(&Path::to_component(old.kind, index));
        let depth = changed.map(shared).min().unwrap_or(path.depth);
        let part = Self { kind: old.kind, component: first as u8, depth: depth as u8 };
        (depth > 0 && !part.is_nan(&old) && !part.is_nan(&new)).then_some(part)
    }

    /// True if a float in the part is NaN, whose bits may change when it is converted to a script's float.
    fn is_nan(self, plain: &Plain<'_>) -> bool {
        let is_nan = |bytes: [u8; 4]| f32::from_le_bytes(bytes).is_nan();
        let scalar = scalar_of(self.kind).filter(|&scalar| scalar != Scalar::I32);
        scalar.is_some_and(|scalar| {
            self.inside(plain, scalar.size(plain.width)).filter_map(|bytes| bytes.try_into().ok()).any(is_nan)
        })
    }

    /// Returns the bytes of the components in this part.
    fn inside<'a>(self, plain: &Plain<'a>, len: usize) -> impl Iterator<Item = &'a [u8]> + Clone {
        let (path, depth) = (Path::to_component(self.kind, self.component.into()), usize::from(self.depth));
        let is_inside = move |index| Path::to_component(self.kind, index).shared(&path) >= depth;
        plain.bytes.chunks(len).enumerate().filter(move |(index, _)| is_inside(*index)).map(|(_, bytes)| bytes)
    }

    /// Appends the names of the path, with a colon before each.
    pub fn add_to(self, text: &mut String) {
        let path = Path::to_component(self.kind, self.component.into());
        for name in &path.names[..self.depth.into()] {
            text.push(':');
            text.push_str(name);
        }
    }

    /// Builds the value of this part of `state`.
    pub fn build(self, state: State<'_>, slot: &mut Slot) {
        let Some((plain, scalar)) = components(state).zip(scalar_of(self.kind)) else { return };
        let len = scalar.size(plain.width);
        let inside = self.inside(&plain, len);
        let is_int = scalar == Scalar::I32;
        let kind = match inside.clone().count() {
            1 => return set_scalar(inside.flatten().copied(), is_int, len, slot),
            2 if is_int => Kind::Vector2i,
            2 => Kind::Vector2,
            3 if is_int => Kind::Vector3i,
            3 => Kind::Vector3,
            4 => Kind::Vector4,
            _ => Kind::Basis,
        };
        slot.set_components(kind, |dest| {
            for (dest, byte) in dest.iter_mut().zip(inside.flatten()) {
                *dest = MaybeUninit::new(*byte);
            }
        });
    }
}

fn set_scalar(bytes: impl Iterator<Item = u8>, is_int: bool, len: usize, slot: &mut Slot) {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    let [a, b, c, d, ..] = word;
    match (is_int, len) {
        (true, _) => slot.set_int(i32::from_le_bytes([a, b, c, d]).into()),
        (false, 4) => slot.set_float(f32::from_le_bytes([a, b, c, d]).into()),
        (false, _) => slot.set_float(f64::from_le_bytes(word)),
    }
}

fn scalar_of(kind: Kind) -> Option<Scalar> {
    match kind.shape() {
        Shape::Components { scalar, .. } => Some(scalar),
        _ => None,
    }
}

/// Returns the components of a math type, which follow its header.
fn components(state: State<'_>) -> Option<Plain<'_>> {
    let kind = state.kind();
    let bytes = state.bytes.get(4..)?;
    scalar_of(kind).map(|_| Plain { kind, width: REAL, count: 1, bytes })
}
