//! Values of job patterns: constant, changing or random arrival intervals, random durations, and repetition of the
//! whole pattern.
//!
//! # Rule
//! The nth job of a pattern gets the nth random number of its seed. Neither the name nor the position in the file
//! matters, so renaming, adding and moving entries keep all random values; patterns with the same seed get the same
//! values. Values given in whole seconds yield whole seconds, others milliseconds.

use super::quantity::{self, MILLIS_MAX, Wrong};
use crate::kit::random::{below, exponential, mixed};
use crate::time::Span;

/// Purpose of a random number: keeps arrivals and durations of a job independent.
#[derive(Clone, Copy)]
enum What {
    Arrival = 1,
    Length = 2,
}

fn draw(seed: u64, what: What, n: u64) -> u64 {
    mixed(mixed(seed, what as u64), n)
}

/// Parses a range such as `8m..20m`; a single time is both of its ends.
fn range(text: &str) -> Result<(Span, Span), Wrong> {
    match text.split_once("..") {
        Some((_, to)) if to.starts_with('.') => Err(Wrong::Form),
        Some((from, to)) => Ok((quantity::span(from)?, quantity::span(to)?)),
        None => quantity::span(text).map(|one| (one, one)),
    }
}

/// Returns the granularity of values within these bounds, in milliseconds.
fn step(times: (Span, Span)) -> i64 {
    let is_whole = |time: Span| time.as_millis() % 1000 == 0;
    if is_whole(times.0) && is_whole(times.1) { 1000 } else { 1 }
}

/// Duration of the jobs of an entry: fixed, `20m`, or random, `8m..20m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasts {
    /// Shortest duration, or the longest if the bounds are swapped.
    pub from: Span,
    /// Longest duration, or the shortest if the bounds are swapped.
    pub to: Span,
}

impl Lasts {
    /// Parses a duration or a range of durations, in either order.
    pub fn read(text: &str) -> Result<Lasts, Wrong> {
        range(text).map(|(from, to)| Lasts { from, to })
    }
    /// Whether durations are random.
    pub fn is_drawn(&self) -> bool {
        self.from != self.to
    }
    /// Returns the duration of the nth job, counted from 0.
    pub fn of(&self, seed: u64, n: u64) -> Span {
        let (from, to) = (self.from.min(self.to), self.from.max(self.to));
        let step = step((from, to));
        let n_lengths = (to.as_millis() - from.as_millis()) / step + 1;
        let drawn = below(draw(seed, What::Length, n), n_lengths.unsigned_abs());
        from + Span::from_millis(drawn.cast_signed() * step)
    }
}

/// Intervals between arrivals: constant, `30s`; changing linearly, `60s..10s`; either as the mean of random ones, `30s
/// random`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every {
    /// First interval.
    pub first: Span,
    /// Last interval.
    pub last: Span,
    /// Whether the intervals are means of an exponential distribution (a Poisson process).
    pub is_random: bool,
}

impl Every {
    /// All jobs arrive at the same time.
    pub const AT_ONCE: Every = Every { first: Span::ZERO, last: Span::ZERO, is_random: false };
    /// Parses intervals.
    pub fn read(text: &str) -> Result<Every, Wrong> {
        let (times, is_random) = match text.trim().strip_suffix("random") {
            Some(times) => (times, true),
            None => (text, false),
        };
        range(times).map(|(first, last)| Every { first, last, is_random })
    }
}

/// Repetition of a whole pattern: `5 every 1d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Number of rounds in total.
    pub times: u32,
    /// Time from the beginning of a round to that of the next.
    pub every: Span,
}

impl Repeat {
    /// A single round.
    pub const ONCE: Repeat = Repeat { times: 1, every: Span::ZERO };
    /// Parses a repetition.
    pub fn read(text: &str) -> Result<Repeat, Wrong> {
        let (times, every) = text.split_once("every").ok_or(Wrong::Form)?;
        let times = u32::try_from(quantity::count(times)?).map_err(|_| Wrong::Large)?;
        if times == 0 { Err(Wrong::Form) } else { Ok(Repeat { times, every: quantity::span(every)? }) }
    }
}

