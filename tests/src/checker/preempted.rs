//! What preemptions of YuniKorn freed: a job that preempted too little keeps what was found then.

use fairground::id::{JobId, NodeId, PodId};
use fairground::policy::Policy;
use fairground::trace::{Event, Quantity, Value};
use fairground::units::Resource;

use super::accounts::{Accounts, Counting};
use super::moments::Moments;
use super::operand::{Context, Expect, Place};
use super::yunikorn::{Amounts, free, plus, request};

/// The victims of a preemption on one node.
#[derive(Clone, Copy, Debug)]
pub struct Preempted {
    by: JobId,
    node: NodeId,
    /// Free on the node before the first victim is evicted.
    free: Amounts,
    freed: Amounts,
    victims: u32,
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
            None => all.push(Preempted { by, node, free: free(&accounts, node), freed, victims: 1 }),
        }
    }
    all
}

/// What a side of the comparison of freed amounts with a request has to be.
pub fn expect(context: &Context<'_>, place: Place<'_>) -> Expect {
    let subject = place.check.subject;
    let own =
        context.preempted.iter().filter(|of| Some(of.by) == subject.job && Some(of.node) == subject.node);
    let of = |of: &Preempted| match (place.term.quantity, subject.resource) {
        (Quantity::Freed, Some(resource)) => Some(Value::Real(of.freed[resource.index()])),
        (Quantity::Freed, None) => Some(Value::Count(of.victims.into())),
        (Quantity::IdleOrReleasing, Some(resource)) => {
            Some(Value::Real(plus(of.free, of.freed)[resource.index()]))
        }
        _ => None,
    };
    match (place.term.quantity, subject.resource) {
        (Quantity::Request, None) => Expect::Values(vec![Value::Count(1)]),
        (Quantity::Request, Some(resource)) => requests(context, resource),
        _ => Expect::Values(own.filter_map(of).collect()),
    }
}

/// Requests of the pods that may have preempted: those that wait.
fn requests(context: &Context<'_>, resource: Resource) -> Expect {
    let of = |pod: &PodId| Value::Real(request(&context.accounts, *pod)[resource.index()]);
    Expect::Values(context.asked.iter().map(of).collect())
}
