//! Builds the cluster of a scenario without errors.

use std::sync::Arc;

use super::jobs::{Jobs, Set, Template};
use super::nodes::Nodes;
use super::placement::{Placements, PodPlacement};
use super::queues::Queues;
use super::scheduling::Pools;
use crate::cluster::{Cluster, Delays, Found, Job, JobSpec, Joining, Partition, Phase, Pod, PodSet, PodSpec};
use crate::id::{Id, JobId, PodId, PodSetId};
use crate::time::{Span, Time};

/// Builds the cluster: expands patterns to jobs and jobs to pods, and starts pods that have a place.
pub fn cluster(
    delays: Delays,
    pools: &Pools,
    nodes: Nodes,
    queues: Queues,
    jobs: &Jobs,
    placed: &Placements,
) -> Cluster {
    let further = std::iter::once(None).chain(queues.further.into_iter().map(Some));
    let partitions = pools.names.iter().zip(further);
    let mut cluster = Cluster {
        partitions: partitions.map(|(name, queues)| Partition { name: name.clone(), queues }).collect(),
        nodes: nodes.all,
        queues: queues.all,
        delays,
        ..Cluster::default()
    };
    let mut names = jobs.names.iter();
    for (i, template) in jobs.templates.iter().enumerate() {
        let mut places = placed.get(&i).map_or(&[][..], Vec::as_slice).iter().copied();
        for (n, (submit, name)) in (0..).zip(template.arrivals.moments().zip(&mut names)) {
            let times = (Time::from_millis(submit), template.lasts.map(|lasts| lasts.of(template.arrivals.seed, n)));
            add_job(&mut cluster, template, name, times, &mut places);
        }
    }
    cluster
}

fn add_job(
    cluster: &mut Cluster,
    template: &Template,
    name: &Arc<str>,
    (submit, lasts): (Time, Option<Span>),
    places: &mut impl Iterator<Item = PodPlacement>,
) {
    let job = JobId::from_index(cluster.jobs.len());
    let first_set = PodSetId::from_index(cluster.pod_sets.len());
    let first_pod = PodId::from_index(cluster.pods.len());
    let mut runs = false;
    let mut partition = template.pools[0];
    let in_common = template.in_common.map(|min_available| {
        let set = PodSet { name: "default".into(), job, min_available, path: Vec::new() };
        cluster.pod_sets.push(set)
    });
    for set in &template.sets {
        let pod_set = in_common.unwrap_or_else(|| cluster.pod_sets.push(pod_set(job, set)));
        for k in 1..=set.pods {
            let place = if set.after.is_none() { places.next() } else { None };
            if let (Some(place), false) = (place, runs) {
                partition = cluster.nodes[place.node].partition;
            }
            runs |= place.is_some();
            let (phase, place) = at_start(cluster, template.started, place, (submit, lasts));
            let name = pod_name(name, template, &set.name, k);
            let pod = PodId::from_index(cluster.pods.len());
            let joins = set.after.map(|after| submit + after).filter(|&at| at > Time::ZERO);
            cluster.joining.extend(joins.map(|at| Joining { pod, at }));
            let spec = Arc::new(pod_spec(name, (job, pod_set), template, set));
            let (node, devices) = (place.map(|place| place.node), place.map(|place| place.devices));
            cluster.pods.push(Pod { spec, phase, node, devices: devices.unwrap_or_default() });
        }
    }
    let started = (runs && submit <= Time::ZERO).then_some(template.started);
    let spec = JobSpec {
        name: name.clone(),
        queue: template.queue,
        pools: if template.pools.len() > 1 { template.pools.clone() } else { Vec::new() },
        is_tried_once: template.is_tried_once,
        priority: template.priority,
        preemptible: template.preemptible,
        created: template.created.map_or(submit, |created| submit.min(created)),
        submit,
        lasts,
        restart: template.restart,
        user: template.user.clone(),
        pod_sets: (first_set, PodSetId::from_index(cluster.pod_sets.len()).0 - first_set.0),
        pods: (first_pod, PodId::from_index(cluster.pods.len()).0 - first_pod.0),
        gang: template.gang,
        preemption_delay: template.preemption_delay,
        staleness_grace: template.staleness_grace,
        min_sub_groups: template.min_sub_groups.clone(),
        evicted_for: template.evicted_for,
    };
    cluster.jobs.push(Job {
        spec: Arc::new(spec),
        partition,
        offers: 0,
        first_start: started,
        ended: None,
        evictions: 0,
        last_start: started,
    });
    if submit <= Time::ZERO {
        cluster.live_jobs.push(job);
    }
}

fn pod_spec(name: Arc<str>, (job, pod_set): (JobId, PodSetId), template: &Template, set: &Set) -> PodSpec {
    let (request, selector) = (set.request.clone(), template.selector.clone());
    PodSpec { name, job, pod_set, created: None, request, selector, rules: set.rules.clone() }
}

fn pod_set(job: JobId, set: &Set) -> PodSet {
    PodSet { name: set.name.clone(), job, min_available: set.min_available, path: set.path.clone() }
}

/// Phase and place of the next pod at the start. Pods that run at a later submission are recorded in
/// [`Cluster::found`].
fn at_start(
    cluster: &mut Cluster,
    since: Time,
    place: Option<PodPlacement>,
    arrival: (Time, Option<Span>),
) -> (Phase, Option<PodPlacement>) {
    let phase = phase(since, place, arrival);
    if phase != Phase::Future {
        return (phase, place);
    }
    let pod = PodId::from_index(cluster.pods.len());
    cluster.found.extend(place.map(|PodPlacement { node, devices, .. }| Found { pod, node, devices, since }));
    (phase, None)
}

fn phase(since: Time, place: Option<PodPlacement>, (submit, lasts): (Time, Option<Span>)) -> Phase {
    match place {
        _ if submit > Time::ZERO => Phase::Future,
        Some(PodPlacement { gone: Some(until), .. }) => Phase::Terminating { since: Time::ZERO, until },
        Some(_) => Phase::Running { since, until: lasts.map(|lasts| since + lasts) },
        None => Phase::Pending,
    }
}

/// The name of a pod: that of its job if it is the only one, else `job/3` or, with named pod sets, `job/worker/3`.
fn pod_name(job: &Arc<str>, template: &Template, set: &str, k: u32) -> Arc<str> {
    if template.n_pods() == 1 {
        job.clone()
    } else if template.sets.len() == 1 && set == "default" {
        format!("{job}/{k}").into()
    } else {
        format!("{job}/{set}/{k}").into()
    }
}