/// Arrival times of the jobs of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// First arrival, in milliseconds.
    pub submit: i64,
    /// Number of jobs per round.
    pub count: u32,
    /// Intervals within a round.
    pub every: Every,
    /// Number of rounds and the time between them.
    pub repeat: Repeat,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Arrivals {
    /// Returns the number of jobs in all rounds.
    pub fn n_jobs(&self) -> u64 {
        u64::from(self.count) * u64::from(self.repeat.times)
    }

    /// Returns the arrival times in the order of the job numbers, in milliseconds; at most a second beyond
    /// [`MILLIS_MAX`].
    pub fn moments(self) -> impl Iterator<Item = i64> {
        let beyond = i128::from(MILLIS_MAX) + 1000;
        let step = i128::from(step((self.every.first, self.every.last)));
        (0..self.repeat.times).flat_map(move |round| {
            let begin = i128::from(self.submit) + i128::from(round) * i128::from(self.repeat.every.as_millis());
            let mut since = 0i128;
            (0..self.count).map(move |k| {
                if k > 0 {
                    since = (since + self.distance(round, k - 1)).min(beyond << 32);
                }
                let moment = begin + (since >> 32) / step * step;
                i64::try_from(moment.min(beyond)).unwrap_or(MILLIS_MAX)
            })
        })
    }

    /// Returns the interval between the kth arrival of a round and the next, in units of 2^-32 milliseconds.
    fn distance(&self, round: u32, k: u32) -> i128 {
        let fine = |time: Span| i128::from(time.as_millis()) << 32;
        let (first, last) = (fine(self.every.first), fine(self.every.last));
        // n jobs have n - 1 intervals, with n - 2 changes between them.
        let n_changes = i128::from(self.count.saturating_sub(2).max(1));
        let mean = first + (last - first) * i128::from(k) / n_changes;
        if !self.every.is_random {
            return mean;
        }
        let n = u64::from(round) * u64::from(self.count) + u64::from(k);
        (mean * i128::from(exponential(draw(self.seed, What::Arrival, n)))) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn arrivals(count: u32, every: &str, repeat: &str) -> Vec<i64> {
        let every = Every::read(every).expect("a distance");
        let repeat = Repeat::read(repeat).expect("a repetition");
        let all = Arrivals { submit: 0, count, every, repeat, seed: 7 };
        all.moments().map(|ms| ms / 1000).collect()
    }

    #[test]
    fn a_ramp_goes_evenly() {
        assert_eq!(arrivals(4, "30s", "1 every 0"), [0, 30, 60, 90]);
        assert_eq!(arrivals(4, "60s..20s", "1 every 0"), [0, 60, 100, 120]);
        assert_eq!(arrivals(4, "0s..2s", "1 every 0"), [0, 0, 1, 3]);
        assert_eq!(arrivals(2, "60s..10s", "1 every 0"), [0, 60]);
        assert_eq!(arrivals(1, "60s..10s random", "1 every 0"), [0]);
        assert_eq!(arrivals(2, "5s", "3 every 1m"), [0, 5, 60, 65, 120, 125]);
    }

    /// Pinned: other numbers would change the jobs of every shared link with random values.
    #[test]
    fn what_is_drawn_stays_as_it_is() {
        assert_eq!(arrivals(6, "30s random", "1 every 0"), [0, 96, 106, 116, 147, 164]);
        assert_eq!(arrivals(3, "30s random", "2 every 1h"), [0, 96, 106, 3600, 3631, 3647]);
        let lasts = Lasts::read("8m..20m").expect("lengths");
        let lengths: Vec<i64> = (0..6).map(|n| lasts.of(7, n).as_millis() / 1000).collect();
        assert_eq!(lengths, [493, 841, 1055, 720, 854, 946]);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["", "..", "8m..", "..8m", "8m...9m", "a..b", "random", "1..2..3"] {
            assert_eq!(Every::read(text), Err(Wrong::Form), "{text}");
        }
        assert_eq!(Lasts::read("5m..-1m"), Err(Wrong::Negative));
        for text in ["", "5", "every 1d", "0 every 1d", "5 every", "1d every 5 every 1d"] {
            assert_eq!(Repeat::read(text), Err(Wrong::Form), "{text}");
        }
    }

    proptest! {
        #[test]
        fn lengths_are_within_their_bounds(seed: u64, n: u64, a in 0..MILLIS_MAX, b in 0..MILLIS_MAX) {
            let lasts = Lasts { from: Span::from_millis(a), to: Span::from_millis(b) };
            let drawn = lasts.of(seed, n).as_millis();
            prop_assert!((a.min(b)..=a.max(b)).contains(&drawn));
            prop_assert_eq!(drawn, lasts.of(seed, n).as_millis());
        }

        #[test]
        fn arrivals_are_as_many_as_said_and_in_order(
            seed: u64, submit in -MILLIS_MAX..=MILLIS_MAX, count in 0u32..50, times in 1u32..5,
            (first, last, again) in (0..=MILLIS_MAX, 0..=MILLIS_MAX, 0..=MILLIS_MAX), is_random: bool,
        ) {
            let every = Every { first: Span::from_millis(first), last: Span::from_millis(last), is_random };
            let repeat = Repeat { times, every: Span::from_millis(again) };
            let all = Arrivals { submit, count, every, repeat, seed };
            let moments: Vec<i64> = all.moments().collect();
            prop_assert_eq!(moments.len() as u64, all.n_jobs());
            for round in moments.chunks(count.max(1) as usize) {
                prop_assert!(round.is_sorted() && round.iter().all(|&ms| ms >= submit && ms <= MILLIS_MAX + 1000));
            }
            prop_assert_eq!(moments.first(), Some(&submit).filter(|_| count > 0));
        }

        /// One more job changes none before it.
        #[test]
        fn more_jobs_change_none_before(seed: u64, count in 2u32..50, more in 0u32..9) {
            let moments = |count| {
                let every = Every::read("30s random").expect("a distance");
                Arrivals { submit: 0, count, every, repeat: Repeat::ONCE, seed }.moments().collect::<Vec<_>>()
            };
            prop_assert!(moments(count + more).starts_with(&moments(count)));
        }
    }
}
