//! How many instructions the codec's hot paths take, beside those in `table.txt`: a slowdown shows on a noisy machine.
//!
//! Each case runs under valgrind's callgrind, in a process of its own, so that no case sees the heap that another left.
//! It runs twice, and only the second run is counted: the first finds out what the processor can do.
//!
//! `scripts/bench.sh --count` is how to run this. Without `--count` each case only checks its result.

mod arrays;
mod cases;
mod save_game;
mod table;
mod valgrind;

use std::env;
use std::hint::black_box;
use std::process::ExitCode;

use self::cases::CASES;
use self::table::{Row, Table};

fn main() -> ExitCode {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [valgrind::CASE, name] => run(name),
        ["--count", "--update"] => return update(),
        ["--count"] => return compare(""),
        ["--count", filter] if !filter.starts_with('-') => return compare(filter),
        ["--count", ..] => {
            eprintln!("counts: expected --count [--update | FILTER], found {arguments:?}");
            return ExitCode::FAILURE;
        }
        _ => {
            CASES.iter().for_each(|case| (case.run)(&mut |path| path()));
            println!("counts: {} paths give what they should; `scripts/bench.sh --count` counts them", CASES.len());
        }
    }
    ExitCode::SUCCESS
}

/// In the process that valgrind watches: one case.
fn run(name: &str) {
    let case = CASES.iter().find(|case| case.name == name).expect("a case of this name");
    (case.run)(&mut |path| {
        path();
        counted_path(path);
    });
}

/// valgrind counts while this function runs, and finds it by its name: see [`valgrind::COUNTED`].
#[inline(never)]
fn counted_path(path: &mut dyn FnMut()) {
    path();
    // Or the call would be a jump, and this function over before it.
    black_box(());
}

fn count(filter: &str) -> Vec<Row> {
    let cases = CASES.iter().filter(|case| case.name.contains(filter));
    cases.map(|case| Row { name: case.name.into(), counts: valgrind::count(case.name) }).collect()
}

fn update() -> ExitCode {
    let now = Table::now(count(""));
    if let Ok(before) = Table::load() {
        before.compare(&now);
    }
    now.save();
    println!("\nwritten: {}", table::PATH);
    ExitCode::SUCCESS
}

fn compare(filter: &str) -> ExitCode {
    let before = match Table::load() {
        Ok(before) => before,
        Err(error) => {
            eprintln!("counts: {error}: `scripts/bench.sh --count --update` makes it anew");
            return ExitCode::FAILURE;
        }
    };
    let now = Table::now(count(filter));
    if now.rows.is_empty() {
        eprintln!("counts: no case has {filter:?} in its name");
        return ExitCode::FAILURE;
    }
    let verdict = before.compare(&now);
    println!("\nby line: callgrind_annotate {}/CASE.out", valgrind::FOLDER);
    if filter.is_empty() && before.rows.iter().any(|row| now.find(&row.name).is_none()) {
        println!("the table has cases that are gone: scripts/bench.sh --count --update");
        return ExitCode::FAILURE;
    }
    verdict
}
