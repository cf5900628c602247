//! Export of the consumer tree as a multidimensional resource plan (`MDPlan.xml`).
//!
//! # Rule
//! Share ratio, share priority (inverted, since 1 is the highest), absolute share limits, ownership as a number of
//! hosts, rank and grace periods. The quota of a queue is a number of GPUs, which is rounded up to hosts.
//!
//! # Source
//! IBM Spectrum Symphony, *MDPlan.xml reference*; *Share priority and ratio*
//!
//! # Differs
//! a plan has one resource group: that of the first pool is exported

use std::collections::BTreeSet;

use super::config::{Config, ConsumerConfig, Placement};
use crate::cluster::Queue;
use crate::format::quantity::print_decimal;
use crate::id::{Arena, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::export::{Export, Source, Written};
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
    let plan = Plan { source, pool, queues, config };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    plan.whole().write(0, &mut text);
    Some(Written { text, left_out: plan.left_out() })
}

/// An XML element.
struct Element {
    /// Content of the start tag: name and attributes.
    tag: String,
    content: Content,
}

enum Content {
    Text(String),
    Children(Vec<Element>),
}

impl Element {
    fn text(tag: impl Into<String>, text: impl ToString) -> Element {
        Element { tag: tag.into(), content: Content::Text(text.to_string()) }
    }

    fn parent(tag: impl Into<String>, children: Vec<Element>) -> Element {
        Element { tag: tag.into(), content: Content::Children(children) }
    }

    fn write(&self, depth: usize, out: &mut String) {
        let Element { tag, content } = self;
        let name = tag.split(' ').next().unwrap_or_default();
        let indent = "  ".repeat(depth);
        match content {
            Content::Text(text) => out.push_str(&format!("{indent}<{tag}>{text}</{name}>\n")),
            Content::Children(children) => {
                out.push_str(&format!("{indent}<{tag}>\n"));
                children.iter().for_each(|child| child.write(depth + 1, out));
                out.push_str(&format!("{indent}</{name}>\n"));
            }
        }
    }
}

struct Plan<'s, 'a> {
    source: &'s Source<'a>,
    pool: PartitionId,
    queues: &'a Arena<QueueId, Queue>,
    config: &'a Config,
}

