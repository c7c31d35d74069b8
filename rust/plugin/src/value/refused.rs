//! Says what the engine refuses in bytes that are a value, and in values that it should write.

use varbatch_codec::CodecErrorKind;

/// The engine cannot make an object of this class.
pub fn no_such_class(name: &str) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected a class that can be instantiated, found {name:?}"))
}

/// The engine cannot load this script. `found` is the path, or the type that stands in its place.
pub fn no_such_script(found: &str) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected the path of a script in res://, found {found}"))
}

/// A property makes the engine allocate or work more than it can. `what` is the property and its class.
pub fn too_many(what: &str, max: usize, found: i64) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected at most {max} for {what}, found {found}"))
}

/// The engine could not make or write an object of this class.
pub fn object_failed(class: &str) -> CodecErrorKind {
    let expected = format!("an object of class {class:?} that the engine accepts");
    CodecErrorKind::Refused(format!("expected {expected}, found one that it refuses"))
}

/// A typed container drops a value of another type. Only a warning: the rest of the value is read.
pub fn dropped() -> CodecErrorKind {
    CodecErrorKind::Refused("expected what the container's type takes, found another type".into())
}

#[cfg(test)]
#[path = "../../tests/unit/refused.rs"]
mod tests;
