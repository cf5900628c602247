//! Named resources, other than CPU, memory and GPUs: integer amounts that nodes have and pods request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::{NAME_CHARS_MAX, codes, quantity};
use super::{Location, Path};
use crate::format::{Findings, Scalar, Scenario, quoted};
use crate::units::{Amount, NAMED_MAX, Resource, ResourceVec};

/// Names that are reserved for built-in resources.
const OWN: [&str; 4] = ["cpu", "memory", "gpu", "pods"];

/// The names, in byte order; the nth is [`Resource::named`] n.
#[derive(Debug, Default)]
pub struct Named {
    /// The names, at most [`NAMED_MAX`].
    pub names: Vec<Arc<str>>,
}

impl Named {
    /// Collects the names from nodes, jobs, their kinds of pods and the timeline.
    pub fn of(scenario: &Scenario, f: &mut Findings) -> Named {
        let in_jobs = |job| {
            let job: &crate::scenario::JobEntry = job;
            job.resources.keys().chain(job.pod_sets.iter().flat_map(|set| set.resources.keys()))
        };
        let in_nodes = scenario.nodes.iter().flat_map(|node| node.resources.keys());
        let in_timeline = scenario.timeline.iter().flat_map(|entry| entry.capacity.resources.keys());
        let all = in_nodes.chain(scenario.jobs.iter().flat_map(in_jobs)).chain(in_timeline);
        let names: BTreeSet<&str> = all.map(String::as_str).collect();
        let names: Vec<Arc<str>> = names.into_iter().filter(|name| is_name(name)).map(Arc::from).collect();
        if names.len() > NAMED_MAX {
            let n = names.len();
            let message = format!("the scenario names {n} further resources; up to {NAMED_MAX} of them are simulated");
            f.add(codes::TOO_MANY, Path::default().field("nodes"), message, None);
        }
        Named { names: names.into_iter().take(NAMED_MAX).collect() }
    }

    /// Sets the amounts of one node or one pod.
    pub fn put(
        &self,
        typed: &BTreeMap<String, Scalar>,
        location: Location<'_>,
        amounts: &mut ResourceVec,
        f: &mut Findings,
    ) {
        for (name, value) in typed {
            let path = || location.field("resources").field(name);
            if !is_name(name) {
                let message = if OWN.contains(&name.as_str()) {
                    format!("{name} is not a further resource; it has a field of its own")
                } else {
                    format!("the resource {} needs another name", quoted(name))
                };
                f.suggest(codes::CONFLICT, path(), message, "", "Remove it");
                continue;
            }
            let parse = |text: &str| quantity::amount(text, Resource::GPU, 1).and_then(whole);
            let amount = f.value(&Some(value.clone()), Amount::ZERO, "a whole number", &path, &parse);
            if let Some(n) = self.names.iter().position(|other| **other == **name) {
                amounts.set(Resource::named(n), amount);
            }
        }
    }

    /// The path of an amount below a node, job or kind of pods, and the name of the resource.
    pub fn field(&self, resource: Resource) -> (Vec<&str>, &str) {
        match resource.nth_named().and_then(|n| self.names.get(n)) {
            Some(name) => (vec!["resources", name], name),
            None => (vec![resource.name()], resource.name()),
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_text = !name.is_empty() && !name.chars().any(char::is_control);
    is_text && name.chars().count() <= NAME_CHARS_MAX && !OWN.contains(&name)
}

fn whole(amount: Amount) -> Result<Amount, quantity::Wrong> {
    if amount.in_base_units() % 1000 == 0 { Ok(amount) } else { Err(quantity::Wrong::Fine) }
}
