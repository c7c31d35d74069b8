//! Class `VarBatchStore`: many values by key in one file.

use std::sync::Arc;

use godot::builtin::{AnyArray, AnyDictionary, GString, PackedByteArray, VarArray, Variant, varray};
use godot::classes::RefCounted;
use godot::global::Error as EngineError;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use super::task::{VarBatchTask, end_of, start_of};
use super::var_batch::makers;
use crate::calls::save::NOT_COMPRESSED;
use crate::calls::store::{self, Backup, Finding, KeyRange, Loading, SaveRequest, StoreFile, Upkeep};
use crate::engine::{AnyArg, ArrayArg, FlagArg, no, null};

const CLASS: &str = "VarBatchStore";

/// Documented for users in `docs/VarBatchStore.xml`.
#[derive(GodotClass)]
#[class(no_init, base = RefCounted)]
pub struct VarBatchStore {
    file: Arc<StoreFile>,
    _base: Base<RefCounted>,
}

#[godot_api]
impl VarBatchStore {
    #[constant]
    const KEY_MISSING: i64 = 0;
    #[constant]
    const KEY_FOUND: i64 = 1;
    #[constant]
    const KEY_DAMAGED: i64 = 2;

    #[func]
    fn open(path: GString, #[opt(default = NOT_COMPRESSED)] compression_mode: i64) -> Option<Gd<Self>> {
        let open = |file| Gd::from_init_fn(|base| Self { file, _base: base });
        end_of(CLASS, "open", StoreFile::open(&path, compression_mode).map(|file| file.map(open)))
    }

    #[func]
    fn remove(path: GString) -> EngineError {
        end_of(CLASS, "remove", store::remove(&path))
    }

    #[func]
    fn rename(from: GString, to: GString) -> EngineError {
        end_of(CLASS, "rename", store::rename(&from, &to))
    }

    #[func(gd_self)]
    fn save_vars(
        this: Gd<Self>,
        values: AnyDictionary,
        #[opt(default = &ArrayArg::empty())] erase: ArrayArg,
        #[opt(default = &no())] full_objects: FlagArg,
    ) -> EngineError {
        end_of(
            CLASS,
            "save_vars",
            SaveRequest::values(file(&this), &values, &erase.0, full_objects.flag("full_objects")).at_once(),
        )
    }

