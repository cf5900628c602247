//! Progress line on a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use fairground::sim::Simulation;

use crate::text::clock;

const WIDTH: usize = 24;

/// A progress line on stderr; hidden if stderr is no terminal.
pub struct Progress {
    shown: Option<Instant>,
    is_on: bool,
}

impl Progress {
    /// `quiet` hides the line because the terminal shows other output.
    pub fn new(quiet: bool) -> Progress {
        Progress { shown: None, is_on: !quiet && std::io::stderr().is_terminal() }
    }

    /// Redraws the line, at most ten times a second. `part` is the completed fraction, 0 to 1.
    pub fn show(&mut self, simulation: &Simulation, n_done: u64, part: f64) {
        if !self.is_on || !simulation.cycle().is_multiple_of(64) {
            return;
        }
        if self.shown.is_some_and(|at| at.elapsed() < Duration::from_millis(100)) {
            return;
        }
        self.shown = Some(Instant::now());
        let part = part.clamp(0.0, 1.0);
        let full = (part * WIDTH as f64) as usize;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(WIDTH - full));
        let (cycle, time) = (simulation.cycle(), clock(simulation.now()));
        let line = format!("{bar} {:3.0} %  cycle {cycle}  {time}  {n_done} jobs done", part * 100.0);
        // A closed terminal does not stop the run.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
    }

    /// Erases the line.
    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
            let _ = std::io::stderr().flush();
        }
    }
}
