//! Input of the recorded core in terms of a scenario, or the feature that a scenario does not support.

use std::collections::{BTreeMap, BTreeSet};

use fairground::scenario::NODE_GPUS_MAX;
use serde_json::{Map, Value};

use super::tree;

/// A feature that a scenario does not support.
pub type Feature = &'static str;

pub struct Node {
    pub name: String,
    pub capacity: Map<String, Value>,
    /// Whether it exists from the start.
    pub is_first: bool,
}

/// An ask: a job of one pod.
#[derive(Clone)]
pub struct Job {
    pub name: String,
    pub key: String,
    pub app: String,
    pub queue: String,
    pub user: String,
    /// Groups of its user at the submission of its application.
    pub groups: Vec<String>,
    pub submit: i64,
    /// Recorded event: priority, flags, amounts.
    pub ask: Value,
    is_over: bool,
    /// Whether it was added and removed at one time, so that no cycle saw it; such asks are omitted.
    is_fleeting: bool,
}

impl Job {
    fn created(&self) -> i64 {
        self.ask["createTime"].as_i64().unwrap_or(self.submit)
    }
}

/// An external event.
pub enum Change {
    Node {
        name: String,
        state: &'static str,
    },
    Capacity {
        name: String,
        capacity: Map<String, Value>,
    },
    EndJob {
        job: usize,
    },
    /// A new configuration.
    Reload {
        config: Value,
    },
    /// No change; triggers a cycle only.
    Tick,
}

/// All input of a core.
pub struct CoreInput {
    pub nodes: Vec<Node>,
    pub jobs: Vec<Job>,
    pub timeline: Vec<(i64, Change)>,
    /// Groups by user; `None` for a user whose groups change.
    pub groups: BTreeMap<String, Option<Vec<String>>>,
}

struct App {
    queue: String,
    user: String,
    groups: Vec<String>,
    at: i64,
}

struct Reader<'a> {
    case: &'a Value,
    input: CoreInput,
    apps: BTreeMap<String, App>,
    /// Existing nodes, and whether they are schedulable.
    present: BTreeMap<String, bool>,
    /// Present capacity of nodes.
    capacities: BTreeMap<String, Map<String, Value>>,
}

/// Reads a case.
pub fn read(case: &Value) -> Result<CoreInput, Feature> {
    let scenario = &case["scenario"];
    general(case, scenario)?;
    let input = CoreInput { nodes: Vec::new(), jobs: Vec::new(), timeline: Vec::new(), groups: BTreeMap::new() };
    let mut reader =
        Reader { case, input, apps: BTreeMap::new(), present: BTreeMap::new(), capacities: BTreeMap::new() };
    let rejected: BTreeSet<u64> = points(case)
        .flat_map(|point| point["rejected"].as_array().into_iter().flatten())
        .filter_map(Value::as_u64)
        .collect();
    for (i, event) in (0u64..).zip(scenario["events"].as_array().into_iter().flatten()) {
        let at = event["t"].as_i64().ok_or("an event without a time")?;
        reader.event(at, event, rejected.contains(&i))?;
    }
    tree::one_shape(reader.configs().map(|(_, config)| config))?;
    reader.begin()?;
    reader.ages()?;
    reader.equals()?;
    reader.ended_victims();
    let mut input = reader.input;
    leave_out(&mut input);
    name(&mut input.jobs);
    Ok(input)
}

/// Recorded time points.
pub fn points(case: &Value) -> impl Iterator<Item = &Value> {
    case["trace"].as_array().into_iter().flatten()
}

/// Rejects unsupported features of the whole case.
fn general(case: &Value, scenario: &Value) -> Result<(), Feature> {
    let text = scenario["config"].to_string();
    let events = || scenario["events"].as_array().into_iter().flatten();
    let is_guaranteed =
        text.contains("\"guaranteed\"") || events().any(|event| event["config"].to_string().contains("\"guaranteed\""));
    if scenario["predicates"] == "none" && is_guaranteed {
        return Err("preemption without predicates of Kubernetes");
    }
    if scenario["reservationDelayMs"].as_i64().is_some_and(|delay| delay != 2000) {
        return Err("another delay of reservations");
    }
    if points(case).any(|point| point.to_string().contains("\"truncated\"")) {
        return Err("cycles without end at one moment");
    }
    if points(case).any(|point| point["cycles"].as_array().is_some_and(|cycles| cycles.len() > 64)) {
        return Err("more than 64 cycles at one moment");
    }
    if is_drained_while_reserved(case) {
        return Err("a drained node that is reserved, which Kubernetes would refuse");
    }
    if scenario["config"]["partitions"].as_array().is_none_or(|all| all.len() != 1) {
        return Err("several partitions");
    }
    if text.contains("\"placementrules\"") {
        return Err("placement rules");
    }
    let is = |op: &'static str| events().any(|event| event["op"] == op);
    let configs = || events().map(|event| &event["config"]).chain([&scenario["config"]]);
    let says = |word: &'static str| configs().any(|config| config.to_string().contains(word));
    let may_give_up = says("\"quotapreemptionenabled\":true") && says("\"quota.preemption.delay\"");
    if is("quotaPoll") && may_give_up {
        return Err("polls for quota preemption at moments of their own");
    }
    Ok(())
}

