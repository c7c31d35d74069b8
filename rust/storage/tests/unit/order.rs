//! Guards: memory that grows with each save of a game, and a slow save that holds up calls for other files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{Order, Ticket, unless_overtaken};

#[test]
fn no_more_is_kept_than_saves_under_way_need() {
    let mut order = Order::new();
    for round in 0..3 {
        let oldest = order.take(PathBuf::new());
        for index in 0..100 {
            let ticket = order.take(PathBuf::new());
            order.placed.insert(PathBuf::from(format!("{}", index % 10)), ticket);
            order.give_back(ticket);
        }
        let younger = order.take(PathBuf::new());
        order.placed.insert(PathBuf::from("newest"), order.last + 1);
        assert_eq!((order.placed.len(), order.open.len()), (11, 2), "{round}");
        assert!(order.is_overtaken(oldest, Path::new("9")));
        assert!(!order.is_overtaken(younger, Path::new("9")));
        order.give_back(oldest);
        assert_eq!((order.placed.len(), order.open.len()), (1, 1), "{round}");
        order.give_back(younger);
        assert_eq!((order.placed.len(), order.open.len()), (0, 0), "{round}");
        // Nobody is older: there is nobody to keep it for.
        let alone = order.take(PathBuf::new());
        assert!(!order.has_older(alone));
        order.give_back(alone);
    }
}

/// As with a virus scanner or a folder on a network.
#[test]
fn a_slow_rename_delays_no_other_file() {
    // Only what hangs takes as long.
    const PATIENCE: Duration = Duration::from_secs(60);
    let folder = std::env::temp_dir();
    let paths = ["slow", "other"].map(|name| folder.join(format!("varbatch-order-{}-{name}", std::process::id())));
    let [slow, other] = &paths;
    let (begins, has_begun) = mpsc::channel();
    let (ends, may_end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let put = || {
                begins.send(()).expect("somebody waits");
                may_end.recv_timeout(PATIENCE).map_err(|_| io::Error::other("it waited for the slow one"))
            };
            assert!(Ticket::take_for(slow).put_in_place(slow, put).expect("nobody waits for it"));
        });
        has_begun.recv().expect("it begins");
        let [for_other, for_slow] = [other, slow].map(|path| Ticket::take_for(path));
        assert!(for_other.put_in_place(other, || Ok(())).expect("no error"));
        assert_eq!(unless_overtaken(for_other.number(), other, || 5), Some(5));
        assert!(!for_other.is_overtaken(slow));
        // The same file waits, in the order of calls.
        let later = scope.spawn(move || for_slow.put_in_place(slow, || Ok(())).expect("no error"));
        thread::sleep(Duration::from_millis(50));
        assert!(!later.is_finished(), "the same file was replaced meanwhile");
        ends.send(()).expect("it waits");
        assert!(later.join().expect("no panic"));
    });
}
