//! Parses and prints quantities: exact integers in base units, never floats.

use crate::time::Span;
use crate::units::{Amount, Resource};

/// Maximum value of a field in base units, up to which every integer is exact in a double.
pub const BASE_UNITS_MAX: i64 = 1 << 53;
/// Maximum distance of a moment from the start, in milliseconds: a hundred years.
pub const MILLIS_MAX: i64 = 100 * 366 * 86_400_000;

/// Reason why a text is not a valid quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Not a number, or an unknown unit for this kind of quantity.
    Form,
    /// Below zero.
    Negative,
    /// Above the maximum.
    Large,
    /// Not a multiple of the base unit.
    Fine,
}

/// A number as typed, `digits * 10^exponent`, and its unit.
struct Typed<'a> {
    negative: bool,
    digits: i128,
    exponent: i32,
    unit: &'a str,
}

/// Splits a text into number and unit. Fails for more than thirty digits.
fn split(text: &str) -> Result<Typed<'_>, Wrong> {
    let text = text.trim();
    let negative = text.starts_with('-');
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mut digits, mut exponent, mut n_digits, mut after_point) = (0i128, 0i32, 0u32, false);
    let mut end = rest.len();
    for (i, b) in rest.bytes().enumerate() {
        match b {
            b'0'..=b'9' => {
                n_digits += 1;
                if digits >= 10i128.pow(30) || i > 4000 {
                    return Err(if after_point { Wrong::Fine } else { Wrong::Large });
                }
                digits = digits * 10 + i128::from(b - b'0');
                exponent -= i32::from(after_point);
            }
            b'.' if !after_point => after_point = true,
            _ => {
                end = i;
                break;
            }
        }
    }
    if n_digits == 0 {
        return Err(Wrong::Form);
    }
    let mut unit = &rest[end..];
    if let Some(power) = unit.strip_prefix(['e', 'E']) {
        let sign = power.starts_with(['-', '+']).into();
        let len = sign + power.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
        if len > sign {
            let power_10: i32 = power[..len].parse().map_err(|_| Wrong::Large)?;
            exponent = exponent.checked_add(power_10).ok_or(Wrong::Large)?;
            unit = &power[len..];
        }
    }
    Ok(Typed { negative, digits, exponent, unit: unit.trim_start() })
}

/// Returns `digits * 10^exponent * num / den` as an integer. Rounds up if `round` is set, otherwise fails for
/// fractions.
fn scale(typed: &Typed<'_>, num: i128, den: i128, round: bool, max: i64) -> Result<i64, Wrong> {
    let (digits, mut den) = (typed.digits, den);
    if digits == 0 {
        return Ok(0);
    }
    let mut n = digits.checked_mul(num).ok_or(Wrong::Large)?;
    if typed.exponent > 30 {
        return Err(Wrong::Large);
    }
    if typed.exponent < -36 {
        return if round { Ok(1) } else { Err(Wrong::Fine) };
    }
    for _ in 0..typed.exponent.max(0) {
        n = n.checked_mul(10).ok_or(Wrong::Large)?;
    }
    for _ in 0..(-typed.exponent).max(0) {
        if n % 10 == 0 {
            n /= 10;
        } else {
            den = den.checked_mul(10).ok_or(Wrong::Fine)?;
        }
    }
    if n % den != 0 && !round {
        return Err(Wrong::Fine);
    }
    let n = n / den + i128::from(n % den != 0);
    let n = i64::try_from(n).map_err(|_| Wrong::Large)?;
    if n > max { Err(Wrong::Large) } else { Ok(n) }
}

/// Parses a non-negative integer: `3`, `1e6`.
pub fn count(text: &str) -> Result<u64, Wrong> {
    multiple(text, 1, i64::MAX).map(i64::unsigned_abs)
}

/// Parses a non-negative number without a unit into parts, `parts` of which are 1.
fn multiple(text: &str, parts: i128, max: i64) -> Result<i64, Wrong> {
    let typed = split(text)?;
    if !typed.unit.is_empty() {
        return Err(Wrong::Form);
    }
    let n = scale(&typed, parts, 1, false, max)?;
    if typed.negative && n > 0 { Err(Wrong::Negative) } else { Ok(n) }
}

/// Parses a signed 32-bit integer.
pub fn integer(text: &str) -> Result<i32, Wrong> {
    let typed = split(text)?;
    if !typed.unit.is_empty() {
        return Err(Wrong::Form);
    }
    let most = i64::from(i32::MAX) + i64::from(typed.negative);
    let n = scale(&typed, 1, 1, false, most)?;
    i32::try_from(if typed.negative { -n } else { n }).map_err(|_| Wrong::Large)
}

