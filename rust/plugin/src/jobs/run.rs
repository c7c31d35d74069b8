//! Runs a job to its end on the calling thread.

use varbatch_workers::tasks::NextStep;

use super::job::{Job, Outcome, WHOLE};
use super::pool;

/// Does all steps of a job.
pub fn finish(job: &mut dyn Job) {
    let mut step = NextStep::More;
    while step != NextStep::Done {
        // Hold no shared threads while scripts run.
        let is_large = step != NextStep::Owner && job.is_large();
        step = pool::with(is_large, |threads| job.step(WHOLE, threads, &|_| {}));
        if step == NextStep::Parked {
            pool::with(true, |threads| job.unblock(threads));
        }
    }
}

/// Runs a job and returns its result.
pub fn run(mut job: impl Job) -> Outcome {
    finish(&mut job);
    job.outcome()
}
