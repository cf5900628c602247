//! Time formats of table columns: numbers with a unit, dates, or clock times.

use super::date::date;
use crate::scenario::quantity;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Nanoseconds per unit.
    ns: i128,
    /// Plural name.
    pub name: &'static str,
}

const SECONDS: Unit = Unit { ns: 1_000_000_000, name: "seconds" };

/// Units by their words in column names and after a colon.
const UNITS: [(&[&str], Unit); 7] = [
    (&["ns", "nanoseconds"], Unit { ns: 1, name: "nanoseconds" }),
    (&["us", "micros", "microseconds"], Unit { ns: 1000, name: "microseconds" }),
    (&["ms", "millis", "milliseconds"], Unit { ns: 1_000_000, name: "milliseconds" }),
    (&["s", "sec", "secs", "seconds"], SECONDS),
    (&["min", "mins", "minutes"], Unit { ns: 60_000_000_000, name: "minutes" }),
    (&["h", "hr", "hrs", "hours"], Unit { ns: 3_600_000_000_000, name: "hours" }),
    (&["d", "days"], Unit { ns: 86_400_000_000_000, name: "days" }),
];

/// Returns the unit for a word.
pub fn unit(word: &str) -> Option<Unit> {
    let word = word.to_ascii_lowercase();
    UNITS.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, unit)| *unit)
}

/// Whether a word in a column name is a unit of time or memory.
pub fn is_unit(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    unit(word).is_some() || MEMORY_UNITS.iter().any(|(unit, _)| *unit == lower)
}

/// Memory units in column names and in scenarios.
pub const MEMORY_UNITS: [(&str, &str); 8] =
    [("kb", "k"), ("mb", "M"), ("gb", "G"), ("tb", "T"), ("kib", "Ki"), ("mib", "Mi"), ("gib", "Gi"), ("tib", "Ti")];

/// Returns the last word of a column name: `ms` for `submit_ms` and `Submit (ms)`.
pub fn last_word(name: &str) -> &str {
    let name = name.trim_end_matches([')', ']', ' ']);
    name.rsplit(['_', '(', '[', ' ', '-', '.']).next().unwrap_or_default()
}

/// Time format of a column, inferred while values are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Format {
    /// Unit chosen by the user or named by the column.
    declared: Option<Unit>,
    /// Unit of the numbers, inferred from the first one unless declared.
    numbers: Option<Unit>,
    has_dates: bool,
    has_clocks: bool,
}

impl Format {
    /// Returns the initial format of a column. `chosen` overrides the unit in the column name.
    pub fn of(header: &str, chosen: Option<Unit>) -> Format {
        Format { declared: chosen.or_else(|| unit(last_word(header))), ..Format::default() }
    }

    /// Parses a moment into milliseconds. Numbers without a declared unit are Unix times in a unit inferred from their
    /// size.
    pub fn moment(&mut self, text: &str) -> Option<i64> {
        self.any_moment(text).filter(|ms| ms.unsigned_abs() <= quantity::MILLIS_MAX.unsigned_abs())
    }

    fn any_moment(&mut self, text: &str) -> Option<i64> {
        match thousandths(text) {
            Some(n) => {
                let given_unit = self.declared.or(self.numbers);
                let unit = *self.numbers.insert(given_unit.unwrap_or_else(|| unit_of_epoch(n / 1000)));
                in_ms(n, unit)
            }
            None => {
                let date = date(text);
                self.has_dates |= date.is_some();
                date.or_else(|| quantity::millis(text).ok())
            }
        }
    }

    /// Parses a duration of up to a hundred years into milliseconds.
    pub fn span(&mut self, text: &str) -> Option<i64> {
        self.any_span(text).filter(|ms| *ms <= quantity::MILLIS_MAX)
    }

    fn any_span(&mut self, text: &str) -> Option<i64> {
        if let Some(n) = thousandths(text) {
            let unit = *self.numbers.insert(self.declared.unwrap_or(SECONDS));
            return in_ms(n, unit);
        }
        let clock = clock(text);
        self.has_clocks |= clock.is_some();
        clock.or_else(|| quantity::span(text).ok().map(|span| span.as_millis()))
    }

    /// Describes the format for a report; empty if nothing was read.
    pub fn what(&self) -> String {
        let mut ways = Vec::new();
        ways.extend(self.numbers.map(|unit| format!("numbers of {}", unit.name)));
        ways.extend(self.has_dates.then(|| "dates (UTC where no offset is written)".to_string()));
        ways.extend(self.has_clocks.then(|| "hours:minutes:seconds".to_string()));
        ways.join(" and ")
    }
}

/// Infers the unit of a Unix time from its size: in seconds, dates of this millennium have at most eleven digits.
fn unit_of_epoch(n: i128) -> Unit {
    let digits = n.unsigned_abs().checked_ilog10().unwrap_or(0);
    match digits {
        0..=10 => SECONDS,
        11..=13 => UNITS[2].1,
        14..=16 => UNITS[1].1,
        _ => UNITS[0].1,
    }
}

fn in_ms(thousandths: i128, unit: Unit) -> Option<i64> {
    i64::try_from(thousandths.checked_mul(unit.ns)?.div_euclid(1_000_000_000)).ok()
}

/// Parses a decimal number into thousandths, rounded towards zero.
fn thousandths(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.len() <= 24 && text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return None;
    }
    let mut n = whole.parse::<i128>().ok()?.checked_mul(1000)?;
    for (digit, weight) in part.bytes().zip([100, 10, 1]) {
        n += i128::from(digit - b'0') * weight;
    }
    Some(if is_negative { -n } else { n })
}

/// Parses `[d-]hh:mm:ss` or `hh:mm:ss.fff` into milliseconds.
fn clock(text: &str) -> Option<i64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let mut parts = clock.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let integer = |text: &str| text.parse::<u32>().ok().map(i64::from);
    let ms = i64::try_from(thousandths(seconds).filter(|ms| (0..60_000).contains(ms))?).ok()?;
    let minutes = integer(minutes).filter(|minutes| *minutes < 60)?;
    if parts.next().is_some() {
        return None;
    }
    Some(((integer(days)? * 24 + integer(hours)?) * 60 + minutes) * 60_000 + ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_from_the_head_or_the_size() {
        let moment = |header: &str, text: &str| {
            let mut format = Format::of(header, None);
            (format.moment(text), format.what())
        };
        assert_eq!(moment("submit_ms", "1500"), (Some(1500), "numbers of milliseconds".into()));
        assert_eq!(moment("submit", "1500.5"), (Some(1_500_500), "numbers of seconds".into()));
        assert_eq!(moment("t", "1506902400123"), (Some(1_506_902_400_123), "numbers of milliseconds".into()));
        assert_eq!(moment("t", "1506902400123456"), (Some(1_506_902_400_123), "numbers of microseconds".into()));
        assert_eq!(moment("t", "1506902400123456789").0, Some(1_506_902_400_123));
        assert_eq!(moment("t", "2017-10-02 00:00:00").1, "dates (UTC where no offset is written)");
        assert_eq!(moment("t", "soon"), (None, String::new()));
        let span = |header: &str, text: &str| Format::of(header, None).span(text);
        assert_eq!(span("runtime (min)", "1.5"), Some(90_000));
        assert_eq!(span("elapsed", "1-02:00:01"), Some(93_601_000));
        assert_eq!(span("elapsed", "2h"), Some(7_200_000));
        assert_eq!(span("elapsed", "1:61:00"), None);
    }
}
