//! Guards: memory that grows with each save of a game, a slow save that holds up calls for other files, and time that
//! grows with the square of the calls under way.

use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::{LineName, Order, Ticket, unless_overtaken};

fn sizes(order: &Order) -> [usize; 4] {
    [order.placed.len(), order.placed_by.len(), order.open.len(), order.lines.len()]
}

#[test]
fn no_more_is_kept_than_saves_under_way_need() {
    let mut order = Order::new();
    for round in 0..3 {
        let oldest = order.take("".into());
        for index in 0..100 {
            let ticket = order.take("".into());
            order.note_placed(ticket, Path::new(&format!("{}", index % 10)));
            order.give_back(ticket);
        }
        let younger = order.take("".into());
        order.note_placed(order.last + 1, Path::new("newest"));
        assert_eq!(sizes(&order), [11, 11, 2, 1], "{round}");
        assert!(order.has_placed_later(younger) && !order.has_placed_later(order.last + 1));
        assert!(order.is_overtaken(oldest, Path::new("9")));
        assert!(!order.is_overtaken(younger, Path::new("9")));
        order.give_back(oldest);
        assert_eq!(sizes(&order), [1, 1, 1, 1], "{round}");
        order.give_back(younger);
        assert_eq!(sizes(&order), [0; 4], "{round}");
        // Nobody is older: there is nobody to keep it for.
        let alone = order.take("".into());
        assert!(!order.has_older(alone));
        order.give_back(alone);
    }
}

#[test]
fn the_next_in_line_is_found() {
    let mut order = Order::new();
    let [a, b, c, other, d] = ["", "", "", "other", ""].map(|line| order.take(line.into()));
    assert_eq!([a, b, d, other].map(|ticket| order.behind(ticket, 2)), [vec![b, c], vec![c, d], vec![], vec![]]);
    assert_eq!(order.give_back(b), Some(a));
    assert_eq!([a, b, c].map(|ticket| order.behind(ticket, 1)), [vec![c], vec![], vec![d]]);
    assert_eq!([a, b, d].map(|ticket| order.first_before(ticket)), [None, None, Some(a)]);
    assert_eq!(order.give_back(a), Some(c));
    assert_eq!(order.give_back(a), None);
    assert_eq!([c, d].map(|ticket| order.give_back(ticket)), [Some(d), None]);
    assert_eq!((order.give_back(other), sizes(&order)), (None, [0; 4]));
}

/// Calls all methods for `count` tickets that are open at the same time, over `lines`, each of which places a file.
fn time_tickets(count: usize, lines: usize) -> Duration {
    // Paths of games begin alike, so that comparing them takes long.
    let path = |index: usize| LineName::from(format!("/home/player/.local/share/game/world/chunks/{}", index % lines));
    let paths: Vec<_> = (0..count).map(path).collect();
    let start = Instant::now();
    let mut order = Order::new();
    let tickets: Vec<_> = paths.iter().map(|path| order.take(path.clone())).collect();
    // Later ones first, so that many are placed, and all of them kept.
    for (&ticket, path) in tickets.iter().zip(&paths).rev() {
        assert!(order.behind(ticket, 1).is_empty() || lines == 1);
        assert_eq!(order.first_before(ticket), (lines == 1 && ticket > 1).then_some(1));
        assert!(!order.has_placed_later(order.last));
        if order.has_older(ticket) && !order.is_overtaken(ticket, Path::new(&**path)) {
            order.note_placed(ticket, Path::new(&**path));
        }
    }
    tickets.into_iter().for_each(|ticket| _ = order.give_back(ticket));
    assert_eq!(sizes(&order), [0; 4]);
    start.elapsed()
}

#[test]
fn the_time_of_a_call_does_not_grow_with_the_calls_under_way() {
    const COUNT: usize = 10_000;
    for (name, is_one_line) in [("of one file", true), ("of as many files", false)] {
        let time = |count| time_tickets(count, if is_one_line { 1 } else { count });
        // Other programs run, too, so it is tried again. If each call looked at all others, 16 times as long would be usual.
        let is_linear = || time(4 * COUNT) < 8 * time(COUNT);
        assert!((0..5).any(|_| is_linear()), "4 times as many tickets {name} take more than 8 times as long");
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
