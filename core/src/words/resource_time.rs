//! Amounts of a resource over time: *3.5 GPU hours*, *40 core seconds*.

use super::number::{self, number as shown};
use crate::units::Resource;

/// The unit of all amounts of a table: hours, or seconds if even the largest is below an hour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceTime {
    resource: Resource,
    is_hours: bool,
}

impl ResourceTime {
    /// The unit for amounts of a resource, given in seconds of GPUs, cores or bytes.
    pub fn of(resource: Resource, amounts: impl IntoIterator<Item = f64>) -> ResourceTime {
        let largest = amounts.into_iter().fold(0.0, f64::max);
        ResourceTime { resource, is_hours: in_units(resource, largest) >= 3600.0 }
    }

    /// Name of the unit: *GPU hours*.
    pub fn name(self) -> String {
        let time = if self.is_hours { "hours" } else { "seconds" };
        format!("{} {time}", number::unit(self.resource, 1.0))
    }

    /// The amount in this unit.
    pub fn value(self, seconds: f64) -> f64 {
        in_units(self.resource, seconds) / if self.is_hours { 3600.0 } else { 1.0 }
    }

    /// Formats an amount without its unit; an amount that would be rounded to 0 is `< 0.01`.
    pub fn shown(self, seconds: f64) -> String {
        match self.value(seconds) {
            value if value > 0.0 && value < 0.005 => "< 0.01".into(),
            value => shown(value),
        }
    }
}

/// Converts an amount of cores, bytes or GPUs to the displayed unit: bytes to GiB.
pub fn in_units(resource: Resource, amount: f64) -> f64 {
    if resource == Resource::MEMORY { number::in_unit(Resource::MEMORY, amount) } else { amount }
}

/// Formats an amount of cores, bytes or GPUs without its unit.
pub fn held(resource: Resource, amount: f64) -> String {
    shown(in_units(resource, amount))
}

/// The unit of amounts in plural: *GPUs*, *cores*, *GiB*.
pub fn plural(resource: Resource) -> &'static str {
    number::unit(resource, 2.0)
}

/// The resource in *… in use*.
pub fn in_use(resource: Resource) -> &'static str {
    match resource {
        Resource::CPU => "Cores",
        Resource::MEMORY => "Memory",
        _ => "GPUs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_amounts_are_in_seconds_and_never_zero() {
        let (short, long) = ([8.0, 90.0], [8.0, 7200.0]);
        let texts = |resource, amounts: [f64; 2]| {
            let unit = ResourceTime::of(resource, amounts);
            (unit.name(), amounts.map(|amount| unit.shown(amount)))
        };
        let row = |name: &str, shown: [&str; 2]| (name.to_owned(), shown.map(str::to_owned));
        assert_eq!(texts(Resource::GPU, short), row("GPU seconds", ["8", "90"]));
        assert_eq!(texts(Resource::GPU, long), row("GPU hours", ["< 0.01", "2"]));
        assert_eq!(texts(Resource::CPU, [0.0, 36_000.0]), row("core hours", ["0", "10"]));
        let gib = f64::from(1 << 30);
        assert_eq!(texts(Resource::MEMORY, [gib, 30.0 * gib]), row("GiB seconds", ["1", "30"]));
        assert_eq!(held(Resource::MEMORY, 4.0 * gib), "4");
    }
}
