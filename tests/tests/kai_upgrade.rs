//! What the upgrade of KAI from one modelled revision to the next changes: the tables of the guide, counted in the
//! recordings that both revisions have, and the two examples.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fairground::policy::versions::modelled;
use fairground::scenario::read;
use fairground::sim::{Comparing, Runs, first_difference};
use fairground_tests::recording;
use serde::Deserialize;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

const GUIDE: &str = "docs/guide/kai.md";

/// Files of recordings and what their clusters are about.
const THEMES: [(&[&str], &str); 14] = [
    (&["start", "examples"], "examples of this page"),
    (&["allocate"], "placing jobs"),
    (&["fractions"], "parts and memory of GPUs"),
    (&["elastic"], "elastic jobs"),
    (&["consolidation"], "moving pods to make room"),
    (&["reclaim-2-level"], "reclaim between departments"),
    (&["reclaim-deep"], "reclaim in deeper trees"),
    (&["preempt"], "priorities inside a queue"),
    (&["min-runtime"], "minimum runtimes"),
    (&["usage"], "past usage"),
    (&["stale"], "broken gangs"),
    (&["mixed"], "mixed"),
    (&["mid"], "larger clusters"),
    (&["hazards", "unsettled"], "jobs that evict each other in turns, or with many outcomes"),
];

/// Rules that changed, as the recordings name them, in the order of the guide.
const RULES: [(&[&str], &str); 8] = [
    (&["11"], "a pending request of GPU memory counts by the smallest GPU of the cluster, not by 100 MiB"),
    (&["8"], "reclaim takes only from queues above their share, or above their quota in a resource that is requested"),
    (&["1"], "the number of pods to place by evictions is found by doubling and bisection, then tried once more"),
    (&["2-gang"], "a second search empties several nodes at once, the smallest sufficient ones first"),
    (&["2-regroup"], "jobs on one node are evicted as one group per job"),
    (&["4"], "only the jobs that would be evicted are checked, not all that were considered"),
    (&["7"], "a growing elastic job counts its running pods"),
    (
        &["5-nodes", "9", "12", "16"],
        "others: nodes of all evicted pods, impossible jobs, the test of a chunk, the tree of subgroups",
    ),
];

/// What a recording of the newer revision says about the older one.
#[derive(Deserialize)]
struct Case {
    old: Option<String>,
    #[serde(default)]
    old_crashed: bool,
    #[serde(default)]
    rows: BTreeMap<String, Vec<String>>,
}

/// The cases that both revisions have, each with the name of its file.
fn cases() -> Vec<(String, Case)> {
    let paths = recording::find(&root().join("tests/golden/kai-cycles-v0.17")).expect("the recordings");
    let mut cases = Vec::new();
    for path in paths {
        let name = path.file_name().expect("a file").to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        for (_, text) in recording::read(&path).unwrap_or_else(|error| panic!("{error}")).cases {
            let case: Case = serde_json::from_str(&text).expect("a case");
            cases.extend(case.old.is_some().then(|| (name.clone(), case)));
        }
    }
    cases
}

/// Numbers of cases that are decided alike, alike in some outcomes, and otherwise.
fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> [usize; 3] {
    let mut counts = [0; 3];
    for case in cases {
        let at = ["equal", "overlap", "different"].iter().position(|says| case.old.as_deref() == Some(says));
        counts[at.expect("a known relation")] += 1;
    }
    counts
}

fn row(name: &str, counts: [usize; 3]) -> String {
    let [alike, some, otherwise] = counts;
    format!("| {name} | {} | {alike} | {some} | {otherwise} |\n", alike + some + otherwise)
}

