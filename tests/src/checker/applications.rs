//! Applications of YuniKorn, and what their users hold: added up from jobs, pods and the settings alone.

use std::collections::BTreeSet;

use fairground::cluster::Job;
use fairground::id::{Id, JobId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::policy::yunikorn::config::Limit;
use fairground::policy::yunikorn::words::Config;
use fairground::time::Span;
use fairground::units::{RESOURCES_MAX, Resource};

use super::accounts::Accounts;
use super::moments::PodPlace;
use super::operand::Context;
use super::yunikorn::{Amounts, bound, plus, request};

/// Age from which an ask may reserve a node.
const MAY_RESERVE: Span = Span::from_millis(2000);

/// The applications of the pool, as the core knows them at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Applications<'c, 'a> {
    context: &'c Context<'a>,
    accounts: &'c Accounts<'a>,
}

/// An upper bound of a user or group in a queue, with the jobs that it counts.
#[derive(Debug)]
struct Bound<'a> {
    limit: &'a Limit,
    jobs: Vec<JobId>,
}

impl<'c, 'a> Applications<'c, 'a> {
    pub fn of(context: &'c Context<'a>) -> Applications<'c, 'a> {
        Applications { context, accounts: &context.accounts }
    }

    fn config(&self) -> Option<&'a Config> {
        match self.context.policy {
            Policy::YuniKorn(config) => Some(config),
            _ => None,
        }
    }

    fn job(&self, job: JobId) -> &'a Job {
        &self.accounts.cluster.jobs[job]
    }

    /// The application of a job: the one that its pods name, otherwise its own name.
    pub fn name(&self, job: JobId) -> &'a str {
        let mut pods = self.job(job).pod_ids();
        let rules = pods.next().and_then(|pod| self.accounts.pod(pod).rules.as_deref());
        rules.and_then(|rules| rules.application.as_deref()).unwrap_or(&self.job(job).name)
    }

    /// The jobs of an application.
    pub fn jobs(&self, name: &str) -> impl Iterator<Item = JobId> {
        let jobs = self.accounts.cluster.jobs.ids();
        jobs.filter(move |job| self.name(*job) == name)
    }

    /// Pods of a job that are asks and wait for nodes: not while placeholders of a gang come first.
    pub fn pending(&self, job: JobId) -> Vec<PodId> {
        if self.context.rejected.contains(&job) || self.is_refused(job) {
            return Vec::new();
        }
        let waits = |pod: &PodId| self.accounts.place(*pod) == PodPlace::Waiting;
        match self.job(job).gang {
            Some(_) if !self.has_started(job) && !self.context.expired.contains(&job) => {
                let is_claimed = |pod: &PodId| self.accounts.state.claims.iter().any(|claim| claim.0 == *pod);
                // There are placeholders for pods behind a gate, too.
                let is_gated = |pod: &PodId| self.accounts.place(*pod) == PodPlace::Gated;
                let asks = |pod: &PodId| (waits(pod) || is_gated(pod)) && !is_claimed(pod);
                self.members(job).into_iter().filter(asks).collect()
            }
            _ => self.job(job).pod_ids().filter(waits).collect(),
        }
    }

    /// Whether its queue does not accept a gang: one above its maximum or that of a queue above it, or any in a leaf
    /// with fair order.
    fn is_refused(&self, job: JobId) -> bool {
        // Others that are refused say so, as long as they are not behind a gate.
        let is_gated = |pod: PodId| self.accounts.place(pod) == PodPlace::Gated;
        let is_told = !self.job(job).pod_ids().any(is_gated);
        if is_told || self.job(job).gang.is_none() || self.has_started(job) {
            return false;
        }
        let members = self.members(job).into_iter().map(|pod| request(self.accounts, pod));
        let all = members.fold([0.0; RESOURCES_MAX], plus);
        let path = || self.accounts.cluster.path_to_root(self.job(job).queue);
        let is_above = |queue: QueueId| {
            let most = bound(self.context, queue, false);
            all.iter().zip(most).any(|(all, most)| most.is_some_and(|most| *all > most))
        };
        let policy = |queue: QueueId| {
            let name = &*self.accounts.cluster.queues[queue].name;
            self.config()?.queues.get(name)?.properties.get("application.sort.policy")
        };
        path().any(is_above) || path().find_map(policy).is_some_and(|policy| policy == "fair")
    }

    /// The pods for which a gang has placeholders.
    fn members(&self, job: JobId) -> Vec<PodId> {
        let cluster = self.accounts.cluster;
        let of_set = |set| {
            let n = cluster.pod_sets[set].min_available as usize;
            self.job(job).pod_ids().filter(move |pod| cluster.pods[*pod].pod_set == set).take(n)
        };
        self.job(job).pod_set_ids().flat_map(of_set).collect()
    }

    /// Whether a pod of the job has run, or its gang is complete.
    fn has_started(&self, job: JobId) -> bool {
        let runs = |pod: PodId| matches!(self.accounts.place(pod), PodPlace::On(_) | PodPlace::Leaving(_));
        let claims = &self.accounts.state.claims;
        let is_claimed = |pod: &PodId| claims.iter().any(|claim| claim.0 == *pod);
        self.context.starts[job.index()].is_some()
            || self.job(job).pod_ids().any(runs)
            || self.job(job).gang.is_some() && self.members(job).iter().all(is_claimed)
    }

    /// Whether a job has pods that wait or hold a node.
    fn is_live(&self, job: JobId) -> bool {
        !self.pending(job).is_empty() || self.accounts.holders(job).next().is_some()
    }

    /// The numbers that a comparison with `maxapplications` may have on its left: of the queue, or of the user or
    /// group; one side of it is the maximum.
    pub fn counts(&self, job: JobId, queue: QueueId, most: i64) -> Vec<i64> {
        let mut all = Vec::new();
        if self.maximum(queue) == Some(most) {
            all.extend(self.begun(job, queue, most));
        }
        for bound in self.bounds(job, queue).filter(|bound| bound.limit.maxapplications as i64 == most) {
            let counted = bound.jobs.iter().filter(|job| {
                let holds = self.accounts.holders(**job).next().is_some();
                holds || self.has_started(**job) && self.is_live(**job)
            });
            let names: BTreeSet<&str> = counted.map(|job| self.name(*job)).collect();
            all.push(names.len() as i64 + 1);
        }
        all
    }

    /// Every maximum of applications in a queue.
    pub fn maxima(&self, job: JobId, queue: QueueId) -> Vec<i64> {
        let of_users = self.bounds(job, queue).map(|bound| bound.limit.maxapplications as i64);
        of_users.filter(|most| *most > 0).chain(self.maximum(queue)).collect()
    }

    fn maximum(&self, queue: QueueId) -> Option<i64> {
        let name = &*self.accounts.cluster.queues[queue].name;
        let most = self.config()?.queues.get(name)?.maxapplications;
        (most > 0).then_some(most as i64)
    }

    /// Running applications, of which the core counts no more than the maximum, beginning ones, and one more. An
    /// application also begins with a reservation, which is no decision: those that are old enough for it may count or
    /// not.
    fn begun(&self, job: JobId, queue: QueueId, most: i64) -> impl Iterator<Item = i64> {
        let own = self.name(job);
        let [mut running, mut begun, mut may_begin] = [(); 3].map(|()| BTreeSet::new());
        for job in self.accounts.jobs_below(queue).filter(|job| self.is_live(*job) && self.name(*job) != own) {
            let holds = self.accounts.holders(job).next().is_some();
            let is_old = self.context.now - self.job(job).created > MAY_RESERVE;
            let set = match self.has_started(job) {
                true => &mut running,
                false if holds => &mut begun,
                false if is_old => &mut may_begin,
                false => continue,
            };
            set.insert(self.name(job));
        }
        let n = most.min(running.len() as i64) + begun.len() as i64;
        (0..=may_begin.len() as i64).map(move |more| n + more + 1)
    }

    /// What user or group would use in the queue with an ask, for each limit of that amount.
    pub fn used(&self, job: JobId, queue: QueueId, (resource, most): (Resource, f64), ask: Amounts) -> Vec<Amounts> {
        let is_it = |bound: &Bound<'_>| self.amount(bound.limit, resource) == Some(most);
        let used = |bound: Bound<'_>| {
            let pods = bound.jobs.iter().flat_map(|job| self.accounts.holders(*job));
            pods.fold(ask, |sum, (pod, _)| plus(sum, request(self.accounts, pod)))
        };
        self.bounds(job, queue).filter(is_it).map(used).collect()
    }

    /// Every limit of a resource that the queue has for the user or the group of the job.
    pub fn limits(&self, job: JobId, queue: QueueId, resource: Resource) -> Vec<f64> {
        self.bounds(job, queue).filter_map(|bound| self.amount(bound.limit, resource)).collect()
    }

    fn amount(&self, limit: &Limit, resource: Resource) -> Option<f64> {
        let text = limit.maxresources.get(self.type_name(resource)?)?;
        quantity(text, resource)
    }

    /// The name of a resource in the settings.
    fn type_name(&self, resource: Resource) -> Option<&'a str> {
        match resource {
            Resource::CPU => Some("vcore"),
            Resource::MEMORY => Some("memory"),
            Resource::GPU => self.config().map(|config| config.gpu_type.as_str()),
            other => self.accounts.cluster.named.get(other.nth_named()?).map(|name| &**name),
        }
    }

    /// What the settings of a queue guarantee, or its maximum there, by resource.
    pub fn written(&self, queue: QueueId, of_quota: bool) -> [Option<f64>; RESOURCES_MAX] {
        let name = &*self.accounts.cluster.queues[queue].name;
        let of = self.config().and_then(|config| config.queues.get(name)).map(|queue| &queue.resources);
        std::array::from_fn(|r| {
            let resource = Resource(r as u8);
            let all = if of_quota { &of?.guaranteed } else { &of?.max };
            quantity(all.get(self.type_name(resource)?)?, resource)
        })
    }

    /// The limits of a queue for the user and for the group of a job.
    fn bounds(&self, job: JobId, queue: QueueId) -> impl Iterator<Item = Bound<'a>> {
        let name = &*self.accounts.cluster.queues[queue].name;
        let limits: &[Limit] = match self.config().and_then(|config| config.queues.get(name)) {
            Some(queue) => &queue.limits,
            None => &[],
        };
        let user = self.job(job).user.as_deref().unwrap_or_default();
        let names = |name: &str| limits.iter().find(|limit| limit.users.iter().any(|user| user == name));
        let of_user = names(user).or_else(|| names("*")).map(|limit| {
            let is_own = |other: &JobId| self.job(*other).user.as_deref().unwrap_or_default() == user;
            Bound { limit, jobs: self.accounts.jobs_below(queue).filter(is_own).collect() }
        });
        let group = self.group(job);
        let of_group = group.and_then(|group| {
            let limit = limits.iter().find(|limit| limit.groups.iter().any(|name| name == group))?;
            let is_own = |other: &JobId| self.group(*other) == Some(group);
            Some(Bound { limit, jobs: self.accounts.jobs_below(queue).filter(is_own).collect() })
        });
        of_user.into_iter().chain(of_group)
    }

    /// The group whose limits apply to a job: the first that a queue on its path names, from the leaf upwards, else `*`
    /// there.
    fn group(&self, job: JobId) -> Option<&'a str> {
        let config = self.config()?;
        let first = self.job(job).pod_ids().next()?;
        let own: Vec<&str> = match self.accounts.pod(first).rules.as_deref() {
            Some(rules) if !rules.groups.is_empty() => rules.groups.iter().map(|group| &**group).collect(),
            _ => {
                let user = self.job(job).user.as_deref().unwrap_or_default();
                config.groups.get(user)?.iter().map(String::as_str).collect()
            }
        };
        let of_queue = |name: &str| {
            let limits = config.queues.get(name).map_or(&[][..], |queue| &queue.limits);
            let mut named = limits.iter().flat_map(|limit| &limit.groups).map(String::as_str);
            named.clone().find(|name| own.contains(name)).or_else(|| named.find(|name| *name == "*"))
        };
        let path = self.accounts.cluster.path_to_root(self.job(job).queue);
        let names = path.map(|queue| &*self.accounts.cluster.queues[queue].name);
        names.chain(["root"]).find_map(of_queue)
    }
}

/// An amount of the settings in units of the core: digits and a suffix, cores in thousandths.
fn quantity(text: &str, resource: Resource) -> Option<f64> {
    let text = text.trim();
    let n_digits = text.chars().take_while(char::is_ascii_digit).count();
    let number: f64 = text[..n_digits].parse().ok()?;
    let factor = match text[n_digits..].trim() {
        "" => 1.0,
        "m" => 0.001,
        suffix => {
            let power = "KMGTPE".find(suffix.chars().next()?.to_ascii_uppercase())?;
            let base: f64 = if suffix.ends_with('i') { 1024.0 } else { 1000.0 };
            base.powi(power as i32 + 1)
        }
    };
    let per_unit = if resource == Resource::CPU { 1000.0 } else { 1.0 };
    Some(number * factor * per_unit)
}
