//! What a recorded plan does cycle by cycle, and which pods its units are.
//!
//! The rules' own run of the case gives units and sub-allocations by number; that it agrees with the recording is checked first.
//! Each unit wanted is a pod of its own: one that goes with a grace is not replaced, and a new one is submitted at the next
//! cycle, since a unit in its grace asks for a replacement (OC-4) while a pod that is leaving cannot.

use std::collections::BTreeMap;

use fairground::policy::ego::books::{Books, Change, Source, State, Sub};
use fairground::policy::ego::cycle::{Layout, run as run_cycle};
use fairground::policy::ego::plan::{Plan, fits};
use fairground::time::Time;
use fairground::trace::EvictReason;
use serde_json::Value;

use crate::ego::format::{Case, Names, Wanted};

/// What happens to a sub-allocation before a cycle.
pub enum News {
    /// So many are wanted from now on.
    Want(usize, u32),
    /// Units that end.
    Complete(Vec<usize>),
}

/// One cycle: when, and what happens before it.
pub struct Round {
    pub t: i64,
    pub news: Vec<News>,
}

/// A pod of the scenario, alone in its job.
#[derive(Clone, Debug, Default)]
pub struct Pod {
    pub sub: usize,
    /// Its number among those of its sub-allocation, from 1.
    pub number: usize,
    pub submit: i64,
    /// Host and place in the order of starts, if it runs at the start.
    pub on: Option<(usize, usize)>,
    /// Whether it is not replaced once it is evicted.
    pub is_never_replaced: bool,
    /// Whether it was evicted without any grace.
    was_replaced: bool,
    /// When its job is ended from outside.
    pub ends: Option<i64>,
}

/// A decision, in pods.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// The pod starts on a host.
    Start(usize, usize),
    /// The pod is evicted: why, for which sub-allocation, and how many seconds it may still run.
    Evict(usize, EvictReason, Option<usize>, i64),
    /// Room for a pod of a sub-allocation on a host.
    Claim(usize, usize),
}

/// The decisions of one recorded cycle, and what runs after it.
pub struct Expected {
    pub t: i64,
    pub moves: Vec<Move>,
    /// Host of each running pod, and of each pod in its grace.
    pub holds: BTreeMap<usize, (usize, bool)>,
}

/// The whole course.
#[derive(Default)]
pub struct Course {
    pub pods: Vec<Pod>,
    pub cycles: Vec<Expected>,
    pub subs: Vec<Sub>,
    /// How many units run at the start.
    pub started: usize,
    /// For each unit its pod.
    of_unit: Vec<usize>,
    /// For each sub-allocation the pods that wait, in order.
    waiting: Vec<Vec<usize>>,
}

/// Sub-allocations and running units at the start.
pub fn open<'p>(case: &Case, plan: &'p Plan, names: &mut Names) -> Result<Books<'p>, String> {
    let mut books = Books::new(plan, Time::ZERO);
    let wanted: Vec<Wanted> =
        serde_json::from_value(case.demand.clone()).map_err(|e| format!("demand: {e}"))?;
    for wanted in &wanted {
        let sub = names.sub(wanted, 0)?;
        books.add_sub(sub);
    }
    for group in case.initial.as_array().into_iter().flatten() {
        let sub = Names::find(&names.subs, group["sub"].as_str().unwrap_or_default())?;
        for i in 0..crate::ego::number(group, "count")? as usize {
            let host = match group["hosts"][i].as_str() {
                Some(name) => Names::find(&names.hosts, name)?,
                None => {
                    let unit = books.subs[sub].unit;
                    books.free.iter().position(|free| fits(free, &unit)).ok_or("initial units do not fit")?
                }
            };
            books.enter(sub, host, Source::Pool(0), State::Run);
        }
    }
    Ok(books)
}

impl Course {
    /// Pods that run or wait at the start.
    pub fn new(books: &Books<'_>) -> Course {
        let mut course = Course {
            waiting: vec![Vec::new(); books.subs.len()],
            subs: books.subs.clone(),
            started: books.units.len(),
            ..Course::default()
        };
        for (started, unit) in books.units.iter().enumerate() {
            let pod = course.add(unit.sub, 0);
            course.pods[pod].on = Some((unit.host, started));
            course.of_unit.push(pod);
        }
        course.adjust(books, 0);
        course
    }

    fn add(&mut self, sub: usize, submit: i64) -> usize {
        let number = self.pods.iter().filter(|pod| pod.sub == sub).count() + 1;
        self.pods.push(Pod { sub, number, submit, ..Pod::default() });
        self.pods.len() - 1
    }

    /// As many pods wait as units are wanted beside those that run.
    fn adjust(&mut self, books: &Books<'_>, t: i64) {
        for (at, sub) in books.subs.iter().enumerate() {
            let wanted = sub.want.saturating_sub(sub.running) as usize;
            while self.waiting[at].len() > wanted {
                let Some(pod) = self.waiting[at].pop() else { break };
                self.pods[pod].ends = Some(t);
            }
            while self.waiting[at].len() < wanted {
                let pod = self.add(at, t);
                self.waiting[at].push(pod);
            }
        }
    }

