//! What a pending job waits for, where no single job and no moment can be predicted: derived from the reason, and from
//! the state of the cluster that could contradict it.

use super::number::{clock, number, time, with_unit};
use super::phrases::{is_of_room, queue_of};
use super::text::{self, Text, job, node, text};
use crate::id::{JobId, NodeId, QueueId};
use crate::moment::{Ask, EventRow, EventWord, Frame, JobRow, What};
use crate::time::Time;
use crate::trace::{Ending, Event, Gate, LostClaim, NodeReason, Outlook, Refusal};
use crate::units::Resource;

/// What a pending job waits for. `tests/tests/laws_outlook.rs` verifies that none of these is contradicted by the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// Nothing further happens.
    Nothing,
    /// Its evicted pods are gone, and the next cycle serves it or another job.
    NextCycle,
    /// The minimum runtime of possible victims ends at this time, and the next cycle is the first one after it.
    Unprotected(Time),
    /// Its claimed room was taken by another job, and it claims room again.
    LostClaim(LostClaim),
    /// Its next pods join; `None`: at an unknown time.
    Joins(Option<i64>),
    /// Other jobs of a queue end.
    Ends {
        /// The jobs whose ends count.
        jobs: &'static str,
        /// Their queue; `None`: the user of the job.
        queue: Option<QueueId>,
    },
    /// Room becomes free.
    Room {
        /// The room.
        room: RoomNeeded,
        /// A queue that may also become entitled to more.
        entitled: Option<QueueId>,
    },
    /// A node becomes usable, which free room does not change.
    Opens(&'static str),
    /// It is tried in its next node pool.
    NextPool,
    /// Nodes that are reserved for other jobs are free for it again.
    Unreserved(Vec<(NodeReason, u32)>),
    /// It is considered again, since the job before it has been served.
    Considered,
    /// The job before it starts.
    Behind(JobId),
    /// The pods evicted for it are gone, at an unknown time.
    Victims,
    /// There is room for its whole gang.
    Gang,
    /// A GPU of the node is free.
    Device(NodeId),
}

/// The room that a job needs.
#[derive(Clone, Debug, PartialEq)]
pub enum RoomNeeded {
    /// GPUs for each of several pods.
    Gpus {
        /// GPUs of a pod.
        each: f64,
        /// Number of pods.
        pods: u32,
    },
    /// Room for its pods, which request different numbers of GPUs.
    Pods,
    /// Room for the next pods of an elastic job.
    NextPods,
    /// As many GPUs are free, but other jobs have claimed them.
    Unclaimed,
    /// As many GPUs are free, but not on nodes that the job may use; or the job needs no GPU.
    Usable,
}

/// What a job waits for, unless its outlook predicts that.
pub fn expectation(frame: &Frame, refusal: &Refusal) -> Option<Expectation> {
    let is_on_its_way = matches!(refusal.gate, Gate::WaitingForVictims { .. });
    if let Some(lost) = frame.lost_claim(refusal.job).filter(|_| is_on_its_way) {
        return Some(Expectation::LostClaim(*lost));
    }
    if is_offered(frame, refusal.job) {
        return Some(Expectation::NextPool);
    }
    match refusal.outlook {
        Outlook::NextCycle if is_on_its_way => Some(Expectation::NextCycle),
        Outlook::NextCycle => match refusal.gate {
            Gate::VictimsProtected { until } => Some(Expectation::Unprotected(until)),
            _ => None,
        },
        Outlook::NotForeseeable if frame.quiet => Some(Expectation::Nothing),
        Outlook::NotForeseeable => by_gate(frame, refusal),
        _ => None,
    }
}

/// Whether the job found no place in a node pool in this cycle and is tried in its next one.
pub fn is_offered(frame: &Frame, job: JobId) -> bool {
    let is_offer =
        |event: &EventRow| matches!(event.what, What::Event(Event::Offered { job: offered, .. }) if offered == job);
    frame.events.iter().any(is_offer)
}

/// What the reason alone tells; `None`: it does not determine it.
fn by_gate(frame: &Frame, refusal: &Refusal) -> Option<Expectation> {
    let row = frame.job_row(refusal.job);
    let ends = |jobs, queue| Expectation::Ends { jobs, queue };
    let room = |entitled| Expectation::Room { room: room(frame, refusal, row), entitled };
    Some(match refusal.gate {
        Gate::NoNode { ref reasons, .. } if super::yunikorn::is_reserved(reasons) => {
            Expectation::Unreserved(reasons.clone())
        }
        Gate::NoNode { ref reasons, .. } if !reasons.is_empty() && !is_of_room(reasons) => {
            Expectation::Opens(opens(reasons))
        }
        Gate::NotReady => Expectation::Joins(row.and_then(|row| row.joins_ms)),
        Gate::OverLimit { queue, .. } => ends("other [jobs]", Some(queue)),
        Gate::UserLimit { .. } => ends("other [jobs]", None),
        Gate::TooManyJobs { queue } => ends("another [job]", Some(queue)),
        Gate::NonPreemptibleOverQuota { queue, .. } => ends("a non-preemptible [job]", Some(queue)),
        Gate::NotEntitled { queue } => room(Some(queue)),
        Gate::NoVictims { .. } | Gate::NoNode { .. } | Gate::LikeFailed { .. } | Gate::PreemptedTooLittle => room(None),
        Gate::Behind { job } if is_served(frame, job) => Expectation::Considered,
        Gate::Behind { job } => Expectation::Behind(job),
        Gate::WaitingForVictims { .. } => Expectation::Victims,
        Gate::GangIncomplete { .. } => Expectation::Gang,
        Gate::NoDevice { node } => Expectation::Device(node),
        Gate::NotALeaf
        | Gate::NotAccepted { .. }
        | Gate::TooLarge { .. }
        | Gate::VictimsProtected { .. }
        | Gate::Delayed { .. }
        | Gate::GangFailed
        | Gate::GangRefused
        | Gate::TriedOnce => return None,
    })
}

