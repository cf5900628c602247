//! Messages between tabs about which of them edits a draft.
//!
//! A tab that opens a draft asks whether another one has it open, and if so continues with a copy. Suspended tabs do
//! not answer, and some browsers delay messages, so this is only an early warning.
//! [`storage::save`](crate::storage::save) prevents overwriting.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{BroadcastChannel, MessageEvent};

const CHANNEL: &str = "fairground.tabs";
const ASKS: &str = "who ";
const HOLDS: &str = "mine ";

/// A message of another tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TabMessage {
    /// Asks which other tabs have opened this draft.
    Asks(String),
    /// States that the sender has this draft open.
    Holds(String),
}

impl TabMessage {
    fn read(text: &str) -> Option<TabMessage> {
        match (text.strip_prefix(ASKS), text.strip_prefix(HOLDS)) {
            (Some(id), _) => Some(TabMessage::Asks(id.to_string())),
            (_, Some(id)) => Some(TabMessage::Holds(id.to_string())),
            _ => None,
        }
    }
}

/// The channel to other tabs.
#[derive(Debug)]
pub struct Tabs {
    channel: BroadcastChannel,
}

impl Tabs {
    /// Subscribes for the lifetime of the page; `None` if the browser does not support such a channel.
    pub fn open(on_message: impl Fn(TabMessage) + 'static) -> Option<Tabs> {
        let channel = BroadcastChannel::new(CHANNEL).ok()?;
        let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(message) = event.data().as_string().and_then(|text| TabMessage::read(&text)) {
                on_message(message);
            }
        });
        channel.set_onmessage(Some(listen.as_ref().unchecked_ref()));
        listen.forget();
        Some(Tabs { channel })
    }

    /// Asks whether another tab has this draft open.
    pub fn ask(&self, id: &str) {
        let _ = self.channel.post_message(&format!("{ASKS}{id}").into());
    }

    /// Announces that this tab has it open.
    pub fn answer(&self, id: &str) {
        let _ = self.channel.post_message(&format!("{HOLDS}{id}").into());
    }
}

#[cfg(test)]
mod tests {
    use super::TabMessage;

    #[test]
    fn only_known_messages_are_read() {
        assert_eq!(TabMessage::read("who 7-2"), Some(TabMessage::Asks("7-2".into())));
        assert_eq!(TabMessage::read("mine 7-2"), Some(TabMessage::Holds("7-2".into())));
        assert_eq!(TabMessage::read("whose 7-2"), None);
    }
}
