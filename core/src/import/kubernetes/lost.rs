//! Things that the import does not use, with the objects that say them, and the keys that belong to schedulers.

use std::collections::BTreeMap;

use super::objects::{Object, tally};

/// Domains of schedulers' labels and annotations.
const DOMAINS: [&str; 14] = [
    "kai.scheduler/",
    "scheduling.run.ai/",
    "runai/",
    "run.ai/",
    "yunikorn.apache.org/",
    "kueue.x-k8s.io/",
    "scheduling.volcano.sh/",
    "volcano.sh/",
    "scheduling.k8s.io/",
    "gpu-fraction",
    "gpu-memory",
    "leaderworkerset.sigs.k8s.io/",
    "jobset.sigs.k8s.io/",
    "scheduler.alpha.kubernetes.io/",
];

/// Fields of objects that make pods that are read, or that only say which pods are theirs.
pub const WORK_FIELDS: &str = "template templates replicas parallelism completions suspend selector jobTemplate schedule tasks minAvailable \
     queue schedulerName priorityClassName runPolicy elasticPolicy rayClusterSpec rayClusterConfig headGroupSpec workerGroupSpecs \
     replicatedJobs startupPolicy leaderWorkerTemplate driver executor batchScheduler batchSchedulerOptions memoryOverheadFactor \
     type pytorchReplicaSpecs tfReplicaSpecs mpiReplicaSpecs xgbReplicaSpecs jaxReplicaSpecs paddleReplicaSpecs";

/// Keys of an object that makes pods that decide nothing about where and when they run.
pub const QUIET: &str = "selector arguments image imagePullPolicy imagePullSecrets mainApplicationFile mainClass mode pythonVersion \
     restartPolicy sparkVersion";

/// Things that are not used, with the objects that say them.
#[derive(Default)]
pub struct Unused<'a> {
    by_field: BTreeMap<String, Vec<&'a Object<'a>>>,
}

impl<'a> Unused<'a> {
    /// Adds something that an object says.
    pub fn add(&mut self, what: impl Into<String>, object: &'a Object<'a>) {
        let objects = self.by_field.entry(what.into()).or_default();
        // The templates of an object may say the same.
        if !objects.last().is_some_and(|last| std::ptr::eq(*last, object)) {
            objects.push(object);
        }
    }

    /// Returns a line for each thing.
    pub fn lines(self) -> Vec<String> {
        let lines = |(what, objects): (String, Vec<&Object<'_>>)| {
            tally(&objects, "").into_iter().map(|line| format!("{what} of {line}")).collect::<Vec<_>>()
        };
        self.by_field.into_iter().flat_map(lines).collect()
    }
}

/// Whether a key is in the domain of a scheduler or in a part of it, such as `alpha.jobset.sigs.k8s.io/`.
pub fn is_of_domain(key: &str) -> bool {
    DOMAINS.iter().any(|domain| key.starts_with(domain) || domain.ends_with('/') && key.contains(&format!(".{domain}")))
}
