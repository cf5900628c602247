//! How much of the explanations the checker reaches.

use std::collections::BTreeMap;
use std::fmt;

/// Numbers of one kind.
#[derive(Clone, Debug, Default)]
struct Row {
    /// Explanations.
    n: u64,
    /// Explanations of which every side was compared with an independent value.
    reached: u64,
    /// Sides that were not, by name.
    unknown: BTreeMap<String, u64>,
}

/// Explanations by policy and kind.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: BTreeMap<(String, String), Row>,
}

impl Table {
    /// Counts an explanation with its sides, and whether each was compared.
    pub fn add(&mut self, policy: &str, kind: &str, sides: Vec<(String, bool)>) {
        let row = self.rows.entry((policy.to_string(), kind.to_string())).or_default();
        row.n += 1;
        row.reached += u64::from(sides.iter().all(|side| side.1));
        for (name, _) in sides.into_iter().filter(|side| !side.1) {
            *row.unknown.entry(name).or_default() += 1;
        }
    }

    /// The reached and all explanations of a policy.
    pub fn of(&self, policy: &str) -> (u64, u64) {
        let rows = self.rows.iter().filter(|((own, _), _)| own == policy);
        rows.fold((0, 0), |(reached, n), (_, row)| (reached + row.reached, n + row.n))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((policy, kind), row) in &self.rows {
            writeln!(f, "{policy}, {kind}: {} of {}", row.reached, row.n)?;
            for (name, n) in &row.unknown {
                writeln!(f, "    not compared: {name}, {n}")?;
            }
        }
        Ok(())
    }
}
