//! Converts rows of a job trace to jobs.

use std::collections::BTreeSet;

use super::Report;
use super::options::{Field, Mapping};
use super::table::{Fields, Table};
use super::times::{self, Format, MEMORY_UNITS, Unit};
use crate::scenario::quantity::{self, print_decimal};
use crate::scenario::{Diagnostic, JobEntry, NAME_CHARS_MAX, Path, Scalar, codes, finding, quoted};
use crate::units::Resource;

/// Maximum number of listed invalid rows; further ones are counted.
const BAD_LISTED: u32 = 100;

/// First submission time, in milliseconds, beyond which a trace does not count from 0: about three years.
const FAR_MS: i64 = 100_000_000_000;

impl Report {
    /// Reports a skipped row of the table for a section.
    pub fn skip(&mut self, line: u32, section: &str, message: String) {
        self.n_skipped += 1;
        if self.n_skipped <= BAD_LISTED {
            let path = Path::default().field(section);
            let message = format!("line {line} is left out: {message}");
            let diagnostic = Diagnostic { position: Some((line, 1)), ..finding(codes::BAD_ROW, path, message) };
            self.diagnostics.push(diagnostic);
        }
    }
    /// Reports the number of skipped rows that are not listed.
    pub fn count_skipped(&mut self) {
        if self.n_skipped > BAD_LISTED {
            let message = format!("{} more rows are left out", self.n_skipped - BAD_LISTED);
            self.diagnostics.push(finding(codes::BAD_ROW, Path::default(), message));
        }
    }
    /// Refuses a table because of its first line.
    fn refuse_headers(&mut self, message: String) {
        let diagnostic = finding(codes::IMPORT, Path::default(), message);
        self.diagnostics.push(Diagnostic { position: Some((1, 1)), ..diagnostic });
    }
}

/// Positions of the columns in use.
struct Columns {
    id: Option<usize>,
    queue: Option<usize>,
    submit: Option<usize>,
    duration: Option<usize>,
    gpus: usize,
    user: Option<usize>,
    pods: Option<usize>,
    cpu: Option<usize>,
    memory: Option<usize>,
}

/// Accumulated jobs of a trace.
pub struct Trace {
    columns: Columns,
    node_gpus: u64,
    jobs: Vec<JobEntry>,
    n_pods: u64,
    n_split: u32,
    /// Submission time of each job, in milliseconds on the trace's own axis.
    submits: Vec<i64>,
    /// Names of the queues of all jobs.
    queues: BTreeSet<String>,
    row: u32,
    /// Formats of submission times and durations.
    submit_format: Format,
    duration_format: Format,
    /// Unit of memory values without a unit.
    memory_unit: &'static str,
}

/// Splits a chosen column into name and unit at the last colon, unless a column has the whole text as its name.
fn chosen_unit<'m>(table: &Table<'_>, named: Option<&'m str>) -> (Option<&'m str>, Option<Unit>) {
    let Some(name) = named else { return (None, None) };
    match name.rsplit_once(':') {
        Some((column, word)) if table.column(Some(name), &[]).is_none() => (Some(column), times::unit(word)),
        _ => (Some(name), None),
    }
}

/// Returns the column of a field: the chosen one, or the first with a usual name.
pub fn column_of(table: &Table<'_>, mapping: &Mapping, field: &Field) -> Option<usize> {
    match chosen_unit(table, mapping.of(field.key)).0 {
        Some("") => None,
        named => table.column(named, field.names),
    }
}

impl Columns {
    /// Finds and reports the columns; `None` if a required one is missing.
    fn find(table: &Table<'_>, mapping: &Mapping, report: &mut Report) -> Option<(Columns, Vec<usize>)> {
        let mut missing = Vec::new();
        let columns = Mapping::FIELDS.map(|field| {
            let column = column_of(table, mapping, &field);
            match column {
                Some(i) => report.understand(format!("column {} as {}", table.headers[i], field.holds)),
                None => {
                    let named = chosen_unit(table, mapping.of(field.key)).0;
                    missing.extend(named.filter(|name| !name.is_empty()).map(quoted));
                }
            }
            column
        });
        let used = columns.into_iter().flatten().collect();
        if !missing.is_empty() {
            let message =
                format!("the first line names no column {}; it names {}", missing.join(", "), table.headers.join(", "));
            report.refuse_headers(message);
            return None;
        }
        let [id, queue, submit, duration, gpus, user, pods, cpu, memory] = columns;
        let Some(gpus) = gpus else {
            let message =
                "the first line names no column with GPUs: gpus, num_gpus or gpu; choose it (--map gpus=COLUMN)";
            report.refuse_headers(message.into());
            return None;
        };
        Some((Columns { id, queue, submit, duration, gpus, user, pods, cpu, memory }, used))
    }
}

