//! Imports several files of any kinds at once: recognises each, and merges those that belong together into one
//! scenario.
//!
//! # Rule
//! A scenario, a link, an input of KAI's simulators and a plan of EGO are imported alone. All other files of one kind
//! form a part: queues come from the first part that defines them, nodes from the first that has them, jobs from all.
//! Unused files are reported with the reason.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::archive::{ArchivedFile, gunzip, is_gzip, is_zip, read_snapshot, unzip};
use super::documents::{Content, Document, split};
use super::kubernetes::{import_trees, snapshot};
use super::options::{Extent, Mapping, Options};
use super::recognise::{FileKind, recognise};
use super::yunikorn_rest::names_by_path;
use super::{Imported, Report, Source, counted, in_newest_revision, translate_to, trees, without_limit};
use crate::link;
use crate::policy::Policy;
use crate::scenario::value::Value;
use crate::scenario::{self, Diagnostic, NodeEntry, QueueEntry, Scenario, TEXT_MAX, codes};

/// An input file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Name, including folders.
    pub name: &'a str,
    /// Content, compressed or not.
    pub bytes: &'a [u8],
    /// Whether the user declared it as a table of queue sizes.
    pub is_sizes: bool,
}

/// Result of an import of files.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    /// The scenario with its report.
    pub imported: Imported,
    /// Scenarios of further scenario files.
    pub more: Vec<Scenario>,
    /// Kind of the main file.
    pub kind: FileKind,
    /// Text of the job trace, if that is the main file, so that its columns can be mapped.
    pub trace: Option<String>,
}

/// Maximum number of files per import.
pub const FILES_MAX: usize = 1000;

/// Kinds that are imported alone, in order of precedence.
const ALONE: [FileKind; 3] = [FileKind::Scenario, FileKind::Link, FileKind::Plan];

/// A recognised file.
struct Piece<'a> {
    file: Cow<'a, str>,
    kind: FileKind,
    is: Content<'a>,
}

impl Piece<'_> {
    fn into_owned(self) -> Piece<'static> {
        let is = match self.is {
            Content::Text(text) => Content::Text(Cow::Owned(text.into_owned())),
            Content::Trees(trees) => Content::Trees(trees),
        };
        Piece { file: Cow::Owned(self.file.into_owned()), kind: self.kind, is }
    }

    fn text(&self) -> &str {
        match &self.is {
            Content::Text(text) => text,
            Content::Trees(_) => "",
        }
    }
}

