//! Laws of whole runs: of what comes out of them, and of other runs of the same plan.

use std::cell::Cell;
use std::rc::Rc;

use fairground::cluster::{Phase, Restart};
use fairground::id::PodId;
use fairground::policy::Monitor;
use fairground::sim::{Simulation, Timeline};
use fairground::time::Time;
use fairground::trace::{Event, Level, Recorded};

use super::{CYCLES, Law, Run, Verdict, ensure, records};
use crate::draw::Draw;

pub fn laws<'a>() -> [Law<Run<'a>>; 6] {
    [
        Law { name: "what is not replaced never starts twice", of: what_is_not_replaced_never_starts_twice },
        Law { name: "seeking equals running", of: seeking_equals_running },
        Law { name: "copies run alike", of: copies_run_alike },
        Law { name: "interrupted cycles leave nothing", of: interrupted_cycles_leave_nothing },
        Law { name: "skipping changes nothing", of: skipping_changes_nothing },
        Law { name: "recording decides nothing", of: recording_decides_nothing },
    ]
}

/// A pod that is not replaced is placed at most once; it ends when it is gone, and its job has one outcome.
fn what_is_not_replaced_never_starts_twice(run: &Run) -> Verdict {
    let starts_of = |events: &[&Recorded], pod: PodId| {
        events.iter().filter(|r| matches!(r.event, Event::Bound { pod: bound, .. } if bound == pod)).count()
    };
    let events: Vec<&Recorded> = run.records.iter().flat_map(|record| &record.events).collect();
    let cluster = run.end.cluster();
    for (id, pod) in cluster.pods.iter().filter(|(_, pod)| cluster.jobs[pod.job].restart == Restart::Never) {
        let n = usize::from(run.at_start.contains_key(&id)) + starts_of(&events, id);
        ensure(n <= 1, || format!("{} was placed {n} times", pod.name))?;
        let is_over = matches!(pod.phase, Phase::Evicted { .. });
        let is_said = events.iter().any(|r| r.event == Event::NotReplaced { pod: id });
        ensure(is_over == is_said, || format!("{}: over {is_over}, said {is_said}", pod.name))?;
    }
    for (id, job) in cluster.jobs.iter() {
        let done = events.iter().filter(|r| r.event == Event::JobDone { job: id }).count();
        let evicted = events.iter().filter(|r| r.event == Event::JobEvicted { job: id }).count();
        let is_right = done + evicted == usize::from(job.ended.is_some()) && (evicted == 1) == cluster.is_evicted(id);
        ensure(is_right, || format!("{}: done {done}, evicted {evicted}, ended {:?}", job.name, job.ended))?;
    }
    let all = run.end.summary().all;
    let known = cluster.jobs.iter().filter(|(id, job)| job.ended.is_some() || cluster.live_jobs.contains(id));
    let counted = (all.jobs_done + all.jobs_evicted + all.jobs_unfinished) as usize;
    let known = known.count();
    ensure(counted == known, || format!("{counted} jobs are counted, {known} known"))
}

/// Seeking to cycles or times in any order equals running there, reasons included, with few or many checkpoints.
fn seeking_equals_running(run: &Run) -> Verdict {
    let mut d = Draw::new(run.number);
    let records = &run.records;
    let mut timeline = Timeline::with_budget(run.plan, d.below(200_000) as u64);
    for _ in 0..=d.below(5) {
        let mut cycle = d.below(CYCLES as usize) as u32;
        let level = d.one_of(&[Level::Outcomes, Level::Decisive]);
        if d.below(3) == 0 {
            let to = &records[(cycle as usize).min(records.len() - 1)];
            // A run of several cycles at one moment need not leave it.
            let goes_on = |present: &Simulation| present.now() > to.time || present.cycle() <= CYCLES;
            while goes_on(timeline.present()) && timeline.step_until(to.time, level) {}
            cycle = timeline.present().cycle();
            ensure(timeline.present().now() <= to.time, || format!("beyond {:?}", to.time))?;
        }
        while timeline.step_towards(cycle, level) {}
        let record = timeline.record();
        ensure(record.cycle == cycle || timeline.end() == Some(record.cycle), || format!("not at cycle {cycle}"))?;
        let Some(expected) = records.get(record.cycle as usize) else { continue };
        ensure(record == expected, || format!("cycle {cycle}: {record:?} instead of {expected:?}"))?;
        if d.below(2) == 0 {
            timeline.look_ahead();
        }
    }
    Ok(())
}

