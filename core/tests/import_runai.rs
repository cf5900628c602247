//! Projects and departments of Run:ai become a scenario that runs.

use fairground::import::{FileKind, Options, import_organisation, recognise};
use fairground::scenario;
use fairground::units::{Amount, Bound};

const API: &str = r#"{
  "departments": [{"id": "7", "name": "research", "resources": [
    {"nodePool": {"id": "1", "name": "default"}, "gpu": {"deserved": 12, "limit": null, "overQuotaWeight": 2}, "rank": "MediumLow"}]}],
  "projects": [
    {"id": "20", "name": "nlp", "parent": {"id": "7", "name": "research", "type": "department"}, "resources": [
      {"nodePool": {"id": "2", "name": "a100"}, "gpu": {"deserved": 40, "limit": 40}},
      {"nodePool": {"id": "1", "name": "default"}, "gpu": {"deserved": 1.5, "limit": 3, "overQuotaWeight": 3}, "rank": "High"}]},
    {"id": "21", "name": "research", "parentId": "7", "resources": [
      {"nodePool": {"name": "default"}, "gpu": {"deserved": 2, "limit": -1, "overQuotaWeight": 0}, "cpu": {"deserved": 4}}]}
  ]
}"#;

/// Response of an older version: one pool, other field names.
const OLD: &str = r#"{"projects": [{"name": "a", "departmentId": 1, "deservedGpus": 2, "maxAllowedGpus": -1, "gpuOverQuotaWeight": 2},
  {"name": "b", "departmentId": 1, "resources": {"gpu": {"deserved": 3, "maxAllowed": 4, "overQuotaWeight": 1}, "cpu": {}, "memory": {}}}]}"#;

fn queues(text: &str) -> Vec<[String; 6]> {
    assert_eq!(recognise(text.as_bytes(), ""), FileKind::Organisation);
    let imported = import_organisation(&[text], &Options::default());
    let scenario = imported.scenario.unwrap_or_else(|| panic!("{:?}", imported.report));
    let checked = scenario::check(&scenario);
    assert!(checked.plan.is_some(), "{:?}", checked.diagnostics);
    let text = |value: &Option<scenario::Scalar>| value.as_ref().map(|v| v.0.clone()).unwrap_or_default();
    let of = |q: &scenario::QueueEntry| {
        let parent = q.parent.clone().unwrap_or_default();
        [q.name.clone(), parent, text(&q.gpu.quota), text(&q.gpu.limit), text(&q.gpu.weight), text(&q.priority)]
    };
    scenario.queues.iter().map(of).collect()
}

#[test]
fn the_response_of_the_api_is_imported() {
    let expected = [
        ["research", "", "12", "unlimited", "2", "2"],
        ["nlp", "research", "1.5", "3", "3", "5"],
        ["research/research", "research", "2", "unlimited", "0", "2"],
    ];
    assert_eq!(queues(API), expected);
    let report = import_organisation(&[API], &Options::default()).report;
    assert!(report.understood.iter().any(|line| line == "the node pools default, a100"), "{report:?}");
    assert!(report.assumed.iter().any(|line| line.starts_with("7 nodes of 8 GPUs")), "{report:?}");
}

/// CPU is in millicores, memory in MiB; where a pool has no values they are unlimited, regardless of the first pool.
#[test]
fn quotas_of_cpu_and_memory() {
    let text = r#"{"projects": [{"name": "a", "resources": [
      {"nodePool": {"name": "default"}, "gpu": {"deserved": 2}, "cpu": {"deserved": 16000, "limit": null, "overQuotaWeight": 1},
       "memory": {"deserved": 65536, "limit": -1}},
      {"nodePool": {"name": "a100"}, "gpu": {"deserved": 1}}]}]}"#;
    let scenario = import_organisation(&[text], &Options::default()).scenario.expect("is one");
    let plan = scenario::check(&scenario).plan.expect("can run");
    let cluster = fairground::sim::Simulation::new(&plan).cluster().clone();
    let of = |pool: usize| {
        let pool = cluster.partitions.ids().nth(pool).expect("two pools");
        let queue = cluster.queues_in(pool).values().next().expect("a queue");
        [queue.resources.cpu, queue.resources.memory].map(|r| (r.quota, r.limit))
    };
    let at = |n: i64| Bound::At(Amount::base_units(n));
    assert_eq!(of(0), [(at(16_000), Bound::Unset), (at(64 << 30), Bound::Unlimited)]);
    assert_eq!(of(1), [(Bound::Unlimited, Bound::Unset), (Bound::Unlimited, Bound::Unlimited)]);
}

