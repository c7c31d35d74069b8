//! The file methods of class `VarBatch`. Documented for users in `docs/VarBatch.xml`.

use godot::builtin::{AnyArray, GString, VarArray, Variant};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::godot_api;

use super::ending::end;
use super::task::{VarBatchTask, start};
use super::var_batch::{VarBatch, translation};
use crate::calls::load::{ALL, Load, load_var, load_vars};
use crate::calls::save::{Contents, NOT_COMPRESSED, Save, save, to_append, to_save};
use crate::calls::transcode_file;
use crate::engine::{AnyArg, CompressionArg, DialectArg, FlagArg, Slot, no, null, value};
use crate::jobs::outcome::Outcome;

#[godot_api(secondary)]
impl VarBatch {
    #[func]
    fn save_var(
        path: GString,
        value: Variant,
        #[opt(default = &no())] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> EngineError {
        end("save_var", save(to_save(&path, Contents::One(&value), full_objects, compression_mode.0)))
    }

    #[func]
    fn save_vars(
        path: GString,
        values: AnyArray,
        #[opt(default = &no())] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> EngineError {
        end("save_vars", save(to_save(&path, Contents::All(&values), full_objects, compression_mode.0)))
    }

    #[func]
    fn append_vars(path: GString, values: AnyArray, #[opt(default = &no())] full_objects: FlagArg) -> EngineError {
        end("append_vars", save(to_append(&path, &values, full_objects)))
    }

    #[func]
    fn append_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = &no())] full_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        start("append_vars_async", Save::held(to_append(&path, &values, full_objects)))
    }

    #[func]
    fn load_var(
        path: GString,
        #[opt(default = &null())] default: AnyArg,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Variant {
        let value: Slot = end("load_var", load_var(&path, Slot::of(value(&default.0)), allow_objects));
        value.value().variant().clone()
    }

    #[func]
    fn load_vars(
        path: GString,
        #[opt(default = &no())] allow_objects: FlagArg,
        #[opt(default = 0)] from: i64,
        #[opt(default = ALL)] count: i64,
    ) -> VarArray {
        end("load_vars", load_vars(&path, allow_objects, from, count))
    }

    #[func]
    fn save_var_async(
        path: GString,
        value: Variant,
        #[opt(default = &no())] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Gd<VarBatchTask> {
        start("save_var_async", Save::held(to_save(&path, Contents::One(&value), full_objects, compression_mode.0)))
    }

    #[func]
    fn save_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = &no())] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Gd<VarBatchTask> {
        start("save_vars_async", Save::held(to_save(&path, Contents::All(&values), full_objects, compression_mode.0)))
    }

    #[func]
    fn load_var_async(
        path: GString,
        #[opt(default = &null())] default: AnyArg,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        start("load_var_async", Load::only(&path, Slot::of(value(&default.0)), allow_objects))
    }

    #[func]
    fn load_vars_async(
        path: GString,
        #[opt(default = &no())] allow_objects: FlagArg,
        #[opt(default = 0)] from: i64,
        #[opt(default = ALL)] count: i64,
    ) -> Gd<VarBatchTask> {
        start("load_vars_async", Load::range(&path, allow_objects, from, count))
    }

    #[func]
    fn transcode_file(source: GString, target: GString, from: DialectArg, to: DialectArg) -> EngineError {
        let call = |translation| transcode_file::transcode(&source, &target, translation);
        end("transcode_file", Outcome::of_code(translation(from, to).and_then(call)))
    }
}
