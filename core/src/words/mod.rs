//! Turns recorded decisions into sentences; no other module writes prose about decisions.
//!
//! Every explanation has the same order: verdict, evidence, rule, controls, outlook, not chosen. All numbers come from
//! the record. Names are separate pieces ([`Piece`]), never markup.

mod check;
mod difference;
mod ego;
mod event;
mod facts;
mod happenings;
mod ladder;
mod next;
mod node_scores;
pub mod number;
mod order;
mod others;
mod pending;
mod phrases;
mod queue;
mod reclaim;
mod report;
pub mod resource_time;
mod rule;
mod search;
mod selection;
mod text;
mod ticket;
mod yunikorn;

pub use crate::policy::vocabulary::Terms;
use crate::units::Resource;
use std::borrow::Cow;

use crate::scenario::{Path, Scenario};

pub use check::{Comparison, Party, says, terms as terms_of};
pub use difference::{FirstDifference, Repeated, Side};
pub use facts::{Cell, Fact};
pub use happenings::{Group, ListEntry, groups, history};
pub use ladder::{Ladder, LadderStep, ladder};
pub use next::{Expectation, RoomNeeded, expectation};
pub use order::{Level, Order, put_order};
pub use phrases::{node_state, requested, requested_amount};
pub use report::{decided, of_job, waiting};
pub use resource_time::ResourceTime;
pub use rule::{Paragraph, product, rule, rule_name};
pub use selection::Selection;
use text::text;
pub use text::{Piece, Text, joined};
pub use ticket::ticket;

use crate::id::{Id, JobId};
use crate::moment::{EventChecks, EventRow, EventWord, Frame, JobRow, Run};
use crate::trace::Rule;
pub use pending::short_reason;

/// An explanation of a selected object or event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The subject and its state.
    pub about: Text,
    /// Cycle and time.
    pub when: String,
    /// The verdict, one sentence.
    pub verdict: Text,
    /// Further reasons.
    pub also: Vec<Text>,
    /// Known faults of the modelled product that decided.
    pub faults: Vec<Text>,
    /// The compared numbers.
    pub evidence: Option<Evidence>,
    /// The recorded comparisons.
    pub checks: Vec<Comparison>,
    /// The rule that decided.
    pub rule: Option<RuleCard>,
    /// Settings that the rule reads.
    pub controls: Vec<Control>,
    /// What changes the state without an edit.
    pub outlook: Text,
    /// The derivation of a fair share.
    pub ladder: Vec<LadderStep>,
    /// The order of the next pass, level by level.
    pub order: Vec<Level>,
    /// A caption and a list: jobs of a queue, pods of a node, or events.
    pub list: Option<(&'static str, Vec<ListEntry>)>,
    /// Other possible victims, and why they were not selected.
    pub others: Vec<ListEntry>,
    /// Events of the job so far.
    pub history: Vec<ListEntry>,
    /// The policy whose terms it uses.
    pub policy: String,
}

impl Explanation {
    /// The explanation of something that does not exist.
    fn missing(about: Text, text: &str) -> Explanation {
        Explanation { verdict: about.clone().say(text), about, ..Explanation::default() }
    }
    /// Translates neutral terms to a policy's; texts of rules already use them.
    fn in_terms(&mut self, terms: &Terms) {
        let texts = [&mut self.about, &mut self.verdict, &mut self.outlook].into_iter();
        let texts = texts
            .chain(&mut self.also)
            .chain(&mut self.faults)
            .chain(self.checks.iter_mut().map(|check| &mut check.text));
        let texts = texts.chain(self.controls.iter_mut().map(|control| &mut control.label));
        let texts = texts.chain(self.ladder.iter_mut().map(|step| &mut step.text));
        let texts = texts.chain(self.history.iter_mut().map(|entry| &mut entry.text));
        let texts = texts.chain(self.others.iter_mut().map(|entry| &mut entry.text));
        let list = self.list.iter_mut().flat_map(|(_, entries)| entries);
        let texts = texts.chain(list.map(|entry| &mut entry.text));
        texts.for_each(|text| text.in_terms(terms));
        for step in &mut self.ladder {
            step.sum = terms.fill(&step.sum);
        }
        if let Some(evidence) = &mut self.evidence {
            evidence.caption.in_terms(terms);
            evidence.head.iter_mut().for_each(|text| text.in_terms(terms));
            // A policy with one word for quota and fair share gets one row for both.
            evidence.rows.dedup_by_key(|row| terms.fill(row.0));
        }
    }
}

