//! A scenario under neutral names, for sharing: the same shape, without names of teams, people and machines.
//!
//! Names are numbered in their own order, because the order of names decides between equals. Titles and notes are dropped. Labels,
//! taints, resources and the values of settings stay: they decide what fits where.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::scenario::{JobEntry, NodeEntry, QueueEntry, Scalar, Scenario, TimelineEntry};

/// A scenario with other names, and which they were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Renamed {
    /// The scenario.
    pub scenario: Scenario,
    /// What each thing is called now, by what it is and its own name.
    pub names: BTreeMap<(&'static str, String), String>,
}

impl Renamed {
    /// The new name of a thing; of one of a group of equal things, that of the group with its number behind.
    pub fn name(&self, what: &'static str, own: &str) -> String {
        let exact = |own: &str| self.names.get(&(what, own.to_string())).cloned();
        let numbered = || {
            let (group, number) = own.rsplit_once('-')?;
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| exact(group)).flatten().map(|group| format!("{group}-{number}"))
        };
        exact(own).or_else(numbered).unwrap_or_else(|| own.to_string())
    }

    /// The names as lines: what it is, its own name, its new one.
    pub fn key(&self) -> String {
        let lines = self.names.iter();
        lines
            .map(|((what, own), new)| crate::moment::csv::line([*what, own.as_str(), new.as_str()]))
            .collect()
    }

    fn number<'n>(&mut self, what: &'static str, own: impl Iterator<Item = &'n str>) {
        let mut own: Vec<&str> = own.filter(|name| !name.is_empty()).collect();
        own.sort_unstable();
        own.dedup();
        let digits = own.len().to_string().len();
        for (n, name) in own.into_iter().enumerate() {
            self.names.insert((what, name.to_string()), format!("{what}-{:0digits$}", n + 1));
        }
    }

    fn optional(&self, what: &'static str, own: &mut Option<String>) {
        if let Some(name) = own {
            *name = self.name(what, name);
        }
    }

    fn list(&self, what: &'static str, own: &mut [String]) {
        for name in own {
            *name = self.name(what, name);
        }
    }

    /// Settings of a queue or a user have its name behind a dot.
    fn settings(&self, own: &mut BTreeMap<String, Scalar>) {
        let renamed = std::mem::take(own).into_iter().map(|(key, value)| {
            let ends = |((_, name), new): (&(&str, String), &String)| {
                let before = key.strip_suffix(name.as_str())?.strip_suffix('.')?;
                Some((name.len(), format!("{before}.{new}")))
            };
            let of =
                self.names.iter().filter(|((what, _), _)| *what == QUEUE || *what == USER).filter_map(ends);
            let longest = of.max_by_key(|(length, _)| *length);
            (longest.map_or(key.clone(), |(_, key)| key), value)
        });
        *own = renamed.collect();
    }

    fn queue(&self, queue: &mut QueueEntry) {
        queue.name = self.name(QUEUE, &queue.name);
        self.optional(QUEUE, &mut queue.parent);
        self.list(POOL, &mut queue.default_pools);
        for pool in &mut queue.pools {
            pool.name = self.name(POOL, &pool.name);
        }
        queue.display_name.clear();
        queue.note.clear();
    }

    fn node(&self, node: &mut NodeEntry) {
        node.name = self.name(NODE, &node.name);
        self.optional(POOL, &mut node.pool);
        node.note.clear();
    }

    fn job(&self, job: &mut JobEntry) {
        job.name = self.name(JOB, &job.name);
        job.queue = self.name(QUEUE, &job.queue);
        self.list(NODE, &mut job.on);
        self.list(POOL, &mut job.pools);
        self.list(GROUP, &mut job.groups);
        self.optional(USER, &mut job.user);
        self.optional(APPLICATION, &mut job.application);
        self.optional(NODE, &mut job.nominated_node);
        self.optional(NODE, &mut job.required_node);
        self.optional(JOB, &mut job.evicted_for);
        for set in &mut job.pod_sets {
            self.optional(NODE, &mut set.nominated_node);
        }
        job.note.clear();
    }

    fn timeline(&self, entry: &mut TimelineEntry) {
        self.optional(QUEUE, &mut entry.queue);
        self.optional(NODE, &mut entry.node);
        self.optional(JOB, &mut entry.job);
        self.optional(POOL, &mut entry.pool);
        self.settings(&mut entry.settings);
        entry.note.clear();
    }
}

const QUEUE: &str = "queue";
const NODE: &str = "node";
const JOB: &str = "job";
const POOL: &str = "pool";
const USER: &str = "user";
const GROUP: &str = "group";
const APPLICATION: &str = "application";

/// The scenario under neutral names.
pub fn renamed(own: &Scenario) -> Renamed {
    let mut made = Renamed::default();
    made.number(QUEUE, own.queues.iter().map(|queue| queue.name.as_str()));
    made.number(NODE, own.nodes.iter().map(|node| node.name.as_str()));
    made.number(JOB, own.jobs.iter().map(|job| job.name.as_str()));
    made.number(POOL, own.pools.iter().map(|pool| pool.name.as_str()));
    made.number(USER, own.jobs.iter().filter_map(|job| job.user.as_deref()));
    made.number(GROUP, own.jobs.iter().flat_map(|job| job.groups.iter().map(String::as_str)));
    made.number(APPLICATION, own.jobs.iter().filter_map(|job| job.application.as_deref()));
    let mut scenario = Scenario { name: String::new(), note: String::new(), ..own.clone() };
    made.settings(&mut scenario.settings);
    Arc::make_mut(&mut scenario.queues).iter_mut().for_each(|queue| made.queue(queue));
    Arc::make_mut(&mut scenario.nodes).iter_mut().for_each(|node| made.node(node));
    Arc::make_mut(&mut scenario.jobs).iter_mut().for_each(|job| made.job(job));
    Arc::make_mut(&mut scenario.timeline).retain(|entry| !entry.is_remark());
    Arc::make_mut(&mut scenario.timeline).iter_mut().for_each(|entry| made.timeline(entry));
    for pool in Arc::make_mut(&mut scenario.pools) {
        pool.name = made.name(POOL, &pool.name);
        made.settings(&mut pool.settings);
        pool.note.clear();
    }
    made.scenario = scenario;
    made
}
