//! What would help: every announced effect occurs, and nothing is offered that is not an improvement. The test computes
//! the effects by stepping through every cycle of the scenario after the change, without the shortcuts of the what-if
//! runs.

use std::collections::{BTreeMap, BTreeSet};

use fairground::cluster::Phase;
use fairground::scenario::{self, Scenario};
use fairground::sim::Simulation;
use fairground::suggestions::{self, Harm, Outcome, Start, compared};
use fairground::time::Time;
use fairground::trace::{Event, EvictReason, Level};
use fairground_web::engine::protocol::{EventRow, EventWord, Frame};
use fairground_web::engine::serve::Server;
use fairground_web::library::{EXAMPLES, Example};
use fairground_web::state::branches::{Help, Trial};
use fairground_web::state::command::Command;
use fairground_web::state::document;
use fairground_web::state::document::{Opened, Origin};
use fairground_web::state::effect::Effect;
use fairground_web::state::model::Model;
use fairground_web::state::update::{begin, update};
use proptest::prelude::*;

/// The model with an engine.
struct Page {
    model: Model,
    server: Server,
}

impl Page {
    fn open(scenario: Scenario, cycle: u32) -> Page {
        let mut opened = Opened::new(scenario, Origin::Empty);
        opened.moment.cycle = cycle;
        let mut page = Page { model: Model::new(opened), server: Server::default() };
        let effects = begin(&mut page.model);
        page.carry_out(effects);
        page
    }

    fn dispatch(&mut self, command: Command) {
        let effects = update(&mut self.model, command);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Send(request) = effect else { continue };
            let mut replies = self.server.handle(request);
            while self.server.is_busy() {
                replies.extend(self.server.work());
            }
            for reply in replies {
                self.dispatch(Command::Replied(Box::new(reply)));
            }
        }
    }

    fn frame(&self) -> &Frame {
        self.model.moment.frame.as_deref().expect("a frame")
    }

    fn waiting(&self) -> Vec<String> {
        let waits = self.frame().jobs.iter().filter(|row| row.pending > 0 || row.leaving > 0);
        waits.map(|row| row.name.clone()).collect()
    }

    fn help(&mut self, job: &str) -> Help {
        self.dispatch(Command::Suggest(job.to_string()));
        let help = self.model.branches.help.as_deref().expect("help was asked for").clone();
        assert!(!help.is_running());
        help
    }
}

/// Largest number of cycles that are computed.
const CYCLES_MAX: u32 = 3_000;

/// By job: the number of its pods that start, run or have finished, and its evictions so far.
type Counts = BTreeMap<String, (usize, usize)>;

/// A run, cycle by cycle, with the time of each.
struct FollowedRun {
    cycles: Vec<(u32, i64, Counts)>,
    ended: BTreeMap<String, i64>,
    /// Nothing further happens.
    is_over: bool,
}

impl FollowedRun {
    fn of(scenario: &Scenario, up_to_ms: Option<i64>) -> FollowedRun {
        let plan = scenario::check(scenario).plan.expect("it can run");
        let mut sim = Simulation::new(&plan);
        sim.set_level(Level::Outcomes);
        let mut evictions: BTreeMap<String, usize> = BTreeMap::new();
        let mut cycles = vec![(0, 0, counts(&sim, &evictions))];
        while !sim.is_quiet() && sim.cycle() < CYCLES_MAX {
            let next = sim.next_cycle_at().map(Time::as_millis);
            if up_to_ms.is_some_and(|up_to| next.is_some_and(|next| next >= up_to)) {
                break;
            }
            let Some(record) = sim.advance() else { break };
            for recorded in &record.events {
                if let Event::Evicted { pod, reason, .. } = recorded.event
                    && reason != EvictReason::Withdrawn
                {
                    let cluster = sim.cluster();
                    *evictions.entry(cluster.jobs[cluster.pods[pod].job].name.to_string()).or_default() += 1;
                }
            }
            cycles.push((record.cycle, record.time.as_millis(), counts(&sim, &evictions)));
        }
        let ended = sim.cluster().jobs.values();
        let ended = ended.filter_map(|job| Some((job.name.to_string(), job.ended?.as_millis()))).collect();
        let is_over = sim.is_quiet() || sim.next_cycle_at().is_none();
        FollowedRun { cycles, ended, is_over }
    }

