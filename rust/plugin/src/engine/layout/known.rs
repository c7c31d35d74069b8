//! Decides if the layout is that of the running engine.

use godot::init::GdextBuild;
use godot::sys;

use super::{blocks, dictionaries, probe};

/// True if this library may look at the engine's memory: the layout of this module is that of 64-bit engines.
const MAY_LOOK: bool = cfg!(all(target_pointer_width = "64", not(feature = "no-engine-internals")));

/// True if the sources of this version of the engine, major and minor, were read: what pointers lead to is at least as
/// large there as what is read of it. A version belongs here when that was looked up, whatever a probe would find. Before
/// 4.6 the header of an array has 16 bytes instead of 32.
pub const fn was_read(version: (u8, u8)) -> bool {
    matches!(version, (4, 6 | 7))
}

/// True if this engine has the layout of this module, so that values may be read, written and made in place.
pub fn is_known(interface: &sys::GDExtensionInterface) -> bool {
    let (major, minor, _) = GdextBuild::godot_runtime_version_triple();
    MAY_LOOK
        && was_read((major, minor))
        && probe::is_as_expected(interface)
        && dictionaries::are_as_expected(interface)
        && blocks::are_taken(interface)
}
