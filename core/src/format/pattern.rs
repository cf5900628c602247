//! What is said of a pattern of jobs in one value each: distances that change or are drawn, lengths that are drawn, the whole
//! pattern again.
//!
//! # Rule
//! The nth job of a pattern gets the nth of the numbers that belong to its seed. Neither its name nor its place in the
//! file counts, so renaming, adding and moving entries change nothing that is drawn; patterns that shall not draw alike
//! need different seeds. What is given in whole seconds comes out in whole seconds, else in milliseconds.

use super::quantity::{self, MILLIS_MAX, Wrong};
use crate::kit::random::{below, exponential, mixed};
use crate::time::Span;

/// What numbers are drawn for, so that arrivals and lengths of one job have nothing to do with each other.
#[derive(Clone, Copy)]
enum What {
    Arrival = 1,
    Length = 2,
}

fn draw(seed: u64, what: What, n: u64) -> u64 {
    mixed(mixed(seed, what as u64), n)
}

/// Two times, `8m..20m`; of a single one, it twice.
fn range(text: &str) -> Result<(Span, Span), Wrong> {
    match text.split_once("..") {
        Some((_, to)) if to.starts_with('.') => Err(Wrong::Form),
        Some((from, to)) => Ok((quantity::span(from)?, quantity::span(to)?)),
        None => quantity::span(text).map(|one| (one, one)),
    }
}

/// Milliseconds that values come in, given in these times.
fn step(times: (Span, Span)) -> i64 {
    let is_whole = |time: Span| time.as_millis() % 1000 == 0;
    if is_whole(times.0) && is_whole(times.1) { 1000 } else { 1 }
}

/// How long the jobs of an entry last: `20m`, or drawn, `8m..20m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasts {
    /// The shortest.
    pub from: Span,
    /// The longest.
    pub to: Span,
}

impl Lasts {
    /// From text. The bounds may stand the wrong way round.
    pub fn read(text: &str) -> Result<Lasts, Wrong> {
        range(text).map(|(from, to)| Lasts { from, to })
    }
    /// Whether lengths are drawn.
    pub fn is_drawn(&self) -> bool {
        self.from != self.to
    }
    /// The length of the nth job, from 0.
    pub fn of(&self, seed: u64, n: u64) -> Span {
        let (from, to) = (self.from.min(self.to), self.from.max(self.to));
        let step = step((from, to));
        let n_lengths = (to.as_millis() - from.as_millis()) / step + 1;
        let drawn = below(draw(seed, What::Length, n), n_lengths.unsigned_abs());
        from + Span::from_millis(drawn.cast_signed() * step)
    }
}

/// Distances of arrivals: `30s`; evenly from one to another, `60s..10s`; either drawn, `30s random`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every {
    /// The first.
    pub first: Span,
    /// The last.
    pub last: Span,
    /// Whether these are only the means of an exponential distribution, as of a Poisson process.
    pub is_random: bool,
}

impl Every {
    /// All at once.
    pub const AT_ONCE: Every = Every { first: Span::ZERO, last: Span::ZERO, is_random: false };
    /// From text.
    pub fn read(text: &str) -> Result<Every, Wrong> {
        let (times, is_random) = match text.trim().strip_suffix("random") {
            Some(times) => (times, true),
            None => (text, false),
        };
        range(times).map(|(first, last)| Every { first, last, is_random })
    }
}

/// The whole pattern again: `5 every 1d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// How often in all.
    pub times: u32,
    /// From one beginning to the next.
    pub every: Span,
}

impl Repeat {
    /// Once.
    pub const ONCE: Repeat = Repeat { times: 1, every: Span::ZERO };
    /// From text.
    pub fn read(text: &str) -> Result<Repeat, Wrong> {
        let (times, every) = text.split_once("every").ok_or(Wrong::Form)?;
        let times = u32::try_from(quantity::count(times)?).map_err(|_| Wrong::Large)?;
        if times == 0 { Err(Wrong::Form) } else { Ok(Repeat { times, every: quantity::span(every)? }) }
    }
}

/// When the jobs of an entry arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The first of all, milliseconds.
    pub submit: i64,
    /// How many, each time.
    pub count: u32,
    /// Their distances.
    pub every: Every,
    /// How often the whole.
    pub repeat: Repeat,
    /// Names what is drawn.
    pub seed: u64,
}

impl Arrivals {
    /// Number of jobs.
    pub fn n_jobs(&self) -> u64 {
        u64::from(self.count) * u64::from(self.repeat.times)
    }

    /// When each arrives, in the order of their numbers; nothing lies beyond [`MILLIS_MAX`] by more than a second.
    pub fn moments(self) -> impl Iterator<Item = i64> {
        let beyond = i128::from(MILLIS_MAX) + 1000;
        let step = i128::from(step((self.every.first, self.every.last)));
        (0..self.repeat.times).flat_map(move |round| {
            let begin =
                i128::from(self.submit) + i128::from(round) * i128::from(self.repeat.every.as_millis());
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

    /// From the kth arrival of a round to the next, in units of 2^-32 milliseconds.
    fn distance(&self, round: u32, k: u32) -> i128 {
        let fine = |time: Span| i128::from(time.as_millis()) << 32;
        let (first, last) = (fine(self.every.first), fine(self.every.last));
        // Of n jobs there are n - 1 distances, and n - 2 changes between them.
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

    /// Pinned: other numbers would change the jobs of every link that draws some.
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
            let of = |count| {
                let every = Every::read("30s random").expect("a distance");
                Arrivals { submit: 0, count, every, repeat: Repeat::ONCE, seed }.moments().collect::<Vec<_>>()
            };
            prop_assert!(of(count + more).starts_with(&of(count)));
        }
    }
}
