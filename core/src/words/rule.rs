//! Explanations of rules: text, settings, and decisions in a cycle.

use crate::scenario::{self, Path, Scenario};

use super::happenings::{self, ListEntry};
use super::number::count;
use super::terms::product;
use super::text::{Text, job, text};
use super::{Control, Explanation, RuleCard, Selection, Terms, check, sentence_case, source};
use crate::moment::{EventRow, Frame, RuleRow, RuleUse, Rulebook, What};
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
    let (source, link) = source::named(&row.source);
    RuleCard {
        key: row.key.clone(),
        says: sentence_case(&row.says),
        formula: row.formula.clone(),
        source,
        link,
        paragraph: source::paragraph(&row.source),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_names_in_words() {
        assert_eq!(rule_name("kai/reclaim/can-reclaim"), "reclaim, can reclaim");
        assert_eq!(rule_name("kai/queue-order/6"), "queue order, step 6");
        assert_eq!(rule_name("alone"), "alone");
    }
}
