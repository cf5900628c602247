//! Pasted and dropped files, read where reading does not hold up the page.

use fairground::import::{self, Imported, Kind, Options, Source};
use fairground::link::Linked;
use fairground::scenario::{self, Scenario};

use super::protocol::{Exported, ImportOptions, Say};

/// Largest file, in bytes.
const FILE_MAX: usize = 50_000_000;
/// When cycles of a trace take place.
const TRACE_CYCLE: &str = "on change";

/// What is understood of some files.
pub fn read(files: &[(String, String)], options: &ImportOptions) -> Say {
    if let Some((name, _)) = files.iter().find(|(_, text)| text.len() > FILE_MAX) {
        return Say::nothing_imported(&format!(
            "{name} is larger than 50 MB, which is more than is read here."
        ));
    }
    let kinds: Vec<Kind> =
        files.iter().map(|(name, text)| import::recognise(text.as_bytes(), name)).collect();
    let mut said = read_used(files, &kinds, options);
    if let Say::Imported { ignored, .. } = &mut said {
        ignored.splice(0..0, left_out(files, &kinds));
    }
    said
}

/// In which order kinds of files are looked for.
const ORDER: [Kind; 10] = [
    Kind::Scenario,
    Kind::FairShare,
    Kind::TimeBased,
    Kind::Plan,
    Kind::Organisation,
    Kind::QueuesYaml,
    Kind::Kubernetes,
    Kind::Link,
    Kind::Trace,
    Kind::QueueSizes,
];

/// What a file of a kind is.
fn what_is(kind: Kind) -> &'static str {
    match kind {
        Kind::Scenario => "a scenario",
        Kind::Link => "a link",
        Kind::Trace => "a trace of jobs",
        Kind::QueueSizes => "sizes of queues",
        Kind::FairShare => "input of KAI's fair-share simulator",
        Kind::TimeBased => "input of KAI's time-based simulator",
        Kind::QueuesYaml => "a configuration of YuniKorn",
        Kind::Organisation => "projects or departments of Run:ai",
        Kind::Plan => "a resource plan of EGO",
        Kind::Kubernetes => "objects of a cluster",
        Kind::Unknown => "not recognized",
    }
}

/// The files that are left out, each with what it is: files of different kinds are no one scenario.
fn left_out(files: &[(String, String)], kinds: &[Kind]) -> Vec<String> {
    let Some(used) = ORDER.into_iter().find(|kind| kinds.contains(kind)) else { return Vec::new() };
    let is_used = |at: usize| match (kinds[at], used) {
        (Kind::Organisation, Kind::Organisation) | (Kind::Kubernetes, Kind::Kubernetes) => true,
        (Kind::QueueSizes, Kind::Trace) => !kinds[..at].contains(&Kind::QueueSizes),
        (kind, _) => kind == used && !kinds[..at].contains(&kind),
    };
    let left_out = files.iter().zip(kinds).enumerate().filter(|(at, _)| !is_used(*at));
    let says = |(_, ((name, _), kind)): (usize, (&(String, String), &Kind))| {
        format!("{name} is left out: it is {}, and the import is {}", what_is(*kind), what_is(used))
    };
    left_out.map(says).collect()
}

