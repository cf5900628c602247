//! The scenario after one more step of a drag.
//!
//! # Rule
//! A step is a pair of texts that differ in one number. The next text changes that number by the same amount again, written with
//! as many decimals as it needs. There is none if the texts differ in more than one number, or if the next number is negative.

use std::ops::Range;

/// Largest number of decimals.
const DECIMALS: u32 = 6;
/// Longer numbers are not supported.
const FIGURES: usize = 12;

/// The result of repeating a step.
pub struct Next {
    pub text: String,
    /// Size of the step, in millionths.
    pub step: u64,
}

/// Repeats the step between two texts.
pub fn once_more(before: &str, after: &str) -> Option<Next> {
    let start = before.bytes().zip(after.bytes()).take_while(|(l, r)| l == r).count();
    let shorter = before.len().min(after.len()) - start;
    let pairs = before.bytes().rev().zip(after.bytes().rev()).take(shorter);
    let end = pairs.take_while(|(l, r)| l == r).count();
    let (of_before, of_after) = (number(before, start, end)?, number(after, start, end)?);
    let (from, to) = (millionths(&before[of_before])?, millionths(&after[of_after.clone()])?);
    let next = to.checked_add(to - from).filter(|&next| next >= 0 && from != to)?;
    let text = format!("{}{}{}", &after[..of_after.start], written(next), &after[of_after.end..]);
    Some(Next { text, step: to.abs_diff(from) })
}

/// The range of the number that contains everything but the first `start` and the last `end` bytes of a text.
fn number(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_figure = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let (head, tail) = (&text.as_bytes()[..start], &text.as_bytes()[text.len() - end..]);
    let from = start - head.iter().rev().take_while(|byte| is_figure(byte)).count();
    let to = text.len() - end + tail.iter().take_while(|byte| is_figure(byte)).count();
    text.as_bytes()[from..to].iter().all(is_figure).then_some(from..to)
}

fn millionths(number: &str) -> Option<i64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let is_short = whole.len() + decimals.len() <= FIGURES && decimals.len() <= DECIMALS as usize;
    let figures = |text: &str| text.is_empty().then_some(0).or_else(|| text.parse::<i64>().ok());
    let missing = DECIMALS.checked_sub(u32::try_from(decimals.len()).ok()?)?;
    let parts = Some((figures(whole)?, figures(decimals)?)).filter(|_| is_short && !whole.is_empty());
    parts.map(|(whole, decimals)| whole * 10_i64.pow(DECIMALS) + decimals * 10_i64.pow(missing))
}

fn written(millionths: i64) -> String {
    let one = 10_i64.pow(DECIMALS);
    let text = format!("{}.{:06}", millionths / one, millionths % one);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(before: &str, after: &str) -> Option<String> {
        let text = |number: &str| format!("{{\"ä\":1,\"quota\":\"{number}\",\"limit\":13}}");
        once_more(&text(before), &text(after)).map(|Next { text: next, .. }| {
            assert!(
                next.starts_with("{\"ä\":1,\"quota\":\"") && next.ends_with("\",\"limit\":13}"),
                "{next}"
            );
            next[17..next.len() - 13].to_string()
        })
    }

    #[test]
    fn a_step_is_made_once_more() {
        let steps = [
            (("13", "14"), "15"),
            (("9", "10"), "11"),
            (("11", "10"), "9"),
            (("19", "29"), "39"),
            (("1", "11"), "21"),
            (("0.9", "1"), "1.1"),
            (("1.1", "1"), "0.9"),
            (("0.125", "0.25"), "0.375"),
            (("8GB", "9GB"), "10GB"),
        ];
        for ((before, after), expected) in steps {
            assert_eq!(next(before, after).as_deref(), Some(expected), "{before} {after}");
        }
    }

    #[test]
    fn what_is_no_step_has_no_next() {
        let others =
            [("1", "0"), ("14", "14"), ("unlimited", "4"), ("4", ""), ("1.2.3", "1.2.4"), ("ö", "ü")];
        for (before, after) in others {
            assert_eq!(next(before, after), None, "{before} {after}");
        }
        for (before, after) in [("a 1 b 2", "a 2 b 3"), ("9999999999998", "9999999999999"), ("", "")] {
            assert!(once_more(before, after).is_none(), "{before} {after}");
        }
    }
}
