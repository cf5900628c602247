//! The difference of two texts by lines, in the unified form that `patch` and people read.

use std::fmt::Write;

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Above so many pairs of lines, what differs is given as a whole instead of in its smallest parts.
const PAIRS_MAX: usize = 4_000_000;

/// One line of a difference.
#[derive(Clone, Copy)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// What changes `before` into `after`; empty if they are equal. `names` stand in the head.
pub fn unified(before: &str, after: &str, names: [&str; 2]) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = compare(&old, &new);
    let is_same = |at: usize| matches!(lines[at], Line::Same(_));
    let changes: Vec<usize> = (0..lines.len()).filter(|&at| !is_same(at)).collect();
    let mut out = String::new();
    let mut i = 0;
    while i < changes.len() {
        let mut last = i;
        while last + 1 < changes.len() && changes[last + 1] - changes[last] <= 2 * CONTEXT + 1 {
            last += 1;
        }
        let from = changes[i].saturating_sub(CONTEXT);
        let to = (changes[last] + CONTEXT + 1).min(lines.len());
        if out.is_empty() {
            out = format!("--- {}\n+++ {}\n", names[0], names[1]);
        }
        hunk(&mut out, &lines, from, to);
        i = last + 1;
    }
    out
}

fn hunk(out: &mut String, lines: &[Line<'_>], from: usize, to: usize) {
    let count = |range: &[Line<'_>], old: bool| {
        range
            .iter()
            .filter(|line| !matches!((line, old), (Line::Gone(_), false) | (Line::New(_), true)))
            .count()
    };
    let [before, own] = [&lines[..from], &lines[from..to]];
    let place = |old: bool| {
        let n = count(own, old);
        // An empty range stands behind the line it names.
        format!("{},{n}", count(before, old) + usize::from(n > 0))
    };
    // Writing to a text does not fail.
    let _ = writeln!(out, "@@ -{} +{} @@", place(true), place(false));
    for line in own {
        let (sign, text) = match line {
            Line::Same(text) => (' ', text),
            Line::Gone(text) => ('-', text),
            Line::New(text) => ('+', text),
        };
        let _ = writeln!(out, "{sign}{text}");
    }
}

/// A longest common subsequence, lines that go before lines that come.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old_rest[..old_rest.len() - ends], &new_rest[..new_rest.len() - ends]);
    let mut lines: Vec<Line<'a>> = old[..same].iter().map(|text| Line::Same(text)).collect();
    if a.len().saturating_mul(b.len()) > PAIRS_MAX {
        lines.extend(a.iter().map(|text| Line::Gone(text)));
        lines.extend(b.iter().map(|text| Line::New(text)));
    } else {
        middle(a, b, &mut lines);
    }
    lines.extend(old_rest[old_rest.len() - ends..].iter().map(|text| Line::Same(text)));
    lines
}

fn middle<'a>(a: &[&'a str], b: &[&'a str], lines: &mut Vec<Line<'a>>) {
    let width = b.len() + 1;
    // Length of the longest common subsequence of the rests from (i, j) on.
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = match a[i] == b[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(Line::Same(a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            lines.push(Line::Gone(a[i]));
            i += 1;
        } else {
            lines.push(Line::New(b[j]));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;
    use proptest::prelude::*;

    #[test]
    fn a_change_stands_between_its_neighbours() {
        let before = "a\nb\nc\nd\ne\nf\ng\n";
        let after = "a\nb\nc\nd\nE\nf\ng\nh\n";
        let expected = "--- old\n+++ new\n@@ -2,6 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n+h\n";
        assert_eq!(unified(before, after, ["old", "new"]), expected);
        assert_eq!(unified(before, before, ["old", "new"]), "");
        assert_eq!(unified("", "a\n", ["old", "new"]), "--- old\n+++ new\n@@ -0,0 +1,1 @@\n+a\n");
    }

    /// Applies a difference to the lines of a text.
    fn patched(before: &str, diff: &str) -> String {
        let old: Vec<&str> = before.lines().collect();
        let (mut out, mut at) = (String::new(), 0);
        for line in diff.lines().skip(2) {
            if let Some(head) = line.strip_prefix("@@ -") {
                let (start, n) = head.split_once(' ').and_then(|(range, _)| range.split_once(',')).unwrap();
                let start: usize = start.parse().unwrap();
                let start = if n == "0" { start } else { start - 1 };
                out.extend(old[at..start].iter().map(|line| format!("{line}\n")));
                at = start;
                continue;
            }
            if !line.starts_with('-') {
                out.push_str(&line[1..]);
                out.push('\n');
            }
            at += usize::from(!line.starts_with('+'));
        }
        out.extend(old[at..].iter().map(|line| format!("{line}\n")));
        out
    }

    proptest! {
        #[test]
        fn a_difference_leads_from_one_text_to_the_other(
            before in prop::collection::vec(0u8..4, 0..30), after in prop::collection::vec(0u8..4, 0..30)
        ) {
            let text = |lines: &[u8]| lines.iter().map(|n| format!("{n}\n")).collect::<String>();
            let (before, after) = (text(&before), text(&after));
            prop_assert_eq!(patched(&before, &unified(&before, &after, ["a", "b"])), after);
        }
    }
}
