//! The tables of SETUP as rows of cells: pure functions of the scenario.

use fairground::units::Resource;
use std::collections::{BTreeMap, BTreeSet};

use fairground::policy::field::Field;
use fairground::policy::form::{Ask, Attribute};
use fairground::policy::{JobDefaults, Policy};
use fairground::scenario::{Diagnostic, JobEntry, NodeEntry, Path, Scalar, Scenario, Segment, Severity};
use fairground::words::number::{self, resource_key};
use fairground::words::{Selection, Terms};

use super::edit_box::EditKind;
use crate::input_normalisation::means_unlimited;
use crate::state::document::{self, tree};

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub label: String,
    pub title: String,
    /// Right-aligned.
    pub is_number: bool,
    /// As a CSS grid track.
    pub width: &'static str,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Unique in its table.
    pub id: String,
    /// What a click selects.
    pub select: Option<Selection>,
    /// Level in a tree, from 1.
    pub level: usize,
    /// Whether its children are shown; `None`: it has none.
    pub open: Option<bool>,
    /// Position among its siblings and their number.
    pub place: (usize, usize),
    /// Its queue, for its colour.
    pub queue: Option<String>,
    /// A row that represents the whole.
    pub is_top: bool,
    /// Most severe finding of the row.
    pub mark: Option<(Severity, String)>,
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The path of the value; `None` if it cannot be edited.
    pub at: Option<Path>,
    pub text: String,
    pub shown: String,
    /// Accessible text, also the tooltip.
    pub spoken: String,
    /// Not set, or unlimited.
    pub is_dim: bool,
    pub kind: EditKind,
    /// A lock is shown.
    pub is_locked: bool,
}

fn text_of(value: &Option<Scalar>) -> String {
    value.as_ref().map(|s| s.0.clone()).unwrap_or_default()
}

/// A cell for a number; an unset one shows its effective value in grey.
fn number(at: Path, what: &str, value: &Option<Scalar>, counts_as: &str) -> Cell {
    let text = text_of(value);
    let trimmed = text.trim();
    let means_unlimited = matches!(at.0.last(), Some(Segment::Field(field)) if means_unlimited(field, trimmed));
    let (shown, spoken, is_dim) = match trimmed {
        "" => (counts_as.to_string(), format!("{what}: not set ({counts_as})"), true),
        _ if means_unlimited => ("∞".to_string(), format!("{what}: unlimited"), true),
        _ => (trimmed.to_string(), format!("{what}: {trimmed}"), false),
    };
    Cell { at: Some(at), text: text.clone(), shown, spoken, is_dim, kind: EditKind::Number, ..Cell::default() }
}

fn name_cell(at: Path, name: &str) -> Cell {
    Cell {
        at: Some(at.field("name")),
        text: name.to_string(),
        shown: name.to_string(),
        spoken: name.to_string(),
        ..Cell::default()
    }
}

/// The row of a list without levels: named like its element, and with its finding.
fn flat_row(name: &str, place: (usize, usize), marks: &Marks, cells: Vec<Cell>) -> Row {
    Row { id: name.to_string(), level: 1, place, mark: marks.get(name).cloned(), cells, ..Row::default() }
}

/// Values that are their own labels.
pub(super) fn own_names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<(String, String)> {
    names.map(|name| (name.clone(), name.clone())).collect()
}

fn column(label: &str, title: &str, is_number: bool, width: &'static str) -> Column {
    Column { label: label.to_string(), title: title.to_string(), is_number, width }
}

type Marks = BTreeMap<String, (Severity, String)>;

/// The most severe finding of each element of a list, by name.
fn marks(findings: &[Diagnostic], list: &str) -> Marks {
    let mut marks = Marks::new();
    for finding in findings {
        let [Segment::Field(field), Segment::Named(name), ..] = finding.at.0.as_slice() else { continue };
        if field == list && marks.get(name).is_none_or(|(present, _)| *present < finding.severity) {
            marks.insert(name.clone(), (finding.severity, finding.says.clone()));
        }
    }
    marks
}