/// Reads the first of the kinds that are there.
fn read_used(files: &[(String, String)], kinds: &[Kind], options: &ImportOptions) -> Say {
    let of = |kind: Kind| kinds.iter().position(|k| *k == kind).map(|i| &files[i]);
    if let Some((_, text)) = of(Kind::Scenario) {
        return scenario_file(text);
    }
    if let Some((_, text)) = of(Kind::FairShare) {
        return foreign(import::fairshare::import(text));
    }
    if let Some((_, text)) = of(Kind::TimeBased) {
        return foreign(import::time_based::import(text));
    }
    if let Some((name, text)) = of(Kind::Plan) {
        return foreign(import::import_plan(text, &named(name)));
    }
    let texts = |kind: Kind| -> Vec<&str> {
        let all = files.iter().zip(kinds).filter(|(_, other)| **other == kind);
        all.map(|((_, text), _)| text.as_str()).collect()
    };
    if let Some((name, _)) = of(Kind::Organisation) {
        return foreign(import::import_organisation(&texts(Kind::Organisation), &named(name)));
    }
    if let Some((name, _)) = of(Kind::Kubernetes) {
        let of_kind = files.iter().zip(kinds).filter(|(_, kind)| **kind == Kind::Kubernetes);
        let sources: Vec<Source<'_>> = of_kind.map(|((file, text), _)| Source { file, text }).collect();
        return foreign(import::import_kubernetes(&sources, &named(name)));
    }
    if let Some((name, text)) = of(Kind::QueuesYaml) {
        return queues_yaml(name, text);
    }
    if let Some((_, text)) = of(Kind::Link) {
        return match fairground::link::open(text) {
            Ok(linked) => link(&linked),
            Err(_) => Say::nothing_imported("The link could not be read: part of it is missing or changed."),
        };
    }
    if let Some((name, text)) = of(Kind::Trace) {
        let sizes = of(Kind::QueueSizes).map(|(_, text)| text.as_str());
        return trace(name, text, sizes, options);
    }
    if of(Kind::QueueSizes).is_some() {
        return Say::nothing_imported(
            "These are sizes of queues. Drop them together with the trace of jobs.",
        );
    }
    Say::nothing_imported(
        "This is neither a scenario (YAML or JSON), nor a link, nor a trace of jobs (CSV with a head line), nor projects of \
         Run:ai (JSON), nor a resource plan of EGO (XML), nor queues of YuniKorn (queues.yaml), nor objects of a cluster (kubectl \
         get … -o json).",
    )
}

/// The scenario of a link.
fn link(linked: &Linked) -> Say {
    let (theirs, ours) = (linked.rules, fairground::link::RULES);
    let other = format!("version {ours} of the rules; the link was made with version {theirs}");
    let assumed = if theirs == ours { Vec::new() } else { vec![other] };
    said(Some(&linked.scenario), false, vec![contents(&linked.scenario)], [assumed, vec![], vec![]])
}

/// Choices that the reader is not asked for; the scenario is called like the file, if it has a name.
fn named(file: &str) -> Options {
    let stem = file.rsplit('/').next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or("", |(stem, _)| stem);
    Options { name: stem.to_string(), ..Options::default() }
}

/// What somebody else's program reads or lists.
fn foreign(Imported { scenario, report }: Imported) -> Say {
    let findings = report.diagnostics.into_iter().map(line).collect();
    said(scenario.as_ref(), false, report.understood, [report.assumed, report.ignored, findings])
}

/// `lists`: assumed, ignored, findings.
fn said(
    scenario: Option<&Scenario>,
    is_trace: bool,
    understood: Vec<String>,
    lists: [Vec<String>; 3],
) -> Say {
    let [assumed, ignored, findings] = lists;
    Say::Imported {
        scenario: scenario.map(scenario::to_json),
        is_trace,
        understood,
        assumed,
        ignored,
        findings,
    }
}

/// A configuration of YuniKorn.
fn queues_yaml(file: &str, text: &str) -> Say {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.trim_end_matches(".yml").trim_end_matches(".yaml").to_string();
    let Imported { scenario, report } =
        import::import_queues_yaml(text, &Options { name, ..Options::default() });
    let findings = report.diagnostics.into_iter().map(line).collect();
    said(scenario.as_ref(), false, report.understood, [report.assumed, report.ignored, findings])
}

/// Queues of YuniKorn as it reads them; `None`: it is another policy, or cannot run.
pub fn export(scenario: &str, original: Option<&str>) -> Option<Exported> {
    let text = import::export_queues_yaml(&scenario::read(scenario).scenario?)?;
    let before = original.and_then(|original| {
        import::export_queues_yaml(&import::import_queues_yaml(original, &Options::default()).scenario?)
    });
    let changes = before.map(|before| import::diff::unified(&before, &text, ["imported", "now"]));
    Some(Exported { text, changes })
}

