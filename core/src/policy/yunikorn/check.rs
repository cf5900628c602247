//! What is wrong with a configuration, in upstream's terms.
//!
//! # Rule
//! Quantities are compared as written, an explicit 0 included, on the types that the larger side names. A child without a
//! guarantee counts with the sum of its own children; a guarantee of zeros counts as absent. The first finding refuses
//! the whole configuration.
//!
//! # Source
//! yunikorn.md 1.6, 8

use std::collections::BTreeMap;

use super::amounts::{self, Amounts};
use super::config::{File, Limit, Partition, Queue, Types, amounts as read};
use super::properties::Written;

/// Why a configuration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The root has another spelling.
    NoRootQueue,
    /// Two siblings of one name.
    DuplicateQueueName,
    /// Characters or length.
    QueueName,
    /// A quantity that cannot be read.
    Quantity,
    /// The root has resources.
    RootResources,
    /// Guaranteed more than the maximum.
    GuaranteedAboveMax,
    /// Own guarantee below the children's sum.
    GuaranteedBelowSumOfChildren,
    /// Maximum below the children's guarantees.
    MaxBelowSumOfGuaranteed,
    /// A maximum above an ancestor's.
    MaxAboveParentMax,
    /// A child without maxapplications below a queue that has them.
    MaxApplicationsMissingBelowLimitedParent,
    /// A child with more applications than its parent.
    MaxApplicationsAboveParent,
    /// Neither fair nor binpacking.
    NodeSortPolicy,
    /// A weight below 0.
    NegativeWeight,
    /// A limit without users and groups, or without a maximum.
    Limit,
    /// A name twice in one queue's limits.
    DuplicateLimitName,
    /// More than an ancestor's limit for the same name.
    LimitAboveParentLimit,
    /// More resources than the queue.
    LimitAboveQueueMax,
    /// More applications than the queue.
    LimitAboveQueueMaxApplications,
    /// A placement rule that does not exist.
    Rule,
}

type Checked<T> = Result<T, Problem>;

/// The first finding, if there is one.
pub fn check(file: &File, types: &Types) -> Checked<()> {
    file.partitions.iter().try_for_each(|partition| check_partition(partition, types))
}

fn ensure(holds: bool, problem: Problem) -> Checked<()> {
    if holds { Ok(()) } else { Err(problem) }
}

fn check_partition(partition: &Partition, types: &Types) -> Checked<()> {
    if let [only] = partition.queues.as_slice() {
        let spelling = only.name == "root" || !only.name.eq_ignore_ascii_case("root");
        ensure(spelling, Problem::NoRootQueue)?;
    }
    let root = partition.root();
    if !partition.limits.is_empty() {
        ensure(root.limits == partition.limits, Problem::Limit)?;
    }
    let kind = partition.nodesortpolicy.kind.as_str();
    ensure(["", "fair", "binpacking"].contains(&kind), Problem::NodeSortPolicy)?;
    let weights = &partition.nodesortpolicy.resourceweights;
    ensure(weights.values().all(|w| *w >= 0.0), Problem::NegativeWeight)?;
    for rule in &partition.placementrules {
        let mut rule = Some(rule);
        while let Some(this) = rule {
            ensure(["provided", "user", "fixed"].contains(&this.name.as_str()), Problem::Rule)?;
            rule = this.parent.as_deref();
        }
    }
    ensure(root.resources.guaranteed.is_empty() && root.resources.max.is_empty(), Problem::RootResources)?;
    check_names(&root)?;
    check_resources(&root, types, &Amounts::NONE)?;
    check_applications(&root)?;
    check_limits(&root, types, &Limits::default(), true)
}

fn is_legal(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
    (1..=64).contains(&name.len()) && name.chars().all(allowed)
}

fn check_names(queue: &Queue) -> Checked<()> {
    ensure(is_legal(&queue.name), Problem::QueueName)?;
    for (i, child) in queue.queues.iter().enumerate() {
        let same = |other: &Queue| other.name.eq_ignore_ascii_case(&child.name);
        ensure(!queue.queues[..i].iter().any(same), Problem::DuplicateQueueName)?;
        check_names(child)?;
    }
    Ok(())
}

fn parsed(types: &Types, written: &Written) -> Checked<Amounts> {
    match read(types, written) {
        Some(_) if written.is_empty() => Ok(Amounts::NONE),
        Some(amounts) => Ok(amounts),
        None => Err(Problem::Quantity),
    }
}

