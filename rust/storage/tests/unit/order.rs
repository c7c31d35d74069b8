//! Guards: memory that grows with each save of a game, and a slow save that holds up calls for other files.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::{Order, Ticket};

#[test]
fn no_more_is_kept_than_saves_under_way_need() {
    let mut order = Order::new();
    for round in 0..3 {
        let oldest = order.take(None);
        for index in 0..100 {
            let ticket = order.take(None);
            order.note(ticket, PathBuf::from(format!("{}", index % 10)));
            order.give_back(ticket);
        }
        let younger = order.take(None);
        order.note(order.last + 1, PathBuf::from("newest"));
        assert_eq!((order.placed.len(), order.open.len()), (11, 2), "{round}");
        assert!(order.is_overtaken(oldest, Path::new("9")));
        assert!(!order.is_overtaken(younger, Path::new("9")));
        order.give_back(oldest);
        assert_eq!((order.placed.len(), order.open.len()), (1, 1), "{round}");
        order.give_back(younger);
        assert_eq!((order.placed.len(), order.open.len()), (0, 0), "{round}");
        // Nobody is older: there is nobody to keep it for.
        let alone = order.take(None);
        assert!(!order.has_older(alone));
        order.give_back(alone);
    }
}

/// As with a virus scanner or a folder on a network.
#[test]
fn a_slow_rename_delays_no_other_file() {
    const SLOW: Duration = Duration::from_secs(1);
    let folder = std::env::temp_dir();
    let paths = ["slow", "other"].map(|name| folder.join(format!("varbatch-order-{}-{name}", std::process::id())));
    let [slow, other] = &paths;
    let (begins, has_begun) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let put = || {
                begins.send(()).expect("somebody waits");
                thread::sleep(SLOW);
                Ok(())
            };
            assert!(Ticket::take_for(slow).put_in_place(slow, put).expect("no error"));
        });
        has_begun.recv().expect("it begins");
        let start = Instant::now();
        // The fastest one, as the machine may be busy.
        let called = (0..20).map(|_| {
            let called = Instant::now();
            let tickets = [Ticket::take_for(other), Ticket::take_for(slow)];
            (called.elapsed(), tickets)
        });
        let (fastest, [for_other, for_slow]) = called.min_by_key(|(elapsed, _)| *elapsed).expect("twenty");
        assert!(fastest < Duration::from_millis(1), "{fastest:?} for a call");
        assert!(for_other.put_in_place(other, || Ok(())).expect("no error"));
        assert_eq!(for_other.unless_overtaken(other, || 5), Some(5));
        assert!(!for_other.is_overtaken(slow));
        assert!(start.elapsed() < SLOW / 2, "{:?} until another file is in place", start.elapsed());
        // The same file waits, in the order of calls.
        assert!(for_slow.put_in_place(slow, || Ok(())).expect("no error"));
        assert!(start.elapsed() > SLOW / 2, "{:?} until the same file is replaced", start.elapsed());
    });
}
