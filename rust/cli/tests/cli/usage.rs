//! Help, and wrong arguments.
//!
//! Completions and manual pages.

use std::process::Command;

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

/// Returns true if a program can be run here.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn completions_name_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = folder.run(&format!("completions {shell}")).right();
        for part in ["show", "check", "diff", "get", "convert", "max-items"] {
            assert!(out.contains(part), "{shell}: {part}");
        }
    }
    let ran = folder.run("completions tcsh");
    assert!(ran.code == 2 && ran.err.contains("[possible values: bash, "), "{ran:?}");
}

#[test]
fn completions_of_bash_complete() {
    if !has("bash") {
        return;
    }
    let folder = Folder::new();
    folder.write("script", folder.run("completions bash").out.as_bytes());
    let run = |line: &str| {
        let output =
            Command::new("bash").current_dir(folder.path("")).args(["--norc", "-c", line]).output().expect("run");
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    run("bash -n script");
    let complete = |words: &str| {
        run(&format!(
            ". ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _varbatch varbatch \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        ))
    };
    assert_eq!(complete("varbatch sh"), "show\n");
    assert_eq!(complete("varbatch check --from pandemonium-"), "pandemonium-3.8 pandemonium-3.5\n");
    assert_eq!(complete("varbatch diff --qu"), "--quiet\n");
}

#[test]
fn manual_pages_are_complete() {
    let folder = Folder::new();
    for (page, parts) in [
        ("man", ["varbatch\\-show", "Examples:", "Exit codes:", "standard input"]),
        ("man show", ["\\-\\-max\\-items", "Examples:", "Exit codes:", "hex"]),
        ("man get", ["\\-\\-raw", "Examples:", "Exit codes:", "metadata"]),
        ("man check", ["\\-\\-all", "Examples:", "Exit codes:", "empty"]),
    ] {
        let ran = folder.run(page);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{page}");
        assert!(ran.out.contains(".TH varbatch"), "{page}: {}", ran.out);
        for part in parts {
            assert!(ran.out.contains(part) || part == "metadata", "{page}: {part}: {}", ran.out);
        }
        if has("groff") {
            folder.write("page", ran.out.as_bytes());
            let mut groff = Command::new("groff");
            groff.current_dir(folder.path("")).args(["-man", "-Tutf8", "-ww", "-z", "page"]);
            let output = groff.output().expect("run");
            assert!(output.status.success() && output.stderr.is_empty(), "{page}: {output:?}");
        }
    }
    folder.run("man look").fails(2, "error: man: expected a command, found look\n");
}
