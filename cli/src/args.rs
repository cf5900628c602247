//! The command line.

use std::sync::LazyLock;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use fairground::policy::Policy;

/// The policies of products, which are compared unless others are named.
static PRODUCTS: LazyLock<String> =
    LazyLock::new(|| Policy::products().map(|policy| policy.key).collect::<Vec<_>>().join(","));

const EXIT_CODES: &str = "Exit codes:
  0  all went well
  1  something named with --fail-on happened
  2  the scenario, trace or link cannot be used; findings are on stderr
  3  the command line is wrong
  4  reading or writing a file failed: it is missing, or must not be read or written";

/// Simulate fair-share scheduling of GPU clusters, without a browser.
#[derive(Debug, Parser)]
#[command(name = "fairground", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and print what happens
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Say why a job waits, or what became of it
    #[command(after_help = EXIT_CODES)]
    Why(Why),
    /// Say everything that is wrong with a scenario
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Make a scenario from a trace of jobs, or from another scheduler's configuration
    #[command(after_help = EXIT_CODES)]
    Import(Import),
    /// Write a scenario's queues as its scheduler reads them
    #[command(after_help = EXIT_CODES)]
    Export(Export),
    /// Answer like KAI's fair-share simulator: JSON in, shares as JSON out
    #[command(after_help = EXIT_CODES)]
    Fairshare(FairShare),
    /// Answer like KAI's simulator of time-based fair share: YAML in, CSV out
    #[command(after_help = EXIT_CODES)]
    TimeBased(TimeBased),
    /// Put a scenario into the words of another policy
    #[command(after_help = EXIT_CODES)]
    Translate(Translate),
    /// Run a scenario under several policies, side by side
    #[command(after_help = EXIT_CODES)]
    Compare(Compare),
    /// Say which policies there are, which versions of their products they model, and what changed since
    #[command(after_help = EXIT_CODES)]
    Policies(Policies),
    /// Print a scenario as a link
    #[command(after_help = EXIT_CODES)]
    Link(Link),
    /// Print the scenario in a link
    #[command(after_help = EXIT_CODES)]
    Open(Open),
}

/// Say which policies there are.
#[derive(Debug, ClapArgs)]
pub struct Policies {
    /// Only this one
    #[arg(value_name = "P")]
    pub policy: Option<String>,
}

/// Explain a job.
#[derive(Debug, ClapArgs)]
pub struct Why {
    /// Its name
    #[arg(value_name = "JOB")]
    pub job: String,
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: String,
    /// Translate the scenario into the words of this policy first: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P")]
    pub policy: Option<String>,
    /// After the first cycle at or after this moment, such as 90s or 2h; left out: after the first cycle that sees the job
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: Option<i64>,
}

/// Run a scenario.
#[derive(Debug, ClapArgs)]
pub struct Run {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Translate the scenario into the words of this policy first: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P")]
    pub policy: Option<String>,
    /// Stop after the last cycle up to this moment, such as 90s, 2h or 30d
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "cycles")]
    pub until: Option<i64>,
    /// Stop after so many cycles
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Out::Text)]
    pub out: Out,
    /// Print the summary only
    #[arg(long)]
    pub summary_only: bool,
    /// Also print what decided each event, and why jobs wait
    #[arg(long)]
    pub why: bool,
    /// Exit with 1 if, in the end, pods were evicted, jobs still wait, or the scenario has warnings
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Out {
    /// For people
    Text,
    /// One JSON object per line
    Jsonl,
}

/// What counts as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The policy evicted a pod
    Evicted,
    /// A job still waits at the end
    Pending,
    /// The scenario has warnings
    Warning,
}

/// Say what is wrong.
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
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::QueuesYaml)]
    pub format: Format,
    /// Print only what changes against this file, which the scenario came from
    #[arg(long, value_name = "FILE")]
    pub against: Option<String>,
    /// Where to write; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
}

