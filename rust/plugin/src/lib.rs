//! VarBatch for Godot 4: Variants to bytes and back, for whole batches, in parallel.
//!
//! The formats and their rules are in `varbatch-codec`, which knows no Godot. Here: [`api`] is what GDScript sees,
//! `encode` and `decode` run a call, `walk` and `build` turn Variants into events and back, [`engine`] holds the raw calls of
//! GDExtension, [`pool`] the threads.

// `unsafe` lives in `engine`, and in gdext's entry point below.
#[forbid(unsafe_code)]
mod api;
#[forbid(unsafe_code)]
mod batch;
#[forbid(unsafe_code)]
mod build;
#[forbid(unsafe_code)]
mod decode;
#[forbid(unsafe_code)]
mod delta;
#[forbid(unsafe_code)]
mod describe;
#[forbid(unsafe_code)]
mod diff;
#[forbid(unsafe_code)]
mod encode;
mod engine;
#[forbid(unsafe_code)]
mod files;
#[forbid(unsafe_code)]
mod objects;
#[forbid(unsafe_code)]
mod pairs;
#[forbid(unsafe_code)]
mod patch;
#[forbid(unsafe_code)]
mod pool;
#[forbid(unsafe_code)]
mod reports;
#[forbid(unsafe_code)]
mod task;
#[forbid(unsafe_code)]
mod texts;
#[forbid(unsafe_code)]
mod transcode;
#[forbid(unsafe_code)]
mod undo;
#[forbid(unsafe_code)]
mod validate;
#[forbid(unsafe_code)]
mod walk;

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
            task::shut_down();
        }
    }
}
