//! A recorded plan as a scenario file.
//!
//! Dimensions are CPU, memory and GPU where a share limit or ownership requires it, and named resources otherwise;
//! share ratios are integer weights, owned hosts a quota of their total capacity, units jobs of one pod.

use std::collections::BTreeMap;
use std::fmt::Write;

use fairground::id::{Arena, Id};
use fairground::policy::ego::ids::{ConsumerId, SubId};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::plan::{Dims, Ownership, Placement, Plan, ShareLimit};
use fairground::policy::ego::pool_state::Sub;
use fairground::time::Span;
use fairground::units::RESOURCES_MAX;

use super::course::ExpectedRun;
use crate::ego::format::Names;

/// Name of a dimension in a scenario, and its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionName {
    pub name: String,
    unit: &'static str,
    /// Index among CPU, memory and GPU.
    pub accounted: Option<usize>,
}

/// A scenario and the names in it.
pub struct File {
    pub text: String,
    /// Job name per pod.
    pub jobs: Vec<String>,
    /// Name and unit per dimension.
    pub dimension_names: Vec<DimensionName>,
}

/// CPU, memory and GPU, in the order of assignment to dimensions with other names.
const ACCOUNTED: [(&str, &str); 3] = [("cpu", ""), ("memory", "Gi"), ("gpu", "")];

fn usual(dim: &str) -> Option<usize> {
    match dim {
        "ncpus" => Some(0),
        "mem" | "maxmem" => Some(1),
        "ngpu" | "slot" => Some(2),
        _ => None,
    }
}

/// Names of the dimensions of a plan. With several, at most one is a named resource, unless it has share limits.
fn dimension_names(plan: &Plan, names: &Names) -> Result<Vec<DimensionName>, &'static str> {
    let mut taken = [false; 3];
    let mut dimension_names: Vec<Option<DimensionName>> = names.dims.iter().map(|_| None).collect();
    let word =
        |at: usize| DimensionName { name: ACCOUNTED[at].0.to_owned(), unit: ACCOUNTED[at].1, accounted: Some(at) };
    let is_limited = |dim: usize| plan.consumers.values().any(|consumer| consumer.share_limit[dim].is_some());
    for (dim, name) in names.dims.iter().enumerate() {
        if let Some(at) = usual(name).filter(|&at| !taken[at]) {
            taken[at] = true;
            dimension_names[dim] = Some(word(at));
        }
    }
    for (dim, name) in
        names.dims.iter().enumerate().filter(|(dim, _)| dimension_names[*dim].is_none()).collect::<Vec<_>>()
    {
        let free = (0..3).find(|&at| !taken[at]).filter(|_| is_limited(dim));
        if let Some(at) = free {
            taken[at] = true;
            dimension_names[dim] = Some(word(at));
        } else if is_limited(dim) {
            return Err("a share limit in a fourth dimension");
        } else {
            dimension_names[dim] = Some(DimensionName { name: name.clone(), unit: "", accounted: None });
        }
    }
    Ok(dimension_names.into_iter().flatten().collect())
}

/// Owned amounts per queue, such that its quota selects the recorded hosts.
type Quotas = Arena<ConsumerId, [Option<i64>; RESOURCES_MAX]>;

/// Total capacity of the hosts of every owner, in the first dimension or in all, whichever selects the recorded hosts.
fn quotas(plan: &Plan, layout: &Layout, dimension_names: &[DimensionName]) -> Result<Quotas, &'static str> {
    let none = [None; RESOURCES_MAX];
    if plan.consumers.values().all(|consumer| consumer.own.is_empty()) {
        return Ok(plan.consumers.ids().map(|_| none).collect());
    }
    let accounted: Vec<usize> =
        (0..dimension_names.len()).filter(|&dim| dimension_names[dim].accounted.is_some()).collect();
    let single = accounted.iter().map(|&dim| vec![dim]);
    for dims in single.chain([accounted.clone()]) {
        let mut owned: Quotas = plan.consumers.ids().map(|_| none).collect();
        for (consumer, hosts) in layout.holdings.iter().skip(1) {
            for above in plan.path(consumer).filter(|&c| c != ConsumerId::ROOT) {
                for &dim in &dims {
                    let sum: i64 = hosts.iter().map(|&host| plan.hosts[host][dim]).sum();
                    owned[above][dim] = Some(owned[above][dim].unwrap_or(0) + sum).filter(|&sum| sum > 0);
                }
            }
        }
        let mut written = plan.clone();
        for (consumer, amounts) in written.consumers.values_mut().zip(owned.values()).skip(1) {
            let owns = amounts.iter().any(Option::is_some);
            consumer.own = if owns { vec![Ownership::Amounts(*amounts)] } else { Vec::new() };
        }
        let again = Layout::new(&written);
        if again.holdings == layout.holdings && again.pools == layout.pools {
            return Ok(owned);
        }
    }
    Err("own hosts that are not the first of their size")
}

