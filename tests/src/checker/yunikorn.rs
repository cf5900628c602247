//! Comparisons of YuniKorn.

use fairground::id::{JobId, NodeId, QueueId};
use fairground::trace::{Quantity, Value};
use fairground::units::{Amount, RESOURCES_MAX, Resource};

use super::accounts::Accounts;
use super::moments::Place as Where;
use super::operand::{Context, Expect, Place};

/// Amounts by resource number, named resources included.
type Amounts = [f64; RESOURCES_MAX];

/// What a side of a comparison has to be.
pub fn expect(context: &Context<'_>, place: Place<'_>) -> Expect {
    let owner = place.owner();
    let rule = place.check.rule.key();
    let accounts = &context.accounts;
    match (place.term.quantity, rule) {
        (Quantity::Applies | Quantity::Constant, _) => Expect::Nothing,
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
        (Quantity::Quota, _) => of_queue(place, owner.queue, |queue| vec![bounds(accounts, queue, true)]),
        (Quantity::Limit, "yunikorn/user-limit") => Expect::Unknown,
        (Quantity::Limit, _) => of_queue(place, owner.queue, |queue| vec![bounds(accounts, queue, false)]),
        (Quantity::Request, _) => of_queue(place, Some(QueueId(0)), |_| asks(context, place)),
        (Quantity::Idle, "yunikorn/first-fit") => idle(context, place),
        (Quantity::Priority, "yunikorn/application" | "yunikorn/required-node") => {
            owner.job.map_or(Expect::Unknown, |job| priority_of(accounts, job))
        }
        (Quantity::Priority, "yunikorn/priority") => owner.queue.map_or(Expect::Unknown, |queue| {
            Expect::Values(effective(context, queue).into_iter().map(Value::Count).collect())
        }),
        (Quantity::Priority, "yunikorn/victim-priority") => {
            owner.job.map_or(Expect::Unknown, |job| Expect::Values(on_path(context, job)))
        }
        (Quantity::PriorityOffset, _) => owner
            .queue
            .map_or(Expect::Unknown, |queue| Expect::Values(vec![Value::Count(offset(context, queue).0)])),
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
        (Quantity::Created, "yunikorn/victim-order") => owner.job.map_or(Expect::Unknown, |job| {
            let of = &accounts.cluster.jobs[job];
            let pods = of.pod_ids().filter_map(|pod| accounts.pod(pod).created);
            Expect::Values([of.created, of.submit].into_iter().chain(pods).map(Value::Time).collect())
        }),
        (Quantity::Created, "yunikorn/application") => owner.job.map_or(Expect::Unknown, |job| {
            Expect::Values(vec![Value::Time(accounts.cluster.jobs[job].submit)])
        }),
        _ => Expect::Unknown,
    }
}

fn priority_of(accounts: &Accounts<'_>, job: JobId) -> Expect {
    Expect::Values(vec![Value::Count(i64::from(accounts.cluster.jobs[job].priority))])
}

fn of_queue(place: Place<'_>, queue: Option<QueueId>, amounts: impl Fn(QueueId) -> Vec<Amounts>) -> Expect {
    let (Some(queue), Some(resource)) = (queue, place.check.subject.resource) else { return Expect::Unknown };
    let of = |amounts: Amounts| Value::Real(amounts[resource.index()]);
    Expect::Values(amounts(queue).into_iter().map(of).collect())
}

