use super::*;

#[test]
fn a_pattern_matches_as_in_the_shells_of_windows() {
    for (pattern, name) in [
        ("*", "a"),
        ("*.dat", "a.dat"),
        ("*.DAT", "A.dat"),
        ("s*e?.dat", "save1.dat"),
        ("*a*b", "aabab"),
        ("a**", "a"),
        ("?", "é"),
        ("[1].*", "[1].dat"),
    ] {
        assert!(matches(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in [("*.dat", "a.data"), ("?", ""), ("?", "ab"), ("a*b", "ba"), ("a*b*c", "ab"), ("", "a")] {
        assert!(!matches(pattern, name), "{pattern} {name}");
    }
}

#[test]
fn files_are_sorted_and_what_matches_none_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name| folder.path().join(name);
    for name in ["b.dat", "a.dat", "c.txt"] {
        fs::write(path(name), "").expect("written");
    }
    fs::create_dir(path("d.dat")).expect("made");
    let given = ["*.dat", "c.txt", "*.png", "none", "-"].map(path);
    assert_eq!(expand(&given), ["a.dat", "b.dat", "c.txt", "*.png", "none", "-"].map(path));
    let elsewhere = folder.path().join("none").join("*");
    assert_eq!(expand(std::slice::from_ref(&elsewhere)), [elsewhere]);
}
