//! Files of unknown versions: every message states location, cause and remedy; a cluster is never imported in part.

use fairground::import::{File, Files, Options, import_files};
use fairground::policy::versions::revision_of;
use fairground::scenario::Scenario;

fn read(files: &[(&str, &str)]) -> Files {
    let files: Vec<File<'_>> =
        files.iter().map(|(name, text)| File { name, bytes: text.as_bytes(), is_sizes: false }).collect();
    import_files(&files, &Options::default())
}

/// Line and message of each finding; there must be no scenario.
fn refused(files: &[(&str, &str)]) -> Vec<(u32, String)> {
    let Files { imported, .. } = read(files);
    assert_eq!(imported.scenario, None);
    let found = imported.report.diagnostics.into_iter();
    found.map(|found| (found.position.map_or(0, |(line, _)| line), found.says)).collect()
}

const QUEUE: &str = "apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: a}
spec: {resources: {gpu: {quota: 1, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}
";

#[test]
fn unknown_versions_of_objects_are_named_with_the_command_that_prints_a_known_one() {
    let later = QUEUE.replace("/v2", "/v3");
    let text = format!("{QUEUE}---\n{later}---\n{}", later.replace("name: a", "name: b"));
    let says = "apiVersion: version v3 of Queue is not known (2 objects); v2 is read. Print it in that version: kubectl get \
                queue.v2.scheduling.run.ai -A -o yaml";
    assert_eq!(refused(&[("", &text)]), [(6, says.to_string())]);
    // With several files the message names the file, and all are reported at once.
    let kueue = "apiVersion: kueue.x-k8s.io/v9\nkind: ClusterQueue\nmetadata: {name: c}\n";
    let found = refused(&[("queues.yaml", &later), ("kueue.yaml", kueue)]);
    let says: Vec<&str> = found.iter().map(|(_, says)| says.as_str()).collect();
    assert_eq!(says.len(), 2, "{says:?}");
    assert!(says.iter().any(|says| says.starts_with("queues.yaml: apiVersion: version v3 of Queue")), "{says:?}");
    assert!(
        says.iter().any(|says| says.contains("kueue.yaml: apiVersion: version v9 of ClusterQueue")
            && says.contains("v1beta1 or v1beta2 is read")
            && says.contains("clusterqueue.v1beta1.kueue.x-k8s.io")),
        "{says:?}"
    );
    // Also if only the list has the version.
    let list = "{\"apiVersion\": \"scheduling.volcano.sh/v2\", \"kind\": \"QueueList\", \"items\": [{\"metadata\": {\"name\": \"q\"}}]}";
    assert!(refused(&[("", list)])[0].1.contains("version v2 of Queue is not known"));
    let pods = "apiVersion: v2\nkind: Pod\nmetadata: {name: p}\n";
    assert!(refused(&[("", pods)])[0].1.ends_with("kubectl get pod -A -o yaml"));
}

#[test]
fn objects_without_a_version_are_read_as_a_known_one() {
    let bare = QUEUE.lines().skip(1).map(|line| format!("  {line}\n")).collect::<String>();
    let list = format!("apiVersion: v1\nkind: List\nitems:\n-{}", &bare[1..]);
    assert!(read(&[("", &list)]).imported.scenario.is_some(), "{:?}", read(&[("", &list)]));
}

#[test]
fn a_snapshot_of_another_layout_says_how_to_print_the_objects() {
    let text = "{\"config\": null, \"schedulerParams\": {\"schedulerName\": \"kai-scheduler\"}, \"objects\": {\"queues\": []}, \
                \"apiVersion\": \"v9\", \"kind\": \"Snapshot\"}";
    let found = refused(&[("", text)]);
    assert!(found[0].1.starts_with("rawObjects is missing") && found[0].1.contains("kubectl get"), "{found:?}");
    // An unknown list does not suppress the others.
    let text = "{\"schedulerParams\": {}, \"rawObjects\": {\"queues\": [{\"metadata\": {\"name\": \"q\"}}], \"quantumLinks\": [{}, {}]}}";
    let imported = read(&[("", text)]).imported;
    assert_eq!(imported.scenario.map(|scenario: Scenario| scenario.queues.len()), Some(1));
    let ignored = imported.report.ignored;
    assert!(ignored.contains(&"the list quantumLinks of the snapshot: 2 objects".to_string()), "{ignored:?}");
}

#[test]
fn other_versions_of_our_own_files_and_links_are_named() {
    let text = "format: fairground-scenario\nversion: 7\nqueues: []\n";
    let found = refused(&[("", text)]);
    let [(2, says)] = &found[..] else { panic!("{found:?}") };
    assert!(says.contains("version \"7\"") && says.contains("reads version 1"), "{says}");
    assert!(refused(&[("", "format: fairground-scenario\nversion: [1]\n")])[0].1.contains("version this of"));
    let link = fairground::link::encode(&Scenario::default());
    let newer = refused(&[("", &link.replacen("d1", "d9", 1))]);
    assert!(newer[0].1.contains("newer version") && newer[0].1.contains("d9"), "{newer:?}");
    let cut = refused(&[("", &link[..link.len() - 3])]);
    assert!(cut[0].1.contains("characters arrived"), "{cut:?}");
}

/// What an import makes has the newest revision of the scheduler; a scenario file keeps the one that it was made with.
#[test]
fn an_import_has_the_newest_revision() {
    let (modelled, newest) = revision_of(&made(QUEUE)).expect("a product");
    assert_eq!(newest, modelled.newest());
    let (_, kept) = revision_of(&made("format: fairground-scenario\nversion: 1\nnodes: [{name: n}]\n"))
        .expect("the default policy models a product");
    assert_eq!(kept, modelled.oldest());
    let report = read(&[("", QUEUE)]).imported.report;
    let says = format!("version {}, the newest that is simulated", newest.name);
    assert!(report.assumed.contains(&says), "{:?}", report.assumed);
}

fn made(text: &str) -> Scenario {
    let files = read(&[("", text)]);
    files.imported.scenario.unwrap_or_else(|| panic!("{:?}", files.imported.report.diagnostics))
}
