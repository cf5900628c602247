//! The first difference between two runs, as each of them explains it.
//!
//! A run that has decisions of its own at the instant explains the first of them; a run without any explains what
//! became of the other run's first one.

use std::sync::Arc;

use super::{Selection, of_job, why};
use crate::moment::{self, Frame, Names};
use crate::scenario::{Scenario, check};
use crate::sim::{CycleRecord, Difference, Move, Simulation, move_of};
use crate::time::Time;
use crate::trace::Level;
use serde::{Deserialize, Serialize};

/// The first difference between two runs, with the explanations of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstDifference {
    /// The instant.
    pub time: Time,
    /// What each of the two runs did.
    pub sides: [Side; 2],
}

/// What a run did at the first difference, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Placements and evictions that the other run does not have at this instant.
    pub only: Vec<Move>,
    /// The explanation, the verdict first.
    pub lines: Vec<String>,
}

/// Largest number of placements and evictions named by [`Side::moves`].
const MOVES_MAX: usize = 6;

impl Side {
    /// What this run alone does: *p1 starts on n1, p2 is evicted from n2*.
    pub fn moves(&self) -> String {
        let mut moves: Vec<String> = self.only.iter().take(MOVES_MAX).map(ToString::to_string).collect();
        match self.only.len() {
            0 => return "no other start or eviction at this time".into(),
            n if n > MOVES_MAX => moves.push(format!("{} more", n - MOVES_MAX)),
            _ => {}
        }
        moves.join(", ")
    }
}

/// A run that is repeated up to a difference, with its comparisons recorded, for callers that interleave other work.
#[derive(Debug)]
pub struct Repeated {
    simulation: Option<Simulation>,
    names: Arc<Names>,
    time: Time,
    only: Vec<Move>,
    /// The first placement or eviction in which the other run differs.
    others: Option<Move>,
    last: Option<CycleRecord>,
}

impl Repeated {
    /// Prepares one of the two runs of a difference (0 or 1), from its translated scenario.
    pub fn new(scenario: &Scenario, difference: &Difference, which: usize) -> Repeated {
        let simulation = check(scenario).plan.map(|plan| {
            let mut simulation = Simulation::new(&plan);
            simulation.set_level(Level::Decisive);
            simulation
        });
        let names = simulation.as_ref().map(|simulation| Names::of(&scenario.policy, simulation.cluster()));
        Repeated {
            simulation,
            names: Arc::new(names.unwrap_or_default()),
            time: difference.time,
            only: difference.only[which].clone(),
            others: difference.only[1 - which].first().cloned(),
            last: None,
        }
    }

    /// Runs a cycle; `false` once the explained one has been run.
    pub fn step(&mut self) -> bool {
        let Some(simulation) = &mut self.simulation else { return false };
        let of_last = self.last.as_ref().map_or(&[][..], |last| &last.events);
        let is_explained =
            |own_move: &Move| of_last.iter().any(|event| move_of(simulation, event).as_ref() == Some(own_move));
        let is_there = self.last.as_ref().is_some_and(|last| last.time == self.time);
        if is_there && self.only.first().is_some_and(is_explained) {
            return false;
        }
        simulation.skip_idle(u32::MAX, self.time);
        let is_due = simulation.next_cycle_at().is_some_and(|next| next <= self.time);
        let Some(record) = (if is_due { simulation.advance() } else { None }) else { return false };
        self.last = Some(record);
        true
    }

    /// The explanation, once [`Repeated::step`] has returned `false`.
    pub fn side(self) -> Side {
        let lines = self.simulation.as_ref().map(|simulation| {
            let record = self.last.as_ref().unwrap_or(simulation.opening());
            let frame = moment::frame(&self.names, simulation, record);
            match self.only.first() {
                Some(own_move) => decision(&frame, simulation, record, own_move),
                None => self.others.as_ref().map_or(Vec::new(), |other| outcome(&frame, other)),
            }
        });
        Side { only: self.only, lines: lines.unwrap_or_default() }
    }
}

/// Explains a placement or an eviction.
fn decision(frame: &Frame, simulation: &Simulation, record: &CycleRecord, own_move: &Move) -> Vec<String> {
    let index = record.events.iter().position(|event| move_of(simulation, event).as_ref() == Some(own_move));
    let Some(index) = index.and_then(|index| u32::try_from(index).ok()) else { return Vec::new() };
    let selection = Selection::Event { cycle: frame.cycle, index };
    why(frame, None, &selection, None, frame.names.resource).lines()
}

/// Explains the state of the job for which the other run evicted a pod, or whose pod it started or evicted.
fn outcome(frame: &Frame, other: &Move) -> Vec<String> {
    let of_pod = || frame.names.pods.iter().find(|(name, _)| *name == other.pod).map(|(_, job)| *job);
    match other.by.as_ref().map_or_else(of_pod, |by| frame.names.find(by)) {
        Some(job) => of_job(frame, frame.job(job)).lines(),
        None => vec![format!("{} is not part of this scenario.", other.by.as_ref().unwrap_or(&other.pod))],
    }
}
