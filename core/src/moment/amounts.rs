//! Amounts of all resources in a moment.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use crate::units::{Resource, ResourceVec};

/// Largest number of resources: CPU, memory, GPUs and named resources.
pub const N: usize = Resource::ACCOUNTED.len() + crate::units::NAMED_MAX;

/// CPU millicores, memory bytes, GPUs, then the named resources in file order. Trailing zeros are not serialised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<f64>", try_from = "Vec<f64>")]
pub struct Amounts([f64; N]);

impl Amounts {
    /// Converts a capacity or request.
    pub fn of(resources: &ResourceVec) -> Amounts {
        Amounts::of_sums(&resources.in_base_units())
    }

    /// Converts sums in base units.
    pub fn of_sums(sums: &[i64]) -> Amounts {
        let mut amounts = Amounts::default();
        for ((i, sum), amount) in sums.iter().enumerate().zip(amounts.0.iter_mut()) {
            // The position of a resource is its index.
            *amount = crate::units::Amount::base_units(*sum).in_policy_units(Resource(i as u8));
        }
        amounts
    }

    /// Replaces the amounts of named resources by those of `other`.
    pub fn with_named(mut self, other: &Amounts) -> Amounts {
        let first = Resource::ACCOUNTED.len();
        self.0[first..].copy_from_slice(&other.0[first..]);
        self
    }
}

impl From<[f64; 3]> for Amounts {
    fn from(accounted: [f64; 3]) -> Amounts {
        let mut amounts = Amounts::default();
        amounts.0[..3].copy_from_slice(&accounted);
        amounts
    }
}

impl Deref for Amounts {
    type Target = [f64; N];
    fn deref(&self) -> &[f64; N] {
        &self.0
    }
}

impl DerefMut for Amounts {
    fn deref_mut(&mut self) -> &mut [f64; N] {
        &mut self.0
    }
}

impl From<Amounts> for Vec<f64> {
    fn from(amounts: Amounts) -> Vec<f64> {
        let n = amounts.0.iter().rposition(|amount| *amount != 0.0).map_or(0, |last| last + 1);
        amounts.0[..n].to_vec()
    }
}

impl TryFrom<Vec<f64>> for Amounts {
    type Error = &'static str;
    fn try_from(list: Vec<f64>) -> Result<Amounts, &'static str> {
        let mut amounts = Amounts::default();
        amounts.0.get_mut(..list.len()).ok_or("too many amounts")?.copy_from_slice(&list);
        Ok(amounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(amounts: &Amounts) -> Vec<u8> {
        postcard::to_stdvec(amounts).expect("plain data")
    }

    #[test]
    fn zeros_at_the_end_are_not_sent() {
        let mut amounts = Amounts::from([1.0, 0.0, 2.5]);
        assert_eq!(sent(&amounts).len(), 1 + 3 * 8);
        assert_eq!(postcard::from_bytes::<Amounts>(&sent(&amounts)), Ok(amounts));
        amounts[4] = 3.0;
        assert_eq!(sent(&amounts).len(), 1 + 5 * 8);
        assert_eq!(postcard::from_bytes::<Amounts>(&sent(&amounts)), Ok(amounts));
        assert_eq!(sent(&Amounts::default()), [0]);
        assert!(postcard::from_bytes::<Amounts>(&postcard::to_stdvec(&vec![0.0; N + 1]).expect("plain data")).is_err());
    }
}
