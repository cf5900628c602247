//! Runs every law over generated scenarios, policy by policy, and prints the first that violates one, minimised, in a
//! form that `fairground run` accepts.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use fairground::link;
use fairground::policy::Policy;
use fairground::scenario::{check, to_yaml};
use fairground_tests::digests::digests;
use fairground_tests::draw::{self, Size};
use fairground_tests::soak::soak;

/// Run every law over drawn scenarios
#[derive(Debug, Parser)]
#[command(name = "soak")]
struct Args {
    /// Scenarios of each policy
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// Only this policy
    #[arg(long)]
    policy: Option<String>,
    /// The first scenario is drawn from this number, each further one from the next
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Go on behind a broken law, to so many of them
    #[arg(long, default_value_t = 1)]
    broken: usize,
    /// Draw scenarios of at most two entries of nodes and three jobs, checked in less time
    #[arg(long)]
    small: bool,
    /// Check nothing: print a link to a cycle of each scenario, and the digest of its state
    #[arg(long)]
    links: bool,
}

/// The cycle of the printed links, unless the run ends before.
const LINKED_CYCLE: u32 = 6;

fn main() -> ExitCode {
    let args = Args::parse();
    let asked = |name: &&&str| args.policy.as_ref().is_none_or(|policy| policy == **name);
    let policies: Vec<&str> = Policy::NAMES.iter().filter(asked).copied().collect();
    if policies.is_empty() {
        eprintln!("there is no such policy; there are {}", Policy::NAMES.join(", "));
        return ExitCode::from(3);
    }
    if args.links {
        let seeds = args.seed..args.seed.saturating_add(args.cases);
        policies.iter().for_each(|policy| {
            seeds.clone().filter_map(|seed| linked(policy, seed)).for_each(|line| println!("{line}"))
        });
        return ExitCode::SUCCESS;
    }
    // A panic counts as a violation, and minimising its scenario repeats it hundreds of times.
    std::panic::set_hook(Box::new(|_| {}));
    let size = if args.small { Size::SMALL } else { Size::ORDINARY };
    let mut n_broken = 0;
    for policy in policies {
        let start = Instant::now();
        let mut n_here = 0;
        for seed in args.seed..args.seed.saturating_add(args.cases) {
            let Some((broken, scenario)) = soak(policy, size, seed) else { continue };
            println!("# {policy}, seed {seed}: {}\n# {}\n", broken.law, broken.says.replace('\n', "\n# "));
            println!("{}", to_yaml(&scenario));
            n_here += 1;
            if n_here >= args.broken {
                break;
            }
        }
        let took = start.elapsed().as_secs_f64();
        println!("{policy}: {} scenarios from seed {}, {n_here} break a law, {took:.0} s", args.cases, args.seed);
        n_broken += n_here;
    }
    if n_broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A link to a cycle of a drawn scenario and the digest there, which the page has to show.
fn linked(policy: &str, seed: u64) -> Option<String> {
    let scenario = draw::scenario(policy, seed);
    let digests = digests(&check(&scenario).plan?, LINKED_CYCLE);
    Some(format!("{}&at={} {:016x}", link::encode(&scenario), digests.len() - 1, digests.last()?))
}
