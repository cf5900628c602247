//! Worked example of dynamic priorities (yunikorn.md 9): eleven tasks, step by step, with variations.

use fairground::policy::yunikorn::amounts::Amounts;
use fairground::policy::yunikorn::apps::NewApp;
use fairground::policy::yunikorn::config::File;
use fairground::policy::yunikorn::model::{Ask, Core, Settings};
use fairground::policy::yunikorn::priority::MIN;

/// Queues; `properties` of the root and of `root.system` vary.
fn config(root: &str, system: &str) -> File {
    let text = format!(
        r#"{{"partitions": [{{"queues": [{{"name": "root", "submitacl": "*", "properties": {{{root}}}, "queues": [
        {{"name": "system", "properties": {{{system}}}, "queues": [
            {{"name": "system-normal", "properties": {{"priority.offset": "0"}}}},
            {{"name": "system-high", "properties": {{"priority.offset": "1000"}}}},
            {{"name": "system-low", "properties": {{"priority.offset": "-1000"}}}}]}},
        {{"name": "tenants", "properties": {{"priority.policy": "fence"}}, "queues": [
            {{"name": "tenant-a", "properties": {{"priority.policy": "fence", "priority.offset": "10"}},
                "queues": [{{"name": "child-a-1"}}, {{"name": "child-a-2"}}]}},
            {{"name": "tenant-b", "properties": {{"priority.policy": "fence", "priority.offset": "0"}},
                "queues": [{{"name": "child-b-1"}}, {{"name": "child-b-2"}}]}}]}}]}}]}}]}}"#
    );
    serde_json::from_str(&text).expect("it can be read")
}

const ASKS: [(&str, &str, &[i32]); 7] = [
    ("normal", "root.system.system-normal", &[2, 10]),
    ("high", "root.system.system-high", &[1]),
    ("low", "root.system.system-low", &[3]),
    ("a1", "root.tenants.tenant-a.child-a-1", &[8, 5]),
    ("a2", "root.tenants.tenant-a.child-a-2", &[6, 4]),
    ("b1", "root.tenants.tenant-b.child-b-1", &[7, 9]),
    ("b2", "root.tenants.tenant-b.child-b-2", &[8]),
];

/// All asks, with one node of the given vcores.
fn core(file: &File, vcores: i64) -> Core {
    let types = vec!["memory".to_owned(), "vcore".to_owned()];
    let settings = Settings { reservation_delay: 2000, ideal_predicates: true };
    let mut core = Core::new(&file.partitions[0], types, settings);
    let amounts = |memory: i64, vcore: i64| {
        let mut amounts = Amounts::EMPTY;
        amounts.set(0, memory);
        amounts.set(1, vcore);
        amounts
    };
    core.add_node("node-1", &amounts(100_000_000_000, vcores * 1000));
    for (app, queue, _) in ASKS {
        assert!(core.add_app(NewApp { id: app.to_owned(), queue: queue.to_owned(), ..NewApp::default() }));
    }
    for (app, _, priorities) in ASKS {
        let ix = core.find_app(app).expect("the application is there");
        for priority in priorities {
            let ask = Ask::new(&format!("{app}-P{priority}"), ix, amounts(1_000_000_000, 1000), *priority);
            assert!(core.add_ask(ask, None));
        }
    }
    core
}

fn row(core: &Core) -> String {
    let short = |n: i32| if n == MIN { "-".to_owned() } else { n.to_string() };
    let order = ["root", "system", "system-normal", "system-high", "system-low", "tenants", "tenant-a", "child-a-1"];
    let order = order.into_iter().chain(["child-a-2", "tenant-b", "child-b-1", "child-b-2"]);
    let find = |name: &str| core.queues.iter().find(|q| q.name == name).map_or(MIN, |q| q.effective());
    order.map(|name| short(find(name))).collect::<Vec<_>>().join(" ")
}

/// Runs to the end; returns the keys in order, and the effective priority of every queue before the first step and
/// after each.
fn run(mut core: Core) -> (Vec<String>, Vec<String>) {
    let (mut keys, mut rows) = (Vec::new(), vec![row(&core)]);
    while let Some(found) = core.cycle() {
        keys.push(core.asks[found.ask].key.clone());
        rows.push(row(&core));
    }
    (keys, rows)
}

fn order(file: &File, vcores: i64) -> String {
    run(core(file, vcores)).0.join(" ")
}

#[test]
fn eleven_steps_cell_by_cell() {
    let (keys, rows) = run(core(&config("", ""), 100));
    let expected_keys = "high-P1 normal-P10 normal-P2 a1-P8 a2-P6 a1-P5 a2-P4 b1-P9 b2-P8 b1-P7 low-P3";
    assert_eq!(keys.join(" "), expected_keys);
    // root, system, its normal, high and low, tenants, tenant-a with both children, tenant-b with both.
    let expected = [
        "1001 1001 10 1001 -997 0 10 8 6 0 9 8",
        "10 10 10 - -997 0 10 8 6 0 9 8",
        "2 2 2 - -997 0 10 8 6 0 9 8",
        "0 -997 - - -997 0 10 8 6 0 9 8",
        "0 -997 - - -997 0 10 5 6 0 9 8",
        "0 -997 - - -997 0 10 5 4 0 9 8",
        "0 -997 - - -997 0 10 - 4 0 9 8",
        "0 -997 - - -997 0 - - - 0 9 8",
        "0 -997 - - -997 0 - - - 0 7 8",
        "0 -997 - - -997 0 - - - 0 7 -",
        "-997 -997 - - -997 - - - - - - -",
        "- - - - - - - - - - - -",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn with_room_for_five_the_rest_is_pending() {
    assert_eq!(order(&config("", ""), 5), "high-P1 normal-P10 normal-P2 a1-P8 a2-P6");
}

#[test]
fn priority_off_at_the_root_is_off_everywhere() {
    let off = r#""application.sort.priority": "disabled""#;
    let expected = "high-P1 a1-P8 normal-P10 b1-P9 low-P3 a2-P6 normal-P2 b2-P8 a1-P5 b1-P7 a2-P4";
    assert_eq!(order(&config(off, ""), 100), expected);
}

#[test]
fn priority_off_in_one_branch_lets_the_lowest_run_third() {
    let off = r#""application.sort.priority": "disabled""#;
    let expected = "high-P1 normal-P10 low-P3 normal-P2 a1-P8 a2-P6 a1-P5 a2-P4 b1-P9 b2-P8 b1-P7";
    assert_eq!(order(&config("", off), 100), expected);
}
