//! Terms of the policy that runs; see [`crate::policy::vocabulary`].

pub use crate::policy::vocabulary::Terms;

use crate::policy::Policy;

/// The short name of a policy's product.
pub fn product(policy: &str) -> &'static str {
    Policy::described(policy).unwrap_or(Policy::DEFAULT).short
}
