//! Laws of the EGO policy (ego.md 11.1) over small generated plans: ownership, private pools, lending, limits,
//! priorities, several dimensions, grace periods, and changing demand.

use fairground::id::{Arena, Id};
use fairground::policy::ego::cycle::{Cycle, run};
use fairground::policy::ego::ids::{ConsumerId, SizeId, SubId};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::number::Fraction;
use fairground::policy::ego::plan::{Consumer, Dims, Ownership, Placement, Plan, ShareLimit, units_in};
use fairground::policy::ego::pool::{PoolBook, PoolHost, PoolLayout};
use fairground::policy::ego::pool_state::{PoolState, Sub, UnitChange, UnitState};
use fairground::policy::ego::quota::Table;
use fairground::time::{Span, Time};
use fairground::trace::Level;
use fairground_tests::worlds::Numbers;
use proptest::prelude::*;

const RATIOS: [(u64, u64); 6] = [(1, 1), (1, 1), (2, 1), (1, 2), (3, 1), (0, 1)];

struct RandomPlan {
    plan: Plan,
    ratios: Arena<ConsumerId, (u64, u64)>,
    subs: Vec<Sub>,
}

fn seconds(n: &mut Numbers, graces: bool) -> Span {
    Span::from_seconds(if graces { n.one_of(&[0, 10, 20, 30]) } else { 0 })
}

fn consumer(n: &mut Numbers, graces: bool) -> Consumer {
    let mut consumer = Consumer {
        priority: n.one_of(&[0, 0, 0, 1, 2]),
        lendout: n.below(2) == 0,
        lendout_grace: seconds(n, graces),
        rank: u32::from(n.below(3)),
        ..Consumer::default()
    };
    if n.below(8) == 0 {
        consumer.reclaim_grace = Some(seconds(n, graces));
    }
    if n.below(6) == 0 {
        let limit = [ShareLimit::At(2), ShareLimit::Part(250_000), ShareLimit::Part(500_000)];
        consumer.share_limit[0] = Some(n.one_of(&limit));
    }
    consumer
}

/// Departments with projects, some owning hosts, over hosts of two dimensions.
fn world(n: &mut Numbers, graces: bool) -> RandomPlan {
    let mut plan = Plan { default_grace: seconds(n, graces), ..Plan::default() };
    plan.placement = n.one_of(&[Placement::Stacked, Placement::Balanced, Placement::Stacked]);
    for _ in 0..2 + n.below(5) {
        let mut host = Dims::default();
        host[0] = n.one_of(&[1, 2, 4]);
        host[1] = n.one_of(&[4, 8]);
        plan.hosts.push(host);
    }
    let root = plan.add(None, Consumer::default());
    let mut ratios: Arena<ConsumerId, (u64, u64)> = [(1, 1)].into_iter().collect();
    for _ in 0..2 + n.below(2) {
        let n_own = usize::from(n.below(3));
        let mut department = consumer(n, graces);
        department.private_pool_grace = (n.below(2) == 0).then(|| seconds(n, graces));
        if n_own > 0 {
            department.own = vec![Ownership::Count(n_own)];
        }
        let department = plan.add(Some(root), department);
        ratios.push(n.one_of(&RATIOS));
        for _ in 0..n.below(4) {
            let mut project = consumer(n, graces);
            if n_own > 0 && n.below(2) == 0 {
                project.own = vec![Ownership::Count(1)];
            }
            if n.below(4) == 0 {
                project.reserved = vec![Ownership::Count(1)];
            }
            plan.add(Some(department), project);
            ratios.push(n.one_of(&RATIOS));
        }
    }
    plan.set_ratios(&ratios);
    let mut subs = Vec::new();
    for leaf in plan.consumers.ids().filter(|&c| plan.is_leaf(c)) {
        for _ in 0..1 + n.below(2) {
            let mut unit = Dims::default();
            unit[0] = n.one_of(&[1, 1, 2, 3]);
            unit[1] = n.one_of(&[0, 1, 4]);
            let min_units = u32::from(n.one_of(&[0u8, 0, 0, 2]));
            let allocation = SubId::from_index(subs.len());
            subs.push(Sub {
                leaf,
                allocation,
                unit,
                want: u32::from(n.one_of(&[0u8, 2, 5, 9])),
                min_units,
                ..Sub::default()
            });
        }
    }
    RandomPlan { plan, ratios, subs }
}

