//! Hostile input: every reader answers in bounded time and length, without panics.

use std::sync::Arc;
use std::time::Duration;

use fairground::import::{Imported, Options, import, import_organisation, import_plan, import_queues_yaml, recognise};
use fairground::link;
use fairground::scenario::{Diagnostic, NodeEntry, QUEUES_MAX, QueueEntry, Scenario, check, codes, read, to_yaml};
use proptest::prelude::*;

/// Maximum number of findings, or of lines in a section of a report.
const LISTED: usize = 300;

const SCENARIO: &str = "format: fairground-scenario
version: 1
nodes: [{name: n, count: 2, gpu: 8, gpu-memory: 80Gi}]
queues:
  - {name: top, gpu: {quota: 8, limit: unlimited, weight: 1}}
  - {name: a, parent: top, gpu: {quota: 4, limit: unlimited, weight: 1}}
jobs: [{name: j, queue: a, count: 3, every: 60s..10s, gpu: 0.5, lasts: 5m}]
timeline: [{at: 1m, node: n-1, state: down}]
";
const PLAN: &str = r#"<DistributionTree DistributionTreeName="p"><PolicyParameter name="DefaultGracePeriod">300</PolicyParameter>
<Consumer ConsumerName="a"><DistributionPolicies><Rank>2</Rank><Sharing priority="3"><Shares type="ratio">3</Shares>
<Limit><ncpus type="absolute">4</ncpus></Limit></Sharing></DistributionPolicies><OwnershipPolicy><ResourceGroup>
<HostSelection><NumHosts>2</NumHosts></HostSelection></ResourceGroup></OwnershipPolicy><Consumer ConsumerName="b"/></Consumer>
</DistributionTree>"#;
const ORGANISATION: &str = r#"{"departments": [{"id": "1", "name": "d", "resources": [{"nodePool": {"name": "default"},
"gpu": {"deserved": 4, "limit": -1, "overQuotaWeight": 2}, "rank": "High"}]}], "projects": [{"name": "a", "departmentId": "1",
"resources": [{"nodePool": {"name": "x"}, "gpu": {"deserved": 2}, "cpu": {"deserved": 1000}}]}, {"name": "b", "parent": {"id": "1"},
"deservedGpus": 2}]}"#;
const QUEUES_YAML: &str = "partitions:
  - name: default
    preemption: {enabled: true}
    queues:
      - name: root
        submitacl: '*'
        queues:
          - {name: a, resources: {guaranteed: {nvidia.com/gpu: 4, memory: 10G}, max: {vcore: 10}}}
          - {name: b, parent: true, maxapplications: 4, limits: [{users: [x], maxapplications: 2}]}
";
const TRACE: &str = "id,submit_s,duration_s,gpus,vc,cpu,memory\n1,0,10,4,a,2,8Gi\n\"2\",1,5,8,b,,\n3,0:02,5m,16,a,1,\n";

fn samples() -> Vec<String> {
    let mut all: Vec<String> = [SCENARIO, PLAN, ORGANISATION, QUEUES_YAML, TRACE].map(String::from).into();
    all.push(link::encode(&read(SCENARIO).scenario.expect("a scenario")));
    all
}

/// A check lists up to a hundred findings of each kind and counts the rest.
fn assert_bounded(found: &[Diagnostic]) {
    for about in codes::ALL {
        let n = found.iter().filter(|d| d.code == about.code).count();
        assert!(n <= LISTED, "{n} findings of {}", about.code.0);
    }
}

/// An import either yields a scenario that can be checked and written, or a reason.
fn answered(imported: &Imported) {
    let r = &imported.report;
    assert_bounded(&r.diagnostics);
    match &imported.scenario {
        Some(scenario) => {
            check(scenario);
            to_yaml(scenario);
        }
        None => assert!(!r.diagnostics.is_empty() || !r.ignored.is_empty(), "refused without a word"),
    }
}

/// Passes a text to every reader.
fn read_by_all(text: &str) {
    recognise(text.as_bytes(), "x.yaml");
    let options = Options::default();
    let as_scenario = read(text);
    assert!(as_scenario.scenario.is_some() || !as_scenario.diagnostics.is_empty());
    if let Some(scenario) = as_scenario.scenario {
        assert_bounded(&check(&scenario).diagnostics);
    }
    answered(&import_plan(text, &options));
    answered(&import_queues_yaml(text, &options));
    answered(&import(text.as_bytes(), None, &options));
    answered(&import(TRACE.as_bytes(), Some(text.as_bytes()), &options));
    for imported in [import_organisation(&[text], &options), import_organisation(&[ORGANISATION, text], &options)] {
        answered(&imported);
        let r = &imported.report;
        assert!([&r.understood, &r.assumed, &r.ignored].iter().all(|lines| lines.len() <= LISTED));
    }
    if let Ok(scenario) = link::decode(text) {
        assert_bounded(&check(&scenario).diagnostics);
    }
}