/// Whether a node with a reservation is drained.
fn is_drained_while_reserved(case: &Value) -> bool {
    let mut reserved: BTreeSet<String> = BTreeSet::new();
    let events = || case["scenario"]["events"].as_array().into_iter().flatten();
    for point in points(case) {
        let drained = events().filter(|event| event["t"] == point["t"] && event["op"] == "drainNode");
        if drained.into_iter().any(|event| reserved.contains(&text(event, "node"))) {
            return true;
        }
        let cycles = point["cycles"].as_array().into_iter().flatten();
        for patch in [&point["patch"]].into_iter().chain(cycles.map(|cycle| &cycle["patch"])) {
            for (name, node) in patch["nodes"].as_object().into_iter().flatten() {
                match node["reserved"].as_array() {
                    Some(asks) if !asks.is_empty() => {
                        reserved.insert(name.clone());
                    }
                    Some(_) => {
                        reserved.remove(name);
                    }
                    None => {}
                }
            }
        }
    }
    false
}

impl Reader<'_> {
    fn event(&mut self, at: i64, event: &Value, is_rejected: bool) -> Result<(), Feature> {
        let before = self.input.timeline.len() + self.input.jobs.len();
        if !is_rejected {
            match text(event, "op").as_str() {
                "addNode" => self.add_node(at, event)?,
                "removeNode" | "drainNode" | "undrainNode" => self.node(at, event),
                "setCapacity" => self.set_capacity(at, event)?,
                "addApp" => self.add_app(at, event)?,
                "addAsk" => self.add_ask(at, event)?,
                "removeApp" => {
                    let app = text(event, "app");
                    let own = |job: &Job| job.app == app;
                    self.end(at, &own);
                }
                "finish" | "remove" => {
                    let (app, key) = (text(event, "app"), text(event, "key"));
                    let own = |job: &Job| job.app == app && job.key == key;
                    self.end(at, &own);
                }
                "reload" => {
                    self.input.timeline.push((at, Change::Reload { config: event["config"].clone() }));
                }
                "quotaPoll" | "tick" => {}
                _ => return Err("an event that is not known"),
            }
        }
        if before == self.input.timeline.len() + self.input.jobs.len() && at > 0 {
            self.input.timeline.push((at, Change::Tick));
        }
        Ok(())
    }

    fn add_node(&mut self, at: i64, event: &Value) -> Result<(), Feature> {
        let name = text(event, "node");
        let capacity = capacity(event)?;
        if self.input.nodes.iter().any(|node| node.name == name) {
            self.resize(at, &name, capacity);
            self.state(at, &name, "ready");
        } else {
            self.capacities.insert(name.clone(), capacity.clone());
            if at > 0 {
                self.state(at, &name, "ready");
            }
            self.input.nodes.push(Node { name: name.clone(), capacity, is_first: at == 0 });
        }
        self.present.insert(name, true);
        Ok(())
    }

    fn set_capacity(&mut self, at: i64, event: &Value) -> Result<(), Feature> {
        let name = text(event, "node");
        if self.present.contains_key(&name) {
            self.resize(at, &name, capacity(event)?);
        }
        Ok(())
    }

    fn resize(&mut self, at: i64, name: &str, capacity: Map<String, Value>) {
        if self.capacities.get(name) != Some(&capacity) {
            self.capacities.insert(name.to_owned(), capacity.clone());
            self.input.timeline.push((at, Change::Capacity { name: name.to_owned(), capacity }));
        }
    }

    fn node(&mut self, at: i64, event: &Value) {
        let name = text(event, "node");
        if !self.present.contains_key(&name) {
            return;
        }
        match text(event, "op").as_str() {
            "removeNode" => {
                self.present.remove(&name);
                self.state(at, &name, "down");
            }
            "drainNode" => {
                self.present.insert(name.clone(), false);
                self.state(at, &name, "draining");
            }
            _ => {
                self.present.insert(name.clone(), true);
                self.state(at, &name, "ready");
            }
        }
    }

    fn state(&mut self, at: i64, name: &str, state: &'static str) {
        self.input.timeline.push((at, Change::Node { name: name.to_owned(), state }));
    }

    fn add_app(&mut self, at: i64, event: &Value) -> Result<(), Feature> {
        let (id, user) = (text(event, "app"), text(event, "user"));
        if event["placeholderAsk"].as_object().is_some_and(|ask| !ask.is_empty()) {
            return Err("placeholders as events of their own");
        }
        let requested = text(event, "queue");
        let asked = if requested.starts_with("root.") {
            requested
        } else {
            format!("root.{}", requested.replace('.', "_dot_"))
        };
        let placed = |point: &Value| recorded_queue(point, &id);
        let queue = points(self.case).find_map(placed).unwrap_or_else(|| asked.clone());
        if queue != asked.to_lowercase() {
            return Err("an application that placement puts elsewhere");
        }
        let mut groups: Vec<String> = crate::yunikorn::texts(&event["groups"]);
        groups.retain(|group| !group.is_empty());
        let known = self.input.groups.entry(user.clone()).or_insert_with(|| Some(groups.clone()));
        known.take_if(|known| *known != groups);
        let new = App { queue, user, groups, at };
        match self.apps.insert(id, new) {
            Some(_) => Err("an application that comes back"),
            None => Ok(()),
        }
    }

    fn add_ask(&mut self, at: i64, event: &Value) -> Result<(), Feature> {
        let (id, key) = (text(event, "app"), text(event, "key"));
        if event["placeholder"] == true || !text(event, "taskGroup").is_empty() {
            return Err("placeholders as events of their own");
        }
        if self.input.jobs.iter().any(|job| job.app == id && job.key == key) {
            return Err("a key that is used twice");
        }
        let required = text(event, "requiredNode");
        let is_node = |other: &Value| other["op"] == "addNode" && other["node"] == *required;
        let mut all = self.case["scenario"]["events"].as_array().into_iter().flatten();
        let is_known = self.input.nodes.iter().any(|node| node.name == required);
        if !required.is_empty() && !is_known && !all.any(is_node) {
            // A missing node is written as one that is never ready.
            self.input.nodes.push(Node { name: required, capacity: Map::new(), is_first: false });
        }
        let created = event["createTime"].as_i64().unwrap_or(at);
        if created > at {
            return Err("a request from the future");
        }
        let app = self.apps.get(&id).ok_or("a request without an application")?;
        let (queue, user, groups) = (app.queue.clone(), app.user.clone(), app.groups.clone());
        let (name, ask) = (String::new(), event.clone());
        self.input.jobs.push(Job {
            name,
            key,
            app: id,
            queue,
            user,
            groups,
            submit: at,
            ask,
            is_over: false,
            is_fleeting: false,
        });
        Ok(())
    }

    fn end(&mut self, at: i64, is: &dyn Fn(&Job) -> bool) {
        for (job, entry) in self.input.jobs.iter_mut().enumerate().filter(|(_, job)| is(job) && !job.is_over) {
            entry.is_over = true;
            entry.is_fleeting = entry.submit == at;
            let change = if entry.is_fleeting { Change::Tick } else { Change::EndJob { job } };
            self.input.timeline.push((at, change));
        }
    }

    /// All configurations with their times.
    fn configs(&self) -> impl Iterator<Item = (i64, &Value)> {
        let reloaded = self.input.timeline.iter().filter_map(|(at, change)| match change {
            Change::Reload { config } => Some((*at, config)),
            _ => None,
        });
        std::iter::once((0, &self.case["scenario"]["config"])).chain(reloaded)
    }

    /// Checks that the queue accepts each application at its first ask, because a scenario submits it only then.
    fn begin(&self) -> Result<(), Feature> {
        let configs: Vec<(i64, Vec<String>)> =
            self.configs().map(|(at, config)| (at, tree::union([config].into_iter()).paths("root"))).collect();
        if configs.len() == 1 {
            return Ok(());
        }
        for (id, app) in &self.apps {
            let own = self.input.jobs.iter().filter(|job| job.app == *id && !job.is_fleeting);
            let Some(first) = own.map(|job| job.submit).min() else { continue };
            let known = configs.iter().rev().find(|(at, _)| *at <= first);
            if known.is_some_and(|(_, paths)| !paths.contains(&app.queue)) {
                return Err("an application whose first request comes after its queue was removed");
            }
        }
        Ok(())
    }

    /// Checks ages: the age of an application is that of its submission or oldest ask, but a scenario has only asks.
    /// The age decides the order in a queue, which has to be the same at every time.
    fn ages(&self) -> Result<(), Feature> {
        let moments: BTreeSet<i64> = self.input.jobs.iter().map(|job| job.submit).collect();
        for moment in moments {
            let mut ages: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();
            for (id, app) in &self.apps {
                let asks = self.input.jobs.iter().filter(|job| job.app == *id && job.submit <= moment);
                let all = asks.clone().map(Job::created).chain([app.at]).min();
                let kept = asks.filter(|job| !job.is_fleeting).map(Job::created).min();
                if let (Some(age), Some(kept)) = (all, kept) {
                    ages.entry(&app.queue).or_default().push((age, kept));
                }
            }
            for own in ages.values_mut() {
                own.sort_unstable();
                if own.windows(2).any(|pair| pair[0].0.cmp(&pair[1].0) != pair[0].1.cmp(&pair[1].1)) {
                    return Err("an application that is older than its requests");
                }
            }
        }
        Ok(())
    }

    /// Checks that equal asks are unaffected by fleeting ones: the position of a new ask among equals depends on those
    /// present.
    fn equals(&self) -> Result<(), Feature> {
        let jobs = &self.input.jobs;
        let is_equal = |job: &Job, other: &Job| {
            job.key != other.key
                && job.app == other.app
                && job.created() == other.created()
                && job.ask["priority"].as_i64().unwrap_or(0) == other.ask["priority"].as_i64().unwrap_or(0)
        };
        let has_equal = |job: &Job| jobs.iter().any(|other| !other.is_fleeting && is_equal(job, other));
        let is_moved = |fleeting: &Job| {
            let mut later = jobs.iter().filter(|job| job.app == fleeting.app && job.submit >= fleeting.submit);
            later.any(|job| !job.is_fleeting && has_equal(job))
        };
        if jobs.iter().any(|job| job.is_fleeting && is_moved(job)) {
            Err("a request that comes and goes at one moment, among equal ones")
        } else {
            Ok(())
        }
    }

    /// Adds cycles at the end of each victim's grace period, as in the recorded core, even for a victim that ended
    /// earlier.
    fn ended_victims(&mut self) {
        let grace = self.case["scenario"]["graceMs"].as_i64().unwrap_or(0);
        for point in points(self.case) {
            let marked = point["t"].as_i64().unwrap_or(0);
            let cycles = point["cycles"].as_array().into_iter().flatten();
            let victims = cycles.flat_map(|cycle| crate::yunikorn::texts(&cycle["victims"]));
            let victims: BTreeSet<String> = victims.collect();
            let has_ended = |(at, change): &(i64, Change)| match change {
                Change::EndJob { job } => {
                    (marked..marked + grace).contains(at) && victims.contains(&self.input.jobs[*job].key)
                }
                _ => false,
            };
            if self.input.timeline.iter().any(has_ended) {
                self.input.timeline.push((marked + grace, Change::Tick));
            }
        }
        self.input.timeline.sort_by_key(|(at, _)| *at);
    }
}