/// The columns of the tree of queues.
pub fn queue_columns(terms: &Terms, with_usage: bool) -> Vec<Column> {
    // Priority offsets are long numbers; columns with them have no weights.
    let last = if terms.columns[2].0.is_empty() { "4rem" } else { "3.375rem" };
    let widths = ["minmax(0, 1fr)", "4rem", "3rem", "3rem", last];
    let named = terms.columns.into_iter().zip(widths).enumerate().filter(|(_, ((label, _), _))| !label.is_empty());
    let mut columns: Vec<Column> =
        named.map(|(i, ((label, title), width))| column(label, title, i > 0, width)).collect();
    if with_usage {
        columns.push(column("used", "Past usage, as a share of the cluster", true, "3rem"));
    }
    columns
}

/// Whether a scenario uses past usage: a queue has some, or its weight is set.
pub fn usage_counts(scenario: &Scenario) -> bool {
    let has_some = |q: &fairground::scenario::QueueEntry| [&q.gpu, &q.cpu, &q.memory].iter().any(|r| r.usage.is_some());
    scenario.settings.contains_key("k-value") || scenario.queues.iter().any(has_some)
}

/// Rows of the tree of queues. The first one is the cluster.
pub fn queue_rows(
    scenario: &Scenario,
    findings: &[Diagnostic],
    folded: &BTreeSet<String>,
    resource: Resource,
) -> Vec<Row> {
    let marks = marks(findings, "queues");
    let key = resource_key(resource);
    let mut head = vec![Cell { shown: "cluster".into(), spoken: "cluster".into(), ..Cell::default() }];
    let with_usage = usage_counts(scenario);
    let policy = Policy::described_or_default(&scenario.policy);
    let terms = policy.terms;
    let unset = |field| policy.unset_shown(field, resource);
    let name = terms.columns.map(|(name, _)| name);
    let priority = if name[4] == "prio" { "priority" } else { name[4] };
    head.extend(queue_columns(terms, with_usage).iter().skip(1).map(|_| Cell { is_dim: true, ..Cell::default() }));
    let mut rows = vec![Row { level: 1, place: (1, 1), is_top: true, cells: head, ..Row::default() }];
    rows.extend(tree::rows(scenario, folded).into_iter().map(|row| {
        let queue = &scenario.queues[row.index];
        let at = Path::default().field("queues").named(&row.name);
        let values = [&queue.cpu, &queue.memory, &queue.gpu][resource.index()];
        let label = |field: &str| format!("{field} of {}", row.name);
        let part = |field: &str| at.field(key).field(field);
        let usage = with_usage.then(|| number(part("usage"), &label("past usage"), &values.usage, "0"));
        Row {
            select: Some(Selection::Queue(row.name.clone())),
            level: row.depth + 2,
            open: row.has_children.then_some(row.open),
            place: row.place,
            queue: Some(row.name.clone()),
            is_top: row.depth == 0 && row.has_children,
            mark: marks.get(&row.name).cloned(),
            cells: [
                name_cell(at.clone(), &row.name),
                number(part("quota"), &label(name[1]), &values.quota, unset(Field::Quota)),
                number(part("weight"), &label(name[2]), &values.weight, unset(Field::Weight)),
                number(part("limit"), &label(name[3]), &values.limit, unset(Field::Limit)),
                number(at.field("priority"), &label(priority), &queue.priority, &policy.unset_priority_shown()),
            ]
            .into_iter()
            .zip(name)
            .filter_map(|(cell, head)| (!head.is_empty()).then_some(cell))
            .chain(usage)
            .collect(),
            id: row.name,
        }
    }));
    rows
}

