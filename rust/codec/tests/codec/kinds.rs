//! Guards: the table of kinds.

use varbatch_codec::{Kind, Width};

#[test]
fn ids_count_up_from_zero() {
    for (index, kind) in Kind::ALL.into_iter().enumerate() {
        assert_eq!(usize::from(kind.id()), index, "{}", kind.name());
        assert_eq!(Kind::from_id(kind.id()), Some(kind));
    }
    assert_eq!(Kind::from_id(39), None);
}

#[test]
fn widths_change_only_reals() {
    for kind in Kind::ALL {
        let (single, double) = (kind.shape().element_len(Width::Single), kind.shape().element_len(Width::Double));
        assert_eq!(single != double, kind.shape().is_real(), "{}", kind.name());
    }
}
