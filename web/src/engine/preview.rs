//! What an edit would come to, computed while it is being made.
//!
//! A drag sends many requests a second. The running preview is finished, so that something is shown during the drag; of the
//! requests that arrive meanwhile only the latest is computed next. The frame is sent as soon as it is computed, and then
//! the run continues, unless a later request waits. When idle, the value one more step ahead is computed in advance.

use std::sync::Arc;

use fairground::scenario::{self, Scenario};

use super::branch::Branch;
use super::protocol::Say;
use super::report::{Report, ReportRequest};
use super::speculative;

/// Runs of scenarios that are being edited.
#[derive(Default)]
pub struct Previews {
    running: Option<Running>,
    next: Option<PreviewRequest>,
    /// The scenario that was begun last, and the one that is being edited, as text: the last step of a drag starts at one of them.
    before: [String; 2],
    foreseen: Option<Foreseen>,
}

/// The request that is expected next.
struct Foreseen {
    request: PreviewRequest,
    /// `None`: not begun.
    running: Option<Running>,
}

/// A scenario at a cycle.
pub struct PreviewRequest {
    /// The question it answers.
    pub id: u64,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The cycle of the frame; `None`: no frame is wanted.
    pub cycle: Option<u32>,
    /// Also how this queue's fair share of this resource would come about.
    pub ladder: Option<(String, u8)>,
    /// The run goes on as far as this cycle.
    pub until: u32,
    /// What is told of the run, besides the run in short.
    pub report_request: Option<ReportRequest>,
}

struct Running {
    id: u64,
    /// The cycle of the frame; `None`: none is wanted, or it was told.
    cycle: Option<u32>,
    ladder: Option<(String, u8)>,
    until: u32,
    report_request: Option<ReportRequest>,
    report: Option<Box<Report>>,
    /// All is told.
    is_over: bool,
    branch: Branch,
}

impl Previews {
    /// Runs of a scenario that is edited.
    pub fn of(scenario: &Scenario) -> Previews {
        Previews { before: [String::new(), text_of(scenario)], ..Previews::default() }
    }

    /// Takes a wish in; of those that wait only the latest counts.
    pub fn request(&mut self, request: PreviewRequest) {
        self.next = Some(request);
    }

    /// Takes in what may be wished next.
    pub fn expect(&mut self, request: PreviewRequest) {
        if !self.foreseen.as_ref().is_some_and(|foreseen| foreseen.request.is_like(&request)) {
            self.foreseen = Some(Foreseen { request, running: None });
        }
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
        let Some(request) = self.next.take() else { return Vec::new() };
        let id = request.id;
        self.running = self.begin(request);
        let refused = (id, Say::Alternative { frame: None, levels: Vec::new() });
        self.running.is_none().then_some(refused).into_iter().collect()
    }

    fn begin(&mut self, request: PreviewRequest) -> Option<Running> {
        let foreseen = self.foreseen.take().filter(|foreseen| foreseen.request.is_like(&request));
        let text = text_of(&request.scenario);
        self.foreseen = request.once_more(&text, &self.before);
        let running = match foreseen.and_then(|foreseen| foreseen.running) {
            Some(running) => Some(Running { id: request.id, ..running }),
            None => Running::new(&request),
        };
        self.before[0] = text;
        running
    }

    /// Computes a little of what may be wished next; `false`: nothing is foreseen, or all of it is there.
    pub fn speculate(&mut self) -> bool {
        let Some(Foreseen { request, running }) = &mut self.foreseen else { return false };
        if let Some(running) = running {
            return running.step();
        }
        // A cycle of more may take long, and a question that comes meanwhile would wait for it.
        *running = Running::new(request).filter(|running| running.branch.is_small());
        if running.is_none() {
            self.foreseen = None;
        }
        self.foreseen.is_some()
    }
}

impl PreviewRequest {
    fn is_like(&self, other: &PreviewRequest) -> bool {
        let PreviewRequest { id: _, scenario, cycle, ladder, until, report_request } = self;
        (scenario, cycle, ladder) == (&other.scenario, &other.cycle, &other.ladder)
            && (until, report_request) == (&other.until, &other.report_request)
    }

    /// The same one step further, for a moment. The step is the smaller one from the texts before.
    fn once_more(&self, text: &str, before: &[String]) -> Option<Foreseen> {
        self.cycle?;
        let steps = before.iter().filter_map(|before| speculative::once_more(before, text));
        let next = steps.min_by_key(|next| next.step)?.text;
        let scenario = Arc::new(scenario::read(&next).scenario?);
        let (ladder, report_request) = (self.ladder.clone(), self.report_request.clone());
        Some(Foreseen {
            request: PreviewRequest { scenario, ladder, report_request, ..*self },
            running: None,
        })
    }
}

/// Scenarios with more entries are not computed in advance, and need no text.
const SPECULATED_MAX: usize = 5_000;

/// A scenario as the text in which the steps of a drag are found; empty: it is too large to be computed in advance.
fn text_of(scenario: &Scenario) -> String {
    let n_entries = scenario.jobs.len() + scenario.nodes.len() + scenario.timeline.len();
    if n_entries > SPECULATED_MAX { String::new() } else { scenario::to_json(scenario) }
}

impl Running {
    /// Nothing is run yet; `None`: it cannot run.
    fn new(request: &PreviewRequest) -> Option<Running> {
        let branch = Branch::beside(&request.scenario).ok()?;
        let PreviewRequest { id, cycle, until, .. } = *request;
        let (ladder, report_request) = (request.ladder.clone(), request.report_request.clone());
        let (report, is_over) = (None, false);
        Some(Running { id, cycle, ladder, until, report_request, report, is_over, branch })
    }

    /// One cycle on; `false` once it is there or the run ends before. Reasons are wanted for the frame's cycle only.
    fn step(&mut self) -> bool {
        match self.cycle {
            Some(cycle) => self.branch.step_towards(cycle),
            None => self.branch.cycle() < self.until && self.branch.step_beyond(),
        }
    }

    /// The frame first, then the run.
    fn say(&mut self) -> Say {
        let is_moment = self.cycle.take().is_some();
        if !is_moment || matches!(self.report_request, Some(ReportRequest::Tally { .. })) {
            // A tally is of the moment, not of the whole run.
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

    /// What is said of a quota after others, and whether it is there at once.
    fn pulled(before: &[u32], (id, quota): (u64, u32), n_foreseen: usize) -> (bool, String) {
        let mut previews = Previews::of(&request(0, 2).scenario);
        for quota in before {
            previews.request(request(1, *quota));
            said(&mut previews);
        }
        for _ in 0..n_foreseen {
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
                for n_foreseen in [0, 1, 2, 3, 9] {
                    let (is_there, said) = pulled(before, (7, quota), n_foreseen);
                    assert_eq!(said, expected);
                    assert_eq!(is_there, quota == next && n_foreseen > 2, "{before:?} {quota} {n_foreseen}");
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