fn plus(mut a: Amounts, b: Amounts) -> Amounts {
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

fn request(accounts: &Accounts<'_>, pod: fairground::id::PodId) -> Amounts {
    let request = &accounts.pod(pod).request;
    let mut amounts = counted(|r| request.resources.get(r));
    // A part of a GPU is a GPU.
    amounts[Resource::GPU.index()] = f64::from(request.gpu.n_devices());
    amounts
}

/// Requests that the comparison may be about: of the pod, else of the pods of the job that wait.
fn asks(context: &Context<'_>, place: Place<'_>) -> Vec<Amounts> {
    let accounts = &context.accounts;
    match place.check.subject.pod {
        Some(pod) => vec![request(accounts, pod)],
        None => context.asked.iter().map(|pod| request(accounts, *pod)).collect(),
    }
}

/// Allocated below a queue, reserved room of gangs included.
fn allocated(accounts: &Accounts<'_>, queue: QueueId, with_leaving: bool) -> Amounts {
    let pods = accounts.jobs_below(queue).flat_map(|job| accounts.holders(job));
    let counts =
        |pod: &fairground::id::PodId| with_leaving || !matches!(accounts.place(*pod), Where::Leaving(_));
    pods.map(|(pod, _)| pod)
        .filter(counts)
        .fold([0.0; RESOURCES_MAX], |sum, pod| plus(sum, request(accounts, pod)))
}

fn bounds(accounts: &Accounts<'_>, queue: QueueId, of_quota: bool) -> Amounts {
    let triple = if of_quota { accounts.quota(queue) } else { accounts.limit(queue) };
    // Bounds of GPUs are rounded down.
    let whole = |r: usize, amount: f64| if r == Resource::GPU.index() { amount.floor() } else { amount };
    let absent = if of_quota { 0.0 } else { f64::INFINITY };
    std::array::from_fn(|r| triple.get(r).map_or(absent, |amount| whole(r, *amount)))
}

/// What a node has free, reserved room of gangs counted as used.
fn free(accounts: &Accounts<'_>, node: NodeId) -> Amounts {
    let capacity = counted(|r| accounts.cluster.nodes[node].capacity.get(r));
    let jobs = accounts.cluster.jobs.ids().flat_map(|job| accounts.holders(job));
    let used = jobs.filter(|(_, at)| *at == node).map(|(pod, _)| request(accounts, pod));
    used.fold(capacity, |free, used| plus(free, used.map(|used| -used)))
}

fn idle(context: &Context<'_>, place: Place<'_>) -> Expect {
    let accounts = &context.accounts;
    match place.check.subject.node {
        Some(node) => of_queue(place, Some(QueueId(0)), |_| vec![free(accounts, node)]),
        None => {
            let most = |pod: &fairground::cluster::Pod| {
                let open = accounts
                    .nodes()
                    .filter(|(_, node)| node.takes_pods() && pod.selects(node) && pod.tolerates(node));
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
fn offset(context: &Context<'_>, queue: QueueId) -> (i64, bool) {
    let of = context.offsets.iter().find(|of| of.queue == queue);
    of.map_or((0, false), |of| (i64::from(of.offset), of.is_fence))
}

/// A priority as a queue passes it on.
fn passed(context: &Context<'_>, queue: QueueId, below: i64) -> i64 {
    match offset(context, queue) {
        (offset, true) => offset,
        (offset, false) => below + offset,
    }
}

/// The largest priority of jobs that wait below a queue, with the offsets on the way; with and without gangs, whose pods ask for
/// nothing while placeholders hold their room.
fn effective(context: &Context<'_>, queue: QueueId) -> Vec<i64> {
    let accounts = &context.accounts;
    let waits = |job: &JobId| accounts.waiting(*job).next().is_some() && !context.rejected.contains(job);
    let of = |job: JobId| {
        let path = accounts.cluster.path_to_root(accounts.cluster.jobs[job].queue);
        let priority = i64::from(accounts.cluster.jobs[job].priority);
        let mut up_to: Vec<QueueId> = path.take_while(|above| *above != queue).collect();
        up_to.push(queue);
        up_to.into_iter().fold(priority, |below, at| passed(context, at, below))
    };
    let all = || accounts.jobs_below(queue).filter(waits);
    let without_gangs = all().filter(|job| accounts.cluster.jobs[*job].gang.is_none());
    all().map(of).max().into_iter().chain(without_gangs.map(of).max()).collect()
}

/// The priority of a job, and what the queues above it pass on.
fn on_path(context: &Context<'_>, job: JobId) -> Vec<Value> {
    let job = &context.accounts.cluster.jobs[job];
    let mut priority = i64::from(job.priority);
    let mut all = vec![Value::Count(priority)];
    for queue in context.accounts.cluster.path_to_root(job.queue) {
        priority = passed(context, queue, priority);
        all.push(Value::Count(priority));
    }
    all
}
