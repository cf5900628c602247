//! Quantities by resource type, with the comparisons of upstream.
//!
//! # Rule
//! Three cases are distinct: *none* (no resource object), *empty* (an object without types), and a type that is
//! present with the value 0. Sums saturate; a difference is the saturating sum with the wrapping negation. Each
//! function below implements one line of the table in the source.
//!
//! # Source
//! yunikorn.md 0.1, 0.2
//!
//! # Differs
//! at most [`TYPES_MAX`] types

/// Maximum number of resource types in a scenario.
pub const TYPES_MAX: usize = 16;

/// Quantities by type; a type is its index among the type names in byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    is_none: bool,
    types: u16,
    /// 0 for a missing type.
    values: [i64; TYPES_MAX],
}

impl Default for Amounts {
    fn default() -> Self {
        Amounts::EMPTY
    }
}

impl Amounts {
    /// No resource object.
    pub const NONE: Amounts = Amounts { is_none: true, types: 0, values: [0; TYPES_MAX] };
    /// An object without types.
    pub const EMPTY: Amounts = Amounts { is_none: false, types: 0, values: [0; TYPES_MAX] };

    /// Whether there is no resource object.
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    /// Quantity of a type, 0 if it is missing.
    pub fn get(&self, type_ix: usize) -> i64 {
        self.values[type_ix]
    }

    /// Whether the type is present.
    pub fn has(&self, type_ix: usize) -> bool {
        self.types >> type_ix & 1 == 1
    }

    /// Sets a type; turns *none* into an object.
    pub fn set(&mut self, type_ix: usize, value: i64) {
        self.is_none = false;
        self.types |= 1 << type_ix;
        self.values[type_ix] = value;
    }

    /// Types that are present, in canonical order.
    pub fn types(&self) -> Bits {
        Bits(self.types)
    }

    /// Types with their quantities, in canonical order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.types().map(|type_ix| (type_ix, self.values[type_ix]))
    }

    /// Turns *none* into empty.
    pub fn or_empty(mut self) -> Amounts {
        self.is_none = false;
        self
    }

    /// Removes the types whose value is 0.
    pub fn pruned(&self) -> Amounts {
        let mut out = Amounts { is_none: self.is_none, ..Amounts::EMPTY };
        for (type_ix, value) in self.iter().filter(|&(_, value)| value != 0) {
            out.set(type_ix, value);
        }
        out
    }

    /// Whether any value is negative.
    pub fn has_negative(&self) -> bool {
        self.types().any(|type_ix| self.values[type_ix] < 0)
    }

    /// Whether no value is negative and at least one is above 0.
    pub fn positive(&self) -> bool {
        !self.has_negative() && self.types().any(|type_ix| self.values[type_ix] > 0)
    }

    /// Whether it is none, empty, or all values are 0.
    pub fn is_zero(&self) -> bool {
        self.types().all(|type_ix| self.values[type_ix] == 0)
    }

    /// Whether it is none or has no types.
    pub fn is_empty(&self) -> bool {
        self.types == 0
    }

    /// `self <- self + other`.
    pub fn add(&mut self, other: &Amounts) {
        *self = sum(self, other);
    }

    /// `self <- self - other`.
    pub fn sub(&mut self, other: &Amounts) {
        *self = difference(self, other);
    }

    /// The same, and removes the types whose value is 0.
    pub fn sub_pruned(&mut self, other: &Amounts) {
        *self = difference(self, other).pruned();
    }
}

/// Iterator over the positions of set bits, ascending.
#[derive(Clone, Copy, Debug)]
pub struct Bits(u16);

impl Iterator for Bits {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        let type_ix = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (type_ix < TYPES_MAX).then_some(type_ix)
    }
}

fn union(a: &Amounts, b: &Amounts) -> Bits {
    Bits(a.types | b.types)
}

fn common(a: &Amounts, b: &Amounts) -> Bits {
    Bits(a.types & b.types)
}

fn minus(l: i64, r: i64) -> i64 {
    l.saturating_add(r.wrapping_neg())
}

/// `A + B`: the union of the types.
pub fn sum(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = Amounts { types: a.types | b.types, ..Amounts::EMPTY };
    for type_ix in union(a, b) {
        out.values[type_ix] = a.values[type_ix].saturating_add(b.values[type_ix]);
    }
    out
}

