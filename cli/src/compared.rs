//! Runs one scenario under several policies or versions of one, or several scenarios, side by side.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use fairground::policy::Policy;
use fairground::policy::versions::{Modelled, modelled};
use fairground::scenario::Scenario;
use fairground::sim::{Column, Comparing, Ran, Runs, first_difference, under};
use fairground::time::Time;
use fairground::words::{FirstDifference, Repeated, ResourceTime, Side, resource_time};
use serde_json::{Value, json};

use crate::args::{Compare, ComparedOut};
use crate::lines::seconds_of;
use crate::load::{Loaded, load};
use crate::messages::{eprint_line, print_notes, report, shown};
use crate::text::clock;
use crate::translated::notes_as_json;
use crate::{End, Stop};

/// Maximum number of cycles of a run until its own end.
const CYCLES_MAX: u32 = 100_000;

/// A run to compare.
struct ComparedRun<'a> {
    /// Caption of its column.
    name: String,
    file: &'a str,
    scenario: Cow<'a, Scenario>,
    policy: String,
}

/// Runs scenarios under policies.
pub fn compare(args: &Compare) -> Result<End, Stop> {
    let loaded: Vec<Loaded> = args.files.iter().map(|file| load(file, None)).collect::<Result<_, _>>()?;
    let mut entries: Vec<ComparedRun<'_>> = Vec::new();
    for (file, loaded) in args.files.iter().zip(&loaded) {
        entries.extend(if args.versions.is_empty() {
            of_policies(args, file, loaded)
        } else {
            of_versions(args, file, loaded)?
        });
    }
    let comparing = entries.iter().map(|entry| Comparing::new(&entry.scenario, &entry.policy)).collect();
    let mut runs = Runs::new(comparing, args.until.map(Time::from_millis), CYCLES_MAX);
    while runs.step() {}
    let columns = runs.end();
    let refused = entries.iter().zip(&columns).find(|(_, column)| column.run.is_none());
    if let Some((entry, column)) = refused {
        report(entry.file, &column.diagnostics)?;
        eprint_line(&format!("{}: cannot be run under {}", shown(entry.file), column.policy));
        return Err(Stop::BadInput);
    }
    let differs: Vec<Option<FirstDifference>> = (0..columns.len()).map(|at| differs(&entries, &columns, at)).collect();
    let mut out = std::io::stdout().lock();
    match args.out {
        ComparedOut::Text => {
            for (entry, column) in entries.iter().zip(&columns).filter(|(_, column)| !column.notes.is_empty()) {
                eprint_line(&format!("{}:", entry.name));
                print_notes(&column.notes)?;
            }
            write!(out, "{}", table(&entries, &columns, &differs))?;
            for (entry, differs) in entries.iter().zip(&differs) {
                let Some(differs) = differs else { continue };
                write!(out, "\n{}", explained([&entries[0].name, &entry.name], differs))?;
            }
        }
        ComparedOut::Jsonl => {
            for ((entry, column), differs) in entries.iter().zip(&columns).zip(&differs) {
                writeln!(out, "{}", line(&entry.name, column, differs.as_ref()))?;
            }
        }
    }
    Ok(End::Ok)
}

/// The runs of a file: under the given policies, else under its own if there are several files, else under those of
/// products.
fn of_policies<'a>(args: &Compare, file: &'a str, loaded: &'a Loaded) -> Vec<ComparedRun<'a>> {
    let is_one = args.files.len() == 1;
    let policies: Vec<String> = match args.policies.is_empty() {
        false => args.policies.clone(),
        true if is_one => Policy::products().map(|policy| policy.key.to_owned()).collect(),
        true => vec![loaded.plan.policy.key().to_owned()],
    };
    let name = |policy: &str| match (is_one, args.policies.len()) {
        (true, _) => policy.to_owned(),
        (false, 0 | 1) => shown(file).to_owned(),
        (false, _) => format!("{} {policy}", shown(file)),
    };
    let scenario = || Cow::Borrowed(&loaded.scenario);
    let entry = |policy: String| ComparedRun { name: name(&policy), file, scenario: scenario(), policy };
    policies.into_iter().map(entry).collect()
}

