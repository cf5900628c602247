//! How charts count amounts: in the unit of one resource, or each queue in percent of the total of its dominant
//! resource, so that a bar can be compared with the queue's own quota and limit.

use fairground::units::{Resource, ShownResource};

use crate::engine::dominant::resource_of;
use crate::engine::protocol::{Amounts, BoundTriple, QueueRow};

/// The unit of a queue's amounts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountedIn {
    /// The resource.
    pub resource: Resource,
    /// Amount that is 100 %; `None`: amounts are shown as they are.
    whole: Option<f64>,
}

impl CountedIn {
    /// The unit for a queue with these amounts.
    pub fn of(shown: ShownResource, allocated: &Amounts, request: &Amounts, total: &Amounts) -> CountedIn {
        match shown {
            ShownResource::One(resource) => CountedIn { resource, whole: None },
            ShownResource::Dominant => CountedIn::percent_of(resource_of(allocated, request, total), total),
        }
    }

    /// The unit for a queue of a frame.
    pub fn of_queue(shown: ShownResource, row: &QueueRow, total: &Amounts) -> CountedIn {
        CountedIn::of(shown, &row.allocated, &row.request, total)
    }

    /// The unit for what belongs to no queue.
    pub fn of_rest(shown: ShownResource, total: &Amounts) -> CountedIn {
        match shown {
            ShownResource::One(resource) => CountedIn { resource, whole: None },
            ShownResource::Dominant => CountedIn::percent_of(Resource::GPU, total),
        }
    }

    fn percent_of(resource: Resource, total: &Amounts) -> CountedIn {
        CountedIn { resource, whole: Some(total[resource.index()].max(1e-9)) }
    }

    /// An amount in base units or percent.
    pub fn base(self, amounts: &Amounts) -> f64 {
        self.in_percent(amounts[self.resource.index()])
    }

    /// A bound in base units or percent; `None` is unlimited. Only accounted resources have bounds.
    pub fn bound(self, bounds: &BoundTriple) -> Option<f64> {
        bounds.get(self.resource.index()).copied().flatten().map(|bound| self.in_percent(bound))
    }

    fn in_percent(self, base: f64) -> f64 {
        self.whole.map_or(base, |whole| base / whole * 100.0)
    }
}

/// The total in base units or percent.
pub fn total_in(shown: ShownResource, total: &Amounts) -> f64 {
    shown.one().map_or(100.0, |resource| total[resource.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_is_counted_in_its_own_resource() {
        let total = [100.0, 400.0, 10.0].into();
        let quota = [Some(50.0), None, Some(2.0)];
        let counted = |allocated: [f64; 3], request: [f64; 3]| {
            let [allocated, request] = [allocated, request].map(Amounts::from);
            let unit = CountedIn::of(ShownResource::Dominant, &allocated, &request, &total);
            (unit.base(&allocated), unit.base(&request), unit.bound(&quota))
        };
        assert_eq!(counted([60.0, 40.0, 3.0], [80.0, 40.0, 9.0]), (60.0, 80.0, Some(50.0)), "CPU");
        assert_eq!(counted([10.0, 200.0, 3.0], [10.0, 300.0, 3.0]), (50.0, 75.0, None), "unlimited stays so");
        assert_eq!(counted([0.0; 3], [10.0, 40.0, 4.0]), (0.0, 40.0, Some(20.0)), "what it asks for decides");
        assert_eq!(resource_of(&[10.0, 40.0, 1.0].into(), &Amounts::default(), &total), Resource::GPU, "of equals GPU");
        assert_eq!(
            resource_of(&[0.0, 0.0, 5.0].into(), &Amounts::default(), &[100.0, 0.0, 0.0].into()),
            Resource::GPU,
            "nothing of nothing"
        );
    }

    #[test]
    fn a_named_resource_has_no_bounds() {
        let unit = CountedIn::of_rest(ShownResource::named(0), &Amounts::default());
        assert_eq!(unit.bound(&[Some(1.0); 3]), None);
    }
}
