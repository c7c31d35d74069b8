//! Help, and wrong arguments.

use crate::support::{Folder, frames, int};

#[test]
fn help_has_examples_and_exit_codes() {
    let folder = Folder::new();
    for args in ["--help", "show --help", "convert --help", "check --help", "diff --help", "get --help"] {
        let out = folder.run(args).right();
        for part in ["Examples:\n  varbatch ", "Exit codes:\n  0 ", "\n  1 ", "\n  2 ", "\n  3 "] {
            assert!(out.contains(part), "{args}: {out}");
        }
        assert!(out.lines().all(|line| line.len() <= 120), "{args}: {out}");
    }
    folder.run("--version").expect(0, concat!("varbatch ", env!("CARGO_PKG_VERSION"), "\n"), "");
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = Folder::with("a", &frames(&[&int(1)]));
    for (args, part) in [
        ("", "Usage: varbatch"),
        ("look a", "'look'"),
        ("show", "<FILE>"),
        ("show a b", "'b'"),
        ("show --all --count 3 a", "--count"),
        ("show --start 1 --frame 3 a", "--start"),
        ("show --start x a", "'x'"),
        ("check", "<FILE>"),
        ("check --json --quiet a", "--quiet"),
        ("diff a", "<B>"),
        ("get a", "<PATH>"),
        ("get --raw --json a [0]", "--json"),
        ("completions", "<SHELL>"),
        ("show --from godot5 a", "[possible values: godot4, godot3,"),
        ("show --depth -1 a", "'-1'"),
        ("check --format text a", "[possible values: auto, frames, value]"),
        ("convert --to godot4 a b", "--from <DIALECT>"),
        ("convert --from godot3 a b", "--to <DIALECT>"),
        ("convert --from godot3 --to godot4 a", "<OUT>"),
    ] {
        let ran = folder.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args}");
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    for command in ["show", "check", "check --quiet", "convert --from godot3 --to godot4"] {
        let out = if command.starts_with("convert") { "out" } else { "" };
        folder.run(&format!("{command} none {out}")).fails(3, "error: none: there is no such file or folder\n");
        folder.run(&format!("{command} . {out}")).fails(3, "error: .: it is a folder\n");
    }
    assert_eq!(folder.names(), [""; 0]);
}