/// What lets a pod use a node, by the reasons that exclude it; free room does not.
fn opens(reasons: &[(NodeReason, u32)]) -> &'static str {
    let excludes = |expected: NodeReason| reasons.iter().any(|(reason, _)| *reason == expected);
    if excludes(NodeReason::Gate) || excludes(NodeReason::OtherPool) {
        "its [queue] may use more of a [node]."
    } else if excludes(NodeReason::Held) {
        "its [queue] may use another [node]."
    } else if excludes(NodeReason::NotReady) {
        "a [node] that is down or draining is ready again, or another [node] is added."
    } else if excludes(NodeReason::Taint) {
        "it tolerates the taint, or a [node] without it is added. Free room does not change this."
    } else {
        "its node selector is changed, or a [node] with the label is added. Free room does not change this."
    }
}

/// Whether a job was served in this cycle or is already running.
fn is_served(frame: &Frame, job: JobId) -> bool {
    let name = frame.job(job);
    let is_started = frame.jobs.iter().any(|row| row.name == name && row.running > 0);
    let is_served = |word: EventWord| matches!(word, EventWord::Started | EventWord::Claimed);
    is_started || frame.events.iter().any(|event| frame.job_of(event) == Some(job) && is_served(event.word()))
}

/// The room a job needs.
fn room(frame: &Frame, refusal: &Refusal, row: Option<&JobRow>) -> RoomNeeded {
    let Some(row) = row.filter(|row| row.gpus > 0.0) else { return RoomNeeded::Usable };
    let tried = std::iter::once(&refusal.gate).chain(&refusal.also).find_map(|gate| match gate {
        Gate::NoNode { of: n_pods, .. } => Some(*n_pods),
        _ => None,
    });
    // Pods of an elastic job may start separately.
    if row.running > 0 || tried.is_none() && row.pending > 1 {
        return RoomNeeded::NextPods;
    }
    let &[Ask { gpus: each, .. }] = row.asks.as_slice() else { return RoomNeeded::Pods };
    let pods = tried.unwrap_or(row.pending).max(1);
    match [false, true].map(|claimed| is_free(frame, each, pods, claimed)) {
        [_, true] => RoomNeeded::Usable,
        [true, false] => RoomNeeded::Unclaimed,
        [false, false] => RoomNeeded::Gpus { each, pods },
    }
}

/// Whether as many GPUs are free on ready nodes for each of several pods, whether or not other jobs have claimed them.
fn is_free(frame: &Frame, each: f64, pods: u32, without_claimed: bool) -> bool {
    let fit = frame.nodes.iter().filter(|node| node.ready && !node.draining).map(|node| {
        let claimed = node.cells.iter().filter(|cell| cell.claimed.is_some() && cell.pods.is_empty()).count();
        let claimed = if without_claimed { claimed as f64 } else { 0.0 };
        ((node.capacity[2] - node.used[2] - claimed) / each + 1e-9).floor().max(0.0)
    });
    fit.sum::<f64>() >= f64::from(pods)
}

