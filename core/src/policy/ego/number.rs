//! Exact arithmetic: natural numbers of any size, and fractions that are compared without being reduced.
//!
//! # Rule
//! Shares of a pool are integer multiples of `1/D`, where `D` is the least common multiple of the capacities
//! that occur in the pool: usage and demand are integers, and adding a unit is one addition. Only
//! quotas have their own denominators. Ties are part of the policy, so nothing is ever rounded: a number that
//! exceeds 128 bits becomes a list of limbs.
//!
//! # Source
//! ego.md 11.3
//!
//! # Differs
//! Integers over a common denominator replace a rational type: the loops compute no greatest common divisors, and only
//! division by a machine word is needed, which keeps the code small.

use std::cmp::Ordering;

use crate::trace::Exact;

/// A natural number of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nat {
    /// Up to 128 bits.
    Small(u128),
    /// More than 128 bits: limbs of 32 bits, lowest first, the last one not zero.
    Big(Vec<u32>),
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

impl Nat {
    /// Zero.
    pub const ZERO: Nat = Nat::Small(0);
    /// One.
    pub const ONE: Nat = Nat::Small(1);

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        *self == Nat::ZERO
    }

    fn limbs(&self) -> Vec<u32> {
        match self {
            Nat::Small(n) => (0..4).map(|i| (n >> (32 * i)) as u32).collect(),
            Nat::Big(limbs) => limbs.clone(),
        }
    }

    fn from_limbs(mut limbs: Vec<u32>) -> Nat {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        if limbs.len() > 4 {
            return Nat::Big(limbs);
        }
        Nat::Small(limbs.iter().rev().fold(0, |n, &limb| n << 32 | u128::from(limb)))
    }

    /// The sum.
    pub fn plus(&self, other: &Nat) -> Nat {
        if let (Nat::Small(l), Nat::Small(r)) = (self, other)
            && let Some(sum) = l.checked_add(*r)
        {
            return Nat::Small(sum);
        }
        let (mut long, short) = (self.limbs(), other.limbs());
        long.resize(long.len().max(short.len()) + 1, 0);
        let mut carry = 0;
        for (i, limb) in long.iter_mut().enumerate() {
            carry += u64::from(*limb) + u64::from(short.get(i).copied().unwrap_or(0));
            *limb = carry as u32;
            carry >>= 32;
        }
        Nat::from_limbs(long)
    }

    /// The difference; zero if the other is larger.
    pub fn minus(&self, other: &Nat) -> Nat {
        match (self, other) {
            (Nat::Small(l), Nat::Small(r)) => return Nat::Small(l.saturating_sub(*r)),
            _ if self < other => return Nat::ZERO,
            _ => {}
        }
        let (mut limbs, less) = (self.limbs(), other.limbs());
        let mut borrow = 0;
        for (i, limb) in limbs.iter_mut().enumerate() {
            let take = u64::from(less.get(i).copied().unwrap_or(0)) + borrow;
            borrow = u64::from(u64::from(*limb) < take);
            *limb = ((borrow << 32) + u64::from(*limb) - take) as u32;
        }
        Nat::from_limbs(limbs)
    }

    /// The product.
    pub fn times(&self, other: &Nat) -> Nat {
        if let (Nat::Small(l), Nat::Small(r)) = (self, other)
            && let Some(product) = l.checked_mul(*r)
        {
            return Nat::Small(product);
        }
        let (l, r) = (self.limbs(), other.limbs());
        let mut limbs = vec![0; l.len() + r.len()];
        for (i, &a) in l.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in r.iter().enumerate() {
                carry += u64::from(a) * u64::from(b) + u64::from(limbs[i + j]);
                limbs[i + j] = carry as u32;
                carry >>= 32;
            }
            limbs[i + r.len()] = carry as u32;
        }
        Nat::from_limbs(limbs)
    }

    /// The product with a machine word.
    pub fn scaled(&self, by: u64) -> Nat {
        self.times(&Nat::from(by))
    }

    /// Quotient and remainder of the division by a machine word, which must not be zero.
    pub fn divided(&self, by: u64) -> (Nat, u64) {
        if let Nat::Small(n) = self {
            return (Nat::Small(n / u128::from(by)), (n % u128::from(by)) as u64);
        }
        let mut limbs = self.limbs();
        let mut rest: u128 = 0;
        for limb in limbs.iter_mut().rev() {
            rest = rest << 32 | u128::from(*limb);
            *limb = (rest / u128::from(by)) as u32;
            rest %= u128::from(by);
        }
        (Nat::from_limbs(limbs), rest as u64)
    }

    /// The leading limbs as a double, and the number of limbs cut off.
    fn parts(&self) -> (f64, usize) {
        match self {
            Nat::Small(n) => (*n as f64, 0),
            Nat::Big(limbs) => {
                let from = limbs.len() - 4;
                let top = limbs[from..].iter().rev().fold(0u128, |n, &limb| n << 32 | u128::from(limb));
                (top as f64, from)
            }
        }
    }
}

impl Ord for Nat {
    fn cmp(&self, other: &Nat) -> Ordering {
        match (self, other) {
            (Nat::Small(l), Nat::Small(r)) => l.cmp(r),
            (Nat::Small(_), Nat::Big(_)) => Ordering::Less,
            (Nat::Big(_), Nat::Small(_)) => Ordering::Greater,
            (Nat::Big(l), Nat::Big(r)) => {
                l.len().cmp(&r.len()).then_with(|| l.iter().rev().cmp(r.iter().rev()))
            }
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
    pub fn portion(&self, part: u64, of: u64) -> Fraction {
        let g = gcd(part, of);
        let (part, of) = (part / g, of / g);
        let g = gcd(self.n.divided(of).1, of);
        Fraction { n: self.n.divided(g).0.scaled(part), d: self.d.scaled(of / g) }
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
        let ((n, n_cut), (d, d_cut)) = (self.n.parts(), self.d.parts());
        let mut value = n / d;
        for _ in d_cut..n_cut {
            value *= 4_294_967_296.0;
        }
        for _ in n_cut..d_cut {
            value /= 4_294_967_296.0;
        }
        value
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

    fn nat(limbs: &[u32]) -> Nat {
        Nat::from_limbs(limbs.to_vec())
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
            let (quotient, rest) = a.divided(w);
            prop_assert!(rest < w);
            prop_assert_eq!(quotient.scaled(w).plus(&Nat::from(rest)), a);
        }

        #[test]
        fn portions_are_exact(n in any::<u64>(), part in 1..1000u64, of in 1..1000u64, again in 1..1000u64) {
            let whole = Fraction::whole(Nat::from(n));
            let there = whole.portion(part, of).portion(again, 7);
            let expected = Fraction { n: Nat::from(n).scaled(part).scaled(again), d: Nat::from(of).scaled(7) };
            prop_assert_eq!(there, expected);
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
