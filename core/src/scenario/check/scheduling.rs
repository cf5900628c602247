//! How a scenario is scheduled: its head (dialect, policy, settings, rhythm and delays), and its node pools, which are
//! scheduled separately and may have settings of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{POOLS_MAX, codes};
use super::names::{self, Index};
use crate::cluster::Delays;
use crate::format::{Diagnostic, Edit, Findings, Fix, Path, Scalar, Scenario, Segment, nearest, quantity, quoted, set};
use crate::id::{Id, PartitionId};
use crate::policy::description::Cycle;
use crate::policy::{Policy, Rhythm, setting};
use crate::time::Span;

/// A setting that applies to jobs, not to a pool.
const NOT_OF_A_POOL: &str = "default-job-priority";

/// Resolved pools.
pub struct Pools {
    /// Names of the pools, at least one.
    pub names: Vec<Arc<str>>,
    /// Pools by name; empty if the file lists none.
    index: Index,
}

/// Resolves the list of pools; a file without one has a single pool.
pub fn pools(scenario: &Scenario, f: &mut Findings) -> Pools {
    let repeats = names::repeats(scenario.pools.iter().map(|pool| pool.name.as_str()));
    if scenario.pools.len() > POOLS_MAX {
        let message = format!("there are {} pools; up to {POOLS_MAX} are simulated", scenario.pools.len());
        f.add(codes::TOO_MANY, Path::default().field("pools"), message, None);
    }
    let mut names: Vec<Arc<str>> = scenario.pools.iter().map(|pool| pool.name.as_str().into()).collect();
    let (index, twice) = Index::new(names.iter());
    for (i, pool) in scenario.pools.iter().enumerate() {
        names::check_name(&pool.name, 0, "pool", names::location("pools", i, &pool.name, &repeats), f);
    }
    for i in twice {
        let name = &scenario.pools[i as usize].name;
        if !name.is_empty() {
            names::duplicate(name, "pool", names::location("pools", i as usize, name, &repeats), &index, f);
        }
    }
    if names.is_empty() {
        names.push("default".into());
    }
    Pools { names, index }
}

impl Pools {
    /// Number of pools.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// All pools in file order.
    pub fn ids(&self) -> impl Iterator<Item = PartitionId> + use<> {
        (0..self.names.len()).map(PartitionId::from_index)
    }

    /// Finds a pool by name. `without` is the value of the field without the name, for the fix.
    pub fn find(&self, name: &str, without: &str, path: Path, f: &mut Findings) -> Option<PartitionId> {
        if let Some(pool) = self.index.find(name) {
            return Some(PartitionId(pool));
        }
        if f.only_counts(codes::NO_POOL) {
            return None;
        }
        let message = format!("pool {} is not in the list of pools; {}", quoted(name), names::hint(&self.index, name));
        let fix = match self.index.nearest(name) {
            Some(near) => {
                let value = if without.is_empty() { near.to_string() } else { format!("{without}, {near}") };
                set(path.clone(), value, format!("Use {}", quoted(near)))
            }
            None if name.trim().is_empty() || name.contains(',') => None,
            None => Some(self.add(name)),
        };
        f.add(codes::NO_POOL, path, message, fix);
        None
    }

    /// A fix that adds a pool; entries without a pool get a separate one before it.
    fn add(&self, name: &str) -> Fix {
        let edit = |name: &str| Edit::Set {
            at: Path::default().field("pools").named(name).field("name"),
            value: name.to_string(),
        };
        let is_first = self.index.find(&self.names[0]).is_none();
        let first = is_first.then(|| edit(&self.names[0]));
        Fix { label: format!("Add the pool {}", quoted(name)), edits: first.into_iter().chain([edit(name)]).collect() }
    }

    /// Resolves a list of pool names, without repetitions; `None`: the list is empty.
    pub fn list(&self, typed: &[String], path: &dyn Fn() -> Path, f: &mut Findings) -> Option<Vec<PartitionId>> {
        let mut pools: Vec<PartitionId> = Vec::with_capacity(typed.len());
        for (i, name) in typed.iter().enumerate() {
            let others = || {
                let others = typed.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, name)| name.as_str());
                // Names that cannot be list items are reported separately.
                let others = others.filter(|name| !name.trim().is_empty() && !name.contains(','));
                others.collect::<Vec<_>>().join(", ")
            };
            match self.index.find(name) {
                Some(pool) if !pools.contains(&PartitionId(pool)) => pools.push(PartitionId(pool)),
                Some(_) => {}
                None => drop(self.find(name, &others(), path(), f)),
            }
        }
        (!pools.is_empty()).then_some(pools)
    }
}

