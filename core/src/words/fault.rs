//! Known faults of the modelled product that decided: what they do, since which version they are gone, and what to
//! write instead.

use super::Comparison;
use super::number::{number, with_unit};
use super::text::Text;
use crate::moment::Frame;
use crate::policy::versions::modelled;
use crate::trace::{Check, Quantity, Term, Value};
use crate::units::Resource;

/// A sentence or more for each fault that decided one of the comparisons.
pub fn faults(frame: &Frame, checks: &[Comparison]) -> Vec<Text> {
    let Some(modelled) = modelled(&frame.policy) else { return Vec::new() };
    let mut known: Vec<&str> = Vec::new();
    let mut texts = Vec::new();
    for check in checks.iter().map(|comparison| &comparison.check) {
        let mended = check.fault.as_deref().and_then(|key| Some((key, modelled.mends(key)?)));
        let Some((key, (modelled, change, fault))) = mended else { continue };
        if !known.contains(&key) {
            known.push(key);
            let versions = modelled.before(change).versions;
            let head = format!("Known fault of {} {versions}: {} ", modelled.product, change.before);
            let tail = format!("Since {}: {} {}", change.version, change.now, fault.instead);
            texts.push(Text::of(head).then(numbers(frame, check)).say(tail));
        }
    }
    texts
}

/// The conversion of GPU memory to GPUs, if the comparison recorded it.
fn numbers(frame: &Frame, check: &Check) -> Text {
    let of = |quantity| match check.left.find(quantity) {
        Some(Term { value: Value::Real(mib), .. }) if *mib > 0.0 => Some(*mib),
        _ => None,
    };
    let (Some(job), Some(asked), Some(by)) = (check.subject.job, of(Quantity::GpuMemory), of(Quantity::GpuMemoryUnit))
    else {
        return Text::default();
    };
    let text = Text::of("Here ").job(frame.job(job));
    text.say(format!(
        " requests {} MiB, which counts as {} / {} = {}. ",
        number(asked),
        number(asked),
        number(by),
        with_unit(Resource::GPU, asked / by),
    ))
}
