//! GPU requests of pods, and pod sets of jobs.

use std::sync::Arc;

use fairground::scenario::{Edit, JobEntry, Path, PodSetEntry, Scenario, free_name};
use fairground::words::Terms;

use super::{Changed, RequestKind};
use crate::state::document;
use crate::state::layout::table;

/// How the pods of a job or pod set request GPUs.
pub fn kind(scenario: &Scenario, at: &Path) -> RequestKind {
    let text = |field: &str| document::value(scenario, &at.field(field));
    if !text("gpu-memory").trim().is_empty() {
        return RequestKind::Memory;
    }
    let gpu = text("gpu");
    match gpu.trim().parse::<f64>() {
        Ok(n) if n > 0.0 && n < 1.0 => RequestKind::Fraction,
        Ok(n) if n <= 0.0 => RequestKind::CpuOnly,
        Err(_) if gpu.trim().is_empty() => RequestKind::CpuOnly,
        Err(_) if gpu.trim().ends_with('m') => RequestKind::Fraction,
        _ => RequestKind::Whole,
    }
}

/// Changes how pods request GPUs, with a usual amount.
pub fn set_kind(scenario: &Scenario, at: &Path, kind: RequestKind) -> Result<Changed, String> {
    let (gpu, memory, what) = match kind {
        RequestKind::CpuOnly => ("", "", "no GPU"),
        RequestKind::Whole => ("1", "", "whole GPUs"),
        RequestKind::Fraction => ("0.5", "", "a GPU fraction"),
        RequestKind::Memory => ("", "10000 MiB", "GPU memory"),
    };
    let set = |field: &str, value: &str| Edit::Set { at: at.field(field), value: value.to_string() };
    let scenario = document::apply(scenario, &[set("gpu", gpu), set("gpu-memory", memory)])?;
    let name = format!("request of {} → {what}", table::owner_name(at));
    Ok(Changed { scenario, name, select: None })
}

/// Adds a pod set to a job. Pod fields of the job itself become its first pod set.
pub fn add_pod_set(scenario: &Scenario, job: &str) -> Result<Changed, String> {
    let mut jobs = scenario.jobs.to_vec();
    let Some(entry) = jobs.iter_mut().find(|j| j.name == job) else {
        return Err(format!("There is no {job}."));
    };
    if entry.pod_sets.is_empty() {
        let first = take_own(entry);
        entry.pod_sets.push(first);
    }
    let mut added = entry.pod_sets.last().cloned().unwrap_or_default();
    added.name = free_name("kind", entry.pod_sets.iter().map(|set| set.name.as_str()));
    added.pods = Some("1".into());
    added.min_available = None;
    let name = format!("add {} {} to {job}", Terms::of(&scenario.policy).word("pods"), added.name);
    entry.pod_sets.push(added);
    Ok(Changed { scenario: Scenario { jobs: Arc::new(jobs), ..scenario.clone() }, name, select: None })
}

fn take_own(job: &mut JobEntry) -> PodSetEntry {
    PodSetEntry {
        name: "kind-1".to_string(),
        pods: job.pods.take(),
        min_available: job.min_available.take(),
        gpu: job.gpu.take(),
        gpu_memory: job.gpu_memory.take(),
        cpu: job.cpu.take(),
        memory: job.memory.take(),
        gpu_devices: job.gpu_devices.take(),
        gated: job.gated.take(),
        ..PodSetEntry::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::scenario::check;

    fn scenario() -> Scenario {
        let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n, gpu: 8}]\n\
                    queues: [{name: q, gpu: {quota: 8, limit: unlimited, weight: 1}}]\n\
                    jobs: [{name: j, queue: q, pods: 4, min-available: 2, gpu: 1}]\n";
        document::from_text(text).expect("it is clean")
    }

    #[test]
    fn every_kind_of_request_is_read_back_as_set() {
        let at = Path::default().field("jobs").named("j");
        let kinds = [RequestKind::CpuOnly, RequestKind::Whole, RequestKind::Fraction, RequestKind::Memory];
        for wanted in kinds {
            let changed = set_kind(&scenario(), &at, wanted).expect("it can be set");
            assert_eq!(kind(&changed.scenario, &at), wanted);
            assert!(check(&changed.scenario).plan.is_some(), "{wanted:?}");
        }
    }

    #[test]
    fn the_first_kind_of_pods_is_what_the_job_said() {
        let changed = add_pod_set(&scenario(), "j").expect("the job is there");
        let job = &changed.scenario.jobs[0];
        assert_eq!((job.pods.as_ref(), job.gpu.as_ref()), (None, None));
        let names: Vec<&str> = job.pod_sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names, ["kind-1", "kind-2"]);
        assert_eq!(job.pod_sets[0].min_available.as_ref().map(|n| n.0.as_str()), Some("2"));
        assert!(check(&changed.scenario).plan.is_some());
        assert!(add_pod_set(&scenario(), "k").is_err());
    }
}
