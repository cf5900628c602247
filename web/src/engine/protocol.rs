//! What the page asks of the engine, and what the engine answers.
//!
//! Protocol types are separate from the engine's and converted by hand in `serve`. Replies are windows: the
//! page asks for the cycles it draws, never for "the state". Every request carries a generation; replies of an
//! old one are dropped. What they are made of: [`fairground::moment`].

use std::sync::Arc;

use fairground::scenario::{Diagnostic, JobEntry, Scenario, TimelineEntry};
use fairground::trace::OrderLevel;
use serde::{Deserialize, Serialize};

pub use super::others::{
    ColumnRow, Columns, FileBytes, Harm, ImportOptions, Kit, Loser, NoteRow, Outcome, QueueCell, Start, Tried,
};
use super::report::{Report, ReportRequest};
pub use fairground::moment::*;

/// A question of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Counts up with every change of what the page wants to see.
    pub generation: u64,
    /// What is asked.
    pub ask: Ask,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Start a run of this scenario and go to a cycle.
    Load {
        /// The scenario.
        scenario: Arc<Scenario>,
        /// The cycle to go to.
        cycle: u32,
    },
    /// The same, but go to a moment: under another policy, or with another interval, the cycle of that moment is another.
    LoadAt {
        /// The scenario.
        scenario: Arc<Scenario>,
        /// Milliseconds since the start.
        time_ms: i64,
    },
    /// Go to a cycle of the present run; cycles on the way are computed.
    GoTo {
        /// The cycle.
        cycle: u32,
    },
    /// Run until a moment, reporting progress; the reply is a frame there.
    RunUntil {
        /// Milliseconds since the start.
        time_ms: i64,
    },
    /// Run on until something happens; the reply is a frame there, and whether it happened.
    RunTo {
        /// What.
        stop: Stop,
    },
    /// The next (or previous) cycle with an event, of the given job or queue if any.
    NextEvent {
        /// From this cycle, exclusive.
        from: u32,
        /// Backwards.
        back: bool,
        /// Only events of this queue.
        queue: Option<String>,
        /// Only events of this job.
        job: Option<String>,
        /// Events that do not count.
        without: Vec<EventWord>,
    },
    /// How the fair share of a queue came about at a cycle.
    Ladder {
        /// The cycle.
        cycle: u32,
        /// The queue.
        queue: String,
        /// 0 cpu, 1 memory, 2 gpu.
        resource: u8,
    },
    /// In which order a queue, or a job of it, and those beside it are looked at next.
    Order {
        /// The cycle.
        cycle: u32,
        /// The queue.
        queue: String,
        /// The job.
        job: Option<String>,
    },
    /// The frame of another scenario at a cycle and then its run, without leaving the present run: what an edit would
    /// do, or undid. While one is computed, only the latest of those that come in is kept for afterwards.
    Alternative {
        /// The scenario.
        scenario: Arc<Scenario>,
        /// The cycle of the frame; `None`: no frame is wanted.
        cycle: Option<u32>,
        /// Also how this queue's fair share of this resource would come about.
        ladder: Option<(String, u8)>,
        /// The run goes on as far as this cycle.
        until: u32,
        /// What is told of the run, besides the run in short.
        report_request: Option<ReportRequest>,
        /// It may be asked for next: nothing is told, it is computed while nobody asks.
        is_early: bool,
    },
    /// When a job runs in variations of the scenario, held against the scenario itself. Only the latest one counts.
    Try {
        /// The job.
        job: String,
        /// From which cycle on.
        cycle: u32,
        /// The scenarios; the first is the unchanged one.
        scenarios: Vec<Arc<Scenario>>,
    },
    /// Read pasted or dropped files, in any mixture.
    Import {
        /// The files: name and content.
        files: Vec<(String, FileBytes)>,
        /// Choices of the reader.
        options: ImportOptions,
    },
    /// Write a scenario as its scheduler reads it.
    Export {
        /// The scenario.
        scenario: Arc<Scenario>,
        /// The name of the format.
        format: String,
        /// The file it came from, if it came from one.
        original: Option<String>,
    },
    /// Write a scenario as a virtual cluster with the real scheduler of its policy. Only the latest request counts.
    Kit {
        /// The scenario.
        scenario: Arc<Scenario>,
    },
    /// Write a scenario as it is kept on the device.
    Pack {
        /// The scenario; `None`: the one that was loaded last.
        scenario: Option<Arc<Scenario>>,
    },
    /// Write the run up to its furthest cycle as a table: all events, or what queues have.
    Csv {
        /// Whether it is of events.
        is_of_events: bool,
    },
    /// Tell of the whole run, as it is at the present cycle.
    Report(ReportRequest),
    /// The scenario in the words of another policy.
    Translate {
        /// The scenario.
        scenario: Arc<Scenario>,
        /// The policy.
        policy: String,
    },
    /// What runs of the scenario come to under policies, its words translated. Only the latest request counts.
    Compare {
        /// The scenario.
        scenario: Arc<Scenario>,
        /// The policies.
        policies: Vec<String>,
        /// Until this moment; `None`: until nothing further happens.
        until_ms: Option<i64>,
    },
    /// The rules of a policy, and which of them its switches enter.
    Rules {
        /// The policy.
        policy: String,
    },
    /// What a rule did in the present cycle.
    RuleUse {
        /// The cycle.
        cycle: u32,
        /// The rule's key.
        rule: String,
    },
    /// Stop what is going on.
    Cancel,
}

