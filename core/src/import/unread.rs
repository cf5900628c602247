//! Finds the values of foreign trees that were not read.

use super::loose::Place;

/// Calls `found` with the path of keys of each value below a place that is not read, the outermost one of several.
/// `is_known`: what need not be read, by the keys around it and its own.
pub fn unread<'a>(
    place: &Place<'a>,
    keys: &mut Vec<&'a str>,
    is_known: &impl Fn(&[&str], &Place<'a>) -> bool,
    found: &mut impl FnMut(&[&str]),
) {
    if is_hollow(place) || place.is_marked() || is_known(keys, place) {
        return;
    }
    // What stands beside known keys is named by itself.
    if !place.is_touched() && !has_known(place, keys, is_known) {
        found(keys);
        return;
    }
    for (key, value) in place.entries() {
        keys.push(key);
        unread(&value, keys, is_known, found);
        keys.pop();
    }
    for item in place.items(&[]) {
        unread(&item, keys, is_known, found);
    }
}

/// Whether a value below a place need not be read.
fn has_known<'a>(place: &Place<'a>, keys: &mut Vec<&'a str>, is_known: &impl Fn(&[&str], &Place<'a>) -> bool) -> bool {
    let below = |(key, value): (&'a str, Place<'a>)| {
        keys.push(key);
        let is = is_known(keys, &value) || has_known(&value, keys, is_known);
        keys.pop();
        is
    };
    place.entries().into_iter().any(below) || place.items(&[]).iter().any(|item| has_known(item, keys, is_known))
}

/// Whether nothing stands in a value.
fn is_hollow(place: &Place<'_>) -> bool {
    let has_more = |place: &Place<'_>| !place.entries().is_empty() || !place.items(&[]).is_empty();
    match has_more(place) {
        true => place.entries().iter().all(|(_, value)| is_hollow(value)) && place.items(&[]).iter().all(is_hollow),
        false => place.is_empty(),
    }
}
