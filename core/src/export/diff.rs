//! Unified diffs by line.
//!
//! Only the comparison of the library is used: its printer miscounts lines of changes near the beginning.

use std::fmt::Write;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

/// Number of context lines around a change.
const CONTEXT: u32 = 3;

/// Returns the diff from `before` to `after`; empty if they are equal. `names` are the file names in the header.
pub fn unified(before: &str, after: &str, names: [&str; 2]) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut hunks = diff.hunks().peekable();
    let mut out = String::new();
    if hunks.peek().is_some() {
        out = format!("--- {}\n+++ {}\n", names[0], names[1]);
    }
    while let Some(first) = hunks.next() {
        let mut end = first.before.end;
        let mut group = vec![first];
        while let Some(next) = hunks.next_if(|next| next.before.start - end <= 2 * CONTEXT) {
            end = next.before.end;
            group.push(next);
        }
        write_group(&mut out, &group, &old, &new);
    }
    out
}

/// Writes a group of changes with adjacent or overlapping context.
fn write_group(out: &mut String, group: &[Hunk], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let lead = first.before.start.min(CONTEXT);
    let trail = (old.len() as u32 - last.before.end).min(CONTEXT);
    let before = first.before.start - lead..last.before.end + trail;
    let after = first.after.start - lead..last.after.end + trail;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "@@ -{} +{} @@", place(&before), place(&after));
    let mut at = before.start;
    for Hunk { before, after } in group {
        write_lines(out, ' ', old, at..before.start);
        write_lines(out, '-', old, before.clone());
        write_lines(out, '+', new, after.clone());
        at = before.end;
    }
    write_lines(out, ' ', old, at..before.end);
}

/// Formats a range as one-based start and length. An empty range is located after the line that it names.
fn place(range: &Range<u32>) -> String {
    format!("{},{}", range.start + u32::from(!range.is_empty()), range.len())
}

fn write_lines(out: &mut String, sign: char, lines: &[&str], range: Range<u32>) {
    for line in &lines[range.start as usize..range.end as usize] {
        let _ = writeln!(out, "{sign}{line}");
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

    /// Applies a diff to a text.
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
