//! Asks the processor for the memory of values that are read soon.
//!
//! The values of a large array lie scattered in memory, so most of the time of a walk is waiting: for the private data
//! of a container, then for its first entry or element, then for each text. The addresses are known a few values ahead.

use varbatch_codec::Kind;

use super::read::Value;
use crate::engine::{LINE, is_known, is_packed, layout, line, lines};

/// Values between the one that is walked and those that are fetched: their private data, and then what that leads to.
const FAR: usize = 2;
const NEAR: usize = 1;

/// Packed arrays are walked faster than memory comes, so they are fetched in groups of this many.
const GROUP: usize = 16;

/// Fetches what the values after `index` point to, if that is a container or a packed array. Called for each, in order.
#[inline(always)]
pub fn ahead(values: &[Value], index: usize) {
    match values[index].view().kind {
        Kind::Array | Kind::Dictionary => {
            if let Some(value) = values.get(index + FAR) {
                value.fetch();
            }
            if let Some(value) = values.get(index + NEAR) {
                value.fetch_contents();
            }
        }
        kind if is_packed(kind) && index.is_multiple_of(GROUP) => fetch_groups(&values[index..]),
        _ => {}
    }
}

/// Max bytes between packed arrays that lie in order, which the processor sees, so that it fetches them by itself.
const IN_ORDER: usize = 512;

/// Fetches the elements of the packed arrays of the next group, and the private data of those of the group after it.
#[inline(never)]
fn fetch_groups(values: &[Value]) {
    if !is_known() || values.len() < 3 * GROUP {
        return;
    }
    let far = &values[2 * GROUP..3 * GROUP];
    let [first, second, ..] = far else { unreachable!("a group has more") };
    if first.view().inner.addr().abs_diff(second.view().inner.addr()) < IN_ORDER {
        return;
    }
    for value in far {
        line(value.view().inner.cast());
    }
    for view in values[GROUP..2 * GROUP].iter().map(Value::view).filter(|view| is_packed(view.kind)) {
        // SAFETY: the layout is known, and `inner` points to a packed array. Its block is not read.
        let elements = unsafe { *layout::block(view.kind, view.inner) };
        // The length lies before the elements.
        lines(elements.wrapping_sub(LINE / 2));
    }
}

impl Value {
    /// Fetches the memory that the value points to, if it is a text or a container.
    #[inline(always)]
    pub fn fetch(&self) {
        if !is_known() {
            return;
        }
        let view = self.view();
        // SAFETY: in the known layout, values of these kinds are a pointer.
        let pointer = || unsafe { *view.inner.cast::<*const u8>() };
        match view.kind {
            // The length lies before the characters.
            Kind::String => lines(pointer().wrapping_sub(LINE / 2)),
            Kind::Array | Kind::Dictionary => lines(pointer()),
            _ => {}
        }
    }

    /// Fetches the first elements or the first entry of a container, whose private data was fetched.
    #[inline(always)]
    fn fetch_contents(&self) {
        let view = self.view();
        match view.kind {
            Kind::Dictionary => {
                if let Some(entries) = view.entries() {
                    lines(entries.next.cast());
                }
            }
            // SAFETY: the layout is known, and `inner` points to an Array. Its length is not used, and so not read.
            Kind::Array if is_known() => lines(unsafe { *layout::block(Kind::Array, view.inner) }),
            _ => {}
        }
    }
}
