//! Jumps from event to event, and the kinds of events that they pass over.

use fairground::moment::EventWord;
use fairground_web::library::EXAMPLES;
use fairground_web::model::Command;
use fairground_web::model::kinds::Kind;
use fairground_web::view_model::timeline::timeline;
use whole::Whole;

mod whole;

#[test]
fn every_event_belongs_to_one_kind_and_every_kind_has_events() {
    for word in EventWord::ALL {
        let kinds: Vec<Kind> =
            Kind::ALL.into_iter().filter(|kind| kind.keys().any(|key| key == word.name())).collect();
        assert_eq!(kinds, Kind::with(word.name()).into_iter().collect::<Vec<_>>(), "{word:?}");
        assert_eq!(EventWord::from_name(word.name()), Some(*word));
    }
    assert!(Kind::ALL.into_iter().all(|kind| kind.keys().next().is_some()));
}

#[test]
fn a_jump_stops_at_nothing_that_is_left_out() {
    for example in EXAMPLES {
        let mut whole = Whole::open(example.id, 0);
        whole.dispatch(Command::GoTo(12));
        whole.dispatch(Command::GoTo(0));
        // What the legend offers, which is what a person can leave out.
        let run = whole.model.run.clone().expect("a run");
        let offered = timeline(&run, whole.frame(), None, 2).kinds;
        for kind in offered.all() {
            whole.dispatch(Command::ShowEvents(kind, false));
        }
        let last = run.last_cycle;
        whole.dispatch(Command::NextEvent { back: false });
        let at = whole.model.cursor;
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
    let rows = whole.model.run.as_ref().expect("a run").events.iter();
    let kinds: Vec<Kind> = rows.filter_map(|event| Kind::of(&event.1)).collect();
    assert!(kinds.contains(&Kind::Node), "{kinds:?}");
    whole.dispatch(Command::NextEvent { back: true });
    let said = whole
        .frame()
        .events
        .iter()
        .find(|event| event.kind == "node")
        .map(|event| (&event.node, &event.reason));
    assert_eq!(said, Some((&node, &"down".to_string())));
}
