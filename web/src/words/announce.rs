//! One sentence per step: shown under the header, and announced to screen readers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fairground::id::{JobId, QueueId};
use fairground::text;
use fairground::trace::{Event, EvictReason};
use fairground::units::Resource;
use fairground::words::number::{amount, with_unit};
use fairground::words::{Group, Terms, Text, capital, groups, joined, node_state, requested_amount};

use crate::chart::queue_tree::{Tree, touched};
use crate::engine::protocol::{Amounts, EventRow, EventWord, Frame, JobRow, What};
use crate::words::jobs::{Job, listed, listed_in_queue, queue_of};

/// Listed events; further ones are counted.
const LISTED: usize = 4;

/// Evictions from more queues than this are reported together.
const LOSERS_MAX: usize = 2;

/// Above this number of groups or events, those of one job are not matched with each other.
const COMPARED: usize = 200;

/// *Cycle 7: team-a gives up 1 GPU: a2 makes room for b2. team-a 2, team-b 1.*
pub fn announce(frame: &Frame, resource: Resource) -> String {
    let head = if frame.cycle == 0 { "At the start".to_string() } else { format!("Cycle {}", frame.cycle) };
    report_step(frame, resource, &head)
}

/// Sentence of one action, whose events are the only ones in the frame: *Cycle 7, reclaim: …*
pub fn announce_action(frame: &Frame, resource: Resource) -> String {
    let name = action(frame.action_of(0));
    let comma = if name.is_empty() { "" } else { ", " };
    report_step(frame, resource, &format!("Cycle {}{comma}{name}", frame.cycle))
}

/// Display name of an action of a cycle.
pub fn action(name: &str) -> &str {
    match name {
        "stalegangeviction" => "eviction of stale gangs",
        name => name,
    }
}

/// Decisions, then external events: *a2 started on node-1; b2 was submitted. b1 still waits.*
pub fn step_sentence(frame: &Frame) -> Text {
    let waiting = still_waiting(frame);
    match happened(frame, true) {
        Some(happened) if waiting.is_empty() => text!("{happened}.", [happened]),
        Some(happened) => text!("{happened}. {waiting}.", [happened, waiting]),
        None => unchanged(frame, "Nothing changed", waiting),
    }
}

/// *Nothing changed; b1 still waits.* *Nothing changed; no job waits.*
fn unchanged(frame: &Frame, says: &str, waiting: Text) -> Text {
    let more = if frame.quiet { ", and nothing more will happen" } else { "" };
    let (is_running, is_waiting) =
        (frame.jobs.iter().any(|job| job.running > 0), frame.jobs.iter().any(|job| job.pending > 0));
    let stays = if is_running && !is_waiting {
        Some(text!("; {none}", [none = Terms::of(&frame.policy).fill("no [job] waits")]))
    } else {
        (!waiting.is_empty()).then(|| text!("; {waiting}", [waiting]))
    };
    text!("{says}{more}{stays}.", [says, more, stays])
}

/// The jobs that keep waiting: *b1 still waits*, *5 jobs of night still wait*; empty if there are none.
fn still_waiting(frame: &Frame) -> Text {
    let waiting: Vec<&JobRow> = frame.jobs.iter().filter(|row| row.pending > 0).collect();
    if frame.cycle == 0 || waiting.is_empty() {
        return Text::default();
    }
    let jobs_of = |is_of: fn(EventWord) -> bool| -> HashSet<JobId> {
        let events = frame.events.iter().filter(|event| is_of(event.word()));
        events.flat_map(|event| [frame.job_of(event), event.by()]).flatten().collect()
    };
    let told = jobs_of(|word| word.is_decision() || word == EventWord::Requeued);
    let submitted = jobs_of(|word| word == EventWord::Submitted);
    let refused: HashSet<JobId> = frame.refusals.iter().map(|refusal| refusal.job).collect();
    let fates = frame.fates();
    // One that was submitted but not considered, or runs in part, waits for nothing that it was refused.
    let is_kept_waiting = |row: &&JobRow| {
        !told.contains(&row.id)
            && !fates.contains_key(&row.id)
            && (refused.contains(&row.id) || row.running == 0 && !submitted.contains(&row.id))
    };
    let waiting = waiting.into_iter().filter(is_kept_waiting);
    let jobs = waiting.map(|row| Job { name: &row.name, queue: frame.queue(QueueId(row.queue)), pods: 1 });
    let jobs: Vec<Job<'_>> = jobs.collect();
    if jobs.is_empty() {
        return Text::default();
    }
    let wait = if jobs.len() == 1 { "waits" } else { "wait" };
    text!("{jobs} still {wait}", [jobs = listed(&jobs, Terms::of(&frame.policy)), wait])
}