/// The runs of a file in the given versions of its policy.
fn of_versions<'a>(args: &Compare, file: &'a str, loaded: &'a Loaded) -> Result<Vec<ComparedRun<'a>>, Stop> {
    let policy = loaded.plan.policy.key();
    let Some(modelled) = modelled(policy).filter(|modelled| modelled.revisions.len() > 1) else {
        eprint_line(&format!("{}: {policy} is simulated in one version only", shown(file)));
        return Err(Stop::BadInput);
    };
    args.versions.iter().map(|version| of_version(args, file, loaded, modelled, version)).collect()
}

fn of_version<'a>(
    args: &Compare,
    file: &'a str,
    loaded: &Loaded,
    modelled: &Modelled,
    version: &str,
) -> Result<ComparedRun<'a>, Stop> {
    let Some(revision) = modelled.named(version) else {
        let known: Vec<&str> = modelled.revisions.iter().map(|revision| revision.name).collect();
        let product = modelled.product;
        eprint_line(&format!("fairground: {product} has no version {version:?}; choose of {}", known.join(", ")));
        return Err(Stop::BadInput);
    };
    let name = match args.files.len() {
        1 => revision.label.to_owned(),
        _ => format!("{} {}", shown(file), revision.name),
    };
    let scenario = Cow::Owned(modelled.at(&loaded.scenario, revision));
    Ok(ComparedRun { name, file, scenario, policy: modelled.policy.to_owned() })
}

/// Repeats the first run and another one up to their first difference.
fn differs(entries: &[ComparedRun<'_>], columns: &[Column], at: usize) -> Option<FirstDifference> {
    let [one, other] = [0, at].map(|at| columns[at].run.as_ref());
    let difference = first_difference(&one?.moves, &other?.moves)?;
    let side = |which: usize, of: &ComparedRun<'_>| {
        let mut repeated = Repeated::new(&under(&of.scenario, &of.policy).0, &difference, which);
        while repeated.step() {}
        repeated.side()
    };
    let sides = [side(0, &entries[0]), side(1, &entries[at])];
    Some(FirstDifference { time: difference.time, sides })
}

/// The first difference with the explanations of both runs.
fn explained(names: [&String; 2], differs: &FirstDifference) -> String {
    let mut text = format!("first difference between {} and {}: {}\n", names[0], names[1], clock(differs.time));
    for (name, side) in names.iter().zip(&differs.sides) {
        let _ = writeln!(text, "  {name}: {}", side.moves());
        side.lines.iter().for_each(|line| {
            let _ = writeln!(text, "    {line}");
        });
    }
    text
}

/// A row of the table: caption, and one cell per column.
type Row = (String, Vec<String>);

