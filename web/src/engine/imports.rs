//! Reads pasted and dropped files off the page's thread.

use std::sync::Arc;

use fairground::export::{self, Folder, Refused, Written};
use fairground::import::{self, File, FileKind, Files, Options};
use fairground::scenario::{self, JobEntry, Scenario, TimelineEntry};

use super::protocol::{Columns, Exported, FileBytes, ImportOptions, ImportReport, Kit, Piece, Response};

/// Cycle interval of imported traces.
const TRACE_CYCLE: &str = "on change";

/// Entries of a long section per message; unpacking one takes the page about ten milliseconds.
const PIECE: usize = 5_000;

/// Files being read. Long sections of the scenario are sent in pieces, the rest with the result.
pub struct ImportRun {
    stage: Stage,
}

enum Stage {
    Waiting(Vec<(String, FileBytes)>, ImportOptions),
    /// What remains to be sent.
    Sending {
        jobs: std::vec::IntoIter<JobEntry>,
        timeline: std::vec::IntoIter<TimelineEntry>,
        rest: Response,
    },
}

impl ImportRun {
    /// An import that has not started.
    pub fn new(files: Vec<(String, FileBytes)>, options: ImportOptions) -> ImportRun {
        ImportRun { stage: Stage::Waiting(files, options) }
    }

    /// Returns the next message, and whether it is the last one.
    pub fn work(&mut self) -> (Response, bool) {
        if let Stage::Waiting(files, options) = &self.stage {
            let mut rest = read(files, options);
            let (mut jobs, mut timeline) = (Vec::new(), Vec::new());
            if let Response::Imported { scenario: Some(scenario), .. } = &mut rest {
                jobs = Arc::unwrap_or_clone(std::mem::take(&mut scenario.jobs));
                timeline = Arc::unwrap_or_clone(std::mem::take(&mut scenario.timeline));
            }
            self.stage = Stage::Sending { jobs: jobs.into_iter(), timeline: timeline.into_iter(), rest };
        }
        let Stage::Sending { jobs, timeline, rest } = &mut self.stage else {
            return (Response::Reading, true);
        };
        let next: Vec<JobEntry> = jobs.take(PIECE).collect();
        if !next.is_empty() {
            return (Response::Piece(Piece::Jobs(next)), false);
        }
        let next: Vec<TimelineEntry> = timeline.take(PIECE).collect();
        if !next.is_empty() {
            return (Response::Piece(Piece::Timeline(next)), false);
        }
        (std::mem::replace(rest, Response::Reading), true)
    }
}

/// Reads the files.
fn read(files: &[(String, FileBytes)], options: &ImportOptions) -> Response {
    let mut findings = Vec::new();
    let chosen = chosen(files, options, &mut findings);
    let given: Vec<File<'_>> =
        files.iter().map(|(name, bytes)| File { name, bytes: &bytes.0, is_sizes: false }).collect();
    let Files { imported, more, kind, trace } = import::import_files(&given, &chosen);
    let report = imported.report;
    findings.extend(report.diagnostics.into_iter().map(line));
    let columns = trace.map(|trace| {
        let import::Preview { columns, rows } = import::preview(&trace, &chosen.mapping);
        let columns = columns.into_iter().map(|(name, holds)| (name, holds.to_string())).collect();
        Columns { columns, rows }
    });
    let mut checked = imported.scenario.as_ref().map(scenario::diagnose).unwrap_or_default();
    checked.sort_by_key(|d| std::cmp::Reverse(d.severity));
    Response::Imported {
        scenario: imported.scenario.map(Box::new),
        checked,
        report: Box::new(ImportReport {
            more: more.iter().map(scenario::to_json).collect(),
            is_trace: kind == FileKind::Trace,
            is_foreign: !matches!(kind, FileKind::Scenario | FileKind::Link | FileKind::Unknown),
            columns,
            understood: report.understood,
            assumed: report.assumed,
            ignored: report.ignored,
            findings,
        }),
    }
}

/// The import options; the scenario is named after the first file, if that has a name.
fn chosen(files: &[(String, FileBytes)], given: &ImportOptions, findings: &mut Vec<String>) -> Options {
    let file = files.first().map_or("", |(name, _)| name.as_str());
    let stem = file.rsplit('/').next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or("", |(stem, _)| stem);
    let mut options = Options {
        name: stem.to_string(),
        cycle: TRACE_CYCLE.to_string(),
        policy: given.policy.clone(),
        ..Options::default()
    };
    match pair(&given.nodes, &['x', '×', 'X', '*']) {
        Ok(nodes) => options.nodes = nodes,
        Err(()) => findings.push(format!("{:?} is no number of nodes and GPUs; write 88x8.", given.nodes)),
    }
    match fraction(&given.quota_scale) {
        Ok(scale) => options.quota_scale = scale,
        Err(()) => findings.push(format!("{:?} is no fraction; write 1/4.", given.quota_scale)),
    }
    for (field, column) in &given.mapping {
        options.mapping.set(field, column);
    }
    options
}

