//! Projects and departments of Run:ai become a scenario that can be run.

use fairground::import::{Options, import_organisation, is_organisation};
use fairground::scenario;

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

/// An older version: one pool, other names.
const OLD: &str = r#"{"projects": [{"name": "a", "departmentId": 1, "deservedGpus": 2, "maxAllowedGpus": -1, "gpuOverQuotaWeight": 2},
  {"name": "b", "departmentId": 1, "resources": {"gpu": {"deserved": 3, "maxAllowed": 4, "overQuotaWeight": 1}, "cpu": {}, "memory": {}}}]}"#;

fn queues(text: &str) -> Vec<[String; 6]> {
    assert!(is_organisation(text));
    let imported = import_organisation(text, &Options::default());
    let scenario = imported.scenario.unwrap_or_else(|| panic!("{:?}", imported.report));
    let checked = scenario::check(&scenario);
    assert!(checked.plan.is_some(), "{:?}", checked.diagnostics);
    let text = |value: &Option<scenario::Scalar>| value.as_ref().map(|v| v.0.clone()).unwrap_or_default();
    let of = |q: &scenario::QueueEntry| {
        let parent = q.parent.clone().unwrap_or_default();
        [
            q.name.clone(),
            parent,
            text(&q.gpu.quota),
            text(&q.gpu.limit),
            text(&q.gpu.weight),
            text(&q.priority),
        ]
    };
    scenario.queues.iter().map(of).collect()
}

#[test]
fn the_list_of_the_api() {
    let expected = [
        ["research", "", "12", "unlimited", "2", "2"],
        ["nlp", "research", "1.5", "3", "3", "5"],
        ["research/research", "research", "2", "unlimited", "0", ""],
    ];
    assert_eq!(queues(API), expected);
    let report = import_organisation(API, &Options::default()).report;
    assert!(report.ignored.iter().any(|line| line == "1 further node pools of nlp"), "{report:?}");
    assert!(report.assumed.iter().any(|line| line.starts_with("2 nodes of 8 GPUs")), "{report:?}");
}

#[test]
fn the_names_of_older_versions() {
    assert_eq!(queues(OLD), [["a", "", "2", "unlimited", "2", ""], ["b", "", "3", "4", "1", ""]]);
}

#[test]
fn what_is_wrong_is_said() {
    for text in ["{\"projects\": 3, \"deserved\": 1}", "{\"projects\": []}", "{\"projects\"", "[1"] {
        let imported = import_organisation(text, &Options::default());
        assert!(imported.scenario.is_none(), "{text}");
        assert!(!imported.report.diagnostics.is_empty() || !imported.report.ignored.is_empty(), "{text}");
    }
    assert!(!is_organisation("{\"queues\": []}"));
}
