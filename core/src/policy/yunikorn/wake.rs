//! Next wake-up without a change of the cluster, and the effect of skipped cycles.
//!
//! # Rule
//! A pass without a change can have a result when an ask becomes old enough to reserve or to preempt, a search for
//! victims is due again, a back-off or placeholder timeout ends, or quota preemption starts.
//!
//! # Source
//! yunikorn.md 3.1, 5.1, 5.2

use super::cycle::NANOS;
use super::memory::Memory;
use super::model::{Ask, Core};
use super::preempt::RETRY;
use crate::policy::{Rhythm, Wake};
use crate::time::Time;

impl Memory {
    /// Repeated searches for victims have the same result while nothing changes, so their cycles may be skipped. The
    /// next search keeps its distance from the last skipped one.
    pub(super) fn repeat_checks(&mut self, now: Time, rhythm: Rhythm) {
        let period = match rhythm {
            Rhythm::Every { period, .. } | Rhythm::OnChange { at_least: period } => period.as_millis().max(1),
            Rhythm::OnEvents => return,
        };
        let step = (RETRY + period - 1) / period * period;
        // Further passes at the same instant repeat nothing.
        let core = &mut self.core;
        if core.now >= now.as_millis() {
            return;
        }
        for &ask in self.asks.values().chain(self.gangs.placeholders()) {
            let Ask { allocated: false, last_check: Some(last), .. } = &mut core.asks[ask] else { continue };
            if *last > self.changed_at.as_millis() {
                *last += (now.as_millis() - 1 - *last).max(0) / step * step;
            }
        }
    }

    /// Returns the next time at which a pass may have a result without a change.
    pub(super) fn wake(&self, now: Time, rhythm: Rhythm) -> Wake {
        let core = &self.core;
        let now_ms = now.as_millis();
        let mut next: Option<i64> = None;
        for &ask in self.asks.values().chain(self.gangs.placeholders()) {
            let a = &core.asks[ask];
            if a.allocated {
                continue;
            }
            let properties = &core.queues[core.apps[a.app].queue].properties;
            let delay = properties.preemption_delay / NANOS;
            // Resources freed during a back-off can be used when it ends.
            let until = core.apps[a.app].backoff_until;
            let began = until.saturating_sub(properties.backoff_delay) / NANOS;
            let rested = Some(until.saturating_add(NANOS - 1) / NANOS);
            let rested = rested.filter(|_| began <= self.changed_at.as_millis());
            let again = a.last_check.map(|last| last + RETRY);
            let again = again.filter(|_| a.last_check.is_some_and(|last| last <= self.changed_at.as_millis()));
            let reserve = a.created + core.settings.reservation_delay + 1;
            let moments = [Some(reserve).filter(|_| a.reserved.is_none()), Some(a.created + delay), again, rested];
            next = moments.into_iter().chain([next]).flatten().filter(|&time| time > now_ms).min();
        }
        let quota = quota_due(core).filter(|&due| due > now_ms);
        let gangs = self.gangs.due(core).filter(|&due| due > now_ms);
        if rhythm == Rhythm::OnEvents {
            // A placeholder timeout is an event of the core.
            let time = gangs.map(Time::from_millis);
            return time.map_or(rhythm.wake(now), |time| Wake::OnChangeOrAt { not_before: now, at: time });
        }
        let Some(next) = [next, quota, gangs].into_iter().flatten().min() else { return rhythm.wake(now) };
        match rhythm {
            // Do not skip periodic cycles while time alone may have an effect.
            Rhythm::Every { period, .. } => Wake::OnChangeOrAt { not_before: now + period, at: now + period },
            Rhythm::OnChange { at_least } => {
                let not_before = now + at_least;
                Wake::OnChangeOrAt { not_before, at: Time::from_millis(next).max(not_before) }
            }
            Rhythm::OnEvents => rhythm.wake(now),
        }
    }
}

/// Next time at which quota preemption of a queue starts.
pub(super) fn quota_due(core: &Core) -> Option<i64> {
    let queues = core.queues.iter().filter(|_| core.quota_preemption);
    queues.filter_map(|queue| queue.quota_start).min()
}