/// Parses a decimal number such as `0.25` into millionths, up to 2^53.
pub fn millionths(text: &str) -> Result<i64, Wrong> {
    multiple(text, 1_000_000, BASE_UNITS_MAX)
}

/// Parses an amount of a resource. Memory without a unit is in multiples of `bytes_per_one`.
pub fn amount(text: &str, resource: Resource, bytes_per_one: i64) -> Result<Amount, Wrong> {
    let typed = split(text)?;
    let (num, den, round) = match resource {
        Resource::MEMORY => {
            let unit = if typed.unit.is_empty() { Some(i128::from(bytes_per_one)) } else { bytes(typed.unit) };
            (unit.ok_or(Wrong::Form)?, 1, true)
        }
        _ => match typed.unit {
            "" => (1000, 1, false),
            "m" => (1, 1, false),
            "k" => (1_000_000, 1, false),
            _ => return Err(Wrong::Form),
        },
    };
    let n = scale(&typed, num, den, round, BASE_UNITS_MAX)?;
    if typed.negative && n > 0 { Err(Wrong::Negative) } else { Ok(Amount::base_units(n)) }
}

/// Parses GPU memory into MiB, which is also the unit of numbers without one. Rounds up.
pub fn mebibytes(text: &str) -> Result<i64, Wrong> {
    let typed = split(text)?;
    let num = if typed.unit.is_empty() { 1 << 20 } else { bytes(typed.unit).ok_or(Wrong::Form)? };
    let n = scale(&typed, num, 1 << 20, true, 1 << 33)?;
    if typed.negative && n > 0 { Err(Wrong::Negative) } else { Ok(n) }
}

/// Plausible memory of a GPU, in MiB.
const GPU_MEBIBYTES: std::ops::Range<i64> = 100..1 << 20;

/// Whether a GPU memory in MiB is plausible; 0 means unknown and is accepted.
pub fn is_plausible_gpu_memory(mib: i64) -> bool {
    mib == 0 || GPU_MEBIBYTES.contains(&mib)
}

/// Returns the likely meaning of an implausible GPU memory: `80` means `80Gi`, `2Ti` means `2Gi`, and a large number
/// without a unit means bytes or KiB.
pub fn meant_gpu_memory(text: &str) -> Option<String> {
    let mib = mebibytes(text).ok()?;
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let is_large_and_bare = number.len() == text.len() && mib >= GPU_MEBIBYTES.end;
    let meant = match is_large_and_bare {
        true if mib >> 20 >= GPU_MEBIBYTES.start => (mib >> 20).to_string(),
        true => (mib >> 10).to_string(),
        false => format!("{number}Gi"),
    };
    mebibytes(&meant).is_ok_and(|mib| GPU_MEBIBYTES.contains(&mib)).then_some(meant)
}

/// Returns the number of bytes in a unit: `Gi`, `GiB`, `G`, `GB`. Lowercase is accepted where it is unambiguous: `gb`,
/// but not `m`, which means thousandths in Kubernetes.
fn bytes(unit: &str) -> Option<i128> {
    let short = unit.strip_suffix(['B', 'b']).unwrap_or(unit);
    if short.is_empty() {
        return Some(1);
    }
    let (letter, binary) = match short.strip_suffix('i') {
        Some(letter) => (letter, true),
        None => (short, false),
    };
    let power = match letter {
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        "E" => 6,
        "m" if short.len() < unit.len() => 2,
        "g" if short.len() < unit.len() => 3,
        "t" if short.len() < unit.len() => 4,
        _ => return None,
    };
    Some(if binary { 1i128 << (10 * power) } else { 1000i128.pow(power) })
}