    /// Progress and evictions of a job after the last cycle at or before a moment.
    fn at(&self, time_ms: i64, job: &str) -> (usize, usize) {
        let n = self.cycles.partition_point(|(_, at, _)| *at <= time_ms);
        self.cycles[n - 1].2.get(job).copied().unwrap_or_default()
    }

    fn ended(&self, job: &str, until: Option<i64>) -> Option<i64> {
        self.ended.get(job).copied().filter(|at| until.is_none_or(|until| *at < until))
    }

    fn first_start(&self, job: &str, until: Option<i64>) -> Option<i64> {
        let mut cycles = self.cycles.iter().filter(|(_, at, _)| until.is_none_or(|until| *at < until));
        cycles.find(|(_, _, jobs)| jobs.get(job).is_some_and(|(n, _)| *n > 0)).map(|(_, at, _)| *at)
    }

    /// The times of its cycles before a moment.
    fn moments(&self, until: Option<i64>) -> impl Iterator<Item = i64> {
        self.cycles.iter().map(|(_, at, _)| *at).filter(move |at| until.is_none_or(|until| *at < until))
    }

    fn evictions(&self, until: Option<i64>) -> i64 {
        let last = self.cycles.iter().rfind(|(_, at, _)| until.is_none_or(|until| *at < until));
        last.expect("the opening").2.values().map(|(_, evictions)| *evictions as i64).sum()
    }

    /// How a job is worse off in another run.
    fn harm(&self, other: &FollowedRun, job: &str, until: Option<i64>) -> Option<Harm> {
        let last = self.moments(until).chain(other.moments(until)).max().unwrap_or(0);
        let later = |was: Option<i64>, is: Option<i64>| was.is_some_and(|was| is.is_none_or(|is| is > was));
        if other.at(last, job).1 > self.at(last, job).1 {
            Some(Harm::Evicted)
        } else if later(self.first_start(job, until), other.first_start(job, until)) {
            Some(Harm::StartsLater)
        } else if self.moments(until).chain(other.moments(until)).any(|at| other.at(at, job).0 < self.at(at, job).0) {
            Some(Harm::WaitsLonger)
        } else if later(self.ended(job, until), other.ended(job, until)) {
            Some(Harm::EndsLater)
        } else {
            None
        }
    }
}

fn counts(sim: &Simulation, evictions: &BTreeMap<String, usize>) -> Counts {
    let cluster = sim.cluster();
    let progress = |job: &fairground::cluster::Job| {
        let counts = |phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. } | Phase::Finished { .. });
        job.pod_ids().filter(|&pod| counts(cluster.pods[pod].phase)).count()
    };
    let of = |job: &fairground::cluster::Job| {
        let name = job.name.to_string();
        let evicted = evictions.get(&name).copied().unwrap_or(0);
        (name, (progress(job), evicted))
    };
    cluster.jobs.values().map(of).collect()
}

/// What the law needs of the unchanged run.
struct Case<'a> {
    scenario: &'a Scenario,
    cycle: u32,
    now_ms: i64,
    later: bool,
    job: &'a str,
    unchanged: &'a FollowedRun,
}