    /// Runs the cycles with the rules' own code and notes what they decide, in pods. The feature that a pod cannot have, if one needs it.
    pub fn run(
        &mut self,
        books: &mut Books<'_>,
        layout: &Layout,
        rounds: &[Round],
    ) -> Result<Option<&'static str>, String> {
        for round in rounds {
            books.now = Time::from_seconds(round.t);
            for news in &round.news {
                match news {
                    News::Want(sub, want) => books.subs[*sub].want = *want,
                    News::Complete(units) => {
                        for &unit in units {
                            let sub = books.units.get(unit).ok_or("no such unit")?.sub;
                            if books.units[unit].state == State::Gone {
                                continue;
                            }
                            books.subs[sub].want = books.subs[sub].want.saturating_sub(1);
                            books.stop(unit);
                            self.pods[self.of_unit[unit]].ends = Some(round.t);
                        }
                    }
                }
            }
            self.adjust(books, round.t);
            books.changes.clear();
            let done = run_cycle(books, layout, false);
            if let Some(feature) = self.note(books, &done, round.t) {
                return Ok(Some(feature));
            }
        }
        Ok(None)
    }

    fn note(
        &mut self,
        books: &Books<'_>,
        done: &fairground::policy::ego::cycle::Cycle,
        t: i64,
    ) -> Option<&'static str> {
        let in_pools = done.passes.iter().flat_map(|(_, pass)| &pass.reclaims);
        let reclaims: Vec<_> = done.by_owners.iter().chain(in_pools).collect();
        let mut moves = Vec::new();
        for change in &books.changes {
            match *change {
                Change::Started(unit) => {
                    let of = books.units[unit];
                    if self.waiting[of.sub].is_empty() {
                        return Some("a unit in its grace is replaced in the same cycle");
                    }
                    let pod = self.waiting[of.sub].remove(0);
                    self.of_unit.push(pod);
                    moves.push(Move::Start(pod, of.host));
                }
                Change::Reclaimed(unit) => {
                    let pod = self.of_unit[unit];
                    let by = reclaims.iter().find(|r| r.victims.contains(&unit)).and_then(|r| r.by);
                    let reason = match by {
                        None => EvictReason::AboveLimit,
                        Some(_) if done.by_owners.iter().any(|r| r.victims.contains(&unit)) => {
                            EvictReason::ReclaimedForQuota
                        }
                        Some(_) => EvictReason::ReclaimedForFairShare,
                    };
                    let left = deadline_of(books, unit).map_or(0, |until| until.as_millis() / 1000 - t);
                    moves.push(Move::Evict(pod, reason, by.and_then(|(_, sub)| sub), left));
                    let is_graceful = left > 0;
                    let sub = books.units[unit].sub;
                    let is_wanted = books.subs[sub].want > books.subs[sub].running;
                    if is_graceful || !is_wanted {
                        if self.pods[pod].was_replaced {
                            return Some("a unit is taken back with a grace and without");
                        }
                        self.pods[pod].is_never_replaced = true;
                    } else {
                        self.pods[pod].was_replaced = true;
                        let at = self.waiting[sub].partition_point(|&other| other < pod);
                        self.waiting[sub].insert(at, pod);
                    }
                }
                Change::Stopped(_) => {}
            }
        }
        let claims = reclaims.iter().filter_map(|r| Some((r.by?.1?, r.host)));
        moves.extend(claims.map(|(sub, host)| Move::Claim(sub, host)));
        let mut holds = BTreeMap::new();
        for (unit, of) in books.units.iter().enumerate().filter(|(_, unit)| unit.state != State::Gone) {
            holds.insert(self.of_unit[unit], (of.host, of.state == State::Run));
        }
        self.cycles.push(Expected { t, moves, holds });
        None
    }
}

fn deadline_of(books: &Books<'_>, unit: usize) -> Option<Time> {
    match books.units[unit].state {
        State::Reclaiming(until) => Some(until),
        _ => None,
    }
}

/// The cycles of a case: those of the plan shape as they are; of the step shape every *advance, assign_free, reclaim*.
pub fn rounds(case: &Case, names: &Names) -> Result<Option<Vec<Round>>, String> {
    if case.plan.is_some() {
        let round = |cycle: &Value| {
            let news = cycle["events"].as_array().into_iter().flatten().map(|event| news(event, names));
            Ok(Round {
                t: crate::ego::number(cycle, "t")? as i64,
                news: news.collect::<Result<_, String>>()?,
            })
        };
        return case.cycles.iter().map(round).collect::<Result<_, String>>().map(Some);
    }
    let mut rounds: Vec<Round> = Vec::new();
    let (mut waits, mut is_whole) = (Vec::new(), true);
    let mut last = "";
    for step in &case.steps {
        let op = step["op"].as_str().unwrap_or_default();
        match op {
            "set_want" | "complete" => waits.push(news(step, names)?),
            "advance" => {
                let t = crate::ego::number(step, "t")? as i64;
                rounds.push(Round { t, news: std::mem::take(&mut waits) });
            }
            "assign_free" => is_whole &= last == "advance",
            "reclaim" => is_whole &= last == "assign_free",
            _ => continue,
        }
        is_whole &= last != "advance" || op == "assign_free";
        is_whole &= last != "assign_free" || op == "reclaim";
        last = op;
    }
    is_whole &= last == "reclaim" && rounds.first().is_some_and(|round| round.t == 0);
    Ok(is_whole.then_some(rounds))
}

fn news(event: &Value, names: &Names) -> Result<News, String> {
    if let Some(sub) = event["sub"].as_str() {
        let want = u32::try_from(crate::ego::number(event, "want")?).map_err(|e| e.to_string())?;
        return Ok(News::Want(Names::find(&names.subs, sub)?, want));
    }
    let named = event.get("complete").unwrap_or(&event["units"]);
    let units = named.as_array().into_iter().flatten().map(crate::ego::unit_id);
    Ok(News::Complete(units.collect::<Result<_, String>>()?))
}
