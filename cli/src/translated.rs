//! Commands that run scenarios under other policies: `translate` and `compare`.

use std::fmt::Write as _;
use std::io::Write;

use fairground::scenario;
use fairground::sim::{Column, compare as run_under};
use fairground::time::Time;
use fairground::translate::{Note, translate as in_words_of};
use serde_json::{Value, json};

use crate::args::{Compare, ComparedOut, Translate};
use crate::load::load;
use crate::messages::{eprint_line, print_notes, report};
use crate::{End, Stop};

/// Maximum number of cycles of a run.
const CYCLES_MAX: u32 = 100_000;

/// Returns notes as JSON.
pub fn notes_as_json(notes: &[Note]) -> Value {
    let note = |note: &Note| {
        let at: Vec<String> = note.at.iter().map(ToString::to_string).collect();
        json!({ "kind": note.kind.name(), "says": note.says, "at": at })
    };
    notes.iter().map(note).collect()
}

/// Translates a scenario to another policy and writes it.
pub fn translate(args: &Translate) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let Some(translated) = in_words_of(&loaded.scenario, &args.policy) else {
        eprint_line(&format!("fairground: there is no policy {}", args.policy));
        return Err(Stop::BadInput);
    };
    print_notes(&translated.notes)?;
    let text = scenario::to_yaml(&translated.scenario);
    if args.output == "-" {
        std::io::stdout().write_all(text.as_bytes())?;
    } else {
        std::fs::write(&args.output, text)?;
    }
    Ok(End::Ok)
}

/// Runs a scenario under several policies.
pub fn compare(args: &Compare) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let until = Time::from_millis(args.until.unwrap_or(i64::MAX / 4));
    let mut columns = Vec::new();
    for policy in &args.policies {
        let column = run_under(&loaded.scenario, policy, until, CYCLES_MAX);
        if column.run.is_none() {
            report(&args.file, &column.diagnostics)?;
            eprint_line(&format!("{}: cannot be run under {policy}", args.file));
            return Err(Stop::BadInput);
        }
        columns.push(column);
    }
    let mut out = std::io::stdout().lock();
    match args.out {
        ComparedOut::Text => {
            for column in &columns {
                if !column.notes.is_empty() {
                    eprint_line(&format!("{}:", column.policy));
                    print_notes(&column.notes)?;
                }
            }
            write!(out, "{}", table(&columns))?;
        }
        ComparedOut::Jsonl => {
            for column in &columns {
                writeln!(out, "{}", line(column))?;
            }
        }
    }
    Ok(End::Ok)
}

/// A row of the table: caption, and one cell per column.
type Row = (String, Vec<String>);

fn table(columns: &[Column]) -> String {
    let runs: Vec<_> = columns.iter().filter_map(|column| column.run.as_ref()).collect();
    let seconds = |s: f64| format!("{s:.1} s");
    let row = |caption: &str, cell: &dyn Fn(&fairground::sim::Ran) -> String| -> Row {
        (caption.to_owned(), runs.iter().map(|run| cell(run)).collect())
    };
    let mut rows: Vec<Row> = vec![
        (String::new(), columns.iter().map(|column| column.policy.clone()).collect()),
        row("until", &|run| seconds(run.summary.until.as_seconds())),
        row("jobs done", &|run| run.summary.all.jobs_done.to_string()),
        row("jobs that wait at the end", &|run| run.n_waiting.to_string()),
        row("mean wait", &|run| seconds(run.summary.all.waits.mean_s)),
        row("longest wait", &|run| seconds(run.summary.all.waits.max_s)),
        row("pods evicted", &|run| run.summary.all.evictions.to_string()),
        row("GPU hours lost", &|run| format!("{:.2}", run.summary.all.gpu_seconds_lost / 3600.0)),
        row("GPUs in use", &|run| format!("{:.1} %", run.summary.all.utilisation * 100.0)),
        (String::new(), columns.iter().map(|_| String::new()).collect()),
    ];
    if runs.iter().any(|run| run.summary.all.jobs_evicted > 0) {
        rows.insert(3, row("jobs evicted, not replaced", &|run| run.summary.all.jobs_evicted.to_string()));
    }
    let queues = runs.first().map_or(&[][..], |run| &run.queues);
    for (i, queue) in queues.iter().enumerate() {
        rows.push(row(&format!("{queue}: GPUs at the end"), &|run| format!("{}", run.held[i])));
        rows.push(row(&format!("{queue}: GPU hours"), &|run| {
            format!("{:.2}", run.summary.queues[i].gpu_seconds_used / 3600.0)
        }));
        rows.push(row(&format!("{queue}: mean wait"), &|run| seconds(run.summary.queues[i].waits.mean_s)));
    }
    let width = rows.iter().map(|(caption, _)| caption.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (caption, cells) in &rows {
        let mut line = format!("{caption:<width$}");
        for cell in cells {
            let _ = write!(line, "  {cell:>12}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn line(column: &Column) -> Value {
    let Some(run) = &column.run else { return Value::Null };
    let queue = |(i, name): (usize, &std::sync::Arc<str>)| {
        let totals = &run.summary.queues[i];
        json!({
            "queue": &**name,
            "gpus": run.held[i],
            "gpu_seconds_used": totals.gpu_seconds_used,
            "wait_mean_s": totals.waits.mean_s,
            "evictions": totals.evictions,
        })
    };
    let all = &run.summary.all;
    json!({
        "policy": column.policy,
        "until_s": run.summary.until.as_seconds(),
        "is_over": run.is_over,
        "jobs_done": all.jobs_done,
        "jobs_evicted": all.jobs_evicted,
        "jobs_waiting": run.n_waiting,
        "wait_mean_s": all.waits.mean_s,
        "wait_max_s": all.waits.max_s,
        "evictions": all.evictions,
        "gpu_seconds_lost": all.gpu_seconds_lost,
        "utilisation": all.utilisation,
        "queues": run.queues.iter().enumerate().map(queue).collect::<Vec<_>>(),
        "notes": notes_as_json(&column.notes),
    })
}