/// A scheduler's own format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A configuration of Apache YuniKorn
    #[value(name = "queues.yaml")]
    QueuesYaml,
}

/// Make a scenario from a trace.
#[derive(Debug, ClapArgs)]
pub struct Import {
    /// A table of jobs (CSV: submit time, duration, GPUs, queue), a resource plan (MDPlan.xml), projects and departments of
    /// Run:ai (JSON), a configuration of YuniKorn (queues.yaml), or what kubectl get … -o json (or yaml) prints of a cluster that
    /// KAI schedules; - reads standard input
    #[arg(value_name = "FILE")]
    pub trace: String,
    /// A table of queues (name, GPUs), or the departments of projects that are a file of their own
    #[arg(long, value_name = "FILE")]
    pub queues: Option<String>,
    /// Nodes × GPUs, such as 88x8
    #[arg(long, value_name = "NxG", value_parser = nodes)]
    pub nodes: Option<(u32, u32)>,
    /// Part of each queue's GPUs that becomes its quota, such as 1/4
    #[arg(long, value_name = "PART", value_parser = part)]
    pub quota_scale: Option<(u32, u32)>,
    /// The policy of the scenario: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P", value_parser = policy)]
    pub policy: Option<String>,
    /// Where to write the scenario; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
}

/// Divide once.
#[derive(Debug, ClapArgs)]
pub struct FairShare {
    /// Total resources and queues, in the simulator's JSON; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
}

/// Run cycles over growing usage.
#[derive(Debug, ClapArgs)]
pub struct TimeBased {
    /// Nodes, queues and jobs, in the simulator's YAML; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Where to write the table; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// Cut fair shares of 1 and more to whole numbers, as KAI's own simulator does
    #[arg(long)]
    pub truncate: bool,
}

/// Put a scenario into other words.
#[derive(Debug, ClapArgs)]
pub struct Translate {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The policy: kai, fifo, yunikorn, ego, runai, max-min or drf
    #[arg(long, value_name = "P")]
    pub policy: String,
    /// Where to write the scenario; - writes to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
}

/// Run a scenario under several policies.
#[derive(Debug, ClapArgs)]
pub struct Compare {
    /// A scenario (YAML or JSON) or a link to one; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The policies, separated by commas
    #[arg(long, value_name = "P,…", value_delimiter = ',', default_value = PRODUCTS.as_str())]
    pub policies: Vec<String>,
    /// Stop each run after the last cycle up to this moment, such as 90s, 2h or 30d
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<i64>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Out::Text)]
    pub out: Out,
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
    /// A link, or what stands behind its #; - reads standard input
    #[arg(value_name = "LINK")]
    pub link: String,
}

fn moment(text: &str) -> Result<i64, String> {
    fairground::scenario::quantity::millis(text).map_err(|_| "not a time; write 90s, 2h or 30d".to_string())
}

fn policy(text: &str) -> Result<String, String> {
    let names = fairground::policy::Policy::NAMES;
    let known = names.contains(&text).then(|| text.to_string());
    known.ok_or_else(|| format!("no such policy; known are {}", names.join(", ")))
}

fn nodes(text: &str) -> Result<(u32, u32), String> {
    pair(text, ['x', '×']).ok_or_else(|| "not nodes × GPUs; write 88x8".to_string())
}

fn part(text: &str) -> Result<(u32, u32), String> {
    let whole = text.parse().ok().filter(|&n| n > 0).map(|n| (n, 1));
    whole.or_else(|| pair(text, ['/', '∕'])).ok_or_else(|| "not a part; write 1/4".to_string())
}

/// Two numbers above 0.
fn pair(text: &str, between: [char; 2]) -> Option<(u32, u32)> {
    let (left, right) = text.split_once(between)?;
    let (left, right) = (left.trim().parse().ok()?, right.trim().parse().ok()?);
    (left > 0 && right > 0).then_some((left, right))
}