fn state(world: &RandomPlan) -> PoolState<'_> {
    let mut state = PoolState::new(&world.plan, Time::ZERO);
    for sub in &world.subs {
        state.add_sub(sub.clone());
    }
    state
}

/// Changes the demand, then runs a cycle.
fn step(n: &mut Numbers, state: &mut PoolState<'_>, layout: &Layout) -> Cycle {
    state.now = state.now + Span::from_seconds(n.one_of(&[0, 5, 10, 30]));
    for sub in state.subs.ids() {
        match n.below(3) {
            0 => state.subs[sub].want = u32::from(n.one_of(&[0u8, 0, 3, 9])),
            1 => {
                let ends = state.units.iter().find(|(_, u)| u.sub == sub && u.state != UnitState::Gone);
                if let Some(id) = ends.map(|(id, _)| id) {
                    state.stop(id);
                    state.subs[sub].want = state.subs[sub].want.saturating_sub(1);
                }
            }
            _ => {}
        }
    }
    run(state, layout, Level::Decisive)
}

fn tables(state: &PoolState<'_>, layout: &Layout) -> Vec<(ConsumerId, Table)> {
    let one = |&root: &ConsumerId| {
        let pool = layout.pool(state, root);
        (root, Table::new(state, &PoolBook::open(state, &pool)))
    };
    layout.pools.iter().map(one).collect()
}

/// E-P1, E-P2, E-P3, E-P5.
fn check_table(state: &PoolState<'_>, root: ConsumerId, table: &Table, waits: bool) -> Result<(), TestCaseError> {
    let consumers = &state.plan.consumers;
    if !waits {
        return Ok(());
    }
    let quota = |c: ConsumerId| table.quota[c].clone();
    let demand = |c: ConsumerId| Fraction::whole(table.demand[c].clone());
    let leaves = table.quota.ids().filter(|&c| state.plan.is_leaf(c));
    let sum = leaves.fold(Fraction::ZERO, |sum, c| sum.plus(&quota(c)));
    let total = Fraction::whole(table.projected[root].clone());
    if !state.plan.is_leaf(root) {
        prop_assert_eq!(sum, total.min(demand(root)), "E-P1 in pool {:?}", root);
    }
    for node in table.quota.ids() {
        for &c in &consumers[node].children {
            prop_assert!(quota(c) <= demand(c), "E-P2 of {:?}", c);
            for &other in consumers[node].children.iter().filter(|&&o| consumers[o].ratio > 0) {
                if consumers[other].priority > consumers[c].priority && quota(c) > Fraction::ZERO {
                    prop_assert_eq!(quota(other), demand(other), "E-P3 of {:?} and {:?}", c, other);
                }
                let capped = |c: ConsumerId| quota(c) == demand(c);
                if consumers[other].priority == consumers[c].priority && !capped(c) && !capped(other) {
                    let per = |c: ConsumerId, by: ConsumerId| {
                        let q = quota(c);
                        Fraction { n: q.n.scaled(consumers[by].ratio), d: q.d }
                    };
                    if consumers[c].ratio > 0 {
                        prop_assert_eq!(per(c, other), per(other, c), "E-P5 of {:?} and {:?}", c, other);
                    }
                }
            }
        }
    }
    Ok(())
}

