//! Messages between the page and the engine.
//!
//! Responses are windows: the page requests the cycles it draws, never the whole state. Every request has a generation;
//! responses to an outdated one are dropped. The rows inside responses are defined in [`fairground::moment`].

use std::sync::Arc;

use fairground::scenario::{Diagnostic, JobEntry, Scenario, TimelineEntry};
use serde::{Deserialize, Serialize};

pub use super::moment::{At, BranchId, Focus, Moment, MomentRequest, Stop, Subjects, Wants};
pub use super::others::{Columns, Compared, FileBytes, ImportOptions, ImportReport, Kit, NoteRow, ToCompare};
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
    /// The task was stopped.
    Cancelled,
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