/// A table of the compared numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Caption of the table.
    pub caption: Text,
    /// Captions of the columns; the first is the unit.
    pub head: Vec<Text>,
    /// Rows: caption, cells, and whether the row was decisive.
    pub rows: Vec<(&'static str, Vec<Cell>, bool)>,
}

/// A rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleCard {
    pub key: String,
    /// In one line.
    pub says: String,
    /// Its formula; may be empty.
    pub formula: String,
    /// Title of the document that specifies it; may be empty.
    pub source: String,
    /// Address of the document; empty if it is not public.
    pub link: String,
    /// The paragraph in `docs/spec` that describes it.
    pub paragraph: Option<Paragraph>,
    /// Differences from the source, and assumptions where the source is silent; may be empty.
    pub differs: String,
    /// Whether the rule itself is the subject: the card is then unfolded and has no link.
    pub is_subject: bool,
}

impl RuleCard {
    /// Whether it contains an assumption, because its source is silent.
    pub fn is_assumption(&self) -> bool {
        self.differs.to_lowercase().contains("assumption")
    }
    fn of(Rule(rule): Rule) -> RuleCard {
        let (source, link) = rule::named_source(rule.source);
        RuleCard {
            key: rule.key.to_string(),
            says: sentence_case(rule.says),
            formula: rule.formula.to_string(),
            source,
            link,
            paragraph: rule::paragraph(rule.source),
            differs: sentence_case(rule.differs),
            is_subject: false,
        }
    }
}

/// A setting that affects a decision, with the field where it is edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Its name.
    pub label: Text,
    /// The field.
    pub path: Path,
}

impl Control {
    /// A resource setting of a queue.
    fn queue(queue: &str, resource: Resource, field: &str) -> Control {
        let path = Path::default().field("queues").named(queue);
        Control {
            label: text!("{field} of {queue}", [field = format!("[{field}]"), queue = text::queue(queue)]),
            path: path.field(number::resource_key(resource)).field(field),
        }
    }
    /// A setting of a queue that does not depend on a resource.
    fn of_queue(queue: &str, field: &str, label: &str) -> Control {
        let path = Path::default().field("queues").named(queue).field(field);
        Control { label: Text::of(label).then(text::queue(queue)), path }
    }
    /// Whether the policy reads it.
    fn is_read(&self, terms: &Terms) -> bool {
        let path = self.path.to_string();
        let field = path.rsplit_once('.').map_or("", |(_, field)| field);
        !path.starts_with("queues") || terms.reads(field)
    }
    /// A setting of a job.
    fn job(job: &str, field: &str, label: Text) -> Control {
        Control { label, path: Path::default().field("jobs").named(job).field(field) }
    }
}

/// Capitalises the first letter of a text.
pub fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}

/// Capitalises the first letter of a text and adds a full stop.
pub fn sentence_case(says: &str) -> String {
    let text = capital(says);
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text } else { text + "." }
}

/// The explanation shown without a selection.
pub fn at_rest(frame: &Frame) -> Explanation {
    in_words_of(frame, happenings::moment(frame))
}

/// Completes an explanation with its time, in the terms of the frame's policy.
fn in_words_of(frame: &Frame, mut explanation: Explanation) -> Explanation {
    if explanation.when.is_empty() {
        explanation.when = number::time(frame.time_ms);
    }
    explanation.policy.clone_from(&frame.policy);
    if !frame.pool.is_empty() {
        explanation.about = explanation.about.say(" · [node] pool ").name(&frame.pool);
    }
    explanation.faults = check::faults(frame, &explanation.checks);
    let terms = Terms::of(&frame.policy);
    explanation.controls.retain(|control| control.is_read(terms));
    explanation.in_terms(terms);
    let verdict = explanation.verdict.spoken();
    explanation.also.retain(|also| also.spoken() != verdict);
    explanation
}

/// Explains a selection at the moment of the frame.
pub fn why(
    frame: &Frame,
    run: Option<&Run>,
    selection: &Selection,
    derivation: Option<&Ladder>,
    resource: Resource,
) -> Explanation {
    why_with(frame, run, selection, derivation, None, resource)
}

