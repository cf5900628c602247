//! Export of the consumer tree as a multidimensional resource plan (`MDPlan.xml`).
//!
//! # Rule
//! Share ratio, share priority (inverted, since 1 is the highest), absolute share limits, ownership as a number of hosts,
//! rank and grace periods. The quota of a queue is a number of GPUs, which is rounded up to hosts.
//!
//! # Source
//! IBM Spectrum Symphony, *MDPlan.xml reference*; *Share priority and ratio*
//!
//! # Differs
//! a plan has one resource group: that of the first pool is exported

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::config::{Config, ConsumerConfig, Placement};
use crate::cluster::Queue;
use crate::id::{Arena, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::export::{Export, Source, Written, decimal};
use crate::time::Span;
use crate::units::{Bound, Resource, Weight};

/// The plan file.
pub const PLAN: Export = Export {
    file: "MDPlan.xml",
    media: "application/xml",
    about: "The consumer tree as a resource plan of EGO, without hosts and work.",
    write,
};

/// One more than the lowest share priority; they range from 1, the highest, to 10.
const PRIORITIES: i32 = 11;
const MIB: i64 = 1 << 20;
/// Resource group of exported plans.
const GROUP: &str = "ComputeHosts";

fn write(source: &Source<'_>) -> Option<Written> {
    let (pool, queues, policy) = source.partitions().next()?;
    let Policy::Ego(config) = policy else { return None };
    let mut plan = Plan { source, pool, queues, config, out: String::new(), rounded: BTreeSet::new() };
    plan.whole();
    let (text, rounded) = (std::mem::take(&mut plan.out), std::mem::take(&mut plan.rounded));
    let mut left_out: Vec<String> = Vec::new();
    left_out
        .extend(source.remark(&rounded, "a plan counts whole hosts; what is owned is rounded down to them"));
    left_out.extend(plan.left_out());
    Some(Written { text, left_out })
}

struct Plan<'s, 'a> {
    source: &'s Source<'a>,
    pool: PartitionId,
    queues: &'a Arena<QueueId, Queue>,
    config: &'a Config,
    out: String,
    /// Queues whose ownership is not a whole number of hosts.
    rounded: BTreeSet<&'a str>,
}

impl<'a> Plan<'_, 'a> {
    fn whole(&mut self) {
        let name = &self.source.scenario.name;
        let name = if name.is_empty() { "resource plan" } else { name };
        self.line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        self.line(0, &format!("<DistributionTree DistributionTreeName=\"{}\">", escaped(name)));
        self.line(1, &format!("<ResourceGroupName>{GROUP}</ResourceGroupName>"));
        self.over_commit();
        if let Some(grace) = self.config.grace {
            let seconds = seconds(grace);
            self.line(
                1,
                &format!("<PolicyParameter name=\"DefaultGracePeriod\">{seconds}</PolicyParameter>"),
            );
        }
        let tops = self.queues.ids().filter(|&id| self.queues[id].parent.is_none());
        for top in tops.collect::<Vec<_>>() {
            self.consumer(top, 1);
        }
        self.line(0, "</DistributionTree>");
    }

    fn over_commit(&mut self) {
        let ratios = self.config.over_commit();
        let dims = [("ncpus", Resource::CPU), ("maxmem", Resource::MEMORY), ("ngpus", Resource::GPU)];
        if dims.iter().all(|(_, resource)| ratios.get(*resource) == Weight::ONE) {
            return;
        }
        self.line(1, "<ConsumableResources>");
        for (name, resource) in dims {
            let ratio = decimal(ratios.get(resource).in_millionths(), 6);
            self.line(
                2,
                &format!("<ConsumableResource OverCommitRatio=\"{ratio}\">{name}</ConsumableResource>"),
            );
        }
        self.line(1, "</ConsumableResources>");
    }

    fn consumer(&mut self, id: QueueId, depth: usize) {
        let queues = self.queues;
        let queue = &queues[id];
        // In a scenario, a consumer with a duplicate name has its parent's name as a prefix.
        let parent = queue.parent.map(|parent| &*queues[parent].name);
        let own = parent.and_then(|parent| queue.name.strip_prefix(parent)?.strip_prefix('/'));
        let name = escaped(own.unwrap_or(&queue.name));
        self.line(depth, &format!("<Consumer ConsumerName=\"{name}\">"));
        self.policies(queue, depth + 1);
        for &child in &queue.children {
            self.consumer(child, depth + 1);
        }
        self.line(depth, "</Consumer>");
    }

    fn policies(&mut self, queue: &'a Queue, depth: usize) {
        let config = self.config.consumers.get(&queue.name).cloned().unwrap_or_default();
        let sharing = sharing(queue, depth + 1);
        let ownership = self.ownership(queue, &config, depth + 1);
        if config.rank == 0 && sharing.is_empty() && ownership.is_empty() {
            return;
        }
        self.line(depth, "<DistributionPolicies>");
        if config.rank != 0 {
            self.line(depth + 1, &format!("<Rank>{}</Rank>", config.rank));
        }
        self.out.push_str(&sharing);
        self.out.push_str(&ownership);
        self.line(depth, "</DistributionPolicies>");
    }

    fn ownership(&mut self, queue: &'a Queue, config: &ConsumerConfig, depth: usize) -> String {
        let hosts = match queue.resources.gpu.quota {
            Bound::At(amount) if amount.in_base_units() > 0 => {
                let per_host = self.gpus_of_a_host();
                let hosts = amount.in_base_units().checked_div(per_host).unwrap_or(0);
                if hosts * per_host != amount.in_base_units() {
                    self.rounded.insert(&queue.name);
                }
                hosts
            }
            _ => 0,
        };
        let mut out = String::new();
        let grace = config.private_pool_grace.map(seconds);
        if hosts == 0 && grace.is_none() {
            return out;
        }
        let mut line = |depth: usize, text: &str| indented(&mut out, depth, text);
        line(depth, "<OwnershipPolicy>");
        if let Some(grace) = grace {
            line(depth + 1, &format!("<PrivatePoolGracePeriod>{grace}</PrivatePoolGracePeriod>"));
        }
        if hosts > 0 {
            line(depth + 1, &format!("<ResourceGroup name=\"{GROUP}\">"));
            line(depth + 2, "<HostSelection type=\"NumHosts\">");
            line(depth + 3, &format!("<NumHosts type=\"absolute\">{hosts}</NumHosts>"));
            line(depth + 2, "</HostSelection>");
            line(depth + 1, "</ResourceGroup>");
        }
        line(depth, "</OwnershipPolicy>");
        out
    }

    /// Milli-GPUs of the first host with GPUs.
    fn gpus_of_a_host(&self) -> i64 {
        let nodes = self.source.cluster.nodes.values().filter(|node| node.partition == self.pool);
        nodes
            .map(|node| node.capacity.get(Resource::GPU).in_base_units())
            .find(|&gpus| gpus > 0)
            .unwrap_or(1000)
    }

    fn left_out(&self) -> Vec<String> {
        let source = self.source;
        let has = |is: &dyn Fn(&Queue, &ConsumerConfig) -> bool| -> BTreeSet<&str> {
            let of = |queue: &Queue| self.config.consumers.get(&queue.name).cloned().unwrap_or_default();
            self.queues.values().filter(|queue| is(queue, &of(queue))).map(|queue| &*queue.name).collect()
        };
        let lends = has(&|_, config| {
            config.lendout.is_some()
                || config.lendout_grace.is_some()
                || config.reserved > 0
                || config.reclaim_grace.is_some()
        });
        let owns = has(&|queue, _| {
            [queue.resources.cpu.quota, queue.resources.memory.quota]
                .iter()
                .any(|bound| matches!(bound, Bound::At(_)))
        });
        let odd = has(&|queue, _| queue.priority.is_some_and(|p| !(1..PRIORITIES).contains(&p)));
        let mut all: Vec<String> = Vec::new();
        all.extend(
            source
                .remark(&lends, "lending, reserves and reclaim grace are not in a plan that is written here"),
        );
        all.extend(source.remark(&owns, "hosts are owned, not CPU or memory alone; not written"));
        all.extend(source.remark(&odd, "share priorities are 1 to 10; the nearest is written"));
        if !self.config.lendout || self.config.placement != Placement::Stacked {
            all.push("lending and placement of the whole plan are set elsewhere; not written".into());
        }
        if source.cluster.partitions.len() > 1 {
            all.push("a plan is of one resource group: only the first pool is written".into());
        }
        all
    }

    fn line(&mut self, depth: usize, text: &str) {
        indented(&mut self.out, depth, text);
    }
}

