//! Formats amounts, times and ratios.

use crate::time::Time;
use crate::units::{Resource, ShownResource};

/// Numbers from here on are abbreviated.
const MANY: f64 = 1e15;

/// The name of a resource's unit, including named resources.
pub fn unit_of(named: &[String], resource: impl Into<ShownResource>, amount: f64) -> &str {
    let resource = resource.into();
    match resource.nth_named() {
        Some(n) => named.get(n).map_or("", String::as_str),
        None => unit(resource, amount),
    }
}

/// Converts an amount from base units to the displayed unit: cores, GiB, GPUs.
pub fn in_unit(resource: impl Into<ShownResource>, base: f64) -> f64 {
    match resource.into() {
        ShownResource::CPU => base / 1000.0,
        ShownResource::MEMORY => base / f64::from(1 << 30),
        _ => base,
    }
}

/// The name of a resource's unit, in singular or plural by the amount.
pub fn unit(resource: impl Into<ShownResource>, amount: f64) -> &'static str {
    match resource.into() {
        ShownResource::CPU if amount == 1.0 => "core",
        ShownResource::CPU => "cores",
        ShownResource::MEMORY => "GiB",
        ShownResource::GPU if amount == 1.0 => "GPU",
        ShownResource::GPU => "GPUs",
        ShownResource::Dominant => "%",
        // The scenario sets its name: see `unit_of`.
        ShownResource::One(_) => "",
    }
}

/// The resource's name in a sentence.
pub fn resource_name(resource: impl Into<ShownResource>) -> &'static str {
    match resource.into() {
        ShownResource::CPU => "CPU",
        ShownResource::MEMORY => "memory",
        ShownResource::Dominant => "dominant share",
        ShownResource::One(_) => "GPU",
    }
}

/// The resource's key in scenario files.
pub fn resource_key(resource: Resource) -> &'static str {
    match resource {
        Resource::CPU => "cpu",
        Resource::MEMORY => "memory",
        _ => "gpu",
    }
}

/// Formats a number with at most two decimals, without trailing zeros and with thousands separators: `12,000`.
pub fn number(value: f64) -> String {
    if value.is_infinite() {
        return "unlimited".into();
    }
    if value.abs() >= MANY {
        return format!("{value:.2e}");
    }
    let rounded = (value * 100.0).round() / 100.0;
    let text = if rounded == rounded.trunc() {
        format!("{}", rounded.trunc() as i64)
    } else {
        let text = format!("{rounded:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    grouped(text)
}

fn grouped(text: String) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("−", rest));
    let (whole, part) = rest.split_once('.').map_or((rest, None), |(whole, part)| (whole, Some(part)));
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(part) = part {
        out.push('.');
        out.push_str(part);
    }
    out
}

/// Formats an amount given in base units, without its unit; CPU below one core as `500m`.
pub fn amount(resource: impl Into<ShownResource>, base: f64) -> String {
    let resource = resource.into();
    if resource == ShownResource::CPU && base > 0.0 && base < 1000.0 {
        return format!("{base:.0}m");
    }
    number(in_unit(resource, base))
}

/// Formats an amount with its unit: `3 GPUs`, `500m cores`, `16 GiB`.
pub fn with_unit(resource: impl Into<ShownResource>, base: f64) -> String {
    let resource = resource.into();
    let unit = unit(resource, in_unit(resource, base));
    format!("{} {unit}", amount(resource, base)).trim_end().to_string()
}

/// Formats an amount; `None` is unlimited.
pub fn bound(resource: impl Into<ShownResource>, base: Option<f64>) -> String {
    base.map_or_else(|| "unlimited".into(), |base| amount(resource, base))
}

/// Formats a part as a percentage with at most one decimal.
pub fn percent(part: f64) -> String {
    format!("{} %", number((part * 1000.0).round() / 10.0))
}

/// Formats a ratio with two decimals: `1.25`; infinite: `∞`.
pub fn ratio(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{value:.2}"),
        _ => "∞".into(),
    }
}

/// Formats a time or duration: `0:07`, `1:02:03`, `2 d 3:04:05`.
pub fn time(ms: i64) -> String {
    if ms < 0 {
        return format!("−{}", time(ms.saturating_neg()));
    }
    let seconds = ms / 1000;
    let (days, s) = (seconds / 86_400, seconds % 86_400);
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    match (days, h) {
        (0, 0) => format!("{m}:{s:02}"),
        (0, _) => format!("{h}:{m:02}:{s:02}"),
        _ => format!("{days} d {h}:{m:02}:{s:02}"),
    }
}

/// Formats the end of a termination and the time until then: `leaves at 0:30, 20 s left`.
pub fn leaves(at_ms: i64, now_ms: i64) -> String {
    let left = at_ms - now_ms;
    let left = if left < 120_000 { format!("{} s", (left + 999) / 1000) } else { time(left) };
    format!("leaves at {}, {left} left", time(at_ms))
}

/// Formats a count with its noun: `1 node`, `4 nodes`.
pub fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => match noun.strip_suffix(']') {
            Some(marked) => format!("{} {marked}s]", number(n as f64)),
            None => format!("{} {noun}s", number(n as f64)),
        },
    }
}

/// Formats a time of the simulation.
pub fn clock(at: Time) -> String {
    time(at.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact_enough() {
        let texts: Vec<String> = [0.0, 7.0, 0.5, 1.0 / 3.0, 2.999, 1234.0, 12345.678, -2.0].map(number).into();
        assert_eq!(texts, ["0", "7", "0.5", "0.33", "3", "1,234", "12,345.68", "−2"]);
        assert_eq!(number(f64::INFINITY), "unlimited");
    }

    #[test]
    fn amounts_have_the_units_people_read() {
        assert_eq!(with_unit(Resource::GPU, 1.0), "1 GPU");
        assert_eq!(with_unit(Resource::GPU, 2.5), "2.5 GPUs");
        assert_eq!(with_unit(Resource::CPU, 500.0), "500m cores");
        assert_eq!(with_unit(Resource::CPU, 64_000.0), "64 cores");
        assert_eq!(with_unit(Resource::MEMORY, 17_179_869_184.0), "16 GiB");
        assert_eq!(bound(Resource::GPU, None), "unlimited");
    }

    #[test]
    fn times_are_read_at_a_glance() {
        let texts: Vec<String> = [-299_000, 7_000, 144_000, 3_723_000, 183_845_000].map(time).into();
        assert_eq!(texts, ["−4:59", "0:07", "2:24", "1:02:03", "2 d 3:04:05"]);
    }
}
