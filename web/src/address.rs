//! The page's address: links to scenarios and moments.

use std::sync::Arc;

use fairground::export::renamed;
use fairground::lesson::{Lesson, to_yaml};
use fairground::link;
use fairground::scenario::{Path, Scenario};
use fairground::words::Selection;
use web_sys::window;

use crate::lessons::{self, LinkedLesson};
use crate::state::document::{Moment, Opened, Origin};
use crate::state::layout::options::NowView;
use crate::state::lesson::playing::Playing;
use crate::state::model::Model;

/// Longest link that is written to the address bar.
pub const IN_ADDRESS_MAX: usize = 8_000;

/// Content of a fragment.
#[derive(Clone, Debug, PartialEq)]
pub enum Fragment {
    Empty,
    /// Requests confirmation to delete everything stored on this device.
    Reset,
    Document(Box<Opened>),
    /// A lesson, and the position of the frame to begin with, if the link has one.
    Lesson(LinkedLesson, Option<usize>),
    /// A link that cannot be read, with what is known about it.
    Damaged(String),
}

/// The fragment in the address bar, without `#`.
pub fn in_bar() -> String {
    let fragment = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    fragment.trim_start_matches('#').to_string()
}

/// The query in the address bar, with `?`, or empty.
pub fn query() -> String {
    window().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// The window; `None` if the page is rendered outside a browser.
pub fn browser() -> Option<web_sys::Window> {
    if cfg!(target_arch = "wasm32") { window() } else { None }
}

/// The address of the page without query and fragment.
pub fn of_page() -> String {
    let Some(location) = browser().map(|window| window.location()) else { return String::new() };
    location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default()
}

/// The address of a file that is published with the page.
pub fn beside(name: &str) -> String {
    let page = of_page();
    let folder = page.rfind('/').map_or("", |end| &page[..=end]);
    format!("{folder}{name}")
}

/// Removes the fragment from the address bar.
pub fn clear_bar() {
    let Some(window) = window() else { return };
    let location = window.location();
    let path = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    if let Ok(history) = window.history() {
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&path));
    }
}

/// State of the current history entry; see [`entry`].
pub fn entry_in_bar() -> Option<String> {
    window()?.history().ok()?.state().ok()?.as_string()
}

/// Replaces the current history entry, or adds one.
pub fn put_in_bar(fragment: &str, entry: &str, adds: bool) {
    let Some(window) = window() else { return };
    let Ok(history) = window.history() else { return };
    let url = match fragment {
        "" => window.location().pathname().unwrap_or_default() + &query(),
        fragment => format!("#{fragment}"),
    };
    let _ = if adds {
        history.push_state_with_url(&entry.into(), "", Some(&url))
    } else {
        history.replace_state_with_url(&entry.into(), "", Some(&url))
    };
}

/// The state that a history entry keeps besides the address: the id of the draft, otherwise the origin of the document.
pub fn entry(model: &Model) -> String {
    match (&model.document.draft, &model.document.origin) {
        (Some(id), _) => format!("{DRAFT}{id}"),
        (None, Origin::Start) => START.to_string(),
        (None, Origin::Example(file)) => format!("{EXAMPLE}{file}"),
        _ => OTHER.to_string(),
    }
}

const DRAFT: &str = "draft ";
const EXAMPLE: &str = "example ";
const START: &str = "start";
const OTHER: &str = "other";

/// The draft id in the state of a history entry.
pub fn draft_of(entry: &str) -> Option<&str> {
    entry.strip_prefix(DRAFT)
}

/// The origin in the state of a history entry, if the document was not changed.
pub fn origin_of(entry: &str) -> Origin {
    match entry.strip_prefix(EXAMPLE) {
        Some(file) => Origin::Example(file.to_string()),
        None if entry == START => Origin::Start,
        None => Origin::Draft,
    }
}

