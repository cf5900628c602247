//! One sentence per step: shown under the header, and announced to screen readers.

use fairground::id::JobId;
use fairground::moment::fate;
use fairground::trace::{Event, EvictReason};
use fairground::words::number::{GPU, amount, count, with_unit};
use fairground::words::{Group, Terms, Text, capital, groups, node_state, requested};

use crate::chart::queue_tree::{Tree, touched};
use crate::engine::protocol::{Amounts, EventRow, EventWord, Frame, What};

/// Listed events; further ones are counted.
const LISTED: usize = 4;

/// Listed names; further ones are counted.
const NAMED: usize = 3;

/// Evictions for more jobs than this are reported together.
const TAKERS: usize = 2;

/// Above this number of groups or events, those of one job are not matched with each other.
const COMPARED: usize = 200;

/// *Cycle 7: a2 gave up its GPU for b2. team-a 2, team-b 1.*
pub fn announce(frame: &Frame, resource: u8) -> String {
    let head = if frame.cycle == 0 { "At the start".to_string() } else { format!("Cycle {}", frame.cycle) };
    report_step(frame, resource, &head)
}

/// Sentence of one action, whose events are the only ones in the frame: *Cycle 7, reclaim: …*
pub fn announce_action(frame: &Frame, resource: u8) -> String {
    let name = frame.events.first().map_or("", |event| action(&event.action));
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

/// Decisions, then external events: *a2 gave up its GPU for b2; b2 was submitted.*
pub fn step_sentence(frame: &Frame) -> Text {
    let said = match happened(frame, true) {
        Some(text) => text.say("."),
        None if frame.quiet => Text::of("Nothing changed, and nothing more will happen."),
        None => Text::of("Nothing changed."),
    };
    said.then(still_waiting(frame))
}

/// The jobs that were considered in this cycle and keep waiting: * b1 keeps waiting.*
fn still_waiting(frame: &Frame) -> Text {
    let is_for = |job: JobId, event: &EventRow| {
        let is_told = event.word().is_decision() || event.word() == EventWord::Requeued;
        is_told && (frame.job_of(event) == Some(job) || event.by() == Some(job))
    };
    let is_named =
        |job: JobId| frame.events.len() <= COMPARED && frame.events.iter().any(|event| is_for(job, event));
    // Jobs that have failed no longer wait.
    let waiting = frame.refusals.iter().filter(|refusal| fate(&refusal.gate).is_none());
    let jobs: Vec<JobId> = waiting.map(|refusal| refusal.job).filter(|job| !is_named(*job)).collect();
    let keep = if jobs.len() == 1 { " keeps waiting." } else { " keep waiting." };
    match jobs.is_empty() {
        true => Text::default(),
        false => {
            let names = first_few(jobs.iter().map(|job| Text::default().job(frame.job(*job))));
            Text::of(" ").list(names, "and").say(keep)
        }
    }
}

fn report_step(frame: &Frame, resource: u8, head: &str) -> String {
    let waiting = still_waiting(frame).spoken();
    let Some(said) = happened(frame, false) else { return format!("{head}: nothing changed.{waiting}") };
    let holdings = holdings(frame, resource.min(2));
    format!("{head}: {}.{holdings}{waiting}", said.spoken())
}

/// The allocations of the queues that the events affect.
fn holdings(frame: &Frame, r: u8) -> String {
    let tree = Tree::new(&frame.queues);
    let touched = touched(frame);
    let of_queue = |queue: &u32| {
        let queue = &frame.queues[*queue as usize];
        format!("{} {}", queue.name, amount(r, queue.allocated[usize::from(r)]))
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
    let mut clauses: Vec<Clause> = Vec::new();
    let takers = takers(&groups);
    let is_decided = |group: &&Group<'_>| group.first.word().is_decision();
    let decided = groups.iter().filter(is_decided);
    for group in decided.chain(groups.iter().filter(|group| !is_decided(group))) {
        let claimer = frame.job_of(group.first).filter(|_| group.first.word() == EventWord::Claimed);
        let is_covered = claimer.is_some_and(|job| takers.contains(&job))
            || is_with_its_job(group.first)
            || group.first.word() == EventWord::Requeued && is_restarted(frame, group, &groups);
        if !is_covered && !is_submitted_and_decided(frame, group, &groups, &takers) {
            clauses.extend(Clause::of(frame, group, is_restarted(frame, group, &groups)));
            join_last(&mut clauses);
        }
    }
    let clauses = join_takers(clauses);
    let n = clauses.len();
    let mut text = Text::default();
    for (i, happening) in clauses.into_iter().take(LISTED).enumerate() {
        text = if i > 0 { text.say("; ") } else { text };
        text = text.then(happening.says(terms, is_start && i == 0));
    }
    let text = if n > LISTED { text.say(format!("; {} more", n - LISTED)) } else { text };
    (n > 0).then_some(text)
}

/// The jobs for which others were evicted.
fn takers(groups: &[Group<'_>]) -> Vec<JobId> {
    groups.iter().filter(|group| is_for_another(group.first)).filter_map(|group| group.first.by()).collect()
}

/// Whether a job was submitted and a decision about it is listed.
fn is_submitted_and_decided(frame: &Frame, group: &Group<'_>, all: &[Group<'_>], takers: &[JobId]) -> bool {
    let of = frame.job_of(group.first).filter(|_| group.first.word() == EventWord::Submitted);
    let Some(of) = of.filter(|_| all.len() <= COMPARED) else { return false };
    let is_about_it =
        |other: &Group<'_>| other.first.word().is_decision() && frame.job_of(other.first) == Some(of);
    takers.contains(&of) || all.iter().any(is_about_it)
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

/// The same event of several jobs.
struct Clause {
    word: EventWord,
    /// The jobs that get the resources.
    by: Vec<String>,
    /// Words before the names.
    lead: &'static str,
    /// The jobs, with the number of pods of each.
    jobs: Vec<(String, usize)>,
    /// The predicate of one job, and of several.
    says: [String; 2],
    /// Node, if the event concerns a single pod.
    node: Option<String>,
    /// What it was about.
    amount: Amounts,
    /// Index of the resource that the jobs of the run compete for.
    resource: u8,
}

impl Clause {
    /// `None` for events that only describe what is known of a node.
    fn of(frame: &Frame, group: &Group<'_>, is_restart: bool) -> Option<Clause> {
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
        let [one, many] = match event {
            Event::Changed { node: Some((_, state)), .. } => {
                [format!(" {}", node_state(state)), String::new()]
            }
            _ => [one.to_string(), many.to_string()],
        };
        let job = frame.job_of(row).map(|job| (frame.job(job).to_string(), group.n));
        Some(Clause {
            word: row.word(),
            by: row
                .by()
                .filter(|_| is_for_another(row))
                .iter()
                .map(|by| frame.job(*by).to_string())
                .collect(),
            lead,
            jobs: job.into_iter().collect(),
            says: [one, many],
            node: node.map(str::to_string),
            amount: group.amount,
            resource: frame.names.resource,
        })
    }

    /// Whether both can be merged into one part of the sentence.
    fn joins(&self, other: &Clause) -> bool {
        let is_of_jobs = !self.jobs.is_empty() && !other.jobs.is_empty();
        self.word != EventWord::Node
            && (self.word != EventWord::Changed || is_of_jobs)
            && (self.word, &self.says) == (other.word, &other.says)
            && self.by == other.by
    }

    fn says(self, terms: &Terms, is_start: bool) -> Text {
        let lead = terms.fill(self.lead);
        let lead = if is_start { capital(&lead) } else { lead };
        let n = self.jobs.len();
        let of_job = |(job, pods): &(String, usize)| {
            let text = Text::default().job(job);
            if *pods > 1 {
                text.say(format!(" ({})", terms.fill(&count(*pods as u64, "[pod]"))))
            } else {
                text
            }
        };
        let names = first_few(self.jobs.iter().map(of_job));
        let text = if lead.is_empty() { Text::default() } else { Text::of(lead) };
        if let (EventWord::Node, Some(node)) = (self.word, &self.node) {
            return text.node(node).say(terms.fill(&self.says[0]));
        }
        let text = text.list(names, "and");
        if !self.by.is_empty() {
            let takers = first_few(self.by.iter().map(|by| Text::default().job(by)));
            return text.say(self.gave_up(terms)).list(takers, "and");
        }
        let text = text.say(terms.fill(&self.says[usize::from(n > 1)]));
        match self.node.filter(|_| n == 1) {
            Some(node) => text.say(" on ").node(&node),
            None => text,
        }
    }

    /// *gave up its GPU for*
    fn gave_up(&self, terms: &Terms) -> String {
        let are = if self.jobs.len() == 1 { "was" } else { "were" };
        match requested::named(self.resource, &self.amount) {
            None => format!(" {are} {} for ", terms.word(self.word.name())),
            Some((GPU, 1.0)) if self.jobs.len() == 1 => " gave up its GPU for ".into(),
            Some((resource, amount)) => format!(" gave up {} for ", with_unit(resource, amount)),
        }
    }
}

/// The first names; the rest is counted unless it is a single name.
fn first_few(names: impl ExactSizeIterator<Item = Text>) -> Vec<Text> {
    let n = names.len();
    let shown = if n == NAMED + 1 { n } else { NAMED };
    let mut few: Vec<Text> = names.take(shown).collect();
    if n > shown {
        few.push(Text::of(format!("{} more", n - shown)));
    }
    few
}

/// Merges several evictions of one kind for different jobs into one part of the sentence.
fn join_takers(all: Vec<Clause>) -> Vec<Clause> {
    let n_of = |word: EventWord| all.iter().filter(|one| one.word == word && !one.by.is_empty()).count();
    let are_many = [EventWord::Reclaimed, EventWord::Preempted].map(|word| (word, n_of(word) > TAKERS));
    let mut joined: Vec<Clause> = Vec::new();
    for next in all {
        let is_one_of_many = !next.by.is_empty() && are_many.contains(&(next.word, true));
        let same = |other: &&mut Clause| is_one_of_many && other.word == next.word && !other.by.is_empty();
        match joined.iter_mut().find(same) {
            Some(first) => {
                for (job, pods) in next.jobs {
                    match first.jobs.iter_mut().find(|known| known.0 == job) {
                        Some(known) => known.1 += pods,
                        None => first.jobs.push((job, pods)),
                    }
                }
                first.by.extend(next.by);
                add(&mut first.amount, &next.amount);
            }
            None => joined.push(next),
        }
    }
    joined
}

/// Merges the last event with a previous one it joins.
fn join_last(all: &mut Vec<Clause>) {
    let Some(last) = all.pop() else { return };
    match all.iter_mut().find(|other| other.joins(&last)) {
        Some(other) => {
            other.jobs.extend(last.jobs);
            add(&mut other.amount, &last.amount);
        }
        None => all.push(last),
    }
}

fn add(sum: &mut Amounts, amount: &Amounts) {
    sum.iter_mut().zip(amount.iter()).for_each(|(sum, amount)| *sum += amount);
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
            [
                " is over: its [evicted] [pods] are not recreated",
                " are over: their [evicted] [pods] are not recreated",
            ],
        ),
        Event::Changed { ended: Some(_), .. } => {
            ("", [" was ended by the timeline", " were ended by the timeline"])
        }
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
            announce(&fixtures::reclaimed(), 2),
            "Cycle 1: a2 gave up its GPU for b2. team-a 2, team-b 1."
        );
        assert_eq!(announce(&fixtures::start(), 2), "At the start: b2 was submitted.");
        assert_eq!(announce(&Frame { cycle: 3, ..Frame::default() }, 2), "Cycle 3: nothing changed.");
    }

    #[test]
    fn a_step_is_one_sentence() {
        let said = |frame: &Frame| step_sentence(frame).spoken();
        assert_eq!(said(&fixtures::reclaimed()), "a2 gave up its GPU for b2.");
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
            gang-of-four 1: `small` started on `node-2`. `gang` keeps waiting.
            gang-of-four 2: Nothing changed, and nothing more will happen. `gang` keeps waiting.
            preemption-fence 3: `y-1` started on `n1`.
            ego-grace 3: `b-1` started on `host-2`; `a10` was ended by the timeline. `more-1`, `more-2`, `more-3` and 10 more keep waiting.
            morning-rush 4: Nothing changed.
            quota-is-a-floor 1: `a8`, `a7`, `a6` and `a5` gave up 4 GPUs for `b1`, `b2`, `b3` and `b4`.
            department-empty 1: `n4`, `v4`, `n3` and 3 more gave up 6 GPUs for `ad1`, `ad2`, `ad3` and 3 more.
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
        assert_eq!(step_sentence(&frame).spoken(), "a2 was ended by the timeline. b2 keeps waiting.");
    }

    /// A pod that waits again and starts in the same cycle, such as a moved one, restarts; jobs that were refused keep waiting.
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
        let said = step_sentence(&frame).spoken();
        assert_eq!(said, "b2 started on node-2; a2 restarted on node-1. w1 keeps waiting.");
    }
}
