//! Computes the outcome of an edit while it is being made.
//!
//! A drag sends many requests per second. The running preview is finished, so that something is shown during the drag; of the
//! requests that arrive meanwhile, only the latest is computed next. The frame is sent as soon as it is computed; then the run
//! continues, unless a later request is pending.

use super::branch::Branch;
use super::protocol::{AlternativeRequest, Response};
use super::report::{Report, ReportRequest};

/// Runs of edited scenarios.
#[derive(Default)]
pub struct Previews {
    running: Option<Running>,
    /// The pending request and its number.
    next: Option<(u64, AlternativeRequest)>,
}

struct Running {
    /// Number of the request.
    id: u64,
    request: AlternativeRequest,
    /// The frame is not needed, or already sent.
    has_frame: bool,
    report: Option<Box<Report>>,
    /// Everything has been sent.
    is_over: bool,
    branch: Branch,
}

impl Previews {
    /// Adds a request; it replaces a pending one.
    pub fn request(&mut self, id: u64, request: AlternativeRequest) {
        self.next = Some((id, request));
    }

    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.next.is_some()
    }

    /// Works for about one cycle; returns finished responses with the numbers of their requests.
    pub fn work(&mut self) -> Vec<(u64, Response)> {
        // Once the frame is sent, a pending request takes precedence over the rest of the run.
        let running = self.running.take().filter(|running| !running.has_frame || self.next.is_none());
        if let Some(mut running) = running {
            let mut responses = Vec::new();
            // The frame's cycle is often the run's last one; then both replies are returned together.
            while !running.is_over && (responses.is_empty() || self.next.is_none()) && !running.step() {
                responses.push((running.id, running.response()));
            }
            if !running.is_over {
                self.running = Some(running);
            }
            return responses;
        }
        let Some((id, request)) = self.next.take() else { return Vec::new() };
        self.running = Running::new(id, request);
        let refused = (id, Response::Alternative { frame: None, levels: Vec::new() });
        self.running.is_none().then_some(refused).into_iter().collect()
    }
}

impl Running {
    /// A run in its opening state; `None`: the scenario cannot run.
    fn new(id: u64, request: AlternativeRequest) -> Option<Running> {
        let branch = Branch::background(&request.scenario).ok()?;
        let has_frame = request.cycle.is_none();
        Some(Running { id, request, has_frame, report: None, is_over: false, branch })
    }

    /// Computes a cycle; `false` at the target or the end of the run. Only the frame's cycle is computed with reasons.
    fn step(&mut self) -> bool {
        match self.request.cycle.filter(|_| !self.has_frame) {
            Some(cycle) => self.branch.step_towards(cycle),
            None => self.branch.cycle() < self.request.until && self.branch.step_outcomes(),
        }
    }

    /// Returns the frame first, then the run.
    fn response(&mut self) -> Response {
        let is_moment = !std::mem::replace(&mut self.has_frame, true);
        if !is_moment || matches!(self.request.report_request, Some(ReportRequest::Tally { .. })) {
            // A tally covers the run up to the frame's cycle, so it is taken there.
            let report_request = self.request.report_request.take();
            let report = report_request.map(|request| Box::new(self.branch.report(&request)));
            self.report = report.or(self.report.take());
        }
        if !is_moment {
            self.is_over = true;
            return Response::AlternativeRun { run: Box::new(self.branch.run()), report: self.report.take() };
        }
        let ladder = self.request.ladder.as_ref();
        let levels = ladder.map(|(queue, resource)| self.branch.ladder(queue, *resource)).unwrap_or_default();
        Response::Alternative { frame: Some(Box::new(self.branch.frame())), levels }
    }
}
