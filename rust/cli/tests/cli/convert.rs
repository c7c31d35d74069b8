//! `varbatch convert`.

use varbatch_storage::compressed::Compression;

use crate::support::{Folder, compress, frames, int, save_3, save_3_in_4, string, value, words};

const TO_4: &str = "convert --from godot3 --to godot4";
const TO_3: &str = "convert --from godot4 --to godot3";

#[test]
fn frames_and_values_to_the_byte() {
    let folder = Folder::with("old", &frames(&[&int(1), &save_3()]));
    folder.run(&format!("{TO_4} old new")).expect(0, "new: 2 values from godot3 to godot4\n", "");
    assert_eq!(folder.read("new"), frames(&[&int(1), &save_3_in_4()]));
    folder.run(&format!("{TO_3} new back")).expect(0, "back: 2 values from godot4 to godot3\n", "");
    assert_eq!(folder.read("back"), folder.read("old"));

    folder.write("value", &save_3());
    folder.run(&format!("{TO_4} value value4")).expect(0, "value4: 1 value from godot3 to godot4\n", "");
    assert_eq!(folder.read("value4"), save_3_in_4());
    folder.write("empty", &[]);
    folder.run(&format!("{TO_4} empty empty4")).expect(0, "empty4: 0 values from godot3 to godot4\n", "");
    assert!(folder.read("empty4").is_empty());
}

#[test]
fn a_format_that_is_said() {
    // Frames of one null, or a String without a character.
    let folder = Folder::with("a", &words(&[4, 0]));
    folder.run(&format!("{TO_4} --format value a value")).expect(0, "value: 1 value from godot3 to godot4\n", "");
    folder.run(&format!("{TO_4} --format frames a frames")).expect(0, "frames: 1 value from godot3 to godot4\n", "");
    assert_eq!((folder.read("value"), folder.read("frames")), (words(&[4, 0]), words(&[4, 0])));
    // A file of one value holds no frames.
    folder.write("b", &save_3());
    folder.run(&format!("{TO_4} --format frames b out")).has(1, "", "error: b: frame 1: ");
    assert_eq!(folder.names(), ["a", "b", "frames", "value"]);
}

#[test]
fn an_output_that_is_there_is_left_alone() {
    let folder = Folder::with("in", &save_3());
    folder.write("out", b"precious");
    folder.run(&format!("{TO_4} in out")).fails(3, "error: out: the file exists; --force replaces it\n");
    assert_eq!(folder.read("out"), b"precious");
    folder.run(&format!("{TO_4} in in")).fails(3, "error: in: the file exists; --force replaces it\n");
    assert_eq!(folder.read("in"), save_3());
    folder.run(&format!("{TO_4} --force in out")).expect(0, "out: 1 value from godot3 to godot4\n", "");
    assert_eq!(folder.read("out"), save_3_in_4());
    // A file may become itself.
    folder.write("in", &frames(&[&save_3()]).repeat(3));
    folder.run(&format!("{TO_4} --force in in")).expect(0, "in: 3 values from godot3 to godot4\n", "");
    assert_eq!(folder.read("in"), frames(&[&save_3_in_4()]).repeat(3));
    assert_eq!(folder.names(), ["in", "out"]);
}

/// A failure leaves an existing output as it was, makes no new one, and leaves no other file.
#[test]
fn a_failure_leaves_nothing() {
    let bad = value(18, &[&words(&[1]), &string("list"), &words(&[19, 2, 0, 99])]);
    let new = value(27, &[&words(&[1]), &string("at"), &value(28, &[&words(&[2, 0]), &words(&[10, 1, 2, 3])])]);
    let (damaged, missing) =
        ("expected a type from 0 to 26, found 99", "expected a type that Godot 3 has, found Vector3i");
    let cut = "the file is cut off, 2 bytes are missing, at byte 16".to_owned();
    for (bytes, args, error) in [
        (frames(&[&int(1), &bad, &int(2)]), TO_4, format!("frame 1: {damaged}, at byte 48 inside [\"list\"][1]")),
        (bad, &format!("{TO_4} --format value")[..], format!("{damaged}, at byte 32 inside [\"list\"][1]")),
        (frames(&[&int(1), &int(2)])[..22].to_vec(), TO_4, cut),
        (frames(&[&int(1), &new]), TO_3, format!("frame 1: {missing}, at byte 48 inside [\"at\"][1]")),
        (new, TO_3, format!("{missing}, at byte 32 inside [\"at\"][1]")),
    ] {
        let (folder, error) = (Folder::with("in", &bytes), format!("error: in: {error}\n"));
        folder.run(&format!("{args} in out")).fails(1, &error);
        assert_eq!(folder.names(), ["in"]);
        folder.write("out", b"precious");
        folder.run(&format!("{args} --force in out")).fails(1, &error);
        folder.run(&format!("{args} --force in in")).fails(1, &error);
        assert_eq!((folder.read("out"), folder.read("in")), (b"precious".to_vec(), bytes));
        assert_eq!(folder.names(), ["in", "out"]);
    }
}

#[test]
fn losses_are_warnings() {
    let ids = value(27, &[&words(&[2]), &string("a"), &words(&[23, 9, 0]), &string("b"), &words(&[23, 8, 0])]);
    let typed = words(&[28 | 1 << 16, 2, 0]);
    let folder = Folder::with("a", &frames(&[&int(1), &ids, &typed]));
    let warnings = "\
warning: a: 2 RIDs lost their ids, the first at byte 36 inside [\"a\"]
warning: a: 1 typed container became untyped, at byte 76
";
    folder.run(&format!("{TO_3} a b")).expect(0, "b: 3 values from godot4 to godot3\n", warnings);
}

