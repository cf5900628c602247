//! Usage accumulated during a run.
//!
//! # Rule
//! *prometheus*: at every multiple of the resolution a sample records the allocation of each queue at the end of the
//! previous cycle; at every multiple of the fetch interval the scheduler reads the usage of the window ending then. A
//! sample of age `a` weighs `0.5^(a/h)`. A queue's initial usage counts as if it had held that share of the cluster
//! through the window before the start. *fake-with-history*: one sample after every cycle, weighted by position.
//!
//! # Source
//! kai.md 2.6
//!
//! # Differs
//! equal samples in a row are kept as one run, whose weights are a geometric sum `w·(1 − 0.5^(n·r/h))` up to a factor
//! common to all runs; a run that fills the window gives the share itself. Fetches are immediate, and data are never
//! stale.

use std::collections::VecDeque;

use crate::policy::kai::config::{UsageClient, UsageParams};
use crate::policy::kai::number::Quantities;
use crate::policy::kai::share::usage::{History, Sample, Window, add_weighted, decay, quotient};
use crate::time::{Span, Time};

/// Samples and the usage computed from them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::policy::kai) struct UsageTracker {
    /// Allocation of every queue since the last cycle, parents included, in the cluster's order.
    allocated: Vec<Quantities>,
    /// Capacity of the cluster since the last cycle.
    capacity: Quantities,
    /// Samples by time, oldest first.
    runs: VecDeque<Run>,
    /// Position of the next sample, in multiples of the resolution.
    next: i64,
    /// Position of the last fetch; `None` before the first one.
    fetched: Option<i64>,
    /// Samples by cycle.
    by_cycle: History,
    /// Number of cycles sampled.
    cycles: u32,
    /// Usage as last read by the scheduler.
    pub usage: Vec<Quantities>,
}

/// Equal samples in a row.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    /// Position of the first sample.
    first: i64,
    /// Position of the last sample.
    last: i64,
    capacity: Quantities,
    allocated: Vec<Quantities>,
}

impl UsageTracker {
    /// Starts with the initial usage and allocation of the queues.
    pub fn new(p: &UsageParams, usage: Vec<Quantities>, allocated: Vec<Quantities>, capacity: Quantities) -> Self {
        let mut runs = VecDeque::new();
        let n = (p.settings.window_s / p.resolution.as_seconds()).ceil() as i64;
        if usage.iter().any(|usage| *usage != Quantities::default()) {
            let amount = |share: f64, total: f64| if share == 0.0 { 0.0 } else { share * total };
            let initial = |usage: &Quantities| Quantities {
                cpu: amount(usage.cpu, capacity.cpu),
                memory: amount(usage.memory, capacity.memory),
                gpu: amount(usage.gpu, capacity.gpu),
            };
            runs.push_back(Run { first: -n, last: 0, capacity, allocated: usage.iter().map(initial).collect() });
        }
        UsageTracker { allocated, capacity, runs, next: 1, usage, ..UsageTracker::default() }
    }

    /// Advances to `now`: takes the samples and fetches due by then.
    pub fn advance(&mut self, p: &UsageParams, now: Time) {
        if p.client == UsageClient::FakeWithHistory {
            if !self.by_cycle.is_empty() {
                self.usage = self.by_cycle.usage_by_position(&p.settings, self.allocated.len());
            }
            return;
        }
        let last = position(now, p.resolution);
        if last >= self.next {
            self.take(self.next, last);
            self.next = last + 1;
        }
        let fetch = position(now, p.fetch_interval);
        if self.fetched.is_none_or(|fetched| fetch > fetched) {
            self.fetched = Some(fetch);
            self.fetch(p, fetch * p.fetch_interval.as_millis());
        }
    }

    /// The same at the end of `n` cycles without any change, at least 1.
    pub fn skip(&mut self, p: &UsageParams, n: u32, now: Time) {
        if p.client == UsageClient::FakeWithHistory {
            // Samples of earlier cycles would be outside every window by now.
            let n_kept = n.min((p.settings.window_s.ceil() as u32).saturating_add(1));
            self.cycles += n - n_kept;
            (1..n_kept).for_each(|_| self.sample_cycle(p));
        }
        self.advance(p, now);
        self.sample_cycle(p);
    }

    /// Sets the allocation and capacity in effect after a cycle.
    pub fn hold(&mut self, p: &UsageParams, allocated: Vec<Quantities>, capacity: Quantities) {
        (self.allocated, self.capacity) = (allocated, capacity);
        self.sample_cycle(p);
    }

