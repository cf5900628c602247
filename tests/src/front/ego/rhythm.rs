//! Whether a recorded course can be the course of a scenario at all.
//!
//! A recording has a cycle at the moments it names and no others, and a unit in its grace asks for its replacement at once
//! (OC-4). In a scenario a cycle follows whatever happens, at the end of every grace too, and a pod that is leaving asks for nothing until
//! it is gone. The rules' own code runs the case both ways: where that changes a decision, no file can say the case.

use fairground::policy::ego::books::{Books, Change, Source, State, Sub};
use fairground::policy::ego::cycle::{Cycle, Layout, run as run_cycle};
use fairground::time::Time;

use super::course::{Course, Move, News, Round};

/// A decision by sub-allocation and host, or by unit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Done {
    Start(usize, usize),
    Evict(usize),
    Claim(usize, usize),
}

/// The feature that keeps a course from being a scenario's.
pub fn differs(
    opening: &Books<'_>,
    layout: &Layout,
    rounds: &[Round],
    course: &Course,
) -> Option<&'static str> {
    let recorded: Vec<Vec<Done>> =
        course.cycles.iter().map(|cycle| by_kind(of_moves(course, &cycle.moves))).collect();
    if run(opening, layout, rounds, false) != recorded {
        return Some("a cycle between two recorded ones would decide more");
    }
    if run(opening, layout, rounds, true) != recorded {
        return Some("a unit in its grace asks for its replacement in the same cycle");
    }
    if run_jobs(opening, layout, rounds, course) != recorded {
        return Some("more units than the pool holds are one demand, as jobs they are several");
    }
    None
}

/// Starts, evictions and claims, each in their order.
fn by_kind(mut done: Vec<Done>) -> Vec<Done> {
    done.sort_by_key(|done| match done {
        Done::Start(..) => 0,
        Done::Evict(..) => 1,
        Done::Claim(..) => 2,
    });
    done
}

fn of_moves(course: &Course, moves: &[Move]) -> Vec<Done> {
    let sub = |pod: usize| course.pods[pod].sub;
    let of = |m: &Move| match *m {
        Move::Start(pod, host) => Done::Start(sub(pod), host),
        Move::Evict(pod, ..) => Done::Evict(sub(pod)),
        Move::Claim(sub, host) => Done::Claim(sub, host),
    };
    moves.iter().map(of).collect()
}

/// The same as in [`run`], each pod of the course a sub-allocation of its own.
fn run_jobs(opening: &Books<'_>, layout: &Layout, rounds: &[Round], course: &Course) -> Vec<Vec<Done>> {
    let mut books = Books::new(opening.plan, Time::ZERO);
    books.ends_later = true;
    let mut order: Vec<usize> = (0..course.pods.len()).collect();
    order.sort_by_key(|&pod| course.pods[pod].sub);
    let mut subs = vec![0; order.len()];
    for &pod in &order {
        let like = &opening.subs[course.pods[pod].sub];
        let allocation = books.subs.len();
        subs[pod] = books.add_sub(Sub { leaf: like.leaf, allocation, unit: like.unit, ..Sub::default() });
    }
    let mut on: Vec<(usize, usize, usize)> = course
        .pods
        .iter()
        .zip(&subs)
        .filter_map(|(pod, &sub)| pod.on.map(|(host, at)| (at, sub, host)))
        .collect();
    on.sort_unstable();
    for (_, sub, host) in on {
        books.enter(sub, host, Source::Pool(0), State::Run);
    }
    let mut all = Vec::new();
    for round in rounds {
        let mut done = Vec::new();
        let by = Time::from_seconds(round.t);
        while let Some(next) = next_end(&books).filter(|&next| next < by) {
            books.now = next;
            cycles(&mut books, layout, &mut done);
        }
        books.now = by;
        for (pod, &sub) in course.pods.iter().zip(&subs) {
            if pod.ends == Some(round.t) {
                books.subs[sub].want = 0;
                let units = (0..books.units.len()).filter(|&unit| books.units[unit].sub == sub);
                units.collect::<Vec<_>>().into_iter().for_each(|unit| books.stop(unit));
            } else if pod.submit == round.t {
                books.subs[sub].want = 1;
            }
        }
        cycles(&mut books, layout, &mut done);
        for done in &mut done {
            let (Done::Start(sub, _) | Done::Evict(sub) | Done::Claim(sub, _)) = done;
            *sub = course.pods[order[*sub]].sub;
        }
        all.push(by_kind(done));
    }
    all
}

