//! Comparisons of YuniKorn.

use std::collections::BTreeSet;

use fairground::cluster::{Node, Pod, Preemptible};
use fairground::id::{JobId, NodeId, QueueId};
use fairground::trace::{Quantity, QueuePriority, Value};
use fairground::units::{Amount, Bound, RESOURCES_MAX, Resource};

use super::accounts::Accounts;
use super::applications::Applications;
use super::baseline;
use super::moments::PodPlace;
use super::operand::{Context, Expect, Operand, number};
use super::preempted;
use super::yunikorn_shares as shares;

/// Amounts by resource number, named resources included.
pub type Amounts = [f64; RESOURCES_MAX];

/// What a side of a comparison has to be. Long because it is one table of quantities and rules.
pub fn expect(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let owner = place.owner();
    let rule = place.check.rule.key();
    let accounts = &context.accounts;
    match (place.term.quantity, rule) {
        (Quantity::AllocatedWithJob, "yunikorn/headroom" | "yunikorn/below-guarantee") => {
            let with_leaving = rule == "yunikorn/headroom";
            of_queue(place, owner.queue, |queue| {
                let held = allocated(accounts, queue, with_leaving);
                asks(context, place).into_iter().map(|ask| plus(held, ask)).collect()
            })
        }
        (Quantity::AllocatedWithoutVictims | Quantity::Allocated, _) => {
            of_queue(place, owner.queue, |queue| vec![allocated(accounts, queue, false)])
        }
        (Quantity::Freed | Quantity::IdleOrReleasing | Quantity::Request, "yunikorn/enough-victims") => {
            preempted::expect(context, place)
        }
        (Quantity::AllocatedWithJob, "yunikorn/enough-victims") => preempted::with_job(context, place),
        (_, "yunikorn/user-limit") => of_user(context, place),
        (_, "yunikorn/max-applications") => counts(context, place),
        (Quantity::DominantShare, "yunikorn/share" | "yunikorn/application") => shares::expect(context, place),
        (Quantity::Remaining, _) => {
            owner.queue.map_or(Expect::Unknown, |queue| Expect::Amounts(vec![shares::pending(context, queue)]))
        }
        (Quantity::Name, _) => name(context, place),
        (Quantity::Quota, _) => of_queue(place, owner.queue, |queue| vec![bounds(context, queue, true)]),
        (Quantity::Limit, _) => of_queue(place, owner.queue, |queue| vec![bounds(context, queue, false)]),
        (Quantity::Request, _) => of_queue(place, Some(QueueId(0)), |_| asks(context, place)),
        (Quantity::Idle, "yunikorn/first-fit" | "yunikorn/reserved") => idle(context, place),
        (Quantity::Reserved, _) => reserved(context, place),
        (Quantity::Capacity, _) => of_queue(place, Some(QueueId(0)), |_| capacities(context)),
        (Quantity::Priority, "yunikorn/application") => {
            owner.job.map_or(Expect::Unknown, |job| priority_of_application(context, job))
        }
        (Quantity::Priority, "yunikorn/required-node" | "yunikorn/request") => {
            owner.job.map_or(Expect::Unknown, |job| priority_of(accounts, job))
        }
        (Quantity::Priority, "yunikorn/priority") => owner.queue.map_or(Expect::Unknown, |queue| {
            Expect::Values(effective(context, queue).into_iter().map(Value::Count).collect())
        }),
        (Quantity::Priority, "yunikorn/victim-priority") => {
            owner.job.map_or(Expect::Unknown, |job| Expect::Values(on_path(context, job)))
        }
        (Quantity::PriorityOffset, _) => {
            owner.queue.map_or(Expect::Unknown, |queue| Expect::Values(vec![Value::Count(offset(context, queue).0)]))
        }
        (Quantity::Priority, "yunikorn/offset" | "yunikorn/priority-fence") => {
            let (Some(queue), Some(job)) = (owner.queue, owner.job) else { return Expect::Unknown };
            let (offset, _) = offset(context, queue);
            match place.term.value {
                Value::Sum([below, _]) => Expect::Values(
                    on_path(context, job)
                        .into_iter()
                        .filter(|value| *value == Value::Count(below))
                        .map(|_| Value::Sum([below, offset]))
                        .collect(),
                ),
                _ => Expect::Values(on_path(context, job)),
            }
        }
        (Quantity::Applies, "yunikorn/victim-order") => owner.job.map_or(Expect::Unknown, |job| {
            let is_out = i64::from(accounts.cluster.jobs[job].preemptible == Preemptible::No);
            let pods = accounts.cluster.jobs[job].pod_ids();
            let is_originator = |pod| accounts.pod(pod).rules.as_ref().is_some_and(|rules| rules.is_originator);
            Expect::Values(pods.map(|pod| Value::Count(2 * is_out + i64::from(is_originator(pod)))).collect())
        }),
        (Quantity::Created, "yunikorn/victim-order" | "yunikorn/request") => owner.job.map_or(Expect::Unknown, |job| {
            let of = &accounts.cluster.jobs[job];
            let pods = of.pod_ids().filter_map(|pod| accounts.pod(pod).created);
            Expect::Values([of.created, of.submit].into_iter().chain(pods).map(Value::Time).collect())
        }),
        (Quantity::Created, "yunikorn/application") => owner.job.map_or(Expect::Unknown, |job| {
            let applications = Applications::of(context);
            let jobs = applications.jobs(applications.name(job)).map(|job| &accounts.cluster.jobs[job]);
            let first = jobs.filter(|job| job.submit <= context.now).map(|job| job.created).min();
            Expect::Values(first.map(Value::Time).into_iter().collect())
        }),
        (Quantity::Applies | Quantity::Constant, _) => Expect::Nothing,
        _ => Expect::Unknown,
    }
}

