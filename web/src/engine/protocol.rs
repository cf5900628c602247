//! Messages between the page and the engine.
//!
//! A question about a moment carries what the page shows besides the frame, so that one answer brings everything. What
//! that is depends on the frame: the page and the engine derive it with the same functions.
//!
//! Responses are windows: the page requests the cycles it draws, never the whole state. Every request has a generation;
//! responses to an outdated one are dropped. The rows inside responses are defined in [`fairground::moment`].

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::{Diagnostic, JobEntry, Scenario, TimelineEntry};
use fairground::trace::EXPLAINED_MAX;
use fairground::units::{Resource, ShownResource};
use fairground::words::{Ladder, Order, Selection, explained_event};
use serde::{Deserialize, Serialize};

use super::dominant;
pub use super::others::{Columns, Compared, FileBytes, ImportOptions, ImportReport, Kit, NoteRow, ToCompare};
use super::report::{Report, ReportRequest};
pub use fairground::moment::*;
use fairground::suggestions::Tried;

/// A request or a response with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message<T> {
    /// Unique and increasing for requests; responses repeat that of their request.
    pub generation: u64,
    pub body: T,
}

/// A request of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Asks for a moment of a run. While one of another run than the displayed one is computed, only the latest further
    /// request of each branch is kept.
    Moment(MomentRequest),
    /// Finds the next (or previous) cycle with an event, optionally only of a job or queue.
    NextEvent {
        /// Exclusive.
        from: u32,
        /// Searches backwards.
        back: bool,
        /// Only events of this queue.
        queue: Option<String>,
        /// Only events of this job.
        job: Option<String>,
        /// Kinds of events to skip.
        without: Vec<EventWord>,
    },
    /// Compares when a job runs in variations of the scenario with the scenario itself. Only the latest request counts.
    Try {
        job: String,
        /// Compares from this cycle on.
        cycle: u32,
        /// The first one is the unchanged scenario.
        scenarios: Vec<Arc<Scenario>>,
    },
    /// Reads pasted or dropped files of any mixture of formats.
    Import {
        /// Name and content.
        files: Vec<(String, FileBytes)>,
        options: ImportOptions,
    },
    /// Writes a scenario in a format of its scheduler.
    Export {
        scenario: Arc<Scenario>,
        /// Name of the format.
        format: String,
        /// The file the scenario was imported from, if any.
        original: Option<String>,
    },
    /// Writes a scenario as a virtual cluster with the real scheduler of its policy. Only the latest request counts.
    Kit { scenario: Arc<Scenario> },
    /// Writes a scenario in the packed form in which it is stored.
    Pack {
        /// `None`: the scenario that was loaded last.
        scenario: Option<Arc<Scenario>>,
    },
    /// Writes the run up to its furthest cycle as a table: either all events or the amounts of queues.
    Csv { is_of_events: bool },
    /// Translates the scenario to another policy.
    Translate { scenario: Arc<Scenario>, policy: String },
    /// Runs scenarios side by side. Only the latest request counts.
    Compare {
        runs: Vec<ToCompare>,
        /// The end of all runs; `None`: when nothing further happens in any of them.
        until_ms: Option<i64>,
    },
    /// The rule book of a policy, and which rules each setting affects.
    Rules { policy: String },
    /// Stops the current task.
    Cancel,
}

