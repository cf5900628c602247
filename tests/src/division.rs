//! Recordings of format `kai-division/1`: calls of the division function for one set of siblings.

use fairground::policy::kai::share::division::{Sibling, SiblingStep, divide, divide_recorded};
use serde::Deserialize;

use crate::report::Verdict;

#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Unique in the file.
    pub id: String,
    /// Amounts to divide.
    pub totals: Triple,
    /// Weight of usage history.
    pub k: f64,
    pub queues: Vec<Queue>,
    /// Result, if all executions agreed.
    pub fair_share: Option<Vec<Triple>>,
    /// Results, if they did not.
    #[serde(default)]
    pub outcomes: Vec<Outcome>,
}

/// One of several results.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    pub fair_share: Vec<Triple>,
}

/// One number per resource.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub struct Triple {
    pub cpu: f64,
    pub memory: f64,
    pub gpu: f64,
}

impl Triple {
    fn to_array(self) -> [f64; 3] {
        [self.cpu, self.memory, self.gpu]
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Queue {
    /// Unique in the case.
    pub name: String,
    /// Larger first.
    pub priority: i64,
    pub created: i64,
    pub cpu: Inputs,
    pub memory: Inputs,
    pub gpu: Inputs,
}

/// Inputs for one resource.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Inputs {
    pub deserved: f64,
    pub limit: f64,
    pub weight: f64,
    pub request: f64,
    pub usage: f64,
}

impl Case {
    /// Siblings for the division of one resource.
    pub fn siblings(&self, resource: usize) -> Vec<Sibling<'_>> {
        let mut siblings = Vec::with_capacity(self.queues.len());
        for q in &self.queues {
            let Inputs { deserved, limit, weight, request, usage } = [q.cpu, q.memory, q.gpu][resource];
            let (name, created_s) = (q.name.as_str(), q.created as f64);
            let priority = q.priority;
            siblings.push(Sibling {
                name,
                priority,
                created_s,
                deserved,
                limit,
                weight,
                request,
                usage,
                fair_share: 0.0,
            });
        }
        siblings
    }

    fn divide(&self) -> Result<Vec<[f64; 3]>, String> {
        let mut result = vec![[0.0; 3]; self.queues.len()];
        for (resource, total) in self.totals.to_array().into_iter().enumerate() {
            let mut siblings = self.siblings(resource);
            divide(total, self.k, &mut siblings);
            let steps = divide_recorded(total, self.k, &mut self.siblings(resource));
            for (i, sibling) in siblings.iter().enumerate() {
                result[i][resource] = sibling.fair_share;
                let last = SiblingStep::Result { sibling: i, fair_share: sibling.fair_share };
                if steps[steps.len() - siblings.len() + i] != last {
                    return Err(format!("{}: the derivation ends in another value", sibling.name));
                }
            }
        }
        Ok(result)
    }
}

const RESOURCES: [&str; 3] = ["cpu", "memory", "gpu"];

/// Number of siblings from which a recorded set of outcomes cannot be complete, because sums differ in their last bits.
const WIDE: usize = 50;

/// Compares a case with its recording. With many siblings, a tolerance of 1e-9 applies.
pub fn check(case: &Case) -> Verdict {
    let got = match case.divide() {
        Ok(got) => got,
        Err(says) => return Verdict::Failed(says),
    };
    if let Some(expected) = &case.fair_share {
        return match difference(case, expected, &got, |l, r| l == r) {
            None => Verdict::Equal,
            Some(says) => Verdict::Failed(says),
        };
    }
    let reaches = |same: &dyn Fn(f64, f64) -> bool| {
        case.outcomes.iter().any(|o| difference(case, &o.fair_share, &got, same).is_none())
    };
    if reaches(&|l, r| l == r) {
        return Verdict::InSet;
    }
    if is_wide(case) && reaches(&near) {
        return Verdict::Near;
    }
    match case.outcomes.first().and_then(|o| difference(case, &o.fair_share, &got, |l, r| l == r)) {
        Some(says) => Verdict::Failed(format!("none of {} outcomes; {says}", case.outcomes.len())),
        None => Verdict::Failed("neither fair_share nor outcomes".to_owned()),
    }
}

/// Whether the recorded set of a case cannot be complete.
pub fn is_wide(case: &Case) -> bool {
    case.queues.len() >= WIDE
}

/// Equality except for the last bits.
pub fn near(l: f64, r: f64) -> bool {
    (l - r).abs() <= 1e-9 * l.abs().max(r.abs())
}

pub fn difference(
    case: &Case,
    expected: &[Triple],
    got: &[[f64; 3]],
    same: impl Fn(f64, f64) -> bool,
) -> Option<String> {
    if expected.len() != got.len() {
        return Some(format!("{} values for {} queues", expected.len(), got.len()));
    }
    for ((queue, expected), got) in case.queues.iter().zip(expected).zip(got) {
        for (r, name) in RESOURCES.into_iter().enumerate() {
            let expected = expected.to_array()[r];
            if !same(expected, got[r]) {
                return Some(format!("{} {name}: expected {expected:?}, got {:?}", queue.name, got[r]));
            }
        }
    }
    None
}