impl Trace {
    /// Finds the columns; `None` if a required one is missing.
    pub fn new(table: &Table<'_>, mapping: &Mapping, node_gpus: u32, report: &mut Report) -> Option<Trace> {
        let (columns, used) = Columns::find(table, mapping, report)?;
        let others = table.headers.iter().enumerate().filter(|(i, _)| !used.contains(i));
        report.ignored.extend(others.map(|(_, header)| format!("column {header}")));
        let node_gpus = u64::from(node_gpus);
        let (jobs, queues) = (Vec::new(), BTreeSet::new());
        let format = |column: Option<usize>, field| {
            let header = column.map_or("", |i| table.headers[i].as_str());
            Format::of(header, chosen_unit(table, mapping.of(field)).1)
        };
        let memory_head = columns.memory.map_or("", |i| table.headers[i].as_str());
        let memory_word = times::last_word(memory_head).to_ascii_lowercase();
        let memory_unit = MEMORY_UNITS.iter().find(|(word, _)| *word == memory_word);
        Some(Trace {
            submit_format: format(columns.submit, "submit"),
            duration_format: format(columns.duration, "duration"),
            memory_unit: memory_unit.map_or("", |(_, unit)| unit),
            columns,
            node_gpus,
            jobs,
            n_pods: 0,
            n_split: 0,
            submits: Vec::new(),
            queues,
            row: 0,
        })
    }

    /// Returns the number of pods so far.
    pub fn n_pods(&self) -> u64 {
        self.n_pods
    }

    /// Adds the job of a row. The error is the reason to skip the row.
    pub fn row(&mut self, fields: &Fields) -> Result<(), String> {
        self.row += 1;
        let field = |column: Option<usize>| column.map(|i| fields.get(i)).filter(|text| !text.is_empty());
        let name = match field(self.columns.id) {
            Some(id) => id.to_string(),
            None if self.columns.id.is_some() => return Err("the job has no name".into()),
            None => format!("job-{}", self.row),
        };
        if name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
            return Err(format!("{} cannot be a name", quoted(&name)));
        }
        let queue = match (field(self.columns.queue), self.columns.queue) {
            (Some(queue), _) => queue,
            (None, Some(_)) => return Err("the job has no queue".into()),
            (None, None) => "default",
        };
        if queue.chars().count() > NAME_CHARS_MAX || queue.chars().any(char::is_control) {
            return Err(format!("{} cannot be the name of a queue", quoted(queue)));
        }
        let submit = match field(self.columns.submit) {
            Some(text) => {
                let moment = self.submit_format.moment(text);
                moment.ok_or_else(|| format!("{} is neither a number nor a date", quoted(text)))?
            }
            None => 0,
        };
        let lasts = match field(self.columns.duration) {
            Some(text) => {
                let span = self.duration_format.span(text).filter(|ms| *ms >= 0);
                Some(span.ok_or_else(|| format!("{} is no duration", quoted(text)))?)
            }
            None => None,
        };
        let value = |ms: i64| Some(Scalar(print_decimal(ms, 3)));
        let unit = self.memory_unit;
        let is_bare = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let memory = field(self.columns.memory)
            .map(|text| if is_bare(text) { format!("{text}{unit}") } else { text.to_string() });
        let mut job = JobEntry {
            name,
            queue: queue.to_string(),
            lasts: lasts.and_then(value),
            user: field(self.columns.user).map(str::to_string),
            cpu: amount(field(self.columns.cpu), Resource::CPU)?,
            memory: amount(memory.as_deref(), Resource::MEMORY)?,
            ..JobEntry::default()
        };
        let pods = self.size(&mut job, field(Some(self.columns.gpus)), field(self.columns.pods))?;
        self.n_pods += pods;
        self.submits.push(submit);
        if !self.queues.contains(queue) {
            self.queues.insert(queue.to_string());
        }
        self.jobs.push(job);
        Ok(())
    }

    /// Sets GPUs and pods of a job and returns the number of pods. Splits pods larger than a node into pods of a whole
    /// node each, which start together.
    fn size(&mut self, job: &mut JobEntry, gpus: Option<&str>, pods: Option<&str>) -> Result<u64, String> {
        let gpus = gpus.unwrap_or("0");
        let wrong = || format!("{} is no number of GPUs", quoted(gpus));
        let milli = quantity::amount(gpus, Resource::GPU, 1).map_err(|_| wrong())?.in_base_units();
        let milli = u64::try_from(milli).map_err(|_| wrong())?;
        let count = |text: &str| match quantity::count(text) {
            Ok(0) | Err(_) => Err(format!("{} is no number of pods", quoted(text))),
            Ok(n) => Ok(n),
        };
        let mut n = pods.map(count).transpose()?.unwrap_or(1);
        let mut each = milli / n;
        if !milli.is_multiple_of(n) {
            return Err(format!("{gpus} GPUs cannot be divided evenly among {n} pods"));
        }
        let node = self.node_gpus * 1000;
        if each > node {
            if !each.is_multiple_of(node) {
                return Err(format!("{gpus} GPUs are more than a node has and no multiple of its {}", self.node_gpus));
            }
            n = n.saturating_mul(each / node);
            each = node;
            self.n_split += 1;
        }
        if each > 1000 && !each.is_multiple_of(1000) {
            return Err(format!("{gpus} GPUs for a pod are neither whole nor part of one"));
        }
        let scalar = |n: u64| Some(Scalar(print_decimal(i64::try_from(n).unwrap_or(i64::MAX), 3)));
        job.gpu = if each == 0 { None } else { scalar(each) };
        job.pods = if n == 1 { None } else { Some(Scalar(n.to_string())) };
        Ok(n)
    }

    /// Returns the jobs under unique names and the names of their queues; `None` if there are no jobs.
    pub fn finish(mut self, report: &mut Report) -> Option<(Vec<JobEntry>, BTreeSet<String>)> {
        if self.jobs.is_empty() {
            report.refuse("no row of the trace could be taken");
            return None;
        }
        let n_renamed = make_unique(&mut self.jobs);
        if n_renamed > 0 {
            report.assume(format!("{n_renamed} jobs whose name stands there before got a number behind it"));
        }
        report.understand(format!("{} jobs with {} pods", self.jobs.len(), self.n_pods));
        if self.n_split > 0 {
            report.assume(format!(
                "{} jobs larger than a node became pods of {} GPUs each, all of which must start together",
                self.n_split, self.node_gpus
            ));
        }
        let formats = [(&self.submit_format, "times of submission"), (&self.duration_format, "durations")];
        for (format, what) in formats.iter().filter(|(format, _)| !format.what().is_empty()) {
            report.understand(format!("{what} are {}", format.what()));
        }
        self.place_in_time(report);
        for (column, message) in [
            (self.columns.id, "jobs are called job-1, job-2, …"),
            (self.columns.queue, "all jobs belong to one queue, default"),
            (self.columns.submit, "all jobs are submitted at the start"),
            (self.columns.duration, "jobs run until the end"),
        ] {
            if column.is_none() {
                report.assume(message);
            }
        }
        report.assume("all jobs have the default priority and may be preempted");
        Some((self.jobs, self.queues))
    }
}

