//! The project's own targets: cycles on clusters of several sizes, divisions, whole traces, and how times grow.

use std::fs;
use std::time::Duration;

use fairground::import::{Options, import};
use fairground::policy::kai::share::division::{Sibling, divide};
use fairground::scenario::{Plan, check};
use fairground::sim::{Simulation, explain};
use fairground::trace::Level;

use super::load::Load;
use super::{data, median, ms, open, openb, plan, run, run_while, thousands};

/// What a measurement found: its time and what happened; `None`: its data are absent.
type Found = Option<(Duration, String)>;

/// A figure of the document.
struct Figure {
    name: &'static str,
    /// Maximum in milliseconds.
    target: Option<f64>,
    measure: fn() -> Found,
}

const fn figure(name: &'static str, target: Option<f64>, measure: fn() -> Found) -> Figure {
    Figure { name, target, measure }
}

/// All figures; each is one line of the table.
const FIGURES: &[Figure] = &[
    figure("Division of three resources among 10,000 queues", Some(0.5), || Some((division(10_000), String::new()))),
    figure("Cycle of a team's cluster: 64 nodes, 24 queues, 100 jobs", Some(16.0), || explained_cycles(TEAM, 1)),
    figure("100 cycles of 8 nodes, 8 queues, 20 jobs", Some(16.0), || cycles(TICKET, 100)),
    figure("Every comparison of a cycle of the team's cluster", Some(100.0), every_comparison),
    figure("Cycle of 100 nodes, 500 jobs wait, everything free", None, || cycles(Load::free(100), 1)),
    figure("Cycle of 100 nodes, 500 jobs wait, no queue may use more", None, || cycles(Load::full(100), 1)),
    figure("Cycle of 100 nodes, 500 jobs reclaim", None, || cycles(Load::reclaim(100), 1)),
    figure("Cycle of 5,000 nodes, 40,000 jobs run, 10,000 wait", Some(200.0), || explained_cycles(HALL, 1)),
    figure("40,000 starts in one cycle on 5,000 nodes", Some(1_000.0), || cycles(STARTS, 1)),
    figure("The same with reasons", Some(1_000.0), || explained_cycles(STARTS, 1)),
    figure("8,000 reclaims from 40,000 running jobs on 5,000 nodes, four cycles", Some(5_000.0), || {
        cycles(RECLAIMS, 4)
    }),
    figure("The same with reasons", Some(5_000.0), || explained_cycles(RECLAIMS, 4)),
    figure("Philly, three weeks, first in first out", None, || philly("fifo", None)),
    figure("Philly, three weeks, KAI v0.13", Some(4_000.0), || philly("kai", Some("0.13"))),
    figure("Philly, three weeks, KAI v0.17", Some(4_000.0), || philly("kai", Some("0.17"))),
    figure("openb, 149 days, KAI", None, whole_openb),
];

const TEAM: Load = Load { nodes: 64, queues: 24, running: 0, waiting: 100, is_open: true };
const TICKET: Load = Load { nodes: 8, queues: 8, running: 0, waiting: 20, is_open: true };
const HALL: Load = Load { nodes: 5_000, queues: 8, running: 40_000, waiting: 10_000, is_open: false };
const STARTS: Load = Load { nodes: 5_000, queues: 8, running: 0, waiting: 40_000, is_open: true };
const RECLAIMS: Load = Load { nodes: 5_000, queues: 8, running: 40_000, waiting: 8_000, is_open: true };

fn cycles(load: Load, n: u32) -> Found {
    let before = open(&plan(&load.text()));
    let (took, (decided, _)) = median(|| before.clone(), |simulation| run(simulation, n));
    Some((took, decided.to_string()))
}

/// Cycles at the level at which the page runs the one that it shows, with the reasons of decisions and why jobs wait.
fn explained_cycles(load: Load, n: u32) -> Found {
    let before = Simulation::new(&plan(&load.text()));
    let (took, (decided, _)) = median(|| before.clone(), |simulation| run(simulation, n));
    Some((took, decided.to_string()))
}

fn every_comparison() -> Found {
    let before = Simulation::new(&plan(&TEAM.text()));
    let (took, explanation) = median(|| (), |()| explain(&before, Level::Every).expect("a first cycle"));
    let n_checks: usize = explanation.record.events.iter().map(|event| event.checks.len()).sum();
    Some((took, format!("{} comparisons", thousands(n_checks))))
}

/// A fixed pseudo-random sequence of whole numbers below an end.
fn sequence() -> impl FnMut(u64) -> f64 {
    let mut state = 7_u64;
    move |end| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % end) as f64
    }
}

