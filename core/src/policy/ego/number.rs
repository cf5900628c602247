//! Exact arithmetic: natural numbers of any size, and fractions that are compared without being reduced.
//!
//! # Rule
//! Shares of a pool are integer multiples of `1/D`, where `D` is the least common multiple of the capacities
//! that occur in the pool: usage and demand are integers, and adding a unit is one addition. Only
//! quotas have their own denominators. Ties are part of the policy, so nothing is ever rounded.
//!
//! # Source
//! ego.md 11.3
//!
//! # Differs
//! Integers over a common denominator replace a rational type: the loops compute no greatest common divisors, and
//! numbers of up to 128 bits, nearly all of them, need no memory of their own.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::trace::Exact;

/// A natural number of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nat {
    /// Up to 128 bits.
    Small(u128),
    /// More than 128 bits.
    Big(BigUint),
}

impl Default for Nat {
    fn default() -> Nat {
        Nat::ZERO
    }
}

impl From<u64> for Nat {
    fn from(n: u64) -> Nat {
        Nat::Small(u128::from(n))
    }
}

impl From<BigUint> for Nat {
    fn from(n: BigUint) -> Nat {
        u128::try_from(&n).map_or(Nat::Big(n), Nat::Small)
    }
}

impl Nat {
    /// Zero.
    pub const ZERO: Nat = Nat::Small(0);
    /// One.
    pub const ONE: Nat = Nat::Small(1);

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        *self == Nat::ZERO
    }

    fn to_big(&self) -> BigUint {
        match self {
            Nat::Small(n) => BigUint::from(*n),
            Nat::Big(n) => n.clone(),
        }
    }

    /// `small`, unless the numbers or the result exceed 128 bits.
    fn combined(
        &self,
        other: &Nat,
        small: impl Fn(u128, u128) -> Option<u128>,
        big: impl Fn(BigUint, BigUint) -> BigUint,
    ) -> Nat {
        match (self, other) {
            (Nat::Small(l), Nat::Small(r)) => small(*l, *r).map(Nat::Small),
            _ => None,
        }
        .unwrap_or_else(|| big(self.to_big(), other.to_big()).into())
    }

    /// The sum.
    pub fn plus(&self, other: &Nat) -> Nat {
        self.combined(other, u128::checked_add, |l, r| l + r)
    }

    /// The difference; zero if the other is larger.
    pub fn minus(&self, other: &Nat) -> Nat {
        if self < other { Nat::ZERO } else { self.combined(other, u128::checked_sub, |l, r| l - r) }
    }

    /// The product.
    pub fn times(&self, other: &Nat) -> Nat {
        self.combined(other, u128::checked_mul, |l, r| l * r)
    }

    /// The product with a machine word.
    pub fn scaled(&self, factor: u64) -> Nat {
        self.times(&Nat::from(factor))
    }

    /// Quotient and remainder of the division by a machine word, which must not be zero.
    pub fn divided(&self, divisor: u64) -> (Nat, u64) {
        match self {
            Nat::Small(n) => (Nat::Small(n / u128::from(divisor)), (n % u128::from(divisor)) as u64),
            Nat::Big(n) => ((n / divisor).into(), (n % divisor).to_u64().unwrap_or_default()),
        }
    }
}

impl Ord for Nat {
    fn cmp(&self, other: &Nat) -> Ordering {
        match (self, other) {
            (Nat::Small(l), Nat::Small(r)) => l.cmp(r),
            (Nat::Small(_), Nat::Big(_)) => Ordering::Less,
            (Nat::Big(_), Nat::Small(_)) => Ordering::Greater,
            (Nat::Big(l), Nat::Big(r)) => l.cmp(r),
        }
    }
}
impl PartialOrd for Nat {
    fn partial_cmp(&self, other: &Nat) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A fraction, not necessarily reduced; compared by value.
#[derive(Clone, Debug)]
pub struct Fraction {
    /// Numerator.
    pub n: Nat,
    /// Denominator, not zero.
    pub d: Nat,
}

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction { n: Nat::ZERO, d: Nat::ONE };

    /// A whole number.
    pub fn whole(n: Nat) -> Fraction {
        Fraction { n, d: Nat::ONE }
    }