/// The columns of the table of nodes.
pub fn node_columns(has_pools: bool) -> Vec<Column> {
    let pool = has_pools.then(|| column("pool", "Scheduled separately", false, "minmax(3rem, 0.6fr)"));
    let all = vec![
        column("nodes", "Name, or name prefix of identical nodes", false, "minmax(0, 1fr)"),
        column("count", "Number of identical nodes", true, "3.5rem"),
        column("GPUs", "GPUs per node", true, "3.25rem"),
        column("cores", "CPU cores per node", true, "3.5rem"),
        column("memory", "Memory per node", true, "4.75rem"),
    ];
    all.into_iter().chain(pool).collect()
}

/// The table of nodes.
pub fn node_rows(scenario: &Scenario, findings: &[Diagnostic]) -> Vec<Row> {
    let marks = marks(findings, "nodes");
    let n = scenario.nodes.len();
    let rows = scenario.nodes.iter().enumerate().map(|(i, node)| {
        let at = Path::default().field("nodes").named(&node.name);
        let label = |field: &str| format!("{field} of {}", node.name);
        let value = |field: &str, what: &str, value: &Option<Scalar>, counts_as: &str| {
            number(at.field(field), &label(what), value, counts_as)
        };
        let mut cells = vec![
            name_cell(at.clone(), &node.name),
            value("count", "count", &node.count, "1"),
            value("gpu", "GPUs", &node.gpu, "0"),
            value("cpu", "cores", &node.cpu, "64"),
            value("memory", "memory", &node.memory, "256 GB"),
        ];
        cells.extend(pool_cell(scenario, node, at));
        let select = node.count.is_none().then(|| Selection::Node(node.name.clone()));
        Row { select, ..flat_row(&node.name, (i + 1, n), &marks, cells) }
    });
    rows.collect()
}

/// The pool of nodes, if there are several.
fn pool_cell(scenario: &Scenario, node: &NodeEntry, at: Path) -> Option<Cell> {
    let first = scenario.pools.first()?.name.clone();
    let pool = node.pool.clone().unwrap_or(first);
    let choices = own_names(scenario.pools.iter().map(|pool| &pool.name));
    Some(Cell {
        at: Some(at.field("pool")),
        text: pool.clone(),
        shown: pool.clone(),
        spoken: format!("pool of {}: {pool}", node.name),
        is_dim: node.pool.is_none(),
        kind: EditKind::Choice(choices),
        ..Cell::default()
    })
}

/// Columns of the table of node pools: the name, then the pool's own settings.
pub fn pool_columns(policy: &str) -> Vec<Column> {
    let terms = Terms::of(policy);
    let mut columns = vec![column("node pools", "Scheduled separately, one after the other", false, "minmax(0, 1fr)")];
    for attribute in Policy::described_or_default(policy).form.pool {
        columns.push(column(&terms.fill(attribute.label), &terms.fill(attribute.says), false, "minmax(0, 1.2fr)"));
    }
    columns
}

/// The table of node pools.
pub fn pool_rows(scenario: &Scenario, findings: &[Diagnostic]) -> Vec<Row> {
    let marks = marks(findings, "pools");
    let mut rows = Vec::new();
    for (i, pool) in scenario.pools.iter().enumerate() {
        let at = Path::default().field("pools").named(&pool.name);
        let mut cells = vec![name_cell(at.clone(), &pool.name)];
        for attribute in Policy::described_or_default(&scenario.policy).form.pool {
            cells.push(choice_cell(scenario, &at, attribute, &pool.name));
        }
        rows.push(flat_row(&pool.name, (i + 1, scenario.pools.len()), &marks, cells));
    }
    rows
}

