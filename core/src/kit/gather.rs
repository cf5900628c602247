//! Maps and sets filled item by item.
//!
//! The standard `collect` into an ordered map or set sorts its items first and then builds the tree in bulk. Both
//! are compiled anew for every type, seven kilobytes each time, and the page carries all of them; the maps here
//! are small.

/// A map or a set of the items; of items with equal keys the last one stays, as with `collect`.
pub fn gather<T, C: Default + Extend<T>>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_what_collect_makes(items: Vec<(u8, u32)>) {
            let all: BTreeMap<u8, u32> = gather(items.iter().copied());
            prop_assert_eq!(all, items.into_iter().collect());
        }
    }
}
