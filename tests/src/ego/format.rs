//! The case format of `ego-model/1`, and a plan built from it.

use std::collections::BTreeMap;

use fairground::id::{Arena, Id};
use fairground::policy::ego::ids::{ConsumerId, HostId, SubId};
use fairground::policy::ego::plan::{Consumer, Dims, Ownership, Placement, Plan, ShareLimit, fits};
use fairground::policy::ego::pool_state::{PoolState, Source, Sub, UnitState};
use fairground::time::{Span, Time};
use serde::Deserialize;
use serde_json::Value;

/// A case; its shape is given by the presence of `plan`, `slots` or `pool`.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Unique in the file.
    pub id: String,
    pub consumers: Node,
    /// Plan shape.
    pub plan: Option<PoolHosts>,
    /// Plan shape: events and expected results per cycle.
    #[serde(default)]
    pub cycles: Vec<Value>,
    /// Slot shape.
    pub slots: Option<u64>,
    /// Slot shape: `static` or `dynamic`.
    #[serde(default)]
    pub share_quota: String,
    /// Slot shape: `leaf` or `parent`.
    #[serde(default)]
    pub enforce_at: String,
    /// Step shape.
    pub pool: Option<PoolHosts>,
    /// Sub-allocations in order, or wanted slots by leaf.
    #[serde(default)]
    pub demand: Value,
    /// Initially running units, or held slots by leaf.
    #[serde(default)]
    pub initial: Value,
    /// Units covered elsewhere, by sub-allocation.
    #[serde(default)]
    pub outside: BTreeMap<String, u32>,
    /// Step and slot shape: operations, in order.
    #[serde(default)]
    pub steps: Vec<Value>,
}