/// A setting of a pool; unset, it is inherited from the scenario.
fn choice_cell(scenario: &Scenario, pool: &Path, attribute: &Attribute, name: &str) -> Cell {
    let choices = if let Ask::Choice(choices) = attribute.ask { choices } else { &[] };
    let called = |key: &str| choices.iter().find(|(this, _)| *this == key).map(|(_, name)| *name);
    let at = attribute.place(pool);
    let text = document::value(scenario, &at);
    let general = called(&document::value(scenario, &attribute.place(&Path::default()))).unwrap_or(attribute.default);
    let shown = called(&text).unwrap_or(if text.is_empty() { general } else { &text }).to_string();
    let mut named = vec![(String::new(), format!("as in Rules: {general}"))];
    named.extend(choices.iter().map(|(key, name)| (key.to_string(), name.to_string())));
    Cell {
        at: Some(at),
        spoken: format!("{} in {name}: {shown}", Terms::of(&scenario.policy).fill(attribute.label)),
        is_dim: text.is_empty(),
        kind: EditKind::Choice(named),
        shown,
        text,
        ..Cell::default()
    }
}

/// The columns of the table of jobs.
pub fn job_columns(terms: &Terms, resource: Resource) -> Vec<Column> {
    let (label, title) = match resource {
        Resource::CPU => ("cores", "CPU cores per [pod]"),
        Resource::MEMORY => ("memory", "Memory per [pod]"),
        _ => ("GPUs", "GPUs per [pod]: whole, or a fraction"),
    };
    [
        ("job", "Name, or name prefix of a pattern of identical [jobs]", false, "minmax(3.5rem, 1.3fr)"),
        ("queue", "Its [queue]", false, "minmax(4rem, 1fr)"),
        ("pods", "[Pods] that start together", true, "2.25rem"),
        (label, title, true, "2.75rem"),
        ("prio", "Priority: higher is served first within a [queue]", true, "4.25rem"),
        ("lock", "Non-preemptible [jobs] have a lock", false, "2rem"),
        ("submit", "When it is submitted", true, "3.5rem"),
        ("lasts", "How long each [pod] runs", true, "3.5rem"),
    ]
    .map(|(label, title, is_number, width)| column(terms.word(label), &terms.fill(title), is_number, width))
    .into()
}

/// Rows of the table of jobs, at most `most`, from a position on.
pub fn job_rows(
    scenario: &Scenario,
    findings: &[Diagnostic],
    resource: Resource,
    from: usize,
    most: usize,
) -> Vec<Row> {
    let marks = marks(findings, "jobs");
    let parents: BTreeSet<&str> = scenario.queues.iter().filter_map(|q| q.parent.as_deref()).collect();
    let leaves = scenario.queues.iter().filter(|q| !parents.contains(q.name.as_str()));
    let queues = own_names(leaves.map(|q| &q.name));
    let n = scenario.jobs.len();
    let terms = Terms::of(&scenario.policy);
    let said = scenario.settings.get("default-job-priority").map(|typed| typed.0.trim().to_string());
    let defaults = Policy::job_defaults(&scenario.policy);
    let unset = said.unwrap_or_else(|| defaults.priority.to_string());
    let rows = scenario.jobs.iter().enumerate().skip(from).take(most);
    rows.map(|(i, job)| {
        let cells = job_cells(job, &queues, (resource, terms, (&unset, defaults)));
        Row {
            select: job.count.is_none().then(|| Selection::Job(job.name.clone())),
            queue: Some(job.queue.clone()),
            ..flat_row(&job.name, (i + 1, n), &marks, cells)
        }
    })
    .collect()
}

