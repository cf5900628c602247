//! Reads the input of KAI's bundled fair-share simulator: one division without hierarchy.
//!
//! # Rule
//! `{"totalResource": {GPU, CPU, Memory}, "queues": [{uid, priority, creationTimestamp, resourceShare: {gpu, cpu,
//! memory}}]}`, each resource `{deserved, fairShare, maxAllowed, overQuotaWeight, allocated, allocatedNotPreemptible,
//! request}`. Left out: deserved 0, fair share 0, limit −1, weight 1, request 100000; a missing cpu or memory has
//! deserved −1. Priority 0. A time of creation that is left out or wrong is *now*, so that the order of the list
//! decides.
//!
//! # Source
//! kai.md 10.1; upstream `cmd/fairshare-simulator`

use fairground::import::reader::{self, LocatedValue};
use fairground::import::{Report, date};
use fairground::scenario::QUEUES_MAX;
use fairground::scenario::value::Limit;

/// Input of the fair-share simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FairShareInput {
    /// Total resources to divide: CPU, memory, GPU.
    pub total: [f64; 3],
    /// Queues in file order.
    pub queues: Vec<FairShareQueue>,
}

/// A queue of the fair-share simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FairShareQueue {
    /// Unique id.
    pub uid: String,
    /// Priority; the larger is served first.
    pub priority: i64,
    /// Creation time in seconds since 1970; later than any date if it is missing or invalid.
    pub created_s: f64,
    /// Values for CPU, memory, GPU.
    pub resources: [FairShareResource; 3],
}

/// Values of a queue for one resource; -1 means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FairShareResource {
    /// Quota (`deserved`).
    pub deserved: f64,
    /// Fair share before the division.
    pub fair_share: f64,
    /// Limit (`maxAllowed`).
    pub limit: f64,
    /// Over-quota weight.
    pub weight: f64,
    /// Requested amount.
    pub request: f64,
}

/// Keys of the resources in array order.
const NAMES: [&str; 3] = ["cpu", "memory", "gpu"];
/// Maximum number of queues.
const LISTS: [Limit; 1] = [Limit { key: "queues", anywhere: false, most: QUEUES_MAX as usize }];
/// Maximum amount or weight.
const AMOUNT_MAX: f64 = 1e15;
/// Default request of a queue.
const REQUEST_DEFAULT: f64 = 100_000.0;

/// Reads the input. The report contains errors and assumptions.
pub fn read(text: &str) -> (Option<FairShareInput>, Report) {
    reader::read(text, &LISTS, input)
}

fn input(root: &LocatedValue<'_>, report: &mut Report) -> FairShareInput {
    let total = root.map("totalResource");
    let mut input = FairShareInput { total: [0.0; 3], queues: Vec::new() };
    for (i, name) in ["CPU", "Memory", "GPU"].into_iter().enumerate() {
        input.total[i] = amount(total.as_ref(), name, 0.0, Floor::Zero);
    }
    if total.is_none() {
        root.refuse("totalResource is missing");
    }
    if root.get("queues").is_none() {
        root.refuse("queues are missing");
    }
    for (i, place) in root.list("queues", QUEUES_MAX as usize).into_iter().enumerate() {
        let queue = queue(&place, i);
        if queue.uid.is_empty() {
            place.refuse("uid is missing");
        } else if input.queues.iter().any(|other| other.uid == queue.uid) {
            place.refuse("this uid is given twice");
        }
        input.queues.push(queue);
    }
    report.understand(format!("a fair-share division among {} queues", input.queues.len()));
    report.ignore("names, parents and children: the simulator divides among a flat list");
    input
}

