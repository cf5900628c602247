//! Translation to another policy: nothing is lost without a note, the result runs, and it means the same where
//! possible.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::{
    JobEntry, NodeEntry, Path, QueueEntry, ResourceEntry, Scalar, Scenario, Severity, TimelineEntry, check, get, read,
};
use fairground::sim::Simulation;
use fairground::translate::{Note, NoteKind, translate};
use proptest::prelude::*;
use proptest::sample::select;

/// Settings of each policy; those of queues are for queue `a`.
fn settings_of(policy: &str) -> Vec<(&'static str, &'static str)> {
    match policy {
        "kai" => vec![
            ("kValue", "2"),
            ("saturation-multiplier", "1.5"),
            ("gpu-placement", "spread"),
            ("cpu-placement", "spread"),
            ("actions", "allocate, stalegangeviction"),
            ("actions", "allocate, reclaim"),
            ("default-job-priority", "60"),
            ("default-reclaim-min-runtime", "1m"),
            ("staleness-grace", "5s"),
            ("usage-client", "prometheus"),
            ("usage-resolution", "30s"),
            ("seed", "7"),
            ("queue-depth-reclaim", "5"),
        ],
        "runai" => vec![
            ("department-over-quota", "by-weight"),
            ("department-over-quota", "by-quota"),
            ("over-quota-weights", "off"),
            ("over-quota.a", "none"),
            ("over-quota.a", "lowest"),
            ("over-quota.b", "high"),
            ("over-quota.b", "2.5"),
            ("k-value", "1"),
            ("default-job-priority", "60"),
        ],
        "yunikorn" => vec![
            ("node-sort", "fair"),
            ("node-sort", "binpacking"),
            ("preemption", "false"),
            ("preemption", "true"),
            ("priority.offset.a", "5"),
            ("priority.offset.root", "5"),
            ("application.sort.policy.a", "fair"),
            ("preemption.delay.root", "3s"),
        ],
        "ego" => vec![
            ("grace", "10s"),
            ("lendout", "false"),
            ("placement", "balanced"),
            ("placement", "exclusive"),
            ("rank.a", "2"),
            ("reserved.b", "1"),
            ("reclaim-grace.a", "5s"),
        ],
        _ => Vec::new(),
    }
}

fn maybe(values: &'static [&'static str]) -> impl Strategy<Value = Option<Scalar>> {
    proptest::option::of(select(values)).prop_map(|text| text.map(Scalar::from))
}

fn part() -> impl Strategy<Value = ResourceEntry> {
    (
        maybe(&["0", "2", "4", "unlimited", "-1"]),
        maybe(&["0", "4", "6", "unlimited"]),
        maybe(&["0", "1", "2.5"]),
        maybe(&["0.25"]),
    )
        .prop_map(|(quota, limit, weight, usage)| ResourceEntry { quota, limit, weight, usage })
}

fn queue(name: &'static str, parent: Option<&'static str>) -> impl Strategy<Value = QueueEntry> {
    let spans = || maybe(&["30s", "1m"]);
    (part(), part(), part(), maybe(&["0", "100", "90", "120"]), spans(), spans()).prop_map(
        move |(gpu, cpu, memory, priority, preempt, reclaim)| QueueEntry {
            name: name.into(),
            parent: parent.map(str::to_owned),
            gpu,
            cpu,
            memory,
            priority,
            preempt_min_runtime: preempt,
            reclaim_min_runtime: reclaim,
            ..QueueEntry::default()
        },
    )
}

