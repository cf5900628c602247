//! Validation of a configuration by the rules of upstream.
//!
//! # Rule
//! Quantities are compared as written, an explicit 0 included, for the types that the larger side names. A child
//! without a guarantee, or with only zeros, counts with the sum of its own children. Any finding rejects the whole
//! configuration; upstream reports only the first one, `check_all` returns all of them in the order of upstream.
//!
//! # Source
//! yunikorn.md 1.6, 8

use std::collections::BTreeMap;

use super::amounts::{self, Amounts};
use super::config::{File, Limit, Partition, Queue, Resources, Types};
use super::properties::Written;
use super::quantity;
use crate::format::Path;

/// Reason for which a configuration is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The root queue is not spelled `root`.
    NoRootQueue,
    /// Two siblings have the same name.
    DuplicateQueueName,
    /// A queue name has invalid characters or is too long.
    QueueName,
    /// A quantity cannot be parsed.
    Quantity,
    /// The root queue has resources.
    RootResources,
    /// The guarantee exceeds the maximum.
    GuaranteedAboveMax,
    /// The guarantee is below the sum of the children's guarantees.
    GuaranteedBelowSumOfChildren,
    /// The maximum is below the sum of the children's guarantees.
    MaxBelowSumOfGuaranteed,
    /// The maximum exceeds that of an ancestor.
    MaxAboveParentMax,
    /// A child has no `maxapplications` although its parent has.
    MaxApplicationsMissingBelowLimitedParent,
    /// `maxapplications` exceeds that of the parent.
    MaxApplicationsAboveParent,
    /// The node sort policy is neither `fair` nor `binpacking`.
    NodeSortPolicy,
    /// A resource weight is negative.
    NegativeWeight,
    /// A limit has no users and groups, or no maximum.
    Limit,
    /// A name occurs twice in the limits of a queue.
    DuplicateLimitName,
    /// A limit exceeds that of an ancestor for the same name.
    LimitAboveParentLimit,
    /// A limit exceeds the resources of its queue.
    LimitAboveQueueMax,
    /// A limit exceeds the `maxapplications` of its queue.
    LimitAboveQueueMaxApplications,
    /// A placement rule has an unknown name.
    Rule,
}

/// A problem, its location, and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub problem: Problem,
    /// Path from the top of the file.
    pub at: Path,
    /// Message with the numbers that conflict.
    pub says: String,
}

/// Validates the configuration.
///
/// # Errors
///
/// Returns the first problem in the order of upstream.
pub fn check(file: &File, types: &Types) -> Result<(), Problem> {
    match check_all(file, types).first() {
        Some(finding) => Err(finding.problem),
        None => Ok(()),
    }
}

/// Returns every finding, in the order of upstream.
pub fn check_all(file: &File, types: &Types) -> Vec<Finding> {
    let mut checker = Checker { types, found: Vec::new() };
    for (i, partition) in (0..).zip(&file.partitions) {
        checker.partition(partition, &Path::default().field("partitions").at(i));
    }
    checker.found
}

/// Path of a child of the queue at a path.
fn child_at(queue: &Path, name: &str) -> Path {
    queue.field("queues").named(name)
}

/// Nearest limits of the ancestors by name, for users and for groups.
#[derive(Clone, Default)]
struct Limits {
    users: BTreeMap<String, (Amounts, u64)>,
    groups: BTreeMap<String, (Amounts, u64)>,
}

struct Checker<'a> {
    types: &'a Types,
    found: Vec<Finding>,
}