fn contents(scenario: &Scenario) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    format!(
        "a scenario{}: {}, {}, {}",
        if scenario.name.is_empty() { String::new() } else { format!(" \"{}\"", scenario.name) },
        count(scenario.nodes.len(), "node group", "node groups"),
        count(scenario.queues.len(), "queue", "queues"),
        count(scenario.jobs.len(), "job", "jobs"),
    )
}

/// A mistake and where it is.
fn line(d: scenario::Diagnostic) -> String {
    match d.position {
        Some((line, _)) => format!("line {line}: {}", d.says),
        None => d.says,
    }
}

fn scenario_file(text: &str) -> Say {
    let read = scenario::read(text);
    let clean = read.is_clean();
    let ignored = if read.has_comments { vec!["comments; notes are kept".to_string()] } else { vec![] };
    let understood = read.scenario.iter().map(contents).collect();
    let findings = read.diagnostics.into_iter().map(line).collect();
    said(read.scenario.as_ref().filter(|_| clean), false, understood, [vec![], ignored, findings])
}

fn trace(name: &str, text: &str, sizes: Option<&str>, chosen: &ImportOptions) -> Say {
    let mut findings = Vec::new();
    let mut options = Options { cycle: TRACE_CYCLE.to_string(), ..Options::default() };
    options.name = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".csv").to_string();
    if !chosen.policy.is_empty() {
        options.policy.clone_from(&chosen.policy);
    }
    match pair(&chosen.nodes, &['x', '×', 'X', '*']) {
        Ok(nodes) => options.nodes = nodes,
        Err(()) => findings.push(format!("{:?} is no number of nodes and GPUs; write 88x8.", chosen.nodes)),
    }
    match fraction(&chosen.quota_scale) {
        Ok(scale) => options.quota_scale = scale,
        Err(()) => findings.push(format!("{:?} is no fraction; write 1/4.", chosen.quota_scale)),
    }
    let Imported { scenario, report } = import::import(text.as_bytes(), sizes.map(str::as_bytes), &options);
    findings.extend(report.diagnostics.into_iter().map(|d| d.says));
    said(scenario.as_ref(), true, report.understood, [report.assumed, report.ignored, findings])
}

/// `88x8` as (88, 8); empty as nothing.
fn pair(text: &str, separators: &[char]) -> Result<Option<(u32, u32)>, ()> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (left, right) = text.split_once(|c| separators.contains(&c)).ok_or(())?;
    Ok(Some((left.trim().parse().map_err(drop)?, right.trim().parse().map_err(drop)?)))
}

