//! Computes the outcome of an edit while it is being made.
//!
//! A drag sends many requests per second. The running preview is finished, so that something is shown during the drag; of the
//! requests that arrive meanwhile, only the latest is computed next. The frame is sent as soon as it is computed; then the run
//! continues, unless a later request is pending. When idle, the value one more step ahead is computed in advance.

use std::sync::Arc;

use fairground::scenario::{self, Scenario};

use super::branch::Branch;
use super::protocol::Say;
use super::report::{Report, ReportRequest};
use super::speculative;

/// Runs of edited scenarios.
#[derive(Default)]
pub struct Previews {
    running: Option<Running>,
    next: Option<PreviewRequest>,
    /// Texts of the scenario computed last and of the one being edited: the last step of a drag starts at one of them.
    before: [String; 2],
    speculation: Option<Speculation>,
}

/// The request that is expected next.
struct Speculation {
    request: PreviewRequest,
    /// `None`: not started.
    running: Option<Running>,
}

/// A request for the outcome of a scenario.
pub struct PreviewRequest {
    /// Number of the request.
    pub id: u64,
    pub scenario: Arc<Scenario>,
    /// The cycle of the frame; `None`: no frame is needed.
    pub cycle: Option<u32>,
    /// Queue and resource whose fair share is explained as well.
    pub ladder: Option<(String, u8)>,
    /// The last cycle of the run.
    pub until: u32,
    /// What is reported of the run in addition to its summary.
    pub report_request: Option<ReportRequest>,
}

struct Running {
    id: u64,
    /// The cycle of the frame; `None`: not needed, or already sent.
    cycle: Option<u32>,
    ladder: Option<(String, u8)>,
    until: u32,
    report_request: Option<ReportRequest>,
    report: Option<Box<Report>>,
    /// Everything has been sent.
    is_over: bool,
    branch: Branch,
}

impl Previews {
    /// Previews of edits to a scenario.
    pub fn of(scenario: &Scenario) -> Previews {
        Previews { before: [String::new(), text_of(scenario)], ..Previews::default() }
    }

    /// Adds a request; it replaces a pending one.
    pub fn request(&mut self, request: PreviewRequest) {
        self.next = Some(request);
    }

    /// Sets the request that is likely to come next.
    pub fn expect(&mut self, request: PreviewRequest) {
        if !self.speculation.as_ref().is_some_and(|speculation| speculation.request.is_like(&request)) {
            self.speculation = Some(Speculation { request, running: None });
        }
    }

    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.next.is_some()
    }

    /// Works for about one cycle; returns finished replies with the numbers of their requests.
    pub fn work(&mut self) -> Vec<(u64, Say)> {
        // Once the frame is sent, a pending request takes precedence over the rest of the run.
        let running = self.running.take().filter(|running| running.cycle.is_some() || self.next.is_none());
        if let Some(mut running) = running {
            let mut says = Vec::new();
            // The frame's cycle is often the run's last one; then both replies are returned together.
            while !running.is_over && (says.is_empty() || self.next.is_none()) && !running.step() {
                says.push((running.id, running.reply()));
            }
            if !running.is_over {
                self.running = Some(running);
            }
            return says;
        }
        let Some(request) = self.next.take() else { return Vec::new() };
        let id = request.id;
        self.running = self.begin(request);
        let refused = (id, Say::Alternative { frame: None, levels: Vec::new() });
        self.running.is_none().then_some(refused).into_iter().collect()
    }

    fn begin(&mut self, request: PreviewRequest) -> Option<Running> {
        let speculation = self.speculation.take().filter(|speculation| speculation.request.is_like(&request));
        let text = text_of(&request.scenario);
        self.speculation = request.once_more(&text, &self.before);
        let running = match speculation.and_then(|speculation| speculation.running) {
            Some(running) => Some(Running { id: request.id, ..running }),
            None => Running::new(&request),
        };
        self.before[0] = text;
        running
    }

    /// Computes a part of the expected request; `false`: there is none, or it is finished.
    pub fn speculate(&mut self) -> bool {
        let Some(Speculation { request, running }) = &mut self.speculation else { return false };
        if let Some(running) = running {
            return running.step();
        }
        // Further cycles may be slow and would delay the next request.
        *running = Running::new(request).filter(|running| running.branch.is_small());
        if running.is_none() {
            self.speculation = None;
        }
        self.speculation.is_some()
    }
}

impl PreviewRequest {
    fn is_like(&self, other: &PreviewRequest) -> bool {
        let PreviewRequest { id: _, scenario, cycle, ladder, until, report_request } = self;
        (scenario, cycle, ladder) == (&other.scenario, &other.cycle, &other.ladder)
            && (until, report_request) == (&other.until, &other.report_request)
    }

    /// This request one more step ahead. Of the steps from both earlier texts, the smaller one is repeated.
    fn once_more(&self, text: &str, before: &[String]) -> Option<Speculation> {
        self.cycle?;
        let steps = before.iter().filter_map(|before| speculative::once_more(before, text));
        let next = steps.min_by_key(|next| next.step)?.text;
        let scenario = Arc::new(scenario::read(&next).scenario?);
        let (ladder, report_request) = (self.ladder.clone(), self.report_request.clone());
        Some(Speculation {
            request: PreviewRequest { scenario, ladder, report_request, ..*self },
            running: None,
        })
    }
}

