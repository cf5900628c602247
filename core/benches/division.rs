//! The division of one level: three resources, flat siblings.
//!
//! *Uniform*: random quotas, limits, weights and requests. *Ramp*: steadily growing requests, equal weights and
//! capacity for nearly all requests, so that there are many rounds.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fairground::policy::kai::share::division::{Sibling, divide, divide_recorded};

/// A fixed pseudo-random sequence, so that every run measures the same input.
struct Sequence(u64);

impl Sequence {
    /// The next number in `0.0..1.0`.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    /// The next whole number in `0..end`.
    fn below(&mut self, end: f64) -> f64 {
        (self.unit() * end).floor()
    }
}

/// Amount to divide and siblings, for one resource.
type Level<'a> = (f64, Vec<Sibling<'a>>);

/// Size of a unit of each resource: millicores, bytes, devices.
const UNITS: [f64; 3] = [1000.0, 1e9, 1.0];

fn levels<'a>(names: &'a [String], total: f64, mut fill: impl FnMut(usize, &mut Sibling<'a>, f64)) -> Vec<Level<'a>> {
    let mut level = |unit: f64| {
        let mut siblings = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let mut sibling = Sibling { name, priority: 100, created_s: i as f64, limit: -1.0, ..Sibling::default() };
            fill(i, &mut sibling, unit);
            siblings.push(sibling);
        }
        (total * unit, siblings)
    };
    UNITS.into_iter().map(&mut level).collect()
}

fn uniform(names: &[String]) -> Vec<Level<'_>> {
    let mut random = Sequence(7);
    levels(names, names.len() as f64 * 12.0, |_, sibling, unit| {
        sibling.deserved = random.below(10.0) * unit;
        sibling.request = random.below(40.0) * unit;
        sibling.limit = if random.unit() < 0.5 { -1.0 } else { random.below(40.0) * unit };
        sibling.weight = 1.0 + random.below(9.0);
        sibling.usage = random.unit() / names.len() as f64;
    })
}

/// Like [`uniform`], with four priorities.
fn priorities(names: &[String]) -> Vec<Level<'_>> {
    let mut random = Sequence(11);
    let mut levels = uniform(names);
    for sibling in levels.iter_mut().flat_map(|(_, siblings)| siblings) {
        sibling.priority = 100 - random.below(4.0) as i64;
    }
    levels
}

fn ramp(names: &[String]) -> Vec<Level<'_>> {
    let n = names.len() as f64;
    levels(names, n * n / 2.0 * 0.98, |i, sibling, unit| {
        sibling.request = (i as f64 + 1.0) * unit;
        sibling.weight = 1.0;
    })
}

fn benches(c: &mut Criterion) {
    for n in [1_000, 10_000] {
        let names: Vec<String> = (0..n).map(|i| format!("queue-{i:05}")).collect();
        for (shape, input) in [("uniform", uniform(&names)), ("priorities", priorities(&names)), ("ramp", ramp(&names))]
        {
            c.bench_function(&format!("division/{shape}/{n}"), |b| {
                b.iter_batched_ref(
                    || input.clone(),
                    |levels| {
                        for (total, siblings) in levels {
                            divide(black_box(*total), 1.0, siblings);
                        }
                    },
                    BatchSize::LargeInput,
                );
            });
        }
        let (total, siblings) = uniform(&names).swap_remove(2);
        c.bench_function(&format!("division/recorded/{n}"), |b| {
            b.iter_batched_ref(
                || siblings.clone(),
                |siblings| divide_recorded(total, 1.0, siblings),
                BatchSize::LargeInput,
            );
        });
    }
}

criterion_group!(division, benches);
criterion_main!(division);
