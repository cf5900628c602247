//! `cargo xtask mutants`: plants mutations one by one and reports those that no test detects.
//!
//! `tests/mutants.toml` configures the tests to run and explains accepted survivors. Every mutation takes a build of the engine and
//! its tests, a minute or more, so testing all of them is for single files or overnight runs. A sample takes some mutations of every
//! module, plants them in place, and first runs the tests that are most likely to detect them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use crate::root;
use crate::step::{Failure, output, run, step};
use crate::tools;

const EXPLAIN: &str = "write a test that notices them, or explain in tests/mutants.toml why nobody could";

/// Mutated files: policies, simulation and scenario checks, with more than 9,000 mutations.
const WHERE: [&str; 3] = ["core/src/policy/**", "core/src/sim/**", "core/src/scenario/**"];

/// Time limit of the tests in a sample; exceeding it counts as detected. The first tests of a policy take at most a minute.
const TIMEOUT_S: &str = "240";

/// File names of a policy's adapter to scenarios; the other files in its folder are rules or explanations.
const ADAPTERS: [&str; 13] = [
    "adapter.rs",
    "advice.rs",
    "applications.rs",
    "check.rs",
    "describe.rs",
    "draft.rs",
    "form.rs",
    "model.rs",
    "queues.rs",
    "settings.rs",
    "translate.rs",
    "unused.rs",
    "vocabulary.rs",
];

/// Files and folders of a policy's explanations.
const EXPLANATIONS: [&str; 3] = ["explain", "explain.rs", "refuse.rs"];

/// Tests that are most likely to detect a mutation in a policy's folder, and the name of the tests of its recordings.
struct First {
    policy: &'static str,
    recordings: &'static str,
    tests: &'static [&'static str],
}

const FIRST: [First; 4] = [
    First {
        policy: "kai",
        recordings: "kai_recordings_agree",
        tests: &["golden", "in_common", "kai_*", "laws_gangs"],
    },
    First { policy: "yunikorn", recordings: "yunikorn_recordings_agree", tests: &["golden", "yunikorn_*"] },
    First {
        policy: "runai",
        recordings: "runai_recordings_agree",
        tests: &["golden", "laws_runai", "runai_*"],
    },
    First { policy: "ego", recordings: "ego_recordings_agree", tests: &["golden", "ego*", "laws_ego"] },
];

/// Most likely tests for all other mutations.
const FIRST_ELSEWHERE: &[&str] = &[
    "baseline_examples",
    "known_answer",
    "laws_division",
    "laws_sim",
    "patterns",
    "pools",
    "restart",
    "seeded",
];

/// Tests that run first for every mutation.
const FIRST_ALWAYS: [&str; 8] = [
    "eviction_reasons",
    "ignored_values",
    "scenario_codes",
    "scenario_texts",
    "switches",
    "translate",
    "values_left_out",
    "worked_scenarios",
];

/// Plants mutations in the given files, or in all of [`WHERE`]: with `--sample N`, N per module, otherwise all. Reports the results.
pub fn mutants(args: &[String]) -> Result<(), Failure> {
    let all = WHERE.map(str::to_owned);
    let files = |named: &'_ [String]| if named.is_empty() { all.to_vec() } else { named.to_vec() };
    if args.first().is_none_or(|arg| arg != "--sample") {
        return every(&files(args));
    }
    match args.get(1).and_then(|number| number.parse().ok()).filter(|number| *number > 0) {
        Some(number) => sampled(number, &files(&args[2..])),
        None => Err(Failure::new("--sample needs a number", "cargo xtask mutants --sample 5")),
    }
}

fn every(files: &[String]) -> Result<(), Failure> {
    let mut command = cargo_mutants()?;
    command.args(["--config", CONFIG]).args(files.iter().flat_map(|file| ["--file", file]));
    let found = planted("Planted mistakes", &mut command, std::iter::empty())?;
    judged(&found, &table(&found, file_of))
}