/// What a run stops at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stop {
    /// A pod of the job is placed.
    Starts(String),
    /// The queue comes to hold its fair share of GPUs, or its quota where there is no fair share.
    Share(String),
    /// A pod is evicted.
    Evicts,
    /// Nothing happens in a cycle.
    Nothing,
}

/// An answer of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Of the request.
    pub generation: u64,
    /// What is said.
    pub say: Say,
}

/// What can be said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Say {
    /// The engine is there.
    Ready,
    /// The state after a cycle, and the run so far in short.
    Frame {
        /// The frame.
        frame: Box<Frame>,
        /// The run up to the furthest computed cycle.
        run: Box<Run>,
    },
    /// The frame of a scenario that is being edited; `None` if it cannot run.
    Alternative {
        /// The frame.
        frame: Option<Box<Frame>>,
        /// How the fair share that was asked for would come about: its levels from the root down.
        levels: Vec<LadderLevel>,
    },
    /// The run of the scenario whose frame was an alternative.
    AlternativeRun {
        /// In short.
        run: Box<Run>,
        /// What was to be told of it.
        report: Option<Box<Report>>,
    },
    /// The scenario cannot run; its findings are computed by the page itself.
    Refused {
        /// The findings as lines.
        findings: Vec<String>,
    },
    /// Computing.
    Progress {
        /// Cycle reached.
        cycle: u32,
        /// Time reached.
        time_ms: i64,
        /// Where it goes: a cycle or a time, whichever was asked.
        to_cycle: Option<u32>,
        /// Where it goes.
        to_time_ms: Option<i64>,
    },
    /// The cycle of the event asked for, if there is one (known so far or found by running at most 10,000 cycles).
    Event {
        /// The cycle.
        cycle: Option<u32>,
    },
    /// Why a run stopped: what it was to stop at happened, or it ended before.
    Stopped {
        /// It happened.
        met: bool,
    },
    /// The ladder of a fair share.
    Ladder {
        /// The queue.
        queue: String,
        /// 0 cpu, 1 memory, 2 gpu.
        resource: u8,
        /// Its levels from the root down.
        levels: Vec<LadderLevel>,
    },
    /// In which order queues and jobs are looked at next: its levels from the root down.
    Order(Vec<OrderLevel>),
    /// Files were received and are being read.
    Reading,
    /// A piece of the scenario that [`Say::Imported`] completes.
    Piece(Piece),
    /// What was understood of pasted or dropped files.
    Imported {
        /// The scenario, if there is one; its long sections were sent before it in pieces.
        scenario: Option<Box<Scenario>>,
        /// What `check` says about the whole scenario, errors first.
        checked: Vec<Diagnostic>,
        /// Further scenarios in the files (format 1, JSON).
        more: Vec<String>,
        /// It was made of a trace: nodes, quota scale and policy can be chosen.
        is_trace: bool,
        /// It is no scenario of the page's own: its policy can be chosen.
        is_foreign: bool,
        /// The first rows of a trace.
        columns: Option<Columns>,
        /// What was understood.
        understood: Vec<String>,
        /// What was assumed.
        assumed: Vec<String>,
        /// What was ignored.
        ignored: Vec<String>,
        /// What is wrong.
        findings: Vec<String>,
    },
    /// A scenario as it is kept on the device; `None`: it is too large for that.
    Packed(Option<String>),
    /// A scenario as its scheduler reads it.
    Exported(Option<Exported>),
    /// A scenario as a virtual cluster; `None`: it cannot run, or has too many pods.
    Kit(Option<Box<Kit>>),
    /// A table of the whole run.
    Csv {
        /// Whether it is of events.
        is_of_events: bool,
        /// The table, as comma-separated values.
        text: String,
    },
    /// What came of variations; `None`: the scenario is too large to be run again for each.
    Tried(Option<Box<Tried>>),
    /// What was to be told; `None`: there is no run.
    Report(Option<Box<Report>>),
    /// The scenario in the words of another policy.
    Translated {
        /// The policy.
        policy: String,
        /// The scenario; `None`: this engine cannot translate it.
        scenario: Option<Box<Scenario>>,
        /// What became of its settings.
        notes: Vec<NoteRow>,
    },
    /// How far the run of a comparison came.
    Comparing {
        /// Its policy.
        policy: String,
        /// The cycle.
        cycle: u32,
    },
    /// What a run came to under a policy.
    Compared {
        /// The run.
        column: Box<ColumnRow>,
    },
    /// The rules of a policy; none, if this engine has it not.
    Rules(Box<Rulebook>),
    /// What a rule did in a cycle.
    RuleUse(Box<RuleUse>),
    /// The request was stopped.
    Cancelled,
}

