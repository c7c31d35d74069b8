//! The editor's help has what the classes have.

use std::collections::BTreeSet;

use crate::engine::DIALECTS;

/// For each `mark` in `text`, what stands between the next `before` and the next `after`.
fn names<'a>(text: &'a str, mark: &str, before: &str, after: &str) -> BTreeSet<&'a str> {
    let name = |rest: &'a str| rest.split_once(before)?.1.split_once(after).map(|(name, _)| name);
    text.split(mark).skip(1).filter_map(name).collect()
}

/// A method that the editor's help does not have, or one that only the help has, is a mistake.
/// For parameters: `godot --doctool DIR --gdextension-docs` leaves right files in DIR/doc_classes as they are.
#[test]
fn every_method_is_documented() {
    let mut methods = names(include_str!("../../src/api/var_batch.rs"), "    #[func", "fn ", "(");
    methods.append(&mut names(include_str!("../../src/api/files.rs"), "    #[func", "fn ", "("));
    methods.append(&mut names(
        include_str!("../../src/engine/call.rs"),
        "::from_signature",
        "StringName::from(\"",
        "\")",
    ));
    assert_eq!(methods, names(include_str!("../../docs/VarBatch.xml"), "<method ", "name=\"", "\""));
    assert!(methods.contains("vars_to_bytes") && methods.contains("var_to_bytes"), "{methods:?}");
}

#[test]
fn every_dialect_is_documented() {
    let help = include_str!("../../docs/VarBatch.xml");
    for (value, (name, _)) in DIALECTS.iter().enumerate() {
        let line = format!("<constant name=\"{name}\" value=\"{value}\" enum=\"Dialect\">");
        assert_eq!(help.matches(&line).count(), 1, "{line}");
    }
    assert_eq!(help.matches("enum=\"Dialect\">").count(), DIALECTS.len());
}

#[test]
fn every_method_and_signal_of_the_other_classes_is_documented() {
    let task = (include_str!("../../src/api/task.rs"), include_str!("../../docs/VarBatchTask.xml"), "wait");
    let recorder =
        (include_str!("../../src/api/undo_recorder.rs"), include_str!("../../docs/VarBatchUndoRecorder.xml"), "record");
    for (class, help, known) in [task, recorder] {
        let methods = names(class, "    #[func", "fn ", "(");
        assert_eq!(methods, names(help, "<method ", "name=\"", "\""));
        assert!(methods.contains(known), "{methods:?}");
        assert_eq!(names(class, "    #[signal", "fn ", "("), names(help, "<signal ", "name=\"", "\""));
    }
}

/// The editor shows nothing of a help that is no XML, and says nothing about it.
#[test]
fn helps_are_well_formed() {
    let helps = [
        include_str!("../../docs/VarBatch.xml"),
        include_str!("../../docs/VarBatchTask.xml"),
        include_str!("../../docs/VarBatchUndoRecorder.xml"),
    ];
    for help in helps {
        let mut open = Vec::new();
        for tag in help.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            let name = tag.split_whitespace().next().expect("a tag has a name");
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
                None if tag.ends_with('/') || tag.starts_with('?') => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
}
