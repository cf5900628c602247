//! Scenario generators for property tests: arbitrary and plausible ones.
#![allow(dead_code)]

pub mod why;

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::scenario::{
    CapacityEntry, DelaysEntry, JobEntry, NodeEntry, PodSetEntry, PoolEntry, QueueEntry, QueuePoolEntry, ResourceEntry,
    Scalar, Scenario, TimelineEntry,
};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::string::string_regex;

/// Any text, often one that YAML treats specially.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => string_regex("[a-z]{1,6}(-[0-9]{1,2})?").expect("the pattern is right"),
        2 => any::<String>(),
        2 => proptest::sample::select(vec![
            "", " ", "null", "~", "Null", "true", "no", "6214e9", "103959", "1.5", ".5", "-1", "- a", "-", "--- a", "...",
            "a: b", "a -", "a - b", "a #b", "#", "*a", "&a", "!a", "<<", "a,b", "{}", "[]", "\"", "'", "a\nb", "\n", "a\n", " a\nb",
            "a\n\nb", "a\n \nb", "\t", "a\tb", "\r\n", "\u{85}", "\u{2028}", "\u{feff}a", "\0", "|", ">", "%", "@", "`", "?", "? a",
            "<script>alert(1)</script>", "é", "名前", "=", "0x1F", "1_000", "+1", ".inf", "y", "12:30", "/", "a/b(c)", "\u{7f}",
        ]).prop_map(str::to_string),
    ]
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        3 => string_regex("-?[0-9]{1,4}(\\.[0-9]{1,3})?(m|Gi|s| GB)?").expect("the pattern is right"),
        1 => Just("unlimited".to_string()),
        1 => Just("true".to_string()),
        1 => text(),
    ]
    .prop_map(Scalar)
}

fn value() -> impl Strategy<Value = Option<Scalar>> {
    of(scalar())
}

fn resource() -> impl Strategy<Value = ResourceEntry> {
    (value(), value(), value(), value()).prop_map(|(quota, limit, weight, usage)| ResourceEntry {
        quota,
        limit,
        weight,
        usage,
    })
}

/// Usually one of three, so that names coincide.
fn pool() -> impl Strategy<Value = String> {
    prop_oneof![3 => string_regex("pool-[a-c]").expect("the pattern is right"), 1 => text()]
}

fn pool_entry() -> impl Strategy<Value = PoolEntry> {
    (pool(), btree_map(text(), scalar(), 0..2), value(), text()).prop_map(|(name, settings, cycle, note)| PoolEntry {
        name,
        settings,
        cycle,
        note,
    })
}

fn queue_pool() -> impl Strategy<Value = QueuePoolEntry> {
    (pool(), value(), (resource(), resource(), resource()), value(), value()).prop_map(
        |(name, priority, (gpu, cpu, memory), preempt_min_runtime, reclaim_min_runtime)| QueuePoolEntry {
            name,
            priority,
            gpu,
            cpu,
            memory,
            preempt_min_runtime,
            reclaim_min_runtime,
        },
    )
}

fn node() -> impl Strategy<Value = NodeEntry> {
    let named = btree_map(text(), scalar(), 0..2);
    let labels = (btree_map(text(), text(), 0..3), vec(text(), 0..2), of(pool()), text(), named);
    (text(), value(), value(), value(), value(), value(), value(), labels, value()).prop_map(
        |(name, count, gpu, cpu, memory, pods, gpu_memory, (labels, taints, pool, note, named), state)| NodeEntry {
            resources: named,
            pool,
            note,
            taints,
            name,
            count,
            gpu,
            cpu,
            memory,
            pods,
            gpu_memory,
            labels,
            state,
        },
    )
}

