//! How far a command is, for a user who waits at a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// A command that ends earlier shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on the standard error, if that is a terminal, shown after a while. Dropping it removes the bar.
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Self {
        Self { started: Instant::now(), bar: None }
    }

    /// Sets how many bytes are done, and how many there are.
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
#[path = "../tests/unit/progress.rs"]
mod tests;