    /// Takes the sample after a cycle, if there are such samples.
    fn sample_cycle(&mut self, p: &UsageParams) {
        if p.client == UsageClient::FakeWithHistory {
            self.cycles += 1;
            let at_s = f64::from(self.cycles);
            let sample = Sample { at_s, capacity: self.capacity, allocated: self.allocated.clone() };
            self.by_cycle.record(&p.settings, sample);
        }
    }

    /// Takes samples of the current allocation, from one position to another.
    fn take(&mut self, first: i64, last: i64) {
        let is_same =
            |run: &&mut Run| run.last + 1 == first && run.capacity == self.capacity && run.allocated == self.allocated;
        match self.runs.back_mut().filter(is_same) {
            Some(run) => run.last = last,
            None => {
                let allocated = self.allocated.clone();
                self.runs.push_back(Run { first, last, capacity: self.capacity, allocated });
            }
        }
    }

    /// Computes the usage of the window that ends at this moment and drops older samples.
    fn fetch(&mut self, p: &UsageParams, now_ms: i64) {
        let resolution = p.resolution.as_millis();
        let (now_s, window_s) = (now_ms as f64 / 1000.0, p.settings.window_s);
        let begin_ms = match p.settings.window {
            Window::Sliding => now_ms - (window_s * 1000.0) as i64 + 1,
            Window::Tumbling { start_s } => {
                let begin_s = start_s + ((now_s - start_s) / window_s).floor() * window_s;
                (begin_s * 1000.0).ceil() as i64
            }
        };
        let begin = -(-begin_ms).div_euclid(resolution);
        let end = now_ms.div_euclid(resolution);
        while self.runs.front().is_some_and(|run| run.last < begin) {
            self.runs.pop_front();
        }
        if let Some(run) = self.runs.front_mut() {
            run.first = run.first.max(begin);
        }
        let mut sums = vec![Quantities::default(); self.allocated.len()];
        let mut capacity = Quantities::default();
        let inside: Vec<&Run> = self.runs.iter().filter(|run| run.first <= end).collect();
        for run in &inside {
            let (last, n) = (run.last.min(end), run.last.min(end) - run.first + 1);
            let seconds = |positions: i64| positions as f64 * p.resolution.as_seconds();
            let w = match p.settings.half_life_s {
                _ if inside.len() == 1 => 1.0,
                None => n as f64,
                Some(half_life_s) => {
                    let age_s = now_s - seconds(last);
                    decay(age_s / half_life_s) * (1.0 - decay(seconds(n) / half_life_s))
                }
            };
            add_weighted(&mut capacity, &run.capacity, w);
            for (sum, allocated) in sums.iter_mut().zip(&run.allocated) {
                add_weighted(sum, allocated, w);
            }
        }
        self.usage = quotient(&sums, &capacity);
    }
}

