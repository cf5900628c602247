//! Scheduling shards and configurations of KAI: import as settings, and export of settings as shards.

use expect_test::expect;
use fairground::export::kit;
use fairground::import::{FileKind, Imported, Options, Source, import_kubernetes, recognise};
use fairground::scenario::{Plan, Scenario, check, read};
use proptest::prelude::*;

fn imported(text: &str) -> Imported {
    import_kubernetes(&[Source { file: "", text }], &Options::default())
}

fn settings(scenario: &Scenario) -> String {
    let of = |settings: &std::collections::BTreeMap<String, fairground::scenario::Scalar>| {
        settings.iter().map(|(name, value)| format!("{name}: {}\n", value.0)).collect::<String>()
    };
    let pools = scenario.pools.iter().map(|pool| format!("-- {}\n{}", pool.name, of(&pool.settings)));
    let cycle = scenario.cycle.as_ref().map(|cycle| format!("cycle {}\n", cycle.0)).unwrap_or_default();
    of(&scenario.settings) + &cycle + &pools.collect::<String>()
}

const SHARD: &str = "apiVersion: kai.scheduler/v1
kind: SchedulingShard
metadata: {name: default}
spec:
  placementStrategy: {gpu: spread, cpu: binpack}
  kValue: 0.5
  minRuntime: {preemptMinRuntime: 5m, reclaimMinRuntime: 1h30m0s}
  queueDepthPerAction: {allocate: 10, dance: 3}
  args: {schedule-period: 2s, default-staleness-grace-period: '-1s', v: '4'}
  plugins:
    gpuspread: {enabled: false}
    gpupack: {enabled: true}
    elastic: {enabled: false}
    predicates: {priority: 50}
    proportion: {arguments: {relcaimerSaturationMultiplier: '1.5'}}
    minruntime: {arguments: {reclaimResolveMethod: queue, color: red}}
    ours: {priority: 3}
  actions:
    consolidation: {enabled: true}
    preempt: {enabled: false}
    reclaim: {priority: 600}
  usageDBConfig:
    clientType: prometheus
    connectionString: http://secret
    usageParams: {windowSize: 1w, windowType: tumbling, halfLifePeriod: 12h, fetchInterval: 30s, waitTimeout: 1m}
  goMemLimit: 1Gi
";

