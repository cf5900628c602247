//! Exact fractions of 128 bits.
//!
//! # Rule
//! A fraction is in lowest terms with a positive denominator. An operation whose result overflows returns `None`;
//! nothing is ever rounded.
//!
//! # Source
//! runai.md 4.3 (`fairshare_exact`)
//!
//! # Differs
//! Amounts that exceed 128 bits have no exact value; the whole value is not affected.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exact(Ratio<i128>);

impl Exact {
    /// Zero.
    pub const ZERO: Exact = Exact::whole(0);

    /// A whole number.
    pub const fn whole(n: i64) -> Exact {
        Exact(Ratio::new_raw(n as i128, 1))
    }

    /// `n / d`; `None` if `d` is 0 or a part is `i128::MIN`.
    pub fn new(n: i128, d: i128) -> Option<Exact> {
        let is_negatable = n != i128::MIN && d != i128::MIN;
        (d != 0 && is_negatable).then(|| Exact(Ratio::new(n, d)))
    }

    /// Numerator and denominator, the latter positive.
    pub fn parts(self) -> (i128, i128) {
        self.0.into_raw()
    }

    /// The sum; `None` on overflow.
    pub fn plus(self, other: Exact) -> Option<Exact> {
        self.0.checked_add(&other.0).map(Exact)
    }

    /// The difference; `None` on overflow.
    pub fn minus(self, other: Exact) -> Option<Exact> {
        self.0.checked_sub(&other.0).map(Exact)
    }

    /// The product; `None` on overflow.
    pub fn times(self, other: Exact) -> Option<Exact> {
        self.0.checked_mul(&other.0).map(Exact)
    }

    /// The quotient; `None` on overflow or for a divisor of 0.
    pub fn over(self, other: Exact) -> Option<Exact> {
        self.0.checked_div(&other.0).map(Exact)
    }

    /// The nearest double.
    pub fn as_real(self) -> f64 {
        let (n, d) = self.parts();
        n as f64 / d as f64
    }

    /// Whether it is above 0.
    pub fn is_positive(self) -> bool {
        self > Exact::ZERO
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
    fn overflow_gives_none() {
        let large = of(i128::MAX, 1);
        assert_eq!((large.plus(Exact::whole(1)), large.times(large)), (None, None));
        assert_eq!(large.times(of(1, i128::MAX)), Some(Exact::whole(1)));
    }
}
