//! Computes moments of other runs than the displayed one, such as the outcome of an edit while it is being made.
//!
//! A drag sends many requests per second. The running preview is finished, so that something is shown during the drag;
//! of the requests that arrive meanwhile, only the latest is computed next. The frame is sent as soon as it is
//! computed; then the run continues, unless a later request is pending.

use fairground::policy::Monitor;

use super::branch::Branch;
use super::protocol::{At, BranchId, Moment, MomentRequest, Response, Subjects};
use super::report::ReportRequest;

/// The runs of a branch.
#[derive(Default)]
pub struct Previews {
    running: Option<Running>,
    /// The pending request, its number, and the last cycle of its run.
    next: Option<(u64, MomentRequest, u32)>,
}

struct Running {
    /// Number of the request.
    id: u64,
    branch: BranchId,
    /// The cycle of the frame.
    cycle: u32,
    /// The last cycle of the run.
    until: u32,
    /// What is wanted besides frame and run, and not sent yet.
    subjects: Subjects,
    /// The frame has been sent.
    has_frame: bool,
    /// Everything has been sent.
    is_over: bool,
    run: Branch,
}

impl Previews {
    /// Adds a request; it replaces a pending one.
    pub fn request(&mut self, id: u64, request: MomentRequest, until: u32) {
        self.next = Some((id, request, until));
    }

    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.next.is_some()
    }

    /// Works for about one cycle; returns finished responses with the numbers of their requests.
    pub fn work(&mut self, monitor: &Monitor) -> Vec<(u64, Response)> {
        // Once the frame is sent, a pending request takes precedence over the rest of the run.
        let running = self.running.take().filter(|running| !running.has_frame || self.next.is_none());
        if let Some(mut running) = running {
            let mut responses = Vec::new();
            // The frame's cycle is often the run's last one; then both replies are returned together.
            while !running.is_over && (responses.is_empty() || self.next.is_none()) && !running.step() {
                responses.push((running.id, Response::Moment(Box::new(running.moment()))));
            }
            if !running.is_over {
                self.running = Some(running);
            }
            return responses;
        }
        let Some((id, request, until)) = self.next.take() else { return Vec::new() };
        let MomentRequest { branch, scenario: Some(scenario), at: At::Cycle(cycle), wants } = request else {
            return Vec::new();
        };
        match Branch::background(&scenario) {
            Ok(mut run) => {
                run.set_monitor(monitor.clone());
                let subjects = wants.subjects(None);
                let (has_frame, is_over) = (false, false);
                self.running = Some(Running { id, branch, cycle, until, subjects, has_frame, is_over, run });
                Vec::new()
            }
            Err(findings) => vec![(id, Response::Refused { findings })],
        }
    }
}

impl Running {
    /// Computes a cycle; `false` at the target or the end of the run. Only the frame's cycle is computed with reasons.
    fn step(&mut self) -> bool {
        if self.has_frame {
            self.run.cycle() < self.until && self.run.step_outcomes()
        } else {
            self.run.step_towards(self.cycle)
        }
    }

    /// Returns the frame first, then the run.
    fn moment(&mut self) -> Moment {
        self.is_over = std::mem::replace(&mut self.has_frame, true);
        let mut subjects = std::mem::take(&mut self.subjects);
        let is_fairness = matches!(subjects.report, Some(ReportRequest::Fairness { .. }));
        if self.is_over {
            let run = Some(Box::new(self.run.run()));
            return Moment { branch: self.branch, run, ..self.run.explained(subjects) };
        }
        // A tally covers the run up to the frame's cycle, so it is taken there.
        self.subjects.report = subjects.report.take_if(|_| !is_fairness);
        let frame = Some(Box::new(self.run.frame()));
        Moment { branch: self.branch, frame, ..self.run.explained(subjects) }
    }
}
