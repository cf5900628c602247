//! A checker of explanations outside of the engine: no sentence can be false without a false record.
//!
//! An explanation is a decision, a waiting job or a spared candidate with its comparisons. For each, the checker
//! evaluates every comparison again, compares both sides with values that it adds up itself from pods, queues and
//! nodes, and follows the comparisons to the verdict. A comparison was made at some moment of its cycle, not after the
//! decision: there has to be one moment at which all sides of an explanation are right.

mod accounts;
mod applications;
mod baseline;
mod ego;
mod fair_shares;
mod free;
mod kai;
mod known;
mod moments;
mod node_order;
mod obstacles;
mod operand;
mod planted;
mod preempted;
mod rooms;
mod scores;
mod search;
mod table;
mod usage;
mod verdicts;
mod yunikorn;
mod yunikorn_shares;

use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairground::cluster::Preemptible;
use fairground::id::{Id, JobId, PartitionId, PodId};
use fairground::policy::Policy;
use fairground::policy::kai::config::Config;
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Time;
use fairground::trace::{
    Check, Delay, Event, Gate, Ledger, LedgerRow, NotSelected, Protection, QueuePriority, Recorded, Refusal, Search,
};

use accounts::{Accounts, Counting, Triple};
use fair_shares::{Division, Shares};
use known::{Known, ledgers};
use moments::{Moment, Moments, PodPlace};
use operand::{Context, Expect, Found};
pub use planted::Planted;
use rooms::Rooms;
pub use table::Table;

/// Number of cycles of a run that are examined, unless it is given.
const CYCLES: u32 = 40;

/// An explanation with a mistake.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// Number of the cycle.
    pub cycle: u32,
    /// The explanation.
    pub of: String,
    /// What is wrong.
    pub says: String,
}

/// What an explanation explains.
#[derive(Clone, Copy, Debug)]
enum Explained<'a> {
    /// A decision, by its position.
    Decision(usize),
    /// Why a job waits.
    Waiting(&'a Refusal),
    /// Why a candidate was spared.
    Spared(&'a NotSelected),
}

/// Pods that an explanation is about.
#[derive(Default)]
struct Involved {
    /// For which room is wanted.
    asked: Vec<PodId>,
    /// That lose, or could lose, their place.
    lost: Vec<PodId>,
    /// Whether those in `lost` are recorded, in the order in which they are compared.
    is_recorded: bool,
    /// How many of those in `asked` the comparisons include at least.
    at_least: Option<usize>,
}

/// An explanation of a cycle.
#[derive(Debug)]
struct Explanation<'a> {
    of: Explained<'a>,
    /// Name of its kind.
    kind: String,
    checks: Vec<&'a Check>,
    pool: PartitionId,
}

/// One cycle of a run under examination.
struct Cycle<'a> {
    plan: &'a Plan,
    record: &'a CycleRecord,
    known: &'a Known,
    /// Ledgers of this frame.
    after: Vec<Arc<Ledger>>,
    /// Priority offsets, by pool.
    offsets: Vec<Vec<QueuePriority>>,
    moments: Moments<'a>,
    counting: Counting,
    /// Gangs whose reservations have expired.
    expired: BTreeSet<JobId>,
    /// Preemptions until the end of the cycle.
    preempted: Vec<preempted::Preempted>,
    shares: OnceCell<Vec<Shares>>,
    ego: Option<ego::Ego<'a>>,
}

/// Examines every explanation of a run; counts them by kind and returns the mistakes.
pub fn examine(plan: &Plan, table: &mut Table) -> Vec<Mistake> {
    examine_cycles(plan, CYCLES, table)
}

/// Examines the explanations of the first cycles.
pub fn examine_cycles(plan: &Plan, cycles: u32, table: &mut Table) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut simulation = Simulation::new(plan);
    let mut known = Known::default();
    let mut plan = plan.clone();
    while simulation.cycle() < cycles {
        known.look(&plan, &simulation);
        let Some(record) = simulation.advance() else { break };
        reload(&mut plan, record.time);
        mistakes.extend(examine_cycle(&plan, &known, &simulation, &record, table));
        known.note(&plan, &simulation, &record);
    }
    mistakes
}

