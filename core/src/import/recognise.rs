//! What a pasted or dropped text is.

use super::ego_plan::is_plan;
use super::kubernetes::is_kubernetes;
use super::runai::is_organisation;
use super::table::Table;
use crate::link;
use crate::scenario::FORMAT;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scenario in YAML or JSON.
    Scenario,
    /// A link, whole or cut.
    Link,
    /// A job trace in CSV.
    Trace,
    /// Sizes of queues in CSV.
    QueueSizes,
    /// Input of KAI's fair-share simulator, in JSON.
    FairShare,
    /// Input of KAI's simulator of time-based fair share, in YAML.
    TimeBased,
    /// A configuration of YuniKorn, in YAML or JSON.
    QueuesYaml,
    /// Projects and departments of Run:ai, in JSON.
    Organisation,
    /// A resource plan of EGO, in XML.
    Plan,
    /// Objects of a cluster as `kubectl` prints them, in YAML or JSON.
    Kubernetes,
    /// Something else.
    Unknown,
}

/// How much of a text is looked at, in bytes.
const LOOKED_AT: usize = 64 << 10;

/// Recognises a text by its content first, by the file's name (empty if there is none) where that leaves a
/// doubt. A look at the beginning is enough: large texts take no longer.
pub fn recognise(bytes: &[u8], file: &str) -> Kind {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    // A character may be cut in two at the end, but not elsewhere.
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => {
            std::str::from_utf8(&start[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return by_name(file),
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    let one_word = !text.contains(char::is_whitespace);
    if one_word && link::looks_like_link(text) {
        return Kind::Link;
    }
    let says_format = |line: &str| {
        let key = line.trim_start_matches(['{', ' ']).trim_start_matches('"');
        key.strip_prefix("format").is_some_and(|rest| rest.trim_start_matches(['"', ' ']).starts_with(':'))
    };
    if text.contains(FORMAT) && text.lines().any(says_format) {
        return Kind::Scenario;
    }
    if is_plan(text) {
        return Kind::Plan;
    }
    if is_organisation(text) {
        return Kind::Organisation;
    }
    if let Some(kind) = simulator(text) {
        return kind;
    }
    if super::is_queues_yaml(text) {
        return Kind::QueuesYaml;
    }
    if is_kubernetes(text) {
        return Kind::Kubernetes;
    }
    let keys = ["queues:", "jobs:", "nodes:", "timeline:", "dialect:", "policy:"];
    if text.lines().filter(|line| keys.iter().any(|key| line.starts_with(key))).count() >= 2 {
        return Kind::Scenario;
    }
    match table(text) {
        Kind::Unknown => by_name(file),
        kind => kind,
    }
}

/// Keys that only the inputs of KAI's bundled simulators have.
fn simulator(text: &str) -> Option<Kind> {
    let text = text.to_ascii_lowercase();
    let has = |key: &str| text.contains(key);
    if text.starts_with('{') && has("\"totalresource\"") && has("\"queues\"") {
        return Some(Kind::FairShare);
    }
    let own = ["deservedgpus", "numjobs", "numpods", "windowsize", "halflifeperiod", "kvalue", "cycles:"];
    let n_own = own.into_iter().filter(|key| has(key)).count();
    (n_own >= 2 && has("queues") && has("nodes")).then_some(Kind::TimeBased)
}

fn table(text: &str) -> Kind {
    let table = Table::new(text.as_bytes());
    if table.headers.len() < 2 {
        return Kind::Unknown;
    }
    let has = |names: &[&str]| table.column(None, names).is_some();
    let time = has(&["submit", "submit_s", "submit_time", "timestamp", "duration", "duration_s", "runtime"]);
    let gpus = has(&["gpus", "num_gpus", "gpu", "gpu_num"]);
    let queue = has(&["queue", "vc", "project", "tenant"]);
    if gpus && (time || has(&["id", "job", "job_id", "jobid"])) {
        Kind::Trace
    } else if (queue || has(&["name"])) && (gpus || has(&["nodes", "num_nodes", "quota"])) {
        Kind::QueueSizes
    } else {
        Kind::Unknown
    }
}

fn by_name(file: &str) -> Kind {
    let file = file.to_ascii_lowercase();
    match file.rsplit('.').next() {
        Some("yaml" | "yml" | "json") if file.contains(".fairground.") => Kind::Scenario,
        _ => Kind::Unknown,
    }
}