/// Explains a selection at the moment of a frame that may have no checks; `checks` are then those of
/// [`explained_event`].
pub fn why_with(
    frame: &Frame,
    run: Option<&Run>,
    selection: &Selection,
    derivation: Option<&Ladder>,
    checks: Option<&EventChecks>,
    resource: Resource,
) -> Explanation {
    let frame = &*deciding_pool(frame, selection);
    // Sentences are about what every policy accounts.
    let resource = resource.accounted().unwrap_or(Resource::GPU);
    let explained = explained_event(frame, selection).map(|index| with_checks(frame, index, checks));
    let mut explanation = match (selection, explained) {
        (_, Some(row)) => event::event(frame, &row, resource),
        (Selection::Queue(name), None) => queue::queue(frame, name, derivation, resource),
        (Selection::Job(name), None) => job(frame, name, resource),
        (Selection::Node(name), None) => happenings::node(frame, name),
        // A frame does not contain the rulebook.
        (Selection::Rule(key), None) => rule(frame, key, None, &Scenario::default()),
        (Selection::Event { cycle, .. }, None) => Explanation {
            about: Text::of(format!("an event of cycle {cycle}")),
            verdict: Text::of(format!("This happened in cycle {cycle}; go there to see what decided it.")),
            ..Explanation::default()
        },
    };
    let job = match selection {
        Selection::Job(name) => Some(name.as_str()),
        Selection::Event { cycle, index } if frame.cycle == *cycle => {
            frame.events.get(*index as usize).map(|event| frame.job_name(event))
        }
        _ => None,
    };
    if let Some(leaves) = job.and_then(|job| leaves(frame, job)) {
        explanation.outlook = text!("{leaves} {outlook}", [leaves, outlook = explanation.outlook]);
    }
    if let (Some(job), Some(run)) = (job.filter(|job| !job.is_empty()), run) {
        explanation.history = history(run, job, frame.cycle);
    }
    in_words_of(frame, explanation)
}

/// The position of the event that explains a selection, if one does: of a job an eviction, else, unless it is pending,
/// a start; of a job that has ended its last event.
pub fn explained_event(frame: &Frame, selection: &Selection) -> Option<u32> {
    let name = match selection {
        Selection::Event { cycle, index } => {
            return Some(*index).filter(|index| frame.cycle == *cycle && (*index as usize) < frame.events.len());
        }
        Selection::Job(name) => name,
        Selection::Queue(_) | Selection::Node(_) | Selection::Rule(_) => return None,
    };
    let of_job = |event: &EventRow| frame.job_name(event) == name;
    let first =
        |matches: fn(EventWord) -> bool| frame.events.iter().position(|event| matches(event.word()) && of_job(event));
    let starts = |word| matches!(word, EventWord::Started | EventWord::Found);
    let waits = || frame.refusals.iter().any(|refusal| frame.job(refusal.job) == name);
    let is_known = || frame.jobs.iter().any(|job| job.name == *name) || frame.evicted.iter().any(of_job);
    let index = match first(EventWord::is_eviction) {
        None if waits() => None,
        None => first(starts).or_else(|| frame.events.iter().rposition(of_job).filter(|_| !is_known())),
        evicted => evicted,
    };
    index.map(|index| index as u32)
}

/// An event of the frame, with its checks if these are they.
fn with_checks<'f>(frame: &'f Frame, index: u32, checks: Option<&EventChecks>) -> Cow<'f, EventRow> {
    let row = &frame.events[index as usize];
    match checks.filter(|cycle_checks| (cycle_checks.cycle, cycle_checks.index) == (frame.cycle, index)) {
        Some(cycle_checks) => Cow::Owned(EventRow { checks: cycle_checks.checks.clone(), ..row.clone() }),
        None => Cow::Borrowed(row),
    }
}

/// The frame with the numbers of the node pool in which a job or an event was decided.
fn deciding_pool<'f>(frame: &'f Frame, selection: &Selection) -> Cow<'f, Frame> {
    let of_job = |name: &str| frame.jobs.iter().find(|job| job.name == name).map(|job| job.pool.as_str());
    let pool = match selection {
        Selection::Job(name) => of_job(name),
        Selection::Event { cycle, index } if frame.cycle == *cycle => {
            let event = frame.events.get(*index as usize);
            let of_node = event.and_then(EventRow::node).and_then(|node| frame.nodes.get(node.index()));
            let of_node = of_node.map(|node| node.pool.as_str());
            of_node.or_else(|| of_job(frame.job_name(event?)))
        }
        Selection::Event { .. } | Selection::Queue(_) | Selection::Node(_) | Selection::Rule(_) => None,
    };
    pool.and_then(|pool| frame.in_pool(pool)).map_or(Cow::Borrowed(frame), Cow::Owned)
}

