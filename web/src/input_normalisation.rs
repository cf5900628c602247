//! Normalises typed amounts and times to the form that the page displays.

use fairground::scenario::{Path, Segment, quantity};
use fairground::units::Resource;
use fairground::words::number;

/// The normalised form of a typed value, unless it is written that way already: *59.6 GiB* for `64 GB`.
pub fn normal(at: &Path, typed: &str) -> Option<String> {
    with_unit(at, typed).filter(|normal| bare(normal) != bare(typed))
}

/// Like [`normal`], but also if only the unit is missing: *2 GPUs* for `2`; `None` if the value is neither an amount
/// nor a time.
pub fn with_unit(at: &Path, typed: &str) -> Option<String> {
    let typed = typed.trim();
    let fields: Vec<&str> =
        at.0.iter()
            .filter_map(|segment| if let Segment::Field(field) = segment { Some(field.as_str()) } else { None })
            .collect();
    let (&field, above) = fields.split_last()?;
    if means_unlimited(field, typed) {
        return Some("unlimited".into());
    }
    let is_bound = matches!(field, "quota" | "limit");
    let of = if is_bound { above.last()? } else { field };
    let bytes_per_one = if is_bound { 1_000_000 } else { 1 };
    let base = |resource| quantity::amount(typed, resource, bytes_per_one).ok().map(|a| a.in_base_units());
    Some(match of {
        "memory" => memory(base(Resource::MEMORY)? as f64),
        "gpu-memory" => memory(quantity::mebibytes(typed).ok()? as f64 * f64::from(1 << 20)),
        "cpu" => number::with_unit(Resource::CPU, base(Resource::CPU)? as f64),
        // GPUs are divided into thousandths, so up to three decimals are displayed.
        "gpu" => {
            let n = base(Resource::GPU)?;
            let one = number::unit(Resource::GPU, n as f64 / 1000.0);
            [quantity::print_decimal(n, 3).as_str(), " ", one].concat()
        }
        "submit" | "lasts" | "every" | "started" | "created" | "preempt-min-runtime" | "reclaim-min-runtime" => {
            let ms = quantity::millis(typed).ok()?;
            (ms % 1000 == 0).then(|| number::time(ms))?
        }
        _ => return None,
    })
}

/// Whether the value means *unlimited* in that field.
pub fn means_unlimited(field: &str, typed: &str) -> bool {
    match field {
        "quota" => typed == "-1" || quantity::is_unlimited(typed),
        "limit" => typed == "-1" || quantity::is_no_ceiling(typed),
        "lasts" => quantity::is_no_ceiling(typed),
        _ => false,
    }
}

fn memory(bytes: f64) -> String {
    let mebibytes = bytes / f64::from(1 << 20);
    if mebibytes < 1024.0 && bytes > 0.0 {
        format!("{} MiB", number::number(mebibytes))
    } else {
        number::with_unit(Resource::MEMORY, bytes)
    }
}

/// The common form of equivalent notations: `16Gi` and *16 GiB*, `8` and *8 cores*, `-5` and *−5*.
fn bare(text: &str) -> String {
    let text = text.trim_end_matches("GPUs").trim_end_matches("GPU");
    let text = text.trim_end_matches("cores").trim_end_matches("core");
    let text: String = text.chars().filter(|c| !matches!(c, ' ' | ',')).collect();
    text.trim_end_matches('B').replace('−', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_value_is_shown_in_the_form_of_the_page() {
        let queue = Path::default().field("queues").named("a");
        let node = Path::default().field("nodes").named("n");
        let job = Path::default().field("jobs").named("j");
        let normal = |at: &Path, field: &str, typed: &str| normal(&at.field(field), typed).unwrap_or_default();
        for (typed, shown) in [
            ("64 GB", "59.6 GiB"),
            ("64e9", "59.6 GiB"),
            ("16Gi", ""),
            ("16 GiB", ""),
            ("1536Mi", "1.5 GiB"),
            ("5mb", "4.77 MiB"),
            ("many", ""),
            ("", ""),
        ] {
            assert_eq!(normal(&node, "memory", typed), shown, "{typed}");
        }
        assert_eq!(normal(&queue.field("memory"), "quota", "64000"), "59.6 GiB", "10^6 bytes each");
        assert_eq!(normal(&node, "gpu-memory", "80 GB"), "74.51 GiB");
        for (typed, shown) in
            [("8", ""), ("1.5", ""), ("500m", ""), ("0.5", "500m cores"), ("1500m", "1.5 cores"), ("12000", "")]
        {
            assert_eq!(normal(&queue.field("cpu"), "limit", typed), shown, "{typed}");
        }
        assert_eq!(normal(&job, "gpu", "1.0"), "1 GPU");
        assert_eq!(normal(&job, "gpu", "0.333"), "");
        for (typed, shown) in [("90", "1:30"), ("2h30m", "2:30:00"), ("0:07", ""), ("-5s", "−0:05"), ("250ms", "")] {
            assert_eq!(normal(&job, "submit", typed), shown, "{typed}");
        }
        for typed in ["∞", "inf", "-1"] {
            assert_eq!(normal(&queue.field("gpu"), "quota", typed), "unlimited", "{typed}");
        }
        assert_eq!(normal(&queue.field("gpu"), "limit", "none"), "unlimited");
        assert_eq!(normal(&queue.field("gpu"), "quota", "none"), "", "which would be nothing rather than all");
        assert_eq!(normal(&queue.field("gpu"), "limit", "unlimited"), "");
        assert_eq!(normal(&queue, "name", "64 GB"), "");
        assert_eq!(with_unit(&queue.field("gpu").field("quota"), "1").as_deref(), Some("1 GPU"));
        assert_eq!(with_unit(&queue.field("gpu").field("limit"), "unlimited").as_deref(), Some("unlimited"));
        assert_eq!(with_unit(&queue.field("gpu").field("weight"), "2"), None);
    }
}
