//! Exact fractions, as far as 128 bits reach.
//!
//! # Rule
//! A fraction is kept in lowest terms with a positive denominator. An operation whose result does not fit says so; nothing
//! is ever rounded.
//!
//! # Source
//! runai.md 4.3 (`fairshare_exact`)
//!
//! # Differs
//! Amounts that outgrow 128 bits have no exact value; the whole one is not affected.

use std::cmp::Ordering;

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    n: i128,
    d: i128,
}

impl Exact {
    /// Nothing.
    pub const ZERO: Exact = Exact { n: 0, d: 1 };

    /// A whole number.
    pub const fn whole(n: i64) -> Exact {
        Exact { n: n as i128, d: 1 }
    }

    /// `n / d`; `None` for a denominator of 0 and for the one number without a negative.
    pub fn new(n: i128, d: i128) -> Option<Exact> {
        let (mut a, mut b) = (n.checked_abs()?, d.checked_abs()?);
        if b == 0 {
            return None;
        }
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = d.signum();
        Some(Exact { n: n / a * sign, d: d / a * sign })
    }

    /// Numerator and denominator, the latter positive.
    pub fn parts(self) -> (i128, i128) {
        (self.n, self.d)
    }

    /// The sum.
    pub fn plus(self, other: Exact) -> Option<Exact> {
        let n = self.n.checked_mul(other.d)?.checked_add(other.n.checked_mul(self.d)?)?;
        Exact::new(n, self.d.checked_mul(other.d)?)
    }

    /// The difference.
    pub fn minus(self, other: Exact) -> Option<Exact> {
        self.plus(Exact { n: -other.n, d: other.d })
    }

    /// The product; cross-wise shortened first, so that it is refused only if the result does not fit.
    pub fn times(self, other: Exact) -> Option<Exact> {
        let (l, r) = (Exact::new(self.n, other.d)?, Exact::new(other.n, self.d)?);
        Exact::new(l.n.checked_mul(r.n)?, l.d.checked_mul(r.d)?)
    }

    /// The quotient; `None` also for a divisor of 0.
    pub fn over(self, other: Exact) -> Option<Exact> {
        self.times(Exact::new(other.d, other.n)?)
    }

    /// The nearest double.
    pub fn as_real(self) -> f64 {
        self.n as f64 / self.d as f64
    }

    /// Whether it is more than nothing.
    pub fn is_positive(self) -> bool {
        self.n > 0
    }
}

impl Ord for Exact {
    /// By value. Where cross products do not fit, by the doubles nearest to them.
    fn cmp(&self, other: &Exact) -> Ordering {
        match (self.n.checked_mul(other.d), other.n.checked_mul(self.d)) {
            (Some(l), Some(r)) => l.cmp(&r),
            _ => self.as_real().total_cmp(&other.as_real()),
        }
    }
}
impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Exact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: i128, d: i128) -> Exact {
        Exact::new(n, d).expect("a fraction")
    }

    #[test]
    fn lowest_terms() {
        assert_eq!((of(6, -4).parts(), of(0, 7).parts()), ((-3, 2), (0, 1)));
        assert_eq!(Exact::new(1, 0), None);
    }

    #[test]
    fn operations() {
        let (third, half) = (of(1, 3), of(1, 2));
        assert_eq!(third.plus(half), Some(of(5, 6)));
        assert_eq!(third.minus(half), Some(of(-1, 6)));
        assert_eq!(third.times(half), Some(of(1, 6)));
        assert_eq!(third.over(half), Some(of(2, 3)));
        assert_eq!(third.over(Exact::ZERO), None);
        assert!(third < half && of(-1, 2) < third);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let large = of(i128::MAX, 1);
        assert_eq!((large.plus(Exact::whole(1)), large.times(large)), (None, None));
        assert_eq!(large.times(of(1, i128::MAX)), Some(Exact::whole(1)));
    }
}
