//! Components of a node's score.
//!
//! # Source
//! kai.md 3.5, 5.5

use crate::policy::kai::config::Config;

/// A summand of the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) enum Part {
    Placement,
    ResourceType,
    Availability,
    Sharing,
    Nominated,
}

/// Enabled parts, in plugin order.
pub(in crate::policy::kai) fn parts(config: &Config) -> Vec<Part> {
    let part = |plugin: &str| match plugin {
        "nodeplacement" => Some(Part::Placement),
        "resourcetype" => Some(Part::ResourceType),
        "nodeavailability" => Some(Part::Availability),
        "gpusharingorder" => Some(Part::Sharing),
        "nominatednode" => Some(Part::Nominated),
        _ => None,
    };
    config.plugins.iter().filter_map(|p| part(p)).collect()
}

/// Smallest and largest x over the candidates, and how many candidates have them.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) struct Range {
    lo: f64,
    hi: f64,
    n_lo: u32,
    n_hi: u32,
}

impl Default for Range {
    fn default() -> Range {
        Range { lo: f64::MAX, hi: 0.0, n_lo: 0, n_hi: 0 }
    }
}

impl Range {
    /// Includes a candidate.
    pub fn add(&mut self, parts: &Parts) {
        let Packing::Of(x) = parts.packing else { return };
        if x < self.lo {
            (self.lo, self.n_lo) = (x, 0);
        }
        if x > self.hi {
            (self.hi, self.n_hi) = (x, 0);
        }
        self.count(x, 1);
    }

    /// Updates a changed candidate; `false` if the range may have changed and is no longer valid.
    pub fn replace(&mut self, before: &Parts, after: &Parts) -> bool {
        match (before.packing, after.packing) {
            (Packing::Done(_), Packing::Done(_)) => true,
            (Packing::Of(old), Packing::Of(new)) if (self.lo..=self.hi).contains(&new) => {
                self.count(new, 1);
                self.count(old, -1);
                self.n_lo > 0 && self.n_hi > 0
            }
            _ => false,
        }
    }

    fn count(&mut self, x: f64, change: i32) {
        if x == self.lo {
            self.n_lo = self.n_lo.saturating_add_signed(change);
        }
        if x == self.hi {
            self.n_hi = self.n_hi.saturating_add_signed(change);
        }
    }
}

/// Applicable parts of a node's score.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::policy::kai) struct Parts {
    /// Bit set of applicable parts, by index.
    pub(super) applying: u32,
    pub(super) packing: Packing,
}

/// Placement part of a score.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) enum Packing {
    /// Independent of other candidates.
    Done(f64),
    /// Amount x, ranked relative to the other candidates.
    Of(f64),
}

impl Parts {
    /// Parts of a node that does not fit: it has no score, but counts in the packing range.
    pub fn of(packing: Packing) -> Parts {
        Parts { applying: 0, packing }
    }
}

impl Default for Packing {
    fn default() -> Packing {
        Packing::Done(0.0)
    }
}

impl Packing {
    /// Score relative to the candidates.
    pub(super) fn within(self, Range { lo, hi, .. }: Range) -> f64 {
        match self {
            Packing::Done(score) => score,
            Packing::Of(_) if hi == 0.0 => 0.0,
            Packing::Of(_) if lo == hi => 9.0,
            Packing::Of(x) => 9.0 * (1.0 - (x - lo) / (hi - lo)),
        }
    }
}
