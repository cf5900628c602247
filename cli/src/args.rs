//! The command line.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "Exit codes:
  0  success
  1  a condition of --fail-on was met
  2  the scenario, trace or link cannot be used; findings are on stderr
  3  the command line is wrong
  4  a file cannot be read or written";

/// Simulate fair-share scheduling of GPU clusters, without a browser.
#[derive(Debug, Parser)]
#[command(name = "fairground", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Args {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and print what happens
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Explain why a job waits, with what would help, or what happened to it
    #[command(after_help = EXIT_CODES)]
    Why(Why),
    /// Report all errors and warnings of a scenario
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Convert job traces, scheduler configurations or cluster listings to a scenario
    #[command(after_help = EXIT_CODES)]
    Import(Import),
    /// Write the queues of a scenario in the format of its scheduler
    #[command(after_help = EXIT_CODES)]
    Export(Export),
    /// Write a scenario as manifests for a virtual cluster with the real scheduler, with the expected events
    #[command(after_help = EXIT_CODES)]
    Kit(Kit),
    /// Compute fair shares like KAI's fair-share simulator: JSON in, JSON out
    #[command(after_help = EXIT_CODES)]
    Fairshare(FairShare),
    /// Run KAI's simulator of time-based fair share: YAML in, CSV out
    #[command(after_help = EXIT_CODES)]
    TimeBased(TimeBased),
    /// Translate a scenario to another policy
    #[command(after_help = EXIT_CODES)]
    Translate(Translate),
    /// Run a scenario under several policies or versions of one, or several scenarios, side by side
    #[command(after_help = EXIT_CODES)]
    Compare(Compare),
    /// List the policies, the product versions they model, and what changed in later versions
    #[command(after_help = EXIT_CODES)]
    Policies(Policies),
    /// Print the JSON schema of scenario files, for validation and completion in editors
    Schema,
    /// Print a scenario as a link
    #[command(after_help = EXIT_CODES)]
    Link(Link),
    /// Print the scenario in a link
    #[command(after_help = EXIT_CODES)]
    Open(Open),
}

/// List the policies.
#[derive(Debug, ClapArgs)]
pub struct Policies {
    /// List this policy only
    #[arg(value_name = "P")]
    pub policy: Option<String>,
}

/// Explain a job.
#[derive(Debug, ClapArgs)]
pub struct Why {
    /// Name of the job
    #[arg(value_name = "JOB")]
    pub job: String,
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: String,
    /// Translate the scenario to this policy first: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P")]
    pub policy: Option<String>,
    /// Explain the first cycle at or after this time, such as 90s or 2h; default: the last cycle of the job
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: Option<i64>,
}

/// Run a scenario.
#[derive(Debug, ClapArgs)]
pub struct Run {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Translate the scenario to this policy first: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P")]
    pub policy: Option<String>,
    /// Stop after the last cycle up to this time, such as 90s, 2h or 30d
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "cycles")]
    pub until: Option<i64>,
    /// Stop after this number of cycles
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Out::Text)]
    pub out: Out,
    /// Print the summary only
    #[arg(long)]
    pub summary_only: bool,
    /// Also explain each event, and why jobs wait
    #[arg(long)]
    pub why: bool,
    /// Exit with 1 if pods were evicted, jobs are still pending at the end, or the scenario has warnings
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
}

/// Output format of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Out {
    /// Plain text
    Text,
    /// One JSON object per line
    Jsonl,
    /// All events as CSV
    EventsCsv,
    /// Allocation and fair share of each queue in each cycle, as CSV
    SeriesCsv,
}

/// Output format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ComparedOut {
    /// Plain text
    Text,
    /// One JSON object per line
    Jsonl,
}

/// Conditions of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The policy evicted a pod
    Evicted,
    /// A job is still pending at the end
    Pending,
    /// The scenario has warnings
    Warning,
}

/// Check a scenario.
#[derive(Debug, ClapArgs)]
pub struct Check {
    /// A scenario (YAML or JSON); - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Exit with 1 if there are warnings
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
}

/// Write queues for a scheduler.
#[derive(Debug, ClapArgs)]
pub struct Export {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The format; default: that of the scenario's policy. For a format of another policy, the scenario is translated
    /// first
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: Option<String>,
    /// Print only a unified diff against this file, from which the scenario was imported
    #[arg(long, value_name = "FILE")]
    pub against: Option<String>,
    /// Output file; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
}

/// Write a virtual cluster.
#[derive(Debug, ClapArgs)]
pub struct Kit {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Output folder; created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: String,
}