#[test]
fn bytes_behind_values_are_only_left_out_if_asked_for() {
    let folder = Folder::with("a", &[save_3(), vec![0; 8]].concat());
    let rest = "a: 1 value was followed by bytes that are none of its, at byte 64";
    let refused = format!("error: {rest}; nothing was written, --drop-rest leaves them out\n");
    folder.run(&format!("{TO_4} --format value a b")).expect(1, "", &refused);
    let out = "b: 1 value from godot3 to godot4\n";
    folder.run(&format!("{TO_4} --format value --drop-rest a b")).expect(0, out, &format!("warning: {rest}\n"));
    assert_eq!(folder.read("b"), save_3_in_4());
    // A save that is read as another engine's has such bytes: in place it stays, even with --force.
    let save = frames(&[&int(1), &save_3()]);
    folder.write("c", &save);
    let rest = "c: 1 value was followed by bytes that are none of its, at byte 68";
    let hint = "hint: c: all of it can be read with --from godot3\n";
    let refused = format!("error: {rest}; nothing was written, --drop-rest leaves them out\n{hint}");
    for to in ["godot3", "godot4", "pandemonium"] {
        folder.run(&format!("convert --from godot4 --to {to} --force c c")).expect(1, "", &refused);
        assert_eq!(folder.read("c"), save);
    }
    let out = "d: 2 values from godot4 to pandemonium\n";
    let told = format!("warning: {rest}\n{hint}");
    folder.run("convert --from godot4 --to pandemonium --drop-rest c d").expect(0, out, &told);
}

/// What Godot 3.2.3 wrote with `open_encrypted_with_pass(path, File.WRITE, "mypass")` and `store_var({"gold": 12})` and
/// `store_var(Color(1, 0, 0))`.
const ENCRYPTED_3: &str = "4744454301000000ffa3a7feb0f9ac43c4bbe0c604dcfb5938000000000000001743df7a86e6c8b29401b42555a5f26c4664e42d9b02802c\
                           29c8b54db9c81265f5772e43e7221269f64bb56f901316b85adafd896c286e68c9008190b482c258";

#[test]
fn an_encrypted_file_of_godot_3_is_converted_with_its_password() {
    let hex = |at| u8::from_str_radix(&ENCRYPTED_3[at..at + 2], 16).expect("hex");
    let folder = Folder::with("a", &(0..ENCRYPTED_3.len()).step_by(2).map(hex).collect::<Vec<_>>());
    folder.write("pass", b"mypass\n");
    folder.write("key", b"a029d0df84eb5549c641e04a9ef389e5");
    let hint =
        "hint: a: this is an encrypted file (\"GDEC\"): --password-file, --password-env or --key-file decrypts it\n";
    assert!(folder.run("show --from godot3 a").err.ends_with(hint));
    for key in ["--password-file pass", "--key-file key"] {
        let out = "b: 2 values from godot3 to godot4\n";
        folder.run(&format!("{TO_4} --force {key} a b")).expect(0, out, "");
        // It is encrypted as in Godot 4.
        assert_eq!(folder.read("b")[..4], *b"GDEC");
        folder.run(&format!("get {key} b [\"gold\"]")).expect(0, "        24         8  int 12\n", "");
        folder.run(&format!("check {key} b")).expect(0, "b: ok, 2 values\n", "");
    }
    folder.write("pass", b"another");
    let wrong = folder.run("check --from godot3 --password-file pass a");
    assert!(wrong.code == 1 && wrong.out.contains("damaged"), "{}", wrong.out);
    for args in ["check --password-file none a", "check --key-file pass a", "check --password-env NOT_SET a"] {
        assert_eq!(folder.run(args).code, 2, "{args}");
    }
    assert_eq!(folder.run("convert --from godot3 --to godot3 --key-file key a c").code, 2);
}

#[test]
fn a_compressed_file_stays_compressed() {
    let stream = frames(&[&save_3(), &int(1), &value(20, &[&words(&[100_000]), &[7; 100_000]])]);
    let expected = frames(&[&save_3_in_4(), &int(1), &value(29, &[&words(&[100_000]), &[7; 100_000]])]);
    for compression in Compression::WRITTEN {
        let folder = Folder::new();
        compress(&folder, "a", &stream, compression);
        compress(&folder, "expected", &expected, compression);
        folder.run(&format!("{TO_4} --force a a")).expect(0, "a: 3 values from godot3 to godot4\n", "");
        assert!(folder.read("a") == folder.read("expected"), "{}", compression.name());
    }
    let folder = Folder::new();
    compress(&folder, "a", &frames(&[&int(1), &words(&[19, 1, 99])]), Compression::Zstd);
    let error = "error: a: frame 1: expected a type from 0 to 26, found 99, at byte 24 inside [0]\n";
    folder.run(&format!("{TO_4} a b")).fails(1, error);
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = Folder::with("a", &save_3());
    for output in ["none/out", "."] {
        folder.run(&format!("{TO_4} --force a {output}")).has(3, "", &format!("error: {output}: "));
    }
    assert_eq!(folder.names(), ["a"]);
}