/// Writes a file.
pub struct Writer<'c> {
    plan: &'c Plan,
    pub names: &'c Names,
    dimension_names: Vec<DimensionName>,
    quotas: Quotas,
    /// The text so far.
    pub text: String,
}

/// Writes the scenario file of all cycles. An unsupported feature is an error.
pub fn write(plan: &Plan, layout: &Layout, names: &Names, course: &ExpectedRun) -> Result<File, &'static str> {
    let mut writer = Writer::new(plan, layout, names)?;
    let jobs = writer.jobs(course);
    let ends: Vec<String> = course
        .pods
        .iter()
        .zip(&jobs)
        .filter_map(|(pod, name)| Some(format!("- {{at: {}s, job: {name}}}\n", pod.ends?)))
        .collect();
    if !ends.is_empty() {
        writer.text.push_str("timeline:\n");
        writer.text.push_str(&ends.concat());
    }
    Ok(File { text: writer.text, jobs, dimension_names: writer.dimension_names })
}

fn seconds(span: Span) -> String {
    format!("{}s", span.as_millis() / 1000)
}

impl<'c> Writer<'c> {
    /// Writes everything but the jobs. An unsupported feature is an error.
    pub fn new(plan: &'c Plan, layout: &Layout, names: &'c Names) -> Result<Writer<'c>, &'static str> {
        let dimension_names = dimension_names(plan, names)?;
        let quotas = quotas(plan, layout, &dimension_names)?;
        let mut writer = Writer { plan, names, dimension_names, quotas, text: String::new() };
        writer.text.push_str("format: fairground-scenario\nversion: 1\npolicy: ego\n");
        writer.settings(layout);
        writer.nodes();
        writer.queues()?;
        Ok(writer)
    }

    /// Writes a job of a sub-allocation.
    pub fn job(&mut self, name: &str, subs: &Arena<SubId, Sub>, sub: SubId, says: &str) {
        let of = &subs[sub];
        let mut text = format!("- {{name: {name}, queue: {}", self.names.consumers[of.leaf]);
        text += &self.amounts(&of.unit, false);
        // Priorities keep the order of the leaf.
        let later = subs.values().skip(sub.index() + 1).filter(|other| other.leaf == of.leaf).count();
        if later > 0 {
            let _ = write!(text, ", priority: {}", 50 + later);
        }
        let _ = writeln!(self.text, "{text}{says}}}");
    }
    fn settings(&mut self, layout: &Layout) {
        let plan = self.plan;
        let mut settings: Vec<String> = Vec::new();
        if plan.default_grace > Span::ZERO {
            settings.push(format!("grace: {}", seconds(plan.default_grace)));
        }
        match plan.placement {
            Placement::Stacked => {}
            Placement::Balanced => settings.push("placement: balanced".to_owned()),
            Placement::Exclusive => settings.push("placement: exclusive".to_owned()),
        }
        let owns = |c: &ConsumerId| !layout.holdings[*c].is_empty() || !plan.is_leaf(*c);
        let owners: Vec<ConsumerId> = plan.consumers.ids().skip(1).filter(owns).collect();
        let is_owned = plan.consumers.values().any(|consumer| !consumer.own.is_empty());
        let lends = |&c: &ConsumerId| plan.consumers[c].lendout;
        if is_owned && !owners.iter().any(lends) {
            settings.push("lendout: false".to_owned());
        } else if is_owned {
            let off = owners.iter().filter(|c| !lends(c));
            settings.extend(off.map(|&c| format!("lendout.{}: false", self.names.consumers[c])));
        }
        for (c, consumer) in plan.consumers.iter().skip(1) {
            let name = &self.names.consumers[c];
            if consumer.lendout && consumer.lendout_grace != plan.default_grace {
                settings.push(format!("lendout-grace.{name}: {}", seconds(consumer.lendout_grace)));
            }
            if let Some(grace) = consumer.private_pool_grace.filter(|&grace| grace != plan.default_grace) {
                settings.push(format!("private-pool-grace.{name}: {}", seconds(grace)));
            }
            if let Some(grace) = consumer.reclaim_grace {
                settings.push(format!("reclaim-grace.{name}: {}", seconds(grace)));
            }
            // The pool of an inner consumer is not lent at all.
            if let [Ownership::Count(n)] = consumer.reserved[..]
                && plan.is_leaf(c)
            {
                settings.push(format!("reserved.{name}: {n}"));
            }
            if consumer.rank > 0 {
                settings.push(format!("rank.{name}: {}", consumer.rank));
            }
        }
        if !settings.is_empty() {
            let _ = writeln!(self.text, "settings: {{{}}}", settings.join(", "));
        }
    }

    fn nodes(&mut self) {
        self.text.push_str("nodes:\n");
        for (name, has) in self.names.hosts.values().zip(self.plan.hosts.values()) {
            let amounts = self.amounts(has, true);
            let _ = writeln!(self.text, "- {{name: {name}{amounts}}}");
        }
    }

