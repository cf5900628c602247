//! What an edit would come to, computed while it is being made.
//!
//! A hand that pulls asks many times a second. What is under way is finished, so that something is shown while the hand
//! moves; of what was asked meanwhile only the latest is computed next.

use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::Level;

use super::protocol::{Frame, Say};
use super::serve::{frame_of, plan_of};

/// Runs of scenarios that are being edited.
#[derive(Default)]
pub struct Ghosts {
    running: Option<Running>,
    next: Option<Wish>,
}

/// A scenario at a cycle.
pub struct Wish {
    /// The question it answers.
    pub id: u64,
    /// The scenario's text.
    pub scenario: String,
    /// The cycle.
    pub cycle: u32,
    /// Also how this queue's fair share of this resource would come about.
    pub ladder: Option<(String, u8)>,
}

struct Running {
    id: u64,
    cycle: u32,
    ladder: Option<(String, u8)>,
    policy: &'static str,
    sim: Simulation,
    record: CycleRecord,
}

impl Ghosts {
    /// Takes a wish in; of those that wait only the latest counts.
    pub fn wish(&mut self, wish: Wish) {
        self.next = Some(wish);
    }

    /// Whether there is something to work on.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.next.is_some()
    }

    /// Works for the time of about one cycle: an answer and the question it belongs to, once there is one.
    pub fn work(&mut self) -> Option<(u64, Say)> {
        if let Some(mut running) = self.running.take() {
            if running.step() {
                self.running = Some(running);
                return None;
            }
            return Some((running.id, running.say()));
        }
        let wish = self.next.take()?;
        let id = wish.id;
        self.running = Running::new(wish);
        self.running.is_none().then_some((id, Say::Ghost { frame: None, levels: Vec::new() }))
    }
}

impl Running {
    /// Nothing is run yet; `None`: it cannot run.
    fn new(wish: Wish) -> Option<Running> {
        let plan = plan_of(&wish.scenario).ok()?;
        let sim = Simulation::new(&plan);
        let record = sim.opening().clone();
        let Wish { id, cycle, ladder, .. } = wish;
        Some(Running { id, cycle, ladder, policy: plan.policy.name(), sim, record })
    }

    /// One cycle on; `false` once it is there or the run ends before. Reasons are wanted for the last cycle only.
    fn step(&mut self) -> bool {
        let cycle = self.sim.cycle();
        if cycle >= self.cycle || self.sim.is_quiet() {
            return false;
        }
        self.sim.set_level(if cycle + 1 >= self.cycle { Level::Decisive } else { Level::Outcomes });
        let Some(record) = self.sim.advance() else { return false };
        self.record = record;
        true
    }

    fn frame(&self) -> Frame {
        frame_of(self.policy, &self.sim, &self.record)
    }

    fn say(&self) -> Say {
        let levels = self.ladder.as_ref();
        let levels = levels.map(|(queue, resource)| super::ladders::levels(&self.sim, queue, *resource));
        Say::Ghost { frame: Some(Box::new(self.frame())), levels: levels.unwrap_or_default() }
    }
}
