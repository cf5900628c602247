//! The selection.

use serde::{Deserialize, Serialize};

/// The selected object. It is identified by name, so that it survives stepping.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Selection {
    Queue(String),
    Job(String),
    Node(String),
    /// A rule by key.
    Rule(String),
    Event {
        cycle: u32,
        /// Its position in the events of that cycle's frame.
        index: u32,
    },
}

impl Selection {
    /// Formats the selection for links: `queue:team-a`, `job:a2`, `node:n1`, `event:7.0`, `rule:kai/backoff`.
    pub fn to_text(&self) -> String {
        match self {
            Selection::Queue(name) => format!("queue:{name}"),
            Selection::Job(name) => format!("job:{name}"),
            Selection::Node(name) => format!("node:{name}"),
            Selection::Rule(key) => format!("rule:{key}"),
            Selection::Event { cycle, index } => format!("event:{cycle}.{index}"),
        }
    }

    /// Parses the format of [`Selection::to_text`].
    pub fn from_text(text: &str) -> Option<Selection> {
        let (kind, value) = text.split_once(':')?;
        match kind {
            "queue" => Some(Selection::Queue(value.to_string())),
            "job" => Some(Selection::Job(value.to_string())),
            "node" => Some(Selection::Node(value.to_string())),
            "rule" => Some(Selection::Rule(value.to_string())),
            "event" => {
                let (cycle, index) = value.split_once('.')?;
                Some(Selection::Event { cycle: cycle.parse().ok()?, index: index.parse().ok()? })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Selection;

    #[test]
    fn texts_are_read_back() {
        for selection in [
            Selection::Queue("team-a".into()),
            Selection::Job("a:b".into()),
            Selection::Node("n1".into()),
            Selection::Event { cycle: 7, index: 3 },
            Selection::Rule("kai/queue-order/5".into()),
        ] {
            assert_eq!(Selection::from_text(&selection.to_text()), Some(selection));
        }
        assert_eq!(Selection::from_text("queue"), None);
        assert_eq!(Selection::from_text("event:x.1"), None);
    }
}