impl Expectation {
    /// The expectation as a sentence.
    pub fn says(&self, frame: &Frame) -> Text {
        let next = frame.next_ms.map(time);
        match self {
            Expectation::Nothing => {
                text!("Nothing more will happen. Change something to go on.")
            }
            Expectation::NextCycle => text!(
                "It can start in the next cycle{at}, unless another [job] comes first.",
                [at = next.map_or(String::new(), |next| format!(" ({next})"))]
            ),
            Expectation::Unprotected(until) => text!(
                "{at}, the first cycle after the protection ends ({until}), [jobs] can be [evicted] for it.",
                [at = next.map_or("In the next cycle".into(), |cycle| format!("At {cycle}")), until = clock(*until)]
            ),
            Expectation::LostClaim(lost) => lost_claim(frame, lost),
            Expectation::Joins(Some(joins)) => text!("The next [pods] join at {at}.", [at = time(*joins)]),
            Expectation::Joins(None) => text!("It is considered once all of its [pods] exist."),
            Expectation::Ends { jobs, queue } => {
                let end = if jobs.starts_with("other") { "end" } else { "ends" };
                let whose = queue.map_or("its user".into(), |queue| queue_of(frame, queue));
                text!("It can start when {jobs} of {whose} {end}.", [jobs = *jobs, whose, end])
            }
            Expectation::Room { room, entitled: Some(queue) } => text!(
                "It can start when {room}, or when {queue} is entitled to more.",
                [room = room.says(), queue = queue_of(frame, *queue)]
            ),
            Expectation::Room { room, entitled: None } => {
                text!("It can start when {room}, unless another [job] comes first.", [room = room.says()])
            }
            Expectation::Opens(when) => text!("It can start when {when}", [when = *when]),
            Expectation::NextPool => {
                text!("It is tried in the next of its [node] pools in the next cycle.")
            }
            Expectation::Unreserved(reasons) => super::yunikorn::after_reservation(frame, reasons),
            Expectation::Considered => text!("The scheduler tries it again in the next cycle."),
            Expectation::Behind(other) => {
                text!("It is considered once {job} has started.", [job = job(frame.job(*other))])
            }
            Expectation::Victims => {
                text!("It can start when the [evicted] [pods] have shut down, unless another [job] comes first.")
            }
            Expectation::Gang => text!("It can start when there is room for its whole gang."),
            Expectation::Device(id) => {
                text!("It can run when a GPU of {node} is free.", [node = node(frame.node(*id))])
            }
        }
    }
}

/// *keep claims room again and again and loses it each time: stretch starts there first (5 times so far).*
fn lost_claim(frame: &Frame, lost: &LostClaim) -> Text {
    let (job, taker) = (job(frame.job(lost.job)), job(frame.job(lost.taker)));
    if lost.is_loop() {
        return text!(
            "{job} claims room again and again and loses it each time: {taker} starts there first ({n} times so far). This goes on until a [job] ends, is submitted or is edited, for example so that {job} comes before {taker}.",
            [job, taker, n = lost.times]
        );
    }
    let before = if lost.times == 1 { "once" } else { "twice" };
    text!(
        "{job} has claimed room {before} before, and {taker} started there first; this may happen again.",
        [job, before, taker]
    )
}

impl RoomNeeded {
    /// The room as a clause: *2 GPUs are free on one node*.
    fn says(&self) -> String {
        let are = |gpus: f64| if gpus == 1.0 { "is" } else { "are" };
        match *self {
            RoomNeeded::Pods => "there is room for its [pods]".into(),
            RoomNeeded::NextPods => "there is room for its next [pods]".into(),
            RoomNeeded::Unclaimed => "GPUs are free that are not [claimed] for other [jobs]".into(),
            RoomNeeded::Usable => "a [node] that it may use has room for it".into(),
            RoomNeeded::Gpus { each, pods: 1 } if each < 1.0 => format!("{} of a GPU is free", number(each)),
            RoomNeeded::Gpus { each: 1.0, pods: 1 } => "1 GPU is free".into(),
            RoomNeeded::Gpus { each, pods: 1 } => {
                format!("{} are free on one [node]", with_unit(Resource::GPU, each))
            }
            RoomNeeded::Gpus { each, pods } if each <= 1.0 => {
                let all = each * f64::from(pods);
                format!("{} {} free for its {pods} [pods]", with_unit(Resource::GPU, all), are(all))
            }
            RoomNeeded::Gpus { each, pods } => {
                format!("{} are free for each of its {pods} [pods]", with_unit(Resource::GPU, each))
            }
        }
    }
}

/// The outlook of a refusal as a sentence.
pub fn outlook(frame: &Frame, outlook: Outlook) -> Text {
    match outlook {
        Outlook::NextCycle => text!("The scheduler tries it again in the next cycle."),
        Outlook::At { time, what } => {
            let what = match what {
                Ending::Termination => "the [evicted] [pods] are gone and the scheduler tries the [job] again.",
                Ending::Protection => {
                    "the protection ends. From the next cycle on, the protected [jobs] can be [evicted]."
                }
                Ending::Reservation => "the reservation expires.",
                Ending::Backoff => "it is tried again.",
                Ending::PreemptionDelay => "it may preempt.",
                Ending::NoEvictions => "its preemption delay ends; from then on [evictions] are tried for it.",
            };
            text!("At {time} {what}", [time = clock(time), what])
        }
        Outlook::WhenEnds { job, at: Some(end) } => text!(
            "It can start when {job} ends at {end}, unless another [job] comes first.",
            [job = text::job(frame.job(job)), end = clock(end)]
        ),
        Outlook::WhenEnds { job, at: None } => text!(
            "It can start when {job} ends. That [job] has no end time, so this needs a change.",
            [job = text::job(frame.job(job))]
        ),
        Outlook::OnlyByEdit => match frame.next_change_ms {
            None => text!("Only an edit changes this."),
            Some(at) => text!(
                "Only an edit or an entry of the timeline changes this; its next entry is at {at}.",
                [at = clock(Time::from_millis(at))]
            ),
        },
        Outlook::NotForeseeable => {
            text!("Not foreseeable: it depends on which [jobs] end, start or are submitted.")
        }
    }
}
