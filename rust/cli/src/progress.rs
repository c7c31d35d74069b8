//! How far a command is, for who waits at a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is over by then needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on the standard error if that is a terminal, and not before somebody has waited. It goes when it is dropped.
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Self {
        Self { started: Instant::now(), bar: None }
    }

    /// So many bytes of so many are done.
    pub fn set(&mut self, done: u64, total: u64) {
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
            bar.set_style(style.expect("the template is sound").progress_chars("=> "));
            // What was done before there was a bar says nothing about how fast it goes on.
            bar.set_position(done);
            bar.reset_eta();
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/progress.rs"]
mod tests;
