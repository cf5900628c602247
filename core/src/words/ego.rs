//! EGO: what its rules compare are parts of a pool, not amounts of one resource.

use super::number;
use super::text::Text;
use crate::moment::{CheckRow, EventRow, RefusalRow, ValueRow};

/// The comparison by that rule.
fn by<'c>(checks: &'c [CheckRow], rule: &str) -> Option<&'c CheckRow> {
    checks.iter().find(|check| check.rule == rule)
}

fn real(value: &ValueRow) -> Option<f64> {
    if let ValueRow::Real(real) = value { *real } else { None }
}

/// Both sides as percentages, to a tenth.
fn parts(check: &CheckRow) -> Option<[String; 2]> {
    let percent = |part: f64| format!("{} %", number::number((part * 1000.0).round() / 10.0));
    Some([percent(real(&check.left_value)?), percent(real(&check.right_value)?)])
}

/// Why a unit was reclaimed, if a rule of EGO says it.
pub fn reclaimed(event: &EventRow) -> Option<Text> {
    let text = Text::default().job(&event.job).say(" was reclaimed");
    let text = if event.by.is_empty() { text } else { text.say(" for ").job(&event.by) };
    if let Some(check) = by(&event.checks, "ego/call-back") {
        let text = text.say(": ").queue(&check.queue).say(" owns ").node(&event.node);
        return Some(text.say(", had lent it and has work of its own."));
    }
    if let Some(check) = by(&event.checks, "ego/share-limit") {
        let text = text.say(": ").queue(&check.queue);
        return Some(text.say(" draws more from the share pool than its limit allows."));
    }
    let over = by(&event.checks, "ego/over-quota")?;
    let [used, quota] = parts(over)?;
    let text = text.say(": ").queue(&over.queue);
    let text = text.say(format!(" used {used} of the pool, more than its share usage quota of {quota}"));
    let Some((under, [used, quota])) =
        by(&event.checks, "ego/under-quota").and_then(|under| Some((under, parts(under)?)))
    else {
        return Some(text.say("."));
    };
    Some(text.say("; ").queue(&under.queue).say(format!(" used {used}, less than its {quota}.")))
}

/// Why nothing is taken from a consumer, if a rule of EGO says it.
pub fn protection(check: &CheckRow) -> Option<Text> {
    let [used, quota] = parts(check).filter(|_| check.rule == "ego/over-quota")?;
    let text = Text::default().queue(&check.queue).say(format!(" uses {used} of the pool"));
    Some(text.say(format!(", no more than its share usage quota of {quota}")))
}

/// Why a consumer may not take from others, if a rule of EGO says it.
pub fn not_entitled(policy: &str, refusal: &RefusalRow, queue: &str) -> Option<Text> {
    if let Some([used, quota]) = by(&refusal.checks, "ego/under-quota").and_then(parts) {
        let text = Text::default().queue(queue).say(format!(" uses {used} of the pool"));
        return Some(
            text.say(format!("; its share usage quota is {quota}, so it may not take from others.")),
        );
    }
    if let Some(check) = by(&refusal.checks, "ego/grace") {
        let seconds = |value: &ValueRow| real(value).map(|s| number::time((s * 1000.0) as i64));
        let (own, pool) = (seconds(&check.left_value)?, seconds(&check.right_value)?);
        let text = Text::default().queue(queue);
        return Some(text.say(format!(
            " needs a grace of {own} for what is taken from it; the pool grants {pool} and refuses it."
        )));
    }
    let has_no_ratio = by(&refusal.checks, "ego/share-ratio").is_some();
    (policy == "ego" && has_no_ratio)
        .then(|| Text::default().queue(queue).say(" has a weight of 0: it takes no part in share pools."))
}
