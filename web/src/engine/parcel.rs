//! Replies in their transport form. The catalogue of a run is sent once, with the first reply about it; rules are sent
//! as their numbers. The long lists of frames follow behind the replies, row by row, so that reading them can pause.

use std::mem::take;
use std::sync::{Arc, LazyLock};

use fairground::policy::Policy;
use fairground::trace::{Check, OrderLevel, Protection, Refusal, Rule};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::protocol::{
    BranchId, EventRow, Frame, JobRow, LadderLevel, Message, Moment, Names, NodeCard, Response, What,
};

/// Replies that are sent in one message.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Parcel {
    /// For each reply, the catalogue of its run if it differs from that of the previous reply.
    catalogues: Vec<Option<Arc<Names>>>,
    /// The rules of all replies in the order of [`rules`], as indices into [`RULES`].
    rules: Vec<u32>,
    /// For each reply, the numbers of nodes, jobs, events and refusals in its frame, which follow the parcel.
    n_rows: Vec<[u32; 4]>,
    replies: Vec<Message<Response>>,
}

/// Largest number of rows that are read without a pause.
const ROWS_MAX: usize = 100;

/// The rules of all policies by key; both ends have the same.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let books = Policy::NAMES.iter().filter_map(|policy| Policy::rulebook(policy));
    let mut all: Vec<Rule> = books.flat_map(|book| book.rules).collect();
    all.sort_by_key(|rule| rule.key());
    all.dedup();
    all
});

/// What both ends already know.
#[derive(Clone, Debug, Default)]
pub struct Catalogues {
    /// Catalogue of the displayed run, and of the last other one.
    names: [Arc<Names>; 2],
}

/// Packs replies for a receiver that knows these catalogues.
pub fn pack(mut replies: Vec<Message<Response>>, known: &mut Catalogues) -> Vec<u8> {
    let mut parcel = Parcel::default();
    let mut lists = Vec::new();
    for reply in &mut replies {
        parcel.catalogues.push(known.new_names(&mut reply.body));
        let number = |rule: &mut Rule| {
            let at = RULES.binary_search_by_key(&rule.key(), |other| other.key());
            at.map_or(u32::MAX, |at| at as u32)
        };
        parcel.rules.extend(rules(&mut reply.body).into_iter().map(number));
        let rows = frame_of(&mut reply.body).map(Rows::take).unwrap_or_default();
        parcel.n_rows.push(rows.numbers());
        lists.push(rows);
    }
    let mut bytes = with(Vec::new(), &Parcel { replies, ..parcel });
    for Rows { nodes, jobs, events, refusals } in lists {
        bytes = with_rows(bytes, nodes);
        bytes = with_rows(bytes, jobs);
        bytes = with_rows(bytes, events);
        bytes = with_rows(bytes, refusals);
    }
    bytes
}

fn with<T: Serialize>(bytes: Vec<u8>, value: &T) -> Vec<u8> {
    // Fails only for sequences of unknown length, which no reply contains.
    postcard::to_extend(value, bytes).unwrap_or_default()
}

/// Writes a list, which is freed before the next one is written.
fn with_rows<Row: Serialize>(bytes: Vec<u8>, rows: Vec<Row>) -> Vec<u8> {
    rows.iter().fold(bytes, with)
}

/// The long lists of a frame.
#[derive(Default)]
struct Rows {
    nodes: Vec<NodeCard>,
    jobs: Vec<JobRow>,
    events: Vec<EventRow>,
    refusals: Vec<Refusal>,
}

impl Rows {
    fn take(frame: &mut Frame) -> Rows {
        let Frame { nodes, jobs, events, refusals, .. } = frame;
        Rows { nodes: take(nodes), jobs: take(jobs), events: take(events), refusals: take(refusals) }
    }

    fn numbers(&self) -> [u32; 4] {
        [self.nodes.len(), self.jobs.len(), self.events.len(), self.refusals.len()].map(|n| n as u32)
    }
}

/// Replies that are being read.
pub struct Unpacking {
    bytes: Vec<u8>,
    n_read: usize,
    parcel: Parcel,
}

