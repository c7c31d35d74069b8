//! The values of a call, and what the engine has to do for them before anything is planned.

use godot::builtin::{AnyArray, PackedByteArray};

use super::encode;
use crate::engine::{self, HeldBytes, Value};
use crate::jobs::tuning::CONTAINERS_PARALLEL_FROM;
use crate::report::Reports;
use crate::value::full_objects;
use crate::value::walk::{Lost, mostly_containers};

/// The values of a call.
pub enum Batch<'a> {
    /// Values to walk.
    Values(&'a [Value]),
    /// Values that were encoded one by one; empty if that failed.
    Encoded(Vec<HeldBytes>),
}

impl<'a> Batch<'a> {
    /// Encodes all values if one of them holds an object to be written in full, which only the engine can do. Returns the
    /// reports about them.
    pub fn of(values: &'a AnyArray, full_objects: bool) -> (Self, Reports) {
        let mut reports = Reports::default();
        if !full_objects || !engine::values(values).iter().any(full_objects::is_in) {
            return (Self::Values(engine::values(values)), reports);
        }
        // A script that the engine runs may change the caller's array, but not this copy. It may still change the
        // containers in it, so values are encoded one by one, and nothing stays borrowed after each.
        let values = values.duplicate_shallow();
        let mut encoded = Vec::with_capacity(values.len());
        for index in 0..values.len() {
            let value = values.at(index);
            let mut bytes = PackedByteArray::new();
            if let Err(error) = encode(engine::value(&value), full_objects, &mut bytes) {
                reports.push_error(index, || error.to_string());
            }
            encoded.push(HeldBytes::new(bytes));
        }
        (Self::Encoded(encoded), reports)
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Encoded(encoded) => encoded.len(),
        }
    }

    /// True if there are enough containers for several threads to walk them.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Values(values) if is_shared(values))
    }

    /// Finds what is lost if these values are saved. Only walks them again if their plan is lossy.
    pub fn lost(&self, is_lossy: bool) -> Option<Lost> {
        match self {
            Self::Values(values) => is_lossy.then(|| Lost::of_values(values)).flatten(),
            Self::Encoded(encoded) => Lost::of_bytes(encoded.iter().map(HeldBytes::bytes)),
        }
    }
}

/// True if there are enough containers for several threads to walk them.
pub fn is_shared(values: &[Value]) -> bool {
    values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values)
}
