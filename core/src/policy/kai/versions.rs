//! Modelled versions of KAI Scheduler, and later changes.
//!
//! # Source
//! Differences in the scheduler's code between `72de64fc` and `d5bc503a` (2026-08-07), which was run as well; later changes up
//! to v0.18.6 (2026-10-18) by reading. The setting `version` simulates those up to v0.17 (kai-v0.17.md).

use crate::policy::versions::{Modelled, Since};

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
    compared: "v0.18.6 of 2026-10-18; up to v0.17 the code was run, later changes were read",
    changes: CHANGES,
};

const CHANGES: &[Since] = &[
    Since {
        version: "v0.16.0, v0.14.6 and v0.15.3",
        rules: &["kai/solver/crash"],
        before: "The scheduler crashes when it comes in the same cycle again to an elastic job whose pods were to move.",
        now: "The crash is fixed: the job stays pending and the cycle goes on, as it does here.",
        notice: "No restart of the scheduler in this situation.",
    },
    Since {
        version: "v0.17.0 and late v0.16.x",
        rules: &[],
        before: "A second crash: writing the message of an eviction between top-level queues in reclaim.",
        now: "Fixed. It is not modelled here.",
        notice: "No restart of the scheduler in this situation.",
    },
    Since {
        version: "v0.15.0, v0.14.1",
        rules: SEARCH,
        before: "The pods of a pending job are tried one more at a time, and the first failure ends the search.",
        now: "The number of pods is found by doubling and halving, and all of them are tried once more at the end.",
        notice: "Other jobs may be evicted, and a gang that failed with few of its pods can now start.",
    },
    Since {
        version: "v0.15.0, v0.14.3",
        rules: SEARCH,
        before: "Nodes are tried in the order of the jobs to evict, the newest job first.",
        now: "The smallest sufficient set of nodes is tried first.",
        notice: "Jobs on small nodes are evicted rather than strictly the newest jobs.",
    },
    Since {
        version: "v0.16.0",
        rules: SEARCH,
        before: "One search that adds one job to evict after another.",
        now: "Two searches in turn, node by node and then several nodes at once, each a plugin. A plugin list written by \
              hand without them turns reclaim, preempt and consolidation off.",
        notice: "Big gangs that need several nodes emptied at once, and stayed pending, now start.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/reclaim/", "kai/min-runtime/ran-long-enough"],
        before: "All jobs considered so far are checked together before an eviction is allowed.",
        now: "Only the jobs that would really be evicted are checked.",
        notice: "One elastic job protected by its minimum runtime no longer blocks every other eviction.",
    },
    Since {
        version: "v0.17.0 (stop at a refusal: v0.15.0)",
        rules: SEARCH,
        before: "A refusal ends the attempt, and the nodes of that attempt stay in the search.",
        now: "The next nodes are tried, and those of the refused attempt are left out.",
        notice: "Fewer surprising placements after a refused attempt.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/preempt/lower-priority"],
        before: "An elastic job that grows by evicting is compared without its running pods.",
        now: "Its running pods count.",
        notice: "A growing elastic job loses to a gang of equal priority more often.",
    },
    Since {
        version: "v0.17.0, v0.16.x",
        rules: &["kai/reclaim/"],
        before: "Every preemptible job of another queue is a candidate for reclaim.",
        now: "Only jobs of queues above their share, or above their quota in a resource that the claiming job requests.",
        notice: "Reclaim succeeds where a queue that cannot be touched was first in line; a queue that is over quota only \
                 in CPU keeps its GPU jobs.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/backoff"],
        before: "A job that can never fit is tried, and jobs like it are skipped after it failed.",
        now: "A pod larger than any node is skipped without being remembered.",
        notice: "A hopeless job no longer keeps similar jobs from being tried.",
    },
    Since {
        version: "v0.17.0, v0.16.x",
        rules: &["kai/division/", "kai/queue-order/", "kai/reclaim/"],
        before: "A pending pod that asks for GPU memory counts as its memory divided by 100 MiB GPUs.",
        now: "It counts as its memory divided by the smallest device memory in the cluster.",
        notice: "On devices of 40,000 MiB a pending pod of 2,000 MiB counts as 0.05 instead of 20 GPUs, so fair shares and \
                 the order of queues change.",
    },
    Since {
        version: "v0.16.0, v0.17.0",
        rules: &["kai/capacity/"],
        before: "A job that asks for GPU memory counts as nothing where its quota and limit are checked.",
        now: "It counts as its memory divided by the largest device.",
        notice: "Jobs over quota or limit are refused as a whole instead of pod by pod.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/capacity/"],
        before: "A pod that asks for parts of several devices counts as one of them where a node is checked.",
        now: "It counts with all of them.",
        notice: "A limit can no longer be passed by requests for memory of several devices.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/fit/room"],
        before: "A tiny pod (below 10m CPU and 10 MiB) always fits.",
        now: "It needs a free pod slot and room like any other pod.",
        notice: "An overcommitted node takes no tiny pods any more.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/backoff"],
        before: "Two jobs count as alike if their GPU requests differ by less than 0.01.",
        now: "Their total GPUs must be equal exactly.",
        notice: "Rarely: a job is tried although one nearly like it failed.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/fit/room", "kai/stale-gang/grace"],
        before: "All subgroups of a job must be there; subgroups inside of subgroups are ordered by name.",
        now: "A subgroup can require only some of its members (minSubGroup), at every level.",
        notice: "Gangs such as “2 of 4 replicas” are possible.",
    },
    Since {
        version: "v0.14.0 (subgroups), after v0.17.0 (jobs)",
        rules: &["kai/fit/room"],
        before: "A minimum of 0 pods counts as 1.",
        now: "0 is allowed.",
        notice: "Jobs can scale to zero or be purely elastic.",
    },
    Since {
        version: "v0.17.0",
        rules: SEARCH,
        before: "A job may evict others as soon as it is pending.",
        now: "A job can have a preemption delay: while it is younger, or was evicted less than that ago, it may not evict.",
        notice: "Jobs “waiting until …, may not evict”; it is also a remedy where two jobs evict each other in turns.",
    },
    Since {
        version: "v0.17.0",
        rules: &["kai/stale-gang/grace"],
        before: "The staleness grace period is one value for the cluster.",
        now: "A job can set its own; a negative one means never.",
        notice: "Only where a job sets it.",
    },
    Since {
        version: "v0.15.0",
        rules: &["kai/fit/room"],
        before: "The room of a pod that is being deleted can be promised for as long as it hangs.",
        now: "Two minutes after its deletion time its room counts as used again.",
        notice: "Pods no longer wait for a hanging node.",
    },
    Since {
        version: "v0.17.0, v0.16.x",
        rules: &["kai/stale-gang/grace"],
        before: "Finished and failed pods are known to the scheduler.",
        now: "Failed pods are not, and in v0.17.0 and patches of v0.16 finished ones neither: a gang whose members finish \
              looks broken and is evicted. This was repaired on 2026-08-06.",
        notice: "Users of v0.17.0 lose gangs that are finishing once the grace period is over.",
    },
    Since {
        version: "v0.16.0, v0.15.x",
        rules: &["kai/fit/room"],
        before: "The request of a pod with native sidecars is the maximum of its init containers and its containers.",
        now: "Sidecars are added.",
        notice: "Only for pods with native sidecars: they ask for more.",
    },
    Since {
        version: "v0.17.0",
        rules: &["kai/score/"],
        before: "Scores of nodes are weighted 100, 1,000, 10,000 and so on.",
        now: "All these weights are ten times as large; the order of nodes is the same.",
        notice: "Other scores in the logs.",
    },
    Since {
        version: "v0.16.0",
        rules: SEARCH,
        before: "The search for jobs to evict has no time limit.",
        now: "It ends after some minutes (5 per action, 4 per job), and later jobs are not tried in that cycle.",
        notice: "On huge clusters the result depends on the speed of the machine.",
    },
    Since {
        version: "v0.14.0 to v0.17.0",
        rules: &[],
        before: "Dynamic resource allocation, topology constraints and NUMA are not modelled here.",
        now: "All three were changed or added.",
        notice: "Only where they are used.",
    },
    Since {
        version: "v0.18.0 (alpha, off by default)",
        rules: &["kai/reclaim/", "kai/queue-order/"],
        before: "A queue within its quota loses nothing to a reclaim for another queue's quota.",
        now: "With queuePriorityInQuotaReclaim a queue of higher priority reclaims its quota from one of lower \
              priority that is inside its own.",
        notice: "Only where it is switched on. Not simulated.",
    },
    Since {
        version: "v0.18.0 (alpha)",
        rules: &["kai/capacity/", "kai/preempt/lower-priority"],
        before: "Jobs are preemptible or not.",
        now: "A third kind, semi-preemptible: the minimum is safe, pods above it go over quota and are evicted first.",
        notice: "Only for jobs of that kind. Not simulated under KAI.",
    },
    Since {
        version: "v0.18.0, v0.17.2",
        rules: &["kai/fit/room", "kai/stale-gang/grace"],
        before: "A subgroup that lacks pods is placed with those that exist; every subgroup must have its minimum, \
              or the job is stale.",
        now: "It waits until enough pods exist; a job is stale only if fewer subgroups than it needs are complete.",
        notice: "No half gangs; optional subgroups no longer get a job evicted.",
    },
    Since {
        version: "v0.18.0, v0.17.2",
        rules: &["kai/fit/room"],
        before: "A pod that is evicted in this cycle still repels others by its affinity.",
        now: "It no longer does.",
        notice: "Reclaim works for jobs that refuse the node of their victim.",
    },
    Since {
        version: "v0.18.0",
        rules: &["kai/job-order/"],
        before: "Among equal jobs the newest is evicted first.",
        now: "With the plugin gpujoborder the one with most, or fewest, GPUs.",
        notice: "Only where the plugin is loaded. Not simulated.",
    },
    Since {
        version: "v0.18.0",
        rules: &["kai/reclaim/"],
        before: "Every pod is evicted by reclaim or preemption only.",
        now: "Pods with the label kai.scheduler/background leave without a reclaim.",
        notice: "Only for pods with that label.",
    },
    Since {
        version: "v0.18.0",
        rules: &["kai/fit/room"],
        before: "The memory of a GPU is rounded down to a multiple of 100 MiB.",
        now: "It is used as reported.",
        notice: "One more small part fits some GPUs.",
    },
    Since {
        version: "v0.18.0",
        rules: &["kai/fit/room"],
        before: "There is one way to share a GPU.",
        now: "There are two, and pods of different ways never share one.",
        notice: "A half-free GPU can refuse a pod.",
    },
    Since {
        version: "v0.18.0",
        rules: &[],
        before: "A Deployment is one job per pod.",
        now: "It is one job with a minimum of 1.",
        notice: "Its further pods count as elastic.",
    },
    Since {
        version: "v0.18.0, v0.9 and later patches",
        rules: &[],
        before: "Extended resources count in thousandths in one place.",
        now: "They count in whole units.",
        notice: "Only with devices other than GPUs.",
    },
    Since {
        version: "v0.18.0",
        rules: &["kai/reclaim/"],
        before: "The test of idle GPUs in a search compares exactly.",
        now: "It allows a difference of 0.000000001.",
        notice: "Parts such as three times 0.1 no longer fail by rounding.",
    },
    Since {
        version: "v0.18.1",
        rules: &["kai/fit/room"],
        before: "Every resource whose name ends in gpu counts as a GPU.",
        now: "Only nvidia.com/gpu and amd.com/gpu do.",
        notice: "nvidia.com/vgpu is no GPU any more.",
    },
    Since {
        version: "main, October 2026, release unknown",
        rules: &["kai/division/"],
        before: "All priorities divide their rounds before any remainder is given.",
        now: "Each priority gives its remainder at once.",
        notice: "A whole GPU that is left over stays with the higher priority.",
    },
    Since {
        version: "main, October 2026, release unknown",
        rules: &[],
        before: "A node that is cordoned takes no pod.",
        now: "It takes pods that tolerate it.",
        notice: "Pods for maintenance start.",
    },
];
