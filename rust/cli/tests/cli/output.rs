//! Guards: no name of a file and no text in it reaches a terminal as a command, and output that is lost is an error.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::ffi::OsStrExt;

use varbatch_codec::{Dialect, Event, Text, Writer};

use crate::support::{Folder, Ran, frames, int, string, words};

/// Sets the title of a window, clears the screen, and ends with what is no UTF-8. The second is one character in UTF-8.
const NAME: &[u8] = b"a\x1b]0;x\x07\xc2\x9b2J\n\xe2\x80\xae\xff";
const SHOWN: &str = r"a\u001b]0;x\u0007\u009b2J\u000a\u202e\xff";

/// A value whose key, text and class hold such characters.
fn hostile() -> Vec<u8> {
    let text = Text::Utf8("\u{1b}[2J\u{9b}2J\u{7f}\u{202e}");
    let mut writer = Writer::new(Dialect::GODOT_4);
    let (start, any) = (writer.mark(), varbatch_codec::ElementType::Any);
    for event in [
        Event::Dictionary { key: any, value: any, count: 2 },
        Event::String(text),
        Event::Object { class: text, count: 1 },
        Event::Text(text),
        Event::StringName(text),
        Event::Int(1),
        Event::PackedStrings { count: 1 },
        Event::Text(text),
    ] {
        writer.write(event).expect("due");
    }
    writer.end_value(start).expect("complete");
    writer.into_plan().to_vec()
}

#[track_caller]
fn assert_harmless(ran: &Ran, what: &str) {
    for text in [&ran.out, &ran.err] {
        let bad = text.chars().find(|&char| char != '\n' && (char.is_control() || char == '\u{202e}'));
        assert_eq!(bad, None, "{what}: {text:?}");
    }
}

#[test]
fn names_of_files_are_no_commands_for_a_terminal() {
    let name = OsStr::from_bytes(NAME);
    for (bytes, is_there) in
        [(frames(&[&int(1)]), true), (frames(&[&[99; 8]]), true), (vec![1, 2, 3], true), (vec![], false)]
    {
        let all = "check; check --json; show; show --start 9; show --frame 9; show --nothing; get [0] --frame; \
                   get --frame 9 [0]; diff a; convert --from godot3 --to godot4 a; \
                   convert --from godot4 --to godot3 --force a; man; completions; ";
        for args in all.split("; ") {
            let folder = Folder::with("a", &frames(&[&int(2)]));
            if is_there {
                fs::write(folder.path("").join(name), &bytes).expect("written");
            }
            let ran = Ran::of(&folder.command(args).arg(name).output().expect("run"));
            assert_harmless(&ran, args);
            if args == "check" && !ran.out.is_empty() {
                assert!(ran.out.starts_with(&format!("{SHOWN}: ")), "{ran:?}");
            }
        }
    }
    let folder = Folder::new();
    fs::write(folder.path("").join(name), frames(&[&int(1)])).expect("written");
    let ran = Ran::of(&folder.command("check --json").arg(name).output().expect("run"));
    assert_eq!(ran.json()[0]["file"], "a\u{1b}]0;x\u{7}\u{9b}2J\n\u{202e}\\xff", "the name itself");
}

#[test]
fn texts_in_files_are_no_commands_for_a_terminal() {
    let folder = Folder::with("a", &frames(&[&hostile()]));
    folder.write("b", &frames(&[&int(1)]));
    folder.write("cut", &frames(&[&hostile()[..hostile().len() - 4]]));
    let all = "show a; show --json a; check cut; check --json cut; diff a b; diff b a; diff --json a b; \
               convert --from godot4 --to godot3 a out";
    for args in all.split("; ") {
        assert_harmless(&folder.run(args), args);
    }
    let ran = folder.run_with(&["get", "a", "[\"\u{9b}\"][\u{1b}]"]);
    assert_harmless(&ran, "a path");
}

/// The device that is always full.
#[test]
fn output_that_is_lost_is_an_error() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else { return };
    let folder = Folder::with("a", &frames(&[&int(1)]));
    folder.write("b", &frames(&[&int(2)]));
    folder.write("text", &[&words(&[28, 1])[..], &string("text")].concat());
    let all = "--help; -h; --version; help show; show --help; man; man show; completions bash; completions fish; \
               show a; show --json a; check a; check --json a; diff a b; get text [0]; get --raw text [0]; \
               convert --from godot4 --to godot3 a -; convert --from godot4 --to godot3 a out";
    for args in all.split("; ") {
        let mut command = folder.command(args);
        let ran = Ran::of(&command.stdout(full.try_clone().expect("the device")).output().expect("run"));
        assert_eq!(ran.code, 3, "{args}: {ran:?}");
        assert!(ran.err.starts_with("error: the output: No space left on device"), "{args}: {ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{args}: {ran:?}");
    }
}
