//! With any GPU memory, even an unrealistic one, every cycle ends and no resource is allocated twice.

use std::sync::Arc;

use std::collections::BTreeSet;

use fairground::cluster::{GpuRequest, audit};
use fairground::id::PodSetId;
use fairground::policy::Policy;
use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::trace::Gate;
use fairground_tests::laws;
use fairground_tests::worlds::{Numbers, newest_kai, plan, pooled};
use proptest::prelude::*;

/// Number of checked cycles.
const CYCLES: u32 = 30;
/// Unknown, below the counted minimum, around a hundred, usual ones, and those read as bytes.
const MEMORIES: [i64; 14] =
    [0, 1, 80, 99, 100, 150, 16_384, 40_000, 81_920, 1_048_575, 1_048_576, 2_097_152, 104_857_600, 8_589_934_592];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_gpu_memory_can_be_simulated(
        numbers in prop::collection::vec(any::<u8>(), 0..200),
        memories in prop::collection::vec(0..MEMORIES.len(), 1..5),
        (policy, pools, asked) in (0..7usize, any::<bool>(), prop::option::of(1..200_000i64)),
    ) {
        let policies = [
            Policy::Kai(Default::default()),
            Policy::Runai(Default::default()),
            Policy::YuniKorn(Default::default()),
            Policy::Ego(Default::default()),
            Policy::MaxMin(()),
            Policy::Fifo(()),
            newest_kai(Default::default()),
        ];
        let (mut numbers, policy) = (Numbers::new(numbers), policies[policy].clone());
        let mut plan = if pools { pooled(&mut numbers, policy) } else { plan(&mut numbers, policy) };
        for (node, memory) in plan.cluster.nodes.values_mut().zip(memories.iter().cycle()) {
            node.gpu_memory_mib = MEMORIES[*memory];
        }
        // Every other pod set that requests fractions of devices requests memory instead.
        let pods = plan.cluster.pods.values();
        let held: BTreeSet<PodSetId> = pods.filter(|pod| pod.phase.holds()).map(|pod| pod.pod_set).collect();
        for pod in plan.cluster.pods.values_mut() {
            if let (GpuRequest::Fraction { devices, .. }, Some(mib), 0) = (pod.request.gpu, asked, pod.pod_set.0 % 2)
                && !held.contains(&pod.pod_set)
            {
                let spec = Arc::make_mut(&mut pod.spec);
                Arc::make_mut(&mut spec.request).gpu = GpuRequest::Memory { mib, devices };
            }
        }
        let mut simulation = Simulation::new(&plan);
        while simulation.cycle() < CYCLES && simulation.advance().is_some() {
            prop_assert_eq!(audit(simulation.world()), vec![]);
        }
    }
}

/// The scheduler places a pod for which binding finds no free GPU: its reason is reported in the same cycle.
#[test]
fn a_pod_that_cannot_be_bound_has_a_reason() {
    let text = "\
format: fairground-scenario
version: 1
delays: {termination: 3500ms}
nodes: [{name: n2, count: 2, gpu: 1, pods: 3}, {name: n3}]
queues: [{name: q0}]
jobs:
  - {name: j1, queue: q0}
  - {name: j8, queue: q0, gpu-memory: 16 GB}
  - {name: j10, queue: q0, count: 3, gpu: 0.333}
timeline:
  - {at: 6, queue: q0, gpu: {limit: unlimited}}
  - {at: 6, node: n3, state: not-ready}
";
    let checked = check(&read(text).scenario.expect("a scenario"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    assert_eq!(laws::hold(&plan, 0, Some("what waits has a reason")), Ok(()));
    let mut simulation = Simulation::new(&plan);
    let mut is_refused = false;
    while let Some(record) = (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() {
        is_refused |= record.refusals.iter().any(|refusal| matches!(refusal.gate, Gate::NoDevice { .. }));
    }
    assert!(is_refused);
}