/// Asks what would help each job that is pending in a cycle, applies each offered change as the page does, and compares
/// the outcome with the announced one. Returns the number of offered changes.
fn check_help(scenario: &Scenario, cycle: u32, later: bool, jobs_max: usize) -> Result<usize, String> {
    let mut page = Page::open(scenario.clone(), cycle);
    page.dispatch(Command::EditLater(later));
    let (cycle, now_ms) = (page.frame().cycle, page.frame().time_ms);
    let (mut n, mut followed) = (0, BTreeMap::new());
    for job in page.waiting().into_iter().take(jobs_max) {
        let help = page.help(&job);
        let tried = help.tried().expect("it was tried");
        let (starts, until) = (tried.unchanged, tried.until_ms);
        let unchanged = followed.entry(until).or_insert_with(|| FollowedRun::of(scenario, until));
        let case = Case { scenario, cycle, now_ms, later, job: &job, unchanged };
        let says = |what: String| format!("{job} in cycle {cycle}, later {later}: {what}");
        if case.base_start() != starts {
            return Err(says(format!("unchanged it starts {:?}, not {starts:?}", case.base_start())));
        }
        if until.is_none() && !unchanged.is_over {
            return Err(says("the unchanged run is not over".into()));
        }
        for (trial, outcome) in help.offers() {
            n += 1;
            let policy = &scenario.policy;
            let error = |what: String| {
                let (label, says_so) =
                    (trial.label(policy), suggestions::outcome(tried, outcome, help.has_part, policy));
                says(format!("{label}: {says_so} But {what}"))
            };
            case.holds(trial, outcome).map_err(error)?;
        }
    }
    Ok(n)
}

impl Case<'_> {
    /// The job's progress at the moment in question.
    fn progress(&self) -> usize {
        let of_cycle = self.unchanged.cycles.iter().find(|(cycle, ..)| *cycle == self.cycle);
        of_cycle.expect("the cycle").2[self.job].0
    }

    fn base_start(&self) -> Option<Start> {
        let progress = self.progress();
        let mut further = self.unchanged.cycles.iter().filter(|(cycle, ..)| *cycle > self.cycle);
        let first = further.find(|(_, _, jobs)| jobs[self.job].0 > progress)?;
        Some(Start::At { cycle: first.0, time_ms: first.1 })
    }

    fn start(&self, run: &FollowedRun, until: Option<i64>) -> Option<Start> {
        if run.ended(self.job, None).is_some_and(|at| at <= self.now_ms) {
            return Some(Start::Over);
        }
        if run.at(self.now_ms, self.job).0 > self.progress() {
            return Some(Start::Already);
        }
        let within = |at: i64| at > self.now_ms && until.is_none_or(|until| at < until);
        let mut further = run.cycles.iter().filter(|(_, at, _)| within(*at));
        let first = further.find(|(_, _, jobs)| jobs[self.job].0 > self.progress())?;
        Some(Start::At { cycle: first.0, time_ms: first.1 })
    }

    fn holds(&self, trial: &Trial, outcome: &Outcome) -> Result<(), String> {
        let mut page = Page::open(self.scenario.clone(), self.cycle);
        page.dispatch(Command::EditLater(self.later));
        page.dispatch(Command::Change(trial.change.clone()));
        if page.model.document.scenario.as_ref() == self.scenario {
            return Err("the change changes nothing".into());
        }
        let until = outcome.until_ms;
        let run = FollowedRun::of(&page.model.document.scenario, until);
        if until.is_none() && !run.is_over {
            return Err("the run is not over".into());
        }
        let start = self.start(&run, until);
        if start != outcome.starts || start.is_none() {
            return Err(format!("it starts {start:?}"));
        }
        self.is_earlier(start)?;
        if let Some(Start::At { cycle, time_ms }) = start {
            page.dispatch(Command::GoTo(cycle));
            let frame = page.frame();
            let starts = |event: &EventRow| event.word() == EventWord::Started && frame.job_name(event) == self.job;
            if frame.time_ms != time_ms || !frame.events.iter().any(starts) {
                return Err(format!("the page shows it not starting at {}", frame.time_ms));
            }
        }
        self.no_other_job_loses(&run, outcome)
    }

    fn is_earlier(&self, start: Option<Start>) -> Result<(), String> {
        let time = |start| match start {
            Start::Over | Start::Already => self.now_ms,
            Start::At { time_ms, .. } => time_ms,
        };
        match (start.map(time), self.base_start().map(time)) {
            (Some(trial), Some(base)) if trial >= base => Err("unchanged it starts as early".into()),
            _ => Ok(()),
        }
    }

    fn no_other_job_loses(&self, run: &FollowedRun, outcome: &Outcome) -> Result<(), String> {
        let until = outcome.until_ms;
        if self.unchanged.harm(run, self.job, until).is_some() {
            return Err("the job itself is worse off".into());
        }
        let names: BTreeSet<&String> = self.unchanged.cycles[0].2.keys().collect();
        let mut losers = BTreeMap::new();
        for name in names.into_iter().filter(|name| *name != self.job) {
            if let Some(harm) = self.unchanged.harm(run, name, until) {
                losers.insert(name.as_str(), harm);
            }
        }
        let named: BTreeMap<&str, Harm> = outcome.losers.iter().map(|loser| (loser.job.as_str(), loser.harm)).collect();
        let is_named = named.iter().all(|(name, harm)| losers.get(name) == Some(harm));
        if !is_named || losers.len() != outcome.n_losers as usize {
            return Err(format!("worse off are {losers:?}"));
        }
        let evictions = run.evictions(until) - self.unchanged.evictions(until);
        if evictions != outcome.evictions { Err(format!("evictions differ by {evictions}")) } else { Ok(()) }
    }
}

