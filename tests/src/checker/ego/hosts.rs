//! The hosts that were compared for a unit (ego.md 7.4): their order, room and what they lack.

use fairground::id::NodeId;
use fairground::policy::ego::plan::Placement;
use fairground::trace::{Quantity, Value};
use fairground::units::{Amount, Resource};

use super::super::operand::{Expect, Operand};
use super::Moment;
use super::books::{Set, Source, fits};
use super::tree::{Dims, SLOTS};

impl Moment<'_> {
    /// What a side of a comparison of hosts has to be.
    pub(super) fn of_hosts(&self, place: Operand<'_>) -> Expect {
        let subject = &place.check.subject;
        let world = self.view.world;
        let (Some(node), Some(set)) = (subject.node, subject.pod.and_then(|pod| world.set_of(pod))) else {
            return Expect::Unknown;
        };
        let is_right = |job| job == set.job && subject.queue == Some(world.cluster.jobs[job].queue);
        let fits = subject.other_node.is_none_or(|other| self.takes(set, other));
        if !subject.job.is_some_and(is_right) || !fits {
            return Expect::Values(Vec::new());
        }
        let side = subject.other_node.filter(|_| !place.is_left).unwrap_or(node);
        let slots = world.tree.capacity(node)[SLOTS];
        let free = self.view.free(side);
        let real = |amounts: &Dims, resource: Resource| {
            Value::Real(Amount::base_units(amounts[resource.index()]).in_policy_units(resource))
        };
        let value = match (place.term.quantity, subject.resource) {
            (Quantity::Position, _) => return Expect::Values(self.places(set, side)),
            (Quantity::Units, _) => Value::Count(units_in(&free, &set.unit)),
            (Quantity::PodSlots, _) => Value::Count(slots),
            (Quantity::Pods, _) => Value::Count(slots - free[SLOTS] + 1),
            (Quantity::Request, Some(resource)) => real(&set.unit, resource),
            (Quantity::Idle, Some(resource)) => real(&free, resource),
            _ => return Expect::Unknown,
        };
        Expect::Values(vec![value])
    }

    /// Whether a unit may start on a host.
    fn takes(&self, set: &Set, host: NodeId) -> bool {
        let tree = &self.view.world.tree;
        let is_exclusive = self.config.placement == Placement::Exclusive;
        let is_of_others = || self.view.has(host, |leaf, _| leaf != set.leaf);
        fits(&self.view.free(host), &set.unit)
            && self.view.world.may_run(set, host)
            && !(is_exclusive && is_of_others())
            && (self.is_owned || tree.shares_slots || tree.may_borrow(set.leaf, host, self.pool))
    }

    /// The place of a host among those from which a unit is drawn; of own hosts those without borrowers come first.
    fn places(&self, set: &Set, host: NodeId) -> Vec<Value> {
        let tree = &self.view.world.tree;
        let all = || tree.hosts.iter().map(|(host, _)| *host);
        let lent = |host: NodeId| self.view.books.lent.get(&host).copied();
        let order: Vec<NodeId> = if tree.shares_slots {
            all().collect()
        } else if self.is_owned {
            let own = || all().filter(|host| tree.holder[host] == set.leaf && lent(*host).is_none());
            let is_borrowed = |host: &NodeId| self.view.has(*host, |_, source| source != Source::Owned);
            let (borrowed, idle): (Vec<NodeId>, Vec<NodeId>) = own().partition(is_borrowed);
            idle.into_iter().chain(borrowed).collect()
        } else {
            let base = all().filter(|host| tree.holder[host] == self.pool);
            base.chain(all().filter(|host| lent(*host) == Some(self.pool))).collect()
        };
        let place = order.iter().position(|other| *other == host);
        place.map(|place| Value::Count(place as i64 + 1)).into_iter().collect()
    }
}

/// Units of a size that what is free has room for.
fn units_in(free: &Dims, unit: &Dims) -> i64 {
    let wanted = free.iter().zip(unit).filter(|(_, unit)| **unit > 0);
    wanted.map(|(free, unit)| free.max(&0) / unit).min().unwrap_or(0)
}
