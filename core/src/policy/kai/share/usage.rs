//! Past usage: a queue's share of the cluster, with recent samples weighted more.
//!
//! # Rule
//! Samples of what every queue holds and of what the cluster has are kept for a window. A sample of age `a` weighs `w =
//! 0.5^(a/h)` with half-life `h`, or 1 without one. Per resource `usage = sum(allocated·w)/sum(capacity·w)`, 0 if the
//! divisor is 0. The window is *sliding* (its full length before now, excluding its first instant) or *tumbling* (from
//! the last multiple of its length, counted from its start). The bundled simulator weighs samples by position instead:
//! of the last `W` (whole seconds of the window) the i-th, from 0, weighs `0.5^((W − i)/h)`, also with fewer than `W`
//! samples.
//!
//! # Source
//! kai.md 2.6; upstream `cache/usagedb`
//!
//! # Differs
//! The power is computed by a fixed sequence of operations: exact for whole numbers of half-lives, otherwise within 2
//! ulp; the reference's own last bits depend on the processor. Windows set by a cron expression are not supported.

use std::collections::VecDeque;

use crate::policy::kai::number::Quantities;
use crate::trace::{Rule, RuleRecord};

/// Past usage of a queue.
pub static USAGE: Rule = Rule(&RuleRecord {
    key: "kai/usage",
    says: "past usage is the share of the cluster used over the window; older usage counts half per half-life",
    formula: "usage = sum(allocated·w)/sum(capacity·w), w = 0.5^(age/half-life)",
    source: "kai.md 2.6",
    differs: "",
});

/// Type of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Window {
    /// The window's length before now.
    #[default]
    Sliding,
    /// From the last multiple of the length, counted from `start_s`.
    Tumbling {
        /// Start of the first window, in seconds.
        start_s: f64,
    },
}

/// Parameters of usage measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Type of the window.
    pub window: Window,
    /// Length of the window in seconds, > 0.
    pub window_s: f64,
    /// Half-life in seconds, > 0; `None` weighs all samples equally.
    pub half_life_s: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { window: Window::Sliding, window_s: 7.0 * 86_400.0, half_life_s: None }
    }
}

impl Settings {
    fn weight(&self, age_s: f64) -> f64 {
        self.half_life_s.map_or(1.0, |half_life_s| decay(age_s / half_life_s))
    }

    /// Start of the window; samples at this moment count only under a tumbling window.
    fn start_s(&self, now_s: f64) -> f64 {
        match self.window {
            Window::Sliding => now_s - self.window_s,
            Window::Tumbling { start_s } => start_s + ((now_s - start_s) / self.window_s).floor() * self.window_s,
        }
    }

    fn counts(&self, at_s: f64, now_s: f64) -> bool {
        match self.window {
            Window::Sliding => at_s > self.start_s(now_s),
            Window::Tumbling { .. } => at_s >= self.start_s(now_s),
        }
    }
}

/// Allocations at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time in seconds.
    pub at_s: f64,
    /// Capacity of the cluster.
    pub capacity: Quantities,
    /// Allocation of every queue, parents included, in queue order.
    pub allocated: Vec<Quantities>,
}

/// Samples of the window, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    samples: VecDeque<Sample>,
}

impl History {
    /// Appends a sample, not older than the last one, and drops those outside the window.
    pub fn record(&mut self, settings: &Settings, sample: Sample) {
        let now_s = sample.at_s;
        while self.samples.front().is_some_and(|first| !settings.counts(first.at_s, now_s)) {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// Number of samples kept.
    pub fn len(&self) -> usize {
        self.samples.len()
    }
    /// Whether no sample is kept.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Usage of every queue, weighted by the age of the samples.
    pub fn usage(&self, settings: &Settings, now_s: f64, n_queues: usize) -> Vec<Quantities> {
        let samples = self.samples.iter().filter(|s| settings.counts(s.at_s, now_s));
        shares(samples.map(|s| (s, settings.weight(now_s - s.at_s))), n_queues)
    }

    /// Usage of every queue, weighted by the position of the samples, as in the bundled simulator.
    pub fn usage_by_position(&self, settings: &Settings, n_queues: usize) -> Vec<Quantities> {
        let window = settings.window_s.trunc();
        let skipped = (self.samples.len() as f64 - window).max(0.0) as usize;
        let samples = self.samples.iter().skip(skipped).enumerate();
        shares(samples.map(|(i, s)| (s, settings.weight(window - i as f64))), n_queues)
    }
}

fn shares<'a>(samples: impl Iterator<Item = (&'a Sample, f64)>, n_queues: usize) -> Vec<Quantities> {
    let mut sums = vec![Quantities::default(); n_queues];
    let mut capacity = Quantities::default();
    for (sample, w) in samples {
        add_weighted(&mut capacity, &sample.capacity, w);
        for (sum, allocated) in sums.iter_mut().zip(&sample.allocated) {
            add_weighted(sum, allocated, w);
        }
    }
    quotient(&sums, &capacity)
}