/// Scenarios with more entries are not computed speculatively, and need no text.
const SPECULATED_MAX: usize = 5_000;

/// The text in which the steps of a drag are found; empty: the scenario is too large for speculation.
fn text_of(scenario: &Scenario) -> String {
    let n_entries = scenario.jobs.len() + scenario.nodes.len() + scenario.timeline.len();
    if n_entries > SPECULATED_MAX { String::new() } else { scenario::to_json(scenario) }
}

impl Running {
    /// A run in its opening state; `None`: the scenario cannot run.
    fn new(request: &PreviewRequest) -> Option<Running> {
        let branch = Branch::background(&request.scenario).ok()?;
        let PreviewRequest { id, cycle, until, .. } = *request;
        let (ladder, report_request) = (request.ladder.clone(), request.report_request.clone());
        let (report, is_over) = (None, false);
        Some(Running { id, cycle, ladder, until, report_request, report, is_over, branch })
    }

    /// Computes a cycle; `false` at the target or the end of the run. Only the frame's cycle is computed with reasons.
    fn step(&mut self) -> bool {
        match self.cycle {
            Some(cycle) => self.branch.step_towards(cycle),
            None => self.branch.cycle() < self.until && self.branch.step_outcomes(),
        }
    }

    /// Returns the frame first, then the run.
    fn reply(&mut self) -> Say {
        let is_moment = self.cycle.take().is_some();
        if !is_moment || matches!(self.report_request, Some(ReportRequest::Tally { .. })) {
            // A tally covers the run up to the frame's cycle, so it is taken there.
            let report_request = self.report_request.take();
            let report = report_request.map(|request| Box::new(self.branch.report(&request)));
            self.report = report.or(self.report.take());
        }
        if !is_moment {
            self.is_over = true;
            return Say::AlternativeRun { run: Box::new(self.branch.run()), report: self.report.take() };
        }
        let levels = self.ladder.as_ref().map(|(queue, resource)| self.branch.ladder(queue, *resource));
        Say::Alternative { frame: Some(Box::new(self.branch.frame())), levels: levels.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Example;

    fn request(id: u64, quota: u32) -> PreviewRequest {
        let text = Example::find("start").expect("an example").text;
        let text = text.replacen("quota: 2", &format!("quota: {quota}"), 1);
        let scenario = Arc::new(scenario::read(&text).scenario.expect("a scenario"));
        let ladder = Some(("team-a".to_string(), 2));
        PreviewRequest {
            id,
            scenario,
            cycle: Some(2),
            ladder,
            until: 9,
            report_request: Some(ReportRequest::Tally { resource: 2 }),
        }
    }

    fn said(previews: &mut Previews) -> String {
        let mut said = Vec::new();
        while previews.is_busy() {
            said.extend(previews.work());
        }
        format!("{said:?}")
    }

    /// The replies to a quota after others, and whether the frame was already computed.
    fn dragged(before: &[u32], (id, quota): (u64, u32), n_speculated: usize) -> (bool, String) {
        let mut previews = Previews::of(&request(0, 2).scenario);
        for quota in before {
            previews.request(request(1, *quota));
            said(&mut previews);
        }
        for _ in 0..n_speculated {
            previews.speculate();
        }
        previews.request(request(id, quota));
        assert!(previews.work().is_empty(), "it has only begun");
        let is_there = previews.running.as_ref().is_some_and(|running| running.branch.cycle() == 2);
        (is_there, said(&mut previews))
    }

    #[test]
    fn one_more_step_is_there_before_it_is_asked_for() {
        // From 2, the scenario's own value; the last drag returned to it in between.
        for (before, next) in [(&[3][..], 4), (&[3, 4], 5), (&[3, 5], 7), (&[4, 3], 2), (&[9, 3], 4)] {
            for quota in [next, 8] {
                let mut fresh = Previews::default();
                fresh.request(request(7, quota));
                let expected = said(&mut fresh);
                assert!(expected.contains("AlternativeRun"), "{expected}");
                for n_speculated in [0, 1, 2, 3, 9] {
                    let (is_there, said) = dragged(before, (7, quota), n_speculated);
                    assert_eq!(said, expected);
                    assert_eq!(
                        is_there,
                        quota == next && n_speculated > 2,
                        "{before:?} {quota} {n_speculated}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_expected_is_there_at_the_first_step() {
        let mut previews = Previews::of(&request(0, 2).scenario);
        previews.expect(request(1, 3));
        assert!(!previews.is_busy(), "no request is pending");
        while previews.speculate() {}
        previews.request(request(2, 3));
        assert!(previews.work().is_empty(), "it has only begun");
        let said = previews.work();
        assert!(matches!(&said[..], [(2, Say::Alternative { frame: Some(_), .. }), ..]), "{said:?}");
    }
}
