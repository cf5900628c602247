//! A policy for tests: jobs start in the order of their names, pod by pod on the first node with room.
//!
//! It shows what a policy needs: this folder, and one line in `policy/registry.rs`. `tests` checks the effects.

mod tests;

use crate::cluster::Phase;
use crate::format::{Findings, Scenario};
use crate::id::{PodId, QueueId};
use crate::policy::description::Description;
use crate::policy::form::{Form, ON_OFF, ask, text};
use crate::policy::setting::{refused, switch, unknown};
use crate::policy::switches::{Rulebook, Switch};
use crate::policy::{Decision, PartitionView, Rhythm, Scheduler, Turn};
use crate::trace::{Event, Ledger, LedgerRow, Rule, RuleRecord, Trace};

const NAME_ORDER: Rule = Rule(&RuleRecord {
    key: "by-name/order",
    says: "jobs start in the order of their names",
    formula: "name(first) ≤ name(job)",
    source: "none: this is for tests",
    differs: "",
});

const DESCRIPTION: Description = Description {
    key: "by-name",
    name: "in order of names",
    title: "In order of names",
    short: "Names",
    about: "In order of names is a policy for tests.",
    form: Form {
        settings: &[("Order", &[ask(text("settings.reverse", "Backwards", "off", "From z to a."), ON_OFF)])],
        ..Description::BASELINE.form
    },
    ..Description::BASELINE
};

/// The policy, with its setting.
#[derive(Clone, Debug, PartialEq)]
pub struct ByName(bool, Rhythm);

impl Scheduler for ByName {
    const DESCRIPTION: &'static Description = &DESCRIPTION;
    type Config = bool;
    type Memory = ();

    fn rulebook() -> Rulebook {
        Rulebook::new(vec![NAME_ORDER], &[Switch::of("reverse", &[&NAME_ORDER])])
    }

    fn read(scenario: &Scenario, findings: &mut Findings) -> bool {
        let mut is_reversed = false;
        for (name, typed) in &scenario.settings {
            match (name.as_str(), switch(&typed.0)) {
                ("reverse", Ok(on)) => is_reversed = on,
                ("reverse", Err(wanted)) => refused(name, typed, wanted, findings),
                _ => unknown(scenario, name, &["reverse"], "it has reverse", findings),
            }
        }
        is_reversed
    }

    fn new(is_reversed: bool, rhythm: Rhythm) -> ByName {
        ByName(is_reversed, rhythm)
    }

    fn cycle(&self, world: PartitionView<'_>, _memory: &mut (), trace: &mut Trace) -> Turn {
        let cluster = world.cluster;
        let mut room = world.node_use.clone();
        let pods = world.live_jobs().flat_map(|job| cluster.pods_of(job));
        let mut waiting: Vec<PodId> =
            pods.filter(|(_, pod)| pod.phase == Phase::Pending).map(|(id, _)| id).collect();
        waiting.sort_by_key(|&pod| &cluster.jobs[cluster.pods[pod].job].name);
        if self.0 {
            waiting.reverse();
        }
        let mut decisions = Vec::new();
        for pod in waiting {
            let request = &cluster.pods[pod].request;
            let place = world.nodes().find_map(|(id, node)| {
                let devices = room[id].pick(request.gpu).filter(|_| room[id].has_room(node, request));
                devices.map(|devices| (id, devices))
            });
            let Some((node, devices)) = place else { break };
            room[node].take(request, devices);
            trace.event(Event::Bound { pod, node, devices }, Vec::new);
            decisions.push(Decision::Bind { pod, node, devices: Some(devices) });
        }
        Turn { decisions, wake: self.1.wake(world.now) }
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &()) -> Ledger {
        let rows = world.queues().ids().map(|queue: QueueId| LedgerRow::empty(queue));
        Ledger { rows: rows.collect(), ..Ledger::default() }
    }
}