/// Fragments that broke readers before, one per line.
const TOKENS: &str = r#"-
-1
0
1e308
-1e308
1e999
NaN
inf
9223372036854775808
18446744073709551616
0.0001
1Ti
80
unlimited
null
~
[
]
{
}
[]
{}
,
,,
:
"
'
<
>
</
/>
<!--
&lt;
&
*a
&a
!!
---
a
b
top
default
root
é=
#
|
%
\u0000
2024-02-30T25:61:61Z
1..2
5 every 1d
="#;

fn token() -> impl Strategy<Value = String> {
    let hidden = ["", " ", "\n", "\t", "\0", "\u{1b}[2J", "\u{202e}", "\u{200b}", "\u{feff}"];
    let all: Vec<&str> = hidden.into_iter().chain(TOKENS.lines()).collect();
    prop_oneof![6 => prop::sample::select(all).prop_map(String::from), 1 => any::<String>()]
}

/// A sample with parts replaced, duplicated, removed or moved.
fn mutated() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), 0..12usize, token(), 0..3u8);
    (prop::sample::select(samples()), prop::collection::vec(change, 1..6)).prop_map(|(mut text, changes)| {
        for (at, n, token, kind) in changes {
            let chars: Vec<char> = text.chars().collect();
            let from = at.index(chars.len() + 1);
            let to = (from + n).min(chars.len());
            let part: String = chars[from..to].iter().collect();
            let middle = match kind {
                0 => token,
                1 => [part.as_str(), &token, &part].concat(),
                _ => part.repeat(3),
            };
            text = chars[..from].iter().chain(middle.chars().collect::<Vec<_>>().iter()).chain(&chars[to..]).collect();
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_answered(text in any::<String>(), tokens in prop::collection::vec(token(), 0..40)) {
        read_by_all(&text);
        read_by_all(&tokens.concat());
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        recognise(&bytes, "");
        answered(&import(&bytes, Some(&bytes), &Options::default()));
    }

    #[test]
    fn a_mutated_sample_is_answered(text in mutated()) {
        read_by_all(&text);
    }
}

#[test]
fn samples_are_recognised() {
    let options = Options::default();
    assert!(check(&read(SCENARIO).scenario.expect("a scenario")).plan.is_some());
    for imported in [
        import_plan(PLAN, &options),
        import_organisation(&[ORGANISATION], &options),
        import_queues_yaml(QUEUES_YAML, &options),
        import(TRACE.as_bytes(), None, &options),
    ] {
        assert!(imported.scenario.is_some(), "{:#?}", imported.report.diagnostics);
    }
}

/// Time limit for a hostile text in all readers, in an unoptimised build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test may look at the clock")]
fn large_hostile_texts_are_answered_in_time() {
    let many = |n: usize, one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<String>();
    let texts = [
        // Nested, unclosed, repeated.
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "- ".repeat(100_000),
        "<a>".repeat(100_000),
        "<".repeat(1_000_000),
        "\"".repeat(1_000_001),
        ",".repeat(1_000_000),
        format!("d1.{}", "A".repeat(1_000_000)),
        format!("{{\"projects\": [{}0]}}", "0,".repeat(300_000)),
        // More entries than any limit, all with the same name, and unknown keys.
        format!("partitions:\n- name: default\n  queues:\n{}", many(100_000, &|i| format!("  - name: q{i}\n"))),
        format!("partitions:\n- name: default\n  queues:\n{}", many(4_000, &|_| "  - name: q\n".into())),
        format!("partitions:\n- name: default\n{}", many(20_000, &|i| format!("  k{i}: 1\n"))),
        format!("format: fairground-scenario\nversion: 1\nqueues: [{}]", many(300_000, &|_| "{},".into())),
        format!("{{\"projects\": [{}]}}", vec![r#"{"name": "a", "deservedGpus": 1}"#; 4_000].join(",")),
        format!("{{\"projects\": [{{\"name\": \"a\", {}}}]}}", many(20_000, &|i| format!("\"k{i}\": 1,")) + "\"z\": 1"),
        format!("Nodes: [{{GPUs: 1}}]\nQueues: [{{Name: a}}]\nJobs: {{{}}}", many(50_000, &|i| format!("j{i}: 1, "))),
        format!("{{\"totalResource\": {{}}, \"queues\": [{}]}}", vec!["{\"uid\": 1}"; 5_000].join(",")),
        format!("id,gpus,vc\n{}", many(6_000, &|i| format!("{i},1,q{i}\n"))),
    ];
    for text in texts {
        let started = std::time::Instant::now();
        read_by_all(&text);
        let (took, start) = (started.elapsed(), text.chars().take(60).collect::<String>());
        assert!(took < PATIENCE, "{took:.1?}: {start}");
    }
}

fn refused(imported: &Imported, says: &str) {
    let messages: Vec<&str> = imported.report.diagnostics.iter().map(|d| d.says.as_str()).collect();
    assert!(imported.scenario.is_none() && messages.iter().any(|s| s.contains(says)), "{messages:?}");
}

/// Every importer rejects one queue more than the maximum, and accepts the maximum.
#[test]
fn imports_limit_the_number_of_queues() {
    let most = usize::try_from(QUEUES_MAX).expect("small");
    let queues = |n: usize| (0..n).map(|i| format!("  - name: q{i}\n")).collect::<String>();
    let yaml = |n| format!("partitions:\n- name: default\n  queues:\n{}", queues(n));
    let options = Options { nodes: Some((1, 8)), ..Options::default() };
    let taken = import_queues_yaml(&yaml(most), &options).scenario.expect("as many as can be simulated");
    assert_eq!(taken.queues.len(), most);
    refused(&import_queues_yaml(&yaml(most + 1), &options), "up to 5000");
    let config_map =
        format!("data:\n  queues.yaml: |\n{}", yaml(100_000).lines().map(|l| format!("    {l}\n")).collect::<String>());
    refused(&import_queues_yaml(&config_map, &options), "queues, the most");

    let trace = |n: usize| "id,gpus,vc\n".to_string() + &(0..n).map(|i| format!("{i},1,q{i}\n")).collect::<String>();
    assert!(import(trace(most).as_bytes(), None, &options).scenario.is_some());
    refused(&import(trace(most + 1).as_bytes(), None, &options), "up to 5000");
    let sizes = |n: usize| "queue,gpus\n".to_string() + &(0..n).map(|i| format!("q{i},1\n")).collect::<String>();
    refused(&import(TRACE.as_bytes(), Some(sizes(most + 1).as_bytes()), &options), "more than 5000");
    refused(&import(TRACE.as_bytes(), Some(sizes(most).as_bytes()), &options), "5002 queues");

    let unit = |i: usize| format!(r#"{{"name": "p{i}", "departmentName": "d", "deservedGpus": 0}}"#);
    let projects = |n: usize| format!("{{\"projects\": [{}]}}", (0..n).map(unit).collect::<Vec<_>>().join(","));
    assert!(import_organisation(&[&projects(most - 1)], &options).scenario.is_some());
    refused(&import_organisation(&[&projects(most)], &options), "up to 5000");
    refused(&import_organisation(&[&projects(most + 1)], &options), "more than 5000");
}

/// Sections stop reading at the first entry above the limit, in every notation.
#[test]
fn sections_are_limited_while_reading() {
    let n = usize::try_from(QUEUES_MAX).expect("small") + 1;
    let head = "format: fairground-scenario\nversion: 1\n";
    let block = format!("{head}queues:\n{}", "- {name: a}\n".repeat(n + 100));
    let items = vec!["{}"; n + 100].join(",\n");
    let json = format!("{{\"format\": \"fairground-scenario\", \"version\": 1, \"queues\": [{items}]}}");
    for (text, line) in [(block, 3 + n as u32), (json, n as u32)] {
        let read = read(&text);
        let found: Vec<_> = read.diagnostics.iter().map(|d| (d.code, d.position.map(|p| p.0))).collect();
        assert_eq!(read.scenario, None);
        assert_eq!(found, [(codes::TOO_MANY, Some(line))], "{}", read.diagnostics[0].says);
    }
    // Pools of queues and pools of the scenario have separate limits.
    let queue = "- {name: q, pools: [{name: a}, {name: b}]}\n".repeat(200);
    assert_eq!(read(&format!("{head}pools: [{{name: a}}, {{name: b}}]\nqueues:\n{queue}")).diagnostics, []);
}

/// A short link with an oversized section is rejected before the section is allocated.
#[test]
fn sections_of_links_are_limited() {
    let queues = Arc::new(vec![QueueEntry::default(); QUEUES_MAX as usize + 1]);
    let link = link::encode(&Scenario { queues, ..Scenario::default() });
    let says = "there are 5001 queues; up to 5000 are simulated".to_string();
    assert_eq!(link::decode(&link), Err(link::LinkError::Content { says }));
    assert!(link.len() < 100, "{link}");
    let nodes = Arc::new(vec![NodeEntry::default(); 20_001]);
    assert!(link::decode(&link::encode(&Scenario { nodes, ..Scenario::default() })).is_err());
    let large = crate::support::plausible(5_000, 2_000, 20_000);
    assert_eq!(link::decode(&link::encode(&large)), Ok(large));
}

/// Projects with equal names get unique names quickly, and of a displayable length.
#[test]
fn projects_with_equal_names_get_unique_names() {
    let unit = r#"{"name": "a", "departmentName": "d", "deservedGpus": 1}"#;
    let text = format!("{{\"projects\": [{}]}}", vec![unit; 4_000].join(","));
    let scenario = import_organisation(&[&text], &Options::default()).scenario.expect("it can be run");
    let names: Vec<&str> = scenario.queues.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!(names[..5], ["d", "a", "d/a", "d/a-2", "d/a-3"]);
    assert_eq!(names[4_000], "d/a-3999");
    assert!(check(&scenario).plan.is_some());
}

/// Invisible characters do not distinguish queue names.
#[test]
fn invisible_characters_do_not_distinguish_names() {
    use fairground::scenario::apply;
    for hidden in
        ["\u{200b}", "\u{202e}", "\u{2066}", "\u{feff}", "\u{ad}", "\u{3164}", "\u{e0041}", "\u{fe0f}", "\u{2028}"]
    {
        let text = SCENARIO.replace("name: a,", &format!("name: \"a{hidden}b\","));
        let scenario =
            read(&text.replace("queue: a,", &format!("queue: \"a{hidden}b\","))).scenario.expect("a scenario");
        let found = check(&scenario).diagnostics;
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [codes::BAD_NAME], "{hidden:?} {found:?}");
        assert!(!found[0].says.contains(hidden), "{}", found[0].says);
        let fix = found[0].fix.as_ref().expect("a fix");
        let mended = apply(&scenario, &fix.edits).expect("it can be made");
        assert_eq!((mended.queues[1].name.as_str(), mended.jobs[0].queue.as_str()), ("ab", "ab"));
        assert!(check(&mended).plan.is_some());
    }
    for shown in ["名前", "naïve", "a b", "e\u{301}", "😀"] {
        let scenario = read(
            &SCENARIO
                .replace("name: top", &format!("name: \"{shown}\""))
                .replace("parent: top", &format!("parent: \"{shown}\"")),
        );
        assert_eq!(check(&scenario.scenario.expect("a scenario")).diagnostics, [], "{shown}");
    }
}

/// An empty item in the middle of a list is rejected, because the following items would shift.
#[test]
fn a_list_with_a_gap_is_rejected() {
    use fairground::scenario::{Edit, Path, apply, get};
    let scenario = read(SCENARIO).scenario.expect("a scenario");
    let job = Path::default().field("jobs").named("j");
    let node = Path::default().field("nodes").named("n");
    let queue = Path::default().field("queues").named("a");
    let lists = [
        job.field("on"),
        job.field("tolerations"),
        job.field("affinity"),
        job.field("pools"),
        job.field("labels"),
        job.field("selector"),
        job.field("resources"),
        node.field("taints"),
        node.field("labels"),
        queue.field("default-pools"),
    ];
    for at in lists {
        let set = |value: &str| apply(&scenario, &[Edit::Set { at: at.clone(), value: value.into() }]);
        for gap in ["x=1, , y=2", ", x=1", "x=1,,", ",", " , "] {
            let says = set(gap).expect_err(gap).says;
            assert!(says.contains("empty item"), "{at} {gap}: {says}");
        }
        for whole in ["x=1, y=2", "x=1,y=2,", " x=1 ,  y=2 , "] {
            assert_eq!(get(&set(whole).expect(whole), &at).as_deref(), Some("x=1, y=2"), "{at} {whole}");
        }
        assert_eq!(get(&set("").expect("nothing"), &at).unwrap_or_default(), "");
    }
}