fn job(name: &'static str, queue: &'static str) -> impl Strategy<Value = JobEntry> {
    let ask = (maybe(&["1", "2", "0.5"]), maybe(&["1"]), maybe(&["1", "3"]), maybe(&["1", "2"]));
    let times = (maybe(&["20s"]), maybe(&["again", "resume", "never"]));
    (ask, maybe(&["50", "build", "80"]), maybe(&["true", "false", "semi"]), times, any::<bool>()).prop_map(
        move |((gpu, cpu, pods, min), priority, preemptible, (lasts, restart), tolerates)| {
            let min_available = min.filter(|min| pods.as_ref().is_some_and(|pods| pods >= min));
            JobEntry {
                name: name.into(),
                queue: queue.into(),
                gpu,
                cpu,
                pods,
                min_available,
                priority,
                preemptible,
                lasts,
                restart,
                tolerations: if tolerates { vec!["gpu".into()] } else { Vec::new() },
                ..JobEntry::default()
            }
        },
    )
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let policy = select(Policy::NAMES);
    let queues = (queue("top", None), queue("a", Some("top")), queue("b", Some("top")), queue("c", None));
    let jobs = (job("ja", "a"), job("jb", "b"), job("jc", "c"));
    let change = (part(), maybe(&["100", "7"]));
    (policy, any::<u16>(), queues, jobs, change, maybe(&["1s", "on change"]), maybe(&["2s"])).prop_map(
        |(policy, switches, queues, jobs, (mut gpu, priority), cycle, termination)| {
            gpu.usage = None;
            let all = settings_of(policy);
            let settings = all.iter().enumerate().filter(|(i, _)| switches & (1 << i) != 0);
            let entry = TimelineEntry {
                at: "5".into(),
                queue: Some("a".into()),
                priority: priority.or(Some("3".into())),
                gpu,
                ..TimelineEntry::default()
            };
            let node = NodeEntry {
                name: "n".into(),
                count: Some("2".into()),
                gpu: Some("4".into()),
                taints: vec!["gpu:NoSchedule".into()],
                ..NodeEntry::default()
            };
            let has_classes = !Policy::job_defaults(policy).classes.is_empty();
            let mut jobs = vec![jobs.0, jobs.1, jobs.2];
            for job in jobs.iter_mut().filter(|_| !has_classes) {
                job.priority = job.priority.take().map(|p| if p.0 == "build" { "100".into() } else { p });
            }
            let mut s = Scenario {
                policy: policy.into(),
                settings: settings.map(|(_, (name, value))| (name.to_string(), Scalar::from(*value))).collect(),
                cycle,
                nodes: Arc::new(vec![node]),
                queues: Arc::new(vec![queues.0, queues.1, queues.2, queues.3]),
                jobs: Arc::new(jobs),
                timeline: Arc::new(vec![entry]),
                ..Scenario::default()
            };
            s.delays.termination = termination;
            s
        },
    )
}

/// Paths of all given values.
fn places(s: &Scenario) -> Vec<Path> {
    let root = Path::default();
    let mut all: Vec<Path> = s.settings.keys().map(|name| root.field("settings").field(name)).collect();
    all.extend(["cycle"].map(|field| root.field(field)));
    all.push(root.field("delays").field("termination"));
    let parts = |at: &Path, all: &mut Vec<Path>| {
        for resource in ["gpu", "cpu", "memory"] {
            all.extend(["quota", "limit", "weight", "usage"].map(|field| at.field(resource).field(field)));
        }
        all.push(at.field("priority"));
    };
    for queue in s.queues.iter() {
        let at = root.field("queues").named(&queue.name);
        parts(&at, &mut all);
        all.extend(["preempt-min-runtime", "reclaim-min-runtime", "parent"].map(|field| at.field(field)));
    }
    parts(&root.field("timeline").at(0), &mut all);
    for job in s.jobs.iter() {
        let at = root.field("jobs").named(&job.name);
        let fields =
            ["queue", "gpu", "cpu", "pods", "min-available", "priority", "preemptible", "lasts", "tolerations"];
        all.extend(fields.map(|field| at.field(field)));
    }
    all.retain(|at| get(s, at).is_some());
    all
}

fn errors(s: &Scenario) -> Vec<String> {
    let found = check(s).diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
    found.map(|d| format!("{} {}: {}", d.code.0, d.at, d.says)).collect()
}