/// Puts the settings in force that the policy has reloaded by a moment.
fn reload(plan: &mut Plan, by: Time) {
    let reloaded = plan.timeline.iter().filter(|planned| planned.at <= by);
    if let Some(policy) = reloaded.rev().find_map(|planned| planned.policies().next()) {
        plan.policy = policy.clone();
    }
}

/// Plants mistakes in the explanations of a run, a few in each cycle; returns how many of each kind were planted, how
/// many were caught, and the first that was not.
pub fn plant(plan: &Plan, cycles: u32) -> (BTreeMap<Planted, [u32; 2]>, Option<String>) {
    let mut counts: BTreeMap<Planted, [u32; 2]> = BTreeMap::new();
    let mut missed = None;
    let mut simulation = Simulation::new(plan);
    let mut known = Known::default();
    while simulation.cycle() < cycles {
        known.look(plan, &simulation);
        let Some(record) = simulation.advance() else { break };
        for (kind, wrong) in planted::planted(&plan.policy, &simulation, &record) {
            let of = counts.entry(kind).or_default();
            of[0] += 1;
            if examine_cycle(plan, &known, &simulation, &wrong, &mut Table::default()).is_empty() {
                missed.get_or_insert_with(|| format!("{kind:?} in cycle {}", record.cycle));
            } else {
                of[1] += 1;
            }
        }
        known.note(plan, &simulation, &record);
    }
    (counts, missed)
}

/// Examines the explanations of one cycle; the record is that of the simulation's latest one.
fn examine_cycle(
    plan: &Plan,
    known: &Known,
    simulation: &Simulation,
    record: &CycleRecord,
    table: &mut Table,
) -> Vec<Mistake> {
    let pools = simulation.cluster().partitions.ids();
    let moments = Moments::of(simulation, record, &known.pools, &known.held, &known.aside);
    let preempted = preempted::of_cycle(&plan.policy, &moments);
    let preempted = known.preempted.iter().cloned().chain(preempted).collect();
    let ego = match &plan.policy {
        Policy::Ego(config) => Some(ego::Ego::new(config, &moments, &known.ego)),
        _ => None,
    };
    let cycle = Cycle {
        plan,
        record,
        known,
        after: ledgers(simulation),
        offsets: pools.map(|pool| simulation.priorities_in(pool)).collect(),
        moments,
        counting: Counting::of(&plan.policy),
        preempted,
        expired: known.expired.union(&known::expired(simulation, record)).copied().collect(),
        shares: OnceCell::new(),
        ego,
    };
    let mut mistakes = Vec::new();
    for explanation in cycle.explanations() {
        let wrong = cycle.examine(&explanation, table);
        let of = format!("{}: {:?}", explanation.kind, explanation.of);
        mistakes.extend(wrong.map(|says| Mistake { cycle: record.cycle, of, says }));
    }
    if kai::config(&plan.policy).is_some() {
        mistakes.extend(search::mistakes(&cycle.moments, record));
    }
    mistakes
}

