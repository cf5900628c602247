//! Pasted and dropped files, read where reading does not hold up the page.

use fairground::import::{self, Imported, Kind, Options};
use fairground::scenario::{self, Scenario};

use super::protocol::{ImportOptions, Say};

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
    let of = |kind: Kind| kinds.iter().position(|k| *k == kind).map(|i| &files[i]);
    if let Some((_, text)) = of(Kind::Scenario) {
        return scenario_file(text);
    }
    if let Some((_, text)) = of(Kind::FairShare) {
        return simulator(import::fairshare::import(text));
    }
    if let Some((_, text)) = of(Kind::TimeBased) {
        return simulator(import::time_based::import(text));
    }
    if let Some((name, text)) = of(Kind::QueuesYaml) {
        return queues_yaml(name, text);
    }
    if let Some((_, text)) = of(Kind::Link) {
        return match fairground::link::decode(text) {
            Ok(scenario) => said(Some(&scenario), false, vec![contents(&scenario)], [vec![], vec![], vec![]]),
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
        "This is neither a scenario (YAML or JSON), nor a link, nor a trace of jobs (CSV with a head line).",
    )
}

/// Input of one of KAI's bundled simulators.
fn simulator(Imported { scenario, report }: Imported) -> Say {
    let findings = report.diagnostics.into_iter().map(|d| d.says).collect();
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

fn line(found: scenario::Diagnostic) -> String {
    match found.position {
        Some((line, _)) => format!("line {line}: {}", found.says),
        None => found.says,
    }
}

fn contents(scenario: &Scenario) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    format!(
        "a scenario{}: {}, {}, {}",
        if scenario.name.is_empty() { String::new() } else { format!(" \"{}\"", scenario.name) },
        count(scenario.nodes.len(), "entry of nodes", "entries of nodes"),
        count(scenario.queues.len(), "queue", "queues"),
        count(scenario.jobs.len(), "job", "jobs"),
    )
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
        let Say::Imported { scenario: None, findings, .. } =
            read(&file("x", "hello"), &ImportOptions::default())
        else {
            panic!("a greeting is nothing");
        };
        assert_eq!(findings.len(), 1);
    }
}