/// Returns what the queue counts in its parent's sum.
fn check_resources(queue: &Queue, types: &Types, above: &Amounts) -> Checked<Amounts> {
    let guaranteed = parsed(types, &queue.resources.guaranteed)?;
    let max = parsed(types, &queue.resources.max)?;
    parsed(types, &queue.childtemplate.resources.guaranteed)?;
    parsed(types, &queue.childtemplate.resources.max)?;
    ensure(above.is_none() || amounts::fits_undef(above, &max), Problem::MaxAboveParentMax)?;
    let effective = amounts::min_union(above, &max);
    let mut sum = Amounts::EMPTY;
    for child in &queue.queues {
        sum.add(&check_resources(child, types, &effective)?);
    }
    let absent = guaranteed.is_zero();
    ensure(absent || amounts::fits_undef(&guaranteed, &sum), Problem::GuaranteedBelowSumOfChildren)?;
    ensure(amounts::fits_undef(&effective, &sum), Problem::MaxBelowSumOfGuaranteed)?;
    ensure(amounts::fits_undef(&max, &guaranteed), Problem::GuaranteedAboveMax)?;
    Ok(if absent { sum } else { guaranteed })
}

fn check_applications(queue: &Queue) -> Checked<()> {
    for child in &queue.queues {
        if queue.maxapplications > 0 {
            let n = child.maxapplications;
            ensure(n > 0, Problem::MaxApplicationsMissingBelowLimitedParent)?;
            ensure(n <= queue.maxapplications, Problem::MaxApplicationsAboveParent)?;
        }
        check_applications(child)?;
    }
    Ok(())
}

/// The nearest limits above by name; users and groups apart.
#[derive(Clone, Default)]
struct Limits {
    users: BTreeMap<String, (Amounts, u64)>,
    groups: BTreeMap<String, (Amounts, u64)>,
}

fn check_limits(queue: &Queue, types: &Types, above: &Limits, is_root: bool) -> Checked<()> {
    let mut here = above.clone();
    let max = parsed(types, &queue.resources.max)?;
    let (mut users, mut groups) = (Vec::new(), Vec::new());
    for limit in &queue.limits {
        let resources = parsed(types, &limit.maxresources)?;
        check_limit(limit, &resources, queue, &max, is_root)?;
        let own = (resources, limit.maxapplications);
        for (names, seen, above, here) in [
            (&limit.users, &mut users, &above.users, &mut here.users),
            (&limit.groups, &mut groups, &above.groups, &mut here.groups),
        ] {
            for name in names {
                ensure(!seen.contains(name), Problem::DuplicateLimitName)?;
                // The wildcard must be the last entry.
                ensure(!seen.iter().any(|s| s == "*"), Problem::Limit)?;
                seen.push(name.clone());
                let mut below = own;
                if let Some(nearest) = above.get(name).or_else(|| above.get("*")) {
                    check_nearest(&own, nearest)?;
                    below.0 = amounts::min_union(&own.0, &nearest.0);
                }
                here.insert(name.clone(), below);
            }
        }
    }
    ensure(groups != ["*"], Problem::Limit)?;
    queue.queues.iter().try_for_each(|child| check_limits(child, types, &here, false))
}

fn check_limit(
    limit: &Limit,
    resources: &Amounts,
    queue: &Queue,
    max: &Amounts,
    is_root: bool,
) -> Checked<()> {
    let named = !limit.users.is_empty() || !limit.groups.is_empty();
    ensure(named, Problem::Limit)?;
    ensure(!limit.maxresources.is_empty() || limit.maxapplications > 0, Problem::Limit)?;
    ensure(limit.maxresources.is_empty() || resources.positive(), Problem::Limit)?;
    let applications = queue.maxapplications == 0 || limit.maxapplications <= queue.maxapplications;
    ensure(applications, Problem::LimitAboveQueueMaxApplications)?;
    ensure(is_root || amounts::fits_undef(max, resources), Problem::LimitAboveQueueMax)
}

fn check_nearest(own: &(Amounts, u64), nearest: &(Amounts, u64)) -> Checked<()> {
    ensure(amounts::fits_undef(&nearest.0, &own.0), Problem::LimitAboveParentLimit)?;
    ensure(nearest.1 == 0 || (1..=nearest.1).contains(&own.1), Problem::LimitAboveParentLimit)
}