fn job_cells(
    job: &JobEntry,
    queues: &[(String, String)],
    (resource, terms, unset): (Resource, &Terms, (&str, &JobDefaults)),
) -> Vec<Cell> {
    let at = Path::default().field("jobs").named(&job.name);
    let label = |field: &str| format!("{} of {}", terms.word(field), job.name);
    let value = |field: &str, what: &str, value: &Option<Scalar>, counts_as: &str| {
        number(at.field(field), &label(what), value, counts_as)
    };
    let mut choices = queues.to_vec();
    if !choices.iter().any(|(name, _)| *name == job.queue) {
        choices.insert(0, (job.queue.clone(), job.queue.clone()));
    }
    let queue = Cell {
        at: Some(at.field("queue")),
        text: job.queue.clone(),
        shown: job.queue.clone(),
        spoken: format!("{}: {}", label("queue"), job.queue),
        kind: EditKind::Choice(choices),
        ..Cell::default()
    };
    let (field, what, request) = match resource {
        Resource::CPU => ("cpu", "cores", &job.cpu),
        Resource::MEMORY => ("memory", "memory", &job.memory),
        _ => ("gpu", "GPUs", &job.gpu),
    };
    let mut name = name_cell(at.clone(), &job.name);
    say_pattern(&mut name, job, terms);
    let mut submit = value("submit", "submit", &job.submit, "0:00");
    if let Ok(ms) = job.submit.as_ref().map_or(Ok(0), |s| fairground::scenario::quantity::millis(&s.0)) {
        submit.shown = if ms < 0 { "before".to_string() } else { number::time(ms) };
        submit.is_dim = ms <= 0;
    }
    let mut lasts = value("lasts", "lasts", &job.lasts, "∞");
    if let Some((from, to)) = lasts.text.split_once("..") {
        // A common unit is written once.
        let unit = |text: &str| text.trim().trim_start_matches(|c: char| c.is_ascii_digit()).to_string();
        let short = from.trim().strip_suffix(&unit(to)).filter(|_| unit(from) == unit(to));
        lasts.shown = [short.unwrap_or(from.trim()), to.trim()].join("–");
        lasts.spoken = format!("{}: drawn, {from} to {to}", label("lasts"));
    }
    vec![
        name,
        queue,
        value("pods", "pods", &job.pods, if job.pod_sets.is_empty() { "1" } else { "sets" }),
        value(field, what, request, "0"),
        value("priority", "priority", &job.priority, unset.0),
        lock_cell(job, unset, at.field("preemptible")),
        submit,
        lasts,
    ]
}

/// Whether the job is preemptible: its own value, else by its priority, else by the default priority.
fn lock_cell(job: &JobEntry, (unset, defaults): (&str, &JobDefaults), at: Path) -> Cell {
    let text = text_of(&job.preemptible);
    let priority = job.priority.as_ref().map_or(unset, |said| said.0.trim());
    let priority = defaults.class(priority).or_else(|| priority.parse().ok()).unwrap_or(defaults.priority);
    let is_locked = match text.trim() {
        "false" => true,
        "" => !defaults.is_preemptible(priority),
        _ => false,
    };
    let word = if is_locked { "non-preemptible" } else { "preemptible" };
    Cell {
        at: Some(at),
        spoken: format!("{}: {word}", job.name),
        shown: String::new(),
        is_dim: text.is_empty(),
        kind: EditKind::Choice(
            [("", "by priority"), ("true", "preemptible"), ("false", "non-preemptible")]
                .map(|(value, name)| (value.to_string(), name.to_string()))
                .into(),
        ),
        text,
        is_locked,
    }
}