/// The hosts of a pool or plan.
#[derive(Clone, Debug, Deserialize)]
pub struct PoolHosts {
    /// Pool id: `public`, or the consumer of a private pool.
    #[serde(default)]
    pub id: String,
    #[serde(default, alias = "default_grace")]
    pub grace: i64,
    /// `stacked`, `balanced` or `exclusive`.
    pub placement: String,
    pub hosts: Vec<Host>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Host {
    /// Name, or name prefix.
    pub id: String,
    /// Capacity per dimension.
    pub cap: BTreeMap<String, String>,
    pub count: Option<usize>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    pub id: String,
    /// Share ratio, a fraction.
    pub ratio: Option<String>,
    #[serde(default)]
    pub priority: i64,
    /// Per dimension, an amount or a percentage.
    #[serde(default)]
    pub share_limit: BTreeMap<String, String>,
    pub reclaim_grace: Option<i64>,
    /// Ownership.
    #[serde(default)]
    pub own: Vec<Owned>,
    /// Ownership that is never lent.
    #[serde(default)]
    pub reserved: OneOrMany,
    /// Whether it lends.
    #[serde(default)]
    pub lendout: bool,
    #[serde(default)]
    pub lendout_grace: i64,
    pub private_pool_grace: Option<i64>,
    /// Rank in the distribution of hosts.
    #[serde(default)]
    pub rank: u32,
    /// Slot shape: maximum number of slots.
    pub limit: Option<u64>,
    #[serde(default)]
    pub children: Vec<Node>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owned {
    Hosts(Vec<String>),
    NumHosts(usize),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(Owned),
    Many(Vec<Owned>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct UnitRequest {
    pub leaf: String,
    pub sub: String,
    /// Unit size.
    pub unit: BTreeMap<String, String>,
    pub want: u32,
}

/// Names by index.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub dims: Vec<String>,
    pub hosts: Arena<HostId, String>,
    /// Consumers in tree order.
    pub consumers: Arena<ConsumerId, String>,
    /// Sub-allocations in order.
    pub subs: Arena<SubId, String>,
    /// Per consumer, the slot shape's limit.
    pub limits: Vec<Option<u64>>,
}

impl Names {
    /// Finds an id by name.
    pub fn find<I: Id>(names: &Arena<I, String>, name: &str) -> Result<I, String> {
        let found = names.iter().find(|(_, n)| *n == name);
        found.map(|(id, _)| id).ok_or_else(|| format!("unknown name {name:?}"))
    }

    fn dim(&self, name: &str) -> Result<usize, String> {
        self.dims.iter().position(|n| n == name).ok_or_else(|| format!("unknown dimension {name:?}"))
    }

    fn dims_of(&self, amounts: &BTreeMap<String, String>) -> Result<Dims, String> {
        let mut dims = Dims::default();
        for (name, amount) in amounts {
            dims[self.dim(name)?] = amount.parse().map_err(|_| format!("amount {amount:?}"))?;
        }
        Ok(dims)
    }

    /// Converts a sub-allocation for the engine.
    pub fn sub(&mut self, wanted: &UnitRequest, outside: u32) -> Result<Sub, String> {
        let leaf = Names::find(&self.consumers, &wanted.leaf)?;
        let unit = self.dims_of(&wanted.unit)?;
        let allocation = self.subs.push(wanted.sub.clone());
        Ok(Sub { leaf, allocation, unit, want: wanted.want, outside, ..Sub::default() })
    }
}

/// Units that run at the start.
#[derive(Deserialize)]
struct Running {
    sub: String,
    count: usize,
    #[serde(default)]
    hosts: Vec<String>,
}

/// The state at the start of a case in the step or plan shape.
pub fn open<'p>(case: &Case, plan: &'p Plan, names: &mut Names) -> Result<PoolState<'p>, String> {
    let mut state = PoolState::new(plan, Time::ZERO);
    let wanted: Vec<UnitRequest> = serde_json::from_value(case.demand.clone()).map_err(|e| format!("demand: {e}"))?;
    for wanted in &wanted {
        let outside = case.outside.get(&wanted.sub).copied().unwrap_or(0);
        let sub = names.sub(wanted, outside)?;
        state.add_sub(sub);
    }
    let running: Option<Vec<Running>> =
        serde_json::from_value(case.initial.clone()).map_err(|e| format!("initial: {e}"))?;
    for group in running.iter().flatten() {
        let sub = Names::find(&names.subs, &group.sub)?;
        for i in 0..group.count {
            let host = match group.hosts.get(i) {
                Some(name) => Names::find(&names.hosts, name)?,
                None => {
                    let unit = state.subs[sub].unit;
                    let host = state.free.iter().find(|(_, free)| fits(free, &unit));
                    host.ok_or("initial units do not fit")?.0
                }
            };
            state.enter(sub, host, Source::Pool(ConsumerId::ROOT), UnitState::Run);
        }
    }
    Ok(state)
}

fn fraction(text: &str) -> Result<(u64, u64), String> {
    let (n, d) = text.split_once('/').unwrap_or((text, "1"));
    let number = |t: &str| t.parse::<u64>().map_err(|_| format!("fraction {text:?}"));
    Ok((number(n)?, number(d)?))
}

fn limit(text: &str) -> Result<ShareLimit, String> {
    let number = |t: &str| t.parse::<i64>().map_err(|_| format!("limit {text:?}"));
    match text.strip_suffix('%') {
        Some(percent) => Ok(ShareLimit::Part(number(percent)? * 10_000)),
        None => Ok(ShareLimit::At(number(text)?)),
    }
}

/// The plan of a case and the names in it.
pub fn plan(case: &Case) -> Result<(Plan, Names), String> {
    let place = case.plan.as_ref().or(case.pool.as_ref());
    let mut names = Names::default();
    let mut plan = Plan::default();
    for host in place.iter().flat_map(|place| &place.hosts) {
        for name in host.cap.keys().filter(|name| !names.dims.contains(name)).cloned().collect::<Vec<_>>() {
            names.dims.push(name);
        }
        for i in 0..host.count.unwrap_or(1) {
            let id = if host.count.is_some() { format!("{}{:03}", host.id, i + 1) } else { host.id.clone() };
            names.hosts.push(id);
        }
    }
    names.dims.sort();
    for host in place.iter().flat_map(|place| &place.hosts) {
        let capacity = names.dims_of(&host.cap)?;
        for _ in 0..host.count.unwrap_or(1) {
            plan.hosts.push(capacity);
        }
    }
    if let Some(place) = place {
        plan.default_grace = Span::from_seconds(place.grace);
        plan.placement = match place.placement.as_str() {
            "stacked" => Placement::Stacked,
            "balanced" => Placement::Balanced,
            "exclusive" => Placement::Exclusive,
            other => return Err(format!("placement {other:?}")),
        };
    }
    let mut ratios = Arena::new();
    add(&mut plan, &mut names, &mut ratios, &case.consumers, None)?;
    plan.set_ratios(&ratios);
    Ok((plan, names))
}

fn add(
    plan: &mut Plan,
    names: &mut Names,
    ratios: &mut Arena<ConsumerId, (u64, u64)>,
    node: &Node,
    parent: Option<ConsumerId>,
) -> Result<(), String> {
    let seconds = |s: Option<i64>| s.map(Span::from_seconds);
    let reserved = match &node.reserved {
        OneOrMany::One(one) => std::slice::from_ref(one),
        OneOrMany::Many(many) => many,
    };
    let mut consumer = Consumer {
        priority: node.priority,
        rank: node.rank,
        lendout: node.lendout,
        lendout_grace: Span::from_seconds(node.lendout_grace),
        private_pool_grace: seconds(node.private_pool_grace),
        reclaim_grace: seconds(node.reclaim_grace),
        own: owned(names, &node.own)?,
        reserved: owned(names, reserved)?,
        ..Consumer::default()
    };
    for (dim, text) in &node.share_limit {
        consumer.share_limit[names.dim(dim)?] = Some(limit(text)?);
    }
    ratios.push(fraction(node.ratio.as_deref().unwrap_or("1"))?);
    names.consumers.push(node.id.clone());
    names.limits.push(node.limit);
    let id = plan.add(parent, consumer);
    node.children.iter().try_for_each(|child| add(plan, names, ratios, child, Some(id)))
}

fn owned(names: &Names, entries: &[Owned]) -> Result<Vec<Ownership>, String> {
    let one = |entry: &Owned| match entry {
        Owned::NumHosts(n) => Ok(Ownership::Count(*n)),
        Owned::Hosts(hosts) => {
            let found: Result<Vec<HostId>, String> = hosts.iter().map(|h| Names::find(&names.hosts, h)).collect();
            Ok(Ownership::Hosts(found?))
        }
    };
    entries.iter().map(one).collect()
}