    #[func(gd_self)]
    fn save_vars_async(
        this: Gd<Self>,
        values: AnyDictionary,
        #[opt(default = &ArrayArg::empty())] erase: ArrayArg,
        #[opt(default = &no())] full_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        start_of(
            CLASS,
            "save_vars_async",
            SaveRequest::values(file(&this), &values, &erase.0, full_objects.flag("full_objects")).held(),
        )
    }

    #[func(gd_self)]
    fn save_var(
        this: Gd<Self>,
        key: Variant,
        value: Variant,
        #[opt(default = &no())] full_objects: FlagArg,
    ) -> EngineError {
        end_of(
            CLASS,
            "save_var",
            SaveRequest::value(file(&this), &key, &value, full_objects.flag("full_objects")).at_once(),
        )
    }

    #[func(gd_self)]
    fn load_vars(this: Gd<Self>, keys: AnyArray, #[opt(default = &no())] allow_objects: FlagArg) -> VarArray {
        let loaded = Loading::at_once(&file(&this), &keys, None, makers(allow_objects.value()));
        end_of(CLASS, "load_vars", loaded).value().variant().to()
    }

    #[func(gd_self)]
    fn load_vars_async(
        this: Gd<Self>,
        keys: AnyArray,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        start_of(CLASS, "load_vars_async", Loading::held(&file(&this), &keys, makers(allow_objects.value())))
    }

    #[func(gd_self)]
    fn load_var(
        this: Gd<Self>,
        key: Variant,
        #[opt(default = &null())] default: AnyArg,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Variant {
        let keys = varray![&key].upcast_any_array();
        let loaded = Loading::at_once(&file(&this), &keys, Some(&default.0), makers(allow_objects.value()));
        end_of(CLASS, "load_var", loaded).value().variant().clone()
    }

    #[func(gd_self)]
    fn has_key(this: Gd<Self>, key: Variant) -> bool {
        end_of(CLASS, "has_key", file(&this).has_key(&key))
    }

    #[func(gd_self)]
    fn check_keys(this: Gd<Self>, keys: AnyArray) -> PackedByteArray {
        end_of(CLASS, "check_keys", file(&this).check_keys(&keys))
    }

    #[func(gd_self)]
    fn get_keys(
        this: Gd<Self>,
        #[opt(default = &null())] from: AnyArg,
        #[opt(default = &null())] to: AnyArg,
    ) -> VarArray {
        end_of(CLASS, "get_keys", file(&this).keys(&KeyRange::Between(&from.0, &to.0)))
    }

    #[func(gd_self)]
    fn get_keys_async(
        this: Gd<Self>,
        #[opt(default = &null())] from: AnyArg,
        #[opt(default = &null())] to: AnyArg,
    ) -> Gd<VarBatchTask> {
        start_of(CLASS, "get_keys_async", Finding::held(&file(&this), &KeyRange::Between(&from.0, &to.0)))
    }

    #[func(gd_self)]
    fn get_keys_with_prefix(this: Gd<Self>, prefix: GString) -> VarArray {
        end_of(CLASS, "get_keys_with_prefix", file(&this).keys(&KeyRange::Prefix(&prefix)))
    }

    #[func(gd_self)]
    fn get_key_count(
        this: Gd<Self>,
        #[opt(default = &null())] from: AnyArg,
        #[opt(default = &null())] to: AnyArg,
    ) -> i64 {
        end_of(CLASS, "get_key_count", file(&this).key_count(&KeyRange::Between(&from.0, &to.0)))
    }

    #[func(gd_self)]
    fn get_key_count_with_prefix(this: Gd<Self>, prefix: GString) -> i64 {
        end_of(CLASS, "get_key_count_with_prefix", file(&this).key_count(&KeyRange::Prefix(&prefix)))
    }

    #[func(gd_self)]
    fn erase_keys(this: Gd<Self>, keys: AnyArray) -> EngineError {
        end_of(CLASS, "erase_keys", SaveRequest::erase(file(&this), &keys).at_once())
    }

    #[func(gd_self)]
    fn erase_range(this: Gd<Self>, from: Variant, to: Variant) -> EngineError {
        end_of(CLASS, "erase_range", erase(&this, &KeyRange::Between(&from, &to)).at_once())
    }

    #[func(gd_self)]
    fn erase_range_async(this: Gd<Self>, from: Variant, to: Variant) -> Gd<VarBatchTask> {
        start_of(CLASS, "erase_range_async", erase(&this, &KeyRange::Between(&from, &to)).held())
    }

    #[func(gd_self)]
    fn erase_prefix(this: Gd<Self>, prefix: GString) -> EngineError {
        end_of(CLASS, "erase_prefix", erase(&this, &KeyRange::Prefix(&prefix)).at_once())
    }

    #[func(gd_self)]
    fn erase_prefix_async(this: Gd<Self>, prefix: GString) -> Gd<VarBatchTask> {
        start_of(CLASS, "erase_prefix_async", erase(&this, &KeyRange::Prefix(&prefix)).held())
    }

    #[func(gd_self)]
    fn erase_all(this: Gd<Self>) -> EngineError {
        end_of(CLASS, "erase_all", file(&this).erase_all())
    }

    #[func(gd_self)]
    fn backup_async(this: Gd<Self>, path: GString) -> Gd<VarBatchTask> {
        start_of(CLASS, "backup_async", Backup::held(&file(&this), &path))
    }

    #[func(gd_self)]
    fn compact_async(this: Gd<Self>) -> Gd<VarBatchTask> {
        start_of(CLASS, "compact_async", Upkeep::shrink(&file(&this)))
    }

    #[func(gd_self)]
    fn close(this: Gd<Self>) -> EngineError {
        end_of(CLASS, "close", file(&this).close())
    }

    #[func]
    fn get_path(&self) -> GString {
        GString::from(&self.file.shown)
    }
}

/// Returns the file. A script that a call runs may use the same object, so that nothing stays bound.
fn file(this: &Gd<VarBatchStore>) -> Arc<StoreFile> {
    Arc::clone(&this.bind().file)
}

fn erase(this: &Gd<VarBatchStore>, range: &KeyRange<'_>) -> SaveRequest {
    let file = file(this);
    let range = range.of(&file);
    SaveRequest::erase_range(file, range)
}