/// Imports files as one scenario. Translates it to the policy in the options; without one, it has the policy of the
/// files.
pub fn import_files(files: &[File<'_>], options: &Options) -> Files {
    let mut report = Report::default();
    if files.len() > FILES_MAX {
        let message = format!("the first {FILES_MAX} of {} files are read; choose fewer", files.len());
        report.ignore(message);
    }
    let files = files.iter().take(FILES_MAX);
    let pieces: Vec<Piece<'_>> = files.flat_map(|file| pieces(file, options, &mut report)).collect();
    name_files(&pieces, &mut report);
    if let Some(message) = options.too_many_nodes() {
        report.refuse(message);
        return Files {
            imported: Imported { scenario: None, report },
            more: Vec::new(),
            kind: main_kind(&pieces),
            trace: None,
        };
    }
    let (scenario, kind) = match ALONE.iter().find_map(|kind| pieces.iter().find(|piece| piece.kind == *kind)) {
        Some(piece) => {
            others_left_out(piece, &pieces, &mut report);
            (alone(piece, options, &mut report), piece.kind)
        }
        None => (together(&pieces, options, &mut report), main_kind(&pieces)),
    };
    let (scenario, more) = match kind {
        FileKind::Scenario => with_more(scenario, &pieces, &mut report),
        _ => (scenario, Vec::new()),
    };
    let scenario = scenario.map(|scenario| match options.policy.as_str() {
        policy if policy.is_empty() || scenario.policy == policy => scenario,
        policy => translate_to(policy, scenario, &mut report),
    });
    // A scenario file and a link keep what they were made with.
    let is_made = !matches!(kind, FileKind::Scenario | FileKind::Link);
    let scenario = match scenario {
        Some(scenario) if is_made => Some(in_newest_revision(scenario, &mut report)),
        scenario => scenario,
    };
    if scenario.is_some() {
        let extent = Extent {
            has_assumed_nodes: report.assumed_nodes.is_some(),
            has_sizes: kind == FileKind::Trace && pieces.iter().any(|piece| piece.kind == FileKind::QueueSizes),
            has_trace: kind == FileKind::Trace,
        };
        report.ignored.extend(options.without_effect(&extent));
    }
    report.bound();
    let trace = pieces.iter().find(|piece| piece.kind == FileKind::Trace).map(|piece| piece.text().to_string());
    let trace = trace.filter(|_| kind == FileKind::Trace);
    Files { imported: Imported { scenario, report }, more, kind, trace }
}

/// Splits the readable scenarios into the first and the others.
fn with_more(first: Option<Scenario>, pieces: &[Piece<'_>], report: &mut Report) -> (Option<Scenario>, Vec<Scenario>) {
    let mut all: Vec<Scenario> = first.into_iter().collect();
    for piece in pieces.iter().filter(|piece| piece.kind == FileKind::Scenario).skip(1) {
        let Imported { scenario, report: mut own_report } = own(piece.text());
        name_file(&mut own_report.diagnostics, &piece.file);
        report.diagnostics.append(&mut own_report.diagnostics);
        all.extend(scenario);
    }
    let more = all.split_off(all.len().min(1));
    (all.pop(), more)
}

fn main_kind(pieces: &[Piece<'_>]) -> FileKind {
    let kind = pieces.iter().map(|piece| piece.kind).find(|kind| *kind != FileKind::Unknown);
    match kind {
        Some(_) if pieces.iter().any(|piece| piece.kind == FileKind::Trace) => FileKind::Trace,
        kind => kind.unwrap_or(FileKind::Unknown),
    }
}

/// Recognises a file or the files of an archive. Reports unreadable ones.
fn pieces<'a>(file: &File<'a>, options: &Options, report: &mut Report) -> Vec<Piece<'a>> {
    let unpacked = if is_zip(file.bytes) { unzip(file.bytes, TEXT_MAX as u64) } else { Ok(None) };
    match unpacked {
        Ok(None) => inputs(file, options, report),
        Ok(Some(entries)) => {
            let owned = |ArchivedFile { name, bytes }: ArchivedFile| {
                let inner_file = File { name: &name, bytes: &bytes, is_sizes: file.is_sizes };
                let owned = inputs(&inner_file, options, report).into_iter().map(Piece::into_owned);
                owned.collect::<Vec<_>>()
            };
            entries.into_iter().flat_map(owned).collect()
        }
        Err(error) => {
            let message = if file.name.is_empty() { error } else { format!("{}: {error}", file.name) };
            report.refuse(message);
            Vec::new()
        }
    }
}

/// Returns the inputs in a file.
fn inputs<'a>(file: &File<'a>, options: &Options, report: &mut Report) -> Vec<Piece<'a>> {
    let Some(Piece { file, kind, is }) = piece(file, options, report) else { return Vec::new() };
    let Content::Text(text) = is else { return vec![Piece { file, kind, is }] };
    let input = |Document { within, kind, content }: Document<'a>| Piece {
        file: match within.as_str() {
            "" => file.clone(),
            within => Cow::Owned(format!("{file} {within}").trim_start().to_string()),
        },
        kind,
        is: content,
    };
    split(text, kind, report).into_iter().map(input).collect()
}

