//! Modelled versions of KAI Scheduler, and later changes.
//!
//! # Source
//! Differences in the scheduler's code between the modelled revision and `d5bc503a` (2026-08-07), read, not run.

use super::explain::faults;
use crate::policy::versions::{Fault, Modelled, Since};

/// Rules that search for victims.
const SEARCH: &[&str] = &["kai/reclaim/", "kai/preempt/lower-priority"];

/// The modelled versions.
pub const MODELLED: Modelled = Modelled {
    policy: "kai",
    product: "KAI Scheduler",
    label: "KAI v0.14.0",
    versions: "v0.13.x and v0.14.0",
    revision: "72de64fc8eca10fa8cca26a20156178f3edbe092",
    source: "source code of 2026-03-07",
    compared: "v0.17.0 of 2026-08-03; the code was read, the new version was not run",
    changes: CHANGES,
};

const CHANGES: &[Since] = &[
    Since {
        version: "v0.16.0, v0.14.6 and v0.15.3",
        rules: &["kai/solver/crash"],
        before: "The scheduler crashes when it comes in the same cycle again to an elastic job whose pods were to move.",
        now: "The crash is fixed: the job stays pending and the cycle goes on, as it does here.",
        notice: "No restart of the scheduler in this situation.",
        fault: None,
    },
    Since {
        version: "v0.17.0 and late v0.16.x",
        rules: &[],
        before: "A second crash: writing the message of an eviction between top-level queues in reclaim.",
        now: "Fixed. It is not modelled here.",
        notice: "No restart of the scheduler in this situation.",
        fault: None,
    },
    Since {
        version: "v0.15.0, v0.14.1",
        rules: SEARCH,
        before: "The pods of a pending job are tried one more at a time, and the first failure ends the search.",
        now: "The number of pods is found by doubling and halving, and all of them are tried once more at the end.",
        notice: "Other jobs may be evicted, and a gang that failed with few of its pods can now start.",
        fault: None,
    },
    Since {
        version: "v0.15.0, v0.14.3",
        rules: SEARCH,
        before: "Nodes are tried in the order of the jobs to evict, the newest job first.",
        now: "The smallest sufficient set of nodes is tried first.",
        notice: "Jobs on small nodes are evicted rather than strictly the newest jobs.",
        fault: None,
    },
    Since {
        version: "v0.16.0",
        rules: SEARCH,
        before: "One search that adds one job to evict after another.",
        now: "Two searches in turn, node by node and then several nodes at once, each a plugin. A plugin list written by \
              hand without them turns reclaim, preempt and consolidation off.",
        notice: "Big gangs that need several nodes emptied at once, and stayed pending, now start.",
        fault: None,
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/reclaim/", "kai/min-runtime/ran-long-enough"],
        before: "All jobs considered so far are checked together before an eviction is allowed.",
        now: "Only the jobs that would really be evicted are checked.",
        notice: "One elastic job protected by its minimum runtime no longer blocks every other eviction.",
        fault: None,
    },
    Since {
        version: "v0.17.0 (stop at a refusal: v0.15.0)",
        rules: SEARCH,
        before: "A refusal ends the attempt, and the nodes of that attempt stay in the search.",
        now: "The next nodes are tried, and those of the refused attempt are left out.",
        notice: "Fewer surprising placements after a refused attempt.",
        fault: None,
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/preempt/lower-priority"],
        before: "An elastic job that grows by evicting is compared without its running pods.",
        now: "Its running pods count.",
        notice: "A growing elastic job loses to a gang of equal priority more often.",
        fault: None,
    },
    Since {
        version: "v0.17.0, v0.16.x",
        rules: &["kai/reclaim/"],
        before: "Every preemptible job of another queue is a candidate for reclaim.",
        now: "Only jobs of queues above their share, or above their quota in a resource that the claiming job requests.",
        notice: "Reclaim succeeds where a queue that cannot be touched was first in line; a queue that is over quota only \
                 in CPU keeps its GPU jobs.",
        fault: None,
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/backoff"],
        before: "A job that can never fit is tried, and jobs like it are skipped after it failed.",
        now: "A pod larger than any node is skipped without being remembered.",
        notice: "A hopeless job no longer keeps similar jobs from being tried.",
        fault: None,
    },
    Since {
        version: "v0.17.0, v0.16.x",
        rules: &["kai/division/", "kai/queue-order/", "kai/reclaim/"],
        before: "A pending pod that asks for GPU memory counts as its memory divided by 100 MiB GPUs.",
        now: "It counts as its memory divided by the smallest device memory in the cluster.",
        notice: "On devices of 40,000 MiB a pending pod of 2,000 MiB counts as 0.05 instead of 20 GPUs, so fair shares and \
                 the order of queues change.",
        fault: Some(Fault {
            key: faults::MEMORY_UNIT,
            instead: "Request a fraction of a GPU, such as gpu: 0.5, instead of GPU memory.",
        }),
    },
    Since {
        version: "v0.16.0, v0.17.0",
        rules: &["kai/capacity/"],
        before: "A job that asks for GPU memory counts as nothing where its quota and limit are checked.",
        now: "It counts as its memory divided by the largest device.",
        notice: "Jobs over quota or limit are refused as a whole instead of pod by pod.",
        fault: None,
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/capacity/"],
        before: "A pod that asks for parts of several devices counts as one of them where a node is checked.",
        now: "It counts with all of them.",
        notice: "A limit can no longer be passed by requests for memory of several devices.",
        fault: Some(Fault {
            key: faults::ONE_DEVICE,
            instead: "Request a fraction of the devices instead of their memory; it counts with all of them.",
        }),
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/fit/room"],
        before: "A tiny pod (below 10m CPU and 10 MiB) always fits.",
        now: "It needs a free pod slot and room like any other pod.",
        notice: "An overcommitted node takes no tiny pods any more.",
        fault: Some(Fault {
            key: faults::TINY_POD,
            instead: "Request at least 10m CPU or 10 MiB of memory for the pod to wait until the room is free.",
        }),
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/backoff"],
        before: "Two jobs count as alike if their GPU requests differ by less than 0.01.",
        now: "Their total GPUs must be equal exactly.",
        notice: "Rarely: a job is tried although one nearly like it failed.",
        fault: None,
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/fit/room", "kai/stale-gang/grace"],
        before: "All subgroups of a job must be there; subgroups inside of subgroups are ordered by name.",
        now: "A subgroup can require only some of its members (minSubGroup), at every level.",
        notice: "Gangs such as “2 of 4 replicas” are possible.",
        fault: None,
    },
    Since {
        version: "v0.14.0 (subgroups), after v0.17.0 (jobs)",
        rules: &["kai/fit/room"],
        before: "A minimum of 0 pods counts as 1.",
        now: "0 is allowed.",
        notice: "Jobs can scale to zero or be purely elastic.",
        fault: None,
    },
    Since {
        version: "v0.17.0",
        rules: SEARCH,
        before: "A job may evict others as soon as it is pending.",
        now: "A job can have a preemption delay: while it is younger, or was evicted less than that ago, it may not evict.",
        notice: "Jobs “waiting until …, may not evict”; it is also a remedy where two jobs evict each other in turns.",
        fault: None,
    },
    Since {
        version: "v0.17.0",
        rules: &["kai/stale-gang/grace"],
        before: "The staleness grace period is one value for the cluster.",
        now: "A job can set its own; a negative one means never.",
        notice: "Only where a job sets it.",
        fault: None,
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/fit/room"],
        before: "The room of a pod that is being deleted can be promised for as long as it hangs.",
        now: "Two minutes after its deletion time its room counts as used again.",
        notice: "Pods no longer wait for a hanging node.",
        fault: None,
    },
    Since {
        version: "v0.17.0, v0.16.x",
        rules: &["kai/stale-gang/grace"],
        before: "Finished and failed pods are known to the scheduler.",
        now: "Failed pods are not, and in v0.17.0 and patches of v0.16 finished ones neither: a gang whose members finish \
              looks broken and is evicted. This was repaired on 2026-08-06.",
        notice: "Users of v0.17.0 lose gangs that are finishing once the grace period is over.",
        fault: None,
    },
    Since {
        version: "v0.16.0, v0.15.x",
        rules: &["kai/fit/room"],
        before: "The request of a pod with native sidecars is the maximum of its init containers and its containers.",
        now: "Sidecars are added.",
        notice: "Only for pods with native sidecars: they ask for more.",
        fault: None,
    },
    Since {
        version: "v0.17.0",
        rules: &["kai/score/"],
        before: "Scores of nodes are weighted 100, 1,000, 10,000 and so on.",
        now: "All these weights are ten times as large; the order of nodes is the same.",
        notice: "Other scores in the logs.",
        fault: None,
    },
    Since {
        version: "v0.16.0",
        rules: SEARCH,
        before: "The search for jobs to evict has no time limit.",
        now: "It ends after some minutes (5 per action, 4 per job), and later jobs are not tried in that cycle.",
        notice: "On huge clusters the result depends on the speed of the machine.",
        fault: None,
    },
    Since {
        version: "v0.14.0 to v0.17.0",
        rules: &[],
        before: "Dynamic resource allocation, topology constraints and NUMA are not modelled here.",
        now: "All three were changed or added.",
        notice: "Only where they are used.",
        fault: None,
    },
];
