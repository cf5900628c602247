//! Quantities at the interface: exact integers in base units.
//!
//! Each policy computes in its own numbers (`kai` uses `f64`); every value that is stored, compared
//! across runs or displayed is an [`Amount`] of one [`Resource`], so that it is identical on every
//! machine.

use serde::{Deserialize, Serialize};

use std::fmt;

/// Maximum number of resources of a scenario.
pub const RESOURCES_MAX: usize = 8;
/// Maximum number of resources named by a scenario, beyond the accounted ones. One index is reserved for a dimension
/// that a policy counts itself, such as EGO's slots.
pub const NAMED_MAX: usize = RESOURCES_MAX - Resource::ACCOUNTED.len() - 1;

/// A resource by its index: cpu, memory, gpu, then those named by the scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Resource(pub u8);

impl Resource {
    /// CPU; base unit: one thousandth of a core.
    pub const CPU: Resource = Resource(0);
    /// Memory; base unit: one byte.
    pub const MEMORY: Resource = Resource(1);
    /// GPU; base unit: one thousandth of a device.
    pub const GPU: Resource = Resource(2);
    /// The resources accounted by every policy, in the order of iteration.
    pub const ACCOUNTED: [Resource; 3] = [Resource::CPU, Resource::MEMORY, Resource::GPU];

    /// The nth resource named by the scenario, from 0; base unit: one thousandth.
    pub fn named(n: usize) -> Resource {
        debug_assert!(n < NAMED_MAX, "the scenario was checked");
        Resource((Resource::ACCOUNTED.len() + n) as u8)
    }

    /// Index among the resources named by the scenario; `None` for the accounted ones.
    pub fn nth_named(self) -> Option<usize> {
        self.index().checked_sub(Resource::ACCOUNTED.len())
    }

    /// Whether every policy accounts it.
    pub fn is_accounted(self) -> bool {
        self.nth_named().is_none()
    }

    /// The resource if every policy accounts it; `None` for named resources.
    pub fn accounted(self) -> Option<Resource> {
        self.is_accounted().then_some(self)
    }

    /// Index in a [`ResourceVec`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Resource::CPU => "cpu",
            Resource::MEMORY => "memory",
            Resource::GPU => "gpu",
            _ => "other",
        }
    }
}

/// What charts show: amounts of one resource, or each queue in the resource of which it holds the largest part.
///
/// Links, drafts and messages have it as a number: 0 cpu, 1 memory, 2 gpu, 3 dominant, then those that the scenario
/// names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub enum ShownResource {
    /// Amounts of this resource.
    One(Resource),
    /// Each queue in percent of the total of its dominant resource.
    Dominant,
}

impl ShownResource {
    /// CPU.
    pub const CPU: ShownResource = ShownResource::One(Resource::CPU);
    /// Memory.
    pub const MEMORY: ShownResource = ShownResource::One(Resource::MEMORY);
    /// GPU.
    pub const GPU: ShownResource = ShownResource::One(Resource::GPU);

    /// The nth resource named by the scenario, from 0.
    pub fn named(n: usize) -> ShownResource {
        ShownResource::One(Resource::named(n))
    }

    /// Index among the resources named by the scenario.
    pub fn nth_named(self) -> Option<usize> {
        self.one()?.nth_named()
    }
    /// The resource, if it is one.
    pub fn one(self) -> Option<Resource> {
        match self {
            ShownResource::One(resource) => Some(resource),
            ShownResource::Dominant => None,
        }
    }
    /// The resource of amounts that cannot be counted in each queue's dominant resource.
    pub fn counted(self) -> Resource {
        self.one().unwrap_or(Resource::GPU)
    }
    /// The accounted resource whose sentences and controls stand for it: GPU, unless it is accounted itself.
    pub fn accounted(self) -> Resource {
        self.one().and_then(Resource::accounted).unwrap_or(Resource::GPU)
    }
    /// Whether every policy accounts it.
    pub fn is_accounted(self) -> bool {
        self.one().is_some_and(Resource::is_accounted)
    }
    /// Whether queues have quotas, fair shares and limits of it.
    pub fn is_divided(self) -> bool {
        self.nth_named().is_none()
    }
}

impl Default for ShownResource {
    fn default() -> Self {
        ShownResource::CPU
    }
}

impl From<Resource> for ShownResource {
    fn from(resource: Resource) -> Self {
        ShownResource::One(resource)
    }
}

/// The number of [`ShownResource::Dominant`].
const DOMINANT: u8 = 3;

impl From<u8> for ShownResource {
    fn from(number: u8) -> Self {
        match number {
            DOMINANT => ShownResource::Dominant,
            named if named > DOMINANT => ShownResource::One(Resource(named - 1)),
            accounted => ShownResource::One(Resource(accounted)),
        }
    }
}

impl From<ShownResource> for u8 {
    fn from(shown: ShownResource) -> u8 {
        match shown {
            ShownResource::Dominant => DOMINANT,
            ShownResource::One(Resource(named)) if named >= DOMINANT => named.saturating_add(1),
            ShownResource::One(Resource(accounted)) => accounted,
        }
    }
}

