//! What the page opens with.
//!
//! A first visit begins with the start scenario, of which everything is known when the page is built: its entries, and
//! what the engine says of its first moment. So it is drawn without the engine.

use fairground::scenario::{JobEntry, NodeEntry, QueueEntry, ResourceEntry, Scalar, Scenario};
use std::sync::Arc;

use crate::address::{self, Fragment};
use crate::engine::protocol::{Frame, Names, Run};
use crate::model::document::Opened;
use crate::model::draft::Draft;
use crate::model::{Dialog, Embed, Model, Origin};
use crate::{library, storage};

/// What the engine says of the start scenario's first moment; written by the tests.
const FIRST_MOMENT: &[u8] = include_bytes!("../first-moment.bin");

/// What the page opens with, and what there is to say about it.
#[derive(Debug)]
pub struct Opening {
    /// The model.
    pub model: Model,
    /// The fragment in the address, if it is the page's own.
    pub address: String,
    /// It is the start scenario at its start, as the plain first frame shows it.
    pub is_start: bool,
}

/// Whether nothing was linked to and nothing is kept here from an earlier visit.
pub fn is_first_visit(fragment: &str) -> bool {
    fragment.is_empty() && !storage::has_current() && !is_embedded()
}

/// Whether the page is part of another one, where nothing of one's own is shown or kept.
fn is_embedded() -> bool {
    Embed::read(&address::query()).is_some()
}

/// What a first visit opens with.
pub fn first_visit() -> Opening {
    let known = postcard::from_bytes::<(Arc<Names>, Frame, Run)>(FIRST_MOMENT);
    let (names, mut frame, mut run) = known.expect("the tests write and read it");
    frame.names.clone_from(&names);
    run.names = names;
    Opening { model: Model::start(start_scenario(), frame, run), address: String::new(), is_start: true }
}

/// What somebody opens who follows a link or comes back.
pub(crate) fn of_visitor() -> Opening {
    let fragment = address::in_bar();
    let (opened, dialog, address) = opened(&fragment);
    let is_start = opened.origin == Origin::Start && opened.moment.cycle == 0 && dialog.is_none();
    let is_draft = opened.draft.is_some();
    let mut model = Model::new(opened);
    model.pristine = !is_draft;
    model.view.dialog = dialog;
    Opening { model, address, is_start }
}

fn opened(fragment: &str) -> (Opened, Option<Dialog>, String) {
    let read = match address::read(fragment) {
        Fragment::Reset if is_embedded() => Fragment::Empty,
        read => read,
    };
    let is_reset = read == Fragment::Reset;
    if is_reset {
        address::clear_bar();
    }
    let mine = |(id, draft): (String, Draft)| {
        let address = draft.address.clone();
        Some((draft.open(&id).ok()?, address))
    };
    // A reload of an entry of the history comes back to its own draft.
    let of_entry = || {
        let entry = address::entry_in_bar()?;
        let id = address::draft_of(&entry)?;
        Some((id.to_string(), storage::draft(id)?))
    };
    let kept = || of_entry().or_else(storage::current);
    let own = (!is_embedded()).then(kept).flatten().and_then(mine);
    let start = || Opened::new(library::start(), Origin::Start);
    match read {
        Fragment::Document(opened) => {
            let opened = match own {
                // A reload: the address is what the page itself wrote, perhaps before the last change.
                Some((draft, address)) if address == fragment => draft,
                // One's own scenario, at another moment.
                Some((draft, _)) if draft.scenario == opened.scenario => {
                    Opened { moment: opened.moment.clone(), rules: opened.rules, ..draft }
                }
                // A reload of something that was not changed.
                _ if storage::own_address().as_deref() == Some(fragment) => {
                    let is_start = *opened.scenario == library::start();
                    let origin = if is_start { Origin::Start } else { Origin::Draft };
                    Opened { origin, ..*opened }
                }
                _ => *opened,
            };
            (opened, None, fragment.to_string())
        }
        Fragment::Damaged(says) => {
            let opened = own.map_or_else(start, |(draft, _)| draft);
            if !is_embedded() {
                address::clear_bar();
            }
            (opened, Some(Dialog::BadLink(says)), String::new())
        }
        Fragment::Empty | Fragment::Reset => {
            (own.map_or_else(start, |(draft, _)| draft), is_reset.then_some(Dialog::Reset), String::new())
        }
    }
}

