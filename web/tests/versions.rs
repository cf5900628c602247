//! Versions of a scheduler, compared on the page.

use fairground::policy::{Policy, versions};
use fairground::scenario::Scenario;
use fairground_web::engine::protocol::{Message, Request};
use fairground_web::library;
use fairground_web::state::branches::Others;
use fairground_web::state::branches::commands::compare_versions_label;
use fairground_web::state::command::Command;
use fairground_web::state::document::{Origin, opened::Opened};
use fairground_web::state::effect::Effect;
use fairground_web::state::layout::options::NowView;
use fairground_web::state::model::Model;
use fairground_web::state::update::update;

/// The scenario runs in its own version first, then in the others; a scheduler of one version has nothing to compare.
#[test]
fn versions_of_the_scheduler_are_compared() {
    let mut model = Model::new(Opened::new(library::start(), Origin::Start));
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
