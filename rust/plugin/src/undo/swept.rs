//! A map of what others keep alive, from which what has ended is swept.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// Max entries that are never swept.
const FEW: usize = 64;

pub struct Swept<K, V> {
    map: BTreeMap<K, V>,
    /// The length from which on it is swept: twice what was left the last time. So each entry is looked at a few times only.
    sweep_from: usize,
}

impl<K: Ord, V> Swept<K, V> {
    pub const fn new() -> Self {
        Self { map: BTreeMap::new(), sweep_from: FEW }
    }

    /// Removes what is not used, if there is so much more that it is worth it.
    pub fn sweep(&mut self, mut is_used: impl FnMut(&V) -> bool) {
        if self.map.len() >= self.sweep_from {
            self.map.retain(|_, value| is_used(value));
            self.sweep_from = FEW.max(2 * self.map.len());
        }
    }
}

impl<K, V> Deref for Swept<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl<K, V> DerefMut for Swept<K, V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also while entries are only replaced, at whatever length.
    #[test]
    fn entries_are_rarely_looked_at() {
        let (mut map, mut looks) = (Swept::new(), 0);
        for number in 0..100_000 {
            map.insert(number % 1024, ());
            map.sweep(|()| {
                looks += 1;
                true
            });
        }
        assert!(looks < 4096, "{looks} looks");
        for number in 0..100_000 {
            map.insert(1024 + number, ());
            map.sweep(|()| false);
            assert!(map.len() < 4096);
        }
    }
}
