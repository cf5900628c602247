//! What preemptions of YuniKorn freed: a job that preempted too little keeps what was found then.

use fairground::id::{JobId, NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::trace::{Event, Quantity, Recorded, Value};
use fairground::units::Resource;

use super::accounts::{Accounts, Counting};
use super::moments::Moments;
use super::operand::{Context, Expect, Operand};
use super::yunikorn::{Amounts, allocated, free, plus, request};

/// The victims of a preemption on one node.
#[derive(Clone, Debug)]
pub struct Preempted {
    by: JobId,
    node: NodeId,
    /// Free on the node before the first victim is evicted.
    free: Amounts,
    freed: Amounts,
    victims: u32,
    /// What the queues on the path of the job use after it, without terminating pods.
    kept: Vec<(QueueId, Amounts)>,
}

/// The preemptions of a cycle, one for each job and node.
pub fn of_cycle(policy: &Policy, moments: &Moments<'_>) -> Vec<Preempted> {
    let mut all: Vec<Preempted> = Vec::new();
    if !matches!(policy, Policy::YuniKorn(_)) {
        return all;
    }
    for (at, recorded) in moments.decisions.iter().enumerate() {
        let Event::Evicted { pod, node, by: Some(by), .. } = recorded.event else { continue };
        let cluster = moments.cluster;
        let (pool, counting) = (cluster.nodes[node].partition, Counting::of(policy));
        let accounts = Accounts { policy, cluster, state: &moments.states[at], pool, counting };
        let freed = request(&accounts, pod);
        match all.iter_mut().find(|of| of.by == by && of.node == node) {
            Some(of) => (of.freed, of.victims) = (plus(of.freed, freed), of.victims + 1),
            None => {
                let free = free(&accounts, node);
                all.push(Preempted { by, node, free, freed, victims: 1, kept: Vec::new() });
            }
        }
        // A reservation is no allocation.
        let is_reserved = |pod: PodId| {
            let claims = |of: &Recorded| matches!(of.event, Event::Claimed { pod: claimed, .. } if claimed == pod);
            moments.decisions.iter().any(|of| of.action == "reserve" && claims(of))
        };
        let mut state = moments.states[at + 1].clone();
        state.claims.retain(|claim| !is_reserved(claim.0));
        let after = Accounts { state: &state, ..accounts };
        let path = cluster.path_to_root(cluster.jobs[by].queue);
        let kept: Vec<(QueueId, Amounts)> = path.map(|queue| (queue, allocated(&after, queue, false))).collect();
        // A preemption can have victims on several nodes.
        all.iter_mut().filter(|of| of.by == by).for_each(|of| of.kept = kept.clone());
    }
    all
}

/// What a side of the comparison of freed amounts with a request has to be.
pub fn expect(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let own = context.preempted.iter().filter(|of| Some(of.by) == subject.job && Some(of.node) == subject.node);
    let of = |of: &Preempted| match (place.term.quantity, subject.resource) {
        (Quantity::Freed, Some(resource)) => Some(Value::Real(of.freed[resource.index()])),
        (Quantity::Freed, None) => Some(Value::Count(of.victims.into())),
        (Quantity::IdleOrReleasing, Some(resource)) => Some(Value::Real(plus(of.free, of.freed)[resource.index()])),
        _ => None,
    };
    match (place.term.quantity, subject.resource) {
        (Quantity::Request, None) => Expect::Values(vec![Value::Count(1)]),
        (Quantity::Request, Some(resource)) => requests(context, resource),
        _ => Expect::Values(own.filter_map(of).collect()),
    }
}

/// What a queue uses after a preemption, with the pods for which it was made.
pub fn with_job(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let (Some(queue), Some(resource)) = (subject.queue, subject.resource) else { return Expect::Unknown };
    let own = context.preempted.iter().filter(|of| Some(of.by) == subject.job);
    let kept = own.flat_map(|of| &of.kept).filter(|(of, _)| *of == queue);
    let asks = || context.asked.iter().map(|pod| request(&context.accounts, *pod));
    let all = kept.flat_map(|(_, kept)| asks().map(move |ask| Value::Real(plus(*kept, ask)[resource.index()])));
    Expect::Values(all.collect())
}

/// Requests of the pods that may have preempted: those that wait.
fn requests(context: &Context<'_>, resource: Resource) -> Expect {
    let of = |pod: &PodId| Value::Real(request(&context.accounts, *pod)[resource.index()]);
    Expect::Values(context.asked.iter().map(of).collect())
}
