//! Anonymises a scenario for sharing: replaces names of teams, people and machines by neutral ones. Restores them by
//! the list of names.
//!
//! New names keep the sort order of the old ones, because it breaks ties between equals. Titles and notes are dropped.
//! Labels, taints, resources and values of settings are kept, because they decide placement.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::import::{Row, Table};
use crate::moment::csv;
use crate::scenario::{JobEntry, NodeEntry, QueueEntry, Scalar, Scenario, TimelineEntry};

/// An anonymised scenario with the list of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Renamed {
    /// Anonymised scenario.
    pub scenario: Scenario,
    /// New names by kind and original name.
    pub names: BTreeMap<(&'static str, String), String>,
}

impl Renamed {
    /// Returns the new name of an element; for a member of a group, that of the group with the member's number.
    pub fn name(&self, what: &'static str, own: &str) -> String {
        name_in(&self.names, what, own)
    }

    /// Returns the list of names as CSV: kind, original name, new name.
    pub fn key(&self) -> String {
        let lines = self.names.iter();
        let lines = lines.map(|((what, own), new)| csv::line([*what, own.as_str(), new.as_str()]));
        csv::line(HEAD) + &lines.collect::<String>()
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
}

fn name_in(names: &Names, what: &'static str, own: &str) -> String {
    let exact = |own: &str| names.get(&(what, own.to_string())).cloned();
    let numbered = || {
        let (group, number) = own.rsplit_once('-')?;
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| exact(group)).flatten().map(|group| format!("{group}-{number}"))
    };
    exact(own).or_else(numbered).unwrap_or_else(|| own.to_string())
}

/// New names by kind and current name.
type Names = BTreeMap<(&'static str, String), String>;

/// Renames the elements of a scenario.
struct Renaming<'n> {
    names: &'n Names,
    /// Whether titles and notes are dropped.
    drops_texts: bool,
}

impl Renaming<'_> {
    fn name(&self, what: &'static str, own: &str) -> String {
        name_in(self.names, what, own)
    }

    fn text(&self, own: &mut String) {
        if self.drops_texts {
            own.clear();
        }
    }

    fn scenario(&self, own: &Scenario) -> Scenario {
        let mut scenario = own.clone();
        self.text(&mut scenario.name);
        self.text(&mut scenario.note);
        self.settings(&mut scenario.settings);
        Arc::make_mut(&mut scenario.queues).iter_mut().for_each(|queue| self.queue(queue));
        Arc::make_mut(&mut scenario.nodes).iter_mut().for_each(|node| self.node(node));
        Arc::make_mut(&mut scenario.jobs).iter_mut().for_each(|job| self.job(job));
        Arc::make_mut(&mut scenario.timeline).retain(|entry| !self.drops_texts || !entry.is_remark());
        Arc::make_mut(&mut scenario.timeline).iter_mut().for_each(|entry| self.timeline(entry));
        for pool in Arc::make_mut(&mut scenario.pools) {
            pool.name = self.name(POOL, &pool.name);
            self.settings(&mut pool.settings);
            self.text(&mut pool.note);
        }
        scenario
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

    /// Renames the settings of queues and users, which end with a dot and the name.
    fn settings(&self, own: &mut BTreeMap<String, Scalar>) {
        let renamed = std::mem::take(own).into_iter().map(|(key, value)| {
            let ends = |((_, name), new): (&(&str, String), &String)| {
                let before = key.strip_suffix(name.as_str())?.strip_suffix('.')?;
                Some((name.len(), format!("{before}.{new}")))
            };
            let of = self.names.iter().filter(|((what, _), _)| *what == QUEUE || *what == USER).filter_map(ends);
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
        self.text(&mut queue.display_name);
        self.text(&mut queue.note);
    }

    fn node(&self, node: &mut NodeEntry) {
        node.name = self.name(NODE, &node.name);
        self.optional(POOL, &mut node.pool);
        self.text(&mut node.note);
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
        self.text(&mut job.note);
    }

    fn timeline(&self, entry: &mut TimelineEntry) {
        self.optional(QUEUE, &mut entry.queue);
        self.optional(NODE, &mut entry.node);
        self.optional(JOB, &mut entry.job);
        self.optional(POOL, &mut entry.pool);
        self.settings(&mut entry.settings);
        self.text(&mut entry.note);
    }
}

const QUEUE: &str = "queue";
const NODE: &str = "node";
const JOB: &str = "job";
const POOL: &str = "pool";
const USER: &str = "user";
const GROUP: &str = "group";
const APPLICATION: &str = "application";

/// Anonymises a scenario.
pub fn renamed(own: &Scenario) -> Renamed {
    let mut made = Renamed::default();
    made.number(QUEUE, own.queues.iter().map(|queue| queue.name.as_str()));
    made.number(NODE, own.nodes.iter().map(|node| node.name.as_str()));
    made.number(JOB, own.jobs.iter().map(|job| job.name.as_str()));
    made.number(POOL, own.pools.iter().map(|pool| pool.name.as_str()));
    made.number(USER, own.jobs.iter().filter_map(|job| job.user.as_deref()));
    made.number(GROUP, own.jobs.iter().flat_map(|job| job.groups.iter().map(String::as_str)));
    made.number(APPLICATION, own.jobs.iter().filter_map(|job| job.application.as_deref()));
    made.scenario = Renaming { names: &made.names, drops_texts: true }.scenario(own);
    made
}

/// Header of a list of names.
const HEAD: [&str; 3] = ["what", "name", "name in the link"];
/// Kinds of elements that are renamed.
const KINDS: [&str; 7] = [QUEUE, NODE, JOB, POOL, USER, GROUP, APPLICATION];

/// Whether a file is a list of names, by the beginning of its first line.
pub fn is_list_of_names(bytes: &[u8]) -> bool {
    const INSPECTED_BYTES: usize = 100;
    let start = &bytes[..bytes.len().min(INSPECTED_BYTES)];
    Table::new(start.split(|&byte| byte == b'\n').next().unwrap_or_default()).headers == HEAD
}

/// A scenario with restored names.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// Scenario with the original names.
    pub scenario: Scenario,
    /// Number of names in the list.
    pub n_names: usize,
}

/// Restores names by a list; elements that are not in the list keep their names. The error contains the invalid line.
pub fn restored(shared: &Scenario, list: &str) -> Result<Restored, String> {
    let mut table = Table::new(list.as_bytes());
    let mut names = Names::new();
    loop {
        match table.next_row() {
            Row::End => break,
            Row::Wrong(line, says) => return Err(format!("line {line} of the list of names: {says}")),
            Row::Fields(line, fields) => {
                let what = KINDS.iter().find(|what| **what == fields.get(0));
                let Some(what) = what else {
                    let kinds = KINDS.join(", ");
                    return Err(format!("line {line} of the list of names: the first column takes one of {kinds}"));
                };
                let (own, new) = (fields.get(1).to_string(), fields.get(2).to_string());
                if names.insert((*what, new.clone()), own).is_some() {
                    return Err(format!("line {line} of the list of names: {what} {new} is listed twice"));
                }
            }
        }
    }
    let n_names = names.len();
    Ok(Restored { scenario: Renaming { names: &names, drops_texts: false }.scenario(shared), n_names })
}