#[test]
fn a_shard_becomes_settings_and_the_rest_is_named() {
    let Imported { scenario, report } = imported(SHARD);
    let scenario = scenario.expect("settings alone are a scenario");
    let shown = settings(&scenario) + "\n" + &report.ignored.join("\n") + "\n";
    expect![[r#"
        actions: reclaim, allocate, stalegangeviction, consolidation
        cpu-placement: binpack
        gpu-placement: spread
        plugins: proportion, priority, nodeavailability, resourcetype, podaffinity, kubeflow, ray, subgrouporder, taskorder, nominatednode, dynamicresources, minruntime, topology, snapshot, sg-nodelocalgreedy, sg-multinodegang, nodeplacement, predicates, gpupack
        queue-depth-allocate: 10
        reclaim-resolve: queue
        saturation-multiplier: 1.5
        staleness-grace: unlimited
        usage-client: prometheus
        usage-fetch-interval: 30s
        usage-half-life: 12h
        usage-window: 7d
        usage-window-type: tumbling
        version: 0.17
        cycle 2s

        line 9: the argument v of the scheduling shard default
        line 8: the queue depth of dance of the scheduling shard default
        line 16: the argument color of the plugin minruntime of the scheduling shard default
        line 17: the plugin ours of the scheduling shard default
        line 25: waitTimeout of the scheduling shard default
        line 24: the connection to the usage database of the scheduling shard default
        line 26: goMemLimit of the scheduling shard default
    "#]].assert_eq(&shown);
    assert!(report.assumed.iter().any(|line| line.contains("it begins at 0")), "{:?}", report.assumed);
    assert!(report.understood.iter().any(|line| line.contains("the scheduling shard default: ")));
}

/// Arguments in a shard replace those that its fields give.
#[test]
fn reclaim_by_queue_priority_needs_the_newest_version_and_loses_k() {
    let shard = |value: &str, more: &str| {
        format!(
            "apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {{name: default}}\nspec:\n  kValue: 0.5\n  plugins:\n    \
             proportion: {{arguments: {{queuePriorityInQuotaReclaim: '{value}'{more}}}}}\n"
        )
    };
    let Imported { scenario, report } = imported(&shard("True", ""));
    let found = settings(&scenario.expect("settings"));
    assert_eq!(found, "queue-priority-in-quota-reclaim: true\nversion: 0.17\n");
    let lost =
        "line 7: the arguments of proportion replace the kValue 0.5 of the scheduling shard default, so that k is 1";
    assert!(report.assumed.iter().any(|line| line == lost), "{:?}", report.assumed);
    let Imported { scenario, report } = imported(&shard("true", ", kValue: '0.5'"));
    assert!(settings(&scenario.expect("settings")).starts_with("k-value: 0.5\nqueue-priority-in"));
    assert!(!report.assumed.iter().any(|line| line.contains("so that k is 1")), "{:?}", report.assumed);
    let Imported { scenario, report } = imported(&shard("yes", ""));
    assert_eq!(settings(&scenario.expect("settings")), "version: 0.17\n");
    assert!(report.ignored[0].contains("no boolean"), "{:?}", report.ignored);
}

/// The search for jobs to evict consists of plugins since v0.16, so their names tell the version.
#[test]
fn plugins_of_the_search_set_the_version() {
    let all = "predicates, proportion, sg-multinodegang";
    let tiers: String = all.split(", ").map(|name| format!("  - name: {name}\n")).collect();
    let Imported { scenario, report } = imported(&format!("actions: allocate, reclaim\ntiers:\n- plugins:\n{tiers}"));
    let scenario = scenario.unwrap_or_else(|| panic!("{report:?}"));
    assert_eq!(settings(&scenario), format!("actions: allocate, reclaim\nplugins: {all}\nversion: 0.17\n"));
    let shard = SHARD.replace("    ours: {priority: 3}\n", "    sg-multinodegang: {enabled: false}\n");
    let found = settings(&imported(&shard).scenario.expect("settings"));
    assert!(found.contains("snapshot, sg-nodelocalgreedy, nodeplacement"), "{found}");
    assert!(!found.contains("sg-multinodegang"), "{found}");
}

const CONFIGURATION: &str = "actions: allocate, reclaim, preempt, stalegangeviction
tiers:
- plugins:
  - name: predicates
  - name: proportion
    arguments: {kValue: '2'}
  - name: nodeplacement
    arguments: {cpu: spread, gpu: binpack}
  - name: ours
queueDepthPerAction: {reclaim: 7}
";

#[test]
fn a_configuration_is_read_alone_in_a_map_and_in_a_snapshot() {
    assert_eq!(recognise(CONFIGURATION.as_bytes(), "config.yaml"), FileKind::Kubernetes);
    let indented: String = CONFIGURATION.lines().map(|line| format!("    {line}\n")).collect();
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kai-scheduler-default}}\ndata:\n  config.yaml: |\n{indented}"
    );
    let json = "{\"config\": {\"actions\": \"allocate, reclaim, preempt, stalegangeviction\", \"tiers\": [{\"plugins\": [{\"name\": \"predicates\"}, \
                {\"name\": \"proportion\", \"arguments\": {\"kValue\": \"2\"}}, {\"name\": \"nodeplacement\", \"arguments\": {\"cpu\": \"spread\", \
                \"gpu\": \"binpack\"}}, {\"name\": \"ours\"}]}], \"queueDepthPerAction\": {\"reclaim\": 7}}, \"rawObjects\": {}}";
    for text in [CONFIGURATION, &map, json] {
        let Imported { scenario, report } = imported(text);
        let scenario = scenario.unwrap_or_else(|| panic!("{report:?}"));
        // Spread removes consolidation from the actions, so the list is not set explicitly. Without a plugin that
        // searches for jobs to evict it is a configuration of an old version.
        assert_eq!(
            settings(&scenario),
            "cpu-placement: spread\ngpu-placement: binpack\nk-value: 2\nplugins: predicates, proportion, nodeplacement\nqueue-depth-reclaim: 7\nversion: 0.13\n",
            "{text}"
        );
        assert!(report.ignored.iter().any(|line| line.contains("the plugin ours")), "{:?}", report.ignored);
    }
    let broken = map.replace("tiers:", "tiers: [");
    let Imported { scenario, report } = imported(&broken.replace("tiers: [", "tiers:\n      [: "));
    assert!(scenario.is_none() && !report.diagnostics.is_empty(), "{report:?}");
}