/// `A - B`: the union of the types.
pub fn difference(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = Amounts { types: a.types | b.types, ..Amounts::EMPTY };
    for type_ix in union(a, b) {
        out.values[type_ix] = minus(a.values[type_ix], b.values[type_ix]);
    }
    out
}

/// `A + B` on the types of A only.
pub fn add_existing(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = *a;
    for type_ix in a.types() {
        out.values[type_ix] = a.values[type_ix].saturating_add(b.values[type_ix]);
    }
    out
}

/// `A - B` on the types of A only.
pub fn sub_existing(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = *a;
    for type_ix in a.types() {
        out.values[type_ix] = minus(a.values[type_ix], b.values[type_ix]);
    }
    out
}

/// Whether B fits in A; a type that A lacks is 0.
pub fn fits(a: &Amounts, b: &Amounts) -> bool {
    b.types().all(|type_ix| b.values[type_ix] <= a.values[type_ix].max(0))
}

/// Whether B fits in A; a type that A lacks is unlimited.
pub fn fits_undef(a: &Amounts, b: &Amounts) -> bool {
    common(a, b).all(|type_ix| b.values[type_ix] <= a.values[type_ix].max(0))
}

/// Like [`fits_undef`], but negative values of A stay negative.
pub fn fits_actual(a: &Amounts, b: &Amounts) -> bool {
    common(a, b).all(|type_ix| b.values[type_ix] <= a.values[type_ix])
}

/// The smaller value for common types, otherwise the only one.
pub fn min_union(a: &Amounts, b: &Amounts) -> Amounts {
    if a.is_none {
        return *b;
    }
    let mut out = merge_missing(a, b);
    for type_ix in common(a, b) {
        out.values[type_ix] = a.values[type_ix].min(b.values[type_ix]);
    }
    out
}

/// The types of A, capped by the values of B.
pub fn min_left(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = *a;
    for type_ix in common(a, b) {
        out.values[type_ix] = a.values[type_ix].min(b.values[type_ix]);
    }
    out
}

/// A and the types of B that A lacks.
pub fn merge_missing(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = *a;
    out.is_none = a.is_none && b.is_none;
    for type_ix in Bits(b.types & !a.types) {
        out.set(type_ix, b.values[type_ix]);
    }
    out
}

/// A with every type of B overwritten.
pub fn overwritten(a: &Amounts, b: &Amounts) -> Amounts {
    let mut out = *a;
    for (type_ix, value) in b.iter() {
        out.set(type_ix, value);
    }
    out
}

/// Whether no value of A is smaller than that of B; a missing type is 0.
pub fn ge_all(a: &Amounts, b: &Amounts) -> bool {
    union(a, b).all(|type_ix| a.values[type_ix] >= b.values[type_ix])
}

/// Whether no value of A is smaller and at least one is larger.
pub fn gt(a: &Amounts, b: &Amounts) -> bool {
    ge_all(a, b) && !equal(a, b)
}

/// Whether all values are equal; a missing type is 0.
pub fn equal(a: &Amounts, b: &Amounts) -> bool {
    a.values == b.values
}

/// Whether A and B have a common type.
pub fn overlap(a: &Amounts, b: &Amounts) -> bool {
    a.types & b.types != 0
}

fn compare_existing(a: &Amounts, b: &Amounts, equal_counts: bool) -> bool {
    if common(a, b).any(|type_ix| b.values[type_ix] > a.values[type_ix]) {
        return false;
    }
    if b.types == 0 && a.types != 0 {
        return a.types().all(|type_ix| a.values[type_ix] > 0);
    }
    if overlap(a, b) {
        return equal_counts || common(a, b).any(|type_ix| a.values[type_ix] != b.values[type_ix]);
    }
    a.types != 0 && b.types != 0
}

/// *At least* as preemption compares: only common types count.
pub fn ge_existing(a: &Amounts, b: &Amounts) -> bool {
    compare_existing(a, b, true)
}

/// *More than* as preemption compares: only common types count.
pub fn gt_existing(a: &Amounts, b: &Amounts) -> bool {
    compare_existing(a, b, false)
}
