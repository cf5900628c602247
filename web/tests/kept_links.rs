//! Kept runs in links: those that differ from the scenario in values only travel, and the compared one is shown.

use fairground::scenario::Path;
use fairground_web::address::{self, Fragment};
use fairground_web::state::command::Command;
use fairground_web::state::document::Change;
use fairground_web::state::model::Model;

use crate::whole::Whole;

fn quota(value: &str) -> Command {
    let at = Path::default().field("queues").named("team-a").field("gpu").field("quota");
    Command::Set { at, value: value.into() }
}

fn opened(link: &str) -> Model {
    match address::read(link) {
        Fragment::Document(opened) => Model::new(*opened),
        other => panic!("{other:?}"),
    }
}

#[test]
fn kept_runs_are_opened_as_they_were() {
    let mut whole = Whole::open("start", 1);
    whole.dispatch(Command::KeepRun);
    whole.dispatch(quota("3"));
    whole.dispatch(Command::KeepRun);
    whole.dispatch(quota("4"));
    whole.dispatch(Command::CompareWith(Some('A')));
    let link = address::write(&whole.model);
    assert!(link.contains("&kept=A~as_20opened~queues.team-a.gpu.quota~2&kept=B~"), "{link}");
    let model = opened(&link);
    assert_eq!(model.branches.kept, whole.model.branches.kept);
    // A run with another node is left out.
    whole.dispatch(Command::Change(Change::AddNodes));
    let link = address::write(&whole.model);
    assert!(!link.contains("kept"), "{link}");
    assert!(opened(&link).branches.kept.runs.is_empty());
}

#[test]
fn values_that_do_not_fit_are_left_out() {
    let link = address::write(&Whole::open("start", 1).model);
    for (wrong, n) in [
        ("&kept=A~x~queues.team-z.gpu.quota~2", 0),
        ("&kept=A~x~queues.team-a.gpu.quota~many", 0),
        ("&kept=A~x~nodes.node.gpu~1e99", 0),
        ("&kept=Z~x~cycle~2s", 0),
        ("&kept=A~_3cb_3e~cycle~2s&kept=A~other~cycle~3s", 1),
    ] {
        let model = opened(&format!("{link}{wrong}"));
        assert_eq!(model.branches.kept.runs.len(), n, "{wrong}");
        let last = model.notices.last().map(|notice| notice.text.as_str()).unwrap_or_default();
        assert!(last.starts_with("A kept run of this link does not fit"), "{wrong}: {last}");
        assert_eq!(model.branches.kept.compared.is_some(), n > 0, "{wrong}");
    }
}