/// E-P6, from the units alone: no resource is used twice, and held resources fit in addition.
fn check_hosts(state: &PoolState<'_>) -> Result<(), TestCaseError> {
    for (host, capacity) in state.plan.hosts.iter() {
        let mut used = Dims::default();
        for unit in state.units.values().filter(|u| u.host == host && u.state != UnitState::Gone) {
            fairground::policy::ego::plan::add(&mut used, &state.subs[unit.sub].unit, 1);
        }
        for dim in 0..used.len() {
            prop_assert!(used[dim] <= capacity[dim], "host {:?} holds {:?} of {:?}", host, used, capacity);
            prop_assert!(state.free[host][dim] >= 0 && state.free[host][dim] <= capacity[dim] - used[dim]);
        }
    }
    for (id, sub) in state.subs.iter() {
        let running = state.units.values().filter(|u| u.sub == id && u.state == UnitState::Run).count();
        prop_assert_eq!(running, sub.running as usize);
        let promised = state.earmarks.iter().filter(|e| e.sub == id).count();
        prop_assert_eq!(promised, sub.earmarked as usize);
    }
    Ok(())
}

/// OC-14: every unit started in a cycle belongs to an allocation whose first units all run or are earmarked.
fn check_first_units(state: &PoolState<'_>) -> Result<(), TestCaseError> {
    let lost = |sub: SubId| {
        state.changes.iter().any(|c| matches!(c, UnitChange::Reclaimed(id) if state.units[*id].sub == sub))
    };
    for change in &state.changes {
        let UnitChange::Started(id) = change else { continue };
        let sub = &state.subs[state.units[*id].sub];
        let is_whole = sub.covered() >= sub.min_units.min(sub.want);
        prop_assert!(is_whole || lost(state.units[*id].sub), "{:?} started alone", sub);
    }
    Ok(())
}