/// Number of whole spans before a moment.
fn position(time: Time, span: Span) -> i64 {
    (time - Time::ZERO).as_millis().div_euclid(span.as_millis().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::kai::share::usage::Settings;

    fn params(window_s: f64, half_life_s: Option<f64>) -> UsageParams {
        let settings = Settings { window_s, half_life_s, ..Settings::default() };
        let second = Span::from_seconds(1);
        UsageParams { settings, resolution: second, fetch_interval: second, ..UsageParams::default() }
    }

    fn gpus(gpu: f64) -> Quantities {
        Quantities { gpu, ..Quantities::default() }
    }

    /// Usage of the first of two queues, by direct sums over single samples and by runs.
    fn both(p: &UsageParams, allocated: &[f64], hops: &[usize]) -> (f64, f64) {
        let mut tracker = UsageTracker::new(p, vec![gpus(0.0); 2], vec![gpus(0.0); 2], gpus(10.0));
        let mut direct = History::default();
        for (i, &gpu) in allocated.iter().enumerate() {
            let sample = Sample { at_s: i as f64 + 1.0, capacity: gpus(10.0), allocated: vec![gpus(gpu), gpus(0.0)] };
            direct.record(&p.settings, sample);
        }
        let mut before = 0;
        for (second, &gpu) in allocated.iter().enumerate() {
            let changes = second == 0 || allocated[second - 1] != gpu;
            if changes || hops.contains(&second) {
                tracker.advance(p, Time::from_millis(second as i64 * 1000));
                tracker.hold(p, vec![gpus(gpu), gpus(0.0)], gpus(10.0));
                before = second;
            }
        }
        assert!(before < allocated.len());
        let now = allocated.len() as i64;
        tracker.advance(p, Time::from_millis(now * 1000));
        (tracker.usage[0].gpu, direct.usage(&p.settings, now as f64, 2)[0].gpu)
    }

    #[test]
    fn runs_weigh_as_their_samples_do() {
        let allocated = [4.0, 4.0, 4.0, 0.0, 0.0, 10.0, 10.0, 10.0, 10.0, 2.0, 2.0, 7.0];
        for p in [params(100.0, None), params(5.0, None), params(100.0, Some(3.0)), params(6.0, Some(0.7))] {
            let (runs, direct) = both(&p, &allocated, &[]);
            assert!((runs - direct).abs() < 1e-14, "{p:?}: {runs} and {direct}");
            assert!(runs > 0.0);
        }
    }

    #[test]
    fn tumbling_windows_start_afresh() {
        let allocated = [4.0, 4.0, 4.0, 0.0, 0.0, 10.0, 10.0, 10.0, 10.0, 2.0, 2.0, 7.0];
        let tumbling = |start_s, window_s, half_life_s| {
            let mut p = params(window_s, half_life_s);
            p.settings.window = Window::Tumbling { start_s };
            p
        };
        for n in 1..=allocated.len() {
            for p in [tumbling(0.0, 4.0, None), tumbling(1.5, 3.0, None), tumbling(2.0, 5.0, Some(2.0))] {
                let (runs, direct) = both(&p, &allocated[..n], &[]);
                assert!((runs - direct).abs() < 1e-14, "{p:?} after {n}: {runs} and {direct}");
            }
        }
        // The window of 4 begins at 8 with the sample taken there: that of the second before, and all older ones are
        // dropped.
        let usage = |n: usize| both(&tumbling(0.0, 4.0, None), &allocated[..n], &[]).0;
        assert_eq!((usage(7), usage(8), usage(9)), (0.5, 1.0, 1.0));
        assert_eq!(both(&params(4.0, None), &allocated[..7], &[]).0, 0.5);
        assert_eq!(both(&params(4.0, None), &allocated[..8], &[]).0, 0.75);
    }

    #[test]
    fn skipped_cycles_have_their_samples() {
        for window in [Window::Sliding, Window::Tumbling { start_s: 0.0 }] {
            for n in [1, 2, 5, 9, 30] {
                let settings = Settings { window, window_s: 6.0, half_life_s: Some(3.0) };
                let p = UsageParams { settings, client: UsageClient::FakeWithHistory, ..UsageParams::default() };
                let mut ran = UsageTracker::new(&p, vec![gpus(0.0)], vec![gpus(3.0)], gpus(7.0));
                (0..8).for_each(|_| ran.hold(&p, vec![gpus(3.0)], gpus(7.0)));
                let mut skipped = ran.clone();
                for _ in 0..n {
                    ran.advance(&p, Time::ZERO);
                    ran.hold(&p, vec![gpus(3.0)], gpus(7.0));
                }
                skipped.skip(&p, n, Time::ZERO);
                assert_eq!(skipped, ran, "{window:?}, {n} cycles");
            }
        }
    }

    #[test]
    fn cycles_in_which_nothing_changes_make_no_difference() {
        let allocated = [4.0, 4.0, 4.0, 4.0, 10.0, 10.0, 10.0, 1.0];
        let p = params(6.0, Some(2.0));
        assert_eq!(both(&p, &allocated, &[]).0.to_bits(), both(&p, &allocated, &[1, 2, 5, 6]).0.to_bits());
    }

    #[test]
    fn initial_usage_decays() {
        let p = params(4.0, None);
        let mut tracker = UsageTracker::new(&p, vec![gpus(0.5)], vec![gpus(0.0)], gpus(10.0));
        let mut usage = Vec::new();
        for second in 0..6 {
            tracker.advance(&p, Time::from_millis(second * 1000));
            usage.push(tracker.usage[0].gpu);
        }
        assert_eq!(usage, [0.5, 0.375, 0.25, 0.125, 0.0, 0.0]);
    }

    #[test]
    fn fetches_come_at_their_interval() {
        let mut p = params(4.0, None);
        p.fetch_interval = Span::from_seconds(3);
        let mut tracker = UsageTracker::new(&p, vec![gpus(0.0)], vec![gpus(10.0)], gpus(10.0));
        let mut usage = Vec::new();
        for second in 0..5 {
            tracker.advance(&p, Time::from_millis(second * 1000));
            usage.push(tracker.usage[0].gpu);
        }
        assert_eq!(usage, [0.0, 0.0, 0.0, 1.0, 1.0]);
    }
}
