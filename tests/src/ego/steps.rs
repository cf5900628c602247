//! The step shape: operations on one pool.

use fairground::policy::ego::assign::assign;
use fairground::policy::ego::ids::{ConsumerId, InPool, SubId};
use fairground::policy::ego::pool::{PoolBook, PoolHost, PoolLayout};
use fairground::policy::ego::pool_state::{PoolState, UnitState};
use fairground::policy::ego::quota::{Table, dynamic_quota, percentages, static_quota};
use fairground::policy::ego::reclaim::reclaim;
use fairground::time::Time;
use fairground::trace::Level;
use serde_json::{Map, Value, json};

use super::format::{Case, Names, open, plan};
use super::{compare, complete, leaves, number, reclaiming, seconds, table, text, unit_name, units};
use fairground::policy::ego::number::Fraction;

/// Runs a case; returns the first difference.
pub fn run(case: &Case) -> Result<(), String> {
    let (plan, mut names) = plan(case)?;
    let mut state = open(case, &plan, &mut names)?;
    let hosts = plan.hosts.ids().map(|host| PoolHost { host, lent_grace: None }).collect();
    let pool = PoolLayout { root: ConsumerId::ROOT, hosts, grace: plan.default_grace, ..PoolLayout::default() };
    for (i, step) in case.steps.iter().enumerate() {
        let place = format!("step {i} {}", step["op"].as_str().unwrap_or_default());
        if let Some(got) = apply(step, &mut state, &pool, &names)? {
            compare(&place, &step["expect"], &got)?;
        }
        let over = state.free.iter().find(|(_, free)| free.iter().any(|&f| f < 0));
        if let Some((host, _)) = over {
            return Err(format!("{place}: {} holds more than it has", names.hosts[host]));
        }
    }
    Ok(())
}

fn apply(step: &Value, state: &mut PoolState<'_>, pool: &PoolLayout, names: &Names) -> Result<Option<Value>, String> {
    let mut book = PoolBook::open(state, pool);
    Ok(Some(match step["op"].as_str().unwrap_or_default() {
        "capacity" => by_sub(names, |sub| json!(book_capacity(state, &book, sub))),
        "static_quota" => by_dim(names, |dim| static_quota(state.plan, &book, dim)),
        "dynamic_quota" => by_dim(names, |dim| dynamic_quota(state, &book, dim)),
        "percentages" => {
            let parts = percentages(state, &book);
            let row = |(c, name): (ConsumerId, &String)| {
                let (n, d) = parts[c];
                (name.clone(), text(&Fraction { n: n.into(), d: d.into() }))
            };
            Value::Object(names.consumers.iter().map(row).collect())
        }
        "table" => table(names, &Table::new(state, &book)),
        "assign_free" => {
            let turns = assign(state, &mut book, Level::Decisive);
            let row = |turn: &fairground::policy::ego::assign::Turn| {
                let host = turn.units.first().map(|&id| names.hosts[state.units[id].host].clone());
                json!([names.consumers[turn.leaf], host])
            };
            let trace: Vec<Value> = turns.iter().map(row).collect();
            match step["trace"].as_bool() {
                Some(true) => json!({"held": held(state, names), "trace": trace}),
                _ => json!({"held": held(state, names)}),
            }
        }
        "reclaim" => {
            let pass = reclaim(state, &mut book, Level::Outcomes);
            let row = |r: &fairground::policy::ego::reclaim::Reclaim| {
                let by = r.by.map(|(leaf, _)| names.consumers[leaf].clone());
                let of = leaves(names, state, &r.victims);
                json!([by, names.hosts[r.host], units(&r.victims), of, seconds(r.deadline)])
            };
            let events: Vec<Value> = pass.reclaims.iter().map(row).collect();
            match step["trace"].as_bool() {
                Some(false) => json!({"events": events.len(), "held": held(state, names)}),
                _ => json!({"events": events, "held": held(state, names)}),
            }
        }
        "set_want" => {
            let sub = Names::find(&names.subs, step["sub"].as_str().unwrap_or_default())?;
            state.subs[sub].want = u32::try_from(number(step, "want")?).map_err(|e| e.to_string())?;
            return Ok(None);
        }
        "complete" => {
            complete(state, &step["units"])?;
            return Ok(None);
        }
        "advance" => {
            state.now = Time::from_seconds(number(step, "t")? as i64);
            let expired: Vec<String> = state.expire().into_iter().map(unit_name).collect();
            state.redeem();
            json!({"expired": expired, "held": held(state, names)})
        }
        "state" => json!({
            "held": held(state, names),
            "reclaiming": reclaiming(state),
            "earmarks": state.earmarks.len(),
        }),
        other => return Err(format!("unknown operation {other:?}")),
    }))
}

fn book_capacity(state: &PoolState<'_>, book: &PoolBook<'_>, sub: SubId) -> u64 {
    let unit = &state.subs[sub].unit;
    let shape = state.shapes.iter().find(|(_, (shape, _))| shape == unit);
    shape.map_or(0, |(shape, _)| book.capacity[shape])
}

fn by_sub(names: &Names, of: impl Fn(SubId) -> Value) -> Value {
    Value::Object(names.subs.iter().map(|(sub, name)| (name.clone(), of(sub))).collect())
}

fn by_dim(names: &Names, of: impl Fn(usize) -> InPool<Fraction>) -> Value {
    let columns: Vec<InPool<Fraction>> = (0..names.dims.len()).map(of).collect();
    let row = |(c, name): (ConsumerId, &String)| {
        let amounts = names.dims.iter().zip(&columns).map(|(dim, column)| (dim.clone(), text(&column[c])));
        (name.clone(), Value::Object(amounts.collect::<Map<_, _>>()))
    };
    Value::Object(names.consumers.iter().map(row).collect())
}

fn held(state: &PoolState<'_>, names: &Names) -> Value {
    by_sub(names, |sub| {
        let is_there =
            |unit: &&fairground::policy::ego::pool_state::Unit| unit.sub == sub && unit.state != UnitState::Gone;
        json!(state.units.values().filter(is_there).count())
    })
}
