//! Guards: a thread that is waited for may keep others, and those are waited for as well.

use std::thread::spawn;
use std::time::Duration;

use crate::support::{Door, shared, wait_for};

#[path = "../../src/ending.rs"]
#[allow(dead_code)]
mod source;

use source::{join_kept, keep};

#[test]
fn a_thread_that_is_joined_may_keep_another_one() {
    let (go_on, ended) = (shared::<Door>(), shared::<Door>());
    keep([spawn(move || {
        go_on.pass();
        keep([spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            ended.open();
        })]);
    })]);
    let joins = [(); 2].map(|()| spawn(join_kept));
    std::thread::sleep(Duration::from_millis(20));
    assert!(!joins.iter().any(std::thread::JoinHandle::is_finished), "both wait for the first thread");
    go_on.open();
    wait_for("the end of both", || joins.iter().all(std::thread::JoinHandle::is_finished));
    assert!(ended.is_open());
}
