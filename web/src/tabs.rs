//! Other tabs of the page: which of them edits a draft.
//!
//! A tab that opens a draft asks around whether another one has it open, and takes a copy of its own if so. Tabs that
//! sleep do not answer, and some browsers hold messages back; so this is for people to know early. That nothing is
//! overwritten is seen to by [`storage::keep`](crate::storage::keep).

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{BroadcastChannel, MessageEvent};

const CHANNEL: &str = "fairground.tabs";
const WHO: &str = "who ";
const MINE: &str = "mine ";

/// What another tab says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It opened this draft and wants to know who else has it.
    Who(String),
    /// It has this draft open.
    Mine(String),
}

impl Heard {
    fn read(text: &str) -> Option<Heard> {
        match (text.strip_prefix(WHO), text.strip_prefix(MINE)) {
            (Some(id), _) => Some(Heard::Who(id.to_string())),
            (_, Some(id)) => Some(Heard::Mine(id.to_string())),
            _ => None,
        }
    }
}

/// The line to the other tabs.
#[derive(Debug)]
pub struct Tabs {
    channel: BroadcastChannel,
}

impl Tabs {
    /// Listens to them for as long as the page is there; `None` where the browser knows no such line.
    pub fn open(hear: impl Fn(Heard) + 'static) -> Option<Tabs> {
        let channel = BroadcastChannel::new(CHANNEL).ok()?;
        let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(heard) = event.data().as_string().and_then(|text| Heard::read(&text)) {
                hear(heard);
            }
        });
        channel.set_onmessage(Some(listen.as_ref().unchecked_ref()));
        listen.forget();
        Some(Tabs { channel })
    }

    /// Asks who else has this draft open.
    pub fn ask(&self, id: &str) {
        let _ = self.channel.post_message(&format!("{WHO}{id}").into());
    }

    /// Says that this tab has it open.
    pub fn answer(&self, id: &str) {
        let _ = self.channel.post_message(&format!("{MINE}{id}").into());
    }
}

#[cfg(test)]
mod tests {
    use super::Heard;

    #[test]
    fn only_known_words_are_heard() {
        assert_eq!(Heard::read("who 7-2"), Some(Heard::Who("7-2".into())));
        assert_eq!(Heard::read("mine 7-2"), Some(Heard::Mine("7-2".into())));
        assert_eq!(Heard::read("whose 7-2"), None);
    }
}