fn sharing(queue: &Queue, depth: usize) -> String {
    let mut inside = String::new();
    if let Some(weight) = queue.resources.gpu.weight {
        let ratio = decimal(weight.in_millionths(), 6);
        indented(&mut inside, depth + 1, &format!("<Shares type=\"ratio\">{ratio}</Shares>"));
    }
    let limits = limits(queue, depth + 2);
    if !limits.is_empty() {
        indented(&mut inside, depth + 1, "<Limit type=\"dimension\">");
        inside.push_str(&limits);
        indented(&mut inside, depth + 1, "</Limit>");
    }
    let turned =
        |priority: i32| format!(" priority=\"{}\"", (PRIORITIES - priority.clamp(1, PRIORITIES - 1)));
    let priority = queue.priority.map_or(String::new(), turned);
    let mut out = String::new();
    if !inside.is_empty() || !priority.is_empty() {
        indented(&mut out, depth, &format!("<Sharing{priority}>"));
        out.push_str(&inside);
        indented(&mut out, depth, "</Sharing>");
    }
    out
}

fn limits(queue: &Queue, depth: usize) -> String {
    let mut out = String::new();
    let all = [("ncpus", Resource::CPU, 3), ("maxmem", Resource::MEMORY, 0), ("ngpus", Resource::GPU, 3)];
    for (name, resource, digits) in all {
        let Bound::At(amount) = queue.resources.get(resource).limit else { continue };
        let n = amount.in_base_units();
        let n = if resource == Resource::MEMORY { n / MIB } else { n };
        let value = decimal(n, digits);
        indented(&mut out, depth, &format!("<{name} type=\"absolute\">{value}</{name}>"));
    }
    out
}

/// Whole seconds, rounded up.
fn seconds(span: Span) -> i64 {
    let ms = span.as_millis();
    ms / 1000 + i64::from(ms % 1000 != 0)
}

fn indented(out: &mut String, depth: usize, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:width$}{text}", "", width = 2 * depth);
}

/// Escapes text for a quoted attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
