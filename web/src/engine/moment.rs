//! Questions about moments of runs, and their answers.
//!
//! A question carries what the page shows besides the frame, so that one answer brings everything. What that is depends
//! on the frame: the page and the engine derive it with the same functions.

use fairground::units::{Resource, ShownResource};
use std::sync::Arc;

use fairground::moment::{EventChecks, EventWord, Frame, RuleUse, Run};
use fairground::policy::Policy;
use fairground::scenario::Scenario;
use fairground::trace::EXPLAINED_MAX;
use fairground::words::{Ladder, Order, Selection, explained_event};
use serde::{Deserialize, Serialize};

use super::dominant;
use super::report::{Report, ReportRequest};

/// Which run a moment belongs to. While several are computed, earlier ones go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BranchId {
    /// The displayed run.
    #[default]
    Main,
    /// The scenario with the edit that is being made.
    Preview,
    /// The kept run that charts compare the displayed one with.
    Kept,
    /// The scenario before the last edit.
    Baseline,
}

/// A question about a moment of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MomentRequest {
    pub branch: BranchId,
    /// Starts a run of this scenario; `None`: the displayed run goes on.
    pub scenario: Option<Arc<Scenario>>,
    pub at: At,
    pub wants: Wants,
}

/// The moment in question; cycles on the way are computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum At {
    Cycle(u32),
    /// Milliseconds since the start: under another policy or cycle interval, a moment belongs to another cycle.
    Time(i64),
    Until(Stop),
    /// The current cycle, whose frame is known.
    Here,
}

/// Condition that ends a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stop {
    /// A pod of the job is placed.
    Starts(String),
    /// The queue reaches its fair share of GPUs, or its quota if the policy has no fair share.
    Share(String),
    /// A pod is evicted.
    Evicts,
    /// A cycle in which nothing happens.
    Nothing,
}

/// What is asked for besides the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Wants {
    /// What this focus leads to, once the frame is known.
    Focus(Focus),
    Subjects(Subjects),
}

/// The state of the page that determines what is shown besides a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Focus {
    pub selection: Option<Selection>,
    /// The page selects something worth explaining in the next frame.
    pub selects: bool,
    /// The resource of charts.
    pub resource: ShownResource,
    /// The resource that jobs competed for in the previous frame, if there was one.
    pub contended: Option<Resource>,
    pub has_division: bool,
    pub report: Option<ReportRequest>,
}

/// What is explained and reported at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subjects {
    /// Queue and resource of an explained fair share.
    pub ladder: Option<(String, Resource)>,
    /// The queue or job whose serving order is shown.
    pub order: Option<Selection>,
    /// Key of a rule.
    pub rule: Option<String>,
    /// Position of an event whose comparisons the frame does not have.
    pub event: Option<u32>,
    pub report: Option<ReportRequest>,
}

/// What is shown of a moment, as far as it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    pub branch: BranchId,
    /// The state after the cycle.
    pub frame: Option<Box<Frame>>,
    /// A summary of the run up to the furthest computed cycle.
    pub run: Option<Box<Run>>,
    pub ladder: Option<Ladder>,
    pub order: Option<Order>,
    /// What a rule did in the cycle.
    pub rule_use: Option<RuleUse>,
    /// The comparisons of an event that the frame does not have.
    pub event: Option<EventChecks>,
    pub report: Option<(ReportRequest, Report)>,
    /// Whether the condition of [`At::Until`] is met, or the run ended before.
    pub is_met: Option<bool>,
}

impl MomentRequest {
    /// A cycle of a new run.
    pub fn main_at(scenario: &Arc<Scenario>, cycle: u32) -> MomentRequest {
        MomentRequest { scenario: Some(scenario.clone()), ..MomentRequest::go_to(cycle) }
    }

    /// A cycle of the displayed run.
    pub fn go_to(cycle: u32) -> MomentRequest {
        let (branch, wants) = (BranchId::Main, Wants::default());
        MomentRequest { branch, scenario: None, at: At::Cycle(cycle), wants }
    }
}

impl Default for Wants {
    fn default() -> Wants {
        Wants::Subjects(Subjects::default())
    }
}

impl Wants {
    /// What is wanted of a frame; a focus leads to nothing without one.
    pub fn subjects(self, frame: Option<&Frame>) -> Subjects {
        match (self, frame) {
            (Wants::Subjects(subjects), _) => subjects,
            (Wants::Focus(mut focus), Some(frame)) => {
                focus.adapt(frame);
                focus.subjects(frame)
            }
            (Wants::Focus(_), None) => Subjects::default(),
        }
    }
}

