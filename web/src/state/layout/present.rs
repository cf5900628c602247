//! Present: the page in large type for a room, with charts and one sentence only. The stylesheet does the rest.

use crate::state::effect::Effect;
use crate::state::layout::options::{Panel, Presenting};
use crate::state::layout::view::View;

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
    use crate::state::document::{Origin, opened::Opened};
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
