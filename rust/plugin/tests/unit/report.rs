//! What is kept and printed of many reports.

use godot::global::Error as EngineError;
use varbatch_codec::{CodecError, CodecErrorKind, Reader};

use super::{BUFFERS, Cause, Dropped, Failure, Line, MAX_LINES, OBJECTS, Outcome, Reports, Rest, Subject};

fn failed(indices: impl IntoIterator<Item = usize>) -> Reports {
    let mut reports = Reports::default();
    for index in indices {
        reports.push_error(index, || format!("bad {index}"));
    }
    reports
}

fn texts(lines: Vec<Line>) -> Vec<String> {
    let shown = |line: Line| if line.is_warning() { format!("W {}", line.text) } else { line.text };
    lines.into_iter().map(shown).collect()
}

#[test]
fn as_many_as_fit_are_all_printed() {
    let lines = texts(failed(0..MAX_LINES).lines(&BUFFERS));
    assert_eq!(lines, (0..MAX_LINES).map(|index| format!("buffer {index}: bad {index}")).collect::<Vec<_>>());
    assert!(failed([]).lines(&BUFFERS).is_empty());
}

#[test]
fn the_others_are_counted_and_never_made() {
    let mut reports = failed(0..MAX_LINES);
    for index in MAX_LINES..1000 {
        reports.push_error(index, || -> String { panic!("the text of {index} is not printed") });
    }
    assert!(!failed(0..5).count_error(5), "it is printed");
    assert!(!failed(10..50).count_error(3), "it is before others");
    assert!(reports.count_error(1000));
    let lines = texts(reports.lines(&BUFFERS));
    assert_eq!(lines.len(), MAX_LINES + 1);
    assert_eq!(lines[MAX_LINES], "981 more errors are not printed; VarBatch.validate() returns all errors");
    assert_eq!(reports.errors.first.len(), MAX_LINES);
    let one = texts(failed(0..=MAX_LINES).lines(&Subject::file("a.dat")));
    let more = "\"a.dat\": 1 more error is not printed; the command-line tool lists them: varbatch check --all";
    assert_eq!(one[MAX_LINES], more);
}

#[test]
fn what_is_printed_does_not_depend_on_the_order_of_arrival() {
    let expected = texts(failed(0..100).lines(&BUFFERS));
    assert_eq!(texts(failed((0..100).rev()).lines(&BUFFERS)), expected);
    assert_eq!(texts(failed((0..100).map(|index| index * 37 % 100)).lines(&BUFFERS)), expected);
    for runs in [[0..30, 30..60, 60..100], [60..100, 0..30, 30..60], [30..60, 60..100, 0..30]] {
        let mut all = Reports::default();
        runs.into_iter().for_each(|run| all.append(&mut failed(run)));
        assert_eq!(texts(all.lines(&BUFFERS)), expected);
    }
    let mut all = failed(0..50);
    all.append_from(50, failed(0..50));
    assert_eq!(texts(all.lines(&BUFFERS)), expected);
}

#[test]
fn errors_go_before_warnings_and_all_are_in_order() {
    let mut reports = Reports::default();
    for index in 0..30 {
        reports.push_warning(index, || format!("odd {index}"));
        if index % 10 == 9 {
            reports.push_error(index, || format!("bad {index}"));
        }
    }
    let lines = texts(reports.lines(&BUFFERS));
    assert_eq!(lines.len(), MAX_LINES + 1);
    assert_eq!(lines[0], "W buffer 0: odd 0");
    assert_eq!(lines[9..11], ["buffer 9: bad 9", "W buffer 9: odd 9"]);
    assert_eq!(lines[18..], ["buffer 19: bad 19", "buffer 29: bad 29", "W 13 more warnings are not printed"]);
    (30..60).for_each(|index| reports.push_error(index, || format!("bad {index}")));
    let more = "13 more errors and 30 more warnings are not printed; VarBatch.validate() returns all errors";
    assert_eq!(texts(reports.lines(&BUFFERS))[MAX_LINES], more);
}