impl<'a> Plan<'_, 'a> {
    fn whole(&self) -> Element {
        let name = &self.source.scenario.name;
        let name = if name.is_empty() { "resource plan" } else { name };
        let grace = |grace| Element::text("PolicyParameter name=\"DefaultGracePeriod\"", seconds(grace));
        let tops = self.queues.ids().filter(|&id| self.queues[id].parent.is_none());
        let mut children = vec![Element::text("ResourceGroupName", GROUP)];
        children.extend(self.over_commit());
        children.extend(self.config.grace.map(grace));
        children.extend(tops.map(|top| self.consumer(top)));
        Element::parent(format!("DistributionTree DistributionTreeName=\"{}\"", escaped(name)), children)
    }

    fn over_commit(&self) -> Option<Element> {
        let ratios = self.config.over_commit();
        let dims = [("ncpus", Resource::CPU), ("maxmem", Resource::MEMORY), ("ngpus", Resource::GPU)];
        let resource = |(name, resource): (&str, Resource)| {
            let ratio = print_decimal(ratios.get(resource).in_millionths(), 6);
            Element::text(format!("ConsumableResource OverCommitRatio=\"{ratio}\""), name)
        };
        let has_ratios = dims.iter().any(|(_, resource)| ratios.get(*resource) != Weight::ONE);
        has_ratios.then(|| Element::parent("ConsumableResources", dims.map(resource).into()))
    }

    fn consumer(&self, id: QueueId) -> Element {
        let queue = &self.queues[id];
        // In a scenario, a consumer with a duplicate name has its parent's name as a prefix.
        let parent = queue.parent.map(|parent| &*self.queues[parent].name);
        let own_name = parent.and_then(|parent| queue.name.strip_prefix(parent)?.strip_prefix('/'));
        let name = escaped(own_name.unwrap_or(&queue.name));
        let consumers = queue.children.iter().map(|&child| self.consumer(child));
        let children = self.policies(queue).into_iter().chain(consumers).collect();
        Element::parent(format!("Consumer ConsumerName=\"{name}\""), children)
    }

    fn policies(&self, queue: &Queue) -> Option<Element> {
        let config = self.config.consumers.get(&queue.name).cloned().unwrap_or_default();
        let rank = (config.rank != 0).then(|| Element::text("Rank", config.rank));
        let all = [rank, sharing(queue), self.ownership(queue, &config)];
        let all: Vec<Element> = all.into_iter().flatten().collect();
        (!all.is_empty()).then(|| Element::parent("DistributionPolicies", all))
    }

    /// Number of hosts that a queue owns, rounded down, and whether its ownership is a whole number of hosts.
    fn owned_hosts(&self, queue: &Queue) -> (i64, bool) {
        let Bound::At(amount) = queue.resources.gpu.quota else { return (0, true) };
        let (gpus, per_host) = (amount.in_base_units().max(0), self.gpus_of_a_host());
        (gpus / per_host, gpus % per_host == 0)
    }

    fn ownership(&self, queue: &Queue, config: &ConsumerConfig) -> Option<Element> {
        let grace = config.private_pool_grace.map(|grace| Element::text("PrivatePoolGracePeriod", seconds(grace)));
        let (hosts, _) = self.owned_hosts(queue);
        let group = (hosts > 0).then(|| {
            let hosts = Element::text("NumHosts type=\"absolute\"", hosts);
            let selection = Element::parent("HostSelection type=\"NumHosts\"", vec![hosts]);
            Element::parent(format!("ResourceGroup name=\"{GROUP}\""), vec![selection])
        });
        let all: Vec<Element> = grace.into_iter().chain(group).collect();
        (!all.is_empty()).then(|| Element::parent("OwnershipPolicy", all))
    }

    /// Milli-GPUs of the first host with GPUs.
    fn gpus_of_a_host(&self) -> i64 {
        let nodes = self.source.cluster.nodes.values().filter(|node| node.partition == self.pool);
        nodes.map(|node| node.capacity.get(Resource::GPU).in_base_units()).find(|&gpus| gpus > 0).unwrap_or(1000)
    }

    fn left_out(&self) -> Vec<String> {
        let source = self.source;
        let queues_with = |predicate: &dyn Fn(&Queue, &ConsumerConfig) -> bool| -> BTreeSet<&str> {
            let config_of = |queue: &Queue| self.config.consumers.get(&queue.name).cloned().unwrap_or_default();
            self.queues.values().filter(|queue| predicate(queue, &config_of(queue))).map(|queue| &*queue.name).collect()
        };
        let rounded = queues_with(&|queue, _| !self.owned_hosts(queue).1);
        let lends = queues_with(&|_, config| {
            config.lendout.is_some()
                || config.lendout_grace.is_some()
                || config.reserved > 0
                || config.reclaim_grace.is_some()
        });
        let owns = queues_with(&|queue, _| {
            [queue.resources.cpu.quota, queue.resources.memory.quota].iter().any(|bound| matches!(bound, Bound::At(_)))
        });
        let odd = queues_with(&|queue, _| queue.priority.is_some_and(|p| !(1..PRIORITIES).contains(&p)));
        let mut all: Vec<String> = Vec::new();
        all.extend(source.remark(&rounded, "a plan counts whole hosts; what is owned is rounded down to them"));
        all.extend(source.remark(&lends, "lending, reserves and reclaim grace are not in a plan that is written here"));
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
}

fn sharing(queue: &Queue) -> Option<Element> {
    let ratio = |weight: Weight| Element::text("Shares type=\"ratio\"", print_decimal(weight.in_millionths(), 6));
    let limits = limits(queue);
    let limit = (!limits.is_empty()).then(|| Element::parent("Limit type=\"dimension\"", limits));
    let elements: Vec<Element> = queue.resources.gpu.weight.map(ratio).into_iter().chain(limit).collect();
    let turned = |priority: i32| format!("Sharing priority=\"{}\"", PRIORITIES - priority.clamp(1, PRIORITIES - 1));
    let is_said = !elements.is_empty() || queue.priority.is_some();
    is_said.then(|| Element::parent(queue.priority.map_or("Sharing".into(), turned), elements))
}

fn limits(queue: &Queue) -> Vec<Element> {
    let all = [("ncpus", Resource::CPU, 3), ("maxmem", Resource::MEMORY, 0), ("ngpus", Resource::GPU, 3)];
    let limit = |(name, resource, digits): (&str, Resource, u32)| {
        let Bound::At(amount) = queue.resources.get(resource).limit else { return None };
        let n = amount.in_base_units();
        let n = if resource == Resource::MEMORY { n / MIB } else { n };
        Some(Element::text(format!("{name} type=\"absolute\""), print_decimal(n, digits)))
    };
    all.into_iter().filter_map(limit).collect()
}

/// Whole seconds, rounded up.
fn seconds(span: Span) -> i64 {
    let ms = span.as_millis();
    ms / 1000 + i64::from(ms % 1000 != 0)
}

/// Escapes text for a quoted attribute; control characters become blanks.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.replace(char::is_control, " ")
}
