//! What `VarBatch.get_diagnostics()` returns: the versions, and which of the fast paths are used.

use std::env::consts::{ARCH, OS};

use godot::builtin::{VarDictionary, vdict};
use godot::init::GdextBuild;
use varbatch_codec::text;

use crate::engine;
use crate::jobs::pool;

pub fn diagnostics() -> VarDictionary {
    let used = |why: Option<&str>| why.map_or_else(|| "used".into(), |why| format!("not used, as {why}"));
    vdict! {
        "version" => env!("CARGO_PKG_VERSION"),
        "engine" => GdextBuild::godot_runtime_version_string().as_str(),
        "system" => format!("{OS}, {ARCH}").as_str(),
        "threads" => pool::count() as i64,
        "engine_memory" => used(engine::why_not_known()).as_str(),
        "huge_pages" => used(engine::why_no_huge_pages()).as_str(),
        "text" => text::available().last().map_or("", |kernels| kernels.name),
    }
}
