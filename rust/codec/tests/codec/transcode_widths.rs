//! Guards: components become those of the other width as an engine rounds them, both ways, and nothing else changes.

use std::collections::HashMap;

use proptest::prelude::*;
use varbatch_codec::transcode::{Lost, Translation};
use varbatch_codec::{Dialect, Event, Kind, Plain, Width};

use crate::support::naive;
use crate::support::steps::{plain_of, read, write};
use crate::support::value::{Value, any_value, cases};
use crate::support::vectors;
use crate::support::wire::{doubles, words};

const SINGLE: Dialect = Dialect::GODOT_4;
const DOUBLE: Dialect = Dialect::GODOT_4_DOUBLE;

#[test]
fn what_real_engines_of_both_precisions_wrote_is_translated_into_one_another() {
    let single: HashMap<_, _> = vectors::encoded().into_iter().map(|vector| (vector.name, vector.bytes)).collect();
    let mut kinds = Vec::new();
    for vector in vectors::double_encoded() {
        let (name, wide) = (vector.name, vector.bytes.expect(vector.name));
        let events = read(&wide).expect(name).0;
        assert_eq!(write(&events).expect(name), wide, "{name}: written back");
        kinds.extend(events.iter().filter_map(plain_of).map(|plain| plain.kind).filter(|kind| kind.shape().is_real()));
        let (narrow, losses) = Translation::new(DOUBLE, SINGLE).bytes(&wide).expect(name);
        assert_eq!(Some(&narrow), single[name].as_ref(), "{name}");
        let is_rounded = losses.iter().any(|loss| (loss.what, loss.count) == (Lost::Precision, 1));
        assert_eq!(losses.is_empty(), !is_rounded, "{name}");
        // A build of either width writes both, as a file of it may hold data of the other.
        for (from, to, bytes, expected) in
            [(SINGLE, SINGLE, &wide, &narrow), (SINGLE, SINGLE, &narrow, &narrow), (DOUBLE, DOUBLE, &wide, &wide)]
        {
            assert_eq!(Translation::new(from, to).bytes(bytes).expect(name).0, *expected, "{name}");
        }
        let (again, _) = Translation::new(SINGLE, DOUBLE).bytes(&narrow).expect(name);
        assert_eq!(again == wide, losses.is_empty(), "{name}");
    }
    for kind in Kind::ALL.into_iter().filter(|kind| kind.shape().is_real()) {
        assert!(kinds.contains(&kind), "{} has no vector", kind.name());
    }
}

#[test]
fn a_nan_stays_one() {
    for bits in [f64::NAN.to_bits(), (-f64::NAN).to_bits(), 0x7ff0_0000_0000_0001, 0x7fff_ffff_ffff_ffff] {
        let bytes = [words(&[0x1_0005]), doubles(&[f64::from_bits(bits), 1.0])].concat();
        let (there, losses) = Translation::new(DOUBLE, SINGLE).bytes(&bytes).expect("narrows");
        assert!(losses.is_empty());
        let x = f32::from_le_bytes(there[4..8].try_into().expect("four bytes"));
        assert!(x.is_nan() && there.len() == 12, "{bits:x}: {there:02x?}");
    }
}

/// The values of a single build as a double one has them.
fn widened(events: &[Event<'_>]) -> Vec<Option<Vec<u8>>> {
    let widen = |plain: Plain<'_>| {
        let lanes = plain.bytes.as_chunks().0.iter();
        lanes.flat_map(|&bytes| f64::from(f32::from_le_bytes(bytes)).to_le_bytes()).collect()
    };
    events.iter().map(|event| plain_of(event).filter(|plain| plain.kind.shape().is_real()).map(widen)).collect()
}

fn has_nan(value: &Value) -> bool {
    let events = value.events();
    let mut reals = events.iter().filter_map(plain_of).filter(|plain| plain.kind.shape().is_real());
    reals.any(|plain| plain.bytes.as_chunks().0.iter().any(|&bytes| f32::from_le_bytes(bytes).is_nan()))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_value_of_32_bits_comes_back_from_64(value in any_value(Width::Single)) {
        let bytes = naive::value(&value);
        let (wide, losses) = Translation::new(SINGLE, DOUBLE).bytes(&bytes).expect("widens");
        prop_assert!(losses.is_empty());
        let (events, found) = (read(&bytes).expect("reads").0, read(&wide).expect("reads").0);
        prop_assert_eq!(events.len(), found.len());
        for ((event, found), widened) in events.iter().zip(&found).zip(widened(&events)) {
            match (widened, plain_of(found)) {
                (Some(expected), Some(plain)) => {
                    prop_assert_eq!((plain.width, plain.bytes), (Width::Double, &expected[..]));
                }
                (None, _) => prop_assert!(event == found || matches!(event, Event::Float(float) if float.is_nan())),
                (widened, plain) => panic!("{widened:?} {plain:?}"),
            }
        }
        let (back, losses) = Translation::new(DOUBLE, SINGLE).bytes(&wide).expect("narrows");
        prop_assert!(losses.is_empty());
        // Signalling NaNs become quiet ones.
        prop_assert!(back == bytes || has_nan(&value), "{:?} came back as {:02x?}", value, back);
    }

    #[test]
    fn any_value_of_64_bits_is_rounded_once(value in any_value(Width::Double)) {
        let bytes = naive::value(&value);
        let (narrow, losses) = Translation::new(DOUBLE, SINGLE).bytes(&bytes).expect("narrows");
        let events = value.events();
        let wides = events.iter().filter_map(plain_of).filter(|plain| plain.kind.shape().is_real());
        let is_rounded = |plain: &Plain<'_>| {
            let lanes = plain.bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes));
            { lanes }.any(|wide| !wide.is_nan() && f64::from(wide as f32).to_bits() != wide.to_bits())
        };
        let expected = wides.filter(is_rounded).count();
        let count = losses.iter().map(|loss| loss.count).sum::<usize>();
        prop_assert_eq!(count, expected);
        let (again, losses) = Translation::new(DOUBLE, SINGLE).bytes(&narrow).expect("is narrow");
        prop_assert!(losses.is_empty() && again == narrow);
    }
}
