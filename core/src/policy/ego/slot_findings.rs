//! Findings about scenarios with a slot plan.
//!
//! # Rule
//! Every pod takes one slot, which is one GPU, so a job whose pods request another number is an error. Ownership and
//! share priority have no effect: one warning each, at the first queue that has them, and one for each setting of
//! lending, ranks, and over-commitment; so have limits of CPU and memory. The settings of a slot plan have no effect in
//! a multidimensional one.
//!
//! # Source
//! ego.md 10, 10.1
//!
//! # Differs
//! IBM's slot plans have ownership, lending and borrowing; the documents contradict each other about which borrower
//! gets a lent slot

use super::config::Config;
use crate::format::{Findings, Path, Scalar, Scenario, codes, quantity, quoted, set};

/// Adds the findings.
pub(super) fn check(scenario: &Scenario, config: &Config, f: &mut Findings) {
    if config.shares_slots {
        one_gpu_each(scenario, f);
        without_effect(scenario, f);
    } else {
        only_of_slots(scenario, f);
    }
}

fn one_gpu_each(scenario: &Scenario, f: &mut Findings) {
    let is_one =
        |gpu: &Option<Scalar>| gpu.as_ref().is_some_and(|gpu| quantity::millionths(gpu.0.trim()) == Ok(1_000_000));
    for job in scenario.jobs.iter() {
        let wrong_set = job.pod_sets.iter().position(|pods| !is_one(&pods.gpu));
        let job_path = Path::default().field("jobs").named(&job.name);
        let path = match wrong_set {
            Some(_) => job_path.field("pod-sets"),
            None if job.pod_sets.is_empty() && !is_one(&job.gpu) => job_path.field("gpu"),
            None => continue,
        };
        let message = format!(
            "with plan: slots every pod takes one slot, which is one GPU; the pods of {} do not ask for gpu: 1",
            quoted(&job.name)
        );
        let fix = if wrong_set.is_none() { set(path.clone(), "1", "Ask for one GPU") } else { None };
        f.add(codes::SETTING_VALUE, path, message, fix);
    }
}

fn without_effect(scenario: &Scenario, f: &mut Findings) {
    let owns =
        |quota: &Option<Scalar>| quota.as_ref().is_some_and(|quota| quantity::millionths(quota.0.trim()) != Ok(0));
    let owner = scenario.queues.iter().find(|q| owns(&q.gpu.quota) || owns(&q.cpu.quota) || owns(&q.memory.quota));
    let queue_path = |name: &str| Path::default().field("queues").named(name);
    if let Some(queue) = owner {
        let message = format!(
            "plan: slots ignores ownership (of {}): IBM documents two different orders in which owned slots are lent; here every slot is in the \
             public pool. With plan: multidimensional whole nodes are owned and lent",
            quoted(&queue.name)
        );
        f.add(codes::NOT_EXPRESSED, queue_path(&queue.name), message, None);
    }
    for name in scenario.settings.keys() {
        let why = match name.split('.').next().unwrap_or_default() {
            "lendout" | "lendout-grace" | "private-pool-grace" | "rank" | "reserved" => {
                "which ignores ownership and lending"
            }
            "over-commit" => "which counts whole slots",
            _ => continue,
        };
        let path = Path::default().field("settings").field(name);
        let message = format!("{name} has no effect with plan: slots, {why}");
        f.add(codes::NOT_EXPRESSED, path.clone(), message, set(path, "", format!("Remove {name}")));
    }
    let limits = |limit: &Option<Scalar>| limit.as_ref().is_some_and(|limit| limit.0.trim() != "unlimited");
    let of_cpu = scenario.queues.iter().find(|q| limits(&q.cpu.limit));
    let of_memory = scenario.queues.iter().find(|q| limits(&q.memory.limit));
    for (field, what, queue) in [("cpu", "CPU", of_cpu), ("memory", "memory", of_memory)] {
        let Some(queue) = queue else { continue };
        let message = format!("plan: slots counts slots, and ignores limits of {what} (of {})", quoted(&queue.name));
        f.add(codes::NOT_EXPRESSED, queue_path(&queue.name).field(field).field("limit"), message, None);
    }
    if let Some(queue) = scenario.queues.iter().find(|q| q.priority.is_some()) {
        let message = format!("plan: slots has no share priority (of {})", quoted(&queue.name));
        f.add(codes::NOT_EXPRESSED, queue_path(&queue.name).field("priority"), message, None);
    }
}

fn only_of_slots(scenario: &Scenario, f: &mut Findings) {
    for name in ["share-quota", "enforcement"].into_iter().filter(|name| scenario.settings.contains_key(*name)) {
        let path = Path::default().field("settings").field(name);
        let message = format!("{name} has an effect only with plan: slots");
        f.add(codes::NOT_EXPRESSED, path.clone(), message, set(path, "", format!("Remove {name}")));
    }
}