fn plan(scenario: &Scenario) -> Plan {
    let checked = check(scenario);
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// One line of settings, some of them omitted.
fn drawn() -> impl Strategy<Value = String> {
    let one_of = |name: &'static str, values: &'static [&'static str]| {
        prop::option::weighted(0.4, prop::sample::select(values)).prop_map(move |value| match value {
            Some(value) => format!("{name}: '{value}', "),
            None => String::new(),
        })
    };
    let lists = (
        prop::option::weighted(0.3, prop::sample::subsequence(ACTIONS.to_vec(), 1..=5).prop_shuffle()),
        prop::option::weighted(0.3, prop::sample::subsequence(PLUGINS.to_vec(), 1..=22).prop_shuffle()),
    );
    let lists = lists.prop_map(|(actions, plugins)| {
        let list = |name: &str, list: Option<Vec<&str>>| match list {
            Some(list) => format!("{name}: '{}', ", list.join(", ")),
            None => String::new(),
        };
        list("actions", actions) + &list("plugins", plugins)
    });
    let usage = prop::option::weighted(
        0.5,
        (
            one_of("usage-window", &["1h", "7d"]),
            one_of("usage-window-type", &["sliding", "tumbling"]),
            one_of("usage-half-life", &["off", "30m"]),
            one_of("usage-fetch-interval", &["10s", "2m"]),
            prop::sample::select(vec!["prometheus", "fake-with-history"]),
        ),
    );
    let usage = usage.prop_map(|usage| match usage {
        Some((window, of, half_life, fetch, client)) => {
            format!("{window}{of}{half_life}{fetch}usage-client: {client}, ")
        }
        None => String::new(),
    });
    let numbers = (
        one_of("k-value", &["0", "0.5", "1", "2.25"]),
        one_of("saturation-multiplier", &["1", "1.2"]),
        one_of("max-consolidation-preemptees", &["0", "3", "unlimited"]),
        one_of("staleness-grace", &["5m", "0", "unlimited"]),
        one_of("default-preempt-min-runtime", &["90s", "0"]),
        one_of("default-reclaim-min-runtime", &["1h", "1500ms"]),
        one_of("reclaim-resolve", &["lca", "queue"]),
        one_of("queue-depth-allocate", &["4", "unlimited"]),
        one_of("queue-depth-preempt", &["1"]),
    );
    let switches = (
        one_of("gpu-placement", &["binpack", "spread"]),
        one_of("cpu-placement", &["binpack", "spread"]),
        one_of("full-hierarchy-fairness", &["true", "false"]),
        one_of("consolidating-reclaim", &["true", "false"]),
        one_of("scheduling-signatures", &["true", "false"]),
        one_of("restrict-node-scheduling", &["true", "false"]),
        prop::option::weighted(0.3, Just("queue-priority-in-quota-reclaim: true, ".to_string())),
    );
    (numbers, switches, lists, usage).prop_map(|(n, s, lists, usage)| {
        let (a, b, c, d, e, f, g, h, i) = n;
        let (j, k, l, m, o, p, q) = s;
        [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q.unwrap_or_default(), lists, usage].concat()
    })
}

const ACTIONS: [&str; 5] = ["allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"];
const PLUGINS: [&str; 22] = [
    "predicates",
    "proportion",
    "priority",
    "elastic",
    "kubeflow",
    "ray",
    "nodeavailability",
    "gpusharingorder",
    "gpupack",
    "gpuspread",
    "podaffinity",
    "resourcetype",
    "subgrouporder",
    "taskorder",
    "nominatednode",
    "dynamicresources",
    "nodeplacement",
    "minruntime",
    "topology",
    "snapshot",
    "sg-nodelocalgreedy",
    "sg-multinodegang",
];

fn text_has_usage(settings: &str) -> bool {
    settings.contains("usage-client")
}

const REST: &str = "nodes: [{name: n, gpu: 1}, {name: m, gpu: 1, pool: fast}]
queues: [{name: q, gpu: {quota: 1, limit: unlimited}}]
";

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// The scheduler of a kit uses the settings of the scenario, in each pool. No shard names its version, so it is the
    /// newest.
    #[test]
    fn settings_round_trip_through_the_shards_of_a_kit(all in drawn(), fast in drawn(), has_pools in any::<bool>()) {
        let pools = if has_pools {
            format!("pools: [{{name: default}}, {{name: fast, settings: {{{fast}}}}}]\n{REST}")
        } else {
            REST.replace(", {name: m, gpu: 1, pool: fast}", "")
        };
        // A run that measures usage every second would take long.
        let cycle = if text_has_usage(&all) || text_has_usage(&fast) { "on events" } else { "2s" };
        let text = format!("format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: {cycle}\nsettings: {{version: '0.17', {all}}}\n{pools}");
        let found = read(&text);
        prop_assert!(found.is_clean(), "{text}\n{:?}", found.diagnostics);
        let before = found.scenario.expect("a scenario");
        let before_plan = plan(&before);
        let files = kit(&before).expect("a kit").files;
        let shards = &files.iter().find(|file| file.name == "6-shards.yaml").expect("shards").text;
        let imported = imported(shards);
        let again = imported.scenario.unwrap_or_else(|| panic!("{:?}\n{shards}", imported.report.diagnostics));
        prop_assert_eq!(imported.report.ignored, Vec::<String>::new(), "{}", shards);
        // The rest of the scenario is in other files.
        let again = Scenario {
            nodes: before.nodes.clone(),
            queues: before.queues.clone(),
            ..again
        };
        let after = plan(&again);
        prop_assert_eq!(&after.policy, &before_plan.policy, "{}\n{}", text, shards);
        if cycle == "2s" {
            prop_assert_eq!(after.rhythm, before_plan.rhythm);
        }
        let policies = |plan: &Plan| plan.further.iter().map(|(policy, _)| policy.clone()).collect::<Vec<_>>();
        prop_assert_eq!(policies(&after), policies(&before_plan), "{}\n{}", text, shards);
    }
}