/// Whether a text means *unlimited*: the keyword of scenario files, the `∞` of the page, and common synonyms.
pub fn is_unlimited(text: &str) -> bool {
    let text = text.trim();
    text == "∞" || ["unlimited", "inf", "infinite"].iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether a limit is *unlimited* or *none*. For a quota, *none* would mean the opposite.
pub fn is_no_ceiling(text: &str) -> bool {
    is_unlimited(text) || text.trim().eq_ignore_ascii_case("none")
}

/// Parses a clock time such as `0:07` or `1:02:03` into milliseconds.
fn clock(text: &str) -> Result<i64, Wrong> {
    let mut sum = 0i64;
    for (i, part) in text.split(':').enumerate() {
        let n: i64 = if part.bytes().all(|b| b.is_ascii_digit()) { part.parse().unwrap_or(-1) } else { -1 };
        if i > 2 || n < 0 || i > 0 && (n >= 60 || part.len() != 2) {
            return Err(Wrong::Form);
        }
        sum = sum.checked_mul(60).and_then(|sum| sum.checked_add(n)).ok_or(Wrong::Large)?;
    }
    sum.checked_mul(1000).filter(|ms| *ms <= MILLIS_MAX).ok_or(Wrong::Large)
}

/// Parses a signed duration or moment into milliseconds: `90`, `1:30`, `1.5s`, `250ms`, `5m`, `2h30m`, `1d`.
pub fn millis(text: &str) -> Result<i64, Wrong> {
    let text = text.trim();
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest.contains(':') {
        return clock(rest).map(|ms| if negative { -ms } else { ms });
    }
    let mut sum = 0i64;
    let mut first = true;
    while first || !rest.is_empty() {
        let n = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let after = &rest[n..];
        let exponential = first && after.starts_with(['e', 'E']);
        let unit_len = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit_end = if exponential { after.len() } else { unit_len };
        let typed = split(&rest[..n + if exponential { unit_end } else { 0 }])?;
        if !exponential && !typed.unit.is_empty() {
            return Err(Wrong::Form);
        }
        let unit_ms = match if exponential { typed.unit } else { &after[..unit_end] } {
            "" | "s" => 1000,
            "ms" => 1,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(Wrong::Form),
        };
        if !first && unit_end == 0 {
            return Err(Wrong::Form);
        }
        sum = sum.checked_add(scale(&typed, unit_ms, 1, false, MILLIS_MAX)?).ok_or(Wrong::Large)?;
        rest = after[unit_end..].trim_start();
        first = false;
    }
    if sum > MILLIS_MAX {
        return Err(Wrong::Large);
    }
    Ok(if negative { -sum } else { sum })
}

/// Parses a non-negative duration.
pub fn span(text: &str) -> Result<Span, Wrong> {
    match millis(text)? {
        ms if ms < 0 => Err(Wrong::Negative),
        ms => Ok(Span::from_millis(ms)),
    }
}

/// Prints an amount in a form that parses back to the same amount.
pub fn print_amount(amount: Amount, resource: Resource) -> String {
    let n = amount.in_base_units();
    if resource == Resource::MEMORY {
        let units = [("Ti", 1i64 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("G", 1_000_000_000), ("M", 1_000_000)];
        let unit = units.iter().find(|&&(_, size)| n != 0 && n % size == 0);
        return unit.map_or_else(|| format!("{n}B"), |&(unit, size)| format!("{}{unit}", n / size));
    }
    if resource == Resource::CPU && n % 1000 != 0 {
        return format!("{n}m");
    }
    print_decimal(n, 3)
}

/// Prints `n / 10^digits` as a decimal number without trailing zeros.
pub fn print_decimal(n: i64, digits: u32) -> String {
    let one = 10u64.pow(digits);
    let (whole, part) = (n.unsigned_abs() / one, n.unsigned_abs() % one);
    let sign = if n < 0 { "-" } else { "" };
    let text = format!("{sign}{whole}.{part:0width$}", width = digits as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Prints a duration in a form that parses back to the same duration.
pub fn print_millis(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let mut rest = ms.unsigned_abs();
    if !rest.is_multiple_of(1000) {
        return format!("{sign}{rest}ms");
    }
    let mut text = String::from(sign);
    for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] {
        if rest >= size || (unit == "s" && ms == 0) {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cpu(text: &str) -> Result<i64, Wrong> {
        amount(text, Resource::CPU, 1).map(Amount::in_base_units)
    }
    fn memory(text: &str) -> Result<i64, Wrong> {
        amount(text, Resource::MEMORY, 1).map(Amount::in_base_units)
    }

    #[test]
    fn an_implausible_gpu_memory_has_a_likely_meaning() {
        let cases = [("80", "80Gi"), ("2Ti", "2Gi"), ("40 MiB", "40Gi"), ("0.5", "0.5Gi"), ("1.5 TiB", "1.5Gi")];
        for (typed, meant) in cases.into_iter().chain([("83886080", "81920"), ("4294967296", "4096")]) {
            assert!(!is_plausible_gpu_memory(mebibytes(typed).expect(typed)), "{typed}");
            assert_eq!(meant_gpu_memory(typed).as_deref(), Some(meant), "{typed}");
        }
        assert!(["0", "100", "80Gi", "1023Gi"].iter().all(|t| mebibytes(t).is_ok_and(is_plausible_gpu_memory)));
        assert_eq!(meant_gpu_memory("5000Ti"), None);
    }

    #[test]
    fn quantities_are_exact() {
        assert_eq!(cpu("500m"), Ok(500));
        assert_eq!(cpu(" 1.5 "), Ok(1500));
        assert_eq!(cpu("1e3"), Ok(1_000_000));
        assert_eq!(cpu("0.0005"), Err(Wrong::Fine));
        assert_eq!(cpu("-1"), Err(Wrong::Negative));
        assert_eq!(cpu("-0"), Ok(0));
        assert_eq!(cpu("16Gi"), Err(Wrong::Form));
        assert_eq!(cpu(""), Err(Wrong::Form));
        assert_eq!(cpu("1.2.3"), Err(Wrong::Form));
        assert_eq!(cpu("1e999999999999"), Err(Wrong::Large));
        assert_eq!(cpu("1e-999"), Err(Wrong::Fine));
        assert_eq!(cpu(&"9".repeat(10_000)), Err(Wrong::Large));
        assert_eq!(cpu(&format!("0.{}", "3".repeat(10_000))), Err(Wrong::Fine));
        assert_eq!(memory("16Gi"), Ok(16 << 30));
        assert_eq!(memory("16 GiB"), Ok(16 << 30));
        assert_eq!(memory("64 GB"), Ok(64_000_000_000));
        assert_eq!(memory("1.5Gi"), Ok(3 << 29));
        assert_eq!(memory("2E"), Err(Wrong::Large));
        assert_eq!(memory("12e6"), Ok(12_000_000));
        assert_eq!(memory("5m"), Err(Wrong::Form));
        assert_eq!(memory("5mb"), Ok(5_000_000));
        assert_eq!(mebibytes("40000"), Ok(40_000));
        assert_eq!(mebibytes("40Gi"), Ok(40_960));
        assert_eq!(mebibytes("80 GB"), Ok(76_294));
        assert_eq!(count("1e12"), Ok(1_000_000_000_000));
        assert_eq!(count("2.5"), Err(Wrong::Fine));
        assert_eq!(integer("-7"), Ok(-7));
        assert_eq!(integer("3000000000"), Err(Wrong::Large));
        assert_eq!(millionths("0.000001"), Ok(1));
    }

    #[test]
    fn no_end_is_written_in_several_ways() {
        for text in ["unlimited", " Unlimited ", "∞", "inf", "INF", "infinite"] {
            assert!(is_unlimited(text) && is_no_ceiling(text), "{text}");
        }
        assert!(is_no_ceiling("none") && !is_unlimited("none"));
        assert!(!is_no_ceiling("") && !is_no_ceiling("8") && !is_no_ceiling("information"));
    }

    #[test]
    fn durations_are_exact() {
        assert_eq!(millis("90"), Ok(90_000));
        assert_eq!(millis("90s"), Ok(90_000));
        assert_eq!(millis("2h30m"), Ok(9_000_000));
        assert_eq!(millis("1d 1s"), Ok(86_401_000));
        assert_eq!(millis("-1.5s"), Ok(-1500));
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("1e3"), Ok(1_000_000));
        assert_eq!(millis("0"), Ok(0));
        assert_eq!(millis("0:07"), Ok(7_000));
        assert_eq!(millis("-4:59"), Ok(-299_000));
        assert_eq!(millis("1:02:03"), Ok(3_723_000));
        assert_eq!(millis("99999999999999999:00"), Err(Wrong::Large));
        for text in [
            "",
            "-",
            "s",
            "5x",
            "5m3",
            "--5",
            "5-",
            "1e",
            "5 5",
            "ms",
            "1:2",
            "1:60",
            ":07",
            "1:00:00:00",
            "1:-7",
            "1.2.3",
            "8..20",
        ] {
            assert_eq!(millis(text), Err(Wrong::Form), "{text}");
        }
        assert_eq!(millis("1e30d"), Err(Wrong::Large));
        assert_eq!(span("-1"), Err(Wrong::Negative));
    }

    #[test]
    fn decimals_have_no_more_digits_than_they_need() {
        let all = [(1500, 3, "1.5"), (2000, 3, "2"), (-1, 3, "-0.001"), (0, 6, "0"), (1_000_001, 6, "1.000001")];
        for (n, digits, text) in all {
            assert_eq!(print_decimal(n, digits), text);
        }
    }

    proptest! {
        #[test]
        fn printed_quantities_read_back(n in 0..=BASE_UNITS_MAX, ms in -MILLIS_MAX..=MILLIS_MAX) {
            for resource in Resource::ACCOUNTED {
                let text = print_amount(Amount::base_units(n), resource);
                prop_assert_eq!(amount(&text, resource, 1), Ok(Amount::base_units(n)));
            }
            prop_assert_eq!(millis(&print_millis(ms)), Ok(ms));
            prop_assert_eq!(millionths(&print_decimal(n, 6)), Ok(n));
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,40}|[-+0-9.eEmskdhGiBT ]{0,20}") {
            let _ = (count(&text), integer(&text), millionths(&text), mebibytes(&text), millis(&text));
            for resource in Resource::ACCOUNTED {
                let _ = amount(&text, resource, 1_000_000);
            }
        }
    }
}