fn by_theme(cases: &[(String, Case)]) -> String {
    let (crashed, ran): (Vec<_>, Vec<_>) = cases.iter().partition(|(_, case)| case.old_crashed);
    let of =
        |files: &[&str]| counts(ran.iter().filter(|(file, _)| files.contains(&file.as_str())).map(|(_, case)| case));
    let rows: String = THEMES.iter().map(|(files, says)| row(says, of(files))).collect();
    let all = counts(ran.iter().map(|(_, case)| case));
    let themes = THEMES.iter().map(|(files, _)| of(files).iter().sum::<usize>()).sum::<usize>();
    assert_eq!(themes, all.iter().sum::<usize>(), "every file has a theme");
    let crashes = format!("| the scheduler of v0.13 crashed | {} | | | |\n", crashed.len());
    rows + &row("all", all) + &crashes
}

fn by_rule(cases: &[(String, Case)]) -> String {
    let named: Vec<&str> = RULES.iter().flat_map(|(rules, _)| *rules).copied().collect();
    let rules_of = |case: &Case| -> Vec<String> { case.rows.values().flatten().cloned().collect() };
    for rule in cases.iter().flat_map(|(_, case)| rules_of(case)) {
        assert!(named.contains(&rule.as_str()), "rule {rule} is not in the guide");
    }
    let n = |rules: &[&str]| {
        let is_its = |(_, case): &&(String, Case)| rules_of(case).iter().any(|rule| rules.contains(&rule.as_str()));
        cases.iter().filter(is_its).count()
    };
    RULES.iter().map(|(rules, says)| format!("| {says} | {} |\n", n(rules))).collect()
}

/// Replaces the rows below the head of a table.
fn with_rows(text: &str, head: &str, rows: &str) -> String {
    let (before, rest) = text.split_once(head).unwrap_or_else(|| panic!("{GUIDE} has no table {head}"));
    let (line, rest) = rest.trim_start_matches('\n').split_once('\n').expect("a line below the head");
    let after: String = rest.split_inclusive('\n').skip_while(|line| line.starts_with('|')).collect();
    format!("{before}{head}\n{line}\n{rows}{after}")
}

#[test]
fn the_guide_says_what_the_upgrade_changes() {
    let cases = cases();
    let old = fs::read_to_string(root().join(GUIDE)).expect("the guide");
    let text = with_rows(&old, "| clusters about | all | alike | partly | otherwise |", &by_theme(&cases));
    let text = with_rows(&text, "| what changed | clusters |", &by_rule(&cases));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(GUIDE), &text).expect("the guide can be written");
    } else {
        assert_eq!(old, text, "{GUIDE} is stale: run this test with UPDATE_EXPECT=1");
    }
}

/// The moves of an example that only the older or only the newer revision makes, at the first difference.
fn differs(example: &str) -> [String; 2] {
    let text = fs::read_to_string(root().join(format!("assets/scenarios/{example}.yaml"))).expect("an example");
    let scenario = read(&text).scenario.expect("it can be read");
    let modelled = modelled(&scenario.policy).expect("a product");
    let [oldest, newest] = [modelled.oldest(), modelled.newest()];
    assert_eq!(modelled.revision_of(&scenario), oldest, "an example shows the version before the upgrade");
    let runs = [oldest, newest]
        .map(|revision| Comparing::new(&modelled.at(&scenario, revision), modelled.policy))
        .into_iter()
        .collect();
    let mut runs = Runs::new(runs, None, 10_000);
    while runs.step() {}
    let moves: Vec<_> = runs.end().into_iter().map(|column| column.run.expect("it runs").moves).collect();
    let found = first_difference(&moves[0], &moves[1]).expect("a difference");
    found.only.map(|moves| moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

#[test]
fn after_the_upgrade_another_team_loses() {
    assert_eq!(
        differs("upgrade-another-team-loses"),
        ["model-3 is evicted from node-2 for tune", "trial-5 is evicted from node-2 for tune"]
    );
}

#[test]
fn after_the_upgrade_a_gang_that_waited_starts() {
    assert_eq!(
        differs("upgrade-gang-starts"),
        ["", "serve/2 is evicted from node-2 for train, sweep-2 is evicted from node-1 for train"]
    );
}