/// Two tests for all examples, because one would take a minute alone at the end.
#[test]
fn in_every_even_example_what_would_help_does_what_it_says() {
    check_examples(EXAMPLES.iter().step_by(2));
}

#[test]
fn in_every_odd_example_what_would_help_does_what_it_says() {
    check_examples(EXAMPLES.iter().skip(1).step_by(2));
}

fn check_examples<'a>(examples: impl Iterator<Item = &'a Example>) {
    let (mut n, mut wrong) = (0, Vec::new());
    for example in examples {
        let scenario = example.scenario();
        let mut seen = BTreeSet::new();
        for cycle in 0..=10 {
            // Beyond the end of a run, the cursor stays at the last cycle.
            let page = Page::open(scenario.clone(), cycle);
            if !seen.insert(page.frame().cycle) {
                break;
            }
            match check_help(&scenario, cycle, cycle % 2 == 1, usize::MAX) {
                Ok(offers) => n += offers,
                Err(says) => wrong.push(format!("{}: {says}", example.id)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n > 100, "{n} offers are enough to learn from");
}

/// The offers for a job in a cycle: label and effect of each, then the unchanged run.
fn offered(scenario: Scenario, cycle: u32, job: &str) -> (Vec<String>, String) {
    let mut page = Page::open(scenario, cycle);
    let help = page.help(job);
    let policy = page.model.document.scenario.policy.clone();
    let offers = help.offers().into_iter();
    let lines = offers.map(|(trial, outcome)| {
        let outcome = help.tried().map(|tried| suggestions::outcome(tried, outcome, help.has_part, &policy));
        format!("{}: {}", trial.label(&policy), outcome.unwrap_or_default())
    });
    (lines.collect(), compared(help.tried(), help.has_part, help.offers().len(), &policy))
}

const ONE_AFTER_THE_OTHER: &str = "format: fairground-scenario
version: 1
nodes: [{name: n, count: 2, gpu: 1}]
queues:
  - {name: team-a, gpu: {quota: 2, limit: unlimited, weight: 1}}
jobs:
  - {name: a1, queue: team-a, gpu: 1, preemptible: false, lasts: 4s, on: [n-1]}
  - {name: a2, queue: team-a, gpu: 1, preemptible: false, lasts: 9s, on: [n-2]}
  - {name: a3, queue: team-a, gpu: 1}
  - {name: a4, queue: team-a, gpu: 1}
";

#[test]
fn what_starts_by_itself_as_early_is_not_helped_by_changes_that_do_nothing() {
    let scenario = || document::from_text(ONE_AFTER_THE_OTHER).expect("it can be read");
    // a3 is next regardless of its priority, the weight and the quota: only another node helps.
    let (offers, compared) = offered(scenario(), 1, "a3");
    assert_eq!(compared, "Without a change it starts in cycle 4 (0:04).");
    assert_eq!(offers, ["Add a third node: It would already be running; no other job is affected."]);
    // a4 comes after a3.
    let (offers, compared) = offered(scenario(), 1, "a4");
    assert_eq!(compared, "Without a change it starts in cycle 9 (0:09).");
    assert_eq!(
        offers,
        [
            "Add a third node: It would start in cycle 4 (0:04) instead of cycle 9 (0:09); no other job is affected.",
            "Raise the priority of a4 from 50 to 51: It would start in cycle 4 (0:04) instead of cycle 9 (0:09); \
             `a3` would start later.",
        ]
    );
}

#[test]
fn a_change_is_compared_as_it_is_made() {
    let at = |cycle, later, job: &str| {
        let scenario = Example::find("limit-is-a-ceiling").expect("an example").scenario();
        let mut page = Page::open(scenario, cycle);
        page.dispatch(Command::EditLater(later));
        let help = page.help(job);
        let offers = help.offers().into_iter();
        let policy = page.model.document.scenario.policy.clone();
        let line = |(trial, outcome): (&Trial, &Outcome)| format!("{} {:?}", trial.label(&policy), outcome.starts);
        offers.map(line).collect::<Vec<_>>()
    };
    let limit = "Raise the limit of team-a from 3 to 4 GPUs Some(Already)";
    assert_eq!(at(2, false, "a4"), [limit, "Raise the priority of a4 from 50 to 51 Some(Already)"]);
    // Priorities of jobs cannot change during a run.
    let from_start = "Raise the priority of a4 from 50 to 51, from the start Some(Already)";
    assert_eq!(at(2, true, "a4"), [limit, from_start]);
}

/// A job starts in the second cycle of the moment at which the trial of the unchanged scenario ends.
#[test]
fn a_moment_is_known_with_all_of_its_cycles() {
    let text = "format: fairground-scenario
version: 1
policy: yunikorn
cycle: 700ms
nodes: [{name: n, count: 1, gpu: 1}, {name: single, gpu: 2}]
queues:
  - {name: q0, gpu: {quota: 2, limit: unlimited}}
  - {name: q1, gpu: {quota: 2, limit: unlimited}}
  - {name: q1-0, parent: q1, gpu: {quota: 2, limit: 1}}
jobs:
  - {name: j0, queue: q1-0, gpu: 1, lasts: 5s}
  - {name: j1, queue: q1-0, gpu: 0.5, preemptible: false}
  - {name: j2, queue: q0, gpu: 1, pods: 2, submit: 2500ms}
  - {name: j3, queue: q1-0, gpu: 1, pods: 3, min-available: 1, submit: 1s, lasts: 2500ms, restart: resume}
  - {name: j4, queue: q0, gpu: 1, submit: 1s, priority: 100}
  - {name: j5, queue: q0, gpu: 1}
  - {name: j6, queue: q0, gpu: 1}
";
    let scenario = document::from_text(text).expect("it can be read");
    let offers = check_help(&scenario, 8, true, 3);
    assert!(offers.is_ok(), "{offers:?}");
}

#[test]
fn large_scenarios_say_that_nothing_was_tried() {
    // Too many jobs to read repeatedly, and too many cycles of many pods.
    for (count, cycle) in [(60_000, 20), (4_500, 110)] {
        let many = format!("jobs:\n  - {{name: many, queue: team-a, count: {count}, every: 1s, lasts: 1s, gpu: 1}}\n");
        let scenario = document::from_text(&ONE_AFTER_THE_OTHER.replace("jobs:\n", &many));
        let (offers, compared) = offered(scenario.expect("it can be read"), cycle, "a4");
        assert!(offers.is_empty());
        assert_eq!(compared, "Not tried: this scenario is too large to run again for each change.");
    }
}

/// A stream of small numbers from which a scenario is made; shrinking it makes the scenario smaller.
struct Numbers {
    numbers: Vec<u8>,
    at: usize,
}

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(number) % n
    }

    fn one_of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len())]
    }
}