fn is_named(notes: &[Note], at: &Path) -> bool {
    notes.iter().any(|note| note.at.contains(at))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Every value is unchanged, or a note names it.
    #[test]
    fn nothing_is_lost_without_a_note(old in scenario(), to in select(Policy::NAMES)) {
        let new = translate(&old, to).expect("known policies");
        for at in places(&old) {
            let is_same = get(&old, &at) == get(&new.scenario, &at);
            prop_assert!(is_same || is_named(&new.notes, &at), "{at}: {:?}", new.notes);
        }
        prop_assert!(new.notes.iter().all(|note| !note.at.is_empty()));
    }

    /// A scenario without errors translates to one that runs.
    #[test]
    fn the_result_runs(old in scenario(), to in select(Policy::NAMES)) {
        prop_assert_eq!(errors(&old), Vec::<String>::new());
        let new = translate(&old, to).expect("known policies");
        prop_assert_eq!(errors(&new.scenario), Vec::<String>::new());
        prop_assert_eq!(&*new.scenario.policy, to);
        let plan = check(&new.scenario).plan.expect("no errors");
        let mut simulation = Simulation::new(&plan);
        while simulation.cycle() < 12 && simulation.advance().is_some() {}
    }

    /// Translation to the same policy changes nothing.
    #[test]
    fn translation_to_the_same_policy_changes_nothing(old in scenario()) {
        let same = translate(&old, &old.policy).expect("known policies");
        prop_assert_eq!(same.scenario, old);
        prop_assert_eq!(same.notes, vec![]);
    }
}

fn written(text: &str) -> Scenario {
    let read = read(&format!("format: fairground-scenario\nversion: 1\n{text}"));
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    read.scenario.expect("written for this")
}

fn at(s: &Scenario, place: &[&str]) -> Option<String> {
    let mut path = Path::default().field(place[0]);
    for (i, step) in place.iter().enumerate().skip(1) {
        let is_name = i == 1 && matches!(place[0], "queues" | "jobs");
        path = if is_name { path.named(step) } else { path.field(step) };
    }
    get(s, &path)
}

fn says(notes: &[Note], kind: NoteKind, part: &str) -> bool {
    notes.iter().any(|note| note.kind == kind && note.says.contains(part))
}

/// The default priority is 100 in KAI and 0 in YuniKorn, where priorities are offsets.
#[test]
fn priorities_are_counted_from_the_default() {
    let kai = written("queues: [{name: a, priority: 110}, {name: b}]\ntimeline: [{at: 5, queue: b, priority: 90}]\n");
    let yk = translate(&kai, "yunikorn").expect("known");
    assert_eq!(at(&yk.scenario, &["queues", "a", "priority"]).as_deref(), Some("10"));
    assert_eq!(at(&yk.scenario, &["queues", "b", "priority"]), None);
    assert_eq!(yk.scenario.timeline[0].priority, Some("-10".into()));
    let back = translate(&yk.scenario, "kai").expect("known").scenario;
    assert_eq!(
        (&back.queues[0].priority, &back.timeline[0].priority),
        (&kai.queues[0].priority, &kai.timeline[0].priority)
    );
    let offset = written("policy: yunikorn\nsettings: {priority.offset.a: 5}\nqueues: [{name: a}]\n");
    let kai = translate(&offset, "kai").expect("known").scenario;
    assert_eq!(at(&kai, &["queues", "a", "priority"]).as_deref(), Some("105"));
    let settings: Vec<_> = kai.settings.into_iter().filter(|(name, _)| name != "version").collect();
    assert_eq!(settings, [("gpu-placement".into(), "spread".into())]);
}