/// Time to divide three resources among so many siblings with random quotas, limits, weights and requests.
fn division(n: usize) -> Duration {
    let names: Vec<String> = (0..n).map(|i| format!("queue-{i:05}")).collect();
    let mut below = sequence();
    let mut level = |unit: f64| -> Vec<Sibling<'_>> {
        let sibling = |(i, name)| Sibling {
            name,
            priority: 100,
            created_s: i as f64,
            deserved: below(10) * unit,
            request: below(40) * unit,
            limit: if below(2) == 0.0 { -1.0 } else { below(40) * unit },
            weight: 1.0 + below(9),
            ..Sibling::default()
        };
        names.iter().map(String::as_str).enumerate().map(sibling).collect()
    };
    let units = [1000.0, 1e9, 1.0];
    let levels = units.map(&mut level);
    let divide_all = |mut levels: [Vec<_>; 3]| {
        for (siblings, unit) in levels.iter_mut().zip(units) {
            divide(n as f64 * 12.0 * unit, 1.0, siblings);
        }
        levels
    };
    median(|| levels.clone(), divide_all).0
}

/// A run to its end.
fn whole_run(plan: &Plan) -> (Duration, String) {
    let (took, (decided, end)) = median(|| (), |()| run_while(open(plan), |_, _| true));
    (took, format!("{} cycles, {decided}", thousands(end.cycle() as usize)))
}

/// The trace on a quarter of the cluster.
fn philly(policy: &str, version: Option<&str>) -> Found {
    let read = |name: &str| fs::read(data("philly-2017").join(name)).ok();
    let (jobs, queues) = read("jobs.csv").zip(read("queues.csv"))?;
    let nodes = Some((88, 8));
    let options = Options { policy: policy.into(), nodes, quota_scale: (1, 4), ..Options::default() };
    let mut scenario = import(&jobs, Some(&queues), &options).scenario.expect("the trace can be read");
    scenario.settings.extend(version.map(|version| ("version".to_owned(), version.into())));
    Some(whole_run(&check(&scenario).plan.expect("the trace can be run")))
}

fn whole_openb() -> Found {
    Some(whole_run(&plan(&openb::text()?)))
}

impl Figure {
    fn row(&self) -> String {
        let target = self.target.map_or("–".to_owned(), |target| ms(Duration::from_secs_f64(target / 1e3)));
        let Some((took, happened)) = (self.measure)() else {
            return format!("| {} | {target} | the data are absent | – | |\n", self.name);
        };
        let verdict = match self.target {
            Some(target) if took.as_secs_f64() * 1e3 <= target => "yes",
            Some(_) => "**no**",
            None => "–",
        };
        format!("| {} | {target} | {} | {verdict} | {happened} |\n", self.name, ms(took))
    }
}

/// Sizes of which the growth is computed.
const SIZES: [usize; 2] = [100, 1_000];

/// The time of something by size.
type TimeBySize = fn(usize) -> Duration;

/// Times by size of the growth's table.
const GROWTH: &[(&str, TimeBySize)] = &[
    ("Division among queues, ten times as many as nodes", |n| division(n * 10)),
    ("Opening a state", |n| {
        let plan = plan(&Load::full(n).text());
        median(|| (), |()| open(&plan)).0
    }),
    ("Reading and checking a file", |n| {
        let text = Load::full(n).text();
        median(|| (), |()| plan(&text)).0
    }),
    ("Cycle, everything free", |n| first_cycle(Load::free(n))),
    ("Cycle, no queue may use more", |n| first_cycle(Load::full(n))),
    ("Cycle, all jobs reclaim", |n| first_cycle(Load::reclaim(n))),
];

fn first_cycle(load: Load) -> Duration {
    cycles(load, 1).map(|(took, _)| took).unwrap_or_default()
}

fn growth_row(name: &str, time: TimeBySize) -> String {
    let [small, large] = SIZES.map(time);
    let exponent = (large.as_secs_f64() / small.as_secs_f64()).ln() / (SIZES[1] as f64 / SIZES[0] as f64).ln();
    format!("| {name} | {} | {} | {exponent:.2} |\n", ms(small), ms(large))
}

const HEADING: &str = "\
## Targets of the project

Cycles without the opening of the state, under KAI v0.17 unless another policy is named. Rows with a target of 16, 100
and 200 ms, and those with reasons, run as on the page: with the reasons of decisions and why jobs wait. The others record
decisions only.

| figure | target, ms | here, ms | met | decided |
|---|---|---|---|---|
";

const GROWTH_HEADING: &str = "\
## Growth

Nodes have eight GPUs; five jobs of one GPU wait for each. The exponent is that of a power of the number of nodes: 1 is
ten times the time for ten times the cluster.

| time, ms | 100 nodes | 1,000 nodes | exponent |
|---|---|---|---|
";

/// The two sections of the document, with the lines whose name contains `only`.
pub fn sections(only: &str) -> String {
    let mut text = HEADING.to_owned();
    for figure in FIGURES.iter().filter(|figure| figure.name.contains(only)) {
        eprintln!("{}", figure.name);
        text += &figure.row();
    }
    text = text + "\n" + GROWTH_HEADING;
    for (name, time) in GROWTH.iter().filter(|(name, _)| name.contains(only)) {
        eprintln!("growth: {name}");
        text += &growth_row(name, *time);
    }
    text
}
