//! The first frame as static markup, readable before any script runs: the page's own views, rendered at build time.

use leptos::prelude::*;

use crate::engine::protocol::{Message, Response};
use crate::engine::serve::Server;
use crate::library;
use crate::page::lay_out;
use crate::shell::app::App;
use crate::state::command::Command;
use crate::state::document::{Opened, Origin};
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::update::{begin, update};
use crate::store::Store;

/// Page width for rendering; the stylesheet adapts the result to others.
const WIDTH: f64 = 1440.0;

/// The markup of the start scenario at its first cycle.
pub fn markup() -> String {
    let mut model = answered(Model::new(Opened::new(library::start(), Origin::Start)));
    lay_out(&mut model, WIDTH);
    let owner = Owner::new();
    let rendered = owner.with(|| {
        provide_context(Store::new(model));
        view! { <App /> }.to_html()
    });
    inert_markup(&rendered)
}

/// The model after the engine has replied to the initial requests.
fn answered(mut model: Model) -> Model {
    let todo = begin(&mut model);
    answer(&mut model, &mut Server::default(), todo);
    model
}

/// Lets the engine reply to requests until there are no more.
pub fn answer(model: &mut Model, server: &mut Server, mut todo: Vec<Effect>) {
    while let Some(effect) = todo.pop() {
        let Effect::Send(request) = effect else { continue };
        let mut replies: Vec<Message<Response>> = server.handle(request);
        while server.is_busy() {
            replies.extend(server.work());
        }
        for reply in replies {
            todo.extend(update(model, Command::Replied(Box::new(reply))));
        }
    }
}

/// Removes what the first frame needs neither for its picture nor for its layout: names and roles for scripts and
/// assistive technology (all of it is `inert`), and inline styles, which the content security policy forbids.
fn inert_markup(rendered: &str) -> String {
    let mut out = String::with_capacity(rendered.len());
    let mut rest = rendered;
    let mut is_picture = false;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(mark) = rest.strip_prefix("<!") {
            let end = if mark.starts_with("--") { "-->" } else { ">" };
            rest = mark.split_once(end).map_or("", |(_, after)| after);
            continue;
        }
        let end = end_of_tag(rest);
        is_picture |= rest.starts_with("<svg");
        push_tag(&mut out, &rest[..end], is_picture);
        is_picture &= !rest.starts_with("</svg");
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Index after the `>` that ends the tag at the start of a text; attribute values may contain that character.
fn end_of_tag(text: &str) -> usize {
    let mut is_quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '>' if !is_quoted => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Writes a tag with the attributes that are kept; parts of a picture refer to each other by id.
fn push_tag(out: &mut String, tag: &str, is_picture: bool) {
    let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let is_closed = tag.ends_with("/>");
    let mut rest = inner;
    let name_end = inner.find(char::is_whitespace).unwrap_or(inner.len());
    out.push('<');
    out.push_str(&inner[..name_end]);
    rest = &rest[name_end..];
    while let Some((attribute, after)) = next_attribute(rest) {
        let name = attribute.split('=').next().unwrap_or_default();
        if is_kept(name) || is_picture && name == "id" {
            out.push(' ');
            out.push_str(attribute);
        }
        rest = after;
    }
    out.push_str(if is_closed { "/>" } else { ">" });
}

fn next_attribute(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut is_quoted = false;
    let end = text.find(|c: char| {
        is_quoted ^= c == '"';
        !is_quoted && c.is_whitespace()
    });
    let end = end.unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn is_kept(name: &str) -> bool {
    let is_script = name.starts_with("aria-") || name.starts_with("data-") || name.starts_with("on");
    !is_script && !["role", "tabindex", "style", "title", "id", "for", "autofocus", "draggable"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{inert_markup, markup};

    #[test]
    fn what_scripts_and_the_policy_forbid_is_left_out() {
        let rendered = r#"<div class="a > b" style="left:1px" data-x="1">1 &lt; 2<!><br/><!-- a|<b> --><input disabled value="&quot;"><svg><g id="a"></g></svg><p id="b"></div>"#;
        assert_eq!(
            inert_markup(rendered),
            r#"<div class="a > b">1 &lt; 2<br/><input disabled value="&quot;"><svg><g id="a"></g></svg><p></div>"#
        );
    }

    #[test]
    fn it_shows_the_start_scenario_and_its_charts() {
        let markup = markup();
        for part in ["Who gives one up?", "team-a", "<svg", "class=\"chart timeline\"", "KAI"] {
            assert!(markup.contains(part), "{part} in {markup}");
        }
        assert!(!markup.contains("style=") && !markup.contains("<script"), "{markup}");
    }
}
