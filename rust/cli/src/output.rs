//! Lines for people and of the result, in which nothing is a command for a terminal; and a bar that says how far a command is.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use varbatch_codec::quote::visible;

/// A command that ends earlier shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

pub fn say(what: &str, text: impl Display) {
    // If this fails, the exit code still tells.
    let _ = writeln!(io::stderr(), "{what}: {}", visible(&text.to_string()));
}

pub fn print(text: impl Display) -> io::Result<()> {
    writeln!(io::stdout(), "{}", visible(&text.to_string()))
}

/// A bar on the standard error, if that is a terminal, shown after a while. Dropping it removes the bar.
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Self {
        Self { started: Instant::now(), bar: None }
    }

    pub fn set(&mut self, done: u64, total: u64) {
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let bar = bar.with_finish(ProgressFinish::AndClear);
            let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
            bar.set_style(style.expect("the template is sound").progress_chars("=> "));
            // What was done before the bar was shown says nothing about the speed.
            bar.set_position(done);
            bar.reset_eta();
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/output.rs"]
mod tests;
