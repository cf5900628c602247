//! Suggestions for misspelled names.

/// Returns the candidate with the smallest edit distance to `name`, ignoring case, if the distance is at most a third
/// of the length of `name`, or 1. The first of several equally near candidates wins.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let target: Vec<char> = name.chars().take(64).flat_map(char::to_lowercase).collect();
    let allowed = (target.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let limit = best.map_or(allowed, |(distance, _)| distance.saturating_sub(1));
        if candidate.len().abs_diff(name.len()) > 4 * (allowed + 1) {
            continue;
        }
        let letters: Vec<char> = candidate.chars().take(64).flat_map(char::to_lowercase).collect();
        if letters.len().abs_diff(target.len()) > limit {
            continue;
        }
        let distance = edit_distance(&target, &letters);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the edit distance: insertions, deletions, substitutions and transpositions of adjacent characters.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let replace = last[j] + usize::from(ca != cb);
            let mut least = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *ca == b[j - 1] && a[i - 1] == *cb {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["team-a", "team-b", "research"];
        assert_eq!(nearest("taem-b", names.into_iter()), Some("team-b"));
        assert_eq!(nearest("Team-A", names.into_iter()), Some("team-a"));
        assert_eq!(nearest("reserch", names.into_iter()), Some("research"));
        assert_eq!(nearest("sales", names.into_iter()), None);
        assert_eq!(nearest("", names.into_iter()), None);
    }
}
