//! VarBatch for Godot 4: Variants to bytes and back, for whole batches, in parallel.
//!
//! The formats and their rules are in `varbatch-codec`, which knows no Godot. Here: [`api`] is what GDScript sees, [`calls`]
//! runs a call, [`value`] turns Variants into events and back, [`undo`] records what an edit changes, [`jobs`] holds the
//! threads and tasks, [`report`] what there is to print, [`engine`] the raw calls of GDExtension.

// `unsafe` lives in `engine`, and in gdext's entry point below.
#[forbid(unsafe_code)]
mod api;
#[forbid(unsafe_code)]
mod calls;
mod engine;
#[forbid(unsafe_code)]
mod jobs;
#[forbid(unsafe_code)]
mod report;
#[forbid(unsafe_code)]
mod undo;
#[forbid(unsafe_code)]
mod value;

use godot::init::{ExtensionLibrary, InitStage, gdextension};

struct VarBatchExtension;

// SAFETY: gdext's entry point; the library does nothing on load that its documentation forbids.
#[gdextension]
unsafe impl ExtensionLibrary for VarBatchExtension {
    fn on_stage_init(stage: InitStage) {
        match stage {
            // gdext has registered the class by now.
            InitStage::Scene => api::register(),
            InitStage::Editor => api::load_docs(),
            _ => {}
        }
    }

    fn on_stage_deinit(stage: InitStage) {
        // Not later: gdext promises only the stages from its lowest on, which is this one.
        if stage == InitStage::Scene {
            jobs::dispatch::shut_down();
        }
    }
}
