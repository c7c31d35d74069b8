//! The editor's help can be read. The conformance suite `documents/api` compares it with the classes.

/// The editor shows nothing of a help that is no XML, and says nothing about it.
#[test]
fn helps_are_well_formed() {
    let helps = [
        include_str!("../../docs/VarBatch.xml"),
        include_str!("../../docs/VarBatchState.xml"),
        include_str!("../../docs/VarBatchStore.xml"),
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
