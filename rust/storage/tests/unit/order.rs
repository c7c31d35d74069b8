//! Guards: memory that grows with each save of a game.

use std::path::{Path, PathBuf};

use super::Order;

#[test]
fn no_more_is_kept_than_saves_under_way_need() {
    let mut order = Order::new();
    for round in 0..3 {
        let oldest = order.take(None);
        for index in 0..100 {
            let ticket = order.take(None);
            order.note(ticket, || PathBuf::from(format!("{}", index % 10)));
            order.give_back(ticket);
        }
        let younger = order.take(None);
        order.note(order.last + 1, || PathBuf::from("newest"));
        assert_eq!((order.placed.len(), order.open.len()), (11, 2), "{round}");
        assert!(order.is_overtaken(oldest, Path::new("9")));
        assert!(!order.is_overtaken(younger, Path::new("9")));
        order.give_back(oldest);
        assert_eq!((order.placed.len(), order.open.len()), (1, 1), "{round}");
        order.give_back(younger);
        assert_eq!((order.placed.len(), order.open.len()), (0, 0), "{round}");
        // Nobody is older: there is nobody to keep it for.
        let alone = order.take(None);
        order.note(alone, || unreachable!("nobody asks"));
        order.give_back(alone);
    }
}