/// A scenario in a format of its product; `None`: the product has no such format, or the scenario cannot run.
pub fn export(scenario: &Scenario, format: &str, original: Option<&str>) -> Option<Exported> {
    let Written { text, left_out } = export::export(scenario, Some(format)).ok()?;
    let before = original.and_then(|original| export::original(original)?.scenario);
    let changes = before.and_then(|before| export::changes(&before, scenario, Some(format), ["imported", "now"]).ok());
    Some(Exported { format: format.to_string(), text, changes, left_out })
}

/// A virtual cluster as one archive.
pub fn packed(folder: Result<Folder, Refused>) -> Response {
    let kit = folder.ok().and_then(|Folder { files, left_out }| {
        let archive = FileBytes(export::zip(&files)?.into());
        Some(Box::new(Kit { archive, n_files: files.len(), left_out }))
    });
    Response::Kit(kit)
}

/// A finding with its position.
fn line(d: scenario::Diagnostic) -> String {
    match d.position {
        Some((line, _)) if !d.says.contains(&format!("line {line} ")) => format!("line {line}: {}", d.says),
        _ => d.says,
    }
}

/// Parses `88x8` as (88, 8), and an empty text as nothing.
fn pair(text: &str, separators: &[char]) -> Result<Option<(u32, u32)>, ()> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (left, right) = text.split_once(|c| separators.contains(&c)).ok_or(())?;
    Ok(Some((left.trim().parse().map_err(drop)?, right.trim().parse().map_err(drop)?)))
}

