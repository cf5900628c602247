//! Commands that change the layout of the page.

use std::sync::Arc;

use fairground::scenario::Path;

use crate::state::effect::Effect;
use crate::state::layout::options::{KeySet, Panel, Presenting, Theme};
use crate::state::layout::table;
use crate::state::layout::view::{SETUP_WIDTHS, View, WHY_WIDTHS};
use crate::state::model::Model;

/// Folds a panel to its rail or opens it manually, and remembers that. NOW is always open.
pub(crate) fn fold(view: &mut View, panel: Panel, folded: bool, fx: &mut Vec<Effect>) {
    let name = match panel {
        Panel::Setup => {
            view.setup_folded = folded;
            view.setup_by_hand = Some(!folded);
            "setup"
        }
        Panel::Now => return,
        Panel::Time => {
            view.time_folded = folded;
            "time"
        }
        Panel::Why => {
            view.why_open = !folded;
            view.why_closed = folded;
            view.panel = if folded { Panel::Now } else { Panel::Why };
            "why"
        }
    };
    let state = match (panel, folded) {
        (_, false) => "open",
        (Panel::Why, true) => "closed",
        _ => "folded",
    };
    fx.push(Effect::Remember(name, state.to_string()));
}

/// Unfolds the rule and all numbers of explanations, and remembers that.
pub(crate) fn show_all_numbers(view: &mut View, on: bool, fx: &mut Vec<Effect>) {
    // An unfolded element reports its state when it appears, too.
    if view.all_numbers != on {
        view.all_numbers = on;
        fx.push(Effect::Remember("numbers", if on { "open" } else { "folded" }.to_string()));
    }
}

/// Opens or closes the form of a row.
pub(crate) fn show_detail(view: &mut View, at: Option<Path>, fx: &mut Vec<Effect>) {
    // Focuses the form's heading on opening, and the row on closing.
    let focus = at.clone().or_else(|| view.detail.as_ref().map(|from| from.field("name")));
    view.tab = at.as_ref().map_or(view.tab, table::tab);
    view.detail = at;
    fx.extend(focus.map(Effect::FocusField));
}

/// Largest number of remembered palette entries.
const RECENT_MAX: usize = 5;

pub(crate) fn theme(model: &mut Model, theme: Theme, fx: &mut Vec<Effect>) {
    model.view.theme = theme;
    fx.push(Effect::Theme(theme));
    fx.push(Effect::Remember("theme", theme.name().to_string()));
}

pub(crate) fn keys(model: &mut Model, set: KeySet, fx: &mut Vec<Effect>) {
    model.view.keys = set;
    fx.push(Effect::Remember("keys", set.name().to_string()));
    fx.push(Effect::Announce(format!("Keys: {}.", set.says())));
}

pub(crate) fn panel(model: &mut Model, panel: Panel) {
    model.view.panel = panel;
    model.view.why_open |= panel == Panel::Why;
}

pub(crate) fn setup_width(model: &mut Model, width: u16, fx: &mut Vec<Effect>) {
    model.view.setup_width = width.clamp(SETUP_WIDTHS.0, SETUP_WIDTHS.1);
    fx.push(Effect::Remember("setup-width", model.view.setup_width.to_string()));
}

pub(crate) fn why_width(model: &mut Model, width: u16, fx: &mut Vec<Effect>) {
    model.view.why_width = width.clamp(WHY_WIDTHS.0, WHY_WIDTHS.1);
    fx.push(Effect::Remember("why-width", model.view.why_width.to_string()));
}

pub(crate) fn fold_queue(model: &mut Model, queue: String, folded: bool) {
    let all = Arc::make_mut(&mut model.view.folded);
    if folded {
        all.insert(queue);
    } else {
        all.remove(&queue);
    }
}

/// Remembers a palette entry as recently used.
pub(crate) fn used(model: &mut Model, label: String) {
    let recent = Arc::make_mut(&mut model.view.recent);
    recent.retain(|used| *used != label);
    recent.insert(0, label);
    recent.truncate(RECENT_MAX);
}

pub(crate) fn chips_used(model: &mut Model, fx: &mut Vec<Effect>) {
    model.view.chips = false;
    fx.push(Effect::Remember("chips", "used".to_string()));
}

/// Begins or ends a presentation, or blacks it out.
pub(crate) fn present(view: &mut View, to: Presenting, fx: &mut Vec<Effect>) {
    if view.presenting == Presenting::Off {
        view.dialog = None;
        view.panel = Panel::Now;
    }
    view.presenting = to;
    let says = match to {
        Presenting::Off => "Presentation ended.",
        Presenting::On => "Presenting. Arrows: next, back. C: other chart. Full stop: black. Esc: end.",
        Presenting::Black => "Black screen. Any key ends it.",
    };
    fx.push(Effect::Announce(says.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::state::command::Command;
    use crate::state::document::Opened;
    use crate::state::document::Origin;
    use crate::state::layout::embed::Embed;
    use crate::state::model::Model;
    use crate::state::update::update;

    #[test]
    fn what_is_presented_is_visible() {
        let mut model = Model::new(Opened::new(library::start(), Origin::Start));
        update(&mut model, Command::Panel(Panel::Setup));
        let effects = update(&mut model, Command::Present(Presenting::On));
        assert_eq!((model.view.presenting, model.view.panel), (Presenting::On, Panel::Now));
        assert!(matches!(effects.as_slice(), [Effect::Announce(says)] if says.starts_with("Presenting.")));
    }

    #[test]
    fn another_document_does_not_end_the_presentation() {
        let mut model = Model::new(Opened::new(library::start(), Origin::Start));
        update(&mut model, Command::Present(Presenting::On));
        update(&mut model, Command::Open(Box::new(Opened::new(library::start(), Origin::Link))));
        assert_eq!(model.view.presenting, Presenting::On);
    }

    #[test]
    fn an_embedded_page_is_not_presented() {
        let mut model = Model::new(Opened::new(library::start(), Origin::Link));
        model.view.embed = Embed::read("?embed=1");
        update(&mut model, Command::Present(Presenting::On));
        assert_eq!(model.view.presenting, Presenting::Off);
    }
}
