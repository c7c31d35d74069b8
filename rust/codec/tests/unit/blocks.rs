use proptest::collection::vec;
use proptest::prelude::*;

use super::{BLOCK_LEN, Blocks};

/// So large that a block has few of them.
type Item = [u16; 1024];

fn item(value: u16) -> Item {
    [value; 1024]
}

fn items(values: &[u16]) -> Vec<Item> {
    values.iter().map(|&value| item(value)).collect()
}

fn values(items: &[Item]) -> Vec<u16> {
    items.iter().map(|item| item[0]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn they_are_as_a_vector(count in 0..60_u16, edits in vec((any::<u16>(), 0..20_usize, 0..30_u16), 0..40)) {
        let mut model: Vec<_> = (0..count).collect();
        let mut blocks = Blocks::new(&items(&model));
        // Items that were put into no block by a change are not asked for.
        let (mut next, mut homes) = (count, std::collections::HashMap::new());
        for (at, len, more) in edits {
            let at = usize::from(at) % (model.len() + 1);
            let range = at..(at + len).min(model.len());
            prop_assert_eq!(values(&blocks.pieces(range.clone()).collect::<Vec<_>>().concat()), &model[range.clone()]);
            let with: Vec<_> = (next..next + more).collect();
            next += more;
            blocks.replace_noting(range.clone(), &items(&with), |item, block| _ = homes.insert(item[0], block));
            model.splice(range, with);
            prop_assert_eq!(values(&blocks.pieces(0..blocks.len()).collect::<Vec<_>>().concat()), &model[..]);
            prop_assert_eq!(blocks.len(), model.len());
            for index in 0..=model.len() {
                prop_assert_eq!(blocks.get(index).map(|item| item[0]), model.get(index).copied());
            }
            prop_assert_eq!(blocks.get(usize::MAX).is_none(), true);
            for (index, value) in model.iter().enumerate() {
                if let Some(&home) = homes.get(value) {
                    prop_assert_eq!(blocks.index_of(item(*value), home), Some(index));
                }
            }
            let longest = blocks.blocks.iter().map(|block| block.items.len()).max();
            prop_assert!(longest <= Some(2 * BLOCK_LEN / size_of::<Item>()));
            prop_assert!(blocks.blocks.len() == 1 || blocks.blocks.iter().all(|block| !block.items.is_empty()));
        }
    }
}
