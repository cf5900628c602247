//! What the page opens with: the start scenario, a link, or a stored draft.

use crate::address::{self, Fragment};
use crate::lessons::LinkedLesson;
use crate::state::document::draft::Draft;
use crate::state::document::{Opened, Origin};
use crate::state::layout::embed::Embed;
use crate::state::layout::options::Dialog;
use crate::state::model::Model;
use crate::{library, storage};

#[derive(Debug)]
pub struct Startup {
    pub model: Model,
    /// The fragment in the address, if the page wrote it.
    pub address: String,
    /// The start scenario at its first cycle, as in the static first frame.
    pub is_start: bool,
    /// A draft that takes long to read; it is opened after the page is mounted.
    pub draft: Option<(String, Draft)>,
    /// A lesson in the address, and the frame to begin with; it is opened after the page is mounted.
    pub lesson: Option<(LinkedLesson, Option<usize>)>,
}

/// Whether the page is embedded in another one, where drafts are neither shown nor saved.
fn is_embedded() -> bool {
    Embed::read(&address::query()).is_some()
}

pub fn startup() -> Startup {
    let fragment = address::in_bar();
    let large = large_draft(&fragment);
    let (opened, dialog, address) = match &large {
        Some(_) => (Opened::new(library::start(), Origin::Start), None, String::new()),
        None => opened(&fragment),
    };
    let is_start = opened.document.origin == Origin::Start && opened.moment.cycle == 0 && dialog.is_none();
    let mut model = Model::new(opened);
    model.view.dialog = dialog;
    let lesson = match address::read(&fragment) {
        Fragment::Lesson(lesson, at) => Some((lesson, at)),
        _ => None,
    };
    Startup { model, address, is_start, draft: large, lesson }
}

/// The draft to open, if it is packed; no link contains such a document.
fn large_draft(fragment: &str) -> Option<(String, Draft)> {
    let kept = || of_entry().or_else(storage::current).filter(|(_, draft)| draft.is_packed());
    (fragment.is_empty() && !is_embedded()).then(kept).flatten()
}

/// The draft of the current history entry, restored on reload.
fn of_entry() -> Option<(String, Draft)> {
    let entry = address::entry_in_bar()?;
    let id = address::draft_of(&entry)?;
    Some((id.to_string(), storage::draft(id)?))
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
    let open_own = |(id, draft): (String, Draft)| {
        let address = draft.address.clone();
        Some((draft.open(&id).ok()?, address))
    };
    let kept = || of_entry().or_else(storage::current).filter(|(_, draft)| !draft.is_packed());
    let own = (!is_embedded()).then(kept).flatten().and_then(open_own);
    let start = || Opened::new(library::start(), Origin::Start);
    match read {
        Fragment::Document(opened) => {
            let opened = match own {
                // A reload: the page wrote the address itself, perhaps before the last change.
                Some((mut draft, address)) if address == fragment => {
                    draft.moment.kept.clone_from(&opened.moment.kept);
                    draft
                }
                // The visitor's own scenario, at another moment.
                Some((draft, _)) if draft.document.scenario == opened.document.scenario => {
                    Opened { moment: opened.moment.clone(), rules: opened.rules, ..draft }
                }
                // A reload of an unchanged document.
                _ if storage::own_address().as_deref() == Some(fragment) => {
                    let is_start = *opened.document.scenario == library::start();
                    let origin = if is_start { Origin::Start } else { Origin::Draft };
                    opened.with_origin(origin)
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
        Fragment::Empty | Fragment::Reset | Fragment::Lesson(..) => {
            (own.map_or_else(start, |(draft, _)| draft), is_reset.then_some(Dialog::Reset), String::new())
        }
    }
}

/// The document of a history entry: the stored draft, otherwise the content of the fragment.
pub(crate) fn returned(entry: &str, fragment: &str) -> Option<Box<Opened>> {
    let kept = address::draft_of(entry).and_then(|id| storage::draft(id)?.open(id).ok());
    if let Some(draft) = kept {
        return Some(Box::new(draft));
    }
    let origin = address::origin_of(entry);
    match (address::read(fragment), &origin) {
        (Fragment::Document(opened), _) => Some(Box::new(opened.with_origin(origin))),
        // Too large for a link.
        (_, Origin::Example(id)) => {
            let example = library::EXAMPLES.iter().find(|example| example.id == id)?;
            Some(Box::new(Opened::new(example.scenario(), origin)))
        }
        _ => None,
    }
}
