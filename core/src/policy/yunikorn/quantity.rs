//! Notation of quantities and durations in a configuration.
//!
//! # Rule
//! Digits, blanks, a suffix: `k M G T P E` (powers of 1000) or `Ki Mi Gi Ti Pi Ei` (powers of 1024). The type `vcore`
//! is stored in thousandths and also accepts `m`. No sign, no decimals. A duration is one or more numbers with a unit
//! each.
//!
//! # Source
//! yunikorn.md 1.3, 1.5

/// Parses a quantity to base units; `None` if upstream rejects it.
pub fn parse(resource_name: &str, text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: i64 = text.get(..digits)?.parse().ok()?;
    let suffix = text.get(digits..)?.trim_start();
    let is_vcore = resource_name == "vcore";
    if suffix == "m" {
        return is_vcore.then_some(number);
    }
    let (base, power) = match suffix.as_bytes() {
        [] => (1000, 0),
        [c] => (1000_i64, b"_kMGTPE".iter().position(|s| s == c)?),
        [c, b'i'] => (1024, b"_KMGTPE".iter().position(|s| s == c)?),
        _ => return None,
    };
    let power = u32::try_from(power).ok()?;
    if power == 0 && !suffix.is_empty() {
        return None;
    }
    number.checked_mul(base.checked_pow(power)?)?.checked_mul(if is_vcore { 1000 } else { 1 })
}

/// Formats a quantity in base units (≥ 0); parsing it gives the same value.
pub fn print(resource_name: &str, value: i64) -> String {
    let value = value.max(0);
    if resource_name == "vcore" {
        return if value % 1000 == 0 { (value / 1000).to_string() } else { format!("{value}m") };
    }
    let suffixes: [(&str, i64); 6] = [
        ("Ti", 1 << 40),
        ("Gi", 1 << 30),
        ("Mi", 1 << 20),
        ("T", 1_000_000_000_000),
        ("G", 1_000_000_000),
        ("M", 1_000_000),
    ];
    match suffixes.iter().find(|(_, size)| value > 0 && value % size == 0) {
        Some((suffix, size)) => format!("{}{suffix}", value / size),
        None => value.to_string(),
    }
}

/// Parses a duration to nanoseconds as Go does; `None` if it is invalid or out of range.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, remainder) = rest.split_at(number);
        let unit = remainder.len() - remainder.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '.').len();
        let (unit, remainder) = remainder.split_at(unit);
        let unit: i64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let share: f64 = if fraction.is_empty() { 0.0 } else { format!("0.{fraction}").parse().ok()? };
        let part = whole.checked_mul(unit)?.checked_add((share * unit as f64) as i64)?;
        total = total.checked_add(part)?;
        rest = remainder;
    }
    Some(if negative { -total } else { total })
}
