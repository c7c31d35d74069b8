//! The methods of class `VarBatch` for files. What users read of them is in `docs/VarBatch.xml`.

use godot::builtin::{AnyArray, GString, VarArray, Variant};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::godot_api;

use super::said::{failed, say, started};
use super::task::VarBatchTask;
use super::var_batch::{VarBatch, translation};
use crate::calls::files::{self, Contents, Failure, NOT_COMPRESSED};
use crate::calls::filing::{Load, Save};
use crate::calls::load::values::{self, Values};
use crate::calls::{load, save, transcode_file};
use crate::engine::{AnyArg, CompressionArg, DialectArg, FlagArg};

#[godot_api(secondary)]
impl VarBatch {
    /// One value to a file. What users read: `docs/VarBatch.xml`.
    #[func]
    fn save_var(
        path: GString,
        value: Variant,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> EngineError {
        save_to("save_var", &path, &Contents::One(&value), full_objects, compression_mode.0)
    }

    /// All values to a file. What users read: `docs/VarBatch.xml`.
    #[func]
    fn save_vars(
        path: GString,
        values: AnyArray,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> EngineError {
        save_to("save_vars", &path, &Contents::All(&values), full_objects, compression_mode.0)
    }

    /// What `save_var` or `store_var` wrote. What users read: `docs/VarBatch.xml`.
    #[func]
    fn load_var(
        path: GString,
        #[opt(default = &AnyArg::null())] default: AnyArg,
        #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg,
    ) -> Variant {
        let (value, lines, code) = values::only(&path.to_string(), load_from(&path, allow_objects), default.slot());
        say("load_var", lines, code);
        value.value().variant().clone()
    }

    /// What `save_vars` or `store_var` wrote. What users read: `docs/VarBatch.xml`.
    #[func]
    fn load_vars(path: GString, #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg) -> VarArray {
        let (values, lines, code) = values::all(load_from(&path, allow_objects));
        say("load_vars", lines, code);
        values.into_array()
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn save_var_async(
        path: GString,
        value: Variant,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Gd<VarBatchTask> {
        started("save_var_async", Save::new(&path, &Contents::One(&value), full_objects, compression_mode.0))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn save_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = FlagArg::FALSE)] full_objects: FlagArg,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Gd<VarBatchTask> {
        started("save_vars_async", Save::new(&path, &Contents::All(&values), full_objects, compression_mode.0))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn load_var_async(
        path: GString,
        #[opt(default = &AnyArg::null())] default: AnyArg,
        #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        started("load_var_async", Load::only(&path, default.slot(), allow_objects))
    }

    /// As the method of that name, in the background. What users read: `docs/VarBatch.xml`.
    #[func]
    fn load_vars_async(path: GString, #[opt(default = FlagArg::FALSE)] allow_objects: FlagArg) -> Gd<VarBatchTask> {
        started("load_vars_async", Load::all(&path, allow_objects))
    }

    /// A file of one engine to one of another. What users read: `docs/VarBatch.xml`.
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

fn save_to(
    method: &str,
    path: &GString,
    contents: &Contents<'_>,
    full_objects: FlagArg,
    compression_mode: i64,
) -> EngineError {
    let saved = files::to_save(path, contents, full_objects, compression_mode)
        .and_then(|(target, full_objects)| save::save(&target, &contents.values(), full_objects));
    match saved {
        Ok(warning) => {
            say(method, warning, EngineError::OK);
            EngineError::OK
        }
        Err(failure) => failed(method, failure),
    }
}

fn load_from(path: &GString, allow_objects: FlagArg) -> Result<Values, Failure> {
    let (loader, allow_objects) = files::to_load(path, allow_objects)?;
    Ok(load::load(loader, allow_objects).of_file(&path.to_string()))
}