/// Some entries of a long section of a scenario: one message with all of them would hold up the page while it is unpacked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Piece {
    /// The next jobs.
    Jobs(Vec<JobEntry>),
    /// The next entries of the timeline.
    Timeline(Vec<TimelineEntry>),
}

/// A scenario as its scheduler reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// The name of the format.
    pub format: String,
    /// What the file cannot say.
    pub left_out: Vec<String>,
    /// The whole file.
    pub text: String,
    /// What changed against the file the scenario came from, as a unified difference; `None`: it came from none.
    pub changes: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Findings travel with their codes and fixes.
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
            Ask::Cancel,
            Ask::GoTo { cycle: 300 },
            Ask::RunUntil { time_ms: -86_400_000 },
            Ask::NextEvent { from: 0, back: true, queue: None, job: None, without: vec![EventWord::Gone] },
            Ask::Load { scenario: scenario(), cycle: u32::MAX },
        ];
        for ask in requests {
            let request = Request { generation: 1 << 40, ask };
            assert_eq!(read::<Request>(&write(&request)), Ok(request));
        }
    }

    #[test]
    fn garbled_bytes_are_refused() {
        let bytes = write(&Request { generation: 5, ask: Ask::Load { scenario: scenario(), cycle: 9 } });
        for cut in 0..bytes.len() {
            assert!(read::<Request>(&bytes[..cut]).is_err(), "{cut}");
        }
        assert!(read::<Vec<u32>>(&[0xff; 9]).is_err());
    }
}
