//! The file methods of class `VarBatch`. Documented for users in `docs/VarBatch.xml`.

use godot::builtin::{AnyArray, GString, VarArray, Variant};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::godot_api;

use super::said::{done, failed, say, started};
use super::task::VarBatchTask;
use super::var_batch::{VarBatch, translation};
use crate::calls::files::{Contents, NOT_COMPRESSED};
use crate::calls::load::{ALL, Load};
use crate::calls::save::{Save, save, to_save};
use crate::calls::{append, transcode_file};
use crate::engine::{AnyArg, CompressionArg, DialectArg, FlagArg, Slot};
use crate::jobs::run::run;

#[godot_api(secondary)]
impl VarBatch {
    /// Saves one value to a file.
    #[func]
    fn save_var(
        path: GString,
        value: Variant,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> EngineError {
        let contents = Contents::One(&value);
        done("save_var", save(to_save(&path, &contents, full_objects, compression_mode.0), &contents))
    }

    /// Saves all values to a file.
    #[func]
    fn save_vars(
        path: GString,
        values: AnyArray,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> EngineError {
        let contents = Contents::All(&values);
        done("save_vars", save(to_save(&path, &contents, full_objects, compression_mode.0), &contents))
    }

    /// Adds all values to the end of a file.
    #[func]
    fn append_vars(
        path: GString,
        values: AnyArray,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
    ) -> EngineError {
        done("append_vars", append::append(&path, &values, full_objects))
    }

    /// Runs `append_vars` as a task.
    #[func]
    fn append_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        started("append_vars_async", append::held(&path, &values, full_objects))
    }

    /// Loads what `save_var` or `store_var` wrote.
    #[func]
    fn load_var(
        path: GString,
        #[opt(default = &AnyArg::null())] default: AnyArg,
        #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg,
    ) -> Variant {
        let value: Slot = done("load_var", run(Load::only(&path, default.slot(), allow_objects)));
        value.value().variant().clone()
    }

    /// Loads what `save_vars` or `store_var` wrote.
    #[func]
    fn load_vars(
        path: GString,
        #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg,
        #[opt(default = 0)] from: i64,
        #[opt(default = ALL)] count: i64,
    ) -> VarArray {
        done("load_vars", run(Load::range(&path, allow_objects, from, count)))
    }

    /// Runs `save_var` as a task.
    #[func]
    fn save_var_async(
        path: GString,
        value: Variant,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Gd<VarBatchTask> {
        let contents = Contents::One(&value);
        started("save_var_async", Save::held(to_save(&path, &contents, full_objects, compression_mode.0), &contents))
    }

    /// Runs `save_vars` as a task.
    #[func]
    fn save_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Gd<VarBatchTask> {
        let contents = Contents::All(&values);
        started("save_vars_async", Save::held(to_save(&path, &contents, full_objects, compression_mode.0), &contents))
    }

    /// Runs `load_var` as a task.
    #[func]
    fn load_var_async(
        path: GString,
        #[opt(default = &AnyArg::null())] default: AnyArg,
        #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        started("load_var_async", Load::only(&path, default.slot(), allow_objects))
    }

    /// Runs `load_vars` as a task.
    #[func]
    fn load_vars_async(
        path: GString,
        #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg,
        #[opt(default = 0)] from: i64,
        #[opt(default = ALL)] count: i64,
    ) -> Gd<VarBatchTask> {
        started("load_vars_async", Load::range(&path, allow_objects, from, count))
    }

    /// Translates a file of one engine for another.
    #[func]
    fn transcode_file(source: GString, target: GString, from: DialectArg, to: DialectArg) -> EngineError {
        let Some(translation) = translation("transcode_file", from, to) else {
            return EngineError::ERR_INVALID_PARAMETER;
        };
        match transcode_file::transcode(&source, &target, translation) {
            Ok(lines) => {
                say("transcode_file", lines, EngineError::OK);
                EngineError::OK
            }
            Err(failure) => failed("transcode_file", failure),
        }
    }
}