/// The decisions up to each recorded cycle, if a cycle follows whatever happens. `as_pods`: what is leaving asks for nothing.
fn run(opening: &Books<'_>, layout: &Layout, rounds: &[Round], as_pods: bool) -> Vec<Vec<Done>> {
    let mut books = opening.clone();
    books.ends_later = as_pods;
    let mut want: Vec<u32> = books.subs.iter().map(|sub| sub.want).collect();
    let mut all = Vec::new();
    for round in rounds {
        let mut done = Vec::new();
        let by = Time::from_seconds(round.t);
        while let Some(next) = next_end(&books).filter(|&next| next < by) {
            books.now = next;
            cycles(&mut books, layout, &mut done);
        }
        books.now = by;
        for news in &round.news {
            match news {
                News::Want(sub, n) => want[*sub] = *n,
                News::Complete(units) => {
                    for &unit in units {
                        let Some(of) = books.units.get(unit).filter(|of| of.state != State::Gone) else {
                            continue;
                        };
                        want[of.sub] = want[of.sub].saturating_sub(1);
                        books.stop(unit);
                    }
                }
            }
        }
        for (sub, &want) in books.subs.iter_mut().zip(&want) {
            sub.want = want.max(if as_pods { sub.running } else { 0 });
        }
        cycles(&mut books, layout, &mut done);
        all.push(by_kind(done));
    }
    all
}

/// When the next grace ends.
fn next_end(books: &Books<'_>) -> Option<Time> {
    let ends = books.units.iter().filter_map(|unit| match unit.state {
        State::Reclaiming(until) => Some(until),
        _ => None,
    });
    ends.min()
}

/// Cycles at one moment, until none of them takes a unit without a grace.
fn cycles(books: &mut Books<'_>, layout: &Layout, done: &mut Vec<Done>) {
    for _ in 0..64 {
        if books.ends_later {
            let due = |state: State| matches!(state, State::Reclaiming(until) if until <= books.now);
            let due: Vec<usize> =
                (0..books.units.len()).filter(|&unit| due(books.units[unit].state)).collect();
            due.into_iter().for_each(|unit| books.stop(unit));
        }
        books.changes.clear();
        let cycle = run_cycle(books, layout, false);
        if !note(books, &cycle, done) {
            return;
        }
    }
}

/// Notes what a cycle decided. Whether it took a unit without a grace, whose pod waits again at once.
fn note(books: &mut Books<'_>, cycle: &Cycle, done: &mut Vec<Done>) -> bool {
    let mut again = false;
    for change in books.changes.clone() {
        match change {
            Change::Started(unit) => {
                let of = books.units[unit];
                done.push(Done::Start(of.sub, of.host));
            }
            Change::Reclaimed(unit) => {
                let of = books.units[unit];
                done.push(Done::Evict(of.sub));
                let is_over = match of.state {
                    State::Reclaiming(until) => until <= books.now,
                    _ => true,
                };
                again |= is_over;
                if is_over && books.ends_later {
                    books.subs[of.sub].want += 1;
                }
            }
            Change::Stopped(_) => {}
        }
    }
    let in_pools = cycle.passes.iter().flat_map(|(_, pass)| &pass.reclaims);
    let reclaims = cycle.by_owners.iter().chain(in_pools);
    done.extend(reclaims.filter_map(|r| Some(Done::Claim(r.by?.1?, r.host))));
    again
}