const POLICIES: [&str; 7] = ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"];

/// A random scenario similar to a handwritten one.
fn drawn(n: &mut Numbers, policy: &str) -> String {
    let mut text = format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n");
    text += n.one_of(&["", "", "cycle: 700ms\n", "cycle: on change\n"]);
    text += n.one_of(&["", "", "delays: {start: 500ms, termination: 1500ms}\n"]);
    let (nodes, gpus) = (1 + n.below(3), n.one_of(&["2", "4", "1"]));
    text += &format!("nodes: [{{name: n, count: {nodes}, gpu: {gpus}}}, {{name: single, gpu: 2}}]\nqueues:\n");
    let mut leaves = Vec::new();
    for q in 0..2 + n.below(2) {
        text += &queue(n, &format!("q{q}"), None, policy);
        let children = n.below(3);
        for child in 0..children {
            let name = format!("q{q}-{child}");
            text += &queue(n, &name, Some(&format!("q{q}")), policy);
            leaves.push(name);
        }
        if children == 0 {
            leaves.push(format!("q{q}"));
        }
    }
    text += "jobs:\n";
    for j in 0..4 + n.below(7) {
        let queue = leaves[n.below(leaves.len())].clone();
        text += &job(n, j, &queue, policy);
    }
    if n.below(4) == 3 {
        let at = n.one_of(&["3s", "4500ms", "9s"]);
        let what = n.one_of(&["queue: q0, gpu: {quota: 1}", "node: single, state: down", "job: j0"]);
        text += &format!("timeline: [{{at: {at}, {what}}}]\n");
    }
    text
}

