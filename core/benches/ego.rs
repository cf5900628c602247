//! EGO: quotas of a wide tree, and whole cycles of a large plan.
//!
//! *Quota*: 1,000 consumers, 4 dimensions, share usage quota and both reference quotas; *shapes* with 60 unit sizes,
//! whose capacities have no small common multiple. *Cycle*: 10,000 units: from an empty plan, with newcomers that take
//! 1,000 units of a full one, and idle.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fairground::id::{Arena, Id};
use fairground::policy::ego::cycle::run;
use fairground::policy::ego::ids::{ConsumerId, HostId, SubId};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::plan::{Consumer, Dims, Plan};
use fairground::policy::ego::pool::PoolBook;
use fairground::policy::ego::pool_state::{PoolState, Source, Sub, UnitState};
use fairground::policy::ego::quota::{Table, dynamic_quota, static_quota};
use fairground::time::Time;
use fairground::trace::Level;

/// `departments` times `projects` leaves over `hosts` equal hosts.
fn plan(departments: usize, projects: usize, hosts: usize) -> Plan {
    let mut plan = Plan::default();
    let mut host = Dims::default();
    host[..4].copy_from_slice(&[64, 512, 8, 1000]);
    plan.hosts = (0..hosts).map(|_| host).collect();
    let root = plan.add(None, Consumer::default());
    let mut ratios: Arena<ConsumerId, (u64, u64)> = [(1, 1)].into_iter().collect();
    for d in 0..departments {
        let department = plan.add(Some(root), Consumer::default());
        ratios.push((1 + d as u64 % 5, 1));
        for p in 0..projects {
            plan.add(Some(department), Consumer::default());
            ratios.push((1 + p as u64 % 7, 2));
        }
    }
    plan.set_ratios(&ratios);
    plan
}

fn leaves(plan: &Plan) -> Vec<ConsumerId> {
    plan.consumers.ids().filter(|&c| plan.is_leaf(c)).collect()
}

fn unit(cpus: i64, gpus: i64) -> Dims {
    let mut unit = Dims::default();
    unit[..4].copy_from_slice(&[cpus, cpus * 4, gpus, 1 + cpus % 13]);
    unit
}

/// One sub-allocation per leaf.
fn wanting<'a>(plan: &'a Plan, want: u32, size: impl Fn(usize) -> Dims) -> PoolState<'a> {
    let mut state = PoolState::new(plan, Time::ZERO);
    for (i, leaf) in leaves(plan).into_iter().enumerate() {
        state.add_sub(Sub { leaf, allocation: SubId::from_index(i), unit: size(i), want, ..Sub::default() });
    }
    state
}

fn quota(c: &mut Criterion) {
    let plan = plan(31, 31, 250);
    assert!(plan.consumers.len() > 960);
    let layout = Layout::new(&plan);
    for (name, sizes) in [("uniform", 4), ("shapes", 60)] {
        let mut state = wanting(&plan, 40, |i| unit(1 + (i % sizes) as i64, i as i64 % 2));
        run(&mut state, &layout, Level::Outcomes);
        c.bench_function(&format!("ego/quota/{name}/1000x4"), |b| {
            b.iter(|| {
                let pool = layout.pool(&state, ConsumerId::ROOT);
                let book = PoolBook::open(&state, &pool);
                black_box(Table::new(&state, &book));
                for dim in 0..4 {
                    black_box(static_quota(&plan, &book, dim));
                    black_box(dynamic_quota(&state, &book, dim));
                }
            });
        });
    }
}

fn cycle(c: &mut Criterion) {
    let plan = plan(10, 10, 1250);
    let layout = Layout::new(&plan);
    let size = |i: usize| unit(8, i as i64 % 2);
    c.bench_function("ego/cycle/fill/10000", |b| {
        b.iter_batched_ref(
            || wanting(&plan, 1000, size),
            |state| run(state, &layout, Level::Outcomes),
            BatchSize::LargeInput,
        );
    });
    let mut full = wanting(&plan, 0, size);
    let first = full.subs.len() / 2;
    for i in 0..10_000 {
        let (sub, host) = (SubId::from_index(i % first), HostId::from_index(i / 8));
        full.enter(sub, host, Source::Pool(ConsumerId::ROOT), UnitState::Run);
    }
    for (i, sub) in full.subs.values_mut().enumerate() {
        sub.want = if i < first { sub.running } else { 20 };
    }
    c.bench_function("ego/cycle/reclaim/10000", |b| {
        b.iter_batched_ref(|| full.clone(), |state| run(state, &layout, Level::Outcomes), BatchSize::LargeInput);
    });
    let mut settled = full.clone();
    run(&mut settled, &layout, Level::Outcomes);
    c.bench_function("ego/cycle/settled/10000", |b| {
        b.iter_batched_ref(|| settled.clone(), |state| run(state, &layout, Level::Outcomes), BatchSize::LargeInput);
    });
}

criterion_group!(ego, quota, cycle);
criterion_main!(ego);