fn report_step(frame: &Frame, resource: Resource, head: &str) -> String {
    let waiting = still_waiting(frame);
    let Some(said) = happened(frame, false) else {
        return format!("{head}: {}", unchanged(frame, "nothing changed", waiting).spoken());
    };
    let waiting = if waiting.is_empty() { String::new() } else { format!(" {}.", waiting.spoken()) };
    format!("{head}: {}.{}{waiting}", said.spoken(), holdings(frame, resource))
}

/// The allocations of the queues that the events affect.
fn holdings(frame: &Frame, resource: Resource) -> String {
    let tree = Tree::new(&frame.queues);
    let touched = touched(frame);
    let of_queue = |queue: &u32| {
        let queue = &frame.queues[*queue as usize];
        format!("{} {}", queue.name, amount(resource, queue.allocated[resource.index()]))
    };
    let order = tree.order();
    let queues = order.iter().filter(|queue| touched.contains(queue)).take(LISTED);
    let holdings: Vec<String> = queues.map(of_queue).collect();
    if holdings.is_empty() { String::new() } else { format!(" {}.", holdings.join(", ")) }
}

/// All events, decisions first; `None` if there are none.
fn happened(frame: &Frame, is_start: bool) -> Option<Text> {
    let terms = Terms::of(&frame.policy);
    let groups = groups(frame);
    let mut clauses: Vec<Clause<'_>> = Vec::new();
    let mut positions = HashMap::new();
    let takers = takers(&groups);
    let is_decided = |group: &&Group<'_>| group.first.word().is_decision();
    let decided = groups.iter().filter(is_decided);
    for group in decided.chain(groups.iter().filter(|group| !is_decided(group))) {
        let claimer = frame.job_of(group.first).filter(|_| group.first.word() == EventWord::Claimed);
        let is_covered = claimer.is_some_and(|job| takers.contains(&job))
            || is_with_its_job(group.first)
            || group.first.word() == EventWord::Requeued && is_restarted(frame, group, &groups);
        if !is_covered && !is_submitted_and_decided(frame, group, &groups, &takers) {
            let Some(clause) = Clause::of(frame, group, is_restarted(frame, group, &groups)) else { continue };
            let position = clause.key().map(|key| *positions.entry(key).or_insert(clauses.len()));
            match position.and_then(|position| clauses.get_mut(position)) {
                Some(other) => other.join(clause),
                None => clauses.push(clause),
            }
        }
    }
    let clauses = join_takers(clauses);
    let n = clauses.len();
    let clauses = clauses.into_iter().take(LISTED).enumerate();
    let all = joined(clauses.map(|(i, clause)| clause.says(terms, is_start && i == 0)), "; ");
    let more = if n > LISTED { format!("; {} more", n - LISTED) } else { String::new() };
    (n > 0).then(|| text!("{all}{more}", [all, more]))
}

/// The jobs for which others were evicted.
fn takers(groups: &[Group<'_>]) -> BTreeSet<JobId> {
    groups.iter().filter(|group| is_for_another(group.first)).filter_map(|group| group.first.by()).collect()
}

/// Whether a job was submitted and a decision about it is listed.
fn is_submitted_and_decided(frame: &Frame, group: &Group<'_>, all: &[Group<'_>], takers: &BTreeSet<JobId>) -> bool {
    let job = frame.job_of(group.first).filter(|_| group.first.word() == EventWord::Submitted);
    let Some(job) = job.filter(|_| all.len() <= COMPARED) else { return false };
    let is_about_it = |other: &Group<'_>| other.first.word().is_decision() && frame.job_of(other.first) == Some(job);
    takers.contains(&job) || all.iter().any(is_about_it)
}

/// Whether all pods of the group's job that wait again in this cycle start in it too, such as moved ones.
fn is_restarted(frame: &Frame, group: &Group<'_>, all: &[Group<'_>]) -> bool {
    let job = frame.job_of(group.first);
    let n_of = |word: EventWord| {
        let of_job = all.iter().find(|other| other.first.word() == word && frame.job_of(other.first) == job);
        of_job.map_or(0, |other| other.n)
    };
    let n_requeued = if all.len() <= COMPARED { n_of(EventWord::Requeued) } else { 0 };
    n_requeued > 0 && n_of(EventWord::Started) >= n_requeued
}

