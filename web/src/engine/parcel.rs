//! Replies in their transport form. The catalogue of a run is sent once, with the first reply about it; rules are sent
//! as their numbers.

use std::sync::{Arc, LazyLock};

use fairground::policy::Policy;
use fairground::trace::{Check, OrderLevel, Protection, Rule};
use serde::{Deserialize, Serialize};

use super::protocol::{BranchId, EventRow, Frame, LadderLevel, Message, Moment, Names, Response, What};

/// Replies that are sent in one message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Parcel {
    /// For each reply, the catalogue of its run if it differs from that of the previous reply.
    catalogues: Vec<Option<Arc<Names>>>,
    /// The rules of all replies in the order of [`rules`], as indices into [`RULES`].
    rules: Vec<u32>,
    replies: Vec<Message<Response>>,
}

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

impl Parcel {
    /// Packs replies for a receiver that knows these catalogues.
    pub fn pack(mut replies: Vec<Message<Response>>, known: &mut Catalogues) -> Parcel {
        let mut parcel = Parcel::default();
        for reply in &mut replies {
            parcel.catalogues.push(known.new_names(&mut reply.body));
            let number = |rule: &mut Rule| {
                let at = RULES.binary_search_by_key(&rule.key(), |other| other.key());
                at.map_or(u32::MAX, |at| at as u32)
            };
            parcel.rules.extend(rules(&mut reply.body).into_iter().map(number));
        }
        Parcel { replies, ..parcel }
    }

    /// Returns the replies, each with its catalogue and rules restored.
    pub fn unpack(self, known: &mut Catalogues) -> Vec<Message<Response>> {
        let Parcel { catalogues, rules: sent, mut replies } = self;
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
        | Response::Cancelled => None,
    }
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
            let parcel = Parcel::pack(replies.clone(), &mut ours);
            sizes.push(parcel.catalogues.iter().flatten().count());
            let bytes = postcard::to_stdvec(&parcel).expect("plain data");
            let read: Parcel = postcard::from_bytes(&bytes).expect("a parcel");
            assert_eq!(read.unpack(&mut theirs), replies);
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
