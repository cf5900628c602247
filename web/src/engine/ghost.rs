//! What an edit would come to, computed while it is being made.
//!
//! A hand that pulls asks many times a second. What is under way is finished, so that something is shown while the hand
//! moves; of what was asked meanwhile only the latest is computed next. A moment is told as soon as it is there, and then
//! the run goes on, unless something later waits.

use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::Level;

use super::protocol::{Frame, Say};
use super::serve::{frame_of, plan_of};
use super::story::{Story, Tell};
use super::tape::Tape;

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
    /// The cycle of the frame; `None`: no frame is wanted.
    pub cycle: Option<u32>,
    /// Also how this queue's fair share of this resource would come about.
    pub ladder: Option<(String, u8)>,
    /// The run goes on as far as this cycle.
    pub until: u32,
    /// What is told of the run, besides the run in short.
    pub tell: Option<Tell>,
}

struct Running {
    id: u64,
    /// The cycle of the frame; `None`: none is wanted, or it was told.
    cycle: Option<u32>,
    ladder: Option<(String, u8)>,
    until: u32,
    tell: Option<Tell>,
    story: Option<Box<Story>>,
    /// All is told.
    is_over: bool,
    policy: &'static str,
    sim: Simulation,
    record: CycleRecord,
    tape: Tape,
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

    /// Works for the time of about one cycle: answers and the question they belong to, once there are some.
    pub fn work(&mut self) -> Vec<(u64, Say)> {
        // Where the frame was told, what is wanted later goes first.
        let running = self.running.take().filter(|running| running.cycle.is_some() || self.next.is_none());
        if let Some(mut running) = running {
            let mut says = Vec::new();
            // The moment is often the run's end, and told together with it.
            while !running.is_over && (says.is_empty() || self.next.is_none()) && !running.step() {
                says.push((running.id, running.say()));
            }
            if !running.is_over {
                self.running = Some(running);
            }
            return says;
        }
        let Some(wish) = self.next.take() else { return Vec::new() };
        let id = wish.id;
        self.running = Running::new(wish);
        let refused = (id, Say::Ghost { frame: None, levels: Vec::new() });
        self.running.is_none().then_some(refused).into_iter().collect()
    }
}

impl Running {
    /// Nothing is run yet; `None`: it cannot run.
    fn new(wish: Wish) -> Option<Running> {
        let plan = plan_of(&wish.scenario).ok()?;
        let sim = Simulation::new(&plan);
        let record = sim.opening().clone();
        let tape = Tape::new(sim.world(), &record);
        let Wish { id, cycle, ladder, until, tell, .. } = wish;
        let policy = plan.policy.name();
        let (story, is_over) = (None, false);
        Some(Running { id, cycle, ladder, until, tell, story, is_over, policy, sim, record, tape })
    }

    /// One cycle on; `false` once it is there or the run ends before. Reasons are wanted for the frame's cycle only.
    fn step(&mut self) -> bool {
        let (cycle, to) = (self.sim.cycle(), self.cycle.unwrap_or(self.until));
        if cycle >= to || self.sim.is_quiet() {
            return false;
        }
        let is_told = self.cycle.is_some() && cycle + 1 >= to;
        self.sim.set_level(if is_told { Level::Decisive } else { Level::Outcomes });
        let Some(record) = self.sim.advance() else { return false };
        self.tape.push(self.sim.world(), &record);
        self.record = record;
        true
    }

    fn frame(&self) -> Frame {
        frame_of(self.policy, &self.sim, &self.record)
    }

    /// The frame first, then the run.
    fn say(&mut self) -> Say {
        let is_moment = self.cycle.take().is_some();
        if !is_moment || matches!(self.tell, Some(Tell::Tally { .. })) {
            // A tally is of the moment, not of the whole run.
            let tell = self.tell.take();
            let story = tell.map(|tell| Box::new(super::tell::story(&self.sim, &self.tape, &tell)));
            self.story = story.or(self.story.take());
        }
        if !is_moment {
            self.is_over = true;
            let run = self.tape.run(self.sim.world(), &self.record.ledger, self.sim.is_quiet());
            return Say::GhostRun { run: Box::new(run), story: self.story.take() };
        }
        let levels = self.ladder.as_ref();
        let levels = levels.map(|(queue, resource)| super::ladders::levels(&self.sim, queue, *resource));
        Say::Ghost { frame: Some(Box::new(self.frame())), levels: levels.unwrap_or_default() }
    }
}
