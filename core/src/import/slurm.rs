//! Imports output of Slurm's `sacctmgr show assoc`, `sshare` and `squeue` in part: accounts as queues, jobs as jobs.
//!
//! # Rule
//! Columns are separated by `|` (`-P`, `-p`), or aligned with the headers. Shares become weights, GrpTRES becomes limits, effective
//! usage becomes the usage of a queue. Pending and running jobs are imported; each node of a job becomes a pod, and all of them
//! start together.
//!
//! # Source
//! Slurm, manual pages of sacctmgr, sshare and squeue
//!
//! # Differs
//! Slurm orders jobs by priority factors and makes reservations for backfill; neither is simulated. Budgets over time have no
//! counterpart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::Options;
use super::{Imported, NODES, Report, Source, counted, node, node_group, typed, without_limit};
use crate::scenario::quantity::print_decimal;
use crate::scenario::{JobEntry, PODS_MAX, QUEUES_MAX, QueueEntry, ResourceEntry, Scalar, Scenario};

/// Name of the root account.
const ROOT: &str = "root";

/// Whether a text is output of one of the commands.
pub fn is_slurm(text: &str) -> bool {
    text.lines().take(20).any(|line| {
        let heads = heads(line);
        is_accounts(&heads) || is_jobs(&heads)
    })
}

fn heads(line: &str) -> Vec<String> {
    let parts: Vec<&str> =
        if line.contains('|') { line.split('|').collect() } else { line.split_whitespace().collect() };
    parts.into_iter().map(|head| head.trim().to_ascii_lowercase()).collect()
}

fn is_accounts(heads: &[String]) -> bool {
    let has = |name: &str| heads.iter().any(|head| head == name);
    has("account") && has("user") && (has("rawshares") || has("share"))
}

fn is_jobs(heads: &[String]) -> bool {
    let has = |name: &str| heads.iter().any(|head| head == name);
    has("jobid") && (has("st") || has("state"))
}

/// Rows of a printed table.
struct Rows<'a> {
    heads: Vec<String>,
    /// Ends of the headers in an aligned table, as byte offsets; empty in a separated one.
    ends: Vec<usize>,
    lines: Vec<(usize, &'a str)>,
}

impl<'a> Rows<'a> {
    fn of(text: &'a str) -> Option<Rows<'a>> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim_end_matches('\r')));
        let (_, head) = lines.find(|(_, line)| {
            let heads = heads(line);
            is_accounts(&heads) || is_jobs(&heads)
        })?;
        let mut ends = Vec::new();
        if !head.contains('|') {
            let mut before = ' ';
            for (i, c) in head.char_indices() {
                if c == ' ' && before != ' ' {
                    ends.push(i);
                }
                before = c;
            }
            ends.push(head.len());
        }
        let is_row = |(_, line): &(usize, &str)| !line.trim_matches(['-', ' ', '|']).is_empty();
        Some(Rows { heads: heads(head), ends, lines: lines.filter(is_row).collect() })
    }

    /// Returns the fields of a line by header, untrimmed: in `sshare`, leading spaces show the depth of an account.
    fn fields(&self, line: &'a str) -> BTreeMap<&str, &'a str> {
        let parts: Vec<&str> = if line.contains('|') || self.ends.is_empty() {
            line.split('|').collect()
        } else if line.split_whitespace().count() == self.heads.len() {
            line.split_whitespace().collect()
        } else {
            let mut from = 0;
            let cut = |end: &usize| {
                let part = line.get(from..(*end).min(line.len())).unwrap_or_default();
                from = (*end).min(line.len());
                part
            };
            self.ends.iter().map(cut).collect()
        };
        self.heads.iter().map(String::as_str).zip(parts).collect()
    }
}

/// An account.
struct Account {
    name: String,
    parent: Option<String>,
    weight: String,
    limits: String,
    usage: Option<String>,
}