impl<'a> Cycle<'a> {
    fn explanations(&self) -> Vec<Explanation<'a>> {
        let cluster = self.moments.cluster;
        let start = &self.moments.states[0];
        let pool_of = |job: JobId| start.pools[job.index()];
        let mut all = Vec::new();
        for (at, recorded) in self.moments.decisions.iter().enumerate() {
            let (name, job) = match recorded.event {
                Event::Bound { pod, .. } => ("start", cluster.pods[pod].job),
                Event::Claimed { pod, .. } => ("claim", cluster.pods[pod].job),
                Event::Unclaimed { pod, .. } => ("claim lost", cluster.pods[pod].job),
                Event::Evicted { pod, reason, .. } => (reason.key(), cluster.pods[pod].job),
                _ => continue,
            };
            all.push(Explanation {
                of: Explained::Decision(at),
                kind: name.to_string(),
                checks: recorded.checks.iter().collect(),
                pool: pool_of(job),
            });
        }
        for refusal in self.record.refusals.iter() {
            all.push(Explanation {
                of: Explained::Waiting(refusal),
                kind: format!("waits: {}", name_of(&refusal.gate)),
                checks: refusal.checks.iter().collect(),
                pool: pool_of(refusal.job),
            });
        }
        for spared in &self.record.not_selected {
            let (name, check) = match &spared.why {
                Protection::Failed(check) => ("spared: failed", Some(check)),
                Protection::Later(check) => ("spared: later", Some(check)),
                Protection::NonPreemptible => ("spared: non-preemptible", None),
                Protection::Core { .. } => ("spared: core", None),
                Protection::OwnQueue { .. } => ("spared: own queue", None),
                Protection::NotNeeded => ("spared: not needed", None),
            };
            all.push(Explanation {
                of: Explained::Spared(spared),
                kind: name.to_string(),
                checks: check.into_iter().collect(),
                pool: pool_of(spared.by),
            });
        }
        all
    }

    /// Fair shares of a pool at the start of the cycle.
    fn shares(&self, pool: PartitionId) -> &Shares {
        let all = self.shares.get_or_init(|| {
            if let Some(config) = kai::config(&self.plan.policy) {
                return self.moments.cluster.partitions.ids().map(|pool| self.divided(config, pool)).collect();
            }
            let of = |ledger: &Arc<Ledger>| {
                let share = |row: &LedgerRow| {
                    row.fair_share.map_or([f64::NAN; 3], |share| [share.cpu, share.memory, share.gpu])
                };
                Shares { shares: ledger.rows.iter().map(share).collect(), ..Shares::default() }
            };
            // Without changes from outside it is the state of the frame before, without decisions that of this one.
            let jobs = self.moments.cluster.jobs.values();
            let is_offered = jobs.zip(&self.known.pools).any(|(job, pool)| job.partition != *pool);
            let at_start = match (self.record.n_outside, self.moments.decisions) {
                (_, []) if !is_offered => self.after.clone(),
                (0, _) => self.known.before.clone(),
                _ => ledgers(&Simulation::new(&self.moments.plan(self.plan))),
            };
            at_start.iter().map(of).collect()
        });
        &all[pool.index()]
    }

    fn divided(&self, config: &Config, pool: PartitionId) -> Shares {
        let (policy, cluster) = (&self.plan.policy, self.moments.cluster);
        let state = &self.moments.states[0];
        let accounts = Accounts { policy, cluster, state, pool, counting: self.counting };
        let usage = self.known.usage(accounts, config, self.record.time);
        let by = |usage: &[Triple]| Division { accounts, config, usage }.shares();
        Shares { shares: by(&usage), without_usage: by(&vec![[0.0; 3]; usage.len()]), usage }
    }

    /// The moments at which the comparisons of an explanation may have been made, the latest first.
    fn moments_of(&self, explanation: &Explanation<'_>) -> Vec<Moment> {
        let all: Vec<Moment> = match explanation.of {
            Explained::Decision(at) => match &self.ego {
                Some(ego) => {
                    let start = *self.moments.statement(at).start();
                    let all = ego.moments_of(explanation.pool, &self.moments.decisions[at], at, start);
                    all.into_iter().map(Moment::after).collect()
                }
                None => self.moments.of_decision(at, self.counting.is_of_engine),
            },
            Explained::Waiting(..) | Explained::Spared(_) => {
                (0..self.moments.states.len()).rev().map(Moment::after).collect()
            }
        };
        all.into_iter().flat_map(|moment| self.moments.with_counted(moment)).collect()
    }

    /// The pods that an explanation is about at a moment.
    fn pods_of(&self, explanation: &Explanation<'_>, moment: usize, accounts: &Accounts<'_>) -> Involved {
        let cluster = self.moments.cluster;
        let mut pods = Involved::default();
        let job_of = |pod: PodId| cluster.pods[pod].job;
        match explanation.of {
            Explained::Decision(at) => {
                let claimant = self.moments.claimant(at);
                let is_whole = |job: JobId| cluster.jobs[job].preemptible != Preemptible::Semi;
                pods.at_least = claimant.filter(|job| is_whole(*job)).map(|_| 1);
                for other in self.moments.statement(at) {
                    match self.moments.decisions[other].event {
                        Event::Bound { pod, .. } | Event::Claimed { pod, .. } => {
                            let is_asked = other >= moment || pods.at_least.is_none();
                            if Some(job_of(pod)) == claimant && is_asked {
                                pods.asked.push(pod);
                            }
                            if other == at {
                                pods.at_least = pods.at_least.map(|_| pods.asked.len());
                            }
                        }
                        Event::Evicted { pod, .. } | Event::Unclaimed { pod, .. } if other >= moment => {
                            pods.lost.push(pod);
                        }
                        _ => {}
                    }
                }
                match self.search_of(at) {
                    Some(search) => {
                        (pods.lost, pods.is_recorded) = (search.taken.clone(), true);
                    }
                    None => {
                        let set = moment..self.moments.statement(at).end() + 1;
                        pods.lost.extend(self.moments.evicted_twice(set));
                    }
                }
            }
            Explained::Waiting(&Refusal { job, .. }) | Explained::Spared(&NotSelected { by: job, .. }) => {
                pods.asked.extend(accounts.waiting(job));
                pods.asked.extend(self.lost_by(job, moment));
                if self.counting.is_of_engine {
                    let own = self.record.searches.iter().filter(|search| search.job == job);
                    pods.lost.extend(own.flat_map(|search| &search.taken));
                    pods.is_recorded = true;
                    return pods;
                }
                let is_other = |pod: &PodId| job_of(*pod) != job;
                // A claim can be lost as a place can.
                let claimed: BTreeSet<PodId> = accounts.state.claims.iter().map(|claim| claim.0).collect();
                let holds = |pod: &PodId| matches!(accounts.place(*pod), PodPlace::On(_)) || claimed.contains(pod);
                pods.lost.extend(cluster.pods.ids().filter(is_other).filter(holds));
            }
        }
        pods
    }

    /// Pods that a job has lost in the cycle before a moment; the engine of KAI keeps the number of pods that it
    /// computed in the search that evicted them.
    fn lost_by(&self, job: JobId, moment: usize) -> impl Iterator<Item = PodId> + '_ {
        let before = self.moments.decisions[..moment].iter().filter(|_| self.counting.is_of_engine);
        before.filter_map(move |recorded| match recorded.event {
            Event::Evicted { pod, .. } if self.moments.cluster.pods[pod].job == job => Some(pod),
            _ => None,
        })
    }

    /// The search that led to a decision for a job, under the engine of KAI: that of the latest eviction before it,
    /// else of the next one.
    fn search_of(&self, at: usize) -> Option<&Search> {
        let job = self.moments.claimant(at)?;
        let set = self.moments.statement(at);
        let evicted = |other: usize| match self.moments.decisions[other].event {
            Event::Evicted { pod, .. } | Event::Unclaimed { pod, .. } => Some(pod),
            _ => None,
        };
        let pod = (*set.start()..=at).rev().chain(at..=*set.end()).find_map(evicted)?;
        self.record.searches.iter().find(|search| search.job == job && search.evicted.contains(&pod))
    }

    fn context<'s>(&'s self, explanation: &Explanation<'_>, of: Moment) -> Context<'s> {
        let cluster = self.moments.cluster;
        let moment = of.state;
        let state = self.moments.state(&of);
        let policy = &self.plan.policy;
        let accounts = Accounts { policy, cluster, state, pool: explanation.pool, counting: self.counting };
        let Involved { asked, lost, is_recorded, at_least } = self.pods_of(explanation, moment, &accounts);
        let is_rejected = |refusal: &&Refusal| {
            matches!(
                refusal.gate,
                Gate::GangFailed
                    | Gate::GangRefused
                    | Gate::NotAccepted { .. }
                    | Gate::NotALeaf
                    | Gate::Delayed { why: Delay::GangExpired, .. }
            )
        };
        Context {
            accounts,
            policy,
            starts: &self.known.starts,
            stale: &self.known.stale,
            evicted: &self.known.evicted,
            end: self.moments.states.last().expect("one state at least"),
            rooms: LazyCell::new(Box::new(move || self.rooms(accounts, &of))),
            rejected: self.record.refusals.iter().filter(is_rejected).map(|refusal| refusal.job).collect(),
            expired: &self.expired,
            preempted: &self.preempted,
            offsets: self.offsets.get(explanation.pool.index()).map_or(&[], Vec::as_slice),
            earlier_offsets: self.known.offsets.get(explanation.pool.index()).map_or(&[], Vec::as_slice),
            shares: self.shares(explanation.pool),
            now: self.record.time,
            asked,
            at_least,
            twice: self.moments.evicted_twice(0..moment).into_iter().chain(self.moments.moved(moment)).collect(),
            lost,
            is_recorded,
            ego: self.ego.as_ref().map(|ego| {
                let at = match explanation.of {
                    Explained::Decision(at) => Some(at),
                    Explained::Waiting(_) | Explained::Spared(_) => None,
                };
                let is_spared = matches!(explanation.of, Explained::Spared(_));
                ego.moment(&self.moments, explanation.pool, moment, (at, is_spared))
            }),
        }
    }

    /// The rooms of the nodes at a moment, under KAI's engine.
    fn rooms<'s>(&'s self, accounts: Accounts<'s>, moment: &Moment) -> Option<Rooms<'s>> {
        let config = kai::config(&self.plan.policy)?;
        let mut rooms = Rooms::at_start(accounts, config, &self.moments.states[0]);
        for (decided, is_free) in &moment.before {
            rooms.apply(&self.moments.decisions[*decided], *is_free);
        }
        let n_counted = moment.counted.map_or(0, |of| self.moments.counted[of].1);
        for event in self.moments.unfinished[..n_counted].iter().flat_map(moments::of_unfinished) {
            rooms.apply(&Recorded { event, action: "reclaim", checks: Default::default() }, false);
        }
        Some(rooms)
    }

    fn expect(&self, context: &Context<'_>, place: operand::Operand<'_>) -> Expect {
        if let Some(of_nodes) = node_order::expect(context, place) {
            return of_nodes;
        }
        match self.plan.policy {
            Policy::Kai(_) | Policy::Runai(_) => kai::expect(context, place),
            Policy::Fifo(_) | Policy::MaxMin(_) | Policy::Drf(_) => baseline::expect(context, place),
            Policy::YuniKorn(_) => yunikorn::expect(context, place),
            Policy::Ego(_) => context.ego.as_ref().map_or(Expect::Unknown, |ego| ego.expect(place)),
        }
    }

    /// Examines an explanation; returns what is wrong.
    fn examine(&self, explanation: &Explanation<'_>, table: &mut Table) -> Option<String> {
        let policy = self.plan.policy.key();
        for check in &explanation.checks {
            if check.op.eval(&check.left.value, &check.right.value) != check.holds {
                return Some(format!("not as evaluated: {check:?}"));
            }
        }
        if let Some(says) = self.verdict(explanation).filter(|_| !self.is_said_again(explanation)) {
            return Some(says);
        }
        let mut sides: Vec<(String, bool)> = Vec::new();
        for check in &explanation.checks {
            match self.compare(explanation, check) {
                Ok(found) => sides.extend(found),
                Err(_) if self.is_said_again(explanation) => {}
                Err(says) => return Some(says),
            }
        }
        table.add(policy, &explanation.kind, sides);
        None
    }

    /// What is wrong between the comparisons and the verdict, or with the obstacles that it names.
    fn verdict(&self, explanation: &Explanation<'_>) -> Option<String> {
        match explanation.of {
            Explained::Decision(at) => verdicts::of_decision(&self.moments.decisions[at]).or_else(|| {
                if let Some(wrong) = node_order::wrong(&self.moments.decisions[at]) {
                    return Some(wrong);
                }
                let ego = self.ego.as_ref()?;
                ego.wrong(explanation.pool, &self.moments, at)
            }),
            Explained::Spared(spared) => verdicts::of_spared(&spared.why),
            Explained::Waiting(refusal) => {
                let gates = std::iter::once(&refusal.gate).chain(&refusal.also);
                let wrong = |gate| verdicts::of_waiting(gate, &explanation.checks, self.record.time);
                gates
                    .clone()
                    .find_map(wrong)
                    .or_else(|| gates.filter_map(|gate| self.obstacle(explanation, gate)).next())
            }
        }
    }

    /// What is wrong with the obstacles of a reason at all moments.
    fn obstacle(&self, explanation: &Explanation<'_>, gate: &Gate) -> Option<String> {
        let at = |moment: Moment| {
            let context = self.context(explanation, moment);
            match (&context.ego, explanation.of) {
                (Some(ego), Explained::Waiting(refusal)) => ego.wrong(refusal.job, gate),
                _ => obstacles::wrong(&context, gate).or_else(|| free::wrong(&context, gate)),
            }
        };
        let all: Option<Vec<String>> = self.moments_of(explanation).into_iter().map(at).collect();
        all.and_then(|all| all.into_iter().next())
    }

    /// Whether a refusal is the latest one in its pool, and no decision was made there: then the pool had no cycle.
    fn is_said_again(&self, explanation: &Explanation<'_>) -> bool {
        let Explained::Waiting(refusal) = explanation.of else { return false };
        let cluster = self.moments.cluster;
        let is_there = |recorded: &Recorded| match recorded.event {
            Event::Bound { node, .. } | Event::Claimed { node, .. } | Event::Evicted { node, .. } => {
                cluster.nodes[node].partition == explanation.pool
            }
            _ => false,
        };
        let is_same = |known: &Refusal| {
            known.gate == refusal.gate && known.also == refusal.also && known.checks == refusal.checks
        };
        cluster.partitions.len() > 1
            && !self.moments.decisions.iter().any(is_there)
            && self.known.right.get(&(refusal.job, explanation.pool)).is_some_and(is_same)
    }

    /// Compares both sides of a check at the moments at which it may have been made; returns the name of each, and
    /// whether an independent value is known.
    fn compare(&self, explanation: &Explanation<'_>, check: &Check) -> Result<Vec<(String, bool)>, String> {
        let mut first_wrong: Option<String> = None;
        for moment in self.moments_of(explanation) {
            let context = self.context(explanation, moment);
            let mut wrong: Option<String> = None;
            let mut found: Vec<(String, bool)> = Vec::new();
            operand::each_place(check, &mut |place| {
                let name = format!("{} {:?}", check.rule.key(), place.term.quantity);
                match operand::judge(place, self.expect(&context, place)) {
                    Found::Right => found.push((name, true)),
                    Found::Unknown => found.push((name, false)),
                    Found::Wrong(says) => {
                        wrong.get_or_insert_with(|| format!("{name}: {says}; {:?}", check.subject));
                    }
                }
            });
            match wrong {
                None => return Ok(found),
                Some(says) => drop(first_wrong.get_or_insert(says)),
            }
        }
        Err(first_wrong.unwrap_or_default())
    }
}

fn name_of(gate: &Gate) -> String {
    let debug = format!("{gate:?}");
    debug.split([' ', '{']).next().unwrap_or_default().to_string()
}
