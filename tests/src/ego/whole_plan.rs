//! The plan shape: cycles of a whole plan.

use std::collections::BTreeMap;

use fairground::policy::ego::cycle::{Cycle, run as run_cycle};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::pool::PoolBook;
use fairground::policy::ego::pool_state::{PoolState, UnitChange, UnitState};
use fairground::policy::ego::quota::Table;
use fairground::policy::ego::reclaim::Reclaim;
use fairground::time::Time;
use fairground::trace::Level;
use serde_json::{Map, Value, json};

use super::format::{Case, Names, open, plan};
use super::{compare, complete, leaves, number, reclaiming, seconds, source_name, table, unit_name, units};

/// Runs a case; returns the first difference.
pub fn run(case: &Case) -> Result<(), String> {
    let (plan, mut names) = plan(case)?;
    let mut state = open(case, &plan, &mut names)?;
    let layout = Layout::new(&plan);
    for (i, cycle) in case.cycles.iter().enumerate() {
        state.now = Time::from_seconds(number(cycle, "t")? as i64);
        for event in cycle["events"].as_array().into_iter().flatten() {
            if let Some(sub) = event["sub"].as_str() {
                let want = u32::try_from(number(event, "want")?).map_err(|e| e.to_string())?;
                let sub = Names::find(&names.subs, sub)?;
                state.subs[sub].want = want;
            } else {
                complete(&mut state, &event["complete"])?;
            }
        }
        state.changes.clear();
        let done = run_cycle(&mut state, &layout, Level::Decisive);
        let got = seen(&state, &layout, &done, &names);
        compare(&format!("cycle {i}"), &cycle["expect"], &got)?;
        if let Some((host, _)) = state.free.iter().find(|(_, free)| free.iter().any(|&f| f < 0)) {
            return Err(format!("cycle {i}: {} holds more than it has", names.hosts[host]));
        }
    }
    Ok(())
}

fn seen(state: &PoolState<'_>, layout: &Layout, done: &Cycle, names: &Names) -> Value {
    let source = |source| source_name(names, source);
    let started = state.changes.iter().filter_map(|change| match change {
        UnitChange::Started(id) if state.units[*id].state != UnitState::Gone => {
            let unit = &state.units[*id];
            Some(json!([unit_name(*id), names.subs[unit.sub], names.hosts[unit.host], source(unit.source)]))
        }
        _ => None,
    });
    let mut held: BTreeMap<&str, BTreeMap<String, u32>> =
        names.subs.values().map(|name| (name.as_str(), BTreeMap::new())).collect();
    for unit in state.units.values().filter(|unit| unit.state != UnitState::Gone) {
        let by_source = held.entry(names.subs[unit.sub].as_str()).or_default();
        *by_source.entry(source(unit.source)).or_default() += 1;
    }
    let pool_name = |root| source(fairground::policy::ego::pool_state::Source::Pool(root));
    let mut lent = Map::new();
    for (host, root) in state.lent.iter() {
        if let Some(root) = root {
            lent.insert(names.hosts[host].clone(), json!(pool_name(*root)));
        }
    }
    let mut tables = Map::new();
    for &root in &layout.pools {
        let pool = layout.pool(state, root);
        let book = PoolBook::open(state, &pool);
        tables.insert(pool_name(root), table(names, &Table::new(state, &book)));
    }
    let earmarks = state
        .earmarks
        .iter()
        .map(|e| json!([names.subs[e.sub], names.hosts[e.host], units(&e.victims), source(e.source)]));
    json!({
        "expired": units(&done.expired),
        "started": started.collect::<Vec<_>>(),
        "reclaims": reclaims(state, done, names),
        "held": held,
        "lent": lent,
        "tables": tables,
        "reclaiming": reclaiming(state),
        "earmarks": earmarks.collect::<Vec<_>>(),
    })
}

fn reclaims(state: &PoolState<'_>, done: &Cycle, names: &Names) -> Vec<Value> {
    let row = |place: &str, r: &Reclaim| {
        let by = r.by.map(|(leaf, _)| names.consumers[leaf].clone());
        let of = leaves(names, state, &r.victims);
        json!([by, place, names.hosts[r.host], units(&r.victims), of, seconds(r.deadline)])
    };
    let mut rows = Vec::new();
    for reclaim in &done.by_owners {
        let place = match reclaim.by {
            Some((_, Some(_))) => "owned",
            _ => "call-back",
        };
        rows.push(row(place, reclaim));
    }
    for (root, pass) in &done.passes {
        let place = source_name(names, fairground::policy::ego::pool_state::Source::Pool(*root));
        rows.extend(pass.reclaims.iter().map(|r| row(&place, r)));
    }
    rows
}