/// Quotas are per project and pool; in an unlisted pool the quota is 0 and over-quota is allowed.
#[test]
fn every_pool_of_a_project() {
    let scenario = import_organisation(&[API], &Options::default()).scenario.expect("is one");
    let nodes: Vec<_> = scenario.nodes.iter().map(|n| (n.pool.clone(), n.count.clone())).collect();
    let count = |n: &str| Some(scenario::Scalar(n.into()));
    assert_eq!(nodes, [(Some("default".into()), count("2")), (Some("a100".into()), count("5"))]);
    let plan = scenario::check(&scenario).plan.expect("is one");
    let a100 = plan.cluster.partitions.ids().nth(1).expect("two pools");
    let gpus =
        |queue: &fairground::cluster::Queue| (queue.priority, queue.resources.gpu.quota, queue.resources.gpu.limit);
    let at = |n: i64| Bound::At(Amount::gpus(n));
    let found: Vec<_> = plan.cluster.queues_in(a100).values().map(gpus).collect();
    // If one project has a rank, the others have the API's default.
    assert_eq!(
        found,
        [(Some(2), at(0), Bound::Unlimited), (Some(2), at(40), at(40)), (Some(2), at(0), Bound::Unlimited)]
    );
    let given = Options { nodes: Some((10, 4)), ..Options::default() };
    let nodes = import_organisation(&[API], &given).scenario.expect("is one").nodes.clone();
    let counts: Vec<&str> = nodes.iter().filter_map(|n| n.count.as_ref()).map(|n| n.0.as_str()).collect();
    assert_eq!(counts, ["3", "7"]);
}

#[test]
fn field_names_of_older_versions_are_read() {
    assert_eq!(queues(OLD), [["a", "", "2", "unlimited", "2", ""], ["b", "", "3", "4", "1", ""]]);
}

#[test]
fn errors_are_reported() {
    for text in ["{\"projects\": 3, \"deserved\": 1}", "{\"projects\": []}", "{\"projects\"", "[1"] {
        let imported = import_organisation(&[text], &Options::default());
        assert!(imported.scenario.is_none(), "{text}");
        assert!(!imported.report.diagnostics.is_empty() || !imported.report.ignored.is_empty(), "{text}");
    }
    assert_eq!(recognise(b"{\"queues\": []}", ""), FileKind::Unknown);
    let imported =
        import_organisation(&[&API.replace("\"deserved\": 12", "\"deserved\": \"many\"")], &Options::default());
    let messages: Vec<_> = imported.report.diagnostics.iter().map(|d| (d.position, d.says.as_str())).collect();
    assert_eq!(messages, [(Some((3, 70)), "departments[0].resources[0].gpu.deserved: this is not a number")]);
}

/// API response for projects: departments are named, not listed.
const PROJECTS: &str = r#"{"projects": [
  {"name": "a", "parent": {"id": "7", "name": "research"}, "resources": [{"nodePool": {"name": "default"}, "gpu": {"deserved": 3}}]},
  {"name": "b", "parent": {"id": "7", "name": "research"}, "resources": [{"nodePool": {"name": "default"}, "gpu": {"deserved": 1.5}}]}]}"#;

#[test]
fn an_unlisted_department_gets_the_quotas_of_its_projects() {
    let expected = [
        ["research", "", "4.5", "unlimited", "", ""],
        ["a", "research", "3", "unlimited", "", ""],
        ["b", "research", "1.5", "unlimited", "", ""],
    ];
    assert_eq!(queues(PROJECTS), expected);
    let departments =
        API.split("\"projects\"").next().expect("a part").trim_end().trim_end_matches(',').to_string() + "}";
    let imported = import_organisation(&[PROJECTS, &departments], &Options::default());
    let scenario = imported.scenario.expect("two lists are one organisation");
    let quotas: Vec<_> = scenario.queues.iter().map(|q| (q.name.as_str(), q.gpu.quota.clone().map(|v| v.0))).collect();
    assert_eq!(quotas[0], ("research", Some("12".into())));
    assert_eq!(quotas.len(), 3);
    assert!(!imported.report.assumed.iter().any(|line| line.contains("not listed")));
}

#[test]
fn truncated_texts_do_not_panic() {
    for text in [API, OLD, PROJECTS] {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let imported = import_organisation(&[&text[..end]], &Options::default());
            assert!(imported.scenario.is_none(), "{end}");
            assert!(!imported.report.diagnostics.is_empty() || !imported.report.ignored.is_empty(), "{end}");
        }
    }
}

#[test]
fn a_bare_list_has_projects() {
    let alone = r#"[{"name": "a", "departmentName": "d", "deservedGpus": 2},
      {"name": "b", "departmentName": "d", "resources": [{"nodePool": {"name": "default"}, "gpu": {"deserved": 3}}]}]"#;
    assert_eq!(queues(alone), queues(&format!("{{\"projects\": {alone}}}")));
    let imported = import_organisation(&[alone], &Options::default());
    assert!(imported.report.assumed.contains(&"the list is one of projects".to_string()), "{:?}", imported.report);
}