/// A response of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// The engine has started.
    Ready,
    /// What is shown of a moment. Of another run than the displayed one, the frame comes first, then the run.
    Moment(Box<Moment>),
    /// The scenario cannot run; the page computes the findings itself.
    Refused {
        /// One line per finding.
        findings: Vec<String>,
    },
    /// Progress of the current task.
    Progress {
        /// Cycle reached.
        cycle: u32,
        /// Time reached.
        time_ms: i64,
        /// Fraction of the way to the requested cycle or time, 0 to 1; `None`: the end is unknown.
        part: Option<f64>,
    },
    /// Progress of the cycle that is computed for the current task.
    CycleProgress {
        /// Fraction of the cycle, 0 to 1.
        part: f64,
    },
    /// The cycle of the requested event, if one is known or found by running at most 10,000 cycles.
    Event { cycle: Option<u32> },
    /// Files were received and are being read.
    Reading,
    /// Part of the scenario that [`Response::Imported`] completes.
    Piece(Piece),
    /// Result of reading pasted or dropped files.
    Imported {
        /// The scenario, if there is one; its long sections were sent before in pieces.
        scenario: Option<Box<Scenario>>,
        /// Findings of `check` on the whole scenario, errors first.
        checked: Vec<Diagnostic>,
        report: Box<ImportReport>,
    },
    /// A scenario in its stored form; `None`: too large to store.
    Packed(Option<String>),
    /// A scenario in a format of its scheduler.
    Exported(Option<Exported>),
    /// A scenario as a virtual cluster; `None`: it cannot run, or has too many pods.
    Kit(Option<Box<Kit>>),
    /// The whole run as a table.
    Csv {
        is_of_events: bool,
        /// Comma-separated values.
        text: String,
    },
    /// Outcomes of variations; `None`: the scenario is too large to run once per variation.
    Tried(Option<Box<Tried>>),
    /// The scenario, translated to another policy.
    Translated {
        policy: String,
        /// `None`: the engine cannot translate it.
        scenario: Option<Box<Scenario>>,
        /// What became of its settings.
        notes: Vec<NoteRow>,
    },
    /// Progress of a comparison.
    Comparing {
        /// Caption of the current run.
        name: String,
        cycle: u32,
    },
    /// Result of one run of a comparison.
    Compared(Box<Compared>),
    /// The rule book of a policy; empty if the policy is unknown.
    Rules(Box<Rulebook>),
    /// The task of the displayed run was stopped. If there was one, the moment of this cycle follows.
    Cancelled { goes_back_to: Option<u32> },
}

/// Some entries of a long section of a scenario. Unpacking all of them from one message would block the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Piece {
    Jobs(Vec<JobEntry>),
    Timeline(Vec<TimelineEntry>),
}

/// A scenario in a format of its scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// Name of the format.
    pub format: String,
    /// What the format cannot express.
    pub left_out: Vec<String>,
    /// The whole file.
    pub text: String,
    /// Changes against the file the scenario was imported from, as a unified diff; `None`: it was not imported.
    pub changes: Option<String>,
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::scenario::Path;
    use fairground::translate::{Note, NoteKind};
    use serde::de::DeserializeOwned;

    fn write<T: Serialize>(message: &T) -> Vec<u8> {
        postcard::to_stdvec(message).expect("plain data")
    }

    fn read<T: DeserializeOwned>(bytes: &[u8]) -> postcard::Result<T> {
        postcard::from_bytes(bytes)
    }

    fn scenario() -> Arc<Scenario> {
        Arc::new(Scenario { name: "ünïcode".into(), ..crate::library::start() })
    }

    /// Findings keep their codes and fixes in transit.
    #[test]
    fn findings_are_read_back() {
        let mut wrong = crate::library::start();
        Arc::make_mut(&mut wrong.queues)[0].parent = Some("unknown".into());
        let found = fairground::scenario::check(&wrong).diagnostics;
        assert!(found.iter().any(|d| d.fix.is_some()), "{found:?}");
        assert_eq!(read(&write(&found)), Ok(found));
    }

    #[test]
    fn messages_are_read_back() {
        let requests = [
            Request::Cancel,
            Request::Moment(MomentRequest::go_to(300)),
            Request::Moment(MomentRequest { at: At::Time(-86_400_000), ..MomentRequest::go_to(0) }),
            Request::NextEvent { from: 0, back: true, queue: None, job: None, without: vec![EventWord::Gone] },
            Request::Moment(MomentRequest::main_at(&scenario(), u32::MAX)),
        ];
        for body in requests {
            let request = Message { generation: 1 << 40, body };
            assert_eq!(read::<Message<Request>>(&write(&request)), Ok(request));
        }
    }

    #[test]
    fn places_of_notes_are_read_back() {
        let queue = |name: &str, field: &str| Path::default().field("queues").named(name).field("gpu").field(field);
        let timeline = Path::default().field("timeline").at(3).field("queue");
        let at = vec![queue("team-a", "quota"), timeline, queue("a=b #1", "limit")];
        let note = NoteRow { note: Note { kind: NoteKind::Dropped, at, says: "gone".into() }, n: 7 };
        assert_eq!(read(&write(&note)), Ok(note));
    }

    #[test]
    fn garbled_bytes_are_refused() {
        let bytes = write(&Message { generation: 5, body: Request::Moment(MomentRequest::main_at(&scenario(), 9)) });
        for cut in 0..bytes.len() {
            assert!(read::<Message<Request>>(&bytes[..cut]).is_err(), "{cut}");
        }
        assert!(read::<Vec<u32>>(&[0xff; 9]).is_err());
    }
}
