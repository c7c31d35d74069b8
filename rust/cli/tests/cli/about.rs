//! Completions and manual pages.

use std::process::Command;

use crate::support::Folder;

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
        ("man", ["varbatch\\-show", "EXAMPLES", "EXIT CODES", "standard input"]),
        ("man show", ["\\-\\-max\\-items", "EXAMPLES", "EXIT CODES", "hex"]),
        ("man get", ["\\-\\-raw", "EXAMPLES", "EXIT CODES", "metadata"]),
        ("man check", ["\\-\\-all", "EXAMPLES", "EXIT CODES", "empty"]),
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