/// Draws a sample of every module and plants it in place. Runs the most likely tests, then all tests for the survivors.
fn sampled(number: usize, files: &[String]) -> Result<(), Failure> {
    let changed = output(Command::new("git").args(["status", "--porcelain", "core"]).current_dir(root()));
    if changed.is_none_or(|changed| !changed.is_empty()) {
        return Err(Failure::new(
            "core/ has changes",
            "commit them: a sample plants its mistakes in these files",
        ));
    }
    let listed = list(&["--config", CONFIG], files)?;
    let all = list(&["--no-config"], files)?;
    let drawn = draw(listed.lines(), number);
    println!("{} of {} mistakes", drawn.len(), listed.lines().count());
    let plant = |policy: Option<&str>, names: &[&str], options: &[String]| {
        let own: Vec<&str> = names.iter().copied().filter(|name| first_of(name) == policy).collect();
        if own.is_empty() {
            return Ok(Found::default());
        }
        let mut command = cargo_mutants()?;
        command.args(["--in-place", "--baseline=skip", "--timeout", TIMEOUT_S, "--iterate"]);
        command.args(files.iter().flat_map(|file| ["--file", file])).args(options);
        let title = format!("{} planted mistakes: {}", own.len(), policy.unwrap_or("all other modules"));
        planted(&title, &mut command, all.lines().filter(|name| !own.contains(name)))
    };
    let groups: Vec<Option<&str>> = FIRST.iter().map(|first| Some(first.policy)).chain([None]).collect();
    let mut found = Found::default();
    for &policy in &groups {
        let tests = FIRST.iter().find(|first| Some(first.policy) == policy);
        let tests = tests.map_or(FIRST_ELSEWHERE, |first| first.tests).iter().chain(&FIRST_ALWAYS);
        let mut options = [
            "--no-config",
            "--profile=mutants",
            "--test-package=fairground",
            "--test-package=fairground-tests",
        ]
        .map(str::to_owned)
        .to_vec();
        options.extend(tests.map(|test| format!("--cargo-arg=--test={test}")));
        options.extend(["--", "--"].map(str::to_owned));
        let others = FIRST.iter().filter(|other| Some(other.policy) != policy);
        options.extend(skip(others.map(|other| other.recordings).chain(WHOLE)));
        found.add(plant(policy, &drawn, &options)?);
    }
    let left = std::mem::take(&mut found.missed);
    let left: Vec<&str> = left.iter().map(String::as_str).collect();
    for &policy in &groups {
        let mut options = ["--config", CONFIG, "--", "--"].map(str::to_owned).to_vec();
        if policy.is_some() {
            // Its own recordings ran before, and those of other policies do not run this code.
            options.extend(skip(FIRST.iter().map(|first| first.recordings).chain(WHOLE)));
        }
        found.add(plant(policy, &left, &options)?);
    }
    judged(&found, &table(&found, module_of))
}

const CONFIG: &str = "tests/mutants.toml";

fn out() -> PathBuf {
    root().join("target")
}

fn cargo_mutants() -> Result<Command, Failure> {
    let mut command = Command::new(tools::cargo_mutants()?);
    command.arg("mutants").current_dir(root()).env("CARGO_TARGET_DIR", out().join("mutants"));
    Ok(command)
}

/// Returns the names of the possible mutations in these files, one per line.
fn list(options: &[&str], files: &[String]) -> Result<String, Failure> {
    let mut command = cargo_mutants()?;
    command.args(options).arg("--list").args(files.iter().flat_map(|file| ["--file", file]));
    output(&mut command)
        .ok_or_else(|| Failure::new("cargo-mutants lists no mistakes", "check the names of the files"))
}

/// Tests that need all recordings.
const WHOLE: [&str; 2] = ["known_differences_have_cases", "the_page_shows_what_was_found"];

/// Returns arguments that skip tests.
fn skip<'t>(tests: impl Iterator<Item = &'t str>) -> impl Iterator<Item = String> {
    tests.map(|test| format!("--skip={test}"))
}

/// Names of mutations by result.
#[derive(Debug, Default)]
struct Found {
    caught: Vec<String>,
    missed: Vec<String>,
}

impl Found {
    fn add(&mut self, other: Found) {
        self.caught.extend(other.caught);
        self.missed.extend(other.missed);
    }
}

/// Runs cargo-mutants and reads its results. With `--iterate` it skips mutations caught by an earlier run, so listing all others as
/// caught selects an exact set; its filters cannot select mutations that omit a struct field.
fn planted<'n>(
    title: &str,
    command: &mut Command,
    left_out: impl Iterator<Item = &'n str>,
) -> Result<Found, Failure> {
    let results = out().join("mutants.out");
    let _ = std::fs::remove_dir_all(&results);
    let earlier = results.join("caught.txt");
    std::fs::create_dir_all(&results)
        .and_then(|()| std::fs::write(&earlier, left_out.flat_map(|name| [name, "\n"]).collect::<String>()))
        .map_err(|error| Failure::file(&earlier, error))?;
    // By environment, because the arguments may already contain those of the tests.
    command.env("CARGO_MUTANTS_OUTPUT", out());
    // It also fails if a mutation survives, which is evaluated later; only a run without results is a failure here.
    let ran = step(title, || run(command, "read the messages above"));
    let read = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(results.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let found =
        Found { caught: [read("caught.txt"), read("timeout.txt")].concat(), missed: read("missed.txt") };
    let nothing = found.caught.is_empty() && found.missed.is_empty() && read("unviable.txt").is_empty();
    if nothing { ran.map(|()| found) } else { Ok(found) }
}

/// Prints the results. Fails if a mutation survived.
fn judged(found: &Found, table: &[String]) -> Result<(), Failure> {
    for line in table {
        println!("{line}");
    }
    if found.missed.is_empty() {
        return Ok(());
    }
    println!("\n{}", found.missed.join("\n"));
    Err(Failure::new(format!("no test notices {} planted mistakes", found.missed.len()), EXPLAIN))
}

/// Selects at most `number` mutations of every module, evenly spaced and thus deterministic.
fn draw<'n>(names: impl Iterator<Item = &'n str>, number: usize) -> Vec<&'n str> {
    let mut modules: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        modules.entry(module_of(name)).or_default().push(name);
    }
    let spread = |names: Vec<&'n str>| -> Vec<&'n str> {
        let drawn = number.min(names.len());
        (0..drawn).map(|i| names[(2 * i + 1) * names.len() / (2 * drawn)]).collect()
    };
    modules.into_values().flat_map(spread).collect()
}

