//! Laws of links.

use fairground::link::{LinkError, decode, encode};
use proptest::prelude::*;

fn is_safe(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
}

proptest! {
    #[test]
    fn encoded_scenarios_decode(s in crate::support::scenario()) {
        let link = encode(&s);
        prop_assert!(is_safe(&link), "{}", link);
        prop_assert_eq!(decode(&link), Ok(s.clone()));
        let doubled = fairground::scenario::Scenario {
            jobs: std::sync::Arc::new(s.jobs.iter().cycle().take(s.jobs.len() * 5).cloned().collect()),
            ..s
        };
        prop_assert_eq!(decode(&encode(&doubled)), Ok(doubled));
    }

    #[test]
    fn a_truncated_link_is_detected(s in crate::support::scenario(), part in 0.0..1.0f64) {
        let link = encode(&s);
        let n = (link.len() as f64 * part) as usize;
        match decode(&link[..n]) {
            Err(LinkError::Cut { arrived, expected }) => {
                prop_assert_eq!(arrived, n);
                prop_assert!(expected.is_none_or(|expected| expected == link.len()));
                prop_assert!(expected.is_some() || n < 7);
            }
            Err(LinkError::NotALink) => prop_assert!(n < 2),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_damaged_link_is_detected(s in crate::support::scenario(), part in 0.0..1.0f64, c in any::<char>()) {
        let link = encode(&s);
        let at = (link.len() as f64 * part) as usize;
        let mut damaged = link.clone();
        damaged.replace_range(at..=at, &c.to_string());
        prop_assume!(damaged != link);
        prop_assert!(decode(&damaged).is_err(), "{}", damaged);
    }

    #[test]
    fn any_text_is_answered(text in any::<String>(), letters in "d[0-9]\\.[A-Za-z0-9_-]{0,80}\\.[a-z0-9]{0,10}") {
        prop_assert!(decode(&text).is_err());
        prop_assert!(decode(&letters).is_err());
    }
}

#[test]
fn damage_by_characters_of_any_width_is_handled() {
    let link = encode(&crate::support::plausible(3, 2, 4));
    for at in 0..link.len() {
        for c in ["", "~", "é", "名", "😀", "A", "&", "#", "%", ".", " "] {
            let mut damaged = link.clone();
            damaged.replace_range(at..=at, c);
            assert!(damaged == link || decode(&damaged).is_err(), "{at} {c}");
        }
    }
}

#[test]
fn links_are_as_short_as_promised() {
    let sizes = [(3, 2, 4), (8, 8, 20), (24, 64, 100), (110, 500, 1000)]
        .map(|(queues, nodes, jobs)| encode(&crate::support::plausible(queues, nodes, jobs)).len());
    for (size, promised) in sizes.into_iter().zip([286, 606, 1720, 13_142]) {
        assert!(size * 10 <= promised * 11, "{sizes:?}");
    }
}

/// Fields appended to a long table later; older links stay readable.
#[test]
fn a_pattern_fits_into_a_link() {
    use fairground::scenario::{read, to_yaml};
    let text = "format: fairground-scenario\nversion: 1\njobs:\n  - {name: j, queue: a, count: 60, every: 60s..10s random, \
                lasts: 8m..20m, seed: 7, repeat: 5 every 1d}\n  - {name: k, queue: a, restart: resume}\n";
    let s = read(text).scenario.expect("it can be read");
    assert_eq!(to_yaml(&s), text);
    let link = encode(&s);
    assert_eq!(decode(&link), Ok(s.clone()));
    let sample = "d1.AACSHYxBCoMwFESvEmY9hJ-I1vYq4S-kZtMaCwkWSvHufl3Oe8NLgYF3pkhhwgvEG2rojycemLAzMg2i7EwP0rwP0lyd1vlT7NgbHYv3Uc7VBaabMsp4xnqXv7n-XJhxMZPrtixEzW0rGap6AA.0c7i0uw";
    assert_eq!(decode(sample), Ok(s), "{link}");
}
