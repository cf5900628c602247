//! Recordings of format `kai-cycle/1` as scenario files.
//!
//! [`file`] writes the initial state as a user would; [`trajectory`] runs it and folds its events. The results are
//! compared here with the recorded outcomes: the numbers of the queues at the opening, every committed operation in
//! order with node and devices, and the state of every pod before the next round. Devices of claims are not compared,
//! because events lack them.

mod devices;
mod file;
mod settings;
mod trajectory;

use std::collections::{BTreeMap, BTreeSet};

use fairground::units::{PerResource, Resource};

use self::trajectory::{Round, Trajectory};
use crate::cycle::compare::{Same, same_for};
use crate::cycle::decisions::{self, EventLine};
use crate::cycle::format::{self, Case, Outcome, Shares};
use crate::report::Verdict;

/// Compares a case with its recording.
pub fn check(case: &Case) -> Verdict {
    let file = match file::write(case) {
        Ok(file) => file,
        Err(feature) => return Verdict::CannotSay(feature),
    };
    let rounds = case.outcomes.iter().map(|o| o.rounds.len()).max().unwrap_or(0);
    let ran = match trajectory::run(case, &file, rounds) {
        Ok(ran) => ran,
        Err(says) => return Verdict::Failed(says),
    };
    let mut furthest: Option<(usize, String)> = None;
    for outcome in case.accepted() {
        match difference(case, &ran, outcome) {
            None if case.strict => return Verdict::Equal,
            None => return Verdict::InSet,
            Some(found) if furthest.as_ref().is_none_or(|f| f.0 < found.0) => furthest = Some(found),
            Some(_) => (),
        }
    }
    let (round, says) = furthest.unwrap_or((0, "no outcomes".to_owned()));
    Verdict::Failed(format!("round {round}, {says}"))
}

/// First difference with its round.
fn difference(case: &Case, ran: &Trajectory, outcome: &Outcome) -> Option<(usize, String)> {
    let same = same_for(outcome);
    if let Some(shares) = outcome.rounds.first().and_then(|r| r.shares.as_ref())
        && let Some(says) = shares_difference(ran, shares, &ran.opening, same)
    {
        return Some((0, format!("opening: {says}")));
    }
    let mut expected: Vec<Round> = outcome.rounds.iter().map(|round| recorded(case, round)).collect();
    let mut got: Vec<Round> = ran.rounds.iter().take(expected.len()).cloned().collect();
    let crash = outcome.panic.as_ref().map(|crash| crash.action.as_str());
    if let (Some(action), Some(expected), Some(got)) = (crash, expected.last(), got.last_mut()) {
        cut_at_crash(case, action, expected, got);
    }
    name_devices(case, &mut expected, true);
    name_devices(case, &mut got, false);
    for (i, (expected, got)) in expected.iter().zip(&got).enumerate() {
        for action in &case.config.actions {
            if let Some(says) = events_difference(&expected.actions[action], &got.actions[action]) {
                return Some((i, format!("{action}, {says}")));
            }
        }
        if crash.is_some() && i + 1 == outcome.rounds.len() {
            return None;
        }
        let next = outcome.rounds.get(i + 1).and_then(|r| r.open.as_ref());
        if let Some(says) = next.and_then(|open| opening_difference(case, open, got)) {
            return Some((i + 1, format!("opening: {says}")));
        }
        // A round without effects ends with the numbers of its opening.
        let recorded = &outcome.rounds[i];
        let shares = recorded.shares.as_ref().filter(|_| recorded.steps.is_empty() && !outcome.queues_vary);
        if let Some(says) = shares.and_then(|shares| shares_difference(ran, shares, &got.ledger, same)) {
            return Some((i, says));
        }
    }
    None
}

/// Converts a recorded round to events: a second eviction of a pod has none, and that of a pod with only a claim
/// drops the claim.
fn recorded(case: &Case, round: &format::Round) -> Round {
    let mut held: BTreeSet<&str> = match &round.open {
        Some(open) => open
            .pods
            .iter()
            .filter(|(_, (status, ..))| matches!(status.as_str(), "Running" | "Releasing"))
            .map(|(pod, _)| &**pod)
            .collect(),
        None => {
            let pods = case.jobs.iter().flat_map(|j| &j.pods);
            pods.filter(|p| file::holds(p)).map(|p| &*p.name).collect()
        }
    };
    let (mut claimed, mut evicted) = (BTreeSet::new(), BTreeSet::new());
    let mut actions: BTreeMap<String, Vec<Vec<EventLine>>> = BTreeMap::new();
    for step in &round.steps {
        for commit in &step.commits {
            let mut events = Vec::new();
            for event in commit {
                let pod = event.pod.as_str();
                let mut line = decisions::event_line(event);
                match event.kind.as_str() {
                    "bind" => {
                        held.insert(pod);
                    }
                    "pipelined" => {
                        line.groups.clear();
                        claimed.insert(pod);
                    }
                    _ if held.contains(pod) => {
                        if !evicted.insert(pod) {
                            continue;
                        }
                    }
                    _ if claimed.remove(pod) => line.kind = "unclaimed".to_owned(),
                    _ => continue,
                }
                events.push(line);
            }
            actions.entry(step.action.clone()).or_default().push(events);
        }
    }
    for action in &case.config.actions {
        actions.entry(action.clone()).or_default();
    }
    Round { actions, ..Round::default() }
}

