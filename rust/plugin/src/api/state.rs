//! Class `VarBatchState`: captures properties of many objects, and restores them.

use std::sync::{Arc, Mutex};

use godot::builtin::{AnyArray, PackedByteArray, PackedStringArray, VarArray, varray};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};

use super::task::end_of;
use crate::capture::{self, Members};
use crate::engine::{ObjectArg, value};
use crate::jobs::lock;
use crate::report::{OBJECTS, Outcome};

const CLASS: &str = "VarBatchState";

#[derive(GodotClass)]
#[class(init, base = RefCounted)]
pub struct VarBatchState {
    members: Arc<Mutex<Arc<Members>>>,
}

#[godot_api]
impl VarBatchState {
    #[func(gd_self)]
    fn add(
        this: Gd<Self>,
        object: ObjectArg,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
    ) {
        add_to(&this, "add", &varray![&object.0].upcast_any_array(), &properties);
    }

    #[func(gd_self)]
    fn add_all(
        this: Gd<Self>,
        objects: AnyArray,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
    ) {
        add_to(&this, "add_all", &objects, &properties);
    }

    #[func(gd_self)]
    fn remove(this: Gd<Self>, object: ObjectArg) {
        let gone = Arc::make_mut(&mut lock(&this.bind().members)).remove(value(&object.0));
        // The last reference to the object may go, and its script run: nothing is locked any more.
        drop(gone);
    }

    #[func(gd_self)]
    fn clear(this: Gd<Self>) {
        let gone = Arc::make_mut(&mut lock(&this.bind().members)).clear();
        drop(gone);
    }

    #[func(gd_self)]
    fn get_objects(this: Gd<Self>) -> VarArray {
        members(&this).objects()
    }

    #[func(gd_self)]
    fn capture(this: Gd<Self>) -> PackedByteArray {
        end_of(CLASS, "capture", capture::capture(&members(&this)))
    }

    #[func(gd_self)]
    fn capture_values(this: Gd<Self>) -> VarArray {
        end_of(CLASS, "capture_values", capture::capture_values(&members(&this)))
    }

    #[func(gd_self)]
    fn restore(this: Gd<Self>, bytes: PackedByteArray, #[opt(default = false)] allow_objects: bool) -> EngineError {
        end_of(CLASS, "restore", capture::restore(&members(&this), &bytes, allow_objects))
    }

    #[func(gd_self)]
    fn get_missing_count(this: Gd<Self>, bytes: PackedByteArray) -> i64 {
        end_of(CLASS, "get_missing_count", capture::missing_count(&members(&this), &bytes))
    }

    #[func(gd_self)]
    fn restore_values(this: Gd<Self>, values: AnyArray) -> EngineError {
        end_of(CLASS, "restore_values", capture::restore_values(&members(&this), &values))
    }
}

fn members(this: &Gd<VarBatchState>) -> Arc<Members> {
    Arc::clone(&lock(&this.bind().members))
}

fn add_to(this: &Gd<VarBatchState>, method: &str, objects: &AnyArray, properties: &PackedStringArray) {
    let members = Arc::clone(&this.bind().members);
    let reports = capture::add(&members, objects, properties);
    end_of(CLASS, method, Outcome::new((), reports.lines(&OBJECTS)));
}
