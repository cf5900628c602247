//! Watching a cycle while it is computed, and ending it early.

use std::fmt;
use std::rc::Rc;

/// Is called by policies in their longest loops: it learns how far the cycle is, and tells whether its result is no longer
/// wanted. Then policies leave their loops, and the simulation discards what they return. By default nothing watches.
#[derive(Clone, Default)]
pub struct Monitor {
    watch: Option<Rc<Watch>>,
    /// Where the monitored part of the cycle starts, as a fraction of the cycle.
    start: f64,
    /// Its length, as a fraction of the cycle.
    length: f64,
}

/// Receives the fraction of the cycle that is done, if it is known; returns whether the cycle is to end.
type Watch = dyn Fn(Option<f64>) -> bool;

impl Monitor {
    /// A monitor that interrupts a cycle once `watch` returns true, which it has to do until the cycle is over.
    pub fn new(watch: impl Fn(Option<f64>) -> bool + 'static) -> Monitor {
        Monitor { watch: Some(Rc::new(watch)), start: 0.0, length: 1.0 }
    }

    /// The monitor of one of `n` parts of the work, of equal length.
    pub fn of_part(&self, index: usize, n: usize) -> Monitor {
        let length = self.length / n as f64;
        Monitor { watch: self.watch.clone(), start: self.start + index as f64 * length, length }
    }

    /// Whether the current cycle is to end.
    pub fn is_interrupted(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch(None))
    }

    /// The same, after `done` of `all` pieces of the work.
    pub fn is_interrupted_after(&self, done: usize, all: usize) -> bool {
        let part = || self.start + self.length * done as f64 / all.max(1) as f64;
        self.watch.as_ref().is_some_and(|watch| watch(Some(part())))
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Monitor")
    }
}

/// States are equal whatever watches them.
impl PartialEq for Monitor {
    fn eq(&self, _: &Monitor) -> bool {
        true
    }
}
