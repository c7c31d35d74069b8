//! VarBatch for Godot 4: converts Variants to bytes and back, in whole batches and in parallel.
//!
//! The formats and their rules are in `varbatch-codec`, which does not depend on Godot. `rust/DESIGN.md` has the map.

// Some things are there for stores alone.
#![cfg_attr(not(feature = "store"), allow(dead_code, unused_imports))]

// `unsafe` lives in `engine`, and in gdext's entry point below.
#[forbid(unsafe_code)]
mod api;
#[forbid(unsafe_code)]
mod calls;
#[forbid(unsafe_code)]
mod capture;
mod engine;
#[forbid(unsafe_code)]
mod jobs;
#[forbid(unsafe_code)]
mod objects;
#[forbid(unsafe_code)]
mod report;
#[forbid(unsafe_code)]
mod undo;
#[forbid(unsafe_code)]
mod value;

use godot::init::{ExtensionLibrary, InitStage, gdextension};
use godot::sys;

struct VarBatchExtension;

// SAFETY: this is gdext's entry point; on load, the library does nothing that gdext's documentation forbids.
#[gdextension(entry_symbol = gdext_rust_init_unchecked)]
unsafe impl ExtensionLibrary for VarBatchExtension {
    fn on_stage_init(stage: InitStage) {
        match stage {
            // gdext has registered the classes by now.
            InitStage::Scene => {
                api::register();
                value::string_cache::keep(true);
            }
            InitStage::Editor => api::load_docs(),
            _ => {}
        }
    }

    fn on_stage_deinit(stage: InitStage) {
        // Not later: gdext only promises stages from its minimum level up, which is this one.
        if stage == InitStage::Scene {
            jobs::dispatch::shut_down();
            value::string_cache::keep(false);
            objects::forget();
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gdext_rust_init(
    get_function: sys::GDExtensionInterfaceGetProcAddress,
    library: sys::GDExtensionClassLibraryPtr,
    init: *mut sys::GDExtensionInitialization,
) -> sys::GDExtensionBool {
    // SAFETY: the arguments are the engine's.
    unsafe { engine::load::<VarBatchExtension>(get_function, library, init, api::refuse) }
}