fn table(entries: &[ComparedRun<'_>], columns: &[Column], differs: &[Option<FirstDifference>]) -> String {
    let runs: Vec<&Ran> = columns.iter().filter_map(|column| column.run.as_ref()).collect();
    let seconds = |s: f64| format!("{s:.1} s");
    let row = |caption: &str, cell: &dyn Fn(&Ran) -> String| -> Row {
        (caption.to_owned(), runs.iter().map(|run| cell(run)).collect())
    };
    let resource = runs.first().map_or(fairground::units::Resource::GPU, |run| run.resource);
    let used = runs.iter().flat_map(|run| run.summary.queues.iter().map(|queue| queue.gpu_seconds_used));
    let over_time = ResourceTime::of(resource, used);
    let first_differences = differs.iter().map(|differs| match differs {
        None => "none".into(),
        Some(differs) => clock(differs.time),
    });
    let mut rows: Vec<Row> = vec![
        (String::new(), entries.iter().map(|entry| entry.name.clone()).collect()),
        row("until", &|run| seconds(run.summary.until.as_seconds())),
        ("first difference".to_owned(), first_differences.collect()),
        row("jobs done", &|run| run.summary.all.jobs_done.to_string()),
        row("jobs that wait at the end", &|run| run.n_waiting.to_string()),
        row("mean wait", &|run| seconds(run.summary.all.waits_until_now.mean_s)),
        row("longest wait", &|run| seconds(run.summary.all.waits_until_now.max_s)),
        row("pods evicted", &|run| run.summary.all.evictions.to_string()),
        row(&format!("{} lost", over_time.name()), &|run| over_time.shown(run.summary.all.gpu_seconds_lost)),
        row(&format!("{} in use", resource_time::in_use(resource)), &|run| {
            format!("{:.1} %", run.summary.all.utilisation * 100.0)
        }),
        (String::new(), columns.iter().map(|_| String::new()).collect()),
    ];
    if runs.iter().any(|run| run.summary.all.jobs_evicted > 0) {
        rows.insert(4, row("jobs evicted, not replaced", &|run| run.summary.all.jobs_evicted.to_string()));
    }
    rows.extend(queue_rows(&runs, over_time, &row));
    aligned(&rows)
}

/// The rows of the queues of any run, in the order of the runs; a queue that a run does not have has empty cells there.
fn queue_rows(runs: &[&Ran], over_time: ResourceTime, row: &impl Fn(&str, &dyn Fn(&Ran) -> String) -> Row) -> Vec<Row> {
    let mut queues: Vec<&str> = Vec::new();
    for queue in runs.iter().flat_map(|run| &run.queues) {
        if !queues.contains(&&**queue) {
            queues.push(queue);
        }
    }
    let mut rows = Vec::new();
    for queue in queues {
        let mut add = |what: &str, cell: &dyn Fn(&Ran, usize) -> String| {
            let find = |run: &Ran| run.queues.iter().position(|of| **of == *queue);
            let cell = |run: &Ran| find(run).map_or(String::new(), |at| cell(run, at));
            rows.push(row(&format!("{queue}: {what}"), &cell));
        };
        let at_end = runs.first().map_or("", |run| resource_time::plural(run.resource));
        add(&format!("{at_end} at the end"), &|run, at| resource_time::held(run.resource, run.held[at]));
        add(&over_time.name(), &|run, at| over_time.shown(run.summary.queues[at].gpu_seconds_used));
        add("mean wait", &|run, at| format!("{:.1} s", run.summary.queues[at].waits_until_now.mean_s));
    }
    rows
}

fn aligned(rows: &[Row]) -> String {
    let width = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let captions = width(&mut rows.iter().map(|(caption, _)| caption));
    let cells = width(&mut rows.iter().flat_map(|(_, cells)| cells)).max(12);
    let mut text = String::new();
    for (caption, row) in rows {
        let mut line = format!("{caption:<captions$}");
        for cell in row {
            let _ = write!(line, "  {cell:>cells$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn line(name: &str, column: &Column, differs: Option<&FirstDifference>) -> Value {
    let Some(run) = &column.run else { return Value::Null };
    let queue = |(i, name): (usize, &std::sync::Arc<str>)| {
        let totals = &run.summary.queues[i];
        json!({
            "queue": &**name,
            "held": run.held[i],
            &seconds_of(run.resource, "used"): totals.gpu_seconds_used,
            "wait_mean_s": totals.waits_until_now.mean_s,
            "evictions": totals.evictions,
        })
    };
    let all = &run.summary.all;
    let side = |side: &Side| {
        json!({
            "only": side.only.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "explanation": side.lines,
        })
    };
    json!({
        "name": name,
        "policy": column.policy,
        "resource": run.resource.name(),
        "until_s": run.summary.until.as_seconds(),
        "is_over": run.is_over,
        "first_difference": differs.map(|differs| json!({
            "time_s": differs.time.as_seconds(),
            "first": side(&differs.sides[0]),
            "this": side(&differs.sides[1]),
        })),
        "jobs_done": all.jobs_done,
        "jobs_evicted": all.jobs_evicted,
        "jobs_waiting": run.n_waiting,
        "wait_mean_s": all.waits_until_now.mean_s,
        "wait_max_s": all.waits_until_now.max_s,
        "evictions": all.evictions,
        &seconds_of(run.resource, "lost"): all.gpu_seconds_lost,
        "utilisation": all.utilisation,
        "queues": run.queues.iter().enumerate().map(queue).collect::<Vec<_>>(),
        "notes": notes_as_json(&column.notes),
    })
}
