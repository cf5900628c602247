//! Values of marks dragged along a scale.

use fairground::scenario::quantity;
use fairground::units::Resource;

/// A scale along which marks are dragged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reach {
    /// The resource that is set.
    pub resource: Resource,
    /// Right end of the scale, in display units.
    pub max: f64,
    /// Pixels per unit.
    pub per_unit: f64,
}

/// Distance beyond the end of the scale that means *unlimited*, in pixels.
const BEYOND: f64 = 14.0;

/// Minimum width of a step, in pixels.
const STEP: f64 = 3.0;

/// Scenario text of an amount in cores, GiB or GPUs.
pub fn text_of(resource: Resource, amount: f64) -> String {
    match resource {
        Resource::CPU if amount.fract() != 0.0 => format!("{}m", (amount * 1000.0).round()),
        Resource::MEMORY => format!("{amount}Gi"),
        _ => format!("{amount}"),
    }
}

impl Reach {
    /// Step between values: one unit, or more if that is too narrow.
    pub(super) fn step(self) -> f64 {
        let mut step = 1.0;
        for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(60) {
            if step * self.per_unit >= STEP {
                break;
            }
            step *= factor;
        }
        step
    }

    /// The value after dragging by a distance in pixels from an amount (infinite: from the end of the scale).
    pub fn pulled(self, from: f64, by: f64) -> String {
        let wanted = from.min(self.max) + by / self.per_unit.max(1e-9);
        if by > 0.0 && (wanted - self.max) * self.per_unit > BEYOND || from.is_infinite() && by >= 0.0 {
            return "unlimited".into();
        }
        let step = self.step();
        let most = (self.max / step).floor() * step;
        text_of(self.resource, ((wanted / step).round() * step).clamp(0.0, most.max(from.min(self.max).floor())))
    }

    /// The value a number of steps away; `None` beyond *unlimited*.
    pub fn stepped(self, now: f64, by: i64) -> Option<String> {
        let step = self.step();
        match now.is_infinite() {
            true if by > 0 => None,
            true => Some(text_of(self.resource, (self.max / step).floor() * step)),
            false => Some(text_of(self.resource, (now + by as f64 * step).max(0.0))),
        }
    }
}

/// Parses a setting written by [`Reach`] as an amount in display units.
pub fn read(text: &str) -> Option<f64> {
    let text = text.trim();
    match (text, text.strip_suffix("Gi"), text.strip_suffix('m')) {
        _ if quantity::is_no_ceiling(text) => Some(f64::INFINITY),
        (_, Some(gib), _) => gib.parse().ok(),
        (_, _, Some(milli)) => milli.parse::<f64>().ok().map(|milli| milli / 1000.0),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPUS: Reach = Reach { resource: Resource::GPU, max: 4.0, per_unit: 100.0 };

    #[test]
    fn a_pull_means_whole_units_inside_the_scale() {
        let pulled = |from: f64, by: f64| GPUS.pulled(from, by);
        assert_eq!(pulled(2.0, 130.0), "3");
        assert_eq!(pulled(2.0, -500.0), "0");
        assert_eq!(pulled(2.0, 205.0), "4");
        assert_eq!(pulled(2.0, 230.0), "unlimited", "beyond the end");
        assert_eq!(pulled(f64::INFINITY, -100.0), "3");
        assert_eq!(pulled(f64::INFINITY, 0.0), "unlimited");
        assert_eq!(pulled(1.5, 0.0), "2");
    }

    #[test]
    fn on_a_long_scale_steps_are_round_numbers() {
        let many = Reach { resource: Resource::GPU, max: 5_000.0, per_unit: 0.1 };
        assert_eq!(many.pulled(1_000.0, 10.0), "1100");
        assert_eq!(many.pulled(1_000.0, 12.4), "1100");
        assert_eq!(many.pulled(1_000.0, 14.0), "1150");
    }

    #[test]
    fn values_are_read_back_as_written() {
        for (resource, amount, text) in [
            (Resource::GPU, 3.0, "3"),
            (Resource::MEMORY, 16.0, "16Gi"),
            (Resource::CPU, 0.5, "500m"),
            (Resource::CPU, 8.0, "8"),
        ] {
            assert_eq!(text_of(resource, amount), text);
            assert_eq!(read(text), Some(amount));
        }
        assert_eq!(read("unlimited"), Some(f64::INFINITY));
        assert_eq!(read("∞"), Some(f64::INFINITY));
        assert_eq!(read("many"), None);
    }

    #[test]
    fn keys_go_step_by_step() {
        assert_eq!(GPUS.stepped(2.0, 1).as_deref(), Some("3"));
        assert_eq!(GPUS.stepped(2.0, -10).as_deref(), Some("0"));
        assert_eq!(GPUS.stepped(f64::INFINITY, -1).as_deref(), Some("4"));
        assert_eq!(GPUS.stepped(f64::INFINITY, 1), None);
        assert_eq!(GPUS.stepped(4.0, 1).as_deref(), Some("5"), "not bound to the scale");
    }
}