/// A finite quantity of one resource in its base unit (millicores, bytes, thousandths of a GPU).
///
/// There is no `From<i64>`: a constructor names its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// Zero.
    pub const ZERO: Amount = Amount(0);

    /// Whole cores.
    pub const fn cores(n: i64) -> Self {
        Amount(n * 1000)
    }
    /// Bytes.
    pub const fn bytes(n: i64) -> Self {
        Amount(n)
    }
    /// GiB, 2^30 bytes.
    pub const fn gib(n: i64) -> Self {
        Amount(n << 30)
    }
    /// Whole GPUs.
    pub const fn gpus(n: i64) -> Self {
        Amount(n * 1000)
    }
    /// Thousandths of a GPU.
    pub const fn milli_gpus(n: i64) -> Self {
        Amount(n)
    }
    /// Base units of the resource.
    pub const fn base_units(n: i64) -> Self {
        Amount(n)
    }
    /// The quantity in base units.
    pub const fn in_base_units(self) -> i64 {
        self.0
    }
    /// The quantity as a real number in the resource's *policy* unit: millicores, bytes, whole GPUs, whole named
    /// resources. Exact: `n / 1000` is the double that the decimal text parses to.
    pub fn in_policy_units(self, resource: Resource) -> f64 {
        if resource < Resource::GPU { self.0 as f64 } else { self.0 as f64 / 1000.0 }
    }
}

impl std::ops::Add for Amount {
    type Output = Amount;
    fn add(self, other: Amount) -> Amount {
        Amount(self.0 + other.0)
    }
}
impl std::ops::Sub for Amount {
    type Output = Amount;
    fn sub(self, other: Amount) -> Amount {
        Amount(self.0 - other.0)
    }
}
impl std::ops::AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.0 += other.0;
    }
}
impl std::ops::SubAssign for Amount {
    fn sub_assign(&mut self, other: Amount) {
        self.0 -= other.0;
    }
}

/// A quota or a limit. Each policy defines the meaning of `Unset`: an unset KAI limit allows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Not set in the scenario.
    #[default]
    Unset,
    /// Explicitly unlimited.
    Unlimited,
    /// A finite bound.
    At(Amount),
}

/// A weight in millionths; may be zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(i64);

impl Weight {
    /// Weight 1.
    pub const ONE: Weight = Weight(1_000_000);
    /// Millionths.
    pub const fn millionths(n: i64) -> Self {
        Weight(n)
    }
    /// The weight in millionths.
    pub const fn in_millionths(self) -> i64 {
        self.0
    }
    /// The weight as the double its decimal text parses to.
    pub fn as_real(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }
}

/// One amount per resource. A resource that is *present with 0* differs from an absent one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourceVec {
    amounts: [Amount; RESOURCES_MAX],
    present: u8,
}

impl ResourceVec {
    /// The amount; zero when absent.
    pub fn get(&self, resource: Resource) -> Amount {
        self.amounts[resource.index()]
    }
    /// Whether the resource is present.
    pub fn has(&self, resource: Resource) -> bool {
        self.present & (1 << resource.0) != 0
    }
    /// Sets an amount and marks it present.
    pub fn set(&mut self, resource: Resource, amount: Amount) {
        self.amounts[resource.index()] = amount;
        self.present |= 1 << resource.0;
    }
    /// The present resources in index order.
    pub fn iter(&self) -> impl Iterator<Item = (Resource, Amount)> + '_ {
        (0..RESOURCES_MAX as u8).map(Resource).filter(|&r| self.has(r)).map(|r| (r, self.get(r)))
    }
    /// All amounts in base units, by index; zero where absent.
    pub fn in_base_units(&self) -> [i64; RESOURCES_MAX] {
        self.amounts.map(Amount::in_base_units)
    }
    /// Adds every present amount of `other`.
    pub fn add(&mut self, other: &ResourceVec) {
        for (r, a) in other.iter() {
            self.set(r, self.get(r) + a);
        }
    }
    /// Subtracts every present amount of `other`.
    pub fn sub(&mut self, other: &ResourceVec) {
        for (r, a) in other.iter() {
            self.set(r, self.get(r) - a);
        }
    }
}

/// One value per accounted resource, in the order cpu, memory, gpu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PerResource<T> {
    /// CPU.
    pub cpu: T,
    /// Memory.
    pub memory: T,
    /// GPU.
    pub gpu: T,
}

impl<T: Copy> PerResource<T> {
    /// The values that a function returns.
    pub fn of(value: impl Fn(Resource) -> T) -> Self {
        let [cpu, memory, gpu] = Resource::ACCOUNTED.map(value);
        PerResource { cpu, memory, gpu }
    }
    /// The same value for each resource.
    pub fn all(value: T) -> Self {
        PerResource { cpu: value, memory: value, gpu: value }
    }
    /// The value of one accounted resource.
    pub fn get(&self, resource: Resource) -> T {
        match resource {
            Resource::CPU => self.cpu,
            Resource::MEMORY => self.memory,
            Resource::GPU => self.gpu,
            Resource(other) => panic!("resource {other} is not accounted"),
        }
    }
    /// Replaces the value of one accounted resource.
    pub fn set(&mut self, resource: Resource, value: T) {
        match resource {
            Resource::CPU => self.cpu = value,
            Resource::MEMORY => self.memory = value,
            Resource::GPU => self.gpu = value,
            Resource(other) => panic!("resource {other} is not accounted"),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
