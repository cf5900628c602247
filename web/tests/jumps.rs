//! Jumps from event to event, and the kinds of events that they skip.

use fairground::units::ShownResource;
use std::collections::BTreeSet;

use fairground::cluster::NodeState;
use fairground::moment::{EventKind, EventWord, What};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::Event;
use fairground_web::library::EXAMPLES;
use fairground_web::state::command::Command;
use fairground_web::views::timeline::view::timeline;

use crate::whole::Whole;

#[test]
fn every_event_belongs_to_one_kind_and_every_kind_has_events() {
    for word in EventWord::ALL {
        let kinds: Vec<EventKind> =
            EventKind::ALL.into_iter().filter(|kind| kind.words().any(|of| of == *word)).collect();
        assert_eq!(kinds, EventKind::with(*word).into_iter().collect::<Vec<_>>(), "{word:?}");
    }
    assert!(EventKind::ALL.into_iter().all(|kind| kind.words().next().is_some()));
}

/// Events that no example has: a job that is not retried, one that ends, one that is lost with its node and not
/// replaced, one that runs when it is submitted, one whose node changes.
const REST: &str = "\
format: fairground-scenario
version: 1
policy: kai
nodes: [{name: n, gpu: 1}, {name: lost, gpu: 1}, {name: taken, gpu: 1}, {name: shrinks, gpu: 2}]
queues: [{name: q, gpu: {quota: 5, limit: unlimited}, cpu: {limit: unlimited}, memory: {limit: unlimited}}]
jobs:
- {name: ends, queue: q, gpu: 1, on: [n], lasts: 8s}
- {name: gone, queue: q, gpu: 1, on: [lost], restart: never}
- {name: once, queue: q, gpu: 1, submit: 3s, scheduling-backoff: 1}
- {name: found, queue: q, gpu: 1, submit: 2s, on: [taken]}
- {name: dealt, queue: q, gpu: 2, on: [shrinks]}
timeline:
- {at: 2s, node: shrinks, capacity: {gpu: 1}}
- {at: 4s, node: shrinks, capacity: {gpu: 2}}
- {at: 5s, node: lost, state: down}
";

/// Every kind of event occurs in some scenario.
#[test]
fn every_kind_of_event_occurs() {
    let mut seen = BTreeSet::new();
    for text in EXAMPLES.iter().map(|example| example.text).chain([REST]) {
        let scenario = fairground_web::state::document::from_text(text).expect("a scenario");
        let plan = fairground::scenario::check(&scenario).plan.expect("it can run");
        let mut sim = Simulation::new(&plan);
        let mut hear = |record: &CycleRecord| {
            seen.extend(record.events.iter().map(|recorded| EventWord::of_event(&recorded.event)));
            seen.extend(record.marks.iter().map(|mark| EventWord::of(&(*mark).into())));
        };
        hear(&sim.opening().clone());
        while sim.cycle() < 40 && !sim.is_quiet() {
            let Some(record) = sim.advance() else { break };
            hear(&record);
        }
    }
    let silent: Vec<&str> =
        EventWord::ALL.iter().filter(|word| !seen.contains(*word)).map(|word| word.name()).collect();
    assert_eq!(silent, Vec::<&str>::new());
}

#[test]
fn a_jump_stops_at_nothing_that_is_left_out() {
    for example in EXAMPLES {
        let mut whole = Whole::open(example.id, 0);
        whole.dispatch(Command::GoTo(12));
        whole.dispatch(Command::GoTo(0));
        // The kinds in the legend, which can be hidden.
        let run = whole.model.moment.run.clone().expect("a run");
        let offered = timeline(&run, whole.frame(), None, ShownResource::GPU).kinds;
        for kind in offered.all() {
            whole.dispatch(Command::ShowEvents(kind, false));
        }
        let last = run.last_cycle;
        whole.dispatch(Command::NextEvent { back: false });
        let at = whole.model.playback.cursor;
        assert!(at == 0 || at > last, "{} stops at cycle {at} of {last}", example.id);
    }
}

#[test]
fn a_node_that_goes_down_is_an_event_of_its_own() {
    let mut whole = Whole::open("start", 0);
    whole.dispatch(Command::GoTo(2));
    let node = whole.frame().nodes[0].name.clone();
    whole.dispatch(Command::NodeState { node: node.clone(), state: "down" });
    whole.dispatch(Command::GoTo(3));
    let rows = whole.model.moment.run.as_ref().expect("a run").events.iter();
    let kinds: Vec<EventKind> = rows.filter_map(|event| EventKind::of(event.1)).collect();
    assert!(kinds.contains(&EventKind::Node), "{kinds:?}");
    whole.dispatch(Command::NextEvent { back: true });
    let frame = whole.frame();
    let said = frame.events.iter().find(|event| event.word() == EventWord::Node).expect("it happened");
    assert_eq!(frame.node_name(said), node);
    let is_down = matches!(said.what, What::Event(Event::Changed { node: Some((_, NodeState::Down)), .. }));
    assert!(is_down, "{said:?}");
}
