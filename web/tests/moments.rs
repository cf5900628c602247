//! If cycles come at other times, the cursor keeps its moment, not the number of its cycle.

use fairground::scenario::Path;
use fairground::units::ShownResource;
use fairground::words::Selection;
use fairground_web::engine::report::Report;
use fairground_web::state::branches::alternative;
use fairground_web::state::command::Command;
use fairground_web::state::layout::options::NowView;
use fairground_web::state::update::update;

use crate::whole::{Whole, loads};

#[test]
fn another_interval_keeps_the_time() {
    let mut whole = Whole::open("start", 0);
    whole.dispatch(Command::GoTo(2));
    let was = (whole.frame().cycle, whole.frame().time_ms);
    let at = Path::default().field("cycle");
    whole.dispatch(Command::Set { at: at.clone(), value: "2s".into() });
    let now = (whole.frame().cycle, whole.frame().time_ms);
    assert!(now.1 <= was.1 && was.1 - now.1 < 2_000 && now.0 < was.0, "{was:?} {now:?}");
    assert_eq!(whole.model.playback.cursor, now.0);
    assert!(whole.model.notices.is_empty(), "{:?}", whole.model.notices);
    // The moment is compared with its baseline, and no cycle is drawn over one of another time.
    assert_eq!(alternative::moment(&whole.model).map(|frame| frame.time_ms), Some(was.1));
    assert!(alternative::run(&whole.model).is_none());
    whole.dispatch(Command::Undo);
    let back = whole.frame().time_ms;
    assert!(back <= now.1 && now.1 - back < was.1 / i64::from(was.0) + 1, "{back} {now:?}");
}

#[test]
fn another_policy_keeps_the_time() {
    for policy in ["yunikorn", "runai", "fifo"] {
        let mut whole = Whole::open("morning-rush", 0);
        whole.dispatch(Command::GoTo(24));
        let was = whole.frame().time_ms;
        whole.dispatch(Command::Policy(policy.into()));
        let now = whole.frame().time_ms;
        assert_eq!(whole.frame().policy, policy);
        let next = {
            whole.dispatch(Command::Step);
            whole.frame().time_ms
        };
        assert!(now <= was && (next > was || next == now), "{policy}: {now} for {was}, then {next}");
    }
}

/// Whatever is shown of a moment arrives with its frame.
#[test]
fn a_step_is_one_request() {
    for (example, queue) in [("start", "team-a"), ("ego-share-usage", "A"), ("tenants-and-offsets", "system")] {
        let selections =
            [None, Some(Selection::Queue(queue.into())), Some(Selection::Rule("kai/division/round".into()))];
        for selection in selections {
            for view in NowView::ALL {
                let mut whole = Whole::open(example, 0);
                whole.dispatch(Command::Select(selection.clone()));
                whole.dispatch(Command::ShowView(view));
                whole.dispatch(Command::Resource(ShownResource::Dominant));
                whole.n_requests = 0;
                whole.dispatch(Command::Step);
                assert_eq!(whole.n_requests, 1, "{example}: {view:?} with {selection:?}");
                let has_report = !matches!(
                    view.under(&whole.frame().policy),
                    NowView::Shares | NowView::Division | NowView::Tree | NowView::Compare
                );
                assert!(whole.model.moment.report.is_some() || !has_report, "{example}: {view:?}");
                if selection.is_some() {
                    whole.dispatch(Command::Select(selection.clone()));
                    assert_eq!(whole.n_requests, 1, "{example}: all of {selection:?} is known");
                }
            }
        }
    }
}

/// What is selected or shown while a step is in flight is explained when it has arrived.
#[test]
fn what_changes_during_a_step_is_requested_after_it() {
    let queue = Selection::Queue("team-a".into());
    let mut whole = Whole::open("start", 0);
    let step = update(&mut whole.model, Command::Step);
    whole.dispatch(Command::Select(Some(queue.clone())));
    assert_eq!(whole.model.moment.ladder, None);
    whole.dispatch(Command::ShowView(NowView::Fairness));
    whole.n_requests = 0;
    whole.carry_out(step);
    assert_eq!(whole.n_requests, 2, "the step, and one request for all that is new");
    let known = |whole: &Whole| {
        let ladder = whole.model.moment.ladder.as_ref().map(|ladder| (ladder.cycle, ladder.queue.clone()));
        let order = whole.model.moment.order.as_ref().map(|order| (order.cycle, order.of.clone()));
        let Some(Report::Fairness(tally)) = whole.model.moment.report.as_deref() else { panic!("a tally") };
        (ladder, order, tally.summary.cycles)
    };
    let at = |cycle| (Some((cycle, "team-a".into())), Some((cycle, queue.clone())), cycle);
    assert_eq!(known(&whole), at(1));
    whole.dispatch(Command::Step);
    assert_eq!((known(&whole), whole.n_requests), (at(2), 3));
}

#[test]
fn a_cycle_that_takes_long_can_be_cancelled_inside() {
    use fairground_web::engine::protocol::{At, Message, Request, Response};
    use fairground_web::state::effect::Effect;
    use fairground_web::state::engine_state::{EngineState, Work};
    let mut whole = Whole::open("start", 0);
    whole.dispatch(Command::GoTo(2));
    // The engine is within a cycle and handles no requests.
    update(&mut whole.model, Command::Step);
    assert_eq!(whole.model.engine.state, EngineState::Working(Work::Cycle(None)));
    let effects = update(&mut whole.model, Command::Cancel);
    let [Effect::Send(Message { generation, body: Request::Cancel }), Effect::EndEngineSoon(id)] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(generation, id);
    let ends = |effects: &[Effect]| {
        effects.iter().any(|effect| matches!(effect, Effect::RestartEngine))
            && loads(effects).any(|ask| ask.at == At::Cycle(2))
    };
    // An engine that replies in time is not restarted.
    let mut answered = whole.model.clone();
    let reply = Message { generation: *id, body: Response::Cancelled { goes_back_to: Some(2) } };
    update(&mut answered, Command::Replied(Box::new(reply)));
    assert_eq!(answered.engine.state, EngineState::Idle, "that cycle is shown");
    assert_eq!(update(&mut answered, Command::EndEngine(*id)), []);
    let effects = update(&mut whole.model, Command::EndEngine(*id));
    assert!(ends(&effects), "{effects:?}");
    assert_eq!(whole.model.playback.cursor, 2);
    whole.carry_out(effects);
    assert_eq!((whole.frame().cycle, &whole.model.engine.state), (2, &EngineState::Idle));
}
