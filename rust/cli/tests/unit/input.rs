use super::*;

#[test]
fn wildcards_stand_for_files_and_what_matches_none_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name| folder.path().join(name);
    for name in ["b1.dat", "A[1].dat", "c.txt", "É"] {
        fs::write(path(name), "").expect("written");
    }
    fs::create_dir(path("d.dat")).expect("made");
    for (given, found) in [
        ("*.dat", &["A[1].dat", "b1.dat"][..]),
        ("*.DAT", &["A[1].dat", "b1.dat"]),
        ("?1.dat", &["b1.dat"]),
        ("a[1].*", &["A[1].dat"]),
        ("B?.d*t", &["b1.dat"]),
        ("é?", &["é?"]),
        ("c.txt", &["c.txt"]),
        ("[c].txt", &["[c].txt"]),
        ("?.png", &["?.png"]),
        ("none/*", &["none/*"]),
        ("-", &["-"]),
    ] {
        let found: Vec<_> = found.iter().map(|name| path(name)).collect();
        assert_eq!(expand(&[path(given)]), found, "{given}");
    }
}