/// A second run, continued with a copy after every cycle, has the same records, digests included: what a policy keeps
/// beside its state changes nothing.
fn copies_run_alike(run: &Run) -> Verdict {
    let mut copy = Simulation::new(run.plan);
    for expected in &run.records[1..] {
        copy = copy.clone();
        let record = copy.advance();
        ensure(record.as_ref() == Some(expected), || format!("{record:?} instead of {expected:?}"))?;
    }
    ensure(copy == run.end, || "the records are the same, what remains is not".into())
}

/// A cycle that is interrupted, wherever the policy asks, leaves no trace: the cycle before it is reached, and the run
/// goes on from there. What is said of the progress of a cycle is a fraction of it.
fn interrupted_cycles_leave_nothing(run: &Run) -> Verdict {
    const INTERRUPTED_MAX: u32 = 10;
    let mut d = Draw::new(run.number);
    let mut timeline = Timeline::with_budget(run.plan, d.below(200_000) as u64);
    let (asks_left, is_outside) = (Rc::new(Cell::new(0i64)), Rc::new(Cell::new(false)));
    timeline.set_monitor(Monitor::new({
        let (asks_left, is_outside) = (asks_left.clone(), is_outside.clone());
        move |part| {
            is_outside.set(is_outside.get() || part.is_some_and(|part| !(0.0..=1.0).contains(&part)));
            asks_left.replace(asks_left.get() - 1) <= 0
        }
    }));
    for cycle in 1..=INTERRUPTED_MAX {
        asks_left.set(d.below(40) as i64);
        if timeline.step_towards(cycle, Level::Decisive) && timeline.reached() < cycle {
            ensure(timeline.reached() == cycle - 1, || format!("cycle {cycle}: {} reached", timeline.reached()))?;
            asks_left.set(i64::MAX);
            while timeline.step_towards(cycle, Level::Outcomes) {}
        }
        let record = timeline.record();
        ensure(record.cycle == cycle || timeline.end() == Some(record.cycle), || format!("not at cycle {cycle}"))?;
        let Some(expected) = run.records.get(record.cycle as usize) else { break };
        ensure(record == expected, || format!("cycle {cycle}: {record:?} instead of {expected:?}"))?;
    }
    ensure(!is_outside.get(), || "more than all of a cycle is done".into())
}

/// Skipping idle cycles equals running them.
fn skipping_changes_nothing(run: &Run) -> Verdict {
    let by = Time::from_millis(Draw::new(run.number).below(60_000) as i64);
    let mut skipping = Simulation::new(run.plan);
    skipping.set_level(Level::Outcomes);
    while skipping.cycle() < CYCLES {
        skipping.skip_idle(CYCLES, by);
        if skipping.cycle() == CYCLES || skipping.advance().is_none() {
            break;
        }
    }
    let is_same = skipping.digest() == run.end.digest() && skipping.summary() == run.end.summary();
    ensure(is_same, || format!("cycle {} at {:?} and {:?}", run.end.cycle(), run.end.now(), skipping.now()))
}

/// The level of recording does not affect decisions.
fn recording_decides_nothing(run: &Run) -> Verdict {
    for level in [Level::Outcomes, Level::Every] {
        let mut simulation = Simulation::new(run.plan);
        simulation.set_level(level);
        let records = records(&mut simulation);
        let differs = records.iter().zip(&run.records).position(|(one, other)| one.digest != other.digest);
        ensure(differs.is_none(), || format!("{level:?}: cycle {differs:?}"))?;
    }
    Ok(())
}
