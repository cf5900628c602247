//! Node capacities and pod requests as foreign texts list them, by resource name.

use std::collections::BTreeMap;

use super::Report;
use super::reader::LocatedValue;
use crate::scenario::{Scalar, quantity};
use crate::units::{Amount, Resource};

/// Names of resources that count as GPUs.
pub const GPUS: [&str; 2] = ["nvidia.com/gpu", "amd.com/gpu"];

/// Amounts per resource, in base units.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amounts {
    pub cpu: i64,
    pub memory: i64,
    pub gpu: i64,
    /// Amounts of other, integral resources by name.
    pub others: BTreeMap<String, i64>,
}

impl Amounts {
    /// Reads Kubernetes quantities by resource name. Reports invalid ones.
    pub fn read(place: &LocatedValue<'_>, report: &mut Report) -> Amounts {
        Amounts::read_where(place, |_| true, report)
    }

    /// Reads the quantities of some resources, as [`Amounts::read`] does.
    pub fn read_where(place: &LocatedValue<'_>, is_meant: impl Fn(&str) -> bool, report: &mut Report) -> Amounts {
        let mut read = Amounts::default();
        for (name, value) in place.entries(&[]).into_iter().filter(|(name, _)| is_meant(name)) {
            let resource = match name {
                "cpu" => Resource::CPU,
                "memory" => Resource::MEMORY,
                _ if name.contains('/') => Resource::GPU,
                // Pods are node slots, not requests; local storage and huge pages are rarely the bottleneck.
                _ => continue,
            };
            let Some(text) = value.scalar(&[]) else { continue };
            let Some(amount) = amount(text, resource) else {
                let message = format!("{name} is {text}, which is no quantity of Kubernetes");
                report.diagnostics.push(value.error(message));
                continue;
            };
            match resource {
                Resource::CPU => read.cpu = amount,
                Resource::MEMORY => read.memory = amount,
                _ if GPUS.contains(&name) => read.gpu = read.gpu.saturating_add(amount),
                _ => *read.others.entry(name.to_string()).or_default() = amount / 1000,
            }
        }
        read
    }

    /// Adds other amounts, saturating.
    pub fn add(&mut self, other: &Amounts) {
        self.combine(other, i64::saturating_add);
    }

    /// Raises each amount to that of `other` if it is larger there.
    pub fn raise(&mut self, other: &Amounts) {
        self.combine(other, i64::max);
    }

    /// Subtracts other amounts, down to 0.
    pub fn less(&mut self, other: &Amounts) {
        self.combine(other, |amount, n| (amount - n).max(0));
    }

    /// Replaces each amount by a function of it and that of `other`.
    fn combine(&mut self, other: &Amounts, operation: fn(i64, i64) -> i64) {
        self.cpu = operation(self.cpu, other.cpu);
        self.memory = operation(self.memory, other.memory);
        self.gpu = operation(self.gpu, other.gpu);
        for (name, n) in &other.others {
            let amount = self.others.entry(name.clone()).or_default();
            *amount = operation(*amount, *n);
        }
    }

    /// Formats the amounts for a scenario; amounts of 0 are left out.
    pub fn written(&self) -> ([Option<Scalar>; 3], BTreeMap<String, Scalar>) {
        let scalar = |n: i64, resource| {
            let amount = Amount::base_units(n);
            (n > 0).then(|| Scalar(quantity::print_amount(amount, resource)))
        };
        let others = self.others.iter().filter(|(_, n)| **n > 0);
        let others = others.map(|(name, n)| (name.clone(), Scalar(n.to_string()))).collect();
        let amounts =
            [scalar(self.gpu, Resource::GPU), scalar(self.cpu, Resource::CPU), scalar(self.memory, Resource::MEMORY)];
        (amounts, others)
    }
}

/// Parses a Kubernetes quantity into base units: thousandths, or bytes of memory, which Kubernetes also writes in
/// thousandths (`1500m`).
pub fn amount(text: &str, resource: Resource) -> Option<i64> {
    let text = text.trim();
    let thousandths = text.strip_suffix('m').filter(|_| resource == Resource::MEMORY);
    if let Some(n) = thousandths {
        return n.parse::<i64>().ok().filter(|n| *n >= 0).map(|n| n / 1000 + i64::from(n % 1000 != 0));
    }
    quantity::amount(text, resource, 1).ok().map(|amount| amount.in_base_units())
}