impl Trace {
    /// Sets the submission times. Shifts a trace on another time axis to begin at 0.
    fn place_in_time(&mut self, report: &mut Report) {
        let first = self.submits.iter().copied().min().unwrap_or(0);
        let start = if first >= FAR_MS { first } else { 0 };
        if start > 0 {
            let seconds = print_decimal(start, 3);
            report.assume(format!("times count from the first submission, {seconds} s in the trace"));
        }
        for (job, submit) in self.jobs.iter_mut().zip(&self.submits) {
            let ms = submit - start;
            job.submit = if ms == 0 { None } else { Some(Scalar(print_decimal(ms, 3))) };
        }
        let n_before = self.submits.iter().filter(|&&submit| submit < 0).count();
        if n_before > 0 {
            report.assume(format!("{n_before} jobs submitted before 0 wait from the start"));
        }
    }
}

fn amount(text: Option<&str>, resource: Resource) -> Result<Option<Scalar>, String> {
    let Some(text) = text else { return Ok(None) };
    match quantity::amount(text, resource, 1) {
        Ok(_) => Ok(Some(Scalar(text.to_string()))),
        Err(_) => Err(format!("{} is no quantity of {}", quoted(text), resource.name())),
    }
}

/// Renames all but the first of several jobs with the same name; returns the number of renamed jobs.
fn make_unique(jobs: &mut [JobEntry]) -> u32 {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&i| &jobs[i].name);
    let duplicates: Vec<usize> =
        order.windows(2).filter(|pair| jobs[pair[0]].name == jobs[pair[1]].name).map(|pair| pair[1]).collect();
    if duplicates.is_empty() {
        return 0;
    }
    let mut names: BTreeSet<String> = jobs.iter().map(|job| job.name.clone()).collect();
    let (mut n, mut before) = (1u32, String::new());
    for &i in &duplicates {
        let base: String = jobs[i].name.chars().take(NAME_CHARS_MAX - 12).collect();
        // Equal names are adjacent in this order, so numbering continues from the previous job.
        if base != before {
            n = 1;
        }
        loop {
            n += 1;
            let fresh = format!("{base}~{n}");
            if names.insert(fresh.clone()) {
                jobs[i].name = fresh;
                break;
            }
        }
        before = base;
    }
    u32::try_from(duplicates.len()).unwrap_or(u32::MAX)
}
