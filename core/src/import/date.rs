//! Parses dates in foreign texts.

use crate::scenario::quantity;

/// Parses a date with optional time and offset (`2017-10-02 00:00:00`, also with `T`, `Z` and `+02:00`; UTC without an
/// offset) into milliseconds since 1970.
pub fn date(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, clock) = text.split_once(['T', ' ']).unwrap_or((text, "0:00"));
    let (clock, offset) = match clock.rfind(['+', '-']) {
        Some(i) => (clock[..i].trim_end(), Some(&clock[i..])),
        None => (clock, None),
    };
    let offset = offset.map_or(Some(0), offset_minutes)?;
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let mut clock = clock.split(':');
    let mut part = |max: i64| {
        let n = clock.next()?.parse::<i64>().ok()?;
        (0..max).contains(&n).then_some(n)
    };
    let (hours, minutes) = (part(24)?, part(60)?);
    let ms = clock.next().map_or(Some(0), |seconds| quantity::millis(seconds).ok())?;
    let is_date = (1970..3000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if parts.next().is_some() || clock.next().is_some() || !is_date || !(0..61_000).contains(&ms) {
        return None;
    }
    Some(((days(year, month, day) * 24 + hours) * 60 + minutes - offset) * 60_000 + ms)
}

/// Returns the number of days since 1970 in the Gregorian calendar.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    // The year begins in March, so that the leap day is its last day.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400);
    365 * y + leap_days + (153 * m + 2) / 5 + day - 1 - 719_468
}

/// Parses an offset such as `+02:00` or `-0530` into minutes.
fn offset_minutes(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+')?),
    };
    let digits = digits.replace(':', "");
    let is_clock = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit());
    let (hours, minutes) = digits.split_at_checked(2).filter(|_| is_clock)?;
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::date as moment;

    #[test]
    fn dates_are_moments() {
        assert_eq!(moment("2017-10-02T02:00:00+02:00"), Some(1_506_902_400_000));
        assert_eq!(moment("1970-01-01"), Some(0));
        assert_eq!(moment("2017-10-02 00:00:00"), Some(1_506_902_400_000));
        assert_eq!(moment("2020-02-29T23:59:30.5Z"), Some(1_583_020_770_500));
        for text in ["", "2017-13-01", "2017-10-02 25:00", "2017-10-02 1", "2017-10", "2017-10-02-03", "a-b-c"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