impl Focus {
    /// Adapts resource and selection to the frame that is shown next.
    pub fn adapt(&mut self, frame: &Frame) {
        // Another scenario, or one that no longer has that named resource, is shown in the resource that its jobs
        // compete for.
        let contended = frame.names.resource;
        if self.contended != Some(contended) || self.resource.nth_named().is_some_and(|n| n >= frame.named.len()) {
            self.resource = contended.into();
        }
        if self.selects {
            self.selection = worth_explaining(frame);
        }
        if let Some(ReportRequest::Fairness { resource }) = &mut self.report {
            *resource = self.resource.counted();
        }
    }

    pub fn subjects(&self, frame: &Frame) -> Subjects {
        let has_share = |name: &String| frame.queues.iter().any(|row| row.name == *name && row.fair_share.is_some());
        let has_order = Policy::described(&frame.policy).is_some_and(|policy| policy.supports.lists_order);
        let (order, rule) = match &self.selection {
            Some(of @ (Selection::Queue(_) | Selection::Job(_))) if has_order => (Some(of.clone()), None),
            Some(Selection::Rule(rule)) => (None, Some(rule.clone())),
            _ => (None, None),
        };
        Subjects {
            ladder: self.queue(frame).filter(has_share).map(|queue| (queue, self.explained_resource(frame))),
            order,
            rule,
            event: self.event(frame),
            report: self.report.clone(),
        }
    }

    /// The event that explains the selection, if the frame does not have its comparisons.
    pub fn event(&self, frame: &Frame) -> Option<u32> {
        let selection = self.selection.as_ref().filter(|_| is_without_checks(frame));
        selection.and_then(|selection| explained_event(frame, selection))
    }

    /// The queue whose fair share is explained: the selected one; for Division also the queue of the selection,
    /// otherwise the first one with a fair share.
    fn queue(&self, frame: &Frame) -> Option<String> {
        let name = |queue: u32| frame.queues.get(queue as usize).map(|row| row.name.clone());
        let of_job = |job: &str| frame.jobs.iter().find(|row| row.name == *job).and_then(|row| name(row.queue));
        if let Some(Selection::Queue(queue)) = &self.selection {
            return Some(queue.clone());
        }
        if !self.has_division {
            return None;
        }
        let meant = match &self.selection {
            Some(Selection::Job(job)) => of_job(job),
            Some(Selection::Event { cycle, index }) if *cycle == frame.cycle => {
                frame.events.get(*index as usize).and_then(|event| name(frame.queue_of(event)?.0))
            }
            _ => None,
        };
        let is_leaf = |at: usize| frame.queues.iter().all(|row| row.parent != Some(at as u32));
        let mut rows = frame.queues.iter().enumerate();
        let first = rows.find(|(at, row)| row.fair_share.is_some() && is_leaf(*at));
        meant.or_else(|| first.map(|(_, row)| row.name.clone()))
    }

    /// The resource that is explained for that queue.
    pub fn explained_resource(&self, frame: &Frame) -> Resource {
        if self.resource != ShownResource::Dominant {
            return self.resource.accounted();
        }
        let queue = self.queue(frame);
        let row = queue.and_then(|name| frame.queues.iter().find(|row| row.name == name));
        row.map_or(Resource::GPU, |row| dominant::resource_of(&row.allocated, &row.request, &frame.total))
    }
}

/// Whether a frame has no comparisons of its events, because there are too many; those of single events are sent on
/// request.
pub fn is_without_checks(frame: &Frame) -> bool {
    frame.events.len() > EXPLAINED_MAX
}

/// The first eviction of a cycle, otherwise the first start, otherwise the first pending job.
fn worth_explaining(frame: &Frame) -> Option<Selection> {
    let event = |is: fn(EventWord) -> bool| frame.events.iter().position(|event| is(event.word()));
    let event = event(EventWord::is_eviction).or_else(|| event(|word| word == EventWord::Started));
    let pending = || Some(Selection::Job(frame.job(frame.refusals.first()?.job).to_string()));
    let found = event.map(|index| Selection::Event { cycle: frame.cycle, index: index as u32 });
    found.or_else(pending).filter(|_| frame.cycle > 0)
}
