//! Runs recordings: distributes the cases of all files over threads, and judges each case.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fairground::scenario::Plan;

use crate::known::Difference;
use crate::recording::{Format, Recording};
use crate::report::{CaseReport, FileReport, Verdict};
use crate::{cycle, division, ego, front, runai, yunikorn};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Through {
    /// As the data structures of the rules.
    #[default]
    Rules,
    /// As scenario files, see [`crate::front`].
    Scenarios,
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only cases whose id contains this.
    pub only: Option<String>,
    pub known: Vec<Difference>,
    pub through: Through,
}

/// Runs all cases of all files on all processors; reports are in file and line order.
pub fn run(recordings: &[Recording], options: &Options) -> Vec<FileReport> {
    let work: Vec<(usize, usize)> = recordings
        .iter()
        .enumerate()
        .flat_map(|(file, recording)| (0..recording.cases.len()).map(move |case| (file, case)))
        .collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, CaseReport)>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(&(file, case)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(report) = run_case(&recordings[file], case, options) {
                        done.lock().unwrap_or_else(|e| e.into_inner()).push((file, report));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by_key(|(file, report)| (*file, report.line));
    let mut reports: Vec<FileReport> = recordings.iter().map(empty_report).collect();
    for (file, report) in done {
        reports[file].cases.push(report);
    }
    for report in &mut reports {
        apply_known(report, options);
    }
    reports
}

fn empty_report(recording: &Recording) -> FileReport {
    FileReport { file: recording.path.display().to_string(), revision: recording.revision.clone(), cases: Vec::new() }
}

fn run_case(recording: &Recording, case: usize, options: &Options) -> Option<CaseReport> {
    let line = recording.cases[case].0;
    let case = match read_case(recording, case) {
        Ok(case) => case,
        Err(says) => return Some(failed(line, "", &says)),
    };
    let id = case.id();
    if options.only.as_ref().is_some_and(|only| !id.contains(only.as_str())) {
        return None;
    }
    let judge = || match options.through {
        Through::Rules => case.check(),
        Through::Scenarios => case.check_through_scenario(),
    };
    Some(match catch_unwind(AssertUnwindSafe(judge)) {
        Ok(verdict) => CaseReport { line, id: id.to_owned(), verdict },
        Err(panic) => failed(line, id, &format!("panicked: {}", panic_text(&*panic))),
    })
}

fn read_case(recording: &Recording, case: usize) -> Result<Case, String> {
    let text = &recording.cases[case].1;
    let read = match recording.format {
        Format::KaiDivision => serde_json::from_str(text).map(Case::Division),
        Format::Ego => serde_json::from_str(text).map(|case| Case::Ego(Box::new(case))),
        Format::Runai => serde_json::from_str(text).map(Case::Runai),
        Format::YuniKorn(kind) => serde_json::from_str(text).map(|case| Case::YuniKorn(kind, case)),
        _ => serde_json::from_str(text)
            .map(|case: cycle::Case| Case::Cycle(Box::new(case.recorded_at(&recording.revision)))),
    };
    read.map_err(|e| format!("not a case: {e}"))
}

/// The id of a case and the plans of the scenario files that stand for it; none if it cannot be written as one.
pub fn plans(recording: &Recording, case: usize) -> (String, Vec<Plan>) {
    let Ok(case) = read_case(recording, case) else { return Default::default() };
    let plans = front::plans_of(|| case.check_through_scenario());
    (case.id().to_owned(), plans)
}

/// A parsed case.
enum Case {
    Division(division::Case),
    Cycle(Box<cycle::Case>),
    Ego(Box<ego::Case>),
    Runai(serde_json::Value),
    YuniKorn(yunikorn::CaseKind, serde_json::Value),
}

impl Case {
    fn id(&self) -> &str {
        match self {
            Case::Division(case) => &case.id,
            Case::Cycle(case) => &case.id,
            Case::Ego(case) => &case.id,
            Case::Runai(case) => case["id"].as_str().unwrap_or_default(),
            Case::YuniKorn(_, case) => yunikorn::id(case),
        }
    }

    fn check(&self) -> Verdict {
        match self {
            Case::Division(case) => division::check(case),
            Case::Cycle(case) => cycle::check(case),
            Case::Ego(case) => ego::check(case),
            Case::Runai(case) => runai::check(case),
            Case::YuniKorn(kind, case) => yunikorn::check(*kind, case),
        }
    }

    fn check_through_scenario(&self) -> Verdict {
        match self {
            Case::Division(case) => front::kai_division::check(case),
            Case::Cycle(case) => front::kai_cycle::check(case),
            Case::Ego(case) => front::ego::check(case),
            Case::Runai(case) => front::runai::check(case),
            Case::YuniKorn(kind, case) => front::yunikorn::check(*kind, case),
        }
    }
}

fn failed(line: usize, id: &str, says: &str) -> CaseReport {
    CaseReport { line, id: id.to_owned(), verdict: Verdict::Failed(says.to_owned()) }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "without a message".to_owned(),
    }
}

/// Marks accepted differences as *known* and vanished ones as failures. Entries whose case is not in the
/// file are not reported here: another folder may have other cases under the same file name.
fn apply_known(report: &mut FileReport, options: &Options) {
    let own = |k: &&Difference| k.through == options.through && k.is_in(&report.file);
    for known in options.known.iter().filter(own) {
        if let Some(case) = report.cases.iter_mut().find(|c| c.id == known.id) {
            case.verdict = known.judge(&case.verdict);
        }
    }
}

/// Part of a path that identifies a recording: last folder and name.
pub fn short_name(path: &str) -> String {
    let path = Path::new(path);
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    match path.parent().and_then(Path::file_name) {
        Some(folder) => format!("{}/{name}", folder.to_string_lossy()),
        None => name,
    }
}