/// When the evicted pods of a job are gone, if that takes time.
fn leaves(frame: &Frame, job: &str) -> Option<Text> {
    let row = frame.jobs.iter().find(|row| row.name == job)?;
    let leaves_ms = row.leaves_ms.filter(|leaves| *leaves > frame.time_ms)?;
    let job = text::job(job);
    let who = if row.leaving > 1 { text!("The first [pod] of {job}", [job]) } else { job };
    Some(text!("{who} {leaves}.", [who, leaves = number::leaves(leaves_ms, frame.time_ms)]))
}

/// Explains a job that no event of the cycle explains: why it is pending, else its state.
fn job(frame: &Frame, name: &str, resource: Resource) -> Explanation {
    let is_own = |job: JobId| frame.job(job) == name;
    if let Some(refusal) = frame.refusals.iter().find(|refusal| is_own(refusal.job)) {
        return pending::pending(frame, refusal, resource);
    }
    let Some(job) = frame.jobs.iter().find(|job| job.name == name) else {
        if let Some(last) = frame.evicted.iter().find(|event| frame.job_name(event) == name) {
            return event::gone(frame, last);
        }
        let message = " does not exist in this cycle: it is not submitted yet, or it has ended.";
        return Explanation::missing(text::job(name), message);
    };
    let queue = frame.queues.get(job.queue as usize).map_or("", |queue| queue.name.as_str());
    let (state, verdict) = state_of(frame, job, queue);
    let requested =
        phrases::requested_amount(frame.names.resource, &job.request).unwrap_or((frame.names.resource, 0.0));
    let mut rows = vec![
        ("submitted", vec![number::time(job.submit_ms).into()], false),
        (of_all_pods(requested.0), vec![number::amount(requested.0, requested.1).into()], false),
        ("[pods] running", vec![job.running.to_string().into()], false),
    ];
    for (what, n) in [
        ("[pods] waiting", job.pending),
        ("[pods] leaving", job.leaving),
        ("[evicted] so far", job.evictions),
        ("not recreated", job.gone),
    ] {
        if n > 0 {
            rows.push((what, vec![n.to_string().into()], false));
        }
    }
    if let Some(start) = job.first_start_ms {
        rows.push(("waited", vec![number::time(start - job.submit_ms).into()], false));
    }
    Explanation {
        about: text!("{job}{state}", [job = text::job(name), state]),
        verdict,
        evidence: Some(Evidence { rows, ..Evidence::default() }),
        ..Explanation::default()
    }
}

/// Caption of the amount that all pods of a job request.
fn of_all_pods(resource: Resource) -> &'static str {
    match resource {
        Resource::CPU => "CPU of all [pods], cores",
        Resource::MEMORY => "memory of all [pods], GiB",
        _ => "GPUs of all [pods]",
    }
}

/// The state of a job without events in the cycle: as a word and as a sentence.
fn state_of(frame: &Frame, job: &JobRow, queue: &str) -> (&'static str, Text) {
    let (amount, name) = (phrases::requested(frame, &job.request), text::job(&job.name));
    match (job.running, job.pending, job.leaving) {
        (0, 0, leaving) if leaving > 0 => {
            (" · shutting down", text!("{name} was [evicted] and is shutting down.", [name]))
        }
        (0, _, _) => {
            let next = "is waiting; it is considered for the first time in the next cycle.";
            (" · waits", text!("{name} {next}", [name, next]))
        }
        (_, 0, _) => {
            let (queue, preposition) = (text::queue(queue), if amount.is_empty() { "" } else { " on " });
            (" · runs", text!("{name} runs in {queue}{preposition}{amount}.", [name, queue, preposition, amount]))
        }
        (running, pending, _) => {
            let are = if pending == 1 { "is" } else { "are" };
            let pods = number::count(running.into(), "[pod]");
            (" · runs", text!("{name} runs with {pods}; {n} more {are} waiting.", [name, pods, n = pending, are]))
        }
    }
}