/// Other policies treat a semi-preemptible workload of Run:ai by its priority, with a note.
#[test]
fn only_run_ai_has_semi_preemptible_jobs() {
    let text = |policy: &str| {
        format!(
            "policy: {policy}\nqueues: [{{name: a}}]\n\
             jobs: [{{name: j, queue: a, pods: 2, min-available: 1, preemptible: semi}}]\n"
        )
    };
    for to in ["kai", "yunikorn", "ego"] {
        let there = translate(&written(&text("runai")), to).expect("known");
        assert_eq!(at(&there.scenario, &["jobs", "j", "preemptible"]), None, "{to}");
        assert!(says(&there.notes, NoteKind::Dropped, "no semi-preemptible jobs"), "{to}: {:?}", there.notes);
    }
    let back = translate(&written(&text("kai")), "runai").expect("known");
    assert_eq!(at(&back.scenario, &["jobs", "j", "preemptible"]).as_deref(), Some("semi"));
    assert!(says(&back.notes, NoteKind::Assumed, "the first pods of these stay"), "{:?}", back.notes);
}

/// An absent value forbids in KAI and allows in YuniKorn.
#[test]
fn absent_values_are_written_explicitly() {
    let kai = translate(&written("policy: yunikorn\nqueues: [{name: a, gpu: {quota: 2}}]\n"), "kai").expect("known");
    let of = |r: &str, field: &str| at(&kai.scenario, &["queues", "a", r, field]);
    assert_eq!(of("gpu", "quota").as_deref(), Some("2"));
    assert_eq!(of("cpu", "quota").as_deref(), Some("unlimited"));
    assert_eq!(of("gpu", "limit").as_deref(), Some("unlimited"));
    assert_eq!(of("gpu", "weight").as_deref(), Some("1"));
    assert!(says(&kai.notes, NoteKind::Assumed, "YuniKorn says no gpu weight; 1 is assumed"));
    assert!(says(&kai.notes, NoteKind::Changed, "no gpu limit means unlimited"));
    let yk = translate(&written("queues: [{name: a, gpu: {quota: 2, weight: 3}}]\n"), "yunikorn").expect("known");
    assert_eq!(at(&yk.scenario, &["queues", "a", "gpu", "limit"]).as_deref(), Some("0"));
    assert!(says(&yk.notes, NoteKind::Dropped, "YuniKorn has no weights"));
    assert!(says(&yk.notes, NoteKind::Kept, "quota is called guaranteed"));
}

/// Over-quota in levels and by quota becomes weights; one ratio becomes a weight of each resource.
#[test]
fn over_quota_becomes_weights() {
    let runai = written(
        "policy: runai\nsettings: {over-quota.a: none, over-quota.b: high}\n\
         queues: [{name: X, gpu: {quota: 12}}, {name: a, parent: X, gpu: {quota: 4}}, {name: b, parent: X}, {name: c, parent: X}]\n",
    );
    let kai = translate(&runai, "kai").expect("known").scenario;
    let of = |queue: &str, field: &str| at(&kai, &["queues", queue, "gpu", field]);
    assert_eq!((of("X", "weight").as_deref(), of("X", "limit").as_deref()), (Some("12"), Some("unlimited")));
    assert_eq!((of("a", "weight").as_deref(), of("a", "limit").as_deref()), (Some("0"), Some("4")));
    assert_eq!((of("b", "weight").as_deref(), of("b", "quota")), (Some("3"), None), "0 in both");
    assert_eq!(of("c", "weight").as_deref(), Some("2"));
    let ego = written("policy: ego\nqueues: [{name: a, gpu: {weight: 3}, cpu: {weight: 7}}]\n");
    let drf = translate(&ego, "drf").expect("known").scenario;
    assert_eq!(at(&drf, &["queues", "a", "cpu", "weight"]).as_deref(), Some("3"));
    assert_eq!(at(&drf, &["queues", "a", "memory", "weight"]).as_deref(), Some("3"));
}

