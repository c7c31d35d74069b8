//! Runs the tool in a folder of its own, on bytes that are made here.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use varbatch_storage::compressed::{BLOCK_LEN, Compression, Encoder};
use varbatch_workers::Threads;

#[path = "../../../codec/tests/codec/support/wire.rs"]
#[allow(dead_code)] // The codec's tests use more of it.
mod wire;

pub use wire::{floats, string, text, words};

/// A folder that is removed when it is dropped.
pub struct Folder(TempDir);

/// The result of a run of the tool.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    /// Makes a folder with one file, as most tests need.
    pub fn with(name: &str, bytes: &[u8]) -> Self {
        let folder = Self::new();
        folder.write(name, bytes);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("written");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("read")
    }

    /// The names of the files in it.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("listed");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("listed").file_name().into_string().expect("a name")).collect();
        names.sort();
        names
    }

    /// Prepares a run of the tool in this folder.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_varbatch"));
        command.args(args.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        command
    }

    pub fn run(&self, args: &str) -> Ran {
        Ran::of(&self.command(args).output().expect("run"))
    }

    /// Runs the tool with arguments that may contain spaces.
    pub fn run_with(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command("").args(args).output().expect("run"))
    }

    /// Runs the tool with these bytes in a pipe as its standard input. Returns its output as bytes.
    pub fn piped(&self, args: &str, bytes: &[u8]) -> Output {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("run");
        let (mut pipe, bytes) = (child.stdin.take().expect("piped"), bytes.to_vec());
        // A tool that ends early reads no more.
        let writer = std::thread::spawn(move || _ = pipe.write_all(&bytes));
        let output = child.wait_with_output().expect("ended");
        writer.join().expect("written");
        output
    }

    /// The same with output as text.
    pub fn run_piped(&self, args: &str, bytes: &[u8]) -> Ran {
        Ran::of(&self.piped(args, bytes))
    }
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8").replace("\r\n", "\n");
        let ran = Self {
            code: output.status.code().expect("not killed"),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Checks all of the result.
    #[track_caller]
    pub fn expect(&self, code: i32, out: &str, err: &str) {
        assert_eq!((self.out.as_str(), self.err.as_str(), self.code), (out, err, code));
    }

    /// Checks its code, how its output ends, and how its errors begin or end.
    #[track_caller]
    pub fn has(&self, code: i32, out: &str, err: &str) {
        let has_error = self.err.starts_with(err) || self.err.ends_with(err);
        assert!(self.code == code && self.out.ends_with(out) && has_error, "{code}, {out:?}, {err:?}: {self:?}");
    }

    /// Checks that it was right and said nothing. Returns its output.
    #[track_caller]
    pub fn right(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""));
        self.out
    }

    /// Its lines, each as JSON.
    #[track_caller]
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
            .collect()
    }

    /// Checks that it failed with this code, and printed only this error.
    #[track_caller]
    pub fn fails(&self, code: i32, err: &str) {
        self.expect(code, "", err);
    }
}

/// A value: its header, and the bytes that follow.
pub fn value(header: u32, parts: &[&[u8]]) -> Vec<u8> {
    [&words(&[header]), &parts.concat()[..]].concat()
}

pub fn int(number: i32) -> Vec<u8> {
    words(&[2, number as u32])
}

/// The values as store_var() writes them.
pub fn frames(values: &[&[u8]]) -> Vec<u8> {
    values.iter().flat_map(|value| [&words(&[value.len() as u32])[..], value].concat()).collect()
}

/// A save of Godot 4: {"hp": 7, "at": [Vector2i(1, 2), true]}
pub fn save() -> Vec<u8> {
    let place = words(&[6, 1, 2]);
    let list = value(28, &[&words(&[2]), &place, &words(&[1, 1])]);
    value(27, &[&words(&[2]), &string("hp"), &int(7), &string("at"), &list])
}

/// A save of Godot 3: {"at": Vector3(1, 2, 3), "ids": PoolIntArray([4, 5])}
pub fn save_3() -> Vec<u8> {
    let place = value(7, &[&floats(&[1.0, 2.0, 3.0])]);
    let ids = words(&[21, 2, 4, 5]);
    value(18, &[&words(&[2]), &string("at"), &place, &string("ids"), &ids])
}

/// The same of Godot 4.
pub fn save_3_in_4() -> Vec<u8> {
    let place = value(9, &[&floats(&[1.0, 2.0, 3.0])]);
    let ids = words(&[30, 2, 4, 5]);
    value(27, &[&words(&[2]), &string("at"), &place, &string("ids"), &ids])
}

/// Writes a file as FileAccess.open_compressed() does.
pub fn compress(folder: &Folder, name: &str, stream: &[u8], compression: Compression) {
    let file = fs::File::create(folder.path(name)).expect("made");
    let mut encoder = Encoder::new(file, compression, stream.len() as u64, BLOCK_LEN).expect("begun");
    encoder.write(stream, &Threads::alone()).expect("written");
    encoder.finish(&Threads::alone()).expect("ended");
}