impl Checker<'_> {
    fn ensure(&mut self, holds: bool, problem: Problem, path: &Path, message: &dyn Fn() -> String) {
        if !holds {
            self.found.push(Finding { problem, at: path.clone(), says: message() });
        }
    }

    fn partition(&mut self, partition: &Partition, path: &Path) {
        let mut root_at = path.clone();
        if let [only] = partition.queues.as_slice() {
            let is_root = only.name.eq_ignore_ascii_case("root");
            let message = || format!("the root queue is spelled root, not {}", only.name);
            let place = child_at(path, &only.name);
            self.ensure(only.name == "root" || !is_root, Problem::NoRootQueue, &place.field("name"), &message);
            if is_root {
                root_at = place;
            }
        }
        let root = partition.root();
        if !partition.limits.is_empty() {
            let message = || "the partition and its root queue have different limits; give one of them".into();
            self.ensure(root.limits == partition.limits, Problem::Limit, &path.field("limits"), &message);
        }
        let has_resources = root.resources != Resources::default();
        let message = || "the root queue has no resources of its own: its maximum is the sum of the nodes".into();
        self.ensure(!has_resources, Problem::RootResources, &root_at.field("resources"), &message);
        self.names(&root, &root_at);
        self.resources(&root, &root_at, &Amounts::NONE);
        self.switches(partition, path);
        self.applications(&root, &root_at);
        let limits_at = if partition.limits.is_empty() { root_at.clone() } else { path.clone() };
        self.own_limits(&root, &root_at, &limits_at, true);
        self.inherited_limits(&root, &root_at, &limits_at, &Limits::default());
    }

    /// Checks node sort policy and placement rules.
    fn switches(&mut self, partition: &Partition, path: &Path) {
        let sort = path.field("nodesortpolicy");
        let kind = partition.nodesortpolicy.kind.as_str();
        let message = || format!("the node sort policy {kind} is neither fair nor binpacking");
        let is_known = ["", "fair", "binpacking"].contains(&kind);
        self.ensure(is_known, Problem::NodeSortPolicy, &sort.field("type"), &message);
        for (name, weight) in &partition.nodesortpolicy.resourceweights {
            let message = || format!("the weight of {name} is below 0");
            let place = sort.field("resourceweights").field(name);
            self.ensure(*weight >= 0.0, Problem::NegativeWeight, &place, &message);
        }
        for (i, rule) in (0..).zip(&partition.placementrules) {
            let mut place = path.field("placementrules").at(i);
            let mut rule = Some(rule);
            while let Some(this) = rule {
                let is_known = ["provided", "user", "fixed", "tag"].contains(&this.name.as_str());
                let message = || format!("{:?} is none of the placement rules provided, user, fixed, tag", this.name);
                self.ensure(is_known, Problem::Rule, &place.field("name"), &message);
                place = place.field("parent");
                rule = this.parent.as_deref();
            }
        }
    }

    fn names(&mut self, queue: &Queue, path: &Path) {
        let legal = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
        let is_legal = (1..=64).contains(&queue.name.len()) && queue.name.chars().all(legal);
        let message = || format!("a queue's name has 1 to 64 letters, digits or _:#/@-, unlike {:?}", queue.name);
        self.ensure(is_legal, Problem::QueueName, &path.field("name"), &message);
        for (i, child) in (0..).zip(&queue.queues) {
            let same = |other: &Queue| other.name.eq_ignore_ascii_case(&child.name);
            let message = || format!("{} has two queues {}; case does not tell them apart", queue.name, child.name);
            let twice = queue.queues[..i as usize].iter().any(same);
            // By position: the name would identify the first duplicate.
            let place = path.field("queues").at(i);
            self.ensure(!twice, Problem::DuplicateQueueName, &place, &message);
            self.names(child, &child_at(path, &child.name));
        }
    }

    fn parsed(&mut self, written: &Written, path: &Path) -> Amounts {
        let mut out = if written.is_empty() { Amounts::NONE } else { Amounts::EMPTY };
        for (name, text) in written {
            match (self.types.binary_search(name).ok(), quantity::parse(name, text)) {
                (Some(type_ix), Some(value)) => out.set(type_ix, value),
                _ => {
                    let milli = if name == "vcore" { ", or m for thousandths" } else { "" };
                    let message = || {
                        format!(
                            "{name} {text:?} is no quantity: whole digits with k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi or Ei{milli}"
                        )
                    };
                    self.ensure(false, Problem::Quantity, &path.field(name), &message);
                }
            }
        }
        out
    }

    /// First type for which the smaller side exceeds the larger one, as a phrase.
    fn excess(&self, larger: &Amounts, smaller: &Amounts) -> [String; 2] {
        let exceeds = |type_ix: &usize| larger.has(*type_ix) && smaller.get(*type_ix) > larger.get(*type_ix).max(0);
        let Some(type_ix) = smaller.types().find(exceeds) else { return Default::default() };
        let shown = |amounts: &Amounts| {
            let name = &self.types[type_ix];
            format!("{name} {}", quantity::print(name, amounts.get(type_ix)))
        };
        [shown(smaller), shown(larger)]
    }

    /// Checks guarantee and maximum; returns the contribution of the queue to its parent's sum.
    fn resources(&mut self, queue: &Queue, path: &Path, inherited_max: &Amounts) -> Amounts {
        let resources_path = path.field("resources");
        let guaranteed = self.parsed(&queue.resources.guaranteed, &resources_path.field("guaranteed"));
        let max = self.parsed(&queue.resources.max, &resources_path.field("max"));
        let template = path.field("childtemplate").field("resources");
        self.parsed(&queue.childtemplate.resources.guaranteed, &template.field("guaranteed"));
        self.parsed(&queue.childtemplate.resources.max, &template.field("max"));
        let [here, there] = self.excess(&max, &guaranteed);
        let message = || format!("{} is guaranteed {here}, above its maximum {there}", queue.name);
        let holds = amounts::fits_undef(&max, &guaranteed);
        self.ensure(holds, Problem::GuaranteedAboveMax, &resources_path.field("guaranteed"), &message);
        let [here, there] = self.excess(inherited_max, &max);
        let message = || format!("max of {}, {here}, is above the {there} of a queue above it", queue.name);
        let within = inherited_max.is_none() || amounts::fits_undef(inherited_max, &max);
        self.ensure(within, Problem::MaxAboveParentMax, &resources_path.field("max"), &message);
        let effective = amounts::min_union(inherited_max, &max);
        let mut sum = Amounts::EMPTY;
        for child in &queue.queues {
            sum.add(&self.resources(child, &child_at(path, &child.name), &effective));
        }
        let absent = guaranteed.is_zero();
        let place = resources_path.field("guaranteed");
        let [here, there] = self.excess(&guaranteed, &sum);
        let message =
            || format!("the queues below {} are guaranteed {here} together, more than its own {there}", queue.name);
        let holds = amounts::fits_undef(&guaranteed, &sum);
        self.ensure(holds, Problem::GuaranteedBelowSumOfChildren, &place, &message);
        let [here, there] = self.excess(&effective, &sum);
        let message =
            || format!("the queues below {} are guaranteed {here} together, above the maximum {there}", queue.name);
        let holds = amounts::fits_undef(&effective, &sum);
        self.ensure(holds, Problem::MaxBelowSumOfGuaranteed, &resources_path.field("max"), &message);
        if absent { sum } else { guaranteed }
    }

    fn applications(&mut self, queue: &Queue, path: &Path) {
        for child in &queue.queues {
            let place = child_at(path, &child.name);
            let (parent_n, n) = (queue.maxapplications, child.maxapplications);
            if parent_n > 0 {
                let place = place.field("maxapplications");
                let message =
                    || format!("{} has maxapplications {parent_n}, so {} needs it too", queue.name, child.name);
                self.ensure(n > 0, Problem::MaxApplicationsMissingBelowLimitedParent, &place, &message);
                let message = || format!("maxapplications {n} of {} is above the {parent_n} of its parent", child.name);
                self.ensure(n <= parent_n, Problem::MaxApplicationsAboveParent, &place, &message);
            }
            self.applications(child, &place);
        }
    }

    /// Checks each limit by itself and against its queue. `limits_path` is their location: the partition may hold those of the
    /// root.
    fn own_limits(&mut self, queue: &Queue, path: &Path, limits_path: &Path, is_root: bool) {
        // A quantity that cannot be parsed has been reported already.
        let n_found = self.found.len();
        let max = self.parsed(&queue.resources.max, path);
        self.found.truncate(n_found);
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        for (i, limit) in (0..).zip(&queue.limits) {
            let path = limits_path.field("limits").at(i);
            let resources = self.parsed(&limit.maxresources, &path.field("maxresources"));
            self.limit(limit, &resources, (queue, &max), &path, is_root);
            for (field, names, seen) in [("users", &limit.users, &mut users), ("groups", &limit.groups, &mut groups)] {
                let path = path.field(field);
                for name in names {
                    let message = || format!("{name} stands in two limits of {}", queue.name);
                    self.ensure(!seen.contains(name), Problem::DuplicateLimitName, &path, &message);
                    let message = || format!("* comes before {name} in the limits of {}; it must be last", queue.name);
                    self.ensure(!seen.iter().any(|s| s == "*"), Problem::Limit, &path, &message);
                    seen.push(name.clone());
                }
            }
        }
        let message = || format!("the only group in the limits of {} is *; name another beside it", queue.name);
        self.ensure(groups != ["*"], Problem::Limit, &limits_path.field("limits"), &message);
        for child in &queue.queues {
            let place = child_at(path, &child.name);
            self.own_limits(child, &place, &place, false);
        }
    }

    /// Checks limits against those of the ancestors for the same name.
    fn inherited_limits(&mut self, queue: &Queue, path: &Path, limits_path: &Path, inherited: &Limits) {
        let mut limits = inherited.clone();
        for (i, limit) in (0..).zip(&queue.limits) {
            let path = limits_path.field("limits").at(i);
            let n_found = self.found.len();
            let resources = self.parsed(&limit.maxresources, &path);
            self.found.truncate(n_found);
            let own_limit = (resources, limit.maxapplications);
            for (field, names, inherited, limits) in [
                ("users", &limit.users, &inherited.users, &mut limits.users),
                ("groups", &limit.groups, &inherited.groups, &mut limits.groups),
            ] {
                let path = path.field(field);
                for name in names {
                    let mut effective = own_limit;
                    if let Some(nearest) = inherited.get(name).or_else(|| inherited.get("*")) {
                        self.nearest(&own_limit, nearest, name, &path);
                        effective.0 = amounts::min_union(&own_limit.0, &nearest.0);
                    }
                    limits.insert(name.clone(), effective);
                }
            }
        }
        for child in &queue.queues {
            let place = child_at(path, &child.name);
            self.inherited_limits(child, &place, &place, &limits);
        }
    }

    fn limit(
        &mut self,
        limit: &Limit,
        resources: &Amounts,
        (queue, max): (&Queue, &Amounts),
        path: &Path,
        is_root: bool,
    ) {
        let named = !limit.users.is_empty() || !limit.groups.is_empty();
        self.ensure(named, Problem::Limit, path, &|| "a limit names users or groups".into());
        let limits = !limit.maxresources.is_empty() || limit.maxapplications > 0;
        self.ensure(limits, Problem::Limit, path, &|| "a limit has maxresources or maxapplications".into());
        let positive = limit.maxresources.is_empty() || resources.positive();
        let place = path.field("maxresources");
        self.ensure(positive, Problem::Limit, &place, &|| "maxresources allows nothing at all".into());
        let (limit_n, n) = (limit.maxapplications, queue.maxapplications);
        let message = || format!("maxapplications {limit_n} of a limit is above the {n} of {}", queue.name);
        let holds = n == 0 || limit_n <= n;
        self.ensure(holds, Problem::LimitAboveQueueMaxApplications, &path.field("maxapplications"), &message);
        let [here, there] = self.excess(max, resources);
        let message = || format!("a limit of {here} is above the maximum {there} of {}", queue.name);
        let holds = is_root || amounts::fits_undef(max, resources);
        self.ensure(holds, Problem::LimitAboveQueueMax, &place, &message);
    }

    fn nearest(&mut self, own_limit: &(Amounts, u64), nearest: &(Amounts, u64), name: &str, path: &Path) {
        let [here, there] = self.excess(&nearest.0, &own_limit.0);
        let message = || format!("the limit of {name}, {here}, is above the {there} of a queue above");
        let holds = amounts::fits_undef(&nearest.0, &own_limit.0);
        self.ensure(holds, Problem::LimitAboveParentLimit, path, &message);
        let (n, n_max) = (own_limit.1, nearest.1);
        let message = || format!("maxapplications {n} for {name} must be from 1 to the {n_max} of a queue above");
        let holds = n_max == 0 || (1..=n_max).contains(&n);
        self.ensure(holds, Problem::LimitAboveParentLimit, path, &message);
    }
}
