//! Kinds `placement` and `multi-resource`: examples 20 and 21.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::policy::kai::config::{Action, Placement};
use fairground::policy::kai::recorded::{GpuAsk, Quantities, QueueSpec, Status};
use fairground::policy::runai::DIALECT;
use fairground::policy::runai::state::FairshareState;
use fairground::trace::Gate;
use fairground::units::Resource;
use serde_json::{Value, json};

use super::events::InstantPool;
use super::{exact, list, real, text};

fn project(quota: Quantities) -> QueueSpec {
    let unlimited = Quantities { cpu: -1.0, memory: -1.0, gpu: -1.0 };
    QueueSpec { name: Arc::from("project"), quota, limit: unlimited, ..QueueSpec::default() }
}

/// Example 20: device of every workload.
pub fn placement(case: &Value) -> Result<(), String> {
    for (name, placement) in [("binpack", Placement::BinPack), ("spread", Placement::Spread)] {
        let mut devices = Devices::new(case, placement)?;
        let mut got = BTreeMap::new();
        for ask in list(&case["partA"]["submit"]) {
            got.insert(text(&ask[0])?, devices.submit(ask)?);
        }
        same(&format!("part A {name}"), &case["partA"][name], &json!(got))?;
    }
    let part = &case["partB"];
    for (name, is_on) in [("consolidation_off", false), ("consolidation_on", true)] {
        let mut devices = Devices::new(case, Placement::BinPack)?;
        if !is_on {
            devices.world.snapshot.config.actions.retain(|a| *a != Action::Consolidation);
        }
        for ask in list(&part["submit"]) {
            devices.submit(ask)?;
        }
        for over in list(&part["finish"]) {
            devices.finish(text(over)?);
        }
        same("part B before", &part["before"], &devices.in_use())?;
        let before = devices.on.clone();
        let w1 = devices.submit(&part["then"])?;
        let moved: BTreeMap<String, String> =
            devices.on.iter().filter(|(pod, on)| before.get(*pod).is_some_and(|b| b != *on)).map(owned).collect();
        let mut got = json!(moved);
        if is_on {
            got["moved"] = json!(moved.keys().collect::<Vec<_>>());
        }
        got["w1"] = json!(w1);
        same(&format!("part B {name}"), &part[name], &got)?;
    }
    Ok(())
}

fn owned((pod, on): (&String, &String)) -> (String, String) {
    (pod.clone(), on.clone())
}

fn same(place: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{place}: expected {expected}, got {got}")) }
}

/// Numbers devices: a new one gets the lowest free number of its node.
struct Devices {
    world: InstantPool,
    /// Device by workload, as `node/gN`.
    on: BTreeMap<String, String>,
    /// Number by shared device group.
    groups: BTreeMap<Arc<str>, String>,
}

impl Devices {
    fn new(case: &Value, placement: Placement) -> Result<Devices, String> {
        let nodes = case["nodes"].as_object().ok_or("no nodes")?;
        let nodes: Vec<(&str, f64)> =
            nodes.iter().map(|(name, gpus)| (name.as_str(), gpus.as_f64().unwrap_or(0.0))).collect();
        let mut world = InstantPool::of_nodes(DIALECT, &nodes);
        let config = &mut world.snapshot.config;
        config.gpu_placement = placement;
        if placement == Placement::Spread {
            config.spread_devices();
            config.disable_consolidation();
        }
        world.snapshot.queues.push(project(Quantities { cpu: -1.0, memory: -1.0, gpu: 4.0 }));
        Ok(Devices { world, on: BTreeMap::new(), groups: BTreeMap::new() })
    }

    /// Adds a workload and runs a cycle; returns its device, or `pending`.
    fn submit(&mut self, ask: &Value) -> Result<String, String> {
        let name = text(&ask[0])?;
        let amount = exact(&ask[1])?.as_real();
        let gpu = if amount < 1.0 {
            GpuAsk::Fraction { portion: amount, devices: 1 }
        } else {
            GpuAsk::Whole { devices: amount as i64 }
        };
        self.world.add(name, "project", 50, gpu, 0.0);
        self.world.advance();
        self.number();
        Ok(self.on.get(name).map_or_else(|| "pending".to_owned(), String::clone))
    }