/// The highest priority of the requests of an application (yunikorn.md 3.1).
fn priority_of_application(context: &Context<'_>, job: JobId) -> Expect {
    let (accounts, applications) = (&context.accounts, Applications::of(context));
    let jobs = applications.jobs(applications.name(job));
    let waiting = jobs.filter(|job| accounts.waiting(*job).next().is_some());
    let highest = waiting.map(|job| i64::from(accounts.cluster.jobs[job].priority)).max();
    highest.map_or_else(|| priority_of(accounts, job), |highest| Expect::Values(vec![Value::Count(highest)]))
}

fn priority_of(accounts: &Accounts<'_>, job: JobId) -> Expect {
    Expect::Values(vec![Value::Count(i64::from(accounts.cluster.jobs[job].priority))])
}

fn of_queue(place: Operand<'_>, queue: Option<QueueId>, amounts: impl Fn(QueueId) -> Vec<Amounts>) -> Expect {
    let (Some(queue), Some(resource)) = (queue, place.check.subject.resource) else { return Expect::Unknown };
    let of = |amounts: Amounts| Value::Real(amounts[resource.index()]);
    Expect::Values(amounts(queue).into_iter().map(of).collect())
}

pub fn plus(mut a: Amounts, b: Amounts) -> Amounts {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

/// Amounts as the core counts them: millicores, bytes, whole GPUs, units of named resources.
fn counted(of: impl Fn(Resource) -> Amount) -> Amounts {
    std::array::from_fn(|r| {
        let resource = Resource(r as u8);
        of(resource).in_policy_units(resource)
    })
}

pub fn request(accounts: &Accounts<'_>, pod: fairground::id::PodId) -> Amounts {
    let request = &accounts.pod(pod).request;
    let mut amounts = counted(|r| request.resources.get(r));
    // A part of a GPU is a GPU.
    amounts[Resource::GPU.index()] = f64::from(request.gpu.n_devices());
    amounts
}

/// Requests that the comparison may be about: of the pod, else of the pods of the job that wait.
fn asks(context: &Context<'_>, place: Operand<'_>) -> Vec<Amounts> {
    let accounts = &context.accounts;
    match place.check.subject.pod {
        Some(pod) => vec![request(accounts, pod)],
        None => context.asked.iter().map(|pod| request(accounts, *pod)).collect(),
    }
}

/// Allocated below a queue, reserved room of gangs included.
pub fn allocated(accounts: &Accounts<'_>, queue: QueueId, with_leaving: bool) -> Amounts {
    let pods = accounts.jobs_below(queue).flat_map(|job| accounts.holders(job));
    let counts = |pod: &fairground::id::PodId| with_leaving || !matches!(accounts.place(*pod), PodPlace::Leaving(_));
    pods.map(|(pod, _)| pod).filter(counts).fold([0.0; RESOURCES_MAX], |sum, pod| plus(sum, request(accounts, pod)))
}

fn bounds(context: &Context<'_>, queue: QueueId, of_quota: bool) -> Amounts {
    let absent = if of_quota { 0.0 } else { f64::INFINITY };
    bound(context, queue, of_quota).map(|amount| amount.unwrap_or(absent))
}

/// Guarantee or maximum of a queue, by resource, of which that of GPUs is rounded down. One of zeros alone does not
/// count.
pub fn bound(context: &Context<'_>, queue: QueueId, of_quota: bool) -> [Option<f64>; RESOURCES_MAX] {
    let accounts = &context.accounts;
    let of = &accounts.cluster.queues_in(accounts.pool)[queue].resources;
    let written = Applications::of(context).written(queue, of_quota);
    let all: [Option<f64>; RESOURCES_MAX] = std::array::from_fn(|r| {
        let resource = Resource(r as u8);
        if r > Resource::GPU.index() {
            return written[r];
        }
        let bound = if of_quota { of.get(resource).quota } else { of.get(resource).limit };
        match bound {
            Bound::At(amount) if resource == Resource::GPU => Some(amount.in_policy_units(resource).floor()),
            Bound::At(amount) => Some(amount.in_policy_units(resource)),
            Bound::Unset | Bound::Unlimited => written[r],
        }
    });
    if all.iter().flatten().any(|amount| *amount > 0.0) { all } else { [None; RESOURCES_MAX] }
}

/// What a user or group would use in a queue, and its limit.
fn of_user(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let (Some(queue), Some(job), Some(resource)) = (subject.queue, subject.job, subject.resource) else {
        return Expect::Unknown;
    };
    let applications = Applications::of(context);
    if !place.is_left {
        let limits = applications.limits(job, queue, resource);
        return Expect::Values(limits.into_iter().map(Value::Real).collect());
    }
    let Some(most) = number(&place.check.right.value, 0) else { return Expect::Unknown };
    of_queue(place, Some(queue), |queue| {
        let with = |ask| applications.used(job, queue, (resource, most), ask);
        asks(context, place).into_iter().flat_map(with).collect()
    })
}

/// The number of applications in a queue or of its user, and the maximum.
fn counts(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let (Some(queue), Some(job)) = (subject.queue, subject.job) else { return Expect::Unknown };
    let applications = Applications::of(context);
    let all = match (place.is_left, number(&place.check.right.value, 0)) {
        (true, Some(most)) => applications.counts(job, queue, most as i64),
        _ => applications.maxima(job, queue),
    };
    Expect::Values(all.into_iter().map(Value::Count).collect())
}

/// The name of a queue below its parent, or of an application.
fn name(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let owner = place.owner();
    let queues = &context.accounts.cluster.queues;
    let name = match (owner.job, owner.queue) {
        (Some(job), _) => Applications::of(context).name(job).to_string(),
        (None, Some(queue)) => {
            let own = queues[queue].name.to_lowercase();
            let above = queues[queue].parent.map_or("root".into(), |above| queues[above].name.to_lowercase());
            let below = own.strip_prefix(&format!("{above}.")).map(str::to_string);
            below.unwrap_or(own).replace('.', "_dot_")
        }
        (None, None) => return Expect::Unknown,
    };
    Expect::Values(vec![Value::Name(name.into())])
}

/// What placeholders of other gangs hold on a node.
fn reserved(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let accounts = &context.accounts;
    let Some(node) = subject.node else { return Expect::Unknown };
    let is_other = |pod: &fairground::id::PodId| {
        let job = accounts.pod(*pod).job;
        Some(job) != subject.job && accounts.cluster.jobs[job].gang.is_some()
    };
    let claims = accounts.state.claims.iter().filter(|claim| claim.1 == node).map(|claim| claim.0);
    let all = claims.filter(is_other).fold([0.0; RESOURCES_MAX], |sum, pod| plus(sum, request(accounts, pod)));
    of_queue(place, Some(QueueId(0)), |_| vec![all])
}

/// What a node offers.
pub fn capacity(node: &Node) -> Amounts {
    counted(|resource| node.capacity.get(resource))
}

/// The most that a node has which a pod may use.
fn capacities(context: &Context<'_>) -> Vec<Amounts> {
    let most = |pod: &fairground::id::PodId| {
        baseline::usable(context, *pod).into_iter().fold([0.0; RESOURCES_MAX], |most: Amounts, node| {
            let of = capacity(node);
            std::array::from_fn(|r| most[r].max(of[r]))
        })
    };
    context.asked.iter().map(most).collect()
}

/// What a node has free, reserved room of gangs counted as used.
pub fn free(accounts: &Accounts<'_>, node: NodeId) -> Amounts {
    let capacity = capacity(&accounts.cluster.nodes[node]);
    let jobs = accounts.cluster.jobs.ids().flat_map(|job| accounts.holders(job));
    let used = jobs.filter(|(_, at)| *at == node).map(|(pod, _)| request(accounts, pod));
    used.fold(capacity, |free, used| plus(free, used.map(|used| -used)))
}

fn idle(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let accounts = &context.accounts;
    match place.check.subject.node {
        Some(node) => of_queue(place, Some(QueueId(0)), |_| {
            let free = free(accounts, node);
            let job = place.check.subject.pod.map(|pod| accounts.pod(pod).job);
            // A pod of a gang takes the room of a placeholder.
            let own = accounts.state.claims.iter().filter(|claim| Some(accounts.pod(claim.0).job) == job);
            let own = own.filter(|claim| claim.1 == node).map(|claim| request(accounts, claim.0));
            std::iter::once(free).chain(own.map(|own| plus(free, own))).collect()
        }),
        None => {
            let most = |pod: &Pod| {
                let open = accounts
                    .nodes()
                    .filter(|(_, node)| node.takes_pods() && pod.selects(node) && pod.tolerates(node))
                    .filter(|(_, node)| baseline::has_memory(pod, node));
                open.fold([0.0; RESOURCES_MAX], |most: Amounts, (node, _)| {
                    let free = free(accounts, node);
                    std::array::from_fn(|r| most[r].max(free[r]))
                })
            };
            let each = || context.asked.iter().map(|pod| most(accounts.pod(*pod))).collect();
            of_queue(place, Some(QueueId(0)), |_| each())
        }
    }
}

/// The priority offset of a queue, and whether it is a fence, as configured.
fn offset_in(offsets: &[QueuePriority], queue: QueueId) -> (i64, bool) {
    let of = offsets.iter().find(|of| of.queue == queue);
    of.map_or((0, false), |of| (i64::from(of.offset), of.is_fence))
}

fn offset(context: &Context<'_>, queue: QueueId) -> (i64, bool) {
    offset_in(context.offsets, queue)
}

/// A priority as a queue passes it on.
fn passed(offsets: &[QueuePriority], queue: QueueId, below: i64) -> i64 {
    match offset_in(offsets, queue) {
        (offset, true) => offset,
        (offset, false) => (below + offset).clamp(i32::MIN.into(), i32::MAX.into()),
    }
}

/// The largest priority of asks that wait below a queue, with the offsets on the way. The queues above the one whose
/// offset changes know the former value until the next change of an ask below it: then it may be that of any
/// job, with former offsets.
fn effective(context: &Context<'_>, queue: QueueId) -> Vec<i64> {
    let accounts = &context.accounts;
    let applications = Applications::of(context);
    let waiting: Vec<JobId> = accounts.jobs_below(queue).filter(|job| !applications.pending(*job).is_empty()).collect();
    let of = |job: JobId, below: &[&[QueuePriority]]| {
        let path = accounts.cluster.path_to_root(accounts.cluster.jobs[job].queue);
        let mut all = BTreeSet::from([i64::from(accounts.cluster.jobs[job].priority)]);
        for at in path.take_while(|above| *above != queue) {
            let each = |offsets: &&[QueuePriority]| all.iter().map(|of| passed(offsets, at, *of)).collect::<Vec<_>>();
            all = below.iter().flat_map(each).collect();
        }
        all.into_iter().map(|below| passed(context.offsets, queue, below))
    };
    let present = waiting.iter().flat_map(|job| of(*job, &[context.offsets])).max();
    let is_former = |former: &&[QueuePriority]| {
        former.iter().zip(context.offsets).any(|(a, b)| (a.offset, a.is_fence) != (b.offset, b.is_fence))
    };
    let mut known: Vec<&[QueuePriority]> = context.earlier_offsets.iter().map(Vec::as_slice).collect();
    known.retain(is_former);
    if known.is_empty() {
        return present.into_iter().collect();
    }
    known.push(context.offsets);
    waiting.iter().flat_map(|job| of(*job, &known)).collect()
}

/// The priority of a job, and what the queues above it pass on.
fn on_path(context: &Context<'_>, job: JobId) -> Vec<Value> {
    let job = &context.accounts.cluster.jobs[job];
    let mut priority = i64::from(job.priority);
    let mut all = vec![Value::Count(priority)];
    for queue in context.accounts.cluster.path_to_root(job.queue) {
        priority = passed(context.offsets, queue, priority);
        all.push(Value::Count(priority));
    }
    all
}
