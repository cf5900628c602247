//! Computes the outcome of an edit while it is being made.
//!
//! A drag sends many requests per second. The running preview is finished, so that something is shown during the drag; of the
//! requests that arrive meanwhile, only the latest is computed next. The frame is sent as soon as it is computed; then the run
//! continues, unless a later request is pending. When idle, the value one more step ahead is computed in advance.

use std::sync::Arc;

use fairground::scenario::{self, Scenario};

use super::branch::Branch;
use super::protocol::{AlternativeRequest, Response};
use super::report::{Report, ReportRequest};
use super::speculative;

/// Runs of edited scenarios.
#[derive(Default)]
pub struct Previews {
    running: Option<Running>,
    /// The pending request and its number.
    next: Option<(u64, AlternativeRequest)>,
    /// Texts of the scenario computed last and of the one being edited: the last step of a drag starts at one of them.
    before: [String; 2],
    speculation: Option<Speculation>,
}

/// The request that is expected next.
struct Speculation {
    request: AlternativeRequest,
    /// `None`: not started.
    running: Option<Running>,
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
    /// Previews of edits to a scenario.
    pub fn of(scenario: &Scenario) -> Previews {
        Previews { before: [String::new(), text_of(scenario)], ..Previews::default() }
    }

    /// Adds a request; it replaces a pending one.
    pub fn request(&mut self, id: u64, request: AlternativeRequest) {
        self.next = Some((id, request));
    }

    /// Sets the request that is likely to come next.
    pub fn expect(&mut self, request: AlternativeRequest) {
        if self.speculation.as_ref().is_none_or(|speculation| speculation.request != request) {
            self.speculation = Some(Speculation { request, running: None });
        }
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
        self.running = self.begin(id, request);
        let refused = (id, Response::Alternative { frame: None, levels: Vec::new() });
        self.running.is_none().then_some(refused).into_iter().collect()
    }

    fn begin(&mut self, id: u64, request: AlternativeRequest) -> Option<Running> {
        let speculation = self.speculation.take().filter(|speculation| speculation.request == request);
        let text = text_of(&request.scenario);
        self.speculation = once_more(&request, &text, &self.before);
        self.before[0] = text;
        let running = speculation.and_then(|speculation| speculation.running);
        running.or_else(|| Running::new(request)).map(|running| Running { id, ..running })
    }

    /// Computes a part of the expected request; `false`: there is none, or it is finished.
    pub fn speculate(&mut self) -> bool {
        let Some(Speculation { request, running }) = &mut self.speculation else { return false };
        if let Some(running) = running {
            return running.step();
        }
        // Further cycles may be slow and would delay the next request.
        *running = Running::new(request.clone()).filter(|running| running.branch.is_small());
        if running.is_none() {
            self.speculation = None;
        }
        self.speculation.is_some()
    }
}

/// A request one more step ahead. Of the steps from both earlier texts, the smaller one is repeated.
fn once_more(request: &AlternativeRequest, text: &str, before: &[String]) -> Option<Speculation> {
    request.cycle?;
    let steps = before.iter().filter_map(|before| speculative::once_more(before, text));
    let next = steps.min_by_key(|next| next.step)?.text;
    let scenario = Arc::new(scenario::read(&next).scenario?);
    Some(Speculation { request: AlternativeRequest { scenario, ..request.clone() }, running: None })
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
    fn new(request: AlternativeRequest) -> Option<Running> {
        let branch = Branch::background(&request.scenario).ok()?;
        let has_frame = request.cycle.is_none();
        Some(Running { id: 0, request, has_frame, report: None, is_over: false, branch })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Example;

    fn request(quota: u32) -> AlternativeRequest {
        let text = Example::find("start").expect("an example").text;
        let text = text.replacen("quota: 2", &format!("quota: {quota}"), 1);
        let scenario = Arc::new(scenario::read(&text).scenario.expect("a scenario"));
        let ladder = Some(("team-a".to_string(), 2));
        AlternativeRequest {
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
        let mut previews = Previews::of(&request(2).scenario);
        for quota in before {
            previews.request(1, request(*quota));
            said(&mut previews);
        }
        for _ in 0..n_speculated {
            previews.speculate();
        }
        previews.request(id, request(quota));
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
                fresh.request(7, request(quota));
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
        let mut previews = Previews::of(&request(2).scenario);
        previews.expect(request(3));
        assert!(!previews.is_busy(), "no request is pending");
        while previews.speculate() {}
        previews.request(2, request(3));
        assert!(previews.work().is_empty(), "it has only begun");
        let said = previews.work();
        assert!(matches!(&said[..], [(2, Response::Alternative { frame: Some(_), .. }), ..]), "{said:?}");
    }
}
