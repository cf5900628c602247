//! Reloads of the configuration by the timeline: the resulting configuration is checked as a whole after each of them.

use std::collections::BTreeSet;

use super::super::plan::{PlanChange, Planned};
use super::Location;
use crate::cluster::Queue;
use crate::format::{Diagnostic, Findings, Path, Scenario, Segment, TimelineEntry, codes};
use crate::id::{Arena, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::draft::Draft;

/// Reports, at the entries of each reload, values that the product would refuse from then on and did not refuse before.
pub fn check(scenario: &Scenario, policy: &Policy, draft: &Draft<'_>, timeline: &[Planned], f: &mut Findings) {
    if policy.description().supports.reloads.is_none() || !timeline.iter().any(is_reload) {
        return;
    }
    let mut reported: BTreeSet<String> = refused(policy, draft).map(|diagnostic| diagnostic.says).collect();
    let mut queues = draft.queues.clone();
    let mut policy = policy;
    for moment in timeline.chunk_by(|one, next| one.at == next.at) {
        for planned in moment {
            policy = apply(planned, &mut queues).unwrap_or(policy);
        }
        let entries: Vec<usize> =
            moment.iter().filter(|planned| is_reload(planned)).map(|planned| planned.entry as usize).collect();
        let Some(&last) = entries.last() else { continue };
        let draft = Draft { queues: &queues, ..draft.clone() };
        for diagnostic in refused(policy, &draft) {
            if !reported.insert(diagnostic.says.clone()) {
                continue;
            }
            let field = entries.iter().find_map(|&i| own_field(&scenario.timeline[i], i, &diagnostic.at));
            let path = field.unwrap_or_else(|| entry_at(last));
            let message = format!("{}; it would keep its previous configuration", diagnostic.says);
            f.add(codes::REFUSED, path, message, None);
        }
    }
}

fn is_reload(planned: &Planned) -> bool {
    matches!(planned.change, PlanChange::Queue { .. } | PlanChange::Settings { .. })
}

fn refused(policy: &Policy, draft: &Draft<'_>) -> impl Iterator<Item = Diagnostic> {
    let mut findings = Findings::default();
    policy.advise(draft, &mut findings);
    findings.finish().into_iter().filter(|diagnostic| diagnostic.code == codes::REFUSED)
}

/// Applies a change to the queues; returns the new policy, if it changes.
fn apply<'p>(planned: &'p Planned, queues: &mut Arena<QueueId, Queue>) -> Option<&'p Policy> {
    match &planned.change {
        PlanChange::Queue { queue, priority, resources, .. } => {
            let queue = &mut queues[*queue];
            queue.priority = priority.or(queue.priority);
            // Only the values of the first pool are checked.
            let first = resources.iter().find(|(pool, _)| *pool == PartitionId(0));
            queue.resources = first.map_or(queue.resources, |(_, resources)| *resources);
            None
        }
        PlanChange::Settings { .. } => planned.policies().next(),
        PlanChange::Node { .. } | PlanChange::EndJob { .. } => None,
    }
}

fn entry_at(i: usize) -> Path {
    Location::section("timeline", i, None).path()
}

/// The field of a timeline entry that sets the value at a path of the scenario.
fn own_field(entry: &TimelineEntry, i: usize, path: &Path) -> Option<Path> {
    match path.0.as_slice() {
        [Segment::Field(section), Segment::Field(name)] if section == "settings" => {
            if entry.settings.contains_key(name) {
                return Some(entry_at(i).field("settings").field(name));
            }
            entry.unset.contains(name).then(|| entry_at(i).field("unset"))
        }
        [Segment::Field(section), Segment::Named(queue), rest @ ..] if section == "queues" => {
            let is_set = match rest {
                [.., Segment::Field(field)] if field == "quota" => entry.gpu.quota.is_some(),
                [.., Segment::Field(field)] if field == "limit" => entry.gpu.limit.is_some(),
                _ => false,
            };
            let suffix = if is_set { rest } else { &[] };
            let is_own = entry.queue.as_deref() == Some(queue.as_str());
            is_own.then(|| Path(entry_at(i).0.into_iter().chain(suffix.iter().cloned()).collect()))
        }
        _ => None,
    }
}