/// `1/4` or `2` or nothing, as numerator and denominator.
fn fraction(text: &str) -> Result<(u32, u32), ()> {
    if let Ok(whole) = text.trim().parse() {
        return Ok((whole, 1));
    }
    pair(text, &['/']).map(|pair| pair.unwrap_or((1, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        assert_eq!(pair("88 x 8", &['x']), Ok(Some((88, 8))));
        assert_eq!(pair(" ", &['x']), Ok(None));
        assert_eq!(pair("8", &['x']), Err(()));
        assert_eq!(fraction(""), Ok((1, 1)));
        assert_eq!(fraction("1/4"), Ok((1, 4)));
        assert_eq!(fraction("2"), Ok((2, 1)));
    }

    #[test]
    fn queues_of_yunikorn_are_read_and_written() {
        let original = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: a\n";
        let files = [("x/queues.yaml".to_string(), original.to_string())];
        let Say::Imported { scenario: Some(text), .. } = read(&files, &ImportOptions::default()) else {
            panic!("a configuration is one");
        };
        let exported = export(&text, Some(original)).expect("it goes back");
        assert_eq!(exported.changes.as_deref(), Some(""));
        let edited = text.replace("\"name\": \"a\"", "\"name\": \"a\", \"priority\": 7");
        let exported = export(&edited, Some(original)).expect("it goes back");
        assert!(exported.changes.is_some_and(|diff| diff.contains("+              priority.offset: \"7\"")));
        assert_eq!(export(crate::library::EXAMPLES[0].text, None), None);
    }

    #[test]
    fn files_that_are_left_out_are_named() {
        let file = |name: &str, text: &str| (name.to_string(), text.to_string());
        let start = file("start.yaml", crate::library::EXAMPLES[0].text);
        let csv = file("jobs.csv", "job_id,queue,submit,duration,gpus\n1,a,0,60,1\n");
        let plan = file("plan.xml", "<DistributionTree><Consumer ConsumerName=\"a\"/></DistributionTree>");
        let ignored = |files: &[(String, String)]| match read(files, &ImportOptions::default()) {
            Say::Imported { scenario: Some(_), ignored, .. } => {
                ignored.into_iter().filter(|line| line.contains("left out")).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(
            ignored(&[plan.clone(), start.clone(), csv.clone(), file("x.txt", "hello")]),
            [
                "plan.xml is left out: it is a resource plan of EGO, and the import is a scenario",
                "jobs.csv is left out: it is a trace of jobs, and the import is a scenario",
                "x.txt is left out: it is not recognized, and the import is a scenario",
            ]
        );
        let second = file("more.csv", &csv.1);
        assert_eq!(
            ignored(&[csv.clone(), second]),
            ["more.csv is left out: it is a trace of jobs, and the import is a trace of jobs"]
        );
        assert_eq!(ignored(&[csv]), Vec::<String>::new());
        let projects = |name: &str| {
            file(name, &format!("{{\"projects\": [{{\"name\": \"{name}\", \"deservedGpus\": 2}}]}}"))
        };
        assert_eq!(ignored(&[projects("a"), projects("b")]), Vec::<String>::new());
    }

    #[test]
    fn files_are_recognised() {
        let file = |name: &str, text: &str| vec![(name.to_string(), text.to_string())];
        let start = crate::library::EXAMPLES[0].text;
        let Say::Imported { scenario: Some(_), is_trace: false, .. } =
            read(&file("", start), &ImportOptions::default())
        else {
            panic!("the start scenario is a scenario");
        };
        let csv = "job_id,queue,submit,duration,gpus\n1,a,0,60,1\n2,b,5,60,2\n";
        let Say::Imported { scenario: Some(_), is_trace: true, .. } =
            read(&file("t.csv", csv), &ImportOptions::default())
        else {
            panic!("a trace is a trace");
        };
        let plan = "<DistributionTree><Consumer ConsumerName=\"a\"/></DistributionTree>";
        let projects = "{\"projects\": [{\"name\": \"a\", \"deservedGpus\": 2}]}";
        for (text, policy) in [(plan, "ego"), (projects, "runai")] {
            let Say::Imported { scenario: Some(scenario), is_trace: false, understood, assumed, .. } =
                read(&file("pasted text", text), &ImportOptions::default())
            else {
                panic!("{policy} is read");
            };
            assert_eq!(scenario::read(&scenario).scenario.map(|s| s.policy).as_deref(), Some(policy));
            assert!(!understood.is_empty() && !assumed.is_empty());
        }
        let two = vec![
            ("d.json".to_string(), "{\"departments\": [{\"name\": \"d\", \"deservedGpus\": 4}]}".to_string()),
            ("p.json".to_string(), projects.replace("\"deserved", "\"departmentName\": \"d\", \"deserved")),
        ];
        let Say::Imported { scenario: Some(both), .. } = read(&two, &ImportOptions::default()) else {
            panic!("two lists are one organisation");
        };
        assert_eq!(scenario::read(&both).scenario.map(|s| (s.name, s.queues.len())), Some(("d".into(), 2)));
        let wrong = projects.replace('2', "\"two\"");
        let Say::Imported { scenario: None, findings, .. } =
            read(&file("", &wrong), &ImportOptions::default())
        else {
            panic!("two is no number");
        };
        assert_eq!(findings, ["line 1: projects[0].deservedGpus: this is not a number"]);
        let Say::Imported { scenario: None, findings, .. } =
            read(&file("x", "hello"), &ImportOptions::default())
        else {
            panic!("a greeting is nothing");
        };
        assert_eq!(findings.len(), 1);
    }
}
