//! *Why this node*: the table of the nodes that were compared for a pod, under every policy.

use std::fmt::Write;
use std::sync::Arc;

use fairground::moment::{self, Names};
use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::trace::Level;
use fairground::words;

/// One node that takes no pods, one with a taint, one that is full, and three on which a pod of one GPU fits.
const NODES: &str = r#"
nodes:
- {name: a, gpu: 2, cpu: 64, memory: 64Gi, pods: 10, taints: ["dedicated=x:NoSchedule"]}
- {name: b, gpu: 4, cpu: 64, memory: 64Gi, pods: 10}
- {name: c, gpu: 2, cpu: 64, memory: 64Gi, pods: 10}
- {name: d, gpu: 4, cpu: 64, memory: 64Gi, pods: 10}
- {name: e, gpu: 4, cpu: 64, memory: 64Gi, pods: 10}
timeline: [{at: 0, node: e, state: draining}]
"#;

const JOBS: &str = "
jobs:
- {name: full, queue: q, gpu: 2, cpu: 1, memory: 1Gi, on: [c]}
- {name: half, queue: q, gpu: 2, cpu: 1, memory: 1Gi, on: [b]}
- {name: next, queue: q, gpu: 1, cpu: 1, memory: 1Gi, submit: 10s}
";

/// Of each policy the caption, the nodes, and a row for each quantity; the row with a star orders them.
const TABLES: &str = "fifo
Nodes that fit, the best first, then nodes that do not fit
`b` | `d` | `c`
* free: 2 GPUs | 4 GPUs | –
the [pod] fits: yes | yes | no: 1 GPU requested, 0 GPUs free
max-min
Nodes that fit, the best first, then nodes that do not fit
`b` | `d` | `c` | `a`
* free: 2 GPUs | 4 GPUs | – | –
the [pod] fits: yes | yes | no: 1 GPU requested, 0 GPUs free | no: taint not tolerated
drf
Nodes that fit, the best first, then nodes that do not fit
`b` | `d` | `c` | `a`
* free: 2 GPUs | 4 GPUs | – | –
the [pod] fits: yes | yes | no: 1 GPU requested, 0 GPUs free | no: taint not tolerated
yunikorn
Nodes that fit, the best first, then nodes that do not fit
`d` | `b` | `a`
* score: 0 | 0.02 | –
the [pod] fits: yes | yes | no: taint not tolerated
yunikorn
Nodes that fit, the best first, then nodes that do not fit
`b` | `d` | `c`
* score: 0.5 | 1 | –
the [pod] fits: yes | yes | no: 1 GPU requested, 0 GPUs free
ego
Hosts that fit, the best first
`a` | `b` | `d`
* place in the order: 1 | 2 | 4
ego
Hosts that fit, the best first, then hosts that do not fit
`d` | `a` | `b` | `c`
* [pods] of this size that still fit: 4 | 2 | 2 | –
the [pod] fits: yes | yes | yes | no: 1 GPU requested, 0 GPUs free
kai
Nodes that fit, the best first, then nodes that do not fit
`b` | `d` | `a` | `c` | `e`
packing or spreading: 4.5 | 0 | – | – | –
free now: 100 | 100 | – | – | –
* score: 104.5 | 100 | – | – | –
the [pod] fits: yes | yes | no: taint not tolerated | no: 1 GPU requested, 0 GPUs free | no: accepts none
runai
Nodes that fit, the best first, then nodes that do not fit
`b` | `d` | `a` | `c` | `e`
packing or spreading: 4.5 | 0 | – | – | –
free now: 100 | 100 | – | – | –
* score: 104.5 | 100 | – | – | –
the [pod] fits: yes | yes | no: taint not tolerated | no: 1 GPU requested, 0 GPUs free | no: accepts none
";

/// The table of the start of `next`.
fn table(policy: &str, more: &str, queue: &str) -> String {
    let rest = "quota: unlimited, limit: unlimited";
    let queues = format!("queues: [{{name: q, gpu: {{{queue}}}, cpu: {{{rest}}}, memory: {{{rest}}}}}]\n");
    let text = format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n{more}{queues}{NODES}{JOBS}");
    let read = read(&text);
    let checked = check(&read.scenario.unwrap_or_else(|| panic!("{:?}", read.diagnostics)));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Decisive);
    let names = Arc::new(Names::of(plan.policy.key(), simulation.cluster()));
    let mut told = String::new();
    for _ in 0..60 {
        let Some(record) = simulation.advance() else { break };
        let all = words::decided(&moment::frame(&names, &simulation, &record));
        let starts = all.into_iter().map(|(_, explanation)| explanation);
        let start = starts.filter(|of| of.about.to_string().starts_with("`next`")).find_map(|of| of.evidence);
        let Some(start) = start else { continue };
        writeln!(told, "{}", start.caption).expect("text");
        let head: Vec<String> = start.head.iter().skip(1).map(ToString::to_string).collect();
        writeln!(told, "{}", head.join(" | ")).expect("text");
        for (name, cells, decides) in start.rows {
            let cells: Vec<String> = cells.into_iter().map(|cell| cell.shown).collect();
            writeln!(told, "{}{name}: {}", if decides { "* " } else { "" }, cells.join(" | ")).expect("text");
        }
        break;
    }
    told
}

#[test]
fn the_table_of_every_policy() {
    let (free, binpacking) = ("weight: 1", "settings: {node-sort: binpacking, node-weights: nvidia.com/gpu 1}\n");
    let of_kai = "quota: 16, limit: unlimited, weight: 1";
    let balanced = "settings: {placement: balanced}\n";
    let all = [
        ("fifo", "", "quota: 16"),
        ("max-min", "", free),
        ("drf", "", free),
        ("yunikorn", "", "quota: 16"),
        ("yunikorn", binpacking, "quota: 16"),
        ("ego", "", free),
        ("ego", balanced, free),
        ("kai", "", of_kai),
        ("runai", "", of_kai),
    ];
    let told: String =
        all.iter().map(|(policy, more, queue)| format!("{policy}\n{}", table(policy, more, queue))).collect();
    assert_eq!(told, TABLES);
}