/// Adds to the name of a pattern how many jobs it generates, and when.
fn say_pattern(name: &mut Cell, job: &JobEntry, terms: &Terms) {
    let Some(count) = &job.count else { return };
    let repeat = job.repeat.as_ref().and_then(|repeat| repeat.0.split_once("every"));
    let again = repeat.map_or(String::new(), |(times, _)| format!(" ×{}", times.trim()));
    name.shown = format!("{} ×{}{again}", job.name, count.0);
    name.spoken = format!("{}, {}", job.name, terms.fill(&format!("a pattern of {} [jobs]", count.0)));
    let said = [(&job.every, "one every"), (&job.repeat, "repeated"), (&job.seed, "seed")];
    for (value, what) in said.into_iter().filter_map(|(value, what)| Some((value.as_ref()?, what))) {
        name.spoken += &format!(", {what} {}", value.0.trim().replace("..", " to "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern is one row that says what it generates.
    #[test]
    fn a_pattern_says_what_it_draws() {
        let text = "format: fairground-scenario\nversion: 1\nqueues: [{name: q}]\n\
                    jobs: [{name: j, queue: q, count: 9, every: 60s..5s random, lasts: 8m..20m, repeat: 5 every 1d, seed: 7}]\n";
        let scenario = crate::state::document::from_text(text).expect("it can be read");
        let rows = job_rows(&scenario, &[], Resource::GPU, 0, 9);
        let [row] = rows.as_slice() else { panic!("one row: {rows:?}") };
        assert_eq!(row.cells[0].shown, "j ×9 ×5");
        let name = "j, a pattern of 9 jobs, one every 60s to 5s random, repeated 5 every 1d, seed 7";
        assert_eq!(row.cells[0].spoken, name);
        let lasts = row.cells.last().expect("cells");
        assert_eq!((lasts.shown.as_str(), lasts.text.as_str()), ("8–20m", "8m..20m"));
        assert_eq!(lasts.spoken, "lasts of j: drawn, 8m to 20m");
    }

    /// Displayed values are valid input; the file keeps the text as typed.
    #[test]
    fn what_is_typed_for_no_end_is_kept_and_means_it() {
        use crate::state::document::{self, Checked};
        let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n, gpu: 8, memory: 64 GB}]\n\
                    queues: [{name: q, gpu: {quota: 4, limit: 8, weight: 1}}]\n\
                    jobs: [{name: j, queue: q, gpu: 1, lasts: 5m}]\n";
        let scenario = document::from_text(text).expect("it can be read");
        let checked = Checked::of(scenario.clone());
        let queue = Path::default().field("queues").named("q").field("gpu");
        let job = Path::default().field("jobs").named("j");
        let shown = |scenario: &Scenario, at: &Path| {
            let queues = queue_rows(scenario, &[], &Default::default(), Resource::GPU);
            let jobs = job_rows(scenario, &[], Resource::GPU, 0, 9);
            let cells = queues.into_iter().chain(jobs).flat_map(|row| row.cells);
            let cell = cells.into_iter().find(|cell| cell.at.as_ref() == Some(at)).expect("it has a cell");
            (cell.shown, cell.text)
        };
        for at in [queue.field("quota"), queue.field("limit"), job.field("lasts")] {
            for typed in ["unlimited", "∞", "inf"] {
                let set = checked.try_set(&at, typed).expect(typed).scenario;
                assert_eq!(shown(&set, &at), ("∞".to_string(), typed.to_string()), "{at}");
                for text in [document::to_yaml(&set), document::to_json(&set)] {
                    assert_eq!(document::from_text(&text).as_ref(), Ok(&*set), "{text}");
                }
            }
        }
        checked.try_set(&queue.field("limit"), "none").expect("a ceiling may be none");
        checked.try_set(&queue.field("quota"), "none").expect_err("none of a floor is not all");
        assert!(document::to_yaml(&scenario).contains("64 GB"), "amounts stay as typed, too");
    }

    #[test]
    fn every_row_of_queues_has_a_cell_for_every_column() {
        for policy in Policy::ALL {
            let scenario = Scenario { policy: policy.key.into(), ..crate::library::start() };
            let columns = queue_columns(policy.terms, usage_counts(&scenario));
            let rows = queue_rows(&scenario, &[], &Default::default(), Resource::GPU);
            assert!(rows.len() > 2, "{}", policy.key);
            assert!(rows.iter().all(|row| row.cells.len() == columns.len()), "{}", policy.key);
            let weights = rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.at.as_ref());
            let has_weight = weights.map(Path::to_string).any(|at| at.ends_with(".weight"));
            assert_eq!(has_weight, policy.queue.weight.is_some(), "{}", policy.key);
        }
    }
}