/// Unpacks and recognises a file. Reports an unreadable one.
fn piece<'a>(file: &File<'a>, options: &Options, report: &mut Report) -> Option<Piece<'a>> {
    let mut refuse = |message: String| {
        let message = if file.name.is_empty() { message } else { format!("{}: {message}", file.name) };
        report.refuse(message);
        None
    };
    let mut bytes = Cow::Borrowed(file.bytes);
    if is_gzip(&bytes) {
        match gunzip(&bytes, TEXT_MAX as u64) {
            Ok(unpacked) => bytes = Cow::Owned(unpacked),
            Err(message) => return refuse(message),
        }
    }
    if is_zip(&bytes) {
        return match read_snapshot(&bytes, |unpacked| snapshot::read(unpacked)) {
            Ok(tree) => Some(Piece {
                file: Cow::Borrowed(file.name),
                kind: FileKind::Kubernetes,
                is: Content::Trees(vec![tree]),
            }),
            Err(message) => refuse(message),
        };
    }
    if bytes.len() > TEXT_MAX {
        return refuse(format!("it has {} bytes; up to {TEXT_MAX} are read; split it", bytes.len()));
    }
    let text = match decode(bytes) {
        Ok(text) => text,
        Err(message) => return refuse(message),
    };
    let kind = match recognise(text.as_bytes(), file.name) {
        FileKind::Unknown | FileKind::Trace if file.is_sizes => FileKind::QueueSizes,
        // A column mapping was given, so this is a trace.
        FileKind::Unknown if options.mapping != Mapping::default() => FileKind::Trace,
        kind => kind,
    };
    let text = if kind == FileKind::Kubernetes { from_first_value(text) } else { text };
    Some(Piece { file: Cow::Borrowed(file.name), kind, is: Content::Text(text) })
}