    /// `self · part / of`, reduced as far as a machine word shows.
    pub fn portion(&self, part: u64, whole: u64) -> Fraction {
        let g = gcd(part, whole);
        let (part, whole) = (part / g, whole / g);
        let g = gcd(self.n.divided(whole).1, whole);
        Fraction { n: self.n.divided(g).0.scaled(part), d: self.d.scaled(whole / g) }
    }

    /// The difference to a whole number; zero if that is larger.
    pub fn less(&self, whole: &Nat) -> Fraction {
        Fraction { n: self.n.minus(&whole.times(&self.d)), d: self.d.clone() }
    }

    /// The sum.
    pub fn plus(&self, other: &Fraction) -> Fraction {
        if self.d == other.d {
            return Fraction { n: self.n.plus(&other.n), d: self.d.clone() };
        }
        let n = self.n.times(&other.d).plus(&other.n.times(&self.d));
        Fraction { n, d: self.d.times(&other.d) }
    }

    /// Nearest double, for display only.
    pub fn as_real(&self) -> f64 {
        if let (Nat::Small(n), Nat::Small(d)) = (&self.n, &self.d) {
            return *n as f64 / *d as f64;
        }
        let (n, d) = (self.n.to_big(), self.d.to_big());
        // A double holds numbers of up to 1,023 bits.
        let excess = n.bits().max(d.bits()).saturating_sub(1000);
        let real = |n: BigUint| (n >> excess).to_f64().unwrap_or(f64::INFINITY);
        real(n) / real(d)
    }

    /// Display value.
    pub fn exact(&self) -> Exact {
        let terms = self.lowest_terms().and_then(|(n, d)| Some((n.try_into().ok()?, d.try_into().ok()?)));
        Exact { fraction: terms, real: self.as_real() }
    }

    /// Reduced numerator and denominator, if both fit 128 bits.
    pub fn lowest_terms(&self) -> Option<(u128, u128)> {
        let (Nat::Small(n), Nat::Small(d)) = (&self.n, &self.d) else { return None };
        let (mut a, mut b) = (*n, *d);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Some((n / a, d / a))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        self.n.times(&other.d).cmp(&other.n.times(&self.d))
    }
}
impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Fraction {}

/// The greatest common divisor; `gcd(0, n) = n`.
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nat(digits: &[u32]) -> Nat {
        BigUint::from_slice(digits).into()
    }

    proptest! {
        /// Laws between operations, across the boundary of 128 bits.
        #[test]
        fn operations_agree(
            a in prop::collection::vec(any::<u32>(), 0..9),
            b in prop::collection::vec(any::<u32>(), 0..9),
            w in 1..u64::MAX,
        ) {
            let (a, b) = (nat(&a), nat(&b));
            let sum = a.plus(&b);
            prop_assert_eq!(&sum.minus(&b), &a);
            prop_assert!(sum >= a && sum >= b);
            prop_assert_eq!(sum.times(&sum), a.times(&a).plus(&a.times(&b).scaled(2)).plus(&b.times(&b)));
            let (quotient, remainder) = a.divided(w);
            prop_assert!(remainder < w);
            prop_assert_eq!(quotient.scaled(w).plus(&Nat::from(remainder)), a);
        }

        #[test]
        fn portions_are_exact(n in any::<u64>(), part in 1..1000u64, of in 1..1000u64, again in 1..1000u64) {
            let whole = Fraction::whole(Nat::from(n));
            let portion = whole.portion(part, of).portion(again, 7);
            let expected = Fraction { n: Nat::from(n).scaled(part).scaled(again), d: Nat::from(of).scaled(7) };
            prop_assert_eq!(portion, expected);
        }
    }

    #[test]
    fn reals_of_big_ones() {
        let big = Nat::from(u64::MAX).times(&Nat::from(u64::MAX)).times(&Nat::from(u64::MAX));
        let third = Fraction { n: big.clone(), d: big.scaled(3) };
        assert!((third.as_real() - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(third.lowest_terms(), None);
        assert_eq!(Fraction { n: Nat::from(6), d: Nat::from(4) }.lowest_terms(), Some((3, 2)));
    }
}
