//! Placements of YuniKorn's core: 10,000 equal asks of two applications on 500 to 5,000 nodes.
//!
//! The target is 200,000 placements per second, independent of the number of nodes. The real core reached about 4,500
//! per second on the same machine; it does more per placement (locks, events, a queue of messages to the resource
//! manager).

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fairground::policy::yunikorn::amounts::Amounts;
use fairground::policy::yunikorn::apps::NewApp;
use fairground::policy::yunikorn::config::File;
use fairground::policy::yunikorn::model::{Ask, Core, Settings};

const ASKS: usize = 10_000;

fn amounts(vcore: i64) -> Amounts {
    let mut amounts = Amounts::EMPTY;
    amounts.set(0, vcore);
    amounts
}

fn core(n_nodes: usize) -> Core {
    let text = r#"{"partitions": [{"queues": [{"name": "root", "submitacl": "*", "queues": [{"name": "a"}, {"name": "b"}]}]}]}"#;
    let file: File = serde_json::from_str(text).expect("it can be read");
    let settings = Settings { reservation_delay: 2000, ideal_predicates: true };
    let mut core = Core::new(&file.partitions[0], vec!["vcore".to_owned()], settings);
    for node in 0..n_nodes {
        // Capacity for twice the request.
        let room = 2 * ASKS.div_ceil(n_nodes) as i64;
        core.add_node(&format!("node-{node:05}"), &amounts(room * 1000));
    }
    for queue in ["a", "b"] {
        let new = NewApp { id: format!("app-{queue}"), queue: format!("root.{queue}"), ..NewApp::default() };
        assert!(core.add_app(new));
        let app = core.find_app(&format!("app-{queue}")).expect("it was added");
        for ask in 0..ASKS / 2 {
            core.add_ask(Ask::new(&format!("{queue}-{ask:05}"), app, amounts(1000), 0), None);
        }
    }
    core
}

fn placements(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("yunikorn, 10,000 placements");
    group.throughput(Throughput::Elements(ASKS as u64)).sample_size(10);
    for n_nodes in [500, 1000, 2000, 5000] {
        let core = core(n_nodes);
        group.bench_function(BenchmarkId::from_parameter(format!("{n_nodes} nodes")), |bencher| {
            let run = |mut core: Core| {
                let mut n = 0;
                while core.cycle().is_some() {
                    n += 1;
                }
                assert_eq!(black_box(n), ASKS);
                core
            };
            bencher.iter_batched(|| core.clone(), run, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, placements);
criterion_main!(benches);
