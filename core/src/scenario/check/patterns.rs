//! Patterns of jobs: number, arrivals (of jobs, and of pods that join later) and run times, fixed or random.

use super::Location;
use crate::format::pattern::{Arrivals, Every, Lasts, Repeat};
use crate::format::quantity::{self, MILLIS_MAX};
use crate::format::{Findings, JobEntry, codes, quoted};
use crate::policy::description::Description;
use crate::time::Span;

/// Default seed of random patterns.
pub const SEED_DEFAULT: u64 = 1;

/// Number and arrivals of the jobs of an entry; `None`: a single job under its own name.
pub fn arrivals(entry: &JobEntry, location: Location<'_>, f: &mut Findings) -> (Option<u32>, Arrivals) {
    let clamp = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let at_count = || location.field("count");
    let count =
        entry.count.as_ref().map(|_| f.value(&entry.count, 1, "a whole number of [jobs]", &at_count, &quantity::count));
    let expected = "a distance such as 30s, 60s..10s (evenly from one to the other) or 30s random (drawn)";
    let every =
        f.parsed(&entry.every, Every::AT_ONCE, (codes::DURATION, expected), &|| location.field("every"), &Every::read);
    let expected = "a number with a distance such as 5 every 1d";
    let repeat =
        f.parsed(&entry.repeat, Repeat::ONCE, (codes::DURATION, expected), &|| location.field("repeat"), &Repeat::read);
    let lonely = [
        (&entry.every, "every", "every needs a count: how many [jobs] arrive at this distance"),
        (&entry.repeat, "repeat", "repeat needs a count: how many [jobs] arrive each time"),
    ];
    for (_, field, message) in lonely.into_iter().filter(|(typed, ..)| typed.is_some() && count.is_none()) {
        f.suggest(codes::EVERY, location.field(field), message, "", "Remove it");
    }
    let submit = f.time(&entry.submit, 0, &|| location.field("submit"), &quantity::millis);
    let seed = f.value(&entry.seed, SEED_DEFAULT, "a whole number", &|| location.field("seed"), &quantity::count);
    let is_one = count.is_none();
    let arrivals = Arrivals {
        submit,
        count: clamp(count.unwrap_or(1)),
        every: if is_one { Every::AT_ONCE } else { every },
        repeat: if is_one { Repeat::ONCE } else { repeat },
        seed,
    };
    (count.map(|_| clamp(arrivals.n_jobs())), arrivals)
}

/// Run times of the jobs of an entry.
pub fn lasts(entry: &JobEntry, location: Location<'_>, f: &mut Findings) -> Option<Lasts> {
    let path = || location.field("lasts");
    let expected = "a time such as 90, 5m or 2h30m, or two between which it is drawn such as 8m..20m";
    let parse = |text: &str| if quantity::is_no_ceiling(text) { Ok(None) } else { Lasts::read(text).map(Some) };
    let lasts = f.parsed(&entry.lasts, None, (codes::DURATION, expected), &path, &parse)?;
    if lasts.from > lasts.to {
        let (typed, print) = (&entry.lasts, |span: Span| quantity::print_millis(span.as_millis()));
        let meant = format!("{}..{}", print(lasts.to), print(lasts.from));
        let typed = typed.as_ref().map_or("", |typed| typed.0.as_str());
        let message = format!("lasts {} names the longer time first; write {meant}", quoted(typed));
        f.suggest(codes::DURATION, path(), message, &meant, format!("Set lasts to {meant}"));
        return Some(Lasts { from: lasts.to, to: lasts.from });
    }
    Some(lasts)
}

/// Reports a seed that is not used.
pub fn seed_is_used(
    entry: &JobEntry,
    (arrivals, lasts): (Arrivals, Option<Lasts>),
    location: Location<'_>,
    f: &mut Findings,
) {
    if entry.seed.is_some() && !arrivals.every.is_random && !lasts.is_some_and(|lasts| lasts.is_drawn()) {
        let message = "nothing is drawn with this seed; write lasts as 8m..20m or every as 30s random";
        f.suggest(codes::EVERY, location.field("seed"), message, "", "Remove it");
    }
}

/// Reports a pattern that runs from the start although its jobs do not arrive together.
pub fn at_start(arrivals: Arrivals, location: Location<'_>, f: &mut Findings) {
    let Arrivals { every, repeat, .. } = arrivals;
    let is_spread = every.first.max(every.last) > Span::ZERO;
    let is_repeated = repeat.times > 1 && repeat.every > Span::ZERO;
    for (_, field) in [(is_spread, "every"), (is_repeated, "repeat")].into_iter().filter(|(is_set, _)| *is_set) {
        let message = "a pattern with `on` runs from the start, so its [jobs] cannot arrive one by one";
        f.suggest(codes::NOT_AT_START, location.field(field), message, "", "Let all arrive at once");
    }
}

/// Reports arrivals after the latest permitted time, for at most as many jobs as are simulated.
pub fn end(entry: &JobEntry, arrivals: Arrivals, location: Location<'_>, f: &mut Findings) {
    if arrivals.moments().any(|moment| moment > MILLIS_MAX) {
        let field = if entry.every.is_none() { "repeat" } else { "every" };
        let message = "the last arrival of this pattern lies more than a hundred years ahead";
        f.add(codes::LARGE, location.field(field), message, None);
    }
}

/// The delay after which each pod set joins the job, `None` for those submitted with it; reports invalid delays.
pub fn joining_delays(
    entry: &JobEntry,
    location: Location<'_>,
    policy: &Description,
    f: &mut Findings,
) -> Vec<Option<Span>> {
    let inner = location.pod_sets(entry);
    let mut delays = Vec::with_capacity(entry.pod_sets.len());
    for (k, set) in entry.pod_sets.iter().enumerate() {
        let delay = f.time(&set.after, Span::ZERO, &|| inner(k).field("after"), &quantity::span);
        delays.push(Some(delay).filter(|&delay| delay > Span::ZERO && policy.supports.joining_pods));
    }
    if !delays.is_empty() && delays.iter().all(Option::is_some) {
        let message = format!(
            "all [pods] of {} join it later; let one [pod] set come with the [job], or submit the [job] later",
            quoted(&entry.name)
        );
        let path = inner(0).field("after");
        f.suggest(codes::CONFLICT, path, message, "", "Let the first [pod] set come with the [job]");
    }
    delays
}