/// Removes asks that no cycle saw.
fn leave_out(input: &mut CoreInput) {
    let mut n = 0;
    let places: Vec<usize> = input
        .jobs
        .iter()
        .map(|job| {
            n += usize::from(!job.is_fleeting);
            n.saturating_sub(1)
        })
        .collect();
    input.jobs.retain(|job| !job.is_fleeting);
    for (_, change) in &mut input.timeline {
        if let Change::EndJob { job } = change {
            *job = places[*job];
        }
    }
}

/// Recorded first queue of an application.
fn recorded_queue(point: &Value, id: &str) -> Option<String> {
    let of = |patch: &Value| Some(patch["apps"][id]["queue"].as_str()?.to_owned());
    let cycles = point["cycles"].as_array().into_iter().flatten();
    of(&point["patch"]).or_else(|| cycles.into_iter().find_map(|cycle| of(&cycle["patch"])))
}

/// Names jobs: an application with one ask gives its name; other asks keep their keys if unique.
fn name(jobs: &mut [Job]) {
    let n_keys = jobs.iter().map(|job| &job.key).collect::<BTreeSet<_>>().len();
    let is_unique = n_keys == jobs.len();
    let mut n_of: BTreeMap<String, usize> = BTreeMap::new();
    for job in &*jobs {
        *n_of.entry(job.app.clone()).or_default() += 1;
    }
    let keys: BTreeSet<String> = jobs.iter().map(|job| job.key.clone()).collect();
    for job in jobs {
        job.name = match (n_of[&job.app], is_unique) {
            (1, _) if !keys.contains(&job.app) => job.app.clone(),
            (_, true) => job.key.clone(),
            _ => format!("{}.{}", job.app, job.key),
        };
    }
}

/// Capacity of a node in an event.
fn capacity(event: &Value) -> Result<Map<String, Value>, Feature> {
    let capacity = event["capacity"].as_object().cloned().unwrap_or_default();
    if capacity.get("gpu").and_then(Value::as_i64).is_some_and(|gpus| gpus > NODE_GPUS_MAX) {
        Err("a node with more than 64 GPUs")
    } else {
        Ok(capacity)
    }
}

/// Reads a text of an event.
pub fn text(event: &Value, field: &str) -> String {
    event[field].as_str().unwrap_or_default().to_owned()
}