/// Whether the event is an eviction in favour of another job.
fn is_for_another(row: &EventRow) -> bool {
    matches!(row.word(), EventWord::Reclaimed | EventWord::Preempted) && row.by().is_some()
}

/// Whether the event is the end of a pod because the timeline ended its job, which is an event of its own.
fn is_with_its_job(row: &EventRow) -> bool {
    row.eviction() == Some(EvictReason::Withdrawn)
}

/// Event, predicates, and the job that gets the resources.
type Key<'a> = (EventWord, [Cow<'static, str>; 2], Option<&'a str>);

/// The same event of several jobs.
struct Clause<'a> {
    word: EventWord,
    /// The jobs that get the resources.
    by: Vec<Job<'a>>,
    /// Words before the names.
    lead: &'static str,
    jobs: Vec<Job<'a>>,
    /// The predicate of one job, and of several.
    says: [Cow<'static, str>; 2],
    /// Node, if the event concerns a single pod.
    node: Option<&'a str>,
    /// What it was about.
    amount: Amounts,
    /// Index of the resource that the jobs of the run compete for.
    resource: Resource,
}

impl<'a> Clause<'a> {
    /// `None` for events that only describe what is known of a node.
    fn of(frame: &'a Frame, group: &Group<'_>, is_restart: bool) -> Option<Clause<'a>> {
        let row = group.first;
        let What::Event(event) = row.what else { return None };
        let (lead, [one, many]) = match predicate(row, event) {
            (lead, [" started", " started"]) if is_restart => (lead, [" restarted"; 2]),
            said => said,
        };
        let node = match event {
            Event::Bound { node, .. } if group.n == 1 => Some(frame.node(node)),
            Event::Changed { node: Some((node, _)), .. } => Some(frame.node(node)),
            _ => None,
        };
        let says = match event {
            Event::Changed { node: Some((_, state)), .. } => [format!(" {}", node_state(state)).into(), "".into()],
            _ => [one.into(), many.into()],
        };
        let job = frame.job_of(row).map(|job| Job::of(frame, job, group.n));
        Some(Clause {
            word: row.word(),
            by: row.by().filter(|_| is_for_another(row)).map(|by| Job::of(frame, by, 1)).into_iter().collect(),
            lead,
            jobs: job.into_iter().collect(),
            says,
            node,
            amount: group.amount,
            resource: frame.names.resource,
        })
    }

    /// Clauses with equal keys are one part of the sentence; `None`: it is one by itself.
    fn key(&self) -> Option<Key<'a>> {
        let is_single = match self.word {
            EventWord::Node => true,
            EventWord::Changed => self.jobs.is_empty(),
            _ => false,
        };
        (!is_single).then(|| (self.word, self.says.clone(), self.by.first().map(|job| job.name)))
    }

    fn join(&mut self, other: Clause<'a>) {
        self.jobs.extend(other.jobs);
        self.amount.iter_mut().zip(other.amount.iter()).for_each(|(sum, amount)| *sum += amount);
    }

    fn says(self, terms: &Terms, is_start: bool) -> Text {
        let lead = terms.fill(self.lead);
        let lead = if is_start { capital(&lead) } else { lead };
        let n = self.jobs.len();
        let node = self.node.map(|node| Text::default().node(node));
        if let (EventWord::Node, Some(node)) = (self.word, &node) {
            return text!("{lead}{node}{is}", [lead, node = node.clone(), is = terms.fill(&self.says[0])]);
        }
        if !self.by.is_empty() {
            return text!("{lead}{gives_up}", [lead, gives_up = self.gives_up(terms)]);
        }
        let (jobs, does) = (listed(&self.jobs, terms), terms.fill(&self.says[usize::from(n > 1)]));
        let on = node.filter(|_| n == 1).map(|node| text!(" on {node}", [node]));
        text!("{lead}{jobs}{does}{on}", [lead, jobs, does, on])
    }

    /// *team-a gives up 1 GPU: a2 makes room for b2*; within a queue, and from several, *a2 gives up its GPU for b2*.
    fn gives_up(&self, terms: &Terms) -> Text {
        let is_one = self.jobs.len() == 1;
        let (jobs, takers) = (listed(&self.jobs, terms), listed(&self.by, terms));
        let Some((resource, amount)) = requested_amount(self.resource, &self.amount) else {
            let (are, evicted) = (if is_one { "was" } else { "were" }, terms.word(self.word.name()));
            return text!("{jobs} {are} {evicted} for {takers}", [jobs, are, evicted, takers]);
        };
        let loser = queue_of(&self.jobs).filter(|queue| self.by.iter().all(|by| by.queue != *queue));
        let with_unit = with_unit(resource, amount);
        if let Some(queue) = loser {
            let (queue, make) = (Text::default().queue(queue), if is_one { "makes" } else { "make" });
            let jobs = listed_in_queue(&self.jobs, terms);
            return text!(
                "{queue} gives up {with_unit}: {jobs} {make} room for {takers}",
                [queue, with_unit, jobs, make, takers]
            );
        }
        let give = if is_one { "gives" } else { "give" };
        let what = if is_one && resource == Resource::GPU && amount == 1.0 { "its GPU".into() } else { with_unit };
        text!("{jobs} {give} up {what} for {takers}", [jobs, give, what, takers])
    }
}

