//! Guards: no depth of a buffer costs a thread its stack, whether the engine would read it or not.

use varbatch_codec::{CodecErrorKind, Reader, validate};

use crate::support::steps::{rest, write};
use crate::support::vectors::{self, hex};

/// Much less than the smallest stack of a thread of the engine.
const STACK: usize = 64 << 10;

/// What `work` gives, on a thread with a small stack.
fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        thread.join().expect("enough stack")
    })
}

#[test]
fn the_deepest_vectors_are_read_written_and_validated_on_a_small_stack() {
    let deep: Vec<_> = vectors::buffers().filter(|vector| vector.name.contains("_deep")).collect();
    assert!(deep.len() > 12, "{} vectors", deep.len());
    let read = on_a_small_stack(|| {
        let mut read = 0;
        for vector in &deep {
            let reader = || Reader::new(&vector.bytes).with_objects(vector.allow_objects);
            let events = rest(&mut reader());
            assert_eq!(validate(reader()).is_ok(), events.is_ok(), "{}", vector.name);
            match events {
                Ok(events) => {
                    assert_eq!(write(&events).as_ref(), Ok(&vector.bytes), "{}", vector.name);
                    // A place inside, found again by reading once more.
                    let path = reader().path_at(vector.bytes.len() / 8 * 4).to_string();
                    assert!(path.contains(" more..."), "{}: {path}", vector.name);
                    read += 1;
                }
                Err(error) => assert_eq!(*error.kind(), CodecErrorKind::TooDeep, "{}", vector.name),
            }
        }
        read
    });
    assert!(read > 8 && read < deep.len(), "{read} of {} are read", deep.len());
}

#[test]
fn however_deep_a_buffer_goes_it_is_left_at_the_limit() {
    // A megabyte of each kind of container, one in the other.
    for head in [
        "1c000000 01000000",
        "1c000100 1c000000 01000000",
        "1b000000 01000000",
        "1b000000 01000000 00000000",
        "18000000 01000000 41000000 01000000 01000000 61000000",
    ] {
        let level = hex(head);
        let bytes = level.repeat((1 << 20) / level.len());
        let error = on_a_small_stack(|| {
            let error = validate(Reader::new(&bytes).with_base(5).with_objects(true)).expect_err("too deep");
            assert!(error.to_string().len() < 1000, "{error}");
            error
        });
        // Keys and values of one entry lie equally deep, so the key before a value is what fails first.
        let extra = if head.ends_with("01000000 00000000") { 4 } else { 0 };
        assert_eq!(
            (error.kind().clone(), error.at()),
            (CodecErrorKind::TooDeep, 5 + 1025 * level.len() - extra),
            "{head}"
        );
        assert_eq!(error.path().steps().len(), 1025, "{head}");
    }
}

#[test]
fn the_last_level_may_hold_anything_but_a_value_in_a_container() {
    let nested = |depth: usize, inner: &str| [hex("1c000000 01000000").repeat(depth), hex(inner)].concat();
    for (inner, fails) in [
        ("00000000", false),
        ("1c000000 00000000", false),
        ("1b000000 00000000", false),
        ("22000000 02000000 01000000 00000000 01000000 00000000", false),
        ("16000000 01000080 00000000 00000000 01000000 61000000", false),
        ("18000000 01000000 41000000 00000000", false),
        ("1c000000 01000000 00000000", true),
        ("1b000000 01000000 00000000 00000000", true),
        ("18000000 01000000 41000000 01000000 01000000 61000000 00000000", true),
    ] {
        let deepest = nested(1024, inner);
        let mut reader = Reader::new(&deepest).with_objects(true);
        let events = rest(&mut reader);
        assert_eq!(events.is_err(), fails, "{inner}");
        let (less, more) = (nested(1023, inner), nested(1025, inner));
        assert_eq!(validate(Reader::new(&less).with_objects(true)), Ok(less.len()), "{inner}");
        let error = validate(Reader::new(&more).with_objects(true)).expect_err("too deep");
        assert_eq!((error.kind().clone(), error.at()), (CodecErrorKind::TooDeep, 1025 * 8), "{inner}");
        if let Ok(events) = events {
            assert!(write(&events).as_ref() == Ok(&deepest), "{inner}");
        }
    }
}
