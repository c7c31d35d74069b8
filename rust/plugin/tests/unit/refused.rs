//! Guards: the texts of what the engine refuses, to the letter.

use super::*;

#[test]
fn each_says_what_was_expected_and_what_was_found() {
    for (kind, text) in [
        (no_such_class("Nod\"e"), "expected a class that can be instantiated, found \"Nod\\\"e\""),
        (no_such_script("int"), "expected the path of a script in res://, found int"),
        (
            object_failed("Nod\"e"),
            "expected an object of class \"Nod\\\"e\" that the engine accepts, found one that it refuses",
        ),
        (dropped(), "expected what the container's type takes, found another type"),
    ] {
        assert_eq!(kind.to_string(), text);
    }
}