/// Import files as a scenario.
#[derive(Debug, ClapArgs)]
pub struct Import {
    /// Files and folders of any kinds: tables of jobs (CSV), output of kubectl get … -o json (or yaml), snapshots of
    /// KAI (zip), configurations and REST responses of YuniKorn and Run:ai, plans of EGO (XML); - reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Table of queues (name, GPUs), or of departments if they are in a separate file
    #[arg(long, value_name = "FILE")]
    pub queues: Option<String>,
    /// Nodes × GPUs, such as 88x8
    #[arg(long, value_name = "NxG", value_parser = nodes)]
    pub nodes: Option<(u32, u32)>,
    /// Fraction of each queue's GPUs that becomes its quota, such as 1/4
    #[arg(long, value_name = "PART", value_parser = part)]
    pub quota_scale: Option<(u32, u32)>,
    /// The policy of the scenario: kai, fifo, yunikorn, ego, runai, max-min or drf; default: the policy of the files
    #[arg(long, value_name = "P", value_parser = policy)]
    pub policy: Option<String>,
    /// Columns of a table of jobs: id, queue, submit, duration, gpus, user, pods, cpu or memory; a column may have a
    /// unit: submit=arrival:ms
    #[arg(long, value_name = "FIELD=COLUMN,…", value_delimiter = ',', value_parser = column)]
    pub map: Vec<(String, String)>,
    /// Output file; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
}

/// Compute fair shares once.
#[derive(Debug, ClapArgs)]
pub struct FairShare {
    /// Total resources and queues, in the simulator's JSON; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
}

/// Simulate time-based fair share.
#[derive(Debug, ClapArgs)]
pub struct TimeBased {
    /// Nodes, queues and jobs, in the simulator's YAML; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Output file; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// Round fair shares of 1 and more down to whole numbers, as KAI's own simulator does
    #[arg(long)]
    pub truncate: bool,
}

/// Translate a scenario to another policy.
#[derive(Debug, ClapArgs)]
pub struct Translate {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The policy: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P")]
    pub policy: String,
    /// Output file; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
}

/// Run a scenario under several policies or versions of one, or several scenarios.
#[derive(Debug, ClapArgs)]
pub struct Compare {
    /// Scenarios (YAML or JSON) or links to them; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// The policies, separated by commas; default: all products, or with several files the policy of each
    #[arg(long, value_name = "P,…", value_delimiter = ',')]
    pub policies: Vec<String>,
    /// Versions of the scenario's policy to compare instead, separated by commas; policies lists them
    #[arg(long, value_name = "V,…", value_delimiter = ',', conflicts_with = "policies")]
    pub versions: Vec<String>,
    /// End all runs at this time, such as 90s, 2h or 30d; default: when nothing further happens in any of them
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<i64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ComparedOut::Text)]
    pub out: ComparedOut,
}

/// Print a scenario as a link.
#[derive(Debug, ClapArgs)]
pub struct Link {
    /// A scenario (YAML or JSON); - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
}

/// Print the scenario in a link.
#[derive(Debug, ClapArgs)]
pub struct Open {
    /// A link, or the part after its #; - reads standard input
    #[arg(value_name = "LINK")]
    pub link: String,
}

fn moment(text: &str) -> Result<i64, String> {
    fairground::scenario::quantity::millis(text).map_err(|_| "not a time; write 90s, 2h or 30d".to_string())
}

fn policy(text: &str) -> Result<String, String> {
    let names = fairground::policy::Policy::NAMES;
    let known = names.contains(&text).then(|| text.to_string());
    known.ok_or_else(|| format!("no such policy; choose one of {}", names.join(", ")))
}

/// Returns a parser that accepts the export formats of all policies.
fn formats() -> PossibleValuesParser {
    let value =
        |(_, export): (_, &'static fairground::export::Export)| PossibleValue::new(export.file).help(export.about);
    fairground::export::formats().map(value).collect::<Vec<_>>().into()
}

fn column(text: &str) -> Result<(String, String), String> {
    let fields = fairground::import::Mapping::FIELDS.map(|field| field.key);
    match text.split_once('=') {
        Some((field, column)) if fields.contains(&field) && !column.is_empty() => {
            Ok((field.to_string(), column.to_string()))
        }
        _ => Err(format!("write FIELD=COLUMN; known fields are {}", fields.join(", "))),
    }
}

fn nodes(text: &str) -> Result<(u32, u32), String> {
    pair(text, ['x', '×']).ok_or_else(|| "not nodes × GPUs; write 88x8".to_string())
}

fn part(text: &str) -> Result<(u32, u32), String> {
    let whole = text.parse().ok().filter(|&n| n > 0).map(|n| (n, 1));
    whole.or_else(|| pair(text, ['/', '∕'])).ok_or_else(|| "not a fraction; write 1/4".to_string())
}

/// Parses two positive numbers.
fn pair(text: &str, between: [char; 2]) -> Option<(u32, u32)> {
    let (left, right) = text.split_once(between)?;
    let (left, right) = (left.trim().parse().ok()?, right.trim().parse().ok()?);
    (left > 0 && right > 0).then_some((left, right))
}