/// Parses `1/4` or `2` as numerator and denominator.
fn fraction(text: &str) -> Result<(u32, u32), ()> {
    if let Ok(whole) = text.trim().parse() {
        return Ok((whole, 1));
    }
    pair(text, &['/']).map(|pair| pair.unwrap_or((1, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "job_id,queue,submit,duration,gpus\n1,a,0,60,1\n";
    const PLAN: &str = "<DistributionTree><Consumer ConsumerName=\"a\"/></DistributionTree>";

    fn file(name: &str, text: &str) -> (String, FileBytes) {
        (name.to_string(), FileBytes::of(text))
    }

    /// The scenario, its findings and the report of files.
    fn imported(files: &[(String, FileBytes)]) -> (Option<Box<Scenario>>, Vec<scenario::Diagnostic>, ImportReport) {
        match read(files, &ImportOptions::default()) {
            Response::Imported { scenario, checked, report } => (scenario, checked, *report),
            other => panic!("{other:?}"),
        }
    }

    fn scenario_of(files: &[(String, FileBytes)]) -> Box<Scenario> {
        imported(files).0.expect("a scenario")
    }

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
        let original =
            "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: a\n";
        let mut scenario = scenario_of(&[file("x/queues.yaml", original)]);
        let exported = export(&scenario, "queues.yaml", Some(original)).expect("it goes back");
        assert_eq!(exported.changes.as_deref(), Some(""));
        let queues = Arc::make_mut(&mut scenario.queues);
        queues.iter_mut().find(|queue| queue.name == "a").expect("the queue").priority = Some("7".into());
        let exported = export(&scenario, "queues.yaml", Some(original)).expect("it goes back");
        assert!(exported.changes.is_some_and(|diff| diff.contains("+              priority.offset: \"7\"")));
        let first = crate::library::start();
        assert!(export(&first, "kai-queues.yaml", None).is_some_and(|made| made.changes.is_none()));
        assert_eq!(export(&first, "queues.json", None), None);
    }

    /// Long sections are sent in pieces, in order; the final message describes the whole scenario.
    #[test]
    fn a_long_scenario_is_sent_in_pieces() {
        let n = PIECE + 3;
        let rows: String = (0..n).map(|i| format!("{i},a,{i},60,1\n")).collect();
        let files = vec![file("t.csv", &format!("job_id,queue,submit,duration,gpus\n{rows}"))];
        let (whole, checked, _) = imported(&files);
        let mut run = ImportRun::new(files, ImportOptions::default());
        let (mut jobs, mut sizes) = (Vec::new(), Vec::new());
        let rest = loop {
            match run.work() {
                (Response::Piece(Piece::Jobs(piece)), false) => {
                    sizes.push(piece.len());
                    jobs.extend(piece);
                }
                (response, is_over) => {
                    assert!(is_over, "{response:?}");
                    break response;
                }
            }
        };
        let Response::Imported { scenario: Some(scenario), checked: of_all, .. } = rest else { panic!("{rest:?}") };
        assert_eq!((sizes, jobs), (vec![PIECE, 3], whole.expect("a trace is read").jobs.to_vec()));
        assert!(scenario.jobs.is_empty() && of_all == checked, "{of_all:?}");
    }

    #[test]
    fn files_that_are_left_out_are_named() {
        let start = file("start.yaml", crate::library::EXAMPLES[0].text);
        let (csv, plan) = (file("jobs.csv", TRACE), file("plan.xml", PLAN));
        let ignored = |files: &[(String, FileBytes)]| match imported(files) {
            (Some(_), _, report) => {
                report.ignored.into_iter().filter(|line| line.contains("left out")).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(
            ignored(&[plan, start, csv.clone(), file("x.txt", "hello")]),
            [
                "plan.xml is left out: it is a resource plan of EGO, and the import is a scenario",
                "jobs.csv is left out: it is a trace of jobs, and the import is a scenario",
            ]
        );
        let second = file("more.csv", TRACE);
        assert_eq!(ignored(&[csv.clone(), second]), ["more.csv is left out: it is another trace of jobs"]);
        assert_eq!(ignored(&[csv]), Vec::<String>::new());
        let projects =
            |name: &str| file(name, &format!("{{\"projects\": [{{\"name\": \"{name}\", \"deservedGpus\": 2}}]}}"));
        assert_eq!(ignored(&[projects("a"), projects("b")]), Vec::<String>::new());
    }

    #[test]
    fn scenarios_of_an_archive_are_all_read() {
        let of = |name: &str, text: &str| export::File { name: name.into(), text: text.into() };
        let texts = crate::library::EXAMPLES;
        let files = [
            of("01-a.yaml", texts[0].text),
            of("02-b.yaml", texts[1].text),
            of("03-c.yaml", "format: fairground-scenario\nversion: 1\nnodes: 7\n"),
        ];
        let archive = export::zip(&files).expect("an archive");
        let packed = |bytes: &[u8]| ("drafts.zip".to_string(), FileBytes(bytes.into()));
        let (first, _, ImportReport { more, findings, .. }) = imported(&[packed(&archive)]);
        let title = |text: &str| scenario::read(text).scenario.map(|scenario| scenario.name);
        assert_eq!(first.expect("scenarios are read").name, texts[0].head("name"));
        assert_eq!(more.iter().map(|text| title(text)).collect::<Vec<_>>(), [Some(texts[1].head("name"))]);
        assert!(findings.iter().any(|says| says.contains("03-c.yaml: ")), "{findings:?}");
        // Any corrupt byte still yields a response.
        for at in (0..archive.len()).step_by(97) {
            let mut bytes = archive.clone();
            bytes[at] ^= 0xff;
            imported(&[packed(&bytes)]);
        }
    }

    #[test]
    fn files_are_recognised() {
        let kind_of = |name: &str, text: &str| {
            let (scenario, _, report) = imported(&[file(name, text)]);
            (scenario.is_some(), report)
        };
        let (is_read, report) = kind_of("", crate::library::EXAMPLES[0].text);
        assert!(is_read && !report.is_trace, "the start scenario is a scenario");
        let (is_read, report) = kind_of("t.csv", "job_id,queue,submit,duration,gpus\n1,a,0,60,1\n2,b,5,60,2\n");
        assert!(is_read && report.is_trace, "a trace is a trace");
        let projects = "{\"projects\": [{\"name\": \"a\", \"deservedGpus\": 2}]}";
        for text in [PLAN, projects] {
            let (is_read, report) = kind_of("pasted text", text);
            assert!(is_read && report.is_foreign && !report.is_trace, "{text} is read");
            assert!(!report.understood.is_empty() && !report.assumed.is_empty());
        }
        let two = [
            file("d.json", "{\"departments\": [{\"name\": \"d\", \"deservedGpus\": 4}]}"),
            file("p.json", &projects.replace("\"deserved", "\"departmentName\": \"d\", \"deserved")),
        ];
        let both = scenario_of(&two);
        assert_eq!((both.name.as_str(), both.queues.len()), ("d", 2), "two lists are one organisation");
        let (is_read, report) = kind_of("", &projects.replace('2', "\"two\""));
        let wrong = "line 1: projects[0].deservedGpus: this is not a number";
        assert_eq!((is_read, report.findings), (false, vec![wrong.to_string()]));
        let (is_read, report) = kind_of("x", "hello");
        assert_eq!((is_read, report.findings.len()), (false, 1), "a greeting is nothing");
    }
}
