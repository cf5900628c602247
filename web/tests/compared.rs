//! The current run beside others: policies, versions of the scheduler, kept runs.

use std::sync::Arc;

use fairground::policy::{Policy, versions};
use fairground::scenario::{Path, Scenario};
use fairground_web::engine::protocol::{Compared, Frame, Message, Request, Response};
use fairground_web::library;
use fairground_web::state::branches::commands::compare_versions_label;
use fairground_web::state::branches::{Others, kept};
use fairground_web::state::command::Command;
use fairground_web::state::document::{self, Opened, Origin};
use fairground_web::state::effect::Effect;
use fairground_web::state::layout::options::NowView;
use fairground_web::state::model::Model;
use fairground_web::state::update::update;

fn model() -> Model {
    Model::new(Opened::new(library::start(), Origin::Start))
}

fn quota() -> Command {
    let at = Path::default().field("queues").named("team-a").field("gpu").field("quota");
    Command::Set { at, value: "3".to_string() }
}

/// The scenario runs in its own version first, then in the others; a scheduler of one version has nothing to compare.
#[test]
fn versions_of_the_scheduler_are_compared() {
    let mut model = model();
    let sent = update(&mut model, Command::Compare(Others::Versions));
    let runs = sent.iter().find_map(|effect| match effect {
        Effect::Send(Message { body: Request::Compare { runs, .. }, .. }) => Some(runs),
        _ => None,
    });
    let runs = runs.expect("a comparison");
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let (modelled, own) = versions::revision_of(&model.document.scenario).expect("a product");
    let others = modelled.others(own).map(|revision| revision.label);
    assert_eq!(names, std::iter::once(own.label).chain(others).collect::<Vec<_>>());
    assert_eq!(model.view.now, NowView::Compare);
    for run in runs {
        assert_eq!(modelled.revision_of(&run.scenario).label, run.name);
    }
    let without = Policy::products().find(|policy| policy.modelled.is_some_and(|of| of.revisions.len() == 1));
    let policy = without.expect("a product of one version").key.to_owned();
    assert_eq!(compare_versions_label(&Scenario { policy, ..Scenario::default() }), None);
    assert_eq!(compare_versions_label(&model.document.scenario), Some(format!("Compare with {}", names[1])));
}

/// Late replies of an earlier comparison are ignored; an edit starts it again, and another view stops it.
#[test]
fn policies_are_compared() {
    let mut model = model();
    let requested = |effects: &[Effect]| -> Vec<(u64, usize)> {
        let of = |effect: &Effect| match effect {
            Effect::Send(Message { generation, body: Request::Compare { runs, .. } }) => {
                Some((*generation, runs.len()))
            }
            _ => None,
        };
        effects.iter().filter_map(of).collect()
    };
    let [(first, 4)] = requested(&update(&mut model, Command::Compare(Others::default())))[..] else {
        panic!("four policies")
    };
    let [(second, 4)] = requested(&update(&mut model, Command::Compare(Others::default())))[..] else {
        panic!("four policies")
    };
    let reply = |generation| {
        let run = Box::new(Compared { policy: "ego".into(), ..Compared::default() });
        Command::Replied(Box::new(Message { generation, body: Response::Compared(run) }))
    };
    update(&mut model, reply(first));
    assert!(model.comparison.compared.is_empty());
    let progress = Response::Comparing { name: "EGO".into(), cycle: 7 };
    update(&mut model, Command::Replied(Box::new(Message { generation: second, body: progress })));
    assert_eq!(model.comparison.progress, Some(("EGO".into(), 7)));
    update(&mut model, reply(second));
    assert_eq!((model.comparison.compared.len(), &model.comparison.progress), (1, &None));
    let ends = requested(&update(&mut model, Command::ShowView(NowView::Tree)));
    assert!(matches!(ends[..], [(_, 0)]), "{ends:?}");
    update(&mut model, reply(second));
    assert!(model.comparison.compared.is_empty());
    let again = requested(&update(&mut model, Command::Compare(Others::default())));
    assert!(matches!(again[..], [(_, 4)]), "{again:?}");
    model.moment.frame = Some(Arc::new(Frame::default()));
    let edited = requested(&update(&mut model, quota()));
    assert!(matches!(edited[..], [(_, 4)]), "{edited:?}");
}

/// A link to the comparison runs it once its moment is reached.
#[test]
fn a_link_shows_the_comparison() {
    let moment = document::Moment { view: NowView::from_name("compare"), ..document::Moment::default() };
    let mut model = Model::new(Opened { moment, ..Opened::new(library::start(), Origin::Link) });
    let compares = |effects: Vec<Effect>| {
        effects.iter().any(|effect| {
            matches!(effect, Effect::Send(Message { body: Request::Compare { runs, .. }, .. }) if runs.len() == 4)
        })
    };
    assert!(!compares(update(&mut model, Command::CloseNote)));
    model.moment.frame = Some(Arc::new(Frame::default()));
    assert!(compares(update(&mut model, Command::CloseNote)));
    assert!(!compares(update(&mut model, Command::CloseNote)));
}

/// The current run is compared with every kept run of another scenario.
#[test]
fn kept_runs_are_compared() {
    let mut model = model();
    update(&mut model, Command::KeepRun);
    assert!(!kept::is_comparable(&model), "the kept run is the current one");
    update(&mut model, quota());
    let sent = update(&mut model, Command::Compare(Others::Kept));
    let runs = sent.iter().find_map(|effect| match effect {
        Effect::Send(Message { body: Request::Compare { runs, .. }, .. }) => Some(runs),
        _ => None,
    });
    let runs = runs.expect("a comparison");
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!((names, model.view.now), (vec!["current run", "run A: as opened"], NowView::Compare));
    assert_ne!(runs[0].scenario, runs[1].scenario);
}
