//! What is kept and printed of many reports.

use super::{BUFFERS, Line, MAX_LINES, OBJECTS, Reports, Subject};

fn failed(indices: impl IntoIterator<Item = usize>) -> Reports {
    let mut reports = Reports::default();
    for index in indices {
        reports.push_error(index, || format!("bad {index}"));
    }
    reports
}

fn texts(lines: Vec<Line>) -> Vec<String> {
    lines.into_iter().map(|Line { text, is_warning }| if is_warning { format!("W {text}") } else { text }).collect()
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
        reports.push_error(index, || panic!("the text of {index} is not printed"));
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
    reports.push_error(None, || "all is bad".into());
    assert_eq!(texts(reports.lines(&BUFFERS)), ["all is bad", "buffer 1: bad 1"]);
    assert_eq!(texts(reports.lines(&OBJECTS)), ["all is bad", "bad 1"]);
}

#[test]
fn a_long_line_loses_its_middle() {
    let name = "\u{e4}".repeat(1 << 20);
    let lines = texts(vec![Line::error(format_args!("found x{name}y, at byte 4"))]);
    assert!(lines[0].len() < 9 << 10 && lines[0].starts_with("found x\u{e4}"), "{} bytes", lines[0].len());
    assert!(lines[0].contains("...") && lines[0].ends_with("\u{e4}y, at byte 4"));
    let mut reports = Reports::default();
    reports.push_warning(3, || name);
    let lines = texts(reports.lines(&BUFFERS));
    assert!(lines[0].len() < 9 << 10 && lines[0].starts_with("W buffer 3: "), "{} bytes", lines[0].len());
    let short = "x".repeat(8 << 10);
    assert_eq!(texts(vec![Line::error(&short)]), [short]);
}
