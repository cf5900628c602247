//! A policy for tests: jobs start in the order of their names, pod by pod on the first node with room.
//!
//! It shows what a policy needs: this folder, and one line in `policy/registry.rs`. `tests` checks the effects.

mod tests;

use crate::cluster::Phase;
use crate::format::{Findings, Scenario};
use crate::id::{PodId, QueueId};
use crate::policy::description::Description;
use crate::policy::form::{Form, ON_OFF, text};
use crate::policy::setting::{Affects, Rulebook, Setting, fields, refused, switch, unknown};
use crate::policy::{Decision, PartitionView, Rhythm, Scheduler, Turn};
use crate::trace::{Event, Ledger, LedgerRow, Rule, RuleRecord, Trace};

const NAME_ORDER: Rule = Rule(&RuleRecord {
    key: "by-name/order",
    says: "jobs start in the order of their names",
    formula: "name(first) ≤ name(job)",
    source: "none: this is for tests",
    differs: "",
});

/// Its setting.
static SETTINGS: [Setting<bool>; 1] = [Setting::new(
    text("reverse", "Backwards", "off", "From z to a.").ask(ON_OFF),
    Affects::Rules(&[&NAME_ORDER]),
    |is_reversed, text| switch(text).map(|on| *is_reversed = on),
)];

const DESCRIPTION: Description = Description {
    key: "by-name",
    name: "in order of names",
    title: "In order of names",
    short: "Names",
    about: "In order of names is a policy for tests.",
    form: Form { settings: &[("Order", &fields(&SETTINGS))], ..Description::BASELINE.form },
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
        Rulebook::new(vec![NAME_ORDER], SETTINGS.iter().map(Setting::rules))
    }

    fn read(scenario: &Scenario, findings: &mut Findings) -> bool {
        let mut is_reversed = false;
        for (name, typed) in &scenario.settings {
            match Setting::find(&SETTINGS, name).map(|setting| setting.read(&mut is_reversed, &typed.0)) {
                Some(Ok(())) => {}
                Some(Err(wanted)) => refused(name, typed, wanted, findings),
                None => unknown(scenario, name, &["reverse"], "it has reverse", findings),
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
        let mut waiting: Vec<PodId> = pods.filter(|(_, pod)| pod.phase == Phase::Pending).map(|(id, _)| id).collect();
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