impl Unpacking {
    /// Reads all but the long lists; nothing from bytes that are no packed replies.
    pub fn new(bytes: Vec<u8>) -> Unpacking {
        let (mut parcel, n_rest) = match postcard::take_from_bytes::<Parcel>(&bytes) {
            Ok((parcel, rest)) => (parcel, rest.len()),
            Err(_) => (Parcel::default(), 0),
        };
        for (reply, [nodes, jobs, events, refusals]) in parcel.replies.iter_mut().zip(&parcel.n_rows) {
            if let Some(frame) = frame_of(&mut reply.body) {
                frame.nodes.reserve(*nodes as usize);
                frame.jobs.reserve(*jobs as usize);
                frame.events.reserve(*events as usize);
                frame.refusals.reserve(*refusals as usize);
            }
        }
        Unpacking { n_read: bytes.len() - n_rest, bytes, parcel }
    }

    /// Reads further rows; `false`: there are none.
    pub fn read_rows(&mut self) -> bool {
        (0..ROWS_MAX).all(|_| self.read_row().is_some())
    }

    fn read_row(&mut self) -> Option<()> {
        let Parcel { replies, n_rows, .. } = &mut self.parcel;
        let (reply, left) = replies.iter_mut().zip(n_rows).find(|(_, left)| **left != [0; 4])?;
        let frame = frame_of(&mut reply.body)?;
        let rest = &self.bytes[self.n_read..];
        let (n_left, rest) = match left {
            [0, 0, 0, refusals] => (refusals, read_into(&mut frame.refusals, rest)?),
            [0, 0, events, _] => (events, read_into(&mut frame.events, rest)?),
            [0, jobs, ..] => (jobs, read_into(&mut frame.jobs, rest)?),
            [nodes, ..] => (nodes, read_into(&mut frame.nodes, rest)?),
        };
        *n_left -= 1;
        self.n_read = self.bytes.len() - rest.len();
        Some(())
    }

    /// Returns the replies, each with its catalogue and rules restored.
    pub fn finish(self, known: &mut Catalogues) -> Vec<Message<Response>> {
        let Parcel { catalogues, rules: sent, mut replies, .. } = self.parcel;
        let mut sent = sent.into_iter();
        for (reply, catalogue) in replies.iter_mut().zip(catalogues) {
            let (at, names) = names(&mut reply.body);
            if let Some(catalogue) = catalogue {
                known.names[at] = catalogue;
            }
            names.into_iter().for_each(|names| names.clone_from(&known.names[at]));
            for (rule, at) in rules(&mut reply.body).into_iter().zip(&mut sent) {
                *rule = RULES.get(at as usize).copied().unwrap_or_default();
            }
        }
        replies
    }
}

/// Reads a row; returns the bytes behind it.
fn read_into<'a, Row: DeserializeOwned>(rows: &mut Vec<Row>, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (row, rest) = postcard::take_from_bytes(bytes).ok()?;
    rows.push(row);
    Some(rest)
}

impl Catalogues {
    /// Takes the catalogue out of a reply; returns it if the receiver does not know it.
    fn new_names(&mut self, response: &mut Response) -> Option<Arc<Names>> {
        let (at, names) = names(response);
        let names = names.into_iter().next()?.clone();
        let is_new = !Arc::ptr_eq(&self.names[at], &names);
        self.names[at].clone_from(&names);
        is_new.then_some(names)
    }
}

/// The moment in a reply. No other reply contains catalogues or rules.
fn moment_of(response: &mut Response) -> Option<&mut Moment> {
    match response {
        Response::Moment(moment) => Some(moment),
        Response::Ready
        | Response::Refused { .. }
        | Response::Progress { .. }
        | Response::CycleProgress { .. }
        | Response::Event { .. }
        | Response::Reading
        | Response::Piece(_)
        | Response::Imported { .. }
        | Response::Exported(_)
        | Response::Packed(_)
        | Response::Csv { .. }
        | Response::Tried(_)
        | Response::Translated { .. }
        | Response::Comparing { .. }
        | Response::Compared { .. }
        | Response::Rules(_)
        | Response::Kit(_)
        | Response::Cancelled { .. } => None,
    }
}

fn frame_of(response: &mut Response) -> Option<&mut Frame> {
    moment_of(response)?.frame.as_deref_mut()
}

/// Whether a reply is about the displayed run (0) or another one (1), and the references to its catalogue.
fn names(response: &mut Response) -> (usize, Vec<&mut Arc<Names>>) {
    let Some(Moment { branch, frame, run, .. }) = moment_of(response) else { return (0, Vec::new()) };
    let of_run = run.iter_mut().map(|run| &mut run.names);
    let names = frame.iter_mut().map(|frame| &mut frame.names).chain(of_run);
    (usize::from(*branch != BranchId::Main), names.collect())
}