/// Imports output of the commands.
pub fn import_slurm(sources: &[Source<'_>], options: &Options) -> Imported {
    let mut report = Report::default();
    let mut accounts: Vec<Account> = Vec::new();
    let mut jobs = Vec::new();
    for Source { file, text } in sources {
        let Some(rows) = Rows::of(text.trim_start_matches('\u{feff}')) else { continue };
        let file = if sources.len() > 1 { format!("{file} ") } else { String::new() };
        if is_jobs(&rows.heads) {
            read_jobs(&rows, &file, &mut jobs, &mut report);
        } else {
            read_accounts(&rows, &file, &mut accounts, &mut report);
        }
    }
    let scenario = scenario(accounts, jobs, options, &mut report);
    let is_clean = report.diagnostics.is_empty();
    Imported { scenario: scenario.filter(|_| is_clean), report }
}

/// Account columns with a counterpart in a scenario.
const ACCOUNT_HEADS: [&str; 11] = [
    "account",
    "user",
    "share",
    "rawshares",
    "grptres",
    "effectvusage",
    "normusage",
    "parentname",
    "cluster",
    "normshares",
    "par name",
];

fn read_accounts(rows: &Rows<'_>, file: &str, all: &mut Vec<Account>, report: &mut Report) {
    let has_parents = rows.heads.iter().any(|head| head == "parentname" || head == "par name");
    let is_indented = rows.lines.iter().any(|(_, line)| line.starts_with(' '));
    let others = rows.heads.iter().map(String::as_str);
    let others: Vec<&str> = others.filter(|head| !head.is_empty() && !ACCOUNT_HEADS.contains(head)).collect();
    if !others.is_empty() {
        report.ignore(format!("{file}columns {}: no counterpart", others.join(", ")));
    }
    if !has_parents && !is_indented {
        let says = "all accounts stand under the root: ask for format=Account,ParentName,User,Share,GrpTRES to have the tree";
        report.assume(format!("{file}{says}"));
    }
    let (mut above, mut n_users, mut n_read) = (Vec::<(usize, String)>::new(), 0, 0);
    for (line, text) in &rows.lines {
        let fields = rows.fields(text);
        let of = |head: &str| fields.get(head).map(|text| text.trim()).filter(|text| !text.is_empty());
        let typed = fields.get("account").copied().unwrap_or_default();
        let Some(name) = of("account") else {
            report.ignore(format!("{file}line {line}: it names no account"));
            continue;
        };
        if of("user").is_some() {
            n_users += 1;
            continue;
        }
        let depth = typed.len() - typed.trim_start().len();
        above.retain(|(other, _)| *other < depth);
        let parent = match of("parentname").or_else(|| of("par name")) {
            Some(parent) => Some(parent.to_string()),
            None => above.last().map(|(_, name)| name.clone()),
        };
        above.push((depth, name.to_string()));
        if name == ROOT {
            continue;
        }
        n_read += 1;
        let share = of("rawshares").or_else(|| of("share")).unwrap_or("1");
        let weight = if share.parse::<f64>().is_ok_and(|n| n >= 0.0) { share } else { "1" };
        if weight != share {
            let says = format!("{file}line {line}: the share of {name} is {share}: it counts as 1");
            report.assume(says);
        }
        let known = all.iter_mut().find(|account| account.name == name);
        let usage = of("effectvusage").or_else(|| of("normusage")).map(str::to_string);
        let limits = of("grptres").unwrap_or_default().to_string();
        match known {
            // The output of sacctmgr and sshare for one cluster is complementary.
            Some(account) => {
                account.usage = account.usage.take().or(usage);
                account.parent = account.parent.take().or(parent.filter(|parent| parent != ROOT));
                if account.limits.is_empty() {
                    account.limits = limits;
                }
            }
            None => all.push(Account {
                name: name.to_string(),
                parent: parent.filter(|parent| parent != ROOT),
                weight: weight.to_string(),
                limits,
                usage,
            }),
        }
    }
    report.understand(format!("{file}{} as queues, shares as weights", counted(n_read, "account")));
    if n_users > 0 {
        let users = counted(n_users, "user row");
        report.ignore(format!("{file}{users}: shares of users have no counterpart"));
    }
}

fn scenario(
    accounts: Vec<Account>,
    jobs: Vec<JobEntry>,
    options: &Options,
    report: &mut Report,
) -> Option<Scenario> {
    report.has_queues = !accounts.is_empty();
    let known: BTreeSet<String> = accounts.iter().map(|account| account.name.clone()).collect();
    let mut queues: Vec<QueueEntry> =
        accounts.into_iter().map(|account| account.queue(&known, report)).collect();
    let mut named: BTreeSet<&str> = jobs.iter().map(|job| job.queue.as_str()).collect();
    named.retain(|name| !known.contains(*name));
    if !named.is_empty() {
        let names: Vec<&str> = named.iter().copied().collect();
        report.assume(format!("queues that only jobs name, at the top: {}", names.join(", ")));
        queues.extend(names.into_iter().map(without_limit));
    }
    let n_pods: u64 = jobs.iter().filter_map(|job| job.pods.as_ref()?.0.parse::<u64>().ok()).sum();
    report.limit(queues.len() as u64, QUEUES_MAX, "accounts");
    report.limit(n_pods, PODS_MAX, "nodes of jobs");
    if queues.is_empty() {
        report.refuse("there is no account and no job below the heads of the columns");
        return None;
    }
    report.assume(
        "Slurm itself is not simulated: it orders jobs by priority factors and reserves nodes by backfill; here the rules of the \
         chosen policy hold",
    );
    let on: BTreeSet<&String> = jobs.iter().flat_map(|job| &job.on).collect();
    let nodes = if on.is_empty() {
        let (n, gpus) = options.nodes.unwrap_or(NODES);
        report.assume_nodes(format!("{n} nodes with {gpus} GPUs each: the text lists no nodes"));
        vec![node_group("node", n, gpus)]
    } else {
        let n = counted(on.len() as u64, "node");
        report.assume_nodes(format!("{n} that jobs run on, with {} GPUs each", NODES.1));
        on.into_iter().map(|name| node(name, NODES.1)).collect()
    };
    Some(Scenario {
        name: options.name.clone(),
        policy: options.policy.clone(),
        nodes: Arc::new(nodes),
        queues: Arc::new(queues),
        jobs: Arc::new(jobs),
        ..Scenario::default()
    })
}

impl Account {
    fn queue(self, known: &BTreeSet<String>, report: &mut Report) -> QueueEntry {
        let mut queue = without_limit(&self.name);
        queue.parent = self.parent.filter(|parent| known.contains(parent));
        for part in [&mut queue.gpu, &mut queue.cpu, &mut queue.memory] {
            part.weight = Some(Scalar(self.weight.clone()));
        }
        queue.gpu.usage = self.usage.map(Scalar);
        for limit in self.limits.split(',').filter(|limit| !limit.is_empty()) {
            let Some((of, n)) = limit.split_once('=') else { continue };
            let part: &mut ResourceEntry = match of {
                "gres/gpu" => &mut queue.gpu,
                "cpu" => &mut queue.cpu,
                "mem" => &mut queue.memory,
                _ => {
                    report.ignore(format!("the limit {limit} of {}: no counterpart", self.name));
                    continue;
                }
            };
            if n == "-1" {
                continue;
            }
            // Memory without a suffix is in megabytes, as in the queues of a scenario; suffixes are powers of 1024.
            let binary = n.ends_with(['K', 'M', 'G', 'T']);
            part.limit = Some(Scalar(if binary && of == "mem" { format!("{n}i") } else { n.to_string() }));
        }
        queue
    }
}

fn read_jobs(rows: &Rows<'_>, file: &str, all: &mut Vec<JobEntry>, report: &mut Report) {
    let (mut n_over, mut n_read, mut has_gpus) = (0, 0, false);
    for (line, text) in &rows.lines {
        let fields = rows.fields(text);
        let of = |heads: &[&str]| {
            heads
                .iter()
                .find_map(|head| fields.get(*head).map(|text| text.trim()).filter(|text| !text.is_empty()))
        };
        let Some(id) = of(&["jobid"]) else {
            report.ignore(format!("{file}line {line}: it has no JOBID"));
            continue;
        };
        let runs = match of(&["st", "state"]).unwrap_or_default() {
            "R" | "RUNNING" => true,
            "PD" | "PENDING" => false,
            _ => {
                n_over += 1;
                continue;
            }
        };
        let n_nodes = of(&["nodes"]).and_then(|n| n.parse::<u64>().ok()).unwrap_or(1).max(1);
        let gpus = of(&["tres_per_node", "gres"])
            .and_then(|text| text.rsplit([':', '=']).next()?.parse::<u64>().ok());
        has_gpus |= gpus.is_some();
        let time = of(&["time"]).and_then(seconds);
        let on = of(&["nodelist(reason)", "nodelist"]).filter(|_| runs).map(node_names).unwrap_or_default();
        let on = if on.len() as u64 == n_nodes { on } else { Vec::new() };
        let limit = of(&["time_limit"]).and_then(seconds);
        for name in array(id) {
            n_read += 1;
            all.push(JobEntry {
                name,
                queue: of(&["account"]).or_else(|| of(&["user"])).unwrap_or("default").to_string(),
                user: of(&["user"]).map(str::to_string),
                pods: typed(n_nodes),
                gpu: gpus.and_then(typed),
                started: time.filter(|_| !on.is_empty()).map(|n| Scalar(format!("-{n}s"))),
                on: on.clone(),
                lasts: limit.map(|n| Scalar(print_decimal(n.saturating_mul(1000), 3))),
                ..JobEntry::default()
            });
        }
    }
    report.understand(format!("{file}{}: the pods of each are its nodes", counted(n_read, "job")));
    if n_over > 0 {
        report.ignore(format!("{file}{}: neither pending nor running", counted(n_over, "job")));
    }
    if !has_gpus {
        let says = "no column says the GPUs of jobs, so they ask for none; ask squeue -o \
                    \"%i|%a|%u|%P|%T|%V|%S|%l|%D|%C|%b|%Q|%N\"";
        report.assume(format!("{file}{says}"));
    }
    if all.iter().any(|job| job.lasts.is_some()) {
        report.assume(format!("{file}jobs last as long as their time limit"));
    }
}

/// Parses `[d-]hh:mm:ss` or `mm:ss` into seconds.
fn seconds(text: &str) -> Option<i64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Option<Vec<i64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let clock = match parts?.as_slice() {
        [h, m, s] => h.checked_mul(3600)?.checked_add(m.checked_mul(60)?)?.checked_add(*s)?,
        [m, s] => m.checked_mul(60)?.checked_add(*s)?,
        _ => return None,
    };
    days.parse::<i64>().ok()?.checked_mul(86_400)?.checked_add(clock).filter(|n| *n >= 0)
}