/// Notes name the weights and limits that over-quota changes.
#[test]
fn values_changed_by_over_quota_are_named() {
    let runai = written(
        "policy: runai\nsettings: {over-quota.a: none, over-quota.b: high}\n\
         queues: [{name: a, gpu: {quota: 4, limit: 4, weight: 1}}, {name: b, gpu: {quota: 4, limit: 8, weight: 3}}, {name: c, gpu: {weight: 2}}]\n",
    );
    let notes = translate(&runai, "kai").expect("known").notes;
    let of_gpus = notes.iter().filter(|note| note.says.starts_with("over-quota as Run:ai has it"));
    let places: Vec<String> =
        of_gpus.flat_map(|note| &note.at).map(Path::to_string).filter(|at| at.contains("gpu")).collect();
    assert_eq!(places, ["queues[\"a\"].gpu.weight"]);
}

/// Gangs, fractions, settings: values without an equivalent are named, the others translated.
#[test]
fn jobs_and_settings() {
    let kai = written(
        "settings: {gpu-placement: spread, default-job-priority: 60, actions: allocate, seed: 3}\n\
         nodes: [{name: n, gpu: 4}]\nqueues: [{name: a}]\n\
         jobs: [{name: g, queue: a, gpu: 1, pods: 3}, {name: f, queue: a, gpu: 0.5, priority: 80}]\n",
    );
    let yk = translate(&kai, "yunikorn").expect("known");
    assert_eq!(at(&yk.scenario, &["settings", "preemption"]).as_deref(), Some("false"));
    assert_eq!(at(&yk.scenario, &["jobs", "g", "priority"]).as_deref(), Some("60"));
    assert_eq!(at(&yk.scenario, &["jobs", "f", "priority"]).as_deref(), Some("80"));
    for (kind, part) in [
        (NoteKind::Dropped, "starts pods one by one"),
        (NoteKind::Dropped, "a part of a GPU as a whole one"),
        (NoteKind::Dropped, "YuniKorn has no seed"),
        (NoteKind::Changed, "node-sort fair spreads pods over nodes"),
        (NoteKind::Changed, "preemption is off"),
    ] {
        assert!(says(&yk.notes, kind, part), "{part}: {:?}", yk.notes);
    }
    let plain = translate(&written("queues: [{name: a}]\n"), "yunikorn").expect("known").scenario;
    assert_eq!(at(&plain, &["settings", "node-sort"]).as_deref(), Some("binpacking"), "KAI packs, YuniKorn spreads");
    let back = translate(&plain, "kai").expect("known");
    assert_eq!(back.scenario.settings.into_iter().collect::<Vec<_>>(), [("version".into(), "0.17".into())]);
    assert!(says(&back.notes, NoteKind::Assumed, "version 0.17, the newest that is simulated"), "{:?}", back.notes);
    assert!(translate(&written("policy: lottery\n"), "kai").is_none());
    assert!(translate(&kai, "lottery").is_none());
}

/// Values of single pools are translated like those of all pools.
#[test]
fn pools_are_translated() {
    let kai = written(
        "pools: [{name: p, settings: {gpu-placement: spread, kValue: 2}}, {name: d}]\n\
         nodes: [{name: n, gpu: 4, pool: p}, {name: m, gpu: 4, pool: d}]\n\
         queues: [{name: a, gpu: {quota: 2}, pools: [{name: d, priority: 110, gpu: {quota: 1, weight: 3}, reclaim-min-runtime: 5s}]}]\n\
         jobs: [{name: j, queue: a, gpu: 1, pools: [p, d]}]\n",
    );
    let yk = translate(&kai, "yunikorn").expect("known");
    assert_eq!(yk.scenario.queues[0].pools[0].priority, Some("10".into()));
    assert!(yk.scenario.pools[0].settings.is_empty());
    assert_eq!(errors(&yk.scenario), Vec::<String>::new());
    for (kind, part) in [
        (NoteKind::Dropped, "YuniKorn has no gpu-placement of a pool"),
        (NoteKind::Dropped, "YuniKorn does not know minimum runtimes"),
        (NoteKind::Dropped, "YuniKorn has no weights"),
        (NoteKind::Changed, "counted from 0 instead of 100"),
    ] {
        assert!(says(&yk.notes, kind, part), "{part}: {:?}", yk.notes);
    }
    let runai = translate(&kai, "runai").expect("known");
    assert_eq!(errors(&runai.scenario), Vec::<String>::new());
    let names: Vec<&str> = runai.scenario.pools[0].settings.keys().map(String::as_str).collect();
    assert_eq!(names, ["gpu-placement", "k-value"]);
    assert!(says(&runai.notes, NoteKind::Assumed, "KAI offered jobs to the first pool of a list only"));
    let back = translate(&runai.scenario, "kai").expect("known");
    assert!(says(&back.notes, NoteKind::Dropped, "KAI offers a job to one pool only"));
}