    /// Amounts by name. A node without CPU or memory has to be explicit, because both have defaults.
    fn amounts(&self, dims: &Dims, is_node: bool) -> String {
        let mut text = String::new();
        let mut named: Vec<String> = Vec::new();
        for (word, &amount) in self.dimension_names.iter().zip(dims) {
            match word.accounted {
                None if amount > 0 => named.push(format!("{}: {amount}", word.name)),
                Some(at) if amount > 0 || is_node && at < 2 => {
                    let _ = write!(text, ", {}: {amount}{}", word.name, word.unit);
                }
                _ => {}
            }
        }
        if !named.is_empty() {
            let _ = write!(text, ", resources: {{{}}}", named.join(", "));
        }
        text
    }

    fn queues(&mut self) -> Result<(), &'static str> {
        let plan = self.plan;
        self.text.push_str("queues:\n");
        for (c, consumer) in plan.consumers.iter().skip(1) {
            let _ = write!(self.text, "- {{name: {}", self.names.consumers[c]);
            if let Some(parent) = consumer.parent.filter(|&parent| parent != ConsumerId::ROOT) {
                let _ = write!(self.text, ", parent: {}", self.names.consumers[parent]);
            }
            if consumer.priority != 0 {
                let _ = write!(self.text, ", priority: {}", consumer.priority);
            }
            let mut parts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            if consumer.ratio != 1 {
                parts.entry("gpu").or_default().push(format!("weight: {}", consumer.ratio));
            }
            for (dim, word) in self.dimension_names.iter().enumerate() {
                let of_children: i64 = consumer.children.iter().filter_map(|&c| self.quotas[c][dim]).sum();
                // A parent owns at least the hosts of its children.
                if let Some(quota) = self.quotas[c][dim].filter(|&quota| quota > of_children) {
                    parts.entry(&word.name).or_default().push(format!("quota: {quota}{}", word.unit));
                }
                if let Some(limit) = consumer.share_limit[dim] {
                    let amount = self.limit(limit, dim)?;
                    parts.entry(&word.name).or_default().push(format!("limit: {amount}{}", word.unit));
                }
            }
            for (name, values) in parts {
                let _ = write!(self.text, ", {name}: {{{}}}", values.join(", "));
            }
            self.text.push_str("}\n");
        }
        Ok(())
    }

    /// A percentage refers to the whole plan and must be exact in thousandths.
    fn limit(&self, limit: ShareLimit, dim: usize) -> Result<String, &'static str> {
        let part = match limit {
            ShareLimit::At(most) => return Ok(most.to_string()),
            ShareLimit::Part(millionths) => millionths,
        };
        let total: i64 = self.plan.hosts.values().map(|host| host[dim]).sum();
        let thousandths = total * part / 1000;
        let is_exact = thousandths * 1000 == total * part && thousandths >= 0;
        let is_whole = thousandths % 1000 == 0;
        if !is_exact || !is_whole && self.dimension_names[dim].unit == "Gi" {
            return Err("a share limit that is no round amount");
        }
        Ok(format!("{}", thousandths as f64 / 1000.0))
    }

    /// Writes the jobs: those of a sub-allocation in order, equal ones as one pattern. Returns the job name per pod.
    fn jobs(&mut self, course: &ExpectedRun) -> Vec<String> {
        let mut jobs = vec![String::new(); course.pods.len()];
        self.text.push_str("jobs:\n");
        for (sub, name) in self.names.subs.iter() {
            let pods: Vec<usize> = (0..course.pods.len()).filter(|&pod| course.pods[pod].sub == sub).collect();
            let is_plain = |&pod: &usize| course.pods[pod].on.is_none() && !course.pods[pod].is_never_replaced;
            let is_like =
                |a: &usize, b: &usize| is_plain(a) && is_plain(b) && course.pods[*a].submit == course.pods[*b].submit;
            for group in pods.chunk_by(is_like) {
                let first = &course.pods[group[0]];
                let base = format!("{name}-{}", first.number);
                for (i, &pod) in group.iter().enumerate() {
                    jobs[pod] = if group.len() > 1 { format!("{base}-{}", i + 1) } else { base.clone() };
                }
                let says = self.says(group.len(), first, course);
                self.job(&base, &course.subs, sub, &says);
            }
        }
        jobs
    }

    fn says(&self, count: usize, pod: &super::course::Pod, course: &ExpectedRun) -> String {
        let mut text = String::new();
        if count > 1 {
            let _ = write!(text, ", count: {count}");
        }
        if pod.submit > 0 {
            let _ = write!(text, ", submit: {}s", pod.submit);
        }
        if let Some((host, started)) = pod.on {
            let ago = course.started - started;
            let _ = write!(text, ", on: [{}], started: -{ago}s", self.names.hosts[host]);
        }
        if pod.is_never_replaced {
            text += ", restart: never";
        }
        text
    }
}