/// Of the action that crashed only committed statements count, and nothing after it.
fn cut_at_crash(case: &Case, action: &str, expected: &Round, got: &mut Round) {
    let at = case.config.actions.iter().position(|a| a == action).unwrap_or(0);
    for (i, name) in case.config.actions.iter().enumerate() {
        let Some(events) = got.actions.get_mut(name) else { continue };
        if i > at {
            events.clear();
        } else if i == at {
            let committed: usize = expected.actions[name].iter().map(Vec::len).sum();
            events.iter_mut().for_each(|flat| flat.truncate(committed));
        }
    }
}

/// Occurrence of a device: round, action, pod.
type Occurrence = (usize, usize, String);

/// Names every shared device after its first occurrence: at the opening, then by round, action and pod.
fn name_devices(case: &Case, rounds: &mut [Round], is_recorded: bool) {
    let mut places: BTreeMap<(String, String), Vec<Occurrence>> = BTreeMap::new();
    let mut see = |node: &str, group: &str, place| {
        places.entry((node.to_owned(), group.to_owned())).or_default().push(place);
    };
    if is_recorded {
        let mut pods: Vec<&format::Pod> = case.jobs.iter().flat_map(|j| &j.pods).collect();
        pods.sort_by(|l, r| l.name.cmp(&r.name));
        for pod in pods.into_iter().filter(|p| file::holds(p)) {
            pod.gpu_groups.iter().for_each(|g| see(&pod.node, g, (0, 0, pod.name.to_string())));
        }
    } else if let Some(first) = rounds.first() {
        for (pod, (node, groups)) in &first.held {
            groups.iter().for_each(|g| see(node, g, (0, 0, pod.clone())));
        }
    }
    for (r, round) in rounds.iter().enumerate() {
        for (s, action) in case.config.actions.iter().enumerate() {
            let mut events: Vec<&EventLine> = round.actions[action].iter().flatten().collect();
            events.sort();
            for event in events {
                event.groups.iter().for_each(|g| see(&event.node, g, (r + 1, s, event.pod.clone())));
            }
        }
    }
    let names = decisions::names_by_place(places);
    for event in rounds.iter_mut().flat_map(|r| r.actions.values_mut()).flatten().flatten() {
        for group in &mut event.groups {
            group.clone_from(&names[&(event.node.clone(), group.clone())]);
        }
        event.groups.sort();
    }
}

/// Compares commits with the events of the same action in order, except for the order inside a commit.
fn events_difference(expected: &[Vec<EventLine>], got: &[Vec<EventLine>]) -> Option<String> {
    let mut rest: Vec<EventLine> = got.iter().flatten().cloned().collect();
    for (i, commit) in expected.iter().enumerate() {
        let after = rest.split_off(commit.len().min(rest.len()));
        let mut commit = commit.clone();
        commit.sort();
        rest.sort();
        if commit != rest {
            return Some(format!("commit {i}: expected {}; got {}", show(&commit), show(&rest)));
        }
        rest = after;
    }
    (!rest.is_empty()).then(|| format!("expected nothing more; got {}", show(&rest)))
}

fn show(events: &[EventLine]) -> String {
    match events {
        [] => "nothing".to_owned(),
        events => events.iter().map(EventLine::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Compares the state of every pod before the next round.
fn opening_difference(case: &Case, open: &format::Open, got: &Round) -> Option<String> {
    for pod in case.jobs.iter().flat_map(|j| &j.pods) {
        let Some((status, node, _)) = open.pods.get(&pod.name) else {
            return Some(format!("pod {}: not in the recorded opening", pod.name));
        };
        let Some(now) = got.pods.get(&*pod.name) else {
            return Some(format!("pod {}: not in the scenario", pod.name));
        };
        // The node of a pending pod has no meaning.
        let waits = matches!(status.as_str(), "Pending" | "Gated");
        if now.0 != *status || !waits && *now.1 != **node {
            return Some(format!("pod {}: expected {status} {node}, got {} {}", pod.name, now.0, now.1));
        }
    }
    None
}

fn shares_difference(
    ran: &Trajectory,
    expected: &BTreeMap<String, Shares>,
    ledger: &fairground::trace::Ledger,
    same: Same,
) -> Option<String> {
    let array = |q: &PerResource<f64>| Resource::ACCOUNTED.map(|r| q.get(r));
    for (queue, expected) in expected {
        let Some(row) = ran.queues.get(queue).and_then(|&at| ledger.rows.get(at)) else {
            return Some(format!("queue {queue}: not in the scenario"));
        };
        let columns = [
            ("request", expected.request, array(&row.request)),
            ("allocated", expected.allocated, array(&row.allocated)),
            ("non-preemptible", expected.allocated_non_preemptible, array(&row.non_preemptible)),
            ("fair share", expected.fair_share, array(&row.fair_share.unwrap_or_default())),
        ];
        for (name, expected, got) in columns {
            let expected = [expected.cpu, expected.memory, expected.gpu].map(unbounded);
            if !expected.iter().zip(got).all(|(&e, g)| same(e, unbounded(g))) {
                return Some(format!("queue {queue} {name}: expected {expected:?}, got {got:?}"));
            }
        }
    }
    None
}

/// Unlimited is -1 in the recording and infinite in the ledger.
fn unbounded(n: f64) -> f64 {
    if n.is_infinite() { -1.0 } else { n }
}