/// Returns the policy in [`FIRST`] whose tests are most likely to detect a mutation.
fn first_of(name: &str) -> Option<&'static str> {
    let folder = name.strip_prefix("core/src/policy/")?.split('/').next()?;
    FIRST.iter().map(|first| first.policy).find(|policy| *policy == folder)
}

/// Returns the file of a mutation, whose name has the form `core/src/id.rs:12:5: replace index with 0`.
fn file_of(name: &str) -> String {
    name.split(':').next().unwrap_or_default().to_owned()
}

/// Returns the module of a mutation: a folder of the engine, or the rules, adapter or explanations of a policy.
fn module_of(name: &str) -> String {
    let file = file_of(name);
    let parts: Vec<&str> = file.trim_start_matches("core/src/").split('/').collect();
    match parts[..] {
        ["policy", _] => "policy, in common".to_owned(),
        ["policy", "drf" | "fifo" | "filling" | "maxmin", ..] => "policy, baselines".to_owned(),
        ["policy", policy, place, ..] => {
            let part = match place {
                place if ADAPTERS.contains(&place) => "adapter",
                place if EXPLANATIONS.contains(&place) => "explanations",
                _ => "rules",
            };
            format!("policy/{policy}, {part}")
        }
        [folder, ..] => folder.to_owned(),
        [] => file,
    }
}

/// Returns one line per file or module with the number of detected mutations.
fn table(found: &Found, row: impl Fn(&str) -> String) -> Vec<String> {
    let mut rows: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for name in &found.caught {
        rows.entry(row(name)).or_default().0 += 1;
    }
    for name in &found.missed {
        rows.entry(row(name)).or_default().1 += 1;
    }
    rows.iter().map(|(row, (caught, missed))| format!("{caught:4} of {:4}  {row}", caught + missed)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Found, draw, file_of, module_of, table};

    #[test]
    fn noticed_mistakes_are_counted_by_file() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let found = Found {
            caught: names(&["core/src/id.rs:12:5: replace a", "core/src/id.rs:13:5: replace b"]),
            missed: names(&["core/src/id.rs:14:5: replace c", "core/src/time.rs:1:1: replace d"]),
        };
        assert_eq!(
            table(&found, file_of),
            ["   2 of    3  core/src/id.rs", "   0 of    1  core/src/time.rs"]
        );
    }

    #[test]
    fn a_sample_is_spread_over_every_module() {
        let rules =
            ["core/src/policy/ego/quota.rs:1:1: replace a", "core/src/policy/ego/slot.rs:1:1: replace b"];
        let more =
            ["core/src/policy/ego/slot.rs:2:1: replace c", "core/src/policy/ego/adapter.rs:1:1: replace d"];
        let names = rules.into_iter().chain(more);
        assert_eq!(draw(names.clone(), 1), [more[1], rules[1]]);
        assert_eq!(draw(names, 9), [more[1], rules[0], rules[1], more[0]]);
    }

    #[test]
    fn modules_are_folders_and_parts_of_policies() {
        let of = |path: &str| module_of(&format!("core/src/{path}:3:5: replace x"));
        assert_eq!(of("policy/ego/form.rs"), "policy/ego, adapter");
        assert_eq!(of("policy/kai/explain/notes.rs"), "policy/kai, explanations");
        assert_eq!(of("policy/kai/share/division.rs"), "policy/kai, rules");
        assert_eq!(of("policy/drf/division.rs"), "policy, baselines");
        assert_eq!(of("policy/registry.rs"), "policy, in common");
        assert_eq!(of("scenario/check/jobs.rs"), "scenario");
    }
}
