//! `enum VarBatch.Dialect`: the engines, as scripts name them.
//!
//! gdext cannot declare enums of classes. But it registers one that is built by hand, and can name it as the type of an
//! argument, see [`super::DialectArg`].

use godot::builtin::StringName;
use godot::obj::GodotClass;
use godot::register::private::constant::{ConstantKind, ExportConstant, IntegerConstant};
use varbatch_codec::{Dialect, Engine};

use super::ffi::DIALECT;

/// The name of the enum, without and with its class.
const NAME: &str = "Dialect";
pub const FULL_NAME: &str = "VarBatch.Dialect";

/// The constants of the enum. The value of each is its index.
pub const DIALECTS: [(&str, Dialect); Engine::ALL.len()] = [
    ("DIALECT_GODOT_4", DIALECT),
    ("DIALECT_GODOT_3", Dialect::GODOT_3),
    ("DIALECT_PANDEMONIUM", Dialect::PANDEMONIUM),
    ("DIALECT_PANDEMONIUM_3_8", Dialect::of(Engine::Pandemonium38)),
    ("DIALECT_PANDEMONIUM_3_5", Dialect::of(Engine::Pandemonium35)),
];

/// Adds the enum to the class, which must already be registered.
pub fn register_dialects<C: GodotClass>() {
    let enumerator = |(value, (name, _)): (usize, &(&str, _))| IntegerConstant::new(name, value);
    let enumerators = DIALECTS.iter().enumerate().map(enumerator).collect();
    ExportConstant::new(C::class_id(), ConstantKind::Enum { name: StringName::from(NAME), enumerators }).register();
}