/// Policy and rhythm of each pool: those of the scenario, overridden by the pool's own settings.
pub fn of_pools(scenario: &Scenario, default: (Policy, Rhythm), f: &mut Findings) -> Vec<(Policy, Rhythm)> {
    let mut all = Vec::with_capacity(scenario.pools.len().max(1));
    for (i, pool) in scenario.pools.iter().enumerate() {
        if pool.settings.is_empty() && pool.cycle.is_none() {
            all.push(default.clone());
            continue;
        }
        let mut merged = scenario.clone();
        merged.settings.extend(pool.settings.iter().map(|(name, value)| (name.clone(), value.clone())));
        merged.cycle = pool.cycle.clone().or(merged.cycle);
        let mut findings = Findings::default();
        let (policy, rhythm, _) = settings(&merged, &mut findings);
        let location = names::location("pools", i, &pool.name, &[]).path();
        if pool.settings.contains_key(NOT_OF_A_POOL) {
            setting::unknown(&merged, NOT_OF_A_POOL, &[], "it is the scenario's", &mut findings);
        }
        own_findings(findings, &pool.settings, pool.cycle.is_some(), &location, f);
        all.push((policy, rhythm));
    }
    if all.is_empty() {
        all.push(default);
    }
    all
}

/// Moves the findings about some of the scenario's settings to the place that sets them; drops the others.
pub fn own_findings(
    findings: Findings,
    settings: &BTreeMap<String, Scalar>,
    has_cycle: bool,
    place: &Path,
    f: &mut Findings,
) {
    for finding in findings.finish() {
        let is_own = match finding.at.0.as_slice() {
            [Segment::Field(section), Segment::Field(name)] => section == "settings" && settings.contains_key(name),
            [Segment::Field(section)] => section == "cycle" && has_cycle,
            _ => false,
        };
        if is_own {
            f.push(moved(finding, place));
        }
    }
}

fn moved(mut finding: Diagnostic, place: &Path) -> Diagnostic {
    let prefixed = |path: &Path| Path(place.0.iter().chain(&path.0).cloned().collect());
    finding.at = prefixed(&finding.at);
    for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
        if let Edit::Set { at, .. } = edit {
            *at = prefixed(at);
        }
    }
    finding
}

/// Resolves the head.
pub fn settings(scenario: &Scenario, f: &mut Findings) -> (Policy, Rhythm, Delays) {
    let root = Path::default();
    let dialect = Policy::DEFAULT.key;
    if !["", dialect].contains(&scenario.dialect.as_str()) {
        let message = format!("dialect {} is not known here; write {dialect}", quoted(&scenario.dialect));
        f.suggest(codes::DIALECT, root.field("dialect"), message, dialect, format!("Use the dialect {dialect}"));
    }
    let description = Policy::described(&scenario.policy);
    if description.is_none() {
        let near = nearest(&scenario.policy, Policy::NAMES.iter().copied()).unwrap_or(Policy::DEFAULT.key);
        let all = Policy::NAMES.join(", ");
        let message = format!("policy {} is not known here; write one of {all}", quoted(&scenario.policy));
        f.suggest(codes::POLICY, root.field("policy"), message, near, format!("Use the policy {near}"));
    }
    let policy = Policy::read(scenario, f);
    let path = root.field("delays");
    let start = f.time(&scenario.delays.start, Span::ZERO, &|| path.field("start"), &quantity::span);
    let termination = f.time(&scenario.delays.termination, Span::ZERO, &|| path.field("termination"), &quantity::span);
    let rhythm = rhythm(scenario, policy.description().cycle, f);
    (policy, rhythm, Delays { start, termination })
}

fn rhythm(scenario: &Scenario, default: Cycle, f: &mut Findings) -> Rhythm {
    let on_change = Rhythm::OnChange { at_least: default.at_least() };
    let Some(typed) = &scenario.cycle else {
        return match default {
            Cycle::EverySecond => Rhythm::every(Span::from_seconds(1)),
            Cycle::OnChange => on_change,
        };
    };
    match typed.0.trim() {
        "on change" => return on_change,
        "on events" => return Rhythm::OnEvents,
        _ => {}
    }
    let path = || Path::default().field("cycle");
    let (period, first) = match typed.0.split_once("first at") {
        Some((period, first)) => (period.trim().trim_end_matches(','), Some(first)),
        None => (typed.0.as_str(), None),
    };
    if quantity::span(period).is_err() || first.is_some_and(|first| quantity::span(first).is_err()) {
        let message = format!(
            "cycle {} is neither a period such as `1s` or `120s, first at 1s`, nor `on change` or `on events`",
            quoted(&typed.0)
        );
        f.suggest(codes::DURATION, path(), message, "", "Use the default cycle");
        return on_change;
    }
    let mut time = |text: &str, default| f.time(&Some(text.into()), default, &path, &quantity::span);
    let period = time(period, Span::from_seconds(1));
    let first = first.map_or(period, |first| time(first, period));
    if period == Span::ZERO {
        let message = "a cycle of 0 seconds would never let time pass; write a period such as 1s, or `on change`";
        f.suggest(codes::DURATION, path(), message, "1s", "Set the cycle to 1s");
    }
    Rhythm::Every { period, first }
}
