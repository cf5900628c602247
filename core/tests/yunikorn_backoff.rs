//! An application in back-off is tried again when the back-off ends, even without an event at that time.

use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::time::Time;
use fairground::trace::Event;

/// The pods are pending from 0 s and back off for 30 s after the first without a node; at 15 s there is room.
#[test]
fn resources_freed_during_a_back_off_are_used_after_it() {
    for cycle in ["on change", "1s"] {
        let text = format!(
            "format: fairground-scenario
version: 1
policy: yunikorn
cycle: {cycle}
settings: {{application.unschedasks.backoff.a: 1}}
nodes: [{{name: c}}, {{name: n, gpu: 4, state: down}}]
queues: [{{name: a}}]
jobs: [{{name: j, queue: a, pods: 2, gpu: 1}}]
timeline: [{{at: 15s, node: n, state: ready}}]
"
        );
        let read = read(&text);
        assert_eq!(read.diagnostics, vec![]);
        let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
        let mut simulation = Simulation::new(&plan);
        let mut bound = Vec::new();
        loop {
            simulation.skip_idle(200, Time::from_millis(200_000));
            let Some(record) = (simulation.cycle() < 200).then(|| simulation.advance()).flatten() else {
                break;
            };
            let binds = record.events.iter().filter(|r| matches!(r.event, Event::Bound { .. }));
            bound.extend(binds.map(|_| record.time.as_seconds()));
        }
        // Periodic cycles begin after one second.
        let at = if cycle == "1s" { 31.0 } else { 30.0 };
        assert_eq!(bound, [at, at], "{cycle}");
    }
}
