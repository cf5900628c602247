//! Kind `queue-order`: the comparator with the rule that decides.

use std::cmp::Ordering;
use std::sync::Arc;

use fairground::policy::kai::config::Dialect;
use fairground::policy::kai::recorded::Quantities;
use fairground::policy::kai::recorded::queue_comparison::{ComparedQueue, compare};
use fairground::policy::runai::DIALECT;
use serde_json::Value;

use super::{list, real, text};

/// Sorts the queues; compares the order and the rules between neighbours.
pub fn check(case: &Value) -> Result<(), String> {
    let any = case["over_fairshare_test"] == "any";
    let dialect = Dialect { over_share_in_any: any, ..DIALECT };
    let total = quantities(&case["totals"])?;
    let mut queues = list(&case["queues"]).map(contender).collect::<Result<Vec<_>, _>>()?;
    queues.sort_by(|l, r| compare(l, r, total, dialect).0);
    let got: Vec<&str> = queues.iter().map(|q| &*q.name).collect();
    let expected = list(&case["expect"]["order"]).map(text).collect::<Result<Vec<_>, _>>()?;
    if got != expected {
        return Err(format!("expected {expected:?}, got {got:?}"));
    }
    for (pair, rule) in queues.windows(2).zip(list(&case["expect"]["rules"])) {
        let (order, decided) = compare(&pair[0], &pair[1], total, dialect);
        let number = decided.key().rsplit('/').next().unwrap_or_default();
        if order != Ordering::Less || Some(number) != rule.as_u64().map(|n| n.to_string()).as_deref() {
            let (l, r) = (&pair[0].name, &pair[1].name);
            return Err(format!("{l} before {r}: expected rule {rule}, got {number} ({order:?})"));
        }
    }
    Ok(())
}

fn quantities(value: &Value) -> Result<Quantities, String> {
    Ok(Quantities { cpu: real(&value["cpu"])?, memory: real(&value["mem"])?, gpu: real(&value["gpu"])? })
}

fn contender(queue: &Value) -> Result<ComparedQueue, String> {
    Ok(ComparedQueue {
        name: Arc::from(text(&queue["id"])?),
        priority: queue["rank"].as_i64().unwrap_or(0),
        created_s: real(&queue["created"])?,
        quota: quantities(&queue["quota"])?,
        limit: quantities(&queue["limit"])?,
        fair_share: quantities(&queue["fairshare"])?,
        allocated: quantities(&queue["allocated"])?,
        next: quantities(&queue["next"])?,
    })
}