/// The rules in a reply, always in the same order.
fn rules(response: &mut Response) -> Vec<&mut Rule> {
    let mut all = Vec::new();
    if let Some(moment) = moment_of(response) {
        of_moment(moment, &mut all);
    }
    all
}

fn of_moment<'a>(moment: &'a mut Moment, all: &mut Vec<&'a mut Rule>) {
    let Moment { branch: _, frame, run: _, ladder, order, rule_use, event, report: _, is_met: _ } = moment;
    frame.iter_mut().for_each(|frame| of_frame(frame, all));
    ladder.iter_mut().flat_map(|ladder| &mut ladder.levels).for_each(|level| of_level(level, all));
    order.iter_mut().for_each(|order| of_order(&mut order.levels, all));
    all.extend(rule_use.iter_mut().flat_map(|found| &mut found.checks).map(|check| &mut check.rule));
    let of_event = event.iter_mut().flat_map(|event| Arc::make_mut(&mut event.checks));
    all.extend(of_event.map(|check| &mut check.rule));
}

fn of_frame<'a>(frame: &'a mut Frame, all: &mut Vec<&'a mut Rule>) {
    let of_check = |check: &'a mut Check| &mut check.rule;
    for EventRow { what, checks, .. } in frame.events.iter_mut().chain(&mut frame.evicted) {
        if let What::Mark(mark) = what {
            all.push(&mut mark.rule);
        }
        all.extend(Arc::make_mut(checks).iter_mut().map(of_check));
    }
    for not_selected in &mut frame.not_selected {
        match &mut not_selected.why {
            Protection::Failed(check) | Protection::Later(check) => all.push(of_check(check)),
            Protection::NonPreemptible
            | Protection::Core { .. }
            | Protection::OwnQueue { .. }
            | Protection::NotNeeded => {}
        }
    }
    all.extend(frame.refusals.iter_mut().flat_map(|refusal| &mut refusal.checks).map(of_check));
}

fn of_order<'a>(levels: &'a mut [OrderLevel], all: &mut Vec<&'a mut Rule>) {
    let places = levels.iter_mut().flat_map(|level| &mut level.places);
    all.extend(places.flat_map(|place| &mut place.behind).map(|check| &mut check.rule));
}

fn of_level<'a>(level: &'a mut LadderLevel, all: &mut Vec<&'a mut Rule>) {
    all.extend(level.lines.iter_mut().filter_map(|line| line.step.rule_mut()));
    all.extend(level.alternatives.iter_mut().map(|share| &mut share.rule));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{Message, MomentRequest, Request};
    use crate::engine::serve::Server;

    /// A run's catalogue is sent once; recorded values survive unchanged, including infinite bounds.
    #[test]
    fn moments_are_read_back_with_their_catalogue() {
        let scenario = std::sync::Arc::new(crate::library::start());
        let mut server = Server::default();
        let (mut ours, mut theirs) = (Catalogues::default(), Catalogues::default());
        let mut sizes = Vec::new();
        for ask in [MomentRequest::main_at(&scenario, 1), MomentRequest::go_to(2), MomentRequest::main_at(&scenario, 1)]
        {
            let mut replies = server.handle(Message { generation: 1, body: Request::Moment(ask) });
            while server.is_busy() {
                replies.extend(server.work());
            }
            let mut read = Unpacking::new(pack(replies.clone(), &mut ours));
            sizes.push(read.parcel.catalogues.iter().flatten().count());
            while read.read_rows() {}
            assert_eq!(read.n_read, read.bytes.len());
            assert_eq!(read.finish(&mut theirs), replies);
        }
        assert_eq!(sizes, [1, 0, 1]);
    }

    #[test]
    fn every_rule_has_a_number() {
        for policy in Policy::NAMES {
            for rule in Policy::rulebook(policy).expect("a policy").rules {
                assert!(RULES.iter().any(|other| other.0 == rule.0), "{policy}: {}", rule.key());
            }
        }
        for example in crate::library::EXAMPLES {
            let mut server = Server::default();
            let ask = MomentRequest::main_at(&Arc::new(example.scenario()), 3);
            let mut replies = server.handle(Message { generation: 1, body: Request::Moment(ask) });
            while server.is_busy() {
                replies.extend(server.work());
            }
            let mut decide = replies.iter_mut().flat_map(|reply| rules(&mut reply.body));
            assert!(decide.all(|rule| RULES.contains(rule)), "{}", example.id);
        }
    }
}