#[test]
fn the_end_of_a_batch_is_printed_in_any_case() {
    let mut reports = failed(0..1000);
    reports.set_end(1000, "short");
    let lines = texts(reports.lines(&BUFFERS));
    assert_eq!(lines.len(), MAX_LINES + 1);
    assert_eq!(lines[MAX_LINES - 2], "buffer 18: bad 18");
    assert_eq!(lines[MAX_LINES - 1], "buffer 1000: short");
    assert!(lines[MAX_LINES].starts_with("981 more errors "), "{lines:?}");
    let mut whole = Reports::default();
    whole.append_as(&mut reports, |_| Some(3));
    assert_eq!(whole.lines(&BUFFERS).len(), MAX_LINES + 1);
}

#[test]
fn reports_of_the_call_have_no_index() {
    let mut reports = failed([1]);
    reports.push_error(None, || "all is bad");
    assert_eq!(texts(reports.lines(&BUFFERS)), ["all is bad", "buffer 1: bad 1"]);
    assert_eq!(texts(reports.lines(&OBJECTS)), ["all is bad", "bad 1"]);
}

#[test]
fn a_long_line_loses_its_middle() {
    let name = "\u{e4}".repeat(1 << 20);
    let lines = texts(vec![Line::error(format!("found x{name}y, at byte 4"))]);
    assert!(lines[0].len() < 9 << 10 && lines[0].starts_with("found x\u{e4}"), "{} bytes", lines[0].len());
    assert!(lines[0].contains("...") && lines[0].ends_with("\u{e4}y, at byte 4"));
    let mut reports = Reports::default();
    reports.push_warning(3, || name);
    let lines = texts(reports.lines(&BUFFERS));
    assert!(lines[0].len() < 9 << 10 && lines[0].starts_with("W buffer 3: "), "{} bytes", lines[0].len());
    let short = "x".repeat(8 << 10);
    assert_eq!(texts(vec![Line::error(&*short)]), [short]);
}

#[test]
fn the_code_is_that_of_the_first_error() {
    let damaged = || CodecError::new(4, CodecErrorKind::UnknownType { last: 38, id: 255 });
    let mut reports = Reports::default();
    reports.push_warning(0, || "odd".into());
    reports.push_error(2, || "refused");
    assert_eq!(Outcome::new((), reports.lines(&BUFFERS)).code, EngineError::ERR_INVALID_DATA);
    reports.push_error(1, damaged);
    assert_eq!(Outcome::new((), reports.lines(&BUFFERS)).code, EngineError::ERR_FILE_CORRUPT);
    reports.set_end(0, Failure::new(Cause::Key, "another key"));
    assert_eq!(Outcome::new((), reports.lines(&BUFFERS)).code, EngineError::ERR_FILE_CORRUPT);
    assert_eq!(Outcome::new((), failed([]).lines(&BUFFERS)).code, EngineError::OK);
}

fn dropped(bytes: &[u8]) -> Box<Dropped> {
    let mut reader = Reader::new(bytes);
    while reader.next_event().expect("a value").is_some() {}
    let none = || (0, String::new());
    Box::new(Dropped { elements: none(), objects: none(), properties: none(), rest: Rest::after(&reader) })
}

#[test]
fn bytes_after_values_are_one_line_a_call() {
    // An int of 32 bits, which Pandemonium and Godot 3 read as well, and bytes that no engine reads.
    let int = [2, 0, 0, 0, 7, 0, 0, 0, 255, 255, 255, 255];
    let expected = "expected nothing after the value, found 4 bytes, at byte 8; they are ignored";
    assert_eq!(texts(dropped(&int).lines(&int)), [format!("W {expected}")]);
    let mut all = Reports::default();
    for index in [5, 3, 4] {
        let mut one = Reports::default();
        one.push_dropped(index, dropped(&int));
        all.append(&mut one);
    }
    assert_eq!(texts(all.lines(&BUFFERS)), [format!("W buffer 3: {expected}, as after 2 more values")]);
    // A Dictionary of Godot 3 is a Transform3D here, after which 8 bytes remain.
    let mut dictionary = vec![18, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 36, 0, 0, 0];
    dictionary.extend([b'a'; 36]);
    dictionary.extend([0; 4]);
    let found = texts(dropped(&dictionary).lines(&dictionary));
    assert!(found[0].contains("can be read in DIALECT_GODOT_3"), "{found:?}");
    // A script may go on with the next value.
    let two = [int, int].map(|int| int[..8].to_vec()).concat();
    assert!(dropped(&two).lines(&two).is_empty());
}
