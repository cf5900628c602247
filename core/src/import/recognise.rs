//! Recognises the kind of a pasted, dropped or named file.

use super::ego_plan::is_plan;
use super::kubernetes::is_kubernetes;
use super::runai::is_organisation;
use super::table::Table;
use super::yunikorn_rest::is_state;
use crate::link;
use crate::scenario::FORMAT;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A scenario in YAML or JSON.
    Scenario,
    /// A link, complete or truncated.
    Link,
    /// A job trace in CSV.
    Trace,
    /// Queue sizes in CSV.
    QueueSizes,
    /// A configuration of YuniKorn, in YAML or JSON.
    QueuesYaml,
    /// Projects and departments of Run:ai, in JSON.
    Organisation,
    /// A resource plan of EGO, in XML.
    Plan,
    /// Objects of a cluster as printed by `kubectl`, in YAML or JSON.
    Kubernetes,
    /// Responses of YuniKorn's REST API, in JSON.
    YuniKornState,
    /// A table printed by `kubectl get`, which contains no amounts.
    ObjectTable,
    /// A slot plan of EGO, whose format is unknown.
    SlotPlan,
    /// Any other content.
    Unknown,
}

impl FileKind {
    /// Returns the display name of the kind.
    pub fn what(self) -> &'static str {
        match self {
            FileKind::Scenario => "a scenario",
            FileKind::Link => "a link",
            FileKind::Trace => "a trace of jobs",
            FileKind::QueueSizes => "a list of queue sizes",
            FileKind::QueuesYaml => "a configuration of YuniKorn",
            FileKind::Organisation => "a REST answer of Run:ai",
            FileKind::Plan => "a resource plan of EGO",
            FileKind::Kubernetes => "a list of cluster objects",
            FileKind::YuniKornState => "a REST answer of YuniKorn",
            FileKind::ObjectTable => "a table of kubectl",
            FileKind::SlotPlan => "a slot plan of EGO",
            FileKind::Unknown => "not recognized",
        }
    }

    /// Returns advice for a kind that is recognised but cannot be imported.
    pub fn advice(self) -> Option<&'static str> {
        match self {
            FileKind::ObjectTable => Some(
                "this table of kubectl has neither quotas nor requests; print the objects: kubectl get \
                 queues.scheduling.run.ai,podgroups.scheduling.run.ai,bindrequests.scheduling.run.ai,pods,nodes,priorityclasses -A -o json",
            ),
            FileKind::SlotPlan => Some(
                "this is a slot plan of EGO (ConsumerTrees.xml), which is not read; export the multidimensional plan, MDPlan.xml",
            ),
            _ => None,
        }
    }
}

/// Number of bytes at the beginning that are inspected.
const INSPECTED_BYTES: usize = 64 << 10;

/// Recognises a file by the beginning of its content, and by its name (empty if unknown) where the content is
/// ambiguous.
pub fn recognise(bytes: &[u8], file: &str) -> FileKind {
    let start = &bytes[..bytes.len().min(INSPECTED_BYTES)];
    // The cut may split the last character; other invalid bytes mean that this is no text.
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => std::str::from_utf8(&start[..e.valid_up_to()]).unwrap_or_default(),
        Err(_) => return by_name(file),
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    let one_word = !text.contains(char::is_whitespace);
    if one_word && link::looks_like_link(text) {
        return FileKind::Link;
    }
    let says_format = |line: &str| {
        let key = line.trim_start_matches(['{', ' ']).trim_start_matches('"');
        key.strip_prefix("format").is_some_and(|suffix| suffix.trim_start_matches(['"', ' ']).starts_with(':'))
    };
    if text.contains(FORMAT) && text.lines().any(says_format) {
        return FileKind::Scenario;
    }
    if is_plan(text) {
        return FileKind::Plan;
    }
    if text.contains("<ConsumerTrees") {
        return FileKind::SlotPlan;
    }
    if is_organisation(text) {
        return FileKind::Organisation;
    }
    if is_state(text) {
        return FileKind::YuniKornState;
    }
    if super::is_queues_yaml(text) {
        return FileKind::QueuesYaml;
    }
    if is_kubernetes(text) {
        return FileKind::Kubernetes;
    }
    if text.lines().take(20).any(is_object_table) {
        return FileKind::ObjectTable;
    }
    let keys = ["queues:", "jobs:", "nodes:", "timeline:", "dialect:", "policy:"];
    if text.lines().filter(|line| keys.iter().any(|key| line.starts_with(key))).count() >= 2 {
        return FileKind::Scenario;
    }
    match table(text) {
        FileKind::Unknown => by_name(file),
        kind => kind,
    }
}

/// Header rows printed by `kubectl get` for queues, pod groups, pods and nodes, without a leading namespace column.
const OBJECT_TABLES: [&[&str]; 5] = [
    &["NAME", "PRIORITY", "PARENT"],
    &["NAME", "PARENT"],
    &["NAME", "STATUS", "MINMEMBER"],
    &["NAME", "READY", "STATUS"],
    &["NAME", "STATUS", "ROLES"],
];

fn is_object_table(line: &str) -> bool {
    let heads: Vec<&str> = line.split_whitespace().filter(|head| *head != "NAMESPACE").collect();
    OBJECT_TABLES.iter().any(|table| heads.starts_with(table))
}

fn table(text: &str) -> FileKind {
    let table = Table::new(text.as_bytes());
    if table.headers.len() < 2 {
        return FileKind::Unknown;
    }
    let has_column = |names: &[&str]| table.column(None, names).is_some();
    let time = has_column(&["submit", "submit_s", "submit_time", "timestamp", "duration", "duration_s", "runtime"]);
    let gpus = has_column(&["gpus", "num_gpus", "gpu", "gpu_num"]);
    let queue = has_column(&["queue", "vc", "project", "tenant"]);
    if gpus && (time || has_column(&["id", "job", "job_id", "jobid"])) {
        FileKind::Trace
    } else if (queue || has_column(&["name"])) && (gpus || has_column(&["nodes", "num_nodes", "quota"])) {
        FileKind::QueueSizes
    } else {
        FileKind::Unknown
    }
}

fn by_name(file: &str) -> FileKind {
    let file = file.to_ascii_lowercase();
    match file.rsplit('.').next() {
        Some("yaml" | "yml" | "json") if file.contains(".fairground.") => FileKind::Scenario,
        // The columns of any table can be mapped.
        Some("csv" | "tsv") => FileKind::Trace,
        _ => FileKind::Unknown,
    }
}
