//! The comparisons of an explanation, as data and as sentences, and the known faults of the product that decided in them.

use super::Evidence;
use super::check::{Party, named_owner, owners, quantity_of, says, side, value_in};
use super::facts::{Cell, Fact};
use super::number::{number, unit, with_unit};
use super::text::{self, Text, job, text};
use crate::moment::Frame;
use crate::policy::versions::modelled;
use crate::trace::{Check, Quantity, Term, Value};
use crate::units::Resource;

/// A recorded comparison of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// As a sentence.
    pub text: Text,
    /// As recorded.
    pub check: Check,
    /// Whether it led to the decision: one that holds allows an eviction or a start, one that fails keeps a job
    /// waiting.
    pub decides: bool,
}

impl Comparison {
    /// The comparisons of a decision, in order.
    pub fn all(frame: &Frame, checks: &[Check], decides: impl Fn(&Check) -> bool) -> Vec<Comparison> {
        let mut all: Vec<Comparison> = Vec::new();
        for check in checks {
            let comparison = Comparison { text: says(frame, check), check: check.clone(), decides: decides(check) };
            // Two actions may have compared the same.
            match all.iter_mut().find(|existing| existing.text == comparison.text) {
                Some(existing) => existing.decides |= comparison.decides,
                None => all.push(comparison),
            }
        }
        all
    }
}

/// The first comparison with a rule that has words: one that decides, else any.
pub fn deciding<'a>(checks: impl Iterator<Item = &'a Check> + Clone) -> Option<&'a Check> {
    let mut worded = checks.filter(|check| !check.rule.0.says.is_empty());
    worded.clone().find(|check| check.holds).or_else(|| worded.next())
}

/// The recorded values of comparisons as a table, with a column for each owner and a row for each quantity; `None`:
/// they have no owner or no number.
pub fn table(frame: &Frame, checks: &[Check], resource: Resource, caption: Text) -> Option<Evidence> {
    let mut columns: Vec<Party> = Vec::new();
    let mut rows: Vec<(&'static str, Vec<Cell>, bool)> = Vec::new();
    for check in checks {
        let (left, right) = owners(check);
        for (owner, side) in [(left, &check.left), (right, &check.right)] {
            let Some(party) = named_owner(check, owner) else { continue };
            let column = columns.iter().position(|existing| *existing == party).unwrap_or_else(|| {
                columns.push(party);
                columns.len() - 1
            });
            for term in terms(side).into_iter().filter(|term| is_number(term)) {
                let name = quantity_of(check, term.quantity);
                let row = rows.iter().position(|row| row.0 == name).unwrap_or_else(|| {
                    rows.push((name, Vec::new(), false));
                    rows.len() - 1
                });
                let cells = &mut rows[row].1;
                cells.resize(cells.len().max(column + 1), Cell::of(None));
                if cells[column].fact.is_none() {
                    cells[column] = cell(check, party, term, resource);
                    rows[row].2 |= std::ptr::eq(term, side);
                }
            }
        }
    }
    rows.iter_mut().for_each(|row| row.1.resize(columns.len(), Cell::of(None)));
    let head = columns.iter().map(|party| match party {
        Party::Queue(queue) => text::queue(frame.queue(*queue)),
        Party::Job(job) => text::job(frame.job(*job)),
    });
    let has_amounts = checks.iter().flat_map(|check| [&check.left, &check.right]).any(is_amount);
    let unit = if has_amounts { Text::of(unit(resource, 2.0)) } else { Text::default() };
    let head = std::iter::once(unit).chain(head).collect();
    (!rows.is_empty()).then_some(Evidence { caption, head, rows })
}

/// Whether a side is an amount of a resource, rather than a number or a time.
fn is_amount(term: &Term) -> bool {
    let is_plain = matches!(
        term.quantity,
        Quantity::Priority
            | Quantity::PriorityOffset
            | Quantity::Created
            | Quantity::Runtime
            | Quantity::MinRuntime
            | Quantity::Waited
            | Quantity::PreemptionDelay
            | Quantity::Saturation
            | Quantity::Score
            | Quantity::Constant
    );
    !is_plain && matches!(term.value, Value::Triple(_) | Value::Real(_) | Value::Product(_))
}

fn cell(check: &Check, party: Party, term: &Term, resource: Resource) -> Cell {
    let fact = Fact { party, quantity: term.quantity, resource, value: side(&term.value, resource) };
    let is_amount = matches!(term.value, Value::Real(_)) && check.subject.resource.is_some();
    let shown = match term.value {
        Value::Triple(_) => fact.bare(),
        _ if is_amount => fact.bare(),
        _ => value_in(check, term, None),
    };
    Cell { shown, fact: Some(fact) }
}

/// Whether a term is a number that a table can show.
fn is_number(term: &Term) -> bool {
    let is_told = matches!(term.quantity, Quantity::Constant | Quantity::Applies | Quantity::Name);
    !is_told && !matches!(term.value, Value::Time(_) | Value::Name(_))
}

/// A side of a comparison with everything that it was computed from.
pub fn terms(side: &Term) -> Vec<&Term> {
    let mut all = vec![side];
    let mut start = 0;
    while start < all.len() {
        let term = all[start];
        all.extend(&term.parts);
        start += 1;
    }
    all
}

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