/// Merges evictions of one kind for different jobs into one part of the sentence: those from one queue, and all if
/// there are many queues.
fn join_takers(all: Vec<Clause<'_>>) -> Vec<Clause<'_>> {
    let losers = |word: EventWord| -> BTreeSet<Option<&str>> {
        let evictions = all.iter().filter(|one| one.word == word && !one.by.is_empty());
        evictions.map(|one| queue_of(&one.jobs)).collect()
    };
    let are_many = [EventWord::Reclaimed, EventWord::Preempted].map(|word| (word, losers(word).len() > LOSERS_MAX));
    let mut joined: Vec<Clause<'_>> = Vec::new();
    let mut positions = BTreeMap::new();
    for mut next in all {
        let is_one_of_many = are_many.contains(&(next.word, true));
        let queue = queue_of(&next.jobs).filter(|_| !is_one_of_many);
        let position = (!next.by.is_empty()).then(|| *positions.entry((next.word, queue)).or_insert(joined.len()));
        match position.and_then(|position| joined.get_mut(position)) {
            Some(first) => {
                first.by.append(&mut next.by);
                first.join(next);
            }
            None => joined.push(next),
        }
    }
    for clause in joined.iter_mut().filter(|clause| !clause.by.is_empty()) {
        clause.jobs = each_once(&clause.jobs);
    }
    joined
}

/// Each job once, with the pods of all its mentions.
fn each_once<'a>(jobs: &[Job<'a>]) -> Vec<Job<'a>> {
    let mut merged: Vec<Job<'_>> = Vec::new();
    let mut positions = BTreeMap::new();
    for &job in jobs {
        let position = *positions.entry(job.name).or_insert(merged.len());
        match merged.get_mut(position) {
            Some(same) => same.pods += job.pods,
            None => merged.push(job),
        }
    }
    merged
}

