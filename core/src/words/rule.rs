//! Explanations of rules: text, settings, source (with its address if it is public), and decisions in a cycle.

use crate::scenario::{self, Path, Scenario};

use super::happenings::{self, ListEntry};
use super::number::count;
use super::text::{Text, job, text};
use super::{Control, Explanation, RuleCard, Selection, Terms, check, sentence_case};
use crate::moment::{EventRow, Frame, RuleRow, RuleUse, Rulebook, What};
use crate::policy::Policy;
use crate::trace::Check;

/// Largest number of listed decisions.
const LISTED_MAX: usize = 12;

/// The name of a rule: its key without the policy, in words.
pub fn rule_name(key: &str) -> String {
    let (_, name) = key.split_once('/').unwrap_or(("", key));
    let in_words = |part: &str| {
        if part.bytes().all(|byte| byte.is_ascii_digit()) { format!("step {part}") } else { part.replace('-', " ") }
    };
    name.split('/').map(in_words).collect::<Vec<_>>().join(", ")
}

/// Explains a rule at the moment of the frame; `book` is `None` while it is being loaded. Texts of rules and settings
/// are already in the policy's terms.
pub fn rule(frame: &Frame, key: &str, book: Option<&Rulebook>, scenario: &Scenario) -> Explanation {
    let about = Text::of(format!("rule: {}", rule_name(key)));
    let Some(book) = book else {
        return Explanation { about, verdict: Text::of("Loading."), ..Explanation::default() };
    };
    let policy = book.policy.clone();
    let Some(row) = book.rule(key) else {
        let verdict = Text::default().rule(key).say(format!(" is no rule of {}.", product(&policy)));
        return Explanation { about, verdict, policy, ..Explanation::default() };
    };
    let terms = Terms::of(&policy);
    let used = book.used.as_ref().filter(|used| used.rule == key && used.cycle == frame.cycle);
    let mut decided = decided(frame, &row.key, used);
    let when = when(frame.cycle, decided.len(), used);
    let mut caption = "Decisions by this rule";
    if decided.is_empty() {
        caption = "Comparisons by this rule";
        decided = used.map(|used| compared(frame, used)).unwrap_or_default();
    }
    decided.truncate(LISTED_MAX);
    decided.iter_mut().for_each(|entry| entry.text.in_terms(terms));
    let card = card(row);
    Explanation {
        about,
        when,
        verdict: Text::of(card.says.clone()),
        rule: Some(card),
        controls: book.switches_of(key).flat_map(|switch| controls(book, switch, scenario)).collect(),
        list: (!decided.is_empty()).then_some((caption, decided)),
        policy,
        ..Explanation::default()
    }
}

/// The number of uses in a cycle: decided events, else all comparisons and divisions.
fn when(cycle: u32, n_decided: usize, used: Option<&RuleUse>) -> String {
    let times = |n: usize| count(n as u64, "time");
    match (n_decided, used) {
        (n, _) if n > 0 => format!("decided {} in cycle {cycle}", times(n)),
        (_, None) => format!("cycle {cycle}: counting"),
        (_, Some(used)) if used.compared > 0 => {
            format!("compared {} in cycle {cycle}", times(used.compared as usize))
        }
        (_, Some(used)) if used.divided > 0 => {
            format!("used in {} of the division in cycle {cycle}", count(used.divided.into(), "step"))
        }
        (_, Some(used)) if !used.is_counted => {
            format!("cycle {cycle} is too large to count what was compared by it")
        }
        _ => format!("not used in cycle {cycle}"),
    }
}

/// The comparisons by a rule that decided no event itself.
fn compared(frame: &Frame, used: &RuleUse) -> Vec<ListEntry> {
    let entry = |check: &Check| ListEntry { text: check::says(frame, check), ..ListEntry::default() };
    used.checks.iter().map(entry).collect()
}

fn card(row: &RuleRow) -> RuleCard {
    let (source, link) = named_source(&row.source);
    RuleCard {
        key: row.key.clone(),
        says: sentence_case(&row.says),
        formula: row.formula.clone(),
        source,
        link,
        paragraph: paragraph(&row.source),
        differs: sentence_case(&row.differs),
        is_subject: true,
    }
}