fn queue(place: &LocatedValue<'_>, i: usize) -> FairShareQueue {
    let share = place.map("resourceShare");
    let mut resources = [FairShareResource::default(); 3];
    for (r, name) in NAMES.into_iter().enumerate() {
        let given = share.as_ref().and_then(|share| share.map(name));
        let deserved = if given.is_none() && name != "gpu" { -1.0 } else { 0.0 };
        let given = given.as_ref();
        resources[r] = FairShareResource {
            deserved: amount(given, "deserved", deserved, Floor::Unlimited),
            fair_share: amount(given, "fairShare", 0.0, Floor::Zero),
            limit: amount(given, "maxAllowed", -1.0, Floor::Unlimited),
            weight: amount(given, "overQuotaWeight", 1.0, Floor::Zero),
            request: amount(given, "request", REQUEST_DEFAULT, Floor::Zero),
        };
    }
    let created = timestamp_s(&place.text("creationTimestamp"));
    FairShareQueue {
        uid: place.text("uid"),
        priority: place.integer("priority", 0, (i64::from(i32::MIN), i64::from(i32::MAX))),
        created_s: created.unwrap_or(NOW_S + i as f64),
        resources,
    }
}

/// Minimum of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Floor {
    Zero,
    /// 0, or -1 for unlimited.
    Unlimited,
}

/// Reads a non-negative value that is small enough for accurate sums and products.
fn amount(of: Option<&LocatedValue<'_>>, key: &str, default: f64, floor: Floor) -> f64 {
    let n = of.map_or(default, |of| of.number(key, default));
    let is_unlimited = floor == Floor::Unlimited && n == -1.0;
    if (0.0..=AMOUNT_MAX).contains(&n) || is_unlimited {
        return n;
    }
    if let Some(place) = of.and_then(|of| of.get(key)) {
        place.refuse(match (n < 0.0, floor) {
            (true, Floor::Zero) => "this is below zero",
            (true, Floor::Unlimited) => "this is below zero; only -1, unlimited, may be",
            (false, _) => "this is too large: up to 1e15 is divided",
        });
    }
    default
}

/// Later than any date, in seconds: a hundred thousand years.
const NOW_S: f64 = 3.2e12;

/// Parses a timestamp such as `2024-05-06T07:08:09Z`, with an optional fraction and offset, into seconds since 1970.
fn timestamp_s(text: &str) -> Option<f64> {
    let (date, rest) = text.split_once(['T', 't'])?;
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (y, m, d) = (parts.next()??, parts.next()??, parts.next()??);
    let (time, offset_s) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) if rest[at..].eq_ignore_ascii_case("z") => (&rest[..at], 0.0),
        Some(at) => {
            let sign = if rest[at..].starts_with('-') { -1.0 } else { 1.0 };
            let (h, m) = rest[at + 1..].split_once(':')?;
            (&rest[..at], sign * (h.parse::<f64>().ok()? * 3600.0 + m.parse::<f64>().ok()? * 60.0))
        }
        None => return None,
    };
    let mut parts = time.split(':').map(|part| part.parse::<f64>().ok());
    let (h, min, s) = (parts.next()??, parts.next()??, parts.next()??);
    // Checked first, so that the arithmetic below cannot overflow.
    let is_date = (1..=12).contains(&m) && (1..=31).contains(&d) && (0..10_000).contains(&y);
    let is_time = (0.0..24.0).contains(&h) && (0.0..60.0).contains(&min) && (0.0..61.0).contains(&s);
    if !is_date || !is_time || !(-90_000.0..=90_000.0).contains(&offset_s) {
        return None;
    }
    let days = date::days(y, m, d);
    Some(days as f64 * 86_400.0 + h * 3600.0 + min * 60.0 + s - offset_s)
}

#[cfg(test)]
mod tests {
    use super::timestamp_s;

    #[test]
    fn moments_are_read() {
        assert_eq!(timestamp_s("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(timestamp_s("2000-02-29T12:00:00Z"), Some(951_825_600.0));
        assert_eq!(timestamp_s("2024-05-06T07:08:09.5+02:00"), Some(1_714_972_089.5));
        for wrong in [
            "",
            "yesterday",
            "2024-13-01T00:00:00Z",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "9223372036854775807-01-01T00:00:00Z",
            "2024-01-01T00:00:00+inf:00",
        ] {
            assert_eq!(timestamp_s(wrong), None, "{wrong}");
        }
    }
}