fn queue() -> impl Strategy<Value = QueueEntry> {
    let parts = (resource(), resource(), resource());
    let pools = (vec(queue_pool(), 0..2), vec(pool(), 0..2));
    (text(), of(text()), value(), value(), parts, value(), value(), (text(), pools)).prop_map(
        |(name, parent, priority, created, (gpu, cpu, memory), preempt, reclaim, (note, pools))| QueueEntry {
            pools: pools.0,
            default_pools: pools.1,
            name,
            parent,
            priority,
            created,
            gpu,
            cpu,
            memory,
            preempt_min_runtime: preempt,
            reclaim_min_runtime: reclaim,
            display_name: note.chars().rev().collect(),
            note,
        },
    )
}

fn pod_set() -> impl Strategy<Value = PodSetEntry> {
    let named = btree_map(text(), scalar(), 0..2);
    let rules =
        (text(), btree_map(text(), text(), 0..2), value(), value(), of(text()), named, vec(text(), 0..2), value());
    (text(), value(), value(), value(), value(), value(), value(), rules).prop_map(
        |(name, pods, min_available, gpu, gpu_memory, cpu, memory, rules)| PodSetEntry {
            after: rules.7,
            group: rules.0,
            labels: rules.1,
            gated: rules.2,
            gpu_devices: rules.3,
            nominated_node: rules.4,
            resources: rules.5,
            affinity: rules.6,
            name,
            pods,
            min_available,
            gpu,
            gpu_memory,
            cpu,
            memory,
        },
    )
}

fn members() -> impl Strategy<Value = (Option<Scalar>, BTreeMap<String, Scalar>)> {
    (value(), btree_map(text(), scalar(), 0..2))
}

fn job() -> impl Strategy<Value = JobEntry> {
    let times = (value(), value(), value(), value(), value());
    let ask = (value(), value(), value(), value(), value(), value(), value(), value(), members());
    let lists = (btree_map(text(), text(), 0..2), vec(pod_set(), 0..3), vec(text(), 0..3), vec(pool(), 0..3));
    let rules = (
        vec(text(), 0..2),
        vec(text(), 0..2),
        btree_map(text(), text(), 0..2),
        value(),
        value(),
        value(),
        value(),
        value(),
        (of(text()), btree_map(text(), scalar(), 0..2), value(), value(), value()),
        vec(text(), 0..2),
    );
    let own = (value(), of(text()), value(), value(), of(text()), vec(text(), 0..2), of(text()), vec(text(), 0..2));
    (text(), text(), times, value(), value(), of(text()), ask, lists, (text(), own), rules).prop_map(
        |(name, queue, times, priority, preemptible, user, ask, lists, (note, own), rules)| JobEntry {
            created: own.0,
            application: own.1,
            originator: own.2,
            preempts: own.3,
            required_node: own.4,
            terminating: own.5,
            evicted_for: own.6,
            groups: own.7,
            tolerations: rules.0,
            affinity: rules.1,
            labels: rules.2,
            gated: rules.3,
            gpu_devices: rules.4,
            gang: rules.5,
            placeholder_timeout: rules.6,
            scheduling_backoff: rules.7,
            nominated_node: rules.8.0,
            resources: rules.8.1,
            seed: rules.8.2,
            repeat: rules.8.3,
            restart: rules.8.4,
            on_devices: rules.9,
            name,
            queue,
            count: times.0,
            every: times.1,
            submit: times.2,
            lasts: times.3,
            started: times.4,
            priority,
            preemptible,
            user,
            pods: ask.0,
            min_available: ask.1,
            gpu: ask.2,
            gpu_memory: ask.3,
            cpu: ask.4,
            memory: ask.5,
            preemption_delay: ask.6,
            staleness_grace: ask.7,
            min_subgroups: ask.8.0,
            min_subgroups_of: ask.8.1,
            selector: lists.0,
            pod_sets: lists.1,
            on: lists.2,
            pools: lists.3,
            note,
        },
    )
}