/// The scenario's settings that match a switch, with their values; the switch alone if it is not set.
fn controls(book: &Rulebook, switch: &str, scenario: &Scenario) -> Vec<Control> {
    let control = |setting: &str, value: &str| Control {
        label: Text::of(format!("{setting}: {value}")),
        path: Path::default().field("settings").field(setting),
    };
    let set = scenario.settings.keys().filter(|name| book.is_of(name, switch));
    let set: Vec<Control> = set
        .map(|name| {
            let path = Path::default().field("settings").field(name);
            control(name, &scenario::get(scenario, &path).unwrap_or_default())
        })
        .collect();
    if set.is_empty() { vec![control(switch, "not set")] } else { set }
}

/// The decisions of the frame's cycle that a rule took part in: events first, then refusals.
fn decided(frame: &Frame, key: &str, used: Option<&RuleUse>) -> Vec<ListEntry> {
    let is_by = |checks: &[Check]| checks.iter().any(|check| check.rule.key() == key);
    let is_mark = |row: &EventRow| matches!(row.what, What::Mark(mark) if mark.rule.key() == key);
    let is_known = |index: u32| used.is_some_and(|used| used.events.binary_search(&index).is_ok());
    let events = happenings::groups(frame).into_iter();
    let events = events
        .filter(|group| is_by(&group.first.checks) || is_mark(group.first) || is_known(group.index))
        .map(|group| happenings::entry(frame, &group));
    let waiting = frame.refusals.iter().filter(|refusal| is_by(&refusal.checks)).map(|refusal| ListEntry {
        text: text!("{job} was kept waiting", [job = job(frame.job(refusal.job))]),
        selection: Some(Selection::Job(frame.job(refusal.job).to_string())),
        ..ListEntry::default()
    });
    events.chain(waiting).collect()
}

/// The short name of a policy's product.
pub fn product(policy: &str) -> &'static str {
    Policy::described(policy).unwrap_or(Policy::DEFAULT).short
}

/// The revisions from which the rules were taken.
const KAI: (&str, &str) = (
    "KAI Scheduler, source after 0.13.0",
    "https://github.com/kai-scheduler/KAI-Scheduler/tree/72de64fc8eca10fa8cca26a20156178f3edbe092",
);
const KAI_V0_17: (&str, &str) = (
    "KAI Scheduler, source after 0.17.0",
    "https://github.com/kai-scheduler/KAI-Scheduler/tree/d5bc503a146317e51037d89775d77172c6d12f71",
);
const KAI_V0_18: (&str, &str) =
    ("KAI Scheduler, source of 0.18.0", "https://github.com/kai-scheduler/KAI-Scheduler/releases/tag/v0.18.0");
const YUNIKORN: (&str, &str) = (
    "Apache YuniKorn core, source after 1.9.0",
    "https://github.com/apache/yunikorn-core/tree/be3bb487298956dd70906fca15e577bbc12d23cb",
);
const RUNAI: (&str, &str) = (
    "Run:ai documentation, The Run:ai Scheduler",
    "https://docs.run.ai/latest/Researcher/scheduling/the-runai-scheduler/",
);
const HELIOS: (&str, &str) = ("Helios simulator", "https://github.com/S-Lab-System-Group/HeliosArtifact");
const DRF: (&str, &str) = (
    "Ghodsi et al., Dominant Resource Fairness, NSDI 2011",
    "https://www.usenix.org/conference/nsdi11/dominant-resource-fairness-fair-allocation-multiple-resource-types",
);
/// Address of the documentation of IBM Spectrum Symphony 7.3.2; the topic follows.
const IBM: &str = "https://www.ibm.com/docs/en/spectrum-symphony/7.3.2?topic=";
const IBM_PAGES: [(&str, &str); 3] = [
    ("Share policies for multidimensional scheduling", "scheduling-share-policies-multidimensional"),
    ("Resource reclaim for multidimensional scheduling", "scheduling-resource-reclaim-multidimensional"),
    (
        "How does EGO determine resource allocation when multiple consumers with equal share ratios require the same resource",
        "rm-how-does-ego-determine-resource-allocation-when-multiple-consumers-equal-share-ratios-require-same-resource",
    ),
];

