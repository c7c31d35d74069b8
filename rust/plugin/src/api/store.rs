//! Class `VarBatchStore`: many values by key in one file.

use std::sync::Arc;

use godot::builtin::{AnyArray, AnyDictionary, GString, VarArray, Variant, varray};
use godot::classes::RefCounted;
use godot::global::Error as EngineError;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use super::task::{VarBatchTask, end_of, start_of};
use super::var_batch::makers;
use crate::calls::save::NOT_COMPRESSED;
use crate::calls::store::{Loading, SaveRequest, StoreFile, Upkeep};
use crate::engine::{AnyArg, ArrayArg, CompressionArg, FlagArg, no, null};
use crate::report::Outcome;

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
    #[func]
    fn open(
        path: GString,
        #[opt(default = CompressionArg(NOT_COMPRESSED))] compression_mode: CompressionArg,
    ) -> Option<Gd<Self>> {
        let open = |file| Gd::from_init_fn(|base| Self { file, _base: base });
        let opened = StoreFile::open(&path, compression_mode).map(|file| Outcome::new(Some(open(file)), Vec::new()));
        end_of(CLASS, "open", opened)
    }

    #[func(gd_self)]
    fn save_vars(
        this: Gd<Self>,
        values: AnyDictionary,
        #[opt(default = &ArrayArg::empty())] erase: ArrayArg,
        #[opt(default = false)] full_objects: bool,
    ) -> EngineError {
        end_of(CLASS, "save_vars", SaveRequest::values(file(&this), &values, &erase.0, full_objects).at_once())
    }

    #[func(gd_self)]
    fn save_vars_async(
        this: Gd<Self>,
        values: AnyDictionary,
        #[opt(default = &ArrayArg::empty())] erase: ArrayArg,
        #[opt(default = false)] full_objects: bool,
    ) -> Gd<VarBatchTask> {
        start_of(CLASS, "save_vars_async", SaveRequest::values(file(&this), &values, &erase.0, full_objects).held())
    }

    #[func(gd_self)]
    fn save_var(
        this: Gd<Self>,
        key: Variant,
        value: Variant,
        #[opt(default = false)] full_objects: bool,
    ) -> EngineError {
        end_of(CLASS, "save_var", SaveRequest::value(file(&this), &key, &value, full_objects).at_once())
    }

    #[func(gd_self)]
    fn load_vars(this: Gd<Self>, keys: AnyArray, #[opt(default = &no())] allow_objects: FlagArg) -> VarArray {
        let loading = Loading::new(&file(&this), &keys, None, makers(allow_objects.value()));
        end_of(CLASS, "load_vars", Loading::at_once(loading)).value().variant().to()
    }

    #[func(gd_self)]
    fn load_vars_async(
        this: Gd<Self>,
        keys: AnyArray,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Gd<VarBatchTask> {
        start_of(CLASS, "load_vars_async", Loading::new(&file(&this), &keys, None, makers(allow_objects.value())))
    }

    #[func(gd_self)]
    fn load_var(
        this: Gd<Self>,
        key: Variant,
        #[opt(default = &null())] default: AnyArg,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Variant {
        let keys = varray![&key].upcast_any_array();
        let loading = Loading::new(&file(&this), &keys, Some(&default.0), makers(allow_objects.value()));
        end_of(CLASS, "load_var", Loading::at_once(loading)).value().variant().clone()
    }

    #[func(gd_self)]
    fn has_key(this: Gd<Self>, key: Variant) -> bool {
        end_of(CLASS, "has_key", file(&this).has_key(&key))
    }

    #[func(gd_self)]
    fn get_keys(this: Gd<Self>) -> VarArray {
        end_of(CLASS, "get_keys", file(&this).keys())
    }

    #[func(gd_self)]
    fn get_key_count(this: Gd<Self>) -> i64 {
        end_of(CLASS, "get_key_count", file(&this).key_count())
    }

    #[func(gd_self)]
    fn erase_keys(this: Gd<Self>, keys: AnyArray) -> EngineError {
        end_of(CLASS, "erase_keys", SaveRequest::erase(file(&this), &keys).at_once())
    }

    #[func(gd_self)]
    fn erase_all(this: Gd<Self>) -> EngineError {
        end_of(CLASS, "erase_all", SaveRequest::erase_all(file(&this)).at_once())
    }

    #[func(gd_self)]
    fn compact_async(this: Gd<Self>) -> Gd<VarBatchTask> {
        start_of(CLASS, "compact_async", Upkeep::shrink(&file(&this)))
    }

    #[func(gd_self)]
    fn close(this: Gd<Self>) {
        file(&this).close();
        end_of(CLASS, "close", Outcome::new((), Vec::new()));
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
