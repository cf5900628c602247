//! Pseudo-random numbers, identical on every machine.
//!
//! Integers only: the logarithm of floats differs in its last bits between platforms, and links must produce the same
//! jobs in every browser and in the runner indefinitely. For the same reason no library generator is used: a later
//! version may change its algorithm. There is no state: each number is derived from its subject, so that an additional
//! number changes no other.

/// Mixes two numbers into one (the finishing steps of SplitMix64).
///
/// # Source
/// G. Steele, D. Lea, C. Flood: Fast Splittable Pseudorandom Number Generators. OOPSLA 2014.
pub fn mixed(state: u64, number: u64) -> u64 {
    let mut x = (state ^ number.rotate_left(32)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A uniformly distributed number below `n`; 0 if `n` is 0.
pub fn below(random: u64, n: u64) -> u64 {
    let high = (u128::from(random) * u128::from(n)) >> 64;
    u64::try_from(high).unwrap_or(u64::MAX)
}

/// An exponentially distributed number with mean 1, in units of 2^-32: the negative natural logarithm of a uniform
/// number between 0 and 1. At most 45.
pub fn exponential(random: u64) -> u64 {
    const LN_2: u128 = 0xb172_17f8; // of 2^32
    let random = random.max(1);
    let zeros = random.leading_zeros();
    // The logarithm to base 2, bit by bit: squaring a number between 1 and 2 doubles its logarithm.
    let mut mantissa = random << zeros;
    let mut bits = 0u128;
    for _ in 0..32 {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let is_two = square >> 127 == 1;
        mantissa = (square >> if is_two { 64 } else { 63 }) as u64;
        bits = (bits << 1) | u128::from(is_two);
    }
    let below_one = (u128::from(zeros + 1) << 32) - bits;
    ((below_one * LN_2) >> 32) as u64
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "held against the platform's own logarithm, with a margin")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pinned: other numbers would change the generated jobs of existing links.
    #[test]
    fn the_numbers_stay_as_they_are() {
        let first: Vec<u64> = (0..3).map(|n| mixed(1, n)).collect();
        assert_eq!(first, [10_451_216_379_200_822_465, 12_929_899_232_056_340_514, 17_156_767_252_836_012_455]);
        assert_eq!(below(u64::MAX, 10), 9);
        assert_eq!(below(1 << 63, 10), 5);
        assert_eq!(below(7, 0), 0);
        assert_eq!(exponential(u64::MAX), 0);
        assert_eq!(exponential(1 << 63), 2_977_044_472);
        assert_eq!(exponential(0), 190_530_846_208);
    }

    #[test]
    fn the_mean_is_one() {
        let sum: u64 = (0..100_000).map(|n| exponential(mixed(7, n))).sum();
        let mean = sum as f64 / 100_000.0 / (1u64 << 32) as f64;
        assert!((0.99..1.01).contains(&mean), "{mean}");
    }

    proptest! {
        #[test]
        fn it_is_the_logarithm(random in 1u64..) {
            let exact = -((random as f64) / 2f64.powi(64)).ln();
            let ours = exponential(random) as f64 / (1u64 << 32) as f64;
            prop_assert!((exact - ours).abs() < 1e-7, "{exact} {ours}");
        }
    }
}