fn entry() -> impl Strategy<Value = TimelineEntry> {
    let parts = (resource(), resource(), resource());
    let capacity = (value(), value(), value(), value(), btree_map(text(), scalar(), 0..2));
    let capacity =
        capacity.prop_map(|(gpu, cpu, memory, pods, resources)| CapacityEntry { gpu, cpu, memory, pods, resources });
    let settings = (btree_map(text(), scalar(), 0..2), vec(text(), 0..2));
    let more = (text(), of(pool()), capacity, settings);
    (scalar(), of(text()), value(), parts, of(text()), value(), of(text()), more).prop_map(
        |(at, queue, priority, (gpu, cpu, memory), node, state, job, (note, pool, capacity, settings))| TimelineEntry {
            settings: settings.0,
            unset: settings.1,
            pool,
            capacity,
            at,
            queue,
            priority,
            gpu,
            cpu,
            memory,
            node,
            state,
            job,
            note,
        },
    )
}

/// An arbitrary scenario.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    let head = (text(), text(), text(), text());
    let settings = btree_map(text(), scalar(), 0..3);
    let sections =
        (vec(node(), 0..3), vec(queue(), 0..3), vec(job(), 0..4), vec(entry(), 0..3), vec(pool_entry(), 0..3));
    (head, settings, value(), (value(), value()), sections).prop_map(
        |((name, note, dialect, policy), settings, cycle, (start, termination), sections)| Scenario {
            name,
            note,
            dialect,
            policy,
            settings,
            cycle,
            delays: DelaysEntry { start, termination },
            nodes: Arc::new(sections.0),
            queues: Arc::new(sections.1),
            jobs: Arc::new(sections.2),
            timeline: Arc::new(sections.3),
            pools: Arc::new(sections.4),
        },
    )
}

/// A plausible scenario of the given size, reproducible.
pub fn plausible(n_queues: usize, n_nodes: usize, n_jobs: usize) -> Scenario {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let v = |text: String| Some(Scalar(text));
    let open = ResourceEntry {
        quota: v("unlimited".into()),
        limit: v("unlimited".into()),
        weight: v("1".into()),
        usage: None,
    };
    let mut queues: Vec<QueueEntry> = Vec::new();
    let n_top = (n_queues / 8).max(1).min(n_queues);
    for i in 0..n_queues {
        let is_top = i < n_top && n_queues > 3;
        queues.push(QueueEntry {
            name: if is_top { format!("dept-{i}") } else { format!("team-{i}") },
            parent: (!is_top && n_queues > 3).then(|| format!("dept-{}", i % n_top)),
            gpu: ResourceEntry {
                quota: v((1 + random(8)).to_string()),
                limit: v("unlimited".into()),
                weight: v((1 + random(3)).to_string()),
                usage: None,
            },
            cpu: open.clone(),
            memory: open.clone(),
            ..QueueEntry::default()
        });
    }
    let leaves: Vec<String> =
        queues.iter().filter(|q| q.parent.is_some() || n_queues <= 3).map(|q| q.name.clone()).collect();
    let nodes = vec![NodeEntry {
        name: "node".into(),
        count: v(n_nodes.to_string()),
        gpu: v("8".into()),
        ..NodeEntry::default()
    }];
    let jobs: Vec<JobEntry> = (0..n_jobs)
        .map(|i| JobEntry {
            name: format!("job-{i}"),
            queue: leaves[random(leaves.len())].clone(),
            submit: v(random(3600).to_string()),
            lasts: v((60 + random(3600)).to_string()),
            gpu: v([1, 1, 1, 2, 4, 8][random(6)].to_string()),
            priority: (random(4) == 0).then(|| Scalar("build".into())),
            ..JobEntry::default()
        })
        .collect();
    Scenario {
        name: "A plausible scenario".into(),
        policy: "kai".into(),
        nodes: Arc::new(nodes),
        queues: Arc::new(queues),
        jobs: Arc::new(jobs),
        ..Scenario::default()
    }
}
