//! Past usage under KAI, from what queues held after each cycle, sample by sample.
//!
//! # Rule
//! *prometheus*: at every multiple of the resolution one sample of what the cycles before left; the usage of the window
//! up to the last multiple of the fetch interval. A usage that the scenario gives counts as held through the window
//! before the start. *fake-with-history*: one sample per cycle, weighted by position. A sample weighs
//! `0.5^(age/half-life)`.
//!
//! # Source
//! kai.md 2.6

use fairground::id::Id;
use fairground::policy::kai::config::{Config, UsageClient, UsageParams};
use fairground::policy::kai::share::usage::Window;
use fairground::time::{Span, Time};
use fairground::units::Resource;

use super::accounts::{Accounts, Triple};
use super::moments::PodPlace;

/// What queues held and the nodes had at one time.
#[derive(Clone, Debug)]
struct Sample {
    at: Time,
    capacity: Triple,
    held: Vec<Triple>,
}

impl Sample {
    fn of(accounts: &Accounts<'_>, at: Time, capacity: Triple) -> Sample {
        let cluster = accounts.cluster;
        let mut held = vec![[0.0; 3]; cluster.queues.len()];
        let jobs = cluster.jobs.ids().filter(|job| accounts.state.pools[job.index()] == accounts.pool);
        for (pod, queue) in
            jobs.flat_map(|job| cluster.jobs[job].pod_ids().map(move |pod| (pod, cluster.jobs[job].queue)))
        {
            if let PodPlace::On(node) = accounts.place(pod) {
                for above in cluster.path_to_root(queue) {
                    let sum = &mut held[above.index()];
                    *sum = super::accounts::plus(*sum, accounts.on_node(pod, node));
                }
            }
        }
        Sample { at, capacity, held }
    }
}

/// The samples of a pool.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Usage that the scenario gives.
    given: Vec<Triple>,
    /// Before the first cycle.
    first: Option<Sample>,
    /// After each cycle.
    after: Vec<Sample>,
}

impl Past {
    /// Notes the state before the first cycle.
    pub fn begin(&mut self, start: &Accounts<'_>, config: &Config, at: Time) {
        if self.first.is_none() {
            let queues = start.cluster.queues_in(start.pool).values();
            let of = |queue: &fairground::cluster::Queue| Resource::ACCOUNTED.map(|r| queue.usage.get(r).as_real());
            self.given = queues.map(of).collect();
            let without_roles = Config { restrict_node_scheduling: false, ..config.clone() };
            self.first = Some(Sample::of(start, at, start.total(&without_roles)));
        }
    }

    /// Notes the state after a cycle.
    pub fn note(&mut self, end: &Accounts<'_>, config: &Config, at: Time) {
        self.after.push(Sample::of(end, at, end.total(config)));
    }

    /// The usage that a cycle knows.
    pub fn usage(&self, config: &Config, now: Time) -> Vec<Triple> {
        match &config.usage {
            None => self.given.clone(),
            Some(params) if params.client == UsageClient::FakeWithHistory => self.by_position(params),
            Some(params) => self.by_age(params, now),
        }
    }

    fn by_position(&self, params: &UsageParams) -> Vec<Triple> {
        let n_max = params.settings.window_s as usize;
        let last = &self.after[self.after.len().saturating_sub(n_max)..];
        if last.is_empty() {
            return self.given.clone();
        }
        let weigh = |(i, sample)| (sample, weight(params, (n_max - i) as f64));
        quotient(last.iter().enumerate().map(weigh), self.given.len())
    }

    fn by_age(&self, params: &UsageParams, now: Time) -> Vec<Triple> {
        let since_start = |time: Time| (time - Time::ZERO).as_millis();
        let interval = params.fetch_interval.as_millis();
        let fetched_s = (since_start(now).div_euclid(interval) * interval) as f64 / 1000.0;
        let resolution_s = params.resolution.as_seconds();
        let window_s = params.settings.window_s;
        let is_inside = |at_s: f64| match params.settings.window {
            Window::Sliding => at_s > fetched_s - window_s && at_s <= fetched_s,
            Window::Tumbling { start_s } => {
                let begin_s = start_s + ((fetched_s - start_s) / window_s).floor() * window_s;
                at_s >= begin_s && at_s <= fetched_s
            }
        };
        let (first, last) = (-(window_s / resolution_s).ceil() as i64, (fetched_s / resolution_s) as i64);
        let given = self.held_as_given();
        let positions = (first..=last).map(|at| (at, at as f64 * resolution_s));
        let samples = positions.filter(|(_, at_s)| is_inside(*at_s)).filter_map(|(at, at_s)| {
            let time = Time::ZERO + Span::from_millis(params.resolution.as_millis() * at);
            let before = || self.after.iter().rev().find(|sample| sample.at < time).or(self.first.as_ref());
            let sample = if at <= 0 { given.as_ref() } else { before() };
            Some((sample?, weight(params, fetched_s - at_s)))
        });
        quotient(samples, self.given.len())
    }

    /// The sample that stands for the usage that the scenario gives.
    fn held_as_given(&self) -> Option<Sample> {
        let Sample { at, capacity, .. } = self.first.clone()?;
        let held = |usage: &Triple| std::array::from_fn(|r| usage[r] * capacity[r]);
        let is_some = self.given.iter().flatten().any(|usage| *usage != 0.0);
        is_some.then(|| Sample { at, capacity, held: self.given.iter().map(held).collect() })
    }
}

fn weight(params: &UsageParams, age_s: f64) -> f64 {
    params.settings.half_life_s.map_or(1.0, |half_life_s| 0.5_f64.powf(age_s / half_life_s))
}

/// What each queue held of what the nodes had, weighted.
fn quotient<'a>(samples: impl Iterator<Item = (&'a Sample, f64)>, n_queues: usize) -> Vec<Triple> {
    let mut held = vec![[0.0; 3]; n_queues];
    let mut capacity = [0.0; 3];
    for (sample, w) in samples {
        let add = |sum: &mut Triple, amount: &Triple| (0..3).for_each(|r| sum[r] += amount[r] * w);
        add(&mut capacity, &sample.capacity);
        held.iter_mut().zip(&sample.held).for_each(|(sum, amount)| add(sum, amount));
    }
    let share = |held: Triple| std::array::from_fn(|r| if capacity[r] == 0.0 { 0.0 } else { held[r] / capacity[r] });
    held.into_iter().map(share).collect()
}
