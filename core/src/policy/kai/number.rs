//! Resource triples: CPU, memory, GPU, with -1 for "unlimited".
//!
//! # Rule
//! `cmp` puts -1 above every number and equal to itself. `less_equal`: `cmp <= 0` for every resource. `less`: strictly
//! less as raw numbers for every resource. `less_in_at_least_one`: not `right less_equal left`.
//!
//! # Source
//! kai.md 0.2, 0.3
//!
//! # Differs
//! nothing

use std::cmp::Ordering;

/// Unlimited.
pub const UNLIMITED: f64 = -1.0;

/// Amounts of CPU, memory and GPU. In quotas and limits -1 means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantities {
    /// Millicores.
    pub cpu: f64,
    /// Bytes.
    pub memory: f64,
    /// Devices.
    pub gpu: f64,
}

/// Compares two amounts of one resource; unlimited is the largest.
pub fn cmp(l: f64, r: f64) -> Ordering {
    match (l == UNLIMITED, r == UNLIMITED) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => l.partial_cmp(&r).expect("quantities are never NaN"),
    }
}

impl Quantities {
    /// The amounts in accounting order.
    pub fn to_array(self) -> [f64; 3] {
        [self.cpu, self.memory, self.gpu]
    }
    /// From amounts in accounting order.
    pub fn from_array([cpu, memory, gpu]: [f64; 3]) -> Self {
        Quantities { cpu, memory, gpu }
    }
    /// At most, for every resource.
    pub fn less_equal(&self, r: &Quantities) -> bool {
        cmp(self.cpu, r.cpu).is_le() && cmp(self.memory, r.memory).is_le() && cmp(self.gpu, r.gpu).is_le()
    }
    /// Strictly less as raw numbers, for every resource.
    pub fn less(&self, r: &Quantities) -> bool {
        self.cpu < r.cpu && self.memory < r.memory && self.gpu < r.gpu
    }
    /// Less for at least one resource.
    pub fn less_in_at_least_one(&self, r: &Quantities) -> bool {
        !r.less_equal(self)
    }
}

impl std::ops::AddAssign for Quantities {
    fn add_assign(&mut self, r: Quantities) {
        self.cpu += r.cpu;
        self.memory += r.memory;
        self.gpu += r.gpu;
    }
}
impl std::ops::SubAssign for Quantities {
    fn sub_assign(&mut self, r: Quantities) {
        self.cpu -= r.cpu;
        self.memory -= r.memory;
        self.gpu -= r.gpu;
    }
}
impl std::ops::Add for Quantities {
    type Output = Quantities;
    fn add(mut self, r: Quantities) -> Quantities {
        self += r;
        self
    }
}

/// Whether sums of such amounts are exact in a double.
pub fn is_whole(amount: f64) -> bool {
    amount.fract() == 0.0 && amount.abs() < 1e15
}
