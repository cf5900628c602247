//! Recorded cases as scenario files: written as a user writes them, loaded and run by the code of
//! `fairground run FILE`, and compared with the recording.
//!
//! Values that equal the product's default are omitted, so that the defaults are compared too. Unsupported
//! cases are detected by their features ([`Verdict::CannotSay`](crate::report::Verdict)).

pub mod ego;
pub mod kai_cycle;
pub mod kai_division;
pub mod runai;
pub mod yunikorn;

use std::cell::RefCell;

use fairground::scenario::{self, Plan, Severity};
use fairground::sim::Simulation;

use crate::report::Verdict;

/// Reason for which a case is not equal.
enum Differs {
    CannotSay(&'static str),
    Says(String),
}

impl From<String> for Differs {
    fn from(says: String) -> Differs {
        Differs::Says(says)
    }
}

impl From<&'static str> for Differs {
    fn from(feature: &'static str) -> Differs {
        Differs::CannotSay(feature)
    }
}

impl From<Result<(), Differs>> for Verdict {
    fn from(compared: Result<(), Differs>) -> Verdict {
        match compared {
            Ok(()) => Verdict::Equal,
            Err(Differs::CannotSay(feature)) => Verdict::CannotSay(feature),
            Err(Differs::Says(says)) => Verdict::Failed(says),
        }
    }
}

thread_local! {
    /// The plans of the loaded files, while they are collected.
    static LOADED: RefCell<Option<Vec<Plan>>> = const { RefCell::new(None) };
}

/// The plans of the scenario files that a comparison loads.
pub fn plans_of<T>(compare: impl FnOnce() -> T) -> Vec<Plan> {
    LOADED.with(|loaded| *loaded.borrow_mut() = Some(Vec::new()));
    compare();
    LOADED.with(|loaded| loaded.borrow_mut().take()).unwrap_or_default()
}

/// Loads a scenario file as the runner does.
///
/// # Errors
/// All errors of the file, a line each.
pub fn simulation(text: &str) -> Result<Simulation, String> {
    let loaded = scenario::load(text, |scenario| scenario);
    if let Some(plan) = &loaded.plan {
        LOADED.with(|loaded| loaded.borrow_mut().iter_mut().for_each(|all| all.push(plan.clone())));
        return Ok(Simulation::new(plan));
    }
    let errors = loaded.findings.iter().filter(|found| found.severity == Severity::Error);
    let lines: Vec<String> = errors.map(|found| format!("{}: {}", found.at, found.says)).collect();
    Err(format!("the scenario file is refused: {}", lines.join("; ")))
}