/// Words before the names, and the predicates for one name and for several.
fn predicate(row: &EventRow, event: Event) -> (&'static str, [&'static str; 2]) {
    match event {
        Event::Submitted { .. } => ("", [" was submitted", " were submitted"]),
        Event::Joined { .. } => ("[pods] joined ", ["", ""]),
        Event::Bound { .. } => ("", [" started", " started"]),
        Event::Found { .. } => ("", [" was found running", " were found running"]),
        Event::DevicesChanged { .. } => ("", [" uses other devices", " use other devices"]),
        Event::Claimed { .. } => ("room is [claimed] for ", ["", ""]),
        Event::Unclaimed { .. } => ("", [" lost its claim", " lost their claims"]),
        Event::Evicted { .. } if row.word() == EventWord::Moved => ("", [" is moved", " are moved"]),
        Event::Evicted { .. } => ("", [" was [evicted]", " were [evicted]"]),
        Event::Requeued { .. } => ("", [" waits again", " wait again"]),
        Event::NotReplaced { .. } => ("", [" is not recreated", " are not recreated"]),
        Event::Finished { .. } => ("", [" finished", " finished"]),
        Event::Offered { .. } => ("", [" is tried in another pool", " are tried in other pools"]),
        Event::SetAside { .. } => ("", [" is not tried again", " are not tried again"]),
        Event::Gone { .. } => ("", [" has shut down", " have shut down"]),
        Event::JobDone { .. } => ("", [" is done", " are done"]),
        Event::JobEvicted { .. } => (
            "",
            [" is over: its [evicted] [pods] are not recreated", " are over: their [evicted] [pods] are not recreated"],
        ),
        Event::Changed { ended: Some(_), .. } => ("", [" was ended by the timeline", " were ended by the timeline"]),
        Event::Changed { node: None, .. } => ("the configuration changed", ["", ""]),
        Event::Changed { node: Some(_), .. } => ("", ["", ""]),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use fairground::cluster::Devices;
    use fairground::id::{NodeId, PodId};
    use fairground::trace::{Gate, Outlook, Refusal};

    use super::super::tests::real;
    use super::*;
    use crate::fixtures;

    #[test]
    fn steps_are_announced() {
        assert_eq!(
            announce(&fixtures::reclaimed(), Resource::GPU),
            "Cycle 1: team-a gives up 1 GPU: a2 makes room for b2. team-a 2, team-b 1."
        );
        assert_eq!(announce(&fixtures::start(), Resource::GPU), "At the start: b2 was submitted.");
        assert_eq!(announce(&Frame { cycle: 3, ..Frame::default() }, Resource::GPU), "Cycle 3: nothing changed.");
    }

    #[test]
    fn a_step_is_one_sentence() {
        let said = |frame: &Frame| step_sentence(frame).spoken();
        assert_eq!(said(&fixtures::reclaimed()), "team-a gives up 1 GPU: a2 makes room for b2.");
        assert_eq!(said(&Frame { cycle: 3, ..Frame::default() }), "Nothing changed.");
        let quiet = Frame { cycle: 3, quiet: true, ..Frame::default() };
        assert_eq!(said(&quiet), "Nothing changed, and nothing more will happen.");
        let lines: String = [
            ("gang-of-four", 1),
            ("gang-of-four", 2),
            ("preemption-fence", 3),
            ("ego-grace", 3),
            ("morning-rush", 4),
            ("quota-is-a-floor", 1),
            ("department-empty", 1),
        ]
        .map(|(id, cycle)| format!("{id} {cycle}: {}\n", step_sentence(&real(id, cycle))))
        .concat();
        expect![[r#"
            gang-of-four 1: `small` started on `node-2`. `gang` still waits.
            gang-of-four 2: Nothing changed, and nothing more will happen; `gang` still waits.
            preemption-fence 3: `y-1` started on `n1`.
            ego-grace 3: `b-1` started on `host-2`; `a10` was ended by the timeline. 10 allocations of `A` and 3 of `B` still wait.
            morning-rush 4: Nothing changed; no job waits.
            quota-is-a-floor 1: `team-a` gives up 4 GPUs: `a5`, `a6`, `a7` and `a8` make room for `b1`, `b2`, `b3` and `b4`.
            department-empty 1: `nlp` gives up 3 GPUs: `n2`, `n3` and `n4` make room for `ad1`, `ad3` and `ad5`; `vision` gives up 3 GPUs: `v2`, `v3` and `v4` make room for `ad2`, `ad4` and `ad6`.
        "#]]
        .assert_eq(&lines);
    }

    #[test]
    fn the_end_of_a_running_job_by_the_timeline_is_one_event() {
        let mut frame = fixtures::reclaimed();
        let row = &frame.events[0];
        let (pod, node) = (row.pod().expect("a pod"), row.node().expect("a node"));
        let ended = Event::Changed { entry: 0, node: None, ended: frame.job_of(row) };
        let evicted = Event::Evicted { pod, node, by: None, reason: EvictReason::Withdrawn };
        frame.events = vec![EventRow::of(ended), EventRow::of(evicted)];
        assert_eq!(step_sentence(&frame).spoken(), "a2 was ended by the timeline. b2 still waits.");
    }

    /// A pod that waits again and starts in the same cycle, such as a moved one, restarts; jobs that were refused keep
    /// waiting.
    #[test]
    fn a_restart_is_no_wait() {
        let mut frame = fixtures::start();
        let pod = |job: &str| PodId(frame.names.find(job).expect("a job").0);
        let (moved, placed) = (pod("a2"), pod("b2"));
        let bound = |pod, node| Event::Bound { pod, node: NodeId(node), devices: Devices(1) };
        let events = [Event::Requeued { pod: moved }, bound(placed, 1), bound(moved, 0)];
        let waiting = frame.names.find("w1").expect("a job");
        let refusal = Refusal {
            job: waiting,
            gate: Gate::NoVictims { tried: 0, ancestor: None },
            also: Vec::new(),
            checks: Vec::new(),
            outlook: Outlook::NotForeseeable,
        };
        (frame.events, frame.refusals) = (events.map(EventRow::of).to_vec(), vec![refusal]);
        frame.cycle = 3;
        frame.jobs.push(JobRow { id: waiting, name: "w1".into(), pending: 1, ..JobRow::default() });
        let said = step_sentence(&frame).spoken();
        assert_eq!(said, "b2 started on node-2; a2 restarted on node-1. w1 still waits.");
    }
}
