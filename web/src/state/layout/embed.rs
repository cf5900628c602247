//! The page embedded in another page: what it shows and allows.
//!
//! `?embed=1` shows NOW, the timeline or both, read-only. `controls=step,play,time` or `none` selects the playback
//! controls, `edit=1` allows edits, which stay in the embedded page, and `view=` selects the view of NOW, or `time` for
//! the timeline alone. Nothing is stored on the device, and the address does not change.

use super::options::{Dialog, NowView};
use crate::state::command::Command;

/// Options of an embedded page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Embed {
    /// Offers step controls.
    pub step: bool,
    /// Offers playback.
    pub play: bool,
    /// Shows the timeline.
    pub time: bool,
    /// Shows NOW.
    pub now: bool,
    /// Allows edits.
    pub edit: bool,
    /// View of NOW, if selected.
    pub view: Option<NowView>,
}

/// Value of `view=` that selects the timeline alone.
const TIMELINE_ALONE: &str = "time";

impl Embed {
    /// Reads the query of an address; `None`: not embedded.
    pub fn read(query: &str) -> Option<Embed> {
        let value = |name: &str| {
            let pairs = query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
            pairs.rev().find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        if value("embed") != Some("1") {
            return None;
        }
        let view = value("view");
        let controls = value("controls").map(|list| list.replace("%2C", ",").replace("%2c", ","));
        let has = |name: &str| controls.as_ref().is_none_or(|list| list.split(',').any(|word| word == name));
        let is_alone = view == Some(TIMELINE_ALONE);
        Some(Embed {
            step: has("step"),
            play: has("play"),
            time: is_alone || has("time"),
            now: !is_alone,
            edit: value("edit") == Some("1"),
            view: view.and_then(NowView::from_name),
        })
    }

    /// Names of the shown parts, for the stylesheet.
    pub fn words(self) -> String {
        let words =
            [(self.step, "step"), (self.play, "play"), (self.time, "time"), (self.now, "now"), (self.edit, "edit")];
        words.into_iter().filter(|(shown, _)| *shown).map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    }

    /// Whether a command is allowed.
    pub fn allows(self, command: &Command) -> bool {
        match command {
            Command::Set { .. }
            | Command::SetValid(_)
            | Command::Preview { .. }
            | Command::Change(_)
            | Command::Fix(_)
            | Command::NodeState { .. }
            | Command::Undo
            | Command::Redo
            | Command::Remark(_)
            | Command::GoBackTo(_) => self.edit,
            Command::Record(_)
            | Command::SetText(_)
            | Command::Unread(_)
            | Command::Dismiss(_)
            | Command::Policy(_)
            | Command::Compare(_)
            | Command::Import { .. }
            | Command::TakeImport { .. }
            | Command::ReloadImport
            | Command::RestoreNames(_)
            | Command::OpenDraft { .. }
            | Command::Pack
            | Command::Share
            | Command::Present(_)
            | Command::Why(_) => false,
            Command::Dialog(Some(dialog)) => matches!(dialog, Dialog::BadLink(_)),
            _ => true,
        }
    }

    /// Whether a shortcut may issue a command: only if a button for it is shown.
    pub fn allows_key(self, command: &Command) -> bool {
        match command {
            Command::Step
            | Command::Back
            | Command::StepDecision { .. }
            | Command::Action { .. }
            | Command::NextEvent { .. } => self.step,
            Command::Play(_) | Command::Speed(_) => self.play,
            Command::GoTo(_) => self.step || self.time,
            other => self.allows(other),
        }
    }
}

/// The HTML that embeds a moment in another page: an `iframe` with the URL of the page and moment, and the scenario's
/// title.
pub fn code(page: &str, fragment: &str, title: &str) -> String {
    let escaped = title.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<iframe src=\"{page}?embed=1&amp;controls=step,play,time#{}\" title=\"{escaped}\" width=\"100%\" \
         height=\"{HEIGHT}\" loading=\"lazy\" style=\"border:0\"></iframe>",
        fragment.replace('&', "&amp;")
    )
}

/// Height in pixels until the embedded page reports its own: two teams on four GPUs.
const HEIGHT: u32 = 560;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::document::Change;
    use crate::state::document::Opened;
    use crate::state::document::Origin;
    use crate::state::model::Model;
    use crate::state::update::update;
    use fairground::policy::Policy;
    use fairground::scenario::Path;

    #[test]
    fn the_query_says_what_is_shown() {
        assert_eq!(Embed::read(""), None);
        assert_eq!(Embed::read("?embed=0&controls=step"), None);
        assert_eq!(Embed::read("?embedding=1"), None);
        let words = |query: &str| Embed::read(query).map(Embed::words).unwrap_or_default();
        assert_eq!(words("?embed=1"), "step play time now");
        assert_eq!(words("?theme=dark&embed=1&controls=step"), "step now");
        assert_eq!(words("?embed=1&controls=none&edit=1"), "now edit");
        assert_eq!(words("?embed=1&controls=step%2Ctime"), "step time now");
        assert_eq!(words("?embed=1&controls=play&view=time"), "play time");
        assert_eq!(Embed::read("?embed=1&view=gantt").and_then(|e| e.view), Some(NowView::Gantt));
        assert_eq!(Embed::read("?embed=1&view=nonsense").map(|e| (e.now, e.view)), Some((true, None)));
    }

    #[test]
    fn what_is_embedded_to_be_read_cannot_be_changed() {
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Link));
        let add = || Command::Change(Change::AddQueue { parent: None });
        let before = model.document.scenario.clone();
        let other = Policy::NAMES.iter().find(|name| **name != before.policy).expect("another policy");
        model.view.embed = Embed::read("?embed=1");
        for command in [add(), Command::Policy((*other).into()), Command::Dialog(Some(Dialog::Paste))] {
            assert!(update(&mut model, command).is_empty());
        }
        assert_eq!((&model.document.scenario, &model.view.dialog), (&before, &None));
        model.view.embed = Embed::read("?embed=1&edit=1");
        update(&mut model, add());
        assert_ne!(model.document.scenario, before);
        let none = Embed::read("?embed=1&controls=none").expect("it is embedded");
        assert!(!none.allows_key(&Command::Step) && none.allows(&Command::Step));
    }

    #[test]
    fn the_setting_of_a_link_can_be_changed_where_it_is_embedded() {
        let path = |field: &str| Path::default().field("queues").named("team-a").field("gpu").field(field);
        let mut opened = Opened::new(crate::library::start(), Origin::Link);
        opened.moment.control = Some(path("quota"));
        let mut model = Model::new(opened);
        model.view.embed = Embed::read("?embed=1");
        let before = model.document.scenario.clone();
        update(&mut model, Command::Set { at: path("weight"), value: "3".into() });
        assert_eq!(model.document.scenario, before);
        update(&mut model, Command::Set { at: path("quota"), value: "3".into() });
        assert_eq!(crate::state::document::value(&model.document.scenario, &path("quota")), "3");
        model.take(Opened::new(crate::library::start(), Origin::Link));
        assert_eq!(model.view.control, None, "another document has no slider");
    }

    #[test]
    fn titles_stay_text_in_the_code() {
        let code = code("https://host/p/", "d1.x&at=7", "a \"b\" <c>");
        assert!(code.contains("src=\"https://host/p/?embed=1&amp;controls=step,play,time#d1.x&amp;at=7\""));
        assert!(code.contains("title=\"a &quot;b&quot; &lt;c&gt;\""));
    }
}