fn queue(n: &mut Numbers, name: &str, parent: Option<&str>, policy: &str) -> String {
    let quota = n.one_of(&["2", "1", "0", "4"]);
    let limit = n.one_of(&["unlimited", "unlimited", "3", "1"]);
    let weight = n.one_of(&["1", "2", "0"]);
    let mut says = Vec::new();
    if !matches!(policy, "max-min" | "drf") {
        says.push(format!("quota: {quota}"));
    }
    if policy != "fifo" {
        says.push(format!("limit: {limit}"));
        if policy != "yunikorn" {
            says.push(format!("weight: {weight}"));
        }
    }
    let free = "cpu: {quota: unlimited, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}";
    let beside = if matches!(policy, "kai" | "runai") { format!(", {free}") } else { String::new() };
    let parent = parent.map_or(String::new(), |parent| format!(", parent: {parent}"));
    let priority = match (policy, n.below(4)) {
        ("kai" | "runai" | "ego" | "yunikorn", 3) => ", priority: 200",
        _ => "",
    };
    let protection = match (policy, n.below(4)) {
        ("kai" | "runai", 3) => ", reclaim-min-runtime: 5s, preempt-min-runtime: 4s",
        _ => "",
    };
    format!("  - {{name: {name}{parent}, gpu: {{{}}}{beside}{priority}{protection}}}\n", says.join(", "))
}

fn job(n: &mut Numbers, j: usize, queue: &str, policy: &str) -> String {
    let mut says = format!("name: j{j}, queue: {queue}");
    says += &format!(", gpu: {}", n.one_of(&["1", "1", "2", "0.5"]));
    says += n.one_of(&["", "", ", pods: 2", ", pods: 3, min-available: 1", ", pods: 3"]);
    says += n.one_of(&["", "", ", submit: 1s", ", submit: 2500ms", ", submit: 6s"]);
    says += n.one_of(&["", ", lasts: 5s", ", lasts: 2500ms", ", lasts: 12s"]);
    if !matches!(policy, "fifo" | "max-min" | "drf") {
        says += n.one_of(&["", "", ", priority: 75", ", priority: 100", ", preemptible: false"]);
    }
    says += n.one_of(&["", "", "", ", restart: resume", ", restart: never"]);
    format!("  - {{{says}}}\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn in_drawn_scenarios_what_would_help_does_what_it_says(
        numbers in proptest::collection::vec(any::<u8>(), 30..160),
        cycle in 1u32..12,
        later in any::<bool>(),
    ) {
        for policy in POLICIES {
            let text = drawn(&mut Numbers { numbers: numbers.clone(), at: 0 }, policy);
            let Ok(scenario) = document::from_text(&text) else { continue };
            if scenario::check(&scenario).plan.is_none() {
                continue;
            }
            let law = check_help(&scenario, cycle, later, 3);
            prop_assert!(law.is_ok(), "{}\n{text}", law.err().unwrap_or_default());
        }
    }
}
