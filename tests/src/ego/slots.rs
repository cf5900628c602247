//! The slot shape: whole slots, no hosts.

use fairground::id::Id;
use fairground::policy::ego::ids::{ConsumerId, InPool};
use fairground::policy::ego::slot::{EnforceAt, ShareQuota, Slots};
use serde_json::{Value, json};

use super::format::{Case, Names, plan};
use super::{compare, number};

/// Runs a case; returns the first difference.
pub fn run(case: &Case) -> Result<(), String> {
    let (plan, names) = plan(case)?;
    let by_leaf = |values: &Value| {
        InPool::new(plan.subtree(ConsumerId::ROOT), |c| values[&names.consumers[c]].as_u64().unwrap_or(0))
    };
    let limits = InPool::new(plan.subtree(ConsumerId::ROOT), |c| names.limits[c.index()]);
    let mut slots = Slots {
        plan: &plan,
        slots: case.slots.unwrap_or(0),
        limits: &limits,
        want: by_leaf(&case.demand),
        held: by_leaf(&case.initial),
        share_quota: match case.share_quota.as_str() {
            "static" => ShareQuota::Static,
            "dynamic" | "" => ShareQuota::Dynamic,
            other => return Err(format!("share quota {other:?}")),
        },
        enforce_at: match case.enforce_at.as_str() {
            "leaf" | "" => EnforceAt::Leaf,
            "parent" => EnforceAt::Parent,
            other => return Err(format!("level {other:?}")),
        },
    };
    for (i, step) in case.steps.iter().enumerate() {
        let op = step["op"].as_str().unwrap_or_default();
        let leaf = || Names::find(&names.consumers, step["leaf"].as_str().unwrap_or_default());
        let got = match op {
            "quota" => json!({
                "static": all(&names, &slots.quota(ShareQuota::Static)),
                "dynamic": all(&names, &slots.quota(ShareQuota::Dynamic)),
            }),
            "assign_free" => {
                let order = slots.assign_free();
                let order: Vec<&String> = order.iter().map(|&leaf| &names.consumers[leaf]).collect();
                json!({"order": order, "held": held(&names, &slots)})
            }
            "reclaim" => {
                let moves = slots.reclaim();
                let name = |leaf: ConsumerId| &names.consumers[leaf];
                let moves: Vec<_> = moves.iter().map(|&(by, from)| [name(by), name(from)]).collect();
                json!({"moves": moves, "held": held(&names, &slots)})
            }
            "set_want" => {
                slots.want[leaf()?] = number(step, "want")?;
                continue;
            }
            "release" => {
                let (leaf, n) = (leaf()?, number(step, "n")?);
                slots.held[leaf] = slots.held[leaf].saturating_sub(n);
                slots.want[leaf] = slots.want[leaf].saturating_sub(n);
                continue;
            }
            other => return Err(format!("unknown operation {other:?}")),
        };
        let expect = &step["expect"];
        compare(&format!("step {i} {op}"), expect, &got)?;
    }
    Ok(())
}

fn all(names: &Names, values: &InPool<u64>) -> Value {
    Value::Object(names.consumers.iter().map(|(c, name)| (name.clone(), json!(values[c]))).collect())
}

fn held(names: &Names, slots: &Slots<'_>) -> Value {
    let leaves = names.consumers.iter().filter(|&(c, _)| slots.plan.is_leaf(c));
    Value::Object(leaves.map(|(c, name)| (name.clone(), json!(slots.held[c]))).collect())
}