/// Decodes UTF-8, or UTF-16 with a byte order mark, which Windows shells write.
fn decode(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, str>, String> {
    let wide = |decode: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| decode([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes.get(..2) {
        Some([0xff, 0xfe]) => return Ok(Cow::Owned(wide(u16::from_le_bytes))),
        Some([0xfe, 0xff]) => return Ok(Cow::Owned(wide(u16::from_be_bytes))),
        _ => {}
    }
    let refusal = |index: usize| format!("byte {} is not UTF-8 text; save the file as UTF-8", index + 1);
    match bytes {
        Cow::Borrowed(bytes) => {
            std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| refusal(error.valid_up_to()))
        }
        Cow::Owned(bytes) => {
            let text = String::from_utf8(bytes);
            text.map(Cow::Owned).map_err(|error| refusal(error.utf8_error().valid_up_to()))
        }
    }
}

/// Blanks lines of a shell before the first value, such as a prompt or a warning. Keeps line numbers.
fn from_first_value(text: Cow<'_, str>) -> Cow<'_, str> {
    let begins = |line: &str| {
        let line = line.trim_start_matches('\u{feff}');
        // Object keys begin with a lowercase letter; shell messages begin with an uppercase letter or with *error*.
        let key = line.split(':').next().unwrap_or_default();
        let is_key = line.contains(':')
            && line.starts_with(|c: char| c.is_ascii_lowercase())
            && key != "error"
            && key.chars().all(|c| c.is_ascii_alphanumeric());
        is_key || line.starts_with(['{', '[', '#']) || line.starts_with("---") || line.starts_with("- ")
    };
    let mut line_start = 0;
    let mut n = 0;
    for line in text.split_inclusive('\n') {
        if begins(line) {
            break;
        }
        line_start += line.len();
        n += 1;
    }
    if line_start == 0 || line_start >= text.len() {
        return text;
    }
    Cow::Owned("\n".repeat(n) + &text[line_start..])
}

/// Reports the kind of each file, if there are several.
fn name_files(pieces: &[Piece<'_>], report: &mut Report) {
    for piece in pieces {
        match piece.kind {
            FileKind::Unknown if pieces.len() > 1 => {
                report.ignore(format!("{}: not recognized", piece.file));
            }
            kind if pieces.len() > 1 => {
                report.understand(format!("{}: {}", piece.file, kind.what()));
            }
            _ => {}
        }
    }
}

/// Reports the files that are not used because another one is imported alone.
fn others_left_out(imported: &Piece<'_>, pieces: &[Piece<'_>], report: &mut Report) {
    let is_left_out = |piece: &&Piece<'_>| {
        let is_further = imported.kind == FileKind::Scenario && piece.kind == FileKind::Scenario;
        !std::ptr::eq(*piece, imported) && piece.kind != FileKind::Unknown && !is_further
    };
    for piece in pieces.iter().filter(is_left_out) {
        report.understood.retain(|line| *line != format!("{}: {}", piece.file, piece.kind.what()));
        let (kind, used_kind) = (piece.kind.what(), imported.kind.what());
        report.ignore(format!("{} is left out: it is {kind}, and the import is {used_kind}", piece.file));
    }
}

/// Imports a file alone.
fn alone(piece: &Piece<'_>, options: &Options, report: &mut Report) -> Option<Scenario> {
    let text = piece.text();
    let imported = match piece.kind {
        FileKind::Scenario => own(text),
        FileKind::Link => of_link(text),
        _ => super::import_plan(text, &with_default_policy(options)),
    };
    report.assumed_nodes.clone_from(&imported.report.assumed_nodes);
    report.take(imported.report);
    imported.scenario
}

/// Reads a scenario file.
fn own(text: &str) -> Imported {
    let read = scenario::read(text);
    let is_clean = read.is_clean();
    let mut report = Report { diagnostics: read.diagnostics, ..Report::default() };
    report.understood.extend(read.scenario.iter().map(contents));
    if read.has_comments {
        report.ignore("comments; notes are kept");
    }
    Imported { scenario: read.scenario.filter(|_| is_clean), report }
}

fn of_link(text: &str) -> Imported {
    let mut report = Report::default();
    match link::open(text) {
        Ok(linked) => {
            report.understand(contents(&linked.scenario));
            let (theirs, ours) = (linked.rules, link::RULES);
            if theirs != ours {
                let message = format!("version {ours} of the rules; the link was made with version {theirs}");
                report.assume(message);
            }
            Imported { scenario: Some(linked.scenario), report }
        }
        Err(error) => {
            let message = format!("the link cannot be read. {error} Copy it again as a whole");
            let message = match error {
                link::LinkError::NewerVersion { .. } => format!("the link cannot be read. {error}"),
                _ => message,
            };
            report.refuse(message);
            Imported { scenario: None, report }
        }
    }
}

fn contents(scenario: &Scenario) -> String {
    let name = if scenario.name.is_empty() { String::new() } else { format!(" \"{}\"", scenario.name) };
    let nodes = counted(scenario.nodes.len() as u64, "node group");
    let queues = counted(scenario.queues.len() as u64, "queue");
    let jobs = counted(scenario.jobs.len() as u64, "job");
    format!("a scenario{name}: {nodes}, {queues}, {jobs}")
}

/// Returns the options with the default policy filled in.
fn with_default_policy(options: &Options) -> Options {
    let policy = if options.policy.is_empty() { Policy::DEFAULT.key.to_string() } else { options.policy.clone() };
    Options { policy, ..options.clone() }
}

/// Result of the files of one kind.
struct Part {
    kind: FileKind,
    scenario: Scenario,
    /// Report line about assumed nodes.
    assumed_nodes: Option<String>,
    /// Whether the files define queues.
    has_queues: bool,
}

/// Kinds that become parts, with those that define queues first.
const PARTS: [FileKind; 5] =
    [FileKind::Organisation, FileKind::QueuesYaml, FileKind::YuniKornState, FileKind::Kubernetes, FileKind::Trace];

/// Imports files that belong together.
fn together(pieces: &[Piece<'_>], options: &Options, report: &mut Report) -> Option<Scenario> {
    let mut parts: Vec<Part> = Vec::new();
    for kind in PARTS {
        let of_kind: Vec<&Piece<'_>> = pieces.iter().filter(|piece| piece.kind == kind).collect();
        if !of_kind.is_empty() {
            parts.extend(part(kind, &of_kind, pieces, options, report));
        }
    }
    for piece in pieces.iter().filter(|piece| piece.kind.advice().is_some()) {
        let file = if pieces.len() > 1 { format!("{}: ", piece.file) } else { String::new() };
        let message = format!("{file}{}", piece.kind.advice().unwrap_or_default());
        report.refuse(message);
    }
    sizes_left_out(pieces, report);
    if pieces.iter().any(|piece| piece.kind == FileKind::Unknown) && parts.is_empty() {
        report.refuse(NOT_RECOGNISED);
    }
    // Without the unreadable files the result would be incomplete.
    if report.diagnostics.iter().any(|d| d.code.0 == codes::IMPORT.0 || d.code.0 == codes::SYNTAX.0) {
        parts.retain(|part| part.kind == FileKind::Trace);
    }
    merge(parts, report)
}

/// Reports lists of queue sizes that no trace uses.
fn sizes_left_out(pieces: &[Piece<'_>], report: &mut Report) {
    let mut sizes = pieces.iter().filter(|piece| piece.kind == FileKind::QueueSizes);
    if pieces.iter().any(|piece| piece.kind == FileKind::Trace) {
        for piece in sizes.skip(1) {
            report.ignore(format!("{} is left out: it is another list of queue sizes", piece.file));
        }
    } else if pieces.iter().all(|piece| piece.kind == FileKind::QueueSizes) {
        if sizes.next().is_some() {
            report.refuse("these are sizes of queues; import them together with a trace of jobs");
        }
    } else {
        for piece in sizes {
            let message = "it is a list of queue sizes, which are read with a trace of jobs";
            report.ignore(format!("{} is left out: {message}", piece.file));
        }
    }
}

/// Message for a file of an unknown kind.
const NOT_RECOGNISED: &str = "this is not recognized: it is no scenario (YAML or JSON), no link, no trace of jobs (CSV with a head \
     line), no output of kubectl get … -o json, no configuration or REST answer of YuniKorn, no REST answer of Run:ai and no \
     plan of EGO (XML)";

fn part(
    kind: FileKind,
    of_kind: &[&Piece<'_>],
    pieces: &[Piece<'_>],
    options: &Options,
    report: &mut Report,
) -> Option<Part> {
    let sources: Vec<Source<'_>> =
        of_kind.iter().map(|piece| Source { file: &piece.file, text: piece.text() }).collect();
    let texts: Vec<&str> = of_kind.iter().map(|piece| piece.text()).collect();
    let options = &match kind {
        FileKind::Trace => with_default_policy(options),
        FileKind::Kubernetes => Options { policy: String::new(), ..options.clone() },
        _ => Options { policy: Policy::DEFAULT.key.into(), ..options.clone() },
    };
    let imported = match kind {
        FileKind::Organisation => super::import_organisation(&texts, options),
        FileKind::QueuesYaml => super::import_queues_yaml(texts[0], options),
        FileKind::YuniKornState => super::yunikorn_rest::import_state(&sources, options),
        FileKind::Trace => {
            let sizes = pieces.iter().find(|piece| piece.kind == FileKind::QueueSizes);
            super::import(texts[0].as_bytes(), sizes.map(|piece| piece.text().as_bytes()), options)
        }
        _ => {
            let is_yunikorn = |piece: &Piece<'_>| matches!(piece.kind, FileKind::QueuesYaml | FileKind::YuniKornState);
            objects(of_kind, options, pieces.iter().any(is_yunikorn))
        }
    };
    let used = if matches!(kind, FileKind::Trace | FileKind::QueuesYaml) { 1 } else { of_kind.len() };
    for piece in &of_kind[used..] {
        report.understood.retain(|line| !line.starts_with(&format!("{}: ", piece.file)));
        let what = kind.what();
        report.ignore(format!("{} is left out: it is another {}", piece.file, &what[2..]));
    }
    let Imported { scenario, report: own_report } = imported;
    let (assumed_nodes, has_queues) = (own_report.assumed_nodes.clone(), own_report.has_queues);
    let n_before = report.diagnostics.len();
    report.take(own_report);
    if pieces.len() > 1 && of_kind.len() == 1 {
        name_file(&mut report.diagnostics[n_before..], &of_kind[0].file);
    }
    Some(Part { kind, scenario: scenario?, assumed_nodes, has_queues })
}

/// Prefixes findings with the name of their file.
fn name_file(diagnostics: &mut [Diagnostic], file: &str) {
    for diagnostic in diagnostics {
        diagnostic.says = format!("{file}: {}", diagnostic.says);
    }
}

fn objects(of_kind: &[&Piece<'_>], options: &Options, has_yunikorn: bool) -> Imported {
    let mut report = Report::default();
    let mut roots = Vec::new();
    for piece in of_kind {
        match &piece.is {
            Content::Trees(trees) => {
                let file = if of_kind.len() > 1 { &*piece.file } else { "" };
                roots.extend(trees.iter().map(|tree| (file, Cow::Borrowed(tree))));
            }
            Content::Text(text) => {
                // A second source makes the report name the file.
                let all = [Source { file: &piece.file, text }, Source { file: "", text: "" }];
                let sources = if of_kind.len() > 1 { &all[..] } else { &all[..1] };
                let read = trees(sources, &mut report);
                roots.extend(read.into_iter().map(|(file, tree)| (file, Cow::Owned(tree))));
            }
        }
    }
    let roots: Vec<(&str, &Value)> = roots.iter().map(|(file, tree)| (*file, &**tree)).collect();
    import_trees(&roots, options, has_yunikorn, report)
}

/// Merges the parts: queues from the first that defines them, nodes from the first that has them, jobs from all.
fn merge(parts: Vec<Part>, report: &mut Report) -> Option<Scenario> {
    let mut parts: std::collections::VecDeque<Part> = parts.into();
    if let Some(i) = parts.iter().position(|part| part.has_queues) {
        let first = parts.remove(i)?;
        parts.push_front(first);
    }
    let mut base = parts.pop_front()?;
    for mut other in parts {
        if other.scenario.policy != base.scenario.policy {
            let policy = base.scenario.policy.clone();
            other.scenario = translate_to(&policy, other.scenario, report);
        }
        if base.assumed_nodes.is_some() && other.assumed_nodes.is_none() {
            let assumed = base.assumed_nodes.take();
            report.assumed.retain(|line| Some(line) != assumed.as_ref());
            base.scenario.nodes = Arc::new(nodes_in_pools(&base.scenario, &other.scenario));
        } else if let Some(assumed) = &other.assumed_nodes {
            report.assumed.retain(|line| line != assumed);
        } else {
            let message = format!("the nodes of {}: those of {} are used", other.kind.what(), base.kind.what());
            report.ignore(message);
        }
        if other.has_queues && base.has_queues {
            let message = format!("the queues of {}: those of {} are used", other.kind.what(), base.kind.what());
            report.ignore(message);
        }
        add_jobs(&mut base.scenario, &other.scenario, report);
    }
    report.assumed_nodes = base.assumed_nodes;
    Some(base.scenario)
}

/// Node label with the node pool of Run:ai.
const POOL_LABEL: &str = "runai/node-pool";

/// Assigns the nodes of another part to the pools of this one: by pool or label, otherwise to the first pool.
fn nodes_in_pools(base: &Scenario, other: &Scenario) -> Vec<NodeEntry> {
    let in_pool = |node: &NodeEntry| {
        let named = node.pool.as_ref().or_else(|| node.labels.get(POOL_LABEL));
        let existing = named.filter(|name| base.pools.iter().any(|pool| pool.name == **name));
        let pool = existing.or_else(|| base.pools.first().map(|pool| &pool.name)).cloned();
        NodeEntry { pool, ..node.clone() }
    };
    other.nodes.iter().map(in_pool).collect()
}

/// Adds the jobs of another part, and their queues that do not exist yet.
fn add_jobs(base: &mut Scenario, other: &Scenario, report: &mut Report) {
    let existing: BTreeSet<&str> = base.queues.iter().map(|queue| queue.name.as_str()).collect();
    let mut missing: Vec<QueueEntry> = Vec::new();
    let mut jobs = (*base.jobs).clone();
    let paths = names_by_path(base);
    for job in other.jobs.iter() {
        let mut job = job.clone();
        if let Some(name) = paths.get(&job.queue).or_else(|| paths.get(&format!("root.{}", job.queue))) {
            job.queue.clone_from(name);
        }
        if !existing.contains(job.queue.as_str()) && !missing.iter().any(|queue| queue.name == job.queue) {
            let listed = other.queues.iter().find(|queue| queue.name == job.queue);
            missing.push(QueueEntry { parent: None, ..listed.cloned().unwrap_or_else(|| without_limit(&job.queue)) });
        }
        jobs.push(job);
    }
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|queue| queue.name.as_str()).collect();
        report.assume(format!("queues that only jobs name, at the top: {}", names.join(", ")));
    }
    let mut queues = (*base.queues).clone();
    queues.extend(missing);
    (base.queues, base.jobs) = (Arc::new(queues), Arc::new(jobs));
}