/// Maximum number of elements of an array or a node list.
const ARRAY_MAX: u64 = 20_000;

/// Expands bracketed numbers: `01-04,7`. Ignores a `%` and what follows.
fn numbers(text: &str) -> Vec<String> {
    let text = text.split('%').next().unwrap_or_default();
    let mut all = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (from.parse::<u64>(), to.parse::<u64>()) else { continue };
        for n in first..=last.min(first.saturating_add(ARRAY_MAX)) {
            all.push(format!("{n:0width$}", width = from.len()));
        }
    }
    all
}

/// Expands the id of a job array: `123_[1-10%3]` is ten jobs.
fn array(id: &str) -> Vec<String> {
    let Some((base, rest)) = id.split_once("_[") else { return vec![id.to_string()] };
    let all = numbers(rest.trim_end_matches(']'));
    if all.is_empty() { vec![id.to_string()] } else { all.iter().map(|n| format!("{base}_{n}")).collect() }
}

/// Expands a node list: `n[01-04,7],m2`.
fn node_names(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && all.len() < ARRAY_MAX as usize {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        match behind.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((inner, after)) => {
                all.extend(numbers(inner).iter().map(|n| format!("{name}{n}")));
                rest = after.trim_start_matches(',');
            }
            None => {
                if !name.is_empty() {
                    all.push(name.to_string());
                }
                rest = behind.trim_start_matches([',', '[']);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_and_times_are_read() {
        assert_eq!(node_names("n[01-03,7],m2"), ["n01", "n02", "n03", "n7", "m2"]);
        assert_eq!(array("123_[1-2%1]"), ["123_1", "123_2"]);
        assert_eq!(array("123"), ["123"]);
        assert_eq!(seconds("1-02:00:01"), Some(93_601));
        assert_eq!(seconds("4:05"), Some(245));
        assert_eq!(seconds("UNLIMITED"), None);
    }
}