/// Reads a fragment, with or without `#`.
pub fn read(fragment: &str) -> Fragment {
    let text = fragment.trim().trim_start_matches('#');
    match text {
        "" => Fragment::Empty,
        "reset" => Fragment::Reset,
        _ if text.starts_with(LESSON) => lesson(&text[LESSON.len()..]),
        _ if link::looks_like_lesson(text) => own_lesson(text),
        _ => match link_decode(text) {
            Ok(opened) => Fragment::Document(Box::new(opened)),
            Err(says) => Fragment::Damaged(says),
        },
    }
}

const LESSON: &str = "lesson=";

/// Reads the name of a lesson, with or without the number of a frame: `fair-share.3`.
fn lesson(text: &str) -> Fragment {
    let (id, n) = text.split_once('.').unwrap_or((text, ""));
    let at = n.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    match lessons::find(id) {
        Some(listed) => Fragment::Lesson(LinkedLesson::Listed(listed), at),
        None => Fragment::Damaged("there is no lesson of that name".to_string()),
    }
}

/// Reads a link that contains a lesson: `l1.…&at=3`.
fn own_lesson(text: &str) -> Fragment {
    let at = link::Moment::parse(text).at.and_then(|at| at.cycle.checked_sub(1));
    match link::open_lesson(text).map_err(|error| error.to_string()).and_then(|file| lessons::parse(&file)) {
        Ok(lesson) => Fragment::Lesson(LinkedLesson::Own(Arc::new(lesson)), at.map(|at| at as usize)),
        Err(says) => Fragment::Damaged(says),
    }
}

/// The fragment of a link that contains a lesson and leads to a frame.
pub fn write_lesson(lesson: &Lesson, at: usize) -> String {
    format!("{}&at={}", link::encode_lesson(&to_yaml(lesson)), at + 1)
}

/// The fragment of a link to the current moment, or to the frame of the lesson that is played, without `#`.
pub fn write(model: &Model) -> String {
    if let Some(playing) = model.lesson.as_deref() {
        return frame(playing);
    }
    let moment = present(model, "");
    link_encode(&model.document.scenario, &moment)
}

fn frame(playing: &Playing) -> String {
    match lessons::find(&playing.id) {
        Some(_) => format!("{LESSON}{}.{}", playing.id, playing.at + 1),
        None => write_lesson(&playing.lesson, playing.at),
    }
}

/// Like [`write`], with the sender's note, with neutral names if requested, and with the setting that the reader changes
/// with a slider.
pub fn write_to_share(model: &Model, note: &str, is_renamed: bool, control: Option<Path>) -> String {
    if let Some(playing) = model.lesson.as_deref() {
        return frame(playing);
    }
    let mut moment = present(model, note);
    moment.control = control.filter(|_| !is_renamed);
    if is_renamed {
        moment.kept.clear();
    } else {
        return link_encode(&model.document.scenario, &moment);
    }
    let made = renamed(&model.document.scenario);
    moment.pool = if moment.pool.is_empty() { moment.pool } else { made.name("pool", &moment.pool) };
    moment.selection = moment.selection.map(|selection| match selection {
        Selection::Queue(name) => Selection::Queue(made.name("queue", &name)),
        Selection::Job(name) => Selection::Job(made.name("job", &name)),
        Selection::Node(name) => Selection::Node(made.name("node", &name)),
        other => other,
    });
    link_encode(&made.scenario, &moment)
}

fn present(model: &Model, note: &str) -> Moment {
    Moment {
        cycle: model.playback.cursor,
        decision: model.playback.decision,
        selection: model.selection.clone().filter(|_| !model.auto_selected),
        view: Some(model.view.now).filter(|view| *view != NowView::Shares),
        pool: model.view.pool.clone(),
        why: model.selection.is_some() && !model.auto_selected,
        note: note.to_string(),
        control: model.view.control.clone(),
        kept: model.branches.kept.in_link(&model.document.scenario),
    }
}

/// Where a link of this length can be used.
pub fn reach(length: usize) -> &'static str {
    match length {
        0..=2_000 => "works everywhere",
        2_001..=4_000 => "for tickets and documents; some chats cut it",
        4_001..=8_000 => "send it as a Markdown link or a file",
        _ => "too long for a link; send the file",
    }
}

