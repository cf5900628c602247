//! Known faults of the modelled product that decided: what they do, since which version they are gone, and what to
//! write instead.

use super::Comparison;
use super::number::{number, with_unit};
use super::text::{Text, job, text};
use crate::moment::Frame;
use crate::policy::versions::modelled;
use crate::trace::{Check, Quantity, Term, Value};
use crate::units::Resource;

/// A sentence or more for each fault that decided one of the comparisons.
pub fn faults(frame: &Frame, checks: &[Comparison]) -> Vec<Text> {
    let Some(modelled) = modelled(&frame.policy) else { return Vec::new() };
    let mut seen: Vec<&str> = Vec::new();
    let mut texts = Vec::new();
    for check in checks.iter().map(|comparison| &comparison.check) {
        let mended = check.fault.as_deref().and_then(|key| Some((key, modelled.mends(key)?)));
        let Some((key, (modelled, change, fault))) = mended else { continue };
        if !seen.contains(&key) {
            seen.push(key);
            let versions = modelled.before(change).versions;
            let head = format!("Known fault of {} {versions}: {}", modelled.product, change.before);
            let tail = format!("Since {}: {} {}", change.version, change.now, fault.instead);
            texts.push(text!("{head} {numbers}{tail}", [head, numbers = numbers(frame, check), tail]));
        }
    }
    texts
}

/// The conversion of GPU memory to GPUs, if the comparison recorded it.
fn numbers(frame: &Frame, check: &Check) -> Option<Text> {
    let amount = |quantity| match check.left.find(quantity) {
        Some(Term { value: Value::Real(mib), .. }) if *mib > 0.0 => Some(*mib),
        _ => None,
    };
    let (job_id, requested, unit) =
        (check.subject.job?, amount(Quantity::GpuMemory)?, amount(Quantity::GpuMemoryUnit)?);
    let gpus = with_unit(Resource::GPU, requested / unit);
    Some(text!(
        "Here {job} requests {requested} MiB, which counts as {requested} / {unit} = {gpus}. ",
        [job = job(frame.job(job_id)), requested = number(requested), unit = number(unit), gpus]
    ))
}