/// Every queue's share of a capacity; 0 if the capacity is 0.
pub(in crate::policy::kai) fn quotient(allocated: &[Quantities], capacity: &Quantities) -> Vec<Quantities> {
    let share = |allocated: f64, total: f64| if total == 0.0 { 0.0 } else { allocated / total };
    allocated
        .iter()
        .map(|allocated| Quantities {
            cpu: share(allocated.cpu, capacity.cpu),
            memory: share(allocated.memory, capacity.memory),
            gpu: share(allocated.gpu, capacity.gpu),
        })
        .collect()
}

/// Adds an amount times a weight.
pub(in crate::policy::kai) fn add_weighted(sum: &mut Quantities, amount: &Quantities, w: f64) {
    sum.cpu += amount.cpu * w;
    sum.memory += amount.memory * w;
    sum.gpu += amount.gpu * w;
}

/// `0.5^x` for `x` >= 0: `x = n + f` with `|f|` <= 1/2, `e^(−f·ln 2)` by its series, halved `n` times. Exact for whole
/// `x`.
pub fn decay(x: f64) -> f64 {
    /// Largest exponent with a nonzero result.
    const LAST: f64 = 1075.0;
    /// Terms of the series: the first omitted one is below a tenth of an ulp.
    const TERMS: u32 = 14;
    if x >= LAST {
        return 0.0;
    }
    let n = x.round();
    let y = (n - x) * std::f64::consts::LN_2;
    let mut series = 1.0;
    for term in (1..TERMS).rev() {
        series = 1.0 + y / f64::from(term) * series;
    }
    (0..n as u32).fold(series, |half, _| half * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_s: f64, gpus: f64) -> Sample {
        let gpu = |gpu: f64| Quantities { gpu, ..Quantities::default() };
        Sample { at_s, capacity: gpu(10.0), allocated: vec![gpu(gpus), gpu(10.0 - gpus)] }
    }

    fn history(settings: &Settings, gpus: &[f64]) -> History {
        let mut history = History::default();
        for (second, gpus) in gpus.iter().enumerate() {
            history.record(settings, sample(second as f64, *gpus));
        }
        history
    }

    fn gpus(usage: &[Quantities]) -> Vec<f64> {
        usage.iter().map(|u| u.gpu).collect()
    }

    #[test]
    fn whole_half_lives_are_exact() {
        let mut half = 1.0;
        for n in 0..1080 {
            assert_eq!(decay(f64::from(n)), half);
            half /= 2.0;
        }
    }

    #[test]
    fn the_rest_is_within_two_ulp() {
        let ulps = |l: f64, r: f64| (l.to_bits() as i64 - r.to_bits() as i64).abs();
        let mut root = 0.5f64;
        let mut x = 1.0;
        // 0.5^(1/2), 0.5^(1/4), ... are repeated square roots; each root is correctly rounded.
        for _ in 0..40 {
            root = root.sqrt();
            x /= 2.0;
            assert!(ulps(decay(x), root) <= 2, "{x}: {} and {root}", decay(x));
            assert!(ulps(decay(3.0 + x), root / 8.0) <= 2);
        }
        // Known values: 0.5^0.1, 0.5^0.7, 0.5^2.3.
        for (x, expected) in
            [(0.1, 0.933_032_991_536_807_4), (0.7, 0.615_572_206_672_458_2), (2.3, 0.203_063_099_089_058_9)]
        {
            assert!(ulps(decay(x), expected) <= 2, "{x}: {}", decay(x));
        }
    }

    #[test]
    fn half_lives_count_half() {
        let settings = Settings { half_life_s: Some(1.0), ..Settings::default() };
        // Ages 2, 1, 0: weights 1/4, 1/2, 1.
        let usage = history(&settings, &[8.0, 4.0, 0.0]).usage(&settings, 2.0, 2);
        assert_eq!(gpus(&usage), [4.0 / 17.5, 13.5 / 17.5]);
        assert_eq!(usage[0].cpu, 0.0);
    }

    #[test]
    fn sliding_windows_drop_old_samples() {
        let settings = Settings { window_s: 2.0, ..Settings::default() };
        let history = history(&settings, &[10.0, 4.0, 2.0]);
        assert_eq!(history.len(), 2);
        assert_eq!(gpus(&history.usage(&settings, 2.0, 1)), [0.3]);
        assert_eq!(gpus(&history.usage(&settings, 3.5, 1)), [0.2]);
        assert_eq!(gpus(&history.usage(&settings, 9.0, 1)), [0.0]);
    }

    #[test]
    fn tumbling_windows_start_afresh() {
        let settings = Settings { window_s: 3.0, window: Window::Tumbling { start_s: 1.0 }, ..Settings::default() };
        assert_eq!(gpus(&history(&settings, &[9.0, 6.0, 3.0, 0.0]).usage(&settings, 3.0, 1)), [0.3]);
        assert_eq!(gpus(&history(&settings, &[9.0, 6.0, 3.0, 0.0, 8.0]).usage(&settings, 4.0, 1)), [0.8]);
    }

    #[test]
    fn by_position_the_window_counts_from_its_full_length() {
        let settings = Settings { window_s: 3.9, half_life_s: Some(1.0), ..Settings::default() };
        // W = 3: weights 1/8, 1/4, 1/2 although the newest sample has age 0.
        let history = history(&settings, &[8.0, 0.0, 0.0]);
        assert_eq!(gpus(&history.usage_by_position(&settings, 1)), [1.0 / 8.75]);
    }
}