fn link_decode(text: &str) -> Result<Opened, String> {
    let linked = link::open(text).map_err(|error| error.to_string())?;
    let moment = link::Moment::parse(text);
    let cycle = moment.at.map_or(0, |at| at.cycle);
    let decision = moment.at.and_then(|at| at.decision);
    let view = moment.view.as_deref().and_then(NowView::from_name);
    let selection = moment.sel.as_deref().and_then(Selection::from_text);
    let (pool, why) = (moment.pool.unwrap_or_default(), moment.why);
    let note = moment.note.unwrap_or_default();
    let (control, kept) = (moment.control, moment.kept);
    let moment = Moment { cycle, decision, selection, view, pool, why, note, control, kept };
    Ok(Opened { moment, rules: linked.rules, ..Opened::new(linked.scenario, Origin::Link) })
}

fn link_encode(scenario: &Scenario, moment: &Moment) -> String {
    let parameters = link::Moment {
        at: Some(link::At { cycle: moment.cycle, decision: moment.decision }),
        sel: moment.selection.as_ref().map(Selection::to_text),
        view: moment.view.map(|view| view.name().to_string()),
        pool: Some(moment.pool.clone()).filter(|pool| !pool.is_empty()),
        why: moment.why,
        note: Some(moment.note.clone()),
        control: moment.control.clone(),
        kept: moment.kept.clone(),
    };
    format!("{}{parameters}", link::encode(scenario))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_lesson() {
        let of = |text: &str| match read(text) {
            Fragment::Lesson(LinkedLesson::Listed(listed), at) => Some((listed.id, at)),
            _ => None,
        };
        assert_eq!(of("#lesson=weights"), Some(("weights", None)));
        assert_eq!(of("lesson=weights.3"), Some(("weights", Some(2))));
        assert_eq!(of("lesson=weights.0"), Some(("weights", None)));
        for wrong in ["lesson=", "lesson=../x", "lesson=<b>.1"] {
            assert!(matches!(read(wrong), Fragment::Damaged(_)), "{wrong}");
        }
    }

    #[test]
    fn a_link_contains_a_lesson() {
        let text = "format: fairground-lesson\nversion: 1\ntitle: <b>\nabout: One.\nframes:\n\
                    - {title: One, text: One., example: start}\n- {title: Two, text: Two.}\n";
        let lesson = lessons::parse(text).expect("a lesson");
        let fragment = write_lesson(&lesson, 1);
        let Fragment::Lesson(LinkedLesson::Own(read), at) = read(&fragment) else { panic!("{fragment}") };
        assert_eq!((&read.title, read.frames.len(), at), (&lesson.title, 2, Some(1)));
        let damaged = |text: &str| match super::read(&link::encode_lesson(text)) {
            Fragment::Damaged(says) => says,
            other => panic!("{other:?}"),
        };
        assert!(damaged(&text.replace("text: Two.", "texts: Two.")).contains("frames[1].text"));
        assert!(damaged(&text.replace("start", "<script>")).contains("frames[0].example: there is no example"));
        assert!(damaged(&"a".repeat(300_000)).contains("200000 are read"));
        assert!(matches!(super::read(&fragment[..40]), Fragment::Damaged(says) if says.contains("characters arrived")));
    }

    #[test]
    fn a_link_says_with_which_rules_it_was_made_and_whether_to_explain() {
        let start = crate::library::start();
        let opened = |rules: u32, rest: &str| match read(&format!("#{}{rest}", link::encode_with(&start, rules))) {
            Fragment::Document(opened) => *opened,
            other => panic!("{other:?}"),
        };
        let other = opened(link::RULES + 1, "");
        assert_eq!((other.rules, other.moment.why), (link::RULES + 1, false));
        let model = Model::new(other);
        assert!(model.notices[0].text.contains("another version of the rules"), "{:?}", model.notices);
        let mut own = Model::new(opened(link::RULES, "&at=0&sel=job:b2&why=1"));
        assert!(own.notices.is_empty());
        assert_eq!(own.view.panel, crate::state::layout::options::Panel::Why);
        own.take(opened(7, ""));
        assert_eq!(own.notices.len(), 1, "also where it is opened in place");
    }
}
