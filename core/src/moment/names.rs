//! The catalogue of a run: names of its jobs, pods and pools, and its main resource. It never changes during a run, so
//! it is sent once; events, comparisons and refusals refer to ids.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::What;
use crate::cluster::Cluster;
use crate::id::{Id, JobId, PartitionId, PodId, QueueId};
use crate::trace::Subject;
use crate::units::Resource;

/// Names of the jobs, pods, pools and queues of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Name of the policy in scenario files; empty: the default policy.
    pub policy: String,
    /// Jobs in file order: name and queue.
    pub jobs: Vec<(Arc<str>, QueueId)>,
    /// Pods: name and job.
    pub pods: Vec<(Arc<str>, JobId)>,
    /// Node pools.
    pub pools: Vec<Arc<str>>,
    /// Display names of the queues that have one, in file order.
    pub display_names: Vec<(QueueId, Arc<str>)>,
    /// The resource that the jobs compete for.
    pub resource: Resource,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            policy: String::new(),
            jobs: Vec::new(),
            pods: Vec::new(),
            pools: Vec::new(),
            display_names: Vec::new(),
            resource: Resource::GPU,
        }
    }
}

impl Names {
    /// Collects the names of a cluster.
    pub fn of(policy: &str, cluster: &Cluster) -> Names {
        Names {
            policy: policy.to_string(),
            jobs: cluster.jobs.values().map(|job| (job.name.clone(), job.queue)).collect(),
            pods: cluster.pods.values().map(|pod| (pod.name.clone(), pod.job)).collect(),
            pools: cluster.partitions.values().map(|pool| pool.name.clone()).collect(),
            display_names: cluster
                .queues
                .iter()
                .filter(|(_, queue)| !queue.display_name.is_empty())
                .map(|(id, queue)| (id, queue.display_name.clone()))
                .collect(),
            resource: cluster.contended_resource(),
        }
    }

    /// The display name of a queue; empty if it has none.
    pub fn display_name(&self, queue: QueueId) -> &str {
        let position = self.display_names.binary_search_by_key(&queue, |(id, _)| *id);
        position.map_or("", |i| &self.display_names[i].1)
    }

    /// The name of a job; empty for an unknown id.
    pub fn job(&self, job: JobId) -> &str {
        self.jobs.get(job.index()).map_or("", |(name, _)| name)
    }

    /// The same, shared.
    pub fn shared_job_name(&self, job: JobId) -> Arc<str> {
        self.jobs.get(job.index()).map_or_else(Arc::default, |(name, _)| name.clone())
    }

    /// The queue of a job.
    pub fn queue_of(&self, job: JobId) -> Option<QueueId> {
        self.jobs.get(job.index()).map(|(_, queue)| *queue)
    }

    /// Finds a job by name.
    pub fn find(&self, name: &str) -> Option<JobId> {
        self.jobs.iter().position(|(job_name, _)| **job_name == *name).map(JobId::from_index)
    }

    /// The name of a pod; empty for an unknown id.
    pub fn pod(&self, pod: PodId) -> &str {
        self.pods.get(pod.index()).map_or("", |(name, _)| name)
    }

    /// The name of a node pool; empty for an unknown id.
    pub fn pool(&self, pool: PartitionId) -> &str {
        self.pools.get(pool.index()).map_or("", |name| name)
    }

    /// The job of an event or a mark, if it has one.
    pub fn job_of(&self, what: &What) -> Option<JobId> {
        let of_pod = |pod: PodId| self.pods.get(pod.index()).map(|(_, job)| *job);
        match what {
            What::Event(event) => {
                let Subject { job, pod, .. } = event.subject();
                job.or_else(|| of_pod(pod?))
            }
            What::Mark(mark) => mark.subject.job,
        }
    }
}