/// E-P8, from the numbers recorded with each reclaim, and recomputed from the tree.
fn check_reclaims(state: &PoolState<'_>, cycle: &Cycle) -> Result<(), TestCaseError> {
    let consumers = &state.plan.consumers;
    for why in cycle.passes.iter().flat_map(|(_, pass)| &pass.reclaims).filter_map(|r| r.why.as_ref()) {
        let (a, b) = why.sides;
        prop_assert!(consumers[a].priority >= consumers[b].priority);
        if consumers[a].priority == consumers[b].priority && consumers[b].ratio > 0 {
            let (after_a, after_b) = &why.after;
            prop_assert!(after_b.scaled(consumers[a].ratio) >= after_a.scaled(consumers[b].ratio), "E-P8");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn quotas_hosts_and_reclaims(bytes in prop::collection::vec(any::<u8>(), 100..600)) {
        let n = &mut Numbers::new(bytes);
        let world = world(n, true);
        let layout = Layout::new(&world.plan);
        let mut state = state(&world);
        for _ in 0..8 {
            state.changes.clear();
            let cycle = step(n, &mut state, &layout);
            check_hosts(&state)?;
            check_first_units(&state)?;
            check_reclaims(&state, &cycle)?;
            for (root, table) in tables(&state, &layout) {
                let pool = layout.pool(&state, root);
                let book = PoolBook::open(&state, &pool);
                let waits = state.subs.ids().any(|s| {
                    let leaf = state.subs[s].leaf;
                    world.plan.is_below(leaf, root)
                        && book.excluded(&state, leaf).is_none()
                        && book.outstanding(&state, s) > 0
                });
                check_table(&state, root, &table, waits)?;
            }
        }
    }

    /// E-P4: only the proportions of sibling ratios count. E-P11: the same input gives the same bytes.
    #[test]
    fn ratios_are_proportions(bytes in prop::collection::vec(any::<u8>(), 100..400), by in 2..7u64) {
        let changes = |by: u64| {
            let n = &mut Numbers::new(bytes.clone());
            let mut world = world(n, true);
            // Siblings have the same depth; each depth is scaled differently.
            let scaled: Arena<ConsumerId, (u64, u64)> = world.ratios.values().zip(world.plan.consumers.values())
                .map(|(&(r, d), c)| (r * by.pow(c.depth as u32), d))
                .collect();
            world.plan.set_ratios(&scaled);
            let layout = Layout::new(&world.plan);
            let mut state = state(&world);
            for _ in 0..4 {
                step(n, &mut state, &layout);
            }
            state.changes
        };
        let plain = changes(1);
        prop_assert_eq!(&changes(by), &plain);
        prop_assert_eq!(&changes(1), &plain);
    }

    /// E-P7: without grace periods and with constant demand, the state converges.
    #[test]
    fn constant_demand_converges(bytes in prop::collection::vec(any::<u8>(), 100..400)) {
        let n = &mut Numbers::new(bytes);
        let world = world(n, false);
        let layout = Layout::new(&world.plan);
        let mut state = state(&world);
        step(n, &mut state, &layout);
        step(n, &mut state, &layout);
        let rests = (0..30).any(|_| {
            state.changes.clear();
            run(&mut state, &layout, Level::Outcomes);
            state.changes.is_empty()
        });
        prop_assert!(rests, "still moving: {:?}", state.changes);
    }

    /// E-P9: units that run elsewhere do not change the numbers of a pool, if the demand on it is the same.
    #[test]
    fn pools_are_accounted_separately(bytes in prop::collection::vec(any::<u8>(), 100..400), more in 1..5u32) {
        let n = &mut Numbers::new(bytes);
        let world = world(n, true);
        let layout = Layout::new(&world.plan);
        let mut state = state(&world);
        step(n, &mut state, &layout);
        let before = tables(&state, &layout);
        // A sub-allocation without demand is excluded, because its size would be added to the sizes in use.
        for sub in state.subs.values_mut().filter(|sub| sub.want > 0 && sub.want >= sub.covered()) {
            sub.outside += more;
            sub.want += more;
        }
        prop_assert_eq!(tables(&state, &layout), before);
    }

    /// E-P10: more hosts or smaller units never lower the capacity.
    #[test]
    fn capacity_is_monotone(bytes in prop::collection::vec(any::<u8>(), 10..60), dim in 0..2usize) {
        let n = &mut Numbers::new(bytes);
        let world = world(n, true);
        let capacity = |n_hosts: usize, unit: &Dims| {
            let mut state = PoolState::new(&world.plan, Time::ZERO);
            state.add_sub(Sub { leaf: ConsumerId::ROOT, unit: *unit, want: 1, ..Sub::default() });
            let hosts = world.plan.hosts.ids().take(n_hosts).map(|host| PoolHost { host, lent_grace: None }).collect();
            PoolBook::open(&state, &PoolLayout { root: ConsumerId::ROOT, hosts, ..PoolLayout::default() }).capacity[SizeId(0)]
        };
        let mut unit = Dims::default();
        unit[0] = i64::from(n.below(4)) + 1;
        unit[1] = i64::from(n.below(4)) + 1;
        let all = world.plan.hosts.len();
        let by_hand: u64 = world.plan.hosts.values().map(|host| units_in(host, &unit)).sum();
        prop_assert_eq!(capacity(all, &unit), by_hand);
        prop_assert!(capacity(all - 1, &unit) <= by_hand);
        unit[dim] += 1;
        prop_assert!(capacity(all, &unit) <= by_hand);
    }
}

/// The generator covers the cases of the laws.
#[test]
fn the_generator_covers_all_cases() {
    let (mut reclaims, mut lent, mut graces, mut owned, mut called_back) = (0, 0, 0, 0, 0);
    let mut seed = 7u64;
    for _ in 0..300 {
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as u8
        };
        let n = &mut Numbers::new((0..800).map(|_| next()).collect());
        let world = world(n, true);
        let layout = Layout::new(&world.plan);
        let mut state = state(&world);
        for _ in 0..8 {
            let cycle = step(n, &mut state, &layout);
            reclaims += cycle.passes.iter().map(|(_, pass)| pass.reclaims.len()).sum::<usize>();
            called_back += cycle.by_owners.len();
            owned += cycle.owned.len();
            lent += state.lent.values().flatten().count();
        }
        graces += state.changes.iter().filter(|c| matches!(c, UnitChange::Reclaimed(_))).count();
    }
    let seen = [reclaims, lent, graces, owned, called_back];
    assert!(seen.iter().all(|&n| n > 20), "reclaims, lent, graces, owned, called back: {seen:?}");
}
