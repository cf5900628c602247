//! Ready-made scenarios, in the order of the page.

use fairground::policy::versions::in_newest;
use fairground::scenario::Scenario;

use crate::state::document;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// File name without extension.
    pub id: &'static str,
    pub question: &'static str,
    /// The scenario file.
    pub text: &'static str,
}

macro_rules! examples {
    ($($id:literal: $question:literal,)*) => {
        &[$(Example {
            id: $id,
            question: $question,
            text: include_str!(concat!("../../assets/scenarios/", $id, ".yaml")),
        }),*]
    };
}

/// All examples; the first one is the start scenario.
pub const EXAMPLES: &[Example] = examples! {
    "start": "Who loses GPUs?",
    "quota-is-a-floor": "Who loses GPUs?",
    "quota-is-a-floor-six": "Who loses GPUs?",
    "department-empty": "Who loses GPUs?",
    "tree-decides": "Who loses GPUs?",
    "quota-reclaim": "Who loses GPUs?",
    "priority-within-quota": "Who loses GPUs?",
    "cpu-and-memory": "Who loses GPUs?",
    "elastic-gives-back": "Who loses GPUs?",
    "priority-inside-a-queue": "Who loses GPUs?",
    "reclaim-multiplier": "Who loses GPUs?",
    "min-runtime-off": "Who loses GPUs?",
    "min-runtime-on": "Who loses GPUs?",
    "morning-rush": "Who loses GPUs?",
    "restart-storm": "Who loses GPUs?",
    "three-weeks": "Who loses GPUs?",
    "priority-before-weight": "Who gets the unused capacity?",
    "weight-at-equal-priority": "Who gets the unused capacity?",
    "odd-gpu": "Who gets the unused capacity?",
    "past-forgotten": "Who gets the unused capacity?",
    "past-counts": "Who gets the unused capacity?",
    "usage-fades": "Who gets the unused capacity?",
    "ten-promised-seven-there": "Why is a job pending although GPUs are free?",
    "gang-of-four": "Why is a job pending although GPUs are free?",
    "gang-soft": "Why is a job pending although GPUs are free?",
    "gang-hard": "Why is a job pending although GPUs are free?",
    "fragments-pinned": "Why is a job pending although GPUs are free?",
    "fragments-movable": "Why is a job pending although GPUs are free?",
    "may-not-borrow": "Why is a job pending although GPUs are free?",
    "limit-is-a-ceiling": "Why is a job pending although GPUs are free?",
    "fractions-share": "Why is a job pending although GPUs are free?",
    "single-queue": "Who goes first?",
    "requests-of-two-priorities": "Who goes first?",
    "tenants-and-offsets": "Who goes first?",
    "tenants-room-for-five": "Who goes first?",
    "tenants-fairness-first": "Who goes first?",
    "tenants-fair-system": "Who goes first?",
    "preemption-fence": "Who goes first?",
    "yunikorn-cpu-and-memory": "Who goes first?",
    "offsets-against-guarantees": "Who goes first?",
    "offsets-forbid-guarantees": "Who goes first?",
    "tug-of-war": "Known scheduler bugs",
    "the-real-one-crashes": "Known scheduler bugs",
    "runai-quick-start": "How does Run:ai share?",
    "runai-projects": "How does Run:ai share?",
    "runai-department-empty": "How does Run:ai share?",
    "runai-over-subscribed": "How does Run:ai share?",
    "runai-departments-and-pools": "How does Run:ai share?",
    "runai-low-takes-high": "How does Run:ai share?",
    "runai-quota-reclaim": "How does Run:ai share?",
    "runai-priority-preemption": "How does Run:ai share?",
    "runai-within-quota": "How does Run:ai share?",
    "runai-gang": "How does Run:ai share?",
    "runai-cpu-and-memory": "How does Run:ai share?",
    "runai-consolidation": "How does Run:ai share?",
    "runai-pods-join": "How does Run:ai share?",
    "two-pools": "How does Run:ai share?",
    "ego-owned-and-lent": "How does EGO share?",
    "ego-eighteen-slots": "How does EGO share?",
    "ego-slots": "How does EGO share?",
    "ego-share-usage": "How does EGO share?",
    "ego-grace": "How does EGO share?",
    "ego-share-limit": "How does EGO share?",
    "ego-over-commit": "How does EGO share?",
    "upgrade-another-team-loses": "What would an upgrade change?",
    "upgrade-gang-starts": "What would an upgrade change?",
    "four-schedulers": "What would another scheduler do?",
};

impl Example {
    /// Looks up an example by its file name.
    pub fn find(id: &str) -> Option<&'static Example> {
        EXAMPLES.iter().find(|e| e.id == id)
    }

    pub fn scenario(&self) -> Scenario {
        document::from_text(self.text).unwrap_or_default()
    }

    /// A top-level field, without reading the whole scenario.
    pub fn head(&self, field: &str) -> String {
        let line = self.text.lines().find_map(|l| l.strip_prefix(field)?.strip_prefix(": "));
        line.unwrap_or_default().trim_matches('"').to_string()
    }
}

pub fn start() -> Scenario {
    EXAMPLES[0].scenario()
}

/// A scenario for a new document, in the newest revision of its scheduler.
pub fn empty() -> Scenario {
    let text = "format: fairground-scenario\nversion: 1\nname: New scenario\ndialect: kai\npolicy: kai\ncycle: 1s\n\
                nodes:\n- {name: node, count: 1, gpu: 8}\n";
    in_newest(document::from_text(text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::policy::versions::revision_of;
    use fairground::scenario::{Severity, check};

    #[test]
    fn every_example_is_clean_and_says_what_to_watch() {
        for example in EXAMPLES {
            let scenario = document::from_text(example.text).expect(example.id);
            let errors = check(&scenario).diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
            assert_eq!(errors.count(), 0, "{}", example.id);
            assert_eq!(scenario.name, example.head("name"), "{}", example.id);
            assert_eq!(scenario.note, example.head("note"), "{}", example.id);
            assert!(!scenario.note.is_empty(), "{}", example.id);
        }
        assert!(document::from_text("nothing").is_err());
        let new = empty();
        assert_eq!(new.nodes.len(), 1);
        let (modelled, revision) = revision_of(&new).expect("a product");
        assert_eq!(revision, modelled.newest());
    }
}