/// Values of a KAI scenario that YuniKorn would reject are lowered if possible, otherwise reported.
#[test]
fn values_that_yunikorn_rejects_are_lowered_or_reported() {
    let kai = written(
        "nodes: [{name: n, gpu: 8}]\n\
         queues:\n\
         - {name: top, gpu: {quota: 4, limit: 4, weight: 1}}\n\
         - {name: a, parent: top, gpu: {quota: 6, limit: 6, weight: 1}}\n\
         - {name: b, parent: top, gpu: {quota: 1, limit: unlimited, weight: 1}}\n\
         - {name: two words, gpu: {quota: 1, limit: unlimited, weight: 1}}\n",
    );
    let yk = translate(&kai, "yunikorn").expect("known");
    let of = |queue: &str, field: &str| at(&yk.scenario, &["queues", queue, "gpu", field]);
    assert_eq!((of("a", "limit").as_deref(), of("a", "quota").as_deref()), (Some("4"), Some("4")));
    assert_eq!((of("b", "limit").as_deref(), of("b", "quota").as_deref()), (Some("unlimited"), Some("1")));
    assert!(says(&yk.notes, NoteKind::Changed, "no maximum above that of a queue above it"), "{:?}", yk.notes);
    assert!(says(&yk.notes, NoteKind::Changed, "no guarantee above a maximum"), "{:?}", yk.notes);
    let refused: Vec<String> =
        yk.notes.iter().filter(|n| n.kind == NoteKind::Refused).map(|n| format!("{:?} {}", n.at, n.says)).collect();
    let found = check(&yk.scenario).diagnostics;
    let found = found.iter().filter(|d| d.code == fairground::scenario::codes::REFUSED).count();
    assert!(found == refused.len() && found == 2, "{found}: {refused:#?}");
    let all = refused.join("\n");
    assert!(all.contains("more than its own") && all.contains("above the maximum"), "{all}");
    assert!(says(&yk.notes, NoteKind::Changed, "takes no queue of that name; there it is two"), "{:?}", yk.notes);
    let native = written("policy: yunikorn\nqueues: [{name: two words}]\n");
    assert!(translate(&native, "yunikorn").expect("known").notes.is_empty(), "it is no translation");
}

/// A quota of whole hosts becomes ownership; the rest that fills no host does not, with a note.
#[test]
fn ego_owns_whole_hosts() {
    let kai = written(
        "nodes: [{name: n, count: 2, gpu: 4}]\nqueues: [{name: whole, gpu: {quota: 8}}, {name: part, gpu: {quota: 6}}]\n",
    );
    let translated = translate(&kai, "ego").expect("known");
    let of = |queue: &str| {
        let at = Path::default().field("queues").named(queue).field("gpu").field("quota");
        translated
            .notes
            .iter()
            .filter(|note| note.at.contains(&at))
            .map(|note| (note.kind, note.says.as_str()))
            .collect::<Vec<_>>()
    };
    let says = "EGO owns whole hosts: the part of the quota that fills no host is not owned";
    assert!(of("part").contains(&(NoteKind::Changed, says)), "{:?}", of("part"));
    assert!(!of("whole").iter().any(|(_, said)| *said == says), "{:?}", of("whole"));
}