    fn finish(&mut self, name: &str) {
        self.world.snapshot.jobs.retain(|job| *job.name != *name);
        self.number();
    }

    fn number(&mut self) {
        let pods: Vec<_> = self.world.snapshot.jobs.iter().flat_map(|job| &job.pods).collect();
        let running = || pods.iter().filter(|pod| pod.status == Status::Running);
        self.groups.retain(|group, _| running().any(|pod| pod.gpu_groups.contains(group)));
        let groups = &self.groups;
        self.on.retain(|name, on| {
            running().any(|pod| {
                let of_group = pod.gpu_groups.first().map(|group| groups.get(group));
                *pod.name == **name && on.starts_with(&*pod.node) && of_group.is_none_or(|of| of == Some(on))
            })
        });
        for pod in running() {
            if self.on.contains_key(&*pod.name) {
                continue;
            }
            let known = pod.gpu_groups.first().and_then(|group| self.groups.get(group)).cloned();
            let device = known.unwrap_or_else(|| {
                let names = (0..).map(|n| format!("{}/g{n}", pod.node));
                let is_free = |name: &String| self.on.values().all(|on| on != name);
                names.into_iter().find(is_free).unwrap_or_default()
            });
            if let Some(group) = pod.gpu_groups.first() {
                self.groups.insert(group.clone(), device.clone());
            }
            self.on.insert(pod.name.to_string(), device);
        }
    }

    /// Used part of every device.
    fn in_use(&self) -> Value {
        let mut used: BTreeMap<&str, f64> = BTreeMap::new();
        for pod in self.world.snapshot.jobs.iter().flat_map(|job| &job.pods) {
            let amount = if let GpuAsk::Fraction { portion, .. } = pod.gpu { portion } else { 1.0 };
            if let Some(on) = self.on.get(&*pod.name) {
                *used.entry(on).or_default() += amount;
            }
        }
        let halves = |amount: f64| if amount == 0.5 { json!("1/2") } else { json!(amount.to_string()) };
        used.into_iter().map(|(device, amount)| (device.to_owned(), halves(amount))).collect()
    }
}

/// Example 21: the state of a queue over several resources, and the quota check of each.
pub fn multi_resource(case: &Value) -> Result<(), String> {
    let cores = |value: &Value| real(value).map(|cores| cores * 1000.0);
    let quota = Quantities { cpu: cores(&case["quota"]["cpu"])?, memory: -1.0, gpu: real(&case["quota"]["gpu"])? };
    let mut world = InstantPool::of_nodes(DIALECT, &[("node", 8.0)]);
    world.snapshot.total.cpu = 1e5;
    world.snapshot.queues.push(QueueSpec { weight: Quantities { cpu: 2.0, memory: 2.0, gpu: 2.0 }, ..project(quota) });
    let add = |world: &mut InstantPool, job: &Value| -> Result<(), String> {
        let gpu = GpuAsk::Whole { devices: real(&job["gpu"])? as i64 };
        let priority = job["prio"].as_i64().ok_or("no priority")?;
        world.add(text(&job["id"])?, "project", priority, gpu, cores(&job["cpu"])?);
        Ok(())
    };
    for job in list(&case["running"]) {
        add(&mut world, job)?;
    }
    world.advance();
    let shares = world.shares().pop().ok_or("no queue")?;
    let (a, f) = (shares.allocated, shares.fair_share);
    let states = json!({
        "gpu": FairshareState::of(a.gpu, quota.gpu, f.gpu).name(),
        "cpu": FairshareState::of(a.cpu, quota.cpu, f.cpu).name(),
        "queue": FairshareState::worst(a, quota, f).name(),
    });
    same("state", &case["expect_state"], &states)?;
    for job in list(&case["submit"]) {
        add(&mut world, job)?;
        let (_, trace) = world.advance();
        let got = match trace.refusals.first().map(|r| &r.gate) {
            None => json!(["passes-quota-check", null]),
            Some(Gate::NonPreemptibleOverQuota { resource, .. }) if *resource == Resource::CPU => {
                json!(["non-preemptible-over-quota", "cpu"])
            }
            Some(other) => json!([format!("{other:?}"), null]),
        };
        same(text(&job["id"])?, &json!([job["expect"], job["resource"]]), &got)?;
    }
    Ok(())
}