/// Title and address of a rule's source; each empty if there is none.
pub fn named_source(source: &str) -> (String, String) {
    if let Some((_, title)) = source.split_once("IBM, ") {
        let page = IBM_PAGES.iter().find(|page| page.0 == title).map(|page| [IBM, page.1].concat());
        return (format!("IBM Spectrum Symphony 7.3.2, {title}"), page.unwrap_or_default());
    }
    let more = source.split_once("; ").map_or("", |(_, more)| more);
    let link = |(title, address): (&str, &str), more: &str| {
        let title = if more.is_empty() { title.to_string() } else { format!("{title}: {more}") };
        (title, address.to_string())
    };
    match source.split([' ', ',']).next().unwrap_or_default() {
        "kai.md" => link(KAI, source.split_once(", plugin").map_or("", |(_, plugin)| plugin.trim())),
        "kai-v0.17.md" => link(KAI_V0_17, ""),
        "kai-v0.18.md" => link(KAI_V0_18, ""),
        "yunikorn.md" => link(YUNIKORN, more),
        "runai.md" | "docs.run.ai" => link(RUNAI, ""),
        "ego.md" => ("what IBM's documentation leaves open, as it is decided here".into(), String::new()),
        "Helios" => link(HELIOS, source.split_once(", ").map_or("", |(_, more)| more)),
        "Ghodsi" => link(DRF, source.rsplit_once(", ").map_or("", |(_, section)| section)),
        _ => (source.to_string(), String::new()),
    }
}

/// A paragraph of a specification in `docs/spec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// The document, such as `kai`.
    pub document: String,
    /// Number of the paragraph, such as `6.3`.
    pub number: String,
}

/// The first paragraph that a rule's source cites.
pub fn paragraph(source: &str) -> Option<Paragraph> {
    let (document, paragraph) = source.split_once(".md ")?;
    let end = paragraph.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(paragraph.len());
    let number = paragraph[..end].trim_end_matches('.');
    (!number.is_empty()).then(|| Paragraph { document: document.to_string(), number: number.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn rules_have_names_in_words() {
        assert_eq!(rule_name("kai/reclaim/can-reclaim"), "reclaim, can reclaim");
        assert_eq!(rule_name("kai/queue-order/6"), "queue order, step 6");
        assert_eq!(rule_name("alone"), "alone");
    }

    #[test]
    fn sources_are_named_with_version_and_address() {
        let (title, address) = named_source("kai.md 6.3 A");
        assert_eq!(title, "KAI Scheduler, source after 0.13.0");
        assert!(
            address.starts_with("https://github.com/") && address.ends_with("72de64fc8eca10fa8cca26a20156178f3edbe092")
        );
        assert_eq!(
            named_source("yunikorn.md 3.4; sorters.go").0,
            "Apache YuniKorn core, source after 1.9.0: sorters.go"
        );
        let ibm = named_source("ego.md 8.1; IBM, Resource reclaim for multidimensional scheduling");
        assert_eq!(ibm.0, "IBM Spectrum Symphony 7.3.2, Resource reclaim for multidimensional scheduling");
        assert!(ibm.1.ends_with("?topic=scheduling-resource-reclaim-multidimensional"));
        assert_eq!(named_source("ego.md 4, 8.3; IBM, MDPlan.xml reference").1, "");
        assert_eq!(named_source("ego.md 8.4").1, "");
        assert_eq!(
            named_source("Ghodsi et al., NSDI 2011, 4.1").0,
            "Ghodsi et al., Dominant Resource Fairness, NSDI 2011: 4.1"
        );
        assert_eq!(named_source("").0, "");
    }

    #[test]
    fn the_first_paragraph_is_found() {
        let citation = |source| paragraph(source).map(|found| format!("{}.md {}", found.document, found.number));
        assert_eq!(citation("kai.md 6.3 A, 6.8"), Some("kai.md 6.3".into()));
        assert_eq!(citation("ego.md 4; IBM, MDPlan.xml reference"), Some("ego.md 4".into()));
        assert_eq!(citation("Helios simulator, virtual clusters"), None);
    }

    /// Every rule cites a document that can be found.
    #[test]
    fn every_rule_names_a_source_that_can_be_found() {
        for policy in Policy::products() {
            let has_code = policy.modelled.is_some_and(|modelled| !modelled.oldest().commit.is_empty());
            for rule in Policy::rulebook(policy.key).expect("a policy has rules").rules {
                let (title, address) = named_source(rule.0.source);
                assert!(!title.contains(".md"), "{}: {title}", rule.key());
                assert!(address.starts_with("https://") || !has_code, "{}: {title}", rule.key());
            }
        }
    }
}