/// What an entry of the browser's history leads back to: its draft as it was kept, else what its fragment says.
pub(crate) fn returned(entry: &str, fragment: &str) -> Option<Box<Opened>> {
    let kept = address::draft_of(entry).and_then(|id| storage::draft(id)?.open(id).ok());
    if let Some(draft) = kept {
        return Some(Box::new(draft));
    }
    let origin = address::origin_of(entry);
    match (address::read(fragment), &origin) {
        (Fragment::Document(opened), _) => Some(Box::new(Opened { origin, ..*opened })),
        // Too large for an address.
        (_, Origin::Example(id)) => {
            let example = library::EXAMPLES.iter().find(|example| example.id == id)?;
            Some(Box::new(Opened::new(example.scenario(), origin)))
        }
        _ => None,
    }
}

/// The start scenario, as its file says it; reading that file is not needed to show it.
fn start_scenario() -> Scenario {
    let all = || Some(Scalar::from("unlimited"));
    let one = || Some(Scalar::from("1"));
    let queue = |name: &str| {
        let unlimited = || ResourceEntry { quota: all(), limit: all(), weight: one(), usage: None };
        QueueEntry {
            name: name.into(),
            gpu: ResourceEntry { quota: Some("2".into()), ..unlimited() },
            cpu: unlimited(),
            memory: unlimited(),
            ..QueueEntry::default()
        }
    };
    let job = |name: &str, queue: &str, submit: &str, gpu: &str| JobEntry {
        name: name.into(),
        queue: queue.into(),
        submit: Some(submit.into()),
        gpu: Some(gpu.into()),
        ..JobEntry::default()
    };
    let running = |job: JobEntry, node: &str, started: &str| JobEntry {
        on: vec![node.into()],
        started: Some(started.into()),
        ..job
    };
    Scenario {
        name: "Two teams, four GPUs".into(),
        note: "team-b is about to ask for one more GPU. Who gives one up?".into(),
        dialect: "kai".into(),
        policy: "kai".into(),
        cycle: Some("1s".into()),
        nodes: Arc::new(vec![NodeEntry {
            name: "node".into(),
            count: Some("2".into()),
            gpu: Some("2".into()),
            ..NodeEntry::default()
        }]),
        queues: Arc::new(vec![queue("team-a"), queue("team-b")]),
        jobs: Arc::new(vec![
            running(job("a1", "team-a", "-299s", "2"), "node-1", "-298s"),
            running(job("a2", "team-a", "-199s", "1"), "node-2", "-198s"),
            running(job("b1", "team-b", "-249s", "1"), "node-2", "-248s"),
            job("b2", "team-b", "1s", "1"),
        ]),
        ..Scenario::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{Reply, Say};
    use crate::engine::serve::Server;
    use crate::model::{Command, Effect, begin, update};

    /// The model once the engine has answered all that is asked at first.
    fn answered(mut model: Model) -> Model {
        let mut server = Server::default();
        let mut todo = begin(&mut model);
        while let Some(effect) = todo.pop() {
            let Effect::Send(request) = effect else { continue };
            let mut replies: Vec<Reply> = server.ask(request);
            while server.is_busy() {
                replies.extend(server.work());
            }
            for reply in replies {
                assert!(
                    matches!(reply.say, Say::Frame { .. }),
                    "nothing further is asked at first: {reply:?}"
                );
                todo.extend(update(&mut model, Command::Replied(Box::new(reply))));
            }
        }
        model
    }

    /// `FAIRGROUND_UPDATE=1` writes the first moment anew.
    #[test]
    fn a_first_visit_sees_what_the_engine_says() {
        let start = library::start();
        assert_eq!(start_scenario(), start, "the entries are those of the file");
        let said = answered(Model::new(Opened::new(start, Origin::Start)));
        let (frame, run) = (said.frame.clone().expect("a frame"), said.run.clone().expect("a run"));
        let bytes = postcard::to_stdvec(&(&*frame.names, &*frame, &*run)).expect("plain data");
        if std::env::var_os("FAIRGROUND_UPDATE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/first-moment.bin");
            std::fs::write(path, &bytes).expect("the file can be written");
            return;
        }
        assert!(bytes == FIRST_MOMENT, "the first moment changed; run again with FAIRGROUND_UPDATE=1");
        let shown = first_visit().model;
        assert_eq!((&shown.frame, &shown.run), (&said.frame, &said.run));
        assert_eq!((&shown.scenario, &shown.findings), (&said.scenario, &said.findings));
        assert_eq!(
            (&shown.engine, &shown.selection, &shown.view),
            (&said.engine, &said.selection, &said.view)
        );
        // Giving the engine the document does not change what is shown.
        let later = answered(shown);
        assert_eq!((&later.frame, later.stale, &later.engine), (&said.frame, false, &said.engine));
    }
}
